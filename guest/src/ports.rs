//! What decisions may ask of the world: traits with the shape of `winter:host`, and nothing wider.
//!
//! The component implements them over its imports, tests over [`memory`](crate::memory). A decision that is written
//! against them can be run again from its inputs alone.

use serde::Serialize;

/// What kind of thing an entry is, by `lstat`: a link is a link, whatever it leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Identity {
    /// The device that holds the file.
    pub device: u64,
    /// The file's number on that device.
    pub inode: u64,
    /// Bytes.
    pub size: u64,
    /// Time of the last change of content or metadata (`ctime`), in nanoseconds since the Unix epoch.
    pub changed_ns: u64,
}

/// One name in a folder, as it stood when it was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Entry {
    /// A single component.
    pub name: String,
    /// By `lstat`.
    pub kind: Kind,
    /// To be given back to [`Folder::read`].
    pub identity: Identity,
    /// Unix permission bits.
    pub mode: u32,
}

/// A bounded listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// In byte order of their names.
    pub entries: Vec<Entry>,
    /// There were more than asked for.
    pub cut: bool,
    /// How many names were not UTF-8, and so are not listed.
    pub unnamed: u32,
}

/// Why a folder did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FilesError {
    /// The name is not a single plain component.
    #[error("not a plain file name")]
    BadName,
    /// The host granted no such thing; holds what would grant it.
    #[error("not granted; {0} would grant it")]
    Denied(String),
    /// Another file, or another state of it, stands there than the one that was admitted.
    #[error("it changed while it was being read")]
    Changed,
    /// It is a link where none may stand.
    #[error("it is a link")]
    Linked,
    /// It is not a regular file.
    #[error("it is not a regular file")]
    NotRegular,
    /// It is not a folder.
    #[error("it is not a folder")]
    NotAFolder,
    /// It is larger than the caller's bound; holds its size in bytes.
    #[error("it holds {0} bytes, more than may be read")]
    TooLarge(u64),
    /// The system refused.
    #[error("{0}")]
    Io(IoError),
}

/// A refusal of the system.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct IoError {
    /// Its kind, for a program.
    pub kind: IoKind,
    /// Its words, for a person.
    pub text: String,
}

/// The kinds of [`IoError`] that a caller may treat differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoKind {
    /// No permission.
    Permission,
    /// Nothing stands there any more.
    NotFound,
    /// In use.
    Busy,
    /// No space, no handles, no memory.
    Exhausted,
    /// Anything else.
    Other,
}

/// A handle to one granted folder, or to one inside it.
///
/// Names are single components; no method follows a link.
pub trait Folder: Sized {
    /// The absolute path, for reports and for rules that name it. It is never accepted back.
    fn path(&self) -> String;
    /// The entry of that name, or none.
    fn stat(&self, name: &str) -> Result<Option<Entry>, FilesError>;
    /// At most `max` entries, in byte order of their names.
    fn entries(&self, max: u32) -> Result<Listing, FilesError>;
    /// The folder of that name; a link is refused.
    fn open_folder(&self, name: &str) -> Result<Self, FilesError>;
    /// The folder above, if it is inside the same grant.
    fn parent(&self) -> Result<Option<Self>, FilesError>;
    /// The whole content, if `name` still is `admitted` and within `limit` bytes.
    fn read(&self, name: &str, admitted: &Identity, limit: u64) -> Result<Vec<u8>, FilesError>;
    /// A link's target, as it is written.
    fn read_link(&self, name: &str) -> Result<String, FilesError>;
}

/// Where git knows a path from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The index.
    Index,
    /// The commit that HEAD names.
    Head,
}

/// One thing that git lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// As git spells it.
    pub path: String,
    /// In the index or in HEAD.
    pub place: Place,
    /// As git writes it: `0o100644`, `0o120000` (a link), `0o160000` (a submodule), `0o040000` (a sparse folder).
    pub mode: u32,
    /// The listed thing is a folder above the path that was asked for.
    pub covering: bool,
}

/// Why git could not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProbeError {
    /// No repository stands there.
    #[error("not a git repository")]
    NotARepository,
    /// A repository of a kind that the host cannot read.
    #[error("an unsupported kind of git repository: {0}")]
    Unsupported(String),
    /// No answer within the host's bound.
    #[error("git did not answer in time")]
    TimedOut,
    /// Unreadable or corrupt.
    #[error("git could not answer: {0}")]
    Failed(String),
}

/// What git knows of a few paths; no program is run for it.
pub trait GitIndex {
    /// The handle that a repository is named by.
    type Folder: Folder;
    /// What the index and HEAD list of `paths` (literal, relative to `top`, compared without case).
    fn probe(&self, top: &Self::Folder, paths: &[String]) -> Result<Vec<Evidence>, ProbeError>;
}

/// One child to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The name by which the host granted the program.
    pub program: String,
    /// Passed as they are, without a shell.
    pub arguments: Vec<String>,
    /// The whole environment: nothing is inherited.
    pub environment: Vec<(String, String)>,
}

/// Why nothing was started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpawnError {
    /// The host did not grant the program; holds what would grant it.
    #[error("the program was not granted; {0} would grant it")]
    NotGranted(String),
    /// The program is granted and not there.
    #[error("the program {0} is not there")]
    NotFound(String),
    /// The system refused.
    #[error("the program was not started: {0}")]
    Io(String),
}

/// Programs that the host granted by name.
pub trait Process {
    /// The handle that a working folder is named by.
    type Folder: Folder;
    /// Starts a program in `cwd` and returns at once, with the id by which the host names the child later.
    fn spawn(&self, command: &Command, cwd: &Self::Folder) -> Result<u64, SpawnError>;
}

/// The time, as a value.
pub trait Clock {
    /// Milliseconds since the Unix epoch.
    fn now(&self) -> u64;
}
