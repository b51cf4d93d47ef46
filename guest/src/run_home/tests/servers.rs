//! MCP servers of the three scopes, and where they are written.

use super::*;
use crate::testing::test;

const GLOBAL: &str = r#"{
  "mcpServers": {"mine": {"command": "a"}, "bad..name": {"command": "b"}},
  "projects": {"/src/it": {"mcpServers": {"here": {"command": "c"}}}}
}"#;

fn world() -> World {
    let world = World::with("/src/it/.mcp.json", r#"{"mcpServers":{"theirs":{"command":"evil"}}}"#);
    world.memory.file("/home/me/.winter/sdk/.winter.json", GLOBAL);
    world
}

fn servers(plan: &Plan, path: &str) -> Vec<String> {
    let document: serde_json::Value = serde_json::from_str(&text(plan, path)).unwrap();
    document["mcpServers"].as_object().unwrap().keys().cloned().collect()
}

#[test]
fn brand_winter_finds_them_in_its_own_global_file() {
    let mut world = world();
    let plan = world.plan();
    assert_eq!(servers(&plan, ".winter.json"), ["mine", "bad..name", "here"]);
    assert_eq!(plan.mcp_config, None);
    let [dropped] = plan.report.dropped_mcp_servers.as_slice() else { panic!("{:?}", plan.report) };
    assert_eq!((&*dropped.name, &*dropped.reason, dropped.line), ("theirs", "acts", Some(1)));
    world.input.powers = Powers::Keep;
    assert_eq!(servers(&world.plan(), ".winter.json"), ["mine", "bad..name", "theirs", "here"]);
}

#[test]
fn brand_claude_is_told_of_a_file_and_keeps_the_persons_own() {
    let mut world = world();
    world.input.brand = Profile::claude();
    world.memory.file("/home/me/.claude.json", GLOBAL);
    let places = Places { global_home: Some(world.memory.grant("/home/me")), ..world.places() };
    let plan = build(&world.input, &places, &world.git, &Still(0)).unwrap();
    assert_eq!(link(&plan, ".claude.json"), "/home/me/.claude.json");
    assert_eq!(servers(&plan, "mcp.json"), ["here"]);
    assert_eq!(plan.mcp_config, Some(McpConfig { entry: "mcp.json".into(), strict: false }));
    world.input.reserved_mcp_server_names = vec!["bad__name".into()];
    let plan = build(&world.input, &places, &world.git, &Still(0)).unwrap();
    assert_eq!(servers(&plan, "mcp.json"), ["mine", "here"]);
    assert_eq!(plan.mcp_config, Some(McpConfig { entry: "mcp.json".into(), strict: true }));
}

#[test]
fn the_local_scope_holds_for_an_untrusted_folder_too() {
    let world = world();
    let places = Places { trusted_root: None, ..world.places() };
    let plan = build(&world.input, &places, &world.git, &Still(0)).unwrap();
    assert_eq!(servers(&plan, ".winter.json"), ["mine", "bad..name", "here"]);
    assert!(plan.report.dropped_mcp_servers.is_empty());
}

#[test]
fn a_global_file_of_the_persons_own_that_cannot_be_used_is_an_error() {
    let world = world();
    world.memory.file("/home/me/.winter/sdk/.winter.json", "{");
    let refusal = Refusal::from(world.build().unwrap_err());
    assert_eq!((refusal.kind, refusal.line), (RefusalKind::UnusableSettings, Some(1)));
    world.memory.put("/home/me/.winter/sdk/.winter.json", Stored::Unreadable);
    let refusal = Refusal::from(world.build().unwrap_err());
    assert_eq!(refusal.source.as_deref(), Some("/home/me/.winter/sdk/.winter.json"));
}

#[test]
fn a_project_file_that_cannot_be_used_is_skipped() {
    let world = world();
    world.memory.file("/src/it/.mcp.json", "{ // no\n}");
    assert_eq!(skipped(&world.plan()), [("/src/it/.mcp.json", SkipReason::Unusable)]);
}

#[test]
fn servers_that_the_persons_settings_reject_stay_out() {
    let mut world = world();
    world.input.powers = Powers::Keep;
    world.memory.file("/home/me/.winter/sdk/settings.json", r#"{"disabledMcpjsonServers":["theirs"]}"#);
    let plan = world.plan();
    assert!(!servers(&plan, ".winter.json").contains(&"theirs".to_owned()));
    assert_eq!(plan.report.dropped_mcp_servers[0].reason, "disabled");
}
