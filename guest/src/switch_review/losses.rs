//! The loss table: what a switch may cost, one row a kind, and the code that reads it.

use std::collections::BTreeSet;

use serde::Serialize;

use super::content::{Contents, Piece, What};
use super::endpoint::{Endpoint, ReadableReasoning};
use super::identity::Identity;
use crate::explain::Sheet;

/// How bad it is; the worst loss decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Nothing is lost.
    Lossless,
    /// Something is lost, and the conversation can go on.
    Lossy,
    /// The conversation cannot go on there as it is.
    Blocking,
}

/// What is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossKind {
    /// Encrypted or signed reasoning that the target cannot read.
    ReasoningOpaque,
    /// Reasoning of which there is no more than a summary.
    ReasoningSummaryOnly,
    /// Results of tools that ran at the source's provider.
    ServerToolResults,
    /// Input of a kind that the target does not take.
    Modality,
    /// Provider state that is bound to the source.
    ProviderState,
    /// More than the target takes in.
    ContextOverflow,
    /// A call that waits for its result.
    UnfinishedToolCall,
}

/// One loss.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Loss {
    /// Which.
    pub kind: LossKind,
    /// How bad it is.
    pub severity: Severity,
    /// How many there are, in the unit of its row.
    pub count: u64,
    /// How many characters are concerned.
    pub characters: u64,
    /// Which tools or kinds of input, sorted, where that tells them apart.
    pub names: Vec<String>,
}

/// What the table's conditions look at.
pub(super) struct Case<'a> {
    pub contents: &'a Contents,
    pub target: &'a Endpoint,
    /// What must be carried.
    pub tokens: u64,
}

/// How much of it there is.
#[derive(Debug, Default)]
struct Found {
    count: u64,
    characters: u64,
    names: BTreeSet<String>,
}

/// One row of the loss table.
#[derive(Debug)]
pub struct LossRule {
    /// Which loss.
    pub kind: LossKind,
    /// Stable; what a report prints.
    pub id: &'static str,
    /// What is counted.
    pub unit: &'static str,
    /// More than one of them.
    pub units: &'static str,
    /// When it applies, in words.
    pub when: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// How bad it is where the context may be compacted first.
    pub with_compaction: Severity,
    /// What would avoid it.
    pub avoid: &'static str,
    /// Where the row comes from.
    pub source: &'static str,
    find: fn(&Case<'_>) -> Found,
}

macro_rules! losses {
    ($($kind:ident = $id:literal, $unit:literal, $units:literal, $severity:ident, $compacted:ident, $find:expr, $when:literal, $avoid:literal, $source:literal;)*) => {
        /// Every row, in the order of reports.
        pub static LOSSES: &[LossRule] = &[$(LossRule {
            kind: LossKind::$kind, id: $id, unit: $unit, units: $units, when: $when, severity: Severity::$severity,
            with_compaction: Severity::$compacted, avoid: $avoid, source: $source, find: $find,
        }),*];
    };
}

losses! {
    ReasoningOpaque = "reasoning-opaque", "reasoning block", "reasoning blocks", Lossy, Lossy, opaque,
        "encrypted or signed reasoning in context that the target's endpoint cannot read",
        "stay with a model whose endpoint reads this reasoning, or let the source write its conclusions down first",
        "contract, switch review; reports on signed thinking after a model change and after a change of provider";
    ReasoningSummaryOnly = "reasoning-summary-only", "summary of reasoning", "summaries of reasoning", Lossy, Lossy, summaries,
        "the source shows no more than summaries of its reasoning, so no more can be carried",
        "let the source write down what matters of its reasoning first",
        "contract, switch review";
    ServerToolResults = "server-tool-results", "result of a server tool", "results of server tools", Lossy, Lossy, server_results,
        "results of tools that ran at the source's provider and do not run at the target's",
        "let the source repeat the results as text, or choose a target with these tools at the same provider",
        "contract, switch review";
    Modality = "modality", "attachment", "attachments", Lossy, Lossy, media,
        "images, documents, audio or video in context that the target does not take",
        "choose a target that takes this kind of input, or let the source describe it first",
        "contract, switch review";
    ProviderState = "provider-state", "record of provider state", "records of provider state", Lossy, Lossy, state,
        "state beside the transcript (response ids, cache handles) that is bound to the source",
        "stay with the provider that holds it",
        "contract, switch review";
    ContextOverflow = "context-overflow", "message", "messages", Blocking, Lossy, overflow,
        "what must be carried is more than the target's context window",
        "compact the conversation first, or choose a target with a larger window",
        "contract, switch review";
    UnfinishedToolCall = "unfinished-tool-call", "tool call", "tool calls", Blocking, Blocking, unfinished,
        "a tool call at the tip that has no result yet",
        "wait until the call has its result, or interrupt it",
        "contract, switch review; reports on sessions killed during a tool call";
}

impl LossKind {
    /// Its row.
    pub fn rule(self) -> &'static LossRule {
        // The table holds a row for each variant, in their order; a test holds it to that.
        &LOSSES[self as usize]
    }
}

/// The rows that apply.
pub(super) fn losses(case: &Case<'_>, compaction: bool) -> Vec<Loss> {
    let apply = |rule: &LossRule| {
        let found = (rule.find)(case);
        let severity = if compaction { rule.with_compaction } else { rule.severity };
        let (count, characters, names) = (found.count, found.characters, found.names.into_iter().collect());
        (count > 0).then_some(Loss { kind: rule.kind, severity, count, characters, names })
    };
    LOSSES.iter().filter_map(apply).collect()
}

/// Whether the target's endpoint takes back opaque state of that origin.
fn understands(target: &Endpoint, by: &Identity, domain: Option<&String>) -> bool {
    let takes = |state: &String| target.opaque_states.contains(state);
    let own = by.endpoint.as_ref().map(|endpoint| endpoint.opaque_states.as_slice()).unwrap_or_default();
    by.shares_profile(target) || domain.map_or_else(|| own.iter().any(takes), takes)
}

fn sum(case: &Case<'_>, lost: impl Fn(&Piece, &Identity) -> Option<Option<String>>) -> Found {
    let mut found = Found::default();
    for piece in &case.contents.pieces {
        if let Some(name) = lost(piece, &case.contents.identities[piece.by]) {
            found.count += 1;
            found.characters += piece.characters;
            found.names.extend(name);
        }
    }
    found
}

fn opaque(case: &Case<'_>) -> Found {
    sum(case, |piece, by| match &piece.what {
        What::Opaque(domain) if !understands(case.target, by, domain.as_ref()) => Some(None),
        _ => None,
    })
}

fn summaries(case: &Case<'_>) -> Found {
    let only_summaries = |by: &Identity| {
        by.endpoint.as_ref().is_some_and(|endpoint| endpoint.readable_reasoning == ReadableReasoning::Summary)
    };
    sum(case, |piece, by| {
        let lost = piece.what == What::Readable && only_summaries(by) && !understands(case.target, by, None);
        lost.then_some(None)
    })
}

fn server_results(case: &Case<'_>) -> Found {
    let plain = |name: &str| name.replace('-', "_");
    sum(case, |piece, by| {
        let What::ServerResult(tool) = &piece.what else { return None };
        let same = by.origin.provider.as_ref() == Some(&case.target.provider);
        let runs = case.target.server_tools.iter().any(|there| plain(there) == plain(tool));
        (!same || !runs).then(|| Some(tool.clone()))
    })
}

fn media(case: &Case<'_>) -> Found {
    sum(case, |piece, _| {
        let What::Media(media) = piece.what else { return None };
        let takes = |there: &String| there == media || (media == "document" && there == "pdf");
        (!case.target.modalities.iter().any(takes)).then(|| Some(media.to_owned()))
    })
}

fn state(case: &Case<'_>) -> Found {
    sum(case, |piece, by| match &piece.what {
        What::State(domain) if !understands(case.target, by, domain.as_ref()) => Some(None),
        _ => None,
    })
}

fn overflow(case: &Case<'_>) -> Found {
    let contents = case.contents;
    match case.target.context_window {
        Some(window) if case.tokens > window => {
            Found { count: contents.messages, characters: contents.characters, ..Found::default() }
        }
        _ => Found::default(),
    }
}

fn unfinished(case: &Case<'_>) -> Found {
    let waiting = &case.contents.waiting;
    Found { count: waiting.len() as u64, characters: waiting.iter().sum(), ..Found::default() }
}

/// The loss table, as it is read.
pub(super) fn sheet() -> Sheet {
    let name = |severity: Severity| match severity {
        Severity::Lossless => "lossless",
        Severity::Lossy => "lossy",
        Severity::Blocking => "blocking",
    };
    let rows = LOSSES.iter().map(|rule| {
        let severity = if rule.severity == rule.with_compaction {
            name(rule.severity).to_owned()
        } else {
            format!("{} ({} when compaction is allowed)", name(rule.severity), name(rule.with_compaction))
        };
        [rule.id, rule.when, &severity, rule.units, rule.avoid, rule.source].map(str::to_owned).to_vec()
    });
    let columns = ["id", "when", "severity", "counted", "what avoids it", "source"];
    Sheet::new("What a model switch may lose", &columns, rows)
}
