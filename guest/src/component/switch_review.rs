//! The part of the border that is about a change of the model.

use super::bindings::exports::winter::runtime::{catalog as wit_catalog, switch_review as wit, types as wit_types};
use super::selection::merged;
use super::{Component, all, same, same_record};
use crate::report::Refusal;
use crate::switch_review::{self, Compaction, MemoryDirectory, Reading, Step};

/// The directory that holds what the caller said of this one session.
fn directory(session: &str, listed: Option<wit::PersistedSelection>) -> MemoryDirectory {
    let mut directory = MemoryDirectory::default();
    if let Some(listed) = listed {
        directory.list(session, listed.into());
    }
    directory
}

fn reading(reading: &wit::Reading) -> Reading<'_> {
    Reading {
        session: &reading.session,
        file_length: reading.file_length,
        tail: &reading.tail,
        sidecar: &reading.sidecar,
        budget: reading.budget.unwrap_or(switch_review::DEFAULT_BUDGET),
    }
}

impl wit::Guest for Component {
    fn review(
        read: wit::Reading,
        listed: Option<wit::PersistedSelection>,
        target: wit::Origin,
        allow_compaction: bool,
        documents: Vec<wit_catalog::Document>,
    ) -> Result<wit::ReviewStep, wit_types::Refusal> {
        let catalog = merged(&documents)?;
        let directory = directory(&read.session, listed);
        let compaction = if allow_compaction { Compaction::Allowed } else { Compaction::Refused };
        let step = switch_review::review(&reading(&read), &target.into(), compaction, &directory, &catalog);
        Ok(match step.map_err(Refusal::from)? {
            Step::Answer(review) => {
                let summary = switch_review::summary(&review);
                wit::ReviewStep::Answer(wit::Report {
                    tip: review.tip.into(),
                    target: review.target.into(),
                    skip: review.skip,
                    severity: review.severity.map(Into::into),
                    losses: all(review.losses),
                    truncated: review.truncated,
                    carried: review.carried.into(),
                    extent: review.extent.into(),
                    oddities: all(review.oddities),
                    summary,
                })
            }
            Step::Need(range) => wit::ReviewStep::Need(range.into()),
        })
    }

    fn tip(
        read: wit::Reading,
        listed: Option<wit::PersistedSelection>,
        documents: Vec<wit_catalog::Document>,
    ) -> Result<wit::TipStep, wit_types::Refusal> {
        let catalog = merged(&documents)?;
        let directory = directory(&read.session, listed);
        Ok(match switch_review::tip(&reading(&read), &directory, &catalog).map_err(Refusal::from)? {
            Step::Answer(report) => {
                let summary = switch_review::tip_summary(&report);
                wit::TipStep::Answer(wit::TipReport {
                    tip: report.tip.into(),
                    extent: report.extent.into(),
                    oddities: all(report.oddities),
                    summary,
                })
            }
            Step::Need(range) => wit::TipStep::Need(range.into()),
        })
    }
}

same!(switch_review::ReadableReasoning => wit_catalog::ReadableReasoning { None, Summary, Exposed });
same!(switch_review::IdentitySource => wit::IdentitySource { Sidecar, Entry, Persisted, Nothing });
same!(switch_review::Standing => wit::Standing { Catalog, OfficialRecord, FamilyOnly, Unknown });
same!(switch_review::TipReasonKind => wit::TipReasonKind {
    Leaf, NoMessages, ErrorResidue, BeforeCompaction, Reply, NoReply, Unread, NamedBy, OffCatalog,
});
same!(switch_review::Severity => wit::Severity { Lossless, Lossy, Blocking });
same!(switch_review::LossKind => wit::LossKind {
    ReasoningOpaque, ReasoningSummaryOnly, ServerToolResults, Modality, ProviderState, ContextOverflow, UnfinishedToolCall,
});
same!(switch_review::TokenCount => wit::TokenCount { Usage, Estimate });
same!(switch_review::OddityKind => wit::OddityKind { TornTail, NoFinalNewline, Malformed, Salvaged, NotAnObject, UnknownType, OddShape, BadUtf8, LoneSurrogate, ByteOrderMark, NulBytes, LongLine, DuplicateUuid, DifferingParent, SelfParent, Cycle, MissingParent, MissingPreserved, Sidechain, ErrorResidue, OrphanToolResult, CallWithoutResult, UnknownContent });
same_record!(wit::Origin => switch_review::Origin { provider, model, protocol, family });
same_record!(switch_review::Origin => wit::Origin { provider, model, protocol, family });
same_record!(wit::PersistedSelection => switch_review::PersistedSelection { runtime, origin + into });
same_record!(switch_review::Endpoint => wit::Endpoint {
    provider, model, family, protocol, readable_reasoning + into, opaque_states, modalities, server_tools, context_window,
});
same_record!(switch_review::Range => wit::Range { offset, length });
same_record!(switch_review::Identity => wit::Identity { origin + into, source + into, standing + into, endpoint + option });
same_record!(switch_review::TipReason => wit::TipReason { kind + into, uuid, text });
same_record!(switch_review::TipEntry => wit::TipEntry { uuid, offset, model });
same_record!(switch_review::Tip => wit::TipState { entry + option, identity + into, reasons + all, truncated });
same_record!(switch_review::Extent => wit::Extent { file_length, read, entries, reachable });
same_record!(switch_review::Oddity => wit::Oddity { kind + into, count });
same_record!(switch_review::Loss => wit::Loss { kind + into, severity + into, count, characters, names });
same_record!(switch_review::Carried => wit::Carried { messages, characters, tokens, counted + into });
