//! Where emphasis could end within something that is not text.

use super::blocks::{Lexer, TooMuch};
use super::definition::label_end;
use super::units::{View, is_rare_line_end};

/// The marks with which emphasis may begin or end.
pub(super) struct Delimiters {
    hidden: Vec<bool>,
    /// For `*` and `_`, how many stand before each place, and how many of them the program's search for the end sees.
    counts: [Vec<(u32, u32)>; 2],
    /// Whether one of them stood in the text so far.
    begun: [bool; 2],
    /// One stood where the search would not have seen it: from there on, it may see other things than we think.
    loose: bool,
}

impl Delimiters {
    pub(super) fn of(e: View<'_>, lexer: &mut Lexer<'_>) -> Result<Self, TooMuch> {
        let hidden = hidden(e, lexer)?;
        let counts = [b'*', b'_'].map(|mark| {
            let (mut all, mut seen) = (0_u32, 0_u32);
            let mut counts = vec![(0, 0)];
            for (i, hidden) in hidden.iter().enumerate() {
                if is_delimiter(e, i, mark) {
                    all = all.saturating_add(1);
                    seen = seen.saturating_add(u32::from(!hidden));
                }
                counts.push((all, seen));
            }
            counts
        });
        Ok(Self { hidden, counts, begun: [false; 2], loose: false })
    }

    /// The text holds what stands at `i`.
    pub(super) fn text(&mut self, e: View<'_>, i: usize) {
        for (begun, mark) in self.begun.iter_mut().zip([b'*', b'_']) {
            if is_delimiter(e, i, mark) {
                *begun = true;
                self.loose |= self.hidden.get(i).copied().unwrap_or(true);
            }
        }
    }

    /// Whether emphasis that began in the text so far may end between `start` and `end`.
    pub(super) fn cut(&self, start: usize, end: usize) -> bool {
        self.begun.iter().zip(&self.counts).any(|(begun, counts)| {
            let at = |i: usize| counts.get(i).or(counts.last()).copied().unwrap_or_default();
            *begun && if self.loose { at(start).0 != at(end).0 } else { at(start).1 != at(end).1 }
        })
    }
}

/// Whether emphasis may begin or end with the mark at `i`; an underscore within a word does neither.
fn is_delimiter(e: View<'_>, i: usize, mark: u8) -> bool {
    let word = |i: Option<usize>| i.and_then(|i| e.get(i)).is_some_and(|b| b.is_ascii_alphanumeric());
    e.is(i, mark) && !(mark == b'_' && word(i.checked_sub(1)) && word(Some(i + 1)))
}

/// What the program hides from its search for emphasis: links, what stands between two backticks or angle brackets,
/// escaped marks. Nothing, where a definition elsewhere could change what it hides.
fn hidden(e: View<'_>, lexer: &mut Lexer<'_>) -> Result<Vec<bool>, TooMuch> {
    let mut hidden = vec![false; e.len()];
    if !e.units().iter().any(|u| matches!(*u, 0x2A | 0x5F)) {
        return Ok(hidden);
    }
    for open in (0..e.len()).filter(|i| e.is(*i, b'[')) {
        if let Some(close) = label_end(e, open + 1, lexer.work)? {
            lexer.work.spend(close - open)?;
            let inner = e.cut(open, close);
            let count = |byte: u8| inner.units().iter().filter(|u| **u == u16::from(byte)).count();
            if count(b'`') % 2 == 1 || count(b'<') != count(b'>') {
                return Ok(hidden);
            }
        }
    }
    let mut ticks = true;
    let mut i = 0;
    while i < e.len() {
        let end = match e.get(i) {
            Some(b'`') if ticks => {
                let close = e.find(i + 1, b'`');
                ticks = close.is_some();
                close
            }
            Some(b'<') => {
                let end = e.skip(i + 1, |u| u != u16::from(b'<') && u != u16::from(b'>'));
                e.is(end, b'>').then_some(end)
            }
            Some(b'[') => hidden_link(e, i, lexer)?,
            _ => None,
        };
        match end {
            Some(end) => {
                hidden[i..=end].fill(true);
                i = end + 1;
            }
            None => i += 1,
        }
    }
    let mut i = 0;
    while i < e.len() {
        if e.is(i, b'\\') && !hidden[i] && e.get(i + 1).is_some_and(|b| b.is_ascii_punctuation()) {
            hidden[i + 1] = true;
            i += 1;
        }
        i += 1;
    }
    Ok(hidden)
}

/// The last unit of a link at `open` whose text holds no bracket.
fn hidden_link(e: View<'_>, open: usize, lexer: &mut Lexer<'_>) -> Result<Option<usize>, TooMuch> {
    let close = e.skip(open + 1, |u| u != u16::from(b'[') && u != u16::from(b']'));
    if !e.holds(close, b"](") {
        return Ok(None);
    }
    let mut inner = false;
    let mut i = close + 2;
    loop {
        lexer.work.spend(1)?;
        match (e.unit(i), e.get(i)) {
            (None, _) => return Ok(None),
            (_, Some(b'\\')) => {
                if e.unit(i + 1).is_none_or(|u| u == 0x0A || is_rare_line_end(u)) {
                    return Ok(None);
                }
                i += 1;
            }
            (_, Some(b'(')) if inner => return Ok(None),
            (_, Some(b'(')) => inner = true,
            (_, Some(b')')) if inner => inner = false,
            (_, Some(b')')) => return Ok(Some(i)),
            _ => {}
        }
        i += 1;
    }
}
