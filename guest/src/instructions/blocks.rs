//! The blocks of a text, as the program's lexer tells them apart.

use std::collections::BTreeSet;

use super::containers::unindented;
use super::definition::{definition, underlined};
use super::rules;
use super::units::{Text, View};

/// How deep quotations, lists and link texts may stand in each other before the lexer gives up.
const DEEPEST: usize = 16;

/// The lexer gave up: the text would take more than a fixed multiple of its length, or stands too deep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMuch;

/// What may still be spent.
#[derive(Debug)]
pub(super) struct Work {
    left: usize,
    depth: usize,
}

impl Work {
    pub(super) fn for_text(len: usize) -> Self {
        Self { left: len.saturating_mul(64).saturating_add(100_000), depth: 0 }
    }

    pub(super) fn spend(&mut self, steps: usize) -> Result<(), TooMuch> {
        self.left = self.left.checked_sub(steps).ok_or(TooMuch)?;
        Ok(())
    }

    pub(super) fn enter(&mut self) -> Result<(), TooMuch> {
        self.depth += 1;
        if self.depth > DEEPEST { Err(TooMuch) } else { Ok(()) }
    }

    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}

/// What a block is, with what is needed of it.
#[derive(Clone, Debug)]
pub(super) enum Block {
    /// Blank lines.
    Space,
    /// Fenced or indented code; what would close it, where it is open.
    Code { open: Option<String> },
    /// A rule, or a definition.
    Other,
    /// HTML as it stands; what would close it, where it is open.
    Html { raw: Text, open: Option<String> },
    /// A heading of either kind.
    Heading(Text),
    /// A paragraph.
    Paragraph(Text),
    /// A line of an item of a list. The program reads it twice: as it stands, and as a line of text.
    Line(Text),
    /// A quotation.
    Quote { raw: Text, inside: Vec<Block> },
    /// A list.
    List { raw: Text, inside: Vec<Block> },
}

impl Block {
    /// How much of the text a quotation or a list takes.
    pub(super) fn raw_len(&self) -> usize {
        match self {
            Self::Quote { raw, .. } | Self::List { raw, .. } => raw.len(),
            _ => 0,
        }
    }

    /// The text that lines which follow are added to.
    fn open_text(&mut self) -> Option<&mut Text> {
        match self {
            Self::Paragraph(text) | Self::Line(text) => Some(text),
            _ => None,
        }
    }
}

/// Puts a line end and `more` after `text`.
pub(super) fn add(text: &mut Text, more: View<'_>) {
    text.push_made(0x0A);
    text.push_view(more);
}

/// The lexer's state.
#[derive(Debug)]
pub(super) struct Lexer<'w> {
    pub(super) work: &'w mut Work,
    /// Whether lines of text are paragraphs here.
    pub(super) top: bool,
    /// The labels of link definitions, in the form in which they are looked up.
    pub(super) labels: BTreeSet<Vec<u16>>,
}

/// A label in the form in which it is looked up.
pub(super) fn folded(label: View<'_>) -> Vec<u16> {
    let text = String::from_utf16_lossy(label.units());
    let mut out = String::new();
    let mut gap = false;
    for c in text.chars() {
        let mut pair = [0; 2];
        if c.encode_utf16(&mut pair).iter().all(|u| super::units::is_space(*u)) {
            if !gap {
                out.push(' ');
            }
            gap = true;
        } else {
            gap = false;
            out.extend(c.to_lowercase());
        }
    }
    out.encode_utf16().collect()
}

impl<'w> Lexer<'w> {
    pub(super) fn new(work: &'w mut Work) -> Self {
        Self { work, top: true, labels: BTreeSet::new() }
    }

    /// The blocks of `e`, put after those of `out`. With `clipped`, a paragraph at the start continues the last one.
    pub(super) fn blocks(&mut self, mut e: View<'_>, out: &mut Vec<Block>, mut clipped: bool) -> Result<(), TooMuch> {
        while !e.is_empty() {
            self.work.spend(1)?;
            let taken = self.one(e, out, &mut clipped)?;
            self.work.spend(taken)?;
            e = e.from(taken);
        }
        self.top = true;
        Ok(())
    }

    /// One block; how much it took.
    fn one(&mut self, e: View<'_>, out: &mut Vec<Block>, clipped: &mut bool) -> Result<usize, TooMuch> {
        let blank = rules::blank_lines(e);
        if blank > 0 {
            match out.last_mut() {
                Some(last) if blank == 1 => {
                    if let Block::Quote { raw, .. } | Block::List { raw, .. } = last {
                        raw.push_made(0x0A);
                    }
                }
                _ => out.push(Block::Space),
            }
            return Ok(blank);
        }
        if let Some(len) = rules::indented(e) {
            match out.last_mut().and_then(Block::open_text) {
                Some(text) => add(text, unindented(e.cut(0, len)).view()),
                None => out.push(Block::Code { open: None }),
            }
            return Ok(len);
        }
        if let Some(raw) = rules::fence(e) {
            out.push(Block::Code { open: raw.open });
            return Ok(raw.len);
        }
        if let Some((start, end, len)) = rules::heading(e) {
            out.push(Block::Heading(e.cut(start, end).trim().to_text()));
            return Ok(len);
        }
        if let Some(len) = rules::rule(e, 0, 3, true) {
            out.push(Block::Other);
            return Ok(len);
        }
        if let Some(quote) = self.quote(e)? {
            let taken = quote.raw_len();
            out.push(quote);
            return Ok(taken);
        }
        if let Some(list) = self.list(e)? {
            let taken = list.raw_len();
            out.push(list);
            return Ok(taken);
        }
        if let Some(raw) = rules::html(e) {
            out.push(Block::Html { raw: e.cut(0, raw.len).to_text(), open: raw.open });
            return Ok(raw.len);
        }
        if let Some((len, label)) = definition(e, self.work)? {
            if let Some(text) = out.last_mut().and_then(Block::open_text) {
                add(text, e.cut(0, len));
            } else {
                self.labels.insert(folded(label));
            }
            return Ok(len);
        }
        if let Some((end, len)) = underlined(e, self.work)? {
            out.push(Block::Heading(e.cut(0, end).to_text()));
            return Ok(len);
        }
        if self.top {
            let end = rules::paragraph(e, 0);
            match out.last_mut() {
                Some(Block::Paragraph(text)) if *clipped => add(text, e.cut(0, end)),
                _ => out.push(Block::Paragraph(e.cut(0, end).to_text())),
            }
            *clipped = false;
            return Ok(end);
        }
        let end = e.line_end(0);
        match out.last_mut() {
            Some(Block::Line(text)) => add(text, e.cut(0, end)),
            _ => out.push(Block::Line(e.cut(0, end).to_text())),
        }
        Ok(end)
    }
}
