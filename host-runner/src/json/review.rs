//! Switch reviews as JSON.

use serde_json::{Value, json};

use super::{list, readable_reasoning};
use crate::contract::switch_review::{
    Endpoint, Extent, Identity, IdentitySource, Loss, LossKind, Oddity, OddityKind, Origin, Report, Severity, Standing,
    TipReasonKind, TipReport, TipState, TokenCount,
};

/// What a switch would lose.
pub fn review(report: &Report) -> Value {
    json!({
        "tip": tip_state(&report.tip),
        "target": endpoint(&report.target),
        "skip": report.skip,
        "severity": report.severity.map(severity),
        "losses": list(&report.losses, loss),
        "truncated": report.truncated,
        "carried": {
            "messages": report.carried.messages,
            "characters": report.carried.characters,
            "tokens": report.carried.tokens,
            "counted": token_count(report.carried.counted),
        },
        "extent": extent(&report.extent),
        "oddities": list(&report.oddities, oddity),
    })
}

/// Who spoke last.
pub fn tip(report: &TipReport) -> Value {
    json!({
        "tip": tip_state(&report.tip),
        "extent": extent(&report.extent),
        "oddities": list(&report.oddities, oddity),
    })
}

fn tip_state(tip: &TipState) -> Value {
    json!({
        "entry": tip.entry.as_ref().map(|entry| json!({"uuid": entry.uuid, "offset": entry.offset, "model": entry.model})),
        "identity": identity(&tip.identity),
        "reasons": list(&tip.reasons, |reason| {
            json!({"kind": tip_reason(reason.kind), "uuid": reason.uuid, "text": reason.text})
        }),
        "truncated": tip.truncated,
    })
}

fn identity(identity: &Identity) -> Value {
    json!({
        "origin": origin(&identity.origin),
        "source": identity_source(identity.source),
        "standing": standing(identity.standing),
        "endpoint": identity.endpoint.as_ref().map(endpoint),
    })
}

fn origin(origin: &Origin) -> Value {
    json!({"provider": origin.provider, "model": origin.model, "protocol": origin.protocol, "family": origin.family})
}

fn endpoint(endpoint: &Endpoint) -> Value {
    json!({
        "provider": endpoint.provider,
        "model": endpoint.model,
        "family": endpoint.family,
        "protocol": endpoint.protocol,
        "readable-reasoning": readable_reasoning(endpoint.readable_reasoning),
        "opaque-states": endpoint.opaque_states,
        "modalities": endpoint.modalities,
        "server-tools": endpoint.server_tools,
        "context-window": endpoint.context_window,
    })
}

fn loss(loss: &Loss) -> Value {
    json!({
        "kind": loss_kind(loss.kind),
        "severity": severity(loss.severity),
        "count": loss.count,
        "characters": loss.characters,
        "names": loss.names,
    })
}

fn extent(extent: &Extent) -> Value {
    json!({"file-length": extent.file_length, "read": extent.read, "entries": extent.entries, "reachable": extent.reachable})
}

fn oddity(oddity: &Oddity) -> Value {
    json!({"kind": oddity_kind(oddity.kind), "count": oddity.count})
}

/// How bad it is.
fn severity(value: Severity) -> &'static str {
    match value {
        Severity::Lossless => "lossless",
        Severity::Lossy => "lossy",
        Severity::Blocking => "blocking",
    }
}

/// What is lost.
fn loss_kind(value: LossKind) -> &'static str {
    match value {
        LossKind::ReasoningOpaque => "reasoning-opaque",
        LossKind::ReasoningSummaryOnly => "reasoning-summary-only",
        LossKind::ServerToolResults => "server-tool-results",
        LossKind::Modality => "modality",
        LossKind::ProviderState => "provider-state",
        LossKind::ContextOverflow => "context-overflow",
        LossKind::UnfinishedToolCall => "unfinished-tool-call",
    }
}

/// Where an identity is from.
fn identity_source(value: IdentitySource) -> &'static str {
    match value {
        IdentitySource::Sidecar => "sidecar",
        IdentitySource::Entry => "entry",
        IdentitySource::Persisted => "persisted",
        IdentitySource::Nothing => "nothing",
    }
}

/// What an identity is worth.
fn standing(value: Standing) -> &'static str {
    match value {
        Standing::Catalog => "catalog",
        Standing::OfficialRecord => "official-record",
        Standing::FamilyOnly => "family-only",
        Standing::Unknown => "unknown",
    }
}

/// How tokens were counted.
fn token_count(value: TokenCount) -> &'static str {
    match value {
        TokenCount::Usage => "usage",
        TokenCount::Estimate => "estimate",
    }
}

/// What a step towards the tip was.
fn tip_reason(value: TipReasonKind) -> &'static str {
    match value {
        TipReasonKind::Leaf => "leaf",
        TipReasonKind::NoMessages => "no-messages",
        TipReasonKind::ErrorResidue => "error-residue",
        TipReasonKind::BeforeCompaction => "before-compaction",
        TipReasonKind::Reply => "reply",
        TipReasonKind::NoReply => "no-reply",
        TipReasonKind::Unread => "unread",
        TipReasonKind::NamedBy => "named-by",
        TipReasonKind::OffCatalog => "off-catalog",
    }
}

/// Something odd that was survived.
fn oddity_kind(value: OddityKind) -> &'static str {
    match value {
        OddityKind::TornTail => "torn-tail",
        OddityKind::NoFinalNewline => "no-final-newline",
        OddityKind::Malformed => "malformed",
        OddityKind::Salvaged => "salvaged",
        OddityKind::NotAnObject => "not-an-object",
        OddityKind::UnknownType => "unknown-type",
        OddityKind::OddShape => "odd-shape",
        OddityKind::BadUtf8 => "bad-utf8",
        OddityKind::LoneSurrogate => "lone-surrogate",
        OddityKind::ByteOrderMark => "byte-order-mark",
        OddityKind::NulBytes => "nul-bytes",
        OddityKind::LongLine => "long-line",
        OddityKind::DuplicateUuid => "duplicate-uuid",
        OddityKind::DifferingParent => "differing-parent",
        OddityKind::SelfParent => "self-parent",
        OddityKind::Cycle => "cycle",
        OddityKind::MissingParent => "missing-parent",
        OddityKind::MissingPreserved => "missing-preserved",
        OddityKind::Sidechain => "sidechain",
        OddityKind::ErrorResidue => "error-residue",
        OddityKind::OrphanToolResult => "orphan-tool-result",
        OddityKind::CallWithoutResult => "call-without-result",
        OddityKind::UnknownContent => "unknown-content",
    }
}
