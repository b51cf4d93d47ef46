//! The run home: the config folder of one run, as a plan that a host may look at, build or throw away.

mod deny_places;
mod entries;
mod error;
mod imports;
mod input;
mod items;
mod local_tier;
mod manifest;
mod offered;
mod offers;
mod own;
mod plan;
mod reader;
mod rules_files;
mod servers;
mod shared;
mod skill;
#[cfg(test)]
mod tests;
mod texts;
mod tiers;
mod walk;

use crate::escape::{self, ProtectedPlaces};
use crate::names::fold;
use crate::ports::{Clock, Folder, GitIndex};
use crate::reading::{beneath, join};
use crate::report::{Dropped, Notice, NoticeKind};
use crate::settings::{self, Options, Protection};
use crate::tier::Tier;
use entries::Entries;
pub use error::RunHomeError;
pub use input::{Bounds, Input, Leg, Mode, Places};
use items::Items;
pub use plan::{Admitted, McpConfig, Node, Place, Plan, Planned, Report, Splice};
use reader::Reader;
use rules_files::Rules;
use texts::Texts;

/// The version of the contract that plans and manifests follow.
pub const CONTRACT_VERSION: u32 = 1;

/// The folders that outlive every run, as links into the shared home.
pub const PERSISTENT_ENTRIES: [&str; 5] = ["file-history", "tasks", "teams", "agent-memory", "workflows"];

/// The shared home of the Winter brand under `home`.
///
/// ```
/// assert_eq!(winter_policy::run_home::sdk_home_of("/home/me/.winter"), "/home/me/.winter/sdk");
/// ```
pub fn sdk_home_of(home: &str) -> String {
    join(home, "sdk")
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
    let mut reader = Reader::new(input.bounds);
    let mut entries = Entries::default();
    let root = trusted(input, places, &mut reader.report)?;
    reader.private = std::iter::once(&input.home).chain(&input.home_spellings).cloned().collect();
    reader.private.push(shared_home(input, places));
    let levels = root.map_or_else(Vec::new, |root| walk::levels(root, &places.cwd, &mut reader));

    let effective = settings(input, places, root, git, &mut reader)?;
    entries.file("settings.json".to_owned(), effective.json.clone().into_bytes(), effective.source);

    let mut texts = Texts::new(input, places, root);
    let own = texts.own(input, places, &mut reader);
    let project = texts.project(input, &levels, &mut reader);
    if !own.is_empty() || !project.is_empty() {
        entries.file(texts::INSTRUCTIONS.to_owned(), format!("{own}{project}").into_bytes(), texts.sources());
    }
    Rules { input, places, root, levels: &levels }.plan(&mut texts, &mut entries, &mut reader);
    Items { input, places, root, levels: &levels }.plan(&mut entries, &mut reader);
    let mcp_config = servers::plan(input, places, &levels, &effective.rejected, &mut entries, &mut reader)?;
    let shared_folders = shared::link(input, places, &mut entries, &mut reader);
    offered::remark(input, places, root, &levels, &texts, &mut reader);

    let mut report = reader.report;
    report.settle();
    Ok(Plan {
        run_id: input.run_id.clone(),
        dir: join(&join(&input.home, "cache/runs"), &input.run_id),
        sdk_home: shared_home(input, places),
        entries: entries.into_planned(),
        shared_folders,
        mcp_config,
        effective_settings: effective.json,
        manifest: manifest::manifest(input, places, root, clock.now()),
        report,
    })
}

/// What a run folder holds under names of its own, which no brand can take.
const FIXED: [&str; 11] = [
    "settings.json",
    "manifest.json",
    ".building",
    "mcp.json",
    "projects",
    texts::INSTRUCTIONS,
    "agents",
    "commands",
    "output-styles",
    "rules",
    "skills",
];

/// The settings key that names a style.
const OUTPUT_STYLE: &str = "outputStyle";

/// The composed settings of one run.
struct Settings {
    json: String,
    /// The files that it is made of.
    source: String,
    /// Servers of the repository that the person rejected.
    rejected: Vec<String>,
}

fn settings<G>(
    input: &Input,
    places: &Places<G::Folder>,
    root: Option<&G::Folder>,
    git: &G,
    reader: &mut Reader,
) -> Result<Settings, RunHomeError>
where
    G: GitIndex,
    G::Folder: Clone,
{
    let tiers = tiers::read(input, places, root, git, reader)?;
    let protection = protection(input, places, root, &mut reader.report);
    let options = Options {
        brand: &input.brand,
        powers: input.powers,
        allow_inexpressible: input.allow_inexpressible,
        protection: &protection,
    };
    let files: Vec<_> = tiers.iter().map(tiers::Read::as_file).collect();
    let denied = deny_places::known(input, places, &files, &options);
    let effective = settings::compose_in(&files, &options, &denied)?;
    let report = &mut reader.report;
    report.dropped_rules.extend(effective.dropped);
    report.skipped_items.extend(effective.skipped);
    report.notices.extend(effective.notices);
    let unusable = |source: &str| report.skipped_items.iter().any(|item| item.path == source);
    let sources: Vec<&str> = tiers.iter().map(|tier| tier.source.as_str()).filter(|source| !unusable(source)).collect();
    let source = if sources.is_empty() { "winter".to_owned() } else { sources.join(", ") };
    let mut settings = Settings { json: effective.json, source, rejected: Vec::new() };
    let Ok(mut document) = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&settings.json) else {
        return Ok(settings);
    };
    if input.containment_hook.is_some()
        && let Some(key) = without_hooks(&document)
    {
        return Err(RunHomeError::HooksDisabled(key));
    }
    if let Some(names) = document.get("disabledMcpjsonServers").and_then(serde_json::Value::as_array) {
        settings.rejected = names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
    }
    if input.dispatch_child
        && let Some(style) = document.shift_remove(OUTPUT_STYLE)
    {
        settings.json = format!("{:#}\n", serde_json::Value::Object(document));
        reader.report.dropped_rules.push(Dropped {
            tier: Tier::User,
            source: settings.source.clone(),
            line: None,
            rule: format!("{OUTPUT_STYLE}: {}", style.as_str().unwrap_or_default()),
            reason: settings::rules::DISPATCH_CHILD.id.to_owned(),
            withheld: None,
            because: None,
        });
    }
    Ok(settings)
}

/// Where the person's own items stand, or would.
fn shared_home<F: Folder>(input: &Input, places: &Places<F>) -> String {
    places.shared_home.as_ref().map_or_else(|| input.shared_home.clone(), Folder::path)
}

fn check(input: &Input) -> Result<(), RunHomeError> {
    if input.leg == Leg::Official {
        return Err(RunHomeError::LegRefused);
    }
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if !(8..=64).contains(&input.run_id.len()) || !input.run_id.bytes().all(plain) {
        return Err(RunHomeError::RunId(input.run_id.clone()));
    }
    let memory = Some(&input.memory_dir).filter(|folder| !folder.is_empty());
    let folders = [&input.home, &input.shared_home].into_iter().chain(&input.user_home).chain(memory);
    if let Some(folder) = folders.into_iter().find(|folder| !folder.starts_with('/')) {
        return Err(RunHomeError::NotAbsolute(folder.clone()));
    }
    let brand = &input.brand;
    let names = [
        ("project-dir", &brand.project_dir),
        ("instructions-file", &brand.instructions_file),
        ("local-instructions-file", &brand.local_instructions_file),
        ("global-config-file", &brand.global_config_file),
    ];
    let folders = brand.persistent_folders.iter().map(|name| ("persistent-folders", name));
    let linked = brand.linked_entries.iter().map(|name| ("linked-entries", name));
    // As a folding file system compares them.
    let mut seen = vec![fold(&brand.global_config_file)];
    let is_fixed = |value: &str| FIXED.iter().any(|fixed| fold(fixed) == fold(value));
    for (field, value) in names.into_iter().chain(folders.chain(linked)) {
        let plain = (1..=255).contains(&value.len()) && value != "." && value != ".." && !value.contains(['/', '\0']);
        let planned_twice = field.ends_with('s') && (seen.contains(&fold(value)) || is_fixed(value));
        if !plain || planned_twice || (field == "global-config-file" && is_fixed(value)) {
            return Err(RunHomeError::Brand { field, value: value.clone() });
        }
        if field.ends_with('s') {
            seen.push(fold(value));
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
    let folder = offered::configuration(root, root, &input.brand.project_dir);
    if places.shared_home.as_ref().is_some_and(|home| folder.is_some_and(|folder| folder.path() == home.path())) {
        remark(
            NoticeKind::HomeIsProject,
            "the project's configuration is your own shared home; it was read once, as yours, and nothing else of the project",
        );
        return Ok(None);
    }
    Ok(Some(root))
}

fn protection<F: Folder>(input: &Input, places: &Places<F>, root: Option<&F>, report: &mut Report) -> Protection {
    let shared_home = shared_home(input, places);
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
    let pre_tool_use = input.containment_hook.clone();
    Protection { ask: rules.ask, deny: rules.deny, deny_write: rules.deny_write, pre_tool_use }
}

/// The key of a composed document by which a session would have no hooks.
fn without_hooks(document: &serde_json::Map<String, serde_json::Value>) -> Option<String> {
    let is_set = |key: &str| document.get(key).is_some_and(|value| *value != serde_json::Value::Bool(false));
    if let Some(key) = ["disableAllHooks", "allowManagedHooksOnly"].into_iter().find(|key| is_set(key)) {
        return Some(key.to_owned());
    }
    let variables = document.get("env")?.as_object()?;
    let name = variables
        .keys()
        .find(|name| crate::environment::WITHOUT_HOOKS.iter().any(|(switch, _)| name.eq_ignore_ascii_case(switch)))?;
    Some(format!("env.{name}"))
}
