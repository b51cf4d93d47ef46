use std::fs;
use std::os::unix::fs::symlink;

use sha2::{Digest, Sha256};

use super::super::{CopySource, MaterializeError, Node, PlannedEntry, RunFolder};
use super::{Home, dir, entry, tree};
use crate::capability::files::FilesError;
use crate::capability::files::test_support::{Scratch, race};
use crate::components::hex;

fn splice(head: &[u8], scratch: &Scratch, name: &str, offset: u64) -> PlannedEntry {
    let (folder, identity) = (scratch.folder.clone(), scratch.identity(name));
    let source = CopySource { folder, name: name.to_owned(), identity, limit: 1 << 30 };
    entry("f", Node::Splice { head: head.to_vec(), source, offset })
}

fn line_of(built: &RunFolder) -> &serde_json::Value {
    built.manifest["entries"].as_array().unwrap().iter().find(|line| line["path"] == "f").unwrap()
}

#[test]
fn a_splice_is_its_head_and_the_rest_of_its_source() {
    let body: Vec<u8> = (0..200_000_u32).map(|n| n.to_le_bytes()[(n % 3) as usize]).collect();
    let long = vec![b'h'; 100_000];
    for (head, offset) in [
        (&b"---\nname: x\n---\n"[..], 10_u64),
        (b"", 0),
        (b"", 199_999),
        (b"all of it", 200_000),
        (b"before", 0),
        (&long, 65_536),
        (b"one buffer", 65_535),
    ] {
        let (home, scratch) = (Home::new(), Scratch::new());
        scratch.write("s", &body);
        let built = home.build(&[splice(head, &scratch, "s", offset)]).unwrap();
        let expected = [head, &body[usize::try_from(offset).unwrap()..]].concat();
        assert_eq!(fs::read(built.path.join("f")).unwrap(), expected, "{offset}");
        let line = line_of(&built);
        assert_eq!((line["kind"].as_str(), line["mode"].as_str()), (Some("splice"), Some("0600")));
        assert_eq!(line["size"], expected.len());
        assert_eq!(line["sha256"], hex(&Sha256::digest(&expected)));
        assert_eq!(line["source"], "source of f");
        let Node::Splice { head, source, offset } = splice(head, &scratch, "s", offset).node else { unreachable!() };
        let (digest, size, kept) = super::super::digest_of_copy(&head, &source, offset, 120_000).unwrap();
        assert_eq!(kept, (expected.len() <= 120_000).then_some(expected));
        assert_eq!((line["sha256"].as_str(), line["size"].as_u64()), (Some(digest.as_str()), Some(size)));
    }
}

#[test]
fn a_splice_keeps_the_executable_bit_and_an_empty_source_is_one() {
    let (home, scratch) = (Home::new(), Scratch::new());
    scratch.write("s", "");
    let built = home.build(&[PlannedEntry { mode: 0o755, ..splice(b"#!", &scratch, "s", 0) }]).unwrap();
    assert_eq!(tree(&built.path)["f"], "100700");
    assert_eq!(fs::read(built.path.join("f")).unwrap(), b"#!");
}

#[test]
fn an_offset_beyond_the_source_is_refused_before_anything_is_written() {
    let (home, scratch) = (Home::new(), Scratch::new());
    scratch.write("s", "four");
    for offset in [5, u64::MAX] {
        let error = home.build(&[splice(b"head", &scratch, "s", offset)]).unwrap_err();
        assert_eq!((error.code(), error.is_bad_input()), ("bad-offset", true));
        assert!(error.to_string().contains("of a file of 4 bytes"), "{error}");
    }
    assert_eq!(fs::read_dir(home.runs.path()).unwrap().count(), 0);
    assert!(home.build(&[splice(b"head", &scratch, "s", 4)]).is_ok());
}

#[test]
fn a_splice_whose_source_is_not_as_admitted_leaves_nothing() {
    let (home, scratch) = (Home::new(), Scratch::new());
    scratch.write("s", "four");
    let plan = [dir("d"), splice(b"head", &scratch, "s", 2)];
    let mut small = splice(b"head", &scratch, "s", 2);
    let Node::Splice { source, .. } = &mut small.node else { unreachable!() };
    source.limit = 3;
    let too_large = home.build(&[small]).unwrap_err();
    assert!(matches!(&too_large, MaterializeError::SourceRefused { cause: FilesError::TooLarge(4), .. }));
    std::thread::sleep(std::time::Duration::from_millis(20));
    scratch.write("s", "FOUR");
    assert_eq!(home.build(&plan).unwrap_err().code(), "changed");
    fs::remove_file(scratch.path("s")).unwrap();
    symlink(home.outside("precious"), scratch.path("s")).unwrap();
    let linked = home.build(&plan).unwrap_err();
    assert!(matches!(&linked, MaterializeError::SourceRefused { cause: FilesError::Linked, .. }));
    home.assert_holds(&[]);
}

#[test]
fn no_byte_from_outside_is_spliced_when_a_source_becomes_a_link() {
    let (home, scratch) = (Home::new(), Scratch::new());
    scratch.write("s", "within");
    symlink(home.outside("precious"), scratch.path("other")).unwrap();
    let mut built = 0;
    race(&scratch.path("s"), &scratch.path("other"), || {
        let Some(found) = scratch.folder.stat("s").unwrap() else { return };
        let (folder, identity) = (scratch.folder.clone(), found.identity);
        let source = CopySource { folder, name: "s".to_owned(), identity, limit: 99 };
        let node = Node::Splice { head: b"head ".to_vec(), source, offset: 2 };
        match home.build(&[entry("f", node)]) {
            Ok(run) => {
                assert_eq!(fs::read(run.path.join("f")).unwrap(), b"head thin");
                super::super::dispose(&home.runs, super::ID).unwrap();
                built += 1;
            }
            Err(error) => assert!(matches!(error.code(), "changed" | "source-refused"), "{error:?}"),
        }
    });
    println!("{built} built");
    home.assert_holds(&[]);
}

#[test]
fn one_buffer_is_enough_for_a_large_splice() {
    let (home, scratch) = (Home::new(), Scratch::new());
    scratch.write("s", "");
    fs::File::options().write(true).open(scratch.path("s")).unwrap().set_len(100 << 20).unwrap();
    let built = home.build(&[splice(b"head", &scratch, "s", 1 << 20)]).unwrap();
    assert_eq!(fs::metadata(built.path.join("f")).unwrap().len(), (99 << 20) + 4);
}
