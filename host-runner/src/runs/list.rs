//! Every run with its state.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::manifest::{Manifest, ManifestEntry};
use super::walk::{Finder, walk};
use crate::capability::files::{FilesError, Folder, IoKind, Kind, MAX_LISTED};
use crate::error::RunnerError;
use crate::materialize::{self, Held, MaterializeError, Name};

/// How many names of one run are counted; a run that holds more says so.
pub const MAX_COUNTED: u64 = 100_000;

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum State {
    /// It is whole.
    Ready,
    /// It is whole, and a session is open on it.
    Open,
    /// A live process is building it.
    Building,
    /// A dead build, or a disposal that did not end, left it; the next build removes it.
    Dead,
    /// Its manifest cannot be read, or something that it lists is not there; nothing removes it but a person.
    Damaged,
}

impl State {
    /// Its name, as JSON has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Open => "open",
            Self::Building => "building",
            Self::Dead => "dead",
            Self::Damaged => "damaged",
        }
    }
}

/// One run, as it stood when it was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RunListing {
    /// Its id.
    pub run_id: String,
    /// Where it stands; under another name than its id while it is building or dead.
    pub dir: PathBuf,
    /// How it stands.
    pub state: State,
    /// What is wrong with it, for a person.
    pub problem: Option<String>,
    /// Milliseconds since the Unix epoch, by its manifest, as are the next ones.
    pub built_at: Option<u64>,
    /// The brand's short name.
    pub brand: Option<String>,
    /// What the session was for.
    pub mode: Option<String>,
    /// Where the session was to work.
    pub cwd: Option<String>,
    /// The project that was trusted.
    pub project: Option<String>,
    /// Whether what acts in the project's configuration may act.
    pub powers: Option<String>,
    /// Bytes of the files that stand in it now; what links lead to is not counted.
    pub size: u64,
    /// How many names stand in it now.
    pub entries: u64,
    /// More stands in it than was counted.
    pub cut: bool,
}

/// The runs of one home.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Runs {
    /// In order of their ids, which is the order of their builds.
    pub runs: Vec<RunListing>,
    /// There are more than the 131,072 names that were looked at.
    pub cut: bool,
}

/// Every run under `home`, whatever state it is in; none where no run was ever built.
///
/// Nothing is made or changed, and no link is followed but in `home` itself. One run that cannot be read is listed with its
/// problem; only a folder of runs that cannot be read fails. Names that no run can have are left out.
pub fn list(home: &Path) -> Result<Runs, RunnerError> {
    let Some(folder) = materialize::find_runs(home)? else { return Ok(Runs::default()) };
    let unreadable = |cause| MaterializeError::Runs { path: folder.path(), cause };
    let listing = folder.entries(MAX_LISTED).map_err(unreadable)?;
    let (mut runs, mut locked_out) = (Vec::new(), None);
    for entry in &listing.entries {
        let Some((name, run_id)) = materialize::name_of(&entry.name).filter(|_| entry.kind == Kind::Directory) else {
            continue;
        };
        runs.extend(one(&folder, &entry.name, name, run_id, &mut locked_out));
    }
    runs.sort_by(|a, b| (&a.run_id, &a.dir).cmp(&(&b.run_id, &b.dir)));
    Ok(Runs { runs, cut: listing.cut })
}

/// None when it is gone by now.
fn one(
    runs: &Folder,
    at: &str,
    name: Name,
    run_id: &str,
    locked_out: &mut Option<MaterializeError>,
) -> Option<RunListing> {
    let mut run = RunListing {
        run_id: run_id.to_owned(),
        dir: PathBuf::from(runs.path_of(at)),
        state: State::Damaged,
        problem: None,
        built_at: None,
        brand: None,
        mode: None,
        cwd: None,
        project: None,
        powers: None,
        size: 0,
        entries: 0,
        cut: false,
    };
    let opened = match runs.open_folder(at) {
        Err(FilesError::Io(error)) if error.kind == IoKind::NotFound => return None,
        opened => opened,
    };
    (run.state, run.problem) = match (name, &opened) {
        (Name::Run, Ok(folder)) => whole(folder, &mut run),
        (Name::Run, Err(error)) => (State::Damaged, Some(error.to_string())),
        (Name::Dead, _) => (State::Dead, None),
        (Name::Partial, _) => partial(runs, at, locked_out),
    };
    if let Ok(folder) = &opened {
        let (mut size, mut entries) = (0_u64, 0_u64);
        let unseen = walk(folder, MAX_COUNTED, |_, entry| {
            entries += 1;
            if entry.kind == Kind::Regular {
                size = size.saturating_add(entry.identity.size);
            }
            ControlFlow::Continue(())
        });
        (run.size, run.entries) = (size, entries.saturating_add(unseen.unnamed));
        run.cut = unseen.cut || unseen.folders > 0;
    }
    Some(run)
}

/// Whether a partial folder has a live builder. The lock of the runs, under which that is told, is waited for once.
fn partial(runs: &Folder, at: &str, locked_out: &mut Option<MaterializeError>) -> (State, Option<String>) {
    let unknown = |error: &MaterializeError| {
        (State::Building, Some(format!("whether its build still runs cannot be told: {error}")))
    };
    if let Some(error) = locked_out {
        return unknown(error);
    }
    match materialize::is_left(runs, at) {
        Ok(true) => (State::Dead, None),
        Ok(false) => (State::Building, None),
        Err(error) => unknown(locked_out.insert(error)),
    }
}

/// The state of a published run; what its manifest says is filled in.
fn whole(folder: &Folder, run: &mut RunListing) -> (State, Option<String>) {
    let manifest = match Manifest::of(folder) {
        Ok(manifest) => manifest,
        Err(error) => return (State::Damaged, Some(error.to_string())),
    };
    let missing = missing(folder, &manifest.entries);
    run.built_at = manifest.built_at;
    run.brand = manifest.brand;
    run.mode = manifest.mode;
    run.cwd = manifest.cwd;
    run.project = manifest.project;
    run.powers = manifest.powers;
    match missing {
        None if is_open(folder) => (State::Open, None),
        None => (State::Ready, None),
        Some((first, 1)) => (State::Damaged, Some(format!("{first} is missing"))),
        Some((first, count)) => (State::Damaged, Some(format!("{first} and {} more are missing", count - 1))),
    }
}

/// Whether a session holds it; one that cannot be opened is held by nobody.
fn is_open(folder: &Folder) -> bool {
    matches!(Held::of(folder), Ok(None))
}

/// The first entry that does not stand as what it was, and how many do not.
fn missing(folder: &Folder, entries: &[ManifestEntry]) -> Option<(String, u64)> {
    let (mut finder, mut first, mut count) = (Finder::new(folder), None, 0_u64);
    for entry in entries {
        let stands =
            finder.find(&entry.path).is_ok_and(|found| found.is_some_and(|it| it.kind == entry.kind.on_disk()));
        if !stands {
            count += 1;
            first.get_or_insert_with(|| entry.path.clone());
        }
    }
    first.map(|first| (first, count))
}
