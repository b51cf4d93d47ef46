//! Headers that two readers could read in two ways, in all five kinds of item, through the whole program: what reaches
//! the run folder is a header of our own or none, and what is left out is reported once.

use winter_runner::Powers;

use crate::fixture::{Attack, Built, MARK, attacks};

/// What becomes of an item.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// It is there, with its name, its description and its text, and nothing else that the author wrote above the text.
    Header,
    /// The same; the header ends earlier than its author may have meant, so that the rest of it is text.
    Early,
    /// The program sees no header: all of it is text. An agent is then none.
    Text,
    /// It is not there.
    Gone,
}

use Outcome::{Early, Gone, Header, Text};

/// An item's file by the folder of its kind; `NAME` in the header's text becomes the name.
const KINDS: [&str; 5] =
    ["agents/NAME.md", "skills/NAME/SKILL.md", "commands/NAME.md", "output-styles/NAME.md", "rules/NAME.md"];

/// The header's lines, and what becomes of the item. `%MARK` stands where something would act.
const HEADERS: &[(&str, Outcome)] = &[
    ("hooks: %MARK\n", Header),
    ("base: &b {hooks: %MARK}\n<<: *b\n", Gone),
    ("<<: {hooks: %MARK}\n", Header),
    ("\"<<\": {hooks: %MARK}\n", Header),
    ("<<: [{hooks: %MARK}, {model: %MARK}]\n", Header),
    ("metadata: {a: b, <<: {hooks: %MARK}}\n", Header),
    ("hooks: %MARK\nhooks: %MARK\n", Header),
    ("hooks: null\nmodel: %MARK\nhooks: %MARK\nmodel: null\n", Header),
    ("\"hook\\u0073\": %MARK\n", Header),
    ("\"\\x68ooks\": %MARK\n", Header),
    ("'hooks': %MARK\n", Header),
    ("hooks : %MARK\n", Header),
    ("? hooks\n: %MARK\n", Header),
    ("? |-\n  hooks\n: %MARK\n", Header),
    ("? [hooks]\n: %MARK\n", Header),
    ("&a hooks: %MARK\n", Header),
    ("!!str hooks: %MARK\n", Header),
    ("!x hooks: %MARK\n", Header),
    ("hooks: !!python/object:os.system %MARK\n", Header),
    ("Hooks: %MARK\nHOOKS: %MARK\nho\u{200b}oks: %MARK\n\u{ff48}ooks: %MARK\n", Header),
    ("constructor: %MARK\n__proto__: {hooks: %MARK}\n", Header),
    ("...\nhooks: %MARK\n", Gone),
    ("# hooks: %MARK\n", Header),
    ("hooks:\n\tStop: %MARK\n", Header),
    ("hooks:\t%MARK\n", Gone),
    ("\thooks: %MARK\n", Gone),
    ("a: &x %MARK\nhooks: *x\n", Gone),
    ("a: &a [*a, %MARK]\n", Gone),
    ("hooks: %MARK\u{0}\n", Gone),
    ("hooks: \"%MARK\n", Gone),
    ("hooks: %MARK\n  model: %MARK\n", Gone),
    ("x: \u{85}hooks: %MARK\n", Header),
    ("x: \u{2028}hooks: %MARK\n", Header),
    ("x: y --- z\nhooks: later\n", Early),
    ("--- \nhooks: later\n", Early),
];

/// Whole files, for what the table above cannot say.
const FILES: &[(&str, Outcome)] = &[
    ("\u{feff}---\nname: NAME\ndescription: d\nhooks: %MARK\n---\nText.\n", Header),
    ("\u{feff}\u{feff}---\nname: NAME\ndescription: d\nhooks: later\n---\nText.\n", Text),
    ("---\r\nname: NAME\r\ndescription: d\r\nhooks: %MARK\r\n---\r\nText.\n", Header),
    ("---\r\nname: NAME\r\n\"description\": d\rhooks: %MARK\r\n---\r\nText.\n", Header),
    ("---\rname: NAME\rdescription: d\rhooks: later\r---\rText.\n", Text),
    ("--- \t\u{a0}\nname: NAME\ndescription: d\nhooks: %MARK\n---\t\nText.\n", Header),
    ("---\n{name: NAME, description: d, hooks: %MARK}\n---\nText.\n", Header),
    ("---\n- hooks: %MARK\n---\nText.\n", Gone),
    ("---\n%YAML 1.1\nname: NAME\ndescription: d\nhooks: x\n---\nText.\n", Gone),
    ("---\nname: NAME\ndescription: d\nhooks: later\nText.\n", Text),
    (" ---\nname: NAME\ndescription: d\nhooks: later\n---\nText.\n", Text),
    ("---\nname: NAME\ndescription: \"d\\n---\\nhooks: later\"\n---\nText.\n", Gone),
    ("---\nname: NAME\ndescription: |\n  d\n  hooks: later\n---\nText.\n", Header),
    ("---\nname: NAME\ndescription: \"d\\nhooks: later\\u0085model: x\"\n---\nText.\n", Header),
];

/// Every file and what becomes of it; those of ten thousand levels among them.
fn cases() -> Vec<(String, Outcome)> {
    const DEEP: usize = 10_000;
    // What looks like a list and cannot be read as one is a text, as it is for the program.
    let levels = [
        (format!("hooks: {}%MARK{}\n", "[".repeat(DEEP), "]".repeat(DEEP)), Header),
        (format!("hooks: {}\n", "[".repeat(DEEP)), Header),
        (format!("hooks: {}%MARK{}\n", "[".repeat(100), "]".repeat(100)), Gone),
        (format!("hooks: {}%MARK{}\n", "{a: ".repeat(DEEP), "}".repeat(DEEP)), Gone),
        (format!("hooks:\n  {}%MARK\n", "- ".repeat(DEEP)), Gone),
        (format!("{}hooks: %MARK\n", "? ".repeat(DEEP)), Gone),
        (format!("x: {}\nhooks: %MARK\n", "y".repeat(70_000)), Gone),
        (format!("hooks: [{}%MARK]\n", "a, ".repeat(DEEP)), Gone),
    ];
    let headers = HEADERS.iter().map(|(lines, outcome)| ((*lines).to_owned(), *outcome));
    let headers = headers.chain(levels);
    let whole = |(lines, outcome)| (format!("---\nname: NAME\ndescription: d\n{lines}---\nText.\n"), outcome);
    headers.map(whole).chain(FILES.iter().map(|(file, outcome)| ((*file).to_owned(), *outcome))).collect()
}

/// What is wrong with one item of a run folder, if anything is.
fn fault(kind: &str, outcome: Outcome, path: &str, built: &Built, powers: Powers) -> Option<String> {
    let outcome = if outcome == Text && kind.starts_with("agents") { Gone } else { outcome };
    let losses = ["skipped-agents", "dropped-rules", "skipped-items"];
    let source = format!("/{path}");
    let is_lost = |line: &&String| {
        let mut words = line.split(' ');
        losses.contains(&words.next().unwrap_or_default())
            && words.next().is_some_and(|file| file.split(':').next().is_some_and(|file| file.ends_with(&source)))
    };
    let lost: Vec<&String> = built.report.iter().filter(is_lost).collect();
    let Some(text) = built.text(path) else {
        let once = matches!(lost.as_slice(), [line] if line.starts_with("skipped-agents") || line.contains("unusable"));
        return (outcome != Gone || !once).then(|| format!("it is not there: {lost:?}"));
    };
    if outcome == Gone || !lost.is_empty() {
        return Some(format!("it is there: {text:?}, {lost:?}"));
    }
    let is_headless = kind.starts_with("commands") || kind.starts_with("rules");
    if outcome == Text && is_headless {
        return sees_a_header(&text).then(|| format!("it has a header: {text:?}"));
    }
    let Some((header, body)) = split(&text) else { return Some(format!("no header of our own: {text:?}")) };
    let keys: Vec<&str> = header.iter().filter_map(|line| key_of(line)).collect();
    if keys.len() != header.len() {
        return Some(format!("a line that is not canonical: {header:#?}"));
    }
    let mut expected = if outcome == Text { vec![] } else { vec!["name", "description"] };
    expected.extend(kind.starts_with("output").then_some("keep-coding-instructions"));
    let acting: Vec<&str> = keys.iter().filter(|key| !expected.contains(key)).copied().collect();
    let may_act = powers == Powers::Keep && acting == ["hooks"];
    if !keys.iter().filter(|key| !acting.contains(key)).eq(expected.iter()) || !(acting.is_empty() || may_act) {
        return Some(format!("keys {keys:?}"));
    }
    let ends = if outcome == Header { body == "Text.\n" } else { body.ends_with("Text.\n") };
    (!ends).then(|| format!("the text is {body:?}"))
}

/// Whether the program would see a header: after one byte order mark, three hyphens and white space with a line feed.
fn sees_a_header(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.strip_prefix("---").is_some_and(|rest| {
        let blank = rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
        rest[..blank].contains('\n') && rest[blank..].contains("---")
    })
}

/// The lines of a header as it is always written, and the text: the first three hyphens after the header's beginning
/// must be those that end it.
fn split(text: &str) -> Option<(Vec<&str>, &str)> {
    let rest = text.strip_prefix("---\n")?;
    let end = rest.find("---")?;
    let body = rest[end..].strip_prefix("---\n")?;
    let header = &rest[..end];
    (header.is_empty() || header.ends_with('\n')).then(|| (header.split_terminator('\n').collect(), body))
}

/// The key of a canonical line: a plain word, then one value in flow style, each text of it in quotes and printable.
fn key_of(line: &str) -> Option<&str> {
    let (key, value) = line.split_once(": ")?;
    let is_plain = key.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_'));
    let mut quoted = false;
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        let fits = match (quoted, character) {
            (_, '"') => {
                quoted = !quoted;
                true
            }
            (true, '\\') => characters.next().is_some_and(|next| "\"\\ntrxuU".contains(next)),
            (true, c) => {
                !c.is_control() && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{feff}')
            }
            (false, c) => c.is_ascii_alphanumeric() || "[]{}:, .+-".contains(c),
        };
        if !fits {
            return None;
        }
    }
    (is_plain && !key.is_empty() && !quoted).then_some(key)
}

/// The item's path, in a project's folder as in a run folder, and its name, which no other kind has.
fn path(kind: &str, number: usize) -> (String, String) {
    let name = format!("{}{number}", &kind[..2]);
    (kind.replace("NAME", &name), name)
}

fn put(attack: &Attack, cases: &[(String, Outcome)]) {
    for (number, (file, _)) in cases.iter().enumerate() {
        for kind in KINDS {
            let (path, name) = path(kind, number);
            attack.put(&format!("%DIR/{path}"), &file.replace("NAME", &name));
        }
    }
    attack.commit();
}

#[test]
fn a_header_in_the_run_folder_is_always_our_own() {
    let cases = cases();
    for attack in attacks(&[]) {
        put(&attack, &cases);
        for powers in [Powers::Drop, Powers::Keep] {
            let built = attack.build(&attack.input(powers));
            let mut faults = Vec::new();
            for (number, (file, outcome)) in cases.iter().enumerate() {
                for kind in KINDS {
                    let (path, _) = path(kind, number);
                    if let Some(fault) = fault(kind, *outcome, &path, &built, powers) {
                        let file: String = file.chars().take(100).collect();
                        faults.push(format!("{path} {file:?}: {}", fault.chars().take(300).collect::<String>()));
                    }
                }
            }
            assert!(faults.is_empty(), "{powers:?}\n{}", faults.join("\n"));
            if powers == Powers::Drop {
                built.holds_no(MARK);
            }
        }
    }
}

#[test]
fn what_is_taken_out_of_a_header_is_told_with_its_line() {
    let agent = "---\r\nname: a\r\ndescription: d\r\n\r\n\"hook\\u0073\": %MARK\r\n<<: {model: %MARK}\r\nhooks:\r\n\tStop: %MARK\r\n---\r\n";
    let skill = "\u{feff}---\n\n# first\ndescription: %MARK\nmodel: %MARK\ndescription: d\n? [hooks]\n: %MARK\n---\n";
    let files = [("%DIR/agents/a.md", agent), ("%DIR/skills/s/SKILL.md", skill)];
    for attack in attacks(&files) {
        attack.dropped(&[
            "removed-powers %DIR/agents/a.md:5 hooks | %MARK (acts-command)",
            "removed-powers %DIR/agents/a.md:6 << | {\"model\": \"%MARK\"} (unknown-key)",
            "removed-powers %DIR/agents/a.md:7 hooks | {\"Stop\": \"%MARK\"} (acts-command)",
            "removed-powers %DIR/skills/s/SKILL.md:4 description | %MARK (duplicate-key)",
            "removed-powers %DIR/skills/s/SKILL.md:5 model | %MARK (repository-chooses-model)",
            "removed-powers %DIR/skills/s/SKILL.md:7 ? | %MARK (unknown-key)",
        ]);
    }
}
