//! What files of servers carry.

use std::fs;

use serde_json::{Value, json};
use winter_runner::runs::Change;
use winter_runner::{Grants, Powers};
use winter_tests::scene::runner;

use crate::fixture::{Attack, Built, MARK, attacks};

/// The servers of a run folder that the repository could have put there.
fn servers(attack: &Attack, built: &Built) -> Value {
    let file = if attack.is_winter() { ".winter.json" } else { "mcp.json" };
    let document: Value = serde_json::from_str(&built.text(file).expect("the file of servers")).unwrap();
    document["mcpServers"].clone()
}

pub(crate) fn cve_2025_54135_servers_that_appear_later() {
    for attack in attacks(&[("README", "nothing yet\n")]) {
        let input = attack.input(Powers::Keep);
        let first = attack.build(&input);
        first.tells(&attack, &[]);
        let before = first.everything();
        // What a session may write into its project, one file for each that was absent.
        attack.put(".mcp.json", "{\"mcpServers\": {\n  \"new\": {\"command\": \"%MARK\"}}}");
        attack.put("%DIR/settings.json", "{\n\"apiKeyHelper\": \"%MARK\"}");
        attack.put("%DIR/agents/new.md", "---\nname: new\ndescription: d\nhooks: {Stop: %MARK}\n---\n");
        attack.put("%DIR/skills/new/SKILL.md", "---\nallowed-tools: %MARK\n---\n");
        assert_eq!(first.everything(), before);
        // The next session starts without it, and says so.
        let second = attack.dropped(&[
            "dropped-mcp-servers .mcp.json:2 new | %MARK (acts)",
            "dropped-rules %DIR/settings.json:2 apiKeyHelper: %MARK (acts-command)",
            "removed-powers %DIR/agents/new.md:4 hooks | {\"Stop\": \"%MARK\"} (acts-command)",
            "removed-powers %DIR/skills/new/SKILL.md:2 allowed-tools | %MARK (acts-permission)",
        ]);
        assert_eq!(servers(&attack, &second), json!({}));
    }
}

pub(crate) fn cve_2025_54136_an_entry_edited_after_it_was_read() {
    let mild = r#"{"mcpServers": {"tool": {"command": "mild"}}}"#;
    for attack in attacks(&[(".mcp.json", mild)]) {
        let input = attack.input(Powers::Keep);
        let built = attack.build(&input);
        assert_eq!(servers(&attack, &built), json!({"tool": {"command": "mild"}}));
        let before = built.everything();
        attack.put(".mcp.json", r#"{"mcpServers": {"tool": {"command": "%MARK"}}}"#);
        assert_eq!(built.everything(), before, "the run folder is what was read when it was built");
        // What a further build would change can be asked for.
        let found = runner(Grants::for_run_homes(input.reads())).diff_run_home(&input, &built.plan.run_id).unwrap();
        let changed: Vec<_> = found.entries.iter().map(|one| (one.path.as_str(), one.change)).collect();
        let file = if attack.is_winter() { ".winter.json" } else { "mcp.json" };
        assert_eq!(changed, [(file, Change::Changed)]);
        assert!(format!("{:?}", found.entries).contains(MARK));
    }
}

pub(crate) fn cve_2025_68433_servers_started_on_open() {
    let files = [
        (".zed/settings.json", r#"{"context_servers": {"a": {"command": "%MARK"}}}"#),
        (
            "%DIR/settings.json",
            "{\n\"context_servers\": {\"a\": {\"command\": \"%MARK\"}},\n\"mcpServers\": {\"b\": {\"command\": \"%MARK\"}}}",
        ),
        (".mcp.json", "{\"mcpServers\": {\n\"c\": {\"command\": \"%MARK\"}}}"),
        ("%DIR/.mcp.json", r#"{"mcpServers": {"d": {"command": "%MARK"}}}"#),
        ("%DIR/mcp.json", r#"{"mcpServers": {"e": {"command": "%MARK"}}}"#),
        ("%DIR/%DIR.json", r#"{"mcpServers": {"f": {"command": "%MARK"}}}"#),
        ("%DIR.json", r#"{"mcpServers": {"g": {"command": "%MARK"}}}"#),
    ];
    for attack in attacks(&files) {
        attack.dropped(&[
            "dropped-rules %DIR/settings.json:2 context_servers.a.command: %MARK (unclassified)",
            "dropped-rules %DIR/settings.json:3 mcpServers.b.command: %MARK (unclassified)",
            "dropped-mcp-servers .mcp.json:2 c | %MARK (acts)",
            "skipped-items %DIR/.mcp.json (not-carried)",
            "skipped-items %DIR/mcp.json (not-carried)",
            "skipped-items %DIR/%DIR.json (not-carried)",
        ]);
        // Where the repository decides, the one file that the runtime reads, and no other.
        let kept = attack.build(&attack.input(Powers::Keep));
        assert_eq!(servers(&attack, &kept), json!({"c": {"command": MARK}}));
        for (path, bytes) in kept.everything() {
            let count = String::from_utf8_lossy(&bytes).matches(MARK).count();
            assert_eq!(count, usize::from(path == ".winter.json" || path == "mcp.json"), "{path}");
        }
    }
}

pub(crate) fn trustfall_every_server_of_a_repository_at_once() {
    let listed = r#"{"mcpServers": {
  "one": {"command": "npx", "args": ["-y", "%MARK"], "env": {"MODE": "x y"}},
  "two": {"type": "http", "url": "https://%MARK.example/mcp", "headers": {"X-Key": "%MARK"}},
  "three": {"type": "sse", "url": "https://%MARK.example/${HOME}"},
  "four": {"type": "http", "url": "https://%MARK.example/", "headersHelper": "./%MARK"}
}}"#;
    let deeper = "{\"mcpServers\": {\n  \"five\": {\"command\": \"%MARK\"}}}";
    let settings = "{\n\"enableAllProjectMcpServers\": true}";
    let files = [(".mcp.json", listed), ("pkg/.mcp.json", deeper), ("%DIR/settings.json", settings)];
    for attack in attacks(&files) {
        // Each with what it would run or connect to, and where it stands; below the working folder a file is named alone.
        let below = "skipped-items pkg/.mcp.json (nested-not-carried)";
        let mut expected = vec![
            "dropped-mcp-servers .mcp.json:2 one | MODE='x y' npx -y %MARK (acts)",
            "dropped-mcp-servers .mcp.json:3 two | https://%MARK.example/mcp with the headers X-Key (acts)",
            "dropped-mcp-servers .mcp.json:4 three | https://%MARK.example/${HOME} (acts)",
            "dropped-mcp-servers .mcp.json:5 four | https://%MARK.example/ with the headers that `./%MARK` prints (acts)",
            "dropped-rules %DIR/settings.json:2 enableAllProjectMcpServers: true (acts-permission)",
        ];
        let built = attack.dropped(&[&expected[..], &[below]].concat());
        assert_eq!(servers(&attack, &built), json!({}));
        // In the folder itself it is looked into.
        expected.push("dropped-mcp-servers pkg/.mcp.json:2 five | %MARK (acts)");
        let mut input = attack.input(Powers::Drop);
        input.cwd = attack.scene.top.join("pkg");
        let built = attack.build(&input);
        built.tells(&attack, &expected);
        built.holds_no(MARK);
        // What reads the person's variables never starts.
        attack.kept(&[
            "dropped-mcp-servers .mcp.json:4 three | HOME (reads-environment)",
            "dropped-mcp-servers .mcp.json:5 four | every variable of the session, through `headersHelper` (reads-environment)",
            below,
        ]);
    }
}

pub(crate) fn changes_2_1_196_looking_is_filtered_as_running_is() {
    let settings = "{\n\"enableAllProjectMcpServers\": true}";
    let listed = "{\"mcpServers\": {\n\"a\": {\"command\": \"%RUN\", \"args\": [\"%MARK\"]}}}";
    for attack in attacks(&[("%DIR/settings.json", settings), (".mcp.json", listed)]) {
        let built = attack.dropped(&[
            "dropped-rules %DIR/settings.json:2 enableAllProjectMcpServers: true (acts-permission)",
            "dropped-mcp-servers .mcp.json:2 a | %RUN %MARK (acts)",
        ]);
        // Whatever looks at the repository reports the same, and starts nothing.
        let planned = crate::programs::winter(&attack, &["plan", "--json"]);
        assert_eq!(planned["report"], winter_tests::scene::report(&built.plan));
        crate::programs::winter(&attack, &["inspect", "--json"]);
        crate::programs::winter(&attack, &["runs", "--json"]);
        attack.assert_nothing_ran();
    }
}

pub(crate) fn cve_2026_30615_a_local_server_that_nobody_started() {
    let listed = r#"{"mcpServers": {
  "local": {"type": "http", "url": "http://127.0.0.1:9/%MARK"},
  "socket": {"type": "ws", "url": "ws://localhost:9/%MARK"},
  "both": {"command": "%MARK", "url": "http://127.0.0.1:9/"},
  "winter": {"command": "%MARK"},
  "shared": {"command": "%MARK"},
  "SHARED": {"command": "%MARK"}
}}"#;
    for attack in attacks(&[(".mcp.json", listed)]) {
        let global = attack.scene.beside(&attack.spelt("shared/%DIR.json"));
        fs::write(global, r#"{"mcpServers": {"shared": {"command": "mine"}}}"#).unwrap();
        let mut input = attack.input(Powers::Drop);
        input.reserved_mcp_server_names = vec!["winter".to_owned()];
        let built = attack.build(&input);
        built.holds_no(MARK);
        built.tells(
            &attack,
            &[
                "dropped-mcp-servers .mcp.json:2 local | http://127.0.0.1:9/%MARK (acts)",
                "dropped-mcp-servers .mcp.json:3 socket | ws://localhost:9/%MARK (acts)",
                "dropped-mcp-servers .mcp.json:4 both | %MARK (acts)",
                "dropped-mcp-servers .mcp.json:5 winter | the host has a server whose tools are called `winter` (reserved-name)",
                "dropped-mcp-servers .mcp.json:6 shared | %MARK (acts)",
                "dropped-mcp-servers .mcp.json:7 SHARED | %MARK (acts)",
            ],
        );
        if attack.is_winter() {
            assert_eq!(servers(&attack, &built), json!({"shared": {"command": "mine"}}));
        }
    }
}
