//! The key table: what the runtime reads at each key, how the tiers combine there, and which rows drop it.

mod shapes;
mod table;

use std::fmt;

use super::document::Value;
use super::rules::Rule;
pub use table::KEYS;

/// One settings key.
#[derive(Debug)]
pub struct Key {
    /// The keys down to it, joined by dots.
    pub path: &'static str,
    /// What the runtime reads there; for anything else it drops the whole file.
    pub shape: Shape,
    /// How a later tier combines with an earlier one.
    pub merge: Merge,
    /// The rows that may drop it; the first that holds counts. None: a repository may set it.
    pub rules: &'static [&'static Rule],
}

/// The values that the runtime reads at a key (Claude Code 2.1.250: measured value by value, each beside a deny rule
/// that had to survive).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Anything: what it cannot use, it ignores.
    Any,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// A whole number, this or more.
    Whole(u32),
    /// A number above 0.
    Positive,
    /// A number from 0 to 1.
    Rate,
    /// A number above 0, to 1.
    Fraction,
    /// A string.
    Text,
    /// An absolute `http` or `https` URL.
    Url,
    /// One of these strings.
    Choice(&'static [&'static str]),
    /// A list of anything.
    Items,
    /// A list of these.
    List(&'static Shape),
    /// An object of any keys, each holding one of these.
    Map(&'static Shape),
    /// An object of these keys; others are ignored. `true`: it must be there.
    Record(&'static [(&'static str, Shape, bool)]),
    /// An object whose keys have rows of their own.
    Section,
    /// One or the other.
    Either(&'static [Shape]),
    /// This; but what is not even an object, a list or a string, as it should be, is ignored.
    Lenient(&'static Shape),
}

impl Shape {
    /// Whether the runtime reads `value` there.
    pub fn accepts(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Any, _)
            | (Self::Bool, Value::Bool(_))
            | (Self::Number, Value::Number(_))
            | (Self::Text, Value::Text(_))
            | (Self::Items, Value::List(_))
            | (Self::Section, Value::Object(_)) => true,
            (Self::Whole(least), Value::Number(text)) => {
                number(text).is_some_and(|number| number >= f64::from(*least) && number.fract() == 0.0)
            }
            (Self::Positive, Value::Number(text)) => number(text).is_some_and(|number| number > 0.0),
            (Self::Rate, Value::Number(text)) => number(text).is_some_and(|number| (0.0..=1.0).contains(&number)),
            (Self::Fraction, Value::Number(text)) => number(text).is_some_and(|number| number > 0.0 && number <= 1.0),
            (Self::Url, Value::Text(text)) => is_url(text),
            (Self::Choice(choices), Value::Text(text)) => choices.contains(&text.as_str()),
            (Self::List(shape), Value::List(items)) => items.iter().all(|item| shape.accepts(&item.value)),
            (Self::Map(shape), Value::Object(members)) => members.iter().all(|member| shape.accepts(&member.value)),
            (Self::Record(fields), Value::Object(members)) => fields.iter().all(|(name, shape, required)| {
                members.iter().find(|m| m.key == *name).map_or(!required, |member| shape.accepts(&member.value))
            }),
            (Self::Lenient(Self::Map(_) | Self::Record(_)), value) if !matches!(value, Value::Object(_)) => true,
            (Self::Lenient(Self::List(_)), value) if !matches!(value, Value::List(_)) => true,
            (Self::Lenient(Self::Choice(_)), value) if !matches!(value, Value::Text(_)) => true,
            (Self::Lenient(shape), value) => shape.accepts(value),
            (Self::Either(shapes), value) => shapes.iter().any(|shape| shape.accepts(value)),
            _ => false,
        }
    }
}

/// Where a value does not fit its shape, as deep as it can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The keys and places down from the value, e.g. `.Stop[0].hooks`; empty for the value itself.
    pub path: String,
    /// From 1; 0 where no file holds it.
    pub line: u32,
    /// What was expected there.
    pub expected: String,
    /// What stands there.
    pub found: &'static str,
}

impl Shape {
    /// The innermost place where `value`, which stands on `line`, does not fit; none when all of it does.
    ///
    /// ```
    /// use winter_policy::settings::{document::Document, keys::find};
    /// let file = Document::parse(br#"{"hooks":{"Stop":[{"hooks":[{"type":"command"}]}]}}"#).unwrap();
    /// let misfit = find("", "hooks").unwrap().shape.misfit(&file.members[0].value, 1).unwrap();
    /// assert_eq!((misfit.path.as_str(), misfit.expected.as_str()), (".Stop[0].hooks[0].command", "a string"));
    /// ```
    pub fn misfit(&self, value: &Value, line: u32) -> Option<Misfit> {
        if self.accepts(value) {
            return None;
        }
        let below = match (self, value) {
            (Self::Lenient(shape), value) => return shape.misfit(value, line),
            (Self::List(shape), Value::List(items)) => items.iter().enumerate().find_map(|(place, item)| {
                shape.misfit(&item.value, item.line).map(|misfit| misfit.under(&format!("[{place}]")))
            }),
            (Self::Map(shape), Value::Object(members)) => members.iter().find_map(|member| {
                shape.misfit(&member.value, member.line).map(|misfit| misfit.under(&format!(".{}", member.key)))
            }),
            (Self::Record(fields), Value::Object(members)) => fields.iter().find_map(|(name, shape, required)| {
                let misfit = match members.iter().find(|member| member.key == *name) {
                    Some(member) => shape.misfit(&member.value, member.line),
                    None => required.then(|| Misfit {
                        path: String::new(),
                        line,
                        expected: shape.to_string(),
                        found: "nothing",
                    }),
                };
                misfit.map(|misfit| misfit.under(&format!(".{name}")))
            }),
            // Of several records, the one whose first field fits is the one that was meant.
            (Self::Either(shapes), Value::Object(members)) => shapes.iter().find_map(|shape| match shape {
                Self::Record([(tag, choice, _), ..])
                    if members.iter().any(|member| member.key == *tag && choice.accepts(&member.value)) =>
                {
                    shape.misfit(value, line)
                }
                _ => None,
            }),
            _ => None,
        };
        below.or_else(|| {
            let misfit = Misfit { path: String::new(), line, expected: self.to_string(), found: value.kind() };
            Some(match (self, value) {
                (Self::Either([Self::Record([(tag, ..), ..]), ..]), Value::Object(members)) => {
                    self.of_tag(misfit, tag, members)
                }
                _ => misfit,
            })
        })
    }

    /// The misfit of a record whose tag is none of those that there are.
    fn of_tag(&self, misfit: Misfit, tag: &str, members: &[super::document::Member]) -> Misfit {
        let Self::Either(shapes) = self else { return misfit };
        let tags: Vec<String> = shapes
            .iter()
            .filter_map(
                |shape| if let Self::Record([(_, choice, _), ..]) = shape { Some(choice.to_string()) } else { None },
            )
            .collect();
        let (line, found) = members
            .iter()
            .find(|member| member.key == tag)
            .map_or((misfit.line, "nothing"), |member| (member.line, "another value"));
        Misfit { path: format!(".{tag}"), line, expected: tags.join(" or "), found }
    }
}

impl Misfit {
    fn under(self, above: &str) -> Self {
        Self { path: format!("{above}{}", self.path), ..self }
    }
}

/// A number as the runtime reads it; what overflows is no number that it would take.
fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Narrower than the runtime's own reader, never wider: a scheme, a host of usual characters, perhaps a port.
fn is_url(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let (host, port) = match host.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port),
        _ => (host, ""),
    };
    let bracketed = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let fits = match bracketed {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
                && (host.starts_with(|c: char| !c.is_ascii_digit()) || host.parse::<std::net::Ipv4Addr>().is_ok())
        }
    };
    fits && !host.is_empty()
        && !text.chars().any(|c| c.is_control() || c.is_whitespace())
        && (port.is_empty() || port.parse::<u16>().is_ok())
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("anything"),
            Self::Bool => f.write_str("a boolean"),
            Self::Number => f.write_str("a number"),
            Self::Whole(least) => write!(f, "a whole number from {least}"),
            Self::Positive => f.write_str("a number above 0"),
            Self::Rate => f.write_str("a number from 0 to 1"),
            Self::Fraction => f.write_str("a number above 0 and up to 1"),
            Self::Url => f.write_str("a URL"),
            Self::Lenient(shape) => write!(f, "{shape}"),
            Self::Text => f.write_str("a string"),
            Self::Choice(choices) => {
                let choices: Vec<String> = choices.iter().map(|choice| format!("`{choice}`")).collect();
                write!(f, "{}", choices.join(" or "))
            }
            Self::Items => f.write_str("a list"),
            Self::List(shape) => write!(f, "a list, each {shape}"),
            Self::Map(shape) => write!(f, "an object, each value {shape}"),
            Self::Record(fields) => {
                let fields: Vec<String> = fields.iter().map(|(name, shape, _)| format!("{name}: {shape}")).collect();
                write!(f, "an object ({})", fields.join(", "))
            }
            Self::Section => f.write_str("an object"),
            Self::Either(shapes) => {
                let shapes: Vec<String> = shapes.iter().map(ToString::to_string).collect();
                f.write_str(&shapes.join(", or "))
            }
        }
    }
}

/// How a later tier combines with what the tiers before it gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// The later value counts; objects key by key.
    Replace,
    /// Lists are joined, the person's first; nothing is removed.
    Union,
    /// Hooks are joined per event and matcher, the person's first.
    Hooks,
    /// A repository moves it only towards strict.
    Stricter(Strict),
    /// A repository adds keys, and never changes one that is there.
    Fill,
    /// A repository never moves it.
    Fixed,
    /// Its keys have rows of their own.
    Section,
}

impl fmt::Display for Merge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Replace => f.write_str("replace"),
            Self::Union | Self::Hooks => f.write_str("union"),
            Self::Stricter(Strict::True) => f.write_str("tighten-only (true is strict)"),
            Self::Stricter(Strict::False) => f.write_str("tighten-only (false is strict)"),
            Self::Stricter(Strict::Ranked(order)) => write!(f, "tighten-only ({})", order.join(" > ")),
            Self::Fill => f.write_str("fill (adds, never changes)"),
            Self::Fixed => f.write_str("tighten-only (a repository never moves it)"),
            Self::Section => f.write_str("key by key"),
        }
    }
}

/// Which way is strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strict {
    /// `true`
    True,
    /// `false`
    False,
    /// From the strictest to the loosest.
    Ranked(&'static [&'static str]),
}

/// The row of `key` in the object at `above` (dotted; empty for the top), if there is one.
///
/// ```
/// use winter_policy::settings::keys::find;
/// assert_eq!(find("permissions", "allow").unwrap().path, "permissions.allow");
/// assert!(find("", "permissions.allow").is_none(), "a dot in a key is a dot in a key");
/// ```
pub fn find(above: &str, key: &str) -> Option<&'static Key> {
    if key.contains('.') {
        return None;
    }
    let dot = if above.is_empty() { "" } else { "." };
    let wanted = || above.bytes().chain(dot.bytes()).chain(key.bytes());
    KEYS.binary_search_by(|row| row.path.bytes().cmp(wanted())).ok().map(|place| &KEYS[place])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::test;

    #[test]
    fn the_table_is_sorted_and_complete_upwards() {
        for pair in KEYS.windows(2) {
            assert!(pair[0].path < pair[1].path, "{} stands before {}", pair[0].path, pair[1].path);
        }
        for row in KEYS {
            if let Some((above, _)) = row.path.rsplit_once('.') {
                let section = KEYS.iter().find(|one| one.path == above).expect("a row above");
                assert_eq!((section.shape, section.merge), (Shape::Section, Merge::Section), "{}", row.path);
            }
            assert_eq!(row.shape == Shape::Section, row.merge == Merge::Section, "{}", row.path);
        }
    }

    #[test]
    fn a_merge_fits_the_shape() {
        for row in KEYS {
            let fits = match row.merge {
                Merge::Union => matches!(row.shape, Shape::List(_) | Shape::Items | Shape::Any),
                Merge::Stricter(Strict::True | Strict::False) => row.shape == Shape::Bool,
                Merge::Stricter(Strict::Ranked(_)) => matches!(row.shape, Shape::Choice(_) | Shape::Any),
                Merge::Hooks => row.path == "hooks",
                Merge::Replace | Merge::Fill | Merge::Fixed | Merge::Section => true,
            };
            assert!(fits, "{}", row.path);
        }
    }
}
