//! Links: the person's own need a grant, a project's stay inside the root.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::json;
use winter_runner::{Grants, RunHomeInput, RunnerError};
use winter_tests::scene::{Scene, bare_scenes, effective, plan, report, runner};

const OWN: &str = r#"{"permissions":{"deny":["Read(~/.ssh/**)"]},"language":"de"}"#;

/// A shared home whose settings file is a link into another folder of the person's.
fn linked_home(scene: &Scene, target: impl AsRef<Path>) -> PathBuf {
    let dotfiles = scene.beside("dotfiles");
    fs::create_dir_all(dotfiles.join("agent")).unwrap();
    fs::write(dotfiles.join("agent/settings.json"), OWN).unwrap();
    symlink(target, scene.beside("shared/settings.json")).unwrap();
    dotfiles
}

fn assert_own(input: &RunHomeInput) {
    let settings = effective(&plan(input).unwrap_or_else(|error| panic!("{error}")));
    assert_eq!(settings["language"], "de");
    assert!(settings["permissions"]["deny"].as_array().unwrap().contains(&json!("Read(~/.ssh/**)")));
}

#[test]
fn a_persons_link_needs_the_grant_that_the_refusal_names() {
    for relative in [true, false] {
        for scene in bare_scenes() {
            let target = scene.beside("dotfiles/agent/settings.json");
            let dotfiles = linked_home(
                &scene,
                if relative { Path::new("../dotfiles/agent/settings.json") } else { target.as_path() },
            );
            let Err(RunnerError::Refused(refusal)) = plan(&scene.input()) else { panic!("a refusal was expected") };
            assert_eq!(winter_runner::json::refusal(&refusal)["kind"], "denied");
            assert_eq!(refusal.help, format!("--grant-read {} would grant it", dotfiles.join("agent").display()));
            assert_eq!(refusal.source.as_deref(), scene.beside("shared/settings.json").to_str());
            for granted in [dotfiles.join("agent"), dotfiles] {
                assert_own(&RunHomeInput { grant_read: vec![granted], ..scene.input() });
            }
            let elsewhere = RunHomeInput { grant_read: vec![scene.beside("home")], ..scene.input() };
            assert!(matches!(plan(&elsewhere), Err(RunnerError::Refused(_))));
        }
    }
}

#[test]
fn a_grant_may_be_named_by_a_path_through_a_link() {
    for scene in bare_scenes() {
        // As where the person's home is reached by another path than its real one.
        symlink(".", scene.beside("alias")).unwrap();
        linked_home(&scene, scene.beside("alias/dotfiles/agent/settings.json"));
        let Err(RunnerError::Refused(refusal)) = plan(&scene.input()) else { panic!("a refusal was expected") };
        let folder = scene.beside("alias/dotfiles/agent");
        assert_eq!(refusal.help, format!("--grant-read {} would grant it", folder.display()));
        assert_own(&RunHomeInput { grant_read: vec![folder], ..scene.input() });
    }
}

#[test]
fn a_persons_link_that_leads_to_nothing_is_refused() {
    for (target, what) in [("gone.json", "leads to nothing"), ("settings.json", "loops")] {
        for scene in bare_scenes() {
            linked_home(&scene, target);
            let Err(RunnerError::Refused(refusal)) = plan(&scene.input()) else { panic!("a refusal was expected") };
            assert_eq!(winter_runner::json::refusal(&refusal)["kind"], "unusable-settings");
            assert!(refusal.message.contains(what), "{}", refusal.message);
        }
    }
}

#[test]
fn a_shared_home_that_is_itself_a_link_is_the_persons_word() {
    for scene in bare_scenes() {
        fs::create_dir(scene.beside("real")).unwrap();
        fs::write(scene.beside("real/settings.json"), OWN).unwrap();
        symlink("real", scene.beside("by-link")).unwrap();
        let input = RunHomeInput { shared_home: scene.beside("by-link"), ..scene.input() };
        assert_own(&input);
        // The session may not edit it by either path.
        let settings = effective(&plan(&input).unwrap());
        let deny = settings["permissions"]["deny"].as_array().unwrap();
        for place in ["real", "by-link"] {
            let rule = json!(format!("Edit(/{})", scene.beside(place).join("settings.json").display()));
            assert!(deny.contains(&rule), "{rule} in {deny:?}");
        }
    }
}

#[test]
fn project_settings_behind_a_link_inside_the_root_are_the_projects() {
    for absolute in [false, true] {
        for scene in bare_scenes() {
            scene.repo.write(
                "conf/team/settings.json",
                r#"{"language":"de","permissions":{"defaultMode":"bypassPermissions","deny":["Read(/secret)"]}}"#,
            );
            let team = if absolute { scene.top.join("conf/team") } else { "./conf/team".into() };
            symlink(team, scene.top.join(scene.dir())).unwrap();
            let plan = scene.plan(&scene.input());
            let settings = effective(&plan);
            assert_eq!(settings["language"], "de");
            // Reported, and anchored, where the program looks for the file.
            let rule = json!(format!("Read(/{}/secret)", scene.top.display()));
            assert!(settings["permissions"]["deny"].as_array().unwrap().contains(&rule));
            let report = report(&plan);
            assert_eq!(report["dropped-rules"][0]["source"], json!(scene.top.join(scene.settings())));
            assert_eq!(report["dropped-rules"][0]["reason"], "escalating-mode");
            assert_eq!(report["skipped-links"], json!([]));
        }
    }
}

#[test]
fn project_settings_that_lead_out_of_the_root_are_skipped() {
    let links: [(&str, &[&str], &str); 6] = [
        ("../../secret.json", &[], "outside-root"),
        ("/etc/hostname", &[], "outside-root"),
        // Out by the second hop, and out through a folder.
        ("hop.json", &["hop.json", "../../secret.json"], "outside-root"),
        ("out/secret.json", &["out", "../.."], "outside-root"),
        ("../gone.json", &[], "dangling"),
        ("hop.json", &["hop.json", "settings.json"], "loop"),
    ];
    for (target, more, reason) in links {
        for scene in bare_scenes() {
            fs::write(scene.beside("secret.json"), r#"{"language":"de"}"#).unwrap();
            let folder = scene.top.join(scene.dir());
            fs::create_dir(&folder).unwrap();
            symlink(target, folder.join("settings.json")).unwrap();
            if let [name, to] = more {
                symlink(to, folder.join(name)).unwrap();
            }
            let plan = scene.plan(&scene.input());
            assert!(effective(&plan)["language"].is_null(), "{target}");
            let report = report(&plan);
            let [link] = report["skipped-links"].as_array().unwrap().as_slice() else { panic!("{report:#}") };
            assert_eq!(link["reason"], reason, "{target}: {link}");
        }
    }
}

#[test]
fn a_link_back_into_the_root_from_above_is_inside() {
    for scene in bare_scenes() {
        fs::create_dir(scene.top.join(scene.dir())).unwrap();
        scene.repo.write("shared.json", r#"{"language":"de"}"#);
        symlink("../../top/shared.json", scene.top.join(scene.settings())).unwrap();
        assert_eq!(effective(&scene.plan(&scene.input()))["language"], "de");
    }
}

#[test]
fn more_than_eight_hops_are_a_loop() {
    for (hops, read) in [(8, true), (9, false)] {
        for scene in bare_scenes() {
            let folder = scene.top.join(scene.dir());
            fs::create_dir(&folder).unwrap();
            symlink("hop1", folder.join("settings.json")).unwrap();
            for hop in 1..hops {
                symlink(format!("hop{}", hop + 1), folder.join(format!("hop{hop}"))).unwrap();
            }
            fs::write(folder.join(format!("hop{hops}")), r#"{"language":"de"}"#).unwrap();
            let plan = scene.plan(&scene.input());
            assert_eq!(effective(&plan)["language"] == "de", read, "{hops}");
            let faults = report(&plan)["skipped-links"].as_array().unwrap().len();
            assert_eq!(faults, usize::from(!read), "{hops}");
        }
    }
}

#[test]
fn what_is_no_regular_file_is_never_opened() {
    for scene in bare_scenes() {
        fs::create_dir(scene.top.join(scene.dir())).unwrap();
        winter_tests::git::fifo(scene.top.join(scene.settings()));
        fs::create_dir(scene.top.join(scene.local())).unwrap();
        let report = report(&scene.plan(&scene.input()));
        let items: Vec<_> = report["skipped-items"].as_array().unwrap().iter().map(|one| &one["reason"]).collect();
        assert_eq!(items, ["not-regular", "not-regular"]);
    }
}

#[test]
fn a_project_named_by_a_path_through_a_link_is_read_at_its_real_place() {
    for scene in bare_scenes() {
        scene.repo.write(&scene.settings(), r#"{"permissions":{"deny":["Read(/secret)"]}}"#);
        symlink("top", scene.beside("alias")).unwrap();
        let alias = scene.beside("alias");
        let input = RunHomeInput {
            cwd: alias.clone(),
            trusted_project_root: Some(alias.clone()),
            git_root: Some(alias.clone()),
            ..scene.input()
        };
        let grants = Grants::for_run_homes([alias, scene.beside("shared")]);
        let plan = runner(grants).plan_run_home(&input).unwrap();
        let rule = json!(format!("Read(/{}/secret)", scene.top.display()));
        assert!(effective(&plan)["permissions"]["deny"].as_array().unwrap().contains(&rule));
    }
}
