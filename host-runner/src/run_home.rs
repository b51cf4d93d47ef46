//! Run homes: folders opened and lent, a plan asked for, and the plan built.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use wasmtime::component::Resource;

use crate::capability::files::{Folder, GrantError};
use crate::engine::Host;
use crate::engine::bindings::exports::winter::runtime::run_home as wit;
use crate::error::RunnerError;
use crate::materialize::{self, CopySource, Node, PlannedEntry};
use crate::runner::Runner;
use crate::{Brand, Powers, components};

/// What a run home is made for. Only `home` and `cwd` have no default.
#[derive(Clone, Debug)]
pub struct RunHomeInput {
    /// Winter's home; run folders are made under `cache/runs`.
    pub home: PathBuf,
    /// The person's own items; by default `<home>/sdk`. A folder that does not exist holds none.
    pub shared_home: PathBuf,
    /// Where the session works.
    pub cwd: PathBuf,
    /// The project, when it is trusted to speak at all; none: nothing of it is read.
    pub trusted_project_root: Option<PathBuf>,
    /// The top of the worktree, where the local settings live, if the caller knows it.
    pub git_root: Option<PathBuf>,
    /// The person's home folder; a project at it or above it is never trusted.
    pub user_home: Option<PathBuf>,
    /// Further folders in which the person's own links may end.
    pub grant_read: Vec<PathBuf>,
    /// What the session is for.
    pub mode: wit::Mode,
    /// A dispatch child gets no output style.
    pub dispatch_child: bool,
    /// Which runtime serves it.
    pub leg: wit::Leg,
    /// MCP servers that the person switched off, by name.
    pub mcp_disabled: Vec<String>,
    /// Names that no configured MCP server may take.
    pub reserved_mcp_server_names: Vec<String>,
    /// Where the session keeps its memory; empty for none.
    pub memory_dir: String,
    /// Which runtime's names and grammars hold.
    pub brand: Brand,
    /// Whether what acts in a repository's configuration may act. The library's default is to keep it.
    pub powers: Powers,
    /// Build although a protection of the person's own has no spelling.
    pub allow_inexpressible: bool,
    /// The person's global file, where it does not stand in the shared home.
    pub global_file: Option<PathBuf>,
    /// How much is read and carried.
    pub bounds: wit::Bounds,
    /// The command of a hook of the session's own before every call of a tool; [`hook_command`](crate::hook_command) makes
    /// the one that refuses calls which name what is protected.
    pub containment_hook: Option<String>,
    /// Plan under this id, not a new one: to compare with a run that stands. Not for building.
    pub run_id: Option<String>,
}

impl RunHomeInput {
    /// A code session of the Winter brand that trusts no project.
    ///
    /// ```
    /// let input = winter_runner::RunHomeInput::new("/home/me/.winter", "/src/it");
    /// assert_eq!(input.shared_home, std::path::Path::new("/home/me/.winter/sdk"));
    /// ```
    pub fn new(home: impl Into<PathBuf>, cwd: impl Into<PathBuf>) -> Self {
        let home = home.into();
        Self {
            shared_home: home.join("sdk"),
            home,
            cwd: cwd.into(),
            trusted_project_root: None,
            git_root: None,
            user_home: None,
            grant_read: Vec::new(),
            mode: wit::Mode::Code,
            dispatch_child: false,
            leg: wit::Leg::Winter,
            mcp_disabled: Vec::new(),
            reserved_mcp_server_names: Vec::new(),
            memory_dir: String::new(),
            brand: Brand::Winter,
            powers: Powers::Keep,
            allow_inexpressible: false,
            global_file: None,
            bounds: DEFAULT_BOUNDS,
            containment_hook: None,
            run_id: None,
        }
    }

    /// The folders (and the one file) that a plan reads, those that exist: what a caller grants to have it made.
    pub fn reads(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.cwd.clone(), self.shared_home.clone()];
        folders.extend(self.trusted_project_root.clone());
        folders.extend(self.git_root.clone());
        folders.extend(git_entry(&self.cwd, self.user_home.as_deref()));
        folders.extend(self.grant_read.iter().cloned());
        folders.extend(self.global_file.clone());
        folders.retain(|folder| folder.exists());
        folders.sort();
        folders.dedup();
        folders
    }
}

/// The bounds that hold where a host asks for no others, as the component's `default-bounds` gives them.
pub const DEFAULT_BOUNDS: wit::Bounds =
    wit::Bounds { text: 1 << 20, skill_file: 8 << 20, items: 4096, total: 64 << 20, import_depth: 5, folders: 16_384 };

/// A run home that stands.
#[derive(Debug)]
pub struct RunHome {
    /// What it was built from.
    pub plan: wit::Plan,
    /// Where it stands.
    pub dir: PathBuf,
    /// The content of its `manifest.json`.
    pub manifest: serde_json::Value,
    pub(crate) input: RunHomeInput,
    pub(crate) cwd: Folder,
    runs: Folder,
}

impl RunHome {
    /// What it was built for.
    pub fn input(&self) -> &RunHomeInput {
        &self.input
    }

    /// The folder itself.
    pub(crate) fn folder(&self) -> Result<Folder, RunnerError> {
        let opened = self.runs.open_folder(&self.plan.run_id);
        opened
            .map_err(|cause| materialize::MaterializeError::Runs { path: self.dir.display().to_string(), cause }.into())
    }

    /// Removes the folder, and nothing that a link in it leads to.
    ///
    /// # Errors
    /// What the system refuses, or a folder that is no run home any more.
    pub fn dispose(self) -> Result<(), RunnerError> {
        Ok(materialize::dispose(&self.runs, &self.plan.run_id)?)
    }
}

/// The nearest folder at or above `from` that holds an entry named `.git`, whatever that entry is, by `lstat`; not
/// above the person's home.
pub fn git_entry(from: &Path, user_home: Option<&Path>) -> Option<PathBuf> {
    let from = std::fs::canonicalize(from).ok()?;
    let home = user_home.and_then(|home| std::fs::canonicalize(home).ok());
    for folder in from.ancestors() {
        if folder.join(".git").symlink_metadata().is_ok() {
            return Some(folder.to_owned());
        }
        if home.as_deref() == Some(folder) {
            return None;
        }
    }
    None
}

/// Removes the run home of that id under winter's home, and nothing that a link in it leads to.
///
/// # Errors
/// No such run, a folder that is no run home, or whatever the system refuses.
pub fn dispose_run_home(home: &Path, run_id: &str) -> Result<(), RunnerError> {
    materialize::check_run_id(run_id)?;
    match Folder::grant(&home.join("cache/runs")) {
        Ok(runs) => Ok(materialize::dispose(&runs, run_id)?),
        // Where no run was ever built, this one was not either.
        Err(GrantError::NotFound { .. }) => {
            Err(materialize::MaterializeError::UnknownRun { run_id: run_id.to_owned() }.into())
        }
        Err(error) => Err(RunnerError::Folder { role: "folder of the run homes", error }),
    }
}

/// A plan, ready to be built or to be compared with what stands.
pub(crate) struct Planned {
    plan: wit::Plan,
    pub(crate) entries: Vec<PlannedEntry>,
    /// What the manifest begins with.
    pub(crate) head: serde_json::Map<String, serde_json::Value>,
    opened: Opened,
}

/// The folders of one session, opened.
struct Opened {
    shared_home: Option<Folder>,
    cwd: Folder,
    trusted_root: Option<Folder>,
    git_top: Option<Folder>,
    git_entry: Option<Folder>,
    granted: Vec<Folder>,
    global_home: Option<Folder>,
    links: Option<Folder>,
}

impl Opened {
    fn lend(&self, host: &mut Host) -> wasmtime::Result<wit::Places> {
        let mut lend = |folder: &Folder| host.lend(folder.clone());
        Ok(wit::Places {
            shared_home: self.shared_home.as_ref().map(&mut lend).transpose()?,
            cwd: lend(&self.cwd)?,
            trusted_root: self.trusted_root.as_ref().map(&mut lend).transpose()?,
            git_top: self.git_top.as_ref().map(&mut lend).transpose()?,
            git_entry: self.git_entry.as_ref().map(&mut lend).transpose()?,
            global_home: self.global_home.as_ref().map(&mut lend).transpose()?,
            links: self.links.as_ref().map(&mut lend).transpose()?,
            granted: self.granted.iter().map(&mut lend).collect::<wasmtime::Result<Vec<Resource<Folder>>>>()?,
        })
    }

    fn place(&self, place: wit::Place) -> Option<&Folder> {
        match place {
            wit::Place::SharedHome => self.shared_home.as_ref(),
            wit::Place::TrustedRoot => self.trusted_root.as_ref(),
            wit::Place::GitTop => self.git_top.as_ref(),
            wit::Place::Cwd => Some(&self.cwd),
        }
    }
}

impl Runner {
    /// What a run home would hold; nothing is written, and no folder is made.
    ///
    /// # Errors
    /// A folder that cannot be lent or was not granted, a refusal of the policy, or a guest that failed.
    pub fn plan_run_home(&self, input: &RunHomeInput) -> Result<wit::Plan, RunnerError> {
        self.plan(input).map(|(plan, _)| plan)
    }

    /// Builds a run home: it appears whole, or not at all.
    ///
    /// What an earlier build left half-made, because it was killed, is removed on the way.
    ///
    /// # Errors
    /// As [`Runner::plan_run_home`], and whatever keeps the folder from being made.
    pub fn build_run_home(&self, input: &RunHomeInput) -> Result<RunHome, RunnerError> {
        let Planned { plan, entries, mut head, opened } = self.planned(input)?;
        let runs = materialize::ensure_runs(&input.home)?;
        let swept = materialize::sweep(&runs)?;
        for run in &swept.removed {
            tracing::info!(target: "winter::build", run, "removed what a dead build left");
        }
        for left in &swept.failed {
            tracing::warn!(target: "winter::build", ?left, "what a dead build left could not be removed");
        }
        ensure_shared(input, &plan, &opened)?;
        head.insert("policy-digest".to_owned(), format!("sha256:{}", components::RUNTIME.digest()).into());
        let built = materialize::materialize(&runs, &plan.run_id, &entries, head)?;
        tracing::info!(target: "winter::build", run = %plan.run_id, entries = entries.len(), "built");
        let (input, cwd) = (input.clone(), opened.cwd);
        Ok(RunHome { dir: built.path, manifest: built.manifest, plan, input, cwd, runs })
    }

    /// A plan, and what the runner makes of it.
    pub(crate) fn planned(&self, input: &RunHomeInput) -> Result<Planned, RunnerError> {
        let (plan, opened) = self.plan(input)?;
        let entries = entries(&plan, &opened)?;
        let Ok(serde_json::Value::Object(head)) = serde_json::from_str(&plan.manifest) else {
            return Err(RunnerError::GuestFailed("the plan's manifest is no JSON object".to_owned()));
        };
        Ok(Planned { plan, entries, head, opened })
    }

    fn plan(&self, input: &RunHomeInput) -> Result<(wit::Plan, Opened), RunnerError> {
        let opened = self.open_places(input)?;
        let wit_input = wit_input(input)?;
        let plan = self.call(|store, guest| {
            let places = opened.lend(&mut store.data_mut().host)?;
            guest.winter_runtime_run_home().call_build(store, &wit_input, &places)
        })?;
        Ok((plan.map_err(RunnerError::Refused)?, opened))
    }

    /// The folder of the person's global file, with that name alone to be seen.
    fn global_home(&self, input: &RunHomeInput) -> Result<Option<Folder>, RunnerError> {
        let Some(file) = input.global_file.as_deref().and_then(there) else { return Ok(None) };
        self.grants().check_read(file)?;
        let (folder, name) = (file.parent(), file.file_name().and_then(std::ffi::OsStr::to_str));
        let (Some(folder), Some(name)) = (folder, name) else {
            return Err(RunnerError::BadInput {
                what: format!("the global file {} has no name in UTF-8", file.display()),
                help: "name a file".to_owned(),
            });
        };
        let folder = Folder::grant_names(folder, &[name]);
        folder.map(Some).map_err(|error| RunnerError::Folder { role: "folder of the global file", error })
    }

    fn open_places(&self, input: &RunHomeInput) -> Result<Opened, RunnerError> {
        let open = |role: &'static str, path: &Path| {
            let folder = Folder::grant(path).map_err(|error| RunnerError::Folder { role, error })?;
            self.grants().check_read(Path::new(&folder.path()))?;
            Ok::<_, RunnerError>(folder)
        };
        let optional = |role, path: Option<&Path>| path.map(|path| open(role, path)).transpose();
        let git_entry = git_entry(&input.cwd, input.user_home.as_deref());
        let shared_home = optional("shared home", there(&input.shared_home))?;
        let mut granted: Vec<Folder> = Vec::new();
        for path in &input.grant_read {
            let folder = open("granted folder", path)?;
            granted.extend(folder.as_named(path));
            granted.push(folder);
        }
        granted.extend(shared_home.as_ref().and_then(|home| home.as_named(&input.shared_home)));
        Ok(Opened {
            shared_home,
            cwd: open("working folder", &input.cwd)?,
            trusted_root: optional("project", input.trusted_project_root.as_deref())?,
            git_top: optional("top of the worktree", input.git_root.as_deref())?,
            git_entry: optional("folder of the repository", git_entry.as_deref())?,
            granted,
            global_home: self.global_home(input)?,
            links: if self.grants().links { Some(root_links()?) } else { None },
        })
    }
}

/// Makes the folders of the shared home that links of the plan lead to, and the shared home itself where it is missing.
fn ensure_shared(input: &RunHomeInput, plan: &wit::Plan, opened: &Opened) -> Result<(), RunnerError> {
    if plan.shared_folders.is_empty() {
        return Ok(());
    }
    let shared = if let Some(shared) = &opened.shared_home {
        shared.clone()
    } else {
        let path = &input.shared_home;
        let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
        made.map_err(|error| RunnerError::Write { path: path.clone(), error })?;
        Folder::grant(path).map_err(|error| RunnerError::Folder { role: "shared home", error })?
    };
    for name in materialize::ensure_shared(&shared, &plan.shared_folders)? {
        tracing::info!(target: "winter::build", name, "made in the shared home");
    }
    Ok(())
}

/// The file system's root, in which links can be looked at and nothing be read.
fn root_links() -> Result<Folder, RunnerError> {
    Folder::grant_links(Path::new("/")).map_err(|error| RunnerError::Folder { role: "file system's root", error })
}

/// The path, unless nothing at all stands there.
fn there(path: &Path) -> Option<&Path> {
    path.symlink_metadata().is_ok().then_some(path)
}

pub(crate) fn wit_input(input: &RunHomeInput) -> Result<wit::Input, RunnerError> {
    let (home, home_spellings) = spellings("home", &input.home)?;
    let (shared_home, shared_home_spellings) = spellings("shared home", &input.shared_home)?;
    let user_home = input.user_home.as_deref().map(|home| spellings("home folder", home)).transpose()?;
    Ok(wit::Input {
        run_id: input.run_id.clone().unwrap_or_else(|| uuid::Uuid::now_v7().to_string()),
        bounds: input.bounds,
        containment_hook: input.containment_hook.clone(),
        home,
        home_spellings,
        shared_home,
        mode: input.mode,
        dispatch_child: input.dispatch_child,
        leg: input.leg,
        mcp_disabled: input.mcp_disabled.clone(),
        reserved_mcp_server_names: input.reserved_mcp_server_names.clone(),
        memory_dir: input.memory_dir.clone(),
        brand: input.brand.clone(),
        powers: input.powers,
        allow_inexpressible: input.allow_inexpressible,
        user_home: user_home.map(|(real, _)| real),
        shared_home_spellings,
    })
}

/// The real path, as far as it exists, and the spellings that lead there another way.
fn spellings(role: &str, path: &Path) -> Result<(String, Vec<String>), RunnerError> {
    let absolute = std::path::absolute(path).map_err(|error| RunnerError::Write { path: path.to_owned(), error })?;
    let mut real = absolute.clone();
    for above in absolute.ancestors() {
        if let Ok(resolved) = std::fs::canonicalize(above) {
            // What does not exist yet has no other spelling than its name below what does.
            real = absolute.strip_prefix(above).map_or(resolved.clone(), |rest| resolved.join(rest));
            break;
        }
    }
    let text = |path: &Path| {
        path.to_str().map(|text| text.trim_end_matches('/').to_owned()).ok_or_else(|| RunnerError::BadInput {
            what: format!("the {role} {} is not UTF-8", path.display()),
            help: "use a folder whose path is UTF-8".to_owned(),
        })
    };
    let (real, absolute) = (text(&real)?, text(&absolute)?);
    let others = if absolute == real { Vec::new() } else { vec![absolute] };
    Ok((real, others))
}

fn entries(plan: &wit::Plan, opened: &Opened) -> Result<Vec<PlannedEntry>, RunnerError> {
    let entry = |planned: &wit::Planned| {
        let node = match &planned.node {
            wit::Node::Directory => Node::Directory,
            wit::Node::Content(bytes) => Node::Content(bytes.clone()),
            wit::Node::Link(target) => Node::Link(target.clone()),
            wit::Node::Copy(admitted) => Node::Copy(copy_source(admitted, opened)?),
            wit::Node::Splice(splice) => Node::Splice {
                head: splice.head.clone(),
                source: copy_source(&splice.source, opened)?,
                offset: splice.offset,
            },
        };
        Ok(PlannedEntry { path: planned.path.clone(), node, mode: planned.mode, source: planned.source.clone() })
    };
    plan.entries.iter().map(entry).collect()
}

fn copy_source(admitted: &wit::Admitted, opened: &Opened) -> Result<CopySource, RunnerError> {
    let folder = opened.place(admitted.place).ok_or_else(|| {
        RunnerError::GuestFailed(format!("the plan copies {} out of a folder that was not lent", admitted.path))
    })?;
    let (folder, limit) = (folder.clone(), admitted.identity.size);
    Ok(CopySource { folder, name: admitted.path.clone(), identity: admitted.identity.into(), limit })
}
