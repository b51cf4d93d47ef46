//! Which folders a command takes when nobody names them, and what it writes.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;

use crate::{Person, tree};

fn plans(person: &Person, arguments: &[&str]) -> serde_json::Value {
    let run = person.run(arguments.iter().chain(&["--json"]));
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let plan: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    serde_json::from_str(plan["manifest"].as_str().unwrap()).unwrap()
}

#[test]
fn the_project_is_the_nearest_git_entry_whatever_it_is() {
    for make in [
        |path: &std::path::Path| fs::create_dir(path).unwrap(),
        |path: &std::path::Path| fs::write(path, "gitdir: nowhere").unwrap(),
        |path: &std::path::Path| symlink("nowhere", path).unwrap(),
    ] {
        let person = Person::new();
        let deep = person.at("me/src/it/a/b");
        fs::create_dir_all(&deep).unwrap();
        make(&person.at("me/src/it/.git"));
        let run = person.run_in(&deep, ["plan", "--json"], &[]);
        let plan: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(plan["manifest"].as_str().unwrap()).unwrap();
        assert_eq!(manifest["trusted-root"], person.at("me/src/it").to_str().unwrap());
        assert_eq!(manifest["cwd"], deep.to_str().unwrap());
    }
}

#[test]
fn without_an_entry_the_working_folder_is_the_project_and_the_home_is_never_one() {
    let person = Person::new();
    assert_eq!(plans(&person, &["plan"])["trusted-root"], person.at("me/src/it").to_str().unwrap());
    fs::create_dir(person.at("me/.git")).unwrap();
    let run = person.run_in(&person.at("me"), ["plan"], &[]);
    assert!(run.stdout.contains("never trusted as a project"), "{}", run.stdout);
}

#[test]
fn flags_do_what_they_say() {
    let person = Person::new();
    person.own(r#"{"language":"mine"}"#);
    person.project(r#"{"verbose":true,"hooks":{"Stop":[{"hooks":[{"type":"command","command":"end.sh"}]}]}}"#);
    let settings = |arguments: &[&str]| {
        let run = person.run(arguments.iter().chain(&["--json"]));
        serde_json::from_str::<serde_json::Value>(&run.stdout).unwrap()["effective-settings"].to_string()
    };
    assert!(settings(&["plan"]).contains("verbose") && !settings(&["plan"]).contains("end.sh"));
    assert!(settings(&["plan", "--powers", "keep"]).contains("end.sh"));
    for flags in [["plan", "--untrusted"].as_slice(), &["plan", "--mode", "chat"]] {
        assert!(!settings(flags).contains("verbose") && settings(flags).contains("mine"), "{flags:?}");
    }
    fs::create_dir_all(person.at("me/.claude")).unwrap();
    fs::write(person.at("me/.claude/settings.json"), r#"{"language":"claudes"}"#).unwrap();
    assert!(settings(&["plan", "--brand", "claude"]).contains("claudes"));
    fs::create_dir_all(person.at("me/other")).unwrap();
    fs::write(person.at("me/other/settings.json"), r#"{"language":"others"}"#).unwrap();
    let other = person.at("me/other");
    let run = person.run_in(
        &person.at("me/src/it"),
        ["plan", "--brand", "claude", "--json"],
        &[("CLAUDE_CONFIG_DIR", other.as_os_str())],
    );
    assert!(run.stdout.contains("others"), "{}", run.stdout);
}

#[test]
fn the_home_is_the_flag_else_the_variable_else_the_default() {
    let person = Person::new();
    let (flag, variable) = (person.at("flag"), person.at("variable"));
    let it = person.at("me/src/it");
    let environment = [("WINTER_HOME", variable.as_os_str())];
    let built = |arguments: &[&OsStr], environment: &[(&str, &OsStr)]| {
        assert_eq!(person.run_in(&it, arguments, environment).code, 0);
    };
    let build = OsStr::new("build");
    built(&[build, OsStr::new("--home"), flag.as_os_str()], &environment);
    assert!(flag.join("cache/runs").is_dir() && !variable.exists());
    built(&[build], &environment);
    assert!(variable.join("cache/runs").is_dir() && !person.at("me/.winter/cache").exists());
    built(&[build], &[]);
    assert!(person.at("me/.winter/cache/runs").is_dir());
}

#[test]
fn a_plan_writes_nothing_a_build_only_beneath_the_home_and_dispose_takes_it_back() {
    let person = Person::new();
    person.project(r#"{"model":"x"}"#);
    let before = tree(&person.at(""));
    assert_eq!(person.run(["plan"]).code, 0);
    assert_eq!(tree(&person.at("")), before);
    let built = person.run(["build"]);
    assert_eq!(built.code, 0);
    let id = built.stdout.lines().next().unwrap().rsplit('/').next().unwrap().to_owned();
    let cache = person.at("me/.winter/cache");
    let outside = |tree: Vec<String>| -> Vec<String> {
        let kept = |line: &String| !line.starts_with(cache.to_str().unwrap()) && !line.contains("/me/.winter \"");
        tree.into_iter()
            .filter(|line| kept(line) && !line.starts_with(&format!("{} ", person.at("me/.winter").display())))
            .collect()
    };
    assert_eq!(outside(tree(&person.at(""))), outside(before));
    assert_eq!(person.run(["dispose", &id]).code, 0);
    assert!(!cache.join("runs").join(&id).exists());
    let again = person.run(["dispose", &id]);
    assert!(again.code != 0 && again.stderr.starts_with("error["), "{}", again.stderr);
}

#[test]
fn a_link_of_ones_own_needs_the_flag_that_the_error_names() {
    let person = Person::new();
    fs::create_dir_all(person.at("dotfiles")).unwrap();
    fs::write(person.at("dotfiles/s.json"), r#"{"language":"mine"}"#).unwrap();
    symlink(person.at("dotfiles/s.json"), person.at("me/.winter/sdk/settings.json")).unwrap();
    let denied = person.run(["plan"]);
    assert_eq!(denied.code, 4, "{}", denied.stderr);
    let flag = format!("--grant-read {}", person.at("dotfiles").display());
    assert!(denied.stderr.contains(&flag), "{}", denied.stderr);
    let granted = person.run(["plan", "--json", "--grant-read", person.at("dotfiles").to_str().unwrap()]);
    assert!(granted.code == 0 && granted.stdout.contains("mine"), "{}", granted.stderr);
}

#[test]
fn the_components_can_be_taken_out() {
    let person = Person::new();
    let folder = person.at("out/components");
    assert_eq!(person.run(["inspect", "--extract", folder.to_str().unwrap()]).code, 0);
    for name in ["winter-policy.wasm", "winter-runtime.wasm"] {
        assert!(fs::read(folder.join(name)).unwrap().starts_with(b"\0asm"), "{name}");
    }
}

#[test]
fn the_log_goes_to_the_error_stream() {
    let person = Person::new();
    let run = person.run(["--log", "info", "build"]);
    assert!(run.stderr.contains("built") && !run.stdout.contains("INFO"), "{}", run.stderr);
}
