//! The MCP servers of one run: read from the files that may hold some, folded, and written where the brand looks.

use super::entries::Entries;
use super::reader::Reader;
use super::walk::Level;
use super::{Input, McpConfig, Places, RunHomeError, shared};
use crate::brand::McpPlacement;
use crate::mcp::{self, Scope, Source};
use crate::ports::Folder;
use crate::powers::may_act;
use crate::reading::join;
use crate::report::{DroppedServer, RemovedPower};
use crate::tier::Tier;

/// The name under which a project ships its servers.
const PROJECT_FILE: &str = ".mcp.json";

/// The file in a run folder that a runtime has to be told of.
const OWN_FILE: &str = "mcp.json";

/// The reason under which a member of a repository's server is taken out.
const REMOVED_MEMBER: &str = "removed-member";

/// Plans the servers' file.
///
/// # Errors
/// The person's own global file cannot be used.
pub(super) fn plan<F: Folder + Clone>(
    input: &Input,
    places: &Places<F>,
    levels: &[Level<F>],
    rejected: &[String],
    entries: &mut Entries,
    reader: &mut Reader,
) -> Result<Option<McpConfig>, RunHomeError> {
    let global = match shared::global_file(input, places, reader) {
        None => None,
        Some((path, Ok(text))) => Some((path, text)),
        Some((path, Err(what))) => return Err(RunHomeError::OwnGlobalFile { path, what }),
    };
    let roots: Vec<F> = levels.first().map(|root| root.folder.clone()).into_iter().collect();
    let mut project = Vec::new();
    for level in levels {
        let path = join(&level.folder.path(), PROJECT_FILE);
        if let Some(found) = reader.find(&level.folder, PROJECT_FILE, &roots)
            && let Some(text) = reader.bytes(&found, &path)
        {
            project.push((path, text));
        }
    }
    let mut sources: Vec<Source<'_>> = Vec::new();
    sources.extend(global.iter().map(|(path, text)| Source { scope: Scope::User, path, text }));
    sources.extend(project.iter().map(|(path, text)| Source { scope: Scope::Project, path, text }));
    sources.extend(global.iter().map(|(path, text)| Source { scope: Scope::Local, path, text }));
    let project_key = places.git_top.as_ref().or(places.git_entry.as_ref()).unwrap_or(&places.cwd).path();
    let options = mcp::Options {
        brand: &input.brand,
        project_key: &project_key,
        disabled: &input.mcp_disabled,
        rejected,
        reserved: &input.reserved_mcp_server_names,
        may_act: may_act(Tier::Project, false, input.powers),
    };
    let folded = mcp::fold(&sources, &options)?;
    let strict = folded.user_dropped && input.brand.mcp == McpPlacement::OwnFile;
    let document = if input.brand.mcp == McpPlacement::GlobalFile || strict {
        folded.document()
    } else {
        folded.document_beside_user()
    };
    let mut from: Vec<&str> = folded.servers.iter().map(|server| server.source.as_str()).collect();
    crate::order::sort(&mut from);
    from.dedup();
    let source = if from.is_empty() { "winter".to_owned() } else { from.join(", ") };
    let report = &mut reader.report;
    report.skipped_items.extend(folded.skipped);
    report.notices.extend(folded.notices);
    report.dropped_mcp_servers.extend(folded.dropped.into_iter().map(|server| DroppedServer {
        name: server.name,
        scope: tier(server.scope),
        source: server.source,
        line: Some(server.line),
        reason: server.reason.to_owned(),
        detail: server.detail,
    }));
    report.removed_powers.extend(folded.removed.into_iter().map(|removed| RemovedPower {
        file: removed.source,
        line: removed.line,
        carrier: format!("{}.{}", removed.server, removed.member),
        value: removed.why.to_owned(),
        reason: REMOVED_MEMBER.to_owned(),
    }));
    Ok(match input.brand.mcp {
        McpPlacement::GlobalFile => {
            entries.file(input.brand.global_config_file.clone(), document.into_bytes(), source);
            None
        }
        McpPlacement::OwnFile => {
            entries.file(OWN_FILE.to_owned(), document.into_bytes(), source);
            Some(McpConfig { entry: OWN_FILE.to_owned(), strict })
        }
    })
}

fn tier(scope: Scope) -> Tier {
    match scope {
        Scope::User => Tier::User,
        Scope::Project => Tier::Project,
        Scope::Local => Tier::Local,
    }
}
