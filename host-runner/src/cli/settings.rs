//! `winter settings apply`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;
use winter_runner::session::apply_setting;
use winter_runner::{Config, Runner, RunnerError};

use super::{human, places};

#[derive(Args)]
pub(crate) struct Settings {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Apply a setting that a session changed, and that was held, to your own settings.
    Apply(Apply),
}

#[derive(Args)]
struct Apply {
    /// The run's id.
    run_id: String,
    /// The setting, as `winter runs show` prints it.
    key: String,
    /// Winter's home. Default: ~/.winter
    #[arg(long, value_name = "DIR", env = "WINTER_HOME")]
    home: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Settings {
    pub(super) fn json(&self) -> bool {
        let What::Apply(apply) = &self.what;
        apply.json
    }

    pub(super) fn run(&self) -> Result<(), RunnerError> {
        let What::Apply(apply) = &self.what;
        let home = places::home(apply.home.clone())?;
        let runner = Runner::new(Config::default())?;
        let change = apply_setting(&runner, &home, &apply.run_id, &apply.key)?;
        if apply.json {
            return human::value(&json!({"applied": apply.key, "value": change.new}));
        }
        let key = human::shown(&apply.key);
        match change.new {
            Some(value) => human::out(&format!("{key} is now {}\n", human::shown(&value))),
            None => human::out(&format!("{key} is taken out\n")),
        }
    }
}
