//! Settings carried home: what of the settings that a session changed becomes the person's own.
//!
//! A run's `settings.json` is composed, and a session, or a text that took hold of it, can edit it. So a change comes
//! home only where it stands in a small table of harmless personal choices; everything else is held, and shown.

mod choices;
mod edit;
mod splice;
mod stray;
#[cfg(test)]
mod tests;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::explain::Sheet;
pub use choices::{CHOICES, Choice};
pub use edit::EditError;
pub use stray::{Action, Beside, Stands, stray};

/// Why a change was not applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// It is no harmless personal choice.
    NotListed,
    /// A personal choice with a value that is none.
    WrongShape,
    /// The person's own file says something else there than when the session began.
    ChangedMeanwhile,
    /// The person's own file cannot be read.
    OwnUnreadable,
    /// The run's settings cannot be read any more.
    RunUnreadable,
}

/// One value that differs from what was built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Change {
    /// The keys down to it; none where the whole file is meant.
    pub path: Vec<String>,
    /// What was built there, as JSON; none where nothing was.
    pub old: Option<String>,
    /// What stands there now, as JSON; none where nothing does.
    pub new: Option<String>,
}

/// A change that was not applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Held {
    /// What changed.
    pub change: Change,
    /// Why it stays where it is.
    pub reason: Reason,
}

/// What becomes of the changes of one session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Carried {
    /// The person's own file as it is to be; none where nothing of it changes.
    pub own: Option<String>,
    /// What was applied to it.
    pub applied: Vec<Change>,
    /// What was not.
    pub held: Vec<Held>,
}

/// The texts that [`settle`] compares.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    /// The run's settings as they were built.
    pub built: &'a str,
    /// As they are at the end; none where no readable file stands there any more.
    pub ended: Option<&'a str>,
    /// The person's own settings when the session began; none where there were none.
    pub own_before: Option<&'a str>,
    /// As they are now.
    pub own_now: Option<&'a str>,
}

/// What of a session's changes becomes the person's own: only keys of [`CHOICES`], each with a value of its kind, and only
/// where nobody changed it in the person's own file meanwhile.
///
/// ```
/// use winter_policy::carry::{Texts, settle};
/// let texts = Texts {
///     built: r#"{"theme":"dark"}"#,
///     ended: Some(r#"{"theme":"light","apiKeyHelper":"/x"}"#),
///     own_before: Some(r#"{"theme":"dark"}"#),
///     own_now: Some(r#"{"theme":"dark"}"#),
/// };
/// let carried = settle(&texts);
/// assert_eq!(carried.own.as_deref(), Some(r#"{"theme":"light"}"#));
/// assert_eq!(carried.held[0].change.path, ["apiKeyHelper"]);
/// ```
pub fn settle(texts: &Texts<'_>) -> Carried {
    let mut carried = Carried::default();
    let built = object(texts.built).unwrap_or_default();
    let Some(ended) = texts.ended.and_then(object) else {
        let new = texts.ended.map(|_| "\"not a JSON object\"".to_owned());
        let change = Change { path: Vec::new(), old: None, new };
        carried.held.push(Held { change, reason: Reason::RunUnreadable });
        return carried;
    };
    let own = texts.own_now.map_or(Some(Map::new()), object);
    let before = texts.own_before.map_or(Some(Map::new()), object);
    let mut edited = texts.own_now.map(str::to_owned);
    for change in changes(&built, &ended) {
        let reason = match (&own, &before) {
            _ if choices::row(&change.path).is_none() => Some(Reason::NotListed),
            _ if !choices::fits(&change) => Some(Reason::WrongShape),
            (Some(own), Some(before)) => {
                let key = &change.path[0];
                let moved = own.get(key) != before.get(key) && own.get(key) != ended.get(key);
                moved.then_some(Reason::ChangedMeanwhile)
            }
            _ => Some(Reason::OwnUnreadable),
        };
        if let Some(reason) = reason {
            carried.held.push(Held { change, reason });
            continue;
        }
        match edit::set(edited.as_deref(), &change.path, change.new.as_deref()) {
            Ok(text) => {
                edited = Some(text);
                carried.applied.push(change);
            }
            Err(_) => carried.held.push(Held { change, reason: Reason::OwnUnreadable }),
        }
    }
    carried.own = edited.filter(|edited| texts.own_now != Some(edited));
    if carried.own.is_none() {
        // The person's own file says all of it already.
        carried.applied.clear();
    }
    carried
}

/// The person's own settings with one held change applied, by the person's own word.
///
/// # Errors
/// A file that is no JSON object, a path through something that is none, and a value that the runtime would drop the
/// whole file for.
pub fn apply(own: Option<&str>, path: &[String], value: Option<&str>) -> Result<String, EditError> {
    let text = edit::set(own, path, value)?;
    edit::check(&text)?;
    Ok(text)
}

fn object(text: &str) -> Option<Map<String, Value>> {
    match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    }
}

/// Every leaf that differs, in the order of what stands now, then what is gone.
fn changes(built: &Map<String, Value>, ended: &Map<String, Value>) -> Vec<Change> {
    let mut found = Vec::new();
    compare(&mut Vec::new(), built, ended, &mut found);
    found
}

fn compare(path: &mut Vec<String>, built: &Map<String, Value>, ended: &Map<String, Value>, found: &mut Vec<Change>) {
    for (key, new) in ended {
        path.push(key.clone());
        match (built.get(key), new) {
            (Some(Value::Object(built)), Value::Object(new)) => compare(path, built, new, found),
            // What is new is shown leaf by leaf, too; an empty object is a leaf.
            (None, Value::Object(new)) if !new.is_empty() => compare(path, &Map::new(), new, found),
            (old, new) if old == Some(new) => {}
            (old, new) => {
                found.push(Change { path: path.clone(), old: old.map(Value::to_string), new: Some(new.to_string()) });
            }
        }
        path.pop();
    }
    for (key, old) in built.iter().filter(|(key, _)| !ended.contains_key(*key)) {
        path.push(key.clone());
        found.push(Change { path: path.clone(), old: Some(old.to_string()), new: None });
        path.pop();
    }
}

/// The tables of this area, for `explain`.
pub(crate) fn sheets() -> Vec<Sheet> {
    vec![choices::sheet()]
}
