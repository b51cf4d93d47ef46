//! One server's entry: whether it could be started, what it would do, and what of a repository's is kept.

use super::names::is_public;
use super::reasons::{MEMBERS, OTHER_KIND, UNKNOWN_MEMBER};
use super::shown::one_line;
use crate::brand::Profile;
use crate::settings::document::{Member, Value, get};
use crate::settings::keys::Shape::{self, Any, Bool, Choice, List, Map, Record, Text, Whole};

/// How a server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transport {
    /// A program is started.
    Stdio,
    /// A URL is connected to.
    Remote,
}

impl Transport {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Stdio => "command",
            Self::Remote => "URL",
        }
    }
}

type Field = (&'static str, Shape, bool);

const TYPE: Field = ("type", Any, false);
const TIMEOUT: Field = ("timeout", Whole(1), false);
const ALWAYS_LOAD: Field = ("alwaysLoad", Bool, false);
const URL: Field = ("url", Text, true);
const HEADERS: Field = ("headers", Map(&Text), false);
const HELPER: Field = ("headersHelper", Text, false);
const OAUTH: Shape = Record(&[
    ("clientId", Text, false),
    ("callbackPort", Whole(1), false),
    ("authServerMetadataUrl", Text, false),
    ("scopes", Text, false),
    ("xaa", Bool, false),
]);
const TOOLS: Shape = List(&Record(&[
    ("name", Text, true),
    ("permission_policy", Choice(&["always_allow", "always_ask", "always_deny"]), false),
]));

// The entries that the program starts (Claude Code 2.1.250: measured value by value, fields read). `role` and
// `request_timeout_ms` hold anything there.
const STDIO: Shape = Record(&[
    TYPE,
    ("command", Text, true),
    ("args", List(&Text), false),
    ("env", Map(&Text), false),
    TIMEOUT,
    ALWAYS_LOAD,
]);
const HTTP: Shape = Record(&[
    TYPE,
    URL,
    HEADERS,
    HELPER,
    ("oauth", OAUTH, false),
    TIMEOUT,
    ("tools", TOOLS, false),
    ALWAYS_LOAD,
    ("discoveryCache", Bool, false),
    ("toolPermissions", Map(&Choice(&["allow", "ask", "blocked"])), false),
]);
const SOCKET: Shape = Record(&[TYPE, URL, HEADERS, HELPER, TIMEOUT, ALWAYS_LOAD]);
const PROXY: Shape = Record(&[TYPE, URL, ("id", Text, true), TIMEOUT, ALWAYS_LOAD]);

/// How the server would be reached, or why no runtime of the brand could reach it.
pub(super) fn transport(value: &Value, repository: bool, brand: &Profile) -> Result<Transport, String> {
    let Value::Object(members) = value else {
        return Err(format!("{} stands where an object was expected", value.kind()));
    };
    let (command, url) = (get(members, "command"), get(members, "url"));
    let kind = match get(members, "type") {
        None => None,
        Some(Value::Text(kind)) => Some(kind.as_str()),
        Some(other) => return Err(format!("`type` holds {}, where a string was expected", other.kind())),
    };
    let (transport, shape) = match kind {
        Some("sdk") => return Err("`sdk` is a server inside the host's own process, which no file can hold".to_owned()),
        Some("claudeai-proxy") if repository => {
            return Err("`claudeai-proxy` is a connection of the person's account, never a repository's".to_owned());
        }
        _ if command.is_none() && url.is_none() => return Err("neither a command nor a URL".to_owned()),
        // With both, the program starts the command.
        None if command.is_some() => (Transport::Stdio, STDIO),
        None if is_public(brand) => return Err("a URL without a `type`, which the runtime does not start".to_owned()),
        Some("stdio") => (Transport::Stdio, STDIO),
        None | Some("http" | "streamable-http" | "sse") => (Transport::Remote, HTTP),
        Some("ws") => (Transport::Remote, SOCKET),
        Some("claudeai-proxy") => (Transport::Remote, PROXY),
        Some(other) => return Err(format!("the unknown type `{}`", one_line(other))),
    };
    if let Some(misfit) = shape.misfit(value, 0) {
        let path = one_line(misfit.path.trim_start_matches('.'));
        return Err(format!("`{path}` holds {}, where {} was expected", misfit.found, misfit.expected));
    }
    match transport {
        Transport::Stdio => command_fault(members).map_or(Ok(transport), Err),
        Transport::Remote => url_fault(members).map_or(Ok(transport), Err),
    }
}

fn command_fault(members: &[Member]) -> Option<String> {
    if get(members, "command").and_then(Value::as_text).is_none_or(str::is_empty) {
        return Some("`command` is empty".to_owned());
    }
    // No system can hand such a text to a program.
    ["command", "args", "env"]
        .iter()
        .find(|key| get(members, key).is_some_and(|value| any_text(value, &mut |text| text.contains('\0'))))
        .map(|key| format!("`{key}` holds a NUL character"))
}

fn url_fault(members: &[Member]) -> Option<String> {
    let url = get(members, "url").and_then(Value::as_text).unwrap_or_default();
    let mut names = Vec::new();
    variables_in(url, &mut names);
    // What a variable will hold cannot be told.
    if names.is_empty() && !is_url(url.trim()) {
        return Some("`url` is no http, https, ws or wss URL".to_owned());
    }
    let Some(Value::Object(oauth)) = get(members, "oauth") else { return None };
    let text = |key| get(oauth, key).and_then(Value::as_text);
    if text("authServerMetadataUrl").is_some_and(|url| !url.starts_with("https://")) {
        return Some("`oauth.authServerMetadataUrl` is no https URL".to_owned());
    }
    text("scopes").filter(|scopes| scopes.is_empty()).map(|_| "`oauth.scopes` is empty".to_owned())
}

fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    ["http", "https", "ws", "wss"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
        && rest.chars().next().is_some_and(|first| !matches!(first, '/' | '?' | '#'))
        && !text.chars().any(|c| c.is_control() || c.is_whitespace())
}

/// The variables that an entry names, sorted, each once.
///
/// The program puts in `${NAME}` and `${NAME:-default}` in the command, arguments, values of `env` and headers, and the
/// URL (Claude Code 2.1.250, measured); here each `${` before a name counts, anywhere, as other runtimes know more forms.
pub(super) fn variables(value: &Value) -> Vec<String> {
    let mut names = Vec::new();
    any_text(value, &mut |text| {
        variables_in(text, &mut names);
        false
    });
    crate::order::sort(&mut names);
    names.dedup();
    names
}

fn variables_in(text: &str, names: &mut Vec<String>) {
    for rest in text.split("${").skip(1) {
        let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        if name.starts_with(|first: char| !first.is_ascii_digit()) {
            names.push(name);
        }
    }
}

/// Whether a key or string anywhere in a value is one that `holds`.
fn any_text(value: &Value, holds: &mut impl FnMut(&str) -> bool) -> bool {
    match value {
        Value::Text(text) => holds(text),
        Value::List(items) => items.iter().any(|item| any_text(&item.value, holds)),
        Value::Object(members) => members.iter().any(|member| holds(&member.key) || any_text(&member.value, holds)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A member that was taken out: its path in the entry, its line, and why.
pub(super) struct Cut {
    pub(super) path: String,
    pub(super) line: u32,
    pub(super) why: &'static str,
}

/// Takes out of a repository's entry what is not in the table of members.
pub(super) fn cut(value: &mut Value, transport: Transport) -> Vec<Cut> {
    let Value::Object(members) = value else { return Vec::new() };
    let mut cuts = Vec::new();
    members.retain_mut(|member| {
        let why = match MEMBERS.iter().find(|row| row.name == member.key) {
            Some(row) if row.kept.contains(&transport) => None,
            Some(row) if row.kept.is_empty() => Some(row.why),
            Some(_) => Some(OTHER_KIND),
            None => Some(UNKNOWN_MEMBER),
        };
        if let Some(why) = why {
            cuts.push(Cut { path: member.key.clone(), line: member.line, why });
        } else if let ("oauth", Value::Object(below)) = (member.key.as_str(), &mut member.value) {
            below.retain(|member| {
                let why = match member.key.as_str() {
                    "clientId" | "callbackPort" | "authServerMetadataUrl" | "scopes" => return true,
                    "xaa" => "it exchanges the person's sign-in without asking",
                    _ => UNKNOWN_MEMBER,
                };
                cuts.push(Cut { path: format!("oauth.{}", member.key), line: member.line, why });
                false
            });
        }
        why.is_none()
    });
    cuts
}
