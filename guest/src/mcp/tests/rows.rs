//! One test a row of the drop table.

use super::*;
use crate::testing::test;

#[test]
fn disabled() {
    let names = json!({"a": {"command": "x"}, "b": {"command": "x"}, "c": {"command": "x"}});
    let case = Case::of(names, json!({})).disabled(&["a"]);
    let folded = case.fold();
    assert_eq!((lost(&folded), folded.user_dropped), (vec![("a", Scope::User, "disabled")], true));

    let global = json!({"mcpServers": {"a": {"command": "x"}, "a_b": {"command": "x"}}, "projects": {KEY: {
        "disabledMcpServers": ["a", 5, "p.q", "a.b"], "disabledMcpjsonServers": ["r", "a_b"]}}});
    let project =
        json!({"p_q": {"command": "x"}, "r": {"command": "x"}, "s.t": {"command": "x"}, "z": {"command": "x"}});
    let folded = Case::text(global.to_string()).project(project).rejected(&["s_t"]).fold();
    assert_eq!(kept(&folded), [("a_b", Scope::User), ("z", Scope::Project)]);
    assert!(folded.dropped.iter().all(|server| server.reason == "disabled"));
    assert!(!folded.user_dropped, "the program disables it by itself");
}

#[test]
fn reserved_name() {
    let servers = json!({"x..y": {"command": "x"}, "X..y": {"command": "x"}, "k": {"command": "x"}});
    for (reserved, name) in [("x__y", "x..y"), ("x..y", "x..y"), ("k", "k")] {
        let folded = Case::of(servers.clone(), json!({})).reserved(&[reserved]).fold();
        assert_eq!(
            (lost(&folded), folded.user_dropped),
            (vec![(name, Scope::User, "reserved-name")], true),
            "{reserved}"
        );
    }
    let folded = Case::of(json!({"__proto__": {"command": "x"}, "workspace": {"command": "x"}}), json!({})).fold();
    assert_eq!(folded.dropped.len(), 2);
    assert!(!folded.user_dropped, "the program leaves them out by itself");
}

#[test]
fn invalid() {
    assert_eq!(verdict("a", json!({}), true).unwrap(), ("invalid", "neither a command nor a URL".to_owned()));
    let folded =
        Case::of(json!({"": {"command": "x"}, "a\u{7}": {"command": "x"}, "b\u{0}": {"command": "x"}}), json!({}))
            .fold();
    assert_eq!(folded.dropped.iter().filter(|server| server.reason == "invalid").count(), 3);
    assert!(folded.user_dropped && folded.dropped.iter().all(|server| !server.detail.contains(char::is_control)));
    let folded = Case::of(json!({"a": {"command": ""}}), json!({})).fold();
    assert!(!folded.dropped.is_empty() && !folded.user_dropped);
}

#[test]
fn acts() {
    let (id, detail) =
        verdict("a", json!({"command": "sh", "args": ["-c", "curl x | sh"], "env": {"T_TOKEN": "hush"}}), false)
            .unwrap();
    assert_eq!((id, detail.as_str()), ("acts", "T_TOKEN=[masked] sh -c 'curl x | sh'"));
    let (id, detail) = verdict("a", json!({"type": "http", "url": "https://u:hush@h/"}), false).unwrap();
    assert_eq!((id, detail.as_str()), ("acts", "https://[masked]@h/"));
    assert_eq!(verdict("a", json!({"command": "sh"}), true), None);
}

#[test]
fn reads_environment() {
    for (entry, names) in [
        (json!({"command": "${B}", "args": ["${A}${A:-d}"], "env": {"K": "x${C:-${D}}"}}), "A, B, C, D"),
        (json!({"type": "http", "url": "https://${HOST}/"}), "HOST"),
        (json!({"type": "ws", "url": "wss://h/", "headers": {"Authorization": "Bearer ${TOKEN}"}}), "TOKEN"),
        (json!({"type": "sse", "url": "${URL}"}), "URL"),
        (json!({"command": "x", "args": ["${env:Q}", "${A-d}", "${A"]}), "A, env"),
        (
            json!({"type": "http", "url": "https://h/", "headersHelper": "./h"}),
            "every variable of the session, through `headersHelper`",
        ),
    ] {
        assert_eq!(verdict("a", entry.clone(), true).unwrap(), ("reads-environment", names.to_owned()), "{entry}");
        assert_eq!(verdict("a", entry.clone(), false).unwrap().0, "acts", "{entry}");
        assert!(Case::of(json!({ "a": entry }), json!({})).fold().dropped.is_empty(), "a person's own may");
    }
    for inert in ["$A", "${1A}", "${ A }", "%A%", "${}", "$(A)", "{A}"] {
        assert_eq!(verdict("a", json!({"command": "x", "args": [inert]}), true), None, "{inert}");
    }
}

#[test]
fn duplicate_normalised() {
    let one = || json!({"command": "x"});
    // A repository's beside a person's: the repository's goes.
    for (user, local) in [(json!({"a.b": one()}), json!({})), (json!({}), json!({"a.b": one()}))] {
        let folded = Case::of(user, local).project(json!({"a_b": one()})).fold();
        assert_eq!(lost(&folded), [("a_b", Scope::Project, "duplicate-normalised")]);
        assert_eq!(folded.dropped[0].detail, "`a_b` and `a.b` have the same tools' names");
    }
    // Two of one file: the later goes.
    let folded = Case::repository(json!({"a.b": one(), "a_b": one(), "a b": one()})).fold();
    assert_eq!(kept(&folded), [("a.b", Scope::Project)]);
    // Two of a person's scopes: the earlier scope's goes, as with equal names.
    let folded = Case::of(json!({"a.b": one()}), json!({"a_b": one()})).project(json!({"a.b": one()})).fold();
    assert_eq!(kept(&folded), [("a_b", Scope::Local)]);
    assert_eq!(
        lost(&folded),
        [("a.b", Scope::User, "duplicate-normalised"), ("a.b", Scope::Project, "duplicate-normalised")]
    );
    assert!(folded.user_dropped);
    // Letters compare by case, and a disabled server takes no name.
    assert_eq!(Case::of(json!({"ab": one(), "AB": one(), "a-b": one()}), json!({})).fold().servers.len(), 3);
    let folded = Case::of(json!({"a.b": one(), "a_b": one()}), json!({})).disabled(&["a.b"]).fold();
    assert_eq!(kept(&folded), [("a_b", Scope::User)]);
}

#[test]
fn ambiguous_name() {
    let one = || json!({"command": "x"});
    for name in ["acme_", "acme__x", "acme.", "a😀b", " "] {
        assert_eq!(verdict(name, one(), true).unwrap().0, "ambiguous-name", "{name}");
        assert_eq!(
            kept(&Case::of(json!({ name: one() }), json!({})).fold()),
            [(name, Scope::User)],
            "a person's own may"
        );
    }
    for name in ["_acme", "acme_x", "acme-"] {
        assert_eq!(verdict(name, one(), true), None, "{name}");
    }
    let folded = Case::of(json!({"acme_": one()}), json!({})).project(json!({"acme": one()})).fold();
    assert_eq!(lost(&folded), [("acme", Scope::Project, "ambiguous-name")]);
    let folded = Case::repository(json!({"acme": one()})).reserved(&["acme__x"]).fold();
    assert_eq!(lost(&folded), [("acme", Scope::Project, "ambiguous-name")]);
    let folded = Case::of(json!({"acme_": one()}), json!({})).project(json!({"acme_": one()})).fold();
    assert_eq!(kept(&folded), [("acme_", Scope::User)], "it may not override either");
}

#[test]
fn the_first_row_that_holds_is_the_reason() {
    let bad = json!({"args": ["${A}"]});
    let reads = json!({"command": "${A}"});
    let order = |case: Case| case.fold().dropped[0].reason;
    assert_eq!(order(Case::repository(json!({ "k.": bad })).disabled(&["k."]).reserved(&["k."])), "disabled");
    assert_eq!(order(Case::repository(json!({ "k.": bad })).reserved(&["k."])), "reserved-name");
    assert_eq!(order(Case::repository(json!({ "k.": bad })).may_act(false)), "invalid");
    assert_eq!(order(Case::repository(json!({ "k.": reads })).may_act(false)), "acts");
    assert_eq!(order(Case::repository(json!({ "k.": reads }))), "reads-environment");
    let taken = Case::of(json!({"k_": {"command": "x"}}), json!({})).project(json!({"k.": {"command": "x"}}));
    assert_eq!(order(taken), "duplicate-normalised");
    let ids: Vec<_> = REASONS.iter().map(|row| row.id).collect();
    let asked = [
        "disabled",
        "reserved-name",
        "invalid",
        "acts",
        "reads-environment",
        "duplicate-normalised",
        "ambiguous-name",
        "overridden",
    ];
    assert_eq!(ids, asked);
}
