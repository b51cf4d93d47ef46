//! Containment on the real program: its own hook before every call of a tool.

use std::fs;

use serde_json::json;
use winter_tests::agent::{Agent, Reply, in_order};

use crate::sessions::run;

#[test]
fn a_call_that_names_what_is_protected_is_refused_by_the_sessions_own_hook() {
    let Some(agent) = Agent::new(in_order([])) else { return };
    let secret = agent.beside("winter/cache/quarantine/kept");
    fs::create_dir_all(secret.parent().unwrap()).unwrap();
    fs::write(&secret, "secret-of-the-person").unwrap();
    let command = format!("cat {}", secret.display());
    let script = || in_order([Reply::call("Bash", json!({"command": command, "description": "look"}))]);
    let turn = agent.turn("look").sources(None).args(["--allowedTools", "Bash"]);
    // The control: without it the command runs.
    agent.server().script(script());
    let ended = run(&agent, &turn, &[]).well();
    assert!(ended.stdout.contains("secret-of-the-person"), "{}", ended.stdout);
    agent.server().script(script());
    let ended = run(&agent, &turn, &["--containment"]).well();
    assert!(!ended.stdout.contains("secret-of-the-person"), "{}", ended.stdout);
    assert!(ended.stdout.contains("winter[winter-"), "{}", ended.stdout);
}

#[test]
fn an_ordinary_command_runs_under_containment() {
    let Some(agent) = Agent::new(in_order([])) else { return };
    let command = "echo reached-the-shell";
    agent.server().script(in_order([Reply::call("Bash", json!({"command": command, "description": "say"}))]));
    let turn = agent.turn("say").sources(None).args(["--allowedTools", "Bash"]);
    let ended = run(&agent, &turn, &["--containment"]).well();
    assert!(ended.stdout.contains("reached-the-shell"), "{}", ended.stdout);
}

#[test]
fn what_switches_hooks_off_is_refused() {
    let Some(agent) = Agent::new(in_order([])) else { return };
    for argument in ["--bare", "--safe-mode"] {
        let turn = agent.turn("say").sources(None).args([argument]);
        let ended = run(&agent, &turn, &["--containment"]);
        assert!(ended.stderr.contains("containment-switched-off"), "{argument}: {}", ended.stderr);
        assert_eq!(agent.server().requests().len(), 0, "{argument}");
    }
}
