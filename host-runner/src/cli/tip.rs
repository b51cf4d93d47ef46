//! `winter tip`.

use std::path::PathBuf;

use clap::Args;
use winter_runner::contract::switch_review::{Origin, PersistedSelection};
use winter_runner::{Config, Runner, RunnerError, Transcript, json};

use super::human;
use super::models::documents;

#[derive(Args)]
pub(crate) struct Tip {
    /// The session's transcript, a file of JSON lines; it is read from its end.
    file: PathBuf,
    /// A JSON document of your own, laid over the built-in catalog by tag; may be given more than once, later ones win.
    #[arg(long, value_name = "FILE")]
    catalog: Vec<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

impl Tip {
    pub(super) fn run(&self) -> Result<(), RunnerError> {
        let runner = Runner::new(Config::default())?;
        // The file alone is asked about: no record says what the session runs on.
        let unknown = Origin { provider: None, model: String::new(), protocol: None, family: None };
        let listed = PersistedSelection { runtime: None, origin: unknown };
        let report = runner.tip(&Transcript::new(&self.file), Some(&listed), &documents(&self.catalog)?)?;
        if self.json { human::value(&json::tip(&report)) } else { human::out(&human::lines(&report.summary)) }
    }
}
