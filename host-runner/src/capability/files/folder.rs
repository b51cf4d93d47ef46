//! [`Folder`]: one granted folder, or one inside it.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::path::{Component, Path};
use std::sync::Arc;

use cap_std::fs::{Dir, Metadata, MetadataExt};
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::lends::Lends;
use super::{Entry, FilesError, GrantError, Identity, IoKind, Kind, Listing, check_name, each_name, identity, kind};

/// How many folders below its grant a handle may stand; each one on the way is kept open.
pub const MAX_DEPTH: usize = 128;

/// The most entries that one listing holds, whatever the caller asks for.
pub const MAX_LISTED: u32 = 131_072;

/// The most bytes that one [`Folder::read`] returns, whatever the caller's limit (1 GiB).
pub const MAX_READ: u64 = 1 << 30;

/// A folder with more names than this is not listed at all: a listing must end.
const MAX_SCANNED: u64 = 1 << 24;

/// Only a place to start from where the system has that (`O_PATH`), so that folders that may be entered but not listed
/// work as they do elsewhere.
#[cfg(target_os = "linux")]
pub(crate) const STEP: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
pub(crate) const STEP: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Opens the folder `name` of `folder`, which is never followed; errors are the system's.
pub(crate) fn step(folder: impl AsFd, name: impl rustix::path::Arg + Copy) -> Result<Dir, Errno> {
    let opened = retry_on_intr(|| rustix::fs::openat(&folder, name, STEP, Mode::empty()))?;
    Ok(Dir::from_std_file(File::from(opened)))
}

/// A handle to one granted folder, or to one inside it; copies share the handle.
///
/// No method but those that grant takes a path or follows a link.
#[derive(Clone, Debug)]
pub struct Folder(Arc<Node>);

#[derive(Debug)]
struct Node {
    dir: Dir,
    path: String,
    above: Option<Folder>,
    depth: usize,
    lends: Lends,
}

impl Folder {
    /// Lends the folder that a person named.
    ///
    /// Links in `path` are followed, for the path is the host's own word; what is then opened is the real path, step by
    /// step with nothing followed (on Linux), so that [`Folder::path`] holds no link. The errors say which of not there,
    /// not a folder, no permission and not UTF-8 it was.
    pub fn grant(path: &Path) -> Result<Self, GrantError> {
        Self::grant_some(path, Lends::All)
    }

    /// Lends the folder without its content: kinds and sizes of names and the targets of links, at any depth.
    ///
    /// [`Folder::entries`], [`Folder::read`] and [`Folder::open_admitted`] are [`FilesError::Denied`] on it and on every
    /// folder that is reached from it. The errors of [`Folder::grant`].
    ///
    /// ```
    /// use std::path::Path;
    /// use winter_runner::capability::files::Folder;
    /// let root = Folder::grant_links(Path::new("/"))?;
    /// assert_eq!(root.entries(9).unwrap_err().code(), "denied");
    /// assert!(root.stat("no such name").unwrap().is_none());
    /// # Ok::<(), winter_runner::capability::files::GrantError>(())
    /// ```
    pub fn grant_links(path: &Path) -> Result<Self, GrantError> {
        Self::grant_some(path, Lends::Links)
    }

    /// Lends of the folder only what stands under `names`, compared byte by byte; such a folder is lent whole.
    ///
    /// Any other name is absent for [`Folder::stat`] and [`Folder::entries`], and [`FilesError::Denied`] for what would
    /// open it. The errors of [`Folder::grant`]; `names` that are no plain component are never there.
    ///
    /// ```
    /// use std::path::Path;
    /// use winter_runner::capability::files::Folder;
    /// let root = Folder::grant_names(Path::new("/"), &["tmp"])?;
    /// assert!(root.stat("etc").unwrap().is_none());
    /// assert_eq!(root.open_folder("etc").unwrap_err().code(), "denied");
    /// # Ok::<(), winter_runner::capability::files::GrantError>(())
    /// ```
    pub fn grant_names(path: &Path, names: &[&str]) -> Result<Self, GrantError> {
        Self::grant_some(path, Lends::Names(Arc::new(names.iter().map(|name| (*name).to_owned()).collect())))
    }

    fn grant_some(path: &Path, lends: Lends) -> Result<Self, GrantError> {
        let failed = |error| GrantError::of(path, error);
        let real = path.canonicalize().map_err(failed)?;
        let Some(text) = real.to_str() else {
            return Err(GrantError::NotUtf8 { path: real.to_string_lossy().into_owned() });
        };
        let opened = open_real(&real).map_err(|error| failed(error.into()))?;
        // An `O_PATH` handle proves nothing about access.
        step(&opened, ".").map_err(|error| failed(error.into()))?;
        Ok(Self(Arc::new(Node { dir: opened, path: text.to_owned(), above: None, depth: 0, lends })))
    }

    /// The same folder as a grant of its own, above which [`Folder::parent`] does not lead; fails when no handle is left.
    pub fn detached(&self) -> Result<Self, FilesError> {
        let (dir, lends) = (self.0.dir.try_clone()?, self.0.lends.clone());
        Ok(Self(Arc::new(Node { dir, path: self.path(), above: None, depth: 0, lends })))
    }

    /// The same grant under the path that the person named it by, so that a link of theirs which is spelt that way is
    /// recognised; none where that is its real path, or holds `..`, which means another place behind a link.
    pub(crate) fn as_named(&self, path: &Path) -> Option<Self> {
        let named = std::path::absolute(path).ok()?;
        if named.components().any(|part| part == Component::ParentDir) {
            return None;
        }
        let path = named.to_str()?.to_owned();
        if path.trim_end_matches('/') == self.0.path {
            return None;
        }
        let (dir, lends) = (self.0.dir.try_clone().ok()?, self.0.lends.clone());
        Some(Self(Arc::new(Node { dir, path, above: None, depth: 0, lends })))
    }

    /// Whether everything in the folder is lent, so that another capability may be asked about it by its path.
    pub fn is_lent_whole(&self) -> bool {
        matches!(self.0.lends, Lends::All)
    }

    /// The absolute path by which the folder was reached, for reports and for rules that name it; never accepted back.
    pub fn path(&self) -> String {
        self.0.path.clone()
    }

    /// The path of something in this folder, for reports.
    pub(crate) fn path_of(&self, name: &str) -> String {
        let path = &self.0.path;
        if path.ends_with('/') { format!("{path}{name}") } else { format!("{path}/{name}") }
    }

    /// The handle, for the runner's own work below it.
    pub(crate) fn handle(&self) -> &Dir {
        &self.0.dir
    }

    /// The entry of that name by `lstat`, or none; [`FilesError::BadName`] and the system's errors.
    pub fn stat(&self, name: &str) -> Result<Option<Entry>, FilesError> {
        check_name(name)?;
        if !self.0.lends.shows(name) {
            return Ok(None);
        }
        let found = match self.0.dir.symlink_metadata(name) {
            Ok(found) => found,
            Err(error) if Errno::from_io_error(&error) == Some(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let mode = found.mode() & 0o7777;
        Ok(Some(Entry { name: name.to_owned(), kind: kind(&found), identity: identity(&found), mode }))
    }

    /// The `max` first entries in byte order of their names, and at most [`MAX_LISTED`].
    ///
    /// Memory is bounded by `max`, not by the folder; names that vanish between being listed and being looked at are left
    /// out. Fails with the system's errors, and as exhausted beyond 16,777,216 names.
    pub fn entries(&self, max: u32) -> Result<Listing, FilesError> {
        self.0.lends.check_listing(&self.0.path)?;
        if let Some(names) = self.0.lends.names() {
            return self.entries_of(names, max);
        }
        let keep = usize::try_from(max.min(MAX_LISTED)).unwrap_or(usize::MAX);
        let (mut kept, mut cut, mut unnamed, mut scanned) = (BTreeSet::<String>::new(), false, 0_u32, 0_u64);
        each_name(&self.0.dir, |name, _| {
            scanned += 1;
            if scanned > MAX_SCANNED {
                return Err(FilesError::io(IoKind::Exhausted, format!("more than {MAX_SCANNED} names in one folder")));
            }
            let Ok(name) = name.to_str() else {
                unnamed = unnamed.saturating_add(1);
                return Ok(());
            };
            // A folder that changes meanwhile may give a name twice: a set, not a list.
            if kept.len() < keep || kept.last().is_some_and(|last| name < last.as_str()) {
                kept.insert(name.to_owned());
                if kept.len() > keep {
                    kept.pop_last();
                    cut = true;
                }
            } else {
                cut |= !kept.contains(name);
            }
            Ok(())
        })?;
        let mut entries = Vec::with_capacity(kept.len());
        for name in kept {
            entries.extend(self.stat(&name)?);
        }
        Ok(Listing { entries, cut, unnamed })
    }

    /// The listing of a folder of which only `names` are lent; nothing else of it is looked at.
    fn entries_of(&self, names: &BTreeSet<String>, max: u32) -> Result<Listing, FilesError> {
        let keep = usize::try_from(max.min(MAX_LISTED)).unwrap_or(usize::MAX);
        let (mut entries, mut cut) = (Vec::new(), false);
        for name in names.iter().filter(|name| check_name(name).is_ok()) {
            let Some(entry) = self.stat(name)? else { continue };
            if entries.len() == keep {
                cut = true;
                break;
            }
            entries.push(entry);
        }
        Ok(Listing { entries, cut, unnamed: 0 })
    }

    /// The folder of that name: a link is [`FilesError::Linked`], anything else that is no folder
    /// [`FilesError::NotAFolder`]; exhausted deeper than [`MAX_DEPTH`] below the grant.
    pub fn open_folder(&self, name: &str) -> Result<Self, FilesError> {
        check_name(name)?;
        self.0.lends.check_step(&self.0.path, name)?;
        if self.0.depth >= MAX_DEPTH {
            return Err(FilesError::io(IoKind::Exhausted, format!("more than {MAX_DEPTH} folders below the grant")));
        }
        match step(&self.0.dir, name) {
            Ok(dir) => {
                let (path, above, depth) = (self.path_of(name), Some(self.clone()), self.0.depth + 1);
                Ok(Self(Arc::new(Node { dir, path, above, depth, lends: self.0.lends.below() })))
            }
            // The system says the same of a link and of a file; the name tells which.
            Err(Errno::NOTDIR | Errno::LOOP | Errno::MLINK) => Err(match self.stat(name)?.map(|entry| entry.kind) {
                Some(Kind::Link) => FilesError::Linked,
                Some(Kind::Directory) => FilesError::Changed,
                Some(_) => FilesError::NotAFolder,
                None => FilesError::not_found(),
            }),
            Err(error) => Err(error.into()),
        }
    }

    /// The folder above, through which this one was opened, or none at the grant: no `..` is ever looked up.
    pub fn parent(&self) -> Result<Option<Self>, FilesError> {
        Ok(self.0.above.clone())
    }

    /// The folder several steps below, each opened as [`Folder::open_folder`] does; `""` is this folder itself.
    pub fn open_beneath(&self, relative: &str) -> Result<Self, FilesError> {
        if relative.is_empty() {
            return Ok(self.clone());
        }
        relative.split('/').try_fold(self.clone(), |folder, name| folder.open_folder(name))
    }

    /// Opens `name` for reading if it still is the regular file that was admitted.
    ///
    /// The checks are made on the open handle. [`FilesError::Linked`], [`FilesError::NotRegular`] and
    /// [`FilesError::Changed`] say what stands there instead; never blocks on a FIFO, a socket or a device.
    pub fn open_admitted(&self, name: &str, admitted: Identity) -> Result<File, FilesError> {
        check_name(name)?;
        self.0.lends.check_content(&self.0.path, name)?;
        // First by name, since opening a device can act; then again by handle, which is the proof.
        match self.stat(name)? {
            None => return Err(FilesError::not_found()),
            Some(entry) => check_admitted(entry.kind, entry.identity, admitted)?,
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let opened = retry_on_intr(|| rustix::fs::openat(&self.0.dir, name, flags, Mode::empty()));
        let file = File::from(opened.map_err(|error| match error {
            Errno::LOOP | Errno::MLINK => FilesError::Linked,
            Errno::NXIO | Errno::NODEV | Errno::OPNOTSUPP => FilesError::NotRegular,
            _ => error.into(),
        })?);
        let found = Metadata::from_file(&file)?;
        check_admitted(kind(&found), identity(&found), admitted)?;
        Ok(file)
    }

    /// The whole content, if `name` is the admitted file before and after, and within `limit` (and [`MAX_READ`]) bytes.
    ///
    /// The errors of [`Folder::open_admitted`], and [`FilesError::TooLarge`] with the size before anything is read.
    pub fn read(&self, name: &str, admitted: Identity, limit: u64) -> Result<Vec<u8>, FilesError> {
        read_open(&self.open_admitted(name, admitted)?, admitted, limit)
    }

    /// A link's target as it is written; [`FilesError::Changed`] when the name is no link (any more), and a system error
    /// when the target is not UTF-8.
    pub fn read_link(&self, name: &str) -> Result<String, FilesError> {
        check_name(name)?;
        self.0.lends.check_step(&self.0.path, name)?;
        match rustix::fs::readlinkat(&self.0.dir, name, Vec::new()) {
            Ok(target) => target.into_string().map_err(|_| FilesError::io(IoKind::Other, "its target is not UTF-8")),
            Err(Errno::INVAL) => Err(FilesError::Changed),
            Err(error) => Err(error.into()),
        }
    }
}

/// The rest of [`Folder::read`], on the file that was opened.
pub(super) fn read_open(file: &File, admitted: Identity, limit: u64) -> Result<Vec<u8>, FilesError> {
    let limit = limit.min(MAX_READ);
    if admitted.size > limit {
        return Err(FilesError::TooLarge(admitted.size));
    }
    let mut bytes = Vec::new();
    let expected = usize::try_from(admitted.size).map_err(|_| FilesError::TooLarge(admitted.size))?;
    bytes
        .try_reserve_exact(expected)
        .map_err(|_| FilesError::io(IoKind::Exhausted, "not enough memory for its content"))?;
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() != expected || super::identity_of(file)? != admitted {
        return Err(FilesError::Changed);
    }
    Ok(bytes)
}

fn check_admitted(kind: Kind, identity: Identity, admitted: Identity) -> Result<(), FilesError> {
    match kind {
        Kind::Link => Err(FilesError::Linked),
        Kind::Directory | Kind::Other => Err(FilesError::NotRegular),
        Kind::Regular if identity != admitted => Err(FilesError::Changed),
        Kind::Regular => Ok(()),
    }
}

fn open_real(real: &Path) -> Result<Dir, Errno> {
    // Without `O_PATH` each step would need permission to list, which folders on the way may well not give.
    if !cfg!(target_os = "linux") {
        return step(CWD, real);
    }
    let mut opened = step(CWD, "/")?;
    for component in real.components() {
        if let Component::Normal(name) = component {
            opened = step(&opened, name)?;
        }
    }
    Ok(opened)
}
