//! Containment: a floor under the tools of a session whose calls the host may gate.
//!
//! [`decide`] refuses a call whose arguments name a protected target, however they spell it; [`approve`] never lets a call
//! pass because nobody answered. It is a floor and no sandbox: a program that a command starts can compute any path, and
//! what a session does after a call was let through is not looked at (a sweep afterwards is left for later).

mod spelling;
mod targets;
#[cfg(test)]
mod tests;

use serde::Serialize;
use serde_json::Value;

use crate::explain::Sheet;
use spelling::Text;
pub use targets::{Access, Places, TARGETS, Target, targets};

/// The deepest arguments that are looked into.
const MAX_DEPTH: usize = 64;

/// The most bytes of arguments that are looked at; a call with more is refused.
pub const MAX_INPUT: usize = 16 << 20;

/// A call of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// Its arguments, as JSON.
    pub input: &'a str,
    /// The folder that relative paths begin at, absolute.
    pub cwd: &'a str,
    /// The person's home folder, which `~` and `$HOME` mean.
    pub user_home: Option<&'a str>,
}

/// Why a call is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Refused {
    /// The id of the target's row, or `unreadable-call`.
    pub id: String,
    /// The same for the model and the person.
    pub reason: String,
}

/// What a tool does with the paths that it is given.
fn access(tool: &str) -> Access {
    match tool {
        "Read" | "Grep" | "Glob" | "LS" | "NotebookRead" => Access::Read,
        "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => Access::Write,
        // A tool that nobody knows may do anything.
        _ => Access::Any,
    }
}

/// Why a call may not be made; none when nothing protected is named.
///
/// Every text of its arguments is looked at, keys too, as a path and as the text of a command: without regard to case, to
/// quotes and backslashes, to the spelling of letters (NFKC), to `.`, `..` and `//`, to `~`, `$HOME` and `file://`, and
/// with the wildcards of a shell.
///
/// ```
/// use winter_policy::containment::{Access, Call, Target, decide};
/// let targets = [Target { id: "home".into(), path: "/home/me/.winter".into(), access: Access::Any, why: "x".into() }];
/// let call = |input| Call { tool: "Bash", input, cwd: "/src", user_home: Some("/home/me") };
/// assert!(decide(&call(r#"{"command": "cat ~/'.win'ter/x"}"#), &targets).is_some());
/// assert!(decide(&call(r#"{"command": "cat ~/.winter2"}"#), &targets).is_none());
/// ```
pub fn decide(call: &Call<'_>, targets: &[Target]) -> Option<Refused> {
    let unreadable = |why: &str| {
        Some(Refused { id: "unreadable-call".to_owned(), reason: format!("the call of {} {why}", call.tool) })
    };
    if call.input.len() > MAX_INPUT {
        return unreadable(&format!("holds more than {MAX_INPUT} bytes of arguments"));
    }
    let Ok(input) = serde_json::from_str::<Value>(call.input) else {
        return unreadable("has arguments that are no JSON");
    };
    let mut texts = Vec::new();
    if !collect(&input, MAX_DEPTH, &mut texts) {
        return unreadable("has arguments that are nested too deeply");
    }
    let access = access(call.tool);
    let guarded: Vec<(&Target, spelling::Guarded)> = targets
        .iter()
        .filter(|target| target.access.meets(access))
        .map(|target| (target, spelling::Guarded::of(&target.path, call)))
        .collect();
    for text in texts {
        let text = Text::of(text, call);
        if let Some((target, _)) = guarded.iter().find(|(_, guarded)| guarded.is_named_by(&text)) {
            let reason = format!("{} is protected: {}", target.path, target.why);
            return Some(Refused { id: target.id.clone(), reason });
        }
    }
    None
}

/// Every text of a value; false when it is nested too deeply.
fn collect<'a>(value: &'a Value, depth: usize, texts: &mut Vec<&'a str>) -> bool {
    if depth == 0 {
        return false;
    }
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => return items.iter().all(|item| collect(item, depth - 1, texts)),
        Value::Object(members) => {
            return members.iter().all(|(key, value)| {
                texts.push(key);
                collect(value, depth - 1, texts)
            });
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    true
}

/// What a broker of approvals said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Broker {
    /// There is none.
    Absent,
    /// It did not answer in time.
    TimedOut,
    /// Its answer cannot be read.
    Malformed,
    /// It allows the call.
    Allows,
    /// It denies the call.
    Denies,
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Approval {
    /// It may be made.
    Allow,
    /// It names something protected.
    DenyProtected,
    /// The broker denied it.
    DenyByBroker,
    /// Nobody was there to allow it.
    DenyUnanswered,
}

/// What becomes of a call that needs an approval: without an answer it is denied, and no answer lifts a protection.
pub fn approve(protected: bool, broker: Broker) -> Approval {
    match (protected, broker) {
        (true, _) => Approval::DenyProtected,
        (false, Broker::Allows) => Approval::Allow,
        (false, Broker::Denies) => Approval::DenyByBroker,
        (false, Broker::Absent | Broker::TimedOut | Broker::Malformed) => Approval::DenyUnanswered,
    }
}

/// The tables of this area, for `explain`.
pub(crate) fn sheets() -> Vec<Sheet> {
    vec![targets::sheet()]
}
