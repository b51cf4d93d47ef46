//! What a run home is made for: the host's word, and the folders that it lends.

use serde::Serialize;

use crate::brand::Profile;
use crate::tier::Powers;

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

/// How much is read and carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Bounds {
    /// Bytes of one text: an instructions file, a rule, an agent, a settings file.
    pub text: u64,
    /// Bytes of one further file of a skill.
    pub skill_file: u64,
    /// Items of one kind.
    pub items: u32,
    /// Bytes in all.
    pub total: u64,
    /// How deep imports go.
    pub import_depth: u32,
    /// Folders that are looked into below the working folder.
    pub folders: u32,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { text: 1 << 20, skill_file: 8 << 20, items: 4096, total: 64 << 20, import_depth: 5, folders: 16_384 }
    }
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
    /// The absolute folder of the person's own items, which need not exist yet.
    pub shared_home: String,
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
    /// How much is read and carried.
    pub bounds: Bounds,
    /// The command of a hook of the session's own before every call of a tool: containment.
    pub containment_hook: Option<String>,
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
    /// The folder that holds the person's global file; no other name of it need be visible.
    pub global_home: Option<F>,
    /// The file system's root, in which links can be looked at and nothing be read or listed: where a denied path
    /// really leads.
    pub links: Option<F>,
}
