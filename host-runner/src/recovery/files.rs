//! The shared home's side: found, made and written through handles, with no link followed.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};
use rustix::io::{Errno, retry_on_intr};

use crate::capability::files::{Entry, FilesError, Folder, IoError, IoKind, Kind};
use crate::contract::recovery::{Facts, FileKind};
use crate::error::RunnerError;

/// Bytes that are read at once: two blocks of it stay in a core's cache while they are compared.
pub(super) const BLOCK: usize = 128 << 10;

/// What makes a thread of its own worth while, in bytes.
pub(super) const SHARE: u64 = 8 << 20;

/// The shared home.
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

    /// The folder of that path without its last name.
    pub(super) fn parent(&self, path: &[String], make: bool) -> Result<Parent, FilesError> {
        let mut folder = self.shared.clone();
        let above = path.iter().take(path.len() - 1).map(String::as_str);
        for name in above {
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

/// Whether both files hold the same bytes in that range; a long one is compared by two threads.
pub(super) fn same(one: &File, other: &File, from: u64, length: u64) -> io::Result<bool> {
    if length < 2 * SHARE {
        return same_here(one, other, from, length);
    }
    let half = length / 2;
    let (first, rest) = std::thread::scope(|scope| {
        let first = scope.spawn(|| same_here(one, other, from, half));
        let rest = same_here(one, other, from + half, length - half);
        (first.join(), rest)
    });
    Ok(first.unwrap_or_else(|_| Err(io::Error::other("a thread ended")))? && rest?)
}

fn same_here(one: &File, other: &File, from: u64, length: u64) -> io::Result<bool> {
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

/// Writes `length` bytes of `from`, from `at` on, and then `end`, at the end of `to`, and makes them last.
pub(super) fn copy_synced(from: &File, at: u64, length: u64, end: &[u8], to: &mut File) -> io::Result<()> {
    if length < 4 * SHARE {
        copy_range(from, at, length, to)?;
        to.write_all(end)?;
        return to.sync_all();
    }
    let written_back = to.try_clone()?;
    let (more, told) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        // What is copied already is written to the disk while the rest is copied.
        let syncing = scope.spawn(move || told.iter().try_for_each(|()| written_back.sync_data()));
        let mut done = 0;
        while done < length {
            let part = (length - done).min(2 * SHARE);
            copy_range(from, at + done, part, to)?;
            done += part;
            if done < length {
                let _ = more.send(());
            }
        }
        drop(more);
        to.write_all(end)?;
        syncing.join().unwrap_or_else(|_| Err(io::Error::other("a thread ended")))?;
        to.sync_all()
    })
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
    let mode = if executable { Mode::RWXU } else { Mode::RUSR | Mode::WUSR };
    let copy_into = |file: &mut File| {
        rustix::fs::fchmod(&*file, mode)?;
        copy_synced(from, 0, size, b"", file)
    };
    let placed = match nameless(folder) {
        Some(mut file) => {
            copy_into(&mut file)?;
            let handle = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
            named(rustix::fs::linkat(rustix::fs::CWD, handle, folder.handle(), name, AtFlags::SYMLINK_FOLLOW))
        }
        None => place_renamed(copy_into, folder, name),
    };
    sync_folder(folder);
    placed
}

/// A file without a name, of which a kill leaves nothing; none where the system has no such files, or no way to name one.
fn nameless(folder: &Folder) -> Option<File> {
    #[cfg(target_os = "linux")]
    if Path::new("/proc/self/fd").exists() {
        let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
        return rustix::fs::openat(folder.handle(), ".", flags, Mode::RUSR | Mode::WUSR).ok().map(File::from);
    }
    let _ = folder;
    None
}

/// The same through a name beside it.
fn place_renamed(copy_into: impl Fn(&mut File) -> io::Result<()>, folder: &Folder, name: &str) -> io::Result<bool> {
    let beside = format!(".winter-{}", uuid::Uuid::now_v7());
    let mut file = create(folder, &beside)?;
    let handle = folder.handle();
    let placed = copy_into(&mut file).and_then(|()| {
        match rustix::fs::renameat_with(handle, &*beside, handle, name, RenameFlags::NOREPLACE) {
            // A file system without that: a second name is as good, and never replaces either.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                named(rustix::fs::linkat(handle, &*beside, handle, name, AtFlags::empty()))
            }
            renamed => named(renamed),
        }
    });
    // Gone already where it was renamed.
    let _ = rustix::fs::unlinkat(handle, &*beside, AtFlags::empty());
    placed
}

fn named(done: Result<(), Errno>) -> io::Result<bool> {
    match done {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
