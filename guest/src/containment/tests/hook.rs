//! What a hook is given.

use super::*;
use crate::testing::test;

fn given(change: impl FnOnce(&mut Value)) -> Value {
    let mut given = json!({
        "session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"},
        "cwd": "/x", "permission_mode": "default",
    });
    change(&mut given);
    given
}

#[test]
fn a_call_is_read_whole_or_not_at_all() {
    let call = hook_call(&given(|_| {}).to_string(), Some("/home/me")).unwrap();
    let expected = Call {
        tool: "Bash".into(),
        input: r#"{"command":"ls"}"#.into(),
        cwd: "/x".into(),
        user_home: Some("/home/me".into()),
    };
    assert_eq!(call, expected);
    for name in ["hook_event_name", "tool_name", "tool_input", "cwd"] {
        for value in [Value::Null, json!(1), json!(""), json!(["x"])] {
            let bad = given(|given| given[name] = value).to_string();
            assert!(hook_call(&bad, None).is_err(), "{bad}");
        }
    }
    for event in ["PostToolUse", "pretooluse", "SessionStart", "PreToolUse "] {
        assert!(
            hook_call(&given(|given| given["hook_event_name"] = json!(event)).to_string(), None).is_err(),
            "{event}"
        );
    }
    assert!(hook_call(&given(|given| given["cwd"] = json!("x")).to_string(), None).is_err());
    for bad in ["", "[]", "{}", "null", "{", "\u{feff}{}"] {
        assert!(hook_call(bad, None).is_err(), "{bad}");
    }
}

#[test]
fn a_key_that_stands_twice_is_refused_wherever_it_stands() {
    let plain = given(|_| {}).to_string();
    for (from, to) in [
        (r#""session_id""#, r#""cwd":"/y","session_id""#),
        (r#""session_id""#, r#""session_id":"t","session_id""#),
        (r#""session_id""#, r#""tool\u005fname":"Read","session_id""#),
        (r#""command""#, r#""command":"cat x","command""#),
    ] {
        assert!(hook_call(&plain.replacen(from, to, 1), None).is_err(), "{to}");
    }
    assert!(hook_call(&(plain.clone() + "{}"), None).is_err());
    assert!(hook_call(&(" ".repeat(MAX_INPUT) + &plain), None).is_err());
}
