//! `winter select`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use winter_runner::contract::selection::{Input, Outcome, Requested, RuntimeKind};
use winter_runner::{Config, Runner, RunnerError, json};

use super::human;
use super::models::{document, documents};

#[derive(Args)]
pub(crate) struct Select {
    /// What to run, as `<provider>/<model>`.
    #[arg(long, value_name = "TAG")]
    model: String,
    /// The provider once more; it must be that of the tag.
    #[arg(long, value_name = "P")]
    provider: Option<String>,
    /// Which runtime. Default: the one that serves.
    #[arg(long, value_enum)]
    runtime: Option<RuntimeName>,
    /// A JSON document of your own, laid over the built-in catalog by tag; may be given more than once, later ones win.
    #[arg(long, value_name = "FILE")]
    catalog: Vec<PathBuf>,
    /// A JSON list of the credentials that you hold, each `{"provider", "kind", "reference"}`; never the secrets.
    #[arg(long, value_name = "FILE")]
    credentials: Option<PathBuf>,
    /// Print each row of the table with why it did or did not apply.
    #[arg(long)]
    explain: bool,
    /// Print one JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum RuntimeName {
    WinterAgent,
    ClaudeAgent,
}

impl Select {
    pub(super) fn run(&self) -> Result<(), RunnerError> {
        let runner = Runner::new(Config::default())?;
        let credentials = match &self.credentials {
            Some(path) => runner.credentials(&document(path)?)?,
            None => Vec::new(),
        };
        let answer = runner.select(&Input {
            requested: Requested {
                model: self.model.clone(),
                provider: self.provider.clone(),
                runtime: self.runtime.map(|runtime| match runtime {
                    RuntimeName::WinterAgent => RuntimeKind::WinterAgent,
                    RuntimeName::ClaudeAgent => RuntimeKind::ClaudeAgent,
                }),
            },
            catalog: runner.packed_catalog(&documents(&self.catalog)?)?,
            credentials,
            persisted: None,
            explain: self.explain,
        })?;
        if self.json {
            human::value(&json::answer(&answer))?;
        } else {
            human::out(&human::answer(&answer))?;
        }
        match answer.outcome {
            Outcome::Selected(_) => Ok(()),
            // The answer has said all; the exit code says that it is a refusal.
            Outcome::Refused(_) => Err(RunnerError::Said(3)),
        }
    }
}
