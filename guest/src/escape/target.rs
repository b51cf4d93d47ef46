//! Where a path rule points: what of its path is literal, and what is a pattern.

use super::anchor::PATH_TOOLS;
use super::table::{CharacterRow, is_white_space};
use super::{Rule, parse_rule, unescape_rule_content};
use crate::brand::Spelling;

/// Where the path of a rule starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleAnchor {
    /// `//`: the file system's root.
    Root,
    /// `~/`: the person's home.
    Home,
    /// A slash that is not the last character: the working folder, and nowhere else.
    Cwd,
    /// One name, or one name and `/**`: any depth below the working folder.
    AnyDepth,
}

/// A path rule, taken apart at its first pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleTarget<'a> {
    /// The tool.
    pub tool: &'a str,
    /// Where the path starts.
    pub anchor: RuleAnchor,
    /// The names before the first pattern, as the file system has them, joined by `/`; empty when there is none.
    pub literal: String,
    /// What comes after them, as it is written; empty when all is literal.
    pub rest: String,
}

impl RuleTarget<'_> {
    /// Whether the rule is about one place and all that is in it: nothing follows the literal part but `**` (or a last
    /// `*`, which takes in what is deeper, too).
    ///
    /// `X`, `X/`, `X/*` and `X/**` protect the same on Claude Code 2.1.250 (measured; `X/**` also where `X` is a file).
    ///
    /// ```
    /// use winter_policy::{brand::Spelling::Hex, escape::rule_target};
    /// let whole = |rule| rule_target(rule, Hex).unwrap().is_whole();
    /// assert!(whole("Read(~/.ssh)") && whole("Read(~/.ssh/*)") && whole("Read(~/.ssh/**)"));
    /// assert!(!whole("Read(~/.ssh/*.pem)") && !whole("Read(**/.env)"));
    /// ```
    pub fn is_whole(&self) -> bool {
        let rest = self.rest.trim_end_matches(is_white_space);
        let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
        let (last, before) = match parts.split_last() {
            Some((last, before)) => (*last, before),
            None => return true,
        };
        matches!(last, "*" | "**") && before.iter().all(|part| *part == "**")
    }
}

/// Takes a rule apart; none for what is no rule on a path: another tool, a tool alone or with `*`, a rule that is
/// relative to its file (one slash), and contents that [never match](super::inert).
///
/// A name is literal when the brand's spelling reads it as one name: plain characters, what the contract escapes, and
/// with the hex spelling `\\xHH`. In doubt it is a pattern. White space at the end is read as the runtimes do: it falls
/// away unless it is escaped. Doubled slashes count as one.
///
/// Source: Claude Code 2.1.250, measured: `./x` is `x` and matches at any depth, `x/**` too, `x/*` and `x/y` only at
/// the working folder.
///
/// ```
/// use winter_policy::{brand::Spelling, escape::{RuleAnchor, rule_target}};
/// let target = rule_target(r"Read(//x/\\[wip\\] app/**/*.pem)", Spelling::Contract).unwrap();
/// assert_eq!((target.anchor, &*target.literal, &*target.rest), (RuleAnchor::Root, "x/[wip] app", "**/*.pem"));
/// assert_eq!(rule_target("Read(./.env)", Spelling::Hex).unwrap().anchor, RuleAnchor::AnyDepth);
/// assert_eq!(rule_target("Bash(cat /x)", Spelling::Hex), None);
/// ```
pub fn rule_target(rule: &str, spelling: Spelling) -> Option<RuleTarget<'_>> {
    let Ok(Rule { tool, content: Some(content) }) = parse_rule(rule) else { return None };
    if !PATH_TOOLS.contains(&tool) || matches!(content, "*" | "~") || content.starts_with(is_white_space) {
        return None;
    }
    let (anchor, path) = if let Some(path) = content.strip_prefix("//") {
        (RuleAnchor::Root, path)
    } else if let Some(path) = content.strip_prefix("~/") {
        (RuleAnchor::Home, path)
    } else if content.starts_with('/') {
        return None;
    } else {
        bare(content)?
    };
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let nowhere = |part: &&str| matches!(part.trim_end_matches(is_white_space), "." | ".." | "");
    let (last, before) = parts.split_last()?;
    if before.iter().any(|part| matches!(*part, "." | "..")) || nowhere(last) {
        return None;
    }
    let mut names = Vec::with_capacity(parts.len());
    for part in before {
        let Some(name) = literal(&unescape_rule_content(part), spelling, false) else { break };
        names.push(name);
    }
    if names.len() == before.len() {
        // White space is cut off at the end of the whole content alone, which a last slash is not.
        names.extend(literal(&unescape_rule_content(last), spelling, !path.ends_with('/')));
    }
    let rest = parts[names.len()..].join("/");
    Some(RuleTarget { tool, anchor, literal: names.join("/"), rest })
}

/// A content that starts at the working folder, or anywhere below it. One `./` falls away before the matcher reads it;
/// a `/` is then at its start.
fn bare(content: &str) -> Option<(RuleAnchor, &str)> {
    let path = content.strip_prefix("./").unwrap_or(content);
    if path.starts_with(['!', '#']) {
        return None;
    }
    let whole = path.trim_end_matches(is_white_space).trim_end_matches('/');
    let name = whole.strip_suffix("/**").unwrap_or(whole);
    Some((if name.contains('/') { RuleAnchor::Cwd } else { RuleAnchor::AnyDepth }, path))
}

/// The one name that a component means after the outer layer; none when it is a pattern or its meaning is in doubt.
fn literal(component: &str, spelling: Spelling, last: bool) -> Option<String> {
    let mut name = String::with_capacity(component.len());
    // How much of `name` no white space at the end may be taken from.
    let mut kept = 0;
    let mut letters = component.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '*' | '?' | '[' => return None,
            '\\' => {
                name.push(escaped(&mut letters, spelling)?);
                kept = name.len();
            }
            letter => name.push(letter),
        }
    }
    if last {
        name.truncate(kept.max(name.trim_end_matches(is_white_space).len()));
    }
    (!name.is_empty() && !name.contains(['/', '\0']) && !matches!(&*name, "." | "..")).then_some(name)
}

/// The character that stands escaped after a backslash.
fn escaped(letters: &mut std::str::Chars<'_>, spelling: Spelling) -> Option<char> {
    let digits = match letters.next()? {
        'x' if spelling == Spelling::Hex => 2,
        'u' if spelling == Spelling::Hex => 4,
        letter => {
            let row = CharacterRow::of(letter)?;
            // What the contract writes raw, and white space but a space, does not match when it is escaped.
            return (!row.contract.is_empty() && (letter == ' ' || !is_white_space(letter))).then_some(letter);
        }
    };
    let mut code = 0;
    for _ in 0..digits {
        code = code * 16 + letters.next()?.to_digit(16)?;
    }
    char::from_u32(code)
}

#[cfg(test)]
mod tests {
    use super::RuleAnchor::{AnyDepth, Cwd, Home, Root};
    use super::*;
    use crate::escape::{fs_root_anchored, rule_path};
    use crate::testing::test;
    use proptest::prelude::*;

    fn taken(rule: &str, spelling: Spelling) -> Option<(RuleAnchor, String, String)> {
        rule_target(rule, spelling).map(|target| (target.anchor, target.literal, target.rest))
    }

    #[test]
    fn rules_are_taken_apart_at_the_first_pattern() {
        for (rule, anchor, literal, rest) in [
            ("Read(//etc/passwd)", Root, "etc/passwd", ""),
            ("Read(///etc//passwd/)", Root, "etc/passwd", ""),
            ("Read(//etc/**)", Root, "etc", "**"),
            ("Read(//**)", Root, "", "**"),
            ("Read(~/.ssh/*)", Home, ".ssh", "*"),
            ("Read(~/**/id_*)", Home, "", "**/id_*"),
            ("Read(my-repo/.env)", Cwd, "my-repo/.env", ""),
            ("Read(./a/b)", Cwd, "a/b", ""),
            ("Read(.//f)", Cwd, "f", ""),
            ("Read(d/*)", Cwd, "d", "*"),
            ("Read(d/**/*)", Cwd, "d", "**/*"),
            ("Read(**/.env*)", Cwd, "", "**/.env*"),
            ("Read(./.env)", AnyDepth, ".env", ""),
            ("Read(secrets/)", AnyDepth, "secrets", ""),
            ("Read(secrets/**)", AnyDepth, "secrets", "**"),
            ("Read([d]/**)", AnyDepth, "", "[d]/**"),
            ("Read(*.pem)", AnyDepth, "", "*.pem"),
            ("Edit(~x/y)", Cwd, "~x/y", ""),
            ("Edit(a: b/c)", Cwd, "a: b/c", ""),
            ("Read(//x/(group)/[id]/p)", Root, "x/(group)", "[id]/p"),
            ("Read(//a b /c )", Root, "a b /c", ""),
            (r"Read(//a\\ )", Root, "a ", ""),
            ("Read(//{a,b}/c)", Root, "{a,b}/c", ""),
            (r"Read(//a\\\(b)", Root, "a(b", ""),
            (r"Read(//a\\?b/c)", Root, "", r"a\\?b/c"),
            (r"Read(//a\\d/c)", Root, "", r"a\\d/c"),
        ] {
            for spelling in [Spelling::Contract, Spelling::Hex] {
                assert_eq!(taken(rule, spelling), Some((anchor, literal.into(), rest.into())), "{rule}");
            }
        }
    }

    #[test]
    fn hex_is_read_where_it_is_a_spelling() {
        let rule = r"Read(//a\\x5bb/\\u3000)";
        assert_eq!(taken(rule, Spelling::Hex), Some((Root, "a[b/\u{3000}".into(), String::new())));
        assert_eq!(taken(rule, Spelling::Contract), Some((Root, String::new(), r"a\\x5bb/\\u3000".into())));
        assert_eq!(taken(r"Read(//a\\x2fb)", Spelling::Hex), Some((Root, String::new(), r"a\\x2fb".into())));
    }

    #[test]
    fn what_is_no_path_has_no_target() {
        for rule in [
            "Read",
            "Read(*)",
            "Read()",
            "Read(/x)",
            "Read(//)",
            "Read(~)",
            "Read(~/)",
            "Read(.)",
            "Read(./)",
            "Read(../x)",
            "Read(//a/../b)",
            "Read(a/./b)",
            "Read(././f)",
            "Read(!x)",
            "Read(./!x)",
            "Read(#x)",
            "Read( x)",
            "Read(x",
            "Bash(/x)",
            "mcp__a__b(//x)",
        ] {
            assert_eq!(taken(rule, Spelling::Hex), None, "{rule}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_was_spelt_reads_back(path in r"(/[a.b*?\[\]\\ (){}!#~é\u{3000}]{1,6}){1,3}", hex: bool) {
            let spelling = if hex { Spelling::Hex } else { Spelling::Contract };
            prop_assume!(path.split('/').all(|part| !matches!(part, "." | "..")));
            let rule = format!("Read({}/**)", fs_root_anchored(&rule_path(&path, spelling)));
            let target = rule_target(&rule, spelling);
            let Some(target) = target else { return Err(TestCaseError::fail(rule)) };
            let exact = target.is_whole() && target.literal == path[1..];
            // A `?` has no exact spelling in the contract, and is a pattern there.
            prop_assert!(exact || (!hex && crate::escape::contract_gaps(&path).len() + path.matches(['?', '\u{3000}']).count() > 0), "{}", rule);
        }

        #[test]
        fn any_rule_has_an_answer(rule in r"(Read|Edit)\([/~.a*?\[\]\\x u0!# é]{0,12}\)", hex: bool) {
            let spelling = if hex { Spelling::Hex } else { Spelling::Contract };
            if let Some(target) = rule_target(&rule, spelling) {
                prop_assert!(target.literal.split('/').all(|name| !matches!(name, "." | "..")));
                target.is_whole();
            }
        }
    }
}
