//! The program on a run home: what reaches the model, what acts, and what does neither.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use winter_runner::{Brand, Config, Grants, Powers, RunHome, RunHomeInput, Runner};
use winter_tests::agent::{Agent, Ended, Reply, in_order};

/// A person's config folder and a repository with a carrier of each kind; whatever runs leaves a marker.
pub(crate) fn scene(agent: &Agent) {
    let marker = |name: &str| format!("touch {}", agent.beside("marks").join(name).display());
    fs::create_dir(agent.beside("marks")).unwrap();
    let write = |path: &Path, text: &str| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let hook = |name: &str| json!({"SessionStart": [{"hooks": [{"type": "command", "command": marker(name)}]}]});
    let own = agent.config();
    write(&own.join("CLAUDE.md"), "The person likes tea-of-the-person. @notes.md\n");
    write(&own.join("notes.md"), "note-of-the-person\n");
    write(&own.join("settings.json"), &json!({"hooks": hook("own-hook")}).to_string());
    write(&own.join("agents/mine.md"), "---\nname: mine\ndescription: agent-of-the-person\n---\nDo.\n");
    write(&own.join("skills/my-skill/SKILL.md"), "---\nname: my-skill\ndescription: skill-of-the-person\n---\nDo.\n");
    write(&own.join("rules/own.md"), "rule-of-the-person\n");

    let work = agent.work();
    let text = "project-says-this @docs/in.md @../secret.txt and `@docs/code.md`\n\n- ` @docs/item.md `\n\n<!-- \n";
    write(&work.join("CLAUDE.md"), text);
    for name in ["in", "code", "item"] {
        write(&work.join(format!("docs/{name}.md")), &format!("imported-{name}\n"));
    }
    write(&agent.beside("secret.txt"), "secret-of-the-machine\n");
    write(&work.join("sub/CLAUDE.md"), "nested-says-this @../../secret.txt\n");
    write(&work.join("sub/.claude/CLAUDE.md"), "hidden-says-this\n");
    write(&work.join("sub/.claude/rules/r.md"), "hidden-rule-says-this\n");
    write(&work.join("sub/file.txt"), "x\n");
    write(&work.join(".claude/rules/always.md"), "rule-of-the-project\n");
    write(&work.join(".claude/rules/sub.md"), "---\npaths: sub/**\n---\nrule-for-sub\n");
    write(&work.join(".claude/settings.json"), &json!({"hooks": hook("project-hook")}).to_string());
    let header = |name: &str| format!("---\nname: {name}\ndescription: {name}-of-the-project\n");
    let hooks = format!("hooks: {}\n", hook("item-hook"));
    write(&work.join(".claude/agents/theirs.md"), &format!("{}{hooks}---\nDo.\n", header("theirs")));
    let skill =
        format!("{}{hooks}allowed-tools: Bash(*)\n---\nSay !`{}` now\n", header("their-skill"), marker("shell"));
    write(&work.join(".claude/skills/their-skill/SKILL.md"), &skill);
    let plugin = json!({"name": "p", "hooks": hook("plugin-hook")}).to_string();
    write(&work.join(".claude/skills/their-skill/.claude-plugin/plugin.json"), &plugin);
    let server = json!({"mcpServers": {"s": {"command": "touch", "args": [agent.beside("marks").join("server")]}}});
    write(&work.join(".mcp.json"), &server.to_string());
}

pub(crate) fn marks(agent: &Agent) -> Vec<String> {
    let names = fs::read_dir(agent.beside("marks")).unwrap();
    let mut names: Vec<String> = names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn built(agent: &Agent, powers: Powers) -> RunHome {
    let mut input = RunHomeInput::new(agent.beside("winter"), agent.work());
    input.shared_home = agent.config();
    input.trusted_project_root = Some(agent.work());
    input.user_home = Some(agent.beside("home"));
    input.brand = Brand::Claude;
    input.powers = powers;
    let grants = Grants::for_run_homes(input.reads());
    Runner::new(Config { grants, ..Config::default() }).unwrap().build_run_home(&input).unwrap()
}

fn on(agent: &Agent, home: &RunHome, prompt: &str) -> Ended {
    let config = home.plan.mcp_config.as_ref().map(|config| home.dir.join(&config.entry)).unwrap();
    agent
        .turn(prompt)
        .config(&home.dir)
        .sources(Some("user"))
        .args([Path::new("--mcp-config"), config.as_path()])
        .run()
        .well()
}

/// The requests of the main loop, as text.
pub(crate) fn said(agent: &Agent) -> Vec<String> {
    agent.server().turns().iter().map(Value::to_string).collect()
}

pub(crate) fn reading(file: &Path) -> impl FnMut(&winter_tests::agent::Request) -> Option<Reply> + Send + 'static {
    in_order([Reply::call("Read", json!({"file_path": file}))])
}

#[test]
fn with_its_default_sources_the_repository_acts() {
    let Some(agent) = Agent::new(in_order([])) else { return };
    scene(&agent);
    let _ended = agent.turn("go").sources(None).run().well();
    assert!(marks(&agent).contains(&"project-hook".to_owned()), "{:?}", marks(&agent));
}

#[test]
fn on_a_run_home_nothing_of_it_acts_and_its_words_arrive() {
    let Some(agent) = Agent::new(in_order([])) else { return };
    scene(&agent);
    agent.server().script(reading(&agent.work().join("sub/file.txt")));
    let home = built(&agent, Powers::Drop);
    let ended = on(&agent, &home, "read it");
    assert_eq!(marks(&agent), ["own-hook"]);
    let said = said(&agent);
    for word in [
        "tea-of-the-person",
        "note-of-the-person",
        "rule-of-the-person",
        "project-says-this",
        "imported-in",
        "imported-item",
        "rule-of-the-project",
        "agent-of-the-person",
        "theirs-of-the-project",
        "skill-of-the-person",
        "their-skill-of-the-project",
    ] {
        assert!(said[0].contains(word), "{word}: {}", said[0]);
    }
    for word in ["imported-code", "secret-of-the-machine", "nested-says-this", "rule-for-sub"] {
        assert!(!said[0].contains(word), "{word}");
    }
    // Once a file of that folder is read, what is said there arrives.
    for word in ["nested-says-this", "rule-for-sub", "hidden-says-this", "hidden-rule-says-this"] {
        assert!(said[1].contains(word), "{word}");
    }
    assert!(!said.iter().any(|request| request.contains("secret-of-the-machine")));
    // The transcript stands in the person's own folder, and the links still are links.
    assert!(agent.transcript(ended.session()).is_file());
    for link in ["projects", "agents/mine.md", "skills/my-skill"] {
        assert!(home.dir.join(link).is_symlink(), "{link}");
    }
    home.dispose().unwrap();
    assert!(agent.transcript(ended.session()).is_file() && agent.config().join("skills/my-skill/SKILL.md").is_file());
}

#[test]
fn a_skill_of_the_project_says_its_command_and_does_not_run_it() {
    let Some(agent) = Agent::new(in_order([Reply::call("Skill", json!({"skill": "their-skill"}))])) else { return };
    scene(&agent);
    let home = built(&agent, Powers::Drop);
    let _ended = on(&agent, &home, "go");
    assert_eq!(marks(&agent), ["own-hook"]);
    let said = said(&agent);
    assert!(said.iter().any(|request| request.contains("now") && request.contains("marks/shell")), "{said:?}");
}

#[test]
fn with_powers_kept_the_repository_acts_as_the_host_wants() {
    let Some(agent) = Agent::new(in_order([])) else { return };
    scene(&agent);
    let home = built(&agent, Powers::Keep);
    let _ended = on(&agent, &home, "go");
    let marks = marks(&agent);
    for mark in ["own-hook", "project-hook", "server"] {
        assert!(marks.contains(&mark.to_owned()), "{mark}: {marks:?}");
    }
    assert!(!marks.contains(&"plugin-hook".to_owned()), "{marks:?}");
}
