//! What is done when a session has ended.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use crate::contract::types::Transcripts;
use crate::contract::{carry, door};
use crate::error::RunnerError;
use crate::private;
use crate::recovery::{RecoverInput, RecoveryReport};
use crate::run_home::RunHome;
use crate::runner::Runner;

use super::strays::{self, Stray, StrayOutcome};
use super::{Session, ended};

/// What became of a session.
#[derive(Debug)]
pub struct Settled {
    /// How the child ended.
    pub status: ExitStatus,
    /// Whether anything of it is not home.
    pub outcome: door::Outcome,
    /// What became of the settings that it changed.
    pub carried: carry::Carried,
    /// What became of the transcripts of a working copy.
    pub recovered: Option<RecoveryReport>,
    /// Entries that the program had replaced.
    pub strays: Vec<Stray>,
    /// The run home, where it still stands: it was not safe to remove, or could not be.
    pub left: Option<PathBuf>,
    /// What could not be done, for a person.
    pub problems: Vec<String>,
}

/// The person's own settings of a run home.
fn own_path(home: &RunHome) -> PathBuf {
    Path::new(&home.plan.sdk_home).join("settings.json")
}

/// Their text; none where there is no file.
pub(super) fn own_settings(home: &RunHome) -> Result<Option<String>, RunnerError> {
    text(&own_path(home))
}

fn text(path: &Path) -> Result<Option<String>, RunnerError> {
    let bytes = private::read(path).map_err(|error| RunnerError::Read { path: path.to_owned(), error })?;
    // What is not UTF-8 is none that could be edited; as text it will not parse, and is left alone.
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Held while a person's own settings are read, decided upon and written, so that two sessions that end at once do not
/// undo each other.
fn lock(home: &Path) -> Result<File, RunnerError> {
    let path = home.join("cache/.settings.lock");
    let opened = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
    let locked = opened.and_then(|file| file.lock().map(|()| file));
    locked.map_err(|error| RunnerError::Write { path, error })
}

impl Session {
    /// Waits for the child's end, brings home what it left, and removes the run home when nothing of it could be lost.
    ///
    /// # Errors
    /// A child that cannot be waited for, or a guest that failed; then the run home stays.
    pub async fn settle(mut self, runner: &Runner) -> Result<Settled, RunnerError> {
        let path = self.home.dir.clone();
        let status = self.wait().await.map_err(|error| RunnerError::Write { path, error })?;
        let mut problems = Vec::new();
        // Whatever fails from here on, how the child ended is told, and the run home stays.
        let strays = strays::settle(runner, &self.home, &self.plans).unwrap_or_else(|error| {
            problems.push(format!("what the program had replaced did not come home: {error}"));
            Vec::new()
        });
        let (carried, carry_problem) = self.carry(runner).unwrap_or_else(|error| {
            let none = carry::Carried { own: None, applied: Vec::new(), held: Vec::new() };
            (none, Some(format!("settings that you changed in the session did not come home: {error}")))
        });
        problems.extend(carry_problem);
        for stray in strays.iter().filter(|stray| stray.outcome == StrayOutcome::Failed) {
            let why = stray.detail.as_deref().unwrap_or_default();
            problems.push(format!("{} could not be brought home: {why}", stray.path));
        }
        let mut reconciled = door::Reconciled::NotYet;
        let mut recovered = None;
        if self.transcripts == Transcripts::WorkingCopy {
            let input = RecoverInput {
                root: self.home.dir.clone(),
                shared_home: PathBuf::from(&self.home.plan.sdk_home),
                home: self.home.input.home.clone(),
            };
            match runner.recover_held(&input, &mut |_| {}) {
                Ok(report) => {
                    reconciled = report.reconciled();
                    problems.extend(report.problems.iter().cloned());
                    recovered = Some(report);
                }
                Err(error) => problems.push(format!("the transcripts were not brought home: {error}")),
            }
        }
        let outcome = runner.outcome_of(door::Ended::Settled, self.transcripts, reconciled)?;
        let Self { home, held, .. } = self;
        drop(held);
        let mut left = Some(home.dir.clone());
        let may_dispose = runner.may_dispose(outcome)? && problems.is_empty();
        let record = ended::finished(&home, status, outcome, &carried, &strays);
        problems.extend(record.err().map(|error| format!("what became of the session is not recorded: {error}")));
        if may_dispose {
            match home.dispose() {
                Ok(()) => left = None,
                Err(error) => problems.push(format!("the run home was not removed: {error}")),
            }
        }
        Ok(Settled { status, outcome, carried, recovered, strays, left, problems })
    }

    /// Compares the run's settings with what was built, and applies what may come home.
    fn carry(&self, runner: &Runner) -> Result<(carry::Carried, Option<String>), RunnerError> {
        let run = self.home.folder()?;
        // No link is followed here: what a session put in the place of its settings is not read.
        let ended = run.stat("settings.json").ok().flatten();
        let ended = ended.and_then(|entry| run.read("settings.json", entry.identity, 64 << 20).ok());
        let texts = |own_now| carry::Texts {
            built: self.home.plan.effective_settings.clone(),
            ended: ended.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
            own_before: self.own_before.clone(),
            own_now,
        };
        let _lock = lock(&self.home.input.home)?;
        let own = own_path(&self.home);
        let texts = texts(text(&own)?);
        let carried = runner.carry(&texts)?;
        let written = carried.own.as_ref().map(|text| private::write(&own, text.as_bytes()));
        let problem = match written {
            Some(Err(error)) => Some(format!("settings that you changed in the session did not come home: {error}")),
            _ => None,
        };
        Ok((carried, problem))
    }
}

/// Applies one change of a run's settings that was held, by the person's own word: `key` is as it was shown.
///
/// # Errors
/// No such run or key, and a settings file that cannot be edited or written.
pub fn apply_setting(runner: &Runner, home: &Path, run_id: &str, key: &str) -> Result<carry::Change, RunnerError> {
    let mut record = ended::record(home, run_id)?;
    let Some(held) = record.held.iter().position(|held| held.key == key) else {
        let keys: Vec<&str> = record.held.iter().map(|held| held.key.as_str()).collect();
        return Err(RunnerError::BadInput {
            what: format!("the run {run_id} holds no change of `{key}`"),
            help: if keys.is_empty() {
                "it holds none at all".to_owned()
            } else {
                format!("it holds: {}", keys.join(", "))
            },
        });
    };
    let change = record.held[held].change();
    let own = PathBuf::from(&record.own_settings);
    let _lock = lock(home)?;
    let now = text(&own)?;
    let edited = runner.edit_settings(now.as_deref(), &change.path, change.new.as_deref())?;
    private::write(&own, edited.as_bytes())?;
    record.held.remove(held);
    record.store(home)?;
    Ok(change)
}
