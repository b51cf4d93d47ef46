//! Switch reviews: the runner reads the ranges of a transcript that the policy asks for, from the end, and no others.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::contract::catalog::Document;
use crate::contract::switch_review as wit;
use crate::error::RunnerError;
use crate::runner::Runner;

/// A review calls the policy a handful of times; a policy that asks on and on is broken.
const MOST_READS: usize = 32;

/// A transcript and what goes with it.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// The session's file of JSON lines.
    pub path: PathBuf,
    /// The session's provider-state file. By default `<session>.provider-state.jsonl` beside it, if there is one.
    pub sidecar: Option<PathBuf>,
    /// How many bytes are read at most, of either file; none for the policy's default.
    pub budget: Option<u64>,
}

impl Transcript {
    /// A transcript with the sidecar that lies beside it.
    ///
    /// ```
    /// let transcript = winter_runner::Transcript::new("projects/-src-it/0a1b.jsonl");
    /// assert!(transcript.sidecar.is_none(), "there is no such file");
    /// ```
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let sidecar = path.with_extension("provider-state.jsonl");
        Self { sidecar: sidecar.is_file().then_some(sidecar), path, budget: None }
    }

    fn session(&self) -> String {
        self.path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
    }

    /// The file and what a first call is told: its length, and nothing of its content.
    fn open(&self) -> Result<(File, wit::Reading), RunnerError> {
        let (file, file_length) = regular(&self.path)?;
        let sidecar = match &self.sidecar {
            Some(path) => {
                let (file, length) = regular(path)?;
                let wanted = length.min(self.budget.unwrap_or(SIDECAR_BOUND).saturating_add(1));
                read(path, &file, length - wanted, wanted)?
            }
            None => Vec::new(),
        };
        let reading =
            wit::Reading { session: self.session(), file_length, tail: Vec::new(), sidecar, budget: self.budget };
        Ok((file, reading))
    }

    /// Puts a range of the file before what was read of it.
    fn read_before(&self, file: &File, range: wit::Range, tail: &mut Vec<u8>) -> Result<(), RunnerError> {
        let mut bytes = read(&self.path, file, range.offset, range.length)?;
        bytes.append(tail);
        *tail = bytes;
        Ok(())
    }
}

/// The policy's default budget; one byte more tells it that there was more.
const SIDECAR_BOUND: u64 = 4 << 20;

/// Opens a file and tells its length; what is no regular file is refused before it could block.
fn regular(path: &Path) -> Result<(File, u64), RunnerError> {
    let fault = |what: String| RunnerError::BadInput {
        what: format!("{}: {what}", path.display()),
        help: "name a session's transcript, a file of JSON lines".to_owned(),
    };
    let found = std::fs::metadata(path).map_err(|error| fault(error.to_string()))?;
    if !found.is_file() {
        return Err(fault("it is not a regular file".to_owned()));
    }
    let file = File::open(path).map_err(|error| fault(error.to_string()))?;
    let length = file.metadata().map_err(|error| fault(error.to_string()))?.len();
    Ok((file, length))
}

fn read(path: &Path, file: &File, offset: u64, length: u64) -> Result<Vec<u8>, RunnerError> {
    let fault = |error| RunnerError::Read { path: path.to_owned(), error };
    let length = usize::try_from(length).map_err(|_| fault(std::io::ErrorKind::FileTooLarge.into()))?;
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, offset).map_err(fault)?;
    Ok(bytes)
}

impl Runner {
    /// What a switch to `target` would lose; `listed` is what the directory records of the session. Nothing is written,
    /// and the transcript is read from its end, as far as the answer needs it.
    ///
    /// # Errors
    /// A transcript that cannot be read, a target that the catalog does not know, or a guest that failed.
    pub fn review_switch(
        &self,
        transcript: &Transcript,
        listed: Option<&wit::PersistedSelection>,
        target: &wit::Origin,
        allow_compaction: bool,
        documents: &[Document],
    ) -> Result<wit::Report, RunnerError> {
        let (file, mut reading) = transcript.open()?;
        for _ in 0..MOST_READS {
            let step = self.call(|store, guest| {
                let review = guest.winter_runtime_switch_review();
                review.call_review(store, &reading, listed, target, allow_compaction, documents)
            })?;
            match step.map_err(RunnerError::Refused)? {
                wit::ReviewStep::Answer(report) => return Ok(report),
                wit::ReviewStep::Need(range) => transcript.read_before(&file, range, &mut reading.tail)?,
            }
        }
        Err(RunnerError::GuestFailed("the review asks for more and more of the transcript".to_owned()))
    }

    /// Who spoke last in a transcript, and why that is so.
    ///
    /// # Errors
    /// As [`Runner::review_switch`].
    pub fn tip(
        &self,
        transcript: &Transcript,
        listed: Option<&wit::PersistedSelection>,
        documents: &[Document],
    ) -> Result<wit::TipReport, RunnerError> {
        let (file, mut reading) = transcript.open()?;
        for _ in 0..MOST_READS {
            let step = self.call(|store, guest| {
                guest.winter_runtime_switch_review().call_tip(store, &reading, listed, documents)
            })?;
            match step.map_err(RunnerError::Refused)? {
                wit::TipStep::Answer(report) => return Ok(report),
                wit::TipStep::Need(range) => transcript.read_before(&file, range, &mut reading.tail)?,
            }
        }
        Err(RunnerError::GuestFailed("the tip asks for more and more of the transcript".to_owned()))
    }
}
