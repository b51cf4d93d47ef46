//! Paths of any spelling, as the project, the home, the working folder and a grant; and projects that are none.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::person::{Person, assert_built, assert_no_run, raw, run};

/// Names that a shell, a terminal, a matcher or a parser of words might take for something else.
const NAMES: [&str; 16] = [
    "a b",
    " a ",
    "[x]",
    "{a,b}",
    "q\"u'o`t",
    "new\nline",
    "what?",
    "st*r",
    "t\tab",
    "-dash",
    "--json",
    "sn\u{f6}w \u{2744}\u{fe0f}",
    "back\\slash",
    "$HOME",
    "(a)|b",
    "esc\x1b[31m\u{202e}",
];

fn flag(name: &str, value: &OsStr) -> OsString {
    let mut flag = OsString::from(name);
    flag.push("=");
    flag.push(value);
    flag
}

#[test]
fn paths_of_every_spelling_work() {
    for name in NAMES {
        let person = Person::new();
        let (project, home) = (person.at("me").join(name), person.at("homes").join(name));
        let cwd = project.join(name);
        fs::create_dir_all(&cwd).unwrap();
        fs::create_dir_all(home.parent().unwrap()).unwrap();
        fs::create_dir(project.join(".git")).unwrap();
        let text = r#"{"permissions":{"deny":["Read(/keys/**)"]},"sandbox":{"filesystem":{"denyRead":["keys"]}}}"#;
        for folder in [".winter", ".claude"] {
            fs::create_dir_all(project.join(folder)).unwrap();
            fs::write(project.join(folder).join("settings.json"), text).unwrap();
        }
        for brand in ["winter", "claude"] {
            let named = [
                flag("--project", project.as_os_str()),
                flag("--home", home.as_os_str()),
                flag("--cwd", cwd.as_os_str()),
            ];
            let built = person.json(["build", "--brand", brand].map(OsString::from).iter().chain(&named));
            let dir = built["dir"].as_str().unwrap();
            assert!(dir.starts_with(home.to_str().unwrap()), "{name:?} {dir}");
            assert_built(dir.as_ref());
            let manifest: Value = serde_json::from_slice(&fs::read(format!("{dir}/manifest.json")).unwrap()).unwrap();
            assert_eq!(manifest["cwd"], cwd.to_str().unwrap());
            assert_eq!(manifest["trusted-root"], project.to_str().unwrap());
            let settings: Value = serde_json::from_slice(&fs::read(format!("{dir}/settings.json")).unwrap()).unwrap();
            let spelling = if brand == "winter" { "contract" } else { "hex" };
            let mut command = person.command();
            command.args(["escape", "rule", "--spelling", spelling, "--"]).arg(&project);
            let spelt = raw(command).ok().stdout;
            let rule = format!("Read(/{}/keys/**)", spelt.strip_suffix('\n').unwrap());
            assert_eq!(settings["permissions"]["deny"][0], rule, "{name:?} {brand}");
            let id = built["run-id"].as_str().unwrap();
            person.run([OsStr::new("dispose"), OsStr::new(id), &flag("--home", home.as_os_str())]).ok();
            assert_no_run(&home);
        }
        // The same by the working folder alone, and by names from it.
        let mut command = person.command();
        command.current_dir(&cwd).args(["build", "--json"]).env("WINTER_HOME", &home);
        let built = run(command).ok().value();
        let manifest: Value = serde_json::from_str(built["manifest"].as_str().unwrap()).unwrap();
        assert_eq!(manifest["trusted-root"], project.to_str().unwrap());
        let mut command = person.command();
        command.current_dir(person.at("me")).arg("plan").arg(flag("--project", OsStr::new(name)));
        run(command).ok();
    }
}

#[test]
fn a_grant_of_every_spelling_works() {
    for name in NAMES {
        let person = Person::new();
        let dotfiles = person.at("me").join(name);
        fs::create_dir_all(&dotfiles).unwrap();
        fs::write(dotfiles.join("settings.json"), r#"{"language":"mine"}"#).unwrap();
        symlink(dotfiles.join("settings.json"), person.own()).unwrap();
        person.run(["plan"]).fails(4, "denied").says("--grant-read");
        let plan = person.json([OsStr::new("plan"), &flag("--grant-read", dotfiles.as_os_str())]);
        let settings: Value = serde_json::from_str(plan["effective-settings"].as_str().unwrap()).unwrap();
        assert_eq!(settings["language"], json!("mine"), "{name:?}");
    }
}

#[test]
fn paths_that_are_not_utf8_are_refused() {
    let person = Person::new();
    let odd = person.base.join(OsStr::from_bytes(b"me/od\xffd"));
    fs::create_dir_all(odd.join(".winter")).unwrap();
    let arguments =
        |command: &str, name: &str| [OsString::from(command), OsString::from(name), odd.clone().into_os_string()];
    for name in ["--project", "--home", "--cwd", "--grant-read"] {
        let failed = person.run(arguments("build", name));
        assert!(failed.code == 2 && failed.stderr.starts_with("error["), "{name}: {failed:#?}");
        assert!(failed.stderr.contains("UTF-8"), "{name}: {failed:#?}");
    }
    let mut command = person.command();
    command.arg("build").current_dir(&odd);
    assert!(run(command).stderr.contains("UTF-8"));
    for variable in ["WINTER_HOME", "HOME"] {
        let mut command = person.command();
        command.arg("build").env(variable, &odd);
        assert!(run(command).stderr.contains("UTF-8"), "{variable}");
    }
    let mut command = person.command();
    command.args(["build", "--brand", "claude"]).env("CLAUDE_CONFIG_DIR", &odd);
    assert!(run(command).stderr.contains("UTF-8"));
    assert_no_run(&person.at("me/.winter"));
    assert_no_run(&odd);
    assert_eq!(fs::read_dir(&odd).unwrap().count(), 1, "nothing was made there");
    let word = OsString::from_vec(b"\xff".to_vec());
    for arguments in [["escape", "rule"].as_slice(), &["dispose"], &["explain"]] {
        let failed = person.run(arguments.iter().map(OsStr::new).chain([word.as_os_str()]));
        assert_eq!(failed.code, 2, "{failed:#?}");
    }
}

#[test]
fn names_that_are_not_utf8_inside_the_project_are_no_reason_not_to_build() {
    let person = Person::new();
    let it = person.at("me/src/it");
    for name in [b".winter/settings.\xff.json".as_slice(), b"\xff", b".winter/\xff.json"] {
        fs::write(it.join(OsStr::from_bytes(name)), "{}").unwrap();
    }
    let target = OsStr::from_bytes(b"\xff/settings.json");
    symlink(target, it.join(".winter/settings.json")).unwrap();
    let built = person.run(["build"]).ok();
    assert!(built.stdout.contains(person.project().to_str().unwrap()), "{built:#?}");
    assert_built(&person.runs().join(built.id()));
    symlink(target, person.own()).unwrap();
    let failed = person.run(["build"]);
    assert!(failed.code == 2 && failed.stderr.contains("UTF-8"), "{failed:#?}");
}

#[test]
fn very_long_paths_are_refused_and_long_ones_work() {
    let person = Person::new();
    let long = ["x".repeat(200), "y".repeat(200), "z".repeat(200)].join("/");
    let project = person.at("me").join(long);
    fs::create_dir_all(&project).unwrap();
    person.run([OsStr::new("build"), OsStr::new("--project"), project.as_os_str()]).ok();
    let too_long = ["x".repeat(300), "y/".repeat(4000)];
    for path in too_long {
        for name in ["--project", "--home", "--cwd", "--grant-read"] {
            let failed = person.run(["build", name, &path]);
            assert!(failed.code == 2 || failed.code == 5, "{name}: {failed:#?}");
            assert!(failed.stderr.starts_with("error["), "{name}: {failed:#?}");
        }
    }
}

#[test]
fn projects_that_are_none() {
    let person = Person::new();
    person.write("file", "");
    winter_tests::git::fifo(person.at("fifo"));
    symlink("nowhere", person.at("dangling")).unwrap();
    symlink("looping", person.at("looping")).unwrap();
    for (project, exit, code) in [
        ("nowhere", 2, "grant-not-found"),
        ("file", 2, "grant-not-a-folder"),
        ("fifo", 2, "grant-not-a-folder"),
        ("dangling", 2, "grant-not-found"),
        ("looping", 2, "grant-failed"),
    ] {
        for name in ["--project", "--cwd", "--grant-read"] {
            let path = person.at(project);
            let failed = person.run([OsStr::new("build"), OsStr::new(name), path.as_os_str()]).fails(exit, code);
            assert!(failed.stderr.contains(project), "{name}: {failed:#?}");
        }
        assert_no_run(&person.at("me/.winter"));
    }
    person.run(["plan", "--project", ".winter", "--cwd", "."]).fails(2, "bad-input").says("not inside the project");
}

#[test]
fn no_repository_is_no_reason_not_to_build() {
    let person = Person::new();
    person.write("me/src/it/.winter/settings.json", r#"{"language":"a"}"#);
    assert!(!person.at("me/src/it/.git").exists());
    let built = person.run(["build"]).ok();
    assert_built(&person.runs().join(built.id()));
}
