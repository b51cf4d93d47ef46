//! What a run folder would hold, and what was left out.

use serde::Serialize;

use crate::ports::Identity;
use crate::report::{
    Dropped, DroppedImport, DroppedServer, ExternalUserLink, Notice, RemovedPower, SkippedAgent, SkippedItem,
    SkippedLink, UnconditionalRule,
};

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

/// A file that begins with bytes of the policy's and goes on with those of an admitted one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Splice {
    /// What it begins with.
    #[serde(serialize_with = "text_or_bytes")]
    pub head: Vec<u8>,
    /// What it goes on with.
    pub source: Admitted,
    /// How many bytes of the source are left out at its beginning.
    pub offset: u64,
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
    /// A file of this beginning and the rest of an admitted one.
    Splice(Splice),
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
    /// Taken out of agents, skills, commands, styles and rules.
    pub removed_powers: Vec<RemovedPower>,
    /// MCP servers.
    pub dropped_mcp_servers: Vec<DroppedServer>,
    /// Imports of instructions and rules.
    pub dropped_imports: Vec<DroppedImport>,
    /// Agents.
    pub skipped_agents: Vec<SkippedAgent>,
    /// Links that were not followed.
    pub skipped_links: Vec<SkippedLink>,
    /// Items that were left out whole.
    pub skipped_items: Vec<SkippedItem>,
    /// Remarks: rules of a repository that are always in context.
    pub unconditional_rules: Vec<UnconditionalRule>,
    /// Remarks: links of the person's own that leave the shared home.
    pub external_user_links: Vec<ExternalUserLink>,
    /// Further remarks.
    pub notices: Vec<Notice>,
}

impl Report {
    /// Puts every list in order; what was met on two ways is one loss.
    pub(super) fn settle(&mut self) {
        crate::order::sort(&mut self.dropped_rules);
        settle(&mut self.removed_powers);
        settle(&mut self.dropped_mcp_servers);
        settle(&mut self.dropped_imports);
        settle(&mut self.skipped_agents);
        settle(&mut self.skipped_links);
        settle(&mut self.skipped_items);
        settle(&mut self.unconditional_rules);
        settle(&mut self.external_user_links);
        settle(&mut self.notices);
    }
}

fn settle<T: Ord>(list: &mut Vec<T>) {
    crate::order::sort(list);
    list.dedup();
}

/// The file of MCP servers that a runtime has to be told of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct McpConfig {
    /// In the run folder.
    pub entry: String,
    /// Only its servers may start: it holds the person's own ones, too.
    pub strict: bool,
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
    /// Folders of the shared home that links lead to: they are made, 0700, where they do not stand.
    pub shared_folders: Vec<String>,
    /// The file of MCP servers that the runtime has to be told of; none where it finds them itself.
    pub mcp_config: Option<McpConfig>,
    /// The content of its `settings.json`.
    pub effective_settings: String,
    /// A JSON object: what `manifest.json` begins with. The runner adds what it wrote.
    pub manifest: String,
    /// What was left out, and why.
    pub report: Report,
}
