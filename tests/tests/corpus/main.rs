//! Configuration of public repositories, where it is at hand: every one is rebuilt as a checkout and planned, every
//! single settings file is composed in each role. What comes out is counted, and the counts are compared with
//! `goldens/corpus.txt`, so that a change of policy shows. `WINTER_BLESS=1` writes the counts anew.

mod repositories;
mod settings;

use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;

/// Compares the lines that begin with `section`, or writes them.
fn compare(section: &str, counted: &str) {
    static FILE: Mutex<()> = Mutex::new(());
    let _held = FILE.lock();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("goldens/corpus.txt");
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    let of_section = |line: &&str| line.starts_with(section);
    if std::env::var_os("WINTER_BLESS").is_some() {
        let mut lines: Vec<&str> = golden.lines().filter(|line| !of_section(line)).chain(counted.lines()).collect();
        lines.sort_unstable();
        let text = lines.iter().fold(String::new(), |mut text, line| {
            let _ = writeln!(text, "{line}");
            text
        });
        std::fs::write(path, text).unwrap();
        return;
    }
    let golden: Vec<&str> = golden.lines().filter(of_section).collect();
    let mut counted: Vec<&str> = counted.lines().collect();
    counted.sort_unstable();
    for line in counted.iter().filter(|line| !golden.contains(line)) {
        println!("now:    {line}");
    }
    for line in golden.iter().filter(|line| !counted.contains(line)) {
        println!("golden: {line}");
    }
    assert_eq!(counted, golden, "run with WINTER_BLESS=1 if the policy was meant to change");
}

/// Counts how often each word comes.
#[derive(Default)]
struct Counts(std::collections::BTreeMap<String, usize>);

impl Counts {
    fn add(&mut self, word: impl Into<String>) {
        *self.0.entry(word.into()).or_default() += 1;
    }

    fn line(&self) -> String {
        let words: Vec<String> = self.0.iter().map(|(word, count)| format!("{word} {count}")).collect();
        if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
    }
}
