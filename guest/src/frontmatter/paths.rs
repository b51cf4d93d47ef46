//! `paths:` of a rule or a skill, made to mean the same where the program reads it: relative to the working directory.
//!
//! As the program reads them (Claude Code 2.1.250, its strings and measured): a text is split at commas outside braces,
//! and so is each text of a list; braces are expanded; `/**` at the end falls away; what is left is a gitignore pattern,
//! read without regard to case. A pattern with a slash before its last character is anchored, any other matches at any
//! depth. `//x`, `./x`, and what holds `..`, match nothing.

use std::collections::BTreeSet;

use super::glob;
use crate::brand::Spelling;
use crate::escape::rule_path;

/// How many patterns the braces of one may stand for; beyond, the program takes them literally.
const MOST_ALTERNATIVES: usize = 1000;
/// How many bytes they may take together; the same.
const MOST_BYTES: usize = 4 * 1024 * 1024;
/// How many patterns may be written in all; what comes after is written as `*`.
const MOST_WRITTEN: usize = 1000;
/// How many folders deep a pattern is looked into; a deeper one is taken for `*`.
const MOST_SEGMENTS: usize = 64;

/// Where the patterns' own folder lies, as seen from the working directory. At most one of the two is not empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Anchor<'a> {
    /// The way from the patterns' folder down to the working directory, e.g. `pkg/a`.
    pub cwd_below: &'a str,
    /// The way from the working directory down to the patterns' folder, e.g. `sub`.
    pub base_below: &'a str,
}

/// What becomes of one pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathVerdict {
    /// It means the same.
    Unchanged,
    /// These together mean the same, or match more.
    Rewritten(Vec<String>),
    /// It can match only outside the working directory.
    OutsideCwd,
    /// It never matched anything.
    Inert,
}

/// The patterns of one text, as the program splits it.
///
/// ```
/// use winter_policy::frontmatter::split_patterns;
/// assert_eq!(split_patterns("src/*.{ts,tsx}, docs/**"), ["src/*.{ts,tsx}", "docs/**"]);
/// ```
pub fn split_patterns(text: &str) -> Vec<String> {
    let mut patterns = Vec::new();
    let mut depth = 0_i64;
    let mut start = 0;
    for (at, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                patterns.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    patterns.push(&text[start..]);
    let trimmed = patterns.into_iter().map(|pattern| pattern.trim_matches(super::header::is_space));
    trimmed.filter(|pattern| !pattern.is_empty()).map(str::to_owned).collect()
}

/// Whether the program takes these patterns for none: nothing but `**` and `/**`.
pub(super) fn is_unconditional(patterns: &[String]) -> bool {
    patterns.iter().all(|pattern| matches!(pattern.as_str(), "**" | "/**" | "**/**"))
}

/// A pattern of everything beneath a folder below the working directory, its name spelt literally.
///
/// ```
/// use winter_policy::frontmatter::folder_paths;
/// assert_eq!(folder_paths("a [b]/c"), [r"/a\x20\x5bb\x5d/c/**"]);
/// ```
pub fn folder_paths(folder: &str) -> Vec<String> {
    vec![format!("/{}/**", literal(folder))]
}

/// A folder's name as such a pattern spells it: one backslash where a permission rule has two, and no comma.
fn literal(folder: &str) -> String {
    rule_path(folder.trim_matches('/'), Spelling::Hex).replace(r"\\", r"\").replace(',', r"\x2c")
}

/// What becomes of each pattern (one each, as [`split_patterns`] gives them) when the program reads it at the working
/// directory. Where it cannot be exact, it matches more: a rule that is loaded once too often costs little.
///
/// ```
/// use winter_policy::frontmatter::{Anchor, PathVerdict, rewrite_paths};
/// let patterns = ["pkg/a/src/**", "*.ts", "lib/x/*"].map(str::to_owned);
/// let below = Anchor { cwd_below: "pkg/a", base_below: "" };
/// assert_eq!(rewrite_paths(&patterns, &below), [
///     PathVerdict::Rewritten(vec!["/src/**".into()]), PathVerdict::Unchanged, PathVerdict::OutsideCwd,
/// ]);
/// let above = Anchor { cwd_below: "", base_below: "sub" };
/// assert_eq!(rewrite_paths(&patterns[1..2], &above), [PathVerdict::Rewritten(vec!["/sub/**/*.ts".into()])]);
/// ```
pub fn rewrite_paths(patterns: &[String], anchor: &Anchor<'_>) -> Vec<PathVerdict> {
    let mut written = 0_usize;
    let within = |verdict| match verdict {
        PathVerdict::Rewritten(new) => {
            written = written.saturating_add(new.len());
            PathVerdict::Rewritten(if written > MOST_WRITTEN { vec!["*".to_owned()] } else { new })
        }
        verdict => verdict,
    };
    let mut left = MOST_ALTERNATIVES;
    patterns.iter().map(|pattern| verdict(pattern, anchor, &mut left)).map(within).collect()
}

fn verdict(pattern: &str, anchor: &Anchor<'_>, left: &mut usize) -> PathVerdict {
    let below: Vec<&str> = anchor.cwd_below.split('/').filter(|part| !part.is_empty()).collect();
    let base = anchor.base_below.trim_matches('/');
    if *left == 0 {
        // Very many alternatives were looked at before: whatever this one says, it is read as all there is.
        let same = below.is_empty() && base.is_empty();
        return if same { PathVerdict::Unchanged } else { PathVerdict::Rewritten(vec!["*".to_owned()]) };
    }
    let alternatives = expand(pattern);
    *left = left.saturating_sub(alternatives.len());
    let live: Vec<Parsed<'_>> = alternatives.iter().filter_map(|text| Parsed::of(text)).collect();
    if live.is_empty() {
        return PathVerdict::Inert;
    }
    if below.is_empty() && base.is_empty() {
        return PathVerdict::Unchanged;
    }
    let mut same = true;
    let mut written: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    for alternative in &live {
        for text in alternative.moved(&below, base).iter().map(|text| whole(text)) {
            same = same && text == alternative.text;
            if seen.insert(text.clone()) {
                written.push(text);
            }
        }
    }
    match written.len() {
        0 => PathVerdict::OutsideCwd,
        _ if same && live.len() == alternatives.len() => PathVerdict::Unchanged,
        _ => PathVerdict::Rewritten(written),
    }
}

/// The pattern so that the program does not split it.
fn whole(text: &str) -> String {
    let text = text.trim_matches(super::header::is_space);
    if split_patterns(text) == [text] { text.to_owned() } else { text.replace(',', r"\x2c") }
}

/// One pattern without braces.
struct Parsed<'a> {
    text: &'a str,
    negative: bool,
    anchored: bool,
    segments: Vec<&'a str>,
    /// What the segments were followed by: nothing, `/`, `/**`.
    end: &'static str,
}

impl<'a> Parsed<'a> {
    /// None where the program matches nothing with it.
    fn of(text: &'a str) -> Option<Self> {
        let (negative, core) = text.strip_prefix('!').map_or((false, text), |core| (true, core));
        let (core, end) = match core.strip_suffix("/**") {
            Some(core) => (core, "/**"),
            None => core.strip_suffix('/').map_or((core, ""), |core| (core, "/")),
        };
        // `/**` alone is left out by the program; with others beside it, it matches nothing.
        if core.is_empty() || core.starts_with('#') {
            return None;
        }
        let rooted = core.strip_prefix('/');
        let mut segments: Vec<&str> = rooted.unwrap_or(core).split('/').collect();
        let many = segments.len() > 1;
        segments.dedup_by(|next, before| *next == "**" && *before == "**");
        let dead = segments.iter().any(|part| matches!(*part, "" | "." | ".."));
        let anchored = rooted.is_some() || many;
        (!dead).then_some(Self { text, negative, anchored, segments, end })
    }

    /// The patterns that mean this one at the working directory.
    fn moved(&self, below: &[&str], base: &str) -> Vec<String> {
        let sign = if self.negative { "!" } else { "" };
        let joined = self.segments.join("/");
        if !base.is_empty() {
            let any = if self.anchored || joined == "**" { "" } else { "**/" };
            return vec![format!("{sign}/{}/{any}{joined}{}", literal(base), self.end)];
        }
        // What lets something out again is narrowed, never widened.
        let unsure = |part: &&str| part.contains(['[', '\\']);
        if self.negative && (!self.anchored || self.segments.iter().any(unsure)) {
            return if self.anchored { Vec::new() } else { vec![self.text.to_owned()] };
        }
        if !self.anchored {
            let holds_cwd = below.iter().any(|name| glob::may_match(self.segments[0], name));
            return vec![if holds_cwd { "*".to_owned() } else { self.text.to_owned() }];
        }
        if self.segments.len() > MOST_SEGMENTS {
            return if self.negative { Vec::new() } else { vec!["*".to_owned()] };
        }
        let mut left = BTreeSet::from([0]);
        for name in below {
            let mut next = BTreeSet::new();
            for &at in &left {
                if self.step(at, name, &mut next) {
                    return if self.negative { Vec::new() } else { vec!["*".to_owned()] };
                }
            }
            left = next;
        }
        left.iter().map(|&at| self.spelt(&self.segments[at..], sign)).collect()
    }

    /// Takes one folder name off the pattern from segment `at` on, in each way it can; true where that uses the
    /// pattern up, so that it matches all beneath.
    fn step(&self, mut at: usize, name: &str, next: &mut BTreeSet<usize>) -> bool {
        if self.segments[at] == "**" {
            next.insert(at);
            at += 1;
        }
        match self.segments.get(at) {
            None => true,
            Some(part) if !glob::may_match(part, name) => false,
            Some(_) if at + 1 == self.segments.len() => true,
            Some(_) => {
                next.insert(at + 1);
                false
            }
        }
    }

    fn spelt(&self, rest: &[&str], sign: &str) -> String {
        let any_depth = rest.first() == Some(&"**") && rest.len() > 1;
        let root = if any_depth { "" } else { "/" };
        let text = format!("{sign}{root}{}{}", rest.join("/"), self.end);
        // As its author wrote it, where that is the same.
        if rest.len() == self.segments.len() && any_depth { self.text.to_owned() } else { text }
    }
}

/// A pattern without its braces, as the program expands them; itself, where that would be too many.
fn expand(pattern: &str) -> Vec<String> {
    let mut open = vec![pattern.to_owned()];
    let mut done = Vec::new();
    let mut steps = 0_usize;
    while let Some(text) = open.pop() {
        steps = steps.saturating_add(1);
        let parts = text.split_once('{').and_then(|(before, rest)| {
            let (inside, after) = rest.split_once('}')?;
            (!inside.is_empty()).then(|| (before.to_owned(), inside.to_owned(), after.to_owned()))
        });
        let Some((before, inside, after)) = parts else {
            done.push(text);
            continue;
        };
        let choices: Vec<&str> = inside.split(',').map(|part| part.trim_matches(super::header::is_space)).collect();
        let count = done.len() + open.len() + choices.len();
        // Braces around one choice make no more patterns, and yet the text is copied for each.
        if count > MOST_ALTERNATIVES || count.max(steps).saturating_mul(pattern.len()) > MOST_BYTES {
            return vec![pattern.to_owned()];
        }
        open.extend(choices.iter().rev().map(|choice| format!("{before}{choice}{after}")));
    }
    done
}
