//! The part of the border that is about transcripts that come home.

use super::bindings::exports::winter::runtime::recovery as wit;
use super::{Component, all, same, same_record};
use crate::recovery;

impl wit::Guest for Component {
    fn classify(path: Vec<String>) -> wit::Classified {
        recovery::classify(&path).into()
    }

    fn step(known: wit::Known) -> wit::Next {
        match recovery::step(&known.into()) {
            recovery::Step::Compare(length) => wit::Next::Compare(length),
            recovery::Step::ReadLines => wit::Next::ReadLines,
            recovery::Step::Level => wit::Next::Level,
            recovery::Step::CanonicalAhead => wit::Next::CanonicalAhead,
            recovery::Step::Append(append) => wit::Next::Append(append.into()),
            recovery::Step::Quarantine(reason) => wit::Next::Quarantine(reason.into()),
        }
    }

    fn artifact(regular: bool, there: wit::There) -> wit::ArtifactAction {
        recovery::artifact(regular, there.into()).into()
    }

    fn overall(outcomes: Vec<wit::FileOutcome>) -> wit::FileOutcome {
        recovery::overall(all::<_, recovery::Outcome>(outcomes)).into()
    }
}

same!(recovery::Class => wit::Class { Transcript, Subagent, Journal, Artifact, Skipped });
same!(wit::FileKind => recovery::Kind { Absent, Regular, Link, Other });
same!(wit::There => recovery::There { Absent, Identical, Different, NotRegular });
same!(recovery::ArtifactAction => wit::ArtifactAction { Copy, Leave, Quarantine });
same!(wit::FileOutcome => recovery::Outcome { Clean, CanonicalAhead, Appended, Pending, Quarantined });
same!(recovery::Outcome => wit::FileOutcome { Clean, CanonicalAhead, Appended, Pending, Quarantined });
same!(recovery::Quarantine => wit::Quarantine {
    Diverged, NotJson, TornTail, Linked, NotRegular, CanonicalNotRegular, Conflict,
});
same_record!(recovery::Classified => wit::Classified { class + into, project_key, session_id, subpath });
same_record!(wit::Facts => recovery::Facts { kind + into, size });
same_record!(wit::Tail => recovery::Tail { whole, bad_line, rest_is_json });
same_record!(wit::Known => recovery::Known { copy + into, canonical + into, equal, differ, tail + option });
same_record!(recovery::Append => wit::Append { from, length, newline, torn });
