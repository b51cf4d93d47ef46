//! What is kept of a session: its report, and what of its settings is held.

use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::strays::Stray;
use crate::contract::{carry, door};
use crate::error::RunnerError;
use crate::materialize::{self, MaterializeError};
use crate::run_home::RunHome;
use crate::{json, private};

/// How many records are kept; the oldest go first.
pub const MAX_ENDED: usize = 200;

/// What is kept of one session, under winter's home.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Record {
    /// The run.
    pub run_id: String,
    /// The folder that it worked in.
    pub cwd: String,
    /// The person's own settings file.
    pub own_settings: String,
    /// Its report, as `winter build --json` has it.
    pub report: Value,
    /// The same as a person was shown it.
    pub text: Option<String>,
    /// Variables of the person's that it did not get.
    pub withheld: Vec<String>,
    /// When it ended, in milliseconds since the Unix epoch; none while it is open, or when winter was killed.
    pub ended_at: Option<u64>,
    /// What its program exited with.
    pub status: Option<i32>,
    /// The signal that ended its program.
    pub signal: Option<i32>,
    /// `pending`, `safe` or `quarantined`.
    pub outcome: String,
    /// Settings that came home.
    pub applied: Vec<Leaf>,
    /// Settings that are held.
    pub held: Vec<Leaf>,
    /// Entries that the program had replaced, each with what became of it.
    pub strays: Vec<Value>,
}

/// One setting that a session changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Leaf {
    /// The keys down to it, joined by dots.
    pub key: String,
    /// The same keys.
    pub path: Vec<String>,
    /// What was built there, as JSON.
    pub old: Option<String>,
    /// What stood there at the end, as JSON.
    pub new: Option<String>,
    /// Why it is held.
    pub reason: Option<String>,
}

impl Leaf {
    fn of(change: &carry::Change, reason: Option<carry::Reason>) -> Self {
        let reason = reason.map(|reason| {
            match reason {
                carry::Reason::NotListed => "not-listed",
                carry::Reason::WrongShape => "wrong-shape",
                carry::Reason::ChangedMeanwhile => "changed-meanwhile",
                carry::Reason::OwnUnreadable => "own-unreadable",
                carry::Reason::RunUnreadable => "run-unreadable",
            }
            .to_owned()
        });
        let carry::Change { path, old, new } = change.clone();
        Self { key: path.join("."), path, old, new, reason }
    }

    pub(super) fn change(&self) -> carry::Change {
        carry::Change { path: self.path.clone(), old: self.old.clone(), new: self.new.clone() }
    }
}

/// The name of an outcome.
pub(super) fn outcome(outcome: door::Outcome) -> &'static str {
    match outcome {
        door::Outcome::Pending => "pending",
        door::Outcome::Safe => "safe",
        door::Outcome::Quarantined => "quarantined",
    }
}

fn place(home: &Path, run_id: &str) -> PathBuf {
    home.join("cache/ended").join(format!("{run_id}.json"))
}

/// What is kept of a run.
///
/// # Errors
/// No such run, or a record that cannot be read.
pub fn record(home: &Path, run_id: &str) -> Result<Record, RunnerError> {
    materialize::check_run_id(run_id)?;
    let path = place(home, run_id);
    let read = |error| RunnerError::Read { path: path.clone(), error };
    let Some(text) = private::read(&path).map_err(read)? else {
        return Err(MaterializeError::UnknownRun { run_id: run_id.to_owned() }.into());
    };
    serde_json::from_slice(&text).map_err(|error| read(std::io::Error::new(std::io::ErrorKind::InvalidData, error)))
}

impl Record {
    /// A session that begins.
    pub(super) fn begun(home: &RunHome, withheld: &[door::Withheld]) -> Self {
        Self {
            run_id: home.plan.run_id.clone(),
            cwd: home.cwd.path(),
            own_settings: Path::new(&home.plan.sdk_home).join("settings.json").display().to_string(),
            report: json::report(&home.plan.report),
            text: None,
            withheld: withheld.iter().map(|one| one.name.clone()).collect(),
            ended_at: None,
            status: None,
            signal: None,
            outcome: outcome(door::Outcome::Pending).to_owned(),
            applied: Vec::new(),
            held: Vec::new(),
            strays: Vec::new(),
        }
    }

    /// Writes it under winter's home, 0600, and forgets the oldest ones.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn store(&self, home: &Path) -> Result<(), RunnerError> {
        let path = place(home, &self.run_id);
        let folder = home.join("cache/ended");
        let failed = |error| RunnerError::Write { path: folder.clone(), error };
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(failed)?;
        let text = serde_json::to_vec(self).map_err(|error| failed(error.into()))?;
        private::write(&path, &text)?;
        let mut names: Vec<PathBuf> = fs::read_dir(&folder)
            .map_err(failed)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
            .collect();
        // Ids begin with the time of their build.
        names.sort();
        let more = names.len().saturating_sub(MAX_ENDED);
        for old in names.iter().take(more).filter(|old| **old != path) {
            fs::remove_file(old).map_err(failed)?;
        }
        Ok(())
    }
}

/// Records how a session ended.
pub(super) fn finished(
    home: &RunHome,
    status: ExitStatus,
    ended: door::Outcome,
    carried: &carry::Carried,
    strays: &[Stray],
) -> Result<(), RunnerError> {
    let mut record = record(&home.input.home, &home.plan.run_id).unwrap_or_else(|_| Record::begun(home, &[]));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    record.ended_at = u64::try_from(now).ok();
    (record.status, record.signal) = (status.code(), status.signal());
    outcome(ended).clone_into(&mut record.outcome);
    record.applied = carried.applied.iter().map(|change| Leaf::of(change, None)).collect();
    record.held = carried.held.iter().map(|held| Leaf::of(&held.change, Some(held.reason))).collect();
    record.strays = strays.iter().map(|stray| serde_json::to_value(stray).unwrap_or_default()).collect();
    record.store(&home.input.home)
}
