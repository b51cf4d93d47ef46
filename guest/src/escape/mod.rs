//! How a literal path is spelt where a runtime reads patterns: in a permission rule, and in a sandbox list.
//!
//! The two grammars have nothing in common. A rule, `Tool(content)`, is read in two layers: the content is unescaped
//! once, then a gitignore matcher reads it. An entry of `sandbox.filesystem` is read in one, and which characters have
//! a spelling there depends on the runtime, the list and the character. Every function here is total: any string in, a
//! string (or a typed "it cannot be said") out.
//!
//! | file | holds |
//! |---|---|
//! | `table` | the characters of a rule, one row each, and what the contract's spelling of them cannot say |
//! | `literal` | a literal path in a rule |
//! | `parse` | a rule's two parts |
//! | `target` | where a path rule points: its literal part, and its pattern |
//! | `inert` | rules that can never match, and what would |
//! | `anchor` | a rule whose path is relative, made absolute |
//! | `sandbox` | a literal path in a sandbox list |
//! | `entry` | a relative entry of a sandbox list, or an additional directory, made absolute |
//! | `protected` | the rules that keep a session from changing what decides about it |
//! | `explain` | the tables, for people |

mod anchor;
mod entry;
mod explain;
mod inert;
mod literal;
mod parse;
mod protected;
mod sandbox;
mod table;
mod target;

#[cfg(test)]
mod matcher_tests;

pub use anchor::{Anchored, PATH_TOOLS, anchor_rule, breaks_matcher};
pub use entry::{AnchoredEntry, anchor_directory, anchor_sandbox_entry, leaves_anchor};
pub use explain::sheets;
pub use inert::{INERT, Inert, InertRow, inert, takes_back};
pub use literal::{contract_gaps, rule_path, unescape_rule_content};
pub use parse::{Malformed, Rule, parse_rule};
pub use protected::{ITEM_FOLDERS, Protected, ProtectedPlaces, protected_path_rules};
pub use sandbox::{
    Inexpressible, SANDBOX, SandboxList, SandboxRow, SandboxSpelling, Treatment, loses_globs, names_links,
    sandbox_glob_path, sandbox_path,
};
pub use table::{CHARACTERS, CharacterRow, GAPS, Gap, GapRow, Place};
pub use target::{RuleAnchor, RuleTarget, rule_target};

/// The path, spelt from the file system's root as a rule wants it: one more `/` before it.
///
/// It escapes nothing: give it what [`rule_path`] made. A single `/` is relative to the settings file (Claude Code
/// 2.1.250, measured: `Read(/etc/x)` in a person's settings protects nothing in `/etc`).
///
/// ```
/// assert_eq!(winter_policy::escape::fs_root_anchored("/Users/x"), "//Users/x");
/// ```
pub fn fs_root_anchored(absolute: &str) -> String {
    format!("/{absolute}")
}
