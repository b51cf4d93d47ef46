//! Whole repositories, as checkouts.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use winter_policy::environment::CLASSES;
use winter_policy::settings::rules::RULES;
use winter_runner::contract::{settings as wit_settings, types as wit};
use winter_runner::{Brand, Grants, Powers, RunHomeInput};
use winter_tests::corpus::{checkout, data, sorted};
use winter_tests::scene::{Scene, effective, report, runner, text};
use winter_tests::things::{Thing, things};

use crate::{Counts, compare};

const OWN: &str = r#"{"permissions":{"deny":["Read(~/.ssh/**)"]},"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[
    {"type":"command","command":"guard"}]}]},"sandbox":{"enabled":true}}"#;

#[test]
fn each_is_planned_and_built() {
    let Some(data) = data() else { return };
    let mut golden = String::new();
    for folder in sorted(&data.join("repos")) {
        let number = folder.file_name().unwrap().to_str().unwrap();
        let manifest = serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap();
        for (brand, name) in [(Brand::Winter, "winter"), (Brand::Claude, "claude")] {
            let Some(scene) = checkout(&folder, &manifest, &brand) else { return };
            scene.own(OWN);
            for (powers, word) in [(Powers::Keep, "keep"), (Powers::Drop, "drop")] {
                let counts = build(&scene, powers);
                writeln!(golden, "repository {number} {name} {word}: {}", counts.line()).unwrap();
            }
        }
    }
    compare("repository", &golden);
}

fn build(scene: &Scene, powers: Powers) -> Counts {
    let input = RunHomeInput { powers, ..scene.input() };
    let runner = runner(Grants::for_run_homes(input.reads()));
    let home = runner.build_run_home(&input).unwrap_or_else(|error| panic!("{}: {error}", error.code()));
    let written = fs::read(home.dir.join("settings.json")).unwrap();
    assert_eq!(String::from_utf8(written.clone()).unwrap(), home.plan.effective_settings);
    let settings = effective(&home.plan);
    let report = report(&home.plan);
    let places =
        [scene.beside("shared/settings.json"), scene.top.join(scene.settings()), scene.top.join(scene.local())];
    for (place, tier) in places.iter().zip(["user", "project", "local"]) {
        check_tier(place, tier, &settings, &report, scene);
    }
    check_lists(&report, &scene.top);
    // The person's own word stands.
    assert!(settings["permissions"]["deny"].as_array().unwrap().contains(&json!("Read(~/.ssh/**)")));
    assert_eq!(settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"], "guard");
    assert_eq!(settings["sandbox"]["enabled"], true);
    // As a person's own file it is read whole, and comes out as it is.
    let file = wit_settings::TierFile {
        tier: wit::Tier::User,
        source: "settings.json".to_owned(),
        anchor: home.dir.to_str().unwrap().to_owned(),
        shipped: None,
        text: written,
    };
    let again = runner.compose(&[file], &crate::settings::options(&scene.brand, Powers::Keep)).unwrap();
    assert_eq!(again.json, home.plan.effective_settings);
    assert!(again.dropped.is_empty() && again.skipped.is_empty());
    // What the run folder holds of the project, by kind.
    let of_project = home.plan.entries.iter().filter(|entry| Path::new(&entry.source).starts_with(&scene.top));
    let kinds: Vec<String> =
        of_project.map(|entry| entry.path.split('/').next().unwrap_or_default().to_owned()).collect();
    home.dispose().unwrap();

    let mut counts = Counts::default();
    for (list, prefix) in [
        ("dropped-rules", ""),
        ("removed-powers", "removed "),
        ("dropped-mcp-servers", "server "),
        ("dropped-imports", "import "),
        ("skipped-agents", "agent "),
        ("skipped-links", "link "),
        ("skipped-items", "item "),
        ("unconditional-rules", "remark "),
        ("external-user-links", "remark "),
        ("notices", "remark "),
    ] {
        for entry in report[list].as_array().unwrap() {
            let because = entry["because"].as_str().map(|because| format!(" ({because})")).unwrap_or_default();
            let reason = entry["reason"].as_str().or(entry["kind"].as_str()).unwrap_or(list.trim_end_matches('s'));
            counts.add(format!("{prefix}{reason}{because}"));
        }
    }
    for entry in &kinds {
        counts.add(format!("+ {entry}"));
    }
    counts
}

/// What one file offers is given or reported; nothing is reported that it does not hold.
fn check_tier(file: &Path, tier: &str, settings: &Value, report: &Value, scene: &Scene) {
    let entries: Vec<&Value> =
        report["dropped-rules"].as_array().unwrap().iter().filter(|entry| entry["tier"] == tier).collect();
    let real = file.canonicalize().ok().filter(|real| real.starts_with(scene.beside("")));
    let Some(real) = real else { return assert!(entries.is_empty(), "{tier}") };
    let text_of_file = fs::read_to_string(&real).unwrap();
    let Ok(document) = serde_json::from_str::<Value>(&text_of_file) else {
        let skipped = report["skipped-items"].as_array().unwrap().iter().find(|one| one["path"] == json!(file));
        assert_eq!(skipped.expect("an unreadable file is reported")["reason"], "unusable");
        return assert!(entries.is_empty());
    };
    let shipped_by = if real == file { "index" } else { "link" };
    let mut kept = things(&document);
    for entry in entries {
        assert_eq!(entry["source"], json!(file));
        assert_eq!(entry["because"], if tier == "local" { json!(shipped_by) } else { Value::Null });
        let reason = entry["reason"].as_str().unwrap();
        assert!(
            RULES.iter().any(|rule| rule.id == reason) || CLASSES.iter().any(|class| class.id == reason),
            "{reason}"
        );
        let lines = u64::try_from(text_of_file.lines().count()).unwrap();
        assert!((1..=lines).contains(&entry["line"].as_u64().expect("a line")));
        let spelt = (text(&entry["rule"]), entry["withheld"].as_str().map(str::to_owned));
        let place = kept.iter().position(|thing| thing.spelt() == spelt);
        kept.remove(place.expect("what is reported was offered, and is reported once"));
    }
    let given = things(settings);
    for thing in kept.iter().filter(|thing| !thing.is_empty()) {
        assert!(given.iter().any(|one| means(one, thing)), "{tier}: a thing at {} is lost", thing.path);
    }
}

/// Whether what is given is what was asked for, perhaps made absolute.
fn means(given: &Thing, asked: &Thing) -> bool {
    let same = match (given.value.as_str(), asked.value.as_str()) {
        (Some(given), Some(asked)) => {
            let below = asked.trim_start_matches("./");
            let rule = asked.split_once("(/").map(|(_, content)| format!("/{content}"));
            given == asked || given.ends_with(below) || rule.is_some_and(|rule| given.ends_with(&rule))
        }
        _ => given.value == asked.value,
    };
    given.path == asked.path && same
}

/// The lists are in order and hold nothing twice, and nothing outside the project.
fn check_lists(report: &Value, top: &Path) {
    for list in ["skipped-links", "skipped-items", "skipped-agents", "unconditional-rules", "notices"] {
        let entries: Vec<String> = report[list].as_array().unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(entries.iter().collect::<BTreeSet<_>>().len(), entries.len(), "{list}");
        let paths: Vec<String> = report[list].as_array().unwrap().iter().map(|entry| text(&entry["path"])).collect();
        if list != "notices" {
            assert!(paths.is_sorted() && paths.iter().all(|path| Path::new(path).starts_with(top)), "{list}");
        }
    }
}
