//! `winter recover`.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use winter_runner::recovery::{Progress, RecoverInput, RecoveryReport};
use winter_runner::{Brand, Config, Runner, RunnerError};

use super::{human, places};

/// How long a recovery goes on before it is told how far it is.
const SILENT: Duration = Duration::from_secs(1);

#[derive(Args)]
#[command(
    after_help = "Nothing is overwritten and nothing is lost: each byte ends in your own transcripts, level with them, or \
    in quarantine. Running it again changes nothing. Exits with 3 when something is in quarantine, or is still to be done."
)]
pub(crate) struct Recover {
    /// The folder that a runtime wrote: a left-over run folder, or any other config folder.
    root: PathBuf,
    /// Winter's home. Default: ~/.winter
    #[arg(long, value_name = "DIR", env = "WINTER_HOME")]
    home: Option<PathBuf>,
    /// Your own items. Default: `sdk` in winter's home; for brand claude `CLAUDE_CONFIG_DIR`, else ~/.claude
    #[arg(long, value_name = "DIR")]
    shared_home: Option<PathBuf>,
    /// Which runtime wrote it: winter, claude, or a file that describes a brand of your own. Default: winter
    #[arg(long, value_name = "BRAND|FILE")]
    brand: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

impl Recover {
    pub(super) fn run(&self) -> Result<(), RunnerError> {
        let home = places::home(self.home.clone())?;
        let brand = places::brand(self.brand.as_deref())?;
        let shared_home = match &self.shared_home {
            Some(named) => named.clone(),
            None if matches!(brand, Brand::Claude) => places::claude_home()?,
            None => home.join("sdk"),
        };
        let runner = Runner::new(Config::default())?;
        let input = RecoverInput { root: self.root.clone(), shared_home, home };
        let mut bar = Bar::new();
        let report = runner.recover(&input, &mut |progress| bar.tell(progress));
        bar.end();
        let report = report?;
        if self.json {
            human::value(&serde_json::to_value(&report).unwrap_or_default())?;
        } else {
            human::out(&shown(&report))?;
        }
        match report.outcome {
            "quarantined" | "pending" => Err(RunnerError::Said(3)),
            _ => Ok(()),
        }
    }
}

/// How far a long recovery is, on a terminal.
struct Bar {
    since: Instant,
    told: Option<Instant>,
    is_shown: bool,
}

impl Bar {
    fn new() -> Self {
        Self { since: Instant::now(), told: None, is_shown: std::io::stderr().is_terminal() }
    }

    fn tell(&mut self, progress: Progress) {
        let due = self.told.is_none_or(|told| told.elapsed() > Duration::from_millis(100));
        if self.is_shown && due && self.since.elapsed() > SILENT {
            self.told = Some(Instant::now());
            let Progress { files, of, bytes, total } = progress;
            let filled = usize::try_from(bytes.saturating_mul(30) / total.max(1)).unwrap_or(30).min(30);
            let bar = format!("{}{}", "=".repeat(filled), " ".repeat(30 - filled));
            let (bytes, total) = (bytes >> 20, total >> 20);
            let _ = write!(std::io::stderr(), "\r[{bar}] {files} of {of} files, {bytes} of {total} MiB");
        }
    }

    fn end(&self) {
        if self.told.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

fn shown(report: &RecoveryReport) -> String {
    let mut lines = Vec::new();
    if report.linked {
        lines.push(
            "Its transcripts are a link: the runtime wrote into your own folder, and nothing is to be done.".to_owned(),
        );
    }
    for one in &report.transcripts {
        let subpath = one.subpath.as_deref().map_or(String::new(), |subpath| format!("/{subpath}"));
        let mut line = format!("{}: {}/{}{subpath}", one.outcome, one.project_key, one.session_id);
        if one.appended > 0 {
            let _ = write!(line, ", {} bytes appended", one.appended);
        }
        if let Some(reason) = &one.reason {
            let _ = write!(line, " ({reason})");
        }
        lines.push(line);
    }
    let artifacts = &report.artifacts;
    if artifacts.copied + artifacts.identical > 0 {
        lines.push(format!("other files: {} copied, {} there already", artifacts.copied, artifacts.identical));
    }
    lines.extend(artifacts.quarantined.iter().map(|path| format!("quarantined: {path}")));
    lines.extend(artifacts.skipped.iter().map(|path| format!("skipped: {path}, lines of an unknown kind")));
    lines.extend(report.problems.iter().map(|problem| format!("not done: {problem}")));
    if let Some(quarantine) = &report.quarantine {
        lines.push(format!("quarantine: {}", quarantine.display()));
    }
    lines.push(format!("Outcome: {}", report.outcome));
    human::lines(&lines)
}
