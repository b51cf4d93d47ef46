//! How the tiers combine: the person's rules, hooks and protections survive whatever comes after them.

use super::TierFile;
use super::document::{Item, Member, Value, get};
use super::keys::{self, Merge, Strict};
use super::rules::LOOSENS_USER;
use super::spelling::Spelt;
use crate::report::Dropped;
use crate::tier::Tier;

/// Lays the filtered members of one tier over what the tiers before it gave.
pub(super) fn merge(base: &mut Vec<Member>, file: &TierFile<'_>, members: Vec<Member>, dropped: &mut Vec<Dropped>) {
    Merger { file, dropped }.section("", base, members);
}

struct Merger<'a> {
    file: &'a TierFile<'a>,
    dropped: &'a mut Vec<Dropped>,
}

impl Merger<'_> {
    fn section(&mut self, above: &str, base: &mut Vec<Member>, members: Vec<Member>) {
        for member in members {
            let path = if above.is_empty() { member.key.clone() } else { format!("{above}.{}", member.key) };
            let how = keys::find(above, &member.key).map_or(Merge::Replace, |key| key.merge);
            let lower = base.iter_mut().find(|m| m.key == member.key);
            let may_loosen = self.file.tier == Tier::User;
            match (how, lower) {
                (Merge::Fixed, lower) if !may_loosen => {
                    if lower.is_none_or(|lower| !same(&lower.value, &member.value)) {
                        self.loosens(&path, &member.value, member.line);
                    }
                }
                (_, None) => base.push(member),
                (how, Some(lower)) => self.combine(how, &path, lower, member),
            }
        }
    }

    fn combine(&mut self, how: Merge, path: &str, lower: &mut Member, member: Member) {
        match (how, &mut lower.value, member.value) {
            (Merge::Section, Value::Object(base), Value::Object(members)) => self.section(path, base, members),
            (Merge::Union, Value::List(base), Value::List(items)) => union(base, items),
            (Merge::Hooks, Value::Object(base), Value::Object(events)) => hooks(base, events),
            (Merge::Fill, Value::Object(base), Value::Object(members)) => {
                for member in members {
                    match get(base, &member.key) {
                        None => base.push(member),
                        Some(own) if same(own, &member.value) => {}
                        Some(_) => self.loosens(&format!("{path}.{}", member.key), &member.value, member.line),
                    }
                }
            }
            (Merge::Stricter(order), own, value) if self.file.tier != Tier::User => {
                if order.rank(&value) < order.rank(own) {
                    self.loosens(path, &value, member.line);
                } else {
                    *own = value;
                    lower.line = member.line;
                }
            }
            // A union, hooks or a fill of something that is no list or object: the person's value is not replaced by it.
            (Merge::Union | Merge::Hooks | Merge::Fill | Merge::Section, own, value)
                if self.file.tier != Tier::User =>
            {
                if !same(own, &value) {
                    self.loosens(path, &value, member.line);
                }
            }
            (_, Value::Object(base), Value::Object(members)) => {
                for member in members {
                    match base.iter_mut().find(|m| m.key == member.key) {
                        Some(own) => *own = member,
                        None => base.push(member),
                    }
                }
            }
            (_, own, value) => {
                *own = value;
                lower.line = member.line;
            }
        }
    }

    fn loosens(&mut self, path: &str, value: &Value, line: u32) {
        for (spelt, line) in Spelt::all(path, value, line) {
            self.dropped.push(spelt.dropped(self.file, LOOSENS_USER.id, line));
        }
    }
}

impl Strict {
    /// Higher is stricter.
    fn rank(self, value: &Value) -> usize {
        match self {
            Self::True => usize::from(value.as_bool() == Some(true)),
            Self::False => usize::from(value.as_bool() == Some(false)),
            Self::Ranked(order) => value
                .as_text()
                .and_then(|text| order.iter().rev().position(|one| *one == text))
                .map_or(0, |rank| rank + 1),
        }
    }
}

/// Appends what is not there yet; nothing is removed, and an empty list clears nothing.
pub(super) fn union(base: &mut Vec<Item>, items: Vec<Item>) {
    for item in items {
        if !base.iter().any(|own| same(&own.value, &item.value)) {
            base.push(item);
        }
    }
}

/// Per event, and within it per matcher: the groups of later tiers come after the person's.
fn hooks(base: &mut Vec<Member>, events: Vec<Member>) {
    for event in events {
        let Some(own) = base.iter_mut().find(|m| m.key == event.key) else {
            base.push(event);
            continue;
        };
        let (Value::List(groups), Value::List(more)) = (&mut own.value, event.value) else { continue };
        for group in more {
            let place = groups.iter_mut().find(|one| matcher(&one.value) == matcher(&group.value));
            match (place.and_then(|one| hooks_of(&mut one.value)), group.value) {
                (Some(own), Value::Object(members)) => {
                    let commands = members.into_iter().find(|m| m.key == "hooks").map(|m| m.value);
                    if let Some(Value::List(commands)) = commands {
                        union(own, commands);
                    }
                }
                (_, value) => groups.push(Item { line: group.line, value }),
            }
        }
    }
}

/// A group without a matcher and one with an empty matcher are the same to the runtime.
fn matcher(group: &Value) -> Option<&str> {
    let Value::Object(members) = group else { return None };
    Some(get(members, "matcher").and_then(Value::as_text).unwrap_or_default())
}

fn hooks_of(group: &mut Value) -> Option<&mut Vec<Item>> {
    let Value::Object(members) = group else { return None };
    match members.iter_mut().find(|m| m.key == "hooks").map(|m| &mut m.value) {
        Some(Value::List(commands)) => Some(commands),
        _ => None,
    }
}

/// Equal but for the lines that they stand on.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(&a.value, &b.value))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.key == b.key && same(&a.value, &b.value))
        }
        (a, b) => a == b,
    }
}
