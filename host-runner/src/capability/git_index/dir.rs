//! Folders and files of a git directory, opened so that nothing there can lead elsewhere, wait or overflow.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::{ProbeError, failed};

/// Bytes of the small files: pointers, a single reference, the configuration.
pub(super) const SMALL: u64 = 1024 * 1024;

/// An open folder.
pub(super) struct Dir {
    fd: OwnedFd,
    path: PathBuf,
}

impl Dir {
    /// The folder at `path`, which a caller vouches for: links on the way are followed.
    pub(super) fn open(path: &Path) -> Result<Self, ProbeError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match rustix::fs::openat(CWD, path, flags, Mode::empty()) {
            Ok(fd) => Ok(Self { fd, path: path.to_path_buf() }),
            Err(error) => failed(format!("the folder cannot be opened: {error}")),
        }
    }

    /// The folder that `path` names from here, or none; a link in its place is an error.
    pub(super) fn folder(&self, path: impl AsRef<Path>) -> Result<Option<Self>, ProbeError> {
        let path = path.as_ref();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.fd, path, flags, Mode::empty()) {
            Ok(fd) => Ok(Some(Self { fd, path: self.path.join(path) })),
            Err(Errno::NOENT) => Ok(None),
            Err(Errno::NOTDIR | Errno::LOOP) => failed(format!("{} is not a folder of its own", quoted(path))),
            Err(error) => failed(format!("{} cannot be opened: {error}", quoted(path))),
        }
    }

    /// What stands under `name`, by `lstat`, or none.
    pub(super) fn kind(&self, name: &str) -> Result<Option<FileType>, ProbeError> {
        match rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(FileType::from_raw_mode(stat.st_mode))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => failed(format!("{name:?} cannot be looked at: {error}")),
        }
    }

    /// The whole content of the regular file `name`, or none; an error if it is anything else or exceeds `limit`.
    pub(super) fn read(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, ProbeError> {
        // Looked at before it is opened, since opening alone has effects on some devices, and after, since it may have
        // been exchanged.
        match self.kind(name)? {
            None => return Ok(None),
            Some(kind) => must_be_regular(name, kind)?,
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let cannot = |error: std::io::Error| ProbeError::Failed(format!("{name:?} cannot be read: {error}"));
        let fd = match rustix::fs::openat(&self.fd, name, flags, Mode::empty()) {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(cannot(error.into())),
        };
        let stat = rustix::fs::fstat(&fd).map_err(|error| cannot(error.into()))?;
        must_be_regular(name, FileType::from_raw_mode(stat.st_mode))?;
        let size = u64::try_from(stat.st_size).unwrap_or(u64::MAX);
        let too_large = || ProbeError::Failed(format!("{name:?} holds more than {limit} bytes"));
        if size > limit {
            return Err(too_large());
        }
        let mut content = Vec::new();
        content.try_reserve(usize::try_from(size).unwrap_or(usize::MAX)).map_err(|_| too_large())?;
        // The size is only what the system said a moment ago.
        File::from(fd).take(limit.saturating_add(1)).read_to_end(&mut content).map_err(cannot)?;
        if content.len() as u64 > limit { Err(too_large()) } else { Ok(Some(content)) }
    }

    /// The names in the folder, at most `most`; an error when there are more.
    pub(super) fn names(&self, most: usize) -> Result<Vec<Vec<u8>>, ProbeError> {
        let cannot = |error: Errno| ProbeError::Failed(format!("{} cannot be listed: {error}", quoted(&self.path)));
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.fd).map_err(cannot)? {
            if names.len() == most {
                return failed(format!("{} holds more than {most} entries", quoted(&self.path)));
            }
            names.push(entry.map_err(cannot)?.file_name().to_bytes().to_vec());
        }
        Ok(names)
    }

    /// Where the folder was opened, for a reader that takes nothing but paths.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

fn must_be_regular(name: &str, kind: FileType) -> Result<(), ProbeError> {
    match kind {
        FileType::RegularFile => Ok(()),
        FileType::Symlink => failed(format!("{name:?} is a link")),
        _ => failed(format!("{name:?} is not a regular file")),
    }
}

/// A path for a message: a repository chose it, so nothing in it may act on a terminal.
fn quoted(path: &Path) -> String {
    format!("{:?}", path.to_string_lossy())
}
