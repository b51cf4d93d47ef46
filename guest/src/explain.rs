//! The policy's own tables, as it reads them: the documentation cannot differ from the code.

use crate::brand::Profile;
use crate::environment::{CLASSES, Standing};
use crate::settings::{keys, rules::RULES};
use crate::{environment, escape, selection, switch_review};

/// Which tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// What is dropped from settings files, and how their keys combine.
    Settings,
    /// Which variables a settings file may set.
    Env,
    /// How literal paths are spelt.
    Escape,
    /// Which runtime, provider and credential serve a request.
    Selection,
    /// What a change of the model would lose.
    SwitchReview,
}

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
        Topic::Escape => escape::sheets(),
        Topic::Selection => selection::sheets(),
        Topic::SwitchReview => switch_review::sheets(),
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
    rows.sort();
    Sheet::new("Variables", &["name", "dropped as", "what it is"], rows)
}
