//! The command line: a thin user of the library, one file a subcommand.

mod build;
mod diff;
mod dispose;
mod escape;
mod explain;
mod hook;
mod human;
mod inspect;
mod models;
mod places;
mod preview;
mod recover;
mod review_switch;
mod run;
mod runs;
mod select;
mod settings;
mod tip;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use winter_runner::RunnerError;

/// Decides what a coding-agent session may be given, and builds exactly that.
///
/// Out of your own home and a repository that you do not trust it builds a per-run config folder (a run home), drops
/// everything through which the repository could escalate, and reports each drop with its reason.
#[derive(Parser)]
#[command(name = "winter", version, propagate_version = true, disable_help_subcommand = true)]
#[command(
    after_help = "Exit codes: 0 done, 2 bad input, 3 refused by policy, 4 a capability was denied, 5 the environment failed."
)]
struct Cli {
    /// What to write to the error stream about the work itself, e.g. `info` or `winter=debug`.
    #[arg(long, global = true, value_name = "FILTER", env = "WINTER_LOG")]
    log: Option<String>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build a run home and print its path and report.
    Build(build::Build),
    /// Print what a run home would hold; write nothing.
    Plan(build::Plan),
    /// Build a run home, start a program on it, and bring home what it leaves.
    Run(run::Run),
    /// Bring the transcripts of a left-over run folder home.
    Recover(recover::Recover),
    /// List the run homes that stand, or show what is kept of one.
    Runs(runs::Runs),
    /// Apply a setting that a session changed, and that was held.
    Settings(settings::Settings),
    /// Print how a run home differs from what would be built now.
    Diff(diff::Diff),
    /// Remove a run home.
    Dispose(dispose::Dispose),
    /// Spell a literal path for a permission rule or a sandbox list.
    Escape(escape::Escape),
    /// Print the policy's own tables.
    Explain(explain::Explain),
    /// A session's own hooks.
    Hook(hook::Hook),
    /// Print what the component imports and what it would be granted.
    Inspect(inspect::Inspect),
    /// Serve the preview page on this machine; opens nothing by itself.
    Preview(preview::Preview),
    /// Print the catalog of models.
    Models(models::Models),
    /// Select the runtime, provider and credential for a model.
    Select(select::Select),
    /// Print what a change of the model would lose.
    ReviewSwitch(review_switch::ReviewSwitch),
    /// Print who spoke last in a transcript, and why that is so.
    Tip(tip::Tip),
}

impl Command {
    fn run(&self) -> Result<(), RunnerError> {
        match self {
            Self::Build(command) => command.run(),
            Self::Plan(command) => command.run(),
            Self::Run(command) => command.run(),
            Self::Recover(command) => command.run(),
            Self::Runs(command) => command.run(),
            Self::Settings(command) => command.run(),
            Self::Diff(command) => command.run(),
            Self::Dispose(command) => command.run(),
            Self::Escape(command) => command.run(),
            Self::Explain(command) => command.run(),
            Self::Hook(command) => command.run(),
            Self::Inspect(command) => command.run(),
            Self::Models(command) => command.run(),
            Self::Preview(command) => command.run(),
            Self::Select(command) => command.run(),
            Self::ReviewSwitch(command) => command.run(),
            Self::Tip(command) => command.run(),
        }
    }

    /// Whether errors, too, are told as objects.
    fn json(&self) -> bool {
        match self {
            Self::Build(command) => command.json(),
            Self::Plan(command) => command.json(),
            Self::Run(_) | Self::Hook(_) | Self::Preview(_) => false,
            Self::Recover(command) => command.json,
            Self::Runs(command) => command.json(),
            Self::Settings(command) => command.json(),
            Self::Diff(command) => command.json,
            Self::Dispose(command) => command.json,
            Self::Escape(command) => command.json(),
            Self::Explain(command) => command.json,
            Self::Inspect(command) => command.json(),
            Self::Models(command) => command.json,
            Self::Select(command) => command.json,
            Self::ReviewSwitch(command) => command.json,
            Self::Tip(command) => command.json,
        }
    }
}

/// Runs the program; every error is printed once, in one form.
pub(crate) fn main() -> ExitCode {
    if !hook::is_asked(std::env::args_os()) {
        return program();
    }
    hook::guard(hook::PATIENCE);
    hook::settled(program())
}

fn program() -> ExitCode {
    let cli = Cli::parse();
    let json = cli.command.json();
    match log(cli.log.as_deref()).and_then(|()| cli.command.run()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(RunnerError::Said(code)) => ExitCode::from(code),
        Err(error) => {
            human::error(&error, json);
            let is_run = matches!(cli.command, Command::Run(_));
            ExitCode::from(if is_run { run::exit_code(&error) } else { error.exit_code() })
        }
    }
}

fn log(filter: Option<&str>) -> Result<(), RunnerError> {
    let Some(filter) = filter else { return Ok(()) };
    let parsed = filter.parse::<tracing_subscriber::EnvFilter>().map_err(|error| RunnerError::BadInput {
        what: format!("`{filter}` is no log filter: {error}"),
        help: "give a level (error, warn, info, debug, trace), or target=level pairs joined by commas".to_owned(),
    })?;
    tracing_subscriber::fmt().with_env_filter(parsed).with_writer(std::io::stderr).init();
    Ok(())
}
