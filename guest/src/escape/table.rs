//! The characters that a rule gives a meaning to, and what each is written as.

use serde::Serialize;

/// Where in a path a character has its meaning, for the contract's spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// Everywhere.
    Anywhere,
    /// As the first character of the whole path.
    Leading,
    /// In the white space that the whole path ends with.
    Trailing,
}

/// One row of the table that [`rule_path`](super::rule_path) reads; a character without a row is written as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CharacterRow {
    /// The row's name.
    pub id: &'static str,
    /// The characters it is about.
    pub characters: &'static [char],
    /// Where the contract's spelling escapes them. The hex spelling always does.
    pub place: Place,
    /// What the contract's spelling writes before one.
    pub contract: &'static str,
    /// For people.
    pub note: &'static str,
    /// Where that is known from.
    pub source: &'static str,
}

impl CharacterRow {
    /// The row of `character`, if it has one.
    ///
    /// ```
    /// use winter_policy::escape::CharacterRow;
    /// assert_eq!(CharacterRow::of('[').map(|row| row.id), Some("opening-bracket"));
    /// assert_eq!(CharacterRow::of('a'), None);
    /// ```
    pub fn of(character: char) -> Option<&'static Self> {
        if character.is_alphanumeric() {
            return None;
        }
        CHARACTERS.iter().find(|row| row.characters.contains(&character))
    }
}

const fn row(
    id: &'static str,
    characters: &'static [char],
    place: Place,
    contract: &'static str,
    note: &'static str,
    source: &'static str,
) -> CharacterRow {
    CharacterRow { id, characters, place, contract, note, source }
}

/// One backslash for the matcher, which is two in a rule.
const MATCHER: &str = r"\\";
/// A backslash for each of the two layers.
const BOTH: &str = r"\\\";

const BY_CONTRACT: &str = "the contract; Claude Code 2.1.250, measured";
const BY_HEX: &str = "Claude Code 2.1.250, measured";

/// The table: one row a character, but for the white space that nobody types.
#[rustfmt::skip]
pub const CHARACTERS: &[CharacterRow] = &[
    row("backslash", &['\\'], Place::Anywhere, BOTH, "", BY_CONTRACT),
    row("opening-bracket", &['['], Place::Anywhere, MATCHER, "unescaped and unclosed it fails every rule of the file", BY_CONTRACT),
    row("closing-bracket", &[']'], Place::Anywhere, MATCHER, "", BY_CONTRACT),
    row("star", &['*'], Place::Anywhere, MATCHER, "contract: see the gap last-star", BY_CONTRACT),
    row("opening-parenthesis", &['('], Place::Anywhere, BOTH, "escaped for the outer layer alone it does not compile", BY_CONTRACT),
    row("closing-parenthesis", &[')'], Place::Anywhere, BOTH, "", BY_CONTRACT),
    row("question-mark", &['?'], Place::Anywhere, "", "contract: raw, since an escaped one never matches; see the gap any-character", BY_CONTRACT),
    row("bar", &['|'], Place::Anywhere, MATCHER, "", BY_CONTRACT),
    row("plus", &['+'], Place::Anywhere, MATCHER, "", BY_CONTRACT),
    row("caret", &['^'], Place::Anywhere, MATCHER, "", BY_CONTRACT),
    row("dollar", &['$'], Place::Anywhere, MATCHER, "", BY_CONTRACT),
    row("exclamation-mark", &['!'], Place::Leading, MATCHER, "at the start it would negate the rule", BY_CONTRACT),
    row("hash", &['#'], Place::Leading, MATCHER, "at the start it would make the rule a comment", BY_CONTRACT),
    row("opening-brace", &['{'], Place::Anywhere, "", "", BY_HEX),
    row("closing-brace", &['}'], Place::Anywhere, "", "", BY_HEX),
    row("tilde", &['~'], Place::Anywhere, "", "", BY_HEX),
    row("space", &[' '], Place::Trailing, MATCHER, "at the end it would be cut off", BY_CONTRACT),
    row("tab", &['\t'], Place::Trailing, MATCHER, "contract: see the gap white-space", BY_CONTRACT),
    row("newline", &['\n'], Place::Trailing, MATCHER, "contract: see the gap line-break", BY_CONTRACT),
    row("other-white-space", OTHER_WHITE_SPACE, Place::Trailing, MATCHER, r"contract: see the gap white-space; hex: beyond U+00FF as \\uHHHH", BY_HEX),
];

/// What JavaScript's `\s` matches besides a space, a tab and a newline.
const OTHER_WHITE_SPACE: &[char] = &[
    '\u{b}', '\u{c}', '\r', '\u{a0}', '\u{1680}', '\u{2000}', '\u{2001}', '\u{2002}', '\u{2003}', '\u{2004}',
    '\u{2005}', '\u{2006}', '\u{2007}', '\u{2008}', '\u{2009}', '\u{200a}', '\u{2028}', '\u{2029}', '\u{202f}',
    '\u{205f}', '\u{3000}', '\u{feff}',
];

/// White space as the runtimes see it, which are JavaScript programs.
pub(super) fn is_white_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n') || OTHER_WHITE_SPACE.contains(&character)
}

/// What the contract's spelling cannot say exactly. The hex spelling has no gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gap {
    /// A `?`.
    AnyCharacter,
    /// A `*` as the last character.
    LastStar,
    /// A tab; other white space than a space at the end or after a backslash.
    WhiteSpace,
    /// A dot after a backslash.
    BackslashDot,
    /// A newline.
    LineBreak,
    /// A NUL, which no file system has in a name.
    Nul,
}

/// One gap, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct GapRow {
    /// Which.
    pub gap: Gap,
    /// Its name.
    pub id: &'static str,
    /// The paths that have it.
    pub path: &'static str,
    /// What a rule on such a path matches.
    pub effect: &'static str,
    /// Where that is known from.
    pub source: &'static str,
}

/// Every [`Gap`], in its order.
pub const GAPS: &[GapRow] = &[
    GapRow {
        gap: Gap::AnyCharacter,
        id: "any-character",
        path: "with a ?",
        effect: "any one character in its place, too",
        source: BY_HEX,
    },
    GapRow {
        gap: Gap::LastStar,
        id: "last-star",
        path: "ending in *",
        effect: "any ending, when the rule ends there or in /** after it",
        source: BY_HEX,
    },
    GapRow {
        gap: Gap::WhiteSpace,
        id: "white-space",
        path: "with a tab, or with other white space than a space at the end or after a backslash",
        effect: "not itself, and a space in its place",
        source: BY_HEX,
    },
    GapRow {
        gap: Gap::BackslashDot,
        id: "backslash-dot",
        path: r"with \.",
        effect: "any one character in the dot's place, too",
        source: BY_HEX,
    },
    GapRow {
        gap: Gap::LineBreak,
        id: "line-break",
        path: "with a newline",
        effect: "what each line names, where a matcher reads line by line",
        source: "gitignore(5)",
    },
    GapRow { gap: Gap::Nul, id: "nul", path: "with a NUL", effect: "nothing that exists", source: "POSIX" },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::test;

    #[test]
    fn no_character_has_two_rows_and_none_with_a_row_is_alphanumeric() {
        let all: Vec<char> = CHARACTERS.iter().flat_map(|row| row.characters).copied().collect();
        for (at, character) in all.iter().enumerate() {
            assert!(!all[..at].contains(character), "{character:?} has two rows");
            assert!(!character.is_alphanumeric(), "{character:?} would be passed over");
            assert!(u32::from(*character) <= 0xffff, "{character:?} has no four digits");
        }
    }

    #[test]
    fn every_white_space_has_a_row() {
        for character in (0..=0xffff).filter_map(char::from_u32).filter(|c| is_white_space(*c)) {
            assert!(CharacterRow::of(character).is_some(), "{character:?}");
        }
    }

    #[test]
    fn rows_and_gaps_have_names_of_their_own() {
        let mut ids: Vec<_> = CHARACTERS.iter().map(|row| row.id).chain(GAPS.iter().map(|row| row.id)).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }
}
