//! What a settings file asks for, thing by thing.
//!
//! A thing is what can be given or refused by itself: an element of a list (whatever it is), a key of an object down to
//! what is no object, a variable of `env` with its value, a hook with its event and matcher.

use serde_json::{Value, json};
use winter_policy::settings::is_secret_name;

/// One thing.
#[derive(Clone, Debug, PartialEq)]
pub struct Thing {
    /// The keys down to it, as a report joins them.
    pub path: String,
    /// What stands there.
    pub value: Value,
}

impl Thing {
    fn new(path: &str, value: &Value) -> Self {
        Self { path: path.to_owned(), value: value.clone() }
    }

    /// An empty list or object, which asks for nothing.
    pub fn is_empty(&self) -> bool {
        self.value == json!([]) || self.value == json!({})
    }

    /// As the report spells it, and the value that it withholds.
    pub fn spelt(&self) -> (String, Option<String>) {
        let acts = ["command", "url", "prompt"].into_iter().find_map(|key| self.value[key].as_str());
        let whole = match &self.value {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        let said = acts.filter(|_| self.path.starts_with("hooks.")).map_or(whole.clone(), str::to_owned);
        if is_secret_name(self.path.rsplit_once('.').map_or(&self.path, |(_, key)| key)) {
            (self.path.clone(), Some(whole))
        } else {
            (format!("{}: {}", self.path, shortened(&said)), None)
        }
    }
}

/// As long values are shown.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(240) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Everything that a settings document holds.
pub fn things(document: &Value) -> Vec<Thing> {
    let mut found = Vec::new();
    for (key, value) in document.as_object().unwrap() {
        match (key.as_str(), value) {
            ("env", Value::Object(variables)) if !variables.is_empty() => {
                found.extend(variables.iter().map(|(name, value)| Thing::new(&format!("env.{name}"), value)));
            }
            ("hooks", Value::Object(events)) => {
                events.iter().for_each(|(event, value)| hooks(event, value, &mut found));
            }
            _ => leaves(key, value, &mut found),
        }
    }
    found
}

fn leaves(path: &str, value: &Value, found: &mut Vec<Thing>) {
    match value {
        Value::Array(items) if !items.is_empty() => found.extend(items.iter().map(|item| Thing::new(path, item))),
        Value::Object(members) if !members.is_empty() => {
            members.iter().for_each(|(key, value)| leaves(&format!("{path}.{key}"), value, found));
        }
        value => found.push(Thing::new(path, value)),
    }
}

fn hooks(event: &str, value: &Value, found: &mut Vec<Thing>) {
    let path = format!("hooks.{event}");
    let Some(groups) = value.as_array() else { return leaves(&path, value, found) };
    for group in groups {
        let matcher = group["matcher"].as_str().filter(|matcher| !matcher.is_empty());
        let path = matcher.map_or(path.clone(), |matcher| format!("{path}({matcher})"));
        match group["hooks"].as_array() {
            Some(hooks) => found.extend(hooks.iter().map(|hook| Thing::new(&path, hook))),
            None => found.push(Thing::new(&path, group)),
        }
    }
}
