//! What a word can come to.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::super::pattern::{Bit, Pattern, literal};
use super::lexer::{Unit, Word};

/// The most that one word is taken apart into; what is more is not known.
const MOST: usize = 64;

/// The most values that are made up for one text.
const BUDGET: usize = 60_000;

/// The most places of one value that are open.
const MOST_OPEN: usize = 24;

/// The deepest that values are looked up in each other.
const MAX_DEPTH: usize = 6;

/// Variables that lead to what is protected, in every session that the door opens.
const SUSPECTS: [&str; 4] =
    ["CLAUDE_CONFIG_DIR", "CLAUDE_SECURESTORAGE_CONFIG_DIR", "WINTER_HOME", "WINTER_STORE_HOME"];

/// What names mean.
#[derive(Debug, Default)]
pub(in super::super) struct Names {
    /// The person's home folder.
    pub(super) home: Option<String>,
    /// Where the call begins.
    cwd: String,
    /// Each value that a variable is given anywhere in the text.
    pub(super) values: BTreeMap<String, Vec<Vec<Unit>>>,
    /// A hidden name is matched by a wildcard, too.
    pub(super) dots: bool,
    spent: Cell<usize>,
}

/// One reading of a word.
#[derive(Clone, Debug)]
pub(in super::super) struct Reading {
    pub(in super::super) pattern: Pattern,
    /// It is only a part of the word.
    pub(in super::super) part: bool,
}

impl Names {
    /// Before anything of a text is known.
    pub(in super::super) fn new(home: Option<&str>, cwd: &str) -> Self {
        Self { home: home.map(str::to_owned), cwd: cwd.to_owned(), ..Self::default() }
    }

    /// Whether the text is too much to be looked through.
    pub(super) fn is_spent(&self) -> bool {
        self.spent.get() > BUDGET
    }

    /// What a path's text can come to, with the home folder in the place of what means it.
    pub(in super::super) fn path(&self, text: &str) -> Vec<Pattern> {
        let text = text.trim();
        let rest = text.strip_prefix("file://").unwrap_or(text);
        let rest = rest.strip_prefix("localhost").filter(|rest| rest.starts_with('/')).unwrap_or(rest);
        let mut units = Vec::new();
        let mut letters = rest.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '\'' | '"' | '\\' | '`' => {}
                '$' => {
                    let braced = letters.next_if_eq(&'{').is_some();
                    let mut name = String::new();
                    while let Some(letter) = letters.next_if(|letter| letter.is_ascii_alphanumeric() || *letter == '_')
                    {
                        name.push(letter);
                    }
                    if braced {
                        letters.by_ref().find(|letter| *letter == '}');
                    }
                    if name.is_empty() {
                        units.push(Unit::Bare('$'));
                    } else {
                        units.push(Unit::Variable(name, Vec::new()));
                    }
                }
                letter => units.push(Unit::Bare(letter)),
            }
        }
        braces(&units).iter().flat_map(|units| self.value(units, 0)).collect()
    }

    /// What a word can come to, whole and in its parts.
    pub(super) fn word(&self, word: &Word) -> Vec<Reading> {
        let mut readings = Vec::new();
        let mut whole = braces(&word.units);
        if word.units.contains(&Unit::Bare('+')) {
            // Languages join texts so.
            whole.push(word.units.iter().filter(|unit| **unit != Unit::Bare('+')).cloned().collect());
        }
        for units in whole {
            for pattern in self.value(&units, 0) {
                let spaced = pattern.iter().any(|bit| is_space(*bit));
                if spaced {
                    // A value is cut into words where it is not quoted.
                    let parts = pattern.split(|bit| is_space(*bit)).filter(|part| !part.is_empty());
                    readings.extend(parts.map(|part| Reading { pattern: part.to_vec(), part: word.quoted }));
                }
                readings.push(Reading { pattern, part: false });
            }
            let first = units.first();
            let foreign =
                !matches!(first, Some(Unit::Bare('/' | '~' | '.' | '-') | Unit::Quoted('/') | Unit::Variable(..)));
            let parts = units
                .split(|unit| matches!(unit, Unit::Bare('=' | ':' | ',' | '@' | '+') | Unit::Quoted('=' | ':' | ',')));
            let parts: Vec<&[Unit]> = parts.collect();
            let assigned = matches!(units.get(parts[0].len()), Some(Unit::Bare('=')));
            let short = units.get(2..).filter(|_| {
                matches!(first, Some(Unit::Bare('-'))) && matches!(units.get(1), Some(Unit::Bare(flag)) if *flag != '-')
            });
            let parts = parts.into_iter().skip_while(|part| part.len() == units.len()).chain(short);
            for part in parts.filter(|part| !part.is_empty()) {
                let of_another = foreign && !assigned;
                let values = self.value(part, 0).into_iter();
                readings.extend(values.map(|pattern| Reading { pattern, part: of_another }));
            }
        }
        readings
    }

    /// The values of a word without braces.
    pub(super) fn value(&self, units: &[Unit], depth: usize) -> Vec<Pattern> {
        self.spent.set(self.spent.get() + 1);
        if self.is_spent() {
            // What is said of it then does not matter: the whole text is refused.
            return vec![vec![Bit::Unknown]];
        }
        let mut values = vec![Pattern::new()];
        let mut rest = units;
        if let Some(Unit::Bare('~') | Unit::Quoted('~')) = units.first() {
            let name: String = units[1..]
                .iter()
                .map_while(|unit| match unit {
                    Unit::Bare(letter) | Unit::Quoted(letter) if *letter != '/' => Some(*letter),
                    _ => None,
                })
                .collect();
            if let Some(folder) = self.tilde(&name) {
                values = vec![folder];
                rest = &units[1 + name.chars().count()..];
            }
        }
        while let Some((first, after)) = rest.split_first() {
            rest = after;
            let next: Vec<Pattern> = match first {
                Unit::Quoted(letter @ ('*' | '?')) | Unit::Bare(letter @ ('*' | '?')) => {
                    if *letter == '*' && matches!(rest.first(), Some(Unit::Bare('*') | Unit::Quoted('*'))) {
                        rest = &rest[1..];
                        vec![vec![Bit::Deep]]
                    } else if *letter == '*' {
                        vec![vec![Bit::Star { dots: self.dots }]]
                    } else {
                        vec![vec![Bit::One]]
                    }
                }
                Unit::Bare('[') => match bracket(rest) {
                    Some(length) => {
                        rest = &rest[length..];
                        vec![vec![Bit::One]]
                    }
                    None => vec![vec![Bit::Is('[')]],
                },
                // What `xargs` and `find` put in.
                Unit::Bare('{') if rest.first() == Some(&Unit::Bare('}')) => {
                    rest = &rest[1..];
                    vec![vec![Bit::Unknown]]
                }
                Unit::Bare(letter) | Unit::Quoted(letter) => vec![vec![Bit::Is(*letter)]],
                Unit::Number => vec![vec![Bit::Star { dots: false }]],
                Unit::Output(script) if matches!(script.trim(), "pwd" | "pwd -P" | "pwd -L") => {
                    vec![literal(&self.cwd)]
                }
                Unit::Unknown | Unit::Output(_) => vec![vec![Bit::Unknown]],
                Unit::Variable(name, other) => self.variable(name, other, depth),
                Unit::Made(name) => {
                    let mut values = self.variable(name, &[], depth);
                    values.push(vec![Bit::Unknown]);
                    values
                }
            };
            if values.len() * next.len() > MOST {
                return vec![vec![Bit::Unknown]];
            }
            if let [one] = next.as_slice() {
                for value in &mut values {
                    join(value, one);
                }
            } else {
                let joined = values.iter().flat_map(|value| {
                    next.iter().map(move |end| {
                        let mut value = value.clone();
                        join(&mut value, end);
                        value
                    })
                });
                values = joined.collect();
                self.spent.set(self.spent.get() + values.len());
            }
        }
        values
    }

    fn tilde(&self, name: &str) -> Option<Pattern> {
        let home = self.home.as_deref()?;
        match name {
            "" => Some(literal(home)),
            "+" => Some(literal(&self.cwd)),
            "-" => Some(vec![Bit::Unknown]),
            name => (home.rsplit('/').next() == Some(name)).then(|| literal(home)),
        }
    }

    fn variable(&self, name: &str, other: &[Unit], depth: usize) -> Vec<Pattern> {
        if depth >= MAX_DEPTH || self.is_spent() {
            return vec![vec![Bit::Unknown]];
        }
        let mut values: Vec<Pattern> = Vec::new();
        match (name, self.home.as_deref()) {
            ("HOME", Some(home)) => values.push(literal(home)),
            ("USER" | "LOGNAME", Some(home)) => values.push(literal(home.rsplit('/').next().unwrap_or(home))),
            ("PWD", _) => values.push(literal(&self.cwd)),
            ("IFS", _) => values.push(vec![Bit::Is(' ')]),
            _ if SUSPECTS.contains(&name) => values.push(vec![Bit::Suspect]),
            _ => {}
        }
        if !other.is_empty() {
            values.extend(self.value(other, depth + 1));
        }
        match self.values.get(name) {
            Some(given) => {
                for units in given.iter().take(MOST) {
                    values.extend(braces(units).iter().flat_map(|units| self.value(units, depth + 1)));
                }
                if given.len() > MOST {
                    values.push(vec![Bit::Unknown]);
                }
            }
            None if values.is_empty() || !other.is_empty() => values.push(vec![Bit::Unknown]),
            None => {}
        }
        let spaced: Vec<Pattern> =
            values.iter().filter(|value| value.iter().any(|bit| is_space(*bit))).cloned().collect();
        for value in spaced {
            values.extend(value.split(|bit| is_space(*bit)).filter(|part| !part.is_empty()).map(<[Bit]>::to_vec));
        }
        values.dedup();
        values.truncate(4 * MOST);
        values
    }
}

/// Adds to a value; where too much of it is open, all the rest is.
fn join(value: &mut Pattern, end: &[Bit]) {
    for bit in end {
        if !matches!(bit, Bit::Is(_) | Bit::One) {
            if value.last() == Some(bit) {
                continue;
            }
            if value.iter().filter(|bit| !matches!(bit, Bit::Is(_) | Bit::One)).count() >= MOST_OPEN {
                if value.last() != Some(&Bit::Unknown) {
                    value.push(Bit::Unknown);
                }
                continue;
            }
        }
        value.push(*bit);
    }
}

fn is_space(bit: Bit) -> bool {
    matches!(bit, Bit::Is(letter) if letter.is_whitespace() || letter.is_control())
}

/// How much belongs to a set of letters that was begun.
fn bracket(rest: &[Unit]) -> Option<usize> {
    let end = rest.iter().skip(1).position(|unit| *unit == Unit::Bare(']'))? + 2;
    (!rest[..end].contains(&Unit::Bare('/'))).then_some(end)
}

/// The words that braces make out of one; a range of letters is not known.
fn braces(units: &[Unit]) -> Vec<Vec<Unit>> {
    // Where it is too much, nothing between the first brace and the last one is known.
    let blurred = |units: &[Unit]| {
        let first = units.iter().position(|unit| *unit == Unit::Bare('{')).unwrap_or(0);
        let last = units.iter().rposition(|unit| *unit == Unit::Bare('}')).unwrap_or(units.len() - 1).max(first);
        vec![[&units[..first], &[Unit::Unknown], &units[last + 1..]].concat()]
    };
    if units.iter().filter(|unit| **unit == Unit::Bare('{')).count() > MOST {
        return blurred(units);
    }
    let whole = units;
    let mut done = Vec::new();
    let mut open = vec![units.to_vec()];
    while let Some(units) = open.pop() {
        let Some((from, to, commas)) = group(&units) else {
            done.push(units);
            continue;
        };
        if done.len() + open.len() + commas.len() > MOST {
            return blurred(whole);
        }
        if commas.is_empty() {
            open.push([&units[..from], &[Unit::Unknown], &units[to + 1..]].concat());
            continue;
        }
        let mut begin = from + 1;
        for end in commas.into_iter().chain([to]) {
            open.push([&units[..from], &units[begin..end], &units[to + 1..]].concat());
            begin = end + 1;
        }
    }
    done
}

/// The first group of braces that the shell takes apart, with its commas.
fn group(units: &[Unit]) -> Option<(usize, usize, Vec<usize>)> {
    for (from, _) in units.iter().enumerate().filter(|(_, unit)| **unit == Unit::Bare('{')) {
        let (mut depth, mut commas) = (0_usize, Vec::new());
        for (at, unit) in units.iter().enumerate().skip(from) {
            match unit {
                Unit::Bare('{') => depth += 1,
                Unit::Bare(',') if depth == 1 => commas.push(at),
                Unit::Bare('}') => {
                    depth -= 1;
                    if depth == 0 {
                        let range = units[from..at].windows(2).any(|two| two == [Unit::Bare('.'), Unit::Bare('.')]);
                        if commas.is_empty() && !range {
                            break;
                        }
                        return Some((from, at, commas));
                    }
                }
                _ => {}
            }
        }
    }
    None
}
