//! How much of a folder its handle lends: all of it, only where its links lead, or only some names.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::FilesError;

/// What one handle answers. It stays with the handle: no copy, no folder above or below, no other spelling widens it.
#[derive(Clone, Debug)]
pub(super) enum Lends {
    /// Whatever stands there, and beneath it.
    All,
    /// Kinds, sizes and the targets of links, at any depth; no content and no listing.
    Links,
    /// Only what stands under these names, which is lent whole; no other name is there.
    Names(Arc<BTreeSet<String>>),
}

impl Lends {
    /// Whether `name` may be looked at by `lstat`.
    pub(super) fn shows(&self, name: &str) -> bool {
        match self {
            Self::All | Self::Links => true,
            Self::Names(names) => names.contains(name),
        }
    }

    /// Refuses to go to `name`, be it a folder or a link, in the folder at `path`.
    pub(super) fn check_step(&self, path: &str, name: &str) -> Result<(), FilesError> {
        if self.shows(name) { Ok(()) } else { Err(self.denied(path)) }
    }

    /// Refuses to read the content of `name` in the folder at `path`.
    pub(super) fn check_content(&self, path: &str, name: &str) -> Result<(), FilesError> {
        match self {
            Self::Links => Err(self.denied(path)),
            Self::All | Self::Names(_) => self.check_step(path, name),
        }
    }

    /// Refuses to list the folder at `path`.
    pub(super) fn check_listing(&self, path: &str) -> Result<(), FilesError> {
        if matches!(self, Self::Links) { Err(self.denied(path)) } else { Ok(()) }
    }

    /// The names that are all there is, where that is so.
    pub(super) fn names(&self) -> Option<&BTreeSet<String>> {
        if let Self::Names(names) = self { Some(names) } else { None }
    }

    /// What a folder that was opened through this handle lends.
    pub(super) fn below(&self) -> Self {
        match self {
            Self::Links => Self::Links,
            Self::All | Self::Names(_) => Self::All,
        }
    }

    fn denied(&self, path: &str) -> FilesError {
        let lent = match self {
            Self::All => "everything".to_owned(),
            Self::Links => "links".to_owned(),
            Self::Names(names) if names.is_empty() => "nothing".to_owned(),
            Self::Names(names) => names.iter().cloned().collect::<Vec<_>>().join(", "),
        };
        FilesError::Denied(format!("--grant-read {path} (here only {lent} may be looked at)"))
    }
}
