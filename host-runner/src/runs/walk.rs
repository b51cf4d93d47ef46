//! Going through a run folder: bounded, through handles, with no link followed.

use std::ops::ControlFlow;

use crate::capability::files::{Entry, FilesError, Folder, Kind, MAX_LISTED};

/// What a walk did not see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unseen {
    /// It ended at its bound.
    pub(crate) cut: bool,
    /// Folders that could not be opened or listed.
    pub(crate) folders: u64,
    /// Names that are not UTF-8.
    pub(crate) unnamed: u64,
}

/// Calls `each` with every entry beneath `root` and its path from there, a folder before what it holds, until it breaks or
/// `bound` entries were seen. What cannot be entered is counted, not told.
pub(crate) fn walk(root: &Folder, bound: u64, mut each: impl FnMut(&str, &Entry) -> ControlFlow<()>) -> Unseen {
    let (mut unseen, mut seen) = (Unseen::default(), 0_u64);
    let mut open = vec![(root.clone(), None::<String>, String::new())];
    while let Some((above, name, path)) = open.pop() {
        let folder = name.map_or(Ok(above.clone()), |name| above.open_folder(&name));
        let Ok(listing) = folder.and_then(|folder| Ok((folder.entries(MAX_LISTED)?, folder))) else {
            unseen.folders += 1;
            continue;
        };
        let (listing, folder) = listing;
        unseen.cut |= listing.cut;
        unseen.unnamed += u64::from(listing.unnamed);
        let mut below = Vec::new();
        for entry in &listing.entries {
            if seen == bound {
                unseen.cut = true;
                return unseen;
            }
            seen += 1;
            let at = if path.is_empty() { entry.name.clone() } else { format!("{path}/{}", entry.name) };
            if each(&at, entry).is_break() {
                return unseen;
            }
            if entry.kind == Kind::Directory {
                below.push((folder.clone(), Some(entry.name.clone()), at));
            }
        }
        // The first of them is next.
        open.extend(below.into_iter().rev());
    }
    unseen
}

/// Finds entries by their paths; one folder after another, each is opened once.
pub(super) struct Finder<'a> {
    root: &'a Folder,
    at: String,
    folder: Result<Folder, FilesError>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(root: &'a Folder) -> Self {
        Self { root, at: String::new(), folder: Ok(root.clone()) }
    }

    /// The folder of `path` and the last name of it; errors are the system's, or that something is no folder.
    pub(super) fn folder<'p>(&mut self, path: &'p str) -> Result<(&Folder, &'p str), FilesError> {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        if self.at != above {
            above.clone_into(&mut self.at);
            self.folder = self.root.open_beneath(above);
        }
        Ok((self.folder.as_ref().map_err(Clone::clone)?, name))
    }

    /// What stands at `path`, if anything does.
    pub(super) fn find(&mut self, path: &str) -> Result<Option<Entry>, FilesError> {
        let (folder, name) = self.folder(path)?;
        folder.stat(name)
    }
}
