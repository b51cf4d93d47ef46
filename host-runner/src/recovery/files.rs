//! The shared home's side: found, made and written through handles, with no link followed.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use rustix::fs::{Mode, OFlags, RenameFlags};
use rustix::io::{Errno, retry_on_intr};

use crate::capability::files::{Entry, FilesError, Folder, IoError, IoKind, Kind};
use crate::contract::recovery::{Facts, FileKind};
use crate::error::RunnerError;

/// Bytes that are read at once.
pub(super) const BLOCK: usize = 1 << 20;

/// The shared home's folder of transcripts.
pub(super) struct Home {
    shared: Folder,
}

/// The folder that a file would stand in.
pub(super) enum Parent {
    /// It stands.
    There(Folder),
    /// It, or one above it, does not.
    Absent,
    /// A link, or something else than a folder, stands in the way.
    InTheWay,
}

impl Home {
    pub(super) fn open(shared: &Path) -> Result<Self, RunnerError> {
        let made = {
            use std::os::unix::fs::DirBuilderExt as _;
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(shared)
        };
        made.map_err(|error| RunnerError::Write { path: shared.to_owned(), error })?;
        let shared = Folder::grant(shared).map_err(|error| RunnerError::Folder { role: "shared home", error })?;
        Ok(Self { shared })
    }

    /// The folder of `projects/<path without its last name>`.
    pub(super) fn parent(&self, path: &[String], make: bool) -> Result<Parent, FilesError> {
        let mut folder = self.shared.clone();
        let above = path.iter().take(path.len() - 1).map(String::as_str);
        for name in std::iter::once("projects").chain(above) {
            if make {
                match rustix::fs::mkdirat(folder.handle(), name, Mode::RWXU) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(io::Error::from(error).into()),
                }
            }
            folder = match folder.open_folder(name) {
                Ok(folder) => folder,
                Err(FilesError::Io(IoError { kind: IoKind::NotFound, .. })) => return Ok(Parent::Absent),
                Err(FilesError::Linked | FilesError::NotAFolder) => return Ok(Parent::InTheWay),
                Err(error) => return Err(error),
            };
        }
        Ok(Parent::There(folder))
    }
}

/// What is known of a name without reading it.
pub(super) fn facts(entry: Option<&Entry>) -> Facts {
    let kind = match entry.map(|entry| entry.kind) {
        None => FileKind::Absent,
        Some(Kind::Regular) => FileKind::Regular,
        Some(Kind::Link) => FileKind::Link,
        Some(Kind::Directory | Kind::Other) => FileKind::Other,
    };
    let size = entry.filter(|entry| entry.kind == Kind::Regular).map_or(0, |entry| entry.identity.size);
    Facts { kind, size }
}

/// Whether both files hold the same bytes in that range.
pub(super) fn same(one: &File, other: &File, from: u64, length: u64) -> io::Result<bool> {
    let (mut a, mut b) = (vec![0; BLOCK], vec![0; BLOCK]);
    let (mut at, end) = (from, from + length);
    while at < end {
        let count = usize::try_from(end - at).unwrap_or(BLOCK).min(BLOCK);
        one.read_exact_at(&mut a[..count], at)?;
        other.read_exact_at(&mut b[..count], at)?;
        if a[..count] != b[..count] {
            return Ok(false);
        }
        at += count as u64;
    }
    Ok(true)
}

/// Writes `length` bytes of `from`, from `at` on, at the end of `to`.
pub(super) fn copy_range(from: &File, at: u64, length: u64, to: &mut File) -> io::Result<()> {
    let mut source = from.try_clone()?;
    source.seek(SeekFrom::Start(at))?;
    let copied = io::copy(&mut source.take(length), to)?;
    if copied == length { Ok(()) } else { Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it became shorter")) }
}

/// A new file, 0600, that must not stand yet.
pub(super) fn create(folder: &Folder, name: &str) -> Result<File, Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(retry_on_intr(|| rustix::fs::openat(folder.handle(), name, flags, Mode::RUSR | Mode::WUSR))?.into())
}

/// A file that stands, to be written at its end; no link is followed and no reader waited for.
pub(super) fn open_end(folder: &Folder, name: &str) -> Result<File, Errno> {
    let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(retry_on_intr(|| rustix::fs::openat(folder.handle(), name, flags, Mode::empty()))?.into())
}

/// Makes the names of a folder last.
pub(super) fn sync_folder(folder: &Folder) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    if let Ok(open) = rustix::fs::openat(folder.handle(), ".", flags, Mode::empty()) {
        let _ = rustix::fs::fsync(open);
    }
}

/// Puts a copy of a file where nothing stands, in one step and synced; false when something stands there by then.
pub(super) fn place(from: &File, size: u64, executable: bool, folder: &Folder, name: &str) -> io::Result<bool> {
    let beside = format!(".winter-{}", uuid::Uuid::now_v7());
    let mut file = create(folder, &beside)?;
    let placed = (|| {
        copy_range(from, 0, size, &mut file)?;
        if executable {
            rustix::fs::fchmod(&file, Mode::RWXU)?;
        }
        file.flush()?;
        file.sync_all()?;
        let handle = folder.handle();
        match rustix::fs::renameat_with(handle, &*beside, handle, name, RenameFlags::NOREPLACE) {
            Ok(()) => Ok(true),
            Err(Errno::EXIST) => Ok(false),
            // A file system without that: a second name is as good, and never replaces either.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                match rustix::fs::linkat(handle, &*beside, handle, name, rustix::fs::AtFlags::empty()) {
                    Ok(()) => Ok(true),
                    Err(Errno::EXIST) => Ok(false),
                    Err(error) => Err(error.into()),
                }
            }
            Err(error) => Err(error.into()),
        }
    })();
    // Gone already where it was renamed.
    let _ = rustix::fs::unlinkat(folder.handle(), &*beside, rustix::fs::AtFlags::empty());
    sync_folder(folder);
    placed
}
