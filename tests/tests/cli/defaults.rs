//! What a command takes when nobody names it, what each flag changes, and what is written where.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};

use crate::person::{Person, Run, assert_built, assert_no_run, run, tree};

/// What a plan says it is for.
fn manifest(plan: &Value) -> Value {
    serde_json::from_str(plan["manifest"].as_str().unwrap()).unwrap()
}

fn effective(plan: &Value) -> Value {
    serde_json::from_str(plan["effective-settings"].as_str().unwrap()).unwrap()
}

fn json_in(person: &Person, folder: &Path, arguments: &[&str], environment: &[(&str, &Path)]) -> Value {
    let mut command = person.command();
    command.current_dir(folder).args(arguments).arg("--json").envs(environment.iter().copied());
    run(command).ok().value()
}

#[test]
fn the_project_is_the_nearest_git_entry_whatever_it_is() {
    type Make = fn(&Path);
    let kinds: [(&str, Make); 5] = [
        ("folder", |path| fs::create_dir(path).unwrap()),
        ("file", |path| fs::write(path, "gitdir: nowhere").unwrap()),
        ("dangling link", |path| symlink("nowhere", path).unwrap()),
        ("link that loops", |path| symlink(".git", path).unwrap()),
        ("fifo", |path| winter_tests::git::fifo(path)),
    ];
    for (kind, make) in kinds {
        let person = Person::new();
        let (it, deep) = (person.at("me/src/it"), person.at("me/src/it/a/b"));
        fs::create_dir_all(&deep).unwrap();
        fs::create_dir(person.at("me/src/.git")).unwrap();
        make(&it.join(".git"));
        // A local file makes that git is asked, too.
        person.write("me/src/it/.winter/settings.local.json", r#"{"model":"x"}"#);
        let plan = json_in(&person, &deep, &["plan"], &[]);
        let said = manifest(&plan);
        assert_eq!(said["trusted-root"], it.to_str().unwrap(), "{kind}");
        assert_eq!(said["cwd"], deep.to_str().unwrap(), "{kind}");
        assert_eq!(plan["report"]["dropped-rules"][0]["because"], "failed", "{kind}: {plan:#}");
        // A project that is named is the project; what stands above it decides nothing but git's answer.
        let named = json_in(&person, &it, &["plan", "--project", "a"], &[]);
        assert_eq!(manifest(&named)["trusted-root"], it.join("a").to_str().unwrap(), "{kind}");
        assert_eq!(manifest(&named)["cwd"], it.join("a").to_str().unwrap(), "{kind}");
    }
}

#[test]
fn without_a_git_entry_the_working_folder_is_the_project() {
    let person = Person::new();
    let deep = person.at("me/src/it/a");
    fs::create_dir(&deep).unwrap();
    assert_eq!(manifest(&json_in(&person, &deep, &["plan"], &[]))["trusted-root"], deep.to_str().unwrap());
    let elsewhere = json_in(&person, &deep, &["plan", "--cwd", ".."], &[]);
    assert_eq!(manifest(&elsewhere)["trusted-root"], person.at("me/src/it").to_str().unwrap());
}

#[test]
fn the_home_folder_and_what_is_above_it_is_never_a_project() {
    let person = Person::new();
    let me = person.at("me");
    person.write("me/.winter/settings.json", r#"{"language":"not-read"}"#);
    person.write(".winter/settings.json", r#"{"language":"not-read"}"#);
    fs::create_dir(person.at(".git")).unwrap();
    for arguments in [["plan"].as_slice(), &["plan", "--project", "."], &["plan", "--project", ".."]] {
        let plan = json_in(&person, &me, arguments, &[]);
        assert_eq!(manifest(&plan)["trusted-root"], Value::Null, "{arguments:?}");
        assert_eq!(effective(&plan)["language"], Value::Null, "{arguments:?}");
        assert_eq!(plan["report"]["notices"][0]["kind"], "untrusted", "{plan:#}");
    }
    // The walk up ends at the home folder: an entry above it is nobody's project.
    let plan = json_in(&person, &person.at("me/src/it"), &["plan"], &[]);
    assert_eq!(manifest(&plan)["trusted-root"], person.at("me/src/it").to_str().unwrap());
}

#[test]
fn a_working_folder_that_is_gone_needs_the_flag() {
    let person = Person::new();
    fs::create_dir(person.at("gone")).unwrap();
    let plan = |flags: &str| {
        let mut shell = person.closed("sh");
        shell.args(["-c", &format!("rmdir ../gone; exec \"$0\" plan {flags}")]).arg(winter_tests::winter());
        fs::create_dir_all(person.at("gone")).unwrap();
        shell.current_dir(person.at("gone"));
        run(shell)
    };
    plan("").fails(2, "bad-input").says("help: name the working folder with --cwd");
    plan(&format!("--cwd {}", person.at("me/src/it").display())).ok();
    plan(&format!("--project {}", person.at("me/src/it").display())).ok();
}

#[test]
fn untrusted_and_chat_read_nothing_of_a_project() {
    let person = Person::new();
    person.write("me/.winter/sdk/settings.json", r#"{"language":"mine"}"#);
    person.write("me/src/it/.winter/settings.json", r#"{"spinnerTipsEnabled":false,"model":"x"}"#);
    person.write("me/src/it/.winter/settings.local.json", r#"{"spinnerTipsEnabled":false,"model":"x"}"#);
    assert_eq!(effective(&person.json(["plan"]))["spinnerTipsEnabled"], false);
    for flags in [["plan", "--untrusted"].as_slice(), &["plan", "--mode", "chat"]] {
        let plan = person.json(flags);
        assert_eq!(effective(&plan)["language"], "mine");
        assert_eq!(effective(&plan)["spinnerTipsEnabled"], Value::Null, "{flags:?}");
        assert_eq!(plan["report"]["dropped-rules"], json!([]), "{flags:?}");
    }
    for mode in ["code", "dispatch", "chat"] {
        assert_eq!(manifest(&person.json(["plan", "--mode", mode]))["mode"], mode);
    }
}

#[test]
fn powers_are_dropped_unless_they_are_kept() {
    let person = Person::new();
    let text = r#"{"permissions":{"allow":["Bash(make:*)"],"defaultMode":"acceptEdits"},"model":"x"}"#;
    person.write("me/src/it/.winter/settings.json", text);
    let allow = |flags: &[&str]| {
        let plan = person.json(["plan"].iter().chain(flags));
        assert_eq!(
            (&effective(&plan)["model"], &effective(&plan)["permissions"]["defaultMode"]),
            (&Value::Null, &Value::Null)
        );
        effective(&plan)["permissions"]["allow"].clone()
    };
    assert_eq!(allow(&[]), Value::Null);
    assert_eq!(allow(&["--powers", "drop"]), Value::Null);
    assert_eq!(allow(&["--powers", "keep"]), json!(["Bash(make:*)"]));
}

#[test]
fn the_claude_brand_reads_its_own_folders() {
    let person = Person::new();
    let it = person.at("me/src/it");
    for (path, language) in [("me/.winter/sdk", "winters"), ("me/.claude", "claudes"), ("me/other", "others")] {
        person.write(format!("{path}/settings.json"), format!(r#"{{"language":"{language}"}}"#));
    }
    person.write("me/src/it/.claude/settings.json", r#"{"spinnerTipsEnabled":false}"#);
    let language = |arguments: &[&str], variable: Option<&Path>| {
        let variable: Vec<_> = variable.map(|path| ("CLAUDE_CONFIG_DIR", path)).into_iter().collect();
        let plan = json_in(&person, &it, arguments, &variable);
        (effective(&plan)["language"].clone(), effective(&plan)["spinnerTipsEnabled"].clone())
    };
    let (claude, other) = (["plan", "--brand", "claude"], person.at("me/other"));
    assert_eq!(language(&["plan"], None), (json!("winters"), Value::Null));
    assert_eq!(language(&["plan"], Some(&other)), (json!("winters"), Value::Null));
    assert_eq!(language(&claude, None), (json!("claudes"), json!(false)));
    assert_eq!(language(&claude, Some(&other)), (json!("others"), json!(false)));
    assert_eq!(language(&claude, Some(Path::new(""))), (json!("claudes"), json!(false)));
    let built = json_in(&person, &it, &["build", "--brand", "claude"], &[]);
    assert!(built["dir"].as_str().unwrap().starts_with(person.runs().to_str().unwrap()), "{built:#}");
}

#[test]
fn the_home_is_the_flag_else_the_variable_else_the_default() {
    let person = Person::new();
    let (flag, variable) = (person.at("flag"), person.at("variable"));
    let built = |arguments: &[&OsStr], environment: &[(&str, &Path)]| {
        let mut command = person.command();
        command.arg("build").args(arguments).envs(environment.iter().copied());
        run(command).ok().id()
    };
    let named = [OsStr::new("--home"), flag.as_os_str()];
    let id = built(&named, &[("WINTER_HOME", &variable)]);
    assert_built(&flag.join("cache/runs").join(id));
    assert!(!variable.exists());
    let id = built(&[], &[("WINTER_HOME", &variable)]);
    assert_built(&variable.join("cache/runs").join(&id));
    assert!(!person.runs().exists());
    let mut command = person.command();
    command.args(["dispose", &id]).env("WINTER_HOME", &variable);
    run(command).ok();
    let id = built(&[], &[]);
    assert_built(&person.runs().join(id));
    for (name, value) in [("HOME", ""), ("HOME", "not/absolute")] {
        let mut command = person.command();
        command.arg("build").env(name, value);
        run(command).fails(2, "bad-input").says("help: set HOME, or name the home with --home");
    }
}

#[test]
fn a_plan_writes_nothing_a_build_beneath_the_home_and_dispose_takes_it_back() {
    let person = Person::new();
    person.write("me/src/it/.winter/settings.json", r#"{"model":"x"}"#);
    let before = tree(&person.base);
    for arguments in
        [["plan"].as_slice(), &["plan", "--json"], &["inspect"], &["explain", "env"], &["escape", "rule", "x"]]
    {
        person.run(arguments).ok();
        assert_eq!(tree(&person.base), before, "{arguments:?}");
    }
    let id = person.run(["build"]).ok().id();
    assert_built(&person.runs().join(&id));
    let beneath = person.at("me/.winter/cache");
    let above = [person.at("me/.winter"), person.at("me/.winter/sdk")];
    let outside = || -> Vec<_> {
        tree(&person.base)
            .into_iter()
            .filter(|(path, _)| !path.starts_with(&beneath) && !above.contains(path))
            .collect()
    };
    // The folders that outlive a run come into being in the shared home, empty.
    let kept = ["file-history", "tasks", "teams", "agent-memory", "workflows", "plugins"];
    for name in kept {
        assert_eq!(fs::read_dir(person.at("me/.winter/sdk").join(name)).unwrap().count(), 0, "{name}");
        fs::remove_dir(person.at("me/.winter/sdk").join(name)).unwrap();
    }
    let expected: Vec<_> = before.into_iter().filter(|(path, _)| !above.contains(path)).collect();
    assert_eq!(outside(), expected);
    person.run(["dispose", &id]).ok();
    assert_no_run(&person.at("me/.winter"));
    person.run(["dispose", &id]).fails(2, "unknown-run").says(&id);
    assert_eq!(outside(), expected);
}

#[test]
fn dispose_takes_ids_of_runs_and_nothing_else() {
    let person = Person::new();
    let kept = person.run(["build"]).ok().id();
    person.write("me/.winter/cache/x/settings.json", "mine");
    person.write("me/.winter/cache/runs/somebody-elses/file", "mine");
    symlink("../../../src", person.runs().join("link-to-the-project")).unwrap();
    let before = tree(&person.base);
    let absolute = person.at("me/.winter/cache/x");
    for (id, code) in [
        ("../x", "bad-run-id"),
        ("..", "bad-run-id"),
        (".", "bad-run-id"),
        ("", "bad-run-id"),
        ("*", "bad-run-id"),
        (absolute.to_str().unwrap(), "bad-run-id"),
        (&format!("{kept}/"), "bad-run-id"),
        (&kept.to_uppercase(), "bad-run-id"),
        ("01a22f46-5ebb-7539-a4b9-3228d26bed05", "unknown-run"),
        ("somebody-elses", "not-a-run"),
        ("link-to-the-project", "not-a-run"),
    ] {
        person.run(["dispose", id]).fails(2, code);
        assert_eq!(tree(&person.base), before, "{id}");
    }
    let home = person.at("me/no-home");
    let failed = person.run([OsStr::new("dispose"), OsStr::new(&kept), OsStr::new("--home"), home.as_os_str()]);
    failed.fails(2, "unknown-run");
    assert!(!home.exists());
}

#[test]
fn a_link_of_ones_own_needs_the_flag_that_the_error_names() {
    let person = Person::new();
    let dotfiles = person.write("me/dotfiles/winter/settings.json", r#"{"language":"mine"}"#);
    for target in [dotfiles.as_path(), Path::new("../../dotfiles/winter/settings.json")] {
        let _ = fs::remove_file(person.own());
        symlink(target, person.own()).unwrap();
        let denied: Run = person.run(["build"]).fails(4, "denied");
        assert_no_run(&person.at("me/.winter"));
        // The help is a command line that works.
        let flags = denied.stderr.split_once("help: ").unwrap().1.split_once(" would grant").unwrap().0;
        assert_eq!(flags, format!("--grant-read {}", person.at("me/dotfiles/winter").display()));
        let plan = person.json(["plan"].into_iter().chain(flags.split(' ')));
        assert_eq!(effective(&plan)["language"], "mine");
        let above = person.at("me/dotfiles");
        let plan = person.json(["plan", "--grant-read", above.to_str().unwrap()]);
        assert_eq!(effective(&plan)["language"], "mine");
        let elsewhere = person.at("me/src");
        person.run(["plan", "--grant-read", elsewhere.to_str().unwrap()]).fails(4, "denied");
    }
    person.run(["plan", "--grant-read", "nowhere"]).fails(2, "grant-not-found").says("nowhere");
    let inspected = person.json(["inspect", "--grant-read", person.at("me/dotfiles").to_str().unwrap()]);
    let read = inspected["grants"]["files"]["read"].as_array().unwrap();
    assert!(
        read.contains(&json!(person.at("me/dotfiles"))) && read.contains(&json!(person.at("me/src/it"))),
        "{read:?}"
    );
    assert_eq!(read.len(), 3, "{read:?}");
}

#[test]
fn inspect_takes_the_components_out() {
    let person = Person::new();
    let folder = person.at("out/components");
    person.run(["inspect", "--extract", folder.to_str().unwrap()]).ok();
    let inspected = person.json(["inspect"]);
    for (place, name) in ["winter-policy", "winter-runtime"].into_iter().enumerate() {
        let bytes = fs::read(folder.join(format!("{name}.wasm"))).unwrap();
        assert!(bytes.starts_with(b"\0asm"));
        assert_eq!(inspected["components"][place]["bytes"], bytes.len(), "{name}");
    }
    let file = person.write("file", "");
    person.run([OsStr::new("inspect"), OsStr::new("--extract"), file.as_os_str()]).fails(5, "write");
}

#[test]
fn the_log_goes_to_the_error_stream_by_flag_or_variable() {
    let person = Person::new();
    assert_eq!(person.run(["build"]).ok().stderr, "");
    let by_flag = person.run(["--log", "info", "build"]).ok();
    let mut command = person.command();
    command.arg("build").env("WINTER_LOG", "winter=info");
    for logged in [by_flag, run(command).ok()] {
        assert!(logged.stderr.contains("built") && !logged.stdout.contains("INFO"), "{logged:#?}");
    }
}
