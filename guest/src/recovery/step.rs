//! What to do next with one transcript.

use serde::Serialize;

use crate::explain::Sheet;

/// The most bytes that one step asks to be compared (64 MiB).
pub const RANGE: u64 = 64 << 20;

/// What kind of thing stands at a path; no link is followed to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Nothing.
    Absent,
    /// A regular file.
    Regular,
    /// A link, or a way that leads through one.
    Link,
    /// A folder, a FIFO, a device.
    Other,
}

/// What is known of one file without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Facts {
    /// What it is.
    pub kind: Kind,
    /// Bytes; 0 for what is no regular file.
    pub size: u64,
}

/// What reading the lines of the copy showed, from the beginning of the line in which the canonical file ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Tail {
    /// Where the last line that ends with a line feed ends, counted from the file's beginning.
    pub whole: u64,
    /// Where the first of these lines begins that is not JSON; an empty one is none.
    pub bad_line: Option<u64>,
    /// What stands after `whole` is JSON: a line that lacks only its line feed.
    pub rest_is_json: bool,
}

/// What is known of a transcript in the copy and of the one in the shared home.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Known {
    /// The working copy's.
    pub copy: Facts,
    /// The shared home's.
    pub canonical: Facts,
    /// How many bytes of both were compared and are equal.
    pub equal: u64,
    /// The bytes after those differ.
    pub differ: bool,
    /// What the lines showed, once they were asked for.
    pub tail: Option<Tail>,
}

/// What the copy holds more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Append {
    /// Where in the copy it begins, which is where the canonical file ends.
    pub from: u64,
    /// How many bytes.
    pub length: u64,
    /// A line feed is written after them: the last line lacks its own.
    pub newline: bool,
    /// From here on the copy is a torn line, which goes to quarantine by itself.
    pub torn: Option<u64>,
}

/// Why a file goes to quarantine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quarantine {
    /// It and the canonical file say different things.
    Diverged,
    /// A line in its middle is not JSON.
    NotJson,
    /// Its last line was not written to its end.
    TornTail,
    /// It is a link, or the way to it is.
    Linked,
    /// It is no regular file.
    NotRegular,
    /// What stands in the shared home in its place is a link, or no regular file.
    CanonicalNotRegular,
    /// An artifact of other content stands in its place.
    Conflict,
}

impl Quarantine {
    /// Its stable id.
    pub fn id(self) -> &'static str {
        match self {
            Self::Diverged => "diverged",
            Self::NotJson => "not-json",
            Self::TornTail => "torn-tail",
            Self::Linked => "linked",
            Self::NotRegular => "not-regular",
            Self::CanonicalNotRegular => "canonical-not-regular",
            Self::Conflict => "conflict",
        }
    }
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Compare this many bytes of both files, from what is known to be equal on.
    Compare(u64),
    /// Read the copy's lines, from the beginning of the one in which the canonical file ends.
    ReadLines,
    /// Nothing: they are level.
    Level,
    /// Nothing: the canonical file holds all of it, and more.
    CanonicalAhead,
    /// Append what the copy holds more.
    Append(Append),
    /// Copy it to quarantine; it is not touched otherwise.
    Quarantine(Quarantine),
}

/// What to do next with what is known so far.
///
/// ```
/// use winter_policy::recovery::{Facts, Kind, Known, Step, step};
/// let file = |size| Facts { kind: Kind::Regular, size };
/// let known = Known { copy: file(9), canonical: file(9), equal: 0, differ: false, tail: None };
/// assert_eq!(step(&known), Step::Compare(9));
/// assert_eq!(step(&Known { equal: 9, ..known }), Step::Level);
/// ```
pub fn step(known: &Known) -> Step {
    let Known { copy, canonical, equal, differ, tail } = *known;
    match copy.kind {
        Kind::Regular => {}
        Kind::Link => return Step::Quarantine(Quarantine::Linked),
        Kind::Absent | Kind::Other => return Step::Quarantine(Quarantine::NotRegular),
    }
    if matches!(canonical.kind, Kind::Link | Kind::Other) {
        return Step::Quarantine(Quarantine::CanonicalNotRegular);
    }
    let common = copy.size.min(canonical.size);
    if differ {
        return Step::Quarantine(Quarantine::Diverged);
    }
    if equal < common {
        return Step::Compare((common - equal).min(RANGE));
    }
    if copy.size < canonical.size {
        return Step::CanonicalAhead;
    }
    // An empty file is one, too: where none stands, it is made.
    if copy.size == canonical.size && canonical.kind == Kind::Regular {
        return Step::Level;
    }
    let Some(tail) = tail else { return Step::ReadLines };
    appended(copy.size, canonical.size, tail)
}

fn appended(size: u64, from: u64, tail: Tail) -> Step {
    // Numbers that fit no file are a fault of the host's; the file is left alone then.
    if tail.bad_line.is_some() || tail.whole > size {
        return Step::Quarantine(Quarantine::NotJson);
    }
    if tail.whole == size {
        return Step::Append(Append { from, length: size - from, newline: false, torn: None });
    }
    if tail.rest_is_json {
        return Step::Append(Append { from, length: size - from, newline: true, torn: None });
    }
    let torn = Some(tail.whole.max(from));
    Step::Append(Append { from, length: tail.whole.saturating_sub(from), newline: false, torn })
}

/// Why something goes to quarantine, for a person.
const REASONS: [(Quarantine, &str); 7] = [
    (Quarantine::Diverged, "it and the shared home's say different things"),
    (Quarantine::NotJson, "a line in its middle is not JSON"),
    (Quarantine::TornTail, "its last line was not written to its end; only that line goes there"),
    (Quarantine::Linked, "it is a link, or the way to it is"),
    (Quarantine::NotRegular, "it is no regular file; its name is recorded"),
    (Quarantine::CanonicalNotRegular, "what stands in its place in the shared home is a link, or no regular file"),
    (Quarantine::Conflict, "an artifact of other content stands in its place, and is never overwritten"),
];

pub(super) fn sheet() -> Sheet {
    let rows = REASONS.iter().map(|(reason, why)| vec![reason.id().to_owned(), (*why).to_owned()]);
    Sheet::new("Why a file goes to quarantine", &["reason", "why"], rows)
}
