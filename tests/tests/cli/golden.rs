//! Golden files: each is one run, found by its name in `goldens/cli`, with what differs from run to run replaced.
//! `WINTER_BLESS=1 cargo test -p winter-tests --test cli` writes them anew.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::person::{Person, Run};

/// The runs of one test, compared all at once at its end.
pub(crate) struct Goldens {
    folder: PathBuf,
    used: BTreeSet<String>,
    faults: Vec<String>,
    bless: bool,
}

impl Goldens {
    pub(crate) fn open() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("goldens/cli");
        let bless = std::env::var_os("WINTER_BLESS").is_some();
        if bless {
            fs::create_dir_all(&folder).unwrap();
        }
        Self { folder, used: BTreeSet::new(), faults: Vec::new(), bless }
    }

    /// Compares a run, which `words` made, with the golden file of that name.
    pub(crate) fn compare(&mut self, name: &str, words: &str, person: &Person, run: &Run) {
        let text = format!("$ winter {words}\nexit {}\n", run.code);
        let now = steady(&format!("{text}--- stdout\n{}--- stderr\n{}", run.stdout, run.stderr), &person.base);
        let file = format!("{name}.txt");
        let path = self.folder.join(&file);
        assert!(self.used.insert(file), "two cases of the name {name}");
        if self.bless {
            fs::write(path, now).unwrap();
            return;
        }
        match fs::read_to_string(&path) {
            Ok(golden) if golden == now => {}
            Ok(golden) => {
                let same = golden.lines().zip(now.lines()).take_while(|(golden, now)| golden == now).count();
                let line = |text: &str| text.lines().nth(same).unwrap_or("(the end)").to_owned();
                let (golden, now) = (line(&golden), line(&now));
                self.faults.push(format!("{name}:{}\n  golden: {golden}\n  now:    {now}", same + 1));
            }
            Err(error) => self.faults.push(format!("{name}: {error}")),
        }
    }

    /// Fails for each file that differs, and for each that no case has made.
    pub(crate) fn close(mut self) {
        for entry in fs::read_dir(&self.folder).unwrap() {
            let entry = entry.unwrap();
            let file = entry.file_name().into_string().unwrap();
            if self.used.contains(&file) {
                continue;
            }
            if self.bless {
                fs::remove_file(entry.path()).unwrap();
            } else {
                self.faults.push(format!("{file}: no case makes it any more"));
            }
        }
        let faults = self.faults.join("\n");
        assert!(faults.is_empty(), "{faults}\n\nWINTER_BLESS=1 writes the golden files anew, if that was meant");
    }
}

/// The text with the temporary folder, run ids, digests and sizes replaced by their names.
fn steady(text: &str, base: &Path) -> String {
    let text = text.replace(base.to_str().unwrap(), "<TEMP>");
    let mut steady = String::with_capacity(text.len());
    let mut word = String::new();
    for letter in text.chars() {
        if letter.is_ascii_alphanumeric() || letter == '-' {
            word.push(letter);
        } else {
            steady.push_str(&named(&word));
            word.clear();
            steady.push(letter);
        }
    }
    steady.push_str(&named(&word));
    steady.split_inclusive('\n').map(sized).collect()
}

fn named(word: &str) -> String {
    let is_hex = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    if word.split('-').map(str::len).eq([8, 4, 4, 4, 12]) && word.split('-').all(is_hex) {
        return "<RUN-ID>".to_owned();
    }
    if word.len() == 64 && is_hex(word) { "<DIGEST>".to_owned() } else { word.to_owned() }
}

/// `, N bytes` and `"bytes": N` with a name for the number: it depends on the temporary folder's path, or on the build.
fn sized(line: &str) -> String {
    let number = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    for (before, after) in [(", ", " bytes"), ("\"bytes\": ", ",")] {
        for (at, _) in line.match_indices(before) {
            let (head, tail) = line.split_at(at + before.len());
            let size = number(tail);
            if size > 0 && tail[size..].starts_with(after) {
                return format!("{head}<SIZE>{}", &tail[size..]);
            }
        }
    }
    line.to_owned()
}

#[test]
fn what_differs_from_run_to_run_has_a_name() {
    let digest = "0123456789abcdef".repeat(4);
    let text =
        format!("/t/x/01a22f46-5ebb-7539-a4b9-3228d26bed05, 23 bytes from sha256:{digest}; 23 bytes\n\"bytes\": 7,");
    assert_eq!(
        steady(&text, Path::new("/t/x")),
        "<TEMP>/<RUN-ID>, <SIZE> bytes from sha256:<DIGEST>; 23 bytes\n\"bytes\": <SIZE>,"
    );
}
