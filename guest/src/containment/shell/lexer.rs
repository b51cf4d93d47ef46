//! The words of a command's text, as a shell would cut them, with what it would expand left as it is.

/// One step of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// A letter that may mean something: a wildcard, a brace, a tilde.
    Bare(char),
    /// A letter that means itself.
    Quoted(char),
    /// The value of a variable; and what stands for it where it has none.
    Variable(String, Vec<Unit>),
    /// A value made out of a variable's.
    Made(String),
    /// A number.
    Number,
    /// The output of a command.
    Output(String),
    /// Anything.
    Unknown,
}

/// A word.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    pub(super) units: Vec<Unit>,
    /// Without its quotes, with what would be expanded as it stands there.
    pub(super) text: String,
    /// Some of it is quoted.
    pub(super) quoted: bool,
    /// What is read from it, or written to it.
    pub(super) redirect: bool,
}

/// What a text is cut into.
#[derive(Clone, Debug)]
pub(super) enum Token {
    Word(Word),
    /// `|`
    Pipe,
    /// What ends a command.
    End,
}

/// What a text holds.
#[derive(Debug, Default)]
pub(super) struct Cut {
    pub(super) tokens: Vec<Token>,
    /// The texts of commands that stand inside words.
    pub(super) inner: Vec<String>,
    /// Texts that are given to commands as their input.
    pub(super) here: Vec<String>,
    /// It is nested too deeply to be cut.
    pub(super) too_deep: bool,
}

/// The deepest that expansions are nested in each other.
const MAX_DEPTH: usize = 16;

struct Lexer<'a> {
    letters: &'a [char],
    at: usize,
    cut: Cut,
    word: Option<Word>,
    redirect: bool,
    waiting: Vec<Here>,
    depth: usize,
}

/// A here-document that begins at the next line.
struct Here {
    end: Option<String>,
    /// Its text stands for itself.
    quoted: bool,
    /// Tabs before its end are taken off.
    tabs: bool,
}

/// Cuts a text.
pub(super) fn cut(text: &str) -> Cut {
    cut_at(text, 0)
}

fn cut_at(text: &str, depth: usize) -> Cut {
    if depth > MAX_DEPTH {
        return Cut { too_deep: true, ..Cut::default() };
    }
    let letters: Vec<char> = text.replace("\r\n", "\n").chars().collect();
    let mut lexer = Lexer {
        letters: &letters,
        at: 0,
        cut: Cut::default(),
        word: None,
        redirect: false,
        waiting: Vec::new(),
        depth,
    };
    lexer.all();
    lexer.cut
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.letters.get(self.at + ahead).copied()
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    fn push(&mut self, unit: Unit, text: &str) {
        let word = self.word();
        word.units.push(unit);
        word.text.push_str(text);
    }

    fn letter(&mut self, letter: char, quoted: bool) {
        let unit = if quoted { Unit::Quoted(letter) } else { Unit::Bare(letter) };
        self.push(unit, letter.encode_utf8(&mut [0; 4]));
    }

    fn end_word(&mut self) {
        if let Some(mut word) = self.word.take() {
            word.redirect = std::mem::take(&mut self.redirect);
            if let Some(here) = self.waiting.last_mut().filter(|here| here.end.is_none()) {
                here.quoted = word.quoted;
                here.end = Some(word.text);
                return;
            }
            self.cut.tokens.push(Token::Word(word));
        }
    }

    fn all(&mut self) {
        while let Some(letter) = self.peek(0) {
            self.at += 1;
            match letter {
                '\n' => {
                    self.end_word();
                    self.cut.tokens.push(Token::End);
                    self.here_documents();
                }
                '\\' => self.escaped(),
                '\'' => self.single(),
                '"' => self.double(),
                '$' => self.dollar(false),
                '`' => self.backticks(),
                '#' if self.word.is_none() => {
                    while self.peek(0).is_some_and(|letter| letter != '\n') {
                        self.at += 1;
                    }
                }
                '<' | '>' if self.peek(0) == Some('(') => {
                    let inner = self.until('(', ')');
                    self.cut.inner.push(inner);
                    self.push(Unit::Unknown, "<(…)");
                }
                '<' | '>' => self.redirection(letter),
                '(' => self.paren(),
                ';' | '&' | ')' => {
                    self.end_word();
                    // `&>` and `>&` are redirections.
                    if letter == '&' && self.peek(0) == Some('>') {
                        continue;
                    }
                    self.cut.tokens.push(Token::End);
                }
                '|' => {
                    self.end_word();
                    if self.peek(0) == Some('|') {
                        self.at += 1;
                        self.cut.tokens.push(Token::End);
                    } else {
                        self.cut.tokens.push(Token::Pipe);
                    }
                }
                letter if letter.is_whitespace() || letter.is_control() => self.end_word(),
                letter => self.letter(letter, false),
            }
        }
        self.end_word();
        self.here_documents();
    }

    fn paren(&mut self) {
        if self.word.is_none() && self.peek(0) == Some('(') {
            // Arithmetic, in which `<<` begins no text.
            let inner = self.until('(', ')');
            if self.peek(0) == Some(')') {
                self.inner_cut(&inner);
            } else {
                self.cut.inner.push(inner);
            }
            self.cut.tokens.push(Token::End);
            return;
        }
        let before = self.word.as_ref().and_then(|word| word.units.last());
        match before {
            // `@(a|b)` and its like, in a word or at its beginning.
            Some(Unit::Bare('@' | '+' | '?' | '*' | '!')) => {
                self.at -= 1;
                let inner = self.until('(', ')');
                self.word().units.pop();
                self.push(Unit::Unknown, "(…)");
                self.cut.inner.push(inner.replace('|', " "));
            }
            // A list: what its members are is said by the words that follow.
            Some(Unit::Bare('=')) => {
                self.push(Unit::Unknown, "");
                self.end_word();
            }
            _ => {
                self.end_word();
                self.cut.tokens.push(Token::End);
            }
        }
    }

    fn escaped(&mut self) {
        match self.peek(0) {
            Some('\n') => self.at += 1,
            Some(letter) => {
                self.at += 1;
                self.letter(letter, true);
                self.word().quoted = true;
            }
            None => {}
        }
    }

    fn single(&mut self) {
        self.word().quoted = true;
        while let Some(letter) = self.peek(0) {
            self.at += 1;
            if letter == '\'' {
                break;
            }
            self.letter(letter, true);
        }
    }

    fn double(&mut self) {
        self.word().quoted = true;
        while let Some(letter) = self.peek(0) {
            self.at += 1;
            match letter {
                '"' => break,
                '\\' => match self.peek(0) {
                    Some('\n') => self.at += 1,
                    Some(letter @ ('"' | '\\' | '$' | '`')) => {
                        self.at += 1;
                        self.letter(letter, true);
                    }
                    _ => self.letter('\\', true),
                },
                '$' => self.dollar(true),
                '`' => self.backticks(),
                letter => self.letter(letter, true),
            }
        }
    }

    fn backticks(&mut self) {
        let mut inner = String::new();
        while let Some(letter) = self.peek(0) {
            self.at += 1;
            match letter {
                '`' => break,
                '\\' if self.peek(0).is_some() => {
                    inner.extend(self.peek(0));
                    self.at += 1;
                }
                letter => inner.push(letter),
            }
        }
        self.output(inner);
    }

    fn output(&mut self, inner: String) {
        let text = format!("$({inner})");
        self.cut.inner.push(inner.clone());
        self.push(Unit::Output(inner), &text);
    }

    fn dollar(&mut self, quoted: bool) {
        match self.peek(0) {
            Some('\'') if !quoted => {
                self.at += 1;
                self.ansi();
            }
            Some('"') if !quoted => {
                self.at += 1;
                self.double();
            }
            Some('(') => {
                let inner = self.until('(', ')');
                if inner.starts_with('(') && inner.ends_with(')') {
                    self.inner_cut(&inner);
                    self.push(Unit::Number, "$((…))");
                } else {
                    self.output(inner);
                }
            }
            Some('{') => {
                let inner = self.until('{', '}');
                let text = format!("${{{inner}}}");
                let unit = self.expansion(&inner);
                self.push(unit, &text);
            }
            Some('?' | '$' | '#' | '!') => {
                self.at += 1;
                self.push(Unit::Number, "$?");
            }
            Some(letter) if letter.is_ascii_digit() || matches!(letter, '@' | '*' | '-') => {
                self.at += 1;
                self.push(Unit::Unknown, &format!("${letter}"));
            }
            Some(letter) if letter.is_ascii_alphabetic() || letter == '_' => {
                let name: String = self.letters[self.at..].iter().take_while(|letter| is_named(**letter)).collect();
                self.at += name.chars().count();
                let text = format!("${name}");
                self.push(Unit::Variable(name, Vec::new()), &text);
            }
            _ => self.letter('$', quoted),
        }
    }

    fn inner_cut(&mut self, text: &str) -> Cut {
        let mut inside = cut_at(text, self.depth + 1);
        self.cut.too_deep |= inside.too_deep;
        self.cut.inner.append(&mut inside.inner);
        inside
    }

    /// What stands between `${` and `}`.
    fn expansion(&mut self, inner: &str) -> Unit {
        let name: String = inner.chars().take_while(|letter| is_named(*letter)).collect();
        let rest = &inner[name.len()..];
        let rest = rest.strip_prefix(':').unwrap_or(rest);
        let other = rest.strip_prefix(['-', '+', '=']);
        // What stands in its place may hold commands, too.
        let inside = self.inner_cut(other.unwrap_or(rest));
        if inner.starts_with('#') && inner.len() > 1 {
            return Unit::Number;
        }
        if name.is_empty() || inner.starts_with(|letter: char| letter.is_ascii_digit()) {
            return Unit::Unknown;
        }
        if other.is_none() && !rest.is_empty() {
            return Unit::Made(name);
        }
        // One word, as far as it goes: a shell does not cut it.
        let mut units = Vec::new();
        for token in inside.tokens {
            if let Token::Word(word) = token {
                units.extend(word.units);
            }
        }
        Unit::Variable(name, units)
    }

    /// What stands between the beginning right here and the end that belongs to it; quotes hide either.
    fn until(&mut self, open: char, close: char) -> String {
        self.at += 1;
        let (mut depth, mut inner, mut quote) = (1, String::new(), None);
        while let Some(letter) = self.peek(0) {
            self.at += 1;
            match (quote, letter) {
                (None | Some('"'), '\\') => {
                    inner.push(letter);
                    inner.extend(self.peek(0));
                    self.at += 1;
                    continue;
                }
                (None, '\'' | '"') => quote = Some(letter),
                (Some(quoted), _) if quoted == letter => quote = None,
                (None, _) if letter == open => depth += 1,
                (None, _) if letter == close => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                _ => {}
            }
            inner.push(letter);
        }
        self.at = self.at.min(self.letters.len());
        inner
    }

    /// `$'...'`
    fn ansi(&mut self) {
        self.word().quoted = true;
        while let Some(letter) = self.peek(0) {
            self.at += 1;
            match letter {
                '\'' => break,
                '\\' => {
                    let letter = self.ansi_escape();
                    self.letter(letter, true);
                }
                letter => self.letter(letter, true),
            }
        }
    }

    fn ansi_escape(&mut self) -> char {
        let Some(letter) = self.peek(0) else { return '\\' };
        self.at += 1;
        match letter {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' | 'b' | 'e' | 'E' | 'f' | 'v' => '\u{1b}',
            'x' => self.code(16, 2),
            'u' => self.code(16, 4),
            'U' => self.code(16, 8),
            'c' => {
                self.at += 1;
                '\u{1}'
            }
            '0'..='7' => {
                self.at -= 1;
                self.code(8, 3)
            }
            letter => letter,
        }
    }

    fn code(&mut self, radix: u32, most: usize) -> char {
        let mut value = 0_u32;
        for _ in 0..most {
            let Some(digit) = self.peek(0).and_then(|letter| letter.to_digit(radix)) else { break };
            value = value.saturating_mul(radix).saturating_add(digit);
            self.at += 1;
        }
        char::from_u32(value).unwrap_or('\u{fffd}')
    }

    fn redirection(&mut self, letter: char) {
        // The number before it is a descriptor's.
        if self.word.as_ref().is_some_and(|word| word.text.chars().all(|letter| letter.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        if letter == '<' && self.peek(0) == Some('<') {
            self.at += 1;
            if self.peek(0) == Some('<') {
                self.at += 1;
                return;
            }
            let tabs = self.peek(0) == Some('-');
            self.at += usize::from(tabs);
            self.waiting.push(Here { end: None, quoted: false, tabs });
            return;
        }
        while self.peek(0).is_some_and(|letter| matches!(letter, '>' | '&' | '|')) {
            self.at += 1;
        }
        self.redirect = true;
    }

    fn here_documents(&mut self) {
        for here in std::mem::take(&mut self.waiting) {
            let Some(end) = here.end else { continue };
            let (mut body, mut ended) = (String::new(), false);
            while self.at < self.letters.len() {
                let line: String = self.letters[self.at..].iter().take_while(|letter| **letter != '\n').collect();
                self.at = (self.at + line.chars().count() + 1).min(self.letters.len());
                let bare = if here.tabs { line.trim_start_matches('\t') } else { line.as_str() };
                if bare == end {
                    ended = true;
                    break;
                }
                body.push_str(&line);
                body.push('\n');
            }
            if !here.quoted {
                // In it, commands inside of `$( )` run.
                self.inner_cut(&format!("\"{}\"", body.replace('"', "\\\"")));
            }
            if !ended {
                // Then it may have been none.
                self.cut.inner.push(body.clone());
            }
            self.cut.here.push(body);
        }
    }
}

fn is_named(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}
