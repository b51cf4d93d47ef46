//! What a server's name becomes in the names of its tools, and who else would answer to it.

use std::collections::{BTreeSet, HashSet};
use std::ops::Bound;

use crate::brand::Profile;

/// What stands between a server's name and its tool's.
const BETWEEN: &str = "__";

/// A server's name as it stands in its tools' names: each UTF-16 unit outside `[A-Za-z0-9_-]` made `_`, and letters as
/// they are, since tools compare by case (Claude Code 2.1.250, measured).
///
/// ```
/// use winter_policy::mcp::normalised;
/// assert_eq!((normalised("x..y"), normalised("x__y")), ("x__y".into(), "x__y".into()));
/// assert_eq!(normalised("é😀"), "___");
/// ```
pub fn normalised(name: &str) -> String {
    let mut spelt = String::with_capacity(name.len());
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-') {
            spelt.push(letter);
        } else {
            (0..letter.len_utf16()).for_each(|_| spelt.push('_'));
        }
    }
    spelt
}

/// Every spelling under which a server's tools may be called; most names have one. Two servers that share one collide.
pub(super) fn routes(name: &str) -> Vec<String> {
    let plain = normalised(name);
    // The program draws runs of `_` together in the names of a person's connectors (Claude Code 2.1.250, measured).
    if name.starts_with("claude.ai ") {
        let drawn: Vec<&str> = plain.split('_').filter(|part| !part.is_empty()).collect();
        let drawn = drawn.join("_");
        if drawn != plain {
            return vec![plain, drawn];
        }
    }
    vec![plain]
}

/// Whether a tool's name that begins with this spelling has a second reading: the first `__` ends the server's name.
pub(super) fn is_ambiguous(route: &str) -> bool {
    route.contains(BETWEEN) || route.ends_with('_')
}

/// What the tools' names of servers begin with, to find those that begin with another's.
#[derive(Default)]
pub(super) struct Prefixes(BTreeSet<String>);

impl Prefixes {
    pub(super) fn add(&mut self, route: &str) {
        self.0.insert(format!("{route}{BETWEEN}"));
    }

    /// A longer spelling, some of whose tools could be called as tools of `route`.
    pub(super) fn longer_than(&self, route: &str) -> Option<&str> {
        let prefix = format!("{route}{BETWEEN}");
        let above = (Bound::Excluded(prefix.as_str()), Bound::Unbounded);
        let next = self.0.range::<str, _>(above).next()?;
        next.starts_with(&prefix).then(|| next.strip_suffix(BETWEEN).unwrap_or(next))
    }
}

/// How a reserved name is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    /// Letter by letter.
    Exactly,
    /// As it is spelt in tools' names.
    Spelt,
    /// With what the spelling has before its first `__`.
    Begun,
}

/// A name that a runtime keeps for itself.
#[derive(Debug)]
pub(super) struct Reserved {
    pub(super) name: &'static str,
    compared: Compared,
    public_only: bool,
}

const fn own(name: &'static str, compared: Compared) -> Reserved {
    Reserved { name, compared, public_only: true }
}

/// The names that runtimes keep for themselves (Claude Code 2.1.250, measured).
pub(super) static RESERVED: &[Reserved] = &[
    // No JavaScript program can be trusted to keep it as a key of its own.
    Reserved { name: "__proto__", compared: Compared::Exactly, public_only: false },
    own("claude-in-chrome", Compared::Spelt),
    own("computer-use", Compared::Spelt),
    own("Claude_Preview", Compared::Spelt),
    own("Claude_Browser", Compared::Spelt),
    own("Claude_in_Chrome", Compared::Begun),
    own("hearthbot", Compared::Begun),
    own("remote-devices", Compared::Begun),
    own("workspace", Compared::Exactly),
    own("Slack sign-in (Claude Code tag)", Compared::Exactly),
];

impl Reserved {
    fn holds(&self, name: &str, brand: &Profile) -> bool {
        let speaks = !self.public_only || is_public(brand);
        speaks
            && match self.compared {
                Compared::Exactly => name == self.name,
                Compared::Spelt => routes(name).iter().any(|route| route == self.name),
                Compared::Begun => routes(name).iter().any(|route| {
                    // A tool's name follows, so that a last `_` is not part of the server's.
                    format!("{route}{BETWEEN}").split(BETWEEN).next() == Some(self.name)
                }),
            }
    }

    pub(super) fn brands(&self) -> &'static str {
        if self.public_only { "claude" } else { "any" }
    }

    pub(super) fn how(&self) -> &'static str {
        match self.compared {
            Compared::Exactly => "letter by letter",
            Compared::Spelt => "as spelt in tools' names",
            Compared::Begun => "with what the spelling has before its first `__`",
        }
    }
}

/// The name that the brand's runtime keeps for itself and that `name` would take.
pub(super) fn kept_by_runtime(name: &str, brand: &Profile) -> Option<&'static str> {
    RESERVED.iter().find(|row| row.holds(name, brand)).map(|row| row.name)
}

/// Whether the brand speaks to the public program.
pub(super) fn is_public(brand: &Profile) -> bool {
    brand.env_prefix == "CLAUDE_"
}

/// A list of names that somebody gave, compared exactly and as spelt.
pub(super) struct Names<'a> {
    exact: HashSet<&'a str>,
    spelt: HashSet<String>,
}

impl<'a> Names<'a> {
    pub(super) fn of(names: impl Iterator<Item = &'a str> + Clone) -> Self {
        Self { exact: names.clone().collect(), spelt: names.flat_map(routes).collect() }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.exact.contains(name)
    }

    pub(super) fn has_spelt(&self, routes: &[String]) -> bool {
        routes.iter().any(|route| self.spelt.contains(route))
    }

    pub(super) fn spelt(&self) -> impl Iterator<Item = &String> {
        self.spelt.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::test;

    #[test]
    fn names_are_spelt_as_the_program_spells_them() {
        for (name, spelt) in
            [("a b", "a_b"), ("p😀q", "p__q"), ("é", "_"), ("a\nb", "a_b"), ("", ""), ("A-1_b", "A-1_b")]
        {
            assert_eq!(routes(name), [spelt], "{name:?}");
        }
        assert_eq!(routes("claude.ai  foo"), ["claude_ai__foo", "claude_ai_foo"]);
    }

    #[test]
    fn a_second_reading_needs_two_underscores_in_a_row() {
        for (route, ambiguous) in [("acme_", true), ("a__b", true), ("_acme", false), ("a_b", false), ("", false)] {
            assert_eq!(is_ambiguous(route), ambiguous, "{route}");
        }
        let mut taken = Prefixes::default();
        for route in ["acme_", "b__c", "d_e"] {
            taken.add(route);
        }
        assert_eq!(taken.longer_than("acme"), Some("acme_"));
        assert_eq!(taken.longer_than("b"), Some("b__c"));
        assert!(taken.longer_than("d").is_none() && taken.longer_than("acme_").is_none());
    }

    #[test]
    fn the_runtimes_own_names_as_measured() {
        let claude = Profile::claude();
        let taken = [
            "claude-in-chrome",
            "Claude_in_Chrome",
            "Claude.in Chrome",
            "computer-use",
            "hearthbot",
            "hearthbot__x",
            "hearthbot_",
            "remote-devices",
            "workspace",
            "Claude Preview",
            "Claude.Browser",
            "Slack sign-in (Claude Code tag)",
        ];
        for name in taken {
            assert!(kept_by_runtime(name, &claude).is_some(), "{name}");
            assert!(kept_by_runtime(name, &Profile::winter()).is_none(), "{name}");
        }
        for name in ["claude.in.chrome", "computer_use", "Workspace", "hearthbots", "ide", "toString", ""] {
            assert!(kept_by_runtime(name, &claude).is_none(), "{name}");
        }
        assert!(
            kept_by_runtime("__proto__", &claude).is_some()
                && kept_by_runtime("__proto__", &Profile::winter()).is_some()
        );
    }
}
