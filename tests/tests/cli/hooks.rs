//! `winter hook pre-tool-use`, and the run home that installs it.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Output, Stdio};

use serde_json::{Value, json};
use winter_runner::hook_command;

use crate::person::Person;

fn started(person: &Person, stdout: Stdio) -> Child {
    let mut command = person.command();
    command.args(["hook", "pre-tool-use", "--shared-home"]).arg(person.at("me/.claude"));
    command.stdin(Stdio::piped()).stdout(stdout).stderr(Stdio::piped()).spawn().unwrap()
}

fn hook(person: &Person, input: &[u8]) -> Output {
    let mut child = started(person, Stdio::piped());
    // It may have ended before all of it is taken.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn given(person: &Person, tool: &str, input: &Value) -> String {
    let cwd = person.at("me/src/it");
    json!({"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "cwd": cwd}).to_string()
}

#[test]
fn a_call_that_names_what_is_protected_is_refused_and_others_pass() {
    let person = Person::new();
    let run = person.at("me/.winter/cache/runs/other");
    for (tool, input, id) in [
        ("Bash", json!({"command": "cat ~/.winter/'sdk'/x"}), Some("winter-home")),
        ("Bash", json!({"command": "X=.winter; rm -r ~/$X"}), Some("winter-home")),
        ("Bash", json!({"command": "rm -rf ~"}), Some("winter-records")),
        ("Read", json!({"file_path": person.at("me/.claude/.credentials.json")}), Some("own-credentials")),
        ("Read", json!({"file_path": "~/.claude.json"}), Some("own-global-file")),
        ("Read", json!({"file_path": run.join("mcp.json")}), Some("run-servers")),
        ("Read", json!({"file_path": run.join(".credentials.json")}), Some("run-credentials")),
        ("Write", json!({"file_path": "../../.winter/x", "content": ""}), Some("winter-home")),
        ("Write", json!({"file_path": "~/.claude/rules/x.md", "content": ""}), Some("own-rules")),
        ("Grep", json!({"pattern": "x", "path": "~/.claude"}), Some("own-credentials")),
        ("Read", json!({"file_path": person.at("me/src/it/a")}), None),
        ("Read", json!({"file_path": run.join("skills/x/SKILL.md")}), None),
        ("Write", json!({"file_path": "notes.md", "content": "cd ~; cat .winter"}), None),
        ("Bash", json!({"command": "ls"}), None),
        ("Bash", json!({"command": "for f in *.rs; do cargo fmt -- $f; done"}), None),
    ] {
        let output = hook(&person, given(&person, tool, &input).as_bytes());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let Some(id) = id else {
            assert!(output.stdout.is_empty(), "{output:?}");
            continue;
        };
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "{input}");
        let reason = answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
        assert!(reason.starts_with(&format!("winter[{id}]")), "{reason}");
    }
}

#[test]
fn what_cannot_be_read_is_blocked() {
    let person = Person::new();
    let plain = given(&person, "Bash", &json!({"command": "ls"}));
    let huge = vec![b' '; 40 << 20];
    let other_event = plain.replace("PreToolUse", "PostToolUse");
    let twice = plain.replacen('{', r#"{"cwd":"/","#, 1);
    let no_cwd = plain.replace(r#""cwd""#, r#""dir""#);
    let deep = plain.replace(r#"{"command":"ls"}"#, &("[".repeat(5000) + &"]".repeat(5000)));
    let (texts, mut cut) = ([&other_event, &twice, &no_cwd, &deep], plain.clone().into_bytes());
    cut.truncate(20);
    let mut foreign = plain.clone().into_bytes();
    foreign.push(0xff);
    let inputs = [&b""[..], b"{", b"[]", b"\xff", &huge, &cut, &foreign];
    for input in inputs.into_iter().chain(texts.map(String::as_bytes)) {
        let output = hook(&person, input);
        assert_eq!(output.status.code(), Some(2), "{:?}", &output.stderr);
        assert!(output.stdout.is_empty() && !output.stderr.is_empty());
    }
    assert_eq!(hook(&person, plain.as_bytes()).status.code(), Some(0));
}

#[test]
fn a_refusal_that_nobody_hears_blocks() {
    let person = Person::new();
    let input = given(&person, "Read", &json!({"file_path": "~/.claude.json"}));
    // A reader that has gone, one that takes nothing, and none.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for stdout in [Stdio::from(writer), Stdio::from(full), Stdio::null()] {
        let mut child = started(&person, stdout);
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(2));
    }
    let mut shell = person.closed("sh");
    let line = r#"exec "$0" hook pre-tool-use --shared-home "$HOME/.claude" >&-"#;
    let mut child = shell.args(["-c", line]).arg(winter_tests::winter()).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

#[test]
fn what_is_asked_wrongly_is_blocked() {
    let person = Person::new();
    for arguments in [
        &["hook", "pre-tool-use", "--none"][..],
        &["hook"],
        &["hook", "other"],
        &["--log", "=[", "hook", "pre-tool-use"],
    ] {
        let mut command = person.command();
        let status = command.args(arguments).stdin(Stdio::null()).output().unwrap().status;
        assert_eq!(status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_run_home_installs_it_after_the_persons_own() {
    let person = Person::new();
    std::fs::write(
        person.own(),
        r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"mine"}]}]}}"#,
    )
    .unwrap();
    let plan = person.json(["plan", "--containment"]);
    let settings: Value = serde_json::from_str(plan["effective-settings"].as_str().unwrap()).unwrap();
    let groups = settings["hooks"]["PreToolUse"].as_array().unwrap();
    assert_eq!((groups.len(), &groups[0]["hooks"][0]["command"]), (2, &json!("mine")));
    let command = groups[1]["hooks"][0]["command"].as_str().unwrap();
    assert!(command.contains("' hook pre-tool-use --home '") && command.ends_with(" || exit 2"), "{command}");
    for own in [r#"{"disableAllHooks":true}"#, r#"{"env":{"CLAUDE_CODE_SIMPLE":"1"}}"#] {
        std::fs::write(person.own(), own).unwrap();
        person.run(["plan", "--containment"]).fails(2, "bad-input");
        person.run(["plan"]).ok();
    }
}

#[test]
fn a_hook_that_is_gone_or_killed_blocks() {
    let person = Person::new();
    for (name, text) in [("killed", "#!/bin/sh\nkill -9 $$\n"), ("failed", "#!/bin/sh\nexit 1\n")] {
        let program = person.at(name);
        std::fs::write(&program, text).unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    }
    for name in ["killed", "failed", "none"] {
        let line = hook_command(&person.at(name), &person.at("me/.winter"), &person.at("me/.claude"), None).unwrap();
        let status = person.closed("sh").args(["-c", &line]).output().unwrap().status;
        assert_eq!(status.code(), Some(2), "{name}");
    }
}
