//! Which servers a file offers, and what it switches off.

use super::{McpError, Options, Scope, Source};
use crate::report::{Notice, NoticeKind, SkipReason, SkippedItem};
use crate::settings::document::{Document, Duplicate, Member, Unreadable, Value};

/// The key that holds servers.
const SERVERS: &str = "mcpServers";

/// What one file holds.
#[derive(Default)]
pub(super) struct Offer {
    pub(super) servers: Vec<Member>,
    /// Names that the person disabled here, whoever's server it is.
    pub(super) disabled: Vec<String>,
    /// Names of a repository's servers that the person rejected here.
    pub(super) rejected: Vec<String>,
    pub(super) skipped: Vec<SkippedItem>,
    pub(super) notices: Vec<Notice>,
}

/// Reads one file; what cannot be used of it is in `skipped`.
///
/// # Errors
/// A person's own file that does not parse.
pub(super) fn read(source: &Source<'_>, options: &Options<'_>) -> Result<Offer, McpError> {
    let mut offer = Offer::default();
    let document = match Document::parse(source.text) {
        Ok(document) => document,
        Err(Unreadable { line, column, what }) if source.scope != Scope::Project => {
            return Err(McpError::Unusable { source_path: source.path.to_owned(), line, column, what });
        }
        Err(Unreadable { line, column, what }) => {
            offer.skip(source, Some(line), Some(column), what);
            return Ok(offer);
        }
    };
    let above = match source.scope {
        Scope::User | Scope::Project => Vec::new(),
        Scope::Local => vec!["projects", options.project_key],
    };
    offer.duplicates(source, document.duplicates, &above);
    let mut members = document.members;
    for key in &above {
        members = match take(&mut members, key) {
            None => return Ok(offer),
            Some(Member { value: Value::Object(below), .. }) => below,
            Some(other) => {
                offer.misfit(source, key, &other, "an object");
                return Ok(offer);
            }
        };
    }
    if source.scope == Scope::Local {
        offer.disabled = offer.names(source, &mut members, "disabledMcpServers");
        offer.rejected = offer.names(source, &mut members, "disabledMcpjsonServers");
    }
    match take(&mut members, SERVERS) {
        Some(Member { value: Value::Object(servers), .. }) => offer.servers = servers,
        // A person's file holds much else; the program takes `null` there as none (Claude Code 2.1.250, read).
        None | Some(Member { value: Value::Null, .. }) if source.scope != Scope::Project => {}
        None => {
            let instead =
                if members.iter().any(|member| member.key == "servers") { "; `servers` is not read" } else { "" };
            offer.skip(source, None, None, format!("no `{SERVERS}`{instead}"));
        }
        Some(other) => offer.misfit(source, SERVERS, &other, "an object"),
    }
    Ok(offer)
}

fn take(members: &mut Vec<Member>, key: &str) -> Option<Member> {
    let place = members.iter().position(|member| member.key == key)?;
    Some(members.swap_remove(place))
}

impl Offer {
    fn skip(&mut self, source: &Source<'_>, line: Option<u32>, column: Option<u32>, detail: String) {
        self.skipped.push(SkippedItem {
            path: source.path.to_owned(),
            reason: SkipReason::Unusable,
            detail,
            line,
            column,
        });
    }

    fn misfit(&mut self, source: &Source<'_>, key: &str, found: &Member, expected: &str) {
        let detail = format!("`{key}` holds {}, where {expected} was expected", found.value.kind());
        self.skip(source, Some(found.line), None, detail);
    }

    /// The strings of a list; an entry of another type names nothing.
    fn names(&mut self, source: &Source<'_>, members: &mut Vec<Member>, key: &str) -> Vec<String> {
        match take(members, key) {
            None => Vec::new(),
            Some(Member { value: Value::List(items), .. }) => {
                items.into_iter().filter_map(|item| item.value.as_text().map(str::to_owned)).collect()
            }
            Some(other) => {
                self.misfit(source, key, &other, "a list of names");
                Vec::new()
            }
        }
    }

    /// Those on the way to the servers, and below.
    fn duplicates(&mut self, source: &Source<'_>, duplicates: Vec<Duplicate>, above: &[&str]) {
        let way = above.iter().chain([&SERVERS]).copied().collect::<Vec<_>>().join(".");
        let begins = |text: &str, with: &str| {
            text.strip_prefix(with).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        for Duplicate { path, line } in duplicates {
            if begins(&path, &way) || begins(&way, &path) {
                let text = format!("`{path}` stands more than once; the last one counts");
                self.notices.push(Notice {
                    kind: NoticeKind::DuplicateKey,
                    path: source.path.to_owned(),
                    line: Some(line),
                    text,
                });
            }
        }
    }
}
