//! What the reviews of model switches and the recovery rely on, as the program really writes it.
//!
//! Everything here was seen with the program 2.1.250 (package 0.3.250). A test that fails after a newer one was put in
//! its place says which reading of a transcript has to be looked at again.

use std::collections::HashSet;

use serde_json::{Value, json};
use winter_tests::agent::{Reply, in_order};

use crate::transcripts::{Kind, Made, PDF, RED_PNG, make, rows};

const ASKED: &str = "claude-opus-5";

/// The rows of a new transcript of this kind, and what it came with.
fn made(kind: Kind) -> Option<(Made, Vec<Value>)> {
    let made = make(kind)?;
    let rows = rows(&made.path);
    Some((made, rows))
}

/// The rows of the lineage, from its first to the tip: the last row of the file that has a place in the conversation.
fn lineage(rows: &[Value]) -> Vec<&Value> {
    let mut line = Vec::new();
    let mut at = rows.iter().rfind(|row| row["uuid"].is_string());
    while let Some(row) = at {
        line.push(row);
        at = by_uuid(rows, &row["parentUuid"]);
    }
    line.reverse();
    line
}

fn by_uuid<'a>(rows: &'a [Value], uuid: &Value) -> Option<&'a Value> {
    rows.iter().find(|row| row["uuid"].is_string() && row["uuid"] == *uuid)
}

fn of_type<'a>(rows: &'a [Value], kind: &str) -> Vec<&'a Value> {
    rows.iter().filter(|row| row["type"] == kind).collect()
}

/// The type of the only block of a row's message.
fn block<'a>(row: &'a Value, kind: &str) -> &'a Value {
    let [block] = row["message"]["content"].as_array().unwrap().as_slice() else { panic!("one block a row: {row:#}") };
    assert_eq!(block["type"], kind, "{row:#}");
    block
}

/// The texts of a request's messages, one after another, without what the program adds around them.
fn said(request: &Value) -> Vec<String> {
    let messages = request["messages"].as_array().unwrap().iter().filter(|message| message["role"] != "system");
    let texts = messages.flat_map(|message| match &message["content"] {
        Value::String(text) => vec![text.as_str()],
        content => content.as_array().unwrap().iter().filter_map(|block| block["text"].as_str()).collect(),
    });
    texts.filter(|text| !text.starts_with("<system-reminder>")).map(|text| text.trim().to_owned()).collect()
}

#[test]
fn a_plain_turn() {
    let Some((made, rows)) = made(Kind::Plain) else { return };
    let kinds: HashSet<&str> = rows.iter().map(|row| row["type"].as_str().unwrap()).collect();
    // Rows without a uuid are bookkeeping; attachments are links of the chain without being messages.
    let expected = ["assistant", "atis-latch", "attachment", "last-prompt", "queue-operation", "user"];
    assert_eq!(kinds, HashSet::from(expected));
    for row in &rows {
        let linked = matches!(row["type"].as_str(), Some("assistant" | "attachment" | "user"));
        assert_eq!(row["uuid"].is_string(), linked, "{row:#}");
        assert_eq!(row["sessionId"], made.session.as_str());
        if linked {
            assert_eq!(row["isSidechain"], false);
            assert_eq!(row["version"], "2.1.250");
            assert_eq!(row["cwd"], made.agent.work().to_str().unwrap());
        }
    }
    let line = lineage(&rows);
    assert_eq!(line.len(), rows.iter().filter(|row| row["uuid"].is_string()).count());
    assert_eq!((&line[0]["parentUuid"], &line[0]["message"]["content"]), (&Value::Null, &json!("hi")));
    let answer = line.last().unwrap();
    assert_eq!((&answer["message"]["model"], &answer["message"]["stop_reason"]), (&json!(ASKED), &json!("end_turn")));
    assert_eq!(block(answer, "text")["text"], "hello");
    // The one row that names the tip; it may stand before the row that it names.
    assert_eq!(of_type(&rows, "last-prompt")[0]["leafUuid"], answer["uuid"]);
}

#[test]
fn reasoning_has_a_row_of_its_own() {
    for (kind, expected) in [
        (Kind::Thinking, json!({"type": "thinking", "thinking": "let me see", "signature": "c2lnbmVk"})),
        (Kind::Redacted, json!({"type": "redacted_thinking", "data": "b3BhcXVl"})),
    ] {
        let Some((made, rows)) = made(kind) else { return };
        let [reasoning, text] = of_type(&rows, "assistant").try_into().expect("two rows");
        assert_eq!(*block(reasoning, expected["type"].as_str().unwrap()), expected);
        assert_eq!(block(text, "text")["text"], "hello");
        assert_eq!(text["parentUuid"], reasoning["uuid"]);
        // One message in two rows: they share its id, and both have its stop reason.
        assert_eq!(text["message"]["id"], reasoning["message"]["id"]);
        assert_eq!(reasoning["message"]["stop_reason"], "end_turn");
        // No option asks for it: the program takes reasoning wherever the model gives it.
        assert_eq!(made.agent.server().turns()[0]["thinking"]["type"], "adaptive");
    }
}

#[test]
fn parallel_calls_are_one_message_and_leave_the_lineage() {
    let Some((made, rows)) = made(Kind::Parallel) else { return };
    let assistant = of_type(&rows, "assistant");
    let [text, first, slow, last, end] = assistant.try_into().expect("five rows");
    block(text, "text");
    // A row for each block, chained in order, all of one message id.
    for (before, row) in [(text, first), (first, slow), (slow, last)] {
        block(row, "tool_use");
        assert_eq!((&row["parentUuid"], &row["message"]["id"]), (&before["uuid"], &text["message"]["id"]));
    }
    assert_ne!(end["message"]["id"], text["message"]["id"]);
    // A result hangs off the row of its call and stands in the order of arrival: the slow one last.
    let users = of_type(&rows, "user");
    let [of_first, of_slow, of_last] = [first, slow, last].map(|call| {
        let result = *users.iter().find(|row| row["sourceToolAssistantUUID"] == call["uuid"]).expect("a result");
        assert_eq!(result["parentUuid"], call["uuid"]);
        assert_eq!(block(result, "tool_result")["tool_use_id"], block(call, "tool_use")["id"]);
        result
    });
    assert_eq!(users.last().unwrap()["uuid"], of_slow["uuid"]);
    // The chain goes on from the result that came last. What came before it, and even a later call of the same message,
    // are on no line from the tip: who walks parents alone loses them, although the model is still sent all of it.
    let line = lineage(&rows);
    let on = |row: &Value| line.iter().any(|one| one["uuid"] == row["uuid"]);
    assert_eq!(
        [first, slow, last, of_first, of_slow, of_last, end].map(on),
        [true, true, false, false, true, false, true]
    );
    let sent = made.agent.server().turns().pop().unwrap()["messages"].to_string();
    let ids = [first, slow, last].map(|row| block(row, "tool_use")["id"].as_str().unwrap());
    assert!(ids.iter().all(|id| sent.contains(&format!("\"tool_use_id\":\"{id}\""))), "{sent}");
}

#[test]
fn images_stand_in_the_message_that_brought_them() {
    let source = json!({"type": "base64", "media_type": "image/png", "data": RED_PNG});
    let Some((_, rows)) = made(Kind::ImageGiven) else { return };
    let content = &of_type(&rows, "user")[0]["message"]["content"];
    assert_eq!((&content[0]["type"], &content[0]["source"]), (&json!("image"), &source));
    assert_eq!(content[1]["text"], "what is it");

    let (_, rows) = made(Kind::DocumentGiven).expect("the program is here");
    let content = &of_type(&rows, "user")[0]["message"]["content"];
    assert_eq!((&content[0]["type"], &content[0]["source"]["data"]), (&json!("document"), &json!(PDF)));

    let (_, rows) = made(Kind::ImageRead).expect("the program is here");
    let result = of_type(&rows, "user")[1];
    let content = &block(result, "tool_result")["content"];
    assert_eq!((&content[0]["type"], &content[0]["source"]), (&json!("image"), &source));
    // The bytes stand in the row twice: for the model, and beside the message as what the tool gave.
    assert_eq!(result["toolUseResult"]["file"]["base64"], RED_PNG);
}

#[test]
fn an_error_is_a_synthetic_row_at_the_tip() {
    for (status, error) in [(400, "unknown"), (429, "rate_limit"), (500, "server_error"), (529, "server_error")] {
        let Some((made, rows)) = made(Kind::Failed(status)) else { return };
        let line = lineage(&rows);
        let tip = line.last().unwrap();
        assert_eq!(tip["type"], "assistant");
        assert_eq!((&tip["isApiErrorMessage"], &tip["apiErrorStatus"]), (&json!(true), &json!(status)));
        assert_eq!((&tip["message"]["model"], &tip["error"]), (&json!("<synthetic>"), &json!(error)));
        assert!(block(tip, "text")["text"].as_str().unwrap().contains("as scripted"));
        let real = line.iter().rfind(|row| row["type"] == "assistant" && row["isApiErrorMessage"].is_null()).unwrap();
        assert_eq!(real["message"]["model"], ASKED);
        // A 400 is asked once more by itself, the others are not when retries are off.
        assert_eq!(made.agent.server().turns().len(), if status == 400 { 3 } else { 2 });
    }
}

#[test]
fn an_error_stays_on_the_lineage_of_what_follows() {
    let Some((made, rows)) = made(Kind::FailedAndResumed) else { return };
    let line = lineage(&rows);
    let answers = line.iter().filter(|row| row["type"] == "assistant");
    let answers: Vec<_> = answers.map(|row| (&row["message"]["model"], &row["isApiErrorMessage"])).collect();
    // The error, and then the exchange with which a resume closes what no model answered.
    let (synthetic, none) = (&json!("<synthetic>"), &Value::Null);
    let expected =
        [(&json!(ASKED), none), (synthetic, &json!(true)), (synthetic, &json!(false)), (&json!(ASKED), none)];
    assert_eq!(answers, expected);
    // The model is not told of the error.
    let sent = said(made.agent.server().turns().last().unwrap());
    assert!(!sent.iter().any(|text| text.contains("as scripted")), "{sent:?}");
}

#[test]
fn the_providers_own_tools_stand_in_the_answer() {
    let Some((made, rows)) = made(Kind::ServerTool) else { return };
    let [call, result, text] = of_type(&rows, "assistant").try_into().expect("three rows");
    assert_eq!(block(call, "server_tool_use")["input"], json!({"query": "a page"}));
    assert_eq!(block(result, "web_search_tool_result")["tool_use_id"], block(call, "server_tool_use")["id"]);
    assert_eq!(block(result, "web_search_tool_result")["content"][0]["encrypted_content"], "b3BhcXVl");
    assert_eq!((&result["message"]["id"], &text["message"]["id"]), (&call["message"]["id"], &call["message"]["id"]));
    // No row of the user's answers such a call.
    assert_eq!(of_type(&rows, "user").len(), 1);
    assert_eq!(made.agent.server().turns().len(), 1);
}

#[test]
fn a_subagent_writes_into_a_file_of_its_own() {
    for kind in [Kind::Subagent, Kind::Background] {
        let Some((made, rows)) = made(kind) else { return };
        assert!(rows.iter().all(|row| row["isSidechain"] != true), "{kind:?}: the session's own file holds none of it");
        let result =
            of_type(&rows, "user").into_iter().find(|row| row["toolUseResult"]["agentId"].is_string()).unwrap();
        let id = result["toolUseResult"]["agentId"].as_str().unwrap();
        let status = if kind == Kind::Subagent { "completed" } else { "async_launched" };
        assert_eq!(result["toolUseResult"]["status"], status);

        let folder = made.path.with_extension("").join("subagents");
        let side = crate::transcripts::rows(&folder.join(format!("agent-{id}.jsonl")));
        for row in side.iter().filter(|row| row["uuid"].is_string()) {
            assert_eq!((&row["isSidechain"], &row["agentId"]), (&json!(true), &json!(id)));
            assert_eq!(row["sessionId"], made.session.as_str());
            // A chain of its own, that is not tied to the session's.
            assert!(row["parentUuid"].is_null() || by_uuid(&side, &row["parentUuid"]).is_some());
        }
        let meta = std::fs::read(folder.join(format!("agent-{id}.meta.json"))).unwrap();
        let meta: Value = serde_json::from_slice(&meta).unwrap();
        assert_eq!((&meta["agentType"], &meta["spawnDepth"]), (&json!("general-purpose"), &json!(1)));
        let call = of_type(&rows, "assistant")[0];
        assert_eq!(meta["toolUseId"], block(call, "tool_use")["id"]);
        // Its end comes into the session as the result of the call, or as a user's row that names its origin.
        let told = rows.iter().any(|row| row["origin"]["kind"] == "task-notification");
        assert_eq!(told, kind == Kind::Background);
    }
}

/// The boundary row, after what holds of it however it came about.
fn boundary<'a>(rows: &'a [Value], trigger: &str) -> &'a Value {
    let [boundary] = of_type(rows, "system").try_into().expect("one system row");
    assert_eq!((&boundary["subtype"], &boundary["parentUuid"]), (&json!("compact_boundary"), &Value::Null));
    let meta = &boundary["compactMetadata"];
    assert_eq!(meta["trigger"], trigger);
    assert!(meta["preTokens"].is_u64() && meta["postTokens"].is_u64() && meta["cumulativeDroppedTokens"].is_u64());
    // What was kept is named by uuid, all of it before the boundary; it is to stand after the anchor, the summary.
    let kept = meta["preservedMessages"]["uuids"].as_array().unwrap();
    assert_eq!(meta["preservedMessages"]["allUuids"], meta["preservedMessages"]["uuids"]);
    let at = |uuid: &Value| rows.iter().position(|row| row["uuid"] == *uuid).expect("a row of this file");
    assert!(kept.iter().all(|uuid| at(uuid) < at(&boundary["uuid"])));
    let anchor = &meta["preservedMessages"]["anchorUuid"];
    assert_eq!(
        meta["preservedSegment"],
        json!({"headUuid": kept[0], "anchorUuid": anchor, "tailUuid": kept.last().unwrap()})
    );
    let summary = &rows[at(anchor)];
    assert_eq!((&summary["type"], &summary["isCompactSummary"]), (&json!("user"), &json!(true)));
    assert_eq!(summary["parentUuid"], boundary["uuid"]);
    assert!(summary["message"]["content"].as_str().unwrap().contains("the summary"));
    // The old chain goes on by another name only.
    assert_eq!(boundary["logicalParentUuid"], *kept.last().unwrap());
    boundary
}

#[test]
fn a_compaction_by_hand_keeps_the_last_answer() {
    let Some((made, rows)) = made(Kind::Compacted) else { return };
    let kept = &boundary(&rows, "manual")["compactMetadata"]["preservedMessages"]["uuids"];
    let [_, second] = of_type(&rows, "assistant").try_into().expect("two answers");
    assert_eq!(*kept, json!([second["uuid"]]));
    assert!(lineage(&rows).iter().all(|row| row["type"] != "assistant"), "the tip's chain ends at the boundary");
    // The command itself follows as the user's rows: a caveat, the command, what it printed.
    let after = of_type(&rows, "user").into_iter().rev().take(3).map(|row| row["message"]["content"].as_str().unwrap());
    let starts: Vec<&str> = after.map(|text| text.split('>').next().unwrap()).collect();
    assert_eq!(starts, ["<local-command-stdout", "<command-name", "<local-command-caveat"]);
    // The request for the summary is no row.
    assert!(said(&made.agent.server().turns()[2]).last().unwrap().contains("TEXT ONLY"));
}

#[test]
fn after_a_compaction_the_model_is_sent_the_summary_and_what_was_kept() {
    let Some((made, rows)) = made(Kind::CompactedAndResumed) else { return };
    boundary(&rows, "manual");
    let line = lineage(&rows);
    assert_eq!(line[0]["subtype"], "compact_boundary");
    // The resume closes the rows of the command with an exchange that no model took part in; it is no error.
    let answers: Vec<&&Value> = line.iter().filter(|row| row["type"] == "assistant").collect();
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[0]["message"]["model"], "<synthetic>");
    assert_eq!(answers[0]["isApiErrorMessage"], false);
    assert_eq!(block(answers[1], "text")["text"], "three");
    let sent = said(made.agent.server().turns().last().unwrap());
    let order = ["the summary", "two", "third"].map(|text| sent.iter().position(|one| one.contains(text)));
    assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{sent:?}");
    assert!(!sent.iter().any(|text| text == "first" || text == "one" || text == "second"), "{sent:?}");
}

#[test]
fn a_full_window_is_compacted_before_the_next_turn() {
    let Some((_, rows)) = made(Kind::AutoCompacted) else { return };
    let boundary = boundary(&rows, "auto");
    // Kept: the last answer, and the new prompt with what was attached to it.
    let kept = boundary["compactMetadata"]["preservedMessages"]["uuids"].as_array().unwrap();
    let kept: Vec<&Value> = kept.iter().map(|uuid| by_uuid(&rows, uuid).unwrap()).collect();
    assert_eq!(kept[0]["message"]["content"][0]["text"], "two");
    assert_eq!(kept[1]["message"]["content"], "third");
    assert!(kept[2..].iter().all(|row| row["type"] == "attachment"));
    // The new prompt may be written a second time under the same uuid, when it was on disk before the compaction was done.
    let written = rows.iter().filter(|row| row["uuid"] == kept[1]["uuid"]).count();
    assert!((1..=2).contains(&written), "{written}");
    // The prompt is not on the tip's chain any more: the answer hangs off the summary.
    let line = lineage(&rows);
    assert_eq!(line.last().unwrap()["message"]["content"][0]["text"], "three");
    assert!(!line.iter().any(|row| row["uuid"] == kept[1]["uuid"]));
}

#[test]
fn a_change_of_model_shows_in_the_answers_alone() {
    let Some((made, rows)) = made(Kind::ModelChanged) else { return };
    let models: Vec<&Value> = of_type(&rows, "assistant").iter().map(|row| &row["message"]["model"]).collect();
    assert_eq!(models, ["claude-sonnet-4-5", ASKED]);
    assert_eq!(lineage(&rows).iter().filter(|row| row["type"] == "assistant").count(), 2);
    assert_eq!(said(made.agent.server().turns().last().unwrap()), ["first", "one", "second"]);
}

#[test]
fn the_row_names_the_model_that_answered_not_the_one_that_was_asked() {
    let Some((made, rows)) = made(Kind::ModelElsewhere) else { return };
    assert_eq!(made.agent.server().turns()[0]["model"], ASKED);
    assert_eq!(of_type(&rows, "assistant")[0]["message"]["model"], "us.anthropic.claude-opus-5-v1:0");
}

#[test]
fn reasoning_is_sent_on_to_its_own_model_alone() {
    for kind in [Kind::Thinking, Kind::Redacted] {
        for (model, kept) in [(ASKED, true), ("claude-sonnet-5", false), ("claude-sonnet-4-5", false)] {
            let Some(made) = make(kind) else { return };
            made.agent.server().script(in_order([Reply::text("two")]));
            let ended = made.agent.turn("second").resume(&made.session).model(model).run().well();
            assert_eq!(ended.result()["result"], "two");
            let sent = made.agent.server().turns().pop().unwrap();
            assert_eq!(sent["model"], model);
            // The program itself leaves out what another model could not check or read.
            let sent = sent["messages"].to_string();
            let reasoning = ["c2lnbmVk", "b3BhcXVl"].iter().any(|opaque| sent.contains(opaque));
            assert_eq!(reasoning, kept, "{kind:?} {model}: {}", &sent[sent.len() - 1000..]);
        }
    }
}

#[test]
fn a_session_that_was_killed_ends_with_its_call() {
    let Some((_, rows)) = made(Kind::Killed) else { return };
    let line = lineage(&rows);
    block(line.last().unwrap(), "tool_use");
    assert!(of_type(&rows, "last-prompt").is_empty());
}

#[test]
fn a_resume_passes_over_the_call_that_never_ended() {
    let Some((made, rows)) = made(Kind::KilledAndResumed) else { return };
    let call = of_type(&rows, "assistant")[0];
    block(call, "tool_use");
    let line = lineage(&rows);
    assert!(!line.iter().any(|row| row["uuid"] == call["uuid"]));
    // The new rows start where the call did, with the same exchange as after a compaction.
    let next = line.iter().find(|row| row["parentUuid"] == call["parentUuid"]).unwrap();
    assert_eq!((&next["type"], &next["isMeta"]), (&json!("user"), &json!(true)));
    let answers: Vec<&Value> =
        line.iter().filter(|row| row["type"] == "assistant").map(|row| &row["message"]["model"]).collect();
    assert_eq!(answers, ["<synthetic>", ASKED]);
    assert!(!made.agent.server().turns().last().unwrap()["messages"].to_string().contains("tool_use"));
}

#[test]
fn a_long_result_stands_in_a_file_beside() {
    let Some((made, rows)) = made(Kind::LongResult) else { return };
    let result = block(of_type(&rows, "user")[1], "tool_result")["content"].as_str().unwrap();
    assert!(result.starts_with("<persisted-output>"));
    let folder = made.path.with_extension("").join("tool-results");
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [file] = files.as_slice() else { panic!("one file: {files:?}") };
    assert!(result.contains(file.to_str().unwrap()));
    assert_eq!(std::fs::read_to_string(file).unwrap().lines().count(), 20_000);
}
