use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use super::super::{CopySource, MaterializeError, Node, PlannedEntry};
use super::{Home, dir, entry, tree};
use crate::capability::files::FilesError;
use crate::capability::files::test_support::{Scratch, in_child, mkfifo, race};

fn copy(path: &str, scratch: &Scratch, name: &str, limit: u64) -> PlannedEntry {
    let identity = scratch.identity(name);
    let source = CopySource { folder: scratch.folder.clone(), name: name.to_owned(), identity, limit };
    entry(path, Node::Copy(source))
}

#[test]
fn copies_keep_bytes_and_the_executable_bit() {
    let (home, scratch) = (Home::new(), Scratch::new());
    let bytes: Vec<u8> = (0..300_000_u32).map(|n| n.to_le_bytes()[(n % 3) as usize]).collect();
    scratch.write("big", &bytes);
    scratch.write("empty", "");
    fs::set_permissions(scratch.path("big"), Permissions::from_mode(0o4755)).unwrap();
    let mut plan = vec![dir("d")];
    for (path, mode) in [("d/x", 0o755), ("d/n", 0o644), ("d/g", 0o077 & !0o011), ("d/s", 0o6700)] {
        plan.push(PlannedEntry { mode, ..copy(path, &scratch, "big", 300_000) });
    }
    plan.push(copy("d/e", &scratch, "empty", 0));
    let built = home.build(&plan).unwrap();
    for path in ["d/x", "d/n"] {
        assert_eq!(fs::read(built.path.join(path)).unwrap(), bytes);
    }
    let found = tree(&built.path);
    let modes = ["d/x", "d/n", "d/g", "d/s", "d/e"].map(|path| found[path].as_str());
    assert_eq!(modes, ["100700", "100600", "100600", "100700", "100600"]);
    let lines = built.manifest["entries"].as_array().unwrap();
    let line = lines.iter().find(|line| line["path"] == "d/x").unwrap();
    assert_eq!(
        (line["kind"].as_str(), line["mode"].as_str(), line["size"].as_u64()),
        (Some("copy"), Some("0700"), Some(300_000))
    );
    let same = lines.iter().find(|line| line["path"] == "d/n").unwrap();
    assert_eq!(line["sha256"], same["sha256"]);
    // The digest of nothing.
    let empty = lines.iter().find(|line| line["path"] == "d/e").unwrap();
    assert_eq!(empty["sha256"], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

#[test]
fn sources_that_are_not_as_admitted_leave_nothing() {
    let (home, scratch) = (Home::new(), Scratch::new());
    scratch.write("f", "four");
    let plan = |limit| [dir("d"), copy("d/f", &scratch, "f", limit)];
    let too_large = home.build(&plan(3)).unwrap_err();
    assert!(matches!(&too_large, MaterializeError::SourceRefused { cause: FilesError::TooLarge(4), .. }));
    let admitted = plan(9);
    std::thread::sleep(std::time::Duration::from_millis(20));
    scratch.write("f", "FOUR");
    let changed = home.build(&admitted).unwrap_err();
    assert_eq!(changed.code(), "changed");
    assert!(changed.to_string().contains("inside/f\""), "{changed}");
    fs::remove_file(scratch.path("f")).unwrap();
    assert_eq!(home.build(&admitted).unwrap_err().code(), "source-refused");
    symlink(home.outside("precious"), scratch.path("f")).unwrap();
    let linked = home.build(&admitted).unwrap_err();
    assert!(matches!(&linked, MaterializeError::SourceRefused { cause: FilesError::Linked, .. }));
    fs::remove_file(scratch.path("f")).unwrap();
    mkfifo(&scratch.path("f"));
    let fifo = home.build(&admitted).unwrap_err();
    assert!(matches!(&fifo, MaterializeError::SourceRefused { cause: FilesError::NotRegular, .. }));
    home.assert_holds(&[]);
}

#[test]
fn a_source_that_grows_while_it_is_copied_is_told() {
    let (home, scratch) = (Home::new(), Scratch::new());
    scratch.write("log", vec![b'x'; 8 << 20]);
    let plan = [copy("log", &scratch, "log", u64::MAX)];
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            use std::io::Write;
            let mut log = fs::File::options().append(true).open(scratch.path("log")).unwrap();
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                log.write_all(b"y").unwrap();
                std::thread::sleep(std::time::Duration::from_micros(100));
            }
        });
        let result = home.build(&plan);
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(result.unwrap_err().code(), "changed");
    });
    home.assert_holds(&[]);
}

#[test]
fn no_byte_from_outside_is_copied_when_a_source_becomes_a_link() {
    let (home, scratch) = (Home::new(), Scratch::new());
    scratch.write("f", "within");
    symlink(home.outside("precious"), scratch.path("other")).unwrap();
    let (mut copied, mut refused) = (0, 0);
    race(&scratch.path("f"), &scratch.path("other"), || {
        let Some(entry) = scratch.folder.stat("f").unwrap() else { return };
        let source =
            CopySource { folder: scratch.folder.clone(), name: "f".to_owned(), identity: entry.identity, limit: 99 };
        match home.build(&[super::entry("f", Node::Copy(source))]) {
            Ok(built) => {
                assert_eq!(fs::read(built.path.join("f")).unwrap(), b"within");
                super::super::dispose(&home.runs, super::ID).unwrap();
                copied += 1;
            }
            Err(error) => {
                assert!(matches!(error.code(), "changed" | "source-refused"), "{error:?}");
                refused += 1;
            }
        }
    });
    println!("{copied} copied, {refused} refused");
    home.assert_holds(&[]);
}

#[test]
fn one_buffer_is_enough_for_a_large_copy() {
    let (home, scratch) = (Home::new(), Scratch::new());
    scratch.write("sparse", "");
    fs::File::options().write(true).open(scratch.path("sparse")).unwrap().set_len(100 << 20).unwrap();
    let built = home.build(&[copy("sparse", &scratch, "sparse", 100 << 20)]).unwrap();
    assert_eq!(fs::metadata(built.path.join("sparse")).unwrap().len(), 100 << 20);
    let refused = Home::new().build(&[copy("sparse", &scratch, "sparse", (100 << 20) - 1)]).unwrap_err();
    assert_eq!(refused.code(), "source-refused");
}

#[test]
fn a_source_beneath_its_folder_is_reached_step_by_step() {
    let (home, scratch) = (Home::new(), Scratch::new());
    fs::create_dir_all(scratch.path("a/b")).unwrap();
    fs::write(scratch.path("a/b/f"), "deep").unwrap();
    let identity = scratch.folder.open_beneath("a/b").unwrap().stat("f").unwrap().unwrap().identity;
    let from = |name: &str| {
        let source = CopySource { folder: scratch.folder.clone(), name: name.to_owned(), identity, limit: 9 };
        [entry("f", Node::Copy(source))]
    };
    let built = home.build(&from("a/b/f")).unwrap();
    assert_eq!(fs::read(built.path.join("f")).unwrap(), b"deep");
    super::super::dispose(&home.runs, super::ID).unwrap();
    for bad in ["../a/b/f", "/a/b/f", "a//f", "a/b/", ""] {
        let error = home.build(&from(bad)).unwrap_err();
        assert!(
            matches!(&error, MaterializeError::SourceRefused { cause: FilesError::BadName, .. }),
            "{bad:?}: {error}"
        );
    }
    fs::rename(scratch.path("a"), scratch.path("moved")).unwrap();
    symlink("moved", scratch.path("a")).unwrap();
    let linked = home.build(&from("a/b/f")).unwrap_err();
    assert!(matches!(&linked, MaterializeError::SourceRefused { cause: FilesError::Linked, .. }));
    assert!(linked.to_string().contains("inside/a/b/f\""), "{linked}");
    home.assert_holds(&[]);
}

#[test]
fn a_plan_may_copy_more_files_than_a_process_may_hold_open() {
    if !in_child(module_path!(), "a_plan_may_copy_more_files_than_a_process_may_hold_open", false) {
        return;
    }
    let (home, scratch) = (Home::new(), Scratch::new());
    let mut plan = Vec::new();
    for number in 0..500 {
        let folder = format!("s/{number}");
        fs::create_dir_all(scratch.path(&folder)).unwrap();
        fs::write(scratch.path(&folder).join("f"), "x").unwrap();
        let identity = scratch.folder.open_beneath(&folder).unwrap().stat("f").unwrap().unwrap().identity;
        let source = CopySource { folder: scratch.folder.clone(), name: format!("{folder}/f"), identity, limit: 9 };
        plan.push(entry(&format!("f-{number}"), Node::Copy(source)));
    }
    let limit = rustix::process::Rlimit { current: Some(64), maximum: Some(64) };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, limit).unwrap();
    home.build(&plan).unwrap();
}
