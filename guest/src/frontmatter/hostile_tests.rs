//! Headers that two readers might read two ways, and headers that are too much.

use super::tests::{KINDS, fault, given, taken};
use super::*;
use crate::powers::ItemKind::{Agent, Command, Rule, Skill};
use crate::testing::test;
use proptest::prelude::*;

/// The keys of a header that was written, read with the library.
fn keys_of(head: &str) -> Vec<String> {
    let found = header::find(head).expect(head);
    assert_eq!(found.body_at, head.len());
    let entries = yaml::mapping(found.yaml, 0).expect(head);
    entries.into_iter().map(|entry| entry.key.expect("a text")).collect()
}

#[test]
fn every_spelling_of_a_key_that_acts_is_taken() {
    for spelling in [
        "hooks:",
        "hooks :",
        "'hooks':",
        "\"hooks\":",
        "\"ho\\u006fks\":",
        "\"ho\\x6fks\":",
        "? hooks\n:",
        "? |-\n  hooks\n:",
        "!!str hooks:",
        "&a hooks:",
    ] {
        for kind in KINDS {
            let item = given(kind, &format!("---\nname: n\ndescription: d\n{spelling} {{Stop: x}}\n---\n"));
            assert!(!item.head.contains("Stop"), "{spelling}");
            let reason = if matches!(kind, Agent | Skill | Command) { "acts-command" } else { "unknown-key" };
            let line = if spelling.contains('|') { 5 } else { 4 };
            assert_eq!(taken(&item), [format!("hooks {reason} {line}")], "{spelling}");
        }
    }
}

#[test]
fn other_keys_are_unknown() {
    for key in [
        "Hooks",
        "HOOKS",
        "ho\u{200b}oks",
        "hooks\u{301}",
        "<<",
        "'<<'",
        "[hooks]",
        "{hooks: x}",
        "1",
        "true",
        "!x hooks",
        "__proto__",
    ] {
        let item = given(Skill, &format!("---\n? {key}\n: {{hooks: x}}\n---\n"));
        assert_eq!(item.head, "---\n---\n");
        assert_eq!((item.removed.len(), item.removed[0].reason), (1, Reason::UnknownKey), "{key}");
    }
}

#[test]
fn the_last_of_two_counts_and_the_first_is_told() {
    let item = given(Skill, "---\ndescription: a\nhooks: x\n\"description\": b\nhooks: y\n---\n");
    assert_eq!(item.head, "---\ndescription: \"b\"\n---\n");
    assert_eq!(taken(&item), ["description duplicate-key 2", "hooks acts-command 3", "hooks acts-command 5"]);
}

#[test]
fn tags_are_known_or_wrong() {
    for (value, stays) in [
        ("!!str 5", true),
        ("!!str", true),
        ("!!python/object:os.system x", false),
        ("!x y", false),
        ("!!int y", false),
        ("!!binary aGk=", false),
        ("!!map {a: b}", false),
    ] {
        let item = given(Skill, &format!("---\ndescription: {value}\n---\n"));
        assert_eq!(item.head.contains("description"), stays, "{value}");
        assert_eq!(item.removed.len(), usize::from(!stays), "{value}");
    }
}

#[test]
fn what_is_no_single_mapping_is_a_fault() {
    for (yaml, expected) in [
        ("a: b\n...\nhooks: x\n", FaultKind::SecondDocument),
        ("a: &x b\nc: *x\n", FaultKind::Alias),
        ("a:\n  *x\n", FaultKind::NotYaml),
        ("x: &x {hooks: y}\n<<: *x\n", FaultKind::Alias),
        ("- a\n", FaultKind::NotAMapping),
        ("just text\n", FaultKind::NotAMapping),
        ("a:\n  [\n", FaultKind::NotYaml),
        ("a: \"b\n", FaultKind::NotYaml),
        ("a: b\u{0}\nhooks: c\n", FaultKind::NotYaml),
        ("a: b\u{7f}\n", FaultKind::NotYaml),
        ("%YAML 1.1\na: b\n", FaultKind::NotYaml),
        ("a: b\n c: d\n", FaultKind::NotYaml),
    ] {
        for kind in KINDS {
            assert_eq!(fault(kind, &format!("---\n{yaml}---\n")), expected, "{yaml:?}");
        }
    }
    // Nothing, a comment, an end: no pairs.
    for yaml in ["", "\n", "# hooks: x\n", "...\n", "~\n", "{}\n"] {
        assert_eq!(given(Skill, &format!("---\n{yaml}---\n")).head, "---\n---\n", "{yaml:?}");
    }
}

#[test]
fn faults_have_their_place() {
    let fault = rewrite(Skill, b"---\n\nname: x\nb: &a c\nd: *a\n---\n", &Options::default()).unwrap_err();
    assert_eq!((fault.line, fault.column), (Some(5), Some(4)));
    let fault = rewrite(Skill, b"---\nname: x\n\n---\n\xff", &Options::default()).unwrap_err();
    assert_eq!((fault.kind, fault.line), (FaultKind::NotUtf8, Some(5)));
}

#[test]
fn too_much_is_refused_quickly() {
    let lines = (0..60).map(|at| format!("b{at}: &a{} [*a{at}, *a{at}]\n", at + 1));
    let bomb: String = std::iter::once("a: &a0 [x,x]\n".to_owned()).chain(lines).collect();
    for (yaml, expected) in [
        (format!("a:\n  {}\n", "[".repeat(10_000)), FaultKind::NotYaml),
        (format!("a:\n  {}\n", "{".repeat(10_000)), FaultKind::NotYaml),
        (format!("a: {}{}\n", "[".repeat(100), "]".repeat(100)), FaultKind::TooDeep),
        (format!("a:\n{}x\n", " - ".repeat(10_000)), FaultKind::TooDeep),
        ((0..300).fold(String::new(), |text, at| text + &" ".repeat(at) + "a:\n"), FaultKind::TooDeep),
        (format!("a: {}\n", "x".repeat(1 << 20)), FaultKind::TooLarge),
        (format!("a: [{}]\n", "x,".repeat(20_000)), FaultKind::TooLarge),
        (bomb, FaultKind::Alias),
    ] {
        let start = crate::testing::Instant::now();
        assert_eq!(fault(Command, &format!("---\n{yaml}---\n")), expected, "{}", &yaml[..40]);
        assert!(start.elapsed().as_secs() < 5, "{}", &yaml[..40]);
    }
}

#[test]
fn very_many_keys_and_braces_are_read_in_a_moment() {
    let started = crate::testing::Instant::now();
    let keys = (0..4_000).fold(String::new(), |text, key| format!("{text}k{key}: 1\n"));
    assert_eq!(given(Rule, &format!("---\n{keys}---\n")).removed.len(), 4_000);
    let braces = format!("---\npaths: '{}'\n---\n", "{a}".repeat(21_000));
    for _ in 0..50 {
        assert!(given(Rule, &braces).paths.is_some());
    }
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

#[test]
fn what_grows_when_it_is_written_is_still_proven() {
    let item = given(Skill, &format!("---\ndescription: {}\n---\n", "\u{200b}".repeat(20_000)));
    assert!(item.head.len() > MAX_BYTES);
    let patterns = "'{a,b,c,d,e,f,g,h,i,j}/x', ".repeat(2000);
    let options = Options { anchor: Anchor { cwd_below: "", base_below: "sub" }, may_act: false };
    let rule = rewrite(Rule, format!("---\npaths: [{patterns}]\n---\n").as_bytes(), &options).unwrap();
    assert!(rule.paths.is_some_and(|paths| paths.contains(&"*".to_owned())));
}

#[test]
fn a_header_that_the_program_does_not_see_is_text() {
    for source in [
        "----\nhooks: x\n---\n",
        "text\n---\nhooks: x\n---\n",
        "---\nhooks: x\n",
        "---\rhooks: x\r---\r",
        " ---\nhooks: x\n---\n",
    ] {
        let item = given(Command, source);
        assert_eq!((item.head.as_str(), item.body_at, item.removed.len()), ("", 0, 0), "{source:?}");
        assert_eq!(given(Skill, source).head, "---\n---\n");
    }
    // What the program reads as text is looked at as text.
    let item = given(Command, "---\ndescription: a --- !`x`\nb: c\n---\n");
    assert_eq!((item.head.as_str(), item.ambiguous_end), ("---\ndescription: \"a\"\n---\n", true));
    assert_eq!(item.body.as_deref(), Some("\\!`x`\nb: c\n---\n"));
}

/// Pairs of a key and a value, spelt in many ways.
fn pair() -> impl Strategy<Value = String> {
    let keys = "(name|description|hooks|'hooks'|\"ho\\\\u006fks\"|tools|allowed-tools|model|effort|paths|permissionMode|<<|shell|arguments|x|Hooks|keep-coding-instructions|mcpServers|agent|metadata)";
    let values = "(a|'a''b'|\"---\"|\"a\\\\n---\\\\nhooks: x\"|\\[a, 'hooks: x'\\]|\\{hooks: \\[\\{command: x\\}\\]\\}|true|5|\\||>-|a: b|\\*\\*/\\*.ts|@x|!!str 5|\\[\\]|\"\\\\u2028\\\\u0085\\\\e\"|--|- -|)";
    (keys, values, prop::bool::ANY).prop_map(|(key, value, block)| match (value.as_str(), block) {
        ("|" | ">-", _) => format!("{key}: {value}\n  hooks: x\n  --\n"),
        (_, true) => format!("{key}:\n  {value}\n"),
        (_, false) => format!("{key}: {value}\n"),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_holds_known_keys_alone(pairs in prop::collection::vec(pair(), 0..6), may_act: bool, crlf: bool) {
        let mut source = format!("---\n{}---\nBody\n", pairs.concat());
        if crlf {
            source = source.replace('\n', "\r\n");
        }
        for kind in KINDS {
            let Ok(item) = rewrite(kind, source.as_bytes(), &Options { may_act, ..Options::default() }) else { continue };
            prop_assert!(item.head.starts_with("---\n") && item.head.ends_with("---\n"), "{}", item.head);
            prop_assert_eq!(item.head.matches("---").count(), 2);
            for key in keys_of(&item.head) {
                let acts = powers::carried(Place::Key(key_of(&key)), Some(kind)).is_some();
                prop_assert!(keys::find(&key, kind).is_some() || (may_act && acts), "{}", key);
                prop_assert!(!MODEL_KEYS.contains(&key.as_str()) && !EFFORT_KEYS.contains(&key.as_str()));
            }
            // What was written is written the same again, and nothing of it is taken.
            let again = format!("{}{}", item.head, &source[item.body_at..]);
            let twice = rewrite(kind, again.as_bytes(), &Options { may_act, ..Options::default() }).unwrap();
            prop_assert_eq!(&twice.head, &item.head);
            prop_assert!(twice.removed.is_empty(), "{:?}", twice.removed);
            prop_assert_eq!(&again[twice.body_at..], &source[item.body_at..]);
        }
    }

    #[test]
    fn any_text_stays_the_same(text in any::<String>(), key in any::<String>()) {
        let list = Value::List(vec![Node { line: 0, value: Value::Text(text.clone()) }]);
        let map = Value::Map(vec![Entry { key: Some(key), line: 0, node: Node { line: 0, value: list } }]);
        if write::can_be_written(&map) {
            write::header(&[("description".to_owned(), Value::Text(text)), ("hooks".to_owned(), map)]).unwrap();
        }
    }

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..60), yaml in r#"[\PC\n\t :&*!|>{}\[\]"'#%@`?<,-]{0,60}"#) {
        let _ = rewrite(Rule, &bytes, &Options::default());
        for source in [format!("---\n{yaml}\n---\n"), format!("---\nname: {yaml}\n---\n!`x`")] {
            for kind in KINDS {
                let _ = rewrite(kind, source.as_bytes(), &Options::default());
            }
        }
    }
}
