//! Recovery: bringing the transcripts of a working copy into the shared home.
//!
//! The decision is a pure step function: it is told what is known of two files and asks for the next thing that it has to
//! know, or says what is to be done. The host compares, reads, appends and copies; bytes do not cross the border. Nothing
//! is ever overwritten and nothing is lost: each byte of the copy ends in the canonical file, level with it, or in
//! quarantine.

mod names;
mod step;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::explain::Sheet;
pub use names::{Class, Classified, classify};
pub use step::{Append, Facts, Kind, Known, Quarantine, RANGE, Step, Tail, step};

/// What became of one file, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It is level.
    Clean,
    /// The shared home holds all of it, and more.
    CanonicalAhead,
    /// What it had more was appended.
    Appended,
    /// It is being written to; it is to be tried again.
    Pending,
    /// It, or what could not be proven of it, is in quarantine.
    Quarantined,
}

/// The worst of them; clean when there are none.
pub fn overall(outcomes: impl IntoIterator<Item = Outcome>) -> Outcome {
    outcomes.into_iter().max().unwrap_or(Outcome::Clean)
}

/// What stands in the shared home where an artifact would go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum There {
    /// Nothing.
    Absent,
    /// A regular file of the same bytes.
    Identical,
    /// A regular file of other bytes.
    Different,
    /// A link, a folder, a device, or a way that leads through one.
    NotRegular,
}

/// What is done with an artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArtifactAction {
    /// It is copied.
    Copy,
    /// It is there already.
    Leave,
    /// It goes to quarantine: what is there is never overwritten.
    Quarantine,
}

/// What is done with an artifact; `regular` says that it is a regular file itself.
///
/// ```
/// use winter_policy::recovery::{ArtifactAction, There, artifact};
/// assert_eq!(artifact(true, There::Different), ArtifactAction::Quarantine);
/// ```
pub fn artifact(regular: bool, there: There) -> ArtifactAction {
    match (regular, there) {
        (true, There::Absent) => ArtifactAction::Copy,
        (true, There::Identical) => ArtifactAction::Leave,
        (true, There::Different | There::NotRegular) | (false, _) => ArtifactAction::Quarantine,
    }
}

/// The tables of this area, for `explain`.
pub(crate) fn sheets() -> Vec<Sheet> {
    vec![names::sheet(), step::sheet()]
}
