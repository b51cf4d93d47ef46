//! What differs between two JSON documents, leaf by leaf.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// One step down into a document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A member of an object.
    Key(String),
    /// An element of a list, whichever.
    Item,
}

/// Something that only one of two documents has, or that both have otherwise.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Leaf {
    /// Where it stands; as JSON a text such as `permissions.deny[]`.
    #[serde(serialize_with = "as_text")]
    pub path: Vec<Step>,
    /// In the one document.
    pub was: Option<Value>,
    /// In the other.
    pub now: Option<Value>,
}

impl Leaf {
    /// Its path as one text.
    pub fn place(&self) -> String {
        Place(&self.path).to_string()
    }

    /// The same value in a document that holds nothing else, for what judges a value by the keys above it.
    pub fn in_place(&self, value: Value) -> Value {
        self.path.iter().rev().fold(value, |value, step| match step {
            Step::Key(key) => Value::Object(Map::from_iter([(key.clone(), value)])),
            Step::Item => Value::Array(vec![value]),
        })
    }

    /// The value of a document that [`Leaf::in_place`] made.
    pub fn taken_from(&self, document: Value) -> Option<Value> {
        self.path.iter().try_fold(document, |value, step| match (step, value) {
            (Step::Key(key), Value::Object(mut members)) => members.remove(key),
            (Step::Item, Value::Array(items)) => items.into_iter().next(),
            _ => None,
        })
    }
}

struct Place<'a>(&'a [Step]);

impl fmt::Display for Place<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) => write!(out, "{}{key}", if number == 0 { "" } else { "." })?,
                Step::Item => out.write_str("[]")?,
            }
        }
        Ok(())
    }
}

fn as_text<S: Serializer>(path: &[Step], to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&Place(path))
}

/// What differs, in the order of the first document, then of what only the second has.
///
/// Objects are compared key by key, whatever the order of the keys; lists as bags of elements, so that one more element is
/// one difference. Lists of the same elements in another order differ as wholes.
///
/// ```
/// use serde_json::json;
/// let found = winter_runner::runs::leaves(&json!({"a": {"b": [1, 2]}}), &json!({"a": {"b": [2, 3], "c": true}}));
/// let found: Vec<_> = found.iter().map(|leaf| (leaf.place(), leaf.was.is_some(), leaf.now.is_some())).collect();
/// assert_eq!(found[0], ("a.b[]".to_owned(), true, false));
/// assert_eq!(found[1], ("a.b[]".to_owned(), false, true));
/// assert_eq!(found[2], ("a.c".to_owned(), false, true));
/// ```
pub fn leaves(was: &Value, now: &Value) -> Vec<Leaf> {
    let mut found = Vec::new();
    compare(&mut Vec::new(), Some(was), Some(now), &mut found);
    found
}

fn compare(path: &mut Vec<Step>, was: Option<&Value>, now: Option<&Value>, found: &mut Vec<Leaf>) {
    let objects = (was.and_then(Value::as_object), now.and_then(Value::as_object));
    match (was, now) {
        (Some(Value::Array(was)), Some(Value::Array(now))) => lists(path, was, now, found),
        (Some(was), Some(now)) if was == now => {}
        _ => match objects {
            (Some(was), Some(now)) => members(path, was, now, found),
            // What one side lacks is told leaf by leaf, unless there is none.
            (Some(was), None) if now.is_none() && !was.is_empty() => members(path, was, &Map::new(), found),
            (None, Some(now)) if was.is_none() && !now.is_empty() => members(path, &Map::new(), now, found),
            _ => found.push(Leaf { path: path.clone(), was: was.cloned(), now: now.cloned() }),
        },
    }
}

fn members(path: &mut Vec<Step>, was: &Map<String, Value>, now: &Map<String, Value>, found: &mut Vec<Leaf>) {
    for key in was.keys().chain(now.keys().filter(|key| !was.contains_key(*key))) {
        path.push(Step::Key(key.clone()));
        compare(path, was.get(key), now.get(key), found);
        path.pop();
    }
}

fn lists(path: &mut Vec<Step>, was: &[Value], now: &[Value], found: &mut Vec<Leaf>) {
    if was == now {
        return;
    }
    let before = found.len();
    path.push(Step::Item);
    // How often each element stands there more than on the other side.
    let mut more: BTreeMap<String, i64> = BTreeMap::new();
    let (was_keys, now_keys): (Vec<_>, Vec<_>) =
        (was.iter().map(canonical).collect(), now.iter().map(canonical).collect());
    for key in &was_keys {
        *more.entry(key.clone()).or_default() += 1;
    }
    for key in &now_keys {
        *more.entry(key.clone()).or_default() -= 1;
    }
    for (key, value) in was_keys.iter().zip(was) {
        if let Some(count) = more.get_mut(key).filter(|count| **count > 0) {
            *count -= 1;
            found.push(Leaf { path: path.clone(), was: Some(value.clone()), now: None });
        }
    }
    for (key, value) in now_keys.iter().zip(now) {
        if let Some(count) = more.get_mut(key).filter(|count| **count < 0) {
            *count += 1;
            found.push(Leaf { path: path.clone(), was: None, now: Some(value.clone()) });
        }
    }
    path.pop();
    if found.len() == before {
        found.push(Leaf { path: path.clone(), was: Some(was.to_vec().into()), now: Some(now.to_vec().into()) });
    }
}

/// The same text for values that are equal but for the order of their keys.
fn canonical(value: &Value) -> String {
    let mut value = value.clone();
    value.sort_all_objects();
    value.to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn leaves_are_told_one_by_one() {
        let told = |was: Value, now: Value| {
            let found = leaves(&was, &now);
            found.iter().map(|leaf| (leaf.place(), leaf.was.clone(), leaf.now.clone())).collect::<Vec<_>>()
        };
        let one = |place: &str, was: Option<Value>, now: Option<Value>| vec![(place.to_owned(), was, now)];
        assert_eq!(told(json!({"a": 1, "b": {"c": []}}), json!({"b": {"c": []}, "a": 1})), []);
        assert_eq!(told(json!({"a": 1}), json!({"a": "1"})), one("a", Some(json!(1)), Some(json!("1"))));
        assert_eq!(told(json!({}), json!({"a": {"b": {"c": 1}}})), one("a.b.c", None, Some(json!(1))));
        assert_eq!(told(json!({"a": {}}), json!({})), one("a", Some(json!({})), None));
        assert_eq!(told(json!({"a": null}), json!({})), one("a", Some(json!(null)), None));
        assert_eq!(told(json!({"a": [1, 1, 2]}), json!({"a": [1, 2]})), one("a[]", Some(json!(1)), None));
        let (was, now) = (json!({"a": [1, 2]}), json!({"a": [2, 1]}));
        assert_eq!(told(was, now), one("a", Some(json!([1, 2])), Some(json!([2, 1]))));
        assert_eq!(told(json!([{"x": 1, "y": 2}, 3]), json!([{"y": 2, "x": 1}])), one("[]", Some(json!(3)), None));
        assert_eq!(told(json!(1), json!([])), one("", Some(json!(1)), Some(json!([]))));
        // Each value can be put back where it stood.
        let leaf = &leaves(&json!({"a": [{"b": 1}]}), &json!({"a": []}))[0];
        assert_eq!(leaf.path, [Step::Key("a".to_owned()), Step::Item]);
        let document = leaf.in_place(json!("v"));
        assert_eq!(document, json!({"a": ["v"]}));
        assert_eq!(leaf.taken_from(document), Some(json!("v")));
        assert_eq!(leaf.taken_from(json!("masked whole")), None);
    }
}
