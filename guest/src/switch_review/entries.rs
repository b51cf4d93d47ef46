//! Transcript rows, as far as they decide where the conversation goes; what they say is looked at later, and only of
//! those that are in context.

use std::borrow::Cow;
use std::collections::HashMap;

use super::json;
use super::lines::{self, Line, Text};
use super::oddity::{Oddities, OddityKind};

/// What kind of row it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    User,
    Assistant,
    /// A file, a reminder: sent beside the messages.
    Attachment,
    /// A link in the lineage that is no message.
    Link,
}

/// Types that are written by the programs known here and are no message.
///
/// Source: transcripts of Claude Code 2.1.
const LINKS: &[&str] = &[
    "agent-name",
    "ai-title",
    "content-replacement",
    "custom-title",
    "file-history-snapshot",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "summary",
    "system",
    "tag",
    "worktree-state",
];

/// Where the model's context was cut, and what was kept of what is before.
#[derive(Debug, Default)]
pub(super) struct Boundary<'t> {
    /// The message that the kept ones follow, usually the summary.
    pub anchor: Option<Cow<'t, str>>,
    /// The kept ones, oldest first.
    pub kept: Vec<Cow<'t, str>>,
}

/// One row with a uuid.
#[derive(Debug)]
pub(super) struct Entry<'t> {
    pub offset: u64,
    pub kind: Kind,
    pub uuid: Cow<'t, str>,
    pub parent: Option<Cow<'t, str>>,
    /// Of a boundary: the last row before it.
    pub logical_parent: Option<Cow<'t, str>>,
    pub sidechain: bool,
    /// A failed request's.
    pub error: bool,
    pub boundary: Option<Boundary<'t>>,
    /// What a message says, as JSON.
    pub content: Option<&'t str>,
    /// What the model's endpoint counted for it, as JSON.
    pub usage: Option<&'t str>,
    /// What stands beside the messages, as JSON.
    pub attachment: Option<&'t str>,
    /// Of an assistant's row: rows that share it are one message.
    pub message_id: Option<Cow<'t, str>>,
    /// Of an assistant's row.
    pub model: Option<Cow<'t, str>>,
}

impl Entry<'_> {
    pub(super) fn is_message(&self) -> bool {
        matches!(self.kind, Kind::User | Kind::Assistant)
    }

    /// A reply that a model really gave.
    pub(super) fn is_reply(&self) -> bool {
        self.kind == Kind::Assistant && !self.error && !self.sidechain
    }
}

/// The rows of one window, in the file's order, each uuid once. The maps are asked, never walked: their order shows
/// nowhere.
pub(super) struct Entries<'t> {
    pub rows: Vec<Entry<'t>>,
    by_uuid: HashMap<Cow<'t, str>, usize>,
    by_message: HashMap<Cow<'t, str>, Vec<usize>>,
}

impl<'t> Entries<'t> {
    pub(super) fn read(texts: &'t [Text<'_>], oddities: &mut Oddities) -> Self {
        let mut all = Self { rows: Vec::new(), by_uuid: HashMap::new(), by_message: HashMap::new() };
        for text in texts {
            let Some(line) = lines::read(text, oddities) else { continue };
            let Some(entry) = entry(&line, oddities) else { continue };
            all.add(entry, line.salvaged, oddities);
        }
        for (at, row) in all.rows.iter().enumerate() {
            if row.sidechain {
                oddities.add(OddityKind::Sidechain);
            } else if let Some(id) = &row.message_id {
                all.by_message.entry(id.clone()).or_default().push(at);
            }
        }
        all
    }

    /// The row keeps the place of the first one of its uuid, so that a stray copy at the end of the file does not become
    /// the tip.
    fn add(&mut self, entry: Entry<'t>, salvaged: bool, oddities: &mut Oddities) {
        match self.by_uuid.get(&entry.uuid) {
            Some(_) if salvaged => {}
            Some(&at) => {
                oddities.add(OddityKind::DuplicateUuid);
                if self.rows[at].parent != entry.parent {
                    oddities.add(OddityKind::DifferingParent);
                }
                self.rows[at] = entry;
            }
            None => {
                if salvaged {
                    oddities.add(OddityKind::Salvaged);
                }
                self.by_uuid.insert(entry.uuid.clone(), self.rows.len());
                self.rows.push(entry);
            }
        }
    }

    pub(super) fn place(&self, uuid: &str) -> Option<usize> {
        self.by_uuid.get(uuid).copied()
    }

    /// The rows of the same message as that row, itself included; none for a row that says no message id.
    pub(super) fn same_message(&self, at: usize) -> &[usize] {
        let id = self.rows[at].message_id.as_ref().filter(|_| !self.rows[at].sidechain);
        id.and_then(|id| self.by_message.get(id)).map_or(&[], Vec::as_slice)
    }
}

fn entry<'t>(line: &Line<'t>, oddities: &mut Oddities) -> Option<Entry<'t>> {
    let [kind, uuid, parent, logical, sidechain, error, subtype, message, camel, snake, attachment] = line.members;
    if line.salvaged && parent.is_none() {
        return None;
    }
    let mut text = |value: Option<&'t str>| {
        let value = value.filter(|&value| value != "null")?;
        let text = json::string(value);
        if text.is_none() {
            oddities.add(OddityKind::OddShape);
        }
        text
    };
    let (kind_name, uuid, parent, logical_parent) = (text(kind), text(uuid), text(parent), text(logical));
    let kind = match kind_name.as_deref() {
        Some("user") => Kind::User,
        Some("assistant") => Kind::Assistant,
        Some("attachment") => Kind::Attachment,
        Some(known) if LINKS.contains(&known) => Kind::Link,
        _ => {
            oddities.add(OddityKind::UnknownType);
            Kind::Link
        }
    };
    let message = message.filter(|_| matches!(kind, Kind::User | Kind::Assistant));
    let [id, model, content, usage] = json::members_of(message, &["id", "model", "content", "usage"]);
    if message.is_some() && content.is_none() {
        oddities.add(OddityKind::OddShape);
    }
    let of_reply = |value: Option<&'t str>| value.filter(|_| kind == Kind::Assistant).and_then(json::string);
    let (message_id, model) = (of_reply(id), of_reply(model));
    let metadata = [camel, snake].into_iter().flatten().find(|metadata| metadata.starts_with('{'));
    let is_boundary = kind_name.as_deref() == Some("system")
        && (metadata.is_some() || subtype.and_then(json::string).as_deref() == Some("compact_boundary"));
    Some(Entry {
        offset: line.offset,
        kind,
        uuid: uuid?,
        parent,
        logical_parent,
        sidechain: json::is_true(sidechain),
        error: json::is_true(error) || model.as_deref() == Some("<synthetic>"),
        boundary: is_boundary.then(|| boundary(metadata)),
        content,
        usage,
        attachment: attachment.filter(|_| kind == Kind::Attachment),
        message_id,
        model,
    })
}

/// Both spellings: the public program's, and the older one.
fn boundary(metadata: Option<&str>) -> Boundary<'_> {
    let [camel, snake] = json::members_of(metadata, &["preservedMessages", "preserved_messages"]);
    let [anchor, older_anchor, uuids] = json::members_of(camel.or(snake), &["anchorUuid", "anchor_uuid", "uuids"]);
    let kept = uuids.and_then(json::items).unwrap_or_default();
    Boundary {
        anchor: anchor.or(older_anchor).and_then(json::string),
        kept: kept.into_iter().filter_map(json::string).collect(),
    }
}
