//! What the host decides about a run, and what it must grant for it.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;
use winter_runner::contract::run_home::{Leg, Mode};
use winter_runner::{Grants, Powers, RunHomeInput, RunnerError};
use winter_tests::scene::Treatment::Shipped;
use winter_tests::scene::{OFFER, Scene, bare_scenes, dropped, effective, plan, report, runner, scenes, text};

const PROJECT: &str = r#"{"language":"de","permissions":{"defaultMode":"acceptEdits"}}"#;

/// Scenes with a file of each tier.
fn three_tiers() -> impl Iterator<Item = Scene> {
    bare_scenes().inspect(|scene| {
        scene.own(r#"{"verbose":true}"#);
        scene.repo.write(&scene.settings(), PROJECT);
        scene.repo.write(&scene.local(), OFFER);
    })
}

/// Asserts that nothing but the person's own file was read.
fn assert_own_alone(input: &RunHomeInput) -> serde_json::Value {
    let plan = plan(input).unwrap_or_else(|error| panic!("{error}"));
    let settings = effective(&plan);
    assert_eq!(settings["verbose"], true);
    assert!(settings["language"].is_null() && settings["hooks"].is_null(), "{settings:#}");
    let report = report(&plan);
    assert_eq!(report["dropped-rules"], json!([]));
    report
}

fn notice_kinds(report: &serde_json::Value) -> Vec<String> {
    report["notices"].as_array().unwrap().iter().map(|notice| text(&notice["kind"])).collect()
}

#[test]
fn a_project_at_or_above_the_persons_home_is_nothing() {
    for scene in three_tiers() {
        fs::create_dir_all(scene.top.join("people/me")).unwrap();
        symlink("top", scene.beside("alias")).unwrap();
        for home in [
            scene.top.clone(),
            scene.top.join("people"),
            scene.top.join("people/me"),
            scene.beside("alias"),
            scene.beside("alias/people/me"),
            scene.top.join("people/not-there-yet"),
        ] {
            let report = assert_own_alone(&RunHomeInput { user_home: Some(home.clone()), ..scene.input() });
            assert_eq!(notice_kinds(&report), ["untrusted"], "{}", home.display());
        }
        // Beside and below it is a project like any other.
        for home in [scene.beside("shared"), scene.beside(""), scene.beside("to")] {
            let plan = scene.plan(&RunHomeInput { user_home: Some(home), ..scene.input() });
            assert_eq!(effective(&plan)["language"], "de");
        }
    }
}

#[test]
fn a_project_whose_folder_is_the_shared_home_is_read_once_as_the_persons() {
    for scene in three_tiers() {
        let input = RunHomeInput { shared_home: scene.top.join(scene.dir()), ..scene.input() };
        let plan = scene.plan(&input);
        let settings = effective(&plan);
        assert_eq!(settings["permissions"]["defaultMode"], "acceptEdits", "a person's own word");
        assert!(settings["hooks"].is_null(), "the local file of a shared home is nobody's");
        let report = report(&plan);
        assert_eq!(report["dropped-rules"], json!([]));
        assert_eq!(notice_kinds(&report), ["home-is-project"]);
        assert_eq!(report["skipped-items"][0]["path"], json!(scene.top.join(scene.local())));
        assert_eq!(report["skipped-items"][0]["reason"], "not-read");
    }
}

#[test]
fn a_shared_home_that_the_projects_folder_is_a_link_to_is_read_once() {
    for scene in bare_scenes() {
        // As in a repository of dotfiles.
        scene.repo.write("dotfiles/agent/settings.json", r#"{"model":"mine"}"#);
        symlink("dotfiles/agent", scene.top.join(scene.dir())).unwrap();
        let plan = scene.plan(&RunHomeInput { shared_home: scene.top.join(scene.dir()), ..scene.input() });
        assert_eq!(effective(&plan)["model"], "mine");
        assert_eq!(report(&plan)["dropped-rules"], json!([]));
        assert_eq!(notice_kinds(&report(&plan)), ["home-is-project"]);
    }
}

#[test]
fn a_working_folder_outside_the_project_is_refused() {
    for scene in three_tiers() {
        symlink("../shared", scene.top.join("out")).unwrap();
        fs::create_dir(scene.beside("top-2")).unwrap();
        for cwd in [scene.beside("shared"), scene.beside(""), scene.top.join("out"), scene.beside("top-2")] {
            let Err(RunnerError::Refused(refusal)) = plan(&RunHomeInput { cwd: cwd.clone(), ..scene.input() }) else {
                panic!("{} is outside", cwd.display());
            };
            assert_eq!(winter_runner::json::refusal(&refusal)["kind"], "bad-input");
        }
        fs::create_dir(scene.top.join("sub")).unwrap();
        symlink("sub", scene.top.join("in")).unwrap();
        let plan = scene.plan(&RunHomeInput { cwd: scene.top.join("in"), ..scene.input() });
        assert_eq!(effective(&plan)["language"], "de");
    }
}

#[test]
fn a_talk_reads_nothing_of_the_project() {
    for scene in three_tiers() {
        assert_own_alone(&RunHomeInput { mode: Mode::Chat, ..scene.input() });
        // Not even of one that it would refuse to work in.
        assert_own_alone(&RunHomeInput { mode: Mode::Chat, cwd: scene.beside("shared"), ..scene.input() });
        let plan = scene.plan(&RunHomeInput { mode: Mode::Dispatch, ..scene.input() });
        assert_eq!(effective(&plan)["language"], "de", "a dispatched session is one of the project");
    }
}

#[test]
fn without_a_trusted_root_nothing_of_the_project_is_read() {
    for scene in three_tiers() {
        assert_own_alone(&RunHomeInput { trusted_project_root: None, ..scene.input() });
    }
}

#[test]
fn the_retired_leg_is_refused() {
    for scene in three_tiers() {
        let error = plan(&RunHomeInput { leg: Leg::Official, ..scene.input() }).unwrap_err();
        assert_eq!(error.code(), "run_home_leg_mismatch");
    }
}

#[test]
fn powers_decide_about_what_acts_and_about_nothing_else() {
    for scene in bare_scenes() {
        scene.repo.write(
            &scene.settings(),
            r#"{
"apiKeyHelper": "./key.sh",
"permissions": {"allow": ["Bash(make:*)"], "deny": ["Read(~/.aws/**)"], "defaultMode": "acceptEdits"},
"hooks": {"SessionStart": [{"matcher": "startup", "hooks": [{"type": "command", "command": "./s.sh"}]}]},
"sandbox": {"excludedCommands": ["docker"], "network": {"allowedDomains": ["example.com"]}},
"cleanupPeriodDays": 1,
"model": "opus"
}"#,
        );
        let never =
            [("permissions.defaultMode: acceptEdits", "escalating-mode"), ("model: opus", "repository-chooses-model")];
        let acts = [
            ("apiKeyHelper: ./key.sh", "acts-command"),
            ("permissions.allow: Bash(make:*)", "acts-permission"),
            ("hooks.SessionStart(startup): ./s.sh", "acts-command"),
            ("sandbox.excludedCommands: docker", "acts-permission"),
            ("sandbox.network.allowedDomains: example.com", "acts-network"),
            ("cleanupPeriodDays: 1", "acts-data-loss"),
        ];
        let with = |powers| scene.plan(&RunHomeInput { powers, ..scene.input() });
        let listed = |expected: &[(&str, &str)], plan: &_| {
            let mut expected: Vec<_> = expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
            let mut found = dropped(plan, "project");
            expected.sort();
            found.sort();
            assert_eq!(found, expected);
        };
        let keep = with(Powers::Keep);
        listed(&never, &keep);
        assert_eq!(effective(&keep)["apiKeyHelper"], "./key.sh");
        assert_eq!(effective(&keep)["cleanupPeriodDays"], 1);
        let drop = with(Powers::Drop);
        listed(&[&never[..], &acts].concat(), &drop);
        let left = effective(&drop);
        assert!(left["apiKeyHelper"].is_null() && left["hooks"].is_null() && left["model"].is_null(), "{left:#}");
        assert!(left["permissions"]["deny"].as_array().unwrap().contains(&json!("Read(~/.aws/**)")));
        // What is the person's own acts in any case.
        fs::copy(scene.top.join(scene.settings()), scene.beside("shared/settings.json")).unwrap();
        fs::remove_file(scene.top.join(scene.settings())).unwrap();
        for powers in [Powers::Keep, Powers::Drop] {
            let plan = with(powers);
            assert_eq!(effective(&plan)["model"], "opus");
            assert_eq!(effective(&plan)["apiKeyHelper"], "./key.sh");
            assert_eq!(report(&plan)["dropped-rules"], json!([]));
        }
    }
}

#[test]
fn a_folder_that_was_not_granted_is_denied_by_name() {
    for scene in scenes() {
        scene.repo.write(&scene.local(), OFFER);
        fs::create_dir(scene.top.join("sub")).unwrap();
        fs::create_dir(scene.beside("granted")).unwrap();
        let input = RunHomeInput { grant_read: vec![scene.beside("granted")], ..scene.input() };
        let all = [scene.top.clone(), scene.beside("shared"), scene.beside("granted")];
        for missing in &all {
            // What is inside it, or begins with the same letters, does not stand for it.
            let mut granted: Vec<_> = all.iter().filter(|folder| *folder != missing).cloned().collect();
            granted.extend([scene.top.join("sub"), scene.beside("to"), scene.beside("share"), scene.beside("grante")]);
            let error = runner(Grants::for_run_homes(granted)).plan_run_home(&input).unwrap_err();
            assert_eq!(error.code(), "denied");
            let RunnerError::Denied(denied) = error else { panic!("{error}") };
            assert_eq!((denied.capability, denied.resource.as_str()), ("files", missing.to_str().unwrap()));
            assert_eq!(denied.grant, format!("--grant-read {}", missing.display()));
        }
        assert_eq!(runner(Grants::default()).plan_run_home(&input).unwrap_err().code(), "denied");
        runner(Grants::for_run_homes([scene.beside("")])).plan_run_home(&input).unwrap();
    }
}

#[test]
fn the_folder_of_the_repository_above_the_project_needs_a_grant_too() {
    for scene in scenes() {
        let part = scene.top.join("part");
        fs::create_dir(&part).unwrap();
        let trusted_project_root = Some(part.clone());
        let input = RunHomeInput { cwd: part.clone(), trusted_project_root, git_root: None, ..scene.input() };
        assert!(input.reads().contains(&scene.top), "what to grant is told");
        let grants = Grants::for_run_homes([part, scene.beside("shared")]);
        let RunnerError::Denied(denied) = runner(grants).plan_run_home(&input).unwrap_err() else { panic!() };
        assert_eq!(denied.resource, scene.top.to_str().unwrap());
    }
}

#[test]
fn without_the_git_index_a_local_file_is_the_repositorys() {
    for scene in scenes() {
        let grants = || Grants { git_index: false, ..Grants::for_run_homes(scene.input().reads()) };
        // Where there is no local file, there is no question.
        let plan = runner(grants()).plan_run_home(&scene.input()).unwrap();
        assert_eq!(notice_kinds(&report(&plan)), [""; 0]);
        scene.repo.write(&scene.local(), OFFER);
        let plan = runner(grants()).plan_run_home(&scene.input()).unwrap();
        let report = report(&plan);
        assert_eq!(report["dropped-rules"][0]["because"], "failed");
        assert!(text(&report["notices"][0]["text"]).contains("git-index was not granted"), "{report:#}");
        // And where no `.git` entry is on the way up, it is the person's own: nobody has to be asked.
        fs::remove_dir_all(scene.top.join(".git")).unwrap();
        let plan = runner(grants()).plan_run_home(&RunHomeInput { git_root: None, ..scene.input() }).unwrap();
        assert_eq!(effective(&plan)["permissions"]["defaultMode"], "acceptEdits");
    }
}

#[test]
fn without_the_clock_there_is_no_plan() {
    for scene in three_tiers() {
        let grants = Grants { clock: false, ..Grants::for_run_homes(scene.input().reads()) };
        let error = runner(grants).plan_run_home(&scene.input()).unwrap_err();
        let RunnerError::Denied(denied) = error else { panic!("{error}") };
        assert_eq!(denied.capability, "clock");
    }
}

#[test]
fn a_named_folder_that_is_not_there_is_an_error_but_a_missing_shared_home_is_a_remark() {
    for scene in three_tiers() {
        let gone = scene.beside("gone");
        for input in [
            RunHomeInput { cwd: gone.clone(), ..scene.input() },
            RunHomeInput { trusted_project_root: Some(gone.clone()), ..scene.input() },
            RunHomeInput { git_root: Some(gone.clone()), ..scene.input() },
            RunHomeInput { grant_read: vec![gone.clone()], ..scene.input() },
        ] {
            let error = plan(&input).unwrap_err();
            assert!(matches!(error, RunnerError::Folder { .. }), "{error}");
        }
        let missing = RunHomeInput { shared_home: gone.clone(), ..scene.input() };
        assert!(notice_kinds(&report(&scene.plan(&missing))).contains(&"no-shared-home".to_owned()));
        // A dangling link is not "no shared home": the person meant one.
        symlink("nowhere", &gone).unwrap();
        let error = plan(&missing).unwrap_err();
        assert!(matches!(error, RunnerError::Folder { .. }), "{error}");
    }
}

#[test]
fn a_top_that_the_caller_names_wrongly_is_not_believed() {
    for scene in scenes() {
        // Tracked in the repository; the caller says that the top is a folder below, which is no repository.
        let sub = scene.top.join("sub");
        scene.repo.write(&format!("sub/{}", scene.local()), OFFER);
        scene.repo.git(&["add", "--force", "--all"]);
        let input = RunHomeInput { cwd: sub.clone(), git_root: Some(sub.clone()), ..scene.input() };
        scene.expect_of(&input, &sub.join(scene.local()), Shipped("failed"));
    }
}
