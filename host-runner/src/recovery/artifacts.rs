//! Every other file of a session: copied where it is missing.

use super::files::{self, Parent};
use super::quarantine::What;
use super::{Done, Item, Work, reason_id};
use crate::capability::files::{FilesError, Kind};
use crate::contract::recovery::{ArtifactAction, FileOutcome, Quarantine, There};
use crate::error::RunnerError;

impl Work<'_> {
    /// Brings one artifact home.
    pub(super) fn artifact(&self, item: &Item) -> Result<Done, RunnerError> {
        match self.try_artifact(item) {
            Ok(done) => Ok(done),
            Err(Fault::Policy(error)) => Err(error),
            Err(Fault::File(why)) => Ok(Done::pending(why)),
        }
    }

    fn try_artifact(&self, item: &Item) -> Result<Done, Fault> {
        let folder = self.folder_of(item)?;
        let name = &item.path[item.path.len() - 1];
        let regular = item.entry.kind == Kind::Regular;
        let file = if regular { Some(folder.open_admitted(name, item.entry.identity)?) } else { None };
        let there = match self.home.parent(&item.path, false)? {
            Parent::Absent => There::Absent,
            Parent::InTheWay => There::NotRegular,
            Parent::There(parent) => match (parent.stat(name)?, &file) {
                (None, _) => There::Absent,
                (Some(entry), Some(file)) if entry.kind == Kind::Regular => {
                    let size = item.entry.identity.size;
                    let level = entry.identity.size == size
                        && files::same(file, &parent.open_admitted(name, entry.identity)?, 0, size)?;
                    if level { There::Identical } else { There::Different }
                }
                _ => There::NotRegular,
            },
        };
        let runner = self.runner;
        let action = runner.call(|store, guest| guest.winter_runtime_recovery().call_artifact(store, regular, there));
        let reason = match (regular, there) {
            (false, _) if item.entry.kind == Kind::Link => Quarantine::Linked,
            (false, _) => Quarantine::NotRegular,
            (true, There::NotRegular) => Quarantine::CanonicalNotRegular,
            (true, _) => Quarantine::Conflict,
        };
        match (action.map_err(Fault::Policy)?, file) {
            (ArtifactAction::Leave, _) => Ok(Done::of(FileOutcome::Clean)),
            (ArtifactAction::Copy, Some(file)) => {
                let Parent::There(parent) = self.home.parent(&item.path, true)? else {
                    return self.set_aside(item, Some(&file), Quarantine::CanonicalNotRegular);
                };
                let executable = item.entry.mode & 0o100 != 0;
                if files::place(&file, item.entry.identity.size, executable, &parent, name)? {
                    Ok(Done::of(FileOutcome::Appended))
                } else {
                    Ok(Done::pending("something was put in its place meanwhile"))
                }
            }
            (_, file) => self.set_aside(item, file.as_ref(), reason),
        }
    }

    /// Keeps a whole item in quarantine.
    pub(super) fn set_aside(
        &self,
        item: &Item,
        file: Option<&std::fs::File>,
        reason: Quarantine,
    ) -> Result<Done, Fault> {
        let path = item.path.join("/");
        let what = if let Some(file) = file {
            What::Bytes { file, from: 0, length: item.entry.identity.size }
        } else {
            let name = &item.path[item.path.len() - 1];
            What::Name(self.folder_of(item).ok().and_then(|folder| folder.read_link(name).ok()))
        };
        self.cell.keep(&path, &what, reason)?;
        Ok(Done { outcome: FileOutcome::Quarantined, appended: 0, reason: Some(reason_id(reason).to_owned()) })
    }
}

/// Why one file is not done.
pub(super) enum Fault {
    /// The policy did not answer: nothing goes on.
    Policy(RunnerError),
    /// The file stays where it is, and is to be tried again.
    File(String),
}

impl From<FilesError> for Fault {
    fn from(error: FilesError) -> Self {
        Self::File(error.to_string())
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        Self::File(error.to_string())
    }
}

impl From<rustix::io::Errno> for Fault {
    fn from(error: rustix::io::Errno) -> Self {
        Self::File(error.to_string())
    }
}
