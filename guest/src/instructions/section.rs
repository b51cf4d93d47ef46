//! One file's text between two lines that say whose it is.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::blocks::{Block, Lexer, TooMuch, Work};
use super::units::{Text, View};
use super::{beside_comments, candidates, invisible::class, neutralised, place};
use crate::tier::Tier;

/// Where a text comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Whose it is.
    pub tier: Tier,
    /// The file.
    pub path: String,
    /// The file that imports it, when one does.
    pub imported_by: Option<String>,
}

/// `text` between a boundary line that begins it and one that ends it; sections can stand one after another as they are.
///
/// The lines hold `boundary` (the run's id), the tier and the path, and are paragraphs of their own, whatever `text` is:
/// blank lines stand around them, and a fence, comment or block of HTML that `text` leaves open is closed before the
/// last one. So the next section is read as if it stood alone (Claude Code 2.1.250, measured). A text that cannot be
/// followed to its end (see [the module](super)) is indented by four spaces, which makes it code.
///
/// `text` is [`neutralised`]; a BOM at its start is taken off; in a line that could be taken for a boundary, of this run
/// or another, `not a boundary: ` is put before its first word. Characters of a path that could act in the line, or not
/// be seen in it, are spelt `%XX`.
///
/// ```
/// use winter_policy::{instructions::{section, Origin}, tier::Tier};
/// let origin = Origin { tier: Tier::Project, path: "/repo/CLAUDE.md".to_owned(), imported_by: None };
/// let expected = "----- winter [run-1] begin (project) \"/repo/CLAUDE.md\" -----\n\n\
///     ```\nlet x;\n```\n\n----- winter [run-1] end (project) \"/repo/CLAUDE.md\" -----\n\n";
/// assert_eq!(section("run-1", &origin, "```\nlet x;"), expected);
/// ```
pub fn section(boundary: &str, origin: &Origin, text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let begin = boundary_line(boundary, "begin", origin);
    let end = boundary_line(boundary, "end", origin);
    let mut text = without_look_alikes(text);
    // What ends with its text may be read otherwise before a line end.
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let whole = |text: &str| format!("{begin}\n\n{text}\n{end}\n\n");
    let mut inert = neutralised(&text);
    for _ in 0..2 {
        let Ok(closed) = closed(inert, &end) else { break };
        let answer = whole(&closed);
        if candidates(&answer).is_empty() {
            return answer;
        }
        inert = neutralised(&closed);
    }
    whole(&indented(&text))
}

// The brackets, the bracketed tier and the quotation marks end a link definition that a text leaves open: none of its
// parts may hold them.
fn boundary_line(run: &str, verb: &str, origin: &Origin) -> String {
    let tier = match origin.tier {
        Tier::User => "user",
        Tier::Project => "project",
        Tier::Local => "local",
    };
    let mut line = format!("----- winter [{}] {verb} ({tier}) \"{}\"", shown(run), shown(&origin.path));
    if let Some(by) = &origin.imported_by {
        let _ = write!(line, " imported by \"{}\"", shown(by));
    }
    line + " -----"
}

/// A name that stays on its line, is seen whole and does nothing there.
fn shown(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        let acts =
            matches!(c, '@' | '`' | '"' | '\\' | '%' | '<' | '>' | '[' | ']' | '&') || (c == '-' && out.ends_with('-'));
        if acts || c.is_control() || (c.is_whitespace() && c != ' ') || class(c).is_some() {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                let _ = write!(out, "%{byte:02X}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

fn blocks(source: View<'_>) -> Result<Vec<Block>, TooMuch> {
    let mut work = Work::for_text(source.len());
    let mut blocks = Vec::new();
    Lexer::new(&mut work).blocks(source, &mut blocks, false)?;
    Ok(blocks)
}

/// The text with what it leaves open closed, so that `end` after a blank line is a paragraph.
fn closed(mut text: String, end: &str) -> Result<String, TooMuch> {
    for _ in 0..4 {
        let whole = Text::of(&format!("{text}\n{end}\n"));
        let mut blocks = blocks(whole.view())?;
        let last = blocks.pop();
        if let Some(Block::Paragraph(paragraph)) = &last
            && paragraph.view().units().iter().copied().eq(end.encode_utf16())
        {
            return Ok(text);
        }
        let Some(Block::Code { open: Some(open) } | Block::Html { open: Some(open), .. }) = last else { break };
        text.push_str(&open);
        text.push('\n');
    }
    Err(TooMuch)
}

/// Each line four spaces further in.
fn indented(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut chars = text.chars().peekable();
    let mut start = true;
    while let Some(c) = chars.next() {
        let ends = c == '\n' || (c == '\r' && chars.peek() != Some(&'\n'));
        if start && !matches!(c, '\n' | '\r') {
            out.push_str("    ");
        }
        out.push(c);
        start = ends || (start && c == '\r');
    }
    if !start {
        out.push('\n');
    }
    out
}

const WORD: [char; 6] = ['w', 'i', 'n', 't', 'e', 'r'];

/// The text with `not a boundary: ` in each line that could be taken for a boundary.
fn without_look_alikes(text: &str) -> String {
    let source = Text::of(text);
    let mut places = BTreeSet::new();
    look_alikes(source.view(), &mut places);
    // The program takes comments out of these before the model reads them, which may join what they part.
    for block in blocks(source.view()).unwrap_or_default() {
        if let Block::Html { raw, .. } = block {
            look_alikes(beside_comments(raw.view()).view(), &mut places);
        }
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for at in places.into_iter().map(place) {
        out.push_str(text.get(from..at).unwrap_or_default());
        out.push_str("not a boundary: ");
        from = at;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

/// Where, in lines that look like boundaries, their first word stands.
fn look_alikes(source: View<'_>, places: &mut BTreeSet<u32>) {
    let mut line: Vec<(u32, char)> = Vec::new();
    let mut at = 0;
    for c in char::decode_utf16(source.units().iter().copied()) {
        let (c, len) = c.map_or((char::REPLACEMENT_CHARACTER, 1), |c| (c, c.len_utf16()));
        let here = source.at(at);
        at += len;
        if matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}') {
            look_alike(&line, places);
            line.clear();
        } else if class(c).is_none() && !matches!(c, '\u{300}'..='\u{36f}' | '\0') {
            line.push((here, plain(c)));
        }
    }
    look_alike(&line, places);
}

/// Lower case, and not of full width.
fn plain(c: char) -> char {
    let c = match c {
        '\u{ff01}'..='\u{ff5e}' => u32::from(c).checked_sub(0xFEE0).and_then(char::from_u32).unwrap_or(c),
        c => c,
    };
    c.to_lowercase().next().unwrap_or(c)
}

/// Whether a character can be taken for that letter: any letter of an alphabet may be made to look like another.
fn passes_for(c: char, letter: char) -> bool {
    c == letter
        || (c.is_alphanumeric()
            && !c.is_ascii()
            && !matches!(c, '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}'))
}

fn is_dash(c: char) -> bool {
    matches!(c, '-' | '=' | '_' | '~' | '\u{ad}' | '\u{af}' | '\u{2c9}' | '\u{58a}' | '\u{5be}' | '\u{1173}' | '\u{1806}'
        | '\u{2010}'..='\u{2015}' | '\u{203e}' | '\u{2043}' | '\u{207b}' | '\u{208b}' | '\u{2212}' | '\u{23af}'
        | '\u{23ba}'..='\u{23bd}' | '\u{23e4}' | '\u{2500}'..='\u{257f}' | '\u{2580}'..='\u{2594}' | '\u{2796}'
        | '\u{2e0f}'..='\u{2e5d}' | '\u{2f00}' | '\u{3030}' | '\u{301c}' | '\u{30fc}' | '\u{3161}' | '\u{4e00}'
        | '\u{fe31}'..='\u{fe32}' | '\u{fe49}'..='\u{fe4f}' | '\u{fe58}' | '\u{fe63}' | '\u{ff70}' | '\u{10191}')
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() && !is_dash(c)
}

fn look_alike(line: &[(u32, char)], places: &mut BTreeSet<u32>) {
    let is_word = |at: usize, word: &[char]| {
        word.iter().enumerate().all(|(i, letter)| line.get(at + i).is_some_and(|(_, c)| passes_for(*c, *letter)))
            && line.get(at + word.len()).is_none_or(|(_, c)| !is_letter(*c))
    };
    let (mut dashes, mut marks, mut first, mut within) = (0_u32, 0_u32, true, false);
    for (at, (place, c)) in line.iter().enumerate() {
        if !is_letter(*c) {
            if within {
                (dashes, marks, within) = (0, 0, false);
            }
            dashes += u32::from(is_dash(*c) || *c == '\u{2e3a}');
            marks += u32::from(!c.is_whitespace());
            continue;
        }
        if !within && is_word(at, &WORD) {
            let after = line.get(at + WORD.len()..).unwrap_or_default();
            let bracket = after.iter().find(|(_, c)| !c.is_whitespace()).is_some_and(|(_, c)| !is_letter(*c));
            let named = || {
                (at + WORD.len()..line.len()).take(80).any(|i| {
                    !is_letter(line[i - 1].1)
                        && (is_word(i, &['b', 'e', 'g', 'i', 'n']) || is_word(i, &['e', 'n', 'd']))
                })
            };
            if dashes >= 3 || marks >= 5 || (first && bracket && named()) {
                places.insert(*place);
            }
        }
        // A number at the start may be a list's.
        first = first && c.is_numeric();
        within = true;
    }
}
