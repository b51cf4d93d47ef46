//! Turns a plan into a run folder, which appears whole or not at all, and takes run folders away again.
//!
//! A run is built as `.partial-<run id>` beside its final name, through handles and with nothing followed, and renamed when
//! every file in it is closed. Nothing is synced to disk: a run folder is built anew from its sources for each session, so
//! that one lost with the machine's power is worth nothing; what a power loss leaves (an empty manifest) can be disposed of.
//!
//! Two locks (`flock`, so that they end with their process) keep builders and sweepers apart:
//!
//! * `.lock` in the folder of runs is held while a name there is claimed, published or judged, never longer;
//! * `.building` in a partial folder is held by its builder until it is published. One that nobody holds is left by a dead
//!   build.
//!
//! A third, on the run folder itself, is held by the session that is open on it.
//!
//! Names: `<run id>`, `.partial-<run id>`, and `.dead-<run id>-<pid>-<n>` for what is being removed.

mod build;
mod error;
mod handle;
mod plan;
mod remove;
mod runs;
mod shared;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::capability::files::{Folder, Identity};

pub(crate) use build::digest_of_copy;
pub use error::{HomeError, MaterializeError};
pub(crate) use handle::Held;
pub use plan::MAX_PLAN_DEPTH;
pub(crate) use plan::check_run_id;
pub(crate) use runs::{MAX_MANIFEST, Name, absent, is_left, name_of};
pub use runs::{Run, RunState, Swept, dispose, ensure_runs, find_runs, list, sweep};
pub use shared::ensure_shared;

/// The file in a run folder that says what it holds; no plan may name it.
pub const MANIFEST: &str = "manifest.json";

const BUILDING: &str = ".building";
const LOCK: &str = ".lock";
const PARTIAL: &str = ".partial-";
const DEAD: &str = ".dead-";

/// One thing that a run folder is to hold.
#[derive(Clone, Debug)]
pub struct PlannedEntry {
    /// Relative to the run folder, components parted by `/`.
    pub path: String,
    /// What to make there.
    pub node: Node,
    /// Unix permission bits; of these only the owner's executable bit (`0o100`) of a [`Node::Copy`] or a
    /// [`Node::Splice`] counts.
    pub mode: u32,
    /// Where it comes from, for the manifest only.
    pub source: String,
}

/// What a [`PlannedEntry`] becomes.
#[derive(Clone, Debug)]
pub enum Node {
    /// A folder (0700). Each folder is planned; none is implied, so that the manifest names the source of each.
    Directory,
    /// A file (0600) of these bytes.
    Content(Vec<u8>),
    /// A file (0600, or 0700 when the planned mode is executable) with the bytes of another.
    Copy(CopySource),
    /// A file as [`Node::Copy`] makes it, of which the beginning is other: `head`, then the source's bytes from `offset` on.
    Splice {
        /// What the file begins with.
        head: Vec<u8>,
        /// What it goes on with; its limit counts the whole source.
        source: CopySource,
        /// How many of the source's bytes `head` stands for; at most all of them.
        offset: u64,
    },
    /// A symbolic link to this target, which is written as it is and never looked at.
    Link(String),
}

/// A file that was admitted for copying.
#[derive(Clone, Debug)]
pub struct CopySource {
    /// A folder that it stands in or beneath.
    pub folder: Folder,
    /// Its path from there, single components joined by `/`. Each folder on the way is opened when the file is, so that a
    /// plan of many copies holds no more handles than a plan of one.
    pub name: String,
    /// The state in which it was admitted.
    pub identity: Identity,
    /// The most bytes that may be copied.
    pub limit: u64,
}

/// A run folder that stands.
#[derive(Clone, Debug)]
pub struct RunFolder {
    /// Its absolute path.
    pub path: PathBuf,
    /// What its `manifest.json` says.
    pub manifest: Value,
}

/// Builds the run `run_id` in `runs`, all of it or nothing.
///
/// `manifest.json` holds the keys of `manifest_head` in their order, then `entries`: one object an entry, in byte order of
/// their paths, with `path`, `kind` (`directory`, `file`, `copy`, `splice`, `link`), `mode` (octal; not for links),
/// `source`, `size` and `sha256` (of what was written; files, copies and splices) and `target` (links).
///
/// The plan may come in any order and is checked before anything is written. Modes are exact whatever the umask. Copies
/// and splices stream with flat memory and are proven to be the admitted file before and after. On any error nothing is left.
pub fn materialize(
    runs: &Folder,
    run_id: &str,
    entries: &[PlannedEntry],
    manifest_head: Map<String, Value>,
) -> Result<RunFolder, MaterializeError> {
    plan::check_run_id(run_id)?;
    if manifest_head.contains_key("entries") {
        return Err(MaterializeError::ReservedKey);
    }
    let ordered = plan::check(entries)?;
    let build = build::Build::begin(runs, run_id)?;
    let manifest = build.fill(&ordered, manifest_head)?;
    build.publish()?;
    Ok(RunFolder { path: PathBuf::from(runs.path_of(run_id)), manifest })
}
