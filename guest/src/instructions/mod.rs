//! Instructions files as text: what the program would import from one, how it is kept from doing so, and how one file's
//! text stands beside another's in the one file that a run is given.
//!
//! Measured on Claude Code 2.1.250: it reads instructions with marked 15, its extensions for GitHub off, takes `@path`
//! after white space or at the start of a piece of text for an import, and skips code and HTML. [`imports`] follows that
//! lexer; where it would have to guess, it finds more than the program, never less:
//!
//! - an image's description is read like a link's;
//! - an `@` after a `*` or `_` that is text counts, whether emphasis begins there or not;
//! - after a code span, tag or link in which emphasis could end that began before it, or which a link definition
//!   elsewhere could cut, every `@` of that paragraph counts;
//! - in a text that stands more than sixteen containers deep, or that takes more than 64 steps a character, every `@`
//!   counts.
//!
//! Two more things about the program that a caller must know: frontmatter is taken off before it looks, so a caller
//! takes it off, too; and a code span in a *list item* is no protection when white space stands before its `@`.

mod blocks;
mod containers;
mod definition;
mod emphasis;
mod inline;
mod invisible;
mod links;
mod rules;
mod section;
#[cfg(test)]
mod section_tests;
#[cfg(test)]
mod tests;
mod units;

use std::ops::Range;

pub use invisible::{Invisible, InvisibleClass, invisible};
pub use section::{Origin, section};

use blocks::{Block, Lexer, TooMuch, Work};
use inline::{Found, Mode, Sure};
use units::{Text, View};

/// A place at which the program would import a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// The path as the program would read it: cut at the first `#`, each `\ ` a space. Where it stands in emphasis, it
    /// is cut at the mark that seems to end that.
    pub target: String,
    /// The bytes from the `@` to the end of what stands with it, fragment included.
    pub range: Range<usize>,
    /// From 1.
    pub line: u32,
}

/// Every place at which the program would import a file, in their order; whether the file exists is not asked.
///
/// ```
/// use winter_policy::instructions::imports;
/// let found = imports("See @docs/a.md#top and `@b.md`, not me@example.org.\n");
/// assert_eq!(found.len(), 1);
/// assert_eq!((found[0].target.as_str(), found[0].range.clone(), found[0].line), ("docs/a.md", 4..18, 1));
/// ```
pub fn imports(text: &str) -> Vec<Import> {
    let mut line = 1_u32;
    let mut from = 0;
    candidates(text)
        .into_iter()
        .filter(|found| found.sure != Sure::IfDefined)
        .map(|found| {
            let (start, last) = (place(found.start), place(found.last));
            line = line.saturating_add(line_ends(text.get(from..start).unwrap_or_default()));
            from = start;
            let len = text.get(last..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            Import { target: found.target, range: start..(last + len).max(start), line }
        })
        .collect()
}

/// The text, in which each `@` that [`imports`] finds is spelt `\@`, so that the program reads no file for it.
///
/// Markdown shows the same. So is an `@` spelt that would import only beside another text that defines a link of its
/// name. Where a backslash does not help (none in ordinary texts: a link whose address closes more brackets than it
/// opens, a paragraph that cannot be followed), it is spelt `&#64;`. The rest of the text is as it was; nothing is
/// changed a second time. `imports` of the answer is empty.
///
/// Both spellings are inert for Claude Code 2.1.250, measured in paragraphs, lists, quotations, headings, emphasis, links
/// and beside HTML comments.
///
/// ```
/// use winter_policy::instructions::{imports, neutralised};
/// let text = neutralised("See @a.md and `@b.md`.\n");
/// assert_eq!(text, "See \\@a.md and `@b.md`.\n");
/// assert!(imports(&text).is_empty());
/// assert_eq!(neutralised(&text), text);
/// ```
pub fn neutralised(text: &str) -> String {
    let mut text = text.to_owned();
    for round in 0..4 {
        let found = candidates(&text);
        if found.is_empty() {
            return text;
        }
        let mut out = String::with_capacity(text.len() + found.len());
        let mut from = 0;
        for one in found {
            let at = place(one.start);
            out.push_str(text.get(from..at).unwrap_or_default());
            out.push_str(if round > 0 || one.sure == Sure::Wild { ENTITY } else { "\\@" });
            from = at + 1;
        }
        out.push_str(text.get(from..).unwrap_or_default());
        text = out;
    }
    text.replace('@', ENTITY)
}

const ENTITY: &str = "&#64;";

fn place(at: u32) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

fn line_ends(text: &str) -> u32 {
    let bytes = text.as_bytes();
    let ends =
        (0..bytes.len()).filter(|i| bytes[*i] == b'\n' || (bytes[*i] == b'\r' && bytes.get(i + 1) != Some(&b'\n')));
    u32::try_from(ends.count()).unwrap_or(u32::MAX)
}

/// Every `@` that may begin an import, in order, each once.
fn candidates(text: &str) -> Vec<Found> {
    if !text.contains('@') {
        return Vec::new();
    }
    let source = Text::of(text);
    let mut found = search(source.view()).unwrap_or_else(|TooMuch| {
        let mut found = Vec::new();
        let mut work = Work::for_text(source.len());
        let _ = inline::find(source.view(), Mode::Wild, &mut work, &mut found);
        found
    });
    crate::order::sort_by_key(&mut found, |one| (one.start, one.sure));
    found.dedup_by_key(|one| one.start);
    found
}

fn search(source: View<'_>) -> Result<Vec<Found>, TooMuch> {
    let mut work = Work::for_text(source.len());
    let mut lexer = Lexer::new(&mut work);
    let mut blocks = Vec::new();
    lexer.blocks(source, &mut blocks, false)?;
    let mut found = Vec::new();
    search_blocks(&blocks, &mut lexer, &mut found)?;
    Ok(found)
}

fn search_blocks(blocks: &[Block], lexer: &mut Lexer<'_>, found: &mut Vec<Found>) -> Result<(), TooMuch> {
    for block in blocks {
        match block {
            Block::Space | Block::Code { .. } | Block::Other => {}
            Block::Html { raw, .. } => {
                let text = beside_comments(raw.view());
                inline::find(text.view(), Mode::AsItStands, lexer.work, found)?;
            }
            Block::Heading(text) | Block::Paragraph(text) => lexer.line(text.view(), found)?,
            Block::Line(text) => {
                inline::find(text.view(), Mode::AsItStands, lexer.work, found)?;
                lexer.line(text.view(), found)?;
            }
            Block::Quote { inside, .. } | Block::List { inside, .. } => search_blocks(inside, lexer, found)?,
        }
    }
    Ok(())
}

/// What stands beside the comments of a block that begins with one; the program reads that as text.
fn beside_comments(raw: View<'_>) -> Text {
    let mut out = Text::default();
    if !raw.holds(raw.skip(0, units::is_space), b"<!--") || raw.find_all(0, b"-->").is_none() {
        return out;
    }
    let mut from = 0;
    while let Some(start) = raw.find_all(from, b"<!--") {
        let Some(end) = raw.find_all(start + 4, b"-->") else { break };
        out.push_view(raw.cut(from, start));
        from = end + 3;
    }
    out.push_view(raw.from(from));
    out
}
