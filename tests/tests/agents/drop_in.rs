//! Brand claude as a drop-in on a person's own machine: what is theirs goes on working under `winter run`.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use winter_tests::agent::{Agent, Block, Reply, Request, Running, in_order};

use crate::run_homes::{marks, scene};
use crate::sessions::run;

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The program with these arguments, on the person's own config folder.
fn program(agent: &Agent, arguments: &[&str]) {
    let mut command = Command::new(agent.program());
    command.args(arguments).env_clear().envs(agent.environment()).current_dir(agent.work());
    let _ended = Running::start(agent.server().island(), command, None).wait(Duration::from_mins(1)).well();
}

#[test]
fn the_persons_own_servers_start_and_the_projects_do_not() {
    let Some(agent) = Agent::new(in_order([])) else { return };
    scene(&agent);
    let server = |name: &str| json!({"command": "touch", "args": [agent.beside("marks").join(name)]});
    let work = agent.work();
    let global = json!({
        "mcpServers": {"mine": server("own-server")},
        "projects": {work.to_str().unwrap(): {"mcpServers": {"here": server("own-server-here")}}},
    });
    write(&agent.config().join(".claude.json"), &global.to_string());
    let _ended = run(&agent, &agent.turn("go").sources(None), &[]).well();
    assert_eq!(marks(&agent), ["own-hook", "own-server", "own-server-here"]);
    let now: Value = serde_json::from_slice(&fs::read(agent.config().join(".claude.json")).unwrap()).unwrap();
    assert_eq!(now["mcpServers"], global["mcpServers"]);
    assert!(agent.config().join(".claude.json").symlink_metadata().unwrap().is_file());
}

#[test]
fn the_persons_own_plugin_acts_as_before() {
    let Some(agent) = Agent::new(in_order([])) else { return };
    scene(&agent);
    let market = agent.beside("market");
    write(
        &market.join(".claude-plugin/marketplace.json"),
        &json!({"name": "market", "owner": {"name": "me"}, "plugins": [{"name": "mine", "source": "./mine"}]})
            .to_string(),
    );
    write(&market.join("mine/.claude-plugin/plugin.json"), r#"{"name": "mine", "version": "1.0.0"}"#);
    let command = format!("touch {}", agent.beside("marks/own-plugin").display());
    let hooks = json!({"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": command}]}]}});
    write(&market.join("mine/hooks/hooks.json"), &hooks.to_string());
    write(&market.join("mine/commands/by-plugin.md"), "---\ndescription: command-of-the-plugin\n---\nDo.\n");
    program(&agent, &["plugin", "marketplace", "add", market.to_str().unwrap()]);
    program(&agent, &["plugin", "install", "mine@market"]);
    // The control: by itself.
    let _ended = agent.turn("go").run().well();
    assert_eq!(marks(&agent), ["own-hook", "own-plugin"]);
    for mark in marks(&agent) {
        fs::remove_file(agent.beside("marks").join(mark)).unwrap();
    }
    let ended = run(&agent, &agent.turn("go").sources(None), &[]).well();
    assert_eq!(marks(&agent), ["own-hook", "own-plugin"]);
    assert!(ended.init()["slash_commands"].to_string().contains("by-plugin"), "{}", ended.init());
}

/// Writes the plan's file, whose place is in what the program says to the model.
fn planning() -> impl FnMut(&Request) -> Option<Reply> + Send + 'static {
    let mut asked = false;
    move |request| {
        if asked || !request.body["tools"].is_array() {
            return None;
        }
        asked = true;
        let text = request.body.to_string();
        let at = text.find("/plans/").expect("the program names the plan's file");
        let begin = text[..at].rfind(|one: char| one.is_whitespace() || "`\"'(".contains(one)).unwrap() + 1;
        let end = at + text[at..].find(".md").unwrap() + 3;
        Some(Reply::call("Write", json!({"file_path": text[begin..end], "content": "the-plan-of-the-session"})))
    }
}

#[test]
fn a_plan_is_written_where_plans_are_kept() {
    let Some(agent) = Agent::new(in_order([])) else { return };
    let turn = agent.turn("plan it").sources(None).args(["--permission-mode", "plan"]);
    let plans = || {
        let plans = fs::read_dir(agent.config().join("plans")).into_iter().flatten().map(|entry| entry.unwrap().path());
        plans.map(|path| fs::read_to_string(path).unwrap()).collect::<Vec<String>>()
    };
    // By itself, and under winter.
    agent.server().script(planning());
    let alone = turn.run().well().tool_results();
    assert_eq!(plans(), ["the-plan-of-the-session"], "{alone:?}");
    agent.server().script(planning());
    let results = run(&agent, &turn, &[]).well().tool_results();
    assert_eq!(plans(), ["the-plan-of-the-session"; 2], "{results:?}");
}

#[test]
fn a_session_writes_plans_and_memory_in_its_run_folder_and_nothing_that_acts() {
    let Some(agent) = Agent::new(in_order([])) else { return };
    scene(&agent);
    let runs = agent.beside("winter/cache/runs");
    let names = [
        ("plans/a-plan.md", true),
        ("agent-memory/mine/MEMORY.md", true),
        ("projects/-src-it/memory/MEMORY.md", true),
        ("projects/-src-it/0198.jsonl", false),
        ("settings.json", false),
        ("settings.local.json", false),
        (".claude.json", false),
        ("CLAUDE.md", false),
        ("agents/evil.md", false),
        ("skills/evil/SKILL.md", false),
        ("plugins/evil.json", false),
        ("workflows/evil.js", false),
    ];
    let mut asked = false;
    agent.server().script(move |request| {
        if asked || !request.body["tools"].is_array() {
            return None;
        }
        asked = true;
        let run = fs::read_dir(&runs).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.is_dir()).unwrap();
        let write =
            |(name, _): (&str, bool)| Block::call("Write", json!({"file_path": run.join(name), "content": "x"}));
        Some(Reply::blocks(names.map(write)))
    });
    // Everything that is not denied is allowed, so that the denies alone decide.
    let turn = agent.turn("go").sources(None).args(["--permission-mode", "bypassPermissions"]);
    let turn = turn.env("IS_SANDBOX", "1");
    let ended = run(&agent, &turn, &["--env", "IS_SANDBOX"]).well();
    let results = ended.tool_results();
    assert_eq!(results.len(), names.len(), "{results:?}");
    for ((name, open), (_, failed, text)) in names.iter().zip(&results) {
        assert_eq!(*failed, !open, "{name}: {text}");
        // One that stands is to be read first; that is said after the rules were asked.
        assert!(*open || text.contains("denied by your permission settings"), "{name}: {text}");
    }
}
