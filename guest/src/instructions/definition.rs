//! The two block rules that may look far ahead and then not match: link definitions and underlined headings.

use super::blocks::{TooMuch, Work};
use super::rules::code_indent;
use super::units::{View, is_rare_line_end, is_space};

/// After the label that begins at `i`: its `]`. A label holds something that is not white space and no bare bracket.
pub(super) fn label_end(e: View<'_>, i: usize, work: &mut Work) -> Result<Option<usize>, TooMuch> {
    let mut end = i;
    loop {
        work.spend(1)?;
        match (e.unit(end), e.get(end)) {
            (None, _) | (_, Some(b'[')) => return Ok(None),
            (_, Some(b']')) => break,
            (_, Some(b'\\')) => {
                if e.unit(end + 1).is_none_or(|u| u == 0x0A || is_rare_line_end(u)) {
                    return Ok(None);
                }
                end += 2;
            }
            _ => end += 1,
        }
    }
    Ok((e.skip(i, is_space) < end).then_some(end))
}

/// Where a title may end that begins at `i`: after its closing mark, the likeliest first.
pub(super) fn title_ends(e: View<'_>, i: usize, work: &mut Work) -> Result<Vec<usize>, TooMuch> {
    let mark = match e.get(i) {
        Some(b'"') => b'"',
        Some(b'\'') => b'\'',
        Some(b'(') => b')',
        _ => return Ok(Vec::new()),
    };
    let mut ends = Vec::new();
    let mut at = i + 1;
    while let Some(end) = e.find(at, mark) {
        work.spend(end - at + 1)?;
        ends.push(end + 1);
        if !e.is(end - 1, b'\\') || end == i + 1 {
            ends.reverse();
            return Ok(ends);
        }
        at = end + 1;
    }
    work.spend(e.len().saturating_sub(at))?;
    ends.reverse();
    Ok(ends)
}

/// After the spaces and the line ends at `i`, if nothing else is there.
fn line_over(e: View<'_>, i: usize) -> Option<usize> {
    let end = e.skip(i, |u| u == 0x20);
    e.at_end_of_line(end).then(|| e.skip(end, |u| u == 0x0A))
}

/// The title of a definition at `i`, and what ends it.
fn title(e: View<'_>, i: usize, work: &mut Work) -> Result<Option<usize>, TooMuch> {
    let ends = match e.get(i) {
        Some(b'"') => title_ends(e, i, work)?,
        Some(b'\'') => {
            let end = e.find(i + 1, b'\'').filter(|end| e.cut(i, *end).find_all(0, b"\n\n").is_none());
            work.spend(end.unwrap_or(e.len()) - i)?;
            end.map(|end| end + 1).into_iter().collect()
        }
        Some(b'(') => {
            let end = (i + 1..e.len()).find(|at| matches!(e.get(*at), Some(b'(' | b')')));
            work.spend(end.unwrap_or(e.len()) - i)?;
            end.filter(|end| e.is(*end, b')')).map(|end| end + 1).into_iter().collect()
        }
        _ => Vec::new(),
    };
    Ok(ends.into_iter().find_map(|end| line_over(e, end)))
}

/// A link definition: how much it takes, and its label.
pub(super) fn definition<'a>(e: View<'a>, work: &mut Work) -> Result<Option<(usize, View<'a>)>, TooMuch> {
    let start = e.run(0, b' ', 3);
    if !e.is(start, b'[') {
        return Ok(None);
    }
    let Some(close) = label_end(e, start + 1, work)? else { return Ok(None) };
    if !e.is(close + 1, b':') {
        return Ok(None);
    }
    let mut at = e.skip(close + 2, |u| u == 0x20);
    if e.is(at, b'\n') {
        at = e.blanks(at + 1);
    }
    let mut ends = Vec::new();
    if e.is(at, b'<') {
        let mut i = at + 1;
        while let Some(unit) = e.unit(i).filter(|u| *u != 0x0A && !is_rare_line_end(*u)) {
            if unit == u16::from(b'>') {
                ends.push(i + 1);
            }
            i += 1;
        }
    } else {
        let end = e.skip(at, |u| !is_space(u));
        if end > at {
            ends.push(end);
        }
    }
    for end in ends {
        let mut next = e.skip(end, |u| u == 0x20);
        let mut apart = next > end;
        if e.is(next, b'\n') {
            apart = true;
            next = e.blanks(next + 1);
        }
        work.spend(next - end + 1)?;
        if apart && let Some(len) = title(e, next, work)? {
            return Ok(Some((len, e.cut(start + 1, close))));
        }
        if let Some(len) = line_over(e, end) {
            return Ok(Some((len, e.cut(start + 1, close))));
        }
    }
    Ok(None)
}

/// Whether a line at `i` may not be part of an underlined heading.
fn not_in_heading(e: View<'_>, i: usize) -> bool {
    let start = i + e.run(i, b' ', 3);
    let digits = (0..10).take_while(|d| e.get(i + d).is_some_and(|b| b.is_ascii_digit())).count();
    let mark = match digits {
        0 => matches!(e.get(i), Some(b'*' | b'+' | b'-')).then_some(i),
        1..=9 => matches!(e.get(i + digits), Some(b'.' | b')')).then_some(i + digits),
        _ => None,
    };
    let bullet = mark.is_some_and(|at| e.is(at + 1, b' '));
    bullet
        || code_indent(e, i).is_some()
        || e.run(start, b'`', 3) == 3
        || e.run(start, b'~', 3) == 3
        || matches!(e.get(start), Some(b'>' | b'#'))
        || (e.is(start, b'<') && {
            let end = e.skip(start + 1, |u| u != 0x0A && u != u16::from(b'>'));
            end > start + 1 && e.is(end, b'>') && e.is(end + 1, b'\n')
        })
}

/// A heading whose last line is `===` or `---`: where its text ends, and how much it takes.
pub(super) fn underlined(e: View<'_>, work: &mut Work) -> Result<Option<(usize, usize)>, TooMuch> {
    if not_in_heading(e, 0) {
        return Ok(None);
    }
    let mut line = 0;
    loop {
        let end = e.line_end(line);
        work.spend(end - line + 1)?;
        if end == e.len() || e.cut(line, end).units().iter().any(|u| is_rare_line_end(*u)) {
            return Ok(None);
        }
        let under = end + 1;
        let start = under + e.run(under, b' ', 3);
        if end > 0
            && let Some(mark) = e.get(start).filter(|b| matches!(b, b'=' | b'-'))
        {
            let marks = e.skip(start, |u| u == u16::from(mark));
            if let Some(len) = line_over(e, marks) {
                return Ok(Some((end, len)));
            }
        }
        let blank = e.skip(under, |u| is_space(u) && u != 0x0A);
        if e.is(blank, b'\n') || not_in_heading(e, under) {
            return Ok(None);
        }
        line = under;
    }
}
