//! Bad input: each a clear error or a reported skip; nothing half-written, nothing that hangs, no panic.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use crate::{Person, is_root};

const OWN: &str = "me/.winter/sdk/settings.json";
const PROJECT: &str = "me/src/it/.winter/settings.json";

/// Puts `make` in place of each of the two files. The person's own is an error of this code; the project's is skipped for
/// this reason, and the build goes on.
#[track_caller]
fn in_both(make: impl Fn(&Path), code: &str, reason: &str) {
    let person = Person::new();
    make(&person.at(OWN));
    let run = person.run(["build"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.starts_with(&format!("error[{code}]: {}", person.at(OWN).display())), "{}", run.stderr);
    assert!(run.stderr.contains("\nhelp: "), "{}", run.stderr);
    assert_nothing_built(&person);

    let person = Person::new();
    make(&person.at(PROJECT));
    let run = person.run(["build"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let line = format!("{reason}  {}", person.at(PROJECT).display());
    assert!(run.stdout.contains(&line), "{}", run.stdout);
}

#[track_caller]
fn assert_nothing_built(person: &Person) {
    let runs = person.at("me/.winter/cache/runs");
    let left: Vec<_> = fs::read_dir(&runs).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect();
    assert!(left.iter().all(|name| name == ".lock"), "{left:?}");
}

#[test]
fn a_settings_file_that_is_no_file() {
    in_both(|path| fs::create_dir(path).unwrap(), "unusable-settings", "not-regular");
    in_both(
        |path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
        "unusable-settings",
        "not-regular",
    );
    in_both(|path| drop(UnixListener::bind(path).unwrap()), "unusable-settings", "not-regular");
}

#[test]
fn a_settings_file_that_is_a_device() {
    if !is_root() {
        println!("skipped: only root makes a device");
        return;
    }
    let device = |path: &Path| Command::new("mknod").arg(path).args(["c", "1", "5"]).status().unwrap().success();
    let scratch = tempfile::tempdir().unwrap();
    if !device(&scratch.path().join("zero")) {
        println!("skipped: no device can be made here");
        return;
    }
    in_both(|path| assert!(device(path)), "unusable-settings", "not-regular");
}

#[test]
fn a_settings_file_that_leads_to_a_device() {
    let person = Person::new();
    symlink("/dev/zero", person.at(PROJECT)).unwrap();
    let run = person.run(["build"]);
    assert!(run.code == 0 && run.stdout.contains("outside-root"), "{}", run.stdout);
    let person = Person::new();
    symlink("/dev/zero", person.at(OWN)).unwrap();
    assert_eq!(person.run(["build"]).code, 4);
    let run = person.run(["build", "--grant-read", "/dev"]);
    assert!(run.code == 2 && run.stderr.contains("not a regular file"), "{}", run.stderr);
}

#[test]
fn a_settings_file_of_a_hundred_megabytes() {
    let sparse = |path: &Path| fs::File::create(path).unwrap().set_len(100 << 20).unwrap();
    in_both(sparse, "unusable-settings", "too-large");
    let text = format!("{{\"a\":\"{}\"}}", "x".repeat(2 << 20));
    in_both(|path| fs::write(path, &text).unwrap(), "unusable-settings", "too-large");
}

#[test]
fn a_settings_file_that_is_not_json() {
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(10_000), "]".repeat(10_000));
    for text in [
        b"\xff\xfe{\0}\0".as_slice(),
        b"{\"a\": \"\xc3\x28\"}",
        b"{ /* mine */ }",
        b"{\"a\": 1,}",
        b"",
        b"[]",
        b"null",
        b"\"text\"",
        b"{\"a\": 1} trailing",
        b"\xef\xbb\xbf\xef\xbb\xbf{}",
        deep.as_bytes(),
    ] {
        in_both(|path| fs::write(path, text).unwrap(), "unusable-settings", "unusable");
    }
}

#[test]
fn a_byte_order_mark_and_keys_that_stand_twice_are_read() {
    let person = Person::new();
    person.own(b"\xef\xbb\xbf{\"language\":\"a\",\n\"language\":\"b\"}");
    person.project(b"\xef\xbb\xbf{\"verbose\":false,\"verbose\":true}");
    let run = person.run(["plan"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.stdout.matches("stands more than once").count(), 2, "{}", run.stdout);
}

#[test]
fn a_settings_file_without_permission() {
    if is_root() {
        println!("skipped: root may read everything");
        return;
    }
    let hide = |path: &Path| {
        fs::write(path, "{}").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
    };
    in_both(hide, "unusable-settings", "unreadable");
}

#[test]
fn homes_that_cannot_hold_a_run() {
    let person = Person::new();
    let build = |home: &Path| person.run([OsStr::new("build"), OsStr::new("--home"), home.as_os_str()]);
    fs::write(person.at("file"), "x").unwrap();
    symlink("nowhere", person.at("dangling")).unwrap();
    for (home, exit) in [("file", 2..=5), ("missing/parent", 2..=5), ("dangling", 2..=5)] {
        let run = build(&person.at(home));
        assert!(exit.contains(&run.code) && run.stderr.starts_with("error["), "{home}: {} {}", run.code, run.stderr);
        assert!(run.stderr.contains(home.split('/').next().unwrap()), "{}", run.stderr);
    }
    assert!(!person.at("missing").exists() && !person.at("nowhere").exists());
    assert_eq!(fs::read(person.at("file")).unwrap(), b"x");
    let empty = person.run(["build", "--home", ""]);
    assert_eq!(empty.code, 2, "{}", empty.stderr);
}

#[test]
fn a_home_on_a_full_disk() {
    let person = Person::new();
    let small = person.at("small");
    fs::create_dir(&small).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&small).output();
    if !mounted.is_ok_and(|out| out.status.success()) {
        println!("skipped: no small file system can be mounted here");
        return;
    }
    fs::write(small.join("filler"), vec![0; 60 << 10]).unwrap();
    person.project(format!(r#"{{"language":"{}"}}"#, "x".repeat(40_000)));
    let run = person.run([OsStr::new("build"), OsStr::new("--home"), small.as_os_str()]);
    let left: Vec<_> =
        fs::read_dir(small.join("cache/runs")).into_iter().flatten().flatten().map(|e| e.file_name()).collect();
    let _ = Command::new("umount").arg(&small).status();
    assert_eq!(run.code, 5, "{}{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("space"), "{}", run.stderr);
    assert!(left.iter().all(|name| name == ".lock"), "{left:?}");
}

#[test]
fn paths_with_every_kind_of_character() {
    for name in
        ["a b", "[x]", "q\"u'o", "new\nline", "what?", "st*r", "t\tab", "-dash", "sn\u{f6}w \u{2744}", "back\\slash"]
    {
        let person = Person::new();
        let (project, home) = (person.at("me").join(name), person.at(format!("home {name}")));
        fs::create_dir_all(project.join(".winter")).unwrap();
        fs::create_dir_all(project.join(".claude")).unwrap();
        for dir in [".winter", ".claude"] {
            let text = r#"{"permissions":{"deny":["Read(/keys/**)"]},"sandbox":{"filesystem":{"denyRead":["keys"]}}}"#;
            fs::write(project.join(dir).join("settings.json"), text).unwrap();
        }
        for brand in ["winter", "claude"] {
            let project = OsString::from(format!("--project={}", project.display()));
            let home = OsString::from(format!("--home={}", home.display()));
            let run = person.run([
                OsStr::new("build"),
                OsStr::new("--json"),
                OsStr::new("--brand"),
                OsStr::new(brand),
                &project,
                &home,
            ]);
            assert_eq!(run.code, 0, "{name:?} {brand}: {}{}", run.stdout, run.stderr);
            let built: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
            let settings = fs::read_to_string(Path::new(built["dir"].as_str().unwrap()).join("settings.json")).unwrap();
            let settings: serde_json::Value = serde_json::from_str(&settings).unwrap();
            assert!(settings["permissions"]["deny"][0].as_str().unwrap().ends_with("/keys/**)"), "{name:?} {settings}");
        }
    }
}

#[test]
fn paths_that_are_not_utf8() {
    let person = Person::new();
    let odd = person.at(OsString::from_vec(b"me/od\xffd".to_vec()));
    fs::create_dir_all(odd.join(".winter")).unwrap();
    for flag in ["--project", "--home", "--cwd"] {
        let run = person.run([OsStr::new("build"), OsStr::new(flag), odd.as_os_str()]);
        assert!(run.code == 2 && run.stderr.starts_with("error["), "{flag}: {} {}", run.code, run.stderr);
    }
    // An odd name inside the project is no reason not to build.
    fs::write(person.at(OsString::from_vec(b"me/src/it/.winter/\xff.json".to_vec())), "x").unwrap();
    assert_eq!(person.run(["build"]).code, 0);
    assert_eq!(person.run([OsStr::new("escape"), OsStr::new("rule"), OsStr::from_bytes_of(b"\xff")]).code, 2);
}

/// `OsStr::from_bytes` without the trait in scope at the call.
trait FromBytes {
    fn from_bytes_of(bytes: &[u8]) -> &OsStr;
}

impl FromBytes for OsStr {
    fn from_bytes_of(bytes: &[u8]) -> &OsStr {
        std::os::unix::ffi::OsStrExt::from_bytes(bytes)
    }
}

#[test]
fn projects_that_are_none() {
    let person = Person::new();
    fs::write(person.at("file"), "").unwrap();
    for project in ["nowhere", "file"] {
        let run = person.run([OsStr::new("plan"), OsStr::new("--project"), person.at(project).as_os_str()]);
        assert!(run.code == 2 && run.stderr.contains(project), "{}", run.stderr);
    }
    let run = person.run([
        OsStr::new("plan"),
        OsStr::new("--cwd"),
        person.at("me").as_os_str(),
        OsStr::new("--project"),
        OsStr::new("."),
    ]);
    assert!(run.code == 2 && run.stderr.contains("not inside the project"), "{}", run.stderr);
}
