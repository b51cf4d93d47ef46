//! A header's YAML as a tree, read by a library, with bounds.

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Tag};

use super::fault::{Fault, FaultKind};

/// How deep a header may nest.
pub const MAX_DEPTH: usize = 64;
/// How many values a header may hold.
pub const MAX_VALUES: usize = 10_000;
/// How many bytes a header may have.
pub const MAX_BYTES: usize = 64 * 1024;

/// One value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) line: u32,
    pub(super) value: Value,
}

/// What YAML can say here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Null,
    Bool(bool),
    /// As it was written, and as JSON would write it.
    Number(String),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
    /// A value with a tag that nobody here knows.
    Tagged,
}

/// One pair of a mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// As it reads; none where the key is no plain text: a list, a mapping, something tagged.
    pub(super) key: Option<String>,
    pub(super) line: u32,
    pub(super) node: Node,
}

/// The mapping that a header holds; none at all is an empty one.
///
/// What the library cannot read is read once more as the program does it ([`second_reading`]).
pub(super) fn mapping(yaml: &str, lines_before: u32) -> Result<Vec<Entry>, Fault> {
    if yaml.len() > MAX_BYTES {
        return Err(Fault::new(FaultKind::TooLarge, format!("the header has more than {MAX_BYTES} bytes")));
    }
    let control = |c: char| c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r');
    if let Some(at) = yaml.find(control) {
        let line = lines_before.saturating_add(super::header::lines(&yaml[..at])).saturating_add(1);
        return Err(Fault::new(FaultKind::NotYaml, "the header holds a control character").at(line, None));
    }
    let root = match tree(yaml, lines_before, MAX_VALUES) {
        Err(fault) if fault.kind == FaultKind::NotYaml => match second_reading(yaml) {
            Some(quoted) => tree(&quoted, lines_before, MAX_VALUES).map_err(|_| fault)?,
            None => return Err(fault),
        },
        answer => answer?,
    };
    pairs(root)
}

/// The same for what was written here, which may be larger than what was read, and reads at once.
pub(super) fn written(yaml: &str) -> Result<Vec<Entry>, Fault> {
    pairs(tree(yaml, 0, usize::MAX)?)
}

fn pairs(root: Option<Node>) -> Result<Vec<Entry>, Fault> {
    match root.map(|node| (node.line, node.value)) {
        None | Some((_, Value::Null)) => Ok(Vec::new()),
        Some((_, Value::Map(entries))) => Ok(entries),
        Some((line, _)) => {
            Err(Fault::new(FaultKind::NotAMapping, "the header holds no `key: value` pairs").at(line, None))
        }
    }
}

/// The one document of `yaml`.
fn tree(yaml: &str, lines_before: u32, most_values: usize) -> Result<Option<Node>, Fault> {
    let mut builder = Builder { lines_before, most_values, open: Vec::new(), root: None, values: 0 };
    let mut documents = 0_u32;
    for event in Parser::new_from_str(yaml) {
        let (event, span) = event.map_err(|error| {
            Fault::new(FaultKind::NotYaml, format!("not YAML: {}", error.info())).marked(error.marker(), lines_before)
        })?;
        let fault = |kind, text: &str| Err(Fault::new(kind, text).marked(&span.start, lines_before));
        match event {
            Event::DocumentStart(_) => {
                documents = documents.saturating_add(1);
                if documents > 1 {
                    return fault(FaultKind::SecondDocument, "the header holds a second document");
                }
            }
            Event::Alias(_) => return fault(FaultKind::Alias, "the header holds an alias (`*name`)"),
            Event::Scalar(text, style, _, tag) => {
                let value = scalar(&text, style, tag.as_deref());
                builder.count(&span.start)?;
                builder.add(Node { line: builder.line(&span.start), value }, Some(&text));
            }
            Event::SequenceStart(_, tag) => {
                builder.open(&span.start, Value::List(Vec::new()), !is_core(tag.as_deref(), "seq"))?;
            }
            Event::MappingStart(_, tag) => {
                builder.open(&span.start, Value::Map(Vec::new()), !is_core(tag.as_deref(), "map"))?;
            }
            Event::SequenceEnd | Event::MappingEnd => builder.close(),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
    }
    Ok(builder.root)
}

/// A collection that is not yet closed.
struct Open {
    node: Node,
    tagged: bool,
    /// In a mapping: the key whose value comes next, and its line.
    key: Option<(Option<String>, u32)>,
}

struct Builder {
    lines_before: u32,
    most_values: usize,
    open: Vec<Open>,
    root: Option<Node>,
    values: usize,
}

impl Builder {
    fn line(&self, marker: &Marker) -> u32 {
        line(marker, self.lines_before)
    }

    fn count(&mut self, marker: &Marker) -> Result<(), Fault> {
        self.values += 1;
        if self.values > self.most_values {
            let text = format!("the header holds more than {MAX_VALUES} values");
            return Err(Fault::new(FaultKind::TooLarge, text).marked(marker, self.lines_before));
        }
        Ok(())
    }

    fn open(&mut self, marker: &Marker, value: Value, tagged: bool) -> Result<(), Fault> {
        self.count(marker)?;
        if self.open.len() >= MAX_DEPTH {
            let text = format!("the header nests deeper than {MAX_DEPTH}");
            return Err(Fault::new(FaultKind::TooDeep, text).marked(marker, self.lines_before));
        }
        self.open.push(Open { node: Node { line: self.line(marker), value }, tagged, key: None });
        Ok(())
    }

    fn close(&mut self) {
        let Some(mut open) = self.open.pop() else { return };
        if open.tagged {
            open.node.value = Value::Tagged;
        }
        self.add(open.node, None);
    }

    /// `raw`: what was written, where it was a scalar.
    fn add(&mut self, node: Node, raw: Option<&str>) {
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return;
        };
        match &mut open.node.value {
            Value::Map(entries) => match open.key.take() {
                None => {
                    let text = raw.filter(|_| node.value != Value::Tagged).map(str::to_owned);
                    open.key = Some((text, node.line));
                }
                Some((key, line)) => entries.push(Entry { key, line, node }),
            },
            Value::List(items) => items.push(node),
            _ => {}
        }
    }
}

fn line(marker: &Marker, lines_before: u32) -> u32 {
    u32::try_from(marker.line()).unwrap_or(u32::MAX).saturating_add(lines_before)
}

impl Fault {
    fn marked(self, marker: &Marker, lines_before: u32) -> Self {
        let column = u32::try_from(marker.col()).unwrap_or(u32::MAX).saturating_add(1);
        self.at(line(marker, lines_before), Some(column))
    }
}

fn is_core(tag: Option<&Tag>, suffix: &str) -> bool {
    tag.is_none_or(|tag| tag.is_yaml_core_schema() && tag.suffix == suffix)
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Value {
    let plain = if style == ScalarStyle::Plain { plain(text) } else { Value::Text(text.to_owned()) };
    let Some(tag) = tag else { return plain };
    if !tag.is_yaml_core_schema() {
        return Value::Tagged;
    }
    match (tag.suffix.as_str(), plain) {
        ("str", _) => Value::Text(text.to_owned()),
        ("bool", value @ Value::Bool(_))
        | ("null", value @ Value::Null)
        | ("int" | "float", value @ Value::Number(_)) => value,
        _ => Value::Tagged,
    }
}

/// What an unquoted scalar is: only what every YAML since 1.1 agrees on is more than text.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if is_number(text) => Value::Number(text.to_owned()),
        _ => Value::Text(text.to_owned()),
    }
}

/// A number as JSON writes it.
fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(m, e)| (m, Some(e)));
    let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(w, f)| (w, Some(f)));
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|text| digits(text.strip_prefix(['+', '-']).unwrap_or(text)))
}

/// The header as the program reads it when it is not YAML: a value on the line of its key that holds a character with
/// a meaning is put in quotes, and tabs that begin a line become spaces. None where that changes nothing.
///
/// Headers that need it are common: `description: Use it when: ...`, `paths: **/*.ts` (7 % of those in eleven public
/// repositories). Source: Claude Code 2.1.250, its strings; a carriage return before the line feed is not part of the
/// value here, as it is there.
fn second_reading(yaml: &str) -> Option<String> {
    let mut out = String::with_capacity(yaml.len() + 64);
    for line in yaml.split_inclusive('\n') {
        let text = line.trim_end_matches('\n').trim_end_matches('\r');
        if let Some(quoted) = quoted(text) {
            out.push_str(&quoted);
        } else {
            let rest = text.trim_start_matches('\t');
            (0..text.len() - rest.len()).for_each(|_| out.push_str("  "));
            out.push_str(rest);
        }
        out.push_str(&line[text.len()..]);
    }
    (out != yaml).then_some(out)
}

/// `key: value` with the value quoted, where it has to be.
fn quoted(line: &str) -> Option<String> {
    let (key, rest) = line.split_once(':')?;
    let value = rest.trim_start_matches(super::header::is_space);
    let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'));
    if !is_key || value.len() == rest.len() || value.is_empty() {
        return None;
    }
    let within = |first, last| value.len() > 1 && value.starts_with(first) && value.ends_with(last);
    if within('"', '"') || within('\'', '\'') {
        return None;
    }
    if within('[', ']') && matches!(tree(value, 0, MAX_VALUES), Ok(Some(Node { value: Value::List(_), .. }))) {
        return None;
    }
    let means_something = value.contains(|c| "{}[]*&#!|>%@`".contains(c)) || value.contains(": ");
    means_something.then(|| format!("{key}: \"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"")))
}
