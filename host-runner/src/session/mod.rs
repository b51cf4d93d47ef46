//! Sessions: a program started on a run home, and what is done when it has ended.
//!
//! ```no_run
//! use futures::StreamExt as _;
//! use winter_runner::capability::process::{Program, Streams};
//! use winter_runner::session::SessionInput;
//! use winter_runner::{Config, Grants, RunHomeInput, Runner};
//!
//! # async fn run() -> Result<(), winter_runner::RunnerError> {
//! let input = RunHomeInput::new("/home/me/.winter", "/src/it");
//! let program = Program::resolve("agent".as_ref(), "/usr/bin".as_ref(), &[])?;
//! let mut grants = Grants::for_run_homes(input.reads());
//! grants.programs.push(program.clone());
//! let runner = Runner::new(Config { grants, ..Config::default() })?;
//! let home = runner.build_run_home(&input)?;
//! let mut session = SessionInput::new(program);
//! session.streams = Streams::Piped;
//! let mut session = runner.open(home, &session).map_err(|refused| refused.error)?;
//! let mut lines = session.stdout().expect("it is piped");
//! while let Some(line) = lines.next().await {
//!     println!("{} bytes", line.map_or(0, |line| line.len()));
//! }
//! let settled = session.settle(&runner).await?;
//! println!("{:?}, {:?}", settled.status, settled.outcome);
//! # Ok(())
//! # }
//! ```

mod ended;
mod lines;
mod plans;
mod settle;
mod strays;
mod version;

use std::io;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Child;

use crate::capability::process::{Program, Start, Streams, trusted_path};
use crate::contract::{carry, door, types};
use crate::error::RunnerError;
use crate::materialize::{Held, MaterializeError};
use crate::run_home::RunHome;
use crate::runner::Runner;

pub use ended::{MAX_ENDED, Record, record};
pub use lines::{Lines, MAX_LINE};
pub use settle::{Settled, apply_setting};
pub use strays::{Stray, StrayOutcome};
pub use version::probe_version;

/// How long [`Session::close`] waits after the child was asked to end, before it is killed.
const GRACE: Duration = Duration::from_secs(2);

/// What a session is opened with, beside its run home.
#[derive(Clone, Debug)]
pub struct SessionInput {
    /// The program, which must be among [`Grants::programs`](crate::Grants::programs).
    pub program: Program,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The person's environment, of which the child gets what the brand lists.
    pub environment: Vec<(String, String)>,
    /// Names of further variables of it that the child gets.
    pub admitted: Vec<String>,
    /// The same for names that look like a credential or that make programs run other code.
    pub reviewed: Vec<String>,
    /// The caller's options: a JSON object.
    pub options: String,
    /// MCP servers of the host's own: a JSON object by name.
    pub capability_servers: String,
    /// The program's version, declared or probed ([`probe_version`]).
    pub version: Option<String>,
    /// The session may fetch its configuration and report home.
    pub allow_remote_configuration: bool,
    /// What its streams are.
    pub streams: Streams,
    /// In a process group of its own; not for a child that owns the terminal.
    pub own_group: bool,
}

impl SessionInput {
    /// That program without arguments, with this process's environment, as far as it is UTF-8.
    pub fn new(program: Program) -> Self {
        let utf8 = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Self {
            program,
            arguments: Vec::new(),
            environment: std::env::vars_os().filter_map(utf8).collect(),
            admitted: Vec::new(),
            reviewed: Vec::new(),
            options: "{}".to_owned(),
            capability_servers: "{}".to_owned(),
            version: None,
            allow_remote_configuration: false,
            streams: Streams::default(),
            own_group: true,
        }
    }
}

/// Why no session was opened; the run home is given back, to be tried again or disposed of.
#[derive(Debug)]
pub struct NotOpened {
    /// The run home.
    pub home: Box<RunHome>,
    /// Why.
    pub error: RunnerError,
}

/// A session that was opened.
#[derive(Debug)]
pub struct Session {
    child: Child,
    own_group: bool,
    home: RunHome,
    launch: door::Launch,
    /// The person's own settings when it began.
    own_before: Option<String>,
    transcripts: types::Transcripts,
    /// The plans that it began with.
    plans: plans::Begun,
    status: Option<ExitStatus>,
    held: Held,
}

impl Runner {
    /// Opens a session on a run home: every check of the door, then the program is started. It never waits for it.
    ///
    /// To be called inside a runtime of tokio, which then watches the child.
    ///
    /// # Errors
    /// With the run home: a refusal of the door, a run home that another session is open on, or a program that the
    /// system does not start.
    pub fn open(&self, home: RunHome, input: &SessionInput) -> Result<Session, NotOpened> {
        match self.started(&home, input) {
            Ok(Started { child, launch, held, own_before, transcripts, plans }) => Ok(Session {
                child,
                own_group: input.own_group,
                home,
                launch,
                own_before,
                transcripts,
                plans,
                status: None,
                held,
            }),
            Err(error) => Err(NotOpened { home: Box::new(home), error }),
        }
    }

    fn started(&self, home: &RunHome, input: &SessionInput) -> Result<Started, RunnerError> {
        let unreadable = |error: io::Error| RunnerError::Write { path: home.dir.clone(), error };
        let run_id = || home.plan.run_id.clone();
        let Some(held) = Held::of(&home.folder()?).map_err(unreadable)? else {
            return Err(MaterializeError::InUse { run_id: run_id() }.into());
        };
        let profile = self.profile(&home.input.brand)?;
        let own_before = settle::own_settings(home)?;
        let plans = plans::begin(home);
        let request = request(home, input, &profile);
        let start = Start { streams: input.streams, own_group: input.own_group };
        let (opened, child) = self.call(|store, guest| {
            let host = &mut store.data_mut().host;
            host.may_start(start);
            let cwd = host.lend(home.cwd.clone())?;
            let opened = guest.winter_runtime_door().call_open(&mut *store, &request, cwd)?;
            Ok((opened, store.data_mut().host.take_started()))
        })?;
        match (opened, child) {
            (Ok(opened), Some(child)) => {
                let (launch, transcripts) = (opened.launch, profile.transcripts);
                // From here on the child runs: a record that cannot be kept is no reason to lose it.
                if let Err(error) = Record::begun(home, &launch.withheld).store(&home.input.home) {
                    tracing::warn!(target: "winter::session", %error, "what the session begins with is not recorded");
                }
                Ok(Started { child, launch, held, own_before, transcripts, plans })
            }
            (Ok(_), None) => Err(RunnerError::GuestFailed("the door opened, and nothing was started".to_owned())),
            (Err(door::OpenFault::Refused(refusal)), _) => Err(refusal.into()),
            (Err(door::OpenFault::Spawn(fault)), _) => Err(not_started(fault, &input.program)),
        }
    }

    /// What the door would start, or why it would not; nothing is started.
    ///
    /// # Errors
    /// As [`Runner::open`].
    pub fn check_session(&self, home: &RunHome, input: &SessionInput) -> Result<door::Launch, RunnerError> {
        let request = request(home, input, &self.profile(&home.input.brand)?);
        self.check_door(&request)
    }

    /// The door's answer to a request that the caller made up.
    ///
    /// # Errors
    /// A refusal of the door, or a guest that failed.
    pub fn check_door(&self, request: &door::Request) -> Result<door::Launch, RunnerError> {
        self.call(|store, guest| guest.winter_runtime_door().call_check(store, request))?.map_err(Into::into)
    }
}

/// A program that was started.
struct Started {
    child: Child,
    launch: door::Launch,
    held: Held,
    own_before: Option<String>,
    transcripts: types::Transcripts,
    plans: plans::Begun,
}

impl From<door::DoorRefusal> for RunnerError {
    fn from(refusal: door::DoorRefusal) -> Self {
        let door::DoorRefusal { code, field, message, help } = refusal;
        Self::Door { code, field, message, help }
    }
}

fn not_started(fault: door::SpawnFault, program: &Program) -> RunnerError {
    let why = match fault {
        door::SpawnFault::NotGranted(grant) => {
            let resource = format!("the program {}", program.name);
            return crate::Denied { capability: "process", resource, grant }.into();
        }
        door::SpawnFault::NotFound(path) => format!("{path}, or the program that its first line names, is not there"),
        door::SpawnFault::Io(why) => why,
    };
    RunnerError::NotStarted { path: program.path.clone(), why }
}

fn request(home: &RunHome, input: &SessionInput, profile: &types::Profile) -> door::Request {
    let cwd = home.cwd.path();
    // A search path through the project would start what it ships, by any `#!/usr/bin/env` of the program.
    let mut roots = vec![Path::new(&cwd)];
    roots.extend(home.input.trusted_project_root.as_deref());
    roots.extend(home.input.git_root.as_deref());
    let trusted = |(name, value): &(String, String)| {
        let value = if name == "PATH" {
            trusted_path(value.as_ref(), &roots).kept.to_string_lossy().into_owned()
        } else {
            value.clone()
        };
        door::Variable { name: name.clone(), value }
    };
    door::Request {
        home: Some(door::Home {
            run_id: home.plan.run_id.clone(),
            dir: home.plan.dir.clone(),
            shared_home: home.plan.sdk_home.clone(),
            cwd: cwd.clone(),
            brand: profile.name.clone(),
            leg: home.input.leg,
            memory_dir: home.input.memory_dir.clone(),
            mcp_config: home.plan.mcp_config.clone(),
            servers: servers(home, profile),
            built_here: true,
            disposed: !home.dir.is_dir(),
            contained: home.input.containment_hook.is_some(),
        }),
        require_run_home: true,
        cwd: cwd.clone(),
        brand: home.input.brand.clone(),
        store: home.plan.sdk_home.clone(),
        options: input.options.clone(),
        program: input.program.name.clone(),
        arguments: input.arguments.clone(),
        environment: input.environment.iter().map(trusted).collect(),
        admitted: input.admitted.clone(),
        reviewed: input.reviewed.clone(),
        capability_servers: input.capability_servers.clone(),
        version: input.version.clone(),
        allow_remote_configuration: input.allow_remote_configuration,
    }
}

/// The names of the MCP servers that the run home holds, in a file of its own or through a link.
fn servers(home: &RunHome, profile: &types::Profile) -> Vec<String> {
    let own = home.plan.mcp_config.as_ref().map(|config| config.entry.as_str());
    let mut names = Vec::new();
    for file in own.into_iter().chain([profile.global_config_file.as_str()]) {
        let text = std::fs::read(home.dir.join(file)).unwrap_or_default();
        let file: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
        let servers = file.get("mcpServers").and_then(serde_json::Value::as_object);
        names.extend(servers.into_iter().flat_map(|servers| servers.keys().cloned()));
    }
    names
}

impl Session {
    /// What the program was started with, and what of the person's environment it lacks.
    pub fn launch(&self) -> &door::Launch {
        &self.launch
    }

    /// The run home that it is open on.
    pub fn home(&self) -> &RunHome {
        &self.home
    }

    /// The child's process id; none once it has ended.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// What the child writes to its standard output, line by line and byte for byte; none when it is not piped, or was
    /// taken already. A reader that is slow slows the child.
    pub fn stdout(&mut self) -> Option<Lines> {
        self.child.stdout.take().map(lines::of)
    }

    /// The same for its standard error.
    pub fn stderr(&mut self) -> Option<Lines> {
        self.child.stderr.take().map(lines::of)
    }

    /// Writes to the child's standard input, and waits until it is taken.
    ///
    /// # Errors
    /// Input that is not piped or was closed; a child that reads no more.
    pub async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let closed = || io::Error::new(io::ErrorKind::BrokenPipe, "the session's input is closed");
        let stdin = self.child.stdin.as_mut().ok_or_else(closed)?;
        stdin.write_all(bytes).await?;
        stdin.flush().await
    }

    /// Closes the child's standard input.
    pub fn close_input(&mut self) {
        self.child.stdin = None;
    }

    /// Interrupts the child, as Ctrl-C does; nothing happens when it has ended.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn interrupt(&self) -> io::Result<()> {
        self.signal(Signal::INT)
    }

    /// Sends the child, and its process group where it has one of its own, a signal.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn signal(&self, signal: Signal) -> io::Result<()> {
        let id = self.child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let Some(pid) = id else { return Ok(()) };
        let sent = if self.own_group {
            rustix::process::kill_process_group(pid, signal)
        } else {
            rustix::process::kill_process(pid, signal)
        };
        match sent {
            // It has ended in this moment.
            Err(rustix::io::Errno::SRCH) => Ok(()),
            sent => Ok(sent?),
        }
    }

    /// Waits until the child has ended. It can be waited for again, also after a wait that was given up.
    ///
    /// # Errors
    /// What the system refuses.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await?;
        self.status = Some(status);
        Ok(status)
    }

    /// Ends the child: its input is closed, then it is asked to end, then killed, with `patience` after the first.
    ///
    /// # Errors
    /// What the system refuses.
    pub async fn close(&mut self, patience: Duration) -> io::Result<ExitStatus> {
        self.close_input();
        if let Ok(ended) = tokio::time::timeout(patience, self.wait()).await {
            return ended;
        }
        self.signal(Signal::TERM)?;
        if let Ok(ended) = tokio::time::timeout(GRACE, self.wait()).await {
            return ended;
        }
        self.signal(Signal::KILL)?;
        self.wait().await
    }

    /// What becomes of it: pending until it has ended and [`Session::settle`] has brought home what it left.
    ///
    /// # Errors
    /// Only a guest that failed.
    pub fn outcome(&self, runner: &Runner) -> Result<door::Outcome, RunnerError> {
        let ended = if self.status.is_some() { door::Ended::Settled } else { door::Ended::Running };
        runner.outcome_of(ended, self.transcripts, door::Reconciled::NotYet)
    }
}

impl Runner {
    /// What becomes of a session in that state.
    ///
    /// # Errors
    /// Only a guest that failed.
    pub fn outcome_of(
        &self,
        ended: door::Ended,
        transcripts: types::Transcripts,
        reconciled: door::Reconciled,
    ) -> Result<door::Outcome, RunnerError> {
        self.call(|store, guest| guest.winter_runtime_door().call_outcome_of(store, ended, transcripts, reconciled))
    }

    /// Whether the run home of a session with that outcome may be removed.
    ///
    /// # Errors
    /// Only a guest that failed.
    pub fn may_dispose(&self, outcome: door::Outcome) -> Result<bool, RunnerError> {
        self.call(|store, guest| guest.winter_runtime_door().call_may_dispose(store, outcome))
    }

    /// What of a session's settings comes home; nothing is written.
    ///
    /// # Errors
    /// Only a guest that failed.
    pub fn carry(&self, texts: &carry::Texts) -> Result<carry::Carried, RunnerError> {
        self.call(|store, guest| guest.winter_runtime_carry().call_settle(store, texts))
    }

    /// A person's own settings with one value set, or taken out; nothing is written.
    ///
    /// # Errors
    /// A refusal of the policy: settings that cannot be edited, or that the runtime would then drop.
    pub fn edit_settings(
        &self,
        own: Option<&str>,
        path: &[String],
        value: Option<&str>,
    ) -> Result<String, RunnerError> {
        self.call(|store, guest| guest.winter_runtime_carry().call_apply(store, own, path, value))?
            .map_err(RunnerError::Refused)
    }

    /// What is done with an entry that was a link into the shared home, and that the program has replaced.
    ///
    /// # Errors
    /// Only a guest that failed.
    pub fn stray(&self, stands: carry::Stands, beside: carry::Beside) -> Result<carry::Action, RunnerError> {
        self.call(|store, guest| guest.winter_runtime_carry().call_stray(store, stands, beside))
    }
}
