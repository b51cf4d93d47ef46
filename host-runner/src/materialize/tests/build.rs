use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Barrier;

use serde_json::{Value, json};

use super::super::handle::rename_checked;
use super::super::{MAX_PLAN_DEPTH, Node, RunState, ensure_runs, list, materialize};
use super::{Home, ID, dir, entry, file, head, link, tree};
use crate::capability::files::test_support::in_child;

#[test]
fn a_plan_becomes_a_folder_with_a_manifest() {
    let home = Home::new();
    // In no order, and with names that sort between a folder and what it holds.
    let plan = [
        file("rules/b.md", "bee"),
        file("rules-x", ""),
        link("tasks", "/some/where else"),
        dir("rules/sub"),
        file("rules/sub/c [1] 'q'\n.md", "\u{feff}see"),
        dir("rules"),
    ];
    let built = home.build(&plan).unwrap();
    assert_eq!(built.path, home.path(ID));
    home.assert_holds(&[ID]);
    let found = tree(&built.path);
    let expected = [
        ("manifest.json", "100600"),
        ("rules", "40700"),
        ("rules-x", "100600"),
        ("rules/b.md", "100600"),
        ("rules/sub", "40700"),
        ("rules/sub/c [1] 'q'\n.md", "100600"),
        ("tasks", "-> /some/where else"),
    ];
    assert_eq!(found.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect::<Vec<_>>(), expected);
    assert_eq!(fs::read(built.path.join("rules/b.md")).unwrap(), b"bee");

    let manifest: Value = serde_json::from_slice(&fs::read(built.path.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest, built.manifest);
    let keys: Vec<_> = manifest.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["version", "brand", "a", "entries"]);
    let entries = manifest["entries"].as_array().unwrap();
    let paths: Vec<_> = entries.iter().map(|line| line["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["rules", "rules-x", "rules/b.md", "rules/sub", "rules/sub/c [1] 'q'\n.md", "tasks"]);
    assert_eq!(
        entries[0],
        json!({ "path": "rules", "kind": "directory", "mode": "0700", "source": "source of rules" })
    );
    // `printf bee | sha256sum`
    assert_eq!(
        entries[2],
        json!({ "path": "rules/b.md", "kind": "file", "mode": "0600", "source": "source of rules/b.md", "size": 3,
                "sha256": "62cb81b5904a262ffaeed02abef36bfc540b09f964b8b0b636662f77ffce6714" })
    );
    assert_eq!(
        entries[5],
        json!({ "path": "tasks", "kind": "link", "source": "source of tasks", "target": "/some/where else" })
    );
}

#[test]
fn an_empty_plan_is_a_run_too() {
    let home = Home::new();
    let built = home.build(&[]).unwrap();
    assert_eq!(built.manifest["entries"], json!([]));
    assert_eq!(tree(&built.path).len(), 1);
}

#[test]
fn a_plan_that_cannot_be_is_refused_before_anything_is_written() {
    let home = Home::new();
    let deep = vec!["d"; MAX_PLAN_DEPTH + 1].join("/");
    let long = "n".repeat(256);
    for path in ["", "/etc/x", "../x", "a/../../x", "a/..", ".", "./a", "a//b", "a/", "a\0", &deep, &long] {
        assert_eq!(home.build(&[dir("a"), file(path, "")]).unwrap_err().code(), "bad-path", "{path:?}");
    }
    let code = |plan: &[_]| home.build(plan).unwrap_err().code();
    assert_eq!(code(&[file("a", ""), file("a", "")]), "duplicate-path");
    assert_eq!(code(&[dir("a"), link("a", "x")]), "duplicate-path");
    assert_eq!(code(&[file("a", ""), file("a/b", "")]), "under-a-file");
    assert_eq!(code(&[link("a", "/tmp"), file("a/b", "")]), "under-a-file");
    assert_eq!(code(&[file("a/b", "")]), "parent-not-planned");
    assert_eq!(code(&[dir("a"), dir("a/b/c")]), "parent-not-planned");
    assert_eq!(code(&[file("manifest.json", "")]), "reserved-name");
    assert_eq!(code(&[dir(".building")]), "reserved-name");
    let too_long = "x".repeat(4096);
    for target in ["", "a\0b", &too_long] {
        assert_eq!(code(&[link("a", target)]), "bad-link-target");
    }
    let mut taken = head();
    taken.insert("entries".to_owned(), json!([]));
    assert_eq!(materialize(&home.runs, ID, &[], taken).unwrap_err().code(), "reserved-key");
    for id in ["", "short", "UPPER-CASE", "with/slash", "../../../x", "dots.dots", "under_score", &"x".repeat(65)] {
        assert_eq!(materialize(&home.runs, id, &[], head()).unwrap_err().code(), "bad-run-id", "{id}");
    }
    // Not even the lock was made.
    assert_eq!(fs::read_dir(home.runs.path()).unwrap().count(), 0);
    assert!(home.build(&[dir("a"), file("a/manifest.json", ""), file("a/.building", "")]).is_ok());
}

#[test]
fn a_run_id_is_taken_once() {
    let home = Home::new();
    home.build(&[file("f", "first")]).unwrap();
    assert_eq!(home.build(&[file("f", "second")]).unwrap_err().code(), "run-id-taken");
    assert_eq!(fs::read(home.path(ID).join("f")).unwrap(), b"first");
    home.assert_holds(&[ID]);
    fs::create_dir(home.path(".partial-run-0002")).unwrap();
    assert_eq!(materialize(&home.runs, "run-0002", &[], head()).unwrap_err().code(), "run-id-taken");
    for (id, make) in [("run-0003", true), ("run-0004", false)] {
        if make {
            fs::write(home.path(id), "").unwrap();
        } else {
            std::os::unix::fs::symlink("nowhere", home.path(id)).unwrap();
        }
        assert_eq!(materialize(&home.runs, id, &[], head()).unwrap_err().code(), "run-id-taken");
    }
    home.assert_holds(&[".partial-run-0002", ID, "run-0003", "run-0004"]);
}

#[test]
fn of_threads_that_build_one_id_one_wins() {
    let home = Home::new();
    let runs: Vec<_> = (0..4).map(|_| ensure_runs(&home.base.path().join("home")).unwrap()).collect();
    for round in 0..50 {
        let (id, start) = (format!("run-{round:04}"), Barrier::new(runs.len()));
        let results: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = runs
                .iter()
                .enumerate()
                .map(|(number, runs)| {
                    let (id, start) = (&id, &start);
                    scope.spawn(move || {
                        let plan = [dir("d"), file("d/f", &number.to_string())];
                        start.wait();
                        materialize(runs, id, &plan, head()).map(|_| number)
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let winners: Vec<_> = results.iter().filter_map(|result| result.as_ref().ok()).collect();
        assert_eq!(winners.len(), 1, "{results:?}");
        assert_eq!(fs::read_to_string(home.path(&id).join("d/f")).unwrap(), winners[0].to_string());
        assert!(results.iter().filter_map(|result| result.as_ref().err()).all(|error| error.code() == "run-id-taken"));
    }
    assert!(list(&home.runs).unwrap().iter().all(|run| run.state == RunState::Complete));
    assert_eq!(list(&home.runs).unwrap().len(), 50);
}

#[test]
fn where_renaming_cannot_refuse_it_is_checked_first() {
    let home = Home::new();
    for name in ["from", "to"] {
        fs::create_dir(home.path(name)).unwrap();
    }
    assert_eq!(rename_checked(home.runs.handle(), "from", "to"), Err(rustix::io::Errno::EXIST));
    assert_eq!(rename_checked(home.runs.handle(), "from", "new"), Ok(()));
    home.assert_holds(&["new", "to"]);
}

#[test]
fn modes_are_exact_whatever_the_umask() {
    if !in_child(module_path!(), "modes_are_exact_whatever_the_umask", true) {
        return;
    }
    for mask in [0o000, 0o022, 0o277, 0o777] {
        let base = tempfile::tempdir().unwrap();
        let source = base.path().join("script");
        fs::write(&source, "#!").unwrap();
        let folder = crate::capability::files::Folder::grant(base.path()).unwrap();
        let before = rustix::process::umask(rustix::fs::Mode::from_bits_truncate(mask));
        let runs = ensure_runs(&base.path().join("home")).unwrap();
        let identity = folder.stat("script").unwrap().unwrap().identity;
        let copy = super::super::CopySource { folder, name: "script".to_owned(), identity, limit: 9 };
        let mut plan = [dir("d"), dir("d/d"), file("d/d/f", ""), entry("x", Node::Copy(copy.clone()))];
        plan[3].mode = 0o755;
        let built = materialize(&runs, ID, &plan, head()).unwrap();
        rustix::process::umask(before);
        let found = tree(&base.path().join("home"));
        assert!(found.iter().all(|(name, mode)| {
            let expected = if name.ends_with("/x") || mode.starts_with('4') { "700" } else { "600" };
            mode.ends_with(expected) && mode.len() <= 6
        }));
        assert_eq!(found.len(), 2 + 1 + 1 + 5, "{found:?}");
        assert_eq!(tree(&built.path)["x"], "100700");
    }
}

#[test]
fn set_group_id_folders_do_not_leak_in() {
    let home = Home::new();
    fs::set_permissions(home.runs.path(), std::os::unix::fs::PermissionsExt::from_mode(0o2700)).unwrap();
    let built = home.build(&[dir("d")]).unwrap();
    assert_eq!(tree(&built.path)["d"], "40700");
}

#[test]
fn a_collision_on_the_file_system_is_told() {
    let home = Home::new();
    let result = home.build(&[file("a", "1"), file("A", "2")]);
    if fs::exists(home.base.path().join("HOME")).unwrap() {
        assert_eq!(result.unwrap_err().code(), "name-collision");
        home.assert_holds(&[]);
    } else {
        assert!(result.is_ok());
    }
}

#[test]
fn a_full_disk_leaves_nothing() {
    let base = tempfile::tempdir().unwrap();
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"]).arg(base.path()).output();
    if !mount.is_ok_and(|out| out.status.success()) {
        println!("skipped: no small file system can be mounted here");
        return;
    }
    let _unmount = Unmount(base.path());
    let runs = ensure_runs(&base.path().join("home")).unwrap();
    let big = "x".repeat(700 << 10);
    let error = materialize(&runs, ID, &[dir("d"), file("d/a", &big), file("d/b", &big)], head()).unwrap_err();
    assert_eq!(error.code(), "disk-full");
    assert!(error.to_string().contains("d/b"));
    assert_eq!(fs::read_dir(runs.path()).unwrap().count(), 1, "only the lock");
    assert!(materialize(&runs, ID, &[file("a", &big)], head()).is_ok(), "the space is free again");
}

struct Unmount<'a>(&'a Path);

impl Drop for Unmount<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}
