//! All of a working copy's files: sessions side by side, each by itself in order.

use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use super::files::Home;
use super::lock::{self, SessionLock};
use super::quarantine::Cell;
use super::{Done, Item, Progress, RecoveryReport, TranscriptReport, outcome_name};
use crate::capability::files::{FilesError, Folder};
use crate::contract::recovery::{Class, FileOutcome};
use crate::error::RunnerError;
use crate::runner::Runner;

/// Sessions that are brought home at once. More than there are cores, since half of the time is waiting for the disk; few,
/// since each needs its blocks of memory.
const AT_ONCE: usize = 4;

/// What one recovery works with.
pub(crate) struct Work<'a> {
    pub(super) runner: &'a Runner,
    pub(super) root: &'a Folder,
    pub(super) home: &'a Home,
    pub(super) cell: &'a Cell,
    pub(super) winter: &'a Path,
    /// See [`Progress::bytes`].
    pub(super) bytes: &'a AtomicU64,
}

/// What a worker tells.
enum Told {
    /// One file is done.
    File,
    /// All files of the session of that number are.
    Session(usize, Result<Vec<Done>, RunnerError>),
}

impl Work<'_> {
    /// Brings every item home.
    pub(super) fn all(
        &self,
        mut items: Vec<Item>,
        report: &mut RecoveryReport,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), RunnerError> {
        // A session's own transcript stands beside its folder: together they are one.
        items.sort_by(|a, b| {
            (&a.is.project_key, &a.is.session_id, &a.path).cmp(&(&b.is.project_key, &b.is.session_id, &b.path))
        });
        let one = |a: &Item, b: &Item| a.is.project_key == b.is.project_key && a.is.session_id == b.is.session_id;
        let sessions: Vec<&[Item]> = items.chunk_by(one).collect();
        let outcomes = self.side_by_side(&sessions, items.len(), progress)?;
        let all: Vec<FileOutcome> = outcomes.iter().flatten().map(|done| done.outcome).collect();
        for (item, done) in sessions.iter().copied().flatten().zip(outcomes.into_iter().flatten()) {
            tell(item, done, report);
        }
        let worst = self.runner.call(|store, guest| guest.winter_runtime_recovery().call_overall(store, &all))?;
        // A file that is ahead is no news about the whole.
        let worst = if worst == FileOutcome::CanonicalAhead { FileOutcome::Clean } else { worst };
        report.outcome = if report.problems.is_empty() || worst == FileOutcome::Quarantined {
            outcome_name(worst)
        } else {
            outcome_name(FileOutcome::Pending)
        };
        Ok(())
    }

    /// What became of each file of each session, in their order; after the first fault of the policy no session is begun.
    fn side_by_side(
        &self,
        sessions: &[&[Item]],
        files: usize,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Vec<Vec<Done>>, RunnerError> {
        let total = sessions.iter().copied().flatten().map(|item| item.entry.identity.size).sum();
        let mut so_far = Progress { files: 0, of: files as u64, bytes: 0, total };
        let mut outcomes: Vec<Vec<Done>> = sessions.iter().map(|_| Vec::new()).collect();
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            let (tell, told) = mpsc::channel();
            for _ in 0..sessions.len().min(AT_ONCE) {
                let (tell, next) = (tell.clone(), &next);
                scope.spawn(move || {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        let Some(session) = sessions.get(number) else { return };
                        let _ = tell.send(Told::Session(number, self.session(session, &tell)));
                    }
                });
            }
            drop(tell);
            let mut failed = None;
            loop {
                match told.recv_timeout(Duration::from_millis(100)) {
                    Ok(Told::File) => so_far.files += 1,
                    Ok(Told::Session(number, Ok(done))) => outcomes[number] = done,
                    Ok(Told::Session(_, Err(error))) => {
                        next.store(sessions.len(), Ordering::Relaxed);
                        failed.get_or_insert(error);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                so_far.bytes = self.bytes.load(Ordering::Relaxed).min(total);
                progress(so_far);
            }
            failed.map_or(Ok(()), Err)
        })?;
        Ok(outcomes)
    }

    fn session(&self, session: &[Item], tell: &Sender<Told>) -> Result<Vec<Done>, RunnerError> {
        let is = &session[0].is;
        let lock = match &is.session_id {
            Some(id) => SessionLock::try_of(self.winter, &is.project_key, id)?,
            None => Some(SessionLock::none()),
        };
        let mut outcomes = Vec::new();
        for item in session {
            outcomes.push(if lock.is_some() { self.one(item)? } else { Done::pending("the session is in use") });
            let _ = tell.send(Told::File);
        }
        let level = |done: &Done| !matches!(done.outcome, FileOutcome::Pending | FileOutcome::Quarantined);
        if let Some(id) = is.session_id.as_ref().filter(|_| outcomes.iter().all(level)) {
            lock::clear_repair(self.winter, id);
        }
        Ok(outcomes)
    }

    fn one(&self, item: &Item) -> Result<Done, RunnerError> {
        let size = item.entry.identity.size;
        match item.is.class {
            Class::Skipped => Ok(Done::of(FileOutcome::Clean)),
            Class::Artifact => {
                let done = self.artifact(item);
                self.bytes.fetch_add(size, Ordering::Relaxed);
                done
            }
            Class::Transcript | Class::Subagent | Class::Journal => self.transcript(item),
        }
    }

    /// The folder of the working copy that holds an item, opened step by step with no link followed.
    pub(super) fn folder_of(&self, item: &Item) -> Result<Folder, FilesError> {
        let above = &item.path[..item.path.len() - 1];
        self.root.open_beneath(&above.join("/"))
    }
}

/// Puts what became of one file into the report.
fn tell(item: &Item, done: Done, report: &mut RecoveryReport) {
    let shown = item.path.join("/");
    match item.is.class {
        Class::Skipped => report.artifacts.skipped.push(shown),
        Class::Artifact => match (done.outcome, done.reason) {
            (FileOutcome::Appended, _) => report.artifacts.copied += 1,
            (FileOutcome::Clean, _) => report.artifacts.identical += 1,
            (FileOutcome::Quarantined, reason) => {
                report.artifacts.quarantined.push(format!("{shown}: {}", reason.unwrap_or_default()));
            }
            (_, reason) => report.problems.push(format!("{shown}: {}", reason.unwrap_or_default())),
        },
        Class::Transcript | Class::Subagent | Class::Journal => report.transcripts.push(TranscriptReport {
            project_key: item.is.project_key.clone(),
            session_id: item.is.session_id.clone().unwrap_or_default(),
            subpath: item.is.subpath.clone(),
            outcome: outcome_name(done.outcome),
            appended: done.appended,
            reason: done.reason,
        }),
    }
}
