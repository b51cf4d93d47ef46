//! Characters in a text that nobody sees.

use std::collections::BTreeMap;

/// What an invisible character does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InvisibleClass {
    /// It changes the direction in which text is shown, so that it reads otherwise than it stands.
    Bidi,
    /// It has no width.
    ZeroWidth,
    /// A tag character: a copy of ASCII that is not shown.
    Tag,
    /// A variation selector that has nothing to select: a way to carry hidden bytes.
    Variation,
}

/// Invisible characters of one class in one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Invisible {
    /// From 1.
    pub line: u32,
    /// Their class.
    pub class: InvisibleClass,
    /// How many.
    pub count: u32,
}

/// The invisible characters of a text, by line and class.
///
/// Not counted: a BOM at the start, a joiner inside an emoji or between letters of a script that is written with it,
/// the tags of a flag, the first variation selector after a character.
///
/// ```
/// use winter_policy::instructions::{invisible, InvisibleClass};
/// let found = invisible("\u{feff}plain\n👩\u{200d}💻 a\u{200b}b\u{202e}\n");
/// let classes: Vec<_> = found.iter().map(|f| (f.line, f.class, f.count)).collect();
/// assert_eq!(classes, [(2, InvisibleClass::Bidi, 1), (2, InvisibleClass::ZeroWidth, 1)]);
/// ```
pub fn invisible(text: &str) -> Vec<Invisible> {
    let chars: Vec<char> = text.strip_prefix('\u{feff}').unwrap_or(text).chars().collect();
    let mut line = 1_u32;
    let mut counts = BTreeMap::<(u32, InvisibleClass), u32>::new();
    let mut i = 0;
    while let Some(c) = chars.get(i).copied() {
        if c == '\n' || (c == '\r' && chars.get(i + 1) != Some(&'\n')) {
            line = line.saturating_add(1);
        }
        if c == FLAG {
            i += flag(chars.get(i + 1..).unwrap_or_default());
        }
        if let Some(class) = class(c).filter(|class| !wanted(&chars, i, *class)) {
            let count = counts.entry((line, class)).or_default();
            *count = count.saturating_add(1);
        }
        i += 1;
    }
    counts.into_iter().map(|((line, class), count)| Invisible { line, class, count }).collect()
}

const FLAG: char = '\u{1f3f4}';

/// The class of a character that is not seen.
pub(super) fn class(c: char) -> Option<InvisibleClass> {
    Some(match c {
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => InvisibleClass::Bidi,
        '\u{ad}'
        | '\u{34f}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200d}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206a}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}' => InvisibleClass::ZeroWidth,
        '\u{e0000}'..='\u{e007f}' => InvisibleClass::Tag,
        '\u{fe00}'..='\u{fe0f}' | '\u{180b}'..='\u{180d}' | '\u{e0100}'..='\u{e01ef}' => InvisibleClass::Variation,
        _ => return None,
    })
}

/// How many tags of a flag stand at the start: letters and digits, six at most, and the one that ends them.
fn flag(rest: &[char]) -> usize {
    let letters =
        rest.iter().take_while(|c| matches!(c, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}')).count();
    if (1..=6).contains(&letters) && rest.get(letters) == Some(&'\u{e007f}') { letters + 1 } else { 0 }
}

fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// Letters of scripts that are written with joiners, from Hebrew's neighbours to Mongolian, and Arabic's shapes.
fn joins(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{a8e0}'..='\u{a8ff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
        && class(c).is_none()
}

/// Whether the character at `i` does what it is there for.
fn wanted(chars: &[char], i: usize, class: InvisibleClass) -> bool {
    let before = i.checked_sub(1).and_then(|b| chars.get(b)).copied();
    let after = chars.get(i + 1).copied();
    match class {
        InvisibleClass::Variation => {
            before.is_some_and(|c| !c.is_whitespace() && !c.is_control() && self::class(c).is_none())
        }
        InvisibleClass::ZeroWidth if matches!(chars[i], '\u{200c}' | '\u{200d}') => {
            let base =
                if before == Some('\u{fe0f}') { i.checked_sub(2).and_then(|b| chars.get(b)).copied() } else { before };
            let emoji = chars[i] == '\u{200d}' && base.is_some_and(is_pictograph) && after.is_some_and(is_pictograph);
            emoji || (before.is_some_and(joins) && after.is_some_and(joins))
        }
        _ => false,
    }
}
