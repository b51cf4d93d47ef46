//! Steps on handles that building, finding and removing share.

use std::fs::{File, Permissions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use cap_std::fs::{Dir, Metadata, MetadataExt};
use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, RenameFlags};
use rustix::io::{Errno, retry_on_intr};

use super::{LOCK, MaterializeError};
use crate::capability::files::{Folder, step};

/// The mode of every folder that is made here.
pub(super) const PRIVATE: Mode = Mode::RWXU;

/// How long the lock of the runs is waited for; it is held for some renames at most.
const PATIENCE: Duration = Duration::from_secs(10);

/// Makes the folder `name`, 0700 whatever the umask, a default ACL or a set-group-id parent would make of it.
pub(super) fn make_folder(parent: &Dir, name: &str) -> io::Result<Dir> {
    rustix::fs::mkdirat(parent, name, PRIVATE)?;
    let made = step(parent, name)?;
    make_private(parent, name, &made)?;
    Ok(made)
}

/// Gives a folder mode 0700 if it has another; `folder` is the handle of `name` in `parent`.
pub(super) fn make_private(parent: &Dir, name: impl rustix::path::Arg + Copy, folder: &Dir) -> io::Result<()> {
    if folder.dir_metadata()?.mode() & 0o7777 == 0o700 {
        return Ok(());
    }
    // The handle may be one that modes cannot be set through (`O_PATH`).
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match retry_on_intr(|| rustix::fs::openat(folder, ".", flags, Mode::empty())) {
        Ok(readable) => Ok(rustix::fs::fchmod(readable, PRIVATE)?),
        Err(Errno::ACCESS) => unlock(parent, name, folder),
        Err(error) => Err(error.into()),
    }
}

/// Sets the mode of a folder that cannot be opened for reading; no name is followed.
fn unlock(parent: &Dir, name: impl rustix::path::Arg + Copy, folder: &Dir) -> io::Result<()> {
    if cfg!(target_os = "linux") {
        use std::os::fd::AsRawFd;
        let own = format!("/proc/self/fd/{}", folder.as_fd().as_raw_fd());
        std::fs::set_permissions(own, Permissions::from_mode(0o700))
    } else {
        Ok(rustix::fs::chmodat(parent, name, PRIVATE, AtFlags::SYMLINK_NOFOLLOW)?)
    }
}

/// Creates a file that must not exist, of exactly `mode`.
pub(super) fn create(folder: &Dir, name: &str, mode: Mode) -> Result<File, Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = retry_on_intr(|| rustix::fs::openat(folder, name, flags, Mode::RUSR | Mode::WUSR))?;
    rustix::fs::fchmod(&file, mode)?;
    Ok(File::from(file))
}

/// Renames within `folder`, never over something: [`Errno::EXIST`] then.
///
/// Where the file system cannot do that in one step, it is checked first: callers that race with others hold the lock of
/// the runs.
pub(super) fn rename_new(folder: &Dir, from: &str, to: &str) -> Result<(), Errno> {
    // On Linux the last two are one number.
    let unsupported = [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP];
    match rustix::fs::renameat_with(folder, from, folder, to, RenameFlags::NOREPLACE) {
        Err(error) if unsupported.contains(&error) => rename_checked(folder, from, to),
        done => done,
    }
}

pub(super) fn rename_checked(folder: &Dir, from: &str, to: &str) -> Result<(), Errno> {
    match rustix::fs::statat(folder, to, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(_) => Err(Errno::EXIST),
        Err(Errno::NOENT) => rustix::fs::renameat(folder, from, folder, to),
        Err(error) => Err(error),
    }
}

/// Whether `name` is the very folder that `handle` is open on.
pub(super) fn is_same(folder: &Folder, name: &str, handle: &Dir) -> bool {
    let Ok(Some(named)) = folder.stat(name) else { return false };
    handle.dir_metadata().is_ok_and(|open| open.dev() == named.identity.device && open.ino() == named.identity.inode)
}

/// A lock file that is held; other threads and processes see it held until this is dropped, or the process ends.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Lock {
    /// Waits for the lock of the runs, for some seconds at most.
    pub(super) fn runs(runs: &Folder) -> Result<Self, MaterializeError> {
        let path = || runs.path_of(LOCK);
        let file = match create(runs.handle(), LOCK, Mode::RUSR | Mode::WUSR) {
            Ok(file) => file,
            Err(Errno::EXIST) => open_lock(runs.handle(), LOCK)
                .map_err(|error| MaterializeError::write(path(), error))?
                .ok_or_else(|| MaterializeError::Interfered { path: path() })?,
            Err(error) => return Err(MaterializeError::write(path(), error)),
        };
        let end = Instant::now() + PATIENCE;
        loop {
            match try_hold(&file) {
                Ok(true) => return Ok(Self(file)),
                Ok(false) if Instant::now() < end => std::thread::sleep(Duration::from_millis(2)),
                Ok(false) => return Err(MaterializeError::Locked { path: path() }),
                Err(error) => return Err(MaterializeError::write(path(), error)),
            }
        }
    }

    /// Holds a lock file that this process has just made, under the lock of the runs.
    pub(super) fn made(file: File) -> Result<Option<Self>, Errno> {
        Ok(try_hold(&file)?.then_some(Self(file)))
    }

    /// Holds the lock file `name`, if nobody does; none when somebody does, or it is no regular file.
    pub(super) fn left(folder: &Dir, name: &str) -> io::Result<Option<Self>> {
        let Some(file) = open_lock(folder, name)? else { return Ok(None) };
        Ok(try_hold(&file)?.then_some(Self(file)))
    }
}

/// A run that a session is open on; another process sees so until this is dropped, or the process ends.
#[derive(Debug)]
pub(crate) struct Held(File);

impl Held {
    /// Holds the run folder; none when another process does.
    pub(crate) fn of(run: &Folder) -> io::Result<Option<Self>> {
        // The handle may be one that cannot be locked (`O_PATH`).
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let file = File::from(retry_on_intr(|| rustix::fs::openat(run.handle(), ".", flags, Mode::empty()))?);
        Ok(try_hold(&file)?.then_some(Self(file)))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = rustix::fs::flock(&self.0, FlockOperation::Unlock);
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a child that another thread is just starting holds the same open file.
        let _ = rustix::fs::flock(&self.0, FlockOperation::Unlock);
    }
}

/// None when something else than a regular file stands there.
fn open_lock(folder: &Dir, name: &str) -> io::Result<Option<File>> {
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    match retry_on_intr(|| rustix::fs::openat(folder, name, flags, Mode::empty())) {
        Ok(file) => {
            let file = File::from(file);
            Ok(Metadata::from_file(&file)?.is_file().then_some(file))
        }
        Err(Errno::LOOP | Errno::MLINK | Errno::ISDIR | Errno::NXIO | Errno::OPNOTSUPP) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn try_hold(file: &File) -> Result<bool, Errno> {
    match retry_on_intr(|| rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive)) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error),
    }
}
