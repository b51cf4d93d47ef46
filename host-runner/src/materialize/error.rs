//! Why a run folder could not be built, found or removed.

use std::borrow::Cow;

use rustix::io::Errno;

use crate::capability::files::{FilesError, GrantError, IoError, IoKind};

/// Why a run folder could not be built, listed or removed.
///
/// Paths are printed quoted and escaped, since they may hold newlines or control characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MaterializeError {
    /// The folder of the runs cannot be had.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// The run id is not 8 to 64 of `a`-`z`, `0`-`9` and `-`.
    #[error("the run id {run_id:?} is not 8 to 64 lower-case letters, digits and `-`; use an id of that form")]
    BadRunId {
        /// As it was given.
        run_id: String,
    },
    /// A run of that id stands already, is being built, or was left by a dead build.
    #[error("the run id {run_id} is taken; use a new id, or dispose of that run (sweep, if its build died)")]
    RunIdTaken {
        /// The id.
        run_id: String,
    },
    /// A planned path is not a relative path of plain components inside the run folder.
    #[error("the planned path {path:?} {why}; expected a relative path of plain names inside the run folder")]
    BadPath {
        /// As the plan has it.
        path: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The plan has two entries of one path.
    #[error("{path:?} is planned twice; plan each path once")]
    Duplicate {
        /// The path.
        path: String,
    },
    /// The plan has an entry below something that is not a folder.
    #[error("{path:?} is planned below {file:?}, which is not planned as a folder; plan it elsewhere")]
    UnderAFile {
        /// The entry.
        path: String,
        /// What stands above it.
        file: String,
    },
    /// The plan has an entry whose folder it does not plan.
    #[error("{path:?} is planned without its folder {parent:?}; plan that folder too")]
    ParentNotPlanned {
        /// The entry.
        path: String,
        /// The folder that is missing.
        parent: String,
    },
    /// The plan names a file that the builder writes itself.
    #[error("{path:?} is the builder's own file; plan another name")]
    ReservedName {
        /// The path.
        path: String,
    },
    /// A planned link has no target, one with a NUL, or one of more than 4,095 bytes.
    #[error("the planned link {path:?} has no usable target; expected 1 to 4095 bytes without NUL")]
    BadTarget {
        /// The link's path.
        path: String,
    },
    /// A planned splice goes on with its source from beyond that one's end.
    #[error("{path:?} is planned to go on at byte {offset} of a file of {size} bytes; plan an offset up to its size")]
    BadOffset {
        /// The entry.
        path: String,
        /// Where it should go on.
        offset: u64,
        /// The size of the source, as it was admitted.
        size: u64,
    },
    /// The manifest's head has a key that the builder writes itself.
    #[error("the manifest's head holds the key `entries`, which is written by the builder; leave it out")]
    ReservedKey,
    /// The file system takes two planned paths for one (case, normalisation).
    #[error("{path:?} is the same name as another planned one on this file system; rename one of them")]
    Collision {
        /// The second of them.
        path: String,
    },
    /// A file that was to be copied is another file, or in another state, than the one that was admitted.
    #[error("{source_path:?} changed after it was admitted for copying; plan again once nothing writes to it")]
    SourceChanged {
        /// The file that was to be copied.
        source_path: String,
    },
    /// A file that was to be copied cannot be.
    #[error("{source_path:?} cannot be copied: {cause}")]
    SourceRefused {
        /// The file that was to be copied.
        source_path: String,
        /// Why.
        cause: FilesError,
    },
    /// No space or quota is left.
    #[error("no space left for {path:?}; free some, or choose a home on another disk")]
    DiskFull {
        /// What was being written.
        path: String,
    },
    /// The system refused to write.
    #[error("{path:?} cannot be written: {cause}")]
    Write {
        /// What was being written.
        path: String,
        /// What the system said.
        cause: IoError,
    },
    /// Another process holds the lock of the runs for longer than any step takes.
    #[error("{path:?} is locked by another process; end it if it hangs, then try again")]
    Locked {
        /// The lock file.
        path: String,
    },
    /// Something else stands where the builder's own file or folder should.
    #[error("{path:?} was replaced by another program while it was in use; find what writes there")]
    Interfered {
        /// The place.
        path: String,
    },
    /// The folder of the runs cannot be read.
    #[error("{path:?} cannot be read: {cause}")]
    Runs {
        /// The folder.
        path: String,
        /// Why.
        cause: FilesError,
    },
    /// A folder of the shared home that a run links to cannot stand there.
    #[error("{path:?} {why}, and a folder must stand there for the run to link to; move it away")]
    SharedInTheWay {
        /// The place.
        path: String,
        /// What stands there instead.
        why: &'static str,
    },
    /// No run of that id stands.
    #[error("there is no run {run_id}; an id is the last part of the path that its build printed")]
    UnknownRun {
        /// The id.
        run_id: String,
    },
    /// A session is open on the run.
    #[error("a session is open on the run {run_id:?}; end it first")]
    InUse {
        /// Its id.
        run_id: String,
    },
    /// That run is not built yet, or its build died.
    #[error("the run {run_id} is not complete; wait for its build, or sweep if that has died")]
    BeingBuilt {
        /// The id.
        run_id: String,
    },
    /// What stands at that id was not built here: a link, a file, a folder without our manifest.
    #[error("{path:?} is not a run folder: {why}; it is left alone, look at it and remove it by hand")]
    NotARun {
        /// The place.
        path: String,
        /// What is wrong with it.
        why: Cow<'static, str>,
    },
    /// A run folder was taken out of sight and could not be removed entirely.
    #[error("{path:?} cannot be removed entirely: {cause}; put that right and sweep")]
    Remove {
        /// What is left.
        path: String,
        /// What the system said.
        cause: IoError,
    },
}

impl MaterializeError {
    /// A stable name of the case in kebab-case, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Home(error) => error.code(),
            Self::BadRunId { .. } => "bad-run-id",
            Self::RunIdTaken { .. } => "run-id-taken",
            Self::BadPath { .. } => "bad-path",
            Self::Duplicate { .. } => "duplicate-path",
            Self::UnderAFile { .. } => "under-a-file",
            Self::ParentNotPlanned { .. } => "parent-not-planned",
            Self::ReservedName { .. } => "reserved-name",
            Self::BadTarget { .. } => "bad-link-target",
            Self::BadOffset { .. } => "bad-offset",
            Self::ReservedKey => "reserved-key",
            Self::Collision { .. } => "name-collision",
            Self::SourceChanged { .. } => "changed",
            Self::SourceRefused { .. } => "source-refused",
            Self::DiskFull { .. } => "disk-full",
            Self::Write { .. } => "write-failed",
            Self::Locked { .. } => "runs-locked",
            Self::Interfered { .. } => "interfered",
            Self::Runs { .. } => "runs-unreadable",
            Self::SharedInTheWay { .. } => "shared-in-the-way",
            Self::UnknownRun { .. } => "unknown-run",
            Self::InUse { .. } => "run-in-use",
            Self::BeingBuilt { .. } => "run-incomplete",
            Self::NotARun { .. } => "not-a-run",
            Self::Remove { .. } => "remove-failed",
        }
    }

    /// Whether another input would help: a plan, an id or a home that cannot be, rather than the state of the system.
    pub fn is_bad_input(&self) -> bool {
        match self {
            Self::Home(error) => matches!(
                error,
                HomeError::NotAFolder { .. }
                    | HomeError::ParentMissing { .. }
                    | HomeError::Linked { .. }
                    | HomeError::NotUtf8 { .. }
            ),
            Self::BadRunId { .. }
            | Self::RunIdTaken { .. }
            | Self::BadPath { .. }
            | Self::Duplicate { .. }
            | Self::UnderAFile { .. }
            | Self::ParentNotPlanned { .. }
            | Self::ReservedName { .. }
            | Self::BadTarget { .. }
            | Self::BadOffset { .. }
            | Self::ReservedKey
            | Self::SharedInTheWay { .. }
            | Self::Collision { .. }
            | Self::UnknownRun { .. }
            | Self::NotARun { .. } => true,
            _ => false,
        }
    }

    /// The case of a file that was to be copied and did not answer.
    pub(crate) fn source(source_path: impl Into<String>, cause: FilesError) -> Self {
        let source_path = source_path.into();
        match cause {
            FilesError::Changed => Self::SourceChanged { source_path },
            cause => Self::SourceRefused { source_path, cause },
        }
    }

    pub(super) fn write(path: impl Into<String>, error: impl Into<std::io::Error>) -> Self {
        let (path, error) = (path.into(), error.into());
        match Errno::from_io_error(&error) {
            Some(Errno::NOSPC | Errno::DQUOT) => Self::DiskFull { path },
            Some(Errno::EXIST) => Self::Collision { path },
            _ => Self::Write { path, cause: error.into() },
        }
    }
}

/// Why the folder of the runs cannot be had.
///
/// Paths are printed quoted and escaped, since they may hold newlines or control characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HomeError {
    /// The home, its `cache` or its `cache/runs` is a file or the like.
    #[error("{path:?} is not a folder; move it away, or choose another home")]
    NotAFolder {
        /// The place.
        path: String,
    },
    /// The folder that should hold the home does not exist; only the home's last component is ever made.
    #[error("{path:?} does not exist, so no home can be made in it; make it first, or choose another home")]
    ParentMissing {
        /// The folder above the home.
        path: String,
    },
    /// A link stands where the home's own folder should: `cache`, `cache/runs`, or a home whose link dangles.
    #[error("{path:?} is a link, which is not followed here; replace it by a folder, or choose another home")]
    Linked {
        /// The link.
        path: String,
    },
    /// This user may not write there.
    #[error("{path:?} is not writable; change its mode or owner, or choose another home")]
    NotWritable {
        /// The folder.
        path: String,
    },
    /// Others may enter it, and this user may not change that.
    #[error("{path:?} is open to other users and belongs to one; make it 0700, or choose another home")]
    NotPrivate {
        /// The folder.
        path: String,
    },
    /// Its real path is not UTF-8, so that no rule or report could name it.
    #[error("the path {path:?} is not valid UTF-8; choose another home")]
    NotUtf8 {
        /// The path with each bad byte replaced.
        path: String,
    },
    /// No space or quota is left.
    #[error("no space left to make {path:?}; free some, or choose a home on another disk")]
    DiskFull {
        /// What was to be made.
        path: String,
    },
    /// The system refused for another reason.
    #[error("{path:?} cannot be used: {cause}")]
    Failed {
        /// The place.
        path: String,
        /// What the system said.
        cause: IoError,
    },
}

impl HomeError {
    /// A stable name of the case in kebab-case, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotAFolder { .. } => "home-not-a-folder",
            Self::ParentMissing { .. } => "home-parent-missing",
            Self::Linked { .. } => "home-linked",
            Self::NotWritable { .. } => "home-not-writable",
            Self::NotPrivate { .. } => "home-not-private",
            Self::NotUtf8 { .. } => "home-not-utf8",
            Self::DiskFull { .. } => "home-disk-full",
            Self::Failed { .. } => "home-failed",
        }
    }

    /// The case of an error that a step at `path` gave.
    pub(super) fn at(path: impl Into<String>, error: FilesError) -> Self {
        let path = path.into();
        match error {
            FilesError::Linked => Self::Linked { path },
            FilesError::NotAFolder => Self::NotAFolder { path },
            FilesError::Io(IoError { kind: IoKind::Permission, .. }) => Self::NotWritable { path },
            FilesError::Io(cause) => Self::Failed { path, cause },
            other => Self::Failed { path, cause: IoError { kind: IoKind::Other, text: other.to_string() } },
        }
    }

    /// The case of a grant that failed: the home's own, or that of the folder above it.
    pub(super) fn of_grant(error: GrantError) -> Self {
        match error {
            GrantError::NotFound { path } => Self::ParentMissing { path },
            GrantError::NotAFolder { path } => Self::NotAFolder { path },
            GrantError::NoPermission { path } => Self::NotWritable { path },
            GrantError::NotUtf8 { path } => Self::NotUtf8 { path },
            GrantError::Failed { path, cause } => Self::Failed { path, cause },
        }
    }
}
