//! Which file under `projects` is what.

use serde::Serialize;

use crate::explain::Sheet;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// A session's own transcript.
    Transcript,
    /// The transcript of an agent that a session started.
    Subagent,
    /// A journal, which is compared byte for byte as a transcript is.
    Journal,
    /// Any other file, copied where it is missing.
    Artifact,
    /// Lines of a kind that nobody knows: never carried, and said.
    Skipped,
}

/// A file's class, and whose it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Classified {
    /// What it is.
    pub class: Class,
    /// The name of the project's folder; empty for what stands in none.
    pub project_key: String,
    /// The session that it belongs to.
    pub session_id: Option<String>,
    /// Its path below the session's folder.
    pub subpath: Option<String>,
}

/// The rows, in the order in which they are tried: class, how its path looks below `projects`, what is done.
const ROWS: [(Class, &str, &str); 5] = [
    (Class::Transcript, "<key>/<session>.jsonl", "reconciled"),
    (Class::Subagent, "<key>/<session>/subagents/**/agent-<id>.jsonl", "reconciled"),
    (Class::Journal, "<key>/<session>/subagents/**/journal.jsonl, <key>/<session>/world.jsonl", "reconciled"),
    (Class::Skipped, "any other *.jsonl", "left where it is, and said"),
    (Class::Artifact, "any other file", "copied where it is missing, never over another"),
];

/// What the file at that path below `projects` is.
///
/// ```
/// use winter_policy::recovery::{Class, classify};
/// assert_eq!(classify(&["-src-it", "0198.jsonl"]).class, Class::Transcript);
/// assert_eq!(classify(&["-src-it", "0198", "tool-results", "a.txt"]).class, Class::Artifact);
/// ```
pub fn classify<T: AsRef<str>>(path: &[T]) -> Classified {
    let path: Vec<&str> = path.iter().map(AsRef::as_ref).collect();
    let is_lines = path.last().is_some_and(|name| name.strip_suffix(".jsonl").is_some());
    let of = |class, key: &str, session: Option<&str>, below: &[&str]| Classified {
        class,
        project_key: key.to_owned(),
        session_id: session.map(str::to_owned),
        subpath: (!below.is_empty()).then(|| below.join("/")),
    };
    match path.as_slice() {
        [key, name] if is_lines => {
            let session = name.strip_suffix(".jsonl").filter(|session| !session.is_empty());
            let class = if session.is_some() { Class::Transcript } else { Class::Skipped };
            of(class, key, session, &[])
        }
        [key, session, below @ ..] if !below.is_empty() => {
            let class = match below {
                ["world.jsonl"] | ["subagents", .., "journal.jsonl"] => Class::Journal,
                ["subagents", .., name] if is_agent(name) => Class::Subagent,
                _ if is_lines => Class::Skipped,
                _ => Class::Artifact,
            };
            of(class, key, Some(session), below)
        }
        [key, below @ ..] if !below.is_empty() => of(Class::Artifact, key, None, below),
        other => of(if is_lines { Class::Skipped } else { Class::Artifact }, "", None, other),
    }
}

fn is_agent(name: &str) -> bool {
    name.strip_prefix("agent-").and_then(|rest| rest.strip_suffix(".jsonl")).is_some_and(|id| !id.is_empty())
}

pub(super) fn sheet() -> Sheet {
    let rows = ROWS.iter().map(|(class, path, done)| {
        let class = format!("{class:?}").to_lowercase();
        vec![class, (*path).to_owned(), (*done).to_owned()]
    });
    Sheet::new("Files of a working copy, by their path below `projects`", &["class", "path", "what is done"], rows)
}
