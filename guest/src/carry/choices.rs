//! The harmless personal choices, as a table.

use serde_json::Value;

use super::Change;
use crate::explain::Sheet;
use crate::settings::document::{self, Document};
use crate::settings::keys;

/// What a choice holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Switch,
    /// A short name: letters, digits and `-._:/[]` and spaces.
    Name,
}

/// One harmless personal choice.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The key, at the top of the settings.
    pub key: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// What it is about.
    pub what: &'static str,
}

const fn choice(key: &'static str, kind: Kind, what: &'static str) -> Choice {
    Choice { key, kind, what }
}

/// Keys whose change a session brings home (Claude Code 2.1.250 reads them; the list is the door's own).
pub static CHOICES: &[Choice] = &[
    choice("agentPushNotifEnabled", Kind::Switch, "notifications"),
    choice("alwaysThinkingEnabled", Kind::Switch, "effort"),
    choice("autoScrollEnabled", Kind::Switch, "what the screen shows"),
    choice("axScreenReader", Kind::Switch, "what the screen shows"),
    choice("defaultView", Kind::Name, "what the screen shows"),
    choice("editorMode", Kind::Name, "editor mode"),
    choice("effortLevel", Kind::Name, "effort"),
    choice("emojiCompletionEnabled", Kind::Switch, "editor mode"),
    choice("fastMode", Kind::Switch, "effort"),
    choice("inputNeededNotifEnabled", Kind::Switch, "notifications"),
    choice("keybindingFlavor", Kind::Name, "editor mode"),
    choice("model", Kind::Name, "the person's own model"),
    choice("outputStyle", Kind::Name, "style"),
    choice("preferredNotifChannel", Kind::Name, "notifications"),
    choice("prefersReducedMotion", Kind::Switch, "what the screen shows"),
    choice("promptSuggestionEnabled", Kind::Switch, "tips"),
    choice("showMessageTimestamps", Kind::Switch, "verbosity"),
    choice("showThinkingSummaries", Kind::Switch, "verbosity"),
    choice("showTurnDuration", Kind::Switch, "verbosity"),
    choice("spinnerTipsEnabled", Kind::Switch, "tips"),
    choice("syntaxHighlightingDisabled", Kind::Switch, "what the screen shows"),
    choice("terminalProgressBarEnabled", Kind::Switch, "what the screen shows"),
    choice("terminalTitleFromRename", Kind::Switch, "what the screen shows"),
    choice("theme", Kind::Name, "theme"),
    choice("tui", Kind::Name, "what the screen shows"),
    choice("verbose", Kind::Switch, "verbosity"),
    choice("viewMode", Kind::Name, "what the screen shows"),
    choice("wheelScrollAccelerationEnabled", Kind::Switch, "what the screen shows"),
];

/// The longest name that is one.
const MAX_NAME: usize = 100;

/// The row of a path, which is one key.
pub(super) fn row(path: &[String]) -> Option<&'static Choice> {
    let [key] = path else { return None };
    CHOICES.iter().find(|choice| choice.key == key)
}

/// Whether a change leaves a value of the choice's kind that the runtime reads there, or none.
pub(super) fn fits(change: &Change) -> bool {
    let Some(row) = row(&change.path) else { return false };
    let Some(new) = &change.new else { return true };
    let of_its_kind = match (row.kind, serde_json::from_str(new)) {
        (Kind::Switch, Ok(Value::Bool(_))) => true,
        (Kind::Name, Ok(Value::String(name))) => is_name(&name),
        _ => false,
    };
    of_its_kind && is_read(row.key, new)
}

/// Whether the runtime reads that value there: for another (`"tui": "none"`) it drops the person's whole file, deny
/// rules and all (Claude Code 2.1.250, measured).
fn is_read(key: &str, value: &str) -> bool {
    let Ok(file) = Document::parse(format!("{{\"{key}\":{value}}}").as_bytes()) else { return false };
    let value = document::get(&file.members, key);
    keys::find("", key).zip(value).is_some_and(|(key, value)| key.shape.accepts(value))
}

fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '_' | ':' | '/' | '[' | ']' | ' ');
    (1..=MAX_NAME).contains(&name.len()) && name.chars().all(plain)
}

pub(super) fn sheet() -> Sheet {
    let rows = CHOICES.iter().map(|choice| {
        let holds = if choice.kind == Kind::Switch { "true or false" } else { "a short name" };
        [choice.key, holds, choice.what].map(str::to_owned).to_vec()
    });
    Sheet::new(
        "Settings whose change a session brings home; every other change is held",
        &["key", "holds", "what"],
        rows,
    )
}
