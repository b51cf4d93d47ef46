//! What people reported of tools of this kind, as far as it is about settings files: the failing case, done right.

use std::fs;

use serde_json::{Value, json};
use winter_runner::{Grants, Powers, RunHomeInput, RunnerError};
use winter_tests::scene::Treatment::{NotRead, Own, Shipped};
use winter_tests::scene::{OFFER, Scene, bare_scenes, dropped, effective, plan, report, runner, scenes, text};

fn deny(plan: &winter_runner::contract::run_home::Plan) -> Vec<Value> {
    effective(plan)["permissions"]["deny"].as_array().cloned().unwrap_or_default()
}

/// The paths that are reported as standing where nothing is read.
fn not_read(scene: &Scene) -> Vec<String> {
    let report = report(&scene.plan(&scene.input()));
    let items = report["skipped-items"].as_array().unwrap().iter().filter(|item| item["reason"] == "not-read");
    items.map(|item| text(&item["path"])).collect()
}

#[test]
fn a_local_file_in_the_persons_own_folder_is_named_and_not_read() {
    for scene in bare_scenes() {
        let misplaced = scene.beside("shared/settings.local.json");
        fs::write(&misplaced, r#"{"permissions":{"allow":["mcp__one__*"]}}"#).unwrap();
        scene.repo.write(&scene.local(), r#"{"permissions":{"allow":["mcp__two__*"]}}"#);
        assert_eq!(not_read(&scene), [misplaced.to_str().unwrap()]);
        assert_eq!(effective(&scene.plan(&scene.input()))["permissions"]["allow"], json!(["mcp__two__*"]));
    }
}

#[test]
fn lists_of_all_three_files_are_joined_and_an_empty_one_clears_nothing() {
    for scene in bare_scenes() {
        scene.own(r#"{"permissions":{"allow":["mcp__one__*"],"deny":["Bash(rm:*)"]}}"#);
        scene.repo.write(&scene.settings(), r#"{"permissions":{"allow":["mcp__two__*"],"deny":[]}}"#);
        scene.repo.write(&scene.local(), r#"{"permissions":{"allow":[],"deny":["Bash(dd:*)"]}}"#);
        let plan = scene.plan(&scene.input());
        assert_eq!(effective(&plan)["permissions"]["allow"], json!(["mcp__one__*", "mcp__two__*"]));
        assert_eq!(deny(&plan)[..2], [json!("Bash(rm:*)"), json!("Bash(dd:*)")]);
        assert_eq!(report(&plan)["dropped-rules"], json!([]));
    }
}

#[test]
fn a_guard_hook_is_never_lost_to_a_repositorys() {
    let hook = |command: &str| json!({"type": "command", "command": command});
    for scene in bare_scenes() {
        scene.own(&json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook("guard")]}]}}).to_string());
        let theirs = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook("theirs")]}],
            "PostToolUse": [{"hooks": [hook("after")]}]}});
        scene.repo.write(&scene.settings(), theirs.to_string());
        let keep = effective(&scene.plan(&scene.input()));
        assert_eq!(keep["hooks"]["PreToolUse"], json!([{"matcher": "Bash", "hooks": [hook("guard"), hook("theirs")]}]));
        assert_eq!(keep["hooks"]["PostToolUse"], theirs["hooks"]["PostToolUse"]);
        let plan = scene.plan(&RunHomeInput { powers: Powers::Drop, ..scene.input() });
        assert_eq!(effective(&plan)["hooks"], json!({"PreToolUse": [{"matcher": "Bash", "hooks": [hook("guard")]}]}));
        let rules: Vec<String> = dropped(&plan, "project").into_iter().map(|(rule, _)| rule).collect();
        assert_eq!(rules, ["hooks.PostToolUse: after", "hooks.PreToolUse(Bash): theirs"]);
        // Nor to an empty list, or to the switch that turns all of them off.
        scene.repo.write(&scene.settings(), r#"{"hooks":{"PreToolUse":[]},"disableAllHooks":true}"#);
        for powers in [Powers::Keep, Powers::Drop] {
            let plan = scene.plan(&RunHomeInput { powers, ..scene.input() });
            assert_eq!(effective(&plan)["hooks"]["PreToolUse"][0]["hooks"], json!([hook("guard")]));
            assert!(effective(&plan)["disableAllHooks"].is_null());
        }
    }
}

#[test]
fn a_project_that_is_the_persons_home_is_not_read_as_a_project() {
    for scene in bare_scenes() {
        // The person's home is the project, and the shared home its folder.
        let mine = r#"{"permissions":{"defaultMode":"acceptEdits"}}"#;
        scene.repo.write(&scene.settings(), mine);
        let input = RunHomeInput {
            user_home: Some(scene.top.clone()),
            shared_home: scene.top.join(scene.dir()),
            ..scene.input()
        };
        let plan = scene.plan(&input);
        assert_eq!(effective(&plan)["permissions"]["defaultMode"], "acceptEdits");
        assert_eq!(report(&plan)["dropped-rules"], json!([]));
        assert_eq!(fs::read_to_string(scene.top.join(scene.settings())).unwrap(), mine);
    }
}

#[test]
fn rules_in_a_file_of_nearly_the_right_name_are_not_lost_in_silence() {
    for scene in bare_scenes() {
        let names = ["settings.user.json", "settings.jsonc", "settings.json.bak", "managed-settings.json"];
        for name in names {
            fs::write(scene.beside("shared").join(name), r#"{"permissions":{"deny":["Bash(rm:*)"]}}"#).unwrap();
            scene.repo.write(&format!("{}/{name}", scene.dir()), "{}");
        }
        let found = not_read(&scene);
        assert_eq!(found.len(), 2 * names.len(), "{found:?}");
        assert!(!deny(&scene.plan(&scene.input())).contains(&json!("Bash(rm:*)")));
    }
}

#[test]
fn an_ignore_file_is_no_evidence_for_a_tracked_file() {
    for scene in scenes() {
        scene.repo.write(".gitignore", "settings.local.json\n");
        scene.repo.write(&scene.local(), r#"{"permissions":{"allow":["Bash(npm run:*)","Read(//Users/me/x/**)"]}}"#);
        scene.repo.git(&["add", "--force", "--all"]);
        scene.repo.git(&["commit", "--quiet", "--message", "all"]);
        let plan = scene.plan(&RunHomeInput { powers: Powers::Drop, ..scene.input() });
        let rules = ["permissions.allow: Bash(npm run:*)", "permissions.allow: Read(//Users/me/x/**)"];
        assert_eq!(dropped(&plan, "local"), rules.map(|rule| (rule.to_owned(), "acts-permission".to_owned())));
        assert_eq!(report(&plan)["dropped-rules"][0]["because"], "index");
    }
}

#[test]
fn the_persons_rules_hold_in_a_linked_worktree() {
    for scene in scenes() {
        scene.own(r#"{"permissions":{"deny":["Bash(rm:*)"]}}"#);
        scene.repo.commit("README");
        let linked = scene.beside("linked");
        scene.repo.git(&["worktree", "add", "--quiet", linked.to_str().unwrap()]);
        assert!(linked.join(".git").is_file());
        let input =
            RunHomeInput { cwd: linked.clone(), trusted_project_root: Some(linked), git_root: None, ..scene.input() };
        assert!(deny(&scene.plan(&input)).contains(&json!("Bash(rm:*)")));
    }
}

#[test]
fn a_local_file_that_cannot_be_read_is_skipped_and_the_run_goes_on() {
    use std::os::unix::fs::PermissionsExt;
    for scene in scenes() {
        scene.repo.commit("README");
        scene.repo.write(&scene.settings(), r#"{"verbose":true}"#);
        scene.repo.write(&scene.local(), OFFER);
        let closed = scene.top.join(scene.local());
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
        // From a linked worktree, the main checkout's file is nobody's question.
        let linked = scene.beside("linked");
        scene.repo.git(&["worktree", "add", "--quiet", linked.to_str().unwrap()]);
        let trusted_project_root = Some(linked.clone());
        let input = RunHomeInput { cwd: linked.clone(), trusted_project_root, git_root: None, ..scene.input() };
        scene.expect_of(&input, &linked.join(scene.local()), NotRead);
        if fs::read(&closed).is_ok() {
            println!("skipped: this user reads what is closed to it");
            continue;
        }
        let plan = scene.plan(&scene.input());
        assert_eq!(effective(&plan)["verbose"], true);
        let report = report(&plan);
        assert_eq!(report["skipped-items"][0]["path"], json!(closed));
        assert_eq!(report["skipped-items"][0]["reason"], "unreadable");
    }
}

#[test]
fn a_byte_order_mark_costs_nothing_in_any_file() {
    let marked = |text: &str| format!("\u{feff}{text}");
    for scene in scenes() {
        scene.own(&marked(r#"{"permissions":{"deny":["Bash(rm:*)"]}}"#));
        scene.repo.write(&scene.settings(), marked(r#"{"verbose":true}"#));
        scene.repo.write(&scene.local(), marked(OFFER));
        scene.expect(Own);
        let plan = scene.plan(&scene.input());
        assert!(deny(&plan).contains(&json!("Bash(rm:*)")));
        assert_eq!(effective(&plan)["verbose"], true);
        assert!(!plan.effective_settings.contains('\u{feff}'));
        scene.repo.git(&["add", "--force", "--all"]);
        scene.expect(Shipped("index"));
    }
}

#[test]
fn a_file_that_does_not_parse_is_named_with_its_place_and_never_written() {
    for (text, line, column) in [
        ("{\n  \"a\": 1,\n}", 2, 9),
        ("{\n  // mine\n}", 2, 3),
        ("\u{feff}\u{feff}{}", 1, 1),
        ("", 1, 1),
        ("[]", 1, 1),
        ("{\"a\": 1} x", 1, 10),
    ] {
        for scene in bare_scenes() {
            scene.repo.write(&scene.settings(), text);
            let plan_of_project = scene.plan(&scene.input());
            let report = report(&plan_of_project);
            let [item] = report["skipped-items"].as_array().unwrap().as_slice() else { panic!("{report:#}") };
            assert_eq!(
                (&item["path"], &item["reason"]),
                (&json!(scene.top.join(scene.settings())), &json!("unusable"))
            );
            assert_eq!((&item["line"], &item["column"]), (&json!(line), &json!(column)), "{text:?}");

            scene.own(text);
            let Err(RunnerError::Refused(refusal)) = plan(&scene.input()) else { panic!("a refusal was expected") };
            assert_eq!((refusal.line, refusal.column), (Some(line), Some(column)), "{text:?}");
            assert_eq!(refusal.source.as_deref(), scene.beside("shared/settings.json").to_str());
            for file in [scene.beside("shared/settings.json"), scene.top.join(scene.settings())] {
                assert_eq!(fs::read_to_string(file).unwrap(), text);
            }
        }
    }
}

#[test]
fn a_reference_that_nobody_expands_stays_as_it_is_and_is_remarked() {
    for scene in bare_scenes() {
        scene.own(r#"{"env":{"DATA":"${CLAUDE_PROJECT_DIR}/x","PLAIN":"$HOME"}}"#);
        let plan = scene.plan(&scene.input());
        assert_eq!(effective(&plan)["env"], json!({"DATA": "${CLAUDE_PROJECT_DIR}/x", "PLAIN": "$HOME"}));
        let report = report(&plan);
        let [notice] = report["notices"].as_array().unwrap().as_slice() else { panic!("{report:#}") };
        assert_eq!(notice["kind"], "literal-reference");
        assert!(text(&notice["text"]).contains("env.DATA"));
    }
}

#[test]
fn a_glob_in_a_list_that_ignores_globs_is_reported_and_a_deny_refuses() {
    for scene in bare_scenes() {
        let ignores = scene.dir() == ".claude";
        scene.repo.write(&scene.settings(), r#"{"sandbox":{"filesystem":{"allowWrite":["x/**/*.md","out"]}}}"#);
        let plan_of_project = scene.plan(&scene.input());
        let written = effective(&plan_of_project)["sandbox"]["filesystem"]["allowWrite"].clone();
        let (out, glob) = (scene.top.join("out"), scene.top.join("x/**/*.md"));
        if ignores {
            let rule = "sandbox.filesystem.allowWrite: x/**/*.md".to_owned();
            assert_eq!(dropped(&plan_of_project, "project"), [(rule, "inexpressible".to_owned())]);
            assert_eq!(written, json!([out]));
        } else {
            assert_eq!(written, json!([glob, out]));
        }
        scene.own(r#"{"sandbox":{"filesystem":{"denyWrite":["~/keys/*"]}}}"#);
        match plan(&scene.input()) {
            Ok(plan) => {
                assert!(!ignores);
                let list = effective(&plan)["sandbox"]["filesystem"]["denyWrite"].clone();
                assert!(list.as_array().unwrap().contains(&json!("~/keys/*")));
            }
            Err(error) => {
                assert!(ignores && error.code() == "inexpressible", "{error}");
                let anyway = plan(&RunHomeInput { allow_inexpressible: true, ..scene.input() }).unwrap();
                let rule = "sandbox.filesystem.denyWrite: ~/keys/*".to_owned();
                assert_eq!(dropped(&anyway, "user"), [(rule, "inexpressible".to_owned())]);
            }
        }
    }
}

#[test]
fn a_deny_of_what_is_not_there_is_written_and_makes_nothing() {
    for scene in bare_scenes() {
        std::os::unix::fs::symlink("/nowhere/at/all", scene.top.join("mounted")).unwrap();
        scene.repo.write(
            &scene.settings(),
            r#"{"sandbox":{"filesystem":{"denyWrite":[".profile"],"denyRead":["mounted"]}}}"#,
        );
        let input = scene.input();
        let home = runner(Grants::for_run_homes(input.reads())).build_run_home(&input).unwrap();
        let lists = &effective(&home.plan)["sandbox"]["filesystem"];
        assert!(lists["denyWrite"].as_array().unwrap().contains(&json!(scene.top.join(".profile"))));
        assert_eq!(lists["denyRead"], json!([scene.top.join("mounted")]));
        assert!(!scene.top.join(".profile").exists() && scene.top.join("mounted").is_symlink());
    }
}
