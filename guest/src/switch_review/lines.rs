//! From bytes to whole JSON objects, one a line, with whatever other programs and crashes left between them.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use super::json;
use super::oddity::{Oddities, OddityKind};

/// A line of more bytes than this is counted as long.
const LONG_LINE: usize = 1 << 20;

/// What members a line may have that decide about it; the order is that of [`Line::members`].
pub(super) const NAMES: [&str; 11] = [
    "type",
    "uuid",
    "parentUuid",
    "logicalParentUuid",
    "isSidechain",
    "isApiErrorMessage",
    "subtype",
    "message",
    "compactMetadata",
    "compact_metadata",
    "attachment",
];

/// One line's text, valid UTF-8 now.
pub(super) struct Text<'a> {
    /// Where it begins in the file.
    pub offset: u64,
    /// Without its end, a byte order mark, or NULs around it.
    pub content: Cow<'a, str>,
    /// It ends with the file and not with a newline.
    pub unterminated: bool,
}

/// One object.
pub(super) struct Line<'t> {
    /// Where it begins in the file.
    pub offset: u64,
    /// It stood behind a torn one on the same line.
    pub salvaged: bool,
    /// The values of [`NAMES`].
    pub members: [Option<&'t str>; NAMES.len()],
}

/// The lines of `bytes`, which begin at `offset` of the file and end with it. What stands before the first newline is
/// the end of a line that began earlier, unless the file itself begins there.
pub(super) fn split<'a>(bytes: &'a [u8], offset: u64, oddities: &mut Oddities) -> Vec<Text<'a>> {
    let (mut rest, mut at) = (bytes, offset);
    if offset > 0 {
        let Some(end) = find_newline(rest) else { return Vec::new() };
        (rest, at) = (&rest[end + 1..], at + end as u64 + 1);
    }
    let mut lines = Vec::new();
    while !rest.is_empty() {
        let end = find_newline(rest);
        let (line, next) = end.map_or((rest, &rest[rest.len()..]), |end| (&rest[..end], &rest[end + 1..]));
        if line.len() > LONG_LINE {
            oddities.add(OddityKind::LongLine);
        }
        let text = readable(line, oddities);
        if !text.is_empty() {
            lines.push(Text { offset: at, content: text, unterminated: end.is_none() });
        }
        at += (rest.len() - next.len()) as u64;
        rest = next;
    }
    lines
}

/// The place of the first newline. Of the standard library's searches for a byte, `contains` is the fast one.
fn find_newline(bytes: &[u8]) -> Option<usize> {
    const STEP: usize = 64;
    let start = STEP * bytes.chunks(STEP).position(|block| block.contains(&b'\n'))?;
    bytes[start..].iter().position(|&byte| byte == b'\n').map(|at| start + at)
}

fn readable<'a>(line: &'a [u8], oddities: &mut Oddities) -> Cow<'a, str> {
    let nuls = |byte: &u8| *byte == 0;
    let start = line.iter().take_while(|byte| nuls(byte)).count();
    let end = line[start..].iter().rev().take_while(|byte| nuls(byte)).count();
    let inner = &line[start..line.len() - end];
    if inner.len() < line.len() {
        oddities.add(OddityKind::NulBytes);
    }
    let inner = match inner.strip_prefix("\u{feff}".as_bytes()) {
        Some(inner) => {
            oddities.add(OddityKind::ByteOrderMark);
            inner
        }
        None => inner,
    };
    let inner = inner.trim_ascii();
    if let Ok(text) = std::str::from_utf8(inner) {
        return Cow::Borrowed(text);
    }
    oddities.add(OddityKind::BadUtf8);
    String::from_utf8_lossy(inner)
}

/// The object that a line is, or the whole one at the end of a line whose beginning was never finished.
pub(super) fn read<'t>(line: &'t Text<'_>, oddities: &mut Oddities) -> Option<Line<'t>> {
    if let Ok(members) = json::members(&line.content, &NAMES) {
        if line.unterminated {
            oddities.add(OddityKind::NoFinalNewline);
        }
        return Some(Line { offset: line.offset, salvaged: false, members });
    }
    if !line.content.starts_with('{') && serde_json::from_str::<IgnoredAny>(&line.content).is_ok() {
        oddities.add(OddityKind::NotAnObject);
        return None;
    }
    oddities.add(if line.unterminated { OddityKind::TornTail } else { OddityKind::Malformed });
    salvage(&line.content).map(|members| Line { offset: line.offset, salvaged: true, members })
}

/// The shortest suffix that is one whole object. Tries only so much: a line may be megabytes of opening braces.
fn salvage(text: &str) -> Option<[Option<&str>; NAMES.len()]> {
    let mut allowance = text.len().saturating_mul(4).saturating_add(4096);
    for (at, _) in text.rmatch_indices("{\"").filter(|&(at, _)| at > 0) {
        let suffix = &text[at..];
        let mut values = serde_json::Deserializer::from_str(suffix).into_iter::<IgnoredAny>();
        let whole = matches!(values.next(), Some(Ok(_)));
        let read = if whole { values.byte_offset() } else { suffix.len() };
        if whole && read == suffix.len() {
            return json::members(suffix, &NAMES).ok();
        }
        allowance = allowance.checked_sub(read)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::test;

    #[test]
    fn newlines_are_found_anywhere() {
        for length in 0..200 {
            let mut bytes = vec![b'x'; length];
            assert_eq!(find_newline(&bytes), None);
            for at in (0..length).rev() {
                bytes[at] = b'\n';
                assert_eq!(find_newline(&bytes), Some(at));
            }
        }
    }

    #[test]
    fn salvage_gives_up_in_time() {
        let text = format!("x{}", "{\"a\":".repeat(200_000));
        assert!(salvage(&text).is_none());
        assert!(salvage(r#"{"a":"tr{"uuid":"u","message":{"id":"x"}}"#).is_some_and(|found| found[1] == Some("\"u\"")));
    }
}
