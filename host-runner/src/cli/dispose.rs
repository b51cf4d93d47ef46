//! `winter dispose`.

use std::path::PathBuf;

use clap::Args;
use winter_runner::{RunnerError, dispose_run_home};

use super::{human, places};

#[derive(Args)]
pub(crate) struct Dispose {
    /// The run's id, as `winter build` printed it.
    run_id: String,
    /// Winter's home. Default: ~/.winter
    #[arg(long, value_name = "DIR", env = "WINTER_HOME")]
    home: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

impl Dispose {
    pub(super) fn run(&self) -> Result<(), RunnerError> {
        let home = places::home(self.home.clone())?;
        dispose_run_home(&home, &self.run_id)?;
        if self.json {
            human::value(&serde_json::json!({"disposed": self.run_id}))
        } else {
            human::out(&format!("disposed {}\n", human::shown(&self.run_id)))
        }
    }
}
