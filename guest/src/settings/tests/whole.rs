//! The merge column, the anchors, and what is said of a file as a whole.

use super::*;
use crate::testing::test;

#[test]
fn a_persons_document_keeps_its_keys_their_order_and_what_nobody_knows() {
    let text = r#"{"zeta":{"x":[1.50,null]},"permissions":{"own":1,"deny":["B","A"]},"alpha":"ü"}"#;
    let effective = with(&[file(Tier::User, text)], Powers::Drop);
    assert_eq!(json(&effective).to_string(), text);
    assert!(effective.dropped.is_empty() && effective.notices.is_empty());
}

#[test]
fn union_joins_lists_and_an_empty_list_clears_nothing() {
    let files = [
        file(Tier::User, r#"{"permissions":{"deny":["A"],"ask":["Q"]}}"#),
        file(Tier::Project, r#"{"permissions":{"deny":["B","A"],"ask":[]}}"#),
        file(Tier::Local, r#"{"permissions":{"deny":[]}}"#),
    ];
    assert_eq!(json(&with(&files, Powers::Drop))["permissions"], serde_json::json!({"deny": ["A", "B"], "ask": ["Q"]}));
}

#[test]
fn hooks_join_per_event_and_matcher_the_persons_first() {
    let hook = |command: &str| format!(r#"{{"type":"command","command":"{command}"}}"#);
    let user = format!(r#"{{"hooks":{{"PreToolUse":[{{"matcher":"Bash","hooks":[{}]}}]}}}}"#, hook("guard"));
    let project = format!(
        r#"{{"hooks":{{"PreToolUse":[{{"matcher":"Bash","hooks":[{}]}},{{"hooks":[{}]}}],"Stop":[{{"hooks":[{}]}}]}}}}"#,
        hook("theirs"),
        hook("all"),
        hook("end")
    );
    let effective = json(&with(&[file(Tier::User, &user), file(Tier::Project, &project)], Powers::Keep));
    let commands = |pointer: &str| effective.pointer(pointer).and_then(|v| v.as_str().map(str::to_owned));
    assert_eq!(commands("/hooks/PreToolUse/0/hooks/0/command").as_deref(), Some("guard"));
    assert_eq!(commands("/hooks/PreToolUse/0/hooks/1/command").as_deref(), Some("theirs"));
    assert_eq!(commands("/hooks/PreToolUse/1/hooks/0/command").as_deref(), Some("all"));
    assert_eq!(commands("/hooks/Stop/0/hooks/0/command").as_deref(), Some("end"));
}

#[test]
fn replace_goes_key_by_key() {
    let files = [
        file(Tier::User, r#"{"env":{"LANG":"C","TZ":"UTC"},"language":"en"}"#),
        file(Tier::Project, r#"{"env":{"TZ":"CET","CI":"1"},"language":"de"}"#),
    ];
    assert_eq!(
        json(&with(&files, Powers::Drop)),
        serde_json::json!({"env": {"LANG": "C", "TZ": "CET", "CI": "1"}, "language": "de"})
    );
}

#[test]
fn rules_are_anchored_where_their_file_stands() {
    let text = r#"{"permissions":{"deny":["Read(/a/**)","Read(//b)","Read(~/c)","Read(d)","Bash(/e)"],"additionalDirectories":["x","/y"]},
        "sandbox":{"filesystem":{"denyRead":["keys","/abs","~/z"]}}}"#;
    let effective = json(&with(&[file(Tier::Local, text)], Powers::Drop));
    assert_eq!(
        effective["permissions"]["deny"],
        serde_json::json!(["Read(//src/it/a/**)", "Read(//b)", "Read(~/c)", "Read(d)", "Bash(/e)"])
    );
    assert_eq!(effective["permissions"]["additionalDirectories"], serde_json::json!(["/src/it/x", "/y"]));
    assert_eq!(effective["sandbox"]["filesystem"]["denyRead"], serde_json::json!(["/src/it/keys", "/abs", "~/z"]));
    let user = json(&with(&[file(Tier::User, text)], Powers::Drop));
    assert_eq!(user["permissions"]["deny"][0], "Read(//home/me/.winter/sdk/a/**)");
}

#[test]
fn files_that_cannot_be_read_are_an_error_for_a_person_and_a_skip_for_a_repository() {
    for (text, line, column) in [("{\n  // x\n}", 2, 3), ("[]", 1, 1), ("", 1, 1), ("{\"a\":1,}", 1, 7)] {
        let error = composed(&[file(Tier::User, text)], &Profile::claude(), Powers::Drop).unwrap_err();
        let SettingsError::Unusable { line: l, column: c, .. } = error else { panic!("{error}") };
        assert_eq!((l, c), (line, column), "{text:?}");
        let effective = with(&[file(Tier::User, r#"{"a":1}"#), file(Tier::Project, text)], Powers::Drop);
        assert_eq!((effective.skipped[0].line, effective.skipped[0].column), (Some(line), Some(column)));
        assert_eq!(json(&effective), serde_json::json!({"a": 1}));
    }
}

#[test]
fn duplicate_keys_and_literal_references_are_remarked() {
    let effective = with(&[file(Tier::User, "{\"a\":1,\n\"a\":2,\"env\":{\"X\":\"${HOME}/x\"}}")], Powers::Drop);
    let kinds: Vec<_> = effective.notices.iter().map(|notice| (notice.kind, notice.line)).collect();
    assert_eq!(kinds, [(NoticeKind::DuplicateKey, Some(2)), (NoticeKind::LiteralReference, Some(2))]);
}

#[test]
fn protecting_rules_are_joined_to_whatever_stands_there() {
    let protection = Protection {
        ask: vec!["Edit(a)".into()],
        deny: vec!["Edit(b)".into()],
        deny_write: vec!["/c".into()],
        pre_tool_use: None,
    };
    let brand = Profile::claude();
    let options = Options { brand: &brand, powers: Powers::Drop, allow_inexpressible: false, protection: &protection };
    let effective = compose(&[file(Tier::User, r#"{"permissions":{"deny":["Edit(b)","X"]}}"#)], &options).unwrap();
    let expected = serde_json::json!({
        "permissions": {"deny": ["Edit(b)", "X"], "ask": ["Edit(a)"]}, "sandbox": {"filesystem": {"denyWrite": ["/c"]}},
    });
    assert_eq!(json(&effective), expected);
}

#[test]
fn a_hook_of_the_sessions_own_comes_after_the_persons() {
    let protection = Protection { pre_tool_use: Some("'/w' hook".into()), ..Protection::default() };
    let brand = Profile::claude();
    let options = Options { brand: &brand, powers: Powers::Drop, allow_inexpressible: false, protection: &protection };
    let hook = |command: &str| serde_json::json!({"matcher": "*", "hooks": [{"type": "command", "command": command}]});
    let own = serde_json::json!({"hooks": {"PreToolUse": [hook("mine")]}}).to_string();
    // A repository neither takes its place nor switches it off.
    let theirs = r#"{"disableAllHooks":true,"hooks":{"PreToolUse":[]}}"#;
    let effective = compose(&[file(Tier::User, &own), file(Tier::Project, theirs)], &options).unwrap();
    assert_eq!(json(&effective), serde_json::json!({"hooks": {"PreToolUse": [hook("mine"), hook("'/w' hook")]}}));
    let alone = compose(&[], &options).unwrap();
    assert_eq!(json(&alone), serde_json::json!({"hooks": {"PreToolUse": [hook("'/w' hook")]}}));
}

#[cfg(not(target_arch = "wasm32"))]
#[test]
fn every_key_of_the_program_is_classified() {
    use crate::settings::keys;

    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/");
    let (Ok(keys), Ok(names)) = (
        std::fs::read_to_string(format!("{data}settings_keys.tsv")),
        std::fs::read_to_string(format!("{data}program_settings_keys.txt")),
    ) else {
        println!("skipped: no ../shared/data");
        return;
    };
    let keys = keys.lines().skip(1).filter_map(|line| line.split('\t').next()).filter(|key| !key.starts_with("env."));
    let mut walked = 0;
    for key in keys.chain(names.lines().filter(|name| !name.is_empty())) {
        walked += 1;
        // Either a row of its own, or beneath a key whose value is taken or dropped whole.
        let (mut above, mut found) = (String::new(), false);
        for part in key.split('.') {
            match keys::find(&above, part) {
                Some(row) => found = row.path == key || row.shape != keys::Shape::Section,
                None => break,
            }
            above = if above.is_empty() { part.to_owned() } else { format!("{above}.{part}") };
            if found {
                break;
            }
        }
        assert!(found, "{key} is in no row of the key table");
    }
    assert!(walked > 300, "{walked}");
}
