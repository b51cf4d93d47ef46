//! What a person sees on a terminal: colour only there, and nothing of a repository's obeyed.

use std::os::unix::fs::symlink;
use std::process::Command;

use crate::person::{Person, can, raw, run};

/// A project that names and says what a terminal would obey, or what turns text around.
fn loud() -> Person {
    let person = Person::new();
    let odd = ["\x1b[31m", "\r", "\u{202e}", "\u{9b}2J", "\x07", "\u{200b}"].concat();
    let escaped = serde_json::Value::from(odd.as_str()).to_string();
    let escaped = escaped.trim_matches('"');
    person.write(
        "me/src/it/.winter/settings.json",
        format!(
            r#"{{ "key{escaped}": 1, "key{escaped}": 2, "model": "value{escaped}", "env": {{ "NAME{escaped}": "x", "A_TOKEN": "hush{escaped}" }},
            "permissions": {{ "allow": ["Bash(rule{escaped})"] }},
            "hooks": {{ "Event{escaped}": [{{ "matcher": "m{escaped}", "hooks": [{{ "type": "command", "command": "c{escaped}" }}] }}] }} }}"#
        ),
    );
    person.write(format!("me/src/it/.winter/settings{odd}.json"), "{}");
    person.write(format!("me/src/it/.winter/settings.json.{odd}"), "{}");
    symlink(format!("/nowhere{odd}"), person.at("me/src/it/.winter/settings.local.json")).unwrap();
    person
}

#[test]
fn what_a_repository_says_is_spelt_out() {
    let person = loud();
    for command in [["plan"].as_slice(), &["plan", "--reveal"], &["build"], &["plan", "--log", "trace"]] {
        // That nothing is left to be obeyed is asserted for every run.
        let printed = person.run(command).ok().stdout;
        let odd = r"\u{1b}[31m\r\u{202e}\u{9b}2J\u{7}\u{200b}";
        for said in ["key", "value", "env.NAME", "Bash(rule", "hooks.Event", "(m", ": c", "settings.json.", "/nowhere"]
        {
            assert!(printed.contains(&format!("{said}{odd}")), "{said}: {printed}");
        }
        assert!(command != ["plan", "--reveal"] || printed.contains(&format!("A_TOKEN: hush{odd}")), "{printed}");
    }
    let json = person.run(["plan", "--json"]).ok();
    assert!(!json.stdout.contains(['\x07', '\u{200b}', '\x7f']), "{}", json.stdout);
    let odd = "\x1b[31m\r\u{202e}\u{9b}2J\x07\u{200b}";
    let target = &json.value()["report"]["skipped-links"][0]["target"];
    assert_eq!(*target, format!("/nowhere{odd}"), "an object holds it as it is");
}

#[test]
fn so_is_what_stands_in_an_error() {
    let odd = "o\x1b[31m\r\u{202e}d";
    let person = Person::new();
    for arguments in [
        ["plan", "--project", odd].as_slice(),
        &["dispose", odd],
        &["build", "--home", &format!("{odd}/{odd}")],
        &["--log", &format!("={odd}="), "plan"],
        &["escape", "sandbox", "--list", "allow-write", &format!("*{odd}")],
    ] {
        let failed = person.run(arguments);
        assert!(failed.code != 0 && failed.stderr.contains(r"\u{1b}"), "{failed:#?}");
        let object = person.run(arguments.iter().chain(&["--json"]));
        assert_eq!(object.code, failed.code, "{object:#?}");
    }
}

/// A run whose output is a terminal; none where there is no program that makes one.
fn on_a_terminal(person: &Person, words: &str, environment: &[(&str, &str)]) -> Option<String> {
    let probe = ["-qec", "true", "/dev/null"];
    if !can("a terminal", "script", &probe) {
        return None;
    }
    let mut command: Command = person.closed("script");
    command.args(["-qec", &format!("'{}' {words}", winter_tests::winter().display()), "/dev/null"]);
    command.env("TERM", "xterm-256color").env("SHELL", "/bin/sh").envs(environment.iter().copied());
    Some(raw(command).stdout)
}

#[test]
fn colour_goes_to_a_terminal_unless_somebody_does_not_want_it() {
    let person = Person::new();
    person.write("me/src/it/.winter/settings.json", r#"{"model":"x"}"#);
    for words in ["plan", "explain env", "inspect", "plan --project nowhere"] {
        let piped = person.run(words.split(' ')).both();
        let Some(shown) = on_a_terminal(&person, words, &[]) else { return };
        assert!(shown.contains("\x1b["), "{words}: {shown:?}");
        for quiet in [("NO_COLOR", "1"), ("TERM", "dumb")] {
            let shown = on_a_terminal(&person, words, &[quiet]).unwrap();
            assert!(!shown.contains('\x1b'), "{words} {quiet:?}: {shown:?}");
        }
        assert!(!piped.contains('\x1b'), "{words}: {piped:?}");
    }
    let json = on_a_terminal(&person, "plan --json", &[]).unwrap();
    assert!(!json.contains('\x1b'), "{json:?}");
}

#[test]
fn on_a_terminal_nothing_of_a_repository_is_obeyed_either() {
    let person = loud();
    for words in ["plan", "plan --reveal", "plan --json", "build --json --reveal"] {
        let Some(shown) = on_a_terminal(&person, words, &[("NO_COLOR", "1")]) else { return };
        let shown = shown.replace("\r\n", "\n");
        let obeyed: Vec<char> = shown
            .chars()
            .filter(|letter| *letter != '\n' && (letter.is_control() || "\u{202e}\u{200b}".contains(*letter)))
            .collect();
        assert!(obeyed.is_empty(), "{words}: {obeyed:?} in {shown}");
    }
    let spelt = on_a_terminal(&person, "escape rule \"$(printf 'a\\033[31m')\"", &[]).unwrap();
    assert!(spelt.contains(r"a\u{1b}") || spelt.contains(r"a\\u{1b}"), "{spelt:?}");
    let mut piped = person.closed("sh");
    piped.args(["-c", "\"$0\" escape rule x", winter_tests::winter().to_str().unwrap()]);
    assert_eq!(run(piped).ok().stdout, "x\n");
}
