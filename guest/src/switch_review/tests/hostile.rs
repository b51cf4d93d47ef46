use super::super::*;
use super::*;
use crate::testing::test;
use serde_json::json;

fn two() -> String {
    lines(&[user("u", "", "1"), reply("a", "u", "2")])
}

#[track_caller]
fn assert_odd(scene: &Scene, tip: &str, kinds: &[(OddityKind, u64)]) {
    let review = scene.review("zai/glm-5");
    let found: Vec<_> = review.oddities.iter().map(|odd| (odd.kind, odd.count)).collect();
    assert_eq!(found, kinds);
    assert_eq!(scene.tip_uuid().unwrap_or_default(), tip);
}

use OddityKind as Odd;

#[test]
fn empty_file() {
    assert_odd(&raw(""), "", &[]);
    assert_eq!(raw("").tip().tip.reasons[0].kind, TipReasonKind::NoMessages);
    assert_odd(&raw("\n\r\n \n"), "", &[]);
}

#[test]
fn torn_tail() {
    assert_odd(&raw(two() + r#"{"type":"user","uuid":"v","par"#), "a", &[(Odd::TornTail, 1)]);
    assert_odd(&raw(two() + r#"ole":"#), "a", &[(Odd::TornTail, 1)]);
}

#[test]
fn no_final_newline() {
    assert_odd(&raw(two().trim_end()), "a", &[(Odd::NoFinalNewline, 1)]);
}

#[test]
fn malformed() {
    let text = two().replace('\n', "\nnot JSON\n");
    assert_odd(&raw(text), "a", &[(Odd::Malformed, 2)]);
}

#[test]
fn salvaged() {
    let whole = reply("b", "a", json!([{"type": "text", "text": "x{\"y\":1}"}]));
    let text = format!("{}{{\"type\":\"user\",\"message\":{{\"content\":\"to{whole}\n", two());
    assert_odd(&raw(text), "b", &[(Odd::Malformed, 1), (Odd::Salvaged, 1)]);
    // An id that is known, or a fragment that is no entry, is no news.
    let known = format!("{}{{\"type\":\"us{}\n", two(), by(reply("a", "u", "z"), "x"));
    assert_odd(&raw(known), "a", &[(Odd::Malformed, 1)]);
    let fragment = two() + r#"{"type":"progress","data":{"type":"user","uuid":"z"}"#;
    assert_odd(&raw(fragment), "a", &[(Odd::TornTail, 1)]);
}

#[test]
fn not_an_object() {
    assert_odd(&raw(two() + "[1]\n7\nnull\n\"x\"\n"), "a", &[(Odd::NotAnObject, 4)]);
}

#[test]
fn unknown_type() {
    let text = lines(&[
        user("u", "", "1"),
        json!({"type": "novelty", "uuid": "n", "parentUuid": "u"}),
        reply("a", "n", "2"),
        json!({"type": "novelty"}),
    ]);
    assert_odd(&raw(text), "a", &[(Odd::UnknownType, 2)]);
}

#[test]
fn odd_shape() {
    let rows = [
        with(user("u", "", "1"), "message", 7),
        with(reply("a", "u", "2"), "message", json!([])),
        json!({"type": ["user"], "uuid": {"a": 1}, "parentUuid": 7}),
        user("v", "a", 7),
        with(user("w", "v", "1"), "message", json!({"role": "user"})),
        reply("b", "w", json!([7, "x", [], {"type": 9}, {"type": "tool_use", "id": 5}])),
    ];
    let text = lines(&rows);
    let shapes = [(Odd::UnknownType, 1), (Odd::OddShape, 7), (Odd::UnknownContent, 4)];
    assert_odd(&raw(text), "b", &shapes);
}

#[test]
fn bad_utf8() {
    let mut text = two().into_bytes();
    text.extend(
        b"{\"type\":\"assistant\",\"uuid\":\"b\",\"parentUuid\":\"a\",\"message\":{\"content\":\"x\xe2\x82\"}}\n",
    );
    assert_odd(&raw(text), "b", &[(Odd::BadUtf8, 1)]);
}

#[test]
fn lone_surrogate() {
    let text = two() + r#"{"type":"assistant","uuid":"b","parentUuid":"a","\udc00":1,"message":{"content":"\ud83dx"}}"#;
    let scene = raw(text + "\n");
    assert_odd(&scene, "b", &[(Odd::LoneSurrogate, 1)]);
    assert_eq!(scene.review("zai/glm-5").carried.characters, 4);
    let scene = raw(two() + "{\"type\":\"user\",\"uuid\":\"\\ud83d\",\"parentUuid\":\"a\"}\n");
    assert_odd(&scene, "a", &[(Odd::OddShape, 1)]);
}

#[test]
fn byte_order_mark_and_crlf() {
    let text = format!("\u{feff}{}", two().replace('\n', "\r\n"));
    assert_odd(&raw(text), "a", &[(Odd::ByteOrderMark, 1)]);
}

#[test]
fn nul_bytes() {
    let text = format!("{}\0\0\0\0{}\n\0\0\n", two(), reply("b", "a", "3"));
    assert_odd(&raw(text), "b", &[(Odd::NulBytes, 2)]);
}

#[test]
fn long_line() {
    let text = lines(&[user("u", "", "x".repeat(2 << 20)), reply("a", "u", "2")]);
    let scene = raw(text);
    assert_odd(&scene, "a", &[(Odd::LongLine, 1)]);
    assert_eq!(scene.review("zai/glm-5").carried.characters, (2 << 20) + 1);
}

#[test]
fn duplicate_uuid() {
    let rows = [user("u", "", "1"), by(reply("a", "u", "22"), "x"), reply("a", "u", "333"), user("v", "a", "4")];
    let scene = raw(lines(&rows));
    assert_odd(&scene, "a", &[(Odd::DuplicateUuid, 1)]);
    let review = scene.review("zai/glm-5");
    assert_eq!(
        (review.carried.characters, review.tip.identity.origin.model.as_str()),
        (5, OPUS),
        "the last one counts"
    );
    // A stray copy of an earlier row at the end is not the tip.
    let rows = [reply("z", "", "1"), user("v", "z", "4"), reply("b", "v", "5"), reply("z", "", "1")];
    assert_odd(&raw(lines(&rows)), "b", &[(Odd::DuplicateUuid, 1)]);
}

#[test]
fn differing_parent() {
    let rows = [user("u", "", "1"), user("v", "u", "2"), reply("a", "u", "3"), reply("a", "v", "3")];
    let scene = raw(lines(&rows));
    assert_odd(&scene, "a", &[(Odd::DuplicateUuid, 1), (Odd::DifferingParent, 1)]);
    assert_eq!(scene.review("zai/glm-5").extent.reachable, 3);
}

#[test]
fn self_parent() {
    let rows = [user("u", "", "1"), user("v", "v", "2"), reply("a", "v", "3")];
    let scene = raw(lines(&rows));
    assert_odd(&scene, "a", &[(Odd::SelfParent, 1)]);
    assert_eq!((scene.review("zai/glm-5").extent.reachable, scene.tip().extent.entries), (2, 3));
}

#[test]
fn cycle() {
    let rows = [user("u", "a", "1"), reply("a", "u", "2")];
    assert_odd(&raw(lines(&rows)), "a", &[(Odd::Cycle, 1)]);
    let rows = [user("u", "a", "1"), reply("a", "u", "2"), user("v", "a", "3"), reply("b", "v", "4")];
    assert_odd(&raw(lines(&rows)), "b", &[(Odd::Cycle, 1)]);
}

/// What a missing parent stood for, a lost row or a rewind, cannot be told; nothing is stitched.
#[test]
fn missing_parent() {
    let rows = [user("u", "", "1"), reply("a", "u", "2"), user("v", "gone", "3"), reply("b", "v", "4")];
    let scene = raw(lines(&rows));
    assert_odd(&scene, "b", &[(Odd::MissingParent, 1)]);
    let review = scene.review("zai/glm-5");
    assert_eq!((review.extent.reachable, review.extent.entries, review.truncated), (2, 4, false));
}

#[test]
fn only_sidechains() {
    let rows = [user("u", "", "1"), reply("a", "u", "2")].map(|row| with(row, "isSidechain", true));
    let scene = raw(lines(&rows));
    assert_odd(&scene, "", &[(Odd::Sidechain, 2)]);
    assert_eq!(scene.review("zai/glm-5").extent.entries, 0);
}

#[test]
fn orphan_tool_result() {
    let rows = [user("u", "", result("t", "12")), reply("a", "u", "3")];
    let scene = raw(lines(&rows));
    assert_odd(&scene, "a", &[(Odd::OrphanToolResult, 1)]);
    assert_eq!(scene.review("zai/glm-5").carried.characters, 3);
}

#[test]
fn ten_thousand_levels() {
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    let row = |uuid: &str, parent: &str, content: &str, more: &str| {
        let id = format!(r#""type":"assistant","uuid":"{uuid}","parentUuid":{parent}"#);
        format!(r#"{{{id},"message":{{"model":"claude-opus-5","content":{content}}},"more":{more}}}{}"#, "\n")
    };
    let input = format!(r#"[{{"type":"tool_use","id":"t","input":{deep}}}]"#);
    let result = format!(r#"[{{"type":"tool_result","tool_use_id":"t","content":[{}]}}]"#, {
        let open = r#"{"type":"tool_result","content":["#;
        format!("{}1{}", open.repeat(1_000), "]}".repeat(1_000))
    });
    let text = row("a", "null", &deep, &deep) + &row("b", r#""a""#, &input, "1") + &row("c", r#""b""#, &result, &deep);
    assert_odd(&raw(text), "c", &[(Odd::UnknownContent, 1)]);
}

/// None of these may take time that grows with the square of the file.
#[test]
fn nothing_is_quadratic() {
    let start = crate::testing::Instant::now();
    let many = 30_000;
    let one_message: String = (0..many)
        .map(|n| lines(&[part(&format!("a{n}"), &format!("a{}", n - 1), "m", json!([{"type": "x"}]))]))
        .collect();
    let no_object = "{\"a\":".repeat(500_000);
    let kept: Vec<String> = (0..many).map(|n| format!("a{n}")).collect();
    let cut = json!({"type": "system", "uuid": "c", "compactMetadata": {"preservedMessages": {"uuids": kept}}});
    let cuts = lines(&[cut]).repeat(3);
    for text in [one_message, no_object, cuts] {
        let mut scene = raw(text);
        scene.budget = 64 << 20;
        scene.review("zai/glm-5");
    }
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}
