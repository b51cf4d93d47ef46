//! What acts in the text of skills and commands, and how it is made plain text.

use super::header::is_space;
use super::write::shown;
use crate::powers::Place;

/// One place in a text that acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) place: Place,
    /// Of the text, from 0.
    pub(super) line: u32,
    /// The command, or what is referred to.
    pub(super) what: String,
}

/// The text with a `\` before each `!` and `@` that acts, and those places; none where nothing acts.
///
/// What acts (Claude Code 2.1.250, measured; each with its inert spelling, by `/name` and by the model):
/// `` !`command` `` at the start or after white space; three backticks and a `!`, anywhere; `@path` at the start, after
/// white space or after `。`, `、`, `？`, `！`. A place that the program fills with an argument (`$ARGUMENTS`, `$1`,
/// `$name`) can become empty or anything before the program looks: next to one, every `!` and `@` that could act with
/// it is taken as one that does. The program spells what arguments hold in the same way. A code span is no exception:
/// where the program makes one, it depends on the arguments.
pub(super) fn neutralise(text: &str) -> Option<(String, Vec<Found>)> {
    let mut out = String::new();
    let mut found = Vec::new();
    let mut copied = 0;
    let mut before = Before::start();
    let mut line = 0_u32;
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        if let Some(length) = filled(&text[at..]) {
            before.fill();
            at += length;
            continue;
        }
        let rest = &text[at + character.len_utf8()..];
        let place = match character {
            '!' if before.shell(rest) => Some(Place::InlineShell),
            '@' if before.opens('@') && rest.starts_with(|c| !is_space(c)) => Some(Place::FileReference),
            _ => None,
        };
        if let Some(place) = place {
            out.push_str(&text[copied..at]);
            out.push('\\');
            copied = at;
            found.push(Found { place, line, what: what(place, rest) });
        }
        if character == '\n' {
            line = line.saturating_add(1);
        }
        before.pass(character);
        at += character.len_utf8();
    }
    if found.is_empty() {
        return None;
    }
    out.push_str(&text[copied..]);
    Some((out, found))
}

/// How long the place for an argument at the start of `text` is at most.
fn filled(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('$')?;
    let name =
        rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).len();
    if name == 0 {
        return None;
    }
    let mut length = 1 + name;
    while let Some(inner) = text[length..].strip_prefix('[') {
        let digits = inner.len() - inner.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits == 0 || !inner[digits..].starts_with(']') {
            break;
        }
        length += digits + 2;
    }
    Some(length)
}

/// What stands before a character, places for arguments left out.
struct Before {
    /// The last character; none at the start.
    last: Option<char>,
    /// Backticks in a row.
    ticks: u32,
    /// A place for an argument stands among those backticks, or directly before.
    among_filled: bool,
    /// A place for an argument stands directly before.
    filled: bool,
}

impl Before {
    fn start() -> Self {
        Self { last: None, ticks: 0, among_filled: false, filled: false }
    }

    fn fill(&mut self) {
        self.filled = true;
        self.among_filled = true;
    }

    fn pass(&mut self, character: char) {
        self.last = Some(character);
        self.filled = false;
        if character == '`' {
            self.ticks = self.ticks.saturating_add(1);
        } else {
            self.ticks = 0;
            self.among_filled = false;
        }
    }

    fn opens(&self, sign: char) -> bool {
        self.filled
            || self.last.is_none_or(|last| is_space(last) || (sign == '@' && matches!(last, '。' | '、' | '？' | '！')))
    }

    /// Whether a `!` here, with `rest` after it, can start a command.
    fn shell(&self, rest: &str) -> bool {
        self.among_filled || self.ticks >= 3 || (self.opens('!') && (rest.starts_with('`') || filled(rest).is_some()))
    }
}

fn what(place: Place, rest: &str) -> String {
    // More is not shown, and a text may hold very many of them.
    const LOOKED_AT: usize = 800;
    let rest = &rest[..rest.floor_char_boundary(LOOKED_AT)];
    let end = |stop: &str, text: &str| text.find(stop).unwrap_or(text.len());
    if place == Place::FileReference {
        let path = rest
            .strip_prefix('"')
            .map_or_else(|| &rest[..rest.find(is_space).unwrap_or(rest.len())], |quoted| &quoted[..end("\"", quoted)]);
        return shown(&format!("@{path}"));
    }
    match rest.strip_prefix('`') {
        Some(command) => shown(&command[..end("`", command)]),
        None => shown(&rest[..end("```", rest).min(end("\n\n", rest))]),
    }
}
