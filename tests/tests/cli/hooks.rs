//! `winter hook pre-tool-use`, and the run home that installs it.

use std::io::Write as _;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::person::Person;

fn hook(person: &Person, input: &[u8]) -> Output {
    let mut command = person.command();
    command.args(["hook", "pre-tool-use"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // It may have ended before all of it is taken.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn call(person: &Person, tool: &str, input: &Value) -> Output {
    let cwd = person.at("me/src/it");
    hook(person, json!({"tool_name": tool, "tool_input": input, "cwd": cwd}).to_string().as_bytes())
}

#[test]
fn a_call_that_names_what_is_protected_is_refused_and_others_pass() {
    let person = Person::new();
    for (tool, input, id) in [
        ("Bash", json!({"command": "cat ~/.winter/'sdk'/.credentials.json"}), Some("winter-home")),
        ("Read", json!({"file_path": person.at("me/.winter/sdk/.credentials.json")}), Some("own-credentials")),
        ("Write", json!({"file_path": "../../.winter/x", "content": ""}), Some("winter-home")),
        ("Read", json!({"file_path": person.at("me/src/it/a")}), None),
        ("Bash", json!({"command": "ls"}), None),
    ] {
        let output = call(&person, tool, &input);
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
    let huge = vec![b' '; 40 << 20];
    for input in [&b""[..], b"{", b"[]", b"\xff", br#"{"tool_name":"Bash","cwd":"/"}"#, &huge] {
        let output = hook(&person, input);
        assert_eq!(output.status.code(), Some(2), "{:?}", &output.stderr);
        assert!(output.stdout.is_empty() && !output.stderr.is_empty());
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
    assert!(command.contains("' hook pre-tool-use --home '"), "{command}");
    std::fs::write(person.own(), r#"{"disableAllHooks":true}"#).unwrap();
    person.run(["plan", "--containment"]).fails(2, "bad-input");
    person.run(["plan"]).ok();
}
