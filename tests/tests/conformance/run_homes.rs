//! Whole plans: the same folders, asked through the component and natively.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use winter_policy::memory::Still;
use winter_policy::{brand, report, run_home, tier};
use winter_runner::capability::files::Folder;
use winter_runner::{Brand, Config, Grants, Powers, RunHomeInput, Runner, RunnerError};

use crate::native::{Git, Real};

/// A home and a project, written by `fill`.
fn world(fill: impl Fn(&Path, &Path)) -> tempfile::TempDir {
    let base = tempfile::tempdir().unwrap();
    let (home, project) = (base.path().join("home"), base.path().join("[p] q"));
    for folder in [home.join("sdk"), project.join(".winter"), project.join(".claude"), project.join(".git")] {
        fs::create_dir_all(folder).unwrap();
    }
    fill(&home.join("sdk"), &project);
    base
}

/// Plans on both sides, for every brand and both powers, and compares what comes out.
fn compare(base: &Path) {
    for (brand, profile) in [(Brand::Winter, brand::Profile::winter()), (Brand::Claude, brand::Profile::claude())] {
        for (wit_powers, powers) in [(Powers::Keep, tier::Powers::Keep), (Powers::Drop, tier::Powers::Drop)] {
            let mut input = RunHomeInput::new(base.join("home"), base.join("[p] q"));
            input.trusted_project_root = Some(base.join("[p] q"));
            (input.brand, input.powers) = (brand.clone(), wit_powers);
            let grants = Grants::for_run_homes(input.reads());
            let runner = Runner::new(Config { grants, ..Config::default() }).unwrap();
            match runner.plan_run_home(&input) {
                Ok(plan) => {
                    let manifest: serde_json::Value = serde_json::from_str(&plan.manifest).unwrap();
                    let built_at = manifest["built-at"].as_u64().unwrap();
                    let native = native(&input, profile.clone(), powers, plan.run_id.clone(), built_at).unwrap();
                    assert_eq!(serde_json::to_string(&native).unwrap(), winter_runner::json::plan(&plan).to_string());
                }
                Err(RunnerError::Refused(refusal)) => {
                    let native = native(&input, profile.clone(), powers, "any-run-id".into(), 0).unwrap_err();
                    let native = serde_json::to_string(&report::Refusal::from(native)).unwrap();
                    assert_eq!(native, winter_runner::json::refusal(&refusal).to_string());
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}

fn native(
    input: &RunHomeInput,
    brand: brand::Profile,
    powers: tier::Powers,
    run_id: String,
    now: u64,
) -> Result<run_home::Plan, run_home::RunHomeError> {
    let open = |path: &Path| Real(Folder::grant(path).unwrap());
    let root = input.trusted_project_root.as_deref().unwrap();
    let real_home = fs::canonicalize(&input.home).unwrap();
    let native = run_home::Input {
        run_id,
        home: real_home.to_str().unwrap().to_owned(),
        home_spellings: Vec::new(),
        shared_home: fs::canonicalize(&input.shared_home).unwrap().to_str().unwrap().to_owned(),
        mode: run_home::Mode::Code,
        dispatch_child: false,
        leg: run_home::Leg::Winter,
        mcp_disabled: Vec::new(),
        reserved_mcp_server_names: Vec::new(),
        memory_dir: String::new(),
        brand,
        powers,
        allow_inexpressible: false,
        user_home: None,
        shared_home_spellings: Vec::new(),
        containment_hook: None,
        bounds: run_home::Bounds::default(),
    };
    let places = run_home::Places {
        shared_home: Some(open(&input.shared_home)),
        cwd: open(root),
        trusted_root: Some(open(root)),
        git_top: None,
        git_entry: Some(open(root)),
        granted: Vec::new(),
        global_home: None,
        links: Some(Real(Folder::grant_links(Path::new("/")).unwrap())),
    };
    run_home::build(&native, &places, &Git, &Still(now))
}

#[test]
fn nothing_but_empty_folders() {
    compare(world(|_, _| {}).path());
}

#[test]
fn all_three_tiers() {
    let base = world(|sdk, project| {
        fs::write(sdk.join("settings.json"), r#"{"permissions":{"deny":["Read(/x)"]},"own":1.50}"#).unwrap();
        for dir in [".winter", ".claude"] {
            let text =
                r#"{"permissions":{"allow":["Read(/a)"],"defaultMode":"auto"},"env":{"PATH":"x","CI":"1"},"odd":[]}"#;
            fs::write(project.join(dir).join("settings.json"), text).unwrap();
            fs::write(project.join(dir).join("settings.local.json"), r#"{"hooks":{},"language":"de"}"#).unwrap();
            fs::write(project.join(dir).join("settings.jsonc"), "").unwrap();
        }
    });
    compare(base.path());
}

#[test]
fn links_and_files_that_cannot_be_read() {
    let base = world(|_, project| {
        symlink("/etc/hostname", project.join(".winter/settings.json")).unwrap();
        symlink("../shared.json", project.join(".claude/settings.json")).unwrap();
        fs::write(project.join("shared.json"), r#"{"verbose":true}"#).unwrap();
        fs::create_dir(project.join(".winter/settings.local.json")).unwrap();
        fs::write(project.join(".claude/settings.local.json"), "{ // no\n}").unwrap();
    });
    compare(base.path());
}

#[test]
fn a_persons_file_that_is_refused() {
    for text in ["{", r#"{"verbose":1}"#, "\u{feff}[]"] {
        compare(world(|sdk, _| fs::write(sdk.join("settings.json"), text).unwrap()).path());
    }
}

#[test]
fn every_kind_of_item() {
    let base = world(|sdk, project| {
        let write = |path: &Path, text: &str| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for name in ["WINTER.md", "CLAUDE.md"] {
            write(&sdk.join(name), "Mine, with @notes.md and @/etc/hostname\n");
            write(&project.join(name), "Theirs\u{202e}, with @docs/a.md, @../out and `@b`\n```\n");
            write(&project.join("sub").join(name), "Nested.\n");
        }
        write(&sdk.join("notes.md"), "Notes.\n");
        write(&sdk.join("agents/mine.md"), "---\nname: same\ndescription: d\n---\nDo.\n");
        write(&project.join("docs/a.md"), "@b.md\n");
        write(&project.join("docs/b.md"), "@a.md\n");
        write(&project.join(".mcp.json"), r#"{"mcpServers":{"s":{"command":"x","env":{"A":"${B}"}},"t":{"url":"x"}}}"#);
        for dir in [".winter", ".claude"] {
            let at = |path: &str| project.join(dir).join(path);
            let header = "---\nname: same\ndescription: d\nhooks: {Stop: []}\nmodel: m\nodd: 1\n---\n";
            write(&at("agents/a.md"), &format!("{header}{}", "x".repeat(2000)));
            write(&at("agents/b.md"), "---\n- a\n---\n");
            write(&at("skills/s/SKILL.md"), &format!("{header}Run !`x` and @y\n"));
            write(&at("skills/s/run.sh"), "#!/bin/sh\n");
            write(&at("skills/s/.claude-plugin/plugin.json"), "{}");
            write(&at("commands/team/c.md"), "Do $1.\n");
            write(&at("output-styles/o.md"), "Talk.\n");
            write(&at("rules/r.md"), "---\npaths: '{a,b}/**, *.ts'\n---\nRule @../../docs/a.md\n");
            write(&at("rules/all.md"), "Rule.\n");
            symlink("/etc/hostname", at("rules/out.md")).unwrap();
            symlink("../../docs", at("rules/docs")).unwrap();
        }
    });
    compare(base.path());
}
