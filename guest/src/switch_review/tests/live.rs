use super::super::*;
use super::*;
use crate::testing::test;
use serde_json::json;

fn boundary(uuid: &str, logical: &str, metadata: impl Into<Value>) -> Value {
    json!({"type": "system", "subtype": "compact_boundary", "uuid": uuid, "parentUuid": null,
        "logicalParentUuid": logical, "content": "Conversation compacted", "compactMetadata": metadata.into()})
}

fn kept(anchor: &str, uuids: &[&str]) -> Value {
    json!({"trigger": "auto", "preTokens": 9, "preservedMessages": {"anchorUuid": anchor, "uuids": uuids}})
}

fn summary_row(uuid: &str, parent: &str) -> Value {
    with(user(uuid, parent, "SUM"), "isCompactSummary", true)
}

fn old() -> Vec<Value> {
    vec![user("u1", "", "12345"), reply("a1", "u1", "1234"), user("u2", "a1", "123"), reply("a2", "u2", "12")]
}

fn carried(rows: &[Value]) -> (u64, u64) {
    let review = scene(rows).review("zai/glm-5");
    assert_eq!(review.severity, Some(Severity::Lossless), "{review:#?}");
    (review.carried.messages, review.carried.characters)
}

#[test]
fn context_begins_after_the_last_compaction() {
    let mut rows = old();
    rows.extend([boundary("c", "a2", json!({})), summary_row("s", "c"), reply("b", "s", "x")]);
    assert_eq!(carried(&rows), (2, 4));
}

#[test]
fn messages_that_the_compaction_kept_are_live() {
    let mut rows = old();
    rows.extend([boundary("c", "a2", kept("s", &["u2", "a2"])), summary_row("s", "c"), reply("b", "s", "x")]);
    assert_eq!(carried(&rows), (4, 9));
}

#[test]
fn the_older_snake_case_is_read_too() {
    let mut rows = old();
    let mut cut = boundary("c", "a2", Value::Null);
    cut["compact_metadata"] = json!({"preserved_messages": {"anchor_uuid": "s", "uuids": ["a2"]}});
    rows.extend([cut, summary_row("s", "c"), reply("b", "s", "x")]);
    assert_eq!(carried(&rows), (3, 6));
}

/// Kept messages are not written again, so what follows may name the last of them as its parent.
#[test]
fn what_hangs_off_a_kept_message_hangs_off_the_compaction() {
    let mut rows = old();
    rows.extend([boundary("c", "a2", kept("s", &["u2", "a2"])), summary_row("s", "c"), user("u3", "a2", "x")]);
    assert_eq!(carried(&rows), (4, 9));
    let tip = scene(&rows).tip_uuid();
    assert_eq!(tip.as_deref(), Some("a2"));
    // The anchor may name a row that is itself among the kept ones.
    rows[4] = boundary("c", "a2", kept("a2", &["u2", "a2"]));
    assert_eq!(carried(&rows), (4, 9));
}

#[test]
fn a_rewind_past_the_compaction_leaves_it_behind() {
    let mut rows = old();
    rows.extend([boundary("c", "a2", kept("s", &["a2"])), summary_row("s", "c"), user("u3", "a1", "x")]);
    assert_eq!(carried(&rows), (3, 10));
}

#[test]
fn the_model_before_a_compaction_is_the_source_until_another_speaks() {
    let mut rows = old();
    rows.extend([boundary("c", "a2", json!({})), summary_row("s", "c")]);
    let report = scene(&rows).tip();
    assert_eq!(report.tip.entry.unwrap().uuid, "a2");
    assert!(report.tip.reasons.iter().any(|reason| reason.kind == TipReasonKind::BeforeCompaction));
    assert_eq!(carried(&rows), (1, 3), "its message is not carried");
}

#[test]
fn missing_preserved() {
    let mut rows = old();
    rows.extend([boundary("c", "a2", kept("s", &["gone", "a2"])), summary_row("s", "c"), reply("b", "s", "x")]);
    assert_eq!(scene(&rows).odd(OddityKind::MissingPreserved), 1);
    assert_eq!(carried(&rows), (3, 6));
}

/// Each block of a reply is a row; the results of parallel calls hang off the row of their call, so that only the last
/// one is on the lineage.
#[test]
fn parallel_tool_calls_are_one_message() {
    let rows = [
        user("u", "", "1"),
        part("a1", "u", "m", "two"),
        part("a2", "a1", "m", call("t1")),
        part("a3", "a1", "m", call("t2")),
        user("r1", "a2", result("t1", "four")),
        user("r2", "a3", result("t2", "fives")),
        reply("b", "r2", "x"),
    ];
    let review = scene(&rows).review("zai/glm-5");
    assert_eq!(review.severity, Some(Severity::Lossless), "{review:#?}");
    assert!(review.oddities.is_empty(), "{review:#?}");
    assert_eq!(review.carried.messages, 5);
    assert_eq!(review.carried.characters, 1 + 3 + 2 * 18 + 4 + 5 + 1);
    assert_eq!((review.extent.reachable, review.extent.entries), (7, 7));
}

#[test]
fn a_prompt_that_was_taken_back_is_not_live() {
    let rows = [reply("a", "", "1"), user("u", "a", "taken back"), user("v", "a", "x")];
    assert_eq!(carried(&rows), (2, 2));
}

#[test]
fn attachments_are_carried() {
    let rows = [
        user("u", "", "1"),
        json!({"type": "attachment", "uuid": "t", "parentUuid": "u", "attachment": {"a": 1}}),
        reply("a", "t", "2"),
    ];
    assert_eq!(carried(&rows), (2, 9));
}
