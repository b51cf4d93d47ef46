//! Recoveries that are killed at any moment: nothing is lost, nothing is overwritten, and the next one finishes.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

const KILLS: u32 = 1000;

/// A working copy, a shared home and winter's home.
struct Place {
    dir: TempDir,
}

/// What a path of the shared home may hold: what it held, and what it holds in the end.
type Expected = BTreeMap<String, (Option<Vec<u8>>, Option<Vec<u8>>)>;

fn lines(word: &str, count: usize) -> Vec<u8> {
    (0..count).flat_map(|n| format!("{{\"{word}\":{n},\"text\":\"{}\"}}\n", "x".repeat(n % 300)).into_bytes()).collect()
}

impl Place {
    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    /// A new one with something of each kind, and what is to become of it.
    fn new() -> (Self, Expected) {
        let place = Self { dir: tempfile::tempdir().unwrap() };
        let mut expected = Expected::new();
        let mut put = |path: &str, copy: &[u8], there: Option<&[u8]>, then: Option<&[u8]>| {
            for (side, bytes) in [("run", Some(copy)), ("shared", there)] {
                let to = place.at(side).join("projects/-src-it").join(path);
                fs::create_dir_all(to.parent().unwrap()).unwrap();
                if let Some(bytes) = bytes {
                    fs::write(to, bytes).unwrap();
                }
            }
            expected.insert(path.to_owned(), (there.map(<[u8]>::to_vec), then.map(<[u8]>::to_vec)));
        };
        let (long, some) = (lines("a", 2000), lines("a", 700));
        put("new.jsonl", &long, None, Some(&long));
        put("longer.jsonl", &long, Some(&some), Some(&long));
        put("level.jsonl", &some, Some(&some), Some(&some));
        put("ahead.jsonl", &some, Some(&long), Some(&long));
        let other = lines("b", 900);
        put("diverged.jsonl", &other, Some(&some), Some(&some));
        let torn = [&long[..], b"{\"torn"].concat();
        put("torn.jsonl", &torn, Some(&some), Some(&long));
        put("bare.jsonl", &long[..long.len() - 1], None, Some(&long));
        put("not.jsonl", b"{}\nno json\n{}\n", None, None);
        put("new/subagents/agent-1.jsonl", &some, None, Some(&some));
        put("new/subagents/deep/journal.jsonl", &long, Some(&some), Some(&long));
        put("new/tool-results/big.txt", &vec![b'x'; 400_000], None, Some(&vec![b'x'; 400_000]));
        put("new/tool-results/same.txt", b"same", Some(b"same"), Some(b"same"));
        put("new/tool-results/other.txt", b"mine", Some(b"theirs"), Some(b"theirs"));
        symlink("/etc/passwd", place.at("run/projects/-src-it/link.jsonl")).unwrap();
        (place, expected)
    }

    fn recover(&self) -> Command {
        let mut command = Command::new(winter_tests::winter());
        command.env_clear().stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.arg("recover").arg(self.at("run")).arg("--json").arg("--home").arg(self.at("winter"));
        command.arg("--shared-home").arg(self.at("shared"));
        command
    }

    /// Whole: what is in the shared home is what was there and a beginning of what is to come, and nothing else is.
    fn check(&self, expected: &Expected, is_over: bool) {
        let found = tree(&self.at("shared/projects/-src-it"));
        for (path, (before, then)) in expected {
            let (found, then) = (found.get(path), then.as_deref().unwrap_or_default());
            let artifact = path.contains("tool-results");
            let Some(found) = found else {
                assert!(before.is_none() && (!is_over || then.is_empty()), "{path} is missing");
                continue;
            };
            assert!(then.starts_with(found), "{path} holds what nobody wrote");
            assert!(before.as_ref().is_none_or(|before| found.starts_with(before)), "{path} lost what it had");
            // After a kill between the last line and its line feed both are level: nothing lacks but that.
            let whole = found == then || (path == "bare.jsonl" && [&found[..], b"\n"].concat() == then);
            assert!(!(is_over || artifact) || whole, "{path} is not whole");
        }
        let known = |path: &&String| expected.contains_key(*path);
        let strange: Vec<&String> = found.keys().filter(|path| !known(path)).collect();
        assert!(strange.is_empty(), "{strange:?}");
    }
}

/// Every regular file below a folder.
fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut found, mut open) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = path.symlink_metadata().unwrap();
            if meta.is_dir() {
                open.push(path);
            } else if meta.is_file() {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}

#[test]
fn a_thousand_kills_at_any_moment_lose_nothing() {
    // Not the first: it may have to make the program.
    let mut whole = Duration::MAX;
    for _ in 0..4 {
        let (place, expected) = Place::new();
        let started = Instant::now();
        let ended = place.recover().spawn().unwrap().wait_with_output().unwrap();
        whole = whole.min(started.elapsed());
        assert_eq!(ended.status.code(), Some(3));
        place.check(&expected, true);
    }
    let (mut killed, mut number) = (0, 0);
    while number < KILLS {
        let (place, expected) = Place::new();
        let copy = tree(&place.at("run"));
        // Several times on the same, so that what one kill left meets the next.
        for _ in 0..5 {
            let mut child = place.recover().stdout(Stdio::null()).spawn().unwrap();
            // Spread over the time that a recovery takes, and a little beyond.
            std::thread::sleep(whole * (number * 7919 % KILLS) * 11 / (KILLS * 10));
            child.kill().unwrap();
            killed += u32::from(child.wait().unwrap().signal().is_some());
            place.check(&expected, false);
            number += 1;
        }
        let ended = place.recover().spawn().unwrap().wait_with_output().unwrap();
        let report: Value = serde_json::from_slice(&ended.stdout).unwrap();
        assert_eq!(report["outcome"], "quarantined", "{report}");
        place.check(&expected, true);
        assert_eq!(tree(&place.at("run")), copy, "the working copy is as it was");
        // Each byte that is not in the shared home is in quarantine.
        let kept: Vec<Vec<u8>> = tree(&place.at("winter/cache/quarantine")).into_values().collect();
        for bytes in [
            &copy["projects/-src-it/diverged.jsonl"],
            &copy["projects/-src-it/not.jsonl"],
            &b"{\"torn"[..].into(),
            &b"mine"[..].into(),
        ] {
            assert!(kept.contains(bytes));
        }
        // And once more changes nothing.
        let after = tree(place.dir.path());
        place.recover().spawn().unwrap().wait_with_output().unwrap();
        assert_eq!(tree(place.dir.path()), after);
    }
    println!("{killed} of {number} were killed; a recovery takes {whole:?}");
    assert!(killed > KILLS / 2);
}
