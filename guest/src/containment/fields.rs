//! The texts of a call's arguments, and what each of them is to its tool.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::targets::Access;
use crate::explain::Sheet;

/// The deepest arguments that are looked into.
const MAX_DEPTH: usize = 64;

/// What a text is to its tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A path, or a pattern of paths.
    Path,
    /// The text of a command.
    Command,
    /// A text that is only written, said or looked for; what it spells out is found, what it would come to as a command
    /// is not asked.
    Prose,
    /// Nobody knows: all of it.
    Unknown,
}

struct Row {
    tools: &'static [&'static str],
    fields: &'static [&'static str],
    kind: Kind,
    why: &'static str,
}

const ANY: &[&str] = &["*"];

/// The first row that holds decides; what no row names is [`Kind::Unknown`].
const FIELDS: &[Row] = &[
    Row { tools: &["Bash", "Monitor"], fields: &["command"], kind: Kind::Command, why: "a shell runs it" },
    Row {
        tools: &["Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "NotebookRead", "LS", "Glob", "Grep"],
        fields: &["file_path", "notebook_path", "path", "glob"],
        kind: Kind::Path,
        why: "it is opened, or walked",
    },
    Row { tools: &["Glob"], fields: &["pattern"], kind: Kind::Path, why: "what it matches is listed" },
    Row { tools: &["Grep"], fields: &["pattern"], kind: Kind::Prose, why: "it is looked for in files" },
    Row {
        tools: &["Write", "Edit", "MultiEdit", "NotebookEdit"],
        fields: &["content", "old_string", "new_string", "new_source", "edits"],
        kind: Kind::Prose,
        why: "it is written to the file that the call names",
    },
    Row {
        tools: &["Task", "Agent", "TodoWrite", "AskUserQuestion", "ExitPlanMode", "WebSearch", "SendMessage"],
        fields: ANY,
        kind: Kind::Prose,
        why: "it is said or shown, and every call that follows from it is looked at by itself",
    },
    Row {
        tools: ANY,
        fields: &[
            "description",
            "prompt",
            "message",
            "body",
            "title",
            "subject",
            "comment",
            "summary",
            "question",
            "todos",
            "content",
            "new_string",
            "old_string",
            "thought",
        ],
        kind: Kind::Prose,
        why: "by its name it is a text for a reader",
    },
];

fn kind(tool: &str, field: &str) -> Option<Kind> {
    let holds = |names: &[&str], name: &str| names.contains(&"*") || names.contains(&name);
    FIELDS.iter().find(|row| holds(row.tools, tool) && holds(row.fields, field)).map(|row| row.kind)
}

/// What a tool does with the paths that it is given.
pub(super) fn access(tool: &str) -> Access {
    match tool {
        "Read" | "Grep" | "Glob" | "LS" | "NotebookRead" => Access::Read,
        "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => Access::Write,
        // A tool that nobody knows may do anything.
        _ => Access::Any,
    }
}

/// Whether a tool that is given a folder does not look at what lies beneath it.
pub(super) fn is_shallow(tool: &str) -> bool {
    matches!(tool, "Bash" | "Read" | "NotebookRead" | "LS" | "Write" | "Edit" | "MultiEdit" | "NotebookEdit")
}

/// One text of the arguments.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) text: String,
    pub(super) kind: Kind,
    /// The name of the field that it belongs to.
    pub(super) name: String,
}

/// Every text of the arguments, keys too.
///
/// # Errors
/// Why they cannot be read, as the end of a sentence.
pub(super) fn read(tool: &str, input: &str) -> Result<Vec<Field>, &'static str> {
    let tree: Tree = serde_json::from_str(input).map_err(|error| {
        if error.to_string().starts_with(TWICE) { "has arguments in which a key stands twice" } else { NO_JSON }
    })?;
    let mut fields = Vec::new();
    let first = kind(tool, "").unwrap_or(Kind::Unknown);
    if collect(&tree, tool, ("", first), MAX_DEPTH, &mut fields) {
        Ok(fields)
    } else {
        Err("has arguments that are nested too deeply")
    }
}

const NO_JSON: &str = "has arguments that are no JSON";
const TWICE: &str = "a key stands twice";

fn collect(tree: &Tree, tool: &str, inherited: (&str, Kind), depth: usize, fields: &mut Vec<Field>) -> bool {
    if depth == 0 {
        return false;
    }
    match tree {
        Tree::Text(text) => {
            fields.push(Field { text: text.clone(), kind: inherited.1, name: inherited.0.to_owned() });
            true
        }
        Tree::List(items) => items.iter().all(|item| collect(item, tool, inherited, depth - 1, fields)),
        Tree::Members(members) => members.iter().all(|(name, value)| {
            let kind = kind(tool, name).unwrap_or(inherited.1);
            fields.push(Field { text: name.clone(), kind: Kind::Prose, name: String::new() });
            collect(value, tool, (name, kind), depth - 1, fields)
        }),
        Tree::Other => true,
    }
}

/// Whether JSON can be read in one way only: no key stands twice in an object.
pub(super) fn is_plain(json: &str) -> bool {
    serde_json::from_str::<Tree>(json).is_ok()
}

/// A JSON value in which no key stands twice, since programs differ in which of the two they take.
enum Tree {
    Text(String),
    List(Vec<Tree>),
    Members(Vec<(String, Tree)>),
    Other,
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Tree;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Tree, E> {
        Ok(Tree::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Tree, E> {
        Ok(Tree::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Tree, E> {
        Ok(Tree::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Tree, E> {
        Ok(Tree::Other)
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Other)
    }

    fn visit_str<E>(self, text: &str) -> Result<Tree, E> {
        Ok(Tree::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Tree, A::Error> {
        let mut members: Vec<(String, Tree)> = Vec::new();
        let mut names = std::collections::BTreeSet::new();
        while let Some((name, value)) = entries.next_entry::<String, Tree>()? {
            if !names.insert(name.clone()) {
                return Err(A::Error::custom(TWICE));
            }
            members.push((name, value));
        }
        Ok(Tree::Members(members))
    }
}

pub(super) fn sheet() -> Sheet {
    let rows = FIELDS.iter().map(|row| {
        let kind = match row.kind {
            Kind::Path => "a path",
            Kind::Command => "a command",
            Kind::Prose => "a text",
            Kind::Unknown => "anything",
        };
        vec![row.tools.join(", "), row.fields.join(", "), kind.to_owned(), row.why.to_owned()]
    });
    let rest = ["*", "*", "anything", "a tool that nobody knows may take it for a path or a command"];
    let rows = rows.chain([rest.map(str::to_owned).to_vec()]);
    Sheet::new(
        "What a field of a call is looked at as; the first row that holds",
        &["tools", "fields", "as", "why"],
        rows,
    )
}
