//! The folder of the runs: making it, and finding and removing what stands there.

use std::path::Path;

use rustix::fs::{Access, AtFlags};
use rustix::io::Errno;
use serde_json::Value;

use super::handle::{Held, Lock, PRIVATE, is_same, make_private, rename_new};
use super::{BUILDING, HomeError, MANIFEST, MaterializeError, PARTIAL, plan, remove};
use crate::capability::files::{FilesError, Folder, GrantError, IoError, IoKind, Kind, MAX_LISTED};

/// A manifest is read whole to be recognised; a larger one is not ours.
pub(crate) const MAX_MANIFEST: u64 = 64 << 20;

/// One run, as it stood when it was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its id.
    pub run_id: String,
    /// How far it is.
    pub state: RunState,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// It stands.
    Complete,
    /// A live process is building it.
    Building,
    /// A dead build, or a disposal that did not end, left it; [`sweep`] removes it.
    Abandoned,
    /// A folder with the name of a run but no manifest: nothing here removes it.
    Unrecognised,
}

/// What [`sweep`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// The ids of what was removed, in order.
    pub removed: Vec<String>,
    /// What could not be removed, and why.
    pub failed: Vec<MaterializeError>,
}

/// Opens `<home>/cache/runs`, and makes what is missing of it: of the home only the last component.
///
/// The home may be reached through links, since its name is a person's word; below it none is followed. What is made is
/// 0700; `cache` and `cache/runs` that others could enter are closed to them, an existing home is left as it is.
/// What stands in the way is [`MaterializeError::Home`].
pub fn ensure_runs(home: &Path) -> Result<Folder, MaterializeError> {
    open_runs(home).map_err(MaterializeError::Home)
}

/// Opens `<home>/cache/runs` as it stands, or none where it, or a folder on the way, does not; nothing is made or changed.
///
/// The home may be reached through links, below it none is followed. What stands in the way is [`MaterializeError::Home`].
pub fn find_runs(home: &Path) -> Result<Option<Folder>, MaterializeError> {
    let mut folder = match Folder::grant(home) {
        Ok(folder) => folder,
        Err(GrantError::NotFound { .. }) => return Ok(None),
        Err(GrantError::NoPermission { path }) => {
            let cause = IoError { kind: IoKind::Permission, text: "no permission to enter it".to_owned() };
            return Err(HomeError::Failed { path, cause }.into());
        }
        Err(error) => return Err(HomeError::of_grant(error).into()),
    };
    for name in ["cache", "runs"] {
        let path = folder.path_of(name);
        folder = match folder.open_folder(name) {
            Ok(folder) => folder,
            Err(FilesError::Io(IoError { kind: IoKind::NotFound, .. })) => return Ok(None),
            Err(FilesError::Io(cause)) => return Err(HomeError::Failed { path, cause }.into()),
            Err(error) => return Err(HomeError::at(path, error).into()),
        };
    }
    folder.detached().map(Some).map_err(|error| HomeError::at(folder.path(), error).into())
}

fn open_runs(home: &Path) -> Result<Folder, HomeError> {
    let folder = match Folder::grant(home) {
        Ok(folder) => folder,
        Err(GrantError::NotFound { .. }) => make_home(home)?,
        Err(error) => return Err(HomeError::of_grant(error)),
    };
    let runs = private(&private(&folder, "cache")?, "runs")?;
    let flags = Access::WRITE_OK | Access::EXEC_OK;
    match rustix::fs::accessat(runs.handle(), ".", flags, AtFlags::EACCESS) {
        Ok(()) => runs.detached().map_err(|error| HomeError::at(runs.path(), error)),
        Err(error) => Err(HomeError::at(runs.path(), error.into())),
    }
}

fn make_home(home: &Path) -> Result<Folder, HomeError> {
    let lossy = |path: &Path| path.to_string_lossy().into_owned();
    let (Some(name), Some(parent)) = (home.file_name(), home.parent()) else {
        return Err(HomeError::ParentMissing { path: lossy(home) });
    };
    let Some(name) = name.to_str() else { return Err(HomeError::NotUtf8 { path: lossy(home) }) };
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let parent = Folder::grant(parent).map_err(HomeError::of_grant)?;
    make(&parent, name)?;
    let made = parent.open_folder(name).map_err(|error| HomeError::at(parent.path_of(name), error))?;
    make_private(parent.handle(), name, made.handle()).map_err(|error| HomeError::at(made.path(), error.into()))?;
    Ok(made)
}

/// The folder `name`, made if it is missing, 0700.
fn private(parent: &Folder, name: &str) -> Result<Folder, HomeError> {
    let failed = |error| HomeError::at(parent.path_of(name), error);
    if parent.stat(name).map_err(failed)?.is_none() {
        make(parent, name)?;
    }
    let folder = parent.open_folder(name).map_err(failed)?;
    match make_private(parent.handle(), name, folder.handle()) {
        Ok(()) => Ok(folder),
        Err(error) if Errno::from_io_error(&error) == Some(Errno::PERM) => {
            Err(HomeError::NotPrivate { path: folder.path() })
        }
        Err(error) => Err(failed(error.into())),
    }
}

fn make(parent: &Folder, name: &str) -> Result<(), HomeError> {
    match rustix::fs::mkdirat(parent.handle(), name, PRIVATE) {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        Err(Errno::ACCESS | Errno::PERM | Errno::ROFS) => Err(HomeError::NotWritable { path: parent.path() }),
        Err(Errno::NOSPC | Errno::DQUOT) => Err(HomeError::DiskFull { path: parent.path_of(name) }),
        Err(error) => Err(HomeError::at(parent.path_of(name), error.into())),
    }
}

/// What stands in `runs`, in order of the ids; at most the first 131,072 names are looked at, and names that no run can
/// have are left out.
pub fn list(runs: &Folder) -> Result<Vec<Run>, MaterializeError> {
    // A lock that is looked at is held for that moment, which a builder must not see.
    let _held = Lock::runs(runs)?;
    let unreadable = |cause| MaterializeError::Runs { path: runs.path(), cause };
    let mut found = Vec::new();
    for entry in runs.entries(MAX_LISTED).map_err(unreadable)?.entries {
        if entry.kind != Kind::Directory {
            continue;
        }
        let Some((name, run_id)) = name_of(&entry.name) else { continue };
        let state = match name {
            Name::Run => state_of_published(runs, run_id),
            Name::Partial => {
                let left = runs.open_folder(&entry.name).and_then(|partial| claim(&partial));
                if left.is_ok_and(|claim| claim.is_some()) { RunState::Abandoned } else { RunState::Building }
            }
            Name::Dead => RunState::Abandoned,
        };
        found.push(Run { run_id: run_id.to_owned(), state });
    }
    found.sort_by(|a, b| a.run_id.cmp(&b.run_id));
    Ok(found)
}

fn state_of_published(runs: &Folder, run_id: &str) -> RunState {
    match runs.open_folder(run_id).and_then(|folder| folder.stat(MANIFEST)) {
        Ok(Some(entry)) if entry.kind == Kind::Regular => RunState::Complete,
        _ => RunState::Unrecognised,
    }
}

/// What a name among the runs is that of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// A run that stands.
    Run,
    /// A run that is being built, or whose build died.
    Partial,
    /// A run that is being removed, or whose removal did not end.
    Dead,
}

/// What the name is that of, and the run id in it; none for a name that no run has.
pub(crate) fn name_of(name: &str) -> Option<(Name, &str)> {
    if plan::is_run_id(name) {
        return Some((Name::Run, name));
    }
    let partial = run_id_of_partial(name).map(|run_id| (Name::Partial, run_id));
    partial.or_else(|| remove::run_id_of_dead(name).map(|run_id| (Name::Dead, run_id)))
}

/// Whether nobody builds the partial folder `name` any more. Fails when the runs cannot be locked, or it cannot be read.
pub(crate) fn is_left(runs: &Folder, name: &str) -> Result<bool, MaterializeError> {
    let _held = Lock::runs(runs)?;
    let Some(partial) = open_left(runs, name)? else { return Ok(false) };
    let claimed = claim(&partial).map_err(|cause| MaterializeError::Runs { path: partial.path(), cause })?;
    Ok(claimed.is_some())
}

fn run_id_of_partial(name: &str) -> Option<&str> {
    name.strip_prefix(PARTIAL).filter(|run_id| plan::is_run_id(run_id))
}

/// A proof that a partial folder has no live builder, good while the lock of the runs is held.
enum Claim {
    Held { _lock: Lock },
    NoLock,
}

fn claim(partial: &Folder) -> Result<Option<Claim>, FilesError> {
    match Lock::left(partial.handle(), BUILDING) {
        Ok(lock) => Ok(lock.map(|lock| Claim::Held { _lock: lock })),
        // The lock file is made, held and unlinked under the lock of the runs, which we hold: whoever did was stopped.
        Err(error) if Errno::from_io_error(&error) == Some(Errno::NOENT) => Ok(Some(Claim::NoLock)),
        Err(error) => Err(error.into()),
    }
}

/// Removes what dead builds and disposals that did not end have left; a live build of any process is not touched.
///
/// Fails when the runs cannot be read or locked; what goes wrong with single folders is in the answer.
pub fn sweep(runs: &Folder) -> Result<Swept, MaterializeError> {
    let unreadable = |cause| MaterializeError::Runs { path: runs.path(), cause };
    let mut swept = Swept::default();
    for entry in runs.entries(MAX_LISTED).map_err(unreadable)?.entries {
        let (run_id, partial) = match (run_id_of_partial(&entry.name), remove::run_id_of_dead(&entry.name)) {
            _ if entry.kind != Kind::Directory => continue,
            (Some(run_id), _) => (run_id, true),
            (_, Some(run_id)) => (run_id, false),
            (None, None) => continue,
        };
        let done = if partial { sweep_partial(runs, &entry.name, run_id) } else { sweep_dead(runs, &entry.name) };
        match done {
            Ok(true) => swept.removed.push(run_id.to_owned()),
            Ok(false) => {}
            Err(error) => swept.failed.push(error),
        }
    }
    swept.removed.sort();
    swept.removed.dedup();
    Ok(swept)
}

fn sweep_partial(runs: &Folder, name: &str, run_id: &str) -> Result<bool, MaterializeError> {
    let held = Lock::runs(runs)?;
    let Some(folder) = open_left(runs, name)? else { return Ok(false) };
    let claimed = claim(&folder).map_err(|cause| MaterializeError::Runs { path: folder.path(), cause })?;
    if claimed.is_none() {
        return Ok(false);
    }
    let dead = remove::bury(runs, name, run_id)
        .map_err(|error| MaterializeError::Remove { path: folder.path(), cause: error.into() })?;
    // Out of sight now, and nobody's: the rest needs no lock.
    drop(held);
    remove_same(runs, &dead, name, &folder).map(|()| true)
}

fn sweep_dead(runs: &Folder, name: &str) -> Result<bool, MaterializeError> {
    let Some(folder) = open_left(runs, name)? else { return Ok(false) };
    remove::remove(runs, name, folder.handle()).map(|()| true)
}

fn open_left(runs: &Folder, name: &str) -> Result<Option<Folder>, MaterializeError> {
    match runs.open_folder(name) {
        Ok(folder) => Ok(Some(folder)),
        // Published, removed or replaced since the listing.
        Err(
            FilesError::Linked
            | FilesError::NotAFolder
            | FilesError::Changed
            | FilesError::Io(IoError { kind: IoKind::NotFound, .. }),
        ) => Ok(None),
        Err(cause) => Err(MaterializeError::Runs { path: runs.path_of(name), cause }),
    }
}

/// Removes `dead`, which was renamed from `name`, if it is the folder that was opened before; else puts it back.
fn remove_same(runs: &Folder, dead: &str, name: &str, folder: &Folder) -> Result<(), MaterializeError> {
    if !is_same(runs, dead, folder.handle()) {
        let _ = rename_new(runs.handle(), dead, name);
        return Err(MaterializeError::Interfered { path: runs.path_of(name) });
    }
    remove::remove(runs, dead, folder.handle())
}

/// Why no run of that id stands: it is being built, or there is none.
pub(crate) fn absent(runs: &Folder, run_id: &str) -> MaterializeError {
    let run_id = run_id.to_owned();
    match runs.stat(&format!("{PARTIAL}{run_id}")) {
        Ok(Some(_)) => MaterializeError::BeingBuilt { run_id },
        Ok(None) => MaterializeError::UnknownRun { run_id },
        Err(cause) => MaterializeError::Runs { path: runs.path_of(&run_id), cause },
    }
}

/// Removes the run folder `run_id`: out of sight in one step, then piece by piece with no link followed.
///
/// Refuses what it does not recognise by its manifest. An *empty* manifest is taken for ours too, since that is what a power
/// loss makes of one. What cannot be removed is [`MaterializeError::Remove`], and a later [`sweep`] tries again.
pub fn dispose(runs: &Folder, run_id: &str) -> Result<(), MaterializeError> {
    plan::check_run_id(run_id)?;
    let path = runs.path_of(run_id);
    let unreadable = |cause| MaterializeError::Runs { path: path.clone(), cause };
    let unknown = || MaterializeError::UnknownRun { run_id: run_id.to_owned() };
    if runs.stat(run_id).map_err(unreadable)?.is_none() {
        return Err(absent(runs, run_id));
    }
    let not_a_run = |why: &'static str| MaterializeError::NotARun { path: path.clone(), why: why.into() };
    let folder = match runs.open_folder(run_id) {
        Ok(folder) => folder,
        Err(FilesError::Linked) => return Err(not_a_run("it is a link")),
        Err(FilesError::NotAFolder) => return Err(not_a_run("it is not a folder")),
        Err(FilesError::Io(IoError { kind: IoKind::NotFound, .. })) => return Err(unknown()),
        Err(cause) => return Err(unreadable(cause)),
    };
    check_manifest(&folder).map_err(not_a_run)?;
    // Held until it is out of sight, so that no session begins on it. What cannot be opened, nobody can hold.
    let _held = match Held::of(&folder) {
        Ok(Some(held)) => Some(held),
        Ok(None) => return Err(MaterializeError::InUse { run_id: run_id.to_owned() }),
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => None,
        Err(error) => return Err(unreadable(error.into())),
    };
    let dead = match remove::bury(runs, run_id, run_id) {
        Ok(dead) => dead,
        Err(Errno::NOENT) => return Err(unknown()),
        Err(error) => return Err(MaterializeError::Remove { path, cause: error.into() }),
    };
    remove_same(runs, &dead, run_id, &folder)
}

fn check_manifest(folder: &Folder) -> Result<(), &'static str> {
    const MISSING: &str = "it holds no readable manifest.json";
    let entry = folder.stat(MANIFEST).ok().flatten().ok_or(MISSING)?;
    if entry.kind == Kind::Regular && entry.identity.size == 0 {
        return Ok(());
    }
    let text = folder.read(MANIFEST, entry.identity, MAX_MANIFEST).map_err(|_| MISSING)?;
    match serde_json::from_slice::<Value>(&text) {
        Ok(manifest) if manifest.get("entries").is_some_and(Value::is_array) => Ok(()),
        _ => Err("its manifest.json is not one that this program writes"),
    }
}
