//! Why the runner has no answer, and what a person can do about it.

use std::path::PathBuf;

use crate::capability::files::GrantError;
use crate::capability::process::ProgramError;
use crate::engine::Limits;
use crate::engine::bindings::exports::winter::runtime::types::{Refusal, RefusalKind};
use crate::materialize::MaterializeError;

/// A capability was asked for that nobody granted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the capability `{capability}` was not granted for {resource}")]
pub struct Denied {
    /// Which one.
    pub capability: &'static str,
    /// For what.
    pub resource: String,
    /// What would grant it.
    pub grant: String,
}

/// Why the runner has no answer.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// The policy refused; it says why and what to do.
    #[error("{}", .0.message)]
    Refused(Refusal),
    /// A capability was not granted.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// A folder that the caller named cannot be lent.
    #[error("the {role}: {error}")]
    Folder {
        /// What the folder was for.
        role: &'static str,
        /// Why not.
        error: GrantError,
    },
    /// The run folder could not be made, or removed.
    #[error(transparent)]
    Materialize(#[from] MaterializeError),
    /// An input of the caller's that cannot be used.
    #[error("{what}")]
    BadInput {
        /// What is wrong with it.
        what: String,
        /// What was expected.
        help: String,
    },
    /// The guest used up its time.
    #[error("the policy did not answer within {} ms", .0.as_millis())]
    TimedOut(std::time::Duration),
    /// The guest asked for more memory than it may have.
    #[error("the policy asked for more than {0} bytes of memory")]
    OutOfMemory(usize),
    /// The guest trapped.
    #[error("the policy failed: {0}")]
    GuestFailed(String),
    /// The engine does not run here.
    #[error("the engine does not start: {0}")]
    Engine(String),
    /// A path has no spelling in the list that it is for.
    #[error("the list has no spelling for `{path}`: `{characters}` stands in the way")]
    Inexpressible {
        /// The path.
        path: String,
        /// The characters that have none.
        characters: String,
    },
    /// A file that the caller named could not be read to the end.
    #[error("{} could not be read: {error}", path.display())]
    Read {
        /// Which one.
        path: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// The door refused to open a session.
    #[error("{message}")]
    Door {
        /// The contract's code, or one in kebab-case.
        code: String,
        /// What of the request it concerns.
        field: String,
        /// What is wrong.
        message: String,
        /// What the caller could do.
        help: String,
    },
    /// A name that means no program that may be started.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The system did not start the program.
    #[error("{} was not started: {why}", path.display())]
    NotStarted {
        /// The program.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
    /// A finding that was printed already; holds the exit code that goes with it.
    #[error("the answer was printed")]
    Said(u8),
    /// A file of the host's own could not be written.
    #[error("{}: {error}", path.display())]
    Write {
        /// Which one.
        path: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
}

impl RunnerError {
    #[expect(clippy::needless_pass_by_value, reason = "the shape that `map_err` takes")]
    pub(crate) fn engine(error: wasmtime::Error) -> Self {
        Self::Engine(format!("{error:#}"))
    }

    /// What a failed call of the guest was.
    pub(crate) fn from_guest(error: wasmtime::Error, out_of_time: bool, limits: Limits) -> Self {
        if out_of_time {
            return Self::TimedOut(limits.deadline);
        }
        match error.downcast::<Denied>() {
            Ok(denied) => denied.into(),
            // The limiter's own error has no type to tell it by.
            Err(error) if format!("{error:#}").contains("forcing trap when growing memory") => {
                Self::OutOfMemory(limits.memory)
            }
            Err(error) => Self::GuestFailed(format!("{error:#}")),
        }
    }

    /// A stable word for programs.
    pub fn code(&self) -> &str {
        match self {
            Self::Refused(refusal) => match refusal.kind {
                RefusalKind::BadInput => "bad-input",
                RefusalKind::LegRefused => "run_home_leg_mismatch",
                RefusalKind::UnusableSettings => "unusable-settings",
                RefusalKind::Inexpressible => "inexpressible",
                RefusalKind::Denied => "denied",
                RefusalKind::Io => "io",
            },
            Self::Denied(_) => "denied",
            Self::Folder { error, .. } => error.code(),
            Self::Materialize(error) => error.code(),
            Self::BadInput { .. } => "bad-input",
            Self::Inexpressible { .. } => "inexpressible",
            Self::TimedOut(_) => "timed-out",
            Self::OutOfMemory(_) => "out-of-memory",
            Self::GuestFailed(_) => "guest-failed",
            Self::Engine(_) => "engine",
            Self::Read { .. } => "read",
            Self::Door { code, .. } => code,
            Self::Program(error) => error.code(),
            Self::NotStarted { .. } => "not-started",
            Self::Said(_) => "said",
            Self::Write { .. } => "write",
        }
    }

    /// What went wrong, as one sentence without what to do about it.
    pub fn sentence(&self) -> String {
        self.parted().0
    }

    /// What the person could do, where that is known.
    pub fn help(&self) -> Option<String> {
        let environment = || {
            let text = "see to the permissions, the space and the kind of what it names, then try again";
            (self.exit_code() == 5).then(|| text.to_owned())
        };
        self.known_help().or_else(|| self.parted().1).or_else(environment)
    }

    /// The errors of folders say what to do behind a semicolon.
    fn parted(&self) -> (String, Option<String>) {
        let text = self.to_string();
        match text.rsplit_once("; ") {
            Some((sentence, help)) if matches!(self, Self::Folder { .. } | Self::Materialize(_)) => {
                (sentence.to_owned(), Some(help.to_owned()))
            }
            _ => (text, None),
        }
    }

    fn known_help(&self) -> Option<String> {
        match self {
            Self::Refused(refusal) => Some(refusal.help.clone()),
            Self::Denied(denied) => Some(format!("{} would grant it", denied.grant)),
            Self::BadInput { help, .. } | Self::Door { help, .. } => Some(help.clone()),
            Self::Program(ProgramError::InProject { .. }) => {
                Some("name a program that stands outside the project, by its absolute path".to_owned())
            }
            Self::Program(_) => Some("name the program by its absolute path, or mend PATH".to_owned()),
            Self::Inexpressible { .. } => {
                Some("an entry that is ignored would fail open: name a folder above it, or rename it".to_owned())
            }
            Self::TimedOut(_) => Some(
                "the project holds more than can be looked at in that time: name a smaller one with --project, or pass \
                 --untrusted; with an ordinary project it is a fault of winter's, to be reported"
                    .to_owned(),
            ),
            Self::OutOfMemory(_) | Self::GuestFailed(_) => {
                Some("this is a fault of winter's: please report it with the input".to_owned())
            }
            _ => None,
        }
    }

    /// The exit code of the program: 2 bad input, 3 a refusal of policy, 4 a denied capability, 5 the environment.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Refused(refusal) => match refusal.kind {
                RefusalKind::BadInput | RefusalKind::UnusableSettings => 2,
                RefusalKind::LegRefused | RefusalKind::Inexpressible => 3,
                RefusalKind::Denied => 4,
                RefusalKind::Io => 5,
            },
            Self::BadInput { .. } | Self::Folder { .. } => 2,
            Self::Inexpressible { .. } | Self::Door { .. } | Self::Program(ProgramError::InProject { .. }) => 3,
            Self::Said(code) => *code,
            Self::Denied(_) => 4,
            Self::Materialize(error) if error.is_bad_input() => 2,
            _ => 5,
        }
    }
}
