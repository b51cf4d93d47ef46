use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::super::ensure_shared;
use super::tree;
use crate::capability::files::test_support::{Scratch, in_child, mkfifo};

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn code(scratch: &Scratch, name: &str) -> (&'static str, String) {
    let error = ensure_shared(&scratch.folder, &owned(&[name])).unwrap_err();
    (error.code(), error.to_string())
}

#[test]
fn missing_folders_are_made_and_standing_ones_are_left() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("old")).unwrap();
    fs::set_permissions(scratch.path("old"), fs::Permissions::from_mode(0o755)).unwrap();
    let names = owned(&["projects", "old", "agents/memory/deep", "agents/other", "old/new", "projects"]);
    let made = ensure_shared(&scratch.folder, &names).unwrap();
    let expected = ["projects", "agents", "agents/memory", "agents/memory/deep", "agents/other", "old/new"];
    assert_eq!(made, expected);
    let mut found = tree(&scratch.path(""));
    assert_eq!(found.remove("old").unwrap(), "40755");
    assert_eq!(found.len(), expected.len());
    assert!(found.values().all(|mode| mode == "40700"), "{found:?}");
    assert_eq!(ensure_shared(&scratch.folder, &names).unwrap(), [""; 0]);
    assert_eq!(ensure_shared(&scratch.folder, &[]).unwrap(), [""; 0]);
}

#[test]
fn the_mode_is_exact_whatever_the_umask() {
    if !in_child(module_path!(), "the_mode_is_exact_whatever_the_umask", true) {
        return;
    }
    for mask in [0o000, 0o777] {
        let scratch = Scratch::new();
        let before = rustix::process::umask(rustix::fs::Mode::from_bits_truncate(mask));
        ensure_shared(&scratch.folder, &owned(&["a/b"])).unwrap();
        rustix::process::umask(before);
        assert_eq!(tree(&scratch.path(""))["a/b"], "40700");
    }
}

#[test]
fn a_link_to_a_folder_is_left_alone_and_nothing_is_made_behind_it() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.outside("tasks")).unwrap();
    fs::create_dir(scratch.path("here")).unwrap();
    symlink(scratch.outside("tasks"), scratch.path("tasks")).unwrap();
    symlink("here", scratch.path("hop")).unwrap();
    symlink("hop", scratch.path("again")).unwrap();
    let before = tree(&scratch.path(""));
    assert_eq!(ensure_shared(&scratch.folder, &owned(&["tasks", "hop", "again"])).unwrap(), [""; 0]);
    fs::create_dir(scratch.outside("tasks/there")).unwrap();
    assert_eq!(ensure_shared(&scratch.folder, &owned(&["tasks/there"])).unwrap(), [""; 0]);
    let (code, text) = code(&scratch, "tasks/missing");
    assert_eq!(code, "shared-in-the-way");
    assert!(text.contains("behind which nothing is made") && text.contains("inside/tasks\""), "{text}");
    assert_eq!(tree(&scratch.path("")), before);
    assert_eq!(fs::read_dir(scratch.outside("tasks")).unwrap().count(), 1);
}

#[test]
fn what_is_in_the_way_is_told_and_left() {
    let scratch = Scratch::new();
    scratch.write("file", "x");
    mkfifo(&scratch.path("fifo"));
    symlink("nowhere", scratch.path("dangling")).unwrap();
    symlink("file", scratch.path("to-file")).unwrap();
    symlink("loop", scratch.path("loop")).unwrap();
    let before = tree(&scratch.path(""));
    for (name, says) in [
        ("file", "is a file"),
        ("file/below", "is a file"),
        ("fifo", "neither a file nor a folder"),
        ("dangling", "leads to nothing"),
        ("dangling/below", "behind which nothing is made"),
        ("to-file", "leads to no folder"),
        ("to-file/below", "behind which nothing is made"),
        ("loop", "leads to nothing"),
    ] {
        let (code, text) = code(&scratch, name);
        assert_eq!(code, "shared-in-the-way", "{name}");
        assert!(text.contains(says), "{name}: {text}");
    }
    for name in ["", ".", "..", "/etc", "a//b", "a/", "a/../b", "a\0", &"n".repeat(256)] {
        assert_eq!(code(&scratch, name).0, "bad-path", "{name:?}");
    }
    // A name that is none is told before anything is made.
    assert!(ensure_shared(&scratch.folder, &owned(&["new", ".."])).is_err());
    assert_eq!(tree(&scratch.path("")), before);
}

#[test]
fn a_shared_home_that_may_not_be_written_is_told() {
    if !in_child(module_path!(), "a_shared_home_that_may_not_be_written_is_told", true) {
        return;
    }
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("closed")).unwrap();
    fs::set_permissions(scratch.path("closed"), fs::Permissions::from_mode(0o500)).unwrap();
    let (code, text) = code(&scratch, "closed/new");
    assert_eq!(code, "write-failed");
    assert!(text.contains("closed/new"), "{text}");
}

#[test]
fn many_at_once_make_each_folder_once() {
    let scratch = Scratch::new();
    let names = owned(&["a/b/c", "d", "e/f"]);
    for _ in 0..50 {
        let made: usize = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..4).map(|_| scope.spawn(|| ensure_shared(&scratch.folder, &names).unwrap().len())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(made, 6);
        for name in ["a", "d", "e"] {
            fs::remove_dir_all(scratch.path(name)).unwrap();
        }
    }
}
