//! Items with a header: what of a repository's agent, skill, command, output style or rule may stay, written anew.
//!
//! Nothing depends on two parsers agreeing. The header is found where the program finds it, read by a YAML library, and
//! written again from the keys that are known and inert ([`KEYS`]), in one canonical form, which is then read back. What
//! was taken away is in the answer, each with its line. Where the same pair stands twice, the last one counts.
//!
//! | file | holds |
//! |---|---|
//! | `header` | where the program sees a header |
//! | `yaml` | its YAML as a tree, with bounds |
//! | `keys` | the keys that may stay, and those that never do |
//! | `write` | the canonical form, and the proof |
//! | `body` | what acts in the text of skills and commands |
//! | `paths`, `glob` | patterns, made relative to the working directory |
//! | `fault` | why an item cannot be given |

mod body;
mod fault;
mod glob;
mod header;
mod keys;
mod paths;
mod write;
mod yaml;

#[cfg(test)]
mod body_tests;
#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod paths_tests;
#[cfg(test)]
mod tests;

pub use fault::{Fault, FaultKind};
pub use keys::{EFFORT_KEYS, KEYS, KeyRow, MODEL_KEYS, Shape, sheets};
pub use paths::{Anchor, PathVerdict, folder_paths, rewrite_paths, split_patterns};
pub use yaml::{MAX_BYTES, MAX_DEPTH, MAX_VALUES};

use std::collections::BTreeMap;

use crate::powers::{self, Carrier, ItemKind, Place, Power};
use yaml::{Entry, Node, Value};

/// What the caller knows of an item.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// What acts may stay ([`powers::may_act`]).
    pub may_act: bool,
    /// Where the item's `paths:` are relative to, as seen from the working directory.
    pub anchor: Anchor<'a>,
}

/// Why something was taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// It acts.
    Acts(Power),
    /// It chooses a model.
    ChoosesModel,
    /// It chooses effort, thinking or the price of a cache.
    ChoosesEffort,
    /// No row of the table names it.
    UnknownKey,
    /// Its value is of another shape.
    WrongType,
    /// It is always written otherwise.
    Forced,
    /// The same key follows once more.
    DuplicateKey,
    /// A pattern that can match only outside the working directory.
    PathsOutsideCwd,
    /// A pattern that never matched.
    PathsNeverMatch,
}

impl Reason {
    /// What a report gives as the reason.
    ///
    /// ```
    /// use winter_policy::{frontmatter::Reason, powers::Power};
    /// assert_eq!(Reason::Acts(Power::Command).id(), "acts-command");
    /// assert_eq!(Reason::UnknownKey.id(), "unknown-key");
    /// ```
    pub fn id(self) -> &'static str {
        match self {
            Self::Acts(power) => power.id(),
            Self::ChoosesModel => "repository-chooses-model",
            Self::ChoosesEffort => "repository-chooses-effort",
            Self::UnknownKey => "unknown-key",
            Self::WrongType => "wrong-type",
            Self::Forced => "forced",
            Self::DuplicateKey => "duplicate-key",
            Self::PathsOutsideCwd => "paths-outside-cwd",
            Self::PathsNeverMatch => "paths-never-match",
        }
    }
}

/// One thing that the item had and the run's copy has not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// The key, or for what stood in the text `` !`command` `` or `@path`.
    pub key: String,
    /// Where in the file, from 1.
    pub line: u32,
    /// What it held, in one short line; of hooks and servers, what would have run.
    pub value: String,
    /// Why.
    pub reason: Reason,
}

/// An item as a run may have it: `head`, then `body` or the file from `body_at` on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// The header with both of its `---` lines; empty where the item needs none and had none.
    pub head: String,
    /// Where in the file the text begins, in bytes.
    pub body_at: usize,
    /// The text, where it had to be changed.
    pub body: Option<String>,
    /// The `name:` of the header.
    pub name: Option<String>,
    /// The patterns, as written; none where it is always loaded.
    pub paths: Option<Vec<String>>,
    /// Some text stands on the line that ends the header, so its author may have meant another end; it is then text.
    pub ambiguous_end: bool,
    /// What was taken away, by line.
    pub removed: Vec<Removed>,
}

/// An item's header and text, less what it may not have.
///
/// # Errors
/// [`Fault`]: the item cannot be read as its kind, and is not to be given.
///
/// ```
/// use winter_policy::{frontmatter::{Options, rewrite}, powers::ItemKind};
/// let source = b"---\nname: a\ndescription: it's: fine\nhooks:\n  Stop:\n    - command: rm x\n---\nText\n";
/// let agent = rewrite(ItemKind::Agent, source, &Options::default()).unwrap();
/// assert_eq!(agent.head, "---\nname: \"a\"\ndescription: \"it's: fine\"\n---\n");
/// assert_eq!(&source[agent.body_at..], b"Text\n");
/// assert_eq!((agent.removed[0].key.as_str(), agent.removed[0].value.as_str()), ("hooks", "rm x"));
/// ```
pub fn rewrite(kind: ItemKind, source: &[u8], options: &Options<'_>) -> Result<Rewritten, Fault> {
    let file = std::str::from_utf8(source).map_err(|error| {
        let line = header::lines(&String::from_utf8_lossy(&source[..error.valid_up_to()]));
        Fault::new(FaultKind::NotUtf8, "the file is not UTF-8").at(line.saturating_add(1), None)
    })?;
    let found = header::find(file);
    let entries = match &found {
        Some(header) => yaml::mapping(header.yaml, header.lines_before)?,
        None => Vec::new(),
    };
    let mut item = Item { kind, options, written: Vec::new(), removed: Vec::new(), paths: None };
    item.keys(&entries)?;
    item.always()?;
    let headless = found.is_none() && item.written.is_empty() && matches!(kind, ItemKind::Command | ItemKind::Rule);
    let head = if headless { String::new() } else { write::header(&item.written)? };
    let body_at = match &found {
        Some(header) => header.body_at,
        None if headless => 0,
        None => header::without_mark(file).1,
    };
    let body = item.body(&file[body_at..], header::lines(&file[..body_at]));
    crate::order::sort_by_key(&mut item.removed, |removed| removed.line);
    let name = item.written.iter().find_map(|(key, value)| match value {
        Value::Text(name) if key == "name" => Some(name.clone()),
        _ => None,
    });
    Ok(Rewritten {
        head,
        body_at,
        body,
        name,
        paths: item.paths,
        ambiguous_end: found.is_some_and(|header| header.ambiguous_end),
        removed: item.removed,
    })
}

/// The text of a file without the header that the program takes off, and how many lines that was.
///
/// Claude Code 2.1.250 takes one off instructions files as well, and reads nothing in it (its strings).
///
/// ```
/// use winter_policy::frontmatter::without_header;
/// assert_eq!(without_header("---\na: b\n---\nText\n"), ("Text\n", 3));
/// assert_eq!(without_header("Text\n"), ("Text\n", 0));
/// ```
pub fn without_header(file: &str) -> (&str, u32) {
    let body_at = header::find(file).map_or(0, |header| header.body_at);
    (&file[body_at..], header::lines(&file[..body_at]))
}

/// The `name:` of a header that is not to be rewritten, read line by line; the outer none where it cannot be told.
///
/// ```
/// use winter_policy::frontmatter::plain_name;
/// assert_eq!(plain_name("---\nname: 'a'\nx: [&y 1, *y]\n---\n"), Some(Some("a".to_owned())));
/// assert_eq!(plain_name("Text"), Some(None));
/// assert_eq!(plain_name("---\n{name: a}\n---\n"), None);
/// ```
pub fn plain_name(file: &str) -> Option<Option<String>> {
    let Some(header) = header::find(file) else { return Some(None) };
    let mut names = header.yaml.lines().filter_map(|line| line.strip_prefix("name:"));
    let Some(name) = names.next().filter(|_| names.next().is_none()) else {
        return (!header.yaml.contains("name")).then_some(None);
    };
    let name = name.trim();
    let quoted = |quote: char| {
        let inner = name.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.contains([quote, '\\'])).then(|| inner.to_owned())
    };
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ' | '.'));
    if plain { Some(Some(name.to_owned())) } else { quoted('"').or_else(|| quoted('\'')).map(Some) }
}

struct Item<'a> {
    kind: ItemKind,
    options: &'a Options<'a>,
    written: Vec<(String, Value)>,
    removed: Vec<Removed>,
    paths: Option<Vec<String>>,
}

impl Item<'_> {
    fn keys(&mut self, entries: &[Entry]) -> Result<(), Fault> {
        let last: BTreeMap<&str, usize> =
            entries.iter().enumerate().filter_map(|(at, entry)| Some((entry.key.as_deref()?, at))).collect();
        let mut kept = Vec::new();
        for (at, entry) in entries.iter().enumerate() {
            let Some(key) = entry.key.as_deref() else {
                self.remove("?", entry.line, &entry.node.value, Reason::UnknownKey);
                continue;
            };
            let inert = keys::find(key, self.kind);
            let carrier = powers::carried(Place::Key(key_of(key)), Some(self.kind));
            let reason = if keys::MODEL_KEYS.contains(&key) {
                Some(Reason::ChoosesModel)
            } else if keys::EFFORT_KEYS.contains(&key) {
                Some(Reason::ChoosesEffort)
            } else if let Some(Carrier { power, .. }) = carrier.filter(|_| !self.options.may_act) {
                Some(Reason::Acts(*power))
            } else if inert.is_none() && carrier.is_none() {
                Some(Reason::UnknownKey)
            } else if last.get(key) != Some(&at) {
                Some(Reason::DuplicateKey)
            } else {
                None
            };
            match (reason, inert) {
                (Some(reason), _) => self.remove(key, entry.line, &entry.node.value, reason),
                (None, Some(row)) => self.inert(row, entry, &mut kept)?,
                (None, None) if write::can_be_written(&entry.node.value) => {
                    kept.push((usize::MAX, key.to_owned(), entry.node.value.clone()));
                }
                (None, None) => self.remove(key, entry.line, &entry.node.value, Reason::WrongType),
            }
        }
        // Inert keys in the order of the table, then what acts, by name.
        crate::order::sort_by(&mut kept, |a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        self.written = kept.into_iter().map(|(_, key, value)| (key, value)).collect();
        Ok(())
    }

    fn inert(
        &mut self,
        row: &keys::KeyRow,
        entry: &Entry,
        kept: &mut Vec<(usize, String, Value)>,
    ) -> Result<(), Fault> {
        let value = &entry.node.value;
        let canonical = row.shape.canonical(value);
        let value = match (row.shape, canonical) {
            (Shape::True, written) => {
                if keys::switch(value) != Some(true) {
                    self.remove(row.key, entry.line, value, Reason::Forced);
                }
                written
            }
            (Shape::Narrowing, None) => {
                self.remove(row.key, entry.line, value, Reason::WrongType);
                Some(Value::List(Vec::new()))
            }
            (Shape::Texts | Shape::Narrowing | Shape::Patterns, Some(written)) if is_shorter(&written, value) => {
                self.remove(row.key, entry.line, value, Reason::WrongType);
                if row.shape == Shape::Patterns { self.patterns(entry.line, &written)? } else { Some(written) }
            }
            (Shape::Patterns, Some(patterns)) => self.patterns(entry.line, &patterns)?,
            (_, None) => {
                self.remove(row.key, entry.line, value, Reason::WrongType);
                None
            }
            (_, written) => written,
        };
        if let Some(value) = value {
            let order = KEYS.iter().position(|other| std::ptr::eq(other, row)).unwrap_or(usize::MAX - 1);
            kept.push((order, row.key.to_owned(), value));
        }
        Ok(())
    }

    /// What is written for `paths:`; none where that is nothing.
    fn patterns(&mut self, line: u32, value: &Value) -> Result<Option<Value>, Fault> {
        let texts: Vec<String> = match value {
            Value::Text(text) => split_patterns(text),
            Value::List(items) => {
                let text = |item: &Node| match &item.value {
                    Value::Text(text) => split_patterns(text),
                    _ => Vec::new(),
                };
                items.iter().flat_map(text).collect()
            }
            _ => Vec::new(),
        };
        if paths::is_unconditional(&texts) {
            return Ok(None);
        }
        let mut written: Vec<String> = Vec::new();
        let mut outside = false;
        for (pattern, verdict) in texts.iter().zip(rewrite_paths(&texts, &self.options.anchor)) {
            let reason = match verdict {
                PathVerdict::Unchanged => {
                    written.push(pattern.clone());
                    continue;
                }
                PathVerdict::Rewritten(patterns) => {
                    written.extend(patterns);
                    continue;
                }
                PathVerdict::OutsideCwd => Reason::PathsOutsideCwd,
                PathVerdict::Inert => Reason::PathsNeverMatch,
            };
            outside = outside || reason == Reason::PathsOutsideCwd;
            self.remove("paths", line, &Value::Text(pattern.clone()), reason);
        }
        // What only lets out matches nothing, and without a pattern the item would always be loaded.
        if written.iter().all(|pattern| pattern.starts_with('!')) {
            let (kind, text) = if outside {
                (FaultKind::PathsOutsideCwd, "its `paths:` can match only outside the working directory")
            } else {
                (FaultKind::PathsNeverMatch, "its `paths:` match nothing")
            };
            return Err(Fault::new(kind, text).at(line, None));
        }
        // Nothing but `**` would count as no pattern at all.
        if paths::is_unconditional(&written) {
            written = vec!["*".to_owned()];
        }
        self.paths = Some(written.clone());
        Ok(Some(texts_value(written)))
    }

    /// What an item of this kind has whether its author wrote it or not.
    fn always(&mut self) -> Result<(), Fault> {
        let text = |written: &[(String, Value)], wanted: &str| {
            written.iter().find_map(|(key, value)| match value {
                Value::Text(text) if key == wanted => Some(text.clone()),
                _ => None,
            })
        };
        match self.kind {
            ItemKind::Agent => {
                let name = text(&self.written, "name").unwrap_or_default();
                // Signs that are a colon, or become one under NFKC; the program refuses those names.
                if name.is_empty() || name.starts_with('-') || name.contains([':', '：', '﹕', '︓', '⩴']) {
                    let detail = "an agent needs a `name` that is a text, without `:` and not starting with `-`";
                    return Err(Fault::new(FaultKind::NoName, detail));
                }
                if text(&self.written, "description").unwrap_or_default().is_empty() {
                    return Err(Fault::new(FaultKind::NoDescription, "an agent needs a `description` that is a text"));
                }
            }
            ItemKind::OutputStyle => {
                let key = "keep-coding-instructions";
                if !self.written.iter().any(|(written, _)| written == key) {
                    self.written.push((key.to_owned(), Value::Bool(true)));
                }
            }
            ItemKind::Rule if self.paths.is_none() && !self.options.anchor.base_below.trim_matches('/').is_empty() => {
                let patterns = folder_paths(self.options.anchor.base_below);
                self.paths = Some(patterns.clone());
                self.written.push(("paths".to_owned(), texts_value(patterns)));
            }
            ItemKind::Skill | ItemKind::Command | ItemKind::Rule => {}
        }
        Ok(())
    }

    /// The text without what acts, where something did.
    fn body(&mut self, text: &str, lines_before: u32) -> Option<String> {
        let acts = |place| powers::carried(place, Some(self.kind)).map(|row| row.power);
        let (shell, file) = (acts(Place::InlineShell)?, acts(Place::FileReference)?);
        if self.options.may_act {
            return None;
        }
        let (body, found) = body::neutralise(text)?;
        for place in found {
            let (key, power) = if place.place == Place::InlineShell { ("!`command`", shell) } else { ("@path", file) };
            self.removed.push(Removed {
                key: key.to_owned(),
                line: lines_before.saturating_add(place.line).saturating_add(1),
                value: place.what,
                reason: Reason::Acts(power),
            });
        }
        Some(body)
    }

    fn remove(&mut self, key: &str, line: u32, value: &Value, reason: Reason) {
        self.removed.push(Removed { key: write::shown(key), line, value: write::shown_value(value), reason });
    }
}

/// The spelling of a key that a row of the carriers has, as that row holds it.
fn key_of(key: &str) -> &'static str {
    let keys = powers::CARRIERS.iter().filter_map(|row| match row.place {
        Place::Key(name) => Some(name),
        _ => None,
    });
    keys.into_iter().find(|name| *name == key).unwrap_or_default()
}

/// Whether some of a list were left out.
fn is_shorter(written: &Value, value: &Value) -> bool {
    matches!((written, value), (Value::List(written), Value::List(all)) if written.len() < all.len())
}

fn texts_value(texts: Vec<String>) -> Value {
    Value::List(texts.into_iter().map(|text| Node { line: 0, value: Value::Text(text) }).collect())
}
