//! The text of a command: which paths its words can come to, and what its commands do with them.
//!
//! It is read without regard to the order in which it runs: a variable is all that it is given anywhere, and what is
//! relative begins in each folder that the text goes into.

mod commands;
mod lexer;
mod value;

use super::pattern::{Bit, Guarded, Pattern, Reach, absolute, fold, literal};
use super::spelling::folded;
pub(super) use commands::sheets;
use commands::{BEFORE, HOME_WORDS, Role, SEEKS, WALKS, hands_on, role};
use lexer::{Token, Unit, Word, cut};
pub(super) use value::Names;

/// The most texts that a command is taken apart into.
const MOST_SCRIPTS: usize = 2000;

/// The deepest that texts of commands stand in each other.
const MAX_DEPTH: usize = 8;

/// The most folders that a text goes into.
const MOST_BASES: usize = 24;

/// A command of a text.
struct Command {
    /// Without what stands before it.
    name: String,
    words: Vec<Word>,
    /// Which of its words is the name.
    named: usize,
    /// Something in its pipeline runs what it is given.
    handed: bool,
    /// It stands inside of a word, so that its output is used.
    inner: bool,
    /// It stands in a text that was quoted, which may be in any language.
    quoted: bool,
}

struct Script {
    text: String,
    depth: usize,
    inner: bool,
    quoted: bool,
}

/// A text taken apart.
pub(super) struct Read {
    commands: Vec<Command>,
    /// Texts that are only written somewhere.
    pub(super) prose: Vec<String>,
    /// It holds what runs texts.
    runs: bool,
}

/// Why a text cannot be looked through.
pub(super) struct TooMuch;

/// Takes a text apart; one that may be no command at all is taken as one that was quoted.
pub(super) fn read(text: &str, quoted: bool) -> Result<Read, TooMuch> {
    let mut read = Read { commands: Vec::new(), prose: Vec::new(), runs: false };
    let mut here = Vec::new();
    take(vec![Script { text: text.to_owned(), depth: 0, inner: false, quoted }], &mut read, &mut here)?;
    read.runs = read.commands.iter().any(runs);
    if !read.runs {
        read.prose.extend(here);
        return Ok(read);
    }
    let mut from = 0;
    for depth in 1.. {
        if depth > MAX_DEPTH {
            return Err(TooMuch);
        }
        let told = read.commands[from..].iter().filter(|command| command.handed || !speaks(&command.name));
        let texts = told.flat_map(|command| {
            let words = command.words.iter().filter(|word| is_text(word)).map(|word| word.text.clone());
            // What it puts in is not known.
            let words = words.map(|text| text.replace("$ENV{HOME}", "$HOME"));
            words.map(
                |text| if command.name == "printf" { text.replace("%s", "${_}").replace("%b", "${_}") } else { text },
            )
        });
        let texts: Vec<String> = texts.chain(here.drain(..)).collect();
        from = read.commands.len();
        if texts.is_empty() {
            return Ok(read);
        }
        let scripts = texts.into_iter().map(|text| Script { text, depth, inner: true, quoted: true });
        take(scripts.collect(), &mut read, &mut here)?;
    }
    Ok(read)
}

fn take(mut open: Vec<Script>, read: &mut Read, here: &mut Vec<String>) -> Result<(), TooMuch> {
    while let Some(script) = open.pop() {
        let cut = cut(&script.text);
        if cut.too_deep || script.depth > 2 * MAX_DEPTH || open.len() + read.commands.len() > MOST_SCRIPTS * 4 {
            return Err(TooMuch);
        }
        let inner = cut.inner.into_iter().map(|text| Script {
            text,
            depth: script.depth + 1,
            inner: true,
            quoted: script.quoted,
        });
        open.extend(inner);
        if open.len() > MOST_SCRIPTS {
            return Err(TooMuch);
        }
        here.extend(cut.here);
        let first = read.commands.len();
        let mut pipeline = first;
        let mut words = Vec::new();
        for token in cut.tokens.into_iter().chain([Token::End]) {
            match token {
                Token::Word(word) => words.push(word),
                Token::Pipe => command(&mut words, &script, read),
                Token::End => {
                    command(&mut words, &script, read);
                    let handed = read.commands[pipeline..].iter().any(|command| command.handed || runs(command));
                    read.commands[pipeline..].iter_mut().for_each(|command| command.handed |= handed);
                    pipeline = read.commands.len();
                }
            }
        }
    }
    Ok(())
}

fn command(words: &mut Vec<Word>, script: &Script, read: &mut Read) {
    let words = std::mem::take(words);
    if words.is_empty() {
        return;
    }
    // `| while read x` reads what comes.
    let reads = words.iter().any(|word| matches!(word.text.as_str(), "read" | "mapfile" | "readarray"));
    let before = |word: &Word| word.redirect || assigned(word).is_some() || BEFORE.contains(&word.text.as_str());
    let named = words.iter().position(|word| !before(word)).unwrap_or(words.len());
    let name =
        words.get(named).map_or("", |word| word.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default());
    let name = name.to_ascii_lowercase();
    let (inner, quoted) = (script.inner, script.quoted);
    read.commands.push(Command { name, words, named, handed: reads, inner, quoted });
}

/// Whether it runs what it is given as text.
fn runs(command: &Command) -> bool {
    let others = role(&command.name) == Role::Deep && !speaks(&command.name);
    let further = command.words.iter().skip(command.named + 1).filter(|_| others);
    hands_on(&command.name)
        || further
            .map(|word| word.text.as_str())
            .any(|word| word != "." && hands_on(word.rsplit('/').next().unwrap_or(word)))
}

/// Commands whose texts are for readers.
fn speaks(name: &str) -> bool {
    matches!(name, "git" | "gh" | "glab" | "hub" | "jj" | "hg")
}

/// Whether a word may be a text of its own.
fn is_text(word: &Word) -> bool {
    word.quoted && word.text.contains(|letter: char| letter.is_whitespace() || "();|&<>$`\"'/".contains(letter))
}

/// The name of the variable that a word sets, and where its value begins.
fn assigned(word: &Word) -> Option<(String, usize, bool)> {
    let mut name = String::new();
    for (at, unit) in word.units.iter().enumerate() {
        match unit {
            Unit::Bare(letter) if letter.is_ascii_alphabetic() || *letter == '_' => name.push(*letter),
            Unit::Bare(letter) if letter.is_ascii_digit() && !name.is_empty() => name.push(*letter),
            Unit::Bare('=') if !name.is_empty() => return Some((name, at + 1, false)),
            Unit::Bare('+') if !name.is_empty() && word.units.get(at + 1) == Some(&Unit::Bare('=')) => {
                return Some((name, at + 2, true));
            }
            _ => return None,
        }
    }
    None
}

impl Read {
    /// Notes what the text's variables are.
    pub(super) fn note(&self, names: &mut Names) {
        for command in &self.commands {
            for word in &command.words {
                names.dots |= matches!(word.text.as_str(), "dotglob" | "globdots" | "GLOB_DOTS");
                let Some((name, at, adds)) = assigned(word) else { continue };
                names.dots |= name == "GLOBIGNORE";
                let values = names.values.entry(name).or_default();
                let more = [word.units[at..].to_vec(), vec![Unit::Unknown]];
                for value in more.into_iter().take(1 + usize::from(adds)) {
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
            }
            let texts = |word: &Word| matches!(word.text.as_str(), "for" | "select");
            if let Some(at) = command.words.iter().position(texts) {
                let mut words = command.words[at + 1..].iter();
                let Some(name) = words.next() else { continue };
                let given = words.skip_while(|word| word.text != "in").skip(1).map(|word| word.units.clone());
                let values = names.values.entry(name.text.clone()).or_default();
                values.extend(given);
                if values.is_empty() {
                    values.push(vec![Unit::Unknown]);
                }
            }
            let takes = |word: &Word| matches!(word.text.as_str(), "read" | "mapfile" | "readarray" | "getopts" | "-v");
            if let Some(at) = command.words.iter().position(takes) {
                for word in &command.words[at + 1..] {
                    names.values.entry(word.text.clone()).or_default().push(vec![Unit::Unknown]);
                }
            }
        }
    }

    /// The folders that the text goes into, beside those that it begins in.
    fn bases(&self, begin: &[Pattern], names: &Names, guarded: &[Guarded]) -> Result<Vec<Pattern>, TooMuch> {
        let near = |path: &[Bit]| {
            guarded.iter().any(|one| one.is_near(path.len()) && one.reached_by(path) == Some(Reach::Above))
        };
        let home = names.home.as_deref().map(|home| literal(&folded(home)));
        let mut bases: Vec<Pattern> = Vec::new();
        let foreign = self.runs
            && self.commands.iter().flat_map(|command| &command.words).any(|word| {
                let text = word.text.to_lowercase();
                HOME_WORDS.iter().any(|word| text.contains(word))
            });
        if foreign {
            bases.extend(home.clone());
        }
        let mut goes = 0;
        let mut candidates: Vec<(Pattern, bool)> = Vec::new();
        for command in &self.commands {
            let moves = matches!(command.name.as_str(), "cd" | "pushd" | "chdir");
            let mut some = false;
            for (at, word) in command.words.iter().enumerate() {
                let option = at > 0 && command.words[at - 1].text.starts_with('-');
                let given = word.text.starts_with('-') || assigned(word).is_some_and(|(name, ..)| name == "CDPATH");
                let target = moves && at > command.named && !word.redirect && !word.text.starts_with('-');
                some |= target;
                if target || option || given || foreign {
                    let parts = names.word(word).into_iter().filter(|one| foreign || !one.part);
                    for one in parts {
                        let candidate = (fold(&one.pattern), target);
                        if !candidates.contains(&candidate) {
                            candidates.push(candidate);
                        }
                    }
                }
            }
            goes += usize::from(moves);
            if moves && !some && !command.quoted {
                bases.extend(home.clone());
            }
        }
        let rounds = if foreign { 4 } else { goes.max(1) };
        for _ in 0..rounds.min(MOST_BASES) {
            let before = bases.len();
            let from: Vec<Pattern> = begin.iter().chain(&bases).cloned().collect();
            for (candidate, target) in &candidates {
                for base in &from {
                    let next = absolute(candidate, base);
                    if !from.contains(&next) && !bases.contains(&next) && (*target || near(&next)) {
                        bases.push(next);
                    }
                }
            }
            if bases.len() > MOST_BASES {
                return Err(TooMuch);
            }
            if bases.len() == before {
                break;
            }
        }
        Ok(bases)
    }

    /// The first protected path that the text reaches, and how.
    pub(super) fn reached(
        &self,
        begin: &[Pattern],
        names: &Names,
        guarded: &[Guarded],
    ) -> Result<Option<(usize, Reach)>, TooMuch> {
        let bases = self.bases(begin, names, guarded)?;
        let mut found: Option<(Reach, usize)> = None;
        let mut note = |at: usize, reach: Reach| {
            if found.is_none_or(|(before, _)| reach < before) {
                found = Some((reach, at));
            }
        };
        for command in &self.commands {
            let (says, deep) = command.takes();
            let seeks = SEEKS.contains(&command.name.as_str());
            let mut sought = !seeks;
            let mut operands = 0;
            for (at, word) in command.words.iter().enumerate() {
                let is_option = word.text.starts_with('-');
                let argument = at > command.named && !is_option && !word.redirect;
                operands += usize::from(argument);
                // What is looked for is no folder.
                let pattern = argument && !sought;
                sought |= argument;
                let above = deep && at > command.named && !word.redirect && !pattern;
                let computed = word.redirect || at == command.named || (at > command.named && !says);
                for reading in names.word(word) {
                    let root = command.quoted && !WALKS.iter().any(|(name, _)| *name == command.name);
                    for (path, of_cwd) in paths(&fold(&reading.pattern), begin, &bases, self.runs) {
                        let above = above && !reading.part && !(root && path.len() == 1);
                        for (at, one) in guarded.iter().enumerate() {
                            match one.reached_by(&path) {
                                Some(Reach::Named) => note(at, Reach::Named),
                                Some(Reach::Computed) if computed && !of_cwd => note(at, Reach::Computed),
                                Some(Reach::Above) if above => note(at, Reach::Above),
                                _ => {}
                            }
                        }
                    }
                }
            }
            let walk = WALKS.iter().find(|(name, _)| *name == command.name && deep);
            if walk.is_some_and(|(_, before)| operands <= *before || (command.name == "find" && command.pathless())) {
                for base in begin.iter().chain(&bases) {
                    for (at, one) in guarded.iter().enumerate() {
                        if one.reached_by(base) == Some(Reach::Above) {
                            note(at, Reach::Above);
                        }
                    }
                }
            }
        }
        if names.is_spent() {
            return Err(TooMuch);
        }
        Ok(found.map(|(reach, at)| (at, reach)))
    }
}

/// The paths that a pattern can mean, and whether nothing but the working folder makes it one that is protected.
fn paths(pattern: &[Bit], begin: &[Pattern], bases: &[Pattern], runs: bool) -> Vec<(Pattern, bool)> {
    let open = matches!(pattern.first(), Some(Bit::Unknown | Bit::Suspect));
    let blank = pattern.iter().all(|bit| *bit == Bit::Unknown);
    let mut paths = Vec::new();
    let rooted = pattern.first() == Some(&Bit::Is('/'));
    if rooted || open {
        paths.push((absolute(pattern, &[]), false));
    }
    if rooted && !runs {
        return paths;
    }
    let beneath = |base: &Pattern| {
        let whole: Pattern = base.iter().copied().chain([Bit::Is('/')]).chain(pattern.iter().copied()).collect();
        absolute(&whole, &[])
    };
    if !rooted {
        paths.extend(begin.iter().map(|base| (beneath(base), blank)));
    }
    paths.extend(bases.iter().map(|base| (beneath(base), false)));
    paths
}

impl Command {
    /// Whether what it computes is only said, and whether it may go through folders.
    fn takes(&self) -> (bool, bool) {
        let used = self.handed || self.inner;
        match role(&self.name) {
            _ if self.named == self.words.len() => (true, false),
            Role::Says => (!used, self.handed),
            Role::Shallow(flags) => (false, self.handed || self.has(flags)),
            Role::Deep => (false, true),
        }
    }

    /// Whether it has one of these flags, or one that is spelt out and may mean the same.
    fn has(&self, flags: &str) -> bool {
        let long = |text: &str| {
            ["recursive", "archive", "directories", "dereference-recursive"].iter().any(|flag| flag.starts_with(text))
        };
        !flags.is_empty()
            && self.words.iter().any(|word| {
                if let Some(text) = word.text.strip_prefix("--") {
                    let text = text.split('=').next().unwrap_or_default();
                    return text.len() > 2 && long(text);
                }
                let open = word.units.iter().any(|unit| !matches!(unit, Unit::Bare(_) | Unit::Quoted(_)));
                word.text.strip_prefix('-').is_some_and(|text| open || text.contains(|flag| flags.contains(flag)))
            })
    }

    /// Whether the first thing that it is given is no path.
    fn pathless(&self) -> bool {
        self.words.get(self.named + 1).is_none_or(|word| word.text.starts_with(['-', '(', '!']))
    }
}
