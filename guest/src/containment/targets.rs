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
    /// What is kept from it.
    pub access: Access,
    /// Why.
    pub why: &'static str,
}

/// The folder that a row begins at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// Winter's own home.
    Home,
    /// The shared home.
    SharedHome,
}

const fn row(id: &'static str, at: At, path: &'static str, access: Access, why: &'static str) -> Row {
    Row { id, at, path, access, why }
}

/// Everything that is protected.
pub static TARGETS: &[Row] = &[
    row("winter-home", At::Home, "", Access::Write, "what decides about sessions is not theirs to change"),
    row(
        "winter-records",
        At::Home,
        "cache/ended",
        Access::Any,
        "it holds the reports and the held settings of other sessions",
    ),
    row("winter-quarantine", At::Home, "cache/quarantine", Access::Any, "it may hold credentials that were set aside"),
    row(
        "own-settings",
        At::SharedHome,
        "settings.json",
        Access::Write,
        "a session changes its own settings, and winter carries home what may come",
    ),
    row("own-credentials", At::SharedHome, ".credentials.json", Access::Any, "it is the person's login"),
    row("own-hooks", At::SharedHome, "hooks", Access::Write, "what is written there runs in other sessions"),
    row("own-plugins", At::SharedHome, "plugins", Access::Write, "what is written there runs in other sessions"),
    row("own-agents", At::SharedHome, "agents", Access::Write, "what is written there acts in other sessions"),
    row("own-commands", At::SharedHome, "commands", Access::Write, "what is written there acts in other sessions"),
    row("own-skills", At::SharedHome, "skills", Access::Write, "what is written there acts in other sessions"),
];

/// The folders that a session concerns; each with its further spellings, through links.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Winter's home.
    pub home: Vec<String>,
    /// The shared home.
    pub shared_home: Vec<String>,
}

/// The targets of a session.
///
/// ```
/// use winter_policy::containment::{Places, targets};
/// let places = Places { home: vec!["/home/me/.winter".into()], shared_home: vec!["/home/me/.claude".into()] };
/// assert!(targets(&places).iter().any(|target| target.path == "/home/me/.claude/.credentials.json"));
/// ```
pub fn targets(places: &Places) -> Vec<Target> {
    let mut found = Vec::new();
    for row in TARGETS {
        let folders = if row.at == At::Home { &places.home } else { &places.shared_home };
        for folder in folders {
            let path = if row.path.is_empty() { folder.clone() } else { join(folder, row.path) };
            found.push(Target { id: row.id.to_owned(), path, access: row.access, why: row.why.to_owned() });
        }
    }
    found
}

pub(super) fn sheet() -> Sheet {
    let rows = TARGETS.iter().map(|row| {
        let at = if row.at == At::Home { "winter's home" } else { "the shared home" };
        let path = if row.path.is_empty() { at.to_owned() } else { format!("{at}: {}", row.path) };
        let access = match row.access {
            Access::Read => "reading",
            Access::Write => "writing",
            Access::Any => "reading and writing",
        };
        vec![row.id.to_owned(), path, access.to_owned(), row.why.to_owned()]
    });
    Sheet::new("What a session's tools may not name", &["id", "path", "kept from it", "why"], rows)
}
