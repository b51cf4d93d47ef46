//! The drop table of MCP servers, and what of a repository's entry is kept: one row a rule.

use super::entry::Transport;
use crate::explain::Sheet;

/// One row of the drop table.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// Stable; what a report gives as the reason.
    pub id: &'static str,
    /// What it looks at, in words.
    pub what: &'static str,
    /// Whose servers it drops.
    pub scopes: &'static str,
    /// Why, in one sentence.
    pub why: &'static str,
    /// Where the row comes from.
    pub source: &'static str,
}

const CONTRACT: &str = "contract 1, run home";
const MEASURED: &str = "Claude Code 2.1.250, measured";

macro_rules! reasons {
    ($($(#[doc = $doc:literal])* $name:ident = $id:literal, $what:literal, $scopes:literal, $why:literal, $source:expr;)*) => {
        $($(#[doc = $doc])* pub(super) static $name: Row = Row { id: $id, what: $what, scopes: $scopes, why: $why, source: $source };)*

        /// Every row, in the order in which they are asked: the first that holds is the reason.
        pub static REASONS: &[&Row] = &[$(&$name),*];
    };
}

reasons! {
    /// Somebody has switched it off.
    DISABLED = "disabled", "a name that the host or the person disabled; a repository's also in another spelling of the same tools", "any",
        "it was switched off", "contract 1, run home; Claude Code 2.1.250, measured";
    /// The name belongs to somebody else.
    RESERVED_NAME = "reserved-name", "a name whose tools would be called as those of a reserved one", "any",
        "the host's own servers and the runtime's keep their names", "contract 1, run home; Claude Code 2.1.250, measured";
    /// Nothing could be started.
    INVALID = "invalid", "neither a command nor a URL, a value of a wrong type, an unknown type, a URL of another kind, a name that is empty or holds control characters", "any",
        "no runtime could start it as it stands", "contract 1, run home; Claude Code 2.1.250, measured value by value";
    /// It may not act.
    ACTS = "acts", "every server of a repository, where nothing of it may act", "project",
        "it runs a program or opens a connection of the repository's choice", "CVE-2025-59536, CVE-2025-54136, CVE-2025-68433";
    /// It would be given the person's variables.
    READS_ENVIRONMENT = "reads-environment", "`${NAME}` in any form anywhere in it, or a `headersHelper`", "project",
        "it would send what the person's variables hold; a helper gets them all, without the trust that the program asks for in a repository's own file", "contract 1, run home; CVE-2026-21852; Claude Code 2.1.250, measured";
    /// Two names for the same tools.
    DUPLICATE_NORMALISED = "duplicate-normalised", "another spelling of a name that is taken: the repository's goes; of a person's two, the earlier file's; of one file's two, the later", "any",
        "both start and the tools of one silently take the place of the other's", MEASURED;
    /// One tool's name, two readings.
    AMBIGUOUS_NAME = "ambiguous-name", "a name with `__` in it or `_` at its end once it is spelt for tools, or one that a person's or reserved such name begins with", "project",
        "`mcp__acme___status` is read as `acme` and `_status`: a permission for `acme` lets `acme_` and `acme__x` act", MEASURED;
    /// A later file has the same name.
    OVERRIDDEN = "overridden", "a server of the same name in a later scope, which replaces it whole", "any",
        "user, project, local: the later wins", CONTRACT;
}

/// One member of a server's entry, as a repository may have it.
#[derive(Clone, Copy, Debug)]
pub struct MemberRow {
    /// Its name.
    pub name: &'static str,
    /// The kinds of server that have it, and keep it. None: it is removed from all.
    pub(super) kept: &'static [Transport],
    /// What it is, or why it is removed.
    pub why: &'static str,
    /// Where the row comes from.
    pub source: &'static str,
}

use Transport::{Remote, Stdio};

/// What is known of a repository's entry; every other member is removed. A person's own passes unchanged.
#[rustfmt::skip]
pub static MEMBERS: &[MemberRow] = &[
    MemberRow { name: "type", kept: &[Stdio, Remote], why: "the kind of server", source: MEASURED },
    MemberRow { name: "command", kept: &[Stdio], why: "the program", source: MEASURED },
    MemberRow { name: "args", kept: &[Stdio], why: "its arguments", source: MEASURED },
    MemberRow { name: "env", kept: &[Stdio], why: "its variables", source: MEASURED },
    MemberRow { name: "url", kept: &[Remote], why: "where it is", source: MEASURED },
    MemberRow { name: "headers", kept: &[Remote], why: "what it is sent", source: MEASURED },
    MemberRow { name: "oauth", kept: &[Remote], why: "how a person signs in to it", source: MEASURED },
    MemberRow { name: "timeout", kept: &[Stdio, Remote], why: "how long a call may take", source: MEASURED },
    MemberRow { name: "alwaysLoad", kept: &[Stdio, Remote], why: "whether its tools are always offered", source: MEASURED },
    MemberRow { name: "tools", kept: &[], why: "its policies allow tools without asking", source: "Claude Code 2.1.250, read" },
    MemberRow { name: "toolPermissions", kept: &[], why: "it allows tools without asking", source: "Claude Code 2.1.250, read" },
];

/// Why a member that is in no row is removed.
pub(super) const UNKNOWN_MEMBER: &str = "it is not known";

/// Why a member that another kind of server has is removed.
pub(super) const OTHER_KIND: &str = "another kind of server has it";

/// The tables of this area.
///
/// ```
/// let sheets = winter_policy::mcp::sheets();
/// assert_eq!(sheets[0].rows[0][0], "disabled");
/// ```
pub fn sheets() -> Vec<Sheet> {
    let reasons =
        REASONS.iter().map(|row| [row.id, row.what, row.scopes, row.why, row.source].map(str::to_owned).to_vec());
    let members = MEMBERS.iter().map(|row| {
        let kept: Vec<&str> = row.kept.iter().map(|transport| transport.name()).collect();
        let kept = if kept.is_empty() { "removed".to_owned() } else { kept.join(", ") };
        vec![row.name.to_owned(), kept, row.why.to_owned(), row.source.to_owned()]
    });
    let reserved = super::names::RESERVED
        .iter()
        .map(|row| vec![row.name.to_owned(), row.brands().to_owned(), row.how().to_owned()]);
    vec![
        Sheet::new("Which MCP servers are dropped", &["id", "what", "scopes", "why", "source"], reasons),
        Sheet::new(
            "What of a repository's MCP server is kept",
            &["member", "servers with a", "what it is", "source"],
            members,
        ),
        Sheet::new("Names of MCP servers that runtimes keep for themselves", &["name", "brand", "compared"], reserved),
    ]
}
