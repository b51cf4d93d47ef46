//! Grants that are narrower than their folder: what they refuse, and that nothing widens them.

use std::fs;
use std::os::unix::fs::symlink;

use super::test_support::Scratch;
use super::{FilesError, Folder, Kind};

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path("d/e")).unwrap();
    scratch.write("f", "content");
    fs::write(scratch.path("d/f"), "content").unwrap();
    fs::write(scratch.path("d/e/f"), "content").unwrap();
    for at in ["l", "d/l", "d/e/l"] {
        symlink("../target", scratch.path(at)).unwrap();
    }
    scratch
}

/// A folder and all that is made of it, each under a name: none may lend more than another.
fn all_forms(scratch: &Scratch, folder: &Folder) -> Vec<(&'static str, Folder)> {
    let alias = scratch.outside("alias");
    let _ = symlink(scratch.path(""), &alias);
    vec![
        ("granted", folder.clone()),
        ("detached", folder.detached().unwrap()),
        ("named", folder.as_named(&alias).unwrap()),
        ("named, detached", folder.as_named(&alias).unwrap().detached().unwrap()),
        ("above what is below", folder.open_folder("d").unwrap().parent().unwrap().unwrap()),
    ]
}

fn denial(result: Result<impl std::fmt::Debug, FilesError>) -> String {
    match result {
        Err(FilesError::Denied(text)) => text,
        other => panic!("it should be denied: {other:?}"),
    }
}

#[test]
fn links_are_lent_without_content_at_any_depth_and_in_any_form() {
    let scratch = scratch();
    let granted = Folder::grant_links(&scratch.path("")).unwrap();
    for (form, folder) in all_forms(&scratch, &granted) {
        let below = folder.open_folder("d").unwrap();
        let deep = folder.open_beneath("d/e").unwrap();
        for folder in [&folder, &below, &deep, &deep.detached().unwrap(), &deep.parent().unwrap().unwrap()] {
            assert!(!folder.is_lent_whole(), "{form}");
            let entry = folder.stat("f").unwrap().unwrap();
            assert_eq!((entry.kind, entry.identity.size), (Kind::Regular, 7), "{form}");
            assert_eq!(folder.stat("absent"), Ok(None));
            assert_eq!(folder.stat("l").unwrap().unwrap().kind, Kind::Link);
            assert_eq!(folder.read_link("l").unwrap(), "../target", "{form}");
            let path = folder.path();
            for text in [
                denial(folder.read("f", entry.identity, 99)),
                denial(folder.read("absent", entry.identity, 99)),
                denial(folder.open_admitted("f", entry.identity)),
                denial(folder.entries(9)),
                denial(folder.entries(0)),
            ] {
                assert_eq!(text, format!("--grant-read {path} (here only links may be looked at)"), "{form}");
            }
        }
        assert_eq!(folder.open_folder("l").unwrap_err(), FilesError::Linked);
        assert_eq!(folder.open_folder("f").unwrap_err(), FilesError::NotAFolder);
        assert_eq!(folder.read("../f", folder.stat("f").unwrap().unwrap().identity, 9), Err(FilesError::BadName));
    }
    assert!(granted.parent().unwrap().is_none());
    assert_eq!(
        granted.entries(1).unwrap_err().to_string(),
        format!("not granted; --grant-read {} (here only links may be looked at) would grant it", granted.path())
    );
}

#[test]
fn of_a_folder_some_names_are_lent_and_no_others_are_there() {
    let scratch = scratch();
    scratch.write("other", "SECRET");
    fs::create_dir(scratch.path("other-dir")).unwrap();
    symlink("other", scratch.path("other-link")).unwrap();
    let hidden = scratch.identity("other");
    let names = ["f", "l", "d", "not-there-yet", "no/name", "..", ""];
    let granted = Folder::grant_names(&scratch.path(""), &names).unwrap();
    for (form, folder) in all_forms(&scratch, &granted) {
        assert!(!folder.is_lent_whole(), "{form}");
        for name in ["other", "other-dir", "other-link", "F", "absent"] {
            assert_eq!(folder.stat(name), Ok(None), "{form} {name}");
            for text in [
                denial(folder.read(name, hidden, 99)),
                denial(folder.open_admitted(name, hidden)),
                denial(folder.open_folder(name)),
                denial(folder.open_beneath(&format!("{name}/x"))),
                denial(folder.read_link(name)),
            ] {
                assert!(text.starts_with(&format!("--grant-read {} (here only ", folder.path())), "{form} {text}");
                assert!(text.contains("not-there-yet") && !text.contains("other"), "{form} {text}");
            }
        }
        for name in ["no/name", "..", ""] {
            assert_eq!(folder.stat(name), Err(FilesError::BadName), "{form} {name}");
            assert_eq!(folder.open_folder(name).unwrap_err(), FilesError::BadName, "{form} {name}");
        }
        let listed = |max| {
            let listing = folder.entries(max).unwrap();
            let names: Vec<String> = listing.entries.into_iter().map(|entry| entry.name).collect();
            (names, listing.cut, listing.unnamed)
        };
        let all = ["d", "f", "l"].map(str::to_owned).to_vec();
        assert_eq!(listed(9), (all.clone(), false, 0), "{form}");
        assert_eq!(listed(3), (all.clone(), false, 0), "{form}");
        assert_eq!(listed(2), (all[..2].to_vec(), true, 0), "{form}");
        assert_eq!(listed(0), (vec![], true, 0), "{form}");
        let identity = folder.stat("f").unwrap().unwrap().identity;
        assert_eq!(folder.read("f", identity, 99).unwrap(), b"content", "{form}");
        assert_eq!(folder.read_link("l").unwrap(), "../target", "{form}");
        // What is visible is lent whole, but the way back up is not.
        let below = folder.open_folder("d").unwrap();
        assert!(below.is_lent_whole());
        let entry = below.stat("f").unwrap().unwrap();
        assert_eq!(below.read("f", entry.identity, 99).unwrap(), b"content", "{form}");
        assert_eq!(below.entries(9).unwrap().entries.len(), 3, "{form}");
        let up = below.open_folder("e").unwrap().parent().unwrap().unwrap().parent().unwrap().unwrap();
        assert_eq!(up.stat("other"), Ok(None), "{form}");
        assert_eq!(denial(up.read("other", hidden, 99)), denial(folder.read("other", hidden, 99)), "{form}");
    }
    // A name that comes to stand there later is there.
    scratch.write("not-there-yet", "new");
    assert!(granted.stat("not-there-yet").unwrap().is_some());
    let none = Folder::grant_names(&scratch.path(""), &[]).unwrap();
    assert_eq!(none.entries(9).unwrap().entries.len(), 0);
    assert_eq!(none.stat("f"), Ok(None));
}

#[test]
fn narrower_grants_say_what_is_wrong_as_others_do() {
    let scratch = scratch();
    for (name, code) in [("absent", "grant-not-found"), ("f", "grant-not-a-folder")] {
        assert_eq!(Folder::grant_links(&scratch.path(name)).unwrap_err().code(), code);
        assert_eq!(Folder::grant_names(&scratch.path(name), &["f"]).unwrap_err().code(), code);
    }
    assert!(Folder::grant(&scratch.path("")).unwrap().is_lent_whole());
}
