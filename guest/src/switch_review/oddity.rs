//! What is wrong with a transcript and was survived: counted, reported, never repaired.

use std::collections::BTreeMap;

use serde::Serialize;

macro_rules! oddities {
    ($($(#[doc = $doc:literal])* $name:ident = $id:literal, $what:literal, $then:literal;)*) => {
        /// The kinds of damage and strangeness.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum OddityKind { $($(#[doc = $doc])* $name,)* }

        impl OddityKind {
            /// Every kind, in the order of reports.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Its stable name.
            pub fn id(self) -> &'static str {
                match self { $(Self::$name => $id,)* }
            }

            /// What was found, in words.
            pub fn what(self) -> &'static str {
                match self { $(Self::$name => $what,)* }
            }

            /// What the review does about it.
            pub fn treatment(self) -> &'static str {
                match self { $(Self::$name => $then,)* }
            }
        }
    };
}

oddities! {
    /// The file ends inside a line.
    TornTail = "torn-tail", "the last line is not whole", "passed over";
    /// The last line is whole and lacks its newline.
    NoFinalNewline = "no-final-newline", "the last line is whole and lacks its newline", "read as any other";
    /// A line that is no JSON.
    Malformed = "malformed", "a line is not JSON", "passed over";
    /// A whole object behind the torn one.
    Salvaged = "salvaged", "a whole entry stands behind a torn one on the same line", "the whole one is read, when its id is new";
    /// A line that is JSON and no object.
    NotAnObject = "not-an-object", "a line is JSON and no object", "passed over";
    /// A type that no version known here writes.
    UnknownType = "unknown-type", "an entry of a type that is not known", "kept as a link between others, never read as a message";
    /// A field of another type than it should be.
    OddShape = "odd-shape", "a field holds another kind of value than it should", "the field counts as absent";
    /// Bytes that are no UTF-8.
    BadUtf8 = "bad-utf8", "a line is not UTF-8", "the broken characters are replaced";
    /// Half a surrogate pair.
    LoneSurrogate = "lone-surrogate", "half a surrogate pair in a text in context", "counted as one character";
    /// A byte order mark.
    ByteOrderMark = "byte-order-mark", "a byte order mark", "passed over";
    /// NULs around a line.
    NulBytes = "nul-bytes", "NUL bytes before or after a line", "passed over";
    /// Over a megabyte.
    LongLine = "long-line", "a line of more than a megabyte", "read as any other";
    /// One uuid on two rows.
    DuplicateUuid = "duplicate-uuid", "an entry's uuid stands on an earlier row too", "the last row counts";
    /// Two rows of one uuid with two parents.
    DifferingParent = "differing-parent", "two rows of one uuid name different parents", "the last row counts";
    /// A row that is its own parent.
    SelfParent = "self-parent", "an entry is its own parent", "it is a root";
    /// Parents that lead back.
    Cycle = "cycle", "the lineage leads back into itself", "cut there";
    /// A parent that the file does not hold.
    MissingParent = "missing-parent", "an entry's parent is not in the file", "a gap: what is before is not joined";
    /// A message that a compaction kept and the file does not hold.
    MissingPreserved = "missing-preserved", "a message that a compaction kept is not in the file", "left out";
    /// A row of a subagent.
    Sidechain = "sidechain", "a row of a subagent", "not the session's own context";
    /// What is left of a failed request.
    ErrorResidue = "error-residue", "what a failed request left in the lineage", "passed over";
    /// A result of no call.
    OrphanToolResult = "orphan-tool-result", "a tool result whose call is not in context", "carried as text";
    /// A call without result that is not the tip's.
    CallWithoutResult = "call-without-result", "a tool call, not at the tip, that never got its result", "reported";
    /// A kind of content that nobody described.
    UnknownContent = "unknown-content", "a block of content of a kind that is not known", "its characters count as text";
}

/// How often one kind occurred in what was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Oddity {
    /// Which.
    pub kind: OddityKind,
    /// How often.
    pub count: u64,
}

/// A tally of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Oddities(BTreeMap<OddityKind, u64>);

impl Oddities {
    pub(super) fn add(&mut self, kind: OddityKind) {
        self.add_many(kind, 1);
    }

    pub(super) fn add_many(&mut self, kind: OddityKind, count: u64) {
        if count > 0 {
            *self.0.entry(kind).or_default() += count;
        }
    }

    pub(super) fn list(&self) -> Vec<Oddity> {
        self.0.iter().map(|(&kind, &count)| Oddity { kind, count }).collect()
    }
}
