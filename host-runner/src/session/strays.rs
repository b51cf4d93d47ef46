//! Entries that were links into the shared home, and that the program has replaced by files of its own, and plans: brought home.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::contract::carry::{Action, Beside, Stands};
use crate::contract::run_home::Node;
use crate::error::RunnerError;
use crate::private;
use crate::run_home::RunHome;
use crate::runner::Runner;

use super::plans::{self, Begun};

/// What became of one such entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StrayOutcome {
    /// It is in the shared home, where nothing stood.
    Placed,
    /// It is in the shared home; what stood there is in quarantine.
    Replaced,
    /// It is in quarantine; the shared home is as it was.
    Quarantined,
    /// It could not be brought home, and stays in the run folder.
    Failed,
}

/// One entry that the program replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Stray {
    /// Where it stood in the run folder.
    pub path: String,
    /// What became of it.
    pub outcome: StrayOutcome,
    /// Where in quarantine something of it lies, or why it failed.
    pub detail: Option<String>,
}

/// Brings home every entry that is no longer the link that was built, and every plan that the session wrote.
pub(super) fn settle(runner: &Runner, home: &RunHome, begun: &Begun) -> Result<Vec<Stray>, RunnerError> {
    let mut strays = Vec::new();
    let aside = Aside::of(home);
    for name in plans::changed(home, begun) {
        let entry = format!("{}/{name}", plans::FOLDER);
        let target = Path::new(&home.plan.sdk_home).join(&entry);
        // A link there may be a session's own work: it is not written through.
        let beside = target.is_symlink().then_some(Beside::NoFile);
        strays.extend(bring(runner, home, &aside, &entry, &target, beside)?);
    }
    for entry in &home.plan.entries {
        let Node::Link(target) = &entry.node else { continue };
        let path = home.dir.join(&entry.path);
        let Ok(stands) = path.symlink_metadata() else { continue };
        if stands.is_symlink() && fs::read_link(&path).is_ok_and(|found| found == Path::new(target)) {
            continue;
        }
        strays.extend(bring(runner, home, &aside, &entry.path, Path::new(target), None)?);
    }
    Ok(strays)
}

/// Brings one entry home; none when there is nothing to bring.
fn bring(
    runner: &Runner,
    home: &RunHome,
    aside: &Aside,
    entry: &str,
    target: &Path,
    known: Option<Beside>,
) -> Result<Option<Stray>, RunnerError> {
    let path = home.dir.join(entry);
    let Ok(stands) = path.symlink_metadata() else { return Ok(None) };
    let kind = match () {
        () if stands.is_file() => Stands::File,
        () if stands.is_dir() => Stands::Folder,
        () => Stands::Other,
    };
    let action = runner.stray(kind, known.unwrap_or_else(|| beside(&path, &stands, target)))?;
    let done = match action {
        Action::Leave => return Ok(None),
        Action::Place => place(&path, target).map(|()| (StrayOutcome::Placed, None)),
        Action::Replace => aside
            .copy(target, entry)
            .and_then(|kept| place(&path, target).map(|()| (StrayOutcome::Replaced, Some(kept)))),
        Action::Aside => aside.take(&path, entry).map(|kept| (StrayOutcome::Quarantined, Some(kept))),
    };
    let (outcome, detail) = match done {
        Ok((outcome, kept)) => (outcome, kept.map(|kept| kept.display().to_string())),
        Err(error) => (StrayOutcome::Failed, Some(error.to_string())),
    };
    Ok(Some(Stray { path: entry.to_owned(), outcome, detail }))
}

fn beside(path: &Path, stands: &Metadata, target: &Path) -> Beside {
    let Ok(there) = fs::metadata(target) else { return Beside::Absent };
    if !there.is_file() {
        return Beside::NoFile;
    }
    let same = || match (private::read(path), private::read(target)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    };
    if stands.len() == there.len() && same() {
        return Beside::Level;
    }
    let newer = |a: &Metadata, b: &Metadata| matches!((a.modified(), b.modified()), (Ok(a), Ok(b)) if a >= b);
    if newer(stands, &there) { Beside::Older } else { Beside::Newer }
}

fn place(path: &Path, target: &Path) -> io::Result<()> {
    let bytes = private::read(path)?.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
    private::write(target, &bytes).map_err(|error| io::Error::other(error.to_string()))
}

/// The folder in quarantine of one run, made when something goes there.
struct Aside(PathBuf);

impl Aside {
    fn of(home: &RunHome) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        Self(home.input.home.join("cache/quarantine").join(format!("{now}-{}", home.plan.run_id)))
    }

    fn place_for(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.0.join(name);
        let parent = path.parent().unwrap_or(&self.0);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
        Ok(path)
    }

    /// A copy of a file, 0600.
    fn copy(&self, from: &Path, name: &str) -> io::Result<PathBuf> {
        let to = self.place_for(name)?;
        let bytes = private::read(from)?.unwrap_or_default();
        private::write(&to, &bytes).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(to)
    }

    /// The thing itself, whatever it is; both places are under winter's home.
    fn take(&self, from: &Path, name: &str) -> io::Result<PathBuf> {
        let to = self.place_for(name)?;
        fs::rename(from, &to)?;
        Ok(to)
    }
}
