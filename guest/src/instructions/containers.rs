//! Quotations and lists: what is taken off their lines, and which lines still belong to them.

use super::blocks::{Block, Lexer, TooMuch, add};
use super::rules;
use super::units::{Text, View, is_rare_line_end};

fn line_starts(view: View<'_>) -> impl Iterator<Item = usize> + '_ {
    std::iter::once(0).chain((0..view.len()).filter(move |i| view.is(*i, b'\n')).map(|i| i + 1))
}

/// An indented block's text: four spaces or a tab off each line, no line ends at the end.
pub(super) fn unindented(block: View<'_>) -> Text {
    let mut out = Text::default();
    for start in line_starts(block) {
        if start > 0 {
            out.push(0x0A, block.at(start - 1));
        }
        let spaces = block.run(start, b' ', 4);
        let text = start + if spaces < 4 && block.is(start + spaces, b'\t') { spaces + 1 } else { spaces };
        out.push_view(block.cut(text, block.line_end(text)));
    }
    while out.view().is(out.len().wrapping_sub(1), b'\n') {
        out.truncate(out.len() - 1);
    }
    out
}

/// The lines up to the end of the first quoted ones, and where the others begin.
fn quoted_lines(view: View<'_>) -> (View<'_>, Option<usize>) {
    let mut quoted = false;
    for start in line_starts(view) {
        if view.is(start + view.run(start, b' ', 3), b'>') {
            quoted = true;
        } else if quoted {
            return (view.cut(0, start - 1), Some(start));
        }
    }
    (view, None)
}

/// Quote marks taken off, and a line that would underline a heading made one that does not.
fn unquoted(chunk: View<'_>) -> Text {
    let mut out = Text::default();
    for start in line_starts(chunk) {
        let end = chunk.line_end(start);
        let mut text = start + chunk.run(start, b' ', 3);
        if start > 0 {
            out.push(0x0A, chunk.at(start - 1));
            if let Some(mark) = chunk.get(text).filter(|b| matches!(b, b'=' | b'-')) {
                let marks = chunk.skip(text, |u| u == u16::from(mark));
                if chunk.skip(marks, |u| u == 0x20) == end {
                    (0..4).for_each(|_| out.push_made(0x20));
                    out.push_view(chunk.cut(text, end));
                    continue;
                }
            }
        }
        let mut from = start;
        loop {
            if chunk.is(text, b'>') {
                from = text + 1 + usize::from(matches!(chunk.get(text + 1), Some(b' ' | b'\t')));
            }
            let next = chunk.cut(0, end).skip(from, |u| !is_rare_line_end(u));
            let next = (next + 1).min(end);
            out.push_view(chunk.cut(from, next));
            if next >= end {
                break;
            }
            from = next;
            text = from + chunk.run(from, b' ', 3);
        }
    }
    out
}

/// `raw` without its last `old` units, then the raw text of `block`.
fn replace_end(raw: &mut Text, old: usize, block: &Block) {
    raw.truncate(raw.len().saturating_sub(old));
    if let Block::Quote { raw: new, .. } | Block::List { raw: new, .. } = block {
        raw.push_view(new.view());
    }
}

/// The line with four spaces for each tab.
fn untabbed(line: View<'_>) -> Text {
    let mut out = Text::default();
    for (i, unit) in line.units().iter().enumerate() {
        if *unit == 0x09 {
            (0..4).for_each(|_| out.push(0x20, line.at(i)));
        } else {
            out.push(*unit, line.at(i));
        }
    }
    out
}

/// Where the first unit stands that is not a space.
fn first_ink(line: View<'_>) -> Option<usize> {
    let at = line.skip(0, |u| u == 0x20);
    (at < line.len()).then_some(at)
}

/// A bullet at `start`: its length, and its kind (for a number, the mark after it).
fn bullet(e: View<'_>, start: usize) -> Option<(usize, u8)> {
    if let Some(mark @ (b'*' | b'+' | b'-')) = e.get(start) {
        return Some((1, mark));
    }
    let digits = (0..10).take_while(|i| e.get(start + i).is_some_and(|b| b.is_ascii_digit())).count();
    let mark = e.get(start + digits).filter(|b| matches!(b, b'.' | b')'))?;
    (1..=9).contains(&digits).then_some((digits + 1, mark))
}

/// A bullet after three spaces at most that white space or the line's end follows: where it ends, and its kind.
fn item_start(e: View<'_>, indent: usize) -> Option<(usize, u8)> {
    let start = e.run(0, b' ', indent);
    let (len, kind) = bullet(e, start)?;
    let end = start + len;
    (e.at_end_of_line(end) || matches!(e.get(end), Some(b' ' | b'\t'))).then_some((end, kind))
}

/// What the lines of an item are compared with.
struct Limits(usize);

impl Limits {
    fn fence(&self, line: View<'_>) -> bool {
        let start = line.run(0, b' ', self.0);
        line.run(start, b'`', 3) == 3 || line.run(start, b'~', 3) == 3
    }

    fn heading(&self, line: View<'_>) -> bool {
        line.is(line.run(0, b' ', self.0), b'#')
    }

    fn rule(&self, line: View<'_>) -> bool {
        rules::rule(line, 0, self.0, false).is_some()
    }

    fn html(&self, line: View<'_>) -> bool {
        let start = line.run(0, b' ', self.0);
        line.is(start, b'<')
            && (line.holds(start + 1, b"!--")
                || line.get(start + 1).is_some_and(|b| b.is_ascii_alphabetic()) && {
                    let end = line.skip(start + 2, |u| u != u16::from(b'>') && !is_rare_line_end(u));
                    line.is(end, b'>')
                })
    }

    fn end_item(&self, line: View<'_>) -> bool {
        self.fence(line)
            || self.heading(line)
            || self.html(line)
            || item_start(line, self.0).is_some()
            || self.rule(line)
    }
}

impl Lexer<'_> {
    fn inside(&mut self, e: View<'_>, out: &mut Vec<Block>, clipped: bool) -> Result<(), TooMuch> {
        self.work.enter()?;
        self.blocks(e, out, clipped)?;
        self.work.leave();
        Ok(())
    }

    /// A quotation.
    pub(super) fn quote(&mut self, e: View<'_>) -> Result<Option<Block>, TooMuch> {
        let Some(len) = rules::quote(e) else { return Ok(None) };
        self.work.spend(len)?;
        let end = (0..len).rev().find(|i| !e.is(*i, b'\n')).map_or(0, |i| i + 1);
        let mut rest = e.cut(0, end).to_text();
        let mut from = 0;
        let mut raw = Text::default();
        let mut inside = Vec::new();
        loop {
            let view = rest.view().from(from);
            let (chunk, next) = quoted_lines(view);
            self.work.spend(chunk.len() + 1)?;
            if raw.len() > 0 {
                raw.push_made(0x0A);
            }
            raw.push_view(chunk);
            let top = self.top;
            self.top = true;
            self.inside(unquoted(chunk).view(), &mut inside, true)?;
            self.top = top;
            let Some(next) = next else { break };
            let mut longer = match inside.last() {
                Some(Block::Code { .. }) => break,
                Some(Block::Quote { raw: last, .. } | Block::List { raw: last, .. }) => last.clone(),
                _ => {
                    from += next;
                    continue;
                }
            };
            let old = longer.len();
            self.work.spend(old + view.len())?;
            add(&mut longer, view.from(next));
            self.work.enter()?;
            let quoted = matches!(inside.last(), Some(Block::Quote { .. }));
            let again = if quoted { self.quote(longer.view())? } else { self.list(longer.view())? };
            self.work.leave();
            let Some(again) = again else { break };
            replace_end(&mut raw, old, &again);
            let taken = again.raw_len();
            inside.pop();
            inside.push(again);
            if quoted {
                break;
            }
            rest = longer;
            from = taken;
        }
        Ok(Some(Block::Quote { raw, inside }))
    }

    /// A list.
    pub(super) fn list(&mut self, mut e: View<'_>) -> Result<Option<Block>, TooMuch> {
        let Some((end, kind)) = item_start(e, 3) else { return Ok(None) };
        if !e.at_end_of_line(end) && e.at_end_of_line(end + 1) {
            return Ok(None);
        }
        let mut raw = Text::default();
        let mut items = Vec::new();
        while let Some((end, _)) = item_start(e, 3).filter(|(_, other)| *other == kind) {
            if rules::rule(e, 0, 3, true).is_some() {
                break;
            }
            let (text, taken) = self.item(e, end, &mut raw)?;
            items.push(text);
            e = e.from(taken);
        }
        let Some(last) = items.last_mut() else { return Ok(None) };
        last.trim_end();
        raw.trim_end();
        let mut inside = Vec::new();
        for item in &items {
            self.top = false;
            let mut blocks = Vec::new();
            self.inside(item.view(), &mut blocks, false)?;
            inside.append(&mut blocks);
        }
        Ok(Some(Block::List { raw, inside }))
    }

    /// The item whose bullet ends at `end`: its text, and how much it takes, which is put after `raw`.
    fn item(&mut self, e: View<'_>, end: usize, raw: &mut Text) -> Result<(Text, usize), TooMuch> {
        let line_end = e.line_end(end);
        let mut at = (line_end + 1).min(e.len());
        self.work.spend(at)?;
        raw.push_view(e.cut(0, at));
        let first = e.cut(end, line_end);
        let tabs = first.run(0, b'\t', first.len());
        let mut line = Text::default();
        (0..tabs.saturating_mul(3)).for_each(|_| line.push(0x20, first.at(0)));
        line.push_view(first.from(tabs));
        let mut blank = line.view().is_blank();
        let mut text = Text::default();
        let indent = if blank {
            end + 1
        } else {
            let ink = first_ink(first).unwrap_or(0);
            let ink = if ink > 4 { 1 } else { ink };
            text.push_view(line.view().from(ink));
            ink + end
        };
        let next = e.cut(at, e.line_end(at));
        if blank && next.blanks(0) >= next.len() {
            raw.push_view(next);
            raw.push_made(0x0A);
            return Ok((text, (at + next.len() + 1).min(e.len())));
        }
        let limits = Limits(indent.saturating_sub(1).min(3));
        while at < e.len() {
            let whole = e.cut(at, e.line_end(at));
            self.work.spend(whole.len() + 1)?;
            if limits.end_item(whole) {
                break;
            }
            let wide = untabbed(whole);
            if first_ink(wide.view()).is_some_and(|ink| ink >= indent) || whole.is_blank() {
                add(&mut text, wide.view().from(indent));
            } else {
                let deep = first_ink(untabbed(line.view()).view()).is_some_and(|ink| ink >= 4);
                let line = line.view();
                if blank || deep || limits.fence(line) || limits.heading(line) || limits.rule(line) {
                    break;
                }
                add(&mut text, whole);
            }
            blank = blank || whole.is_blank();
            raw.push_view(whole);
            raw.push_made(0x0A);
            at = (at + whole.len() + 1).min(e.len());
            line = wide.view().from(indent).to_text();
        }
        Ok((text, at))
    }
}
