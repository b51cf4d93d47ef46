use proptest::prelude::*;

use super::*;
use crate::testing::test;

fn file(size: u64) -> Facts {
    Facts { kind: Kind::Regular, size }
}

fn known(copy: u64, canonical: u64) -> Known {
    Known { copy: file(copy), canonical: file(canonical), equal: copy.min(canonical), differ: false, tail: None }
}

#[test]
fn a_path_says_what_a_file_is() {
    let class = |path: &str| classify(&path.split('/').collect::<Vec<_>>()).class;
    assert_eq!(class("k/s.jsonl"), Class::Transcript);
    assert_eq!(class("k/s/subagents/agent-1.jsonl"), Class::Subagent);
    assert_eq!(class("k/s/subagents/deep/er/agent-1.jsonl"), Class::Subagent);
    assert_eq!(class("k/s/subagents/deep/journal.jsonl"), Class::Journal);
    assert_eq!(class("k/s/world.jsonl"), Class::Journal);
    for skipped in ["k/.jsonl", "k/s/x.jsonl", "k/s/subagents/agent-.jsonl", "k/s/deep/world.jsonl", "x.jsonl"] {
        assert_eq!(class(skipped), Class::Skipped, "{skipped}");
    }
    for artifact in ["k/s/tool-results/a", "k/s/subagents/agent-1.meta.json", "k/memory.md", "loose", "k/s/a.jsonlx"] {
        assert_eq!(class(artifact), Class::Artifact, "{artifact}");
    }
    let subagent = classify(&["k", "s", "subagents", "agent-1.jsonl"]);
    assert_eq!(
        (subagent.session_id.as_deref(), subagent.subpath.as_deref()),
        (Some("s"), Some("subagents/agent-1.jsonl"))
    );
}

#[test]
fn diverged() {
    let known = Known { differ: true, ..known(5, 9) };
    assert_eq!(step(&known), Step::Quarantine(Quarantine::Diverged));
}

#[test]
fn not_json() {
    let tail = Some(Tail { whole: 9, bad_line: Some(3), rest_is_json: false });
    assert_eq!(step(&Known { tail, ..known(9, 2) }), Step::Quarantine(Quarantine::NotJson));
}

#[test]
fn torn_tail() {
    let tail = Some(Tail { whole: 6, bad_line: None, rest_is_json: false });
    let append = |from, length| Step::Append(Append { from, length, newline: false, torn: Some(6.max(from)) });
    assert_eq!(step(&Known { tail, ..known(9, 2) }), append(2, 4));
    // The canonical file was torn in that line before.
    assert_eq!(step(&Known { tail, ..known(9, 8) }), append(8, 0));
}

#[test]
fn linked() {
    let copy = Facts { kind: Kind::Link, size: 0 };
    assert_eq!(step(&Known { copy, ..known(0, 0) }), Step::Quarantine(Quarantine::Linked));
}

#[test]
fn not_regular() {
    for kind in [Kind::Other, Kind::Absent] {
        let copy = Facts { kind, size: 0 };
        assert_eq!(step(&Known { copy, ..known(0, 0) }), Step::Quarantine(Quarantine::NotRegular));
    }
}

#[test]
fn canonical_not_regular() {
    for kind in [Kind::Link, Kind::Other] {
        let canonical = Facts { kind, size: 0 };
        assert_eq!(step(&Known { canonical, ..known(3, 0) }), Step::Quarantine(Quarantine::CanonicalNotRegular));
    }
}

#[test]
fn conflict() {
    assert_eq!(artifact(true, There::Different), ArtifactAction::Quarantine);
    assert_eq!(artifact(true, There::NotRegular), ArtifactAction::Quarantine);
    assert_eq!(artifact(false, There::Absent), ArtifactAction::Quarantine);
    assert_eq!(artifact(true, There::Identical), ArtifactAction::Leave);
}

#[test]
fn a_last_line_that_lacks_only_its_line_feed_is_whole() {
    let tail = Some(Tail { whole: 6, bad_line: None, rest_is_json: true });
    let append = Append { from: 2, length: 7, newline: true, torn: None };
    assert_eq!(step(&Known { tail, ..known(9, 2) }), Step::Append(append));
}

#[test]
fn a_file_that_is_missing_is_made_even_when_it_is_empty() {
    let absent = Facts { kind: Kind::Absent, size: 0 };
    let known = Known { canonical: absent, ..known(0, 0) };
    assert_eq!(step(&known), Step::ReadLines);
    let tail = Some(Tail { whole: 0, bad_line: None, rest_is_json: false });
    let append = Append { from: 0, length: 0, newline: false, torn: None };
    assert_eq!(step(&Known { tail, ..known }), Step::Append(append));
}

#[test]
fn every_reason_has_a_test_of_its_name() {
    let source = include_str!("tests.rs");
    let reasons = step::sheet().rows;
    assert_eq!(reasons.len(), 7);
    for row in reasons {
        assert!(source.contains(&format!("fn {}()", row[0].replace('-', "_"))), "{}", row[0]);
    }
}

fn at(place: u64) -> usize {
    usize::try_from(place).unwrap()
}

/// What the host would do with two texts: the canonical one after it, and what went to quarantine.
fn carried_out(copy: &[u8], canonical: Option<&[u8]>) -> (Option<Vec<u8>>, Vec<u8>, Outcome) {
    let is_json = |line: &[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok();
    let there = canonical.map_or(Facts { kind: Kind::Absent, size: 0 }, |bytes| file(bytes.len() as u64));
    let mut known = Known { copy: file(copy.len() as u64), canonical: there, equal: 0, differ: false, tail: None };
    for _ in 0..10 {
        match step(&known) {
            Step::Compare(length) => {
                let (from, to) = (at(known.equal), at(known.equal + length));
                known.differ = copy[from..to] != canonical.unwrap()[from..to];
                known.equal += length;
            }
            Step::ReadLines => {
                let end = canonical.map_or(0, <[u8]>::len);
                let begin = copy[..end].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
                let whole = copy[begin..].iter().rposition(|&byte| byte == b'\n').map_or(begin, |at| begin + at + 1);
                let (mut place, mut bad_line) = (begin, None);
                for line in copy[begin..whole].split_inclusive(|&byte| byte == b'\n') {
                    if bad_line.is_none() && !line.trim_ascii().is_empty() && !is_json(line) {
                        bad_line = Some(place as u64);
                    }
                    place += line.len();
                }
                let rest_is_json = is_json(&copy[whole..]);
                known.tail = Some(Tail { whole: whole as u64, bad_line, rest_is_json });
            }
            Step::Level => return (canonical.map(<[u8]>::to_vec), Vec::new(), Outcome::Clean),
            Step::CanonicalAhead => return (canonical.map(<[u8]>::to_vec), Vec::new(), Outcome::CanonicalAhead),
            Step::Quarantine(_) => return (canonical.map(<[u8]>::to_vec), copy.to_vec(), Outcome::Quarantined),
            Step::Append(append) => {
                let mut after = canonical.unwrap_or_default().to_vec();
                assert_eq!(after.len() as u64, append.from);
                after.extend(&copy[at(append.from)..at(append.from + append.length)]);
                if append.newline {
                    after.push(b'\n');
                }
                let torn = append.torn.map_or(Vec::new(), |from| copy[at(from)..].to_vec());
                return (Some(after), torn, Outcome::Appended);
            }
        }
    }
    panic!("it does not end")
}

fn texts() -> impl Strategy<Value = Vec<u8>> {
    let lines =
        [&b"{\"a\":1}\n"[..], b"{\"b\":2}\n", b"\n", b"{\"a\":", b"x\n", b"{\"c\":3}", b"\xff\n", b"{\"d\":4}\r\n"];
    proptest::collection::vec(proptest::sample::select(lines.to_vec()), 0..6).prop_map(|lines| lines.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn nothing_is_lost_and_a_second_time_changes_nothing(copy in texts(), other in texts(), cut in 0_usize..40, how in 0..4) {
        let canonical = match how {
            0 => None,
            1 => Some(copy[..cut.min(copy.len())].to_vec()),
            2 => Some([&copy[..], &other[..]].concat()),
            _ => Some(other),
        };
        let (after, quarantine, outcome) = carried_out(&copy, canonical.as_deref());
        // What stood there is the beginning of what stands there.
        if let Some(before) = &canonical {
            prop_assert!(after.as_ref().unwrap().starts_with(before));
        }
        // Each byte of the copy is in the canonical file, or in quarantine.
        let there = after.clone().unwrap_or_default();
        let kept = copy.len() - quarantine.len();
        prop_assert!(quarantine == copy || (there.starts_with(&copy[..kept]) && copy[kept..] == quarantine[..]));
        // A second time nothing changes but that the torn line is found again.
        let (again, same, _) = carried_out(&copy, after.as_deref());
        prop_assert_eq!(&again, &after);
        prop_assert_eq!(&same, &quarantine);
        // A kill in the middle leaves a beginning, from which the next run finishes.
        if let (Outcome::Appended, Some(after)) = (outcome, &after) {
            let before = canonical.map_or(0, |canonical| canonical.len());
            let killed = &after[..before + (after.len() - before) / 2];
            let (finished, ..) = carried_out(&copy, Some(killed));
            // One that lacks only the line feed which the copy lacks too is level with it.
            let finished = finished.unwrap();
            prop_assert!(&finished == after || [&finished[..], b"\n"].concat() == *after && finished == copy);
        }
    }
}
