//! `winter runs` and `winter diff`: which run homes stand, and how one differs from what would be built now.

use std::fs;
use std::process::{Command, Output};

use serde_json::{Value, json};
use winter_runner::runs::{self, Change, State};
use winter_runner::{Grants, Powers, RunHomeInput, dispose_run_home};
use winter_tests::scene::{Scene, bare_scenes, runner};

fn diff(input: &RunHomeInput, run_id: &str) -> runs::Difference {
    runner(Grants::for_run_homes(input.reads())).diff_run_home(input, run_id).unwrap()
}

fn build(input: &RunHomeInput) -> String {
    runner(Grants::for_run_homes(input.reads())).build_run_home(input).unwrap().plan.run_id
}

/// The program in an environment that holds nothing but the scene.
fn winter(scene: &Scene, arguments: &[&str]) -> Output {
    let mut command = Command::new(winter_tests::winter());
    command.env_clear().env("HOME", scene.beside("")).env("WINTER_HOME", scene.home());
    command.env("CLAUDE_CONFIG_DIR", scene.beside("shared")).current_dir(&scene.top);
    command.args(arguments).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

#[test]
fn a_run_of_either_brand_equals_what_would_be_built_now_until_something_changes() {
    for scene in bare_scenes() {
        scene.own(r#"{"language":"de","env":{"A_TOKEN":"hush-hush"}}"#);
        scene.repo.write(&scene.settings(), r#"{"permissions":{"deny":["Read(/secret)"]}}"#);
        let input = scene.input();
        let id = build(&input);
        let found = diff(&input, &id);
        assert!(found.is_equal() && found.written.is_empty(), "{found:#?}");
        // Another id in the input does not matter, and nothing is written.
        assert!(diff(&RunHomeInput { run_id: Some("another-id".to_owned()), ..input.clone() }, &id).is_equal());
        assert_eq!(runs::list(&scene.home()).unwrap().runs.len(), 1);
        scene.own(r#"{"language":"fr","env":{"A_TOKEN":"hush-hush"}}"#);
        let found = diff(&input, &id);
        let [entry] = found.entries.as_slice() else { panic!("{found:#?}") };
        assert_eq!((entry.path.as_str(), entry.change), ("settings.json", Change::Changed));
        let [leaf] = entry.leaves.as_slice() else { panic!("{entry:#?}") };
        assert_eq!((leaf.place().as_str(), &leaf.was, &leaf.now), ("language", &Some(json!("de")), &Some(json!("fr"))));
        let found = diff(&RunHomeInput { powers: Powers::Drop, ..input.clone() }, &id);
        assert!(found.inputs.iter().any(|leaf| leaf.place() == "powers"));
        dispose_run_home(&scene.home(), &id).unwrap();
        let gone = runner(Grants::for_run_homes(input.reads())).diff_run_home(&input, &id).unwrap_err();
        assert_eq!((gone.code(), gone.exit_code()), ("unknown-run", 2));
    }
}

#[test]
fn a_run_is_listed_with_what_it_was_built_for() {
    for scene in bare_scenes() {
        let id = build(&scene.input());
        let found = runs::list(&scene.home()).unwrap();
        let [run] = found.runs.as_slice() else { panic!("{found:?}") };
        assert_eq!((run.run_id.as_str(), run.state, &run.problem), (id.as_str(), State::Ready, &None));
        assert_eq!((run.project.as_deref(), run.cwd.as_deref()), (scene.top.to_str(), scene.top.to_str()));
        assert_eq!((run.powers.as_deref(), run.mode.as_deref()), (Some("keep"), Some("code")));
        assert_eq!(run.brand.as_deref(), scene.dir().strip_prefix('.'));
        fs::remove_file(run.dir.join("settings.json")).unwrap();
        let found = runs::list(&scene.home()).unwrap();
        assert_eq!(found.runs[0].problem.as_deref(), Some("settings.json is missing"));
    }
}

#[test]
fn the_program_lists_and_compares_and_masks_what_is_secret() {
    for scene in bare_scenes() {
        let brand = scene.dir().strip_prefix('.').unwrap();
        fs::create_dir_all(scene.home()).unwrap();
        // Where the winter brand looks for the person's own.
        std::os::unix::fs::symlink("../shared", scene.home().join("sdk")).unwrap();
        scene.own(r#"{"language":"de","env":{"A_TOKEN":"hush-hush"}}"#);
        assert!(said(&winter(&scene, &["runs"])).starts_with("There are no runs under "));
        let project = ["--brand", brand, "--project", scene.top.to_str().unwrap()];
        let built = winter(&scene, &[&["build"], &project[..]].concat());
        assert!(built.status.success(), "{}", said(&built));
        let listed = winter(&scene, &["runs", "--json"]);
        let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
        let id = listed["runs"][0]["run-id"].as_str().unwrap();
        assert_eq!((&listed["runs"][0]["state"], &listed["cut"]), (&json!("ready"), &json!(false)));
        let table = said(&winter(&scene, &["runs"]));
        let line = table.lines().find(|line| line.starts_with(id)).unwrap_or_else(|| panic!("{table}"));
        assert!(
            line.contains("ready") && line.contains(brand) && line.ends_with(scene.top.to_str().unwrap()),
            "{line}"
        );

        let compare = |more: &[&str]| winter(&scene, &[&["diff", id], &project[..], more].concat());
        let equal = compare(&[]);
        assert_eq!(equal.status.code(), Some(0), "{}", said(&equal));
        assert!(said(&equal).contains("is as it would be built now"));
        scene.own(r#"{"language":"fr","env":{"A_TOKEN":"psst-psst"}}"#);
        let differs = compare(&[]);
        assert_eq!(differs.status.code(), Some(3));
        let text = said(&differs);
        assert!(text.contains("- language: \"de\"") && text.contains("+ language: \"fr\""), "{text}");
        assert_eq!(text.matches("env.A_TOKEN: \"[masked ").count(), 2, "{text}");
        let machine = compare(&["--json"]);
        assert_eq!(machine.status.code(), Some(3));
        let value: Value = serde_json::from_slice(&machine.stdout).unwrap();
        assert_eq!((&value["equal"], &value["run-id"]), (&json!(false), &json!(id)));
        for secret in ["hush-hush", "psst-psst"] {
            assert!(!text.contains(secret) && !said(&machine).contains(secret));
            assert!(said(&compare(&["--reveal"])).contains(secret));
        }
        let unknown = winter(&scene, &["diff", "no-such-run"]);
        assert_eq!(unknown.status.code(), Some(2));
        assert!(said(&unknown).starts_with("error[unknown-run]: "), "{}", said(&unknown));
    }
}
