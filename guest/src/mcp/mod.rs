//! MCP servers: which of those that a person's files and a repository offer a session starts with.
//!
//! Three scopes are folded in order, user, project, local; a later one wins by name, whole entries. A server that is
//! dropped is reported with the row of [`REASONS`] that dropped it, so that what comes out and what is dropped are
//! together what went in.

mod entry;
mod fold;
mod names;
mod reasons;
mod shown;
mod source;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::brand::Profile;
use crate::report::{Notice, Refusal, RefusalKind, SkippedItem};
pub use fold::fold;
pub use names::normalised;
pub use reasons::{MEMBERS, MemberRow, REASONS, Row, sheets};

/// Whose server it is; later ones win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// The person's, at the top of their global file.
    User,
    /// The repository's, in its `.mcp.json`.
    Project,
    /// The person's for one project, in the entry that their global file keeps of it.
    Local,
}

/// One file that may hold servers.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Which of its servers are read: `mcpServers` at the top, or in the project's entry.
    pub scope: Scope,
    /// Its path, for the report.
    pub path: &'a str,
    /// Its content.
    pub text: &'a [u8],
}

/// What is the same for all files of one fold.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// The runtime that will read the document.
    pub brand: &'a Profile,
    /// The key of the project's entry under `projects` in the global file: the real path of the top of the git repository
    /// that holds the cwd, of the main one for a linked worktree; without one the cwd's (Claude Code 2.1.250, measured).
    pub project_key: &'a str,
    /// Names that the host disables.
    pub disabled: &'a [String],
    /// Names of repositories' servers that the person rejected: `disabledMcpjsonServers` of their own settings. The
    /// program would not ask them again for servers that are handed to it (Claude Code 2.1.250, measured).
    pub rejected: &'a [String],
    /// Names that the host's own servers have.
    pub reserved: &'a [String],
    /// Whether a repository's servers may act.
    pub may_act: bool,
}

/// One server that a session starts with.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Server {
    /// As its author wrote it.
    pub name: String,
    /// Whose it is.
    pub scope: Scope,
    /// The file that it stands in.
    pub source: String,
    /// Where in that file, from 1.
    pub line: u32,
    /// Its entry, members in their author's order.
    pub config: serde_json::Value,
}

/// One server that a session does not start with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct DroppedServer {
    /// Whose it is.
    pub scope: Scope,
    /// The file that it stands in.
    pub source: String,
    /// Where in that file, from 1.
    pub line: u32,
    /// As its author wrote it.
    pub name: String,
    /// The id of a row of [`REASONS`].
    pub reason: &'static str,
    /// For a person, on one line and without secrets: what is wrong, what it would do, or who has the name.
    pub detail: String,
}

/// One member that was taken out of a repository's server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RemovedMember {
    /// The file that it stands in.
    pub source: String,
    /// Where in that file, from 1.
    pub line: u32,
    /// The server's name.
    pub server: String,
    /// The member, e.g. `oauth.xaa`.
    pub member: String,
    /// Why.
    pub why: &'static str,
}

/// What a session gets out of the files.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Folded {
    /// In the order of their files, no two with the same tools' names.
    pub servers: Vec<Server>,
    /// Sorted.
    pub dropped: Vec<DroppedServer>,
    /// What was taken out of the repository's servers that are left, sorted.
    pub removed: Vec<RemovedMember>,
    /// Files, and parts of a person's, that could not be used, sorted.
    pub skipped: Vec<SkippedItem>,
    /// Remarks, sorted.
    pub notices: Vec<Notice>,
    /// A user-scope server was dropped that the public program would start from the person's global file, so that it
    /// must be given this document alone. Not so for one that a later scope overrides, or that the program skips by
    /// itself (Claude Code 2.1.250, measured).
    pub user_dropped: bool,
}

impl Folded {
    /// The document of all servers, `{ "mcpServers": {…} }`.
    pub fn document(&self) -> String {
        print(self.servers.iter())
    }

    /// The same without the user scope's, for a runtime that reads those from the person's global file.
    pub fn document_beside_user(&self) -> String {
        print(self.servers.iter().filter(|server| server.scope != Scope::User))
    }
}

fn print<'a>(servers: impl Iterator<Item = &'a Server>) -> String {
    let servers: serde_json::Map<_, _> = servers.map(|server| (server.name.clone(), server.config.clone())).collect();
    format!("{:#}\n", serde_json::json!({ "mcpServers": servers }))
}

/// Why nothing was folded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum McpError {
    /// The person's own file is not one JSON object; a repository's is skipped, and reported.
    #[error("{source_path}: {what}")]
    Unusable {
        /// The file.
        source_path: String,
        /// From 1.
        line: u32,
        /// From 1.
        column: u32,
        /// What stands there.
        what: String,
    },
}

impl From<McpError> for Refusal {
    fn from(error: McpError) -> Self {
        let message = error.to_string();
        let McpError::Unusable { source_path, line, column, .. } = error;
        Self {
            kind: RefusalKind::UnusableSettings,
            message,
            help:
                "mend the file: a session without it would run without your own MCP servers, and without knowing which \
                   you disabled"
                    .to_owned(),
            source: Some(source_path),
            line: Some(line),
            column: Some(column),
        }
    }
}
