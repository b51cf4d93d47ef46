//! `winter run`.

use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::pin::pin;
use std::time::{Duration, Instant};

use clap::Args;
use futures::StreamExt as _;
use futures::future::{Either, select};
use futures::stream::{BoxStream, select_all, unfold};
use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};
use winter_runner::capability::process::{Program, ProgramError, TrustedPath, trusted_path};
use winter_runner::contract::door::Launch;
use winter_runner::contract::run_home::{Node, Plan};
use winter_runner::session::{self, Session, SessionInput, Settled};
use winter_runner::{Config, Grants, RunHome, Runner, RunnerError};

use super::human;
use super::places::Places;

/// What `winter run` exits with when it refuses by itself.
const REFUSED: u8 = 125;
/// What it exits with when the program cannot be executed.
const NOT_EXECUTABLE: u8 = 126;
/// What it exits with when the program is not found.
const NOT_FOUND: u8 = 127;

/// A second Ctrl-C within this time ends the program.
const TWICE: Duration = Duration::from_secs(2);
/// How long the program may take to end after that, before it is killed.
const GRACE: Duration = Duration::from_secs(2);

#[derive(Args)]
#[command(
    after_help = "Exit status: the program's own, or 128 and its signal; 125 when winter refuses or fails, 126 when \
    the program cannot be executed, 127 when it is not found.\n\nCtrl-C reaches the program first; a second one within two \
    seconds ends it. What it leaves is brought home in any case."
)]
pub(crate) struct Run {
    #[command(flatten)]
    places: Places,
    /// A variable of yours that the program gets beside those of its brand; may be given more than once.
    #[arg(long, value_name = "NAME")]
    env: Vec<String>,
    /// The same for one that looks like a credential, or that makes programs run other code: look at its value first.
    #[arg(long, value_name = "NAME")]
    review_env: Vec<String>,
    /// The version that the program behaves like, instead of what `PROGRAM --version` says.
    #[arg(long, value_name = "VERSION")]
    runtime_version: Option<String>,
    /// Let the session fetch its configuration and report home.
    #[arg(long)]
    allow_remote_configuration: bool,
    /// Say nothing of what was dropped or held.
    #[arg(long, short)]
    quiet: bool,
    /// The program, and its arguments. A program called `claude` gets the brand of that name.
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    command: Vec<OsString>,
}

/// The exit code of an error of `winter run`.
pub(super) fn exit_code(error: &RunnerError) -> u8 {
    match error {
        RunnerError::Said(code) => *code,
        RunnerError::Program(ProgramError::NotFound { .. }) => NOT_FOUND,
        RunnerError::Program(ProgramError::NotExecutable { .. }) | RunnerError::NotStarted { .. } => NOT_EXECUTABLE,
        _ => REFUSED,
    }
}

impl Run {
    pub(super) fn run(&self) -> Result<(), RunnerError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| RunnerError::Engine(format!("no runtime for processes: {error}")))?;
        let settled = runtime.block_on(self.session())?;
        match status(&settled) {
            0 => Ok(()),
            code => Err(RunnerError::Said(code)),
        }
    }

    async fn session(&self) -> Result<Settled, RunnerError> {
        let Some((program, arguments)) = self.command.split_first() else { return Err(RunnerError::Said(REFUSED)) };
        let called = Path::new(program).file_name().unwrap_or_default();
        let input = self.places.input_like(if called == "claude" { "claude" } else { "winter" })?;
        // Before anything is built: a slip in the name is the likely one.
        let mut roots: Vec<&Path> = vec![&input.cwd];
        roots.extend(input.trusted_project_root.as_deref());
        roots.extend(input.git_root.as_deref());
        let path = std::env::var_os("PATH").unwrap_or_default();
        let program = Program::resolve(program, &path, &roots)?;
        let left_out = trusted_path(&path, &roots);
        let mut grants = Grants::for_run_homes(input.reads());
        grants.programs.push(program.clone());
        let runner = Runner::new(Config { grants, ..Config::default() })?;

        let mut session = SessionInput::new(program);
        session.arguments = arguments.iter().map(|argument| utf8(argument)).collect::<Result<_, _>>()?;
        session.admitted.clone_from(&self.env);
        session.reviewed.clone_from(&self.review_env);
        session.allow_remote_configuration = self.allow_remote_configuration;
        session.own_group = !std::io::stdin().is_terminal();
        let checked = runner.profile(&input.brand)?.supported_versions.is_some();
        session.version = match &self.runtime_version {
            None if checked => Some(session::probe_version(&input.home, &session.program, &session.environment).await?),
            declared => declared.clone(),
        };

        let home = runner.build_run_home(&input)?;
        let told = Told { quiet: self.quiet };
        let tables = human::Tables::of(&runner)?;
        let shown = human::plan(&home.plan, true, false, &tables);
        // Everything is said before the program has the terminal.
        let launch = match runner.check_session(&home, &session) {
            Ok(launch) => launch,
            Err(error) => {
                home.dispose()?;
                return Err(error);
            }
        };
        told.report(&home, &tables);
        told.withheld(&launch, &left_out);
        told.servers(&launch, &home.plan);
        let signals = signals().map_err(|error| RunnerError::Engine(format!("signals cannot be watched: {error}")))?;
        let opened = match runner.open(home, &session) {
            Ok(opened) => opened,
            Err(refused) => {
                refused.home.dispose()?;
                return Err(refused.error);
            }
        };
        remember(&opened, shown);
        let opened = watched(opened, signals, session.own_group).await?;
        let settled = opened.settle(&runner).await?;
        told.settled(&settled);
        Ok(settled)
    }
}

fn utf8(argument: &OsStr) -> Result<String, RunnerError> {
    argument.to_str().map(str::to_owned).ok_or_else(|| RunnerError::BadInput {
        what: format!("the argument {} is not UTF-8", argument.display()),
        help: "arguments of the program are passed as UTF-8".to_owned(),
    })
}

fn status(settled: &Settled) -> u8 {
    let code = settled.status.code().or_else(|| settled.status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(REFUSED)
}

/// The report as a person was shown it goes into the record; that it cannot is no reason to end the session.
fn remember(opened: &Session, shown: String) {
    let home = &opened.home().input().home;
    if let Ok(mut record) = session::record(home, &opened.home().plan.run_id) {
        record.text = Some(shown);
        if let Err(error) = record.store(home) {
            tracing::warn!(target: "winter::session", %error, "the report is not recorded");
        }
    }
}

/// What is done with a signal that reached this process.
#[derive(Clone, Copy)]
enum Heard {
    /// Ctrl-C.
    Interrupt,
    /// Passed on as it is.
    Pass(Signal),
    /// Passed on where the terminal has not sent it to the program itself.
    PassToOthers(Signal),
}

fn signals() -> std::io::Result<futures::stream::SelectAll<BoxStream<'static, Heard>>> {
    let heard = [
        (SignalKind::interrupt(), Heard::Interrupt),
        (SignalKind::terminate(), Heard::Pass(Signal::TERM)),
        (SignalKind::hangup(), Heard::Pass(Signal::HUP)),
        (SignalKind::user_defined1(), Heard::Pass(Signal::USR1)),
        (SignalKind::user_defined2(), Heard::Pass(Signal::USR2)),
        (SignalKind::quit(), Heard::PassToOthers(Signal::QUIT)),
        (SignalKind::window_change(), Heard::PassToOthers(Signal::WINCH)),
    ];
    let mut streams = Vec::new();
    for (kind, heard) in heard {
        let stream =
            unfold(signal(kind)?, move |mut signal| async move { signal.recv().await.map(|()| (heard, signal)) });
        streams.push(stream.boxed());
    }
    Ok(select_all(streams))
}

/// Waits for the program's end and passes signals on meanwhile.
async fn watched(
    mut session: Session,
    mut signals: futures::stream::SelectAll<BoxStream<'static, Heard>>,
    own_group: bool,
) -> Result<Session, RunnerError> {
    let dir = session.home().dir.clone();
    let failed = |error| RunnerError::Write { path: dir.clone(), error };
    let (mut interrupted, mut kill_at) = (None::<Instant>, None::<Instant>);
    loop {
        let heard = {
            let ended = pin!(session.wait());
            let patience = kill_at.map_or(Duration::MAX, |at| at.saturating_duration_since(Instant::now()));
            match tokio::time::timeout(patience, select(ended, signals.next())).await {
                Ok(Either::Left((ended, _))) => {
                    ended.map_err(failed)?;
                    break;
                }
                Ok(Either::Right((heard, _))) => heard,
                Err(_) => None,
            }
        };
        let Some(heard) = heard else {
            kill_at = None;
            session.signal(Signal::KILL).map_err(failed)?;
            continue;
        };
        match heard {
            Heard::Interrupt => {
                let twice = interrupted.is_some_and(|before| before.elapsed() < TWICE);
                interrupted = Some(Instant::now());
                if twice {
                    session.signal(Signal::TERM).map_err(failed)?;
                    kill_at = Some(kill_at.unwrap_or_else(|| Instant::now() + GRACE));
                } else if own_group {
                    session.interrupt().map_err(failed)?;
                }
            }
            Heard::Pass(signal) => session.signal(signal).map_err(failed)?,
            Heard::PassToOthers(signal) if own_group => session.signal(signal).map_err(failed)?,
            Heard::PassToOthers(_) => {}
        }
    }
    Ok(session)
}

/// What a person is told on the error stream; the program has the other two.
struct Told {
    quiet: bool,
}

impl Told {
    fn line(&self, line: &str) {
        if !self.quiet {
            let _ = writeln!(anstream::stderr().lock(), "winter: {}", human::shown(line));
        }
    }

    fn report(&self, home: &RunHome, tables: &human::Tables) {
        let counts = human::counts(&home.plan.report, tables);
        if !counts.is_empty() {
            self.line(&format!("{}; winter runs show {}", counts.join(", "), home.plan.run_id));
        }
    }

    fn withheld(&self, launch: &Launch, path: &TrustedPath) {
        let withheld = &launch.withheld;
        if !withheld.is_empty() {
            let names: Vec<&str> = withheld.iter().take(4).map(|one| one.name.as_str()).collect();
            let more = withheld.len() - names.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            self.line(&format!(
                "variables of yours that the program does not get: {}{more} (--env NAME gives it one)",
                names.join(", ")
            ));
        }
        if !path.left_out.is_empty() {
            let left_out: Vec<String> = path.left_out.iter().map(|one| format!("`{}`", one.display())).collect();
            let why = "relative, or inside the project";
            self.line(&format!(
                "entries of PATH that the program does not get, since they are {why}: {}",
                left_out.join(", ")
            ));
        }
    }

    /// In print mode a server that never answers is only noticed by the wait for it.
    fn servers(&self, launch: &Launch, plan: &Plan) {
        let print = launch.arguments.iter().any(|argument| argument == "-p" || argument == "--print");
        let servers = server_names(plan);
        if print && !servers.is_empty() {
            self.line(&format!(
                "MCP servers that start by flag: {}; one that never answers delays the first answer by up to 30 s",
                servers.join(", ")
            ));
        }
    }

    fn settled(&self, settled: &Settled) {
        let keys = |changes: &mut dyn Iterator<Item = &Vec<String>>| {
            changes.map(|path| path.join(".")).collect::<Vec<_>>().join(", ")
        };
        let carried = &settled.carried;
        if !carried.applied.is_empty() {
            let applied = keys(&mut carried.applied.iter().map(|change| &change.path));
            self.line(&format!("settings that came home: {applied}"));
        }
        if !carried.held.is_empty() {
            let held = keys(&mut carried.held.iter().map(|held| &held.change.path));
            self.line(&format!("settings that the session changed and that are held: {held} (winter settings apply)"));
        }
        if let Some(report) = settled.recovered.as_ref().filter(|report| report.quarantine.is_some()) {
            let place = report.quarantine.as_deref().unwrap_or(Path::new("")).display();
            Self { quiet: false }.line(&format!("something of the session's transcripts is in quarantine: {place}"));
        }
        for stray in &settled.strays {
            let detail = stray.detail.as_deref().map_or(String::new(), |detail| format!(" ({detail})"));
            self.line(&format!("{} was replaced by the program and brought home{detail}", stray.path));
        }
        for problem in &settled.problems {
            // What could be lost is said in any case.
            Self { quiet: false }.line(problem);
        }
        if let Some(left) = &settled.left {
            Self { quiet: false }.line(&format!("the run home stays: {}", left.display()));
        }
    }
}

fn server_names(plan: &Plan) -> Vec<String> {
    let Some(config) = &plan.mcp_config else { return Vec::new() };
    let content = plan.entries.iter().find_map(|entry| match &entry.node {
        Node::Content(bytes) if entry.path == config.entry => Some(bytes),
        _ => None,
    });
    let file: serde_json::Value = content.and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default();
    let servers = file.get("mcpServers").and_then(serde_json::Value::as_object);
    servers.map(|servers| servers.keys().cloned().collect()).unwrap_or_default()
}
