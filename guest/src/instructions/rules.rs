//! How each block begins and ends, by the rules of the program's lexer.
//!
//! Measured on Claude Code 2.1.250, which reads instructions with marked 15, its extensions for GitHub off: there are
//! no tables, no strikethrough and no bare links. Each function looks at the start of its text and says how much of it
//! the block takes.

use super::units::{View, is_rare_line_end, is_space};

/// Names of the elements that begin a block of HTML.
const BLOCK_TAGS: &[&str] = &[
    "address",
    "article",
    "aside",
    "base",
    "basefont",
    "blockquote",
    "body",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "iframe",
    "legend",
    "li",
    "link",
    "main",
    "menu",
    "menuitem",
    "meta",
    "nav",
    "noframes",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "ul",
];

const RAW_TAGS: &[&str] = &["script", "pre", "style", "textarea"];

/// A fence, or a block of HTML.
#[derive(Debug)]
pub(super) struct Raw {
    /// How much it takes.
    pub(super) len: usize,
    /// What would have ended it, where the text ended first.
    pub(super) open: Option<String>,
}

/// Blank lines.
pub(super) fn blank_lines(e: View<'_>) -> usize {
    let mut i = 0;
    loop {
        let end = e.blanks(i);
        if end >= e.len() {
            return e.len();
        }
        if !e.is(end, b'\n') {
            return i;
        }
        i = end + 1;
    }
}

/// Four spaces, or a tab after three at most; the length of them.
pub(super) fn code_indent(e: View<'_>, i: usize) -> Option<usize> {
    let spaces = e.run(i, b' ', 4);
    match spaces {
        4 => Some(4),
        _ => e.is(i + spaces, b'\t').then_some(spaces + 1),
    }
}

/// A block that is code by its indentation.
pub(super) fn indented(e: View<'_>) -> Option<usize> {
    let mut i = 0;
    while let Some(indent) = code_indent(e, i) {
        if e.at_end_of_line(i + indent) {
            break;
        }
        i = e.line_end(i);
        if i == e.len() {
            break;
        }
        i += 1;
        i += blank_lines(e.from(i));
    }
    (i > 0).then_some(i)
}

/// A fenced block.
pub(super) fn fence(e: View<'_>) -> Option<Raw> {
    let start = e.run(0, b' ', 3);
    let mark = e.get(start).filter(|b| matches!(b, b'`' | b'~'))?;
    let count = e.run(start, mark, e.len());
    if count < 3 {
        return None;
    }
    let end = e.line_end(start);
    if mark == b'`' && e.cut(start + count, end).find(0, b'`').is_some() {
        return None;
    }
    let mut i = end;
    while i < e.len() {
        i += 1;
        let at = i + e.run(i, b' ', 3);
        if e.run(at, mark, count) == count {
            let after = e.skip(at, |u| u == u16::from(b'`') || u == u16::from(b'~'));
            let after = e.skip(after, |u| u == u16::from(b' '));
            if e.at_end_of_line(after) {
                return Some(Raw { len: after, open: None });
            }
        }
        i = e.line_end(i);
    }
    Some(Raw { len: e.len(), open: Some(char::from(mark).to_string().repeat(count)) })
}

/// After the line ends at `i`.
fn newlines(e: View<'_>, i: usize) -> usize {
    e.skip(i, |u| u == u16::from(b'\n'))
}

/// One to six `#` before white space or the end; where they end.
fn hashes(e: View<'_>, i: usize) -> Option<usize> {
    let start = i + e.run(i, b' ', 3);
    let count = e.run(start, b'#', 7);
    let end = start + count;
    ((1..=6).contains(&count) && (end >= e.len() || e.space_at(end))).then_some(end)
}

/// A heading with `#`: where its text begins and ends, and how much it takes.
pub(super) fn heading(e: View<'_>) -> Option<(usize, usize, usize)> {
    let start = hashes(e, 0)?;
    let end = e.line_end(start);
    if e.cut(start, end).units().iter().any(|u| is_rare_line_end(*u)) {
        return None;
    }
    Some((start, end, newlines(e, end)))
}

/// A rule across the page, after `indent` spaces at most; where its line ends.
pub(super) fn rule(e: View<'_>, i: usize, indent: usize, tabs: bool) -> Option<usize> {
    let start = i + e.run(i, b' ', indent);
    let mark = e.get(start).filter(|b| matches!(b, b'-' | b'_' | b'*'))?;
    let end = e.skip(start, |u| u == u16::from(mark) || u == 0x20 || (tabs && u == 0x09));
    let marks = e.cut(start, end).units().iter().filter(|u| **u == u16::from(mark)).count();
    (marks >= 3 && e.at_end_of_line(end)).then_some(end)
}

/// Whether what stands at `i`, a line's start, ends a paragraph.
fn interrupts(e: View<'_>, i: usize) -> bool {
    let start = i + e.run(i, b' ', 3);
    let end = e.line_end(start);
    let ended = end < e.len();
    if rule(e, i, 3, true).is_some() || hashes(e, i).is_some() || e.is(start, b'>') {
        return true;
    }
    let ticks = e.run(start, b'`', 3);
    if ended && ticks == 3 {
        let after = e.skip(start, |u| u == u16::from(b'`'));
        if e.cut(after, end).find(0, b'`').is_none() {
            return true;
        }
    }
    if ended && e.run(start, b'~', 3) == 3 {
        return true;
    }
    let bullet = match e.get(start) {
        Some(b'*' | b'+' | b'-') => 1,
        Some(b'1') if matches!(e.get(start + 1), Some(b'.' | b')')) => 2,
        _ => 0,
    };
    if bullet > 0 && e.is(start + bullet, b' ') {
        return true;
    }
    let spaces = e.run(i, b' ', e.len());
    if ended && spaces > 0 && e.is(i + spaces, b'\n') {
        return true;
    }
    e.is(i, b'<')
        && (block_tag(e, i, false).is_some()
            || e.holds(i, b"<!--")
            || RAW_TAGS.iter().any(|tag| e.holds(i + 1, tag.as_bytes())))
}

/// Where the paragraph that begins at `i` ends; `i` is not at the end of a line.
pub(super) fn paragraph(e: View<'_>, i: usize) -> usize {
    let mut end = e.line_end(i);
    while end < e.len() {
        let next = end + 1;
        if e.at_end_of_line(next) || interrupts(e, next) {
            break;
        }
        end = e.line_end(next);
    }
    end
}

/// A quotation with the lines that continue its paragraphs.
pub(super) fn quote(e: View<'_>) -> Option<usize> {
    let mut i = 0;
    loop {
        let start = i + e.run(i, b' ', 3);
        if i >= e.len() || !e.is(start, b'>') {
            return (i > 0).then_some(i);
        }
        let text = start + 1 + usize::from(e.is(start + 1, b' '));
        let end = if e.at_end_of_line(text) { text } else { paragraph(e, text) };
        i = (end + 1).min(e.len());
        if end >= e.len() {
            return Some(e.len());
        }
    }
}

/// `</?name` before a space, a line end or the tag's end, where the name begins a block; after that.
fn block_tag(e: View<'_>, i: usize, caseless: bool) -> Option<usize> {
    let name = i + 1 + usize::from(e.is(i + 1, b'/'));
    let end = e.skip(name, |u| u8::try_from(u).is_ok_and(|b| b.is_ascii_alphanumeric()));
    let known = BLOCK_TAGS.iter().any(|tag| {
        tag.len() == end - name
            && if caseless { e.holds_caseless(name, tag.as_bytes()) } else { e.holds(name, tag.as_bytes()) }
    });
    if !known {
        return None;
    }
    match e.get(end)? {
        b' ' => Some(e.skip(end, |u| u == 0x20)),
        b'\n' | b'>' => Some(end + 1),
        b'/' if e.is(end + 1, b'>') => Some(end + 2),
        _ => None,
    }
}

/// The first blank line from `from` on, with those that follow; else the end.
fn until_blank(e: View<'_>, from: usize) -> usize {
    let mut i = from;
    while let Some(end) = e.find(i, b'\n') {
        let mut after = e.blanks(end + 1);
        if e.is(after, b'\n') {
            loop {
                let next = e.blanks(after + 1);
                if !e.is(next, b'\n') {
                    return after + 1;
                }
                after = next;
            }
        }
        i = end + 1;
    }
    e.len()
}

fn is_name_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || matches!(b, b'_' | b':')
}

/// After a tag's attributes at `i`. In a block they stand on one line; in a line of text they may run over several.
/// How far it looked is put in `seen`.
pub(super) fn attributes(e: View<'_>, mut i: usize, block: bool, seen: &mut usize) -> usize {
    let gap = |u: u16| if block { u == 0x20 } else { is_space(u) };
    loop {
        let name = e.skip(i, gap);
        *seen = (*seen).max(name);
        if name == i || !e.get(name).is_some_and(is_name_start) {
            return i;
        }
        i = e.skip(name, |u| {
            u8::try_from(u).is_ok_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':' | b'-'))
        });
        let equals = e.skip(i, gap);
        if !e.is(equals, b'=') {
            continue;
        }
        let value = e.skip(equals + 1, gap);
        if let Some(mark @ (b'"' | b'\'')) = e.get(value) {
            let end = e.skip(value + 1, |u| u != u16::from(mark) && !(block && u == 0x0A));
            *seen = (*seen).max(end);
            if e.is(end, mark) {
                i = end + 1;
            }
            continue;
        }
        let end = e.skip(value, |u| {
            !is_space(u) && !u8::try_from(u).is_ok_and(|b| matches!(b, b'"' | b'\'' | b'=' | b'<' | b'>' | b'`'))
        });
        if end > value {
            i = end;
        }
    }
}

/// A whole tag of any name, alone on its line; after it.
fn lone_tag(e: View<'_>, i: usize) -> Option<usize> {
    let closing = e.is(i + 1, b'/');
    let name = i + 1 + usize::from(closing);
    if RAW_TAGS.iter().any(|tag| e.holds_caseless(name, tag.as_bytes())) || !e.get(name)?.is_ascii_alphabetic() {
        return None;
    }
    let end = e.skip(name, |u| u8::try_from(u).is_ok_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')));
    let close = if closing {
        e.skip(end, is_space)
    } else {
        let end = attributes(e, end, true, &mut 0);
        let end = e.skip(end, |u| u == 0x20);
        end + usize::from(e.is(end, b'/'))
    };
    (e.is(close, b'>') && e.at_end_of_line(e.blanks(close + 1))).then_some(close + 1)
}

/// A block of HTML.
pub(super) fn html(e: View<'_>) -> Option<Raw> {
    let i = e.run(0, b' ', 3);
    if !e.is(i, b'<') {
        return None;
    }
    let until = |from: usize, end: &str| match e.find_all(from, end.as_bytes()) {
        Some(at) => Raw { len: newlines(e, at + end.len()), open: None },
        None => Raw { len: e.len(), open: Some(end.to_owned()) },
    };
    let raw_tag = RAW_TAGS.iter().find(|tag| {
        let end = i + 1 + tag.len();
        e.holds_caseless(i + 1, tag.as_bytes()) && (e.space_at(end) || e.is(end, b'>'))
    });
    if let Some(tag) = raw_tag {
        let close = format!("</{tag}>");
        let mut from = i + tag.len() + 2;
        while let Some(at) = (from..e.len()).find(|at| e.holds_caseless(*at, close.as_bytes())) {
            let end = e.line_end(at);
            if end < e.len() {
                return Some(Raw { len: newlines(e, end), open: None });
            }
            from = end;
        }
        return Some(Raw { len: e.len(), open: Some(close) });
    }
    if e.holds(i, b"<!--") {
        let end = if e.is(i + 4, b'>') {
            Some(i + 5)
        } else if e.holds(i + 4, b"->") {
            Some(i + 6)
        } else {
            e.find_all(i + 4, b"-->").map(|at| at + 3)
        };
        return Some(match end {
            Some(end) => Raw { len: newlines(e, e.line_end(end)), open: None },
            None => Raw { len: e.len(), open: Some("-->".to_owned()) },
        });
    }
    if e.holds(i, b"<?") {
        return Some(until(i + 2, "?>"));
    }
    if e.holds(i, b"<!") && e.get(i + 2).is_some_and(|b| b.is_ascii_alphabetic()) {
        return Some(until(i + 3, ">"));
    }
    if e.holds_caseless(i, b"<![CDATA[") {
        return Some(until(i + 9, "]]>"));
    }
    let after = block_tag(e, i, true).or_else(|| lone_tag(e, i))?;
    Some(Raw { len: until_blank(e, after), open: None })
}
