//! The sample hostile repository, which the README's first command runs on.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};
use winter_tests::things::things;

use crate::golden::Goldens;
use crate::person::{Person, assert_built, can, run, tree};

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/hostile")
}

/// A copy of it as the project of a person who has rules, hooks and a sandbox of their own.
fn cloned() -> Person {
    let person = Person::new();
    let it = person.at("me/src/it");
    for path in tree(&fixture()).into_keys().filter(|path| path.is_file()) {
        let copy = it.join(path.strip_prefix(fixture()).unwrap());
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(path, copy).unwrap();
    }
    for own in ["me/.winter/sdk/settings.json", "me/.claude/settings.json"] {
        person.write(own, OWN);
    }
    person
}

const OWN: &str = r#"{
  "permissions": { "defaultMode": "plan", "deny": ["Read(~/.ssh/**)"], "ask": ["Bash(git push:*)"] },
  "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "mine" }] }] },
  "sandbox": { "enabled": true, "filesystem": { "denyRead": ["~/.aws"] } },
  "model": "my-model"
}"#;

/// Makes the project a repository that has committed everything, or says why not.
fn commit(person: &Person) -> bool {
    if !can("a git repository", "git", &["--version"]) {
        return false;
    }
    for arguments in [
        ["init", "--quiet", "--initial-branch=main"].as_slice(),
        &["add", "--force", "."],
        &["-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "--quiet", "--message=all"],
    ] {
        let mut git = person.closed("git");
        git.args(arguments).env("GIT_CONFIG_NOSYSTEM", "1").stdout(Stdio::null());
        assert!(git.status().unwrap().success(), "git {arguments:?}");
    }
    true
}

#[test]
fn the_readme_command_builds_a_run_home_of_it_and_runs_nothing_of_it() {
    let person = Person::new();
    let before = tree(&fixture());
    for brand in ["winter", "claude"] {
        let mut command = person.command();
        // As `cargo run` does it: from the workspace, which may be a repository that lists the fixture, or an export.
        command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap());
        command.args(["build", "--project", "tests/fixtures/hostile", "--brand", brand]);
        let built = run(command).ok();
        assert_built(&person.runs().join(built.id()));
        for reason in ["acts-command", "escalating-mode", "endpoint-env", "execution-env", "unclassified", "not-read"] {
            assert!(built.stdout.contains(reason), "{brand} {reason}: {}", built.stdout);
        }
        assert!(!built.both().contains("not-really-a-secret"), "{}", built.both());
    }
    assert_eq!(tree(&fixture()), before, "a build writes only beneath the home");
}

#[test]
fn what_the_person_has_stays_and_what_the_repository_wants_is_dropped() {
    let own: Value = serde_json::from_str(OWN).unwrap();
    for brand in ["winter", "claude"] {
        let person = cloned();
        if !commit(&person) {
            return;
        }
        let plan = person.json(["plan", "--brand", brand]);
        let settings: Value = serde_json::from_str(plan["effective-settings"].as_str().unwrap()).unwrap();
        for thing in things(&own) {
            assert!(things(&settings).contains(&thing), "{brand}: {thing:?} is missing in {settings:#}");
        }
        let it = person.at("me/src/it");
        let it = it.to_str().unwrap();
        // Of the repository's: its denials, and what is harmless; of the person's own denial, the place of it.
        let ssh = person.at("me/.ssh");
        assert_eq!(settings["permissions"]["deny"][1], format!("Read(/{it}/secrets/**)"));
        assert_eq!(settings["sandbox"]["filesystem"]["denyRead"], json!(["~/.aws", format!("{it}/secrets"), ssh]));
        assert_eq!(settings["language"], "english");
        assert_eq!(settings["spinnerTipsEnabled"], false);
        assert_eq!(settings["env"], json!({"NODE_ENV": "development"}));
        let keys: BTreeSet<&str> = settings.as_object().unwrap().keys().map(String::as_str).collect();
        let expected =
            ["permissions", "hooks", "sandbox", "model", "env", "language", "spinnerTipsEnabled"].into_iter().collect();
        assert_eq!(keys, expected, "{brand}");
        let text = settings.to_string();
        for marker in ["-ran", "cheap-model", "another-model", "bypassPermissions", "acceptEdits", "curl", "Bash(*)"] {
            assert!(!text.contains(marker), "{brand} {marker}: {settings:#}");
        }
        let local: Vec<&Value> =
            plan["report"]["dropped-rules"].as_array().unwrap().iter().filter(|one| one["tier"] == "local").collect();
        assert_eq!(local.len(), 3, "{local:#?}");
        assert!(local.iter().all(|one| one["because"] == "index"), "{local:#?}");
    }
}

#[test]
fn a_local_file_that_no_repository_lists_is_the_persons_own() {
    let person = cloned();
    let plan = person.json(["plan"]);
    let settings: Value = serde_json::from_str(plan["effective-settings"].as_str().unwrap()).unwrap();
    assert_eq!(settings["permissions"]["allow"], json!(["Bash(curl:*)"]));
    let own = plan["report"]["dropped-rules"].as_array().unwrap().iter().all(|one| one["because"].is_null());
    assert!(own, "{plan:#}");
}

#[test]
fn every_command_in_it_would_leave_a_marker_and_nothing_else() {
    let mut commands = 0;
    for path in tree(&fixture()).into_keys().filter(|path| path.extension().is_some_and(|one| one == "json")) {
        let document: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let all = things(&document);
        let acts = all.iter().filter_map(|thing| match (&thing.value["command"], thing.path.rsplit_once('.')) {
            (Value::String(command), _) => Some(command.as_str()),
            (_, Some((_, "command"))) => thing.value.as_str(),
            _ if thing.path.ends_with("Helper") => thing.value.as_str(),
            _ => None,
        });
        for command in acts {
            commands += 1;
            let harmless =
                command == "touch" || command.strip_prefix("touch ").is_some_and(|marker| marker.ends_with("-ran"));
            assert!(harmless, "{}: {command}", path.display());
        }
    }
    assert_eq!(commands, 11, "five for each brand and one for the MCP server");
}

/// What the README shows first. Its own test, with goldens of its own name, would compete for the folder: it is called
/// from the one test that knows all of them.
pub(crate) fn goldens(goldens: &mut Goldens) {
    let person = cloned();
    for brand in ["winter", "claude"] {
        let arguments = ["build", "--brand", brand];
        goldens.compare(&format!("build-hostile-{brand}"), &arguments.join(" "), &person, &person.run(arguments));
    }
}
