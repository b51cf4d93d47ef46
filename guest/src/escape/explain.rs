//! The tables of this area, for people.

use super::{CHARACTERS, GAPS, INERT, Place, SANDBOX, Treatment, rule_path};
use crate::brand::{SandboxGrammar, Spelling};
use crate::explain::Sheet;

/// The tables that the area reads: characters in rules, what the contract's spelling cannot say, sandbox lists, and
/// rules that never match.
///
/// ```
/// let sheets = winter_policy::escape::sheets();
/// assert!(sheets.iter().all(|sheet| sheet.rows.iter().all(|row| row.len() == sheet.columns.len())));
/// ```
pub fn sheets() -> Vec<Sheet> {
    vec![
        Sheet::new(
            "A literal path in a permission rule",
            &["rule", "character", "where", "contract", "hex", "note", "source"],
            characters(),
        ),
        Sheet::new(
            "What the contract's spelling cannot say",
            &["gap", "a path", "matches", "source"],
            GAPS.iter().map(|row| cells([row.id, row.path, row.effect, row.source])),
        ),
        Sheet::new(
            "A literal path in sandbox.filesystem",
            &["grammar", "list", "* ?", "[ ]", "\\", "white space at the end", "source"],
            sandbox(),
        ),
        Sheet::new(
            "Rules that never match",
            &["rule", "why", "spelling", "source"],
            INERT.iter().map(|row| inert(row)),
        ),
    ]
}

fn inert(row: &super::InertRow) -> Vec<String> {
    let spellings = row.spellings.iter().map(|spelling| match spelling {
        Spelling::Contract => "contract",
        Spelling::Hex => "hex",
    });
    cells([row.id, row.why, &spellings.collect::<Vec<_>>().join(", "), row.source])
}

fn cells<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}

fn characters() -> Vec<Vec<String>> {
    let mut rows = Vec::with_capacity(CHARACTERS.len());
    for row in CHARACTERS {
        let Some(first) = row.characters.first() else { continue };
        let contract = format!("{}{}", row.contract, visible(*first));
        let place = match row.place {
            Place::Anywhere => "anywhere",
            Place::Leading => "at the start (hex: anywhere)",
            Place::Trailing => "at the end (hex: anywhere)",
        };
        let hex = rule_path(&first.to_string(), Spelling::Hex);
        let shown = if row.characters.len() == 1 { visible(*first) } else { format!("{} ...", visible(*first)) };
        rows.push(cells([row.id, &shown, place, &contract, &hex, row.note, row.source]));
    }
    rows
}

/// A character as a table can show it.
fn visible(character: char) -> String {
    match character {
        ' ' => "<space>".to_owned(),
        '!'..='~' => character.to_string(),
        _ => format!("<U+{:04X}>", u32::from(character)),
    }
}

fn sandbox() -> Vec<Vec<String>> {
    let treatment = |treatment| match treatment {
        Treatment::Literal => "as it is",
        Treatment::Class => "[ as [[]",
        Treatment::ExactPathOnly => "[ as [[]; the exact path alone",
        Treatment::Wider => "as it is: wider",
        Treatment::Unspellable | Treatment::Ignored => "inexpressible",
    };
    let row = |row: &super::SandboxRow| {
        let grammar = match row.grammar {
            SandboxGrammar::Contract => "contract",
            SandboxGrammar::WritesLiteral => "writes-literal",
        };
        let [wildcard, bracket, backslash, last] =
            [row.wildcard, row.bracket, row.backslash, row.last_white_space].map(treatment);
        cells([grammar, row.list.key(), wildcard, bracket, backslash, last, row.source])
    };
    SANDBOX.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::test;

    #[test]
    fn every_row_of_every_table_is_printed() {
        let [characters, gaps, sandbox, inert] = &sheets()[..] else { panic!("four sheets") };
        assert_eq!(characters.rows.len(), CHARACTERS.len());
        assert_eq!(gaps.rows.len(), GAPS.len());
        assert_eq!(sandbox.rows.len(), SANDBOX.len());
        assert_eq!(inert.rows.len(), INERT.len());
    }

    #[test]
    fn cells_are_printable() {
        for sheet in sheets() {
            for cell in sheet.rows.iter().flatten() {
                assert!(cell.chars().all(|c| matches!(c, ' '..='~')), "{cell:?}");
            }
        }
    }

    #[test]
    fn the_spellings_are_those_of_the_functions() {
        let sheets = sheets();
        let bracket = &sheets[0].rows[1];
        assert_eq!(bracket[1..5], ["[", "anywhere", r"\\[", r"\\x5b"].map(str::to_owned));
    }
}
