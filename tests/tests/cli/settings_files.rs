//! Settings files that cannot be used: the person's own is an error before anything is built, the project's is reported
//! and the build goes on.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use winter_tests::git::fifo;

use crate::person::{Person, assert_built, assert_no_run, can, run};

/// Puts `make` in place of each of the three files, for each brand. The person's own is an error; the project's is left
/// out for `reason`, the local one as well.
#[track_caller]
fn in_each(make: impl Fn(&Path), reason: &str) {
    for (brand, own, project) in [("winter", "me/.winter/sdk", ".winter"), ("claude", "me/.claude", ".claude")] {
        let person = Person::new();
        fs::create_dir_all(person.at(own)).unwrap();
        let file = person.at(own).join("settings.json");
        make(&file);
        let failed = person.run(["build", "--brand", brand]).fails(2, "unusable-settings");
        assert!(failed.stderr.contains(file.to_str().unwrap()), "{failed:#?}");
        assert!(failed.stderr.contains("\nhelp: "), "{failed:#?}");
        assert_no_run(&person.at("me/.winter"));

        for name in ["settings.json", "settings.local.json"] {
            let person = Person::new();
            let file = person.at("me/src/it").join(project).join(name);
            make(&file);
            let built = person.run(["build", "--brand", brand]).ok();
            assert!(built.names(reason, &file), "{reason} {built:#?}");
            assert_built(&person.runs().join(built.id()));
        }
    }
}

#[test]
fn no_regular_file() {
    in_each(|path| fs::create_dir(path).unwrap(), "not-regular");
    in_each(|path| fifo(path), "not-regular");
    in_each(|path| drop(UnixListener::bind(path).unwrap()), "not-regular");
}

#[test]
fn a_device() {
    let probe = tempfile::tempdir().unwrap();
    let node = probe.path().join("zero");
    if !can("a device", "mknod", &[node.to_str().unwrap(), "c", "1", "5"]) {
        return;
    }
    let zero = |path: &Path| assert!(Command::new("mknod").arg(path).args(["c", "1", "5"]).status().unwrap().success());
    in_each(zero, "not-regular");
}

#[test]
fn a_link_to_a_device() {
    let person = Person::new();
    for target in ["/dev/zero", "/dev/tty", "/proc/self/mem"] {
        for file in [person.own(), person.project()] {
            let _ = fs::remove_file(&file);
            symlink(target, &file).unwrap();
        }
        person.run(["build"]).fails(4, "denied").says("--grant-read");
        let above = Path::new(target).parent().unwrap().to_str().unwrap();
        if target == "/dev/zero" {
            person.run(["build", "--grant-read", above]).fails(2, "unusable-settings").says("not a regular file");
        }
        assert_no_run(&person.at("me/.winter"));
        fs::remove_file(person.own()).unwrap();
        person.run(["build"]).ok().says("outside-root");
        fs::remove_dir_all(person.runs()).unwrap();
    }
}

#[test]
fn links_that_lead_nowhere() {
    for target in ["nowhere", "settings.json", "./"] {
        let person = Person::new();
        symlink(target, person.own()).unwrap();
        let failed = person.run(["build"]);
        assert!(failed.code == 2 && failed.stderr.starts_with("error[unusable-settings]"), "{target}: {failed:#?}");
        assert_no_run(&person.at("me/.winter"));
        fs::remove_file(person.own()).unwrap();
        symlink(target, person.project()).unwrap();
        let built = person.run(["build"]).ok();
        assert!(built.stdout.contains(person.at("me/src/it/.winter/").to_str().unwrap()), "{target}: {built:#?}");
    }
}

#[test]
fn a_hundred_megabytes() {
    in_each(|path| fs::File::create(path).unwrap().set_len(100 << 20).unwrap(), "too-large");
    let scratch = tempfile::tempdir().unwrap();
    let large = scratch.path().join("large");
    fs::write(&large, format!("{{\"language\":\"{}\"}}", "x".repeat(100 << 20))).unwrap();
    in_each(|path| fs::hard_link(&large, path).unwrap(), "too-large");
}

#[test]
fn just_as_large_as_may_be() {
    let person = Person::new();
    let text = |size: usize| format!("{{\"language\":\"{}\"}}", "x".repeat(size - 15));
    for file in [person.own(), person.project()] {
        fs::write(&file, text(1 << 20)).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 1 << 20);
    }
    person.run(["build"]).ok();
    fs::write(person.own(), text((1 << 20) + 1)).unwrap();
    person.run(["build"]).fails(2, "unusable-settings").says("1048577 bytes");
}

#[test]
fn no_json_object() {
    let deep = |open: &str, close: &str| format!("{{\"a\":{}1{}}}", open.repeat(10_000), close.repeat(10_000));
    let (lists, objects) = (deep("[", "]"), deep("{\"a\":", "}"));
    let unclosed = "[".repeat(10_000);
    for text in [
        b"".as_slice(),
        b" \n",
        b"[]",
        b"null",
        b"\"text\"",
        b"0",
        b"{",
        b"{\"a\": 1} {}",
        b"{ /* mine */ }",
        b"{} // mine",
        b"{\"a\": 1,}",
        b"{'a': 1}",
        b"{\"a\": NaN}",
        b"{\"a\": \"\n\"}",
        b"{\"a\": \"\\ud800\"}",
        b"\xff\xfe{\0}\0",
        b"{\"a\": \"\xc3\x28\"}",
        b"\xef\xbb\xbf\xef\xbb\xbf{}",
        b"{}\0",
        lists.as_bytes(),
        objects.as_bytes(),
        unclosed.as_bytes(),
    ] {
        in_each(|path| fs::write(path, text).unwrap(), "unusable");
    }
}

#[test]
fn a_byte_order_mark_and_keys_that_stand_twice_are_read() {
    let person = Person::new();
    let text = b"\xef\xbb\xbf{\"language\":\"a\",\n\"language\":\"b\"}";
    for file in [person.own(), person.project()] {
        fs::write(file, text).unwrap();
    }
    let plan = person.json(["plan"]);
    let settings: serde_json::Value = serde_json::from_str(plan["effective-settings"].as_str().unwrap()).unwrap();
    assert_eq!(settings["language"], "b");
    let notices = plan["report"]["notices"].as_array().unwrap();
    let twice: Vec<_> = notices.iter().filter(|one| one["kind"] == "duplicate-key").map(|one| &one["line"]).collect();
    assert_eq!(twice, [2, 2], "{notices:#?}");
}

#[test]
fn many_keys_end_in_time() {
    let person = Person::new();
    let members: Vec<String> = (0..40_000).map(|place| format!("\"unknown-{place}\": 1")).collect();
    let text = format!("{{{}}}", members.join(","));
    assert!(text.len() < 1 << 20);
    fs::write(person.project(), &text).unwrap();
    let built = person.run(["build"]).ok();
    assert_eq!(built.stdout.matches("unknown-").count(), 40_000);
    fs::write(person.own(), &text).unwrap();
    person.run(["build"]).ok();
}

#[test]
fn no_permission() {
    let person = Person::new();
    let hidden = |path: &Path| {
        fs::write(path, "{}").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
    };
    hidden(&person.own());
    let Some(command) = person.unprivileged() else { return };
    let run_as = |mut command: Command| {
        command.arg("build");
        run(command)
    };
    run_as(command).fails(2, "unusable-settings").says("ermission denied");
    assert_no_run(&person.at("me/.winter"));
    fs::remove_file(person.own()).unwrap();
    hidden(&person.project());
    let built = run_as(person.unprivileged().unwrap()).ok();
    assert!(built.names("unreadable", &person.project()), "{built:#?}");
    // The folder of the project's settings, then the project, then the shared home.
    let close = |path: &str| fs::set_permissions(person.at(path), fs::Permissions::from_mode(0o000)).unwrap();
    let open = |path: &str| fs::set_permissions(person.at(path), fs::Permissions::from_mode(0o777)).unwrap();
    close("me/src/it/.winter");
    run_as(person.unprivileged().unwrap()).ok().says("unreadable");
    open("me/src/it/.winter");
    let mut elsewhere = person.unprivileged().unwrap();
    elsewhere.current_dir(person.at("me"));
    close("me/src/it");
    elsewhere.args(["build", "--project", "src/it"]);
    let refused = run(elsewhere);
    open("me/src/it");
    refused.fails(2, "grant-no-permission");
    close("me/.winter/sdk");
    let refused = run_as(person.unprivileged().unwrap());
    open("me/.winter/sdk");
    assert_eq!(refused.code, 2, "{refused:#?}");
}
