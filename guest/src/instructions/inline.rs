//! One paragraph, heading or line: what in it is text, and which `@` of that begin an import.
//!
//! Emphasis is not followed: each `*` and `_` may begin or end it, so what stands after one may begin an import. Where
//! emphasis could end within something that is not text, or a definition elsewhere could make a link of brackets, the
//! rest of the paragraph is *wild*: every `@` in it may begin an import.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::blocks::{Lexer, TooMuch, Work};
use super::emphasis::Delimiters;
use super::links::{bare_link, tag, unescaped_brackets};
use super::units::{GAP, Text, View, is_space};

/// How sure it is that the program would import.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sure {
    /// It would, as far as its rules can be followed.
    Yes,
    /// It might: the rules cannot be followed to the end here.
    Wild,
    /// Only if another text defined a link of that name.
    IfDefined,
}

/// One `@` that may begin an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) start: u32,
    /// The place of the target's last unit.
    pub(super) last: u32,
    pub(super) target: String,
    pub(super) sure: Sure,
}

/// Which `@` of a piece of text count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Those at its start and after white space.
    AsItStands,
    /// Also those after a gap, emphasis or a bracket.
    Line,
    /// All.
    Wild,
}

const STAR: u16 = 0x2A;
const UNDERSCORE: u16 = 0x5F;
const OPEN: u16 = 0x5B;
const CLOSE: u16 = 0x5D;

/// The imports in one piece of text.
///
/// # Errors
///
/// When it would take too much; not in [`Mode::Wild`], where a target then ends at the next `@`.
pub(super) fn find(text: View<'_>, mode: Mode, work: &mut Work, found: &mut Vec<Found>) -> Result<(), TooMuch> {
    let firsts = [b'*', b'_'].map(|mark| text.find(0, mark).unwrap_or(usize::MAX));
    let (mut i, mut run_end, mut short) = (0, 0, false);
    while let Some(at) = text.find(i, b'@') {
        i = at + 1;
        let before = at.checked_sub(1).and_then(|b| text.unit(b));
        let sure = match before {
            _ if mode == Mode::Wild => Sure::Wild,
            // An escaped space of the path before.
            Some(unit) if is_space(unit) && at < run_end => continue,
            unit if unit.is_none_or(is_space) => Sure::Yes,
            Some(_) if mode == Mode::AsItStands => continue,
            Some(GAP | STAR | UNDERSCORE) => Sure::Yes,
            Some(OPEN | CLOSE) => Sure::IfDefined,
            _ => continue,
        };
        let mut end = at + 1;
        while let Some(unit) = text.unit(end).filter(|u| *u != GAP) {
            end += match unit {
                0x5C if text.is(end + 1, b' ') => 2,
                0x5C => break,
                0x40 if short => break,
                unit if is_space(unit) => break,
                _ => 1,
            };
        }
        match work.spend(end - at) {
            Err(TooMuch) if mode == Mode::Wild => short = true,
            spent => spent?,
        }
        if mode == Mode::Line {
            end = emphasis_end(text, at, end, firsts);
        }
        let run = String::from_utf16_lossy(text.cut(at + 1, end).units());
        let target = run.split('#').next().unwrap_or_default().replace("\\ ", " ");
        if is_path(&target) {
            found.push(Found { start: text.at(at), last: text.at(end - 1), target, sure });
        }
        if before.is_none_or(|u| u == GAP || is_space(u)) {
            // Emphasis may begin there, and with it another piece of text.
            let mark = |i: &usize| mode == Mode::Line && matches!(text.get(*i), Some(b'*' | b'_'));
            run_end = (at + 1..end).find(mark).unwrap_or(end);
        }
    }
    Ok(())
}

/// Where the emphasis ends in which the import at `at` stands, if that is before `end`.
fn emphasis_end(text: View<'_>, at: usize, end: usize, firsts: [usize; 2]) -> usize {
    let begun = |slot: usize| firsts[slot] < at;
    let star = (at..end).find(|i| begun(0) && text.is(*i, b'*'));
    let letter = |i: &usize| char::from_u32(u32::from(text.unit(*i).unwrap_or(0))).is_some_and(char::is_alphanumeric);
    let after_word = (at..end).rev().find(letter).map_or(at, |i| i + 1);
    let under = (after_word..end).find(|i| begun(1) && text.is(*i, b'_'));
    star.or(under).unwrap_or(end)
}

/// Whether the program takes it for a path.
fn is_path(target: &str) -> bool {
    target.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
        || target.starts_with("~/")
        || (target.starts_with('/') && target.len() > 1)
}

impl Lexer<'_> {
    /// The imports of a paragraph, a heading or a line.
    pub(super) fn line(&mut self, e: View<'_>, found: &mut Vec<Found>) -> Result<(), TooMuch> {
        if e.find(0, b'@').is_none() {
            return Ok(());
        }
        self.work.enter()?;
        self.work.spend(e.len().saturating_mul(4))?;
        let mut delimiters = Delimiters::of(e, self)?;
        let mut ticks = Ticks::of(e);
        let mut text = Text::default();
        // Where links would end that are none unless another text defines their label.
        let mut ends = BTreeSet::new();
        let mut i = 0;
        while i < e.len() {
            self.work.spend(1)?;
            let mut label = None;
            let mut end = None;
            match e.get(i) {
                Some(b'\\') if e.get(i + 1).is_some_and(|b| b.is_ascii_punctuation()) => {
                    text.push(GAP, e.at(i));
                    i += 2;
                    continue;
                }
                Some(b'<') => {
                    let mut seen = i;
                    end = tag(e, i, &mut seen).or_else(|| bare_link(e, i));
                    self.work.spend(seen - i)?;
                }
                Some(b'`') => {
                    let run = e.run(i, b'`', e.len());
                    if let Some(close) = ticks.close(i + run, run) {
                        end = Some(close + run);
                    } else {
                        text.push_view(e.cut(i, i + run));
                        i += run;
                        continue;
                    }
                }
                Some(b'[') => {
                    if let Some(link) = self.link(e, i)? {
                        (label, end) = (Some(link.text), Some(link.end));
                    } else if let Some((link, known)) = self.by_label(e, i)? {
                        let (from, to) = link.text;
                        if known {
                            (label, end) = (Some(link.text), Some(link.end));
                        } else if e.cut(from, to).find_all(0, b"\\[").is_some()
                            || e.cut(from, to).find_all(0, b"\\]").is_some()
                        {
                            return self.wild(e, i, &text, found);
                        } else {
                            ends.extend([to, link.end]);
                        }
                    }
                }
                _ => {}
            }
            let Some(end) = end else {
                delimiters.text(e, i);
                text.push_view(e.cut(i, i + 1));
                i += 1;
                continue;
            };
            if delimiters.cut(i, end) || ends.range(i + 1..end).next().is_some() {
                return self.wild(e, i, &text, found);
            }
            text.push(GAP, e.at(i));
            if let Some((from, to)) = label {
                let inner = unescaped_brackets(e.cut(from, to));
                self.line(inner.view(), found)?;
            }
            i = end;
        }
        find(text.view(), Mode::Line, self.work, found)?;
        self.work.leave();
        Ok(())
    }

    fn wild(&mut self, e: View<'_>, from: usize, text: &Text, found: &mut Vec<Found>) -> Result<(), TooMuch> {
        find(text.view(), Mode::Line, self.work, found)?;
        find(e.from(from), Mode::Wild, self.work, found)?;
        self.work.spend(e.len())?;
        self.work.leave();
        Ok(())
    }
}

/// Where runs of backticks begin, by their length.
struct Ticks(BTreeMap<usize, VecDeque<usize>>);

impl Ticks {
    fn of(e: View<'_>) -> Self {
        let mut runs = BTreeMap::<_, VecDeque<_>>::new();
        let mut i = 0;
        while let Some(at) = e.find(i, b'`') {
            let run = e.run(at, b'`', e.len());
            runs.entry(run).or_default().push_back(at);
            i = at + run;
        }
        Self(runs)
    }

    /// The first run of that length from `from` on.
    fn close(&mut self, from: usize, run: usize) -> Option<usize> {
        let runs = self.0.get_mut(&run)?;
        while runs.front().is_some_and(|at| *at < from) {
            runs.pop_front();
        }
        runs.front().copied()
    }
}
