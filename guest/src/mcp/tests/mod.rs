#![allow(clippy::needless_pass_by_value, reason = "cases are literals, which are handed over")]

use serde_json::{Value, json};

use super::*;
use crate::report::NoticeKind;
use crate::testing::test;

mod properties;
mod rows;
mod shapes;

const GLOBAL: &str = "/home/me/.claude.json";
const PROJECT: &str = "/src/it/.mcp.json";
const KEY: &str = "/src/it";

/// A fold of a global file and a project's, each given as JSON.
pub(super) struct Case {
    brand: Profile,
    global: Vec<u8>,
    project: Option<Vec<u8>>,
    disabled: Vec<String>,
    rejected: Vec<String>,
    reserved: Vec<String>,
    may_act: bool,
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

impl Case {
    /// A person's user-scope and local-scope servers.
    pub(super) fn of(user: Value, local: Value) -> Self {
        let global = json!({ "mcpServers": user, "projects": { KEY: { "mcpServers": local } } });
        Self::text(global.to_string())
    }

    fn text(global: impl Into<Vec<u8>>) -> Self {
        Self {
            brand: Profile::claude(),
            global: global.into(),
            project: None,
            disabled: Vec::new(),
            rejected: Vec::new(),
            reserved: Vec::new(),
            may_act: true,
        }
    }

    /// A repository's servers beside an empty global file.
    fn repository(servers: Value) -> Self {
        Self::text("{}").project(servers)
    }

    pub(super) fn project(self, servers: Value) -> Self {
        self.project_text(json!({ "mcpServers": servers }).to_string())
    }

    fn project_text(self, text: impl Into<Vec<u8>>) -> Self {
        Self { project: Some(text.into()), ..self }
    }

    fn brand(self, brand: Profile) -> Self {
        Self { brand, ..self }
    }

    pub(super) fn disabled(self, names: &[&str]) -> Self {
        Self { disabled: owned(names), ..self }
    }

    fn rejected(self, names: &[&str]) -> Self {
        Self { rejected: owned(names), ..self }
    }

    pub(super) fn reserved(self, names: &[&str]) -> Self {
        Self { reserved: owned(names), ..self }
    }

    pub(super) fn may_act(self, may_act: bool) -> Self {
        Self { may_act, ..self }
    }

    pub(super) fn try_fold(&self) -> Result<Folded, McpError> {
        let mut sources = vec![Source { scope: Scope::Local, path: GLOBAL, text: &self.global }];
        sources.extend(self.project.iter().map(|text| Source { scope: Scope::Project, path: PROJECT, text }));
        sources.push(Source { scope: Scope::User, path: GLOBAL, text: &self.global });
        let options = Options {
            brand: &self.brand,
            project_key: KEY,
            disabled: &self.disabled,
            rejected: &self.rejected,
            reserved: &self.reserved,
            may_act: self.may_act,
        };
        fold(&sources, &options)
    }

    pub(super) fn fold(&self) -> Folded {
        self.try_fold().unwrap()
    }
}

fn kept(folded: &Folded) -> Vec<(&str, Scope)> {
    folded.servers.iter().map(|server| (server.name.as_str(), server.scope)).collect()
}

fn lost(folded: &Folded) -> Vec<(&str, Scope, &str)> {
    folded.dropped.iter().map(|server| (server.name.as_str(), server.scope, server.reason)).collect()
}

/// What one repository's server comes to: its reason and detail, or nothing where it is kept.
fn verdict(name: &str, entry: Value, may_act: bool) -> Option<(&'static str, String)> {
    let folded = Case::repository(json!({ name: entry })).may_act(may_act).fold();
    assert_eq!(folded.servers.len() + folded.dropped.len(), 1);
    folded.dropped.into_iter().next().map(|server| (server.reason, server.detail))
}

#[test]
fn scopes_are_folded_in_order_and_the_later_wins_whole() {
    let case = Case::of(
        json!({"a": {"command": "u", "env": {"K": "v"}}, "b": {"command": "u"}, "c": {"command": "u"}}),
        json!({"c": {"command": "l"}, "d": {"command": "l"}}),
    )
    .project(json!({"a": {"command": "p"}, "c": {"command": "p"}, "d": {"command": "p"}}));
    let folded = case.fold();
    let commands: Vec<_> =
        folded.servers.iter().map(|server| (server.name.as_str(), server.config.to_string())).collect();
    let command = |text| json!({ "command": text }).to_string();
    assert_eq!(commands, [("b", command("u")), ("a", command("p")), ("c", command("l")), ("d", command("l"))]);
    assert_eq!(
        lost(&folded),
        [
            ("a", Scope::User, "overridden"),
            ("c", Scope::User, "overridden"),
            ("c", Scope::Project, "overridden"),
            ("d", Scope::Project, "overridden"),
        ]
    );
    assert_eq!(folded.dropped[0].detail, "the repository's counts, /src/it/.mcp.json:1");
    assert!(!folded.user_dropped, "the program lets what it is handed override");
}

#[test]
fn a_dropped_server_overrides_nothing() {
    let case =
        Case::of(json!({"a": {"command": "u"}}), json!({"a": {"comand": "l"}})).project(json!({"a": {"command": "p"}}));
    let folded = case.may_act(false).fold();
    assert_eq!(kept(&folded), [("a", Scope::User)]);
    assert_eq!(lost(&folded), [("a", Scope::Project, "acts"), ("a", Scope::Local, "invalid")]);
}

#[test]
fn the_document_holds_all_or_what_stands_beside_the_global_file() {
    let folded = Case::of(json!({"u": {"command": "u"}}), json!({"l": {"command": "l", "timeout": 1.50e2}})).fold();
    assert_eq!(
        folded.document(),
        "{\n  \"mcpServers\": {\n    \"u\": {\n      \"command\": \"u\"\n    },\n    \"l\": {\n      \"command\": \"l\",\n      \"timeout\": 150.0\n    }\n  }\n}\n"
    );
    let beside: Value = serde_json::from_str(&folded.document_beside_user()).unwrap();
    assert_eq!(beside["mcpServers"].as_object().unwrap().keys().collect::<Vec<_>>(), ["l"]);
    assert_eq!(Folded::default().document(), "{\n  \"mcpServers\": {}\n}\n");
}

#[test]
fn of_several_project_files_the_later_counts() {
    let options = Options {
        brand: &Profile::claude(),
        project_key: KEY,
        disabled: &[],
        rejected: &[],
        reserved: &[],
        may_act: true,
    };
    let root = br#"{"mcpServers":{"a":{"command":"far"},"b.c":{"command":"far"},"d":{"command":"far"}}}"#;
    let near = br#"{"mcpServers":{"a":{"command":"near"},"b_c":{"command":"near"},"d":{"command":"${X}"}}}"#;
    let files = [
        Source { scope: Scope::Project, path: "/src/it/.mcp.json", text: root },
        Source { scope: Scope::Project, path: "/src/it/sub/.mcp.json", text: near },
    ];
    let folded = fold(&files, &options).unwrap();
    let left: Vec<_> = folded.servers.iter().map(|server| (server.name.as_str(), server.source.as_str())).collect();
    let [far, near] = files.map(|file| file.path);
    assert_eq!(left, [("d", far), ("a", near), ("b_c", near)]);
    let lost: Vec<_> = folded.dropped.iter().map(|server| (server.source.as_str(), server.reason)).collect();
    assert_eq!(lost, [(far, "overridden"), (far, "duplicate-normalised"), (near, "reads-environment")]);
}

#[test]
fn the_entry_of_another_project_counts_for_nothing() {
    let global = json!({"projects": {"/src": {"mcpServers": {"a": {"command": "x"}}, "disabledMcpServers": ["b"]}},
        "mcpServers": {"b": {"command": "x"}}});
    assert_eq!(kept(&Case::text(global.to_string()).fold()), [("b", Scope::User)]);
}

#[test]
fn a_persons_entry_passes_unchanged_in_its_order() {
    let entry = json!({"zeta": 1, "type": "http", "url": "https://h/${TOKEN}", "headersHelper": "./h",
        "alwaysAllow": ["x"], "timeout": 5, "oauth": {"xaa": true, "new": 1}, "tools": [{"name": "t"}]});
    let folded = Case::of(json!({ "a": entry }), json!({})).fold();
    assert_eq!(folded.servers[0].config.to_string(), entry.to_string());
    assert!(folded.removed.is_empty());
}

#[test]
fn a_repositorys_entry_keeps_what_is_known_and_the_rest_is_listed() {
    let text = r#"{"mcpServers":{"a":{"type":"http",
"url":"https://h/x","command":"c",
"alwaysAllow":["x"],
"tools":[{"name":"t","permission_policy":"always_allow"}],
"toolPermissions":{"t":"allow"},
"oauth":{"clientId":"i","xaa":true},"timeout":5}}}"#;
    let folded = Case::text("{}").project_text(text).fold();
    let left = r#"{"type":"http","url":"https://h/x","oauth":{"clientId":"i"},"timeout":5}"#;
    assert_eq!(folded.servers[0].config.to_string(), left);
    let removed: Vec<_> = folded.removed.iter().map(|cut| (cut.member.as_str(), cut.line)).collect();
    let expected = [("command", 2), ("alwaysAllow", 3), ("tools", 4), ("toolPermissions", 5), ("oauth.xaa", 6)];
    assert_eq!(removed, expected);
}

#[test]
fn duplicate_keys_of_ours_are_noticed_and_the_last_counts() {
    let project = "{\"mcpServers\":{\"b\":{\"command\":\"1\"},\n\"b\":{\"command\":\"2\",\"command\":\"3\"}}}";
    let global = r#"{"other":1,"other":2,"mcpServers":{},"mcpServers":{}}"#;
    let folded = Case::text(global).project_text(project).fold();
    assert_eq!(folded.servers[0].config, json!({"command": "3"}));
    assert_eq!(folded.servers[0].line, 2);
    let texts: Vec<_> = folded.notices.iter().map(|notice| notice.text.split('`').nth(1).unwrap()).collect();
    assert_eq!(texts, ["mcpServers", "mcpServers.b.command", "mcpServers.b"]);
    assert!(folded.notices.iter().all(|notice| notice.kind == NoticeKind::DuplicateKey));
}

#[test]
fn nothing_at_all_is_no_fault() {
    let folded = Case::text("{}").fold();
    assert_eq!(folded, Folded::default());
    assert_eq!(Case::text(r#"{"mcpServers":null,"projects":{}}"#).fold(), Folded::default());
}
