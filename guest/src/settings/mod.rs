//! Settings tiers: what is left of a few settings files, as one document that is read at the user tier.
//!
//! Each file is read strictly, filtered by its tier's rows of the drop table, re-anchored, and merged; the result is
//! checked against the types that the runtime reads, so that it is never a document which the runtime drops whole.

pub mod document;
mod filter;
pub mod keys;
mod mask;
mod merge;
mod mirror;
pub mod rules;
mod spelling;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use serde::Serialize;

use crate::brand::Profile;
use crate::report::{Dropped, Notice, Refusal, RefusalKind, ShippedBecause, SkipReason, SkippedItem};
use crate::tier::{Powers, Tier};
use document::{Document, Item, Member, Value, get_or_insert};
pub use mask::masked;
use mirror::{Deny, Mirrored};
pub use mirror::{DenyPlaces, KnownPath, Stands};
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
    /// The command of a hook of the session's own before every call of a tool, after the person's.
    pub pre_tool_use: Option<String>,
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
    composed(files, options, None)
}

/// [`compose`], with every path deny that is left, the protecting ones among them, written both ways: the rule itself;
/// where its path goes through a link, the rule on the real path; and `denyRead` (of `Read`) or `denyWrite` (of `Edit`)
/// of the sandbox. A deny that the sandbox's list cannot hold is a notice `not-in-sandbox`: a pattern, a name at any
/// depth, a place without a spelling there, and, for `denyWrite`, one where nothing stands yet.
///
/// `places.known` tells what stands at each of the [`literal_paths`]. Rules fold case (Claude Code 2.1.250, measured),
/// the sandbox does not: a rule on another case of a name is a place where nothing stands. Composing what was composed
/// changes nothing.
///
/// # Errors
/// As [`compose`].
///
/// ```
/// use winter_policy::{brand::Profile, settings::*, tier::*};
/// let user = TierFile { tier: Tier::User, source: "settings.json", anchor: "/home/me/.winter/sdk", shipped: None,
///     text: br#"{"permissions":{"deny":["Read(~/.ssh/**)"]}}"# };
/// let options = Options { brand: &Profile::claude(), powers: Powers::Drop, allow_inexpressible: false,
///     protection: &Protection::default() };
/// let mut places = DenyPlaces { home: Some("/home/me".into()), ..DenyPlaces::default() };
/// let paths = literal_paths(std::slice::from_ref(&user), &options, &places);
/// assert_eq!(paths, ["/home/me/.ssh"]);
/// places.known = vec![KnownPath { path: paths[0].clone(), stands: Stands::Present, real: Some("/data/keys".into()) }];
/// let json = compose_in(&[user], &options, &places).unwrap().json;
/// assert!(json.contains("Read(//data/keys/**)") && json.contains(r#""/data/keys""#));
/// ```
pub fn compose_in(
    files: &[TierFile<'_>],
    options: &Options<'_>,
    places: &DenyPlaces,
) -> Result<Effective, SettingsError> {
    composed(files, options, Some(places))
}

/// The places that [`compose_in`] has to know, absolute, sorted and each once: the literal part of every path deny of
/// these files and of the protection. Of `places` it reads the home and the working folder; a path that needs one that
/// is not told is not among them, nor is one of a file that cannot be used.
///
/// ```
/// # use winter_policy::{brand::Profile, settings::*, tier::*};
/// let text = br#"{"permissions":{"deny":["Read(/keys/**)","Edit(../x)","Read(a/*.pem)","Read(~/x)"]}}"#;
/// let file = TierFile { tier: Tier::Project, source: "p.json", anchor: "/src/it", shipped: None, text };
/// let options = Options { brand: &Profile::winter(), powers: Powers::Drop, allow_inexpressible: false,
///     protection: &Protection::default() };
/// let places = DenyPlaces { cwd: Some("/src/it/sub".into()), ..DenyPlaces::default() };
/// assert_eq!(literal_paths(&[file], &options, &places), ["/src/it/keys", "/src/it/sub/a"]);
/// ```
pub fn literal_paths(files: &[TierFile<'_>], options: &Options<'_>, places: &DenyPlaces) -> Vec<String> {
    let usable =
        files.iter().filter_map(|file| filter::filter(file, Document::parse(file.text).ok()?, options, true).ok());
    let mut denies: Vec<Deny<'_>> = usable.flat_map(|filtered| filtered.denies).collect();
    denies.extend(protecting(options));
    mirror::paths(&denies, options, places)
}

fn protecting<'a>(options: &Options<'_>) -> impl Iterator<Item = Deny<'a>> {
    options.protection.deny.iter().map(|rule| Deny { rule: rule.clone(), author: None })
}

fn composed(
    files: &[TierFile<'_>],
    options: &Options<'_>,
    places: Option<&DenyPlaces>,
) -> Result<Effective, SettingsError> {
    let mut order: Vec<&TierFile<'_>> = files.iter().collect();
    crate::order::sort_by_key(&mut order, |file| file.tier);
    let (mut members, mut denies) = (Vec::new(), Vec::new());
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
        let mut filtered = filter::filter(file, document, options, places.is_some())?;
        denies.append(&mut filtered.denies);
        dropped.append(&mut filtered.dropped);
        notices.append(&mut filtered.notices);
        merge::merge(&mut members, file, filtered.members, &mut dropped);
    }
    protect(&mut members, options.protection);
    if let Some(places) = places {
        denies.extend(protecting(options));
        let mirrored = mirror::mirror(&denies, options, places);
        write_both_ways(&mut members, &mirrored);
        notices.extend(mirrored.notices);
    }
    crate::order::sort(&mut dropped);
    crate::order::sort(&mut skipped);
    crate::order::sort(&mut notices);
    Ok(Effective { json: printed(members), dropped, skipped, notices })
}

/// Adds what a rule alone does not protect.
fn write_both_ways(members: &mut Vec<Member>, mirrored: &Mirrored) {
    add(members, &["permissions", "deny"], &mirrored.deny);
    add(members, &["sandbox", "filesystem", "denyRead"], &mirrored.deny_read);
    add(members, &["sandbox", "filesystem", "denyWrite"], &mirrored.deny_write);
}

/// Adds the rules that protect what decides about the session.
fn protect(members: &mut Vec<Member>, protection: &Protection) {
    add(members, &["permissions", "ask"], &protection.ask);
    add(members, &["permissions", "deny"], &protection.deny);
    add(members, &["sandbox", "filesystem", "denyWrite"], &protection.deny_write);
    if let Some(command) = &protection.pre_tool_use {
        hook(members, command);
    }
}

/// Adds a hook before every call of a tool.
fn hook(members: &mut Vec<Member>, command: &str) {
    let text = |text: &str| Value::Text(text.to_owned());
    let object = |members: Vec<(&str, Value)>| {
        Value::Object(members.into_iter().map(|(key, value)| Member { key: key.to_owned(), line: 0, value }).collect())
    };
    let item = |value| Item { line: 0, value };
    let runs = object(vec![("type", text("command")), ("command", text(command))]);
    let group = object(vec![("matcher", text("*")), ("hooks", Value::List(vec![item(runs)]))]);
    if let Value::Object(events) = get_or_insert(members, "hooks", Value::Object(Vec::new()))
        && let Value::List(groups) = get_or_insert(events, "PreToolUse", Value::List(Vec::new()))
    {
        groups.push(item(group));
    }
}

/// Joins rules to the list at `path`. The type table has refused whatever would keep it from being a list by now.
fn add(members: &mut Vec<Member>, path: &[&str], rules: &[String]) {
    let [key, below @ ..] = path else { return };
    if rules.is_empty() {
        return;
    }
    if below.is_empty() {
        if let Value::List(items) = get_or_insert(members, key, Value::List(Vec::new())) {
            let mut there: HashSet<String> =
                items.iter().filter_map(|item| item.value.as_text()).map(str::to_owned).collect();
            for rule in rules {
                if there.insert(rule.clone()) {
                    items.push(Item { line: 0, value: Value::Text(rule.clone()) });
                }
            }
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
