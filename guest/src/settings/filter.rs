//! One settings file, less what its tier may not have, with every relative place made absolute.

use super::document::{Document, Item, Member, Value};
use super::keys::{self, Key, Misfit, Shape};
use super::mirror::{self, Deny};
use super::rules::{self, Rule};
use super::spelling::{Spelt, is_secret_value, shown_rule};
use super::{Options, SettingsError, TierFile};
use crate::environment;
use crate::escape::{self, Anchored, AnchoredEntry, SandboxList};
use crate::report::{Dropped, Notice, NoticeKind};
use crate::tier::Tier;

/// What is left of one file.
pub(super) struct Filtered<'a> {
    pub(super) members: Vec<Member>,
    /// The path rules of `permissions.deny`, where they are asked for.
    pub(super) denies: Vec<Deny<'a>>,
    pub(super) dropped: Vec<Dropped>,
    pub(super) notices: Vec<Notice>,
}

/// Takes from a parsed file what its tier may not have; with `collect`, its denies are told apart.
///
/// # Errors
/// Only for the person's own file: a value that the runtime would drop the whole file for, or a protection that it
/// would ignore.
pub(super) fn filter<'a>(
    file: &'a TierFile<'a>,
    document: Document,
    options: &Options<'_>,
    collect: bool,
) -> Result<Filtered<'a>, SettingsError> {
    let mut filter = Filter { file, options, collect, denies: Vec::new(), dropped: Vec::new(), notices: Vec::new() };
    for duplicate in document.duplicates {
        let text = format!("`{}` stands more than once; the last one counts", duplicate.path);
        filter.notice(NoticeKind::DuplicateKey, duplicate.line, text);
    }
    let members = filter.section("", document.members)?;
    Ok(Filtered { members, denies: filter.denies, dropped: filter.dropped, notices: filter.notices })
}

struct Filter<'a, 'o> {
    file: &'a TierFile<'a>,
    options: &'o Options<'o>,
    collect: bool,
    denies: Vec<Deny<'a>>,
    dropped: Vec<Dropped>,
    notices: Vec<Notice>,
}

impl Filter<'_, '_> {
    fn section(&mut self, above: &str, members: Vec<Member>) -> Result<Vec<Member>, SettingsError> {
        let mut kept = Vec::with_capacity(members.len());
        for member in members {
            if let Some(member) = self.member(above, member)? {
                kept.push(member);
            }
        }
        Ok(kept)
    }

    fn member(&mut self, above: &str, member: Member) -> Result<Option<Member>, SettingsError> {
        let path = if above.is_empty() { member.key.clone() } else { format!("{above}.{}", member.key) };
        let Some(key) = keys::find(above, &member.key) else {
            return Ok(if self.file.tier == Tier::User {
                Some(member)
            } else {
                self.drop_all(&rules::UNCLASSIFIED, &path, &member.value, member.line);
                None
            });
        };
        // What the tier may not have is dropped before its type is looked at: the reason is the more telling one.
        if let Some(rule) = key
            .rules
            .iter()
            .find(|rule| rule.drops(&member.value, self.file.tier, self.file.shipped.is_some(), self.options.powers))
        {
            self.drop_all(rule, &path, &member.value, member.line);
            return Ok(None);
        }
        if let Some(misfit) = key.shape.misfit(&member.value, member.line) {
            return self.wrong_type(misfit, &path, &member);
        }
        let Member { key: name, line, value } = member;
        Ok(self.content(key, &path, value)?.map(|value| Member { key: name, line, value }))
    }

    fn wrong_type(&mut self, misfit: Misfit, path: &str, member: &Member) -> Result<Option<Member>, SettingsError> {
        if self.file.tier == Tier::User {
            return Err(SettingsError::WrongType {
                source_path: self.file.source.to_owned(),
                line: misfit.line,
                key: format!("{path}{}", misfit.path),
                expected: misfit.expected,
                found: misfit.found,
            });
        }
        self.drop_all(&rules::WRONG_TYPE, path, &member.value, member.line);
        Ok(None)
    }

    /// What stands inside a value whose key may stay; none when nothing is left that means anything.
    fn content(&mut self, key: &Key, path: &str, value: Value) -> Result<Option<Value>, SettingsError> {
        match (path, value) {
            ("env", Value::Object(variables)) => Ok(Some(Value::Object(self.environment(variables)))),
            ("permissions.allow", Value::List(items)) => Ok(Some(Value::List(self.rules(path, items, true)))),
            ("permissions.deny" | "permissions.ask", Value::List(items)) => {
                Ok(Some(Value::List(self.rules(path, items, false))))
            }
            ("permissions.additionalDirectories", Value::List(items)) => Ok(Some(Value::List(self.folders(items)))),
            (_, Value::List(items)) if path.starts_with("sandbox.filesystem.") => {
                let list = match key.path {
                    "sandbox.filesystem.denyRead" => SandboxList::DenyRead,
                    "sandbox.filesystem.denyWrite" => SandboxList::DenyWrite,
                    "sandbox.filesystem.allowRead" => SandboxList::AllowRead,
                    // The strictest grammar for a list that the table might grow.
                    _ => SandboxList::AllowWrite,
                };
                Ok(Some(Value::List(self.sandbox(path, list, items)?)))
            }
            (_, Value::Object(members)) if key.shape == Shape::Section => {
                Ok(Some(Value::Object(self.section(path, members)?)))
            }
            (_, value) => Ok(Some(value)),
        }
    }

    fn environment(&mut self, variables: Vec<Member>) -> Vec<Member> {
        let mut kept = Vec::with_capacity(variables.len());
        for variable in variables {
            let refusal = environment::refusal(
                &variable.key,
                self.file.tier,
                self.file.shipped.is_some(),
                self.options.powers,
                self.options.brand,
            );
            if let Some(class) = refusal {
                self.drop_as(class.id, &Spelt::member("env", &variable), variable.line);
                continue;
            }
            if !is_environment_value(&variable.value) && self.file.tier != Tier::User {
                self.drop_as(rules::WRONG_TYPE.id, &Spelt::member("env", &variable), variable.line);
                continue;
            }
            if variable.value.as_text().is_some_and(|text| text.contains("${")) {
                let text = format!("env.{} holds `${{`, which the runtime takes as plain text", variable.key);
                self.notice(NoticeKind::LiteralReference, variable.line, text);
            }
            kept.push(variable);
        }
        kept
    }

    fn rules(&mut self, path: &str, items: Vec<Item>, allow: bool) -> Vec<Item> {
        let spelling = self.options.brand.rule_spelling;
        let denies = self.collect && path == "permissions.deny";
        self.each_text(items, |filter, text, line| {
            if filter.file.tier != Tier::User && escape::breaks_matcher(&text) {
                filter.drop_as(rules::BREAKS_RULES.id, &Spelt::entry(path, &text), line);
                return None;
            }
            // In a deny or an ask it would take back what the person's own rules say.
            if filter.file.tier != Tier::User && !allow && escape::takes_back(&text) {
                filter.drop_as(rules::LOOSENS_USER.id, &Spelt::entry(path, &text), line);
                return None;
            }
            let rewritten = match escape::anchor_rule(&text, filter.file.anchor, spelling, allow) {
                Anchored::Unchanged => None,
                Anchored::Rewritten(rule) => Some(rule),
                Anchored::Widening { .. } => {
                    filter.drop_as(rules::WIDENING_ANCHOR.id, &Spelt::entry(path, &text), line);
                    return None;
                }
            };
            filter.remark_inert(&text, line);
            if denies && mirror::is_path_rule(&text) {
                let rule = rewritten.clone().unwrap_or_else(|| text.clone());
                filter.denies.push(Deny { rule, author: Some((text.clone(), filter.file, line)) });
            }
            Some(rewritten.unwrap_or(text))
        })
    }

    fn remark_inert(&mut self, rule: &str, line: u32) {
        let Some(inert) = escape::inert(rule, self.options.brand.rule_spelling) else { return };
        // What a rule that cannot be read holds may be anything.
        let instead = inert.instead.filter(|_| !is_secret_value(rule));
        let instead = instead.map_or_else(String::new, |instead| format!("; {} would", shown_rule(&instead)));
        let text = format!("{} never matches: {}{instead}", shown_rule(rule), inert.row.why);
        self.notice(NoticeKind::InertRule, line, text);
    }

    fn folders(&mut self, items: Vec<Item>) -> Vec<Item> {
        self.each_text(items, |filter, text, _| Some(escape::anchor_directory(&text, filter.file.anchor)))
    }

    fn sandbox(&mut self, path: &str, list: SandboxList, items: Vec<Item>) -> Result<Vec<Item>, SettingsError> {
        let grammar = self.options.brand.sandbox_grammar;
        let mut refused = None;
        let kept = self.each_text(items, |filter, text, line| {
            match escape::anchor_sandbox_entry(&text, filter.file.anchor, list, grammar) {
                AnchoredEntry::Unchanged => Some(text),
                AnchoredEntry::Rewritten(entry) => Some(entry),
                AnchoredEntry::Widening(_) => {
                    filter.drop_as(rules::WIDENING_ANCHOR.id, &Spelt::entry(path, &text), line);
                    None
                }
                AnchoredEntry::Inexpressible(_) => {
                    let own = filter.file.tier == Tier::User && list.is_deny();
                    if own && !filter.options.allow_inexpressible {
                        refused.get_or_insert_with(|| SettingsError::Inexpressible {
                            source_path: filter.file.source.to_owned(),
                            line,
                            entry: format!("{path}: {text}"),
                        });
                    }
                    filter.drop_as(rules::INEXPRESSIBLE.id, &Spelt::entry(path, &text), line);
                    None
                }
            }
        });
        refused.map_or(Ok(kept), Err)
    }

    /// Passes each string of a list through `decide`; what is no string stays as it is, for the runtime to ignore.
    fn each_text(
        &mut self,
        items: Vec<Item>,
        mut decide: impl FnMut(&mut Self, String, u32) -> Option<String>,
    ) -> Vec<Item> {
        let mut kept = Vec::with_capacity(items.len());
        for Item { line, value } in items {
            match value {
                Value::Text(text) => {
                    if let Some(text) = decide(self, text, line) {
                        kept.push(Item { line, value: Value::Text(text) });
                    }
                }
                value => kept.push(Item { line, value }),
            }
        }
        kept
    }

    fn notice(&mut self, kind: NoticeKind, line: u32, text: String) {
        self.notices.push(Notice { kind, path: self.file.source.to_owned(), line: Some(line), text });
    }

    fn drop_all(&mut self, rule: &Rule, path: &str, value: &Value, line: u32) {
        for (spelt, line) in Spelt::all(path, value, line) {
            self.drop_as(rule.id, &spelt, line);
        }
    }

    fn drop_as(&mut self, reason: &str, spelt: &Spelt, line: u32) {
        self.dropped.push(spelt.dropped(self.file, reason, line));
    }
}

/// What can be handed to a program as the value of a variable.
fn is_environment_value(value: &Value) -> bool {
    match value {
        Value::Text(text) => !text.contains('\0'),
        Value::Number(text) => text.parse::<f64>().is_ok_and(f64::is_finite),
        Value::Bool(_) => true,
        Value::Null | Value::List(_) | Value::Object(_) => false,
    }
}
