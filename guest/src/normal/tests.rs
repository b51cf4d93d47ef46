//! The forms against those of `unicode-normalization`, whose tables also write ours:
//! `cargo test -p winter-policy normal -- --ignored`.

use crate::testing::test;
use std::fmt::Write as _;

use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::{
    canonical_combining_class, compose, decompose_canonical, decompose_compatible, is_combining_mark,
};

use super::{hangul, nfc, nfkc, table};

fn same(text: &str) {
    assert_eq!(nfc(text.chars()).collect::<String>(), text.nfc().collect::<String>(), "{text:?}");
    assert_eq!(nfkc(text.chars()).collect::<String>(), text.nfkc().collect::<String>(), "{text:?}");
}

#[test]
fn every_letter_alone_decomposed_and_with_marks_around_it() {
    for letter in '\0'..=char::MAX {
        same(letter.encode_utf8(&mut [0; 4]));
        same(&[letter, '\u{301}', '\u{323}', letter].iter().collect::<String>());
        same(&letter.nfd().chain(letter.nfkd()).collect::<String>());
    }
}

#[test]
fn every_pair_of_what_combines() {
    let combining: Vec<char> = ('\0'..=char::MAX).filter(|letter| is_combining_mark(*letter)).collect();
    let pairs: Vec<_> = lists().swap_remove(0).into_iter().map(|(_, parts)| (parts[0], parts[1])).collect();
    for (first, second) in pairs {
        same(&[first, second].iter().collect::<String>());
        for between in combining.iter().step_by(211) {
            same(&[first, *between, second].iter().collect::<String>());
        }
    }
}

#[test]
fn syllables_compose_of_their_parts_alone() {
    for text in ["\u{1100}\u{1161}", "\u{1100}\u{1161}\u{11a7}", "\u{1100}\u{1161}\u{11a8}\u{11a8}", "\u{ac01}\u{11a8}"]
    {
        same(text);
    }
    same("\u{1112}\u{1175}\u{11c2}\u{1113}\u{1161}\u{1112}\u{1176}\u{ac00}\u{11c3}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in ".{0,20}") {
        same(&text);
    }

    #[test]
    fn any_marks(text in "[a\u{e9}\u{1eaf}\u{fb01}\u{ac00}\u{300}-\u{345}\u{591}-\u{5c7}\u{1100}-\u{11ff}\u{1d15e}-\u{1d16f}]{0,20}") {
        same(&text);
    }
}

#[test]
fn the_tables_are_those_of_the_crate() {
    assert!(table::DECOMPOSITIONS == decompositions(), "write them anew: see above");
    assert!(table::CLASSES == classes(), "write them anew: see above");
}

#[cfg(not(target_arch = "wasm32"))]
#[test]
#[ignore = "it writes the tables"]
fn write_the_tables() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/normal");
    std::fs::write(folder.join("decompositions.txt"), decompositions()).unwrap();
    std::fs::write(folder.join("classes.txt"), classes()).unwrap();
}

/// The lists of `table::DECOMPOSITIONS`.
fn lists() -> Vec<Vec<(char, Vec<char>)>> {
    let (mut pairs, mut always, mut compatible) = (Vec::new(), Vec::new(), Vec::new());
    for letter in ('\0'..=char::MAX).filter(|letter| hangul::parts(*letter).is_none()) {
        let (mut canonical, mut whole) = (Vec::new(), Vec::new());
        decompose_canonical(letter, |part| canonical.push(part));
        decompose_compatible(letter, |part| whole.push(part));
        if canonical == [letter] {
            if whole != canonical {
                compatible.push((letter, whole));
            }
            continue;
        }
        let (last, before) = canonical.split_last().unwrap();
        let before: Vec<char> = before.iter().copied().nfc().collect();
        match before[..] {
            [first] if compose(first, *last) == Some(letter) => pairs.push((letter, vec![first, *last])),
            _ => always.push((letter, canonical)),
        }
    }
    vec![pairs, always, compatible]
}

fn decompositions() -> String {
    let list = |list: Vec<(char, Vec<char>)>| {
        let (mut text, mut letter, mut first) = (String::new(), 0, 0);
        for (next, parts) in list {
            let code = |letter: char| i32::try_from(u32::from(letter)).unwrap();
            let (step, change) = (code(next) - letter, code(parts[0]) - first);
            let sign = if change < 0 { "-" } else { "" };
            write!(text, "{step:x} {sign}{:x}", change.abs()).unwrap();
            for part in &parts[1..] {
                write!(text, " {:x}", u32::from(*part)).unwrap();
            }
            text.push('\n');
            (letter, first) = (code(next), code(parts[0]));
        }
        text
    };
    lists().into_iter().map(list).collect::<Vec<_>>().join("\n")
}

fn classes() -> String {
    let mut ranges: Vec<(u32, u32, u8)> = Vec::new();
    for letter in '\0'..=char::MAX {
        let (code, class) = (u32::from(letter), canonical_combining_class(letter));
        match ranges.last_mut() {
            _ if class == 0 => {}
            Some((_, after, last)) if *after == code && *last == class => *after += 1,
            _ => ranges.push((code, code + 1, class)),
        }
    }
    let mut before = 0;
    let mut text = String::new();
    for (first, after, class) in ranges {
        writeln!(text, "{:x} {:x} {class:x}", first - before, after - first).unwrap();
        before = after;
    }
    text
}
