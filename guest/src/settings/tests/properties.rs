//! What holds for all files, over random ones.

use proptest::prelude::*;

use super::*;
use crate::settings::keys;
use crate::testing::test;

fn any_value() -> impl Strategy<Value = serde_json::Value> {
    let texts = [
        "x",
        "",
        "plan",
        "auto",
        "acceptEdits",
        "Read(/a)",
        "Read(a[b)",
        "a*b",
        "on",
        "off",
        "accept",
        "disable",
        "command",
    ];
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        (-2_i32..9).prop_map(Into::into),
        proptest::sample::select(texts.to_vec()).prop_map(Into::into),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let key = proptest::sample::select(vec!["Stop", "hooks", "type", "command", "matcher", "enabled", "mode", "a"]);
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Into::into),
            proptest::collection::vec((key, inner), 0..3).prop_map(|pairs| serde_json::Value::Object(
                pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
            )),
        ]
    })
}

/// A settings file of known and unknown keys, with values that fit and values that do not.
fn any_settings() -> impl Strategy<Value = serde_json::Value> {
    let paths: Vec<&'static str> =
        keys::KEYS.iter().map(|key| key.path).chain(["unknown", "permissions.unknown"]).collect();
    proptest::collection::vec((proptest::sample::select(paths), any_value()), 0..8).prop_map(|pairs| {
        let mut root = serde_json::json!({});
        for (path, value) in pairs {
            let mut place = &mut root;
            for part in path.split('.') {
                if !place.is_object() {
                    *place = serde_json::json!({});
                }
                place = &mut place[part];
            }
            *place = value;
        }
        root
    })
}

/// A person's settings that mean something: rules, hooks, protections.
fn any_person() -> impl Strategy<Value = serde_json::Value> {
    let rules =
        || proptest::collection::vec(proptest::sample::select(vec!["Read(/a)", "Bash(rm:*)", "Edit(~/x)"]), 0..3);
    (rules(), rules(), any::<bool>(), any::<bool>(), proptest::sample::select(vec!["plan", "default"])).prop_map(
        |(deny, ask, sandbox, hook, mode)| {
            let mut person = serde_json::json!({
                "permissions": {"deny": deny, "ask": ask, "defaultMode": mode},
                "sandbox": {"enabled": sandbox, "filesystem": {"denyWrite": ["/etc"]}},
                "disableAllHooks": false,
            });
            if hook {
                person["hooks"] = serde_json::json!({"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "guard"}]}]});
            }
            person
        },
    )
}

/// Everything of a person's that must survive is still there: each list's elements, each hook, each strict switch.
fn survives(person: &serde_json::Value, effective: &serde_json::Value) -> Result<(), String> {
    for list in ["/permissions/deny", "/permissions/ask", "/sandbox/filesystem/denyWrite", "/hooks/PreToolUse/0/hooks"]
    {
        let (Some(own), Some(all)) = (person.pointer(list).and_then(|v| v.as_array()), effective.pointer(list)) else {
            if person.pointer(list).is_some() {
                return Err(format!("{list} is gone"));
            }
            continue;
        };
        let own_first =
            own.iter().enumerate().all(|(place, item)| !list.contains("hooks") || all.get(place) == Some(item));
        if !own_first || !own.iter().all(|item| all.as_array().is_some_and(|all| all.contains(item))) {
            return Err(format!("{list}: {own:?} became {all}"));
        }
    }
    if person["sandbox"]["enabled"] == true && effective["sandbox"]["enabled"] != true {
        return Err("the sandbox is off".to_owned());
    }
    if effective["disableAllHooks"] != false {
        return Err("the hooks are off".to_owned());
    }
    if person["permissions"]["defaultMode"] == "plan" && effective["permissions"]["defaultMode"] != "plan" {
        return Err("the mode is looser".to_owned());
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_repository_never_removes_a_persons_rule_hook_or_protection(
        person in any_person(), project in any_settings(), local in any_settings(), keep in any::<bool>(), delivered in any::<bool>()
    ) {
        let powers = if keep { Powers::Keep } else { Powers::Drop };
        let (person_text, project, local) = (person.to_string(), project.to_string(), local.to_string());
        let alone = with(&[file(Tier::User, &person_text)], powers);
        let local = if delivered { shipped(&local) } else { file(Tier::Local, &local) };
        let effective = with(&[file(Tier::User, &person_text), file(Tier::Project, &project), local], powers);
        prop_assert_eq!(survives(&json(&alone), &json(&effective)), Ok(()));
    }

    /// Composing the composed document as a person's own succeeds: the types hold, and so the program reads it.
    #[test]
    fn the_composed_document_is_never_one_that_the_program_would_drop(
        project in any_settings(), local in any_settings(), keep in any::<bool>()
    ) {
        let powers = if keep { Powers::Keep } else { Powers::Drop };
        let (project, local) = (project.to_string(), local.to_string());
        let effective = with(&[file(Tier::Project, &project), file(Tier::Local, &local)], powers);
        let again = composed(&[file(Tier::User, &effective.json)], &Profile::claude(), Powers::Keep);
        prop_assert!(again.is_ok(), "{:?}", again);
    }

    #[test]
    fn any_bytes_give_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let one = TierFile { text: &bytes, ..file(Tier::Project, "") };
        prop_assert!(composed(&[one], &Profile::winter(), Powers::Drop).is_ok());
    }
}
