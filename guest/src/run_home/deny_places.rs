//! Where the paths that a person or a repository denies really lead: looked at, never read.

use super::{Input, Places};
use crate::ports::{FilesError, Folder};
use crate::reading::{self, Found, ResolveError, join};
use crate::report::LinkFault;
use crate::settings::{self, DenyPlaces, KnownPath, Options, Stands, TierFile};

/// How many denied paths are looked at; the others get a remark that only a rule protects them.
const MAX_PATHS: usize = 4096;

/// What stands at each path that these files deny, as far as links may be looked at.
pub(super) fn known<F: Folder + Clone>(
    input: &Input,
    places: &Places<F>,
    files: &[TierFile<'_>],
    options: &Options<'_>,
) -> DenyPlaces {
    let mut denied = DenyPlaces { home: input.user_home.clone(), cwd: Some(places.cwd.path()), known: Vec::new() };
    if let Some(links) = &places.links {
        let paths = settings::literal_paths(files, options, &denied);
        denied.known = paths.into_iter().take(MAX_PATHS).map(|path| look(links, path)).collect();
    }
    denied
}

fn look<F: Folder + Clone>(links: &F, path: String) -> KnownPath {
    let (stands, real) = match reading::resolve(links, &path, &[]) {
        Ok(Found::Entry(found)) => (Stands::Present, Some(join(&found.folder.path(), &found.entry.name))),
        Ok(Found::Nothing) => (Stands::Absent, below_what_stands(links, &path)),
        Err(ResolveError::Link { fault: LinkFault::Loop, .. }) => (Stands::Loop, None),
        Err(ResolveError::Link { .. }) => (Stands::Dangling, None),
        Err(ResolveError::Files { error: FilesError::NotAFolder, .. }) => (Stands::Absent, None),
        // The file system's root itself.
        Err(ResolveError::Files { error: FilesError::NotRegular, .. }) => (Stands::Present, Some(path.clone())),
        Err(ResolveError::Files { .. }) => (Stands::Unreadable, None),
    };
    KnownPath { path, stands, real }
}

/// The path without links, as far as it exists.
fn below_what_stands<F: Folder + Clone>(links: &F, path: &str) -> Option<String> {
    let path = path.trim_end_matches('/');
    let mut stands = None;
    for (at, _) in path.match_indices('/').filter(|(at, _)| *at > 0) {
        match reading::resolve(links, &path[..at], &[]) {
            Ok(Found::Entry(found)) => stands = Some((join(&found.folder.path(), &found.entry.name), at)),
            // From the root on, since what a rule names can be very long and stand nowhere.
            Ok(Found::Nothing) => break,
            Err(_) => return None,
        }
    }
    Some(stands.map_or_else(|| path.to_owned(), |(real, at)| format!("{real}{}", &path[at..])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Memory, Node};
    use crate::testing::test;

    #[test]
    fn a_path_of_very_many_folders_that_are_not_there_is_answered_in_a_moment() {
        let (memory, started) = (Memory::default(), crate::testing::Instant::now());
        let path = "/a".repeat(200_000);
        let found = look(&memory.grant("/"), path.clone());
        assert_eq!((found.stands, found.real), (Stands::Absent, Some(path)));
        assert!(started.elapsed().as_secs() < 5);
    }

    #[test]
    fn each_path_is_told_as_it_stands() {
        let memory = Memory::default();
        memory.file("/data/keys/id", "x");
        memory.put("/home/me/.ssh", Node::Link("/data/keys".into()));
        memory.put("/home/me/self", Node::Link("self".into()));
        memory.put("/home/me/gone", Node::Link("nowhere".into()));
        let links = memory.grant("/");
        for (path, stands, real) in [
            ("/home/me/.ssh", Stands::Present, Some("/data/keys")),
            ("/home/me/.ssh/id", Stands::Present, Some("/data/keys/id")),
            ("/home/me/.ssh/new/x", Stands::Absent, Some("/data/keys/new/x")),
            ("/home/me/self", Stands::Loop, None),
            ("/home/me/gone", Stands::Dangling, None),
            ("/nothing", Stands::Absent, Some("/nothing")),
            ("/data/keys/id/below", Stands::Absent, None),
            ("/", Stands::Present, Some("/")),
        ] {
            let found = look(&links, path.to_owned());
            assert_eq!((found.stands, found.real.as_deref()), (stands, real), "{path}");
        }
    }
}
