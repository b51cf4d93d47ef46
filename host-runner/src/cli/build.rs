//! `winter build` and `winter plan`.

use clap::Args;
use serde_json::json;
use winter_runner::contract::run_home;
use winter_runner::{Config, Grants, RunHomeInput, Runner, RunnerError, json};

use super::human;
use super::places::Places;

#[derive(Args)]
pub(crate) struct Build {
    #[command(flatten)]
    run_home: RunHomeArgs,
}

#[derive(Args)]
pub(crate) struct Plan {
    #[command(flatten)]
    run_home: RunHomeArgs,
}

#[derive(Args)]
struct RunHomeArgs {
    #[command(flatten)]
    places: Places,
    #[command(flatten)]
    output: Output,
}

#[derive(Args)]
struct Output {
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Print secrets as they are, not as a mask with a short digest.
    #[arg(long)]
    reveal: bool,
}

impl RunHomeArgs {
    fn runner(&self) -> Result<(Runner, RunHomeInput), RunnerError> {
        let input = self.places.input()?;
        let grants = Grants::for_run_homes(input.reads());
        Ok((Runner::new(Config { grants, ..Config::default() })?, input))
    }

    fn print(&self, runner: &Runner, plan: &run_home::Plan, built: bool) -> Result<(), RunnerError> {
        let Output { json, reveal } = self.output;
        if json {
            let mut value = json::plan(plan);
            value["built"] = json!(built);
            if !reveal {
                for entry in value["entries"].as_array_mut().into_iter().flatten() {
                    let is_json = entry["path"].as_str().is_some_and(|path| path.strip_suffix(".json").is_some());
                    if let Some(content) = entry["node"]["content"].as_str().filter(|_| is_json) {
                        entry["node"] = json!({ "content": runner.masked(content)? });
                    }
                }
                value["effective-settings"] = runner.masked(&plan.effective_settings)?.into();
                value = serde_json::from_str(&runner.masked(&value.to_string())?).unwrap_or(value);
            }
            return human::value(&value);
        }
        let tables = human::Tables::of(runner)?;
        human::out(&human::plan(plan, built, reveal, &tables))
    }
}

impl Build {
    pub(super) fn json(&self) -> bool {
        self.run_home.output.json
    }

    pub(super) fn run(&self) -> Result<(), RunnerError> {
        let (runner, input) = self.run_home.runner()?;
        let home = runner.build_run_home(&input)?;
        self.run_home.print(&runner, &home.plan, true)
    }
}

impl Plan {
    pub(super) fn json(&self) -> bool {
        self.run_home.output.json
    }

    pub(super) fn run(&self) -> Result<(), RunnerError> {
        let (runner, input) = self.run_home.runner()?;
        let plan = runner.plan_run_home(&input)?;
        self.run_home.print(&runner, &plan, false)
    }
}
