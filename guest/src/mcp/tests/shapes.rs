//! Entries and files of every wrong shape.

use super::*;
use crate::testing::test;

/// Entries that the public program refuses, and what is said of them (measured one by one).
#[test]
fn what_the_program_refuses_is_invalid() {
    let url = "https://h/";
    for (entry, said) in [
        (json!("x"), "a string stands where an object was expected"),
        (json!([1]), "a list stands"),
        (json!(null), "null stands"),
        (json!({"command": "x", "args": "a"}), "`args` holds a string"),
        (json!({"command": "x", "args": ["a", 1]}), "`args[1]` holds a number, where a string was expected"),
        (json!({"command": "x", "args": null}), "`args` holds null"),
        (json!({"command": "x", "env": {"A": 1}}), "`env.A` holds a number"),
        (json!({"command": "x", "env": {"A": null}}), "`env.A` holds null"),
        (json!({"command": ""}), "`command` is empty"),
        (json!({"command": ["x"]}), "`command` holds a list"),
        (json!({"command": "x\u{0}y"}), "`command` holds a NUL"),
        (json!({"command": "x", "env": {"A\u{0}": "v"}}), "`env` holds a NUL"),
        (json!({"url": url}), "without a `type`"),
        (json!({"type": "foo", "command": "x"}), "unknown type `foo`"),
        (json!({"type": "sse-ide", "url": url}), "unknown type"),
        (json!({"type": "HTTP", "url": url}), "unknown type"),
        (json!({"type": 1, "command": "x"}), "`type` holds a number"),
        (json!({"type": null, "command": "x"}), "`type` holds null"),
        (json!({"type": "sdk", "name": "x", "command": "x"}), "`sdk`"),
        (json!({"type": "http", "command": "x"}), "`url` holds nothing"),
        (json!({"type": "stdio", "url": url}), "`command` holds nothing"),
        (json!({"type": "http", "url": url, "headers": {"A": 1}}), "`headers.A` holds a number"),
        (json!({"type": "http", "url": url, "headersHelper": ["a"]}), "`headersHelper` holds a list"),
        (json!({"type": "http", "url": url, "oauth": "x"}), "`oauth` holds a string"),
        (json!({"type": "http", "url": url, "oauth": {"authServerMetadataUrl": "http://x"}}), "no https URL"),
        (json!({"type": "http", "url": url, "oauth": {"scopes": ""}}), "`oauth.scopes` is empty"),
        (json!({"command": "x", "timeout": 0}), "`timeout` holds a number"),
        (json!({"command": "x", "timeout": "5"}), "`timeout` holds a string"),
        (json!({"command": "x", "alwaysLoad": "y"}), "`alwaysLoad` holds a string"),
    ] {
        for server in Case::of(json!({ "a": entry }), json!({})).project(json!({ "b": entry })).fold().dropped {
            assert_eq!(server.reason, "invalid", "{entry}");
            assert!(server.detail.contains(said), "{entry}: {}", server.detail);
        }
        assert!(Case::of(json!({ "a": entry }), json!({})).fold().servers.is_empty(), "{entry}");
    }
}

#[test]
fn a_url_is_one_that_can_be_connected_to() {
    for url in ["", "foo", "file:///etc/passwd", "javascript:x", "http://", "http:///x", "https://a b", "stdio://x"] {
        assert_eq!(verdict("a", json!({"type": "http", "url": url}), true).unwrap().0, "invalid", "{url}");
    }
    for url in ["http://h", "HTTPS://h/x", "ws://h", "wss://h:1?x", " https://h/ ", "https://[::1]/"] {
        assert_eq!(verdict("a", json!({"type": "sse", "url": url}), true), None, "{url}");
    }
    // What a variable holds cannot be told; the person's own stays.
    assert_eq!(kept(&Case::of(json!({"a": {"type": "http", "url": "${BASE}/x"}}), json!({})).fold()).len(), 1);
}

#[test]
fn what_the_program_takes_is_kept() {
    for entry in [
        json!({"command": " "}),
        json!({"command": "x", "url": "whatever"}),
        json!({"command": "x", "role": 5, "wat": {}, "disabled": true}),
        json!({"type": "http", "url": "https://h", "command": 5}),
        json!({"type": "streamable-http", "url": "https://h", "request_timeout_ms": "x"}),
        json!({"type": "ws", "url": "http://h", "oauth": "x"}),
        json!({"type": "claudeai-proxy", "url": "https://h", "id": "1"}),
    ] {
        assert_eq!(kept(&Case::of(json!({ "a": entry }), json!({})).fold()).len(), 1, "{entry}");
    }
    let proxy = json!({"type": "claudeai-proxy", "url": "https://h", "id": "1"});
    assert_eq!(verdict("a", proxy, true).unwrap().0, "invalid");
}

#[test]
fn the_contract_takes_a_url_without_a_type() {
    let servers = json!({"a": {"url": "https://h/"}});
    for case in [Case::of(servers.clone(), json!({})), Case::repository(servers)] {
        assert_eq!(case.brand(Profile::winter()).fold().servers.len(), 1);
    }
}

#[test]
fn a_persons_file_that_does_not_parse_is_an_error_with_its_place() {
    for (text, place) in
        [("", (1, 1)), ("[]", (1, 1)), ("{\n// x\n}", (2, 1)), ("{\"a\":1,}", (1, 7)), ("{\"a\": \"\u{1}\"}", (1, 8))]
    {
        let error = Case::text(text).try_fold().unwrap_err();
        let McpError::Unusable { line, column, ref source_path, .. } = error;
        assert_eq!((line, source_path.as_str()), (place.0, GLOBAL), "{text:?} {column}");
        let refusal = Refusal::from(error);
        assert_eq!((refusal.line, refusal.kind), (Some(place.0), RefusalKind::UnusableSettings));
    }
    assert!(Case::text(b"{\"a\":\"\xff\"}".to_vec()).try_fold().is_err());
}

#[test]
fn a_repositorys_file_that_cannot_be_used_is_skipped_and_said() {
    let deep = format!("{{\"mcpServers\":{}1{}}}", "[".repeat(10_000), "]".repeat(10_000));
    for (text, said) in [
        ("", "empty"),
        ("[]", "a list stands"),
        ("{}", "no `mcpServers`"),
        (r#"{"servers":{}}"#, "`servers` is not read"),
        (r#"{"mcpServers":[{"command":"x"}]}"#, "`mcpServers` holds a list, where an object"),
        (r#"{"mcpServers":"x"}"#, "holds a string"),
        (r#"{"mcpServers":null}"#, "holds null"),
        ("{// x\n}", "a comment"),
        ("{\"mcpServers\":{},}", "comma"),
        (deep.as_str(), "nest"),
    ] {
        let folded = Case::of(json!({"mine": {"command": "x"}}), json!({})).project_text(text).fold();
        assert_eq!(kept(&folded), [("mine", Scope::User)], "{said}");
        assert_eq!(folded.skipped.len(), 1, "{said}");
        assert!(folded.skipped[0].detail.contains(said) && folded.skipped[0].path == PROJECT, "{:?}", folded.skipped);
    }
}

#[test]
fn parts_of_a_persons_file_that_hold_something_else_are_said() {
    for (text, said) in [
        (r#"{"mcpServers":[1]}"#, "`mcpServers` holds a list"),
        (r#"{"projects":[1]}"#, "`projects` holds a list"),
        (r#"{"projects":{"/src/it":5}}"#, "`/src/it` holds a number"),
        (r#"{"projects":{"/src/it":{"mcpServers":"x"}}}"#, "`mcpServers` holds a string"),
        (r#"{"projects":{"/src/it":{"disabledMcpServers":"x"}}}"#, "where a list of names was expected"),
    ] {
        let folded = Case::text(text).fold();
        assert_eq!(folded.skipped.len(), 1, "{text}");
        assert!(folded.skipped[0].detail.contains(said), "{:?}", folded.skipped);
    }
}

#[test]
fn odd_names_and_a_byte_order_mark_are_read() {
    let text = "\u{feff}{\"mcpServers\":{\"__proto__\":{\"command\":\"x\"},\"constructor\":{\"command\":\"x\"},\"a\\u0000\":{\"command\":\"x\"}}}";
    let folded = Case::text("{}").project_text(text).fold();
    assert_eq!(kept(&folded), [("constructor", Scope::Project)]);
    assert_eq!(lost(&folded), [("__proto__", Scope::Project, "reserved-name"), ("a\0", Scope::Project, "invalid")]);
}

#[test]
fn a_hundred_thousand_servers_are_folded_in_a_moment() {
    let servers: serde_json::Map<_, _> = (0..100_000).map(|n| (format!("s{n}"), json!({"command": "x"}))).collect();
    let started = crate::testing::Instant::now();
    let folded = Case::of(json!({"s1.": {"command": "x"}}), json!({})).project(Value::Object(servers)).fold();
    assert_eq!((folded.servers.len(), folded.dropped.len()), (100_000, 1));
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}
