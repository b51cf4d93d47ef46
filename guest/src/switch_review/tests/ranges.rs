use proptest::prelude::*;

use super::super::*;
use super::*;
use crate::testing::test;
use serde_json::json;

fn long(rows: usize, size: usize) -> Vec<Value> {
    let mut all = Vec::new();
    let mut before = String::new();
    for n in 0..rows {
        let (asked, replied) = (format!("u{n}"), format!("a{n}"));
        all.push(user(&asked, &before, "x".repeat(size)));
        all.push(reply(&replied, &asked, "y"));
        before = replied;
    }
    all
}

#[test]
fn the_end_is_asked_for_first() {
    let scene = scene(&long(150, 10_000));
    let length = scene.text.len() as u64;
    let Step::Need(range) = scene.step("zai/glm-5", &[]) else { panic!() };
    assert_eq!((range.offset, range.length), (length - (256 << 10), 256 << 10));
    let Step::Need(more) = scene.step("zai/glm-5", &scene.text[usize::try_from(range.offset).unwrap()..]) else {
        panic!()
    };
    assert_eq!((more.offset + more.length, more.length), (range.offset, (768 << 10).min(range.offset)));
    let review = scene.review("zai/glm-5");
    assert_eq!((review.carried.messages, review.truncated), (300, false));
}

#[test]
fn no_more_is_asked_for_than_it_takes() {
    let mut rows = long(150, 10_000);
    let cut = json!({"type": "system", "subtype": "compact_boundary", "uuid": "c", "parentUuid": null});
    rows.extend([cut, user("s", "c", "1"), reply("b", "s", "2")]);
    let scene = scene(&rows);
    let review = scene.review("zai/glm-5");
    assert_eq!((review.extent.read, review.truncated, review.carried.messages), (256 << 10, false, 2));
    assert_eq!(review.severity, Some(Severity::Lossless), "all that is in context was read");
    // What is kept from before it is looked for.
    rows[300]["compactMetadata"] = json!({"preservedMessages": {"anchorUuid": "s", "uuids": ["u100"]}});
    let review = super::scene(&rows).review("zai/glm-5");
    assert!(review.extent.read > 256 << 10 && review.carried.messages == 3);
}

#[test]
fn a_skip_reads_no_more_than_the_tip() {
    let review = scene(&long(150, 10_000)).review("anthropic/claude-sonnet-5");
    assert_eq!((review.skip, review.truncated, review.extent.read), (true, true, 256 << 10));
}

#[test]
fn a_budget_that_cut_is_never_lossless() {
    let mut scene = scene(&long(150, 10_000));
    scene.budget = 500_000;
    let review = scene.review("zai/glm-5");
    assert_eq!((review.truncated, review.severity, review.losses.len()), (true, Some(Severity::Lossy), 0));
    assert_eq!(review.extent.read, 500_000);
}

#[test]
fn a_budget_that_ends_before_a_tip_skips_nothing() {
    let mut scene = scene(&[reply("a", "", "1"), user("u", "a", "x".repeat(10_000))]);
    for budget in [0, 1, 100, 10_000, 10_200] {
        scene.budget = budget;
        let review = scene.review("anthropic/claude-opus-5");
        assert_eq!((review.skip, review.truncated, review.severity), (false, true, Some(Severity::Lossy)), "{budget}");
        assert!(scene.tip().tip.truncated);
    }
}

#[test]
fn a_sidecar_that_was_cut_is_never_lossless() {
    let mut scene = scene(&[reply("a", "", "1")]);
    scene.sidecar = vec![b'\n'; 1_000];
    scene.budget = 999;
    assert_eq!(scene.review("zai/glm-5").severity, Some(Severity::Lossy));
}

fn content() -> impl Strategy<Value = Value> {
    prop_oneof![
        "[a-z]{0,2000}".prop_map(Value::from),
        Just(json!([{"type": "thinking", "thinking": "x", "signature": "y"}])),
        (0..4).prop_map(|n| call(&format!("t{n}"))),
        (0..4).prop_map(|n| result(&format!("t{n}"), "r")),
        Just(json!([{"type": "image", "source": {"data": "x"}}, {"type": "web_search_tool_result", "content": []}])),
        Just(json!(7)),
    ]
}

/// Rows whose parents may be anything: missing, later, themselves.
fn row() -> impl Strategy<Value = Value> {
    let uuid = || (0..24_u8).prop_map(|n| format!("n{n}"));
    let kind = prop_oneof![4 => Just("user"), 4 => Just("assistant"), 1 => Just("system"), 1 => Just("progress"), 1 => Just("?")];
    (kind, uuid(), uuid(), any::<(u8, u8)>(), content()).prop_map(|(kind, uuid, parent, (flags, id), content)| {
        let mut row = json!({"type": kind, "uuid": uuid, "parentUuid": parent,
            "message": {"content": content, "model": OPUS, "id": format!("m{}", id % 16)}});
        match flags % 16 {
            0 => row["parentUuid"] = Value::Null,
            1 => row["isSidechain"] = json!(true),
            2 => row["isApiErrorMessage"] = json!(true),
            3 | 4 if kind == "system" => {
                row["compactMetadata"] = json!({"preservedMessages": {"anchorUuid": "n1", "uuids": ["n2", parent]}});
                row["logicalParentUuid"] = json!("n3");
            }
            _ => {}
        }
        row
    })
}

/// A transcript, mostly in order, then damaged.
fn transcript() -> impl Strategy<Value = Vec<u8>> {
    let damage = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 0..6);
    (prop::collection::vec(row(), 0..40), damage, any::<bool>()).prop_map(|(mut rows, damage, chained)| {
        if chained {
            for (n, row) in rows.iter_mut().enumerate() {
                row["uuid"] = json!(format!("n{n}"));
                if n % 7 != 0 {
                    row["parentUuid"] = json!(format!("n{}", n - 1));
                }
            }
        }
        let mut text = lines(&rows).into_bytes();
        for (at, byte, how) in damage {
            if text.is_empty() {
                break;
            }
            let at = at.index(text.len());
            match how {
                0 => text[at] = byte,
                1 => text.truncate(at),
                _ => _ = text.drain(at..(at + usize::from(byte)).min(text.len())),
            }
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// However the ranges were cut, the answer is that of the whole file at once; and nothing panics.
    #[test]
    fn chunking_changes_nothing(text in transcript(), cuts in prop::collection::vec(1..5_000_usize, 1..8), budget in 0..60_000_u64) {
        let mut scene = raw(text);
        scene.budget = budget;
        for target in ["zai/glm-5", "anthropic/claude-sonnet-5", "zai/glm-5-air"] {
            let Step::Answer(at_once) = scene.step(target, &scene.text) else { panic!("the whole file is enough") };
            let mut start = scene.text.len();
            let mut cuts = cuts.iter().cycle();
            let piecemeal = loop {
                match scene.step(target, &scene.text[start..]) {
                    Step::Answer(review) => break review,
                    Step::Need(range) => {
                        prop_assert_eq!(range.offset + range.length, start as u64);
                        // A host that reads less, or more, than it was asked for.
                        start = start.saturating_sub(*cuts.next().unwrap());
                    }
                }
            };
            prop_assert_eq!(&at_once, &piecemeal);
            prop_assert_eq!(&at_once, &scene.review(target));
            prop_assert!(!(at_once.truncated && at_once.severity == Some(Severity::Lossless)));
            let worst = at_once.losses.iter().map(|loss| loss.severity).max();
            prop_assert!(at_once.skip || worst <= at_once.severity);
            prop_assert!(at_once.extent.reachable <= at_once.extent.entries);
        }
        scene.tip();
    }

    #[test]
    fn any_bytes_are_survived(text in prop::collection::vec(any::<u8>(), 0..2_000)) {
        let scene = raw(text);
        scene.review("zai/glm-5");
        scene.tip();
    }
}
