//! The `files` capability: handles to granted folders, read step by step with no link followed.
//!
//! A [`Folder`] is a handle, not a path: what it can reach is what lies below the folder that was granted, whatever
//! happens to names meanwhile. Every step takes one component and is opened without following; what is read is proven,
//! on the open handle, to be the file that was looked at before. Nothing here opens a FIFO, a socket or a device in a
//! way that can block.
//!
//! A grant may be narrower than the folder: [`Folder::grant_links`] lends where its links lead and no content,
//! [`Folder::grant_names`] lends a few names and nothing else.

mod error;
mod folder;
mod lends;
#[cfg(test)]
mod lends_tests;
#[cfg(test)]
mod race_tests;
#[cfg(test)]
pub(crate) mod test_support;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::os::fd::AsFd;

use cap_std::fs::{Metadata, MetadataExt};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::retry_on_intr;

pub use error::{FilesError, GrantError, IoError, IoKind};
pub(crate) use folder::step;
pub use folder::{Folder, MAX_DEPTH, MAX_LISTED, MAX_READ};

/// What kind of thing an entry is, by `lstat`: a link is a link, whatever it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    Regular,
    /// A folder.
    Directory,
    /// A symbolic link.
    Link,
    /// A FIFO, a socket, a device: never opened.
    Other,
}

/// Tells one state of one file from any other, so that a later read proves what it reads.
///
/// It is as fine as the file system's clock: two writes of the same length within one tick look alike, though always as
/// states of the *same* file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The device that holds the file.
    pub device: u64,
    /// The file's number on that device.
    pub inode: u64,
    /// Bytes.
    pub size: u64,
    /// Time of the last change of content or metadata (`ctime`), in nanoseconds since the Unix epoch, modulo 2^64.
    pub changed_ns: u64,
}

/// One name in a folder, as it stood when it was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// A single component.
    pub name: String,
    /// By `lstat`.
    pub kind: Kind,
    /// To be given back to [`Folder::read`].
    pub identity: Identity,
    /// Unix permission bits, without the file type.
    pub mode: u32,
}

/// A bounded listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// In byte order of their names.
    pub entries: Vec<Entry>,
    /// There were more names than are listed.
    pub cut: bool,
    /// How many names were not UTF-8, and so are not listed.
    pub unnamed: u32,
}

/// The identity of an open file, to be compared with the one that was admitted; errors are the system's.
pub fn identity_of(file: &File) -> Result<Identity, FilesError> {
    Ok(identity(&Metadata::from_file(file)?))
}

/// Whether `name` is a single plain component: not empty, `.` or `..`, without `/` and NUL, at most 255 bytes
/// (`NAME_MAX` of Linux and macOS); [`FilesError::BadName`] otherwise.
pub fn check_name(name: &str) -> Result<(), FilesError> {
    let plain = !matches!(name, "" | "." | "..") && name.len() <= 255 && !name.bytes().any(|b| b == b'/' || b == 0);
    if plain { Ok(()) } else { Err(FilesError::BadName) }
}

fn identity(found: &Metadata) -> Identity {
    // Wraps rather than saturates: two odd times stay two.
    let changed = found.ctime().wrapping_mul(1_000_000_000).wrapping_add(found.ctime_nsec());
    Identity { device: found.dev(), inode: found.ino(), size: found.size(), changed_ns: changed.cast_unsigned() }
}

fn kind(found: &Metadata) -> Kind {
    if found.is_symlink() {
        Kind::Link
    } else if found.is_dir() {
        Kind::Directory
    } else if found.is_file() {
        Kind::Regular
    } else {
        Kind::Other
    }
}

/// Calls `each` with every name of the folder but `.` and `..`, in the system's order; memory stays flat. Stops at the
/// first error, its own or the system's.
pub(crate) fn each_name<E: From<FilesError>>(
    folder: impl AsFd,
    mut each: impl FnMut(&std::ffi::CStr, FileType) -> Result<(), E>,
) -> Result<(), E> {
    // Opened anew: the handle may not be one to read from, and two listings of one must not share a position.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let readable = retry_on_intr(|| rustix::fs::openat(&folder, ".", flags, Mode::empty()));
    let names = readable.and_then(rustix::fs::Dir::new).map_err(FilesError::from)?;
    for name in names {
        let name = name.map_err(FilesError::from)?;
        if !matches!(name.file_name().to_bytes(), b"." | b"..") {
            each(name.file_name(), name.file_type())?;
        }
    }
    Ok(())
}
