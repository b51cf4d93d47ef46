//! The normal forms NFC and NFKC of Unicode.
//!
//! Their tables are a text that is read at the first letter that needs them: as part of a WebAssembly module that
//! compresses to a fifth of what the crate `unicode-normalization` compresses to, against which the tests hold them.

mod table;
#[cfg(test)]
mod tests;

use table::Table;

/// What the letters before this one never decompose, combine or move for.
const FIRST: char = '\u{a0}';

/// The text in its composed form.
pub(crate) fn nfc(text: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    normal(text, false)
}

/// The text in its composed form, without what is there for compatibility alone.
pub(crate) fn nfkc(text: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    normal(text, true)
}

fn normal(text: impl Iterator<Item = char>, compatible: bool) -> impl Iterator<Item = char> {
    let text: Vec<char> = text.collect();
    let composed = if text.iter().all(|letter| *letter < FIRST) {
        text
    } else {
        let table = Table::get();
        let mut letters = Vec::with_capacity(text.len());
        for letter in text {
            decompose(table, letter, compatible, &mut letters);
        }
        order(&mut letters);
        compose(table, &letters)
    };
    composed.into_iter()
}

/// A letter and its combining class; a class of 0 is that of a starter.
type Classed = (char, u8);

fn decompose(table: &Table, letter: char, compatible: bool, into: &mut Vec<Classed>) {
    if letter < FIRST {
        into.push((letter, 0));
    } else if let Some(parts) = hangul::parts(letter) {
        into.extend(parts.map(|part| (part, 0)));
    } else if let Some(parts) = table.parts(letter, compatible) {
        for part in parts {
            decompose(table, *part, compatible, into);
        }
    } else {
        into.push((letter, table.class(letter)));
    }
}

/// Marks between two starters stand in the order of their classes.
fn order(letters: &mut [Classed]) {
    for marks in letters.split_mut(|(_, class)| *class == 0) {
        if marks.len() > 1 {
            marks.sort_by_key(|(_, class)| *class);
        }
    }
}

fn compose(table: &Table, letters: &[Classed]) -> Vec<char> {
    let mut composed: Vec<char> = Vec::with_capacity(letters.len());
    // Where the last starter stands, and the class of what was kept after it.
    let (mut starter, mut blocked) = (None, None);
    for (letter, class) in letters {
        if let Some(at) = starter
            && blocked.is_none_or(|blocked| blocked < *class)
            && let Some(whole) = hangul::whole(composed[at], *letter).or_else(|| table.whole(composed[at], *letter))
        {
            composed[at] = whole;
            continue;
        }
        if *class == 0 {
            (starter, blocked) = (Some(composed.len()), None);
        } else {
            blocked = Some(*class);
        }
        composed.push(*letter);
    }
    composed
}

/// The syllables of Korean, which are composed by counting.
mod hangul {
    const SYLLABLE: u32 = 0xac00;
    const LEADING: u32 = 0x1100;
    const VOWEL: u32 = 0x1161;
    /// The one before the first trailing consonant.
    const TRAILING: u32 = 0x11a7;
    const VOWELS: u32 = 21;
    const TRAILINGS: u32 = 28;
    const SYLLABLES: u32 = 19 * VOWELS * TRAILINGS;

    /// What a syllable is composed of.
    pub(super) fn parts(letter: char) -> Option<impl Iterator<Item = char>> {
        let at = below(letter, SYLLABLE, SYLLABLES)?;
        let trailing = Some(at % TRAILINGS).filter(|at| *at > 0).map(|at| TRAILING + at);
        let (leading, vowel) = (LEADING + at / TRAILINGS / VOWELS, VOWEL + at / TRAILINGS % VOWELS);
        Some([Some(leading), Some(vowel), trailing].into_iter().flatten().filter_map(char::from_u32))
    }

    /// The syllable of two parts.
    pub(super) fn whole(first: char, second: char) -> Option<char> {
        let code = if let Some(leading) = below(first, LEADING, SYLLABLES / VOWELS / TRAILINGS) {
            SYLLABLE + (leading * VOWELS + below(second, VOWEL, VOWELS)?) * TRAILINGS
        } else {
            let open = below(first, SYLLABLE, SYLLABLES)?;
            let trailing = below(second, TRAILING, TRAILINGS)?;
            if open % TRAILINGS != 0 || trailing == 0 {
                return None;
            }
            SYLLABLE + open + trailing
        };
        char::from_u32(code)
    }

    fn below(letter: char, first: u32, count: u32) -> Option<u32> {
        u32::from(letter).checked_sub(first).filter(|at| *at < count)
    }
}
