//! The paths that are asked for, and what is the same without case.

use std::collections::HashMap;

use super::{ProbeError, failed};

/// Bytes of one path that can be asked for; no system opens a longer one.
const PATH_BYTES: usize = 4096;
/// Folding shrinks no character to less than a quarter; a longer path equals none that can be asked for.
const LONGEST: usize = 4 * PATH_BYTES;

/// What a path is to those that were asked for.
#[derive(Clone, Copy, Default)]
pub(super) struct Match {
    /// It equals one.
    pub(super) exact: bool,
    /// It is a folder above one.
    pub(super) above: bool,
}

/// The paths that were asked for.
pub(super) struct Wanted {
    /// The folded names of each.
    paths: Vec<Vec<String>>,
    /// Each path, and each folder above one, folded.
    whole: HashMap<String, Match>,
    /// The lengths of the keys of `whole`, so that most of a large index is passed over without folding.
    lengths: Vec<bool>,
}

impl Wanted {
    /// An error unless each of `paths` is plain and relative, and there are at most `most`.
    pub(super) fn new(paths: &[String], most: usize) -> Result<Self, ProbeError> {
        if paths.len() > most {
            return failed(format!("more than {most} paths were asked for"));
        }
        let mut wanted = Self { paths: Vec::new(), whole: HashMap::new(), lengths: Vec::new() };
        for path in paths {
            let names = path.split('/');
            let plain = |name: &str| !matches!(name, "" | "." | "..") && !name.contains('\0');
            if path.len() > PATH_BYTES || !names.clone().all(plain) {
                return failed(format!("not a plain relative path: {path:?}"));
            }
            let names: Vec<String> = names.map(|name| fold(name.as_bytes())).collect();
            for depth in 1..=names.len() {
                let entry = wanted.whole.entry(names[..depth].join("/")).or_default();
                entry.exact |= depth == names.len();
                entry.above |= depth < names.len();
            }
            wanted.paths.push(names);
        }
        let longest = wanted.whole.keys().map(String::len).max().unwrap_or(0);
        wanted.lengths = vec![false; longest + 1];
        wanted.whole.keys().for_each(|path| wanted.lengths[path.len()] = true);
        Ok(wanted)
    }

    /// What `path`, as git spells it, is to the paths that were asked for.
    pub(super) fn look_up(&self, path: &[u8]) -> Match {
        // The length first: a hostile index can hold many paths of many bytes.
        let may_equal =
            path.len() <= LONGEST && (!path.is_ascii() || self.lengths.get(path.len()).copied().unwrap_or(false));
        if may_equal { self.whole.get(&fold(path)).copied().unwrap_or_default() } else { Match::default() }
    }

    /// The folded names of each path that was asked for.
    pub(super) fn paths(&self) -> impl Iterator<Item = &[String]> {
        self.paths.iter().map(Vec::as_slice)
    }
}

/// The same for all spellings that a file system without case takes for one name.
///
/// Wider than any one system: full case folding both ways (the Kelvin sign is a `k`, the long s an `s`), and without
/// the characters that HFS+ leaves out when it compares (the list of git's `next_hfs_char`). What is taken for equal
/// too often is only filtered too often.
pub(super) fn fold(name: &[u8]) -> String {
    if name.is_ascii() {
        return String::from_utf8_lossy(&name.to_ascii_lowercase()).into_owned();
    }
    String::from_utf8_lossy(name)
        .chars()
        .filter(
            |c| !matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}'),
        )
        .flat_map(char::to_lowercase)
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Wanted, fold};

    #[test]
    fn folding_works_both_ways() {
        for (a, b) in [("K", "\u{212a}"), ("s", "\u{17f}"), ("ß", "ẞ"), ("σ", "ς"), ("Ω", "\u{2126}"), ("Å", "å")]
        {
            assert_eq!(fold(a.as_bytes()), fold(b.as_bytes()), "{a} {b}");
            assert_eq!(fold(&a.to_lowercase().into_bytes()), fold(&b.to_uppercase().into_bytes()), "{a} {b}");
        }
        assert_eq!(fold("a\u{200d}b".as_bytes()), "ab");
        assert_ne!(fold(b"a"), fold(b"b"));
        assert_ne!(fold(b"a\xff"), fold(b"a"));
    }

    #[test]
    fn only_plain_relative_paths_can_be_asked_for() {
        for path in ["", "/a", "a/", "a//b", "./a", "a/../b", "..", "a\0b", &"a/".repeat(4096)] {
            assert!(Wanted::new(&[path.to_owned()], 1).is_err(), "{path:?}");
        }
        assert!(Wanted::new(&["a".to_owned(), "b".to_owned()], 1).is_err());
        assert!(Wanted::new(&[".claude/settings.local.json".to_owned()], 1).is_ok());
    }
}
