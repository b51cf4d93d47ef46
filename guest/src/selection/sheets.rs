//! The tables of this area, for people.

use super::{Decides, RULE_IDS, RULES};
use crate::explain::Sheet;

/// The decision table, and the ids that records carry.
///
/// ```
/// let sheets = winter_policy::selection::sheets();
/// assert_eq!(sheets[0].rows[0][0], "bare-model-id");
/// ```
pub fn sheets() -> Vec<Sheet> {
    let rules = RULES.iter().map(|rule| {
        let answer = match rule.decides {
            Decides::Refuse(_) => "refuse".to_owned(),
            Decides::Keep => "keep it".to_owned(),
            Decides::Serve(runtime) => runtime.name().to_owned(),
        };
        let [id, when, why, source] = [rule.id, rule.when, rule.why, rule.source].map(str::to_owned);
        vec![id, when, answer, why, source]
    });
    let ids = RULE_IDS.iter().map(|rule| {
        let standing = if rule.retired { "retired" } else { "in use" };
        [rule.id, rule.runtime.name(), standing, rule.says].map(str::to_owned).to_vec()
    });
    vec![
        Sheet::new("Selection: the first row that applies", &["id", "when", "answer", "why", "source"], rules),
        Sheet::new("Ids in records", &["id", "runtime", "standing", "says"], ids),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::test;

    #[test]
    fn every_row_of_every_table_is_printed() {
        let [rules, ids] = &sheets()[..] else { panic!("two sheets") };
        assert_eq!((rules.rows.len(), ids.rows.len()), (RULES.len(), RULE_IDS.len()));
        for sheet in [rules, ids] {
            for row in &sheet.rows {
                assert_eq!(row.len(), sheet.columns.len());
                assert!(
                    row.iter().all(|cell| !cell.is_empty() && cell.chars().all(|c| matches!(c, ' '..='~'))),
                    "{row:?}"
                );
            }
        }
    }
}
