//! The command line: a thin user of the library, one file a subcommand.

mod build;
mod dispose;
mod escape;
mod explain;
mod human;
mod inspect;
mod models;
mod places;
mod review_switch;
mod select;
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
    /// Remove a run home.
    Dispose(dispose::Dispose),
    /// Spell a literal path for a permission rule or a sandbox list.
    Escape(escape::Escape),
    /// Print the policy's own tables.
    Explain(explain::Explain),
    /// Print what the component imports and what it would be granted.
    Inspect(inspect::Inspect),
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
            Self::Dispose(command) => command.run(),
            Self::Escape(command) => command.run(),
            Self::Explain(command) => command.run(),
            Self::Inspect(command) => command.run(),
            Self::Models(command) => command.run(),
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
    let cli = Cli::parse();
    let json = cli.command.json();
    match log(cli.log.as_deref()).and_then(|()| cli.command.run()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(RunnerError::Said(code)) => ExitCode::from(code),
        Err(error) => failed(&error, json),
    }
}

fn failed(error: &RunnerError, json: bool) -> ExitCode {
    human::error(error, json);
    ExitCode::from(error.exit_code())
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
