//! What the `env` block of a settings file may set.
//!
//! One variable can run a program (`BASH_ENV`), send a person's key elsewhere (`ANTHROPIC_BASE_URL`) or change the
//! model. So names are classified, by tables: [`CLASSES`] holds who may not set a class and why, and [`rows`] lists
//! every name and pattern with its class. From a repository the tables of dangerous names are only the better
//! explanation: what does not stand in the table of harmless names is refused without being known.
//!
//! Classes rank in the order of [`CLASSES`]; a name that two rows fit belongs to the first.

mod endpoint;
mod execution;
mod harmless;
mod model;
mod personal;
mod router;
mod table;
#[cfg(test)]
mod tests;
mod words;

use serde::Serialize;

use crate::brand::Profile;
use crate::tier::{Powers, Tier, Tiers};
use table::{Case, Group};

/// Variables that switch every hook of a session off, and with them containment.
pub const WITHOUT_HOOKS: [(&str, &str); 2] = [
    ("CLAUDE_CODE_SIMPLE", "it is what `--bare` sets (Claude Code 2.1.250, `--help`)"),
    ("CLAUDE_CODE_SAFE_MODE", "it is what `--safe-mode` sets (Claude Code 2.1.250, `--help`)"),
];

pub use execution::{
    EXECUTION_INDIRECTION_ENV_ANY_CASE_PREFIXES, EXECUTION_INDIRECTION_ENV_NAMES, EXECUTION_INDIRECTION_ENV_PREFIXES,
};
pub use router::{ROUTER_OWNED_CLAUDE_NAMES, ROUTER_OWNED_SUFFIXES, TRAFFIC_OPT_OUT_VARIABLES};

/// Why a variable may not be set, and by whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct EnvClass {
    /// The stable id of the reason, as reports carry it.
    pub id: &'static str,
    /// What tells two classes of one id apart.
    pub name: &'static str,
    /// Who may not.
    pub tiers: Tiers,
    /// The reason, as a sentence for a person.
    pub why: &'static str,
    /// Where the fact is from.
    pub source: &'static str,
}

/// A name that is no name.
pub static NO_NAME: EnvClass = EnvClass {
    id: "no-name-env",
    name: "not a name",
    tiers: Tiers::Any,
    why: "a name that is empty, or holds `=` or NUL, becomes another variable once it is joined to its value",
    source: "POSIX.1, setenv and environ; the child's environment is a list of NAME=value",
};

/// What the door sets itself.
pub static ROUTER_OWNED: EnvClass = EnvClass {
    id: "router-owned-env",
    name: "set by the door",
    tiers: Tiers::Any,
    why: "the door sets it for each session, and a settings file would undo that",
    source: "the library's contract, router-set environment",
};

/// The contract's own list of what makes programs run other code.
pub static EXECUTION: EnvClass = EnvClass {
    id: "execution-env",
    name: "execution, the contract's own",
    tiers: Tiers::Any,
    why: "it changes which code the session runs, from any settings file",
    source: "the library's contract, EXECUTION_INDIRECTION_ENV_*; a planted CLAUDE_ENV_FILE was sourced by every call",
};

/// The opt-outs that the door sets.
pub static TRAFFIC: EnvClass = EnvClass {
    id: "traffic-env",
    name: "traffic opt-out",
    tiers: Tiers::Any,
    why: "the host decides whether the session may fetch its configuration and report home",
    source: "the library's contract, TRAFFIC_OPT_OUT_*; with the fetch, tools change without a version changing",
};

/// Whatever else runs code or moves the files that are read.
pub static EXECUTION_WIDER: EnvClass = EnvClass {
    id: "execution-env",
    name: "execution, wider",
    tiers: Tiers::Repository,
    why: "it names a program, code, or a file or folder that is read or written; a repository chooses none of them",
    source: "the variables that Claude Code 2.1.250 strips before its policy helper; CVE-2025-61260",
};

/// Where requests go, and as whom.
pub static ENDPOINT: EnvClass = EnvClass {
    id: "endpoint-env",
    name: "endpoint and credential",
    tiers: Tiers::Repository,
    why: "it moves requests, keys, trusted certificates or telemetry; a repository moves none of them",
    source: "CVE-2026-21852; Claude Code 2.1.169, changelog",
};

/// Which model, and how hard it thinks.
pub static MODEL: EnvClass = EnvClass {
    id: "model-env",
    name: "model and effort",
    tiers: Tiers::Repository,
    why: "a repository never chooses the model or the effort",
    source: "the library's contract; names read by Claude Code 2.1.250",
};

/// Everything else, from a repository.
pub static REPOSITORY: EnvClass = EnvClass {
    id: "repository-env",
    name: "anything else",
    tiers: Tiers::Repository,
    why: "a repository sets only what is known to be harmless: a list of dangerous names always misses one",
    source: "names read by Claude Code 2.1.250",
};

/// Every class, in rank.
pub static CLASSES: [&EnvClass; 8] =
    [&NO_NAME, &ROUTER_OWNED, &EXECUTION, &TRAFFIC, &EXECUTION_WIDER, &ENDPOINT, &MODEL, &REPOSITORY];

/// What a row says of the names that it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// The tiers of that class may not set it.
    Refused(&'static EnvClass),
    /// Reviewed: anyone may set it.
    Harmless,
    /// No variable, but a word among the program's strings: an error code, a constant.
    Word,
}

/// Where the text of a row stands in a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// It is the name.
    Exact,
    /// It is the name without the brand's prefix.
    Branded,
    /// The name begins with it.
    Prefix,
    /// The name ends with it.
    Suffix,
    /// The name holds it.
    Inner,
}

/// One row of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct EnvRow {
    /// The text, in capitals.
    pub pattern: &'static str,
    /// How it is compared.
    pub shape: Shape,
    /// What it says.
    pub standing: Standing,
    /// What the row and its neighbours are.
    pub about: &'static str,
    /// Compared without case too, as programs read both spellings.
    pub fold: bool,
}

impl EnvRow {
    /// The row as it is printed for a brand: `GIT_*`, `*_API_KEY`, `WINTER_HOME`.
    pub fn spelt(&self, brand: &Profile) -> String {
        match self.shape {
            Shape::Exact => self.pattern.to_owned(),
            Shape::Branded => format!("{}{}", brand.env_prefix, self.pattern),
            Shape::Prefix => format!("{}*", self.pattern),
            Shape::Suffix => format!("*{}", self.pattern),
            Shape::Inner => format!("*{}*", self.pattern),
        }
    }
}

/// Beginnings of names that belong to a runtime: a version that is not reviewed yet may read more of them.
const OWN_PREFIXES: [&str; 5] = ["ANTHROPIC_", "BUN_", "CCR_", "CLAUDE", "WINTER_"];

/// The tables, in rank.
static TABLES: [&[Group]; 7] = [
    router::GROUPS,
    execution::GROUPS,
    endpoint::GROUPS,
    model::GROUPS,
    personal::GROUPS,
    harmless::GROUPS,
    words::GROUPS,
];

fn groups() -> impl Iterator<Item = &'static Group> {
    TABLES.iter().copied().flatten()
}

fn find(name: &str, brand: &Profile, case: Case) -> Option<EnvRow> {
    groups().find_map(|group| group.find(name, brand, case))
}

/// Every row that speaks of a brand's sessions, in rank.
pub fn rows(brand: &Profile) -> impl Iterator<Item = EnvRow> + '_ {
    groups().filter(|group| group.speaks_of(brand)).flat_map(Group::rows)
}

/// The row that names a variable, if one does.
///
/// ```
/// use winter_policy::{brand::Profile, environment::classify};
/// let brand = Profile::winter();
/// assert_eq!(classify("GIT_DIR", &brand).expect("a row").spelt(&brand), "GIT_*");
/// assert_eq!(classify("MY_OWN", &brand), None);
/// ```
pub fn classify(name: &str, brand: &Profile) -> Option<EnvRow> {
    find(name, brand, Case::AsRead)
}

/// Why a settings file may not set a variable; none where it may.
///
/// `shipped` says that the repository delivered the local file.
///
/// ```
/// use winter_policy::{brand::Profile, environment::refusal, tier::{Powers, Tier}};
/// let ask = |name, tier| refusal(name, tier, false, Powers::Drop, &Profile::winter()).map(|class| class.id);
/// assert_eq!(ask("BASH_ENV", Tier::User), Some("execution-env"));
/// assert_eq!(ask("ANTHROPIC_MODEL", Tier::Local), Some("model-env"));
/// assert_eq!(ask("ANTHROPIC_MODEL", Tier::User), None);
/// assert_eq!(ask("NODE_ENV", Tier::Project), None);
/// ```
pub fn refusal(name: &str, tier: Tier, shipped: bool, powers: Powers, brand: &Profile) -> Option<&'static EnvClass> {
    // From a person's own file too: no program can hold such a variable, so nothing is lost, and `LD_PRELOAD=/x` as a
    // name would pass every row below and still arrive as LD_PRELOAD.
    if name.is_empty() || name.contains(['=', '\0']) {
        return Some(&NO_NAME);
    }
    let standing = classify(name, brand).map(|row| row.standing);
    match standing {
        Some(Standing::Refused(class)) => class.tiers.hold(tier, shipped).then_some(class),
        _ if !REPOSITORY.tiers.hold(tier, shipped) => None,
        Some(Standing::Harmless) if portable(name) => None,
        _ if powers == Powers::Keep && !suspect(name, brand) => None,
        _ => Some(&REPOSITORY),
    }
}

/// Whether a name that no row refuses could still reach a program as one that a row does, or as the runtime's own.
///
/// Asked where a trusted repository keeps its powers, as nothing else then stands in the way: letters count without
/// case (some systems compare so), and only names that every shell can spell pass (no look-alikes).
fn suspect(name: &str, brand: &Profile) -> bool {
    !portable(name)
        || OWN_PREFIXES.iter().chain([&brand.env_prefix.as_str()]).any(|own| table::strip(name, own, true).is_some())
        || (name.bytes().any(|byte| byte.is_ascii_lowercase())
            && matches!(find(name, brand, Case::Ignored), Some(EnvRow { standing: Standing::Refused(_), .. })))
}

/// Whether a name is one by POSIX: ASCII letters, digits and `_`, not a digit first.
fn portable(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
