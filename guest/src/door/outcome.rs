//! What the end of a session means for its run home.

use serde::Serialize;

use crate::brand::Transcripts;

/// How far a child is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// The host knows no such child.
    Unknown,
    /// It runs.
    Running,
    /// It has ended, in whatever way.
    Settled,
}

/// What became of the transcripts of a working copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reconciled {
    /// Nobody has brought them home, or not all of them.
    NotYet,
    /// Each of them is level with the shared home's.
    Level,
    /// The only fault was a torn last line, and it is in quarantine.
    TornTails,
    /// Something else was copied to quarantine.
    Quarantined,
}

/// What became of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It goes on, or nobody knows of it, or its transcripts are not home yet.
    Pending,
    /// It has ended, and nothing of it is lost.
    Safe,
    /// It has ended, and something of it is in quarantine.
    Quarantined,
}

/// What became of a session; a run home is disposed of only when it is safe ([`may_dispose`]).
///
/// ```
/// use winter_policy::{brand::Transcripts, door::{Ended, Outcome, Reconciled, outcome}};
/// let linked = |ended| outcome(ended, Transcripts::Linked, Reconciled::NotYet);
/// assert_eq!((linked(Ended::Running), linked(Ended::Settled)), (Outcome::Pending, Outcome::Safe));
/// ```
pub fn outcome(ended: Ended, transcripts: Transcripts, reconciled: Reconciled) -> Outcome {
    match (ended, transcripts, reconciled) {
        (Ended::Unknown | Ended::Running, ..) | (_, Transcripts::WorkingCopy, Reconciled::NotYet) => Outcome::Pending,
        (_, Transcripts::WorkingCopy, Reconciled::Quarantined) => Outcome::Quarantined,
        _ => Outcome::Safe,
    }
}

/// Whether the run home of a session with that outcome may be removed.
pub fn may_dispose(outcome: Outcome) -> bool {
    outcome == Outcome::Safe
}
