//! How far two tags are apart: the number of bytes to put in, take out or change.

use super::Row;

/// One tag that many others are compared with.
///
/// Up to 64 bytes the columns of the usual table are words of bits (Myers 1999, in Hyyro's form); a longer tag takes
/// the table row by row. Most rows are told to be too far by what bytes they hold, and not compared.
struct Pattern<'a> {
    bytes: &'a [u8],
    /// For each byte, where it stands in the pattern.
    places: Vec<u64>,
    counts: Option<u64>,
}

const WORD: usize = 64;

/// No tag of a checked catalog is longer; nothing is near to one that is, and it is not worth the time.
const LONGEST: usize = 64 + 1 + 256;

/// How many bytes of each of eight kinds a text holds, eight bits a kind; none where eight bits might not do.
fn counts(text: &[&[u8]], length: usize) -> Option<u64> {
    let mut counts = 0_u64;
    for part in text {
        for byte in *part {
            counts = counts.wrapping_add(1 << (8 * (byte & 7)));
        }
    }
    u8::try_from(length).is_ok().then_some(counts)
}

/// An edit puts in one byte, takes out one, or does both: so many edits there are at least.
fn at_least(a: u64, b: u64) -> usize {
    let (mut more, mut less) = (0, 0);
    for (a, b) in a.to_le_bytes().into_iter().zip(b.to_le_bytes()) {
        more += usize::from(a.saturating_sub(b));
        less += usize::from(b.saturating_sub(a));
    }
    more.max(less)
}

impl<'a> Pattern<'a> {
    fn new(tag: &'a str) -> Self {
        let bytes = tag.as_bytes();
        let mut places = Vec::new();
        if (1..=WORD).contains(&bytes.len()) {
            places.resize(256, 0);
            for (index, &byte) in bytes.iter().enumerate() {
                places[usize::from(byte)] |= 1 << index;
            }
        }
        Self { bytes, places, counts: counts(&[bytes], bytes.len()) }
    }

    /// The distance to a text, which comes in parts; none where it is more than `most`.
    fn distance(&self, text: &[&[u8]], most: usize) -> Option<usize> {
        let length = text.iter().map(|part| part.len()).sum::<usize>();
        if length.abs_diff(self.bytes.len()) > most {
            return None;
        }
        let fewest = self.counts.zip(counts(text, length)).map_or(0, |(own, other)| at_least(own, other));
        if fewest > most {
            return None;
        }
        let distance = if self.places.is_empty() { self.by_rows(text) } else { self.by_words(text, length, most)? };
        (distance <= most).then_some(distance)
    }

    fn by_words(&self, text: &[&[u8]], length: usize, most: usize) -> Option<usize> {
        let last = 1_u64 << (self.bytes.len() - 1);
        let (mut more, mut less, mut score, mut left) = (u64::MAX, 0_u64, self.bytes.len(), length);
        for part in text {
            for &byte in *part {
                let equal = self.places[usize::from(byte)];
                let vertical = equal | less;
                let horizontal = ((equal & more).wrapping_add(more) ^ more) | equal;
                let mut up = less | !(horizontal | more);
                let mut down = more & horizontal;
                score += usize::from(up & last != 0);
                score -= usize::from(down & last != 0);
                left = left.saturating_sub(1);
                if score > most + left {
                    return None;
                }
                up = (up << 1) | 1;
                down <<= 1;
                more = down | !(vertical | up);
                less = up & vertical;
            }
        }
        Some(score)
    }

    fn by_rows(&self, text: &[&[u8]]) -> usize {
        let mut row: Vec<usize> = (0..=self.bytes.len()).collect();
        for &byte in text.iter().copied().flatten() {
            let mut corner = row[0];
            row[0] += 1;
            for (index, &own) in self.bytes.iter().enumerate() {
                let replaced = corner + usize::from(own != byte);
                corner = row[index + 1];
                row[index + 1] = replaced.min(corner + 1).min(row[index] + 1);
            }
        }
        row[self.bytes.len()]
    }
}

/// The `count` rows whose tags are nearest, the nearest first; of two as near, the one that sorts first.
pub(super) fn nearest<'a, 'b>(tag: &str, rows: &'b [Row<'a>], count: usize) -> Vec<&'b Row<'a>> {
    if tag.len() > LONGEST {
        return Vec::new();
    }
    let pattern = Pattern::new(tag);
    let mut best: Vec<(usize, &Row<'a>)> = Vec::with_capacity(count + 1);
    // Those of the same provider first: they are near, and what is farther need not be counted out.
    let provider = tag.split_once('/').map_or("", |(provider, _)| provider);
    let (same, others) =
        (rows.iter().filter(|row| row.provider == provider), rows.iter().filter(|row| row.provider != provider));
    for row in same.chain(others) {
        let most = if best.len() < count { usize::MAX / 2 } else { best.last().map_or(0, |(distance, _)| *distance) };
        let text = [row.provider.as_bytes(), b"/", row.model.as_bytes()];
        let Some(distance) = pattern.distance(&text, most) else { continue };
        if let Some(twin) = best.iter_mut().find(|(_, other)| other.key() == row.key()) {
            twin.1 = twin.1.min(row);
            continue;
        }
        let place = best.partition_point(|&(other, held)| (other, held.key()) < (distance, row.key()));
        best.insert(place, (distance, row));
        best.truncate(count);
    }
    best.into_iter().map(|(_, row)| row).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::test;

    fn distance(a: &str, b: &str) -> usize {
        Pattern::new(a).distance(&[b.as_bytes()], 1000).unwrap()
    }

    #[test]
    fn known_distances() {
        for (a, b, expected) in
            [("kitten", "sitting", 3), ("", "abc", 3), ("abc", "", 3), ("a/b", "a/b", 0), ("ab", "ba", 2)]
        {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
        assert_eq!(distance(&"a".repeat(200), &"a".repeat(190)), 10);
    }

    #[test]
    fn nothing_is_near_to_what_no_catalog_holds() {
        let row = Row { provider: "a", model: "b", canonical_model: "b", family: "b", auth_views: &[] };
        assert_eq!(nearest(&"a/b".repeat(100), &[row], 3).len(), 1);
        assert!(nearest(&"a/b".repeat(200), &[row], 3).is_empty());
    }

    proptest! {
        #[test]
        fn they_are_those_of_a_full_comparison(
            tag in "[ab]{0,2}/[ab19]{0,70}", models in prop::collection::vec(("[ab]{1,2}", "[ab19]{0,300}|[ab19]{0,6}"), 0..12),
        ) {
            let mut rows: Vec<Row<'_>> = Vec::new();
            for (provider, model) in &models {
                rows.push(Row { provider, model, canonical_model: "m", family: "f", auth_views: &[] });
            }
            let table = |row: &Row<'_>| Pattern::new(&tag).by_rows(&[row.provider.as_bytes(), b"/", row.model.as_bytes()]);
            let mut all: Vec<&Row<'_>> = rows.iter().collect();
            all.sort_by_key(|row| (table(row), row.key()));
            all.dedup();
            all.truncate(3);
            prop_assert_eq!(nearest(&tag, &rows, 3), all);
        }

        #[test]
        fn words_of_bits_count_as_the_table_does(a in "[ab/]{0,64}", b in "[ab/]{0,80}", most in 0_usize..90) {
            let table = Pattern { places: Vec::new(), ..Pattern::new(&a) }.by_rows(&[b.as_bytes()]);
            prop_assert_eq!(distance(&a, &b), table);
            let expected = (table <= most).then_some(table);
            prop_assert_eq!(Pattern::new(&a).distance(&[b.as_bytes()], most), expected);
        }
    }
}
