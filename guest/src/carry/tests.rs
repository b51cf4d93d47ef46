use proptest::prelude::*;
use serde_json::json;

use super::choices::Kind;
use super::*;
use crate::testing::test;

fn settled(built: &Value, ended: &Value, own: &Value) -> Carried {
    let (built, ended, own) = (built.to_string(), ended.to_string(), own.to_string());
    settle(&Texts { built: &built, ended: Some(&ended), own_before: Some(&own), own_now: Some(&own) })
}

fn held(carried: &Carried) -> Vec<(String, Reason)> {
    carried.held.iter().map(|held| (held.change.path.join("."), held.reason)).collect()
}

#[test]
fn a_personal_choice_comes_home() {
    let carried =
        settled(&json!({"theme": "dark"}), &json!({"theme": "light"}), &json!({"a": 1, "theme": "dark", "z": 2}));
    assert_eq!(carried.own.as_deref(), Some(r#"{"a":1,"theme":"light","z":2}"#));
    assert_eq!((carried.applied.len(), carried.held.len()), (1, 0));
    let carried = settled(&json!({}), &json!({"verbose": true}), &json!({"a": 1}));
    assert_eq!(carried.own.as_deref(), Some(r#"{"a":1,"verbose":true}"#));
    let carried = settled(&json!({"model": "x"}), &json!({}), &json!({"model": "x", "a": 1}));
    assert_eq!(carried.own.as_deref(), Some(r#"{"a":1}"#));
}

#[test]
fn every_choice_is_a_known_key_and_holds_what_the_runtime_reads() {
    for pair in CHOICES.windows(2) {
        assert!(pair[0].key < pair[1].key);
    }
    for choice in CHOICES {
        assert!(crate::settings::keys::find("", choice.key).is_some(), "{}", choice.key);
    }
}

#[test]
fn what_acts_is_held() {
    let ended = json!({
        "hooks": {"Stop": []},
        "permissions": {"allow": ["Bash"], "defaultMode": "bypassPermissions"},
        "apiKeyHelper": "/x",
        "env": {"A": "1"},
        "enabledPlugins": {"p@m": true},
        "theme": "light",
    });
    let carried = settled(&json!({}), &ended, &json!({}));
    assert_eq!(carried.own.as_deref(), Some("{\n  \"theme\": \"light\"\n}"));
    let held = held(&carried);
    let keys: Vec<&str> = held.iter().map(|(key, _)| key.as_str()).collect();
    let all =
        ["hooks.Stop", "permissions.allow", "permissions.defaultMode", "apiKeyHelper", "env.A", "enabledPlugins.p@m"];
    assert_eq!(keys, all);
    assert!(held.iter().all(|(_, reason)| *reason == Reason::NotListed));
}

#[test]
fn a_choice_of_another_kind_is_held() {
    for value in [
        json!(1),
        json!(null),
        json!(["dark"]),
        json!({"a": 1}),
        json!(""),
        json!("a\nb"),
        json!("x".repeat(101)),
        json!("$(x)"),
    ] {
        let carried = settled(&json!({"theme": "dark"}), &json!({"theme": value}), &json!({"theme": "dark"}));
        assert!(carried.own.is_none() && carried.applied.is_empty(), "{value}");
        assert_eq!(carried.held.len(), 1, "{value}");
    }
}

#[test]
fn a_name_that_the_runtime_drops_the_whole_file_for_is_held() {
    let own = json!({"permissions": {"deny": ["Read(//**/secret)"]}});
    for choice in CHOICES.iter().filter(|choice| choice.kind == Kind::Name) {
        let carried = settled(&json!({}), &json!({choice.key: "no-such-name"}), &own);
        let Some(text) = &carried.own else {
            assert_eq!(held(&carried), [(choice.key.to_owned(), Reason::WrongShape)]);
            continue;
        };
        assert_eq!(edit::check(text), Ok(()), "{}", choice.key);
    }
    for (key, name) in [("tui", "no-such-name"), ("defaultView", "no-such-name")] {
        assert!(settled(&json!({}), &json!({key: name}), &own).own.is_none(), "{key}");
    }
    for (key, name) in [("tui", "fullscreen"), ("defaultView", "transcript"), ("theme", "custom:mine")] {
        assert!(settled(&json!({}), &json!({key: name}), &own).own.is_some(), "{key}");
    }
}

#[test]
fn what_the_person_changed_meanwhile_wins() {
    let texts = |own_now| Texts {
        built: r#"{"theme":"dark"}"#,
        ended: Some(r#"{"theme":"light"}"#),
        own_before: Some(r#"{"theme":"dark"}"#),
        own_now,
    };
    let carried = settle(&texts(Some(r#"{"theme":"blue"}"#)));
    assert_eq!(held(&carried), [("theme".to_owned(), Reason::ChangedMeanwhile)]);
    // The same change from two sessions is none to hold.
    assert_eq!(settle(&texts(Some(r#"{"theme":"light"}"#))), Carried::default());
}

#[test]
fn a_value_of_the_project_that_nobody_touched_does_not_come_home() {
    // `editorMode` was composed out of a project's file.
    let built = json!({"editorMode": "vim", "theme": "dark"});
    let carried = settled(&built, &json!({"editorMode": "vim", "theme": "light"}), &json!({"theme": "dark"}));
    assert_eq!(carried.own.as_deref(), Some(r#"{"theme":"light"}"#));
}

#[test]
fn a_file_that_cannot_be_read_carries_nothing() {
    for ended in [None, Some(""), Some("[]"), Some("{"), Some("null")] {
        let carried = settle(&Texts { built: "{}", ended, own_before: Some("{}"), own_now: Some("{}") });
        assert_eq!(held(&carried), [(String::new(), Reason::RunUnreadable)], "{ended:?}");
    }
    for own in ["", "[]", "{"] {
        let texts = Texts { built: "{}", ended: Some(r#"{"theme":"x"}"#), own_before: Some("{}"), own_now: Some(own) };
        assert_eq!(held(&settle(&texts)), [("theme".to_owned(), Reason::OwnUnreadable)], "{own}");
    }
}

#[test]
fn a_missing_file_of_the_persons_is_made() {
    let texts = Texts { built: "{}", ended: Some(r#"{"theme":"x"}"#), own_before: None, own_now: None };
    assert_eq!(settle(&texts).own.as_deref(), Some("{\n  \"theme\": \"x\"\n}\n"));
}

#[test]
fn the_files_manner_is_kept() {
    let own = "\u{feff}{\n\t\"n\": 1.50,\n\t\"theme\": \"dark\",\n\t\"o\": {\n\t\t\"b\": 1,\n\t\t\"a\": 2\n\t}\n}\n\n";
    let texts = Texts {
        built: r#"{"theme":"dark"}"#,
        ended: Some(r#"{"theme":"light"}"#),
        own_before: Some(own),
        own_now: Some(own),
    };
    assert_eq!(settle(&texts).own, Some(own.replace("dark", "light")));
}

#[test]
fn nothing_but_the_value_changes_in_the_text() {
    let path = |key: &str| key.split('/').map(str::to_owned).collect::<Vec<_>>();
    let edited = |text: &str, key: &str, value: Option<&str>| edit::set(Some(text), &path(key), value).unwrap();
    let text = "{ \"a\" : [1,  2.50],\n  \"t\": \"\\u00e9\",   \"z\":{\"y\" : 1} }\n";
    assert_eq!(edited(text, "t", Some("\"x\"")), text.replace("\\u00e9", "x"));
    assert_eq!(edited(text, "t", None), "{ \"a\" : [1,  2.50],\n  \"z\":{\"y\" : 1} }\n");
    assert_eq!(edited(text, "z", None), "{ \"a\" : [1,  2.50],\n  \"t\": \"\\u00e9\" }\n");
    assert_eq!(edited(text, "b", Some("1")), text.replace("1} }", "1},   \"b\":1 }"));
    assert_eq!(edited(text, "z/y", Some("2")), text.replace(": 1}", ": 2}"));
    assert_eq!(edited(text, "z/n/m", Some("[1]")), text.replace(": 1}", ": 1,\"n\" : {\"m\":[1]}}"));
    assert_eq!(edited("{\n  \"a\": 1\n}", "b", Some("2")), "{\n  \"a\": 1,\n  \"b\": 2\n}");
    assert_eq!(edited("{\n\t\"a\": 1\n}", "a", None).split_whitespace().collect::<String>(), "{}");
    // A key that stands twice says one thing, and after the edit still does.
    let twice = r#"{"a":1, "t":"x", "t":"y"}"#;
    assert_eq!(edited(twice, "t", Some("\"w\"")), r#"{"a":1, "t":"x", "t":"w"}"#);
    assert_eq!(edited(twice, "t", None), r#"{"a":1}"#);
    // A name that is written with escapes is the same name.
    assert_eq!(edited(r#"{"\u0074":"x"}"#, "t", Some("\"w\"")), r#"{"\u0074":"w"}"#);
}

#[test]
fn a_held_change_is_applied_by_the_persons_word() {
    let path = |keys: &[&str]| keys.iter().map(|&key| key.to_owned()).collect::<Vec<_>>();
    let text = r#"{"permissions":{"deny":["Read(x)"]}}"#;
    let own = Some(text);
    let edited = apply(own, &path(&["permissions", "allow"]), Some(r#"["Bash(ls)"]"#)).unwrap();
    assert_eq!(edited, r#"{"permissions":{"deny":["Read(x)"],"allow":["Bash(ls)"]}}"#);
    assert_eq!(apply(own, &path(&["permissions", "deny"]), None).unwrap(), r#"{"permissions":{}}"#);
    assert_eq!(apply(own, &path(&["none", "such"]), None).unwrap(), text);
    let code = |own, keys: &[&str], value| apply(own, &path(keys), value).unwrap_err().code();
    assert_eq!(code(own, &["model"], Some("1")), "unusable");
    assert_eq!(code(own, &["model"], Some("{")), "bad-value");
    assert_eq!(code(own, &[], Some("1")), "no-section");
    assert_eq!(code(Some(r#"{"a":1}"#), &["a", "b"], Some("1")), "no-section");
    assert_eq!(code(Some("[]"), &["a"], Some("1")), "no-object");
}

#[test]
fn of_two_files_the_one_that_was_changed_last_wins_and_nothing_is_lost() {
    use Beside::{Absent, Level, Newer, NoFile, Older};
    let files = [Absent, Level, Older, Newer, NoFile].map(|beside| stray(Stands::File, beside));
    assert_eq!(files, [Action::Place, Action::Leave, Action::Replace, Action::Aside, Action::Aside]);
    for stands in [Stands::Folder, Stands::Other] {
        assert!([Absent, Level, Older, Newer, NoFile].iter().all(|&beside| stray(stands, beside) == Action::Aside));
    }
}

fn documents() -> impl Strategy<Value = Value> {
    let leaf =
        prop_oneof![Just(json!(true)), Just(json!("dark")), Just(json!(1)), Just(json!(["x"])), Just(json!(null))];
    let keys = prop_oneof![
        Just("theme"),
        Just("hooks"),
        Just("verbose"),
        Just("env"),
        Just("model"),
        Just("tui"),
        Just("a.b"),
        Just("")
    ];
    let value = leaf.prop_recursive(2, 8, 3, |inner| {
        proptest::collection::vec(("[a-c]", inner), 0..3)
            .prop_map(|members| Value::Object(members.into_iter().collect()))
    });
    proptest::collection::vec((keys, value), 0..6)
        .prop_map(|members| Value::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn only_personal_choices_ever_change(built in documents(), ended in documents(), own in documents()) {
        let carried = settled(&built, &ended, &own);
        let Some(text) = &carried.own else { return Ok(()) };
        let (Some(after), Some(before)) = (object(text), own.as_object()) else { panic!("an object") };
        for key in after.keys().chain(before.keys()) {
            if after.get(key) != before.get(key) {
                prop_assert!(choices::row(std::slice::from_ref(key)).is_some(), "{}", key);
                prop_assert_eq!(after.get(key), ended.get(key));
            }
        }
        // What the runtime read before, it reads after.
        prop_assert!(edit::check(&own.to_string()).is_err() || edit::check(text).is_ok(), "{}", text);
        // Every difference between what was built and what stands is either applied or held.
        let all = changes(built.as_object().unwrap(), ended.as_object().unwrap()).len();
        prop_assert_eq!(carried.applied.len() + carried.held.len(), all);
    }
}
