//! The session's provider-state file: which endpoint stands behind an entry, and what is kept there for it.
//!
//! Source: the Winter runtime's own records, `<session>.provider-state.jsonl`: one JSON object a line with `kind`,
//! `anchorUuid` (the assistant's entry), `provider`, `model`, `family`, `continuationDomain`, `payload`.

use std::collections::HashMap;

use super::endpoint::Origin;
use super::json;

/// What a record holds, as far as it could be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// Reasoning in the family's own dialect.
    Reasoning,
    /// A summary of reasoning.
    Summary,
    /// Response ids, cache handles, encrypted items.
    State,
}

/// One record that is no origin.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub held: Held,
    pub origin: Origin,
    /// The kind of opaque state, in the words of a catalog.
    pub domain: Option<String>,
    pub characters: u64,
}

/// The records by the entry that they belong to.
#[derive(Debug, Default)]
pub(super) struct Sidecar {
    pub origins: HashMap<String, Origin>,
    pub records: HashMap<String, Vec<Record>>,
    /// Its beginning was not read.
    pub cut: bool,
}

impl Sidecar {
    /// Reads at most `budget` bytes, from the end. A line that is torn, no record, or without an entry is passed over:
    /// the runtime writes a record before its entry, so such a line is what a crash leaves.
    pub(super) fn read(bytes: &[u8], budget: usize) -> Self {
        let start = bytes.len().saturating_sub(budget);
        let mut sidecar = Self { cut: start > 0, ..Self::default() };
        // A line that the cut falls into is no JSON, and passed over as such.
        for line in bytes[start..].split(|&byte| byte == b'\n') {
            if let Some((anchor, record)) = std::str::from_utf8(line).ok().and_then(record) {
                match record {
                    Ok(origin) => _ = sidecar.origins.insert(anchor, origin),
                    Err(record) => sidecar.records.entry(anchor).or_default().push(record),
                }
            }
        }
        sidecar
    }
}

fn record(line: &str) -> Option<(String, Result<Origin, Record>)> {
    let names = ["kind", "anchorUuid", "provider", "model", "family", "protocol", "continuationDomain", "payload"];
    let [kind, anchor, provider, model, family, protocol, domain, payload] = json::members(line, &names).ok()?;
    let text = |value: Option<&str>| value.and_then(json::string).map(std::borrow::Cow::into_owned);
    let origin = Origin {
        provider: text(provider),
        model: text(model).unwrap_or_default(),
        protocol: text(protocol),
        family: text(family),
    };
    let held = match &*json::string(kind?)? {
        "origin" if origin.model.is_empty() => return None,
        "origin" => return Some((text(anchor)?, Ok(origin))),
        "handoff" => return None,
        "reasoning-blocks" => Held::Reasoning,
        "summary" => Held::Summary,
        _ => Held::State,
    };
    let characters = payload.map_or(0, |payload| json::length(payload).characters);
    Some((text(anchor)?, Err(Record { held, origin, domain: text(domain), characters })))
}
