//! A relative entry of a sandbox list, or an additional directory, made absolute.

use super::anchor::plain_anchor;
use super::sandbox::{SandboxList, SandboxRow, Treatment, sandbox_glob_path};
use super::table::is_white_space;
use crate::brand::SandboxGrammar;

/// What an entry of a sandbox list is at the user tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnchoredEntry {
    /// It means the same there: byte for byte as it was.
    Unchanged,
    /// The entry that means there what the author's meant at its own place, or, for a deny, more; for an allow whose
    /// anchor holds a bracket, the exact path alone.
    Rewritten(String),
    /// An allow that would give more than its author's did, and is not to be written; holds what it would have been.
    Widening(String),
    /// The runtime would ignore it or read another path, so it is not to be written; holds what it would have been.
    Inexpressible(String),
}

/// Makes an entry of a `sandbox.filesystem` list of a settings file at `anchor_abs` mean the same at the user tier.
///
/// `/...`, `~` and `~/...` are absolute already. All else is joined to the anchor (a leading `./` falls away), the
/// anchor spelt by the list's row of [`SANDBOX`](super::SANDBOX), the author's part as it was written: the author may
/// use the list's globs. An entry that the list would ignore is inexpressible, absolute or not. A `..` component in an
/// allow is widening, since it can lead out of the anchor (also through a link, so no component is taken off); a deny
/// keeps it. An empty entry, like `.`, is the anchor itself. Where `anchor_abs` is not absolute, no relative entry has
/// a spelling.
///
/// Where entries lose the white space at their ends (Claude Code 2.1.250, measured), they are read so here.
///
/// ```
/// use winter_policy::brand::SandboxGrammar::{Contract, WritesLiteral};
/// use winter_policy::escape::{AnchoredEntry, SandboxList, anchor_sandbox_entry};
/// let entry = anchor_sandbox_entry("./out", "/x/[wip] app", SandboxList::DenyWrite, Contract);
/// assert_eq!(entry, AnchoredEntry::Rewritten("/x/[[]wip] app/out".into()));
/// let entry = anchor_sandbox_entry("out", "/x/[wip] app", SandboxList::DenyWrite, WritesLiteral);
/// assert_eq!(entry, AnchoredEntry::Inexpressible("/x/[wip] app/out".into()));
/// ```
pub fn anchor_sandbox_entry(
    entry: &str,
    anchor_abs: &str,
    list: SandboxList,
    grammar: SandboxGrammar,
) -> AnchoredEntry {
    let row = SandboxRow::of(list, grammar);
    let read = if row.last_white_space == Treatment::Ignored { entry.trim_matches(is_white_space) } else { entry };
    if is_absolute(read) {
        let dead = !row.treated(entry, false, Treatment::Ignored).is_empty();
        return if dead { AnchoredEntry::Inexpressible(entry.to_owned()) } else { AnchoredEntry::Unchanged };
    }
    let Some(anchor) = plain_anchor(anchor_abs) else { return AnchoredEntry::Inexpressible(entry.to_owned()) };
    let rest = relative_part(read);
    let has = |part, whole, treatment| !row.treated(part, whole, treatment).is_empty();
    if has(&anchor, rest.is_empty(), Treatment::Ignored) || has(rest, false, Treatment::Ignored) {
        return AnchoredEntry::Inexpressible(join(&anchor, rest));
    }
    let joined = join(&sandbox_glob_path(&anchor), rest);
    if has(&anchor, false, Treatment::Unspellable) || (!list.is_deny() && leaves_anchor(rest)) {
        return AnchoredEntry::Widening(joined);
    }
    AnchoredEntry::Rewritten(joined)
}

/// Makes an entry of `permissions.additionalDirectories` absolute. It stays a literal path: the runtimes read no
/// pattern there (the contract).
///
/// `/...`, `~` and `~/...` stay, and so does everything where `anchor_abs` is not absolute. A `..` is kept: whether it
/// may lead out of its anchor ([`leaves_anchor`]) is the caller's question.
///
/// ```
/// use winter_policy::escape::anchor_directory;
/// assert_eq!(anchor_directory("./[docs]", "/x/app"), "/x/app/[docs]");
/// assert_eq!(anchor_directory("~/notes", "/x/app"), "~/notes");
/// ```
pub fn anchor_directory(entry: &str, anchor_abs: &str) -> String {
    match plain_anchor(anchor_abs) {
        Some(anchor) if !is_absolute(entry) => join(&anchor, relative_part(entry)),
        _ => entry.to_owned(),
    }
}

/// Whether an entry holds a `..` component, and so may lead out of the folder that it is relative to.
///
/// ```
/// use winter_policy::escape::leaves_anchor;
/// assert!(leaves_anchor("a/../../b") && !leaves_anchor("a/..b/c"));
/// ```
pub fn leaves_anchor(entry: &str) -> bool {
    entry.split('/').any(|part| part == "..")
}

fn is_absolute(entry: &str) -> bool {
    entry.starts_with('/') || entry == "~" || entry.starts_with("~/")
}

/// An entry without the `./` it starts with.
fn relative_part(mut entry: &str) -> &str {
    while let Some(rest) = entry.strip_prefix("./") {
        entry = rest.trim_start_matches('/');
    }
    if entry == "." { "" } else { entry }
}

fn join(anchor: &str, rest: &str) -> String {
    if rest.is_empty() && !anchor.is_empty() { anchor.to_owned() } else { format!("{anchor}/{rest}") }
}

#[cfg(test)]
mod tests {
    use super::AnchoredEntry::{Inexpressible, Rewritten, Unchanged, Widening};
    use super::SandboxGrammar::{Contract, WritesLiteral};
    use super::SandboxList::{AllowRead, AllowWrite, DenyRead, DenyWrite};
    use super::*;
    use crate::escape::SANDBOX;
    use crate::testing::test;
    use proptest::prelude::*;

    #[test]
    fn absolute_entries_stay() {
        for row in SANDBOX {
            for entry in ["/", "/x", "//x", "~", "~/x", "/x/../y"] {
                assert_eq!(anchor_sandbox_entry(entry, "/a", row.list, row.grammar), Unchanged, "{entry} {row:?}");
            }
        }
    }

    #[test]
    fn relative_entries_are_joined() {
        for row in SANDBOX {
            for (entry, anchor, whole) in [
                ("x", "/a", "/a/x"),
                ("x/", "/a/", "/a/x/"),
                ("./x", "/a//b", "/a/b/x"),
                (".//./x", "/a", "/a/x"),
                (".//x", "/a", "/a/x"),
                (".", "/a", "/a"),
                ("./", "/a", "/a"),
                ("", "/a", "/a"),
                (".", "/", "/"),
                ("x", "/", "/x"),
                (".x", "/a", "/a/.x"),
                ("..x", "/a", "/a/..x"),
                ("~x/y", "/a", "/a/~x/y"),
                ("a/./b", "/a", "/a/a/./b"),
                ("x", "/a /b ", "/a /b /x"),
            ] {
                let rewritten = Rewritten(whole.into());
                assert_eq!(anchor_sandbox_entry(entry, anchor, row.list, row.grammar), rewritten, "{entry} {row:?}");
            }
        }
    }

    #[test]
    fn the_authors_globs_stay_globs() {
        for list in [DenyRead, DenyWrite, AllowRead, AllowWrite] {
            assert_eq!(anchor_sandbox_entry("o*/[ab]?", "/a", list, Contract), Rewritten("/a/o*/[ab]?".into()));
            assert_eq!(anchor_sandbox_entry("/o*/[ab]?", "/a", list, Contract), Unchanged);
        }
        assert_eq!(anchor_sandbox_entry("o*", "/[a]", DenyRead, WritesLiteral), Rewritten("/[[]a]/o*".into()));
    }

    #[test]
    fn lists_that_ignore_globs_get_none() {
        for list in [DenyWrite, AllowRead, AllowWrite] {
            for entry in ["o*", "o?", "[o", "o]"] {
                let joined = Inexpressible(format!("/a/{entry}"));
                assert_eq!(anchor_sandbox_entry(entry, "/a", list, WritesLiteral), joined);
                for absolute in [format!("/{entry}"), format!("~/{entry}")] {
                    let kept = Inexpressible(absolute.clone());
                    assert_eq!(anchor_sandbox_entry(&absolute, "/a", list, WritesLiteral), kept);
                }
            }
            assert_eq!(anchor_sandbox_entry("o", "/a*", list, WritesLiteral), Inexpressible("/a*/o".into()));
        }
        assert_eq!(anchor_sandbox_entry(r"a\b", "/a", AllowWrite, WritesLiteral), Inexpressible(r"/a/a\b".into()));
    }

    #[test]
    fn an_anchor_without_a_spelling_widens_an_allow_and_strengthens_a_deny() {
        for anchor in ["/a*", "/a?/b"] {
            let whole = format!("{anchor}/o");
            for list in [AllowRead, AllowWrite] {
                assert_eq!(anchor_sandbox_entry("o", anchor, list, Contract), Widening(whole.clone()));
            }
            for list in [DenyRead, DenyWrite] {
                assert_eq!(anchor_sandbox_entry("o", anchor, list, Contract), Rewritten(whole.clone()));
            }
        }
        assert_eq!(anchor_sandbox_entry("o", "/[a]", AllowWrite, Contract), Rewritten("/[[]a]/o".into()));
    }

    #[test]
    fn two_dots_widen_an_allow_and_stay_in_a_deny() {
        for entry in ["..", "../o", "a/../o", "./../o"] {
            let whole = format!("/a/{}", entry.trim_start_matches("./"));
            for row in SANDBOX {
                let expected = if row.list.is_deny() { Rewritten(whole.clone()) } else { Widening(whole.clone()) };
                assert_eq!(anchor_sandbox_entry(entry, "/a", row.list, row.grammar), expected);
            }
        }
    }

    #[test]
    fn white_space_is_read_as_the_runtime_reads_it() {
        assert_eq!(anchor_sandbox_entry(" /etc ", "/a", DenyRead, WritesLiteral), Unchanged);
        assert_eq!(anchor_sandbox_entry(" o ", "/a", DenyRead, WritesLiteral), Rewritten("/a/o".into()));
        assert_eq!(anchor_sandbox_entry(" o ", "/a", DenyRead, Contract), Rewritten("/a/ o ".into()));
        assert_eq!(anchor_sandbox_entry(".", "/a ", DenyRead, WritesLiteral), Inexpressible("/a ".into()));
        assert_eq!(anchor_sandbox_entry(".", "/a ", DenyRead, Contract), Rewritten("/a ".into()));
    }

    #[test]
    fn without_an_absolute_anchor_nothing_is_written() {
        for row in SANDBOX {
            for anchor in ["", "a", "~"] {
                assert_eq!(anchor_sandbox_entry("o", anchor, row.list, row.grammar), Inexpressible("o".into()));
            }
        }
    }

    #[test]
    fn directories_stay_literal() {
        for (entry, anchor, whole) in [
            ("x", "/[a]*", "/[a]*/x"),
            ("../x", "/a", "/a/../x"),
            (".", "/a", "/a"),
            ("", "/a/", "/a"),
            ("/x", "/a", "/x"),
            ("~", "/a", "~"),
            ("x", "a", "x"),
        ] {
            assert_eq!(anchor_directory(entry, anchor), whole);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_was_written_is_absolute_and_not_ignored(entry in r"[a*?\[\\ ./~]{0,8}", anchor in r"[/a*\[\\ .]{0,8}") {
            for row in SANDBOX {
                if let Rewritten(whole) = anchor_sandbox_entry(&entry, &anchor, row.list, row.grammar) {
                    prop_assert!(whole.starts_with('/'));
                    prop_assert_eq!(anchor_sandbox_entry(&whole, "/b*", row.list, row.grammar), Unchanged);
                    prop_assert!(row.list.is_deny() || !leaves_anchor(&entry));
                }
            }
            anchor_directory(&entry, &anchor);
        }
    }
}
