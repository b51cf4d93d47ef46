//! What a repository's index and HEAD list of a few literal paths, read in-process and in isolation.
//!
//! No program is run, no environment variable is looked at, and of all configuration only two things are read, from
//! the repository's own `config`: the format version and the `extensions`. So neither `core.fsmonitor`, `include.path`
//! and `core.worktree` nor a lazy fetch can have a say. Who owns the files is not asked either: an owner matters to
//! programs that obey the configuration, and a refusal would only hide what is listed.
//!
//! Every file is opened without following a link and without waiting, must be a regular one, and is read up to a bound.
//! Outside the `.git` entry only the folders that a `.git` file and a `commondir` file name are entered, because linked
//! worktrees and submodules live there; objects borrowed from another repository (`objects/info/alternates`), replaced
//! objects and what a filter or the network would have to supply are not looked for.
//!
//! `gix` does the hashing and reads references, configuration, objects and packs. The index is walked here, see
//! `index.rs`: what a hostile one can do to a general decoder (unbounded recursion, expansion) ends a process.

mod dir;
mod head;
mod index;
mod layout;
mod objects;
mod refs;
mod wanted;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use wanted::{Wanted, fold};

/// Where git knows a path from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The index of this worktree, at any stage and with any flag.
    Index,
    /// The commit that HEAD names.
    Head,
}

/// One thing that git lists; its presence alone says that the path did not have to come from a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// As git spells it, which may differ in case from what was asked.
    pub path: String,
    /// In the index or in HEAD.
    pub place: Place,
    /// As git writes it: `0o100644`, `0o120000` (a link), `0o160000` (a submodule), `0o040000` (a sparse folder).
    pub mode: u32,
    /// The listed thing is a folder above the path that was asked for: a link, a submodule or a sparse folder.
    pub covering: bool,
}

/// Why git could not answer; never to be read as "not listed".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProbeError {
    /// The folder holds no `.git` entry of any kind.
    #[error("not a git repository")]
    NotARepository,
    /// A sound repository of a kind that is not read here; holds which.
    #[error("an unsupported kind of git repository: {0}")]
    Unsupported(String),
    /// No answer within [`Limits::timeout`].
    #[error("git did not answer in time")]
    TimedOut,
    /// Unreadable, corrupt or out of bounds, or a question that is none; holds what.
    #[error("git could not answer: {0}")]
    Failed(String),
}

/// How much one probe may take; what exceeds a bound is an error, never a shorter answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time for the whole answer.
    pub timeout: Duration,
    /// Bytes of an index file, and of a shared index.
    pub index_bytes: u64,
    /// Bytes of `packed-refs`.
    pub refs_bytes: u64,
    /// Bytes of memory to decode one object.
    pub object_bytes: u64,
    /// Trees of HEAD to look into; folders that differ in case only make more than one a level.
    pub trees: usize,
    /// Paths to ask for.
    pub paths: usize,
}

impl Default for Limits {
    fn default() -> Self {
        const MIB: u64 = 1024 * 1024;
        Self {
            timeout: Duration::from_secs(2),
            index_bytes: 256 * MIB,
            refs_bytes: 64 * MIB,
            object_bytes: 32 * MIB,
            trees: 1024,
            paths: 64,
        }
    }
}

/// What the index and HEAD of the repository at `top` list of `paths`, compared without case.
///
/// `top` is the folder that holds the `.git` entry; `paths` are relative to it, literal, with `/` between names. No
/// evidence means that neither place lists any of them. A folder of a path's name is not the path: only what
/// `git ls-files` and `git ls-tree -r` would print counts, and what covers it.
///
/// The work is done on a thread of its own, which is left behind when it does not answer in time; whatever blocks it
/// cannot block the caller.
pub fn probe(top: &Path, paths: &[String], limits: &Limits) -> Result<Vec<Evidence>, ProbeError> {
    let wanted = Wanted::new(paths, limits.paths)?;
    let deadline = Deadline(Instant::now() + limits.timeout);
    let (answer, answered) = sync_channel(1);
    let (top, bounds) = (top.to_path_buf(), limits.clone());
    let work = move || {
        let result = catch_unwind(AssertUnwindSafe(|| answer_for(&top, &wanted, &bounds, deadline)));
        // Nobody listens any more after a time-out.
        let _ = answer.send(result.unwrap_or_else(|_| failed("the reader met something that it could not handle")));
    };
    std::thread::Builder::new()
        .name("git-index".to_owned())
        .spawn(work)
        .map_err(|error| ProbeError::Failed(format!("no thread to read on: {error}")))?;
    match answered.recv_timeout(limits.timeout) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => Err(ProbeError::TimedOut),
        Err(RecvTimeoutError::Disconnected) => failed("the reader ended early"),
    }
}

fn answer_for(top: &Path, wanted: &Wanted, limits: &Limits, deadline: Deadline) -> Result<Vec<Evidence>, ProbeError> {
    let layout = layout::Layout::find(top)?;
    let mut found = Found::default();
    index::list(&layout, wanted, limits, deadline, &mut found)?;
    if let Some(commit) = refs::head(&layout, limits, deadline)? {
        head::list(&layout, commit, wanted, limits, deadline, &mut found)?;
    }
    // Many spellings of one path must not hide that another one is listed.
    if found.cut { failed("git lists too many spellings of these paths") } else { Ok(found.evidence) }
}

/// A failure in the words of `what`.
fn failed<T>(what: impl Into<String>) -> Result<T, ProbeError> {
    Err(ProbeError::Failed(what.into()))
}

/// When the work has to give up, since nothing can end its thread from outside.
#[derive(Clone, Copy)]
struct Deadline(Instant);

impl Deadline {
    /// To be asked in every loop whose length a repository decides.
    fn check(self) -> Result<(), ProbeError> {
        if Instant::now() < self.0 { Ok(()) } else { Err(ProbeError::TimedOut) }
    }
}

/// The answer as it grows, without doubles.
#[derive(Default)]
struct Found {
    evidence: Vec<Evidence>,
    /// There was more than fits.
    cut: bool,
}

impl Found {
    const MOST: usize = 256;

    fn add(&mut self, path: &[u8], place: Place, mode: u32, covering: bool) {
        let evidence = Evidence { path: String::from_utf8_lossy(path).into_owned(), place, mode, covering };
        if self.evidence.contains(&evidence) {
            return;
        }
        if self.evidence.len() == Self::MOST {
            self.cut = true;
        } else {
            self.evidence.push(evidence);
        }
    }

    /// Whether there is evidence for the path of these folded names.
    fn lists(&self, names: &[String]) -> bool {
        self.evidence.iter().any(|evidence| {
            let path = fold(evidence.path.trim_end_matches('/').as_bytes());
            let depth = path.split('/').count();
            let as_deep = if evidence.covering { depth < names.len() } else { depth == names.len() };
            as_deep && path.split('/').eq(&names[..depth])
        })
    }
}
