//! The keys that are known and inert, and those that never come from a repository.

use super::yaml::{Node, Value};
use crate::explain::Sheet;
use crate::powers::ItemKind::{self, Agent, Command, OutputStyle, Rule, Skill};

/// What a key holds, and how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A text.
    Text,
    /// Anything short that the program shows as text: a text, a number, a switch, a list of these.
    Shown,
    /// A text, or a list of texts; what else is in the list the program passes over.
    Texts,
    /// The same; without one the item would get more, so what is neither is written as an empty list.
    Narrowing,
    /// A list of plain names, or a text of them; they are places that the program fills in the text.
    Names,
    /// A switch.
    Switch,
    /// A whole number above zero.
    Count,
    /// Texts by name.
    Map,
    /// Patterns of paths.
    Patterns,
    /// Always written `true`.
    True,
}

/// One row: a key that may stay.
#[derive(Clone, Copy, Debug)]
pub struct KeyRow {
    /// As the program reads it.
    pub key: &'static str,
    /// In which items.
    pub kinds: &'static [ItemKind],
    /// What it holds.
    pub shape: Shape,
    /// What it does, and why that is harmless.
    pub note: &'static str,
    /// Where the row comes from.
    pub source: &'static str,
}

const READ: &str = "Claude Code 2.1.250, its strings";
const STANDARD: &str = "Agent Skills, the format";

/// Every key that may stay, in the order in which they are written.
#[rustfmt::skip]
pub static KEYS: &[KeyRow] = &[
    KeyRow { key: "name", kinds: &[Agent], shape: Shape::Text, note: "what it is called by", source: READ },
    KeyRow { key: "name", kinds: &[Skill, Command, OutputStyle, Rule], shape: Shape::Shown, note: "what it is shown as; of an output style, what it is called by", source: READ },
    KeyRow { key: "description", kinds: &[Agent], shape: Shape::Text, note: "what the model is told of it", source: READ },
    KeyRow { key: "description", kinds: &[Skill, Command, OutputStyle, Rule], shape: Shape::Shown, note: "what the model is told of it", source: READ },
    KeyRow { key: "when_to_use", kinds: &[Skill, Command], shape: Shape::Shown, note: "joined to the description", source: READ },
    KeyRow { key: "argument-hint", kinds: &[Skill, Command], shape: Shape::Shown, note: "shown after the name", source: READ },
    KeyRow { key: "arguments", kinds: &[Skill, Command], shape: Shape::Names, note: "names of the arguments; plain ones, since each is a place in the text", source: READ },
    KeyRow { key: "disable-model-invocation", kinds: &[Skill, Command], shape: Shape::Switch, note: "keeps it from the model", source: READ },
    KeyRow { key: "user-invocable", kinds: &[Skill, Command], shape: Shape::Switch, note: "hides it from the person's list", source: READ },
    KeyRow { key: "paths", kinds: &[Rule, Skill], shape: Shape::Patterns, note: "it waits until a file that matches is read", source: "Claude Code 2.1.250, measured" },
    KeyRow { key: "tools", kinds: &[Agent], shape: Shape::Narrowing, note: "the only tools it has; without it, all", source: READ },
    KeyRow { key: "disallowedTools", kinds: &[Agent, Skill, Command], shape: Shape::Texts, note: "takes tools away", source: READ },
    KeyRow { key: "disallowed-tools", kinds: &[Skill, Command], shape: Shape::Texts, note: "takes tools away", source: READ },
    KeyRow { key: "color", kinds: &[Agent], shape: Shape::Text, note: "of its name", source: READ },
    KeyRow { key: "maxTurns", kinds: &[Agent], shape: Shape::Count, note: "ends its work early", source: READ },
    KeyRow { key: "keep-coding-instructions", kinds: &[OutputStyle], shape: Shape::True, note: "the program's own instructions stay", source: READ },
    KeyRow { key: "version", kinds: &[Agent, Skill, Command, OutputStyle, Rule], shape: Shape::Shown, note: "for people", source: READ },
    KeyRow { key: "license", kinds: &[Skill], shape: Shape::Shown, note: "for people", source: STANDARD },
    KeyRow { key: "compatibility", kinds: &[Skill], shape: Shape::Shown, note: "for people", source: STANDARD },
    KeyRow { key: "author", kinds: &[Skill], shape: Shape::Shown, note: "for people", source: READ },
    KeyRow { key: "homepage", kinds: &[Skill], shape: Shape::Shown, note: "for people", source: READ },
    KeyRow { key: "repository", kinds: &[Skill], shape: Shape::Shown, note: "for people", source: READ },
    KeyRow { key: "keywords", kinds: &[Skill], shape: Shape::Texts, note: "for people", source: READ },
    KeyRow { key: "metadata", kinds: &[Skill], shape: Shape::Map, note: "the author's own; the program keeps it and acts on none of it", source: READ },
];

/// Keys that choose a model, whatever else may act.
pub const MODEL_KEYS: &[&str] = &["model", "modelSettings", "fallbackModel", "fallback"];
/// Keys that choose effort, thinking or the price of a cache, whatever else may act.
pub const EFFORT_KEYS: &[&str] = &["effort", "thinking", "experimental"];

/// The row of a key in an item.
pub(super) fn find(key: &str, kind: ItemKind) -> Option<&'static KeyRow> {
    KEYS.iter().find(|row| row.key == key && row.kinds.contains(&kind))
}

impl Shape {
    /// The value as it is written; none when it is of another shape, or says nothing.
    pub(super) fn canonical(self, value: &Value) -> Option<Value> {
        match (self, value) {
            (Self::Text, Value::Text(_)) => Some(value.clone()),
            (Self::Shown, value) => shown(value).map(Value::Text),
            (Self::Texts | Self::Narrowing | Self::Patterns, Value::Text(text)) => Some(Value::Text(text.clone())),
            (Self::Texts | Self::Narrowing | Self::Patterns, Value::List(items)) => {
                let texts = items.iter().filter(|item| matches!(item.value, Value::Text(_)));
                Some(Value::List(texts.cloned().collect()))
            }
            (Self::Names, Value::Text(text)) => {
                text.split_whitespace().all(is_plain_name).then(|| value.clone()).filter(|_| !text.trim().is_empty())
            }
            (Self::Names, Value::List(items)) => {
                let is_name = |item: &Node| matches!(&item.value, Value::Text(text) if is_plain_name(text));
                items.iter().all(is_name).then(|| value.clone())
            }
            (Self::Switch, value) => switch(value).map(Value::Bool),
            (Self::Count, Value::Number(text) | Value::Text(text)) => {
                text.trim().parse::<u32>().ok().filter(|&count| count > 0).map(|count| Value::Number(count.to_string()))
            }
            (Self::Map, Value::Map(entries)) => {
                let is_plain = |value: &Value| matches!(value, Value::Text(_) | Value::Number(_) | Value::Bool(_));
                let plain = entries.iter().all(|entry| is_plain(&entry.node.value));
                (plain && super::write::can_be_written(value)).then(|| value.clone())
            }
            (Self::True, _) => Some(Value::Bool(true)),
            _ => None,
        }
    }
}

/// As the program turns a value into a text: a list's items joined by commas.
fn shown(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) | Value::Number(text) => Some(text.clone()),
        Value::Bool(on) => Some(on.to_string()),
        Value::List(items) => {
            let texts: Option<Vec<_>> = items
                .iter()
                .map(|item| if matches!(item.value, Value::List(_)) { None } else { shown(&item.value) })
                .collect();
            texts.map(|texts| texts.join(",")).filter(|text| !text.is_empty())
        }
        Value::Null | Value::Map(_) | Value::Tagged => None,
    }
}

/// A switch as the program reads one, in words too.
pub(super) fn switch(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(on) => Some(*on),
        Value::Text(text) | Value::Number(text) => match text.trim().to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Some(true),
            "0" | "false" | "no" | "off" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn is_plain_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// The keys as tables.
pub fn sheets() -> Vec<Sheet> {
    let kept = KEYS.iter().map(|row| {
        let folders: Vec<&str> = row.kinds.iter().map(|kind| kind.folder()).collect();
        let shape = match row.shape {
            Shape::Text => "a text",
            Shape::Shown => "a text, or what reads as one",
            Shape::Texts => "a text or a list of texts",
            Shape::Narrowing => "a text or a list of texts; anything else becomes an empty list",
            Shape::Names => "plain names",
            Shape::Switch => "a switch",
            Shape::Count => "a whole number above zero",
            Shape::Map => "texts by name",
            Shape::Patterns => "patterns, rewritten for the working directory",
            Shape::True => "always `true`",
        };
        [row.key, &folders.join(", "), shape, row.note, row.source].map(str::to_owned).to_vec()
    });
    let never = [(MODEL_KEYS, "repository-chooses-model"), (EFFORT_KEYS, "repository-chooses-effort")];
    let never =
        never.iter().flat_map(|(keys, reason)| keys.iter().map(|key| vec![(*key).to_owned(), (*reason).into()]));
    vec![
        Sheet::new("Keys of a repository's items that stay", &["key", "files", "holds", "does", "source"], kept),
        Sheet::new("Keys of a repository's items that never stay", &["key", "dropped as"], never),
    ]
}
