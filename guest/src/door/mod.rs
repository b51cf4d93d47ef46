//! The door: what must hold before a session starts, what its program is given, and what its end means.
//!
//! [`check`] decides all of it from its arguments alone; [`open`] does the same and then asks the host for the one
//! effect that a decision has: to start the program. A refusal comes before anything of the runtime is touched.

mod arguments;
mod checks;
mod options;
mod outcome;
#[cfg(test)]
mod tests;
mod variables;
mod version;

use serde::Serialize;

use crate::brand::Profile;
use crate::explain::Sheet;
use crate::ports::{Command, Process, SpawnError};
use crate::run_home::{Leg, McpConfig};

pub use checks::{CHECKS, Check};
pub use outcome::{Ended, Outcome, Reconciled, may_dispose, outcome};
pub use variables::Withheld;

/// What the host knows of the run home that a session is to start on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// Names the run.
    pub run_id: String,
    /// The run folder, absolute.
    pub dir: String,
    /// The shared home that it was made from, absolute.
    pub shared_home: String,
    /// The working folder that it was built for, absolute.
    pub cwd: String,
    /// The name of the brand that it was built for.
    pub brand: String,
    /// The leg that it was built for.
    pub leg: Leg,
    /// Where the session keeps its memory; empty for none.
    pub memory_dir: String,
    /// The file of MCP servers that the runtime has to be told of.
    pub mcp_config: Option<McpConfig>,
    /// The names of the MCP servers that it holds.
    pub servers: Vec<String>,
    /// This builder built it.
    pub built_here: bool,
    /// It was disposed of.
    pub disposed: bool,
    /// It holds the hook of containment, which nothing may switch off.
    pub contained: bool,
}

/// One variable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// What a caller asks the door for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The run home, if there is one.
    pub home: Option<Home>,
    /// The host wants no session without one.
    pub require_run_home: bool,
    /// Where the session works, absolute.
    pub cwd: String,
    /// Which runtime's names and grammars hold.
    pub brand: Profile,
    /// The shared home that the session belongs to, absolute.
    pub store: String,
    /// The caller's options: a JSON object, passed on as it is but for what the run home decides.
    pub options: String,
    /// The name by which the host granted the program.
    pub program: String,
    /// The program's arguments as the caller gave them.
    pub arguments: Vec<String>,
    /// The person's own environment, of which the child gets what the brand lists.
    pub environment: Vec<Variable>,
    /// Names of further variables of it that the child gets.
    pub admitted: Vec<String>,
    /// The same for names that look like a credential or that make programs run other code.
    pub reviewed: Vec<String>,
    /// MCP servers of the host's own, by name: a JSON object.
    pub capability_servers: String,
    /// What the program says of its version, or what the host declares.
    pub version: Option<String>,
    /// The session may fetch its configuration and report home.
    pub allow_remote_configuration: bool,
}

/// What the program is started with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Launch {
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its whole environment, by name.
    pub environment: Vec<Variable>,
    /// The caller's options, with what the run home decides laid over: a JSON object.
    pub options: String,
    /// Variables of the person's that the program does not get.
    pub withheld: Vec<Withheld>,
}

/// Why nothing was started: one row of [`CHECKS`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DoorError {
    check: &'static Check,
    /// What of the request it concerns, e.g. `options.settingSources`.
    pub field: String,
    /// One sentence that names the input and what was expected.
    pub message: String,
}

impl DoorError {
    /// The stable code: the contract's own, or one in kebab-case.
    pub fn code(&self) -> &'static str {
        self.check.id
    }

    /// What the caller could do.
    pub fn help(&self) -> &'static str {
        self.check.help
    }
}

/// Why no session was opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// A check refused it.
    #[error(transparent)]
    Refused(#[from] DoorError),
    /// The host did not start the program.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
}

/// A session that was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// By which the host names the child.
    pub child: u64,
    /// What it was started with.
    pub launch: Launch,
}

/// What the program would be started with.
///
/// # Errors
/// The first row of [`CHECKS`] that finds something.
pub fn check(request: &Request) -> Result<Launch, DoorError> {
    let refuse = |check: &'static Check, found: checks::Found| {
        Err(DoorError { check, field: found.field, message: found.message })
    };
    let subject = match checks::Subject::of(request) {
        Ok(subject) => subject,
        Err(found) => return refuse(&checks::BAD_OPTIONS, found),
    };
    for check in CHECKS {
        if let Some(found) = (check.find)(&subject) {
            return refuse(check, found);
        }
    }
    let (environment, withheld) = variables::child(&subject);
    Ok(Launch { arguments: arguments::applied(request), environment, options: options::applied(&subject), withheld })
}

/// Checks, and starts the program in `cwd`; it never waits.
///
/// # Errors
/// As [`check`]; and whatever keeps the host from starting it.
pub fn open<P: Process>(request: &Request, process: &P, cwd: &P::Folder) -> Result<Opened, OpenError> {
    let launch = check(request)?;
    let command = Command {
        program: request.program.clone(),
        arguments: launch.arguments.clone(),
        environment: launch.environment.iter().map(|one| (one.name.clone(), one.value.clone())).collect(),
    };
    Ok(Opened { child: process.spawn(&command, cwd)?, launch })
}

/// The tables of this area, for `explain`.
pub(crate) fn sheets() -> Vec<Sheet> {
    let checks = std::iter::once(&checks::BAD_OPTIONS).chain(CHECKS);
    let checks = checks.map(|check| [check.id, check.when, check.help, check.source].map(str::to_owned).to_vec());
    vec![
        Sheet::new(
            "What is checked before a session starts, in this order",
            &["code", "when", "help", "source"],
            checks,
        ),
        arguments::sheet(),
        variables::switches_sheet(),
        options::sheet(),
        variables::sheet(),
        version::sheet(),
    ]
}
