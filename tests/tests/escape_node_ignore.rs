//! Both spellings of a literal path against node-ignore, the matcher that the runtimes read rules with.
//!
//! `hex` has no exception. `contract` has those of its table of gaps, and each of them is shown here to be one. Without
//! Node or npm, or where npm cannot install, the tests say `skipped: ...` and pass.

use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use winter_policy::brand::Spelling;
use winter_policy::escape::{contract_gaps, rule_path};

/// Heavy in what either layer, or a JavaScript regular expression, gives a meaning to.
const ALPHABET: &[char] = &[
    'a', 'b', 'd', 's', 'w', 'x', 'u', 'Z', '0', '3', 'f', '\\', '\\', '[', ']', '*', '*', '?', '(', ')', '{', '}',
    '|', '+', '^', '$', '!', '#', '~', ' ', ' ', '\t', '\n', '\r', '-', '.', ',', '/', '/', 'é', 'ß', 'K', '日', '😀',
    '\u{a0}', '\u{3000}', '\u{2028}', '\u{feff}', '\u{301}',
];

/// A path, and every path that is one character away.
struct Case {
    path: String,
    others: Vec<String>,
}

/// `SplitMix64`: the same cases in every run.
struct Seed(u64);

impl Seed {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).unwrap_or_default()
    }

    fn character(&mut self) -> char {
        ALPHABET[self.below(ALPHABET.len())]
    }

    fn path(&mut self) -> String {
        loop {
            let length = 1 + self.below(9);
            let path: String = std::iter::once('/').chain((0..length).map(|_| self.character())).collect();
            if is_path(&path) {
                return path;
            }
        }
    }
}

fn is_path(path: &str) -> bool {
    path.len() > 1 && path.split('/').skip(1).all(|part| !matches!(part, "" | "." | ".."))
}

fn case(path: String, other: char) -> Case {
    let all: Vec<char> = path.chars().collect();
    let mut others = Vec::new();
    for at in 1..=all.len() {
        let (head, tail) = all.split_at(at);
        let mut push = |middle: &[char], tail: &[char]| others.push([head, middle, tail].concat().iter().collect());
        for new in [other, 'a', '\\', ' ', '/'] {
            push(&[new], tail);
            push(&[new], tail.get(1..).unwrap_or_default());
        }
        if let Some((old, tail)) = tail.split_first() {
            push(&[], tail);
            push(&old.to_lowercase().collect::<Vec<_>>(), tail);
            push(&old.to_uppercase().collect::<Vec<_>>(), tail);
        }
    }
    others.retain(|variation: &String| *variation != path && is_path(variation));
    Case { path, others }
}

/// Where `check.mjs` and its package are installed, or why they are not.
fn installed() -> Result<&'static Path, &'static str> {
    static INSTALLED: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    INSTALLED.get_or_init(install).as_deref().map_err(String::as_str)
}

fn install() -> Result<PathBuf, String> {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("node-ignore");
    let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join("node-ignore");
    std::fs::create_dir_all(&to).map_err(|error| error.to_string())?;
    for name in ["package.json", "package-lock.json", "check.mjs"] {
        std::fs::copy(from.join(name), to.join(name)).map_err(|error| format!("{name}: {error}"))?;
    }
    if !to.join("node_modules/ignore/package.json").exists() {
        let out = Command::new("npm")
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
            .current_dir(&to)
            .stdin(Stdio::null())
            .output();
        let out = out.map_err(|error| format!("npm: {error}"))?;
        if !out.status.success() {
            return Err(format!("npm ci: {}", String::from_utf8_lossy(&out.stderr)));
        }
    }
    let node = Command::new("node").arg("--version").output().map_err(|error| format!("node: {error}"))?;
    if node.status.success() { Ok(to) } else { Err("node does not run".to_owned()) }
}

fn run(folder: &Path, input: &Value) -> Value {
    let mut node = Command::new("node")
        .arg("check.mjs")
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node starts");
    let mut stdin = node.stdin.take().expect("a pipe");
    stdin.write_all(input.to_string().as_bytes()).expect("node reads");
    drop(stdin);
    let out = node.wait_with_output().expect("node ends");
    assert!(out.status.success(), "check.mjs failed");
    serde_json::from_slice(&out.stdout).expect("JSON")
}

/// What node-ignore says of each case: a sentence for each thing that is wrong, none when it is exact. Nothing at all
/// when the tests are skipped.
fn findings(cases: &[Case], spelling: Spelling) -> Option<Vec<Vec<String>>> {
    let folder = match installed() {
        Ok(folder) => folder,
        Err(why) => {
            println!("skipped: node-ignore is not there: {why}");
            return None;
        }
    };
    let spelt =
        |case: &Case| json!({"content": rule_path(&case.path, spelling), "path": case.path, "others": case.others});
    let input = Value::Array(cases.iter().map(spelt).collect());
    let answers = run(folder, &input);
    let answers = answers.as_array().expect("a list");
    assert_eq!(answers.len(), cases.len());
    Some(answers.iter().map(wrong).collect())
}

fn wrong(answer: &Value) -> Vec<String> {
    let mut out = Vec::new();
    for form in ["itself", "inside"] {
        if answer[form]["missed"] != json!(false) {
            out.push(format!("{form}: missed"));
        }
        for other in answer[form]["also"].as_array().expect("a list") {
            out.push(format!("{form}: also {other}"));
        }
    }
    out
}

fn random(count: usize) -> Vec<Case> {
    let mut seed = Seed(20_250_301);
    (0..count).map(|_| (seed.path(), seed.character())).map(|(path, other)| case(path, other)).collect()
}

#[test]
fn hex_is_exact() {
    let mut cases = random(3000);
    cases.extend(ALPHABET.iter().flat_map(|c| {
        let paths = [format!("/{c}"), format!("/a{c}"), format!("/{c}a"), format!("/a{c}{c}"), format!("/a/{c}b/c{c}")];
        paths.into_iter().filter(|path| is_path(path)).map(|path| case(path, '?'))
    }));
    let Some(findings) = findings(&cases, Spelling::Hex) else { return };
    for (case, wrong) in cases.iter().zip(findings) {
        assert!(wrong.is_empty(), "{:?}: {wrong:?}", case.path);
    }
}

#[test]
fn contract_is_exact_but_for_its_gaps() {
    let cases: Vec<Case> = random(6000).into_iter().filter(|case| contract_gaps(&case.path).is_empty()).collect();
    assert!(cases.len() > 1500, "{}", cases.len());
    let Some(findings) = findings(&cases, Spelling::Contract) else { return };
    for (case, wrong) in cases.iter().zip(findings) {
        assert!(wrong.is_empty(), "{:?}: {wrong:?}", case.path);
    }
}

/// The expected failures of the contract's spelling: a path, one that it matches instead or besides, and what is wrong.
const GAPS: &[(&str, &str, &[&str])] = &[
    // any-character: the raw `?` stands for any one.
    ("/a?b", "/axb", &["itself: also \"/axb\"", "inside: also \"/axb\""]),
    // backslash-dot: the dot's own meaning in a regular expression comes back.
    ("/a\\.b", "/a\\xb", &["itself: also \"/a\\\\xb\"", "inside: also \"/a\\\\xb\""]),
    // last-star: the escape of a last `*` is not seen. (A runtime takes a final `/**` off first, so it happens there,
    // too.)
    ("/ab*", "/abXY", &["itself: also \"/abXY\""]),
    ("/ab*", "/ab", &["itself: also \"/ab\""]),
    ("/*", "/q", &["itself: also \"/q\""]),
    // white-space: an escaped tab is read as a space.
    ("/t\t", "/t ", &["itself: missed", "itself: also \"/t \"", "inside: missed", "inside: also \"/t \""]),
    ("/t\u{a0}", "/t ", &["itself: missed", "itself: also \"/t \"", "inside: missed", "inside: also \"/t \""]),
    (
        "/t\\\tb",
        "/t\\ b",
        &["itself: missed", "itself: also \"/t\\\\ b\"", "inside: missed", "inside: also \"/t\\\\ b\""],
    ),
];

#[test]
fn every_gap_of_contract_is_one_and_hex_has_none() {
    let cases: Vec<Case> =
        GAPS.iter().map(|(path, other, _)| Case { path: (*path).into(), others: vec![(*other).into()] }).collect();
    let Some(found) = findings(&cases, Spelling::Contract) else { return };
    for ((path, _, expected), wrong) in GAPS.iter().zip(found) {
        assert_eq!(wrong, *expected, "{path:?}");
        assert!(!contract_gaps(path).is_empty(), "{path:?} is in no gap");
    }
    let Some(found) = findings(&cases, Spelling::Hex) else { return };
    assert!(found.iter().all(Vec::is_empty), "{found:?}");
}

#[test]
fn a_gap_may_be_exact_here_and_not_elsewhere() {
    // A list of patterns is not split, so a newline in a name is harmless to node-ignore, as is a tab inside a name;
    // both stay gaps, for matchers that read lines and for rules whose path ends there.
    let cases: Vec<Case> = ["/a\nb", "/a\tb"].map(|path| case(path.to_owned(), 'q')).into();
    let Some(found) = findings(&cases, Spelling::Contract) else { return };
    assert!(found.iter().all(Vec::is_empty), "{found:?}");
}
