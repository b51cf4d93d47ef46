use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::testing::test;

mod commands;
mod fields;
mod hook;

const HOME: &str = "/home/me";

fn places() -> Places {
    Places {
        home: vec!["/home/me/.winter".into()],
        shared_home: vec!["/home/me/.claude".into()],
        global_file: vec!["/home/me/.claude.json".into()],
    }
}

/// The row that refuses a call, in a project two folders beneath the home folder.
fn refused_in(cwd: &str, tool: &str, input: &Value) -> Option<String> {
    let call = Call { tool: tool.into(), input: input.to_string(), cwd: cwd.into(), user_home: Some(HOME.into()) };
    decide(&call, &targets(&places())).map(|refused| refused.id)
}

fn refused(tool: &str, input: &Value) -> Option<String> {
    refused_in("/home/me/src/it", tool, input)
}

fn command(text: &str) -> Option<String> {
    refused("Bash", &json!({ "command": text }))
}

fn reads(text: &str) -> Option<String> {
    refused("Read", &json!({ "file_path": text }))
}

fn writes(text: &str) -> Option<String> {
    refused("Write", &json!({ "file_path": text, "content": "" }))
}

#[test]
fn a_path_is_found_in_every_spelling() {
    for spelt in [
        "/home/me/.winter",
        "/home/me/.winter/",
        "/home/me/.winter/cache/runs/x",
        "//home//me/./.winter",
        "/home/me/src/../.winter/x",
        "../../.winter",
        "x/../../../.winter",
        "~/.winter/settings.json",
        "$HOME/.winter",
        "${HOME}/.winter/x",
        "${HOME:-/x}/.winter/x",
        "/HOME/Me/.WINTER",
        "/home/me/.ｗinter",
        "/home/me/.w\u{200b}inter",
        "file:///home/me/.winter/x",
        "file:///home/me/%2ewinter",
        "file://localhost/home/me/.winter",
        "/home/me/%2ewinter/x",
        "/home/me/%252e%77inter/x",
        "~/%2Ewinter",
        " /home/me/.winter ",
        "$PWD/../../.winter/x",
    ] {
        assert!(writes(spelt).is_some(), "{spelt}");
    }
}

#[test]
fn every_target_is_kept_from_what_it_says() {
    let run = "/home/me/.winter/cache/runs/01-other";
    for (path, reading, writing) in [
        ("/home/me/.claude.json", true, true),
        ("/home/me/.claude/.claude.json", true, true),
        ("/home/me/.claude/.credentials.json", true, true),
        (&format!("{run}/.credentials.json"), true, true),
        (&format!("{run}/mcp.json"), true, true),
        (&format!("{run}/.claude.json"), true, true),
        ("/home/me/.winter/cache/ended/x", true, true),
        ("/home/me/.winter/cache/quarantine/x", true, true),
        (&format!("{run}/skills/x/SKILL.md"), false, true),
        ("/home/me/.claude/settings.json", false, true),
        ("/home/me/.claude/rules/x.md", false, true),
        ("/home/me/.claude/output-styles/x.md", false, true),
        ("/home/me/.claude/CLAUDE.md", false, true),
        ("/home/me/.claude/WINTER.md", false, true),
        ("/home/me/.claude/agents/x.md", false, true),
        ("/home/me/.claude/workflows/x.js", false, true),
        ("/home/me/.claude/projects/x/y.jsonl", false, false),
        ("/home/me/.claude.json.bak", false, false),
        ("/home/me/src/it/.claude/settings.json", false, false),
        ("/home/me/src/it/CLAUDE.md", false, false),
        ("/home/me/src/it/mcp.json", false, false),
    ] {
        assert_eq!((reads(path).is_some(), writes(path).is_some()), (reading, writing), "{path}");
    }
}

#[test]
fn what_only_looks_alike_passes() {
    for spelt in [
        "/home/me/.winter2",
        "/home/me/.winter-old/x",
        "/home/me/src/winter",
        "/home/you/.winter",
        "~you/x",
        "src/.winterrc",
        ".winter/settings.json",
        "app/[id]/{x}/page.tsx",
    ] {
        assert_eq!((reads(spelt), writes(spelt)), (None, None), "{spelt}");
    }
}

#[test]
fn unreadable_call() {
    let targets = targets(&places());
    let call =
        |input: &str, cwd: &str| Call { tool: "x".into(), input: input.into(), cwd: cwd.into(), user_home: None };
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let huge = format!("\"{}\"", "x".repeat(MAX_INPUT));
    let long = json!({ "command": "x ".repeat(MAX_COMMAND) }).to_string();
    let twice = r#"{"a":"b","a":"c"}"#;
    let twice_deep = r#"{"a":[{"b":1,"\u0062":2}]}"#;
    for input in ["", "{", &deep, &huge, &long, twice, twice_deep] {
        assert_eq!(decide(&call(input, "/"), &targets).unwrap().id, "unreadable-call", "{input:.40}");
    }
    assert_eq!(decide(&call("{}", "src"), &targets).unwrap().id, "unreadable-call");
    assert_eq!(decide(&call("{}", "/"), &targets), None);
}

#[test]
fn what_nests_without_end_is_refused_in_time() {
    for text in [
        "${a:-".repeat(5000),
        "$(".repeat(5000),
        "{a,b}".repeat(500),
        "a=$a$a; ".repeat(500) + "$a",
        "cd x; ".repeat(3000),
        "`".repeat(5001),
        "bash -c '".repeat(2000),
        "$X".repeat(20_000),
        "*".repeat(20_000),
        "((".repeat(5000),
        "<<x\n".repeat(3000),
    ] {
        let began = std::time::Instant::now();
        let _ = (command(&text), writes(&text), refused("x", &json!({"y": text})));
        assert!(began.elapsed().as_secs() < 5, "{:.40}: {:?}", text, began.elapsed());
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
    let places = Places {
        home: vec!["/w".into(), "/also-w".into()],
        shared_home: vec!["/s".into()],
        global_file: vec!["/g".into()],
    };
    let found = targets(&places);
    let count: usize = TARGETS.iter().map(|row| if row.at == At::Home { 2 } else { 1 }).sum();
    assert_eq!(found.len(), count);
    assert!(found.iter().all(|target| !target.path.ends_with('/') && !target.why.is_empty()));
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
                format!("$'\\x{:02x}'", u32::from(letter)),
                format!("$'\\{:03o}'", u32::from(letter)),
                format!("{{{letter},{letter}}}"),
                format!("[{letter}]"),
                format!("@({letter})"),
                format!("${{none:-{letter}}}"),
                format!("\\\n{letter}"),
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
        prop_assert!(command(&text).is_some(), "{}", text);
    }

    #[test]
    fn a_value_set_before_is_known(cut in 0_usize..7, tool in "(cat|rm -r|ls|cp -r x)", quoted in any::<bool>()) {
        let (first, second) = ".winter".split_at(cut);
        let quote = if quoted { "\"" } else { "" };
        let text = format!("A={first}; B='{second}'; {tool} {quote}$HOME/${{A}}$B{quote}/x");
        prop_assert!(command(&text).is_some(), "{}", text);
    }

    #[test]
    fn it_answers_whatever_stands_there(text in any::<String>(), shell in r#"[a-c$(){}<>|&;`'"\\ \n~/.*=#!@-]{0,60}"#) {
        let _ = (command(&text), writes(&text));
        let _ = (command(&shell), writes(&shell), refused("x", &json!({"y": shell})));
    }
}
