//! Spellings of a path, in an argument that is one and in the text of a command.

use super::Call;
use crate::normal::nfkc;

/// A text of a call's arguments, in the forms in which it is compared.
pub(super) struct Text {
    /// As a path: absolute, folded, without `.` and `..`.
    path: String,
    /// As the text of a command, without quotes, with the home folder in the place of what means it.
    command: String,
    /// Words of it that hold a shell's wildcards, as paths.
    globs: Vec<String>,
    /// It goes into another folder, so that what is relative in it may begin anywhere.
    moves: bool,
}

/// NFKC without case: what a file system that folds, or a person, takes for the same.
fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    nfkc(nfkc(text.chars()).flat_map(char::to_lowercase)).filter(|letter| !is_invisible(*letter)).collect()
}

/// Letters that nobody sees, which some programs drop from names.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

/// Without what a shell takes out of a word, and with the home folder put in.
fn unquoted(text: &str, home: Option<&str>) -> String {
    let plain: String = text.chars().filter(|letter| !matches!(letter, '\'' | '"' | '\\' | '`')).collect();
    let Some(home) = home else { return plain };
    let plain = plain.replace("${home}", home).replace("$home", home);
    let mut put = String::with_capacity(plain.len());
    let mut before = ' ';
    for letter in plain.chars() {
        // `~` means the home folder at the beginning of a word, and after `=` and `:`.
        if letter == '~'
            && (is_space(before) || matches!(before, '=' | ':' | '(' | '{' | ',' | '<' | '>' | '|' | ';' | '&' | '@'))
        {
            put.push_str(home);
        } else {
            put.push(letter);
        }
        before = letter;
    }
    put
}

fn is_space(letter: char) -> bool {
    letter.is_whitespace() || letter.is_control()
}

/// Without `.`, `..` and empty parts, whatever stands there: what a path means where no link is on the way.
fn lexical(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

fn absolute(text: &str, cwd: &str) -> String {
    let rest = text.strip_prefix("file://").unwrap_or(text);
    let rest = rest.strip_prefix("localhost").filter(|rest| rest.starts_with('/')).unwrap_or(rest);
    if rest.starts_with('/') { lexical(rest) } else { lexical(&format!("{cwd}/{rest}")) }
}

/// `%2e` and its like as what they mean.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut plain, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let digits = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            plain.push(byte);
            at += 3;
        } else {
            plain.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}

impl Text {
    pub(super) fn of(text: &str, call: &Call<'_>) -> Self {
        let home = call.user_home.map(folded);
        let text = if text.contains("file://") { decoded(text) } else { text.to_owned() };
        let folded_text = folded(&text);
        let command = unquoted(&folded_text, home.as_deref());
        let cwd = folded(call.cwd);
        let path = absolute(command.trim(), &cwd);
        let words = command
            .split(|letter: char| is_space(letter) || matches!(letter, ';' | '|' | '&' | '<' | '>' | '(' | ')' | '='));
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let wild = |word: &&&str| word.contains(['*', '?', '[', '{']);
        let globs = words.iter().filter(wild).map(|word| absolute(word, &cwd)).collect();
        let moves = words.iter().any(|word| matches!(*word, "cd" | "pushd" | "-c" | "chdir" | "--directory"));
        // Each word that is a path, put right; so `x/../.winter` in a command is found too.
        let put: Vec<String> =
            words.iter().filter(|word| word.contains('/')).map(|word| absolute(word, &cwd)).collect();
        Self { path, command: format!("{command}\n{}", put.join("\n")), globs, moves }
    }
}

/// A protected path, in the forms in which it is looked for.
pub(super) struct Guarded {
    path: String,
    /// From the home folder and from the working folder.
    relative: Vec<String>,
}

impl Guarded {
    pub(super) fn of(path: &str, call: &Call<'_>) -> Self {
        let path = lexical(&folded(path));
        let below = |folder: &str| {
            let folder = lexical(&folded(folder));
            path.strip_prefix(&folder).and_then(|rest| rest.strip_prefix('/')).map(str::to_owned)
        };
        let relative = [call.user_home, Some(call.cwd)].into_iter().flatten().filter_map(below);
        let relative = relative.filter(|relative| !relative.is_empty()).collect();
        Self { path, relative }
    }

    pub(super) fn is_named_by(&self, text: &Text) -> bool {
        self.holds(&text.path)
            || names(&text.command, &self.path)
            || text.globs.iter().any(|glob| self.is_reached_by(glob))
            || (text.moves && self.relative.iter().any(|relative| names(&text.command, relative)))
    }

    /// Whether that path is the guarded one, or lies beneath it.
    fn holds(&self, path: &str) -> bool {
        path.strip_prefix(&self.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Whether a shell could make the guarded path, one above it or one beneath it out of that word.
    fn is_reached_by(&self, glob: &str) -> bool {
        let mut parts = glob.split('/').skip(1);
        for guarded in self.path.split('/').skip(1) {
            let Some(part) = parts.next() else { return true };
            if part.contains("**") {
                return true;
            }
            if !wildcard(part, guarded) {
                return false;
            }
        }
        true
    }
}

/// Whether a word of `text` is that path, or begins with it.
fn names(text: &str, path: &str) -> bool {
    let part_of_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
    text.match_indices(path).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + path.len()..]);
        let begins = path.starts_with('/') || !before.chars().next_back().is_some_and(part_of_name);
        let ends = !after.chars().next().is_some_and(part_of_name);
        begins && ends
    })
}

/// One part of a path against one part of a shell's pattern: `*`, `?`, `[...]` as any letter, `{...}` as anything.
fn wildcard(pattern: &str, name: &str) -> bool {
    // A pattern that does not begin with a dot names nothing that does.
    if name.starts_with('.') && !pattern.starts_with(['.', '{', '[']) {
        return false;
    }
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    matches(&pattern, &name)
}

fn matches(pattern: &[char], name: &[char]) -> bool {
    let Some((first, rest)) = pattern.split_first() else { return name.is_empty() };
    let any = |rest: &[char]| (0..=name.len()).any(|from| matches(rest, &name[from..]));
    match first {
        '*' => any(&rest[rest.iter().take_while(|letter| **letter == '*').count()..]),
        '{' => {
            let end = rest.iter().position(|letter| *letter == '}').map_or(rest.len(), |end| end + 1);
            any(&rest[end..])
        }
        '?' => !name.is_empty() && matches(rest, &name[1..]),
        '[' => {
            let end = rest.iter().skip(1).position(|letter| *letter == ']').map_or(rest.len(), |end| end + 2);
            !name.is_empty() && matches(&rest[end.min(rest.len())..], &name[1..])
        }
        letter => name.first() == Some(letter) && matches(rest, &name[1..]),
    }
}
