//! What holds for all files, over random ones.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::*;
use crate::testing::test;

const NAMES: [&str; 14] =
    ["a", "a.b", "a_b", "a b", "A", "acme", "acme_", "acme__x", "", "é", "x..y", "x__y", "claude.ai  q", "claude_ai_q"];

fn any_entry() -> impl Strategy<Value = Value> {
    proptest::sample::select(vec![
        json!({"command": "one"}),
        json!({"command": "two", "args": ["b"], "unknown": 1}),
        json!({"command": "${SECRET}"}),
        json!({"type": "http", "url": "https://h/", "headersHelper": "./h"}),
        json!({"type": "http", "url": "https://h/", "tools": []}),
        json!({"url": "https://h/"}),
        json!({"command": 5}),
        json!([]),
        json!({}),
    ])
}

fn any_servers() -> impl Strategy<Value = Value> {
    let server = (proptest::sample::select(NAMES.to_vec()), any_entry());
    proptest::collection::vec(server, 0..6)
        .prop_map(|pairs| Value::Object(pairs.into_iter().map(|(name, entry)| (name.to_owned(), entry)).collect()))
}

fn any_names() -> impl Strategy<Value = Vec<&'static str>> {
    proptest::collection::vec(proptest::sample::select(NAMES.to_vec()), 0..2)
}

fn in_file(scope: Scope, servers: &Value) -> impl Iterator<Item = (Scope, String)> {
    servers.as_object().unwrap().keys().map(move |name| (scope, name.clone()))
}

proptest! {
    #[test]
    fn the_fold_keeps_its_promises(
        user in any_servers(), project in any_servers(), local in any_servers(),
        disabled in any_names(), reserved in any_names(), may_act: bool, winter: bool,
    ) {
        let brand = if winter { Profile::winter() } else { Profile::claude() };
        let alone = Case::of(user.clone(), local.clone()).disabled(&disabled).reserved(&reserved).brand(brand);
        let without = alone.fold();
        let folded = alone.project(project.clone()).may_act(may_act).fold();

        // What comes out and what is dropped is what went in, nothing twice.
        let mut went_in: Vec<_> = in_file(Scope::User, &user)
            .chain(in_file(Scope::Project, &project)).chain(in_file(Scope::Local, &local)).collect();
        let mut accounted: Vec<_> = folded.servers.iter().map(|server| (server.scope, server.name.clone()))
            .chain(folded.dropped.iter().map(|server| (server.scope, server.name.clone()))).collect();
        went_in.sort();
        accounted.sort();
        prop_assert_eq!(went_in, accounted);

        // No two tools' names the same, none reserved, none disabled.
        let spelt: HashSet<_> = folded.servers.iter().map(|server| normalised(&server.name)).collect();
        prop_assert_eq!(spelt.len(), folded.servers.len());
        prop_assert!(reserved.iter().all(|name| !spelt.contains(&normalised(name))));
        prop_assert!(folded.servers.iter().all(|server| !disabled.contains(&server.name.as_str())));

        // A repository's server never acts unasked, reads nothing, and has no second reading.
        for server in folded.servers.iter().filter(|server| server.scope == Scope::Project) {
            prop_assert!(may_act);
            let text = server.config.to_string();
            let foul = ["${", "Helper", "unknown"].iter().any(|part| text.contains(part));
            prop_assert!(!foul, "{}", text);
            let prefix = format!("{}__", normalised(&server.name));
            for other in folded.servers.iter().filter(|other| other.name != server.name) {
                let other = format!("{}__", normalised(&other.name));
                prop_assert!(!other.starts_with(&prefix) && !prefix.starts_with(&other));
            }
        }

        // A person's servers do not depend on the repository's, but for a user-scope one of the very same name as one
        // that may act.
        let persons = |folded: &Folded| -> HashMap<(Scope, String), Value> {
            folded.servers.iter().filter(|server| server.scope != Scope::Project)
                .map(|server| ((server.scope, server.name.clone()), server.config.clone())).collect()
        };
        let (before, after) = (persons(&without), persons(&folded));
        let theirs: HashSet<_> =
            folded.servers.iter().filter(|server| server.scope == Scope::Project).map(|server| &server.name).collect();
        for (key, config) in &before {
            let replaced = key.0 == Scope::User && theirs.contains(&key.1);
            prop_assert_eq!(after.get(key), if replaced { None } else { Some(config) });
        }
        prop_assert!(after.keys().all(|key| before.contains_key(key)));
        prop_assert_eq!(without.user_dropped, folded.user_dropped);

        // The document is what is listed, and reads back as itself.
        let document: Value = serde_json::from_str(&folded.document()).unwrap();
        prop_assert_eq!(document["mcpServers"].as_object().unwrap().len(), folded.servers.len());
        let again = Case::of(document["mcpServers"].clone(), json!({})).brand(
            if winter { Profile::winter() } else { Profile::claude() }).fold();
        prop_assert_eq!(again.document(), folded.document());
    }

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64), text in "[{}\\[\\]\",:a-z$ ]{0,40}") {
        let _ = Case::text(bytes.clone()).project_text(text.clone()).try_fold();
        let _ = Case::text(format!("{{\"mcpServers\":{{\"{text}\":{{\"command\":\"x\"}}}}}}")).project_text(bytes).try_fold();
    }

    #[test]
    fn the_line_for_a_person_is_one_line(command in ".{0,20}", args in proptest::collection::vec(".{0,12}", 0..4)) {
        let case = Case::repository(json!({"a": {"command": command, "args": args}})).may_act(false);
        let folded = case.fold();
        prop_assert!(!folded.dropped[0].detail.contains(char::is_control));
    }
}
