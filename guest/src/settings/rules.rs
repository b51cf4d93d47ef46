//! The drop table: what a tier may ask for and not get, one row a rule.

use super::document::Value;
use crate::powers;
use crate::tier::{Powers, Tier, Tiers};

/// One row of the drop table.
#[derive(Debug)]
pub struct Rule {
    /// Stable; what a report gives as the reason.
    pub id: &'static str,
    /// What it looks at, in words.
    pub what: &'static str,
    /// Whose files it applies to.
    pub tiers: Tiers,
    /// It applies only where nothing of a repository may act.
    pub only_without_powers: bool,
    /// The condition on the value; the keys that a row is for stand in the key table.
    pub holds: fn(&Value) -> bool,
    /// Why, in one sentence.
    pub why: &'static str,
    /// Where the row comes from.
    pub source: &'static str,
}

impl Rule {
    /// Whether the row takes `value` away from a file of this tier.
    pub fn drops(&self, value: &Value, tier: Tier, shipped: bool, powers: Powers) -> bool {
        self.tiers.hold(tier, shipped)
            && !(self.only_without_powers && powers::may_act(tier, shipped, powers))
            && (self.holds)(value)
    }
}

fn always(_: &Value) -> bool {
    true
}

/// Spelt in any way that some reader might take for one of the two modes that loosen nothing, it is one of those two.
fn escalates(value: &Value) -> bool {
    !matches!(value.as_text(), Some("default" | "manual" | "plan"))
}

fn is_auto(value: &Value) -> bool {
    value.as_text().is_some_and(|mode| mode.trim().eq_ignore_ascii_case("auto"))
}

fn is_true(value: &Value) -> bool {
    value.as_bool() != Some(false)
}

/// The loosest choice of the keys that have one.
fn is_loosest(value: &Value) -> bool {
    !matches!(value.as_text(), Some("refuse" | "hold" | "worktree"))
}

/// More than the name of a language: the model is told the value word by word.
fn is_no_plain_name(value: &Value) -> bool {
    let plain = |text: &str| text.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '-' | '(' | ')'));
    value.as_text().is_none_or(|text| text.len() > 40 || text.split(' ').count() > 3 || !plain(text))
}

fn is_false(value: &Value) -> bool {
    value.as_bool() != Some(true)
}

/// A short relative path without `..` and without control characters.
fn unsafe_plans_directory(value: &Value) -> bool {
    const LONGEST: usize = 256;
    let Some(path) = value.as_text() else { return true };
    path.is_empty()
        || path.len() > LONGEST
        || path.starts_with(['/', '~', '\\'])
        || path.chars().any(char::is_control)
        || path.split(['/', '\\']).any(|part| part == "..")
        || path.as_bytes().get(1) == Some(&b':')
}

const CONTRACT: &str = "contract 1, run home";
const MEASURED: &str = "Claude Code 2.1.250, measured";

macro_rules! rules {
    ($($(#[doc = $doc:literal])* $name:ident = $id:literal, $what:literal, $tiers:ident, $powers:literal, $holds:expr, $why:literal, $source:expr;)*) => {
        $($(#[doc = $doc])* pub static $name: Rule = Rule { id: $id, what: $what, tiers: Tiers::$tiers, only_without_powers: $powers, holds: $holds, why: $why, source: $source };)*

        /// Every row, in the order in which a report explains them.
        pub static RULES: &[&Rule] = &[$(&$name),*];
    };
}

rules! {
    /// A switch of the model that nobody sees.
    SILENT_MODEL_SWITCH = "silent-model-switch", "fallback models, maps from one model to another, switches on a flag", Any, false, always,
        "it switches the model on overload, or on the wire behind the model that is reported", CONTRACT;
    /// The model is a person's choice.
    REPOSITORY_CHOOSES_MODEL = "repository-chooses-model", "keys that choose a model", Repository, false, always,
        "a repository never chooses models", CONTRACT;
    /// So is the effort.
    REPOSITORY_CHOOSES_EFFORT = "repository-chooses-effort", "keys that choose effort, thinking or the price of a cache", Repository, false, always,
        "a repository never chooses effort, and so cost", CONTRACT;
    /// So is the style.
    REPOSITORY_CHOOSES_STYLE = "repository-chooses-style", "the output style", Repository, false, always,
        "a repository never replaces the system prompt", CONTRACT;
    /// Plans stay in the project.
    UNSAFE_PLANS_DIRECTORY = "unsafe-plans-directory", "a plans directory that is not a short relative path without `..` or control characters", Repository, false, unsafe_plans_directory,
        "plans would be written elsewhere", CONTRACT;
    /// A mode that asks less.
    ESCALATING_MODE = "escalating-mode", "a default mode other than `plan` and `default` (or `manual`, its other name)", Untrusted, false, escalates,
        "it loosens permissions for the whole session", "contract 1, run home; CVE-2026-33068";
    /// Even a person's own local file does not hand the judgement to a classifier.
    ESCALATING_MODE_AUTO = "escalating-mode", "the default mode `auto`", Repository, false, is_auto,
        "a file inside a repository never hands approval to a classifier", CONTRACT;
    /// State and consent stay where the person put them.
    REPOSITORY_MOVES_HOME = "repository-moves-home", "keys that move state, feed the approval classifier or skip a consent prompt", Untrusted, false, always,
        "it moves state or consent out of the person's hands", "contract 1, run home; Claude Code changes 2.1.207, 2.1.222";
    /// The same for a switch whose other position is harmless.
    REPOSITORY_MOVES_HOME_ON = "repository-moves-home", "the same, for switches: only when they are on", Untrusted, false, is_true,
        "it moves state or consent out of the person's hands", "contract 1, run home; Claude Code changes 2.1.207, 2.1.222";
    /// What the program reads from a person or an administrator alone.
    SCOPE_LIFTED = "scope-lifted", "keys that the program reads from user or managed settings alone", Repository, false, always,
        "the composed document is read at the user tier, where the repository's word would count for the first time", "Claude Code 2.1.250, settings documentation";
    /// Runs a program.
    ACTS_COMMAND = "acts-command", "what starts a program", Untrusted, true, always,
        "it runs a program of the repository's choice", "CVE-2025-59536, CVE-2025-68432";
    /// Starts a program when it is switched on.
    ACTS_COMMAND_ON = "acts-command", "switches that let something start a program: only when they are on", Untrusted, true, is_true,
        "it runs a program of the repository's choice", "CVE-2025-59536";
    /// Talks to somebody.
    ACTS_NETWORK = "acts-network", "what opens a connection or a way for one", Untrusted, true, always,
        "it opens a connection of the repository's choice", "CVE-2026-21852";
    /// The same for a switch.
    ACTS_NETWORK_ON = "acts-network", "switches that open a way for connections: only when they are on", Untrusted, true, is_true,
        "it opens a connection of the repository's choice", "CVE-2026-21852";
    /// Moves a secret.
    ACTS_CREDENTIAL = "acts-credential", "what names, hides or hands on a credential", Untrusted, true, always,
        "it decides about a credential", "CVE-2026-21852";
    /// Asks less.
    ACTS_PERMISSION = "acts-permission", "what allows something without asking", Untrusted, true, always,
        "it allows what a person would have been asked about", "CVE-2025-61592";
    /// Asks less when it is on.
    ACTS_PERMISSION_ON = "acts-permission", "switches that loosen when they are on", Untrusted, true, is_true,
        "it allows what a person would have been asked about", "CVE-2025-61592";
    /// Asks less when it is off.
    ACTS_PERMISSION_OFF = "acts-permission", "switches that loosen when they are off", Untrusted, true, is_false,
        "it allows what a person would have been asked about", "CVE-2025-61592";
    /// Asks less, as one of several choices.
    ACTS_PERMISSION_LOOSEST = "acts-permission", "choices: only the loosest one", Untrusted, true, is_loosest,
        "it allows what a person would have been asked about", "CVE-2025-61592";
    /// Speaks to the model, or to the person in the program's name.
    ACTS_INSTRUCTION = "acts-instruction", "texts that the model or the person is shown as the program's own", Untrusted, true, always,
        "it speaks with a voice that is not the repository's", "winter, powers";
    /// The same, where a plain word says what it should.
    ACTS_INSTRUCTION_TEXT = "acts-instruction", "a language that is no short plain name", Untrusted, true, is_no_plain_name,
        "it speaks with a voice that is not the repository's", "winter, powers";
    /// Loses something that the person has.
    ACTS_DATA_LOSS = "acts-data-loss", "what deletes history, hides instructions or links folders into worktrees", Untrusted, true, always,
        "the person would lose something they have", "winter, powers";
    /// The same for a switch that keeps something.
    ACTS_DATA_LOSS_OFF = "acts-data-loss", "switches that keep something: only when they are off", Untrusted, true, is_false,
        "the person would lose something they have", "winter, powers";
    /// Less than what a lower tier asked for.
    LOOSENS_USER = "loosens-user", "a value that is less strict than what a tier before it set, or that such a tier may not lose; a deny or ask rule that takes back others (`!`)", Repository, false, always,
        "a repository's file may tighten what a person set, never loosen it", "CVE-2025-61592; winter, settings tiers";
    /// An allow that would allow more.
    WIDENING_ANCHOR = "widening-anchor", "an allow rule or a sandbox allow whose anchor, as it must be spelt, matches more than itself", Any, false, always,
        "it would allow paths that nobody named", "contract 1, run home; Claude Code 2.1.250, measured";
    /// No way to say it.
    INEXPRESSIBLE = "inexpressible", "a sandbox entry that its list has no spelling for", Any, false, always,
        "it would be ignored, or mean more", MEASURED;
    /// One such rule and every use of its tool fails.
    BREAKS_RULES = "breaks-rules", "a path rule with a `[` that is never closed, or a class that does not compile", Repository, false, always,
        "the runtime's matcher fails on it, and with it every use of that tool", MEASURED;
    /// Not of the type that the runtime reads.
    WRONG_TYPE = "wrong-type", "a known key with a value of another type, or outside its choices", Repository, false, always,
        "the program drops a whole settings file, deny rules included, for one such value", MEASURED;
    /// A style that cannot be rewritten.
    UNUSABLE_STYLE = "unusable-style", "an output style whose header cannot be read, or not be rewritten provably", Repository, false, always,
        "its header would be read in a way that nobody has seen", CONTRACT;
    /// A style under the name of another.
    STYLE_COLLISION = "style-collision", "an output style under the name of the person's own, of a nearer one or of one that the runtime brings along", Repository, false, always,
        "a repository never redefines a style", CONTRACT;
    /// A dispatch child works in the style of whoever sent it.
    DISPATCH_CHILD = "dispatch-child", "the output style, in the run home of a dispatch child", Any, false, always,
        "a dispatch child has no output style", CONTRACT;
    /// A name that nobody reviewed.
    UNCLASSIFIED = "unclassified", "a key that no row of the key table names", Repository, false, always,
        "what nobody has reviewed does not come from a repository", "winter, settings tiers";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::test;

    #[test]
    fn every_row_says_what_why_and_whence() {
        for rule in RULES {
            assert!(!rule.what.is_empty() && !rule.why.is_empty() && !rule.source.is_empty(), "{}", rule.id);
            assert!(rule.id.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", rule.id);
        }
    }

    #[test]
    fn plans_directory_is_short_relative_and_inside() {
        let safe = |path: &str| !unsafe_plans_directory(&Value::Text(path.into()));
        assert!(safe("docs/plans") && safe("..plans") && safe("."));
        for path in ["", "/tmp", "~/x", "a/../../b", "..", "a\nb", "C:/x", "a\\..\\b", "\\\\host\\x", &"x".repeat(300)]
        {
            assert!(!safe(path), "{path:?}");
        }
    }
}
