//! One value of a JSON text set or taken out by one cut, so that the rest stays as its author wrote it.
//!
//! What comes out is a proposal: the caller reads it back and takes it only when it says exactly what was wanted.

use std::ops::Range;

use jsonc_parser::ast::{self, Object, ObjectProp};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

/// The text with the value at `path` set, or taken out; none where one cut does not do it.
pub(super) fn spliced(text: &str, path: &[String], value: Option<&Value>) -> Option<String> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default()).ok()?;
    let Some(ast::Value::Object(mut object)) = parsed.value else { return None };
    let (last, above) = path.split_last()?;
    for (depth, key) in above.iter().enumerate() {
        let Some(place) = find(&object, key) else {
            let below = path[depth + 1..]
                .iter()
                .rev()
                .fold(value?.clone(), |inner, key| Value::Object(Map::from_iter([(key.clone(), inner)])));
            return added(text, &object, key, &below);
        };
        let ast::Value::Object(inner) = object.properties.swap_remove(place).value else { return None };
        object = inner;
    }
    match (find(&object, last), value) {
        (Some(place), Some(value)) => Some(replaced(text, span(&object.properties[place].value), &value.to_string())),
        (Some(place), None) => Some(replaced(text, with_comma(&object.properties, place), "")),
        (None, Some(value)) => added(text, &object, last, value),
        (None, None) => None,
    }
}

/// Of two with one name, the last counts.
fn find(object: &Object<'_>, key: &str) -> Option<usize> {
    object.properties.iter().rposition(|property| property.name.as_str() == key)
}

fn span(node: &impl Ranged) -> Range<usize> {
    node.start()..node.end()
}

/// A property with the comma that goes with it, and the space beside it.
fn with_comma(properties: &[ObjectProp<'_>], place: usize) -> Range<usize> {
    let own = span(&properties[place]);
    match (properties.get(place + 1), place.checked_sub(1).map(|before| &properties[before])) {
        (Some(next), _) => own.start..next.start(),
        (None, Some(before)) => before.end()..own.end,
        (None, None) => own,
    }
}

/// A property added after the last one, parted from it as that is from what stands before it.
fn added(text: &str, object: &Object<'_>, key: &str, value: &Value) -> Option<String> {
    let last = object.properties.last()?;
    let gap = match object.properties.iter().rev().nth(1) {
        Some(before) => text.get(before.end()..last.start())?.to_owned(),
        None => format!(",{}", text.get(object.start() + 1..last.start())?),
    };
    let colon = text.get(last.name.end()..last.value.start())?;
    let property = format!("{gap}{}{colon}{value}", Value::from(key));
    Some(replaced(text, last.end()..last.end(), &property))
}

fn replaced(text: &str, range: Range<usize>, by: &str) -> String {
    let mut text = text.to_owned();
    text.replace_range(range, by);
    text
}
