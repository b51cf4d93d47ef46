//! `winter review-switch`.

use std::path::PathBuf;

use clap::Args;
use winter_runner::contract::switch_review::{Origin, PersistedSelection};
use winter_runner::{Config, Runner, RunnerError, Transcript, json};

use super::human;
use super::models::documents;

#[derive(Args)]
pub(crate) struct ReviewSwitch {
    /// The session's transcript, a file of JSON lines; it is read from its end.
    #[arg(long, value_name = "FILE")]
    transcript: PathBuf,
    /// What the session runs on, as its record says: `<provider>/<model>`. The transcript's own tip counts before it.
    #[arg(long, value_name = "TAG")]
    from: String,
    /// What it is to run on.
    #[arg(long, value_name = "TAG")]
    to: String,
    /// What does not fit the target's window blocks the switch, instead of being compacted.
    #[arg(long)]
    no_compaction: bool,
    /// A JSON document of your own, laid over the built-in catalog by tag; may be given more than once, later ones win.
    #[arg(long, value_name = "FILE")]
    catalog: Vec<PathBuf>,
    /// How many bytes are read at most.
    #[arg(long, value_name = "BYTES")]
    budget: Option<u64>,
    /// Print one JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

impl ReviewSwitch {
    pub(super) fn run(&self) -> Result<(), RunnerError> {
        let runner = Runner::new(Config::default())?;
        let listed = PersistedSelection { runtime: None, origin: origin(&self.from)? };
        let transcript = Transcript { budget: self.budget, ..Transcript::new(&self.transcript) };
        let documents = documents(&self.catalog)?;
        let target = origin(&self.to)?;
        let report = runner.review_switch(&transcript, Some(&listed), &target, !self.no_compaction, &documents)?;
        if self.json {
            human::value(&json::review(&report))?;
        } else {
            human::out(&human::lines(&report.summary))?;
        }
        // A finding, for scripts: something would be lost, or may be in what was not read.
        if report.skip || (report.losses.is_empty() && !report.truncated) { Ok(()) } else { Err(RunnerError::Said(3)) }
    }
}

/// A tag as an origin.
pub(super) fn origin(tag: &str) -> Result<Origin, RunnerError> {
    match tag.split_once('/') {
        Some((provider, model)) if !provider.is_empty() && !model.is_empty() => {
            Ok(Origin { provider: Some(provider.to_owned()), model: model.to_owned(), protocol: None, family: None })
        }
        _ => Err(RunnerError::BadInput {
            what: format!("`{tag}` is no tag"),
            help: "write `<provider>/<model>`; `winter models` lists them".to_owned(),
        }),
    }
}
