//! Escaped paths in rules, as the program reads them: each name in a folder of its own, beside what it must not be taken for.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use winter_policy::brand::Spelling;
use winter_policy::escape::{CHARACTERS, Gap, contract_gaps, rule_path};
use winter_tests::agent::{Agent, Block, Reply, in_order};

/// A name, and others that a wrong reading of its rule would take for it.
const NAMES: &[(&str, &[&str])] = &[
    ("plain", &["plai", "plainx"]),
    ("[wip] app", &["w app", "[wip]"]),
    ("Project (old)", &["Project old", "Project"]),
    ("a*b", &["aXXb", "ab"]),
    ("a?b", &["aXb", "ab"]),
    ("a+b", &["aab", "ab"]),
    ("a^b", &["ab"]),
    ("a$b", &["ab", "a"]),
    ("a|b", &["a", "b"]),
    (r"back\slash", &["backslash"]),
    (r"\[x]", &["[x]", "x"]),
    (r"end\", &["end"]),
    ("!bang", &["bang"]),
    ("#hash", &["hash"]),
    ("trail ", &["trail"]),
    ("in ner", &["inner"]),
    ("trail\t", &["trail"]),
    ("in\tner", &["inner"]),
    ("new\nline", &["newline"]),
    ("{x,y}", &["x", "y"]),
    ("a]b", &["ab"]),
    ("a[b", &["ab"]),
    ("*", &["q"]),
    ("ab*", &["abX", "ab"]),
    ("**", &["q", "*q"]),
    ("a(b", &["ab"]),
    ("a)b", &["ab"]),
    ("~", &["q"]),
    ("?", &["q"]),
    (r"a\x3fb", &["a?b"]),
    (r"a\.b", &["a.b", "aXb"]),
    ("a\u{a0}b", &["a b", "ab"]),
    ("trail\u{3000}", &["trail"]),
    ("\u{e9}", &["e", "e\u{301}"]),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Deny,
    Allow,
}

/// What a rule does to a call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Effect {
    /// It takes hold.
    Taken,
    /// It does not.
    Left,
    /// The program asks about the path whatever the rules say: it takes it for one of another system.
    Asked,
}

/// What a rule of that kind on each name does to each name, in the order in which they were called.
fn taken(spelling: Spelling, kind: Kind, end: &str) -> Option<Vec<Effect>> {
    let agent = Agent::new(in_order([]))?;
    let folder = |at: usize| agent.work().join(at.to_string());
    let (mut rules, mut calls) = (Vec::new(), Vec::new());
    for (at, (name, others)) in NAMES.iter().enumerate() {
        let (tool, rule) = if kind == Kind::Deny { ("Read", "Read") } else { ("Write", "Edit") };
        rules.push(format!("{rule}(/{}/{}{end})", folder(at).display(), rule_path(name, spelling)));
        for one in [name].into_iter().chain(*others) {
            let file = folder(at).join(one).join("d/s");
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            let input = match kind {
                Kind::Deny => {
                    fs::write(&file, "content\n").unwrap();
                    json!({"file_path": file})
                }
                Kind::Allow => json!({"file_path": file, "content": "new"}),
            };
            calls.push(Block::call(tool, input));
        }
    }
    let key = if kind == Kind::Deny { "deny" } else { "allow" };
    fs::write(agent.config().join("settings.json"), json!({"permissions": {key: rules}}).to_string()).unwrap();
    agent.server().script(in_order([Reply::blocks(calls)]));
    let results = agent.turn("go").run().well().tool_results();
    let effect = |(_, failed, text): &(String, bool, String)| match (kind, failed) {
        (_, true) if text.contains("suspicious Windows path") => Effect::Asked,
        (Kind::Deny, true) if text.contains("denied by your permission settings") => Effect::Taken,
        (Kind::Allow, true) if text.contains("requested permissions") => Effect::Left,
        (Kind::Deny, false) => Effect::Left,
        (Kind::Allow, false) => Effect::Taken,
        (_, true) => panic!("{text}"),
    };
    Some(results.iter().map(effect).collect())
}

/// For each name: does its rule take hold of it, and of which of the others.
fn by_name(taken: &[Effect]) -> Vec<(&'static str, Effect, Vec<&'static str>)> {
    let mut rest = taken.iter().copied();
    let mut next = || rest.next().expect("a result for each call");
    let all = NAMES.iter().map(|(name, others)| {
        let itself = next();
        (*name, itself, others.iter().copied().filter(|_| next() == Effect::Taken).collect())
    });
    let all = all.collect();
    assert_eq!(rest.next(), None);
    all
}

/// A deny always takes hold of its own path. An allow does unless the program asks all the same; and it does not where the name
/// has a backslash, which the program takes for a separator there: narrower, and so nothing is given in error.
fn holds(kind: Kind, name: &str, itself: Effect) -> bool {
    itself == Effect::Taken || (kind == Kind::Allow && (itself == Effect::Asked || name.contains('\\')))
}

const KINDS: [Kind; 2] = [Kind::Deny, Kind::Allow];
const ENDS: [&str; 2] = ["", "/**"];

#[test]
fn the_names_hold_every_character_of_the_table_that_a_name_can() {
    for row in CHARACTERS.iter().filter(|row| row.id != "other-white-space") {
        let held = |character: &char| NAMES.iter().any(|(name, _)| name.contains(*character));
        assert!(row.characters.iter().all(held), "{}", row.id);
    }
}

#[test]
fn the_hex_spelling_is_exact_for_every_name_in_deny_and_allow() {
    for kind in KINDS {
        for end in ENDS {
            let Some(taken) = taken(Spelling::Hex, kind, end) else { return };
            for (name, itself, others) in by_name(&taken) {
                assert!(holds(kind, name, itself), "{kind:?} {name:?}{end}: {itself:?}");
                assert!(others.is_empty(), "{kind:?} {name:?}{end} takes {others:?} as well");
            }
        }
    }
}

#[test]
fn the_contracts_spelling_is_exact_but_for_its_gaps() {
    for kind in KINDS {
        for end in ENDS {
            let Some(taken) = taken(Spelling::Contract, kind, end) else { return };
            for (name, itself, others) in by_name(&taken) {
                let gaps = contract_gaps(name);
                if gaps.is_empty() {
                    assert!(holds(kind, name, itself), "{kind:?} {name:?}{end}: {itself:?}");
                    assert!(others.is_empty(), "{kind:?} {name:?}{end} takes {others:?} as well");
                }
                // What a gap is said to do, it does: a star and a question mark take more, and still the name itself.
                if gaps == [Gap::LastStar] || gaps == [Gap::AnyCharacter] {
                    assert!(holds(kind, name, itself) && !others.is_empty(), "{kind:?} {name:?}{end} {others:?}");
                }
                if name.ends_with('\t') {
                    assert_ne!(itself, Effect::Taken, "{kind:?} {name:?}{end}: a tab at the end is never matched");
                }
            }
        }
    }
}

#[test]
fn a_name_that_is_not_escaped_fails_reading_as_a_whole() {
    let Some(agent) = Agent::new(in_order([])) else { return };
    let read = |path: &Path| Reply::call("Read", json!({"file_path": path}));
    let file = agent.work().join("plain");
    fs::write(&file, "content\n").unwrap();
    let with = |name: &str| {
        let rule = format!("Read(/{}/{name})", agent.work().display());
        let settings: Value = json!({"permissions": {"deny": [rule]}});
        fs::write(agent.config().join("settings.json"), settings.to_string()).unwrap();
        agent.server().script(in_order([read(&file)]));
        agent.turn("go").run().well().tool_results()[0].1
    };
    // Why one bad rule must never be written: it fails what has nothing to do with it.
    assert!(with("a[b/s"));
    assert!(!with(&rule_path("a[b/s", Spelling::Hex)));
    assert!(!with(&rule_path("a[b/s", Spelling::Contract)));
}
