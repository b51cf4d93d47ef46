//! How the tiers combine: the person's rules, hooks and protections survive whatever comes after them.

use std::collections::HashSet;

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
        // A person's file comes first and may hold any number of keys: there is nothing to look them up in.
        if base.is_empty() && self.file.tier == Tier::User {
            *base = members;
            return;
        }
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
            (Merge::Hooks, Value::Object(base), Value::Object(events)) => self.hooks(base, events),
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

    /// Per event, and within it per matcher: the groups of later tiers come after the person's.
    fn hooks(&mut self, base: &mut Vec<Member>, events: Vec<Member>) {
        for event in events {
            let Some(own) = base.iter_mut().find(|m| m.key == event.key) else {
                base.push(event);
                continue;
            };
            match (&mut own.value, event.value) {
                (Value::List(groups), Value::List(more)) => more.into_iter().for_each(|group| add_group(groups, group)),
                (own, value) if same(own, &value) => {}
                // One of the two is no list, which the runtime ignores; they cannot both stand.
                (_, value) => {
                    let event = Member { key: event.key, line: event.line, value };
                    self.loosens("hooks", &Value::Object(vec![event]), 0);
                }
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
    // A table pays for itself with more than a few.
    const FEW: usize = 8;
    if items.len() <= FEW {
        for item in items {
            if !base.iter().any(|own| same(&own.value, &item.value)) {
                base.push(item);
            }
        }
        return;
    }
    let mut standing: HashSet<String> = base.iter().map(|own| key(&own.value)).collect();
    base.extend(items.into_iter().filter(|item| standing.insert(key(&item.value))));
}

/// A text that two values share when they are the [`same`].
fn key(value: &Value) -> String {
    fn push(out: &mut String, value: &Value) {
        let mut part = |sign: char, text: &str| out.extend([&*format!("{sign}{}:", text.len()), text]);
        match value {
            Value::Null => part('-', ""),
            Value::Bool(on) => part('b', if *on { "true" } else { "false" }),
            Value::Number(text) => part('n', text),
            Value::Text(text) => part('t', text),
            Value::List(items) => {
                part('[', &items.len().to_string());
                for item in items {
                    push(out, &item.value);
                }
            }
            Value::Object(members) => {
                part('{', &members.len().to_string());
                for member in members {
                    out.extend([&*format!("{}:", member.key.len()), &member.key]);
                    push(out, &member.value);
                }
            }
        }
    }
    let mut out = String::new();
    push(&mut out, value);
    out
}

/// Joins a group to the one of its matcher, if all that it holds can be said there; else it stays one of its own.
fn add_group(groups: &mut Vec<Item>, group: Item) {
    let place = groups.iter_mut().find(|one| matcher(&one.value) == matcher(&group.value));
    if let (Some(own), Some(commands)) = (place.and_then(|one| hooks_of(&mut one.value)), commands_alone(&group.value))
    {
        union(own, commands.to_vec());
    } else if !groups.iter().any(|one| same(&one.value, &group.value)) {
        groups.push(group);
    }
}

/// The hooks of a group that holds nothing but them and a matcher.
fn commands_alone(group: &Value) -> Option<&[Item]> {
    let Value::Object(members) = group else { return None };
    if members.iter().any(|m| !matches!(m.key.as_str(), "matcher" | "hooks")) {
        return None;
    }
    match get(members, "hooks") {
        Some(Value::List(commands)) => Some(commands),
        _ => None,
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::brand::Profile;
    use crate::settings::document::Document;
    use crate::settings::{Options, Protection, TierFile, compose};
    use crate::testing::test;
    use crate::tier::{Powers, Tier};

    /// The hooks that two tiers come to, and what the report says.
    fn joined(user: &Value, project: &Value) -> (Value, Vec<(String, String)>) {
        let texts = [user, project].map(|hooks| json!({ "hooks": hooks }).to_string());
        let file = |tier, text| TierFile { tier, source: "s", anchor: "/a", shipped: None, text };
        let files = [file(Tier::User, texts[0].as_bytes()), file(Tier::Project, texts[1].as_bytes())];
        let (brand, protection) = (Profile::claude(), Protection::default());
        let options =
            Options { brand: &brand, powers: Powers::Keep, allow_inexpressible: false, protection: &protection };
        let effective = compose(&files, &options).unwrap();
        let composed: Value = serde_json::from_str(&effective.json).unwrap();
        (composed["hooks"].clone(), effective.dropped.into_iter().map(|one| (one.rule, one.reason)).collect())
    }

    #[test]
    fn a_key_is_shared_by_what_is_the_same_and_nothing_else() {
        let texts = [
            "null",
            "true",
            "false",
            "1",
            "1.0",
            r#""1""#,
            r#""true""#,
            r#""""#,
            "[]",
            "{}",
            "[1]",
            r#"["1"]"#,
            "[[1],2]",
            "[[1,2]]",
            r#"{"a":1}"#,
            r#"{"a":"1"}"#,
            r#"{"a":{"b":1}}"#,
            r#"{"a":{},"b":1}"#,
            r#"["t1:a"]"#,
            r#"["a","b"]"#,
            r#"["at1:b"]"#,
            r#"{"b":1,"a":1}"#,
            r#"{"a":1,"b":1}"#,
        ];
        let read =
            |text: &str| Document::parse(format!("{{\"x\":{text}}}").as_bytes()).unwrap().members.remove(0).value;
        for one in texts {
            for other in texts {
                let (a, b) = (read(one), read(&format!("\n{other}")));
                assert_eq!(super::key(&a) == super::key(&b), super::same(&a, &b), "{one} {other}");
            }
        }
    }

    #[test]
    fn a_group_with_more_than_hooks_stays_one_of_its_own() {
        let hook = |command: &str| json!({"type": "command", "command": command});
        let own = json!({"Stop": [{"matcher": "", "hooks": [hook("guard")]}]});
        let more = json!({"Stop": [{"hooks": [hook("theirs")], "later": 1}]});
        let both = json!({"Stop": [own["Stop"][0], more["Stop"][0]]});
        assert_eq!(joined(&own, &more), (both.clone(), vec![]));
        assert_eq!(joined(&both, &more), (both, vec![]), "and is not joined twice");
    }

    #[test]
    fn an_event_that_is_no_list_is_never_lost_without_a_word() {
        let list = json!({"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]});
        let loosens = |rule: &str| vec![(rule.to_owned(), "loosens-user".to_owned())];
        for (user, project, dropped) in [
            (json!({"Stop": "odd"}), list.clone(), loosens("hooks.Stop: x")),
            (list, json!({"Stop": "odd"}), loosens("hooks.Stop: odd")),
            (json!({"Stop": "odd"}), json!({"Stop": "other"}), loosens("hooks.Stop: other")),
            (json!({"Stop": "odd"}), json!({"Stop": "odd"}), vec![]),
        ] {
            assert_eq!(joined(&user, &project), (user, dropped));
        }
    }
}
