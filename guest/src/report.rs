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
    /// This version of the run home does not hold that kind of item.
    NotCarried,
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
