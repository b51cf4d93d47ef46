//! What a word can come to, as a pattern, and which protected paths that pattern reaches.
//!
//! A part whose value nobody knows before the call is made (`$x`, `$(...)`) matches anything. Taken alone it says nothing,
//! or no command with a variable would pass; so such a pattern reaches a path only where the words beside it already say
//! a piece of the path's own name, or lead up to it.

use super::spelling::folded;

/// One step of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bit {
    /// This letter.
    Is(char),
    /// One letter of a name.
    One,
    /// Letters of one name; a dot at its beginning only where `dots` is set.
    Star { dots: bool },
    /// Anything beneath: `**`.
    Deep,
    /// A value that is not known.
    Unknown,
    /// A value that is not known, and that leads to what is protected.
    Suspect,
}

use Bit::{Deep, Is, One, Star, Suspect, Unknown};

/// What a word can come to.
pub(super) type Pattern = Vec<Bit>;

/// The pattern of a literal text.
pub(super) fn literal(text: &str) -> Pattern {
    text.chars().map(Is).collect()
}

/// The same without regard to case and to the spelling of letters.
pub(super) fn fold(pattern: &[Bit]) -> Pattern {
    let (mut out, mut run) = (Pattern::new(), String::new());
    for bit in pattern {
        if let Is(letter) = bit {
            run.push(*letter);
        } else {
            out.extend(folded(&run).chars().map(Is));
            run.clear();
            out.push(*bit);
        }
    }
    out.extend(folded(&run).chars().map(Is));
    out
}

/// Absolute, without `.`, `..` and empty parts; beneath `base` where it is relative.
pub(super) fn absolute(pattern: &[Bit], base: &[Bit]) -> Pattern {
    let whole: Pattern = match pattern.first() {
        Some(Is('/') | Unknown | Suspect) => pattern.to_vec(),
        _ => base.iter().copied().chain([Is('/')]).chain(pattern.iter().copied()).collect(),
    };
    normal(&unlinked(&whole).unwrap_or(whole))
}

/// Folders of processes that are other names of any folder.
fn unlinked(pattern: &[Bit]) -> Option<Pattern> {
    let parts: Vec<&[Bit]> = pattern.split(|bit| *bit == Is('/')).filter(|part| !part.is_empty()).collect();
    let is = |part: &[Bit], name: &str| part.iter().copied().eq(name.chars().map(Is));
    let [first, ..] = parts.as_slice() else { return None };
    if pattern.first() != Some(&Is('/')) || !is(first, "proc") {
        return None;
    }
    let at = parts.iter().position(|part| is(part, "cwd") || is(part, "root") || is(part, "fd"))?;
    Some(
        [
            &[Unknown],
            parts[at + 1..].iter().flat_map(|part| [&[Is('/')], *part].concat()).collect::<Pattern>().as_slice(),
        ]
        .concat(),
    )
}

fn normal(pattern: &[Bit]) -> Pattern {
    let open = |part: &[Bit]| part.iter().any(|bit| matches!(bit, Unknown | Suspect | Deep));
    let mut parts: Vec<&[Bit]> = Vec::new();
    for part in pattern.split(|bit| *bit == Is('/')) {
        match part {
            [] | [Is('.')] => {}
            [Is('.'), Is('.')] => match parts.last() {
                // What it steps out of may be any number of folders.
                Some(last) if open(last) => {}
                _ => drop(parts.pop()),
            },
            part => parts.push(part),
        }
    }
    let mut out = Pattern::new();
    for (place, part) in parts.iter().enumerate() {
        if place > 0 || !matches!(part.first(), Some(Unknown | Suspect)) || pattern.first() == Some(&Is('/')) {
            out.push(Is('/'));
        }
        out.extend(*part);
    }
    if out.is_empty() {
        out.push(Is('/'));
    }
    out
}

/// How a pattern reaches a protected path; the stronger first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// It is the path, or lies beneath it.
    Named,
    /// It can come to be.
    Computed,
    /// It is a folder above the path.
    Above,
}

/// One step of a protected path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Want {
    Letter(char),
    /// Some name.
    Name,
}

/// A protected path, prepared.
#[derive(Clone, Debug)]
pub(super) struct Guarded {
    want: Vec<Want>,
    /// Which letters are of a name by which the path is known.
    key: Vec<bool>,
    /// Where the path leaves the folders that everything has in common.
    anchor: usize,
}

/// How much of a pattern's unknown values is made up for: by nothing yet; by nothing, after a `/`; by one letter;
/// enough. `Known`: there was none.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cover {
    Known,
    Bare,
    Slash,
    Letter,
    Full,
}

const COVERS: [Cover; 5] = [Cover::Known, Cover::Bare, Cover::Slash, Cover::Letter, Cover::Full];

impl Guarded {
    /// `path` folded and absolute, and in each of its folders `inside`, if that is not empty.
    pub(super) fn of(path: &str, inside: &str, home: Option<&str>) -> Self {
        let path = path.trim_end_matches('/');
        let shared = home.map(|home| home.trim_end_matches('/')).filter(|home| !home.is_empty());
        let below = shared.and_then(|home| path.strip_prefix(home)).filter(|rest| rest.starts_with('/'));
        let head = below.map_or_else(
            || path.get(1..).and_then(|rest| rest.find('/')).map_or(1, |at| at + 2),
            |rest| path.len() - rest.len() + 1,
        );
        let anchor = path[..head.min(path.len())].chars().count();
        let mut want: Vec<Want> = path.chars().map(Want::Letter).collect();
        if !inside.is_empty() {
            want.extend([Want::Letter('/'), Want::Name, Want::Letter('/')]);
            want.extend(inside.chars().map(Want::Letter));
        }
        let key = keys(&want, anchor);
        Self { want, key, anchor }
    }

    /// How an absolute pattern reaches it.
    pub(super) fn reached_by(&self, pattern: &[Bit]) -> Option<Reach> {
        let end = self.want.len();
        // Most patterns are plain, and differ soon.
        let same = |(bit, want): &(&Bit, &Want)| matches!((bit, want), (Is(one), Want::Letter(other)) if one == other);
        let plain = pattern.iter().zip(&self.want).take_while(same).count();
        let differs = matches!((pattern.get(plain), self.want.get(plain)), (Some(Is(_)), Some(Want::Letter(_))));
        if differs || (pattern.len() == plain && plain == 0) {
            return None;
        }
        let mut at = States::new(end + 2);
        at.put(plain, Cover::Known);
        for bit in &pattern[plain..] {
            let mut next = States::new(end + 2);
            let mut alive = false;
            for (place, cover) in at.each() {
                alive = true;
                self.step(*bit, place, cover, &mut next);
            }
            if !alive {
                return None;
            }
            at = next;
        }
        let reached = |cover| at.has(end, cover) || at.has(end + 1, cover);
        if reached(Cover::Known) {
            return Some(Reach::Named);
        }
        if reached(Cover::Full) {
            return Some(Reach::Computed);
        }
        let above = |place: usize| {
            let root = place == 1 && pattern.len() == 1;
            at.has(place, Cover::Known) && (root || self.want[place] == Want::Letter('/'))
        };
        (1..end).any(above).then_some(Reach::Above)
    }

    /// Whether that many letters lead up to the path's own part.
    pub(super) fn is_near(&self, letters: usize) -> bool {
        letters + 1 >= self.anchor
    }

    fn step(&self, bit: Bit, place: usize, cover: Cover, next: &mut States) {
        let end = self.want.len();
        let settled = if cover == Cover::Slash { Cover::Bare } else { cover };
        if place > end {
            next.put(place, settled);
            return;
        }
        match bit {
            Is(letter) if place == end => {
                if letter == '/' {
                    next.put(end + 1, settled);
                }
            }
            Is(letter) => match self.want[place] {
                Want::Letter(wanted) if wanted == letter => next.put(place + 1, self.covered(cover, place, letter)),
                Want::Name if letter != '/' => next.name(place, settled),
                _ => {}
            },
            One if place < end => match self.want[place] {
                Want::Letter('/') => {}
                Want::Letter(_) => next.put(place + 1, settled),
                Want::Name => next.name(place, settled),
            },
            One => {}
            Star { dots } => {
                next.put(place, settled);
                let begins = place > 0 && self.want[place - 1] == Want::Letter('/');
                if begins && !dots && self.want.get(place) == Some(&Want::Letter('.')) {
                    return;
                }
                let rest = self.want[place..].iter().take_while(|want| **want != Want::Letter('/')).count();
                (place..=place + rest).for_each(|place| next.put(place, settled));
            }
            Deep | Unknown | Suspect => {
                let cover = match (bit, cover) {
                    (Suspect, _) => Cover::Full,
                    (Unknown, Cover::Known) if place >= self.anchor => Cover::Full,
                    (Unknown, Cover::Known) => Cover::Bare,
                    _ => settled,
                };
                (place..=end + 1).for_each(|place| next.put(place, cover));
            }
        }
    }

    fn covered(&self, cover: Cover, place: usize, letter: char) -> Cover {
        match cover {
            Cover::Known | Cover::Full => cover,
            Cover::Letter if letter != '/' && self.key[place] => Cover::Full,
            Cover::Letter => Cover::Letter,
            // The dot of a hidden name says nothing after some other name: `$name.$ending`.
            Cover::Slash if letter == '.' && self.key[place] => Cover::Full,
            Cover::Bare | Cover::Slash => match letter {
                '/' => Cover::Slash,
                '.' => Cover::Bare,
                _ if self.key[place] => Cover::Letter,
                _ => Cover::Bare,
            },
        }
    }
}

/// The letters of the hidden names of a path, without an ending that many names have; of all of its names, where none is
/// hidden.
fn keys(want: &[Want], anchor: usize) -> Vec<bool> {
    let mut key = vec![false; want.len()];
    for hidden in [true, false] {
        let mut begin = anchor;
        for name in want[anchor.min(want.len())..].split(|want| *want == Want::Letter('/')) {
            if (name.first() == Some(&Want::Letter('.'))) == hidden {
                let dot = name.iter().rposition(|want| *want == Want::Letter('.')).filter(|at| *at > 0);
                key[begin..begin + dot.unwrap_or(name.len())].fill(true);
            }
            begin += name.len() + 1;
        }
        if key.contains(&true) {
            break;
        }
    }
    key
}

/// The places of a protected path that a pattern may stand at.
struct States(Vec<[bool; COVERS.len()]>);

impl States {
    fn new(places: usize) -> Self {
        Self(vec![[false; COVERS.len()]; places])
    }

    fn put(&mut self, place: usize, cover: Cover) {
        self.0[place][cover as usize] = true;
    }

    /// Within some name, or after it.
    fn name(&mut self, place: usize, cover: Cover) {
        self.put(place, cover);
        self.put(place + 1, cover);
    }

    fn has(&self, place: usize, cover: Cover) -> bool {
        self.0[place][cover as usize]
    }

    fn each(&self) -> impl Iterator<Item = (usize, Cover)> {
        self.0.iter().enumerate().flat_map(|(place, covers)| {
            COVERS.into_iter().filter(move |cover| covers[*cover as usize]).map(move |cover| (place, cover))
        })
    }
}
