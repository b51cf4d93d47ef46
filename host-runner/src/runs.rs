//! The run homes that stand: which there are, and how one differs from what would be built now.
//!
//! | function | answers |
//! |---|---|
//! | [`list`] | every run under winter's home with its state |
//! | [`Manifest::of`] | what a run folder says it holds |
//! | [`diff`] | a run against a plan, and against its own manifest |
//!
//! Everything is read through handles, with no link followed, and within bounds.

mod diff;
mod leaves;
mod list;
mod manifest;
#[cfg(test)]
mod tests;
mod text;
mod walk;

pub use diff::{Change, Difference, Edit, Edited, EntryDifference, MAX_TEXT, MAX_WRITTEN, What, Written, diff};
pub use leaves::{Leaf, Step, leaves};
pub use list::{MAX_COUNTED, RunListing, Runs, State, list};
pub use manifest::{EntryKind, Manifest, ManifestEntry, ManifestError};
pub use text::hunk;
pub(crate) use walk::walk;

use serde_json::{Map, Value};

use crate::error::RunnerError;
use crate::materialize::{self, MaterializeError};
use crate::run_home::RunHomeInput;
use crate::runner::Runner;

impl Runner {
    /// How the run `run_id` differs from what would be built of `input` now. Nothing is written.
    ///
    /// It is planned under the run's own id, since texts of a run home may hold it; `input.run_id` does not matter.
    ///
    /// # Errors
    /// No such run, one without a readable manifest, and as [`Runner::plan_run_home`].
    pub fn diff_run_home(&self, input: &RunHomeInput, run_id: &str) -> Result<Difference, RunnerError> {
        materialize::check_run_id(run_id)?;
        let unknown = || MaterializeError::UnknownRun { run_id: run_id.to_owned() };
        let runs = materialize::find_runs(&input.home)?.ok_or_else(unknown)?;
        // Before anything is planned: a wrong id is the likely slip.
        let run = diff::open(&runs, run_id)?;
        let planned = self.planned(&RunHomeInput { run_id: Some(run_id.to_owned()), ..input.clone() })?;
        Ok(diff::of(&run, &planned.entries, &planned.head)?)
    }
}

/// A text member of a manifest's head.
fn text_of(head: &Map<String, Value>, key: &str) -> Option<String> {
    head.get(key).and_then(Value::as_str).map(str::to_owned)
}
