//! Which letters decompose into which, and how marks are ordered.

use std::ops::Range;
use std::sync::OnceLock;

/// Three lists with an empty line between them, each by code point: the letters that are composed of two others; those
/// that are replaced in every form; those that are replaced for compatibility.
///
/// A line is `STEP FIRST REST…`, all in hexadecimal: by how much the letter's code point exceeds that of the line before,
/// by how much that of the first letter of its decomposition does so, and the letters after that one.
pub(super) const DECOMPOSITIONS: &str = include_str!("decompositions.txt");

/// Ranges of letters of one class, in order: a line is `STEP LENGTH CLASS`, all in hexadecimal, where the step counts from
/// the end of the range before.
pub(super) const CLASSES: &str = include_str!("classes.txt");

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Pair,
    Always,
    Compatible,
}

struct Decomposition {
    letter: char,
    kind: Kind,
    /// Where its parts stand among all parts.
    parts: Range<usize>,
}

struct Marks {
    first: u32,
    after: u32,
    class: u8,
}

/// The tables, as they are looked up.
pub(super) struct Table {
    /// By letter.
    decompositions: Vec<Decomposition>,
    parts: Vec<char>,
    /// What two letters compose, by those two.
    pairs: Vec<([char; 2], char)>,
    /// By range.
    classes: Vec<Marks>,
}

impl Table {
    pub(super) fn get() -> &'static Self {
        static TABLE: OnceLock<Table> = OnceLock::new();
        TABLE.get_or_init(Self::read)
    }

    fn read() -> Self {
        let (mut decompositions, mut parts) = (Vec::new(), Vec::new());
        for (list, kind) in DECOMPOSITIONS.split("\n\n").zip([Kind::Pair, Kind::Always, Kind::Compatible]) {
            let (mut letter, mut first) = (0, 0);
            for line in list.lines() {
                let mut numbers = line.split(' ').map_while(hexadecimal);
                letter += numbers.next().unwrap_or_default();
                first += numbers.next().unwrap_or_default();
                let from = parts.len();
                parts.extend(std::iter::once(first).chain(numbers).filter_map(character));
                let parts = from..parts.len();
                decompositions.extend(character(letter).map(|letter| Decomposition { letter, kind, parts }));
            }
        }
        let mut pairs: Vec<_> = decompositions
            .iter()
            .filter(|entry| entry.kind == Kind::Pair)
            .filter_map(|entry| Some((<[char; 2]>::try_from(parts.get(entry.parts.clone())?).ok()?, entry.letter)))
            .collect();
        pairs.sort_unstable_by_key(|(parts, _)| *parts);
        decompositions.sort_unstable_by_key(|entry| entry.letter);
        Self { decompositions, parts, pairs, classes: classes() }
    }

    /// What a letter decomposes into; the parts may decompose further.
    pub(super) fn parts(&self, letter: char, compatible: bool) -> Option<&[char]> {
        let at = self.decompositions.binary_search_by_key(&letter, |entry| entry.letter).ok()?;
        let entry = self.decompositions.get(at)?;
        self.parts.get(entry.parts.clone()).filter(|_| compatible || entry.kind != Kind::Compatible)
    }

    /// What two letters compose.
    pub(super) fn whole(&self, first: char, second: char) -> Option<char> {
        let at = self.pairs.binary_search_by_key(&[first, second], |(parts, _)| *parts).ok()?;
        self.pairs.get(at).map(|(_, whole)| *whole)
    }

    pub(super) fn class(&self, letter: char) -> u8 {
        let letter = u32::from(letter);
        let at = self.classes.partition_point(|range| range.after <= letter);
        self.classes.get(at).filter(|range| range.first <= letter).map_or(0, |range| range.class)
    }
}

fn classes() -> Vec<Marks> {
    let mut after = 0;
    let range = |line: &str| {
        let mut numbers = line.split(' ').map_while(hexadecimal).map_while(|number| u32::try_from(number).ok());
        let first = after + numbers.next()?;
        after = first + numbers.next()?;
        Some(Marks { first, after, class: u8::try_from(numbers.next()?).ok()? })
    };
    CLASSES.lines().map_while(range).collect()
}

fn hexadecimal(text: &str) -> Option<i32> {
    i32::from_str_radix(text, 16).ok()
}

fn character(code: i32) -> Option<char> {
    u32::try_from(code).ok().and_then(char::from_u32)
}
