//! Why a folder or a grant did not answer.

use std::io;

use rustix::io::Errno;

/// Why a folder did not answer; the same cases as `winter:host/files` has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilesError {
    /// The name is not a single plain component of at most 255 bytes.
    #[error("not a plain file name; expected one component without `/`, and neither `.` nor `..`")]
    BadName,
    /// The host granted no such thing; holds the flag that would grant it.
    #[error("not granted; {0} would grant it")]
    Denied(String),
    /// Another file, or another state of it, stands there than the one that was admitted.
    #[error("it changed while it was being read; try again once nothing writes to it")]
    Changed,
    /// A link stands where none may.
    #[error("it is a link, and links are not followed here; name what it leads to")]
    Linked,
    /// It is a folder, a FIFO, a socket or a device where a regular file was expected.
    #[error("it is not a regular file")]
    NotRegular,
    /// It is something else where a folder was expected.
    #[error("it is not a folder")]
    NotAFolder,
    /// It is larger than the caller's bound; holds its size in bytes.
    #[error("it holds {0} bytes, more than may be read")]
    TooLarge(u64),
    /// The system refused.
    #[error("{0}")]
    Io(IoError),
}

impl FilesError {
    /// A stable name of the case in kebab-case, for programs; system errors carry their kind.
    pub fn code(&self) -> &'static str {
        match self {
            Self::BadName => "bad-name",
            Self::Denied(_) => "denied",
            Self::Changed => "changed",
            Self::Linked => "linked",
            Self::NotRegular => "not-regular",
            Self::NotAFolder => "not-a-folder",
            Self::TooLarge(_) => "too-large",
            Self::Io(error) => match error.kind {
                IoKind::Permission => "io-permission",
                IoKind::NotFound => "io-not-found",
                IoKind::Busy => "io-busy",
                IoKind::Exhausted => "io-exhausted",
                IoKind::Other => "io-other",
            },
        }
    }

    pub(crate) fn not_found() -> Self {
        Errno::NOENT.into()
    }

    pub(crate) fn io(kind: IoKind, text: impl Into<String>) -> Self {
        Self::Io(IoError { kind, text: text.into() })
    }
}

impl From<io::Error> for FilesError {
    fn from(error: io::Error) -> Self {
        Self::Io(error.into())
    }
}

impl From<Errno> for FilesError {
    fn from(error: Errno) -> Self {
        Self::Io(error.into())
    }
}

/// A refusal of the system.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct IoError {
    /// Its kind, for a program.
    pub kind: IoKind,
    /// The system's words, for a person; never a path.
    pub text: String,
}

/// The kinds of [`IoError`] that a caller may treat differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoKind {
    /// No permission, or a file system that is read-only.
    Permission,
    /// Nothing stands there any more.
    NotFound,
    /// In use by another, or locked.
    Busy,
    /// No space, quota, handles or memory left.
    Exhausted,
    /// Anything else.
    Other,
}

impl From<io::Error> for IoError {
    fn from(error: io::Error) -> Self {
        let kind = match Errno::from_io_error(&error) {
            Some(Errno::ACCESS | Errno::PERM | Errno::ROFS) => IoKind::Permission,
            Some(Errno::NOENT) => IoKind::NotFound,
            Some(Errno::BUSY | Errno::AGAIN | Errno::TXTBSY) => IoKind::Busy,
            Some(Errno::NOSPC | Errno::DQUOT | Errno::MFILE | Errno::NFILE | Errno::NOMEM) => IoKind::Exhausted,
            None if error.kind() == io::ErrorKind::OutOfMemory => IoKind::Exhausted,
            _ => IoKind::Other,
        };
        Self { kind, text: error.to_string() }
    }
}

impl From<Errno> for IoError {
    fn from(error: Errno) -> Self {
        io::Error::from(error).into()
    }
}

/// Why a folder that a person named cannot be lent.
///
/// Paths are printed quoted and escaped, since they may hold newlines or control characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GrantError {
    /// Nothing stands there, or a link on the way dangles.
    #[error("{path:?} does not exist; name a folder that does")]
    NotFound {
        /// As the person wrote it.
        path: String,
    },
    /// It, or a step on the way, is not a folder.
    #[error("{path:?} is not a folder; a grant names a folder, for a file name the one that holds it")]
    NotAFolder {
        /// As the person wrote it.
        path: String,
    },
    /// The system does not let this user enter it.
    #[error("no permission to enter {path:?}; grant another folder, or change its mode or owner")]
    NoPermission {
        /// As the person wrote it.
        path: String,
    },
    /// Its real path is not UTF-8, so that no rule or report could name it.
    #[error("the real path of {path:?} is not valid UTF-8; rename the folder, or grant another")]
    NotUtf8 {
        /// The real path with each bad byte replaced.
        path: String,
    },
    /// The system refused for another reason.
    #[error("{path:?} cannot be opened: {cause}")]
    Failed {
        /// As the person wrote it.
        path: String,
        /// What the system said.
        cause: IoError,
    },
}

impl GrantError {
    /// A stable name of the case in kebab-case, for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "grant-not-found",
            Self::NotAFolder { .. } => "grant-not-a-folder",
            Self::NoPermission { .. } => "grant-no-permission",
            Self::NotUtf8 { .. } => "grant-not-utf8",
            Self::Failed { .. } => "grant-failed",
        }
    }

    pub(crate) fn of(path: &std::path::Path, error: io::Error) -> Self {
        let path = path.to_string_lossy().into_owned();
        match Errno::from_io_error(&error) {
            Some(Errno::NOENT) => Self::NotFound { path },
            Some(Errno::NOTDIR) => Self::NotAFolder { path },
            Some(Errno::ACCESS | Errno::PERM) => Self::NoPermission { path },
            _ => Self::Failed { path, cause: error.into() },
        }
    }
}
