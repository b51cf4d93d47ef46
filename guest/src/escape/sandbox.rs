//! A literal path in a list of `sandbox.filesystem`.

use super::table::is_white_space;
use crate::brand::SandboxGrammar;
use serde::Serialize;

/// One list of `sandbox.filesystem`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxList {
    /// `denyRead`
    DenyRead,
    /// `denyWrite`
    DenyWrite,
    /// `allowRead`
    AllowRead,
    /// `allowWrite`
    AllowWrite,
}

impl SandboxList {
    /// Whether its entries take something away.
    ///
    /// ```
    /// use winter_policy::escape::SandboxList;
    /// assert!(SandboxList::DenyRead.is_deny() && !SandboxList::AllowWrite.is_deny());
    /// ```
    pub fn is_deny(self) -> bool {
        matches!(self, Self::DenyRead | Self::DenyWrite)
    }

    /// Its key in the settings file.
    ///
    /// ```
    /// assert_eq!(winter_policy::escape::SandboxList::DenyRead.key(), "denyRead");
    /// ```
    pub fn key(self) -> &'static str {
        match self {
            Self::DenyRead => "denyRead",
            Self::DenyWrite => "denyWrite",
            Self::AllowRead => "allowRead",
            Self::AllowWrite => "allowWrite",
        }
    }
}

/// What becomes of one kind of character in an entry that names a literal path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Treatment {
    /// It is written as it is, and stands for itself.
    Literal,
    /// The entry becomes a glob, in which `[` is written `[[]` and `]` as it is; it still means the path.
    Class,
    /// The same, but as a glob the entry is the path alone, without what is in it.
    ExactPathOnly,
    /// It has no spelling; as it is, the entry takes away more, which is the stricter side.
    Wider,
    /// It has no spelling; as it is, the entry would give more.
    Unspellable,
    /// The runtime ignores an entry that holds it, or reads another path, whoever wrote it.
    Ignored,
}

/// How one list of one grammar takes the characters that are not plain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SandboxRow {
    /// The grammar.
    pub grammar: SandboxGrammar,
    /// The list.
    pub list: SandboxList,
    /// `*` and `?`.
    pub wildcard: Treatment,
    /// `[` and `]`.
    pub bracket: Treatment,
    /// `\`.
    pub backslash: Treatment,
    /// White space that the entry ends with.
    pub last_white_space: Treatment,
    /// Where that is known from.
    pub source: &'static str,
}

const CONTRACT: &str = "the contract";
const MEASURED: &str = "Claude Code 2.1.250 on Linux, measured";
const UNMEASURED: &str = "not measured; as allowWrite, so that what is in doubt is not given";

use Treatment::{Class, ExactPathOnly, Ignored, Literal, Unspellable, Wider};

const fn row(
    grammar: SandboxGrammar,
    list: SandboxList,
    [wildcard, bracket, backslash, last_white_space]: [Treatment; 4],
    source: &'static str,
) -> SandboxRow {
    SandboxRow { grammar, list, wildcard, bracket, backslash, last_white_space, source }
}

/// The table: one row a grammar and list.
#[rustfmt::skip]
pub const SANDBOX: &[SandboxRow] = &[
    row(SandboxGrammar::Contract, SandboxList::DenyRead, [Wider, Class, Literal, Literal], CONTRACT),
    row(SandboxGrammar::Contract, SandboxList::DenyWrite, [Wider, Class, Literal, Literal], CONTRACT),
    row(SandboxGrammar::Contract, SandboxList::AllowRead, [Unspellable, ExactPathOnly, Literal, Literal], CONTRACT),
    row(SandboxGrammar::Contract, SandboxList::AllowWrite, [Unspellable, ExactPathOnly, Literal, Literal], CONTRACT),
    row(SandboxGrammar::WritesLiteral, SandboxList::DenyRead, [Wider, Class, Literal, Ignored], MEASURED),
    row(SandboxGrammar::WritesLiteral, SandboxList::DenyWrite, [Ignored, Ignored, Literal, Ignored], MEASURED),
    row(SandboxGrammar::WritesLiteral, SandboxList::AllowRead, [Ignored, Ignored, Ignored, Ignored], UNMEASURED),
    row(SandboxGrammar::WritesLiteral, SandboxList::AllowWrite, [Ignored, Ignored, Ignored, Ignored], MEASURED),
];

/// What a row that the table lacks would say: nothing but plain characters can be written.
const NOTHING: SandboxRow = row(
    SandboxGrammar::Contract,
    SandboxList::AllowRead,
    [Ignored; 4],
    "no row of the table is of that grammar and list",
);

impl SandboxRow {
    /// The row of that grammar and list.
    ///
    /// ```
    /// use winter_policy::{brand::SandboxGrammar, escape::{SandboxList, SandboxRow, Treatment}};
    /// let row = SandboxRow::of(SandboxList::DenyWrite, SandboxGrammar::WritesLiteral);
    /// assert_eq!(row.bracket, Treatment::Ignored);
    /// ```
    pub fn of(list: SandboxList, grammar: SandboxGrammar) -> &'static Self {
        SANDBOX.iter().find(|row| row.list == list && row.grammar == grammar).unwrap_or(&NOTHING)
    }

    pub(super) fn treatment(&self, character: char) -> Treatment {
        match character {
            '*' | '?' => self.wildcard,
            '[' | ']' => self.bracket,
            '\\' => self.backslash,
            _ => Literal,
        }
    }

    /// The distinct characters of `path` that the row treats so; `whole` says that the entry ends with it.
    pub(super) fn treated(&self, path: &str, whole: bool, treatment: Treatment) -> Vec<char> {
        let last = path
            .chars()
            .next_back()
            .filter(|last| whole && is_white_space(*last) && self.last_white_space == treatment);
        let mut found: Vec<char> = Vec::new();
        for character in path.chars().filter(|c| self.treatment(*c) == treatment).chain(last) {
            if !found.contains(&character) {
                found.push(character);
            }
        }
        found
    }
}

/// A path that a list has no entry for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[error("{} cannot name a path with {}", list.key(), show(characters))]
#[serde(rename_all = "kebab-case")]
pub struct Inexpressible {
    /// The list.
    pub list: SandboxList,
    /// What has no spelling there, each character once; white space only when the path ends with it.
    pub characters: Vec<char>,
}

fn show(characters: &[char]) -> String {
    characters.iter().map(|character| format!("{character:?}")).collect::<Vec<_>>().join(", ")
}

/// What a path is in a sandbox list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SandboxSpelling {
    /// The entry means the path, and what is in it.
    Exact(String),
    /// A deny that takes away more than the path: the stricter form, for want of an exact one.
    Wider(String),
    /// An allow that gives the path alone and nothing in it.
    ExactPathOnly(String),
    /// No entry means it. An allow is to be left out and reported; a deny would fail open.
    Inexpressible(Inexpressible),
}

/// `path` as an entry of that list, by the row of [`SANDBOX`].
///
/// An allow is never wider than the path, and a deny is never narrower. Three findings that are more than the contract
/// says, all of Claude Code 2.1.250 on Linux, measured: an entry's last space is cut off, so that a deny misses and an
/// allow gives another path; an `allowWrite` entry with a backslash gives nothing; `denyRead` takes `[[]`. What
/// `allowRead` does there is not measured: it takes what `allowWrite` takes, so that nothing in doubt is given.
///
/// ```
/// use winter_policy::brand::SandboxGrammar::{Contract, WritesLiteral};
/// use winter_policy::escape::{SandboxList, SandboxSpelling, sandbox_path};
/// let exact = SandboxSpelling::Exact("/x/[[]wip] app".into());
/// assert_eq!(sandbox_path("/x/[wip] app", SandboxList::DenyWrite, Contract), exact);
/// assert_eq!(sandbox_path("/x/[wip] app", SandboxList::DenyRead, WritesLiteral), exact);
/// let none = sandbox_path("/x/[wip] app", SandboxList::DenyWrite, WritesLiteral);
/// assert!(matches!(none, SandboxSpelling::Inexpressible(why) if why.characters == ['[', ']']));
/// ```
pub fn sandbox_path(path: &str, list: SandboxList, grammar: SandboxGrammar) -> SandboxSpelling {
    let row = SandboxRow::of(list, grammar);
    let mut characters = row.treated(path, true, Ignored);
    characters.extend(row.treated(path, true, Unspellable));
    if !characters.is_empty() {
        return SandboxSpelling::Inexpressible(Inexpressible { list, characters });
    }
    let has = |treatment| !row.treated(path, true, treatment).is_empty();
    if has(Wider) {
        SandboxSpelling::Wider(sandbox_glob_path(path))
    } else if has(ExactPathOnly) {
        SandboxSpelling::ExactPathOnly(sandbox_glob_path(path))
    } else {
        SandboxSpelling::Exact(sandbox_glob_path(path))
    }
}

/// Whether a deny of the grammar's lists names a place by the path through links as well as by the real one.
///
/// The contract names both. Claude Code 2.1.250 on Linux (measured) takes the real path alone: it stops the access
/// through the link, too, while one `denyRead` entry on a path through an absolute link to a folder makes every
/// sandboxed command fail.
///
/// ```
/// use winter_policy::{brand::SandboxGrammar, escape::names_links};
/// assert!(names_links(SandboxGrammar::Contract) && !names_links(SandboxGrammar::WritesLiteral));
/// ```
pub fn names_links(grammar: SandboxGrammar) -> bool {
    match grammar {
        SandboxGrammar::Contract => true,
        SandboxGrammar::WritesLiteral => false,
    }
}

/// Whether the runtime passes over an entry that is a glob, without a word, where a link that leads to itself lies in
/// the folder that it is looked for in; such a link can come with a repository.
///
/// Source: Claude Code 2.1.250 on Linux, measured with `[[]` and `*` in `denyRead`. Of the contract nothing is known.
///
/// ```
/// use winter_policy::{brand::SandboxGrammar, escape::loses_globs};
/// assert!(loses_globs(SandboxGrammar::WritesLiteral, "/x/[[]a]") && !loses_globs(SandboxGrammar::WritesLiteral, "/x"));
/// ```
pub fn loses_globs(grammar: SandboxGrammar, entry: &str) -> bool {
    grammar == SandboxGrammar::WritesLiteral && entry.contains(['*', '?', '[', ']'])
}

/// `path` as a glob of a sandbox list: `[` as `[[]`, all else as it is. It is the contract's function, for callers that
/// know their list; a `*` or a `?` keeps its meaning, and where the list ignores globs ([`sandbox_path`]) so does this.
///
/// ```
/// assert_eq!(winter_policy::escape::sandbox_glob_path("[wip] app"), "[[]wip] app");
/// ```
pub fn sandbox_glob_path(path: &str) -> String {
    path.replace('[', "[[]")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::test;
    use SandboxGrammar::{Contract, WritesLiteral};
    use SandboxList::{AllowRead, AllowWrite, DenyRead, DenyWrite};
    use proptest::prelude::*;

    const LISTS: [SandboxList; 4] = [DenyRead, DenyWrite, AllowRead, AllowWrite];

    fn exact(path: &str) -> SandboxSpelling {
        SandboxSpelling::Exact(path.into())
    }

    fn none(list: SandboxList, characters: &[char]) -> SandboxSpelling {
        SandboxSpelling::Inexpressible(Inexpressible { list, characters: characters.to_vec() })
    }

    #[test]
    fn every_grammar_and_list_has_one_row() {
        for grammar in [Contract, WritesLiteral] {
            for list in LISTS {
                assert_eq!(SANDBOX.iter().filter(|row| row.list == list && row.grammar == grammar).count(), 1);
            }
        }
        assert_eq!(SANDBOX.len(), 8);
    }

    #[test]
    fn plain_paths_are_exact_everywhere() {
        for row in SANDBOX {
            for path in ["", "/", "/x/Project (old)", "/a+b^c$d|e", "/!a/#b/{x,y}/~/ lead", "/ünïcode/日本", "/a b /c"]
            {
                assert_eq!(sandbox_path(path, row.list, row.grammar), exact(path), "{row:?}");
            }
        }
    }

    #[test]
    fn contract_denies_keep_the_stricter_form() {
        for list in [DenyRead, DenyWrite] {
            assert_eq!(sandbox_path("/[a]", list, Contract), exact("/[[]a]"));
            assert_eq!(sandbox_path("/a]", list, Contract), exact("/a]"));
            assert_eq!(sandbox_path(r"/a\b ", list, Contract), exact(r"/a\b "));
            assert_eq!(sandbox_path("/[a]*?", list, Contract), SandboxSpelling::Wider("/[[]a]*?".into()));
        }
    }

    #[test]
    fn contract_allows_are_never_wider() {
        for list in [AllowRead, AllowWrite] {
            assert_eq!(sandbox_path("/[a]", list, Contract), SandboxSpelling::ExactPathOnly("/[[]a]".into()));
            assert_eq!(sandbox_path("/a]", list, Contract), SandboxSpelling::ExactPathOnly("/a]".into()));
            assert_eq!(sandbox_path("/[a]*?*", list, Contract), none(list, &['*', '?']));
        }
    }

    #[test]
    fn claude_reads_globs_in_deny_read_alone() {
        assert_eq!(sandbox_path("/[a]", DenyRead, WritesLiteral), exact("/[[]a]"));
        assert_eq!(sandbox_path("/a*", DenyRead, WritesLiteral), SandboxSpelling::Wider("/a*".into()));
        for list in [DenyWrite, AllowRead, AllowWrite] {
            for character in ['*', '?', '[', ']'] {
                assert_eq!(sandbox_path(&format!("/a{character}b"), list, WritesLiteral), none(list, &[character]));
            }
        }
    }

    #[test]
    fn claude_takes_a_backslash_as_itself_in_denies_alone() {
        for list in LISTS {
            let answer = sandbox_path(r"/a\b", list, WritesLiteral);
            assert_eq!(answer, if list.is_deny() { exact(r"/a\b") } else { none(list, &['\\']) });
        }
    }

    #[test]
    fn claude_cuts_off_white_space_at_the_end() {
        for list in LISTS {
            assert_eq!(sandbox_path("/a b ", list, WritesLiteral), none(list, &[' ']));
            assert_eq!(sandbox_path("/a\u{a0}", list, WritesLiteral), none(list, &['\u{a0}']));
        }
    }

    #[test]
    fn the_sentence_names_the_characters() {
        let why = Inexpressible { list: DenyWrite, characters: vec!['[', '\t'] };
        assert_eq!(why.to_string(), r"denyWrite cannot name a path with '[', '\t'");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_a_class_spells_reads_back(path in r"[a\[\]\\ ]{0,12}") {
            let spelt = sandbox_glob_path(&path);
            prop_assert_eq!(spelt.replace("[[]", "["), path);
        }

        #[test]
        fn no_entry_holds_what_its_list_ignores(path in r"/[a*?\[\]\\ é]{0,8}") {
            for row in SANDBOX {
                match sandbox_path(&path, row.list, row.grammar) {
                    SandboxSpelling::Exact(entry) | SandboxSpelling::ExactPathOnly(entry) => {
                        prop_assert!(row.treated(&entry, true, Ignored).is_empty());
                        let wild = entry.contains(['*', '?']);
                        prop_assert!(!wild);
                    }
                    SandboxSpelling::Wider(entry) => {
                        prop_assert!(row.list.is_deny() && row.treated(&entry, true, Ignored).is_empty());
                    }
                    SandboxSpelling::Inexpressible(why) => prop_assert!(!why.characters.is_empty()),
                }
            }
        }
    }
}
