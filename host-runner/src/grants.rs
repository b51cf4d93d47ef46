//! What the host lends: nothing that is not named here.

use std::path::{Path, PathBuf};

use crate::capability::process::Program;
use crate::error::{Denied, RunnerError};

/// The capabilities of one runner; the default is none at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// Folders that may be read, with everything beneath them.
    pub read: Vec<PathBuf>,
    /// Whether links of the whole file system may be looked at: where they lead, and what kind of thing stands there; no
    /// content, and no folder listed.
    pub links: bool,
    /// Whether git's index and HEAD may be asked about a folder that may be read.
    pub git_index: bool,
    /// Whether the time may be told.
    pub clock: bool,
    /// Programs that may be started, by name.
    pub programs: Vec<Program>,
}

impl Grants {
    /// Reading beneath these folders, looking at links, git's index and the time: what a run home is made of.
    ///
    /// ```
    /// let grants = winter_runner::Grants::for_run_homes(["/src/it"]);
    /// assert!(grants.git_index && grants.read.len() == 1);
    /// ```
    pub fn for_run_homes<P: Into<PathBuf>>(read: impl IntoIterator<Item = P>) -> Self {
        Self {
            read: read.into_iter().map(Into::into).collect(),
            links: true,
            git_index: true,
            clock: true,
            programs: Vec::new(),
        }
    }

    /// Refuses a folder that lies beneath none of the granted ones, by their real paths.
    pub(crate) fn check_read(&self, folder: &Path) -> Result<(), RunnerError> {
        let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let folder = real(folder);
        if self.read.iter().any(|granted| folder.starts_with(real(granted))) {
            return Ok(());
        }
        let resource = folder.display().to_string();
        Err(Denied { capability: "files", grant: format!("--grant-read {resource}"), resource }.into())
    }
}
