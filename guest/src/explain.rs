//! The policy's own tables, as it reads them: the documentation cannot differ from the code.

use crate::brand::Profile;
use crate::environment::{CLASSES, Standing};
use crate::settings::{keys, rules::RULES};
use crate::{
    advice, carry, containment, door, environment, escape, frontmatter, mcp, powers, recovery, selection, switch_review,
};

/// Which tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Topic {
    /// What is dropped from settings files, and how their keys combine.
    Settings,
    /// Which variables a settings file may set.
    Env,
    /// What acts in a repository's configuration, and where.
    Powers,
    /// What of agents, skills, commands, styles and rules a run home holds.
    Items,
    /// Which MCP servers a run home holds.
    Mcp,
    /// How grave each reason of a report is, and what the person could do.
    Report,
    /// How literal paths are spelt.
    Escape,
    /// Which runtime, provider and credential serve a request.
    Selection,
    /// What a change of the model would lose.
    SwitchReview,
    /// Whether a session may start, and with what.
    Door,
    /// Which settings a session brings home.
    Carry,
    /// What becomes of a working copy's transcripts.
    Recovery,
    /// What a session's tools may not name.
    Containment,
}

/// Every topic.
pub const TOPICS: [Topic; 13] = [
    Topic::Settings,
    Topic::Env,
    Topic::Powers,
    Topic::Items,
    Topic::Mcp,
    Topic::Report,
    Topic::Escape,
    Topic::Selection,
    Topic::SwitchReview,
    Topic::Door,
    Topic::Carry,
    Topic::Recovery,
    Topic::Containment,
];

/// One table.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Sheet {
    /// What it says.
    pub title: String,
    /// The heads of its columns.
    pub columns: Vec<String>,
    /// As many cells a row as there are columns.
    pub rows: Vec<Vec<String>>,
}

impl Sheet {
    pub(crate) fn new(title: &str, columns: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Self { title: title.to_owned(), columns, rows: rows.into_iter().collect() }
    }
}

/// The tables of that topic.
///
/// ```
/// use winter_policy::explain::{Topic, sheets};
/// let sheets = sheets(Topic::Settings);
/// assert!(sheets[0].rows.iter().any(|row| row[0] == "escalating-mode"));
/// ```
pub fn sheets(topic: Topic) -> Vec<Sheet> {
    match topic {
        Topic::Settings => vec![dropped(), settings_keys()],
        Topic::Env => vec![classes(), variables()],
        Topic::Powers => vec![acting()],
        Topic::Items => frontmatter::sheets(),
        Topic::Mcp => mcp::sheets(),
        Topic::Report => vec![advice::sheet()],
        Topic::Escape => escape::sheets(),
        Topic::Selection => selection::sheets(),
        Topic::SwitchReview => switch_review::sheets(),
        Topic::Door => door::sheets(),
        Topic::Carry => carry::sheets(),
        Topic::Recovery => recovery::sheets(),
        Topic::Containment => containment::sheets(),
    }
}

fn dropped() -> Sheet {
    let rows = RULES.iter().map(|rule| {
        let when = if rule.only_without_powers { " (powers: drop)" } else { "" };
        [rule.id, rule.what, &format!("{}{when}", rule.tiers.name()), rule.why, rule.source].map(str::to_owned).to_vec()
    });
    Sheet::new("What is dropped from settings files", &["id", "what", "tiers", "why", "source"], rows)
}

fn settings_keys() -> Sheet {
    let rows = keys::KEYS.iter().map(|key| {
        let mut rules: Vec<&str> = key.rules.iter().map(|rule| rule.id).collect();
        rules.dedup();
        let dropped = if rules.is_empty() { "-".to_owned() } else { rules.join(", ") };
        vec![key.path.to_owned(), key.merge.to_string(), dropped, key.shape.to_string()]
    });
    Sheet::new("Settings keys", &["key", "combines", "dropped as", "holds"], rows)
}

fn classes() -> Sheet {
    let rows = CLASSES
        .iter()
        .map(|class| [class.id, class.name, class.tiers.name(), class.why, class.source].map(str::to_owned).to_vec());
    Sheet::new("What is dropped from the variables of a settings file", &["id", "what", "tiers", "why", "source"], rows)
}

fn variables() -> Sheet {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for brand in Profile::built_in() {
        for row in environment::rows(&brand) {
            let standing = match row.standing {
                Standing::Refused(class) => class.id,
                Standing::Harmless => "-",
                // A word of the program's strings, and no variable of it.
                Standing::Word => continue,
            };
            let row = vec![row.spelt(&brand), standing.to_owned(), row.about.to_owned()];
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
    }
    crate::order::sort(&mut rows);
    Sheet::new("Variables", &["name", "dropped as", "what it is"], rows)
}

fn acting() -> Sheet {
    let settings = keys::KEYS.iter().flat_map(|key| {
        key.rules
            .iter()
            .filter(|rule| rule.only_without_powers)
            .map(|rule| ["settings", key.path, rule.id, rule.why, rule.source].map(str::to_owned).to_vec())
    });
    let elsewhere = powers::CARRIERS.iter().map(|row| {
        let place = match row.place {
            powers::Place::Key(key) => key,
            powers::Place::InlineShell => "!`command`, a fenced block marked !",
            powers::Place::FileReference => "@path in the text",
            powers::Place::PluginManifest => ".claude-plugin/",
            powers::Place::ServerCommand => "mcpServers.*.command",
            powers::Place::ServerUrl => "mcpServers.*.url",
        };
        let files: Vec<&str> = row.kinds.iter().map(|kind| kind.folder()).collect();
        let files = if files.is_empty() { ".mcp.json".to_owned() } else { files.join(", ") };
        vec![files, place.to_owned(), row.power.id().to_owned(), row.why.to_owned(), row.source.to_owned()]
    });
    Sheet::new("What acts, and where", &["files", "carrier", "dropped as", "why", "source"], settings.chain(elsewhere))
}
