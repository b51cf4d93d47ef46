//! Switch reviews of transcripts that the public program wrote: the same family, another one, a smaller window.

use winter_runner::contract::catalog::Document;
use winter_runner::contract::switch_review::{LossKind, Origin, PersistedSelection, Report, Severity};
use winter_runner::{Config, Runner, Transcript};

use crate::transcripts::{Kind, Made, make};

const OPUS: &str = "anthropic/claude-opus-5";
const GPT: &str = "openai/gpt-5.6";

/// A model of another family that takes texts alone and holds next to nothing.
const SMALL: &str = r#"{"models":[{"provider":"mine","model":"small","canonical-model":"small","family":"tiny",
    "protocol":"openai-chat-completions","auth-views":["none-needed"],"context-window":4,
    "capabilities":{"modalities":["text"],"readable-reasoning":"none","opaque-reasoning":[],"server-tools":[]},
    "facts":[]}]}"#;

fn origin(tag: &str) -> Origin {
    let (provider, model) = tag.split_once('/').expect("a tag");
    Origin { provider: Some(provider.into()), model: model.into(), protocol: None, family: None }
}

/// Reviews a transcript for a target; the session's record names `anthropic/claude-opus-5`.
fn review(made: &Made, to: &str, allow_compaction: bool) -> Report {
    let runner = Runner::new(Config::default()).unwrap();
    let listed = PersistedSelection { runtime: None, origin: origin(OPUS) };
    let documents = [Document { name: "small.json".into(), text: SMALL.into() }];
    let transcript = Transcript::new(&made.path);
    let report = runner.review_switch(&transcript, Some(&listed), &origin(to), allow_compaction, &documents).unwrap();
    assert!(!report.truncated, "{:?}", report.summary);
    report
}

fn kinds(report: &Report) -> Vec<LossKind> {
    report.losses.iter().map(|loss| loss.kind).collect()
}

fn count(report: &Report, kind: LossKind) -> u64 {
    report.losses.iter().find(|loss| loss.kind == kind).map_or(0, |loss| loss.count)
}

#[test]
fn a_plain_talk_loses_nothing_and_the_same_family_asks_nothing() {
    let Some(made) = make(Kind::Plain) else { return };
    let same = review(&made, OPUS, true);
    assert!(same.skip && same.severity.is_none(), "{:?}", same.summary);
    let other = review(&made, GPT, true);
    assert_eq!(other.severity, Some(Severity::Lossless), "{:?}", other.summary);
    assert!(other.carried.messages >= 2, "{:?}", other.carried);
}

#[test]
fn what_does_not_fit_is_compacted_or_blocks() {
    let Some(made) = make(Kind::Plain) else { return };
    let compacted = review(&made, "mine/small", true);
    assert_eq!(kinds(&compacted), [LossKind::ContextOverflow], "{:?}", compacted.summary);
    assert_eq!(compacted.severity, Some(Severity::Lossy));
    assert_eq!(review(&made, "mine/small", false).severity, Some(Severity::Blocking));
}

#[test]
fn signed_reasoning_is_lost_to_another_family() {
    for kind in [Kind::Thinking, Kind::Redacted] {
        let Some(made) = make(kind) else { return };
        let report = review(&made, GPT, true);
        assert!(count(&report, LossKind::ReasoningOpaque) >= 1, "{:?}", report.summary);
        assert_eq!(report.severity, Some(Severity::Lossy));
        assert!(review(&made, OPUS, true).skip);
    }
}

#[test]
fn images_are_lost_to_a_model_that_takes_texts_alone() {
    for kind in [Kind::ImageGiven, Kind::ImageRead] {
        let Some(made) = make(kind) else { return };
        let report = review(&made, "mine/small", true);
        assert_eq!(count(&report, LossKind::Modality), 1, "{:?}", report.summary);
        assert_eq!(count(&review(&made, GPT, true), LossKind::Modality), 0);
    }
}

#[test]
fn parallel_calls_are_settled_although_their_rows_lie_beside_the_chain() {
    let Some(made) = make(Kind::Parallel) else { return };
    let report = review(&made, GPT, true);
    assert_eq!(count(&report, LossKind::UnfinishedToolCall), 0, "{:?}", report.summary);
    // The prompt, the one message with its calls, three results and the answer: none is left out for lying beside the chain.
    assert_eq!(report.carried.messages, 6, "{:?} {:?}", report.carried, report.extent);
}

#[test]
fn after_a_full_window_the_prompt_that_was_kept_is_carried() {
    let Some(made) = make(Kind::AutoCompacted) else { return };
    let report = review(&made, GPT, true);
    // The summary, the last answer and the new prompt that were kept, and the answer to it.
    assert_eq!(report.carried.messages, 4, "{:?} {:?}", report.carried, report.extent);
}

#[test]
fn a_failed_request_is_passed_over() {
    let Some(made) = make(Kind::FailedAndResumed) else { return };
    let report = review(&made, OPUS, true);
    assert!(report.skip, "{:?}", report.summary);
    let model = report.tip.entry.and_then(|entry| entry.model);
    assert!(model.is_some_and(|model| model != "<synthetic>"));
}

#[test]
fn results_of_the_providers_own_tools_are_lost() {
    let Some(made) = make(Kind::ServerTool) else { return };
    let report = review(&made, "mine/small", true);
    assert!(count(&report, LossKind::ServerToolResults) >= 1, "{:?}", report.summary);
}

#[test]
fn a_subagents_talk_is_not_the_sessions_own() {
    let Some(made) = make(Kind::Subagent) else { return };
    let report = review(&made, GPT, true);
    assert_eq!(count(&report, LossKind::UnfinishedToolCall), 0, "{:?}", report.summary);
    assert!(review(&made, OPUS, true).skip);
}

#[test]
fn after_a_compaction_only_what_it_kept_is_carried() {
    let Some(made) = make(Kind::CompactedAndResumed) else { return };
    let report = review(&made, GPT, true);
    assert!(report.extent.reachable < report.extent.entries, "{:?}", report.extent);
    assert!(review(&made, OPUS, true).skip);
}

#[test]
fn a_call_that_was_killed_waits_no_more_once_the_session_went_on() {
    let Some(made) = make(Kind::Killed) else { return };
    let waiting = review(&made, GPT, true);
    assert_eq!(count(&waiting, LossKind::UnfinishedToolCall), 1, "{:?}", waiting.summary);
    assert_eq!(waiting.severity, Some(Severity::Blocking));
    let Some(made) = make(Kind::KilledAndResumed) else { return };
    assert_eq!(count(&review(&made, GPT, true), LossKind::UnfinishedToolCall), 0);
}

#[test]
fn the_tip_names_the_model_that_spoke_last() {
    let Some(made) = make(Kind::ModelChanged) else { return };
    let runner = Runner::new(Config::default()).unwrap();
    let listed = PersistedSelection { runtime: None, origin: origin(GPT) };
    let report = runner.tip(&Transcript::new(&made.path), Some(&listed), &[]).unwrap();
    let spoke = report.tip.entry.and_then(|entry| entry.model).expect("a reply");
    assert_eq!(report.tip.identity.origin.model, spoke, "{:?}", report.summary);
    assert!(spoke.starts_with("claude-"), "the record, which names another, is stale: {spoke}");
}
