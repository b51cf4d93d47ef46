//! What the rows in context say, as far as a switch could lose it: kinds, counts and characters, never the text itself.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::endpoint::{EndpointResolver, Origin};
use super::entries::{Entries, Entry, Kind};
use super::identity::{Identifier, Identity};
use super::json;
use super::lineage::Lineage;
use super::oddity::{Oddities, OddityKind};
use super::sidecar::{Held, Sidecar};

/// One thing that may be lost, and what of it there is.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub what: What,
    /// Whose it is: a place in [`Contents::identities`].
    pub by: usize,
    pub characters: u64,
}

/// What it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Signed or encrypted reasoning, with the catalog's word for its kind where the record has it.
    Opaque(Option<String>),
    /// Reasoning that can be read.
    Readable,
    /// The result of a tool that ran at the provider.
    ServerResult(String),
    /// Input that is no text.
    Media(&'static str),
    /// Provider state, with the catalog's word for its kind where the record has it.
    State(Option<String>),
}

/// All that is in context.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub identities: Vec<Identity>,
    pub pieces: Vec<Piece>,
    /// The rows that are in context, in the file's order.
    pub rows: Vec<usize>,
    pub messages: u64,
    /// Text, calls and results: what every target gets.
    pub characters: u64,
    /// Of those, what came after the tip.
    pub characters_after_tip: u64,
    /// What the tip's own endpoint counted, in tokens.
    pub usage: Option<u64>,
    /// Calls at the tip that wait for their result, with the characters of their input.
    pub waiting: Vec<u64>,
}

/// Reads the rows that the lineage puts in context.
pub(super) fn read<E: EndpointResolver + ?Sized>(
    entries: &Entries<'_>,
    lineage: &Lineage,
    sidecar: &Sidecar,
    identifier: &Identifier<'_, E>,
    oddities: &mut Oddities,
) -> Contents {
    let rows = in_context(entries, lineage);
    let mut reader = Reader {
        contents: Contents::default(),
        keys: HashMap::new(),
        calls: BTreeMap::new(),
        results: Vec::new(),
        in_result: false,
        row: 0,
        oddities,
    };
    let mut messages = HashSet::new();
    let stamps: HashMap<&str, &Origin> = rows
        .iter()
        .map(|&at| &entries.rows[at])
        .filter_map(|row| Some((row.message_id.as_deref()?, sidecar.origins.get(&*row.uuid)?)))
        .collect();
    for &at in &rows {
        let row = &entries.rows[at];
        let key = row.message_id.as_deref().unwrap_or(&row.uuid);
        if row.is_message() {
            messages.insert(key);
        }
        let stamp = sidecar.origins.get(&*row.uuid).or_else(|| stamps.get(key).copied());
        let by = reader.identity(row, stamp, identifier);
        let before = reader.contents.characters;
        reader.row = at;
        reader.row(row, by);
        if lineage.tip.is_some_and(|tip| at > tip) {
            reader.contents.characters_after_tip += reader.contents.characters - before;
        }
        for record in sidecar.records.get(&*row.uuid).into_iter().flatten() {
            let by = reader.remember(&format!("{:?}", record.origin), || identifier.of_record(&record.origin));
            let what = match record.held {
                Held::Reasoning => What::Opaque(record.domain.clone()),
                Held::Summary => What::Readable,
                Held::State => What::State(record.domain.clone()),
            };
            reader.contents.pieces.push(Piece { what, by, characters: record.characters });
        }
    }
    reader.contents.messages = messages.len() as u64;
    reader.contents.usage = usage(entries, lineage);
    reader.settle(entries, lineage, &rows);
    Contents { rows, ..reader.contents }
}

/// The lineage, the other rows of its messages, and the results of their calls, which hang off them side by side.
fn in_context(entries: &Entries<'_>, lineage: &Lineage) -> Vec<usize> {
    let mut rows: BTreeSet<usize> = lineage.path.iter().copied().collect();
    let mut done = HashSet::new();
    for &at in &lineage.path {
        if done.insert(entries.rows[at].message_id.as_deref()) {
            rows.extend(entries.same_message(at));
        }
    }
    let parents: HashSet<&str> = rows.iter().map(|&at| &*entries.rows[at].uuid).collect();
    let hangs_off = |row: &Entry<'_>| row.parent.as_deref().is_some_and(|parent| parents.contains(parent));
    let is_result = |row: &Entry<'_>| row.kind == Kind::User && row.content.is_some_and(holds_results);
    let others = entries.rows.iter().enumerate().filter(|(at, row)| !rows.contains(at) && hangs_off(row));
    let results: Vec<usize> = others.filter(|(_, row)| is_result(row)).map(|(at, _)| at).collect();
    rows.extend(results);
    let in_context = |at: &usize| {
        let row = &entries.rows[*at];
        !row.sidechain && !row.error && row.kind != Kind::Link
    };
    rows.into_iter().filter(in_context).collect()
}

fn holds_results(content: &str) -> bool {
    let blocks = json::items(content).unwrap_or_default();
    let is_result = |block: &&str| json::members_of(Some(block), &["type"]) == [Some("\"tool_result\"")];
    !blocks.is_empty() && blocks.iter().all(is_result)
}

/// What the tip's endpoint says that it took in and gave out, unless a compaction has replaced that since.
fn usage(entries: &Entries<'_>, lineage: &Lineage) -> Option<u64> {
    let tip = lineage.tip.filter(|&tip| lineage.boundary.is_none_or(|boundary| boundary < tip))?;
    let counted = entries.same_message(tip).iter().chain([&tip]).map(|&at| {
        let names = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"];
        let counts = json::members_of(entries.rows[at].usage, &names).map(json::number);
        counts.into_iter().fold(0, u64::saturating_add)
    });
    counted.max().filter(|&tokens| tokens > 0)
}

struct Reader<'r> {
    contents: Contents,
    keys: HashMap<String, usize>,
    /// The row and the length of each call.
    calls: BTreeMap<String, (usize, u64)>,
    results: Vec<String>,
    in_result: bool,
    row: usize,
    oddities: &'r mut Oddities,
}

impl Reader<'_> {
    fn identity<E: EndpointResolver + ?Sized>(
        &mut self,
        row: &Entry<'_>,
        stamp: Option<&Origin>,
        identifier: &Identifier<'_, E>,
    ) -> usize {
        match (stamp, &row.model) {
            (Some(origin), _) => self.remember(&format!("{origin:?}"), || identifier.of_record(origin)),
            (None, Some(model)) => self.remember(model, || identifier.of_entry(model)),
            (None, None) => self.remember("", || identifier.of_session()),
        }
    }

    fn remember(&mut self, key: &str, make: impl FnOnce() -> Identity) -> usize {
        if let Some(&at) = self.keys.get(key) {
            return at;
        }
        let at = self.contents.identities.len();
        self.contents.identities.push(make());
        self.keys.insert(key.to_owned(), at);
        at
    }

    fn row(&mut self, row: &Entry<'_>, by: usize) {
        if let Some(attachment) = row.attachment {
            self.text(attachment);
        }
        if let Some(content) = row.content {
            self.content(content, by);
        }
    }

    /// A text, or blocks.
    fn content(&mut self, content: &str, by: usize) {
        match content.as_bytes().first() {
            Some(b'"') => _ = self.text(content),
            Some(b'[') => {
                for block in json::items(content).unwrap_or_default() {
                    self.block(block, by);
                }
            }
            _ => {
                self.oddities.add(OddityKind::OddShape);
                self.text(content);
            }
        }
    }

    fn text(&mut self, value: &str) -> u64 {
        let length = self.measure(value);
        self.contents.characters += length;
        length
    }

    fn measure(&mut self, value: &str) -> u64 {
        let length = json::length(value);
        self.oddities.add_many(OddityKind::LoneSurrogate, length.lone_surrogates);
        length.characters
    }

    fn piece(&mut self, what: What, by: usize, characters: u64) {
        self.contents.pieces.push(Piece { what, by, characters });
    }

    fn block(&mut self, block: &str, by: usize) {
        const NAMES: [&str; 10] =
            ["type", "text", "thinking", "signature", "data", "id", "input", "tool_use_id", "content", "source"];
        let [kind, text, thinking, signature, data, id, input, call, content, source] =
            json::members_of(Some(block), &NAMES);
        let kind = kind.and_then(json::string).unwrap_or(Cow::Borrowed(""));
        let id_of = |id: Option<&str>| id.and_then(json::string).map(Cow::into_owned);
        match &*kind {
            "text" => _ = text.map(|text| self.text(text)),
            "thinking" => {
                let (read, signed) = (self.measure(thinking.unwrap_or("")), self.measure(signature.unwrap_or("")));
                if signed > 0 {
                    self.piece(What::Opaque(None), by, read + signed);
                }
                if read > 0 {
                    self.piece(What::Readable, by, read);
                }
            }
            "redacted_thinking" => {
                let characters = self.measure(data.unwrap_or(""));
                self.piece(What::Opaque(None), by, characters);
            }
            "tool_use" => {
                let characters = self.text(input.unwrap_or(""));
                if let Some(id) = id_of(id) {
                    self.calls.insert(id, (self.row, characters));
                }
            }
            "tool_result" => {
                self.results.extend(id_of(call));
                // A result within a result is nobody's; its content counts as text.
                if self.in_result {
                    self.text(content.unwrap_or(""));
                } else if let Some(content) = content {
                    self.in_result = true;
                    self.content(content, by);
                    self.in_result = false;
                }
            }
            "server_tool_use" | "mcp_tool_use" => _ = self.text(input.unwrap_or("")),
            "image" | "document" | "audio" | "video" => {
                let media = ["image", "document", "audio", "video"].into_iter().find(|media| *media == kind);
                let characters = self.measure(json::members_of(source, &["data"])[0].or(source).unwrap_or(""));
                self.piece(What::Media(media.unwrap_or("image")), by, characters);
            }
            other => {
                if let Some(tool) = other.strip_suffix("_tool_result") {
                    let characters = self.measure(content.unwrap_or(""));
                    self.piece(What::ServerResult(tool.to_owned()), by, characters);
                } else {
                    self.oddities.add(OddityKind::UnknownContent);
                    self.text(block);
                }
            }
        }
    }

    /// Matches calls and results: what is missing at the tip may still come, what is missing elsewhere never will.
    fn settle(&mut self, entries: &Entries<'_>, lineage: &Lineage, rows: &[usize]) {
        let orphans = self.results.iter().filter(|id| !self.calls.contains_key(*id)).count();
        self.oddities.add_many(OddityKind::OrphanToolResult, orphans as u64);
        for id in &self.results {
            self.calls.remove(id);
        }
        let mut tip_rows: Vec<usize> = lineage.tip.into_iter().collect();
        tip_rows.extend(lineage.tip.iter().flat_map(|&tip| entries.same_message(tip)));
        // Somebody spoke since: the program goes on without the result.
        crate::order::sort(&mut tip_rows);
        let last = tip_rows.last().copied().unwrap_or(0);
        let is_later_word = |&at: &usize| {
            let row = &entries.rows[at];
            at > last && row.is_message() && !row.content.is_some_and(holds_results)
        };
        let is_open = !rows.iter().any(is_later_word);
        for (row, characters) in self.calls.values() {
            if is_open && tip_rows.binary_search(row).is_ok() {
                self.contents.waiting.push(*characters);
            } else {
                self.oddities.add(OddityKind::CallWithoutResult);
            }
        }
    }
}

/// The sidecar's origin record of that row, or of another row of its message.
pub(super) fn stamp<'s>(entries: &Entries<'_>, at: usize, sidecar: &'s Sidecar) -> Option<&'s Origin> {
    let of = |at: &usize| sidecar.origins.get(&*entries.rows[*at].uuid);
    of(&at).or_else(|| entries.same_message(at).iter().find_map(of))
}
