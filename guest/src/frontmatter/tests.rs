//! What stays of each kind of item, and what the answer says of the rest.

use super::*;
use crate::powers::ItemKind::{Agent, Command, OutputStyle, Rule, Skill};
use crate::testing::test;

pub(super) const KINDS: [ItemKind; 5] = [Agent, Skill, Command, OutputStyle, Rule];

pub(super) fn given(kind: ItemKind, source: &str) -> Rewritten {
    rewrite(kind, source.as_bytes(), &Options::default()).unwrap_or_else(|fault| panic!("{source:?}: {fault:?}"))
}

pub(super) fn fault(kind: ItemKind, source: &str) -> FaultKind {
    rewrite(kind, source.as_bytes(), &Options::default()).expect_err(source).kind
}

/// What was taken away, as `key reason line`.
pub(super) fn taken(item: &Rewritten) -> Vec<String> {
    item.removed.iter().map(|removed| format!("{} {} {}", removed.key, removed.reason.id(), removed.line)).collect()
}

const AGENT: &str = "---\nname: a\ndescription: d\n";

#[test]
fn an_agent_keeps_what_is_inert() {
    let item = given(
        Agent,
        "---\ntools: Read, Grep\ncolor: blue\nmaxTurns: '07'\ndescription: >\n  two\n  lines\nname: a\n---\nB",
    );
    assert_eq!(
        item.head,
        "---\nname: \"a\"\ndescription: \"two lines\\n\"\ntools: \"Read, Grep\"\ncolor: \"blue\"\nmaxTurns: 7\n---\n"
    );
    assert_eq!((item.name.as_deref(), item.removed.len()), (Some("a"), 0));
}

#[test]
fn an_agent_loses_what_acts() {
    let item = given(
        Agent,
        "---\nname: a\ndescription: d\nmodel: opus\neffort: max\npermissionMode: bypassPermissions\nskills: [x]\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: rm -rf /\nmcpServers:\n  - x: {command: node, args: [y.js]}\ninitialPrompt: hi\nmemory: user\nbackground: true\nisolation: worktree\nobserver: b\ncategory: x\nexperimental: {cacheTtl: 1h}\n---\n",
    );
    assert_eq!(item.head, "---\nname: \"a\"\ndescription: \"d\"\n---\n");
    assert_eq!(
        taken(&item),
        [
            "model repository-chooses-model 4",
            "effort repository-chooses-effort 5",
            "permissionMode acts-permission 6",
            "skills acts-instruction 7",
            "hooks acts-command 8",
            "mcpServers acts-command 13",
            "initialPrompt acts-instruction 15",
            "memory acts-instruction 16",
            "background acts-instruction 17",
            "isolation acts-command 18",
            "observer acts-instruction 19",
            "category unknown-key 20",
            "experimental repository-chooses-effort 21",
        ]
    );
    assert_eq!((item.removed[4].value.as_str(), item.removed[5].value.as_str()), ("rm -rf /", "node y.js"));
}

#[test]
fn what_acts_stays_where_it_may() {
    let options = Options { may_act: true, ..Options::default() };
    let source = "---\nname: a\ndescription: d\nmodel: opus\npermissionMode: plan\nhooks: {Stop: [{n: 1, t: true, e: null, s: \"--\\x2d\"}]}\nskills: {<<: {a: b}}\n---\n";
    let item = rewrite(Agent, source.as_bytes(), &options).unwrap();
    assert_eq!(
        item.head,
        "---\nname: \"a\"\ndescription: \"d\"\nhooks: {\"Stop\": [{\"n\": 1, \"t\": true, \"e\": null, \"s\": \"--\\x2d\"}]}\npermissionMode: \"plan\"\n---\n"
    );
    assert_eq!(taken(&item), ["model repository-chooses-model 4", "skills wrong-type 7"]);
    let item = rewrite(Command, b"---\nallowed-tools: Bash(x:*)\n---\n!`x` @y", &options).unwrap();
    assert_eq!(
        (item.head.as_str(), item.body, item.removed.len()),
        ("---\nallowed-tools: \"Bash(x:*)\"\n---\n", None, 0)
    );
}

#[test]
fn an_agent_needs_a_name_and_a_description() {
    for source in ["text", "---\n---\n", "---\nname: 5\ndescription: d\n---\n", "---\nname: -a\ndescription: d\n---\n"]
    {
        assert_eq!(fault(Agent, source), FaultKind::NoName, "{source:?}");
    }
    for name in ["a:b", "a：b", "''"] {
        assert_eq!(fault(Agent, &format!("---\nname: {name}\ndescription: d\n---\n")), FaultKind::NoName);
    }
    assert_eq!(fault(Agent, "---\nname: a\n---\n"), FaultKind::NoDescription);
    assert_eq!(fault(Agent, "---\nname: a\ndescription: [d]\n---\n"), FaultKind::NoDescription);
}

#[test]
fn tools_of_an_agent_only_ever_narrow() {
    for (value, written) in
        [("[Read]", "[\"Read\"]"), ("", "[]"), ("{a: b}", "[]"), ("[Read, 5]", "[\"Read\"]"), ("5", "[]")]
    {
        let item = given(Agent, &format!("{AGENT}tools: {value}\n---\n"));
        assert_eq!(item.head, format!("---\nname: \"a\"\ndescription: \"d\"\ntools: {written}\n---\n"), "{value}");
        assert_eq!(item.removed.len(), usize::from(value != "[Read]"));
    }
}

#[test]
fn a_skill_keeps_what_is_inert() {
    let item = given(
        Skill,
        "---\nname: 5\nargument-hint: [file, n]\narguments: [a, b]\nuser-invocable: 'no'\ndisable-model-invocation: true\nlicense: MIT\nversion: 1.0\nmetadata: {a: 1, b: c}\nallowed-tools: Bash(git:*)\ncontext: fork\nagent: x\nshell: bash\n---\n",
    );
    assert_eq!(
        item.head,
        "---\nname: \"5\"\nargument-hint: \"file,n\"\narguments: [\"a\", \"b\"]\ndisable-model-invocation: true\nuser-invocable: false\nversion: \"1.0\"\nlicense: \"MIT\"\nmetadata: {\"a\": 1, \"b\": \"c\"}\n---\n"
    );
    assert_eq!(
        taken(&item),
        [
            "allowed-tools acts-permission 10",
            "context acts-instruction 11",
            "agent acts-instruction 12",
            "shell acts-command 13"
        ]
    );
}

#[test]
fn arguments_are_plain_names() {
    for (value, stays) in
        [("a b", true), ("[a, b-c]", true), ("['`x']", false), ("'! x'", false), ("[1]", false), ("''", false)]
    {
        let item = given(Skill, &format!("---\narguments: {value}\n---\n"));
        assert_eq!(item.head.contains("arguments"), stays, "{value}");
    }
}

#[test]
fn a_style_keeps_the_coding_instructions() {
    let forced = "---\nname: \"s\"\nkeep-coding-instructions: true\n---\n";
    for (line, reported) in
        [("", false), ("true", false), ("'yes'", false), ("false", true), ("no", true), ("[1]", true), ("", false)]
    {
        let key = if line.is_empty() { String::new() } else { format!("keep-coding-instructions: {line}\n") };
        let item = given(OutputStyle, &format!("---\nname: s\n{key}---\nB"));
        assert_eq!(item.head, forced);
        assert_eq!(taken(&item), if reported { vec!["keep-coding-instructions forced 3"] } else { vec![] }, "{line}");
    }
    let item = given(OutputStyle, "B");
    assert_eq!((item.head.as_str(), item.body_at), ("---\nkeep-coding-instructions: true\n---\n", 0));
}

#[test]
fn files_without_a_header() {
    for (kind, head) in [(Skill, "---\n---\n"), (Command, ""), (Rule, "")] {
        let item = given(kind, "# Text\n");
        assert_eq!((item.head.as_str(), item.body_at, item.removed.len()), (head, 0, 0));
    }
    // A mark before it stays, so that a second one is not laid bare.
    let item = given(Rule, "\u{feff}\u{feff}---\na: b\n---\n");
    assert_eq!((item.head.as_str(), item.body_at), ("", 0));
    let item = given(Skill, "\u{feff}\u{feff}---\nhooks: b\n---\n");
    assert_eq!((item.head.as_str(), item.body_at), ("---\n---\n", 3));
}

#[test]
fn a_rule_keeps_its_paths() {
    for (value, paths) in [
        ("src/**", Some(vec!["src/**"])),
        ("\"src/*.{a,b}, x\"", Some(vec!["src/*.{a,b}", "x"])),
        ("[a, 'b, c']", Some(vec!["a", "b", "c"])),
        ("**/*.ts", Some(vec!["**/*.ts"])),
        ("\n  - a\r", Some(vec!["a"])),
        ("'**'", None),
        ("[]", None),
        ("", None),
        ("5", None),
    ] {
        let item = given(Rule, &format!("---\npaths: {value}\n---\nB"));
        let read: Option<Vec<&str>> = item.paths.as_ref().map(|paths| paths.iter().map(String::as_str).collect());
        assert_eq!(read, paths, "{value}");
        assert_eq!(item.head.contains("paths: ["), paths.is_some(), "{value}");
    }
    assert_eq!(taken(&given(Rule, "---\npaths: [../x, ./y, z]\n---\n")), ["paths paths-never-match 2"; 2]);
    assert_eq!(fault(Rule, "---\npaths: [../x, '!z']\n---\n"), FaultKind::PathsNeverMatch);
    let options = Options { anchor: Anchor { cwd_below: "pkg", base_below: "" }, may_act: false };
    let outside = rewrite(Rule, b"---\npaths: [lib/x]\n---\n", &options).unwrap_err();
    assert_eq!((outside.kind, outside.line), (FaultKind::PathsOutsideCwd, Some(2)));
}

#[test]
fn a_rule_below_the_working_directory_waits_for_its_folder() {
    let options = Options { anchor: Anchor { cwd_below: "", base_below: "sub" }, may_act: false };
    for source in ["B", "---\n---\nB", "---\npaths: '**'\n---\nB", "---\npaths: 5\n---\nB"] {
        let item = rewrite(Rule, source.as_bytes(), &options).unwrap();
        assert_eq!(item.head, "---\npaths: [\"/sub/**\"]\n---\n", "{source}");
        assert_eq!(item.paths, Some(vec!["/sub/**".to_owned()]));
    }
}

#[test]
fn the_programs_second_reading() {
    for (line, value) in [
        ("description: a: b", "a: b"),
        ("description: *x \"y\" \\", "*x \"y\" \\"),
        ("description: Use when: <example>: x {y}\r", "Use when: <example>: x {y}"),
        ("description: @x", "@x"),
        ("description: [a] [b]", "[a] [b]"),
        ("description:\t%x: y", "%x: y"),
    ] {
        let item = given(Skill, &format!("---\n{line}\n---\n"));
        assert_eq!(item.head, {
            let mut head = String::from("---\ndescription: \"");
            head.push_str(&value.replace('\\', "\\\\").replace('"', "\\\""));
            head + "\"\n---\n"
        });
    }
    // Tabs that begin a line become spaces, and what is quoted whole is no hook.
    let item = given(Skill, "---\ndescription: a: b\nhooks:\n\tStop: x\n---\n");
    assert_eq!(taken(&item), ["hooks acts-command 3"]);
    for source in
        ["---\n\"description\": a: b\n---\n", "---\ndescription: a: b\n  c: d\n---\n", "---\na b: c: d\n---\n"]
    {
        assert_eq!(fault(Skill, source), FaultKind::NotYaml, "{source:?}");
    }
}

#[test]
fn every_row_says_why_and_whence_and_nothing_that_acts_is_inert() {
    for row in KEYS {
        assert!(!row.note.is_empty() && !row.source.is_empty() && !row.kinds.is_empty(), "{}", row.key);
        for kind in row.kinds {
            assert!(powers::carried(Place::Key(row.key), Some(*kind)).is_none(), "{}", row.key);
            let rows = KEYS.iter().filter(|other| other.key == row.key && other.kinds.contains(kind));
            assert_eq!(rows.count(), 1, "{}", row.key);
        }
        assert!(!MODEL_KEYS.contains(&row.key) && !EFFORT_KEYS.contains(&row.key));
    }
    assert!(sheets().iter().all(|sheet| sheet.rows.iter().all(|row| row.len() == sheet.columns.len())));
}

#[test]
fn every_carrier_is_taken_from_its_kinds() {
    for row in powers::CARRIERS {
        let Place::Key(key) = row.place else { continue };
        for kind in row.kinds {
            let item = given(*kind, &format!("{AGENT}{key}: x\n---\n"));
            assert_eq!(taken(&item), [format!("{key} {} 4", row.power.id())]);
        }
    }
}

#[test]
fn values_are_shown_in_one_short_line() {
    let item = given(Skill, &format!("---\nx: \"a\\nb\\u200b{}\"\n? [a]\n: b\n---\n", "y".repeat(300)));
    assert!(item.removed[0].value.starts_with("a b\\u{200b}yyy") && item.removed[0].value.ends_with('…'));
    assert_eq!(item.removed[1].key, "?");
}
