//! The contract's spelling, taken through the outer layer, against a real gitignore matcher.

use super::{Gap, contract_gaps, rule_path, unescape_rule_content};
use crate::brand::Spelling;
use crate::testing::test;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use proptest::prelude::*;

/// Heavy in what either layer gives a meaning to.
const ALPHABET: &[char] = &[
    'a', 'b', 'Z', '0', '\\', '[', ']', '*', '(', ')', '|', '+', '^', '$', '!', '#', '{', '}', '~', ' ', ',', '-', '.',
    '@', '%', '&', ':', 'é', 'ß', '日', '😀', '\u{a0}', '\u{3000}', '\u{301}', '\t', '?', '/', 'x', '5',
];

fn characters() -> impl Strategy<Value = char> {
    prop_oneof![6 => prop::sample::select(ALPHABET), 1 => any::<char>()]
}

/// Paths from the root, of names that a file system can hold.
fn paths() -> impl Strategy<Value = String> {
    prop::collection::vec(characters(), 1..12)
        .prop_map(|all| format!("/{}", all.into_iter().collect::<String>()))
        .prop_filter("no path", |path| is_path(path) && !contract_gaps(path).iter().any(|gap| EXCEPTIONS.contains(gap)))
}

fn is_path(path: &str) -> bool {
    path.len() > 1 && path.split('/').skip(1).all(|part| !matches!(part, "" | "." | "..")) && !path.contains('\0')
}

/// What this matcher and the contract's spelling do not agree on; the other gaps are the runtimes' own.
const EXCEPTIONS: [Gap; 3] = [Gap::AnyCharacter, Gap::LineBreak, Gap::Nul];

/// gitignore(5) knows no braces, this matcher does; so they are made plain for it.
fn matcher(pattern: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new("/");
    let pattern = pattern.replace('{', r"\{").replace('}', r"\}");
    builder.add_line(None, &pattern).expect("a pattern that compiles");
    builder.build().expect("a matcher")
}

fn matches(matcher: &Gitignore, path: &str) -> bool {
    matcher.matched_path_or_any_parents(path, false).is_ignore()
}

/// Every path that differs from `path` in one character.
fn variations(path: &str, other: char) -> Vec<String> {
    let all: Vec<char> = path.chars().collect();
    let mut out = Vec::new();
    let mut push = |head: &[char], middle: &[char], tail: &[char]| {
        out.push([head, middle, tail].concat().into_iter().collect::<String>());
    };
    for at in 1..=all.len() {
        for new in [other, 'a', '\\', '[', '*', ' ', '/'] {
            push(&all[..at], &[new], &all[at..]);
            if let Some((_, tail)) = all[at..].split_first() {
                push(&all[..at], &[new], tail);
            }
        }
        if let Some((old, tail)) = all[at..].split_first() {
            push(&all[..at], &[], tail);
            push(&all[..at], &old.to_lowercase().collect::<Vec<_>>(), tail);
            push(&all[..at], &old.to_uppercase().collect::<Vec<_>>(), tail);
        }
    }
    out.retain(|variation| variation != path && is_path(variation));
    out
}

fn check(path: &str, other: char) {
    let pattern = unescape_rule_content(&rule_path(path, Spelling::Contract));
    let (itself, inside) = (matcher(&pattern), matcher(&format!("{pattern}/**")));
    assert!(matches(&itself, path), "{path:?} is not matched by {pattern:?}");
    assert!(matches(&inside, &format!("{path}/s")), "{path:?} is not matched by {pattern:?}/**");
    for variation in variations(path, other) {
        assert!(!matches(&itself, &variation), "{pattern:?} of {path:?} matches {variation:?}");
        assert!(!matches(&inside, &format!("{variation}/s")), "{pattern:?}/** of {path:?} matches {variation:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_path_matches_itself_and_nothing_near_it(path in paths(), other in characters()) {
        check(&path, other);
    }

    #[test]
    fn anything_spelt_is_one_content_of_one_rule(path in any::<String>()) {
        for spelling in [Spelling::Contract, Spelling::Hex] {
            let content = rule_path(&path, spelling);
            let rule = format!("Read({content})");
            let parsed = super::parse_rule(&rule);
            prop_assert_eq!(parsed.map(|rule| rule.content), Ok(Some(&content[..])));
        }
    }
}

#[test]
fn the_examples() {
    for path in [
        "/x/[wip] app",
        "/x/Project (old)",
        "/!bang",
        "/#hash",
        "/trail  ",
        "/a~b/~",
        "/end\\",
        "/\\[x]",
        "/**",
        "/*",
        "/a\\ b",
        "/a\\",
        "/{x,y}",
        "/a(b",
        "/a)b",
    ] {
        check(path, 'q');
    }
}

#[test]
fn an_unescaped_leading_mark_would_not_match() {
    for path in ["!x", "#x"] {
        let spelt = unescape_rule_content(&rule_path(path, Spelling::Contract));
        assert!(matches(&matcher(&spelt), &format!("/{path}")), "{spelt}");
        assert!(!matches(&matcher(path), &format!("/{path}")));
    }
}

#[test]
fn a_question_mark_matches_any_one_character() {
    let any = matcher(&unescape_rule_content(&rule_path("/a?b", Spelling::Contract)));
    assert!(matches(&any, "/a?b") && matches(&any, "/axb") && !matches(&any, "/ab"));
}

#[test]
fn a_newline_is_two_patterns_where_lines_are_read() {
    let mut builder = GitignoreBuilder::new("/");
    let pattern = unescape_rule_content(&rule_path("/a\nb", Spelling::Contract));
    for line in pattern.lines() {
        builder.add_line(None, line).expect("a pattern that compiles");
    }
    let lines = builder.build().expect("a matcher");
    assert!(matches(&lines, "/a") && matches(&lines, "/else/b") && !matches(&lines, "/a\nb"));
}
