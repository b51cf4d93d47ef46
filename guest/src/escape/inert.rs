//! Rules that can never match, and what would.

use super::anchor::{PATH_TOOLS, breaks_matcher};
use super::table::is_white_space;
use super::{Malformed, parse_rule, rule_path, unescape_rule_content};
use crate::brand::Spelling;

/// One way for a rule never to match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InertRow {
    /// The row's name.
    pub id: &'static str,
    /// Why such a rule never matches, in words.
    pub why: &'static str,
    /// The grammars of rules, by their spelling, for which that is known.
    pub spellings: &'static [Spelling],
    /// Where that is known from.
    pub source: &'static str,
}

/// A rule that never matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inert {
    /// Why.
    pub row: &'static InertRow,
    /// A rule that does what this one seems to be meant for, if one can be told.
    pub instead: Option<String>,
}

const BOTH: &[Spelling] = &[Spelling::Contract, Spelling::Hex];
const CLAUDE: &[Spelling] = &[Spelling::Hex];
const MEASURED: &str = "Claude Code 2.1.250, measured";
const CONTRACT: &str = "the contract; Claude Code 2.1.250, measured";
const GITIGNORE: &str = "gitignore(5); Claude Code 2.1.250, measured";

macro_rules! rows {
    ($($(#[doc = $doc:literal])* $name:ident = $id:literal, $spellings:expr, $why:literal, $source:expr;)*) => {
        $($(#[doc = $doc])* static $name: InertRow = InertRow { id: $id, why: $why, spellings: $spellings, source: $source };)*

        /// Every row.
        pub static INERT: &[&InertRow] = &[$(&$name),*];
    };
}

rows! {
    NO_TOOL = "no-tool", BOTH, "it names no tool", CONTRACT;
    NOT_CLOSED = "not-closed", BOTH, "no unescaped parenthesis closes it", CONTRACT;
    NOT_OPENED = "not-opened", BOTH, "no parenthesis opens it", CONTRACT;
    GOES_ON = "goes-on", BOTH, "it goes on after its closing parenthesis", CONTRACT;
    TOOL_WHITE_SPACE = "tool-white-space", CLAUDE, "white space stands around the name of the tool", MEASURED;
    FIELD = "field", BOTH, "it names a field, where a path is read", CONTRACT;
    NOT_CONSULTED = "not-consulted", BOTH, "of paths, only those of Read and Edit rules are consulted", CONTRACT;
    LEADING_WHITE_SPACE = "leading-white-space", CLAUDE, "its path starts with white space", MEASURED;
    LINE_BREAK = "line-break", &[Spelling::Contract], "its path holds a newline", "the contract; Claude Code 2.1.250 matches it, measured";
    UNPAIRED = "unpaired", CLAUDE, "its inner parentheses do not pair", MEASURED;
    UNCLOSED_CLASS = "unclosed-class", BOTH, "a `[` of it does not close or compile, which can make every use of the tool fail", CONTRACT;
    LONE_SLASH = "lone-slash", BOTH, "its path is a slash alone", GITIGNORE;
    NO_PATH = "no-path", CLAUDE, "it names a folder by no name", MEASURED;
    TAKES_BACK = "takes-back", BOTH, "a leading `!` denies and allows nothing: it takes back what rules before it say", GITIGNORE;
    COMMENT = "comment", BOTH, "a leading `#` makes it a comment", GITIGNORE;
    TWO_DOTS = "two-dots", BOTH, "a `..` is never resolved", GITIGNORE;
    ONE_DOT = "one-dot", BOTH, "a `.` inside a path is never resolved", GITIGNORE;
    VARIABLE = "variable", CLAUDE, "`$HOME` is not replaced", MEASURED;
}

/// Whether a rule can never match, by the rows that hold for the brand's spelling; a rule that other rules make
/// useless is none.
///
/// It says nothing about rules of tools that take no path, unless they cannot be read at all.
///
/// ```
/// use winter_policy::{brand::Spelling, escape::inert};
/// let found = inert("Write(/src/**)", Spelling::Contract).unwrap();
/// assert_eq!((found.row.id, found.instead.as_deref()), ("not-consulted", Some("Edit(/src/**)")));
/// assert_eq!(inert("Bash(ls:*)", Spelling::Hex), None);
/// ```
pub fn inert(rule: &str, spelling: Spelling) -> Option<Inert> {
    found(rule, spelling).filter(|found| found.row.spellings.contains(&spelling))
}

/// Whether a rule takes back what the rules of its list before it say, for paths from the working folder: a `!` before
/// its path.
///
/// Source: Claude Code 2.1.250, measured: of `Read(f)` and then `Read(!f)`, `Read(./!f)` or `Read(!**)`, nothing is left;
/// rules with `//` and `~/` and those of another tool stay.
///
/// ```
/// use winter_policy::escape::takes_back;
/// assert!(takes_back("Read(!**)") && takes_back("Edit(./!x)") && !takes_back("Read(/!x)") && !takes_back("Bash(!x)"));
/// ```
pub fn takes_back(rule: &str) -> bool {
    if !rule.contains('!') {
        return false;
    }
    let content = parse_rule(rule).ok().filter(|rule| PATH_TOOLS.contains(&rule.tool)).and_then(|rule| rule.content);
    content.is_some_and(|content| content.strip_prefix("./").unwrap_or(content).starts_with('!'))
}

fn found(rule: &str, spelling: Spelling) -> Option<Inert> {
    let row = |row: &'static InertRow, instead: Option<String>| Some(Inert { row, instead });
    let parsed = match parse_rule(rule) {
        Ok(parsed) => parsed,
        Err(Malformed::NoTool) => return row(&NO_TOOL, None),
        Err(Malformed::NotOpened) => return row(&NOT_OPENED, None),
        Err(Malformed::NotClosed) => {
            return row(&NOT_CLOSED, Some(format!("{rule})")).filter(|rule| readable(rule)));
        }
        Err(Malformed::GoesOn) => {
            let end = rule.rfind(')').map_or(rule.len(), |end| end + 1);
            return row(&GOES_ON, Some(rule[..end].to_owned()).filter(|rule| readable(rule)));
        }
    };
    let tool = parsed.tool.trim_matches(is_white_space);
    if tool != parsed.tool {
        let instead = parsed.content.map_or_else(|| tool.to_owned(), |content| format!("{tool}({content})"));
        return row(&TOOL_WHITE_SPACE, Some(instead));
    }
    let content = parsed.content.filter(|content| *content != "*" && PATH_TOOLS.contains(&tool))?;
    let consulted = consulted(tool);
    let with = |content: &str| Some(format!("{tool}({content})"));
    if let Some(path) = ["file_path", "notebook_path", "path"]
        .iter()
        .find_map(|field| content.strip_prefix(field).and_then(|rest| rest.strip_prefix(['=', ':'])))
    {
        return row(&FIELD, Some(format!("{consulted}({path})")));
    }
    if consulted != tool {
        return row(&NOT_CONSULTED, Some(format!("{consulted}({content})")));
    }
    if content.starts_with(is_white_space) {
        return row(&LEADING_WHITE_SPACE, with(content.trim_start_matches(is_white_space)));
    }
    if content.contains('\n') && spelling == Spelling::Contract {
        return row(&LINE_BREAK, None);
    }
    if !pairs(content) {
        return row(&UNPAIRED, with(&spelt(content, &['(', ')'], spelling)));
    }
    if breaks_matcher(rule) {
        return row(&UNCLOSED_CLASS, with(&spelt(content, &['[', ']'], spelling)));
    }
    match content {
        "/" => return row(&LONE_SLASH, with("//**")),
        "//" => return row(&NO_PATH, with("//**")),
        "~" | "~/" => return row(&NO_PATH, with("~/**")),
        "" | "." | "./" => return row(&NO_PATH, with("**")),
        _ => {}
    }
    let bare = content.strip_prefix("./").unwrap_or(content);
    if bare.starts_with('!') {
        return row(&TAKES_BACK, None);
    }
    if let Some(rest) = bare.strip_prefix('#') {
        return row(&COMMENT, with(&format!("{}{rest}", rule_path("#", spelling))));
    }
    if !bare.contains('.') {
        return variable(content).and_then(|path| row(&VARIABLE, with(&path)));
    }
    if bare.split('/').any(|part| part == "..") {
        return row(&TWO_DOTS, resolved(content).and_then(|content| with(&content)));
    }
    if bare.split('/').any(|part| part == ".") {
        let parts: Vec<&str> = content.split('/').filter(|part| *part != ".").collect();
        return row(&ONE_DOT, with(&parts.join("/")));
    }
    variable(content).and_then(|path| row(&VARIABLE, with(&path)))
}

fn variable(content: &str) -> Option<String> {
    let rest = content.strip_prefix("$HOME/").or_else(|| content.strip_prefix("${HOME}/"))?;
    Some(format!("~/{rest}"))
}

/// The tool whose rules decide about the paths that `tool` takes.
fn consulted(tool: &str) -> &str {
    match tool {
        "Write" | "NotebookEdit" | "MultiEdit" => "Edit",
        "Glob" | "Grep" | "LS" => "Read",
        tool => tool,
    }
}

fn readable(rule: &str) -> bool {
    parse_rule(rule).is_ok()
}

fn pairs(content: &str) -> bool {
    let (mut open, mut escaped) = (0_usize, false);
    for byte in content.bytes() {
        match byte {
            b'(' if !escaped => open += 1,
            b')' if !escaped => match open.checked_sub(1) {
                Some(left) => open = left,
                None => return false,
            },
            _ => {}
        }
        escaped = byte == b'\\' && !escaped;
    }
    open == 0
}

/// The content with each of these characters that is not escaped spelt as itself.
fn spelt(content: &str, characters: &[char], spelling: Spelling) -> String {
    let mut out = String::with_capacity(content.len() + 8);
    let mut escaped = false;
    for letter in content.chars() {
        if characters.contains(&letter) && !escaped {
            out.push_str(&rule_path(letter.encode_utf8(&mut [0; 4]), spelling));
        } else {
            out.push(letter);
        }
        escaped = letter == '\\' && !escaped;
    }
    out
}

/// The path without its `..`, where each takes back a name that is no pattern, and none leads out of the anchor.
fn resolved(content: &str) -> Option<String> {
    let (anchor, path) = match content {
        content if content.starts_with("//") => content.split_at(2),
        content if content.starts_with("~/") => content.split_at(2),
        content => ("", content),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        if part == ".." {
            let name = parts.pop()?;
            if name.is_empty() || name == "." || unescape_rule_content(name).contains(['*', '?', '[', '\\']) {
                return None;
            }
        } else {
            parts.push(part);
        }
    }
    let path = parts.join("/");
    (!path.is_empty()).then(|| format!("{anchor}{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::test;
    use proptest::prelude::*;

    /// One row, a rule of it, and the rule that would match.
    const CASES: &[(&str, &str, &str)] = &[
        ("no-tool", "(x)", ""),
        ("not-closed", "Read(/src/**", "Read(/src/**)"),
        ("not-closed", r"Read(/src\)", r"Read(/src\))"),
        ("not-closed", "Bash(ls", "Bash(ls)"),
        ("not-opened", "Read)", ""),
        ("goes-on", "Read(/a) ", "Read(/a)"),
        ("tool-white-space", " Read(/a)", "Read(/a)"),
        ("field", "Write(file_path=**/settings.local.json)", "Edit(**/settings.local.json)"),
        ("field", "NotebookEdit(notebook_path:x.ipynb)", "Edit(x.ipynb)"),
        ("not-consulted", "Write(.tmp/a: b/**)", "Edit(.tmp/a: b/**)"),
        ("not-consulted", "NotebookEdit(//n.ipynb)", "Edit(//n.ipynb)"),
        ("not-consulted", "Grep(src/**)", "Read(src/**)"),
        ("leading-white-space", "Read( //x)", "Read(//x)"),
        ("line-break", "Read(a\nb)", ""),
        ("unpaired", "Read(//a(b)", r"Read(//a\\x28b)"),
        ("unclosed-class", "Read(//a[b)", r"Read(//a\\x5bb)"),
        ("lone-slash", "Read(/)", "Read(//**)"),
        ("no-path", "Read(~)", "Read(~/**)"),
        ("no-path", "Read(~/)", "Read(~/**)"),
        ("no-path", "Read(.)", "Read(**)"),
        ("no-path", "Read()", "Read(**)"),
        ("takes-back", "Read(!.env)", ""),
        ("takes-back", "Read(./!.env)", ""),
        ("comment", "Read(#x/s)", r"Read(\\x23x/s)"),
        ("two-dots", "Read(~/a/../b)", "Read(~/b)"),
        ("two-dots", "Read(../b)", ""),
        ("two-dots", "Read(//a*/../b)", ""),
        ("one-dot", "Read(a/./b)", "Read(a/b)"),
        ("one-dot", "Read(././f)", "Read(f)"),
        ("variable", "Read($HOME/.ssh/**)", "Read(~/.ssh/**)"),
    ];

    #[test]
    fn every_row_is_found_and_says_what_would_match() {
        for (id, rule, instead) in CASES {
            let spelling = if *id == "line-break" { Spelling::Contract } else { Spelling::Hex };
            let found = inert(rule, spelling).unwrap_or_else(|| panic!("{rule} is not found"));
            assert_eq!((found.row.id, found.instead.as_deref().unwrap_or_default()), (*id, *instead), "{rule}");
        }
        for row in INERT {
            assert!(CASES.iter().any(|(id, ..)| *id == row.id), "{} has no case", row.id);
        }
    }

    #[test]
    fn a_row_of_one_grammar_says_nothing_about_the_other() {
        for (id, rule, _) in CASES {
            for spelling in BOTH {
                let row = INERT.iter().find(|row| row.id == *id).expect("a row");
                let found = inert(rule, *spelling).map(|found| found.row.id);
                assert_eq!(found == Some(id), row.spellings.contains(spelling), "{rule} {spelling:?}: {found:?}");
            }
        }
    }

    #[test]
    fn rules_that_can_match_are_not_remarked() {
        for rule in [
            "Read",
            "Write",
            "Write(*)",
            "Read(*)",
            "Read(**)",
            "Read(~/.ssh/**)",
            "Read(./.env)",
            "Read(**/.env*)",
            "Read(my-repo/.env)",
            "Edit(src/**)",
            "Read(//x/(group)/p)",
            "Bash(cat:*)",
            "Bash(mkdir -p /tmp/claude-*)",
            "Bash(a/../b)",
            "Bash( x)",
            "Bash(x[)",
            "Bash((x)",
            "Read(Mobile Documents/com~apple~CloudDocs/**)",
            "Edit(.tmp/a: b/**)",
            "Read(...)",
            "Read(..a/b)",
            "Read(//x/#y)",
            "Read(a!b)",
            "WebFetch(domain:x)",
            "mcp__a__b",
            r"Read(a\\\(b)",
            "Read([ab])",
            "Read(app/[id]/page.tsx)",
            "Read(///etc)",
            "Read(/src/**)",
        ] {
            for spelling in BOTH {
                assert_eq!(inert(rule, *spelling), None, "{rule}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_said_to_match_is_not_of_the_same_row(rule in r"(Read|Write| Edit)\(?[/~.a*\[\]()\\ !#$]{0,10}\)?.?", hex: bool) {
            let spelling = if hex { Spelling::Hex } else { Spelling::Contract };
            if let Some(Inert { row, instead: Some(instead) }) = inert(&rule, spelling) {
                let again = inert(&instead, spelling).map(|found| found.row.id);
                prop_assert!(again != Some(row.id), "{} -> {}: {}", rule, instead, row.id);
            }
        }

        #[test]
        fn any_text_has_an_answer(rule in ".{0,20}", hex: bool) {
            inert(&rule, if hex { Spelling::Hex } else { Spelling::Contract });
            takes_back(&rule);
        }
    }
}
