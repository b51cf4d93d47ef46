//! The program's sandbox of shell commands: what winter writes into its lists, and why a rule alone is not enough.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use winter_policy::brand::{SandboxGrammar, Spelling};
use winter_policy::escape::{SandboxList, SandboxSpelling, rule_path, sandbox_path};
use winter_tests::agent::{Agent, Reply, in_order};

const NAMES: &[&str] = &[
    "plain",
    "[wip] app",
    "Project (old)",
    "a+b",
    "a^b",
    "a$b",
    "a|b",
    r"back\slash",
    "!bang",
    "#hash",
    "{x,y}",
    "a]b",
    "a[b",
];

/// The programs that the sandbox is made of; a remark where they are missing, or the machine does not let them work.
fn has_sandbox() -> bool {
    let works = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
    };
    let works = works("bwrap", &["--ro-bind", "/", "/", "--unshare-net", "true"]) && works("socat", &["-V"]);
    if !works {
        println!("skipped: bubblewrap and socat are not installed, or do not work here");
    }
    works
}

fn settings(filesystem: &Value, deny: &[String]) -> String {
    json!({
        "sandbox": {"enabled": true, "failIfUnavailable": true, "autoAllowBashIfSandboxed": true,
            "allowUnsandboxedCommands": false, "enableWeakerNestedSandbox": true, "filesystem": filesystem},
        "permissions": {"deny": deny},
    })
    .to_string()
}

/// The outputs of these commands in one turn with these settings.
fn commands(agent: &Agent, settings: &str, commands: &[String]) -> Vec<(bool, String)> {
    fs::write(agent.config().join("settings.json"), settings).unwrap();
    let calls = commands.iter().map(|command| Reply::call("Bash", json!({"command": command, "description": "look"})));
    agent.server().script(in_order(calls));
    let results = agent.turn("go").run().well().tool_results();
    assert_eq!(results.len(), commands.len());
    results.into_iter().map(|(_, failed, text)| (failed, text)).collect()
}

fn quoted(path: &std::path::Path) -> String {
    format!("'{}'", path.to_str().unwrap())
}

#[test]
fn a_deny_protects_against_a_redirection_where_the_sandbox_has_it_too() {
    if !has_sandbox() {
        return;
    }
    let Some(agent) = Agent::new(in_order([])) else { return };
    let (mut rules, mut entries, mut reads) = (Vec::new(), Vec::new(), Vec::new());
    for name in NAMES {
        let folder = agent.work().join(name);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("s"), "secret\n").unwrap();
        let folder = folder.to_str().unwrap();
        rules.push(format!("Read(/{}/**)", rule_path(folder, Spelling::Hex)));
        match sandbox_path(folder, SandboxList::DenyRead, SandboxGrammar::WritesLiteral) {
            SandboxSpelling::Exact(entry) => entries.push(entry),
            other => panic!("{name}: {other:?}"),
        }
        reads.push(format!("cat < {}", quoted(&agent.work().join(name).join("s"))));
    }
    // The control: a rule whose path is escaped does not reach the sandbox.
    for (name, (failed, text)) in NAMES.iter().zip(commands(&agent, &settings(&json!({}), &rules), &reads)) {
        let is_escaped = rule_path(name, Spelling::Hex) != *name;
        assert_eq!((failed, text.contains("secret")), (!is_escaped, is_escaped), "{name}: {text}");
    }
    let denied = settings(&json!({"denyRead": entries}), &rules);
    for (name, (failed, text)) in NAMES.iter().zip(commands(&agent, &denied, &reads)) {
        assert!(failed && !text.contains("secret"), "{name}: {text}");
    }
}

#[test]
fn what_winter_composes_of_a_persons_deny_protects_against_a_redirection() {
    if !has_sandbox() {
        return;
    }
    let Some(agent) = Agent::new(in_order([])) else { return };
    let own = agent.beside("own [of] mine");
    fs::create_dir(&own).unwrap();
    fs::write(own.join("s"), "secret\n").unwrap();
    fs::write(own.join("open"), "open\n").unwrap();
    let rule = format!("Read(/{}/s)", rule_path(own.to_str().unwrap(), Spelling::Hex));
    fs::write(agent.config().join("settings.json"), settings(&json!({}), &[rule])).unwrap();
    let read = |name: &str| {
        Reply::call("Bash", json!({"command": format!("cat < {}", quoted(&own.join(name))), "description": "look"}))
    };
    agent.server().script(in_order([read("s"), read("open")]));
    let ended = crate::sessions::run(&agent, &agent.turn("go").sources(None), &[]).well();
    let results = ended.tool_results();
    assert!(results[0].1 && !results[0].2.contains("secret"), "{results:?}");
    assert!(!results[1].1 && results[1].2.contains("open"), "{results:?}");
}
