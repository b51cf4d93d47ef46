//! Why an item cannot be given at all.

/// What kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The file is not UTF-8.
    NotUtf8,
    /// The header is not YAML, nor is what the program makes of it.
    NotYaml,
    /// The header is a list or a text.
    NotAMapping,
    /// More than one document.
    SecondDocument,
    /// It nests too deep.
    TooDeep,
    /// It has too many bytes or values.
    TooLarge,
    /// It holds an alias.
    Alias,
    /// An agent without a name, or with one that the program refuses.
    NoName,
    /// An agent without a description: the program reads none such.
    NoDescription,
    /// Every pattern of `paths` can match only outside the working directory.
    PathsOutsideCwd,
    /// No pattern of `paths` can match anything.
    PathsNeverMatch,
    /// The header that was written does not read as it was meant; a fault of this code.
    NotProven,
}

/// Why an item is skipped: for a person, with the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Fault {
    /// For a program.
    pub kind: FaultKind,
    /// One sentence.
    pub detail: String,
    /// Where in the file, from 1.
    pub line: Option<u32>,
    /// Where in the line, from 1.
    pub column: Option<u32>,
}

impl Fault {
    pub(super) fn new(kind: FaultKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), line: None, column: None }
    }

    pub(super) fn at(self, line: u32, column: Option<u32>) -> Self {
        Self { line: Some(line), column, ..self }
    }
}
