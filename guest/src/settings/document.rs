//! One settings file as a tree whose every key and element knows its line.
//!
//! JSON is read strictly; what people write instead (comments, trailing commas, single quotes) is named as what it is.

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

/// The deepest nesting that is read; every real settings file stays below ten levels.
pub const MAX_DEPTH: usize = 128;

/// A JSON value. Numbers keep their author's spelling.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// As it was written.
    Number(String),
    /// Unescaped.
    Text(String),
    /// In order.
    List(Vec<Item>),
    /// In order; each key once.
    Object(Vec<Member>),
}

/// An element of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// 1-based; 0 for what no file holds.
    pub line: u32,
    /// The element.
    pub value: Value,
}

/// A key of an object and what it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Unescaped.
    pub key: String,
    /// 1-based; 0 for what no file holds.
    pub line: u32,
    /// The value.
    pub value: Value,
}

/// A key that stands twice in one object; the last value counts, as in `JSON.parse`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The key with the keys above it, joined by dots.
    pub path: String,
    /// The line of the one that counts.
    pub line: u32,
}

/// A settings file that could be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The members of its one object.
    pub members: Vec<Member>,
    /// Keys that stand twice.
    pub duplicates: Vec<Duplicate>,
}

/// Why a text is not a settings file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Unreadable {
    /// 1-based.
    pub line: u32,
    /// 1-based, in characters.
    pub column: u32,
    /// What stands there instead of what was expected.
    pub what: String,
}

impl Document {
    /// Reads one settings file; one UTF-8 byte order mark is accepted.
    ///
    /// # Errors
    /// Whatever is not one strict JSON object in UTF-8, with the line and column of the fault.
    ///
    /// ```
    /// use winter_policy::settings::document::Document;
    /// let fault = Document::parse(b"{\n  // mine\n}").unwrap_err();
    /// assert_eq!((fault.line, fault.column), (2, 3));
    /// assert!(fault.what.contains("omment"), "{}", fault.what);
    /// ```
    pub fn parse(bytes: &[u8]) -> Result<Self, Unreadable> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let text = std::str::from_utf8(bytes).map_err(|e| not_utf8(bytes, e.valid_up_to()))?;
        let parsed = parse_to_ast(text, &CollectOptions::default(), &STRICT).map_err(|e| Unreadable {
            line: clamp(e.line_display()),
            column: clamp(e.column_display()),
            what: spelt_out(e.kind()),
        })?;
        let Some(root) = parsed.value else {
            return Err(at(1, 1, "the file is empty, where a JSON object was expected"));
        };
        // The first reader lets through what JSON does not have (raw control characters, leading zeros); the second does not.
        serde_json::from_str::<serde::de::IgnoredAny>(text)
            .map_err(|e| at(clamp(e.line()), clamp(e.column().max(1)), &strip_position(&e.to_string())))?;
        let lines = Lines::of(text);
        let ast::Value::Object(object) = root else {
            let found = kind_name(&root);
            return Err(lines.at(text, root.start(), &format!("{found} stands where a JSON object was expected")));
        };
        let mut reader = Reader { text, lines, duplicates: Vec::new(), path: Vec::new() };
        let members = reader.members(object)?;
        Ok(Self { members, duplicates: reader.duplicates })
    }
}

impl Value {
    /// The text of a string.
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// `true` or `false`.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// What a person would call it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }

    /// The same value without its lines.
    pub fn into_json(self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Bool(value) => value.into(),
            // Every spelling that passed the strict reader is one of serde_json's.
            Self::Number(text) => text.parse().map_or(serde_json::Value::Null, serde_json::Value::Number),
            Self::Text(text) => text.into(),
            Self::List(items) => items.into_iter().map(|item| item.value.into_json()).collect(),
            Self::Object(members) => members.into_iter().map(|m| (m.key, m.value.into_json())).collect(),
        }
    }
}

/// The member of that name.
pub fn get<'a>(members: &'a [Member], key: &str) -> Option<&'a Value> {
    members.iter().find(|m| m.key == key).map(|m| &m.value)
}

/// The member of that name, made with `default` at the end when there is none.
pub fn get_or_insert<'a>(members: &'a mut Vec<Member>, key: &str, default: Value) -> &'a mut Value {
    let place = members.iter().position(|m| m.key == key).unwrap_or_else(|| {
        members.push(Member { key: key.to_owned(), line: 0, value: default });
        members.len() - 1
    });
    &mut members[place].value
}

const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

struct Reader<'a> {
    text: &'a str,
    lines: Lines,
    duplicates: Vec<Duplicate>,
    path: Vec<String>,
}

impl Reader<'_> {
    fn members(&mut self, object: ast::Object<'_>) -> Result<Vec<Member>, Unreadable> {
        let mut members: Vec<Member> = Vec::with_capacity(object.properties.len());
        let mut places = std::collections::HashMap::with_capacity(object.properties.len());
        for property in object.properties {
            let line = self.lines.line(property.start());
            let key = property.name.into_string();
            self.path.push(key);
            let value = self.value(property.value)?;
            let path = self.path.join(".");
            let Some(key) = self.path.pop() else { continue };
            if let Some(&place) = places.get(&key) {
                self.duplicates.push(Duplicate { path, line });
                members[place] = Member { key, line, value };
            } else {
                places.insert(key.clone(), members.len());
                members.push(Member { key, line, value });
            }
        }
        Ok(members)
    }

    fn value(&mut self, value: ast::Value<'_>) -> Result<Value, Unreadable> {
        if self.path.len() > MAX_DEPTH {
            return Err(self.lines.at(self.text, value.start(), &format!("nested deeper than {MAX_DEPTH} levels")));
        }
        Ok(match value {
            ast::Value::NullKeyword(_) => Value::Null,
            ast::Value::BooleanLit(lit) => Value::Bool(lit.value),
            ast::Value::NumberLit(lit) => Value::Number(lit.value.to_owned()),
            ast::Value::StringLit(lit) => Value::Text(lit.value.into_owned()),
            ast::Value::Object(object) => Value::Object(self.members(object)?),
            ast::Value::Array(array) => {
                let mut items = Vec::with_capacity(array.elements.len());
                self.path.push("[]".to_owned());
                for element in array.elements {
                    let line = self.lines.line(element.start());
                    items.push(Item { line, value: self.value(element)? });
                }
                self.path.pop();
                Value::List(items)
            }
        })
    }
}

/// Where each line of a text begins.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(place, _)| place + 1);
        Self(std::iter::once(0).chain(starts).collect())
    }

    fn line(&self, offset: usize) -> u32 {
        clamp(self.0.partition_point(|start| *start <= offset))
    }

    fn at(&self, text: &str, offset: usize, what: &str) -> Unreadable {
        let line = self.line(offset);
        let start = self.0[line as usize - 1];
        at(line, clamp(text[start..offset].chars().count() + 1), what)
    }
}

fn at(line: u32, column: u32, what: &str) -> Unreadable {
    Unreadable { line, column, what: what.to_owned() }
}

fn clamp(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn not_utf8(bytes: &[u8], valid: usize) -> Unreadable {
    let good = String::from_utf8_lossy(&bytes[..valid]);
    let line = good.matches('\n').count() + 1;
    let column = good.chars().rev().take_while(|c| *c != '\n').count() + 1;
    at(clamp(line), clamp(column), &format!("byte 0x{:02x} is not UTF-8", bytes[valid]))
}

fn spelt_out(kind: &jsonc_parser::errors::ParseErrorKind) -> String {
    use jsonc_parser::errors::ParseErrorKind as Kind;
    match kind {
        Kind::CommentsNotAllowed => "a comment, which JSON does not have".to_owned(),
        Kind::TrailingCommasNotAllowed => "a comma with nothing after it, which JSON does not have".to_owned(),
        Kind::MultipleRootJsonValues => "text after the end of the JSON object".to_owned(),
        other => {
            let text = other.to_string();
            let mut chars = text.chars();
            chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
        }
    }
}

/// `serde_json` puts the position into its text; it is told apart here.
fn strip_position(text: &str) -> String {
    text.rsplit_once(" at line ").map_or(text, |(what, _)| what).to_owned()
}

fn kind_name(value: &ast::Value<'_>) -> &'static str {
    match value {
        ast::Value::NullKeyword(_) => "null",
        ast::Value::BooleanLit(_) => "a boolean",
        ast::Value::NumberLit(_) => "a number",
        ast::Value::StringLit(_) => "a string",
        ast::Value::Object(_) => "an object",
        ast::Value::Array(_) => "a list",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::test;

    fn fault(text: &[u8]) -> (u32, u32, String) {
        let fault = Document::parse(text).unwrap_err();
        (fault.line, fault.column, fault.what)
    }

    #[test]
    fn keeps_order_and_lines() {
        let doc = Document::parse(b"{\n \"b\": 1,\n \"a\": [\n  true,\n  null]\n}").unwrap();
        assert_eq!(doc.members.iter().map(|m| (&*m.key, m.line)).collect::<Vec<_>>(), [("b", 2), ("a", 3)]);
        let Value::List(items) = &doc.members[1].value else { panic!() };
        assert_eq!(items.iter().map(|i| i.line).collect::<Vec<_>>(), [4, 5]);
    }

    #[test]
    fn numbers_keep_their_spelling() {
        let text = r#"{"a":1.10,"b":123456789012345678901234567890,"c":-0,"d":1e400}"#;
        let doc = Document::parse(text.as_bytes()).unwrap();
        assert_eq!(Value::Object(doc.members).into_json().to_string(), text.replace("1e400", "1e+400"));
    }

    #[test]
    fn duplicate_keys_keep_the_last_value_in_the_first_place() {
        let doc = Document::parse(b"{\"a\":1,\"b\":2,\n\"a\":{\"x\":1,\"x\":2}}").unwrap();
        assert_eq!(doc.members[0].key, "a");
        assert_eq!(doc.members[0].line, 2);
        assert_eq!(doc.duplicates.iter().map(|d| &*d.path).collect::<Vec<_>>(), ["a.x", "a"]);
    }

    #[test]
    fn what_is_not_json_is_named_with_its_place() {
        assert_eq!(fault(b"{\n  // x\n}"), (2, 3, "a comment, which JSON does not have".into()));
        assert_eq!(fault(b"{\"a\":[1,\n]}").0, 1);
        assert!(fault(b"{\"a\":[1,\n]}").2.contains("comma"));
        assert_eq!(fault(b""), (1, 1, "the file is empty, where a JSON object was expected".into()));
        assert_eq!(fault(b"\n [1]"), (2, 2, "a list stands where a JSON object was expected".into()));
        assert_eq!(fault(b"{\"a\":\"\xff\"}"), (1, 7, "byte 0xff is not UTF-8".into()));
        assert!(fault(b"{} {}").2.contains("after the end"));
        for text in
            ["{a:1}", "{'a':1}", "{\"a\":01}", "{\"a\":+1}", "{\"a\":.5}", "{\"a\":0x1}", "{\"a\":NaN}", "{", "}"]
        {
            assert!(Document::parse(text.as_bytes()).is_err(), "{text}");
        }
        assert!(Document::parse(b"{\"a\":\"\x01\"}").is_err(), "a raw control character");
    }

    #[test]
    fn one_byte_order_mark_is_accepted_two_are_not() {
        assert!(Document::parse(b"\xef\xbb\xbf{}").is_ok());
        assert!(Document::parse(b"\xef\xbb\xbf\xef\xbb\xbf{}").is_err());
    }

    #[test]
    fn ten_thousand_levels_are_a_typed_fault() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let text = format!("{{\"a\":{}1{}}}", open.repeat(10_000), close.repeat(10_000));
            assert!(fault(text.as_bytes()).2.contains("nest"), "{open}");
        }
        let text = format!("{{\"a\":{}1{}}}", "[".repeat(200), "]".repeat(200));
        assert!(fault(text.as_bytes()).2.contains("deeper than 128"));
    }
}
