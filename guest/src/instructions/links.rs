//! Tags and links in a line of text: how far each goes.

use super::blocks::{Lexer, TooMuch, Work, folded};
use super::definition::{label_end, title_ends};
use super::rules::attributes;
use super::units::{Text, View, is_rare_line_end, is_space};

/// After a comment, tag, instruction or declaration at `i`.
pub(super) fn tag(e: View<'_>, i: usize, seen: &mut usize) -> Option<usize> {
    let mut until = |from: usize, end: &[u8]| {
        let at = e.find_all(from, end);
        *seen = at.unwrap_or(e.len());
        at.map(|at| at + end.len())
    };
    if e.holds(i, b"<!--") {
        if e.is(i + 4, b'>') {
            return Some(i + 5);
        }
        return if e.holds(i + 4, b"->") { Some(i + 6) } else { until(i + 4, b"-->") };
    }
    match e.get(i + 1)? {
        b'?' => until(i + 2, b"?>"),
        b'!' if e.holds(i + 2, b"[CDATA[") => until(i + 9, b"]]>"),
        b'!' => {
            let end = e.skip(i + 2, |u| u8::try_from(u).is_ok_and(|b| b.is_ascii_alphabetic()));
            if end > i + 2 && e.space_at(end) { until(end + 1, b">") } else { None }
        }
        b'/' if e.get(i + 2)?.is_ascii_alphabetic() => {
            let end = e.skip(i + 2, |u| {
                u8::try_from(u).is_ok_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':' | b'-'))
            });
            let end = e.skip(end, is_space);
            e.is(end, b'>').then_some(end + 1)
        }
        b if b.is_ascii_alphabetic() => {
            let end =
                e.skip(i + 1, |u| u8::try_from(u).is_ok_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')));
            let end = e.skip(attributes(e, end, false, seen), is_space);
            let end = end + usize::from(e.is(end, b'/'));
            e.is(end, b'>').then_some(end + 1)
        }
        _ => None,
    }
}

/// After a link in angle brackets at `i`.
pub(super) fn bare_link(e: View<'_>, i: usize) -> Option<usize> {
    let end = e.skip(i + 1, |u| u > 0x1F && !is_space(u) && u != u16::from(b'<') && u != u16::from(b'>'));
    if !e.is(end, b'>') {
        return None;
    }
    let inner = String::from_utf16_lossy(e.cut(i + 1, end).units());
    let scheme = inner.split_once(':').is_some_and(|(scheme, _)| {
        (2..=32).contains(&scheme.len())
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'))
    });
    (scheme || is_address(&inner)).then_some(end + 1)
}

fn is_address(text: &str) -> bool {
    let Some((name, host)) = text.split_once('@') else { return false };
    let part = |p: &str| {
        (1..=63).contains(&p.len())
            && !p.starts_with('-')
            && !p.ends_with('-')
            && p.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || ".!#$%&'*+/=?^_`{|}~-".contains(c))
        && host.contains('.')
        && host.split('.').all(part)
}

/// A link's text and how far the whole goes.
pub(super) struct Link {
    pub(super) text: (usize, usize),
    pub(super) end: usize,
}

/// The label that begins at `i`: its `]`. It may hold brackets, one deep, and code.
fn nested_label(e: View<'_>, i: usize, work: &mut Work) -> Result<Option<usize>, TooMuch> {
    let dots = |i: usize| e.unit(i).is_some_and(|u| u != 0x0A && !is_rare_line_end(u));
    let mut end = i;
    loop {
        work.spend(1)?;
        match (e.unit(end), e.get(end)) {
            (None, _) => return Ok(None),
            (_, Some(b']')) => return Ok(Some(end)),
            (_, Some(b'\\')) if dots(end + 1) => end += 2,
            (_, Some(b'\\')) => return Ok(None),
            (_, Some(b'`')) => {
                let close = e.find(end + 1, b'`');
                work.spend(close.unwrap_or(e.len()) - end)?;
                let Some(close) = close else { return Ok(None) };
                end = close + 1;
            }
            (_, Some(b'[')) => {
                end += 1;
                loop {
                    work.spend(1)?;
                    match (e.unit(end), e.get(end)) {
                        (None, _) | (_, Some(b'[')) => return Ok(None),
                        (_, Some(b']')) => break,
                        (_, Some(b'\\')) if dots(end + 1) => end += 2,
                        (_, Some(b'\\')) => return Ok(None),
                        _ => end += 1,
                    }
                }
                end += 1;
            }
            _ => end += 1,
        }
    }
}

/// The first `)` that no `(` before it opens.
fn unopened(e: View<'_>) -> Option<usize> {
    let mut open = 0_usize;
    let mut i = 0;
    while i < e.len() {
        match e.get(i) {
            Some(b'\\') => i += 1,
            Some(b'(') => open += 1,
            Some(b')') => match open.checked_sub(1) {
                Some(less) => open = less,
                None => return Some(i),
            },
            _ => {}
        }
        i += 1;
    }
    None
}

impl Lexer<'_> {
    /// A link with its address behind it. `open` is its `[`; an image begins one before.
    pub(super) fn link(&mut self, e: View<'_>, open: usize) -> Result<Option<Link>, TooMuch> {
        let Some(close) = nested_label(e, open + 1, self.work)? else { return Ok(None) };
        if !e.is(close + 1, b'(') {
            return Ok(None);
        }
        let start = e.skip(close + 2, is_space);
        self.work.spend(start - close)?;
        let text = (open + 1, close);
        let closes = |at: usize| {
            let end = e.skip(at, is_space);
            e.is(end, b')').then_some(end + 1)
        };
        // The address in angle brackets, then as it stands, whole or up to one of its `)`, then none at all.
        let mut hrefs = Vec::new();
        if e.is(start, b'<') {
            let mut end = start + 1;
            while let Some(unit) = e.unit(end).filter(|u| !matches!(*u, 0x0A | 0x3C | 0x3E)) {
                end += if unit == 0x5C && e.unit(end + 1).is_some_and(|u| u != 0x0A && !is_rare_line_end(u)) {
                    2
                } else {
                    1
                };
            }
            self.work.spend(end - start)?;
            if end > start + 1 && e.is(end, b'>') {
                hrefs.push(end + 1);
            }
        }
        let whole = e.skip(start, |u| u > 0x1F && !is_space(u));
        self.work.spend(whole - start + 1)?;
        hrefs.push(whole);
        hrefs.extend((start..whole).rev().filter(|i| e.is(*i, b')')));
        for href in hrefs {
            let after = e.skip(href, is_space);
            self.work.spend(after - href + 1)?;
            let mut end = None;
            if after > href {
                end = title_ends(e, after, self.work)?.into_iter().find_map(closes);
            }
            if let Some(end) = end.or_else(|| closes(href)) {
                return Ok(address(e, (start, href), end, close).map(|end| Link { text, end }));
            }
        }
        if start > close + 2 {
            let end = title_ends(e, start, self.work)?.into_iter().find_map(closes);
            return Ok(end.map(|end| Link { text, end }));
        }
        Ok(None)
    }

    /// A link by a label: its text, its end, and whether the label is defined.
    pub(super) fn by_label(&mut self, e: View<'_>, open: usize) -> Result<Option<(Link, bool)>, TooMuch> {
        if let Some(close) = nested_label(e, open + 1, self.work)?
            && e.is(close + 1, b'[')
            && let Some(end) = label_end(e, close + 2, self.work)?
        {
            let known = self.knows(e.cut(close + 2, end))?;
            return Ok(Some((Link { text: (open + 1, close), end: end + 1 }, known)));
        }
        let Some(close) = label_end(e, open + 1, self.work)? else { return Ok(None) };
        let known = self.knows(e.cut(open + 1, close))?;
        let end = close + if e.holds(close + 1, b"[]") { 3 } else { 1 };
        Ok(Some((Link { text: (open + 1, close), end }, known)))
    }

    fn knows(&mut self, label: View<'_>) -> Result<bool, TooMuch> {
        if self.labels.is_empty() {
            return Ok(false);
        }
        self.work.spend(label.len())?;
        Ok(self.labels.contains(&folded(label)))
    }
}

/// Where a link ends whose address stands at `href`; none when the address is not one.
///
/// An address that closes more brackets than it opens is cut at the first of those, and the program counts from the
/// link's start without the white space before the address. So do we.
fn address(e: View<'_>, href: (usize, usize), end: usize, close: usize) -> Option<usize> {
    let view = e.cut(href.0, href.1);
    if view.is(0, b'<') {
        let inner = view.cut(0, view.len() - 1);
        let slashes = inner.units().iter().rev().take_while(|u| **u == 0x5C).count();
        return (view.len() > 1 && view.is(view.len() - 1, b'>') && slashes % 2 == 0).then_some(end);
    }
    match unopened(view) {
        Some(at) => {
            let cut = close + 2 + at + 1;
            Some(e.cut(0, cut).trim_end().len())
        }
        None => Some(end),
    }
}

/// A link's text, in which the program takes the backslash from `\[` and `\]`.
pub(super) fn unescaped_brackets(text: View<'_>) -> Text {
    let mut out = Text::default();
    for i in 0..text.len() {
        if !(text.is(i, b'\\') && matches!(text.get(i + 1), Some(b'[' | b']'))) {
            out.push_view(text.cut(i, i + 1));
        }
    }
    out
}
