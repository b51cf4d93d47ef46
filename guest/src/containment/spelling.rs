//! Spellings of the same text.

use crate::normal::nfkc;

/// NFKC without case: what a file system that folds, or a person, takes for the same.
pub(super) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    nfkc(nfkc(text.chars()).flat_map(char::to_lowercase)).filter(|letter| !is_invisible(*letter)).collect()
}

/// Letters that nobody sees, which some programs drop from names.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

pub(super) fn is_space(letter: char) -> bool {
    letter.is_whitespace() || letter.is_control()
}

/// The text, and what it is where `%2e` and its like stand for what they mean, as often as that goes.
pub(super) fn readings(text: &str) -> Vec<String> {
    let mut readings = vec![text.to_owned()];
    // Three times over: what is encoded more often than any program decodes is no path.
    for _ in 0..3 {
        let last = readings.last().map_or("", String::as_str);
        match decoded(last) {
            Some(plain) if plain != last => readings.push(plain),
            _ => break,
        }
    }
    readings
}

fn decoded(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let digits = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            plain.push(byte);
            at += 3;
        } else {
            plain.push(bytes[at]);
            at += 1;
        }
    }
    text.contains('%').then(|| String::from_utf8_lossy(&plain).into_owned())
}

/// Without what a shell takes out of a word, folded, and with the home folder in the place of what means it: a second look
/// at a text, whatever its grammar is.
pub(super) fn unquoted(text: &str, home: Option<&str>) -> String {
    let joined = text.replace("\\\n", "").replace("\\\r\n", "");
    let plain: String = joined.chars().filter(|letter| !matches!(letter, '\'' | '"' | '\\' | '`')).collect();
    // The environment, as perl spells it.
    let plain = folded(&plain).replace("$env{home}", "$home");
    let Some(home) = home else { return plain };
    let plain = plain.replace("${home}", home).replace("$home", home).replace("file://localhost/", "/");
    let mut put = String::with_capacity(plain.len());
    let mut before = ' ';
    for letter in plain.chars() {
        let begins = is_space(before) || "=:({,<>|;&@[".contains(before);
        if letter == '~' && begins {
            put.push_str(home);
        } else {
            put.push(letter);
        }
        before = letter;
    }
    put
}

/// Whether a text holds that path, or one beneath it, spelt out; with `inside`, that name in one of its folders.
pub(super) fn names(text: &str, path: &str, inside: &str) -> bool {
    let part_of_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let ends = |after: &str| {
        let mut after = after.chars();
        // A full stop that ends a sentence is no part of a name.
        match after.next() {
            Some('.') => !after.next().is_some_and(part_of_name),
            Some(letter) => !part_of_name(letter),
            None => true,
        }
    };
    text.match_indices(path).any(|(at, _)| {
        let after = &text[at + path.len()..];
        if inside.is_empty() {
            return ends(after);
        }
        let name = after.strip_prefix('/').and_then(|after| after.split_once('/'));
        name.is_some_and(|(name, after)| !name.contains(is_space) && after.strip_prefix(inside).is_some_and(ends))
    })
}
