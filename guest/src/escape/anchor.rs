//! A rule whose path is relative to its settings file, made absolute.

use super::table::Gap;
use super::{Rule, contract_gaps, parse_rule, rule_path, unescape_rule_content};
use crate::brand::Spelling;

/// The tools whose content is a path. The runtimes consult the rules of the first two; the others are anchored all the
/// same, so that no rule changes its meaning by being moved.
pub const PATH_TOOLS: &[&str] = &["Read", "Edit", "Write", "NotebookEdit", "MultiEdit", "Glob", "Grep", "LS"];

/// What a rule is at the user tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Anchored {
    /// It means the same there: byte for byte as it was.
    Unchanged,
    /// The rule that means there what the author's meant at its own place.
    Rewritten(String),
    /// An allow that would allow more than its author's did; it is not to be written.
    Widening {
        /// What it would have been.
        rule: String,
    },
}

/// Makes a rule of a settings file that was anchored at `anchor_abs` mean the same in one that is read at the user
/// tier.
///
/// Only the content of a path tool that starts with exactly one slash is relative to the file; `//`, `~/`, `./`, bare
/// contents, other tools and malformed rules stay byte for byte, and so does what the author wrote after the anchor.
/// Two contents that could be taken for relative are not: `/` alone never matches and stays (gitignore), and where
/// `anchor_abs` is not absolute nothing can be rewritten, so an allow is widening (at the user tier it would reach into
/// the run folder) and any other rule stays.
///
/// With the contract's spelling, an allow is widening when its anchor has a [gap](super::GAPS): a `?`, a tab, `\.`, a
/// newline (a matcher that reads line by line makes two rules of it), or a last `*` with `/**` after it. A deny is
/// written whatever its anchor; ask [`contract_gaps`] what it misses. The hex spelling has no gap.
///
/// Source: Claude Code 2.1.250, measured (an unrewritten `/x` is anchored at the config folder); the contract.
///
/// ```
/// use winter_policy::{brand::Spelling, escape::{Anchored, anchor_rule}};
/// let anchored = anchor_rule("Read(/src/**)", "/x/[wip] app", Spelling::Contract, true);
/// assert_eq!(anchored, Anchored::Rewritten(r"Read(//x/\\[wip\\] app/src/**)".into()));
/// assert_eq!(anchor_rule("Bash(ls /src)", "/x", Spelling::Contract, true), Anchored::Unchanged);
/// assert!(matches!(anchor_rule("Edit(/**)", "/x/a?", Spelling::Contract, true), Anchored::Widening { .. }));
/// ```
pub fn anchor_rule(rule: &str, anchor_abs: &str, spelling: Spelling, allow: bool) -> Anchored {
    let Some((tool, content)) = relative(rule) else { return Anchored::Unchanged };
    let Some(anchor) = plain_anchor(anchor_abs) else {
        return if allow { Anchored::Widening { rule: rule.to_owned() } } else { Anchored::Unchanged };
    };
    let rewritten = format!("{tool}(/{}{content})", rule_path(&anchor, spelling));
    if allow && spelling == Spelling::Contract && widens(&anchor, content) {
        return Anchored::Widening { rule: rewritten };
    }
    Anchored::Rewritten(rewritten)
}

/// Whether a path rule holds a `[` that is never closed, or a class that a matcher may not compile (a backslash or a
/// reversed range in it): one such rule makes every use of its tool fail with an error (Claude Code 2.1.250, measured
/// with `a[b`; node-ignore 7.0.5 for the classes).
///
/// ```
/// use winter_policy::escape::breaks_matcher;
/// assert!(breaks_matcher(r"Read(x[\\d-a])") && breaks_matcher("Edit(/x[z-a]/**)"));
/// assert!(breaks_matcher("Read(a[b)") && !breaks_matcher("Read(a[b]c)") && !breaks_matcher("Bash(test [ -f x)"));
/// ```
pub fn breaks_matcher(rule: &str) -> bool {
    // Most rules hold none, and need not be read.
    if !rule.contains('[') {
        return false;
    }
    let Ok(Rule { tool, content: Some(content) }) = parse_rule(rule) else { return false };
    if !PATH_TOOLS.contains(&tool) {
        return false;
    }
    let content = unescape_rule_content(content);
    let mut class: Option<Vec<char>> = None;
    let mut letters = content.chars();
    while let Some(letter) = letters.next() {
        match (&mut class, letter) {
            (Some(_), '\\') => return true,
            (Some(held), ']') => {
                if held.windows(3).any(|range| range[1] == '-' && range[0] > range[2]) {
                    return true;
                }
                class = None;
            }
            (Some(held), letter) => held.push(letter),
            (None, '\\') => {
                letters.next();
            }
            (None, '[') => class = Some(Vec::new()),
            (None, _) => {}
        }
    }
    class.is_some()
}

/// The tool and the content of a rule that is relative to its file.
fn relative(rule: &str) -> Option<(&str, &str)> {
    let rule = parse_rule(rule).ok()?;
    let content = rule.content?;
    let one_slash = content.starts_with('/') && !content.starts_with("//") && content != "/";
    (one_slash && PATH_TOOLS.contains(&rule.tool)).then_some((rule.tool, content))
}

fn widens(anchor: &str, content: &str) -> bool {
    contract_gaps(anchor).into_iter().any(|gap| gap != Gap::LastStar || content.starts_with("/**"))
}

/// An absolute path without a slash at its end (so the root is empty), doubled slashes or `.` components, in which a
/// matcher would find nothing; none when it is not absolute.
pub(super) fn plain_anchor(anchor_abs: &str) -> Option<String> {
    let parts = anchor_abs.strip_prefix('/')?.split('/').filter(|part| !matches!(*part, "" | "."));
    Some(parts.flat_map(|part| ["/", part]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::test;
    use proptest::prelude::*;

    fn rewritten(rule: &str, anchor: &str, spelling: Spelling) -> String {
        match anchor_rule(rule, anchor, spelling, true) {
            Anchored::Rewritten(rule) => rule,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn one_slash_is_anchored_for_every_path_tool() {
        for tool in PATH_TOOLS {
            let rule = format!("{tool}(/src/**)");
            assert_eq!(rewritten(&rule, "/x", Spelling::Hex), format!("{tool}(//x/src/**)"));
        }
    }

    #[test]
    fn what_is_not_relative_to_the_file_stays() {
        for rule in [
            "Read(//etc/**)",
            "Read(///x)",
            "Read(~/x)",
            "Read(./x)",
            "Read(x/**)",
            "Read(../x)",
            "Read( /x)",
            r"Read(\/x)",
            "Read()",
            "Read",
            "Read(/)",
            "Bash(/bin/ls:*)",
            "PowerShell(/x)",
            "WebFetch(domain:a.b)",
            "mcp__a__b(/x)",
            "read(/x)",
            "Read(/x",
            r"Read(/x\)",
            "Read(/x) ",
            "(/x)",
            "",
        ] {
            for allow in [true, false] {
                assert_eq!(anchor_rule(rule, "/a?", Spelling::Contract, allow), Anchored::Unchanged, "{rule}");
            }
        }
    }

    #[test]
    fn the_authors_part_stays_byte_for_byte() {
        for content in ["/**", "/a[b", r"/a\\[b\(c", "/../x", "/a  ", "/!x", "/a?*", "/a//b", r"/a\\", "/é(1)", "/a(b"]
        {
            let rule = format!("Edit({content})");
            assert_eq!(rewritten(&rule, "/x y", Spelling::Contract), format!("Edit(//x y{content})"));
        }
    }

    #[test]
    fn anchors_are_joined_with_one_slash() {
        for (anchor, whole) in [
            ("/", "Read(//s/**)"),
            ("//", "Read(//s/**)"),
            ("/x/", "Read(//x/s/**)"),
            ("/x//y/./", "Read(//x/y/s/**)"),
            ("/x/..y", "Read(//x/..y/s/**)"),
        ] {
            assert_eq!(rewritten("Read(/s/**)", anchor, Spelling::Contract), whole, "{anchor}");
        }
    }

    #[test]
    fn an_allow_under_a_gap_widens_and_a_deny_is_written() {
        for (anchor, content, widens) in [
            ("/a?", "/x", true),
            ("/a?/b", "/x", true),
            ("/a*", "/**", true),
            ("/a*/", "/**/x", true),
            ("/a*", "/x", false),
            ("/a*b", "/**", false),
            ("/a*/b", "/**", false),
            ("/a\tb", "/x", true),
            ("/a\n*", "/x", true),
            (r"/a\.b", "/x", true),
            ("/a ", "/**", false),
            ("/[a]", "/**", false),
        ] {
            let rule = format!("Read({content})");
            let allow = anchor_rule(&rule, anchor, Spelling::Contract, true);
            assert_eq!(matches!(allow, Anchored::Widening { .. }), widens, "{anchor:?} {content}");
            assert!(matches!(anchor_rule(&rule, anchor, Spelling::Contract, false), Anchored::Rewritten(_)));
            assert!(matches!(anchor_rule(&rule, anchor, Spelling::Hex, true), Anchored::Rewritten(_)));
        }
    }

    #[test]
    fn without_an_absolute_anchor_an_allow_is_dropped() {
        for spelling in [Spelling::Contract, Spelling::Hex] {
            for anchor in ["", "x", "./x", "~"] {
                let widening = Anchored::Widening { rule: "Edit(/**)".into() };
                assert_eq!(anchor_rule("Edit(/**)", anchor, spelling, true), widening);
                assert_eq!(anchor_rule("Edit(/**)", anchor, spelling, false), Anchored::Unchanged);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn an_anchored_rule_is_anchored(content in ".{0,8}", anchor in r"/[a()\\\[*?!# /]{0,8}", hex: bool, allow: bool) {
            let spelling = if hex { Spelling::Hex } else { Spelling::Contract };
            let rule = format!("Read(/{content})");
            let whole = match anchor_rule(&rule, &anchor, spelling, allow) {
                Anchored::Unchanged => return Ok(()),
                Anchored::Rewritten(whole) | Anchored::Widening { rule: whole } => whole,
            };
            let author = whole.ends_with(&format!("/{content})"));
            prop_assert!(author);
            prop_assert_eq!(anchor_rule(&whole, "/elsewhere?", spelling, allow), Anchored::Unchanged);
            prop_assert_eq!(parse_rule(&whole).map(|rule| rule.tool), Ok("Read"));
        }

        #[test]
        fn any_rule_and_any_anchor_have_an_answer(rule in ".{0,16}", anchor in ".{0,8}", allow: bool) {
            anchor_rule(&rule, &anchor, Spelling::Contract, allow);
            anchor_rule(&rule, &anchor, Spelling::Hex, allow);
        }
    }
}
