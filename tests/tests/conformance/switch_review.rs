//! Switch reviews: the component over ranges that the runner reads, and the native crate over the same file.

use std::io::Write as _;

use proptest::prelude::*;
use winter_policy::catalog::Catalog;
use winter_policy::switch_review::{self, Compaction, MemoryDirectory, Origin, PersistedSelection, Reading, Step};
use winter_runner::Transcript;
use winter_runner::contract::switch_review as wit;

use crate::runner;

/// One row of a transcript that may or may not be sound.
fn any_row() -> impl Strategy<Value = String> {
    let id = || 0_u8..12;
    let content = proptest::sample::select(vec![
        r#""plain""#,
        r#"[{"type":"text","text":"t"},{"type":"thinking","thinking":"h","signature":"s"}]"#,
        r#"[{"type":"redacted_thinking","data":"d"}]"#,
        r#"[{"type":"tool_use","id":"c1","name":"Read","input":{}}]"#,
        r#"[{"type":"tool_result","tool_use_id":"c1","content":"r"}]"#,
        r#"[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]"#,
        r#"[{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}]"#,
        "7",
    ]);
    let model =
        proptest::sample::select(vec!["claude-sonnet-5", "gpt-5.6", "<synthetic>", "claude-opus-5-20260301", "other"]);
    let sound = (id(), id(), any::<bool>(), any::<bool>(), content, model).prop_map(|(own, parent, reply, side, content, model)| {
        let kind = if reply { "assistant" } else { "user" };
        format!(
            r#"{{"type":"{kind}","uuid":"u{own}","parentUuid":"u{parent}","isSidechain":{side},"message":{{"id":"m{own}","role":"{kind}","model":"{model}","content":{content}}}}}"#
        )
    });
    let odd = proptest::sample::select(vec![
        "{\"type\":\"progress\",\"uuid\":\"p\"}",
        "{\"type\":\"system\",\"subtype\":\"compact_boundary\",\"uuid\":\"b\",\"parentUuid\":null,\"logicalParentUuid\":\"u3\",\"compactMetadata\":{\"preservedMessages\":{\"anchorUuid\":\"u3\",\"uuids\":[\"u2\",\"u3\"]}}}",
        "not json",
        "[]",
        "{\"type\":\"user\",\"uuid\":\"u1\"",
        "",
    ]);
    prop_oneof![6 => sound, 1 => odd.prop_map(str::to_owned)]
}

fn native(bytes: &[u8], session: &str, to: &Origin) -> String {
    let mut directory = MemoryDirectory::default();
    let origin = Origin::from_tag("anthropic/claude-sonnet-5").unwrap();
    directory.list(session, PersistedSelection { runtime: None, origin });
    let catalog = Catalog::built_in();
    let mut from = bytes.len();
    loop {
        let reading = Reading { session, file_length: bytes.len() as u64, tail: &bytes[from..], ..Reading::default() };
        match switch_review::review(&reading, to, Compaction::Allowed, &directory, &catalog) {
            Ok(Step::Answer(review)) => {
                let summary = switch_review::summary(&review).join("\n");
                return format!("{}\n{summary}", serde_json::to_string(&review).unwrap());
            }
            Ok(Step::Need(range)) => from = usize::try_from(range.offset).unwrap(),
            Err(error) => return error.to_string(),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn review(
        rows in proptest::collection::vec(any_row(), 0..20),
        torn in any::<bool>(),
        to in proptest::sample::select(vec!["openai/gpt-5.6", "anthropic/claude-opus-5", "deepseek/deepseek-v4-pro", "nobody/none"]),
    ) {
        let mut text = rows.join("\n");
        if !torn {
            text.push('\n');
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        std::fs::File::create(&path).unwrap().write_all(text.as_bytes()).unwrap();
        let origin = |tag: &str| {
            let (provider, model) = tag.split_once('/').unwrap();
            wit::Origin { provider: Some(provider.into()), model: model.into(), protocol: None, family: None }
        };
        let listed = wit::PersistedSelection { runtime: None, origin: origin("anthropic/claude-sonnet-5") };
        let component = match runner().review_switch(&Transcript::new(&path), Some(&listed), &origin(to), true, &[]) {
            Ok(report) => format!("{}\n{}", winter_runner::json::review(&report), report.summary.join("\n")),
            Err(error) => error.to_string(),
        };
        prop_assert_eq!(native(text.as_bytes(), "session", &Origin::from_tag(to).unwrap()), component);
    }
}
