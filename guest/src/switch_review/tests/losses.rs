use super::super::*;
use super::*;
use crate::testing::test;
use serde_json::json;

fn thinking(signature: &str) -> Value {
    json!([{"type": "thinking", "thinking": "abc", "signature": signature}, {"type": "text", "text": "Hello."}])
}

#[test]
fn the_table_has_a_row_for_each_loss_in_order() {
    for (at, rule) in LOSSES.iter().enumerate() {
        assert_eq!(rule.kind as usize, at);
        assert_eq!(serde_json::to_value(rule.kind).unwrap(), json!(rule.id));
        assert!(!rule.when.is_empty() && !rule.avoid.is_empty() && !rule.source.is_empty());
    }
    assert_eq!(sheets()[0].rows.len(), LOSSES.len());
    for kind in OddityKind::ALL {
        assert_eq!(serde_json::to_value(kind).unwrap(), json!(kind.id()));
    }
}

#[test]
fn lossless() {
    let review = scene(&[user("u", "", "Hi."), reply("a", "u", "Hello.")]).review("zai/glm-5");
    assert_eq!((review.severity, review.truncated, review.skip), (Some(Severity::Lossless), false, false));
    assert_eq!((review.carried.messages, review.carried.characters), (2, 9));
}

#[test]
fn reasoning_opaque() {
    let redacted = json!([{"type": "redacted_thinking", "data": "12345"}]);
    let scene = scene(&[user("u", "", "Hi."), reply("a", "u", thinking("sig")), reply("b", "a", redacted)]);
    let review = scene.review("zai/glm-5");
    assert_eq!(kinds(&review), ["reasoning-opaque"]);
    assert_eq!((review.losses[0].count, review.losses[0].characters), (2, 11));
    assert_eq!(review.severity, Some(Severity::Lossy));
    // Unsigned reasoning is text that anybody may read.
    assert_eq!(kinds(&super::scene(&[reply("a", "", thinking(""))]).review("zai/glm-5")), [""; 0]);
}

/// The same model behind another provider does not read what this one signed.
#[test]
fn reasoning_opaque_for_the_same_model_elsewhere() {
    let review = scene(&[reply("a", "", thinking("sig"))]).review("bedrock/claude-opus-5");
    assert!(!review.skip);
    assert_eq!(kinds(&review), ["reasoning-opaque"]);
}

#[test]
fn reasoning_is_kept_where_the_target_reads_that_state() {
    // What stands in context is by GPT, but the tip is not: going back to GPT loses none of it.
    let rows = [by(reply("a", "", thinking("sig")), "gpt-6"), reply("b", "a", "Hello.")];
    let scene = scene(&rows).with_sidecar(&[stamp("a", "openai", "gpt-6", "gpt")]);
    assert_eq!(kinds(&scene.review("openai/gpt-6")), [""; 0]);
    assert_eq!(kinds(&scene.review("zai/glm-5")), ["reasoning-opaque", "reasoning-summary-only"]);
}

#[test]
fn reasoning_summary_only() {
    let mut scene = scene(&[by(reply("a", "", json!([{"type": "thinking", "thinking": "abc"}])), "gpt-6")]);
    scene.persisted.origin = Origin::from_tag("openai/gpt-6").unwrap();
    let review = scene.review("zai/glm-5");
    assert_eq!(kinds(&review), ["reasoning-summary-only"]);
    assert_eq!((review.losses[0].count, review.losses[0].characters), (1, 3));
}

#[test]
fn server_tool_results() {
    let blocks = json!([
        {"type": "server_tool_use", "id": "x", "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": "x", "content": "12345678"},
        {"type": "text", "text": "Found."},
    ]);
    let scene = scene(&[reply("a", "", blocks)]);
    let review = scene.review("zai/glm-5");
    assert_eq!(kinds(&review), ["server-tool-results"]);
    assert_eq!(review.losses[0].names, ["web_search"]);
    assert_eq!((review.losses[0].count, review.losses[0].characters), (1, 8));
    // The tool runs there too, at another provider.
    assert_eq!(kinds(&scene.review("openai/gpt-6")), ["server-tool-results"]);
}

#[test]
fn modality() {
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}});
    let inside = json!([{"type": "tool_result", "tool_use_id": "t", "content": [
        image, {"type": "document", "source": {"data": "BB"}}, {"type": "text", "text": "x"}]}]);
    let rows = [user("u", "", json!([image])), reply("a", "u", call("t")), user("r", "a", inside)];
    let review = scene(&rows).review("zai/glm-5");
    assert_eq!(kinds(&review), ["modality"]);
    assert_eq!(review.losses[0].names, ["document", "image"]);
    assert_eq!((review.losses[0].count, review.losses[0].characters), (3, 10));
    assert_eq!(kinds(&scene(&rows).review("openai/gpt-6")), [""; 0]);
}

#[test]
fn provider_state() {
    let state = |domain: &str| {
        let mut record = stamp("a", "openai", "gpt-6", "gpt");
        record["kind"] = json!("native-state");
        record["continuationDomain"] = json!(domain);
        record["payload"] = json!({"items": [1]});
        record
    };
    let rows = [by(reply("a", "", "Hello."), "gpt-6"), reply("b", "a", "Hi.")];
    let scene = scene(&rows).with_sidecar(&[stamp("a", "openai", "gpt-6", "gpt"), state("openai-gpt"), state("other")]);
    let review = scene.review("zai/glm-5");
    assert_eq!(kinds(&review), ["provider-state"]);
    assert_eq!((review.losses[0].count, review.losses[0].characters), (2, 26));
    // State of an entry that is not in context is nobody's.
    let elsewhere = super::scene(&rows).with_sidecar(&[with(state("x"), "anchorUuid", "gone")]);
    assert_eq!(kinds(&elsewhere.review("zai/glm-5")), [""; 0]);
}

#[test]
fn context_overflow() {
    let mut scene = scene(&[user("u", "", "x".repeat(5_000)), reply("a", "u", "Hello.")]);
    let review = scene.review("zai/glm-5-air");
    assert_eq!(kinds(&review), ["context-overflow"]);
    assert_eq!((review.severity, review.carried.tokens), (Some(Severity::Blocking), 1_252));
    assert_eq!(kinds(&scene.review("zai/glm-5")), [""; 0]);
    scene.compaction = Compaction::Allowed;
    assert_eq!(scene.review("zai/glm-5-air").severity, Some(Severity::Lossy));
}

#[test]
fn context_overflow_by_what_the_endpoint_counted() {
    let mut tip = reply("a", "u", "Hello.");
    tip["message"]["usage"] = json!({"input_tokens": 5, "cache_read_input_tokens": 900, "output_tokens": 90});
    let review = scene(&[user("u", "", "x"), tip, user("v", "a", "x".repeat(40))]).review("zai/glm-5-air");
    assert_eq!(review.carried.counted, TokenCount::Usage);
    assert_eq!((review.carried.tokens, kinds(&review)), (1_005, vec!["context-overflow"]));
}

#[test]
fn unfinished_tool_call() {
    let rows = [user("u", "", "Hi."), part("a", "u", "m", call("t1")), part("b", "a", "m", call("t2"))];
    let review = scene(&rows).review("zai/glm-5");
    assert_eq!(kinds(&review), ["unfinished-tool-call"]);
    assert_eq!((review.severity, review.losses[0].count), (Some(Severity::Blocking), 2));
    let mut rows = rows.to_vec();
    rows.push(user("r1", "a", result("t1", "x")));
    assert_eq!(scene(&rows).review("zai/glm-5").losses[0].count, 1);
    rows.push(user("r2", "b", result("t2", "x")));
    assert_eq!(kinds(&scene(&rows).review("zai/glm-5")), [""; 0]);
}

/// A process that was killed during a call leaves one that nobody will ever answer.
#[test]
fn unfinished_only_at_the_tip() {
    let rows = [reply("a", "", call("t")), user("u", "a", "Go on."), reply("b", "u", "Fine.")];
    let scene = scene(&rows);
    assert_eq!(kinds(&scene.review("zai/glm-5")), [""; 0]);
    assert_eq!(scene.odd(OddityKind::CallWithoutResult), 1);
    // The same before the model has spoken again.
    let scene = super::scene(&rows[..2]);
    assert_eq!(kinds(&scene.review("zai/glm-5")), [""; 0]);
    assert_eq!(scene.odd(OddityKind::CallWithoutResult), 1);
}

#[test]
fn same_profile_is_skipped() {
    let scene = scene(&[reply("a", "", thinking("sig")), reply("b", "a", call("t"))]);
    let review = scene.review("anthropic/claude-sonnet-5");
    assert!(review.skip && review.losses.is_empty() && review.severity.is_none());
}

#[test]
fn not_in_the_runtime_directory() {
    let scene = scene(&[]);
    let reading = Reading { session: "other", ..scene.reading(&[]) };
    let target = Origin::from_tag("zai/glm-5").unwrap();
    let error = review(&reading, &target, Compaction::Refused, &scene.directory(), &catalog()[..]).unwrap_err();
    assert_eq!(error.to_string(), "session `other` is not in the runtime directory");
    assert_eq!(error.code(), "not-in-runtime-directory");
    assert!(tip(&reading, &scene.directory(), &catalog()[..]).is_err());
}

#[test]
fn unknown_target_and_a_tail_that_is_none() {
    let scene = scene(&[]);
    let target = Origin { model: OPUS.to_owned(), ..Origin::default() };
    let refused = |reading: &Reading<'_>, target: &Origin| {
        review(reading, target, Compaction::Refused, &scene.directory(), &catalog()[..]).unwrap_err().code()
    };
    assert_eq!(refused(&scene.reading(&[]), &target), "unknown-target");
    assert_eq!(refused(&scene.reading(b"x"), &target), "tail-too-long");
}
