//! Looking into JSON text without copying it: an object's members and an array's items as slices of the line.
//!
//! Nothing here recurses, so depth is no matter; nothing decodes a string that it need not, so half a surrogate is none.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of those names, as text; of a name that stands twice, the last one. An error for what is not one whole
/// object.
pub(super) fn members<'a, const N: usize>(
    object: &'a str,
    names: &[&str; N],
) -> Result<[Option<&'a str>; N], serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(object);
    let found = reader.deserialize_map(Members(names))?;
    reader.end()?;
    Ok(found)
}

/// The same, and nothing where that is no object.
pub(super) fn members_of<'a, const N: usize>(value: Option<&'a str>, names: &[&str; N]) -> [Option<&'a str>; N] {
    value.and_then(|value| members(value, names).ok()).unwrap_or([None; N])
}

/// The items of an array, as text; none where it is no array.
pub(super) fn items(array: &str) -> Option<Vec<&str>> {
    let items: Vec<&RawValue> = serde_json::from_str(array).ok()?;
    Some(items.into_iter().map(RawValue::get).collect())
}

/// The string that `value` is; none where it is no string, or one that Unicode has no text for.
pub(super) fn string(value: &str) -> Option<Cow<'_, str>> {
    let inner = value.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') { serde_json::from_str(value).ok().map(Cow::Owned) } else { Some(Cow::Borrowed(inner)) }
}

/// Whether `value` is the literal `true`.
pub(super) fn is_true(value: Option<&str>) -> bool {
    value == Some("true")
}

/// The whole number that `value` is.
pub(super) fn number(value: Option<&str>) -> u64 {
    value.and_then(|value| value.parse().ok()).unwrap_or(0)
}

/// How long a text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Length {
    /// Characters; those of a string's content, or of anything else's JSON.
    pub characters: u64,
    /// Halves of surrogate pairs that stand alone.
    pub lone_surrogates: u64,
}

/// Measures a value without decoding it.
pub(super) fn length(value: &str) -> Length {
    let Some(inner) = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')) else {
        return Length { characters: value.chars().count() as u64, lone_surrogates: 0 };
    };
    let mut length = Length::default();
    let mut high_before = false;
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        length.characters += rest[..at].chars().count() as u64;
        high_before &= at == 0;
        let unit = rest.get(at + 2..at + 6).filter(|_| rest.as_bytes().get(at + 1) == Some(&b'u'));
        let unit = unit.and_then(|hex| u16::from_str_radix(hex, 16).ok());
        match unit {
            Some(0xDC00..=0xDFFF) if high_before => {
                length.lone_surrogates -= 1;
                high_before = false;
            }
            Some(0xD800..=0xDFFF) => {
                length.characters += 1;
                length.lone_surrogates += 1;
                high_before = unit < Some(0xDC00);
            }
            _ => {
                length.characters += 1;
                high_before = false;
            }
        }
        let escape = if unit.is_some() { 6 } else { 2 };
        rest = rest.get(at + escape..).unwrap_or_default();
    }
    length.characters += rest.chars().count() as u64;
    length
}

struct Members<'n, const N: usize>(&'n [&'n str; N]);

impl<'de, const N: usize> Visitor<'de> for Members<'_, N> {
    type Value = [Option<&'de str>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = [None; N];
        while let Some(at) = map.next_key_seed(Name(self.0))? {
            match at {
                Some(at) => found[at] = Some(map.next_value::<&RawValue>()?.get()),
                None => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(found)
    }
}

/// Which of the names a key is. It is read as bytes, since a key may be no Unicode text.
struct Name<'n, const N: usize>(&'n [&'n str; N]);

impl<'de, const N: usize> DeserializeSeed<'de> for Name<'_, N> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<Self::Value, D::Error> {
        key.deserialize_bytes(self)
    }
}

impl<const N: usize> Visitor<'_> for Name<'_, N> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_bytes<E>(self, key: &[u8]) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|name| name.as_bytes() == key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::test;

    #[test]
    fn members_are_slices_and_the_last_of_two_counts() {
        let found = members(r#" {"a": [1, {"b": 2}], "\ud800": 1, "c":1, "c": "x"} "#, &["a", "c", "d"]).unwrap();
        assert_eq!(found, [Some(r#"[1, {"b": 2}]"#), Some(r#""x""#), None]);
        for bad in ["", "1", "[]", r#"{"a":1"#, r#"{"a":1} x"#, r#"{"a" 1}"#] {
            assert!(members(bad, &["a"]).is_err(), "{bad}");
        }
    }

    #[test]
    fn lengths_are_those_of_the_decoded_text() {
        for text in ["", "abc", "ä\u{1F600}", "\"\\\n\u{1}/", "\\u0041", "tab\tend\\"] {
            let json = serde_json::to_string(text).unwrap();
            let expected = Length { characters: text.chars().count() as u64, lone_surrogates: 0 };
            assert_eq!(length(&json), expected, "{json}");
        }
        assert_eq!(length(r#""\ud83d\ude00""#), Length { characters: 1, lone_surrogates: 0 });
        assert_eq!(length(r#""\ud83d x\ude00\ud83d""#), Length { characters: 5, lone_surrogates: 3 });
        assert_eq!(length("{\"a\":1}").characters, 7);
    }
}
