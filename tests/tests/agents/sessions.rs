//! The program under `winter run`, as a person uses it.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use winter_tests::agent::{Agent, Ended, Reply, Running, Turn, in_order};
use winter_tests::winter;

use crate::run_homes::{marks, reading, said, scene};

/// A turn under `winter run`, with more flags of its own.
fn start(agent: &Agent, turn: &Turn<'_>, flags: &[&str]) -> Running {
    let text = |path: PathBuf| path.to_str().unwrap().to_owned();
    let (home, project) = (text(agent.beside("winter")), text(agent.work()));
    let program = agent.program().to_str().unwrap();
    let mut before = vec!["run", "--home", &home, "--project", &project];
    // Where the tests' program puts its own files, and how often it tries again.
    before.extend(["--review-env", "CLAUDE_CODE_TMPDIR", "--env", "CLAUDE_CODE_MAX_RETRIES"]);
    before.extend(flags);
    before.extend(["--", program]);
    turn.start_by(winter(), before)
}

pub(crate) fn run(agent: &Agent, turn: &Turn<'_>, flags: &[&str]) -> Ended {
    start(agent, turn, flags).wait(Duration::from_mins(1))
}

/// The run folders that stand.
fn standing(agent: &Agent) -> Vec<PathBuf> {
    let entries = fs::read_dir(agent.beside("winter/cache/runs")).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect()
}

#[test]
fn under_winter_nothing_of_a_repository_acts_in_any_mode() {
    for mode in ["default", "acceptEdits", "plan"] {
        let Some(agent) = Agent::new(in_order([])) else { return };
        scene(&agent);
        agent.server().script(reading(&agent.work().join("sub/file.txt")));
        let turn = agent.turn("read it").sources(None).args(["--permission-mode", mode]);
        let ended = run(&agent, &turn, &[]).well();
        assert_eq!(marks(&agent), ["own-hook"], "{mode}");
        let said = said(&agent);
        for word in ["tea-of-the-person", "project-says-this", "rule-of-the-project", "their-skill-of-the-project"] {
            assert!(said[0].contains(word), "{mode} {word}");
        }
        assert!(said[1].contains("nested-says-this"), "{mode}");
        assert!(agent.transcript(ended.session()).is_file(), "{mode}");
        assert!(standing(&agent).is_empty(), "{mode}: a run home goes when its session has ended");
    }
}

#[test]
fn with_powers_kept_the_projects_hook_runs() {
    let Some(agent) = Agent::new(in_order([])) else { return };
    scene(&agent);
    let _ended = run(&agent, &agent.turn("go").sources(None), &["--powers", "keep"]).well();
    let marks = marks(&agent);
    assert!(marks.contains(&"project-hook".to_owned()) && marks.contains(&"own-hook".to_owned()), "{marks:?}");
}

#[test]
fn a_session_goes_on_from_another_run_and_the_login_is_the_persons() {
    let Some(agent) = Agent::new(in_order([])) else { return };
    let credentials = json!({"claudeAiOauth": {"accessToken": "token-of-no-one", "refreshToken": "other-of-no-one",
        "expiresAt": 4_102_444_800_000_u64, "scopes": ["user:inference"], "subscriptionType": "max"}});
    fs::write(agent.config().join(".credentials.json"), credentials.to_string()).unwrap();
    let first = run(&agent, &agent.turn("first words").sources(None).without("ANTHROPIC_API_KEY"), &[]).well();
    let bearer = |request: &winter_tests::agent::Request| request.header("authorization").map(str::to_owned);
    let seen: Vec<_> = agent.server().requests().iter().filter_map(bearer).collect();
    assert!(seen.iter().any(|header| header == "Bearer token-of-no-one"), "{seen:?}");
    let session = first.session().to_owned();
    let again = agent.turn("second words").sources(None).without("ANTHROPIC_API_KEY").resume(&session);
    let _ended = run(&agent, &again, &[]).well();
    let third = agent.turn("third words").sources(None).without("ANTHROPIC_API_KEY").args(["--continue"]);
    let third = run(&agent, &third, &[]).well();
    assert_eq!(third.session(), session);
    let last = said(&agent).pop().unwrap();
    assert!(last.contains("first words") && last.contains("second words") && last.contains("third words"), "{last}");
    let text = fs::read_to_string(agent.transcript(&session)).unwrap();
    for words in ["first words", "second words", "third words"] {
        assert!(text.contains(words), "{words}");
    }
    assert!(agent.config().join(".credentials.json").symlink_metadata().unwrap().is_file());
}

/// The processes that a process has started.
fn children_of(id: u32) -> Vec<Pid> {
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let of = |process: String| {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<u32>().ok()?;
        (parent == id).then(|| process.parse().ok().and_then(Pid::from_raw)).flatten()
    };
    processes.filter_map(of).collect()
}

/// Brand claude, but with transcripts of its own.
fn working_copy(agent: &Agent) -> String {
    let brand = agent.beside("brand.json");
    fs::write(&brand, r#"{"name": "copy", "like": "claude", "transcripts": "working-copy"}"#).unwrap();
    brand.to_str().unwrap().to_owned()
}

#[test]
fn a_working_copy_comes_home_and_goes_on_from_another_run() {
    let Some(agent) = Agent::new(in_order([])) else { return };
    let (brand, shared) = (working_copy(&agent), agent.config().to_str().unwrap().to_owned());
    let flags = ["--brand", &brand, "--shared-home", &shared];
    let ended = run(&agent, &agent.turn("first words").sources(None), &flags).well();
    let text = fs::read_to_string(agent.transcript(ended.session())).unwrap();
    assert!(text.contains("first words"));
    assert!(standing(&agent).is_empty());
}

#[test]
fn a_session_that_was_killed_is_recovered_and_goes_on() {
    let Some(agent) = Agent::new(in_order([])) else { return };
    let (brand, shared) = (working_copy(&agent), agent.config().to_str().unwrap().to_owned());
    let flags = ["--brand", &brand, "--shared-home", &shared];
    // The model never ends its answer, so that both are in the middle of it.
    agent.server().script(|request| request.body["tools"].is_array().then(|| Reply::text("half").endless()));
    let mut running = start(&agent, &agent.turn("words before the end").sources(None), &flags);
    let until = Instant::now() + Duration::from_secs(30);
    let written = || {
        let root = standing(&agent).pop()?;
        let key = fs::read_dir(root.join("projects")).ok()?.next()?.ok()?.path();
        let files = fs::read_dir(key).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
        let file = files.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "jsonl"))?;
        fs::read_to_string(&file).ok()?.contains("words before the end").then_some((root, file))
    };
    let (root, file) = loop {
        if let Some(found) = written() {
            break found;
        }
        assert!(Instant::now() < until && !running.ended(), "the session writes its transcript");
        std::thread::sleep(Duration::from_millis(50));
    };
    let listed = std::process::Command::new(winter())
        .args(["runs", "--home", agent.beside("winter").to_str().unwrap()])
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&listed.stdout).contains("open"), "{listed:?}");
    // Winter first, then its program, which is in a group of its own.
    let children = children_of(running.id());
    running.signal(Signal::KILL);
    for child in children {
        let _ = kill_process_group(child, Signal::KILL);
    }
    let _killed = running.wait(Duration::from_secs(10));
    let session = file.file_stem().unwrap().to_str().unwrap().to_owned();
    let recover = || {
        std::process::Command::new(winter())
            .arg("recover")
            .arg(&root)
            .args(["--home", agent.beside("winter").to_str().unwrap(), "--shared-home", &shared, "--json"])
            .output()
            .unwrap()
    };
    let report: Value = serde_json::from_slice(&recover().stdout).unwrap();
    assert_eq!(report["transcripts"][0]["session-id"], session, "{report}");
    let text = fs::read_to_string(agent.transcript(&session)).unwrap();
    assert!(text.contains("words before the end"));
    agent.server().script(in_order([]));
    agent.server().forget();
    // From the shared home, where the transcript stands now.
    let _ended = run(&agent, &agent.turn("words after it").sources(None).resume(&session), &[]).well();
    let last = said(&agent).pop().unwrap();
    assert!(last.contains("words before the end") && last.contains("words after it"), "{last}");
}

#[test]
fn two_sessions_at_once_on_one_home_do_not_disturb_each_other() {
    let Some(agent) = Agent::new(in_order([])) else { return };
    scene(&agent);
    let turns = ["one of two", "two of two"].map(|prompt| agent.turn(prompt).sources(None));
    let running: Vec<_> = turns.iter().map(|turn| start(&agent, turn, &[])).collect();
    for (running, words) in running.into_iter().zip(["one of two", "two of two"]) {
        let ended = running.wait(Duration::from_mins(1)).well();
        assert!(fs::read_to_string(agent.transcript(ended.session())).unwrap().contains(words));
    }
    assert!(standing(&agent).is_empty());
}

#[test]
fn a_harmless_setting_comes_home_and_what_acts_does_not() {
    let Some(agent) = Agent::new(in_order([])) else { return };
    // The person's own hook plays the session that edits its settings.
    let edited = json!({"theme": "light", "apiKeyHelper": "/x", "permissions": {"allow": ["Bash(*)"]},
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": format!("touch {}", agent.beside("evil").display())}]}]}});
    let command = format!("printf '%s' '{edited}' > \"$CLAUDE_CONFIG_DIR/settings.json\"");
    let own =
        json!({"theme": "dark", "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": command}]}]}});
    fs::write(agent.config().join("settings.json"), own.to_string()).unwrap();
    let ended = run(&agent, &agent.turn("go").sources(None), &[]).well();
    let now: Value = serde_json::from_slice(&fs::read(agent.config().join("settings.json")).unwrap()).unwrap();
    assert_eq!(now["theme"], "light");
    assert_eq!(now["hooks"], own["hooks"]);
    assert!(now.get("apiKeyHelper").is_none() && now.get("permissions").is_none(), "{now}");
    drop(ended);
    // Nothing of it approves itself in the next session either.
    let _ended = run(&agent, &agent.turn("go on").sources(None), &[]).well();
    let records: Vec<_> = fs::read_dir(agent.beside("winter/cache/ended")).unwrap().collect();
    assert_eq!(records.len(), 2);
    let held = fs::read_to_string(records[0].as_ref().unwrap().path()).unwrap();
    assert!(held.contains("apiKeyHelper") && held.contains("not-listed"), "{held}");
}

#[test]
fn other_sources_are_refused_before_anything_starts() {
    let Some(agent) = Agent::new(in_order([])) else { return };
    scene(&agent);
    let ended = run(&agent, &agent.turn("go").sources(Some("user,project")), &[]);
    assert_eq!(ended.code(), Some(125));
    assert!(ended.stderr.contains("setting_sources_refused"), "{}", ended.stderr);
    assert_eq!((marks(&agent), standing(&agent)), (Vec::new(), Vec::new()));
    assert!(agent.server().requests().is_empty());
}

#[test]
fn a_further_folder_brings_no_instructions_with_it() {
    let Some(agent) = Agent::new(in_order([])) else { return };
    let further = agent.beside("further");
    fs::create_dir(&further).unwrap();
    fs::write(further.join("CLAUDE.md"), "further-says-this\n").unwrap();
    let variable = "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD";
    let turn = agent.turn("go").env(variable, "1").args(["--add-dir", further.to_str().unwrap()]);
    // The control: without winter it does.
    let _ended = turn.run().well();
    assert!(said(&agent)[0].contains("further-says-this"));
    agent.server().forget();
    let _ended = run(&agent, &turn, &[]).well();
    assert!(!said(&agent)[0].contains("further-says-this"));
}
