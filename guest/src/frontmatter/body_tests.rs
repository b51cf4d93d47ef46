//! Which places in a text act, and that none is left.

use super::body::neutralise;
use super::tests::{given, taken};
use crate::powers::ItemKind::{Agent, Command, OutputStyle, Rule, Skill};
use crate::testing::test;
use proptest::prelude::*;

#[test]
fn what_acts_gets_a_backslash() {
    for (text, plain) in [
        ("!`x`", r"\!`x`"),
        ("a !`x` b", r"a \!`x` b"),
        ("a\n!`x\ny`", "a\n\\!`x\ny`"),
        ("\u{3000}!`x`", "\u{3000}\\!`x`"),
        ("```!\nx\n```", "```\\!\nx\n```"),
        ("a```! x```", r"a```\! x```"),
        ("````!x````", r"````\!x````"),
        ("```!`x` ```", r"```\!`x` ```"),
        ("@x", r"\@x"),
        ("see @\"a b\" @c", r#"see \@"a b" \@c"#),
        ("。@x", r"。\@x"),
        ("a\n@agent-b @s:r", "a\n\\@agent-b \\@s:r"),
        // Places for arguments, which may be filled with nothing, or with a sign.
        ("!$ARGUMENTS`x`", r"\!$ARGUMENTS`x`"),
        ("!$1$name[0]`x`", r"\!$1$name[0]`x`"),
        ("a $x!`y`", r"a $x\!`y`"),
        ("`$1``!\nx\n```", "`$1``\\!\nx\n```"),
        ("$1!\nx\n```", "$1\\!\nx\n```"),
        ("!$1", r"\!$1"),
        ("a$1@x", r"a$1\@x"),
        ("@$1", r"\@$1"),
    ] {
        assert_eq!(neutralise(text).map(|(text, _)| text).as_deref(), Some(plain), "{text:?}");
    }
}

#[test]
fn what_does_not_act_stays() {
    for text in [
        "",
        "a",
        "!",
        "a!`x`",
        "\\!`x`",
        "! `x`",
        "`!`",
        "!x",
        "``!x",
        "a@b.c",
        "(@x)",
        "@ x",
        "x @",
        "\\@x",
        "$ARGUMENTS $1",
        "$!`x`",
        "cost: $5. Go!",
        "``` !`",
        "ends in !",
    ] {
        let expected = if text == "``` !`" { Some("``` \\!`") } else { None };
        assert_eq!(neutralise(text).map(|(text, _)| text).as_deref(), expected, "{text:?}");
    }
}

#[test]
fn what_was_found_is_told_with_its_line() {
    let item = given(Command, "---\nname: x\n---\nRun\n !`git  status`\n@a/b.c, and\n```!\nmake\n```\n");
    assert_eq!(taken(&item), ["!`command` acts-command 5", "@path acts-instruction 6", "!`command` acts-command 7"]);
    let values: Vec<_> = item.removed.iter().map(|removed| removed.value.as_str()).collect();
    assert_eq!(values, ["git  status", "@a/b.c,", "make"]);
    for kind in [OutputStyle, Rule] {
        assert_eq!(given(kind, "!`x` @y").body, None);
    }
    assert_eq!(given(Agent, "---\nname: a\ndescription: d\n---\n!`x` @y").body, None);
    assert!(given(Skill, "!`x`").body.is_some());
}

/// The program's own patterns, on the text as it stands when the places for arguments are filled with `filling`.
fn acts(text: &str, filling: &str) -> bool {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        filled.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let name = ["ARGUMENTS", "1", "n"].iter().find(|name| after.starts_with(**name));
        let escaped = filled.ends_with('\\') && !filled.ends_with("\\\\");
        match name {
            Some(name) if escaped => {
                filled.pop();
                filled.push('$');
                filled.push_str(name);
            }
            Some(_) => filled.push_str(filling),
            None => filled.push('$'),
        }
        rest = &after[name.map_or(0, |name| name.len())..];
    }
    filled.push_str(rest);
    let opens = |at: usize, more: &[char]| {
        filled[..at].chars().next_back().is_none_or(|last| last.is_whitespace() || more.contains(&last))
    };
    filled.contains("```!")
        || filled.match_indices("!`").any(|(at, _)| opens(at, &[]))
        || filled.match_indices('@').any(|(at, _)| {
            opens(at, &['。', '！']) && filled[at + 1..].chars().next().is_some_and(|next| !next.is_whitespace())
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn nothing_acts_afterwards(text in r"(`|``|!|@|a|1|\$|\$1|\$n|\$ARGUMENTS|\\| |\n|。|-){0,14}") {
        let plain = neutralise(&text).map_or_else(|| text.clone(), |(text, _)| text);
        for filling in ["", "a", "a b"] {
            prop_assert!(!acts(&plain, filling), "{:?} with {:?}", plain, filling);
        }
        prop_assert_eq!(neutralise(&plain), None);
    }

    #[test]
    fn arguments_bring_nothing_to_life(text in r"(`|``|!|a|\$1| |\n){0,10}", filling in r"(`|``|```|a)?") {
        // An argument that holds `!` is spelt `\!` by the program itself; backticks are not.
        let plain = neutralise(&text).map_or_else(|| text.clone(), |(text, _)| text);
        prop_assert!(!acts(&plain, &filling), "{:?} with {:?}", plain, filling);
    }

    #[test]
    fn only_backslashes_are_added(text in r"\PC{0,40}") {
        if let Some((plain, found)) = neutralise(&text) {
            prop_assert_eq!(plain.len(), text.len() + found.len());
        }
    }
}
