//! What was offered and not given, and why: one vocabulary for every area.

use serde::Serialize;

use crate::tier::Tier;

/// Why a local settings file counts as the repository's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShippedBecause {
    /// git's index lists it, or a folder above it as a link, a submodule or a sparse folder.
    Index,
    /// The commit that HEAD names lists it.
    Head,
    /// It, or a folder above it, is a link.
    Link,
    /// A repository of a kind that could not be read.
    Unsupported,
    /// git did not answer in time.
    TimedOut,
    /// git could not answer.
    Failed,
}

/// One thing that a tier asked for and did not get.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Dropped {
    /// Whose word it was.
    pub tier: Tier,
    /// The file it stood in.
    pub source: String,
    /// Where in that file, from 1.
    pub line: Option<u32>,
    /// As its author wrote it, e.g. `permissions.defaultMode: acceptEdits`.
    pub rule: String,
    /// The id of the row of the drop table, e.g. `escalating-mode`.
    pub reason: String,
    /// The value, where the key's name says that it is a secret; it is then not in `rule`.
    pub withheld: Option<String>,
    /// Why a local file was treated as the repository's.
    pub because: Option<ShippedBecause>,
}

/// Why an item was left out whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkipReason {
    /// It could not be read as what it should be.
    Unusable,
    /// It is not a regular file.
    NotRegular,
    /// It is larger than the bound.
    TooLarge,
    /// Another file stood there when it was read than when it was admitted.
    Changed,
    /// The system refused.
    Unreadable,
    /// It stands where the runtime does not look; a likely slip.
    NotRead,
    /// A run home holds no such thing of a repository.
    NotCarried,
    /// It is not text in UTF-8.
    NotUtf8,
    /// It lies beyond a bound on the number of items, of folders or of bytes in all.
    TooMany,
    /// Another item has its name, and comes first.
    Collision,
    /// It belongs to a folder below the working folder.
    NestedNotCarried,
    /// Its `paths:` name nothing below the working folder.
    PathsOutsideCwd,
    /// It is the person's own and stands in a folder that was not granted.
    NotGranted,
}

/// One item that was left out whole.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SkippedItem {
    /// Absolute.
    pub path: String,
    /// Why.
    pub reason: SkipReason,
    /// The same for a person, with what was expected.
    pub detail: String,
    /// Where in the file, from 1.
    pub line: Option<u32>,
    /// Where in the line, from 1.
    pub column: Option<u32>,
}

/// Why a link was not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkFault {
    /// It leaves the folder that it must stay in.
    OutsideRoot,
    /// It leads to nothing.
    Dangling,
    /// It leads to itself, or takes more than eight steps.
    Loop,
}

/// One link that was not followed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SkippedLink {
    /// Absolute.
    pub path: String,
    /// As it is written.
    pub target: String,
    /// Why.
    pub reason: LinkFault,
}

/// Why an import was not taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImportFault {
    /// It leads out of the folder that it must stay in.
    OutsideRoot,
    /// It is the person's own and leads to a folder that was not granted.
    NotGranted,
    /// It leads back to a file that is being read.
    Cycle,
    /// It stands deeper than the bound.
    TooDeep,
    /// It, and what follows in its file, stand after too many that were dropped.
    TooMany,
    /// The file, or a link on the way, could not be read; the detail says why.
    Unreadable,
}

/// One import that was not taken in; the text keeps it, spelt so that it is text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct DroppedImport {
    /// The file that it stands in, absolute.
    pub file: String,
    /// Where in that file, from 1.
    pub line: u32,
    /// As it is written, without the `@`.
    pub target: String,
    /// Why.
    pub reason: ImportFault,
    /// The same for a person, with what to do.
    pub detail: String,
}

/// One MCP server that is not in the run home.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct DroppedServer {
    /// As it is written.
    pub name: String,
    /// Whose it is.
    pub scope: Tier,
    /// The file that it stands in, absolute.
    pub source: String,
    /// Where in that file, from 1.
    pub line: Option<u32>,
    /// The id of the row of the servers' table, e.g. `reserved-name`.
    pub reason: String,
    /// The same for a person.
    pub detail: String,
}

/// Something that acts, or that nobody knows, taken out of an item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RemovedPower {
    /// The file that it stood in, absolute.
    pub file: String,
    /// Where in that file, from 1.
    pub line: u32,
    /// The key, or what stands in its place for a body, e.g. `hooks`.
    pub carrier: String,
    /// What it held, on one line.
    pub value: String,
    /// The id of its row, e.g. `acts-command`.
    pub reason: String,
}

/// An agent that is not in the run home, since its header cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SkippedAgent {
    /// Absolute.
    pub path: String,
    /// Where in the file, from 1.
    pub line: Option<u32>,
    /// Where in the line, from 1.
    pub column: Option<u32>,
    /// Why.
    pub detail: String,
}

/// A repository's rule that is always in context.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct UnconditionalRule {
    /// The file that it comes from, absolute.
    pub path: String,
    /// Where it stands in the run folder.
    pub entry: String,
}

/// A link of the person's own that leads out of their shared home.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ExternalUserLink {
    /// The link, absolute.
    pub path: String,
    /// As it is written.
    pub target: String,
    /// It leads beneath a folder that was granted.
    pub granted: bool,
}

/// A remark that costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeKind {
    /// A key stands twice in one object; the last one counts.
    DuplicateKey,
    /// The local settings file was treated as the repository's.
    ShippedLocal,
    /// The folder that the person's items would come from does not exist.
    NoSharedHome,
    /// The project's configuration is the person's own home, and was read once.
    HomeIsProject,
    /// A value that the runtime reads as plain text looks like a reference to a variable.
    LiteralReference,
    /// Nothing of the project was read, since no root was trusted.
    Untrusted,
    /// A place that a permission rule protects and the sandbox's lists cannot name.
    NotInSandbox,
    /// A permission rule that can never match.
    InertRule,
    /// Characters that a person does not see stand in a text for the model.
    InvisibleCharacters,
}

/// One remark.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Notice {
    /// Its kind.
    pub kind: NoticeKind,
    /// The file that it is about.
    pub path: String,
    /// Where in that file, from 1.
    pub line: Option<u32>,
    /// For a person.
    pub text: String,
}

/// What kind of refusal it is; the host's exit code follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefusalKind {
    /// An input that cannot be used.
    BadInput,
    /// The leg `official`, which is retired.
    LegRefused,
    /// The person's own settings file cannot be used, so their rules would be lost with it.
    UnusableSettings,
    /// The person's own protection has no spelling in the runtime's grammar and would fail open.
    Inexpressible,
    /// A capability was not granted.
    Denied,
    /// The system refused.
    Io,
}

/// Why there is no answer: the form in which every area's error crosses the border.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Refusal {
    /// For a program.
    pub kind: RefusalKind,
    /// One sentence that names the input and what was expected.
    pub message: String,
    /// What the person could do.
    pub help: String,
    /// The file concerned.
    pub source: Option<String>,
    /// Where in that file, from 1.
    pub line: Option<u32>,
    /// Where in that line, from 1.
    pub column: Option<u32>,
}
