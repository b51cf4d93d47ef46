//! Settings tiers: what is left of a few settings files, as one document that is read at the user tier.
//!
//! Each file is read strictly, filtered by its tier's rows of the drop table, re-anchored, and merged; the result is
//! checked against the types that the runtime reads, so that it is never a document which the runtime drops whole.

pub mod document;
mod filter;
pub mod keys;
mod mask;
mod merge;
pub mod rules;
mod spelling;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::brand::Profile;
use crate::report::{Dropped, Notice, Refusal, RefusalKind, ShippedBecause, SkipReason, SkippedItem};
use crate::tier::{Powers, Tier};
use document::{Document, Item, Member, Value, get_or_insert};
pub use mask::masked;
pub use spelling::{is_secret_name, is_secret_value};

/// One settings file.
#[derive(Clone, Debug)]
pub struct TierFile<'a> {
    /// Whose word it is.
    pub tier: Tier,
    /// Its path, for the report.
    pub source: &'a str,
    /// The absolute folder that its relative rules are anchored at.
    pub anchor: &'a str,
    /// Why a local file counts as the repository's; none when it is the person's own.
    pub shipped: Option<ShippedBecause>,
    /// Its content.
    pub text: &'a [u8],
}

/// What is the same for all files of one composition.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// The runtime that will read the document.
    pub brand: &'a Profile,
    /// Whether what acts in a repository's files may act.
    pub powers: Powers,
    /// Leave out (and report) a protection of the person's own that has no spelling, where it would be refused.
    pub allow_inexpressible: bool,
    /// Rules that are added to the person's own.
    pub protection: &'a Protection,
}

/// Rules that keep a session from changing what decides about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protection {
    /// Joined to `permissions.ask`.
    pub ask: Vec<String>,
    /// Joined to `permissions.deny`.
    pub deny: Vec<String>,
    /// Joined to `sandbox.filesystem.denyWrite`.
    pub deny_write: Vec<String>,
}

/// What a session gets out of a few settings files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Effective {
    /// One JSON object, to be read at the user tier.
    pub json: String,
    /// What was asked for and not given, sorted.
    pub dropped: Vec<Dropped>,
    /// Files that could not be used, sorted.
    pub skipped: Vec<SkippedItem>,
    /// Remarks, sorted.
    pub notices: Vec<Notice>,
}

/// Why nothing was composed. Every one concerns the person's own file: a repository's is skipped, and reported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// It is not one JSON object.
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
    /// It holds a value for which the runtime would drop the whole file, its deny rules included.
    #[error("{source_path}: `{key}` holds {found}, where {expected} was expected")]
    WrongType {
        /// The file.
        source_path: String,
        /// From 1.
        line: u32,
        /// The keys down to the value, joined by dots.
        key: String,
        /// What the runtime reads there.
        expected: String,
        /// What stands there.
        found: &'static str,
    },
    /// It holds a deny that the runtime's sandbox would silently ignore.
    #[error("{source_path}: the sandbox would ignore `{entry}`")]
    Inexpressible {
        /// The file.
        source_path: String,
        /// From 1.
        line: u32,
        /// The list and the entry.
        entry: String,
    },
}

impl From<SettingsError> for Refusal {
    fn from(error: SettingsError) -> Self {
        let message = error.to_string();
        let (kind, help, source, line, column) = match error {
            SettingsError::Unusable { source_path, line, column, .. } => (
                RefusalKind::UnusableSettings,
                "mend the file: a session without it would run without your own rules",
                source_path,
                line,
                Some(column),
            ),
            SettingsError::WrongType { source_path, line, .. } => (
                RefusalKind::UnusableSettings,
                "mend the value: for one such value the runtime drops the whole file, deny rules included, without a word",
                source_path,
                line,
                None,
            ),
            SettingsError::Inexpressible { source_path, line, .. } => (
                RefusalKind::Inexpressible,
                "name the path without `* ? [ ]`, or pass --allow-inexpressible to go on without this protection",
                source_path,
                line,
                None,
            ),
        };
        Self { kind, message, help: help.to_owned(), source: Some(source), line: Some(line), column }
    }
}

/// What a session gets out of these files; a later tier wins where the merge column lets it.
///
/// # Errors
/// Only for the person's own file: it does not parse, the runtime would drop it whole, or a deny of it would fail open.
///
/// ```
/// use winter_policy::{brand::Profile, settings::*, tier::*};
/// let user = TierFile { tier: Tier::User, source: "settings.json", anchor: "/home/me/.winter/sdk", shipped: None,
///     text: br#"{"permissions":{"deny":["Read(~/.ssh/**)"]}}"# };
/// let project = TierFile { tier: Tier::Project, source: "p.json", anchor: "/src/it", shipped: None,
///     text: br#"{"permissions":{"defaultMode":"bypassPermissions"}}"# };
/// let options = Options { brand: &Profile::winter(), powers: Powers::Drop, allow_inexpressible: false,
///     protection: &Protection::default() };
/// let effective = compose(&[user, project], &options).unwrap();
/// assert!(effective.json.contains("~/.ssh"));
/// assert_eq!(effective.dropped[0].rule, "permissions.defaultMode: bypassPermissions");
/// assert_eq!(effective.dropped[0].reason, "escalating-mode");
/// ```
pub fn compose(files: &[TierFile<'_>], options: &Options<'_>) -> Result<Effective, SettingsError> {
    let mut order: Vec<&TierFile<'_>> = files.iter().collect();
    order.sort_by_key(|file| file.tier);
    let mut members = Vec::new();
    let (mut dropped, mut skipped, mut notices) = (Vec::new(), Vec::new(), Vec::new());
    for file in order {
        let document = match Document::parse(file.text) {
            Ok(document) => document,
            Err(fault) if file.tier == Tier::User => {
                let source_path = file.source.to_owned();
                return Err(SettingsError::Unusable {
                    source_path,
                    line: fault.line,
                    column: fault.column,
                    what: fault.what,
                });
            }
            Err(fault) => {
                skipped.push(SkippedItem {
                    path: file.source.to_owned(),
                    reason: SkipReason::Unusable,
                    detail: fault.what,
                    line: Some(fault.line),
                    column: Some(fault.column),
                });
                continue;
            }
        };
        let mut filtered = filter::filter(file, document, options)?;
        dropped.append(&mut filtered.dropped);
        notices.append(&mut filtered.notices);
        merge::merge(&mut members, file, filtered.members, &mut dropped);
    }
    protect(&mut members, options.protection);
    dropped.sort();
    skipped.sort();
    notices.sort();
    Ok(Effective { json: printed(members), dropped, skipped, notices })
}

/// Adds the rules that protect what decides about the session.
fn protect(members: &mut Vec<Member>, protection: &Protection) {
    add(members, &["permissions", "ask"], &protection.ask);
    add(members, &["permissions", "deny"], &protection.deny);
    add(members, &["sandbox", "filesystem", "denyWrite"], &protection.deny_write);
}

/// Joins rules to the list at `path`. The type table has refused whatever would keep it from being a list by now.
fn add(members: &mut Vec<Member>, path: &[&str], rules: &[String]) {
    let [key, below @ ..] = path else { return };
    if rules.is_empty() {
        return;
    }
    if below.is_empty() {
        if let Value::List(items) = get_or_insert(members, key, Value::List(Vec::new())) {
            merge::union(items, rules.iter().map(|rule| Item { line: 0, value: Value::Text(rule.clone()) }).collect());
        }
    } else if let Value::Object(inner) = get_or_insert(members, key, Value::Object(Vec::new())) {
        add(inner, below, rules);
    }
}

fn printed(members: Vec<Member>) -> String {
    let mut text = format!("{:#}", Value::Object(members).into_json());
    text.push('\n');
    text
}
