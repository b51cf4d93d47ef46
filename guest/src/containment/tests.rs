use proptest::prelude::*;

use super::*;
use crate::testing::test;

const HOME: &str = "/home/me/.winter";

fn guard(access: Access) -> Vec<Target> {
    vec![Target { id: "winter-home".into(), path: HOME.into(), access, why: "it decides".into() }]
}

fn refused(tool: &str, input: &Value) -> bool {
    let (input, targets) = (input.to_string(), guard(Access::Any));
    let call = Call { tool, input: &input, cwd: "/home/me/src", user_home: Some("/home/me") };
    decide(&call, &targets).is_some()
}

fn command(text: &str) -> bool {
    refused("Bash", &serde_json::json!({ "command": text }))
}

fn path(text: &str) -> bool {
    refused("Read", &serde_json::json!({ "file_path": text }))
}

#[test]
fn a_path_is_found_in_every_spelling() {
    for spelt in [
        "/home/me/.winter",
        "/home/me/.winter/",
        "/home/me/.winter/cache/runs/x",
        "//home//me/./.winter",
        "/home/me/src/../.winter/x",
        "../.winter",
        "~/.winter/settings.json",
        "$HOME/.winter",
        "${HOME}/.winter/x",
        "/HOME/Me/.WINTER",
        "/home/me/.ｗinter",
        "/home/me/.w\u{200b}inter",
        "file:///home/me/.winter/x",
        "file:///home/me/%2ewinter",
        "file://localhost/home/me/.winter",
        " /home/me/.winter ",
    ] {
        assert!(path(spelt), "{spelt}");
    }
}

#[test]
fn a_command_is_found_in_every_spelling() {
    for spelt in [
        "cat /home/me/.winter/x",
        "cat '/home/me'/.win\"ter\"/x",
        "cat /home/me/.wint\\er/x",
        "cat ~/.winter/x",
        "A=~/.winter; cat $A",
        "cat <~/.winter/x",
        "cd ~ && rm -r .winter",
        "cd; cat .winter/x",
        "cd .. && cat .winter/x",
        "cat ../.winter/x",
        "cat /home/me/src/x/../../.winter/y",
        "cat /home/me/.win*",
        "cat ~/.w?nter/x",
        "cat /home/me/.{winter,x}/y",
        "rm -r /home/me/.[w]inter",
        "find /home/me/** -name x",
        "tar -C ~ c .winter",
        "echo x>/home/me/.winter/y",
        "cat\t/home/me/.winter",
        "python3 -c \"open('/home/me/.winter/x')\"",
    ] {
        assert!(command(spelt), "{spelt}");
    }
}

#[test]
fn what_only_looks_alike_passes() {
    for spelt in [
        "/home/me/.winter2",
        "/home/me/.winter-old/x",
        "/home/me/src/winter",
        "/home/you/.winter",
        "~me/x",
        "src/.winterrc",
    ] {
        assert!(!path(spelt), "{spelt}");
    }
    for spelt in [
        "cat /home/me/.winter2",
        "ls ~/src/*",
        "echo winter",
        "cd src && cargo test",
        "git -C x log",
        "ls *",
        "cat ~/.winterrc",
    ] {
        assert!(!command(spelt), "{spelt}");
    }
}

#[test]
fn keys_and_what_is_nested_are_looked_at_too() {
    assert!(refused("mcp__x__y", &serde_json::json!({"a": [{"b": {"c": "~/.winter/x"}}]})));
    assert!(refused("mcp__x__y", &serde_json::json!({"/home/me/.winter/x": 1})));
    assert!(!refused("mcp__x__y", &serde_json::json!({"a": [1, null, true]})));
}

#[test]
fn unreadable_call() {
    let targets = guard(Access::Any);
    let call = |input| Call { tool: "Bash", input, cwd: "/", user_home: None };
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let huge = format!("\"{}\"", "x".repeat(MAX_INPUT));
    for input in ["", "{", &deep, &huge] {
        assert_eq!(decide(&call(input), &targets).unwrap().id, "unreadable-call");
    }
}

#[test]
fn what_is_kept_from_a_target_is_what_counts() {
    let ask = |tool, access| {
        let targets = guard(access);
        decide(&Call { tool, input: r#"{"p":"/home/me/.winter/x"}"#, cwd: "/", user_home: None }, &targets).is_some()
    };
    for (tool, access, expected) in [
        ("Read", Access::Write, false),
        ("Read", Access::Read, true),
        ("Write", Access::Read, false),
        ("Write", Access::Write, true),
        ("Bash", Access::Read, true),
        ("Bash", Access::Write, true),
        ("Unknown", Access::Write, true),
    ] {
        assert_eq!(ask(tool, access), expected, "{tool} {access:?}");
    }
}

#[test]
fn without_an_answer_nothing_is_allowed() {
    for broker in [Broker::Absent, Broker::TimedOut, Broker::Malformed] {
        assert_eq!(approve(false, broker), Approval::DenyUnanswered);
    }
    assert_eq!(
        (approve(false, Broker::Allows), approve(false, Broker::Denies)),
        (Approval::Allow, Approval::DenyByBroker)
    );
    for broker in [Broker::Absent, Broker::TimedOut, Broker::Malformed, Broker::Allows, Broker::Denies] {
        assert_eq!(approve(true, broker), Approval::DenyProtected, "no answer lifts a protection");
    }
}

#[test]
fn every_row_becomes_a_target() {
    let places = Places { home: vec!["/w".into(), "/also-w".into()], shared_home: vec!["/s".into()] };
    let found = targets(&places);
    for row in TARGETS {
        let count = if row.at == targets::At::Home { 2 } else { 1 };
        assert_eq!(found.iter().filter(|target| target.id == row.id).count(), count, "{}", row.id);
    }
}

/// The same path, spelt by somebody who does not want it to be found.
fn respelt() -> impl Strategy<Value = String> {
    let part = |name: &'static str| {
        let letters: Vec<char> = name.chars().collect();
        let one = |letter: char| {
            let wide =
                char::from_u32(u32::from(letter) + 0xfee0).filter(|_| letter.is_ascii_alphabetic()).unwrap_or(letter);
            proptest::sample::select(vec![
                letter.to_string(),
                letter.to_ascii_uppercase().to_string(),
                wide.to_string(),
                format!("\\{letter}"),
                format!("'{letter}'"),
                format!("\"{letter}\""),
            ])
        };
        letters.into_iter().map(one).collect::<Vec<_>>().prop_map(|letters| letters.concat())
    };
    let between = proptest::sample::select(vec!["/", "//", "/./", "/x/../"]);
    let parts = (part("home"), part("me"), part(".winter"));
    (between.clone(), between.clone(), between, parts)
        .prop_map(|(a, b, c, (home, me, winter))| format!("{a}{home}{b}{me}{c}{winter}"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_respelling_passes(spelt in respelt(), before in "[a-z ]{0,8} ", after in "(/[a-z]{0,5}| [a-z]{0,5})") {
        let text = format!("{before}{spelt}{after}");
        prop_assert!(command(&text), "{}", text);
    }

    #[test]
    fn it_answers_whatever_stands_there(text in any::<String>()) {
        let _ = command(&text);
        let _ = path(&text);
    }
}
