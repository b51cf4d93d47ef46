//! Homes in which nothing can be built: an error that names the place, and nothing half-written.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::person::{Person, Run, assert_built, assert_no_run, can, run, tree};

fn build(person: &Person, home: &Path) -> Run {
    person.run([OsStr::new("build"), OsStr::new("--home"), home.as_os_str()])
}

#[test]
fn a_home_that_does_not_exist_is_made_but_not_what_is_above_it() {
    let person = Person::new();
    let built = build(&person, &person.at("new")).ok();
    assert_built(&person.at("new/cache/runs").join(built.id()));
    assert_eq!(person.at("new").metadata().unwrap().permissions().mode() & 0o777, 0o700);
    let before = tree(&person.base);
    build(&person, &person.at("no/parent")).fails(2, "home-parent-missing").says(person.at("no").to_str().unwrap());
    assert_eq!(tree(&person.base), before);
    // Planning needs no home.
    let plan = person.run(["plan", "--home", person.at("no/parent").to_str().unwrap()]);
    plan.ok();
    assert_eq!(tree(&person.base), before);
}

#[test]
fn a_home_by_a_relative_name_is_one_from_the_working_folder() {
    let person = Person::new();
    let built = build(&person, Path::new("../home")).ok();
    assert!(built.stdout.starts_with(person.at("me/src/home/cache/runs/").to_str().unwrap()), "{built:#?}");
    assert_built(&person.at("me/src/home/cache/runs").join(built.id()));
}

#[test]
fn something_else_stands_where_the_home_or_a_folder_of_it_should() {
    let person = Person::new();
    person.write("file", "x");
    person.write("cache-is-a-file/cache", "x");
    person.write("runs-is-a-file/cache/runs", "x");
    symlink("nowhere", person.at("dangling")).unwrap();
    symlink("looping", person.at("looping")).unwrap();
    fs::create_dir_all(person.at("cache-is-a-link")).unwrap();
    symlink(person.at("me"), person.at("cache-is-a-link/cache")).unwrap();
    fs::create_dir_all(person.at("runs-is-a-link/cache")).unwrap();
    symlink(person.at("me"), person.at("runs-is-a-link/cache/runs")).unwrap();
    let before = tree(&person.base);
    for (home, exit, code) in [
        ("file", 2, "home-not-a-folder"),
        ("file/below", 2, "home-not-a-folder"),
        ("cache-is-a-file", 2, "home-not-a-folder"),
        ("runs-is-a-file", 2, "home-not-a-folder"),
        ("dangling", 2, "home-linked"),
        ("looping", 5, "home-failed"),
        ("cache-is-a-link", 2, "home-linked"),
        ("runs-is-a-link", 2, "home-linked"),
    ] {
        build(&person, &person.at(home)).fails(exit, code).says(home.split('/').next().unwrap());
        let after: Vec<_> = tree(&person.base).into_keys().collect();
        assert_eq!(after, before.keys().cloned().collect::<Vec<_>>(), "{home}");
    }
    // A home behind a link is a person's word.
    fs::create_dir(person.at("real")).unwrap();
    symlink("real", person.at("link")).unwrap();
    let built = build(&person, &person.at("link")).ok();
    assert_built(&person.at("real/cache/runs").join(built.id()));
}

#[test]
fn a_home_without_permission_to_write() {
    let person = Person::new();
    let mode = |path: &str, mode| fs::set_permissions(person.at(path), fs::Permissions::from_mode(mode)).unwrap();
    fs::create_dir_all(person.at("above")).unwrap();
    fs::create_dir_all(person.at("old/cache/runs")).unwrap();
    if person.unprivileged().is_none() {
        return;
    }
    for (closed, home) in [("above", "above/new"), ("me/.winter", "me/.winter")] {
        mode(closed, 0o555);
        let mut command = person.unprivileged().unwrap();
        command.args(["build", "--home"]).arg(person.at(home));
        let failed = run(command);
        mode(closed, 0o755);
        failed.fails(5, "home-not-writable").says(closed);
        assert_no_run(&person.at(home));
    }
    // Folders of our own that were left closed or open are put right, since they belong to the person.
    mode("old/cache/runs", 0o555);
    let mut command = person.unprivileged().unwrap();
    command.args(["build", "--home"]).arg(person.at("old"));
    let id = run(command).ok().id();
    assert_built(&person.at("old/cache/runs").join(id));
}

/// Runs a script where it may mount, in a name space of its own that ends with it; its arguments are the program, the
/// folder `disk`, and the person's base. None, with a remark, where that cannot be.
fn mounting(person: &Person, script: &str) -> Option<Run> {
    let probe = ["--mount", "--map-root-user", "sh", "-c", "mount -t tmpfs -o size=64k tmpfs /tmp"];
    if !can("a file system of its own", "unshare", &probe) {
        return None;
    }
    fs::create_dir_all(person.at("disk")).unwrap();
    let mut command = person.closed("unshare");
    command.args(["--mount", "--map-root-user", "sh", "-e", "-c", script]);
    command.arg(winter_tests::winter()).arg(person.at("disk"));
    Some(run(command))
}

#[test]
fn a_home_on_a_disk_that_is_read_only() {
    let person = Person::new();
    let script = r#"mount -t tmpfs -o size=64k tmpfs "$1"; mkdir -p "$1/home/cache/runs"; mount -o remount,bind,ro "$1"
        exec "$0" build --home "$1/home""#;
    if let Some(failed) = mounting(&person, script) {
        failed.fails(5, "home-not-writable");
    }
    let script = r#"mount -t tmpfs -o size=64k,ro tmpfs "$1"; exec "$0" build --home "$1/home""#;
    if let Some(failed) = mounting(&person, script) {
        failed.fails(5, "home-not-writable");
    }
}

#[test]
fn a_home_on_a_disk_that_is_full() {
    let person = Person::new();
    person.write(
        "me/src/it/.winter/settings.json",
        format!(r#"{{"permissions":{{"deny":["Read({})"]}}}}"#, "x".repeat(200_000)),
    );
    // Room for little of the settings, for most of them, and not even for a folder.
    for fill in ["128k", "0"] {
        let script = format!(
            r#"mount -t tmpfs -o size=192k tmpfs "$1"; mkdir "$1/home"; head -c {fill} /dev/zero >"$1/filler"
            "$0" build --home "$1/home" || code=$?
            left=$(ls -A "$1/home/cache/runs" | grep -v "^.lock$") || true; test -z "$left" || echo "left: $left"; exit $code"#
        );
        let Some(failed) = mounting(&person, &script) else { return };
        failed.fails(5, "disk-full").says("free some");
    }
    let script = r#"mount -t tmpfs -o nr_inodes=2 tmpfs "$1"; mkdir "$1/home"; "$0" build --home "$1/home" || exit $?"#;
    if let Some(failed) = mounting(&person, script) {
        failed.fails(5, "home-disk-full").says("free some");
    }
}

#[test]
fn what_a_killed_build_left_is_removed_by_the_next() {
    let person = Person::new();
    let first = person.run(["build"]).ok().id();
    let dead = "01a22f46-5ebb-7539-a4b9-3228d26bed05";
    let partial = format!(".partial-{dead}");
    let named = fs::read_dir(person.runs()).unwrap().count();
    fs::create_dir(person.runs().join(&partial)).unwrap();
    fs::write(person.runs().join(&partial).join("settings.json"), "{").unwrap();
    let second = person.run(["--log", "info", "build"]).ok();
    let mut left: Vec<_> = fs::read_dir(person.runs()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert!(!left.iter().any(|name| name == partial.as_str()), "{left:?}");
    assert!(second.stderr.contains(dead), "{second:#?}");
    assert_eq!(left.len(), named + 1, "{left:?}");
    for id in [first, second.id()] {
        assert_built(&person.runs().join(id));
    }
}

#[test]
fn builds_at_the_same_time_do_not_meet() {
    let person = Person::new();
    let ids = std::thread::scope(|scope| {
        let builds: Vec<_> = (0..8).map(|_| scope.spawn(|| person.run(["build"]).ok().id())).collect();
        builds.into_iter().map(|build| build.join().unwrap()).collect::<std::collections::BTreeSet<_>>()
    });
    assert_eq!(ids.len(), 8);
    for id in &ids {
        assert_built(&person.runs().join(id));
    }
    let disposed = std::thread::scope(|scope| {
        let id = ids.first().unwrap();
        let runs: Vec<_> = (0..4).map(|_| scope.spawn(|| person.run(["dispose", id]).code)).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(disposed.iter().filter(|code| **code == 0).count(), 1, "{disposed:?}");
}
