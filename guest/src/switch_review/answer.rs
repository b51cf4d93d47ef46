//! What a review answers.

use serde::Serialize;

use super::endpoint::Endpoint;
use super::identity::Identity;
use super::losses::{Loss, Severity};
use super::oddity::Oddity;

/// An answer, or what is needed for one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step<T> {
    /// Done.
    Answer(T),
    /// Read this range, put it before what was read so far, and ask again.
    Need(Range),
}

/// A range of the transcript, which ends where what was read so far begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Range {
    /// Bytes from the file's beginning.
    pub offset: u64,
    /// Bytes.
    pub length: u64,
}

/// How much of the transcript an answer rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Extent {
    /// Bytes of the file.
    pub file_length: u64,
    /// Bytes that were looked at, from its end.
    pub read: u64,
    /// Rows with a uuid in them, subagents' not counted.
    pub entries: u64,
    /// Of those, the ones that the lineage reaches.
    pub reachable: u64,
}

/// One reason for the choice of the tip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TipReasonKind {
    /// The latest message, where the walk begins.
    Leaf,
    /// There is no message.
    NoMessages,
    /// What a failed request left was passed over.
    ErrorResidue,
    /// No reply after the last compaction; the one before it spoke last.
    BeforeCompaction,
    /// The last real reply.
    Reply,
    /// The lineage holds no real reply.
    NoReply,
    /// The budget ended before one was found.
    Unread,
    /// Which record names the model.
    NamedBy,
    /// The model is not in the catalog; what is known of it instead.
    OffCatalog,
}

/// The same, for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TipReason {
    /// Which.
    pub kind: TipReasonKind,
    /// The row concerned.
    pub uuid: Option<String>,
    /// One sentence.
    pub text: String,
}

/// The row that is the tip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TipEntry {
    /// Its uuid.
    pub uuid: String,
    /// Where its line begins in the file.
    pub offset: u64,
    /// The model that it names.
    pub model: Option<String>,
}

/// Who spoke last in a session, and why that is so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Tip {
    /// The last real reply; none where there is none, or none was found within the budget.
    pub entry: Option<TipEntry>,
    /// Who gave it.
    pub identity: Identity,
    /// The reasons, in the order of the search.
    pub reasons: Vec<TipReason>,
    /// The budget ended before the search did.
    pub truncated: bool,
}

/// A tip, and what the answer rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TipReport {
    /// Who spoke last.
    pub tip: Tip,
    /// How much was read.
    pub extent: Extent,
    /// What was survived in it.
    pub oddities: Vec<Oddity>,
}

/// What the tokens to be carried were counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TokenCount {
    /// The tip's endpoint counted what it took in and gave out; what came after is estimated.
    Usage,
    /// Estimated, at four characters a token.
    Estimate,
}

/// What a switch would carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Carried {
    /// Messages in context; rows that share a message id are one.
    pub messages: u64,
    /// Characters of text, calls and results.
    pub characters: u64,
    /// How many tokens that is.
    pub tokens: u64,
    /// How that is known.
    pub counted: TokenCount,
}

/// What a switch would lose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Review {
    /// Who spoke last, which is what the switch is from.
    pub tip: Tip,
    /// What it is to.
    pub target: Endpoint,
    /// Same family, same profile: there is nothing to ask, and no more was looked at than that took.
    pub skip: bool,
    /// The worst of the losses; none where the review was skipped. Never `lossless` where `truncated`.
    pub severity: Option<Severity>,
    /// What would be lost, in the order of the table.
    pub losses: Vec<Loss>,
    /// Something in context was not read.
    pub truncated: bool,
    /// What would be carried.
    pub carried: Carried,
    /// What the answer rests on.
    pub extent: Extent,
    /// What was survived in it.
    pub oddities: Vec<Oddity>,
}
