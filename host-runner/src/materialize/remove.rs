//! Removing a folder that a program may have filled as it liked: links, read-only folders, any depth, any name.

use std::ffi::{CStr, CString};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::Dir;
use rustix::fs::{AtFlags, FileType};
use rustix::io::Errno;

use super::handle::{make_private, rename_new};
use super::{DEAD, MaterializeError, plan};
use crate::capability::files::{FilesError, Folder, IoKind, each_name, step};

/// How many names are looked at before any is removed.
const BATCH: usize = 1024;

/// Removing gives up when this much stood there, or came back: something is writing faster.
const MAX_REMOVED: u64 = 1 << 26;

/// Rounds without progress before removing gives up.
const MAX_STALLED: u32 = 64;

/// Takes `name`, which `handle` is open on, out of sight and removes it.
pub(super) fn discard(runs: &Folder, name: &str, run_id: &str, handle: &Dir) -> Result<(), MaterializeError> {
    let dead = bury(runs, name, run_id)
        .map_err(|error| MaterializeError::Remove { path: runs.path_of(name), cause: error.into() })?;
    remove(runs, &dead, handle)
}

/// Renames `name` to a dead name of its own; errors are the system's.
pub(super) fn bury(runs: &Folder, name: &str, run_id: &str) -> Result<String, Errno> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let dead = format!("{DEAD}{run_id}-{}-{count}", std::process::id());
        match rename_new(runs.handle(), name, &dead) {
            Ok(()) => return Ok(dead),
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error),
        }
    }
}

/// The run id in a dead name.
pub(super) fn run_id_of_dead(name: &str) -> Option<&str> {
    let (_, rest) = name.split_once(DEAD).filter(|(before, _)| before.is_empty())?;
    let run_id = rest.rsplitn(3, '-').nth(2)?;
    plan::is_run_id(run_id).then_some(run_id)
}

/// Removes the dead folder `name`, which `handle` is open on; nothing outside it is touched, no link followed, no mount
/// entered. Another that removes it at the same time does no harm.
pub(super) fn remove(runs: &Folder, name: &str, handle: &Dir) -> Result<(), MaterializeError> {
    let failed = |cause| match cause {
        FilesError::Io(cause) => MaterializeError::Remove { path: runs.path_of(name), cause },
        cause => MaterializeError::Runs { path: runs.path_of(name), cause },
    };
    make_private(runs.handle(), name, handle).map_err(|error| failed(error.into()))?;
    Emptying { root: handle, removed: 0, fresh: 0 }.run().map_err(failed)?;
    match rustix::fs::unlinkat(runs.handle(), name, AtFlags::REMOVEDIR) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(failed(error.into())),
    }
}

/// Empties a folder without descending: each folder in it is emptied of its files, and its folders are moved up beside it.
/// So any depth takes two handles and no stack; and since a mount point cannot be renamed, none is ever entered.
struct Emptying<'a> {
    root: &'a Dir,
    removed: u64,
    fresh: u64,
}

impl Emptying<'_> {
    fn run(mut self) -> Result<(), FilesError> {
        let mut stalled = 0;
        loop {
            let batch = self.batch()?;
            if batch.is_empty() {
                return Ok(());
            }
            let before = self.removed;
            for (name, is_folder) in batch {
                if is_folder {
                    self.empty_folder(&name)?;
                } else {
                    self.unlink(self.root, &name, AtFlags::empty())?;
                }
            }
            stalled = if self.removed == before { stalled + 1 } else { 0 };
            if stalled > MAX_STALLED || self.removed > MAX_REMOVED {
                return Err(FilesError::io(IoKind::Busy, "something keeps writing there"));
            }
        }
    }

    fn batch(&self) -> Result<Vec<(CString, bool)>, FilesError> {
        let mut batch = Vec::new();
        let full = each_name(self.root, |name, kind| {
            batch.push((name.to_owned(), is_folder(self.root, name, kind)?));
            if batch.len() == BATCH { Err(Stop::Full) } else { Ok(()) }
        });
        match full {
            Ok(()) | Err(Stop::Full) => Ok(batch),
            Err(Stop::Failed(error)) => Err(error),
        }
    }

    fn empty_folder(&mut self, name: &CStr) -> Result<(), FilesError> {
        let Some(moved) = self.move_up(self.root, name)? else { return Ok(()) };
        let folder = match step(self.root, moved.as_c_str()) {
            Ok(folder) => folder,
            // Gone, or not a folder any more: the next round sees what it is.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        make_private(self.root, moved.as_c_str(), &folder)?;
        each_name(&folder, |name, kind| {
            if is_folder(&folder, name, kind)? {
                if self.move_up(&folder, name)?.is_some() {
                    self.removed += 1;
                }
                Ok(())
            } else {
                self.unlink(&folder, name, AtFlags::empty())
            }
        })?;
        self.unlink(self.root, &moved, AtFlags::REMOVEDIR)
    }

    /// Renames the folder `name` of `from` to a new name in the root; none when it is gone.
    fn move_up(&mut self, from: &Dir, name: &CStr) -> Result<Option<CString>, FilesError> {
        let mut unlocked = false;
        loop {
            let fresh = CString::new(format!(".{}", self.fresh)).map_err(|_| FilesError::BadName)?;
            self.fresh += 1;
            match rustix::fs::renameat(from, name, self.root, fresh.as_c_str()) {
                Ok(()) => return Ok(Some(fresh)),
                Err(Errno::NOENT) => return Ok(None),
                // Something has that name already.
                Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
                // A folder's own mode counts when its parent changes.
                Err(Errno::ACCESS) if !unlocked => {
                    match step(from, name) {
                        Ok(folder) => make_private(from, name, &folder)?,
                        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(None),
                        Err(error) => return Err(error.into()),
                    }
                    unlocked = true;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn unlink(&mut self, folder: &Dir, name: &CStr, flags: AtFlags) -> Result<(), FilesError> {
        match rustix::fs::unlinkat(folder, name, flags) {
            Ok(()) => {
                self.removed += 1;
                Ok(())
            }
            // Gone, became another kind of thing, or was filled again: the next round sees what it is.
            Err(Errno::NOENT | Errno::ISDIR | Errno::NOTDIR | Errno::NOTEMPTY | Errno::EXIST) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

enum Stop {
    Full,
    Failed(FilesError),
}

impl From<FilesError> for Stop {
    fn from(error: FilesError) -> Self {
        Self::Failed(error)
    }
}

fn is_folder(folder: impl AsFd, name: &CStr, kind: FileType) -> Result<bool, FilesError> {
    // Some file systems do not tell in a listing.
    if kind != FileType::Unknown {
        return Ok(kind == FileType::Directory);
    }
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => Ok(FileType::from_raw_mode(found.st_mode) == FileType::Directory),
        Err(Errno::NOENT) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
