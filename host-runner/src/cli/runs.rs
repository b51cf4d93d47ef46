//! `winter runs` and `winter runs show`.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, Subcommand};
use winter_runner::contract::explain::Sheet;
use winter_runner::runs::{self, RunListing, State};
use winter_runner::session::{Record, record};
use winter_runner::{Config, Runner, RunnerError};

use super::{human, places};

#[derive(Args)]
pub(crate) struct Runs {
    /// Winter's home. Default: ~/.winter
    #[arg(long, value_name = "DIR", env = "WINTER_HOME")]
    home: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Subcommand)]
enum What {
    /// Show what is kept of a session: its report, and the settings that it changed.
    Show(Show),
}

#[derive(Args)]
struct Show {
    /// The run's id.
    run_id: String,
    /// Winter's home. Default: ~/.winter
    #[arg(long, value_name = "DIR", env = "WINTER_HOME")]
    home: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Print secrets as they are, not as a mask with a short digest.
    #[arg(long)]
    reveal: bool,
}

impl Show {
    fn run(&self) -> Result<(), RunnerError> {
        let mut record = record(&places::home(self.home.clone())?, &self.run_id)?;
        if !self.reveal {
            let runner = Runner::new(Config::default())?;
            for leaf in record.applied.iter_mut().chain(&mut record.held) {
                let name = leaf.path.last().cloned().unwrap_or_default();
                for value in [&mut leaf.old, &mut leaf.new].into_iter().flatten() {
                    *value = masked(&runner, &name, value)?;
                }
            }
        }
        if self.json {
            return human::value(&serde_json::to_value(&record).unwrap_or_default());
        }
        human::out(&shown(&record))
    }
}

/// A value as the policy masks it under that name.
fn masked(runner: &Runner, name: &str, value: &str) -> Result<String, RunnerError> {
    let Ok(parsed) = serde_json::from_str::<serde_json::Value>(value) else { return Ok(value.to_owned()) };
    let shown = runner.masked(&serde_json::json!({ name: parsed }).to_string())?;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap_or_default();
    Ok(shown[name].to_string())
}

/// What is kept of a session, for a person.
fn shown(record: &Record) -> String {
    let mut text = record.text.clone().unwrap_or_default();
    let mut lines = vec![String::new(), format!("It worked in {}", record.cwd)];
    let ended = match (record.status, record.signal) {
        (Some(status), _) => format!("it exited with {status}"),
        (None, Some(signal)) => format!("signal {signal} ended it"),
        (None, None) => "it has not ended, or winter was killed".to_owned(),
    };
    lines.push(format!("Outcome: {}, {ended}", record.outcome));
    if !record.withheld.is_empty() {
        lines.push(format!("Variables that it did not get: {}", record.withheld.join(", ")));
    }
    for leaf in &record.applied {
        lines.push(format!("Came home: {} = {}", leaf.key, leaf.new.as_deref().unwrap_or("(nothing)")));
    }
    for leaf in &record.held {
        let (old, new) = (leaf.old.as_deref().unwrap_or("(nothing)"), leaf.new.as_deref().unwrap_or("(nothing)"));
        let reason = leaf.reason.as_deref().unwrap_or_default();
        lines.push(format!("Held ({reason}): {}: {old} -> {new}", leaf.key));
    }
    for stray in &record.strays {
        lines.push(format!("Replaced by the program: {stray}"));
    }
    if !record.held.is_empty() {
        lines.push(format!("winter settings apply {} KEY makes a held one your own", record.run_id));
    }
    text.push_str(&human::lines(&lines));
    text
}

impl Runs {
    pub(super) fn json(&self) -> bool {
        self.json || matches!(&self.what, Some(What::Show(show)) if show.json)
    }

    pub(super) fn run(&self) -> Result<(), RunnerError> {
        if let Some(What::Show(show)) = &self.what {
            return show.run();
        }
        let home = places::home(self.home.clone())?;
        let found = runs::list(&home)?;
        if self.json {
            return human::value(&serde_json::to_value(&found).unwrap_or_default());
        }
        human::out(&table(&found, &home))
    }
}

fn table(found: &runs::Runs, home: &std::path::Path) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let place = human::shown(&home.display().to_string());
    if found.runs.is_empty() {
        return format!("There are no runs under {place}.\n");
    }
    let rows = found.runs.iter().map(|run| row(run, u64::try_from(now).unwrap_or(u64::MAX))).collect();
    let columns = ["id", "state", "age", "brand", "size", "project"].map(str::to_owned).to_vec();
    let title = format!("Runs ({}) under {place}", found.runs.len());
    let mut text = human::sheets(&[Sheet { title, columns, rows }]);
    for run in &found.runs {
        if let Some(problem) = &run.problem {
            text.push_str(&human::lines(&[format!("{}: {problem}", run.dir.display())]));
        }
    }
    if found.runs.iter().any(|run| run.state == State::Dead) {
        text.push_str("What is dead is removed by the next build.\n");
    }
    if found.cut {
        text.push_str("There are more names than were looked at.\n");
    }
    text
}

fn row(run: &RunListing, now: u64) -> Vec<String> {
    let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let size = format!("{}{}", if run.cut { ">" } else { "" }, bytes(run.size));
    vec![
        run.run_id.clone(),
        run.state.name().to_owned(),
        run.built_at.map_or_else(|| "-".to_owned(), |built| age(now.saturating_sub(built))),
        or_none(&run.brand),
        size,
        or_none(&run.project),
    ]
}

/// Milliseconds in the largest unit that is not nothing.
fn age(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    for (unit, length) in [("d", 86_400), ("h", 3600), ("min", 60)] {
        if seconds >= length {
            return format!("{} {unit}", seconds / length);
        }
    }
    format!("{seconds} s")
}

fn bytes(count: u64) -> String {
    for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] {
        if count >> shift > 0 {
            return format!("{} {unit}", count >> shift);
        }
    }
    format!("{count} B")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_and_sizes_are_in_one_unit() {
        let ages = [0, 999, 59_999, 60_000, 3_599_999, 3_600_000, 86_400_000, u64::MAX];
        let said = ["0 s", "0 s", "59 s", "1 min", "59 min", "1 h", "1 d", "213503982334 d"];
        assert_eq!(ages.map(age), said);
        assert_eq!(
            [0, 1023, 1024, 1 << 20, u64::MAX].map(bytes),
            ["0 B", "1023 B", "1 KiB", "1 MiB", "17179869183 GiB"]
        );
    }
}
