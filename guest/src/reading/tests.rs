use super::*;
use crate::memory::{Memory, MemoryFolder, Node};
use crate::testing::test;

fn root() -> Memory {
    let memory = Memory::default();
    memory.file("/r/a/b.txt", "b");
    memory.file("/out/secret", "s");
    memory.put("/r/in", Node::Link("a/b.txt".into()));
    memory.put("/r/abs", Node::Link("/r/a/b.txt".into()));
    memory.put("/r/dir", Node::Link("a".into()));
    memory.put("/r/up", Node::Link("../out/secret".into()));
    memory.put("/r/abs-out", Node::Link("/out/secret".into()));
    memory.put("/r/dangling", Node::Link("a/none".into()));
    memory.put("/r/self", Node::Link("self".into()));
    memory.put("/r/there-and-back", Node::Link("../r/a/b.txt".into()));
    memory.put("/r/fifo", Node::Other);
    for hop in 0..12 {
        memory.put(
            &format!("/r/hop{hop}"),
            Node::Link(if hop == 0 { "a/b.txt".into() } else { format!("hop{}", hop - 1) }),
        );
    }
    memory
}

fn ask(path: &str, roots: &[MemoryFolder]) -> Result<Option<(String, bool)>, ResolveError> {
    Ok(match resolve(&root().grant("/r"), path, roots)? {
        Found::Nothing => None,
        Found::Entry(found) => Some((join(&found.folder.path(), &found.entry.name), found.linked)),
    })
}

fn fault(path: &str) -> LinkFault {
    match ask(path, &[]) {
        Err(ResolveError::Link { fault, .. }) => fault,
        other => panic!("{path}: {other:?}"),
    }
}

#[test]
fn plain_paths_and_links_inside_the_root_are_found_as_what_they_are() {
    assert_eq!(ask("a/b.txt", &[]), Ok(Some(("/r/a/b.txt".into(), false))));
    for path in ["in", "abs", "dir/b.txt", "there-and-back"] {
        assert_eq!(ask(path, &[]), Ok(Some(("/r/a/b.txt".into(), true))), "{path}");
    }
    assert_eq!(ask("none", &[]), Ok(None));
    assert_eq!(ask("a/none/x", &[]), Ok(None));
}

#[test]
fn a_link_to_a_folder_does_not_dangle_for_what_is_not_in_the_folder() {
    assert_eq!(ask("dir/none", &[]), Ok(None));
    let memory = root();
    memory.put("/r/again", Node::Link("dir".into()));
    memory.put("/r/through", Node::Link("again/none".into()));
    memory.put("/r/home", Node::Link("/r".into()));
    let ask = |path: &str| match resolve(&memory.grant("/r"), path, &[]) {
        Ok(Found::Nothing) => None,
        Err(ResolveError::Link { path, fault: LinkFault::Dangling, .. }) => Some(path),
        _ => panic!("{path}"),
    };
    assert_eq!(ask("again/none"), None);
    assert_eq!(ask("home/none"), None);
    assert_eq!(ask("through"), Some("/r/through".into()), "the link itself, not the sound ones that it passes");
    assert_eq!(ask("home/through"), Some("/r/through".into()));
    assert_eq!(ask("dangling/x"), Some("/r/dangling".into()));
}

#[test]
fn links_that_leave_dangle_or_loop_are_told_apart() {
    assert_eq!(fault("up"), LinkFault::OutsideRoot);
    assert_eq!(fault("abs-out"), LinkFault::OutsideRoot);
    assert_eq!(fault("dangling"), LinkFault::Dangling);
    assert_eq!(fault("self"), LinkFault::Loop);
    assert_eq!(fault("hop11"), LinkFault::Loop);
    assert!(ask("hop7", &[]).is_ok(), "eight hops");
}

#[test]
fn a_link_that_leaves_says_where_it_would_lead() {
    for path in ["up", "abs-out"] {
        let Err(ResolveError::Link { leads_to, path: link, .. }) = ask(path, &[]) else { panic!() };
        assert_eq!(leads_to.as_deref(), Some("/out/secret"));
        assert_eq!(link, format!("/r/{path}"));
    }
}

#[test]
fn further_roots_are_reached_through_links_alone() {
    let memory = root();
    let out = [memory.grant("/out")];
    for path in ["up", "abs-out"] {
        let Ok(Found::Entry(found)) = resolve(&memory.grant("/r"), path, &out) else { panic!("{path}") };
        assert_eq!(found.folder.path(), "/out");
    }
}

#[test]
fn what_is_no_folder_is_not_walked_through() {
    assert!(matches!(ask("a/b.txt/c", &[]), Err(ResolveError::Files { error: FilesError::NotAFolder, .. })));
    assert!(matches!(ask("fifo/c", &[]), Err(ResolveError::Files { error: FilesError::NotAFolder, .. })));
    let Ok(Found::Entry(found)) = resolve(&root().grant("/r"), "fifo", &[]) else { panic!() };
    assert_eq!(found.entry.kind, Kind::Other);
}

#[test]
fn a_few_links_with_long_targets_end() {
    let memory = Memory::default();
    memory.put("/r/a", Node::Folder);
    let long = "a/../".repeat(800);
    for hop in 0..8 {
        memory.put(&format!("/r/l{hop}"), Node::Link(format!("{long}l{}", hop + 1)));
    }
    let mut left = 10_000;
    for _ in 0..8 {
        let found = resolve_within(&memory.grant("/r"), "l0/x", &[], &mut left);
        assert!(matches!(found, Err(ResolveError::Files { error: FilesError::Io(_), .. })));
    }
    assert_eq!(left, 0);
}
