//! The ids under which a selection is recorded, the retired ones included.

use serde::Serialize;

use super::RuntimeKind;

/// One id of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RuleId {
    /// As records carry it.
    pub id: &'static str,
    /// What it decided for.
    pub runtime: RuntimeKind,
    /// No request is decided under it any more.
    pub retired: bool,
    /// What it says, in words.
    pub says: &'static str,
}

/// Every id that a record may carry.
pub static RULE_IDS: [RuleId; 4] = [
    RuleId {
        id: "D13-1",
        runtime: RuntimeKind::ClaudeAgent,
        retired: true,
        says: "decided by the first row of an earlier table, while the runtime `claude-agent` was there",
    },
    RuleId {
        id: "D13-2",
        runtime: RuntimeKind::ClaudeAgent,
        retired: true,
        says: "decided by the second row of an earlier table, while the runtime `claude-agent` was there",
    },
    RuleId {
        id: "D13-3",
        runtime: RuntimeKind::WinterAgent,
        retired: false,
        says: "a model that is no Claude model runs on `winter-agent`",
    },
    RuleId {
        id: "R-7b-1-no-peer",
        runtime: RuntimeKind::WinterAgent,
        retired: false,
        says: "a Claude model runs on `winter-agent`, since no other runtime is there",
    },
];

/// What a recorded id means; none for one that no table ever had.
///
/// ```
/// use winter_policy::selection::rule_id_of;
/// assert!(rule_id_of("D13-1").unwrap().retired);
/// assert!(!rule_id_of("D13-3").unwrap().retired);
/// assert!(rule_id_of("d13-3").is_none());
/// ```
pub fn rule_id_of(id: &str) -> Option<&'static RuleId> {
    RULE_IDS.iter().find(|rule| rule.id == id)
}
