//! `winter explain`.

use clap::{Args, ValueEnum};
use serde_json::json;
use winter_runner::contract::explain::Topic;
use winter_runner::{Config, Runner, RunnerError};

use super::human;

#[derive(Args)]
pub(crate) struct Explain {
    /// Which tables.
    #[arg(value_enum)]
    topic: TopicName,
    /// Print one JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum TopicName {
    /// What is dropped from settings files, and how their keys combine.
    Settings,
    /// Which variables a settings file may set.
    Env,
    /// What acts in a repository's configuration, and where.
    Powers,
    /// What of agents, skills, commands, styles and rules a run home holds.
    Items,
    /// Which MCP servers a run home holds.
    Mcp,
    /// How grave each reason of a report is, and what you could do.
    Report,
    /// How literal paths are spelt.
    Escape,
    /// Which runtime, provider and credential serve a request.
    Selection,
    /// What a change of the model would lose.
    SwitchReview,
    /// Whether a session may start, and with what.
    Door,
    /// Which settings a session brings home.
    Carry,
    /// What becomes of a working copy's transcripts.
    Recovery,
    /// What a session's tools may not name.
    Containment,
}

impl Explain {
    pub(super) fn run(&self) -> Result<(), RunnerError> {
        let topic = match self.topic {
            TopicName::Settings => Topic::Settings,
            TopicName::Env => Topic::Env,
            TopicName::Powers => Topic::Powers,
            TopicName::Items => Topic::Items,
            TopicName::Mcp => Topic::Mcp,
            TopicName::Report => Topic::Report,
            TopicName::Escape => Topic::Escape,
            TopicName::Selection => Topic::Selection,
            TopicName::SwitchReview => Topic::SwitchReview,
            TopicName::Door => Topic::Door,
            TopicName::Carry => Topic::Carry,
            TopicName::Recovery => Topic::Recovery,
            TopicName::Containment => Topic::Containment,
        };
        let sheets = Runner::new(Config::default())?.sheets(topic)?;
        if self.json {
            let sheets: Vec<_> = sheets
                .iter()
                .map(|sheet| json!({"title": sheet.title, "columns": sheet.columns, "rows": sheet.rows}))
                .collect();
            human::value(&json!({ "tables": sheets }))
        } else {
            human::out(&human::sheets(&sheets))
        }
    }
}
