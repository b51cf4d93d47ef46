//! A literal path in the content of a rule, and the way back through the outer layer.

use super::table::{CharacterRow, Gap, Place, is_white_space};
use crate::brand::Spelling;
use std::fmt::Write as _;

/// `path` as the content of a rule that matches it, and, but for [`contract_gaps`], nothing else.
///
/// The result has passed neither layer: between the parentheses of a rule it is read as `path`. One more `/` before an
/// absolute path ([`fs_root_anchored`](super::fs_root_anchored)) says that it starts at the file system's root.
///
/// Source: the contract's table; for `Hex` Claude Code 2.1.250, measured: 27 names, alone and before `/**`, every deny
/// exact and no allow too wide. `Hex` is a JavaScript regular expression's spelling: git and Rust matchers do not read
/// it.
///
/// ```
/// use winter_policy::{brand::Spelling, escape::rule_path};
/// assert_eq!(rule_path("/x/[wip] app", Spelling::Contract), r"/x/\\[wip\\] app");
/// assert_eq!(rule_path("/x/Project (old)", Spelling::Contract), r"/x/Project \\\(old\\\)");
/// assert_eq!(rule_path("/x/[wip] app", Spelling::Hex), r"/x/\\x5bwip\\x5d\\x20app");
/// ```
pub fn rule_path(path: &str, spelling: Spelling) -> String {
    let end = path.trim_end_matches(is_white_space).len();
    let mut out = String::with_capacity(path.len() + 16);
    for (at, character) in path.char_indices() {
        match (CharacterRow::of(character), spelling) {
            (Some(_), Spelling::Hex) => push_hex(&mut out, character),
            (Some(row), Spelling::Contract) => {
                let here = match row.place {
                    Place::Anywhere => true,
                    Place::Leading => at == 0,
                    Place::Trailing => at >= end,
                };
                out.push_str(if here { row.contract } else { "" });
                out.push(character);
            }
            (None, _) => out.push(character),
        }
    }
    out
}

/// `\\xHH`, or `\\uHHHH` where two digits do not suffice.
fn push_hex(out: &mut String, character: char) {
    let code = u32::from(character);
    // Writing to a string cannot fail.
    let _ = if code <= 0xff { write!(out, r"\\x{code:02x}") } else { write!(out, r"\\u{code:04x}") };
}

/// Takes a rule's content through its outer layer: `\(`, `\)` and `\\` become `(`, `)` and `\`, all else stays.
///
/// What is left is what the matcher reads (Claude Code 2.1.250, measured).
///
/// ```
/// use winter_policy::escape::unescape_rule_content;
/// assert_eq!(unescape_rule_content(r"/x/Project \\\(old\\\)"), r"/x/Project \(old\)");
/// assert_eq!(unescape_rule_content(r"a\[b"), r"a\[b");
/// ```
pub fn unescape_rule_content(content: &str) -> String {
    let mut out = String::with_capacity(content.len());
    let mut rest = content.chars().peekable();
    while let Some(character) = rest.next() {
        let escaped = if character == '\\' { rest.next_if(|next| matches!(next, '(' | ')' | '\\')) } else { None };
        out.push(escaped.unwrap_or(character));
    }
    out
}

/// What keeps the contract's spelling of `path` from being exact, in the order of [`GAPS`](super::GAPS); empty for
/// ordinary paths.
///
/// An allow on a path with a gap may allow more than the path; a deny may miss it (white space) or deny more.
///
/// ```
/// use winter_policy::escape::{Gap, contract_gaps};
/// assert_eq!(contract_gaps("/x/[wip] app"), []);
/// assert_eq!(contract_gaps("/x/what?*"), [Gap::AnyCharacter, Gap::LastStar]);
/// ```
pub fn contract_gaps(path: &str) -> Vec<Gap> {
    super::GAPS.iter().map(|row| row.gap).filter(|gap| has(path, *gap)).collect()
}

fn has(path: &str, gap: Gap) -> bool {
    match gap {
        Gap::AnyCharacter => path.contains('?'),
        Gap::LastStar => path.ends_with('*'),
        Gap::WhiteSpace => {
            let end = path.trim_end_matches(is_white_space).len();
            let odd = |character| is_white_space(character) && character != ' ';
            let unread = |at: usize| at >= end || path[..at].ends_with('\\');
            path.char_indices().any(|(at, character)| character == '\t' || (odd(character) && unread(at)))
        }
        Gap::BackslashDot => path.contains(r"\."),
        Gap::LineBreak => path.contains('\n'),
        Gap::Nul => path.contains('\0'),
    }
}

#[cfg(test)]
mod tests {
    use super::super::CHARACTERS;
    use super::*;
    use crate::testing::test;

    /// One test a row, of the row's name: its path, and both spellings.
    macro_rules! rows {
        ($($name:ident: $path:literal => $contract:literal, $hex:literal;)*) => {
            $(#[test] fn $name() {
                let row = CHARACTERS.iter().find(|row| row.id == stringify!($name).replace('_', "-"));
                assert!(row.is_some_and(|row| $path.chars().any(|c| row.characters.contains(&c))), "not of that row");
                assert_eq!(rule_path($path, Spelling::Contract), $contract);
                assert_eq!(rule_path($path, Spelling::Hex), $hex);
            })*
            const TESTED: &[&str] = &[$(stringify!($name)),*];
        };
    }

    rows! {
        backslash: r"/a\b" => r"/a\\\\b", r"/a\\x5cb";
        opening_bracket: "/a[b" => r"/a\\[b", r"/a\\x5bb";
        closing_bracket: "/a]b" => r"/a\\]b", r"/a\\x5db";
        star: "/a*b" => r"/a\\*b", r"/a\\x2ab";
        opening_parenthesis: "/a(b" => r"/a\\\(b", r"/a\\x28b";
        closing_parenthesis: "/a)b" => r"/a\\\)b", r"/a\\x29b";
        question_mark: "/a?b" => "/a?b", r"/a\\x3fb";
        bar: "/a|b" => r"/a\\|b", r"/a\\x7cb";
        plus: "/a+b" => r"/a\\+b", r"/a\\x2bb";
        caret: "/a^b" => r"/a\\^b", r"/a\\x5eb";
        dollar: "/a$b" => r"/a\\$b", r"/a\\x24b";
        exclamation_mark: "!a/!b!" => r"\\!a/!b!", r"\\x21a/\\x21b\\x21";
        hash: "#a/#b#" => r"\\#a/#b#", r"\\x23a/\\x23b\\x23";
        opening_brace: "/a{b" => "/a{b", r"/a\\x7bb";
        closing_brace: "/a}b" => "/a}b", r"/a\\x7db";
        tilde: "/a~b" => "/a~b", r"/a\\x7eb";
        space: "/ a b  " => r"/ a b\\ \\ ", r"/\\x20a\\x20b\\x20\\x20";
        tab: "/a\tb\t" => "/a\tb\\\\\t", r"/a\\x09b\\x09";
        newline: "/a\nb\n" => "/a\nb\\\\\n", r"/a\\x0ab\\x0a";
        other_white_space: "/a\u{3000}b\r" => "/a\u{3000}b\\\\\r", r"/a\\u3000b\\x0d";
    }

    #[test]
    fn every_row_has_a_test_of_its_name() {
        let rows: Vec<_> = CHARACTERS.iter().map(|row| row.id.replace('-', "_")).collect();
        assert_eq!(rows, TESTED);
    }

    #[test]
    fn all_else_is_itself() {
        for spelling in [Spelling::Contract, Spelling::Hex] {
            for path in ["", "/", "/a.b/c-d_e,f;g:h%i&j'k\"l@m=n`o<p>q", "/ünïcode/日本/e\u{301}", "\u{85}", "\0\u{1}"]
            {
                assert_eq!(rule_path(path, spelling), path);
            }
        }
    }

    #[test]
    fn white_space_alone_is_all_trailing() {
        assert_eq!(rule_path(" \t ", Spelling::Contract), "\\\\ \\\\\t\\\\ ");
    }

    #[test]
    fn the_outer_layer_is_read_once_from_the_left() {
        for (written, read) in [
            (r"", ""),
            (r"\", r"\"),
            (r"\\", r"\"),
            (r"\\\", r"\\"),
            (r"\\\\", r"\\"),
            (r"\\(", r"\("),
            (r"\\\(", r"\("),
            (r"\(\)", "()"),
            (r"\x\[\ ", r"\x\[\ "),
        ] {
            assert_eq!(unescape_rule_content(written), read, "{written}");
        }
    }

    #[test]
    fn gaps_are_named_where_they_are() {
        for (path, gaps) in [
            ("/a*/b", &[][..]),
            ("/a*", &[Gap::LastStar]),
            ("/a\tb", &[Gap::WhiteSpace]),
            ("/a ", &[]),
            ("/a\\ b", &[]),
            ("/a\u{a0}b", &[]),
            ("/a\u{a0}", &[Gap::WhiteSpace]),
            ("/a\u{a0} ", &[Gap::WhiteSpace]),
            ("/a\\\u{3000}b", &[Gap::WhiteSpace]),
            ("/a\\.b", &[Gap::BackslashDot]),
            ("/a\nb", &[Gap::LineBreak]),
            ("/a\n", &[Gap::WhiteSpace, Gap::LineBreak]),
            ("/a\0", &[Gap::Nul]),
        ] {
            assert_eq!(contract_gaps(path), gaps, "{path:?}");
        }
    }
}
