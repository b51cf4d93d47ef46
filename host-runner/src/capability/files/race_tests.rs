//! Names that change under the reader: whatever is returned is from inside.

use std::fs;
use std::os::unix::fs::symlink;

use super::test_support::{Scratch, mkfifo, race};
use super::{FilesError, Kind};

#[test]
fn no_byte_from_outside_is_read_when_a_file_becomes_a_link() {
    let scratch = Scratch::new();
    scratch.write("f", "within");
    fs::write(scratch.outside("secret"), "SECRET").unwrap();
    let (outside, mut read, mut linked, mut other) = (scratch.outside("secret"), 0_u32, 0_u32, 0_u32);
    let admitted_outside = {
        let file = fs::File::open(&outside).unwrap();
        super::identity_of(&file).unwrap()
    };
    symlink(&outside, scratch.path("other")).unwrap();
    race(&scratch.path("f"), &scratch.path("other"), || {
        let Some(entry) = scratch.folder.stat("f").unwrap() else { return };
        // Even one who knows the outside file's identity gets nothing of it.
        assert!(scratch.folder.read("f", admitted_outside, 99).is_err());
        match scratch.folder.read("f", entry.identity, 99) {
            Ok(bytes) => {
                assert_eq!(bytes, b"within");
                read += 1;
            }
            Err(FilesError::Linked) => linked += 1,
            Err(FilesError::Changed) => other += 1,
            Err(error) => assert_eq!(error.code(), "io-not-found"),
        }
    });
    println!("{read} read, {linked} links, {other} changed");
    assert!(linked > 0);
}

#[test]
fn what_is_read_is_the_file_that_was_looked_at() {
    let scratch = Scratch::new();
    let one = scratch.write("f", "the one").inode;
    scratch.write("other", "another");
    let (mut read, mut changed) = (0_u32, 0_u32);
    race(&scratch.path("f"), &scratch.path("other"), || {
        let Some(entry) = scratch.folder.stat("f").unwrap() else { return };
        if let Ok(file) = scratch.folder.open_admitted("f", entry.identity) {
            assert_eq!(super::identity_of(&file).unwrap().inode, entry.identity.inode);
        }
        match scratch.folder.read("f", entry.identity, 99) {
            Ok(bytes) => {
                assert_eq!(bytes, if entry.identity.inode == one { b"the one" } else { b"another" });
                read += 1;
            }
            Err(error) => {
                assert_eq!(error, FilesError::Changed);
                changed += 1;
            }
        }
    });
    println!("{read} read, {changed} changed");
}

#[test]
fn no_reader_blocks_when_a_file_becomes_a_fifo() {
    let scratch = Scratch::new();
    scratch.write("f", "within");
    mkfifo(&scratch.path("other"));
    let mut refused = 0_u32;
    race(&scratch.path("f"), &scratch.path("other"), || {
        let Some(entry) = scratch.folder.stat("f").unwrap() else { return };
        match scratch.folder.read("f", entry.identity, 99) {
            Ok(bytes) => assert_eq!((entry.kind, &bytes[..]), (Kind::Regular, &b"within"[..])),
            Err(FilesError::NotRegular) => refused += 1,
            Err(error) => assert!(matches!(error.code(), "changed" | "io-not-found"), "{error:?}"),
        }
    });
    println!("{refused} refused");
    assert!(refused > 0);
}

#[test]
fn no_folder_outside_is_opened_when_a_folder_becomes_a_link() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("d")).unwrap();
    fs::write(scratch.outside("f"), "SECRET").unwrap();
    fs::write(scratch.path("d/f"), "within").unwrap();
    symlink(scratch.outside(""), scratch.path("other")).unwrap();
    let (mut opened, mut linked) = (0_u32, 0_u32);
    race(&scratch.path("d"), &scratch.path("other"), || match scratch.folder.open_folder("d") {
        Ok(folder) => {
            opened += 1;
            let Some(entry) = folder.stat("f").unwrap() else { return };
            if let Ok(bytes) = folder.read("f", entry.identity, 99) {
                assert_eq!(bytes, b"within");
            }
            assert!(folder.entries(9).unwrap().entries.iter().all(|entry| entry.name == "f"));
        }
        Err(FilesError::Linked) => linked += 1,
        Err(error) => assert!(matches!(error.code(), "changed" | "io-not-found"), "{error:?}"),
    });
    println!("{opened} opened, {linked} links");
    assert!(linked > 0);
}
