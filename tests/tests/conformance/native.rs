//! The runner's own capabilities as the native crate's ports, so that both sides look at the same files.

use winter_policy::ports::{self, FilesError, Folder};
use winter_runner::capability::{files, git_index};

/// A granted folder.
#[derive(Clone)]
pub(crate) struct Real(pub(crate) files::Folder);

fn error(error: files::FilesError) -> FilesError {
    match error {
        files::FilesError::BadName => FilesError::BadName,
        files::FilesError::Denied(grant) => FilesError::Denied(grant),
        files::FilesError::Changed => FilesError::Changed,
        files::FilesError::Linked => FilesError::Linked,
        files::FilesError::NotRegular => FilesError::NotRegular,
        files::FilesError::NotAFolder => FilesError::NotAFolder,
        files::FilesError::TooLarge(size) => FilesError::TooLarge(size),
        files::FilesError::Io(error) => {
            let kind = match error.kind {
                files::IoKind::Permission => ports::IoKind::Permission,
                files::IoKind::NotFound => ports::IoKind::NotFound,
                files::IoKind::Busy => ports::IoKind::Busy,
                files::IoKind::Exhausted => ports::IoKind::Exhausted,
                files::IoKind::Other => ports::IoKind::Other,
            };
            FilesError::Io(ports::IoError { kind, text: error.text })
        }
    }
}

fn entry(entry: files::Entry) -> ports::Entry {
    let kind = match entry.kind {
        files::Kind::Regular => ports::Kind::Regular,
        files::Kind::Directory => ports::Kind::Directory,
        files::Kind::Link => ports::Kind::Link,
        files::Kind::Other => ports::Kind::Other,
    };
    let files::Identity { device, inode, size, changed_ns } = entry.identity;
    let identity = ports::Identity { device, inode, size, changed_ns };
    ports::Entry { name: entry.name, kind, identity, mode: entry.mode }
}

impl Folder for Real {
    fn path(&self) -> String {
        self.0.path()
    }

    fn stat(&self, name: &str) -> Result<Option<ports::Entry>, FilesError> {
        self.0.stat(name).map(|found| found.map(entry)).map_err(error)
    }

    fn entries(&self, max: u32) -> Result<ports::Listing, FilesError> {
        let listing = self.0.entries(max).map_err(error)?;
        let entries = listing.entries.into_iter().map(entry).collect();
        Ok(ports::Listing { entries, cut: listing.cut, unnamed: listing.unnamed })
    }

    fn open_folder(&self, name: &str) -> Result<Self, FilesError> {
        self.0.open_folder(name).map(Self).map_err(error)
    }

    fn parent(&self) -> Result<Option<Self>, FilesError> {
        self.0.parent().map(|above| above.map(Self)).map_err(error)
    }

    fn read(&self, name: &str, admitted: &ports::Identity, limit: u64) -> Result<Vec<u8>, FilesError> {
        let ports::Identity { device, inode, size, changed_ns } = *admitted;
        self.0.read(name, files::Identity { device, inode, size, changed_ns }, limit).map_err(error)
    }

    fn read_link(&self, name: &str) -> Result<String, FilesError> {
        self.0.read_link(name).map_err(error)
    }
}

/// The runner's git index.
pub(crate) struct Git;

impl ports::GitIndex for Git {
    type Folder = Real;

    fn probe(&self, top: &Real, paths: &[String]) -> Result<Vec<ports::Evidence>, ports::ProbeError> {
        let probed = git_index::probe(top.0.path().as_ref(), paths, &git_index::Limits::default());
        let evidence = |one: git_index::Evidence| ports::Evidence {
            path: one.path,
            place: match one.place {
                git_index::Place::Index => ports::Place::Index,
                git_index::Place::Head => ports::Place::Head,
            },
            mode: one.mode,
            covering: one.covering,
        };
        match probed {
            Ok(found) => Ok(found.into_iter().map(evidence).collect()),
            Err(git_index::ProbeError::NotARepository) => Err(ports::ProbeError::NotARepository),
            Err(git_index::ProbeError::Unsupported(what)) => Err(ports::ProbeError::Unsupported(what)),
            Err(git_index::ProbeError::TimedOut) => Err(ports::ProbeError::TimedOut),
            Err(git_index::ProbeError::Failed(what)) => Err(ports::ProbeError::Failed(what)),
        }
    }
}
