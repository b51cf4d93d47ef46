//! What is protected, as a table.

use serde::Serialize;

use crate::explain::Sheet;
use crate::reading::join;

/// What is done with a path, or what is kept from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// Reading.
    Read,
    /// Writing.
    Write,
    /// Both.
    Any,
}

impl Access {
    /// Whether what is kept from a path concerns what is done with it.
    pub(super) fn meets(self, done: Self) -> bool {
        self == Self::Any || done == Self::Any || self == done
    }
}

/// Something that a session's tools may not name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Target {
    /// The id of its row.
    pub id: String,
    /// Absolute; with everything beneath it.
    pub path: String,
    /// Not the path itself but what has this name in any folder that stands right in it; empty for the path itself.
    pub inside: String,
    /// What is kept from it.
    pub access: Access,
    /// Why, for the model and the person.
    pub why: String,
}

/// One row: a path in one of the folders that a session concerns.
#[derive(Debug)]
pub struct Row {
    /// Its id.
    pub id: &'static str,
    /// The folder that it begins at.
    pub at: At,
    /// Its path from there; empty for the folder itself.
    pub path: &'static str,
    /// As [`Target::inside`].
    pub inside: &'static str,
    /// What is kept from it.
    pub access: Access,
    /// Why.
    pub why: &'static str,
    /// Where the rule is from.
    pub source: &'static str,
}

/// The folder or file that a row begins at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// Winter's own home.
    Home,
    /// The shared home.
    SharedHome,
    /// The global file, where it stands outside the shared home.
    GlobalFile,
}

const OWN: &str = "winter's own";
const READ: &str = "Claude Code 2.1.250, measured: it reads this of its config folder";

const fn row(
    id: &'static str,
    at: At,
    path: &'static str,
    access: Access,
    why: &'static str,
    source: &'static str,
) -> Row {
    Row { id, at, path, inside: "", access, why, source }
}

const fn of_runs(id: &'static str, inside: &'static str, why: &'static str) -> Row {
    Row { id, at: At::Home, path: "cache/runs", inside, access: Access::Any, why, source: OWN }
}

const RUNS: &str = "what is written there runs in other sessions";
const ACTS: &str = "what is written there acts in other sessions";
const SAYS: &str = "what is written there is said to every other session";
const GLOBAL: &str = "it holds the person's account, servers and decisions of trust";

/// Everything that is protected.
pub static TARGETS: &[Row] = &[
    row("winter-records", At::Home, "cache/ended", Access::Any, "it holds what other sessions left and asked for", OWN),
    row("winter-quarantine", At::Home, "cache/quarantine", Access::Any, "it may hold credentials set aside", OWN),
    of_runs("run-credentials", ".credentials.json", "it is a person's login"),
    of_runs("run-servers", "mcp.json", "it may hold the credentials of servers"),
    of_runs("run-global-file", ".claude.json", GLOBAL),
    of_runs("run-global-file", ".winter.json", GLOBAL),
    row("own-credentials", At::SharedHome, ".credentials.json", Access::Any, "it is the person's login", OWN),
    row("own-global-file", At::SharedHome, ".claude.json", Access::Any, GLOBAL, OWN),
    row("own-global-file", At::SharedHome, ".winter.json", Access::Any, GLOBAL, OWN),
    row("own-global-file", At::GlobalFile, "", Access::Any, GLOBAL, OWN),
    row(
        "own-settings",
        At::SharedHome,
        "settings.json",
        Access::Write,
        "a session changes its own settings, and winter carries home what may come",
        OWN,
    ),
    row("own-hooks", At::SharedHome, "hooks", Access::Write, RUNS, "convention: where people keep their hooks"),
    row("own-plugins", At::SharedHome, "plugins", Access::Write, RUNS, READ),
    row("own-agents", At::SharedHome, "agents", Access::Write, ACTS, READ),
    row("own-commands", At::SharedHome, "commands", Access::Write, ACTS, READ),
    row("own-skills", At::SharedHome, "skills", Access::Write, ACTS, READ),
    row("own-workflows", At::SharedHome, "workflows", Access::Write, ACTS, READ),
    row("own-rules", At::SharedHome, "rules", Access::Write, SAYS, READ),
    row("own-styles", At::SharedHome, "output-styles", Access::Write, SAYS, READ),
    row("own-instructions", At::SharedHome, "CLAUDE.md", Access::Write, SAYS, READ),
    row("own-instructions", At::SharedHome, "WINTER.md", Access::Write, SAYS, OWN),
    row("winter-home", At::Home, "", Access::Write, "what decides about sessions is not theirs to change", OWN),
];

/// The folders that a session concerns; each with its further spellings, through links.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Winter's home.
    pub home: Vec<String>,
    /// The shared home.
    pub shared_home: Vec<String>,
    /// The global file, where it may stand outside the shared home.
    pub global_file: Vec<String>,
}

/// The targets of a session.
///
/// ```
/// use winter_policy::containment::{Places, targets};
/// let places = Places {
///     home: vec!["/home/me/.winter".into()],
///     shared_home: vec!["/home/me/.claude".into()],
///     global_file: vec!["/home/me/.claude.json".into()],
/// };
/// assert!(targets(&places).iter().any(|target| target.path == "/home/me/.claude/.credentials.json"));
/// ```
pub fn targets(places: &Places) -> Vec<Target> {
    let mut found = Vec::new();
    for row in TARGETS {
        let folders = match row.at {
            At::Home => &places.home,
            At::SharedHome => &places.shared_home,
            At::GlobalFile => &places.global_file,
        };
        for folder in folders {
            let path = if row.path.is_empty() { folder.clone() } else { join(folder, row.path) };
            let (id, inside, why) = (row.id.to_owned(), row.inside.to_owned(), row.why.to_owned());
            found.push(Target { id, path, inside, access: row.access, why });
        }
    }
    found
}

pub(super) fn sheet() -> Sheet {
    let rows = TARGETS.iter().map(|row| {
        let at = match row.at {
            At::Home => "winter's home",
            At::SharedHome => "the shared home",
            At::GlobalFile => "the global file beside it",
        };
        let mut path = if row.path.is_empty() { at.to_owned() } else { format!("{at}: {}", row.path) };
        if !row.inside.is_empty() {
            path = format!("{path}/*/{}", row.inside);
        }
        let access = match row.access {
            Access::Read => "reading",
            Access::Write => "writing",
            Access::Any => "reading and writing",
        };
        [row.id, &path, access, row.why, row.source].map(str::to_owned).to_vec()
    });
    Sheet::new("What a session's tools may not name", &["id", "path", "kept from it", "why", "source"], rows)
}
