//! The run home: the config folder of one run, as a plan that a host may look at, build or throw away.

mod local_tier;
mod offered;
#[cfg(test)]
mod tests;
mod tiers;

use serde::Serialize;

use crate::brand::Profile;
use crate::escape::{self, ProtectedPlaces};
use crate::ports::{Clock, Folder, GitIndex, Identity};
use crate::reading::{beneath, join};
use crate::report::{Dropped, Notice, NoticeKind, Refusal, RefusalKind, SkippedItem, SkippedLink};
use crate::settings::{self, Options, Protection};
use crate::tier::Powers;

/// The version of the contract that plans and manifests follow.
pub const CONTRACT_VERSION: u32 = 1;

/// The folders that outlive every run, as links into the shared home.
pub const PERSISTENT_ENTRIES: [&str; 5] = ["file-history", "tasks", "teams", "agent-memory", "workflows"];

/// The most bytes that are read of one text.
pub const MAX_TEXT: u64 = 1 << 20;

/// The shared home of the Winter brand under `home`.
///
/// ```
/// assert_eq!(winter_policy::run_home::sdk_home_of("/home/me/.winter"), "/home/me/.winter/sdk");
/// ```
pub fn sdk_home_of(home: &str) -> String {
    join(home, "sdk")
}

/// What the session is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// A coding session.
    Code,
    /// A session that another one dispatched.
    Dispatch,
    /// A talk: nothing of a project is read.
    Chat,
}

/// Which runtime serves the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Leg {
    /// The one that there is.
    Winter,
    /// Retired, and refused.
    Official,
}

/// What the host decides about one run.
#[derive(Clone, Debug)]
pub struct Input {
    /// Names the run and its folder: 8 to 64 of `a-z 0-9 -`, never used before.
    pub run_id: String,
    /// The absolute folder under which run folders are made; only named in the plan.
    pub home: String,
    /// Other spellings of `home` (through a link), which the protecting rules name as well.
    pub home_spellings: Vec<String>,
    /// What the session is for.
    pub mode: Mode,
    /// A dispatch child gets no output style.
    pub dispatch_child: bool,
    /// Which runtime serves it.
    pub leg: Leg,
    /// MCP servers that the person switched off, by name.
    pub mcp_disabled: Vec<String>,
    /// Names that no configured MCP server may take.
    pub reserved_mcp_server_names: Vec<String>,
    /// Where the session keeps its memory; empty for none.
    pub memory_dir: String,
    /// Which runtime's names and grammars hold.
    pub brand: Profile,
    /// Whether what acts in a repository's configuration may act.
    pub powers: Powers,
    /// Build although a protection of the person's own has no spelling.
    pub allow_inexpressible: bool,
    /// The person's home folder; a project root at it or above it is never trusted.
    pub user_home: Option<String>,
    /// Other spellings of the shared home (through a link), which the protecting rules name as well.
    pub shared_home_spellings: Vec<String>,
}

/// The folders that this session concerns.
#[derive(Clone, Debug)]
pub struct Places<F> {
    /// The person's own items; none when there is no such folder yet.
    pub shared_home: Option<F>,
    /// Where the session works.
    pub cwd: F,
    /// None: nothing of the project is read.
    pub trusted_root: Option<F>,
    /// The top of this worktree, where the local settings live, if the host knows it.
    pub git_top: Option<F>,
    /// The nearest folder at or above `cwd` that holds an entry named `.git`, whatever it is.
    pub git_entry: Option<F>,
    /// Further folders in which the person's own links may end.
    pub granted: Vec<F>,
}

/// Which of the lent folders a copy comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// The shared home.
    SharedHome,
    /// The trusted root.
    TrustedRoot,
    /// The top of the worktree.
    GitTop,
    /// The working folder.
    Cwd,
}

/// A file that was looked at and admitted; the runner copies it only if it still is that one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Admitted {
    /// The folder that `path` begins at.
    pub place: Place,
    /// Single components joined by `/`; no link among them.
    pub path: String,
    /// What it was.
    pub identity: Identity,
}

/// What one entry of the run folder is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Node {
    /// A folder.
    Directory,
    /// A file of this content; as JSON a string, or a list of bytes where it is not UTF-8.
    Content(#[serde(serialize_with = "text_or_bytes")] Vec<u8>),
    /// A file with the content of an admitted one; the runner copies it itself.
    Copy(Admitted),
    /// A link to this absolute path.
    Link(String),
}

fn text_or_bytes<S: serde::Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    match std::str::from_utf8(bytes) {
        Ok(text) => to.serialize_str(text),
        Err(_) => bytes.serialize(to),
    }
}

/// One entry of the run folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Planned {
    /// Relative to the run folder, single components joined by `/`.
    pub path: String,
    /// What it is.
    pub node: Node,
    /// Unix permission bits.
    pub mode: u32,
    /// Where it comes from, for a person.
    pub source: String,
}

/// What was offered and not given, and what is worth a remark; each list is complete and sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Report {
    /// From settings files.
    pub dropped_rules: Vec<Dropped>,
    /// Links that were not followed.
    pub skipped_links: Vec<SkippedLink>,
    /// Items that were left out whole.
    pub skipped_items: Vec<SkippedItem>,
    /// Remarks, not losses.
    pub notices: Vec<Notice>,
}

/// A run home that nobody has built yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Plan {
    /// As in the input.
    pub run_id: String,
    /// The absolute folder that it is for.
    pub dir: String,
    /// The shared home that it was made from.
    pub sdk_home: String,
    /// What the folder holds, beside `manifest.json`.
    pub entries: Vec<Planned>,
    /// The content of its `settings.json`.
    pub effective_settings: String,
    /// A JSON object: what `manifest.json` begins with. The runner adds what it wrote.
    pub manifest: String,
    /// What was left out, and why.
    pub report: Report,
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunHomeError {
    /// The leg is retired.
    #[error("the leg `official` is retired; the leg `winter` serves every model")]
    LegRefused,
    /// The run id could not name a folder.
    #[error("`{0}` is no run id: 8 to 64 of a-z, 0-9 and `-` were expected")]
    RunId(String),
    /// A folder is named that is not absolute.
    #[error("`{0}` is not an absolute path")]
    NotAbsolute(String),
    /// A brand names what could not be a file.
    #[error("the brand's {field} `{value}` is not a plain file name")]
    Brand {
        /// Which of its fields.
        field: &'static str,
        /// What it holds.
        value: String,
    },
    /// The session would work outside the project.
    #[error("the working folder {cwd} is not inside the project {root}")]
    CwdOutside {
        /// Where the session would work.
        cwd: String,
        /// The trusted root.
        root: String,
    },
    /// The person's own settings file cannot be read.
    #[error("{path}: {what}")]
    OwnSettings {
        /// The file.
        path: String,
        /// Why.
        what: String,
    },
    /// The person's own settings file is a link into a folder that was not granted.
    #[error("{path} leads to {leads_to}, which was not granted")]
    NotGranted {
        /// The link.
        path: String,
        /// Where it leads.
        leads_to: String,
    },
    /// The person's own settings file is unusable.
    #[error(transparent)]
    Settings(#[from] settings::SettingsError),
}

impl From<RunHomeError> for Refusal {
    fn from(error: RunHomeError) -> Self {
        let message = error.to_string();
        let (kind, help, source) = match error {
            RunHomeError::Settings(error) => return error.into(),
            RunHomeError::LegRefused => (RefusalKind::LegRefused, "ask for the leg `winter`".to_owned(), None),
            RunHomeError::RunId(_) => (RefusalKind::BadInput, "leave the run id to the runner".to_owned(), None),
            RunHomeError::NotAbsolute(_) => (RefusalKind::BadInput, "give it from the root, `/`".to_owned(), None),
            RunHomeError::Brand { .. } => (RefusalKind::BadInput, "mend the brand's profile".to_owned(), None),
            RunHomeError::CwdOutside { .. } => {
                (RefusalKind::BadInput, "name a working folder inside the project, or another project".to_owned(), None)
            }
            RunHomeError::OwnSettings { path, .. } => (
                RefusalKind::UnusableSettings,
                "mend the file: a session without it would run without your own rules".to_owned(),
                Some(path),
            ),
            RunHomeError::NotGranted { path, leads_to } => {
                let folder =
                    leads_to.rsplit_once('/').map_or("/", |(folder, _)| if folder.is_empty() { "/" } else { folder });
                (RefusalKind::Denied, format!("--grant-read {folder} would grant it"), Some(path))
            }
        };
        Self { kind, message, help, source, line: None, column: None }
    }
}

/// What the run folder would hold. Nothing is written, and nothing outside the lent folders is looked at.
///
/// # Errors
/// [`RunHomeError`]: an input that cannot be used, or a settings file of the person's own that cannot.
pub fn build<G>(input: &Input, places: &Places<G::Folder>, git: &G, clock: &impl Clock) -> Result<Plan, RunHomeError>
where
    G: GitIndex,
    G::Folder: Clone,
{
    check(input)?;
    let mut report = Report::default();
    let root = trusted(input, places, &mut report)?;
    let tiers = tiers::read(input, places, root, git, &mut report)?;
    let protection = protection(input, places, root, &mut report);
    let options = Options {
        brand: &input.brand,
        powers: input.powers,
        allow_inexpressible: input.allow_inexpressible,
        protection: &protection,
    };
    let files: Vec<_> = tiers.iter().map(tiers::Read::as_file).collect();
    let effective = settings::compose(&files, &options)?;
    offered::remark(input, places, root, &mut report);
    report.dropped_rules.extend(effective.dropped);
    report.skipped_items.extend(effective.skipped);
    report.notices.extend(effective.notices);
    report.dropped_rules.sort();
    report.skipped_links.sort();
    report.skipped_items.sort();
    report.notices.sort();
    // Two files behind one link, or in one folder that is none, are one loss.
    report.skipped_links.dedup();
    report.skipped_items.dedup();
    let unusable = |source: &str| report.skipped_items.iter().any(|item| item.path == source);
    let sources: Vec<&str> = tiers.iter().map(|tier| tier.source.as_str()).filter(|source| !unusable(source)).collect();
    Ok(Plan {
        run_id: input.run_id.clone(),
        dir: join(&join(&input.home, "cache/runs"), &input.run_id),
        sdk_home: places.shared_home.as_ref().map_or_else(|| sdk_home_of(&input.home), Folder::path),
        entries: vec![Planned {
            path: "settings.json".to_owned(),
            node: Node::Content(effective.json.clone().into_bytes()),
            mode: 0o600,
            source: if sources.is_empty() { "winter".to_owned() } else { sources.join(", ") },
        }],
        effective_settings: effective.json,
        manifest: manifest(input, places, root, clock.now()),
        report,
    })
}

fn check(input: &Input) -> Result<(), RunHomeError> {
    if input.leg == Leg::Official {
        return Err(RunHomeError::LegRefused);
    }
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !(8..=64).contains(&input.run_id.len()) || !input.run_id.bytes().all(plain) {
        return Err(RunHomeError::RunId(input.run_id.clone()));
    }
    let folders = std::iter::once(&input.home).chain(&input.user_home);
    if let Some(folder) = folders.into_iter().find(|folder| !folder.starts_with('/')) {
        return Err(RunHomeError::NotAbsolute(folder.clone()));
    }
    let brand = &input.brand;
    for (field, value) in [
        ("project-dir", &brand.project_dir),
        ("instructions-file", &brand.instructions_file),
        ("local-instructions-file", &brand.local_instructions_file),
        ("global-config-file", &brand.global_config_file),
    ] {
        if value.is_empty() || value == "." || value == ".." || value.contains(['/', '\0']) {
            return Err(RunHomeError::Brand { field, value: value.clone() });
        }
    }
    Ok(())
}

/// The root whose files are read: none for a talk, none at the person's home or above it.
fn trusted<'a, F: Folder + Clone>(
    input: &Input,
    places: &'a Places<F>,
    report: &mut Report,
) -> Result<Option<&'a F>, RunHomeError> {
    let Some(root) = places.trusted_root.as_ref().filter(|_| input.mode != Mode::Chat) else { return Ok(None) };
    let (path, cwd) = (root.path(), places.cwd.path());
    if beneath(&cwd, &path).is_none() {
        return Err(RunHomeError::CwdOutside { cwd, root: path });
    }
    let mut remark = |kind, text: &str| {
        report.notices.push(Notice { kind, path: path.clone(), line: None, text: text.to_owned() });
    };
    if input.user_home.as_ref().is_some_and(|home| beneath(home, &path).is_some()) {
        remark(
            NoticeKind::Untrusted,
            "your home folder, or one above it, is never trusted as a project: nothing of it was read",
        );
        return Ok(None);
    }
    let folder = offered::project_folder(root, &input.brand.project_dir);
    if places.shared_home.as_ref().is_some_and(|home| folder.is_some_and(|folder| folder.path() == home.path())) {
        remark(
            NoticeKind::HomeIsProject,
            "the project's configuration is your own shared home; it was read once, as yours",
        );
        return Ok(None);
    }
    Ok(Some(root))
}

fn protection<F: Folder>(input: &Input, places: &Places<F>, root: Option<&F>, report: &mut Report) -> Protection {
    let shared_home = places.shared_home.as_ref().map_or_else(|| sdk_home_of(&input.home), Folder::path);
    let spellings = |real: &str, others: &[String]| -> Vec<String> {
        std::iter::once(real.to_owned()).chain(others.iter().cloned()).collect()
    };
    let global_file: Vec<String> =
        input.user_home.iter().map(|home| join(home, &input.brand.global_config_file)).collect();
    let root: Vec<String> = root.iter().map(|root| root.path()).collect();
    let places = ProtectedPlaces {
        winter_home: &spellings(&input.home, &input.home_spellings),
        shared_home: &spellings(&shared_home, &input.shared_home_spellings),
        global_file: &global_file,
        trusted_root: &root,
    };
    let rules = escape::protected_path_rules(places, &input.brand);
    report.notices.extend(rules.not_in_sandbox.into_iter().map(|path| Notice {
        kind: NoticeKind::NotInSandbox,
        path,
        line: None,
        text: "protected by a permission rule alone: the sandbox's lists have no spelling for it".to_owned(),
    }));
    Protection { ask: rules.ask, deny: rules.deny, deny_write: rules.deny_write }
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Manifest<'a> {
    contract_version: u32,
    run_id: &'a str,
    built_at: u64,
    brand: &'a Profile,
    leg: Leg,
    mode: Mode,
    dispatch_child: bool,
    powers: Powers,
    home: &'a str,
    shared_home: Option<String>,
    cwd: String,
    trusted_root: Option<String>,
    git_top: Option<String>,
    memory_dir: &'a str,
    mcp_disabled: &'a [String],
    reserved_mcp_server_names: &'a [String],
}

fn manifest<F: Folder>(input: &Input, places: &Places<F>, root: Option<&F>, now: u64) -> String {
    let manifest = Manifest {
        contract_version: CONTRACT_VERSION,
        run_id: &input.run_id,
        built_at: now,
        brand: &input.brand,
        leg: input.leg,
        mode: input.mode,
        dispatch_child: input.dispatch_child,
        powers: input.powers,
        home: &input.home,
        shared_home: places.shared_home.as_ref().map(Folder::path),
        cwd: places.cwd.path(),
        trusted_root: root.map(Folder::path),
        git_top: places.git_top.as_ref().map(Folder::path),
        memory_dir: &input.memory_dir,
        mcp_disabled: &input.mcp_disabled,
        reserved_mcp_server_names: &input.reserved_mcp_server_names,
    };
    // A struct of strings and numbers always has a JSON form.
    serde_json::to_string(&manifest).unwrap_or_default()
}
