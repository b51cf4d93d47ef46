//! How a dropped rule is spelt in a report: as its author wrote it, without secrets.

use super::TierFile;
use super::document::{Member, Value};
use crate::report::Dropped;

/// The longest value that is shown; what is longer ends in an ellipsis.
const LONGEST: usize = 240;

/// One thing that was asked for, as a report names it.
pub(super) struct Spelt {
    rule: String,
    withheld: Option<String>,
}

impl Spelt {
    /// `<path>: <entry>`
    pub(super) fn entry(path: &str, entry: &str) -> Self {
        if is_secret_value(entry) {
            return Self { rule: path.to_owned(), withheld: Some(entry.to_owned()) };
        }
        Self { rule: format!("{path}: {}", shortened(entry)), withheld: None }
    }

    /// A key of an object; its value is withheld where the key's name says that it is a secret.
    pub(super) fn member(above: &str, member: &Member) -> Self {
        let path = format!("{above}.{}", shortened(&member.key));
        Self::value(&path, &member.key, &member.value)
    }

    fn value(path: &str, key: &str, value: &Value) -> Self {
        Self::shown(path, value, is_secret_name(key) || holds_secret(value))
    }

    fn shown(path: &str, value: &Value, secret: bool) -> Self {
        let text = match value {
            Value::Text(text) => text.clone(),
            value => value.clone().into_json().to_string(),
        };
        if secret { Self { rule: path.to_owned(), withheld: Some(text) } } else { Self::entry(path, &text) }
    }

    /// One for each thing that a dropped value asked for: a list's elements, an object's keys, a hook's commands.
    pub(super) fn all(path: &str, value: &Value, line: u32) -> Vec<(Self, u32)> {
        let mut found = Vec::new();
        if path == "hooks" {
            hooks(value, line, &mut found);
        } else {
            let key = path.rsplit('.').next().unwrap_or(path);
            leaves(path, value, line, is_secret_name(key), &mut found);
        }
        found
    }

    pub(super) fn dropped(&self, file: &TierFile<'_>, reason: &str, line: u32) -> Dropped {
        Dropped {
            tier: file.tier,
            source: file.source.to_owned(),
            line: (line > 0).then_some(line),
            rule: self.rule.clone(),
            reason: reason.to_owned(),
            withheld: self.withheld.clone(),
            because: file.shipped,
        }
    }
}

/// `secret`: a key above says that whatever is here is one.
fn leaves(path: &str, value: &Value, line: u32, secret: bool, found: &mut Vec<(Spelt, u32)>) {
    match value {
        Value::List(items) if !items.is_empty() => {
            for item in items {
                found.push((Spelt::shown(path, &item.value, secret || holds_secret(&item.value)), item.line));
            }
        }
        Value::Object(members) if !members.is_empty() => {
            for member in members {
                let path = format!("{path}.{}", shortened(&member.key));
                leaves(&path, &member.value, member.line, secret || is_secret_name(&member.key), found);
            }
        }
        value => found.push((Spelt::shown(path, value, secret || holds_secret(value)), line)),
    }
}

/// Whether a secret stands anywhere in a value: under a name that says so, or as the password in a URL.
fn holds_secret(value: &Value) -> bool {
    match value {
        Value::Text(text) => is_secret_value(text),
        Value::List(items) => items.iter().any(|item| holds_secret(&item.value)),
        Value::Object(members) => {
            members.iter().any(|member| is_secret_name(&member.key) || holds_secret(&member.value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether a text shows a secret: a URL with a name or password before its host, or what follows `Bearer`.
///
/// ```
/// use winter_policy::settings::is_secret_value;
/// assert!(is_secret_value("http://me:hush@proxy:3128/") && !is_secret_value("http://host/a@b"));
/// ```
pub fn is_secret_value(text: &str) -> bool {
    let bearer = text.to_ascii_lowercase().contains("bearer ");
    bearer
        || text.split("://").skip(1).any(|rest| {
            let authority = rest.split(|c: char| matches!(c, '/' | '?' | '#' | '"' | '\'') || c.is_whitespace()).next();
            authority.unwrap_or_default().contains('@')
        })
}

/// `hooks.<event>(<matcher>): <what it would run>`; a shape that no hook has is spelt as any other value.
fn hooks(value: &Value, line: u32, found: &mut Vec<(Spelt, u32)>) {
    let Value::Object(events) = value else { return leaves("hooks", value, line, false, found) };
    if events.is_empty() {
        return leaves("hooks", value, line, false, found);
    }
    for event in events {
        let path = format!("hooks.{}", shortened(&event.key));
        let Value::List(groups) = &event.value else {
            leaves(&path, &event.value, event.line, is_secret_name(&event.key), found);
            continue;
        };
        let before = found.len();
        for group in groups {
            let Value::Object(members) = &group.value else {
                found.push((Spelt::value(&path, &event.key, &group.value), group.line));
                continue;
            };
            let matcher = text_of(members, "matcher").filter(|matcher| !matcher.is_empty());
            let path = matcher.map_or_else(|| path.clone(), |matcher| format!("{path}({})", shortened(matcher)));
            let Some(Value::List(commands)) = super::document::get(members, "hooks") else {
                found.push((Spelt::value(&path, &event.key, &group.value), group.line));
                continue;
            };
            for command in commands {
                let acts = match &command.value {
                    Value::Object(members) => ["command", "url", "prompt"].iter().find_map(|key| text_of(members, key)),
                    _ => None,
                };
                let spelt = acts
                    .map_or_else(|| Spelt::value(&path, &event.key, &command.value), |acts| Spelt::entry(&path, acts));
                found.push((spelt, command.line));
            }
        }
        if found.len() == before {
            found.push((Spelt::value(&path, &event.key, &event.value), event.line));
        }
    }
}

fn text_of<'a>(members: &'a [Member], key: &str) -> Option<&'a str> {
    super::document::get(members, key).and_then(Value::as_text)
}

/// A rule as a remark names it: in quotes; not at all where it shows a secret.
pub(super) fn shown_rule(rule: &str) -> String {
    if is_secret_value(rule) { "a rule that holds a secret".to_owned() } else { format!("`{}`", shortened(rule)) }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Whether a name says that its value is a secret: `KEY`, `TOKEN`, `SECRET`, `PASSWORD`, `CREDENTIAL` and their kin
/// as a word of it, headers, which carry them; and `withheld`, which is what a report calls one. A command that gets a secret is no secret: a
/// person has to see it.
///
/// ```
/// use winter_policy::settings::is_secret_name;
/// assert!(is_secret_name("GITHUB_TOKEN") && is_secret_name("apiKey") && is_secret_name("x-api-key"));
/// assert!(!is_secret_name("apiKeyHelper") && !is_secret_name("awsAuthRefresh"));
/// assert!(!is_secret_name("MONKEY") && !is_secret_name("keybindings"));
/// ```
pub fn is_secret_name(name: &str) -> bool {
    const SECRET: [&str; 24] = [
        "auth",
        "authorization",
        "cookie",
        "cookies",
        "credential",
        "credentials",
        "header",
        "headers",
        "key",
        "keys",
        "passphrase",
        "passphrases",
        "passwd",
        "password",
        "passwords",
        "pat",
        "pats",
        "pwd",
        "secret",
        "secrets",
        "token",
        "tokens",
        "withheld",
        "bearer",
    ];
    let words = words(name);
    let command = words.last().is_some_and(|last| matches!(last.as_str(), "helper" | "refresh" | "export"));
    !command && words.iter().any(|word| SECRET.contains(&word.as_str()))
}

/// The words of a name in any of the usual spellings, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for letter in name.chars() {
        let new = !letter.is_alphanumeric() || (letter.is_uppercase() && after_small);
        if new {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
        after_small = letter.is_lowercase() || letter.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::document::Document;
    use crate::testing::test;

    fn spelt(text: &str) -> Vec<String> {
        let doc = Document::parse(text.as_bytes()).unwrap();
        doc.members
            .iter()
            .flat_map(|m| Spelt::all(&m.key, &m.value, m.line))
            .map(|(s, line)| format!("{line} {}", s.rule))
            .collect()
    }

    #[test]
    fn a_hook_is_spelt_by_what_it_would_run() {
        let text = r#"{"hooks":{
            "PreToolUse":[{"matcher":"Bash","hooks":[
                {"type":"command","command":"./x.sh"},
                {"type":"http","url":"http://evil"}]}],
            "Stop":[{"hooks":[]}],
            "Odd":7}}"#;
        assert_eq!(
            spelt(text),
            [
                "3 hooks.PreToolUse(Bash): ./x.sh",
                "4 hooks.PreToolUse(Bash): http://evil",
                "5 hooks.Stop: [{\"hooks\":[]}]",
                "6 hooks.Odd: 7"
            ]
        );
    }

    #[test]
    fn lists_and_objects_are_spelt_element_by_element() {
        assert_eq!(
            spelt("{\"a\":[1,\n\"x\"],\"b\":{\"c\":true},\"d\":[],\"e\":{}}"),
            ["1 a: 1", "2 a: x", "2 b.c: true", "2 d: []", "2 e: {}"]
        );
    }

    #[test]
    fn a_secret_is_withheld_however_deep_it_stands() {
        for text in [
            r#"{"mystery":[{"apiToken":"hush"}]}"#,
            r#"{"hooks":{"Stop":[{"hooks":[{"type":"x","secret":"hush"}]}]}}"#,
            r#"{"hooks":{"Stop":[{"x":{"token":"hush"}}]}}"#,
            r#"{"apiKey":{"deep":{"er":"hush"}}}"#,
            r#"{"odd":{"headers":{"X-A":"hush"}}}"#,
            r#"{"tokens":["hush"],"passwords":{"a":"hush"}}"#,
            r#"{"proxy":"http://me:hush@host/"}"#,
            r#"{"ANTHROPIC_CUSTOM_HEADERS":"X: hush"}"#,
        ] {
            let doc = Document::parse(text.as_bytes()).unwrap();
            let all: Vec<_> = doc.members.iter().flat_map(|m| Spelt::all(&m.key, &m.value, m.line)).collect();
            assert!(all.iter().all(|(spelt, _)| !spelt.rule.contains("hush") && spelt.withheld.is_some()), "{text}");
        }
    }

    #[test]
    fn secrets_are_withheld_and_long_values_shortened() {
        let doc = Document::parse(br#"{"ACCESS_TOKEN":"s3cret"}"#).unwrap();
        let spelt = Spelt::member("env", &doc.members[0]);
        assert_eq!((spelt.rule.as_str(), spelt.withheld.as_deref()), ("env.ACCESS_TOKEN", Some("s3cret")));
        assert_eq!(Spelt::entry("a", &"ü".repeat(1000)).rule.chars().count(), 3 + LONGEST + 1);
    }
}
