//! Recovery: what a working copy's folder holds of transcripts is brought into the shared home.
//!
//! The policy decides step by step; this module reads, compares, appends and copies. Memory stays flat whatever the sizes.
//! Nothing is ever overwritten, nothing is followed on either side, and running it again changes nothing. A kill at any
//! moment leaves a beginning of an append, or a temporary file, from which the next run finishes.

mod artifacts;
mod files;
mod lock;
mod quarantine;
#[cfg(test)]
mod tests;
mod transcript;
mod work;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use serde::Serialize;

use crate::capability::files::{Entry, Folder, Kind};
use crate::contract::door;
use crate::contract::recovery::{Classified, FileOutcome, Quarantine};
use crate::error::RunnerError;
use crate::materialize::{Held, MaterializeError};
use crate::runner::Runner;
use crate::runs::walk;
use files::Home;
pub use lock::{SessionLock, repair_flag};
use quarantine::Cell;
pub use quarantine::REASONS;
use work::Work;

/// The most names that one working copy may hold.
pub const MAX_FILES: u64 = 1 << 20;

/// What is brought home, and where.
#[derive(Clone, Debug)]
pub struct RecoverInput {
    /// The working copy: a run folder, or any config folder that a runtime wrote.
    pub root: PathBuf,
    /// The shared home.
    pub shared_home: PathBuf,
    /// Winter's home, for locks and quarantine.
    pub home: PathBuf,
}

/// What became of a working copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RecoveryReport {
    /// The worst of all: `clean`, `appended`, `pending` or `quarantined`.
    pub outcome: &'static str,
    /// One for each transcript and journal, in order of their paths.
    pub transcripts: Vec<TranscriptReport>,
    /// The folder that something went to.
    pub quarantine: Option<PathBuf>,
    /// All other files.
    pub artifacts: ArtifactsReport,
    /// What could not be looked at, for a person; it is still in the working copy.
    pub problems: Vec<String>,
    /// The folder of transcripts is a link: the runtime wrote into the shared home itself.
    pub linked: bool,
}

/// What became of one transcript or journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TranscriptReport {
    /// The name of the project's folder.
    pub project_key: String,
    /// The session.
    pub session_id: String,
    /// Its path below the session's folder; none for the session's own transcript.
    pub subpath: Option<String>,
    /// `clean`, `appended`, `canonical-ahead`, `pending` or `quarantined`.
    pub outcome: &'static str,
    /// How many bytes were appended.
    pub appended: u64,
    /// Why it, or its last line, is in quarantine, or is pending.
    pub reason: Option<String>,
}

/// What became of the other files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ArtifactsReport {
    /// How many were copied.
    pub copied: u64,
    /// How many were there already.
    pub identical: u64,
    /// Those that went to quarantine, each with its reason.
    pub quarantined: Vec<String>,
    /// Those that are never carried.
    pub skipped: Vec<String>,
}

/// How far a recovery is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Files that are done.
    pub files: u64,
    /// All of them.
    pub of: u64,
    /// Bytes that were compared or proven; those of a file that is done count whole.
    pub bytes: u64,
    /// All of them.
    pub total: u64,
}

/// What became of one file, before it is told.
pub(crate) struct Done {
    outcome: FileOutcome,
    appended: u64,
    reason: Option<String>,
}

impl Done {
    fn of(outcome: FileOutcome) -> Self {
        Self { outcome, appended: 0, reason: None }
    }

    fn pending(reason: impl Into<String>) -> Self {
        Self { outcome: FileOutcome::Pending, appended: 0, reason: Some(reason.into()) }
    }
}

impl RecoveryReport {
    /// What it means for the end of a session.
    pub fn reconciled(&self) -> door::Reconciled {
        if self.outcome == "pending" || !self.problems.is_empty() {
            return door::Reconciled::NotYet;
        }
        let torn = |report: &TranscriptReport| report.reason.as_deref() == Some(reason_id(Quarantine::TornTail));
        let bad = |report: &&TranscriptReport| report.outcome == "quarantined";
        if !self.artifacts.quarantined.is_empty() || self.transcripts.iter().filter(bad).any(|report| !torn(report)) {
            door::Reconciled::Quarantined
        } else if self.transcripts.iter().any(torn) {
            door::Reconciled::TornTails
        } else {
            door::Reconciled::Level
        }
    }
}

/// The stable id of a reason.
pub(crate) fn reason_id(reason: Quarantine) -> &'static str {
    match reason {
        Quarantine::Diverged => "diverged",
        Quarantine::NotJson => "not-json",
        Quarantine::TornTail => "torn-tail",
        Quarantine::Linked => "linked",
        Quarantine::NotRegular => "not-regular",
        Quarantine::CanonicalNotRegular => "canonical-not-regular",
        Quarantine::Conflict => "conflict",
    }
}

fn outcome_name(outcome: FileOutcome) -> &'static str {
    match outcome {
        FileOutcome::Clean => "clean",
        FileOutcome::CanonicalAhead => "canonical-ahead",
        FileOutcome::Appended => "appended",
        FileOutcome::Pending => "pending",
        FileOutcome::Quarantined => "quarantined",
    }
}

/// The folder of transcripts, and of what belongs to them.
const PROJECTS: &str = "projects";

/// The folder of plans, which are files like any other.
const PLANS: &str = "plans";

/// One file of the working copy.
struct Item {
    /// Its names, from the working copy on.
    path: Vec<String>,
    entry: Entry,
    is: Classified,
}

impl Runner {
    /// Brings what a working copy holds of transcripts into the shared home; see the module.
    ///
    /// ```no_run
    /// use winter_runner::recovery::RecoverInput;
    /// use winter_runner::{Config, Runner};
    /// let (root, shared_home, home) = ("/left/over".into(), "/home/me/.winter/sdk".into(), "/home/me/.winter".into());
    /// let report = Runner::new(Config::default())?.recover(&RecoverInput { root, shared_home, home }, &mut |_| {})?;
    /// println!("{}", report.outcome);
    /// # Ok::<(), winter_runner::RunnerError>(())
    /// ```
    ///
    /// # Errors
    /// A run folder that a session is open on, folders that cannot be opened or made; what concerns single files is in the
    /// report.
    pub fn recover(
        &self,
        input: &RecoverInput,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<RecoveryReport, RunnerError> {
        let root = Folder::grant(&input.root);
        let root = root.map_err(|error| RunnerError::Folder { role: "working copy", error })?;
        // Held until the end, so that no session begins on it; what cannot be opened, nobody can hold.
        let held = Held::of(&root);
        if matches!(held, Ok(None)) {
            return Err(MaterializeError::InUse { run_id: root.path() }.into());
        }
        self.recover_held(input, progress)
    }

    /// The same for a caller that holds the working copy.
    pub(crate) fn recover_held(
        &self,
        input: &RecoverInput,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<RecoveryReport, RunnerError> {
        let folder = |role, path: &Path| Folder::grant(path).map_err(|error| RunnerError::Folder { role, error });
        let root = folder("working copy", &input.root)?;
        let mut report = RecoveryReport {
            outcome: "clean",
            transcripts: Vec::new(),
            quarantine: None,
            artifacts: ArtifactsReport::default(),
            problems: Vec::new(),
            linked: false,
        };
        let mut items = Vec::new();
        for top in [PROJECTS, PLANS] {
            match root.stat(top).map(|entry| entry.map(|entry| entry.kind)) {
                Ok(None) => {}
                Ok(Some(Kind::Link)) => report.linked |= top == PROJECTS,
                _ => {
                    let folder = root.open_folder(top).map_err(|error| RunnerError::BadInput {
                        what: format!("the folder {}/{top} cannot be opened: {error}", root.path()),
                        help: "name a config folder that a runtime wrote".to_owned(),
                    })?;
                    items.extend(self.items(top, &folder, &mut report)?);
                }
            }
        }
        if items.is_empty() && report.problems.is_empty() {
            return Ok(report);
        }
        let home = Home::open(&input.shared_home)?;
        let cell = Cell::new(&input.home, &input.root);
        let bytes = AtomicU64::new(0);
        let work = Work { runner: self, root: &root, home: &home, cell: &cell, winter: &input.home, bytes: &bytes };
        work.all(items, &mut report, progress)?;
        report.quarantine = cell.used();
        Ok(report)
    }

    /// Every file below one of the folders, with its class.
    fn items(&self, top: &str, folder: &Folder, report: &mut RecoveryReport) -> Result<Vec<Item>, RunnerError> {
        let mut found = Vec::new();
        let unseen = walk(folder, MAX_FILES, |path, entry| {
            if entry.kind != Kind::Directory {
                let path: Vec<String> = [top].into_iter().chain(path.split('/')).map(str::to_owned).collect();
                found.push((path, entry.clone()));
            }
            ControlFlow::Continue(())
        });
        for (what, some) in [
            (format!("more than {MAX_FILES} names"), unseen.cut),
            (format!("{} folders that cannot be opened", unseen.folders), unseen.folders > 0),
            (format!("{} names that are not UTF-8", unseen.unnamed), unseen.unnamed > 0),
        ] {
            if some {
                report.problems.push(format!("{} holds {what}; they stay where they are", folder.path()));
            }
        }
        // One instance for all of them: there may be many.
        self.call(|store, guest| {
            found
                .into_iter()
                .map(|(path, entry)| {
                    let of_project = top == PROJECTS;
                    // Plans belong to no session, and are no transcripts whatever their names are.
                    let below = if of_project { &path[1..] } else { &[] };
                    let is = guest.winter_runtime_recovery().call_classify(&mut *store, below)?;
                    Ok(Item { path, entry, is })
                })
                .collect()
        })
    }
}
