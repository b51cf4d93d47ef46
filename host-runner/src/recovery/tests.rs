use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use super::*;
use crate::Config;

const KEY: &str = "-src-it";
const ID: &str = "0198c0de";

/// A working copy, a shared home and winter's home.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(place.copy("")).unwrap();
        fs::create_dir_all(place.home("")).unwrap();
        place
    }

    fn copy(&self, path: &str) -> PathBuf {
        self.dir.path().join("run/projects").join(KEY).join(path)
    }

    fn home(&self, path: &str) -> PathBuf {
        self.dir.path().join("shared/projects").join(KEY).join(path)
    }

    fn input(&self) -> RecoverInput {
        let at = |name: &str| self.dir.path().join(name);
        RecoverInput { root: at("run"), shared_home: at("shared"), home: at("winter") }
    }

    fn recover(&self) -> RecoveryReport {
        Runner::new(Config::default()).unwrap().recover(&self.input(), &mut |_| {}).unwrap()
    }

    /// The working copy's transcript and the shared home's, and what became of them; twice, since the second time nothing
    /// may change.
    fn transcript(copy: &[u8], home: Option<&[u8]>) -> (Self, TranscriptReport) {
        let place = Self::new();
        let name = format!("{ID}.jsonl");
        fs::write(place.copy(&name), copy).unwrap();
        if let Some(home) = home {
            fs::write(place.home(&name), home).unwrap();
        }
        let report = place.recover();
        let after = tree(place.dir.path());
        place.recover();
        assert_eq!(tree(place.dir.path()), after, "a second time nothing changes");
        (place, report.transcripts.into_iter().next().unwrap())
    }

    fn quarantine(&self, path: &str) -> Vec<u8> {
        let folder =
            fs::read_dir(self.dir.path().join("winter/cache/quarantine")).unwrap().next().unwrap().unwrap().path();
        assert!(folder.file_name().unwrap().to_str().unwrap().ends_with("-run"));
        fs::read(folder.join("projects").join(KEY).join(path)).unwrap()
    }
}

/// Every file with its bytes.
fn tree(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        let meta = path.symlink_metadata().unwrap();
        if meta.is_dir() {
            found.extend(tree(&path));
        } else if meta.is_file() {
            found.push((path.clone(), fs::read(&path).unwrap()));
        } else {
            found.push((path, Vec::new()));
        }
    }
    found.sort();
    found
}

const ONE: &[u8] = b"{\"a\":1}\n";
const TWO: &[u8] = b"{\"a\":1}\n{\"b\":2}\n";

#[test]
fn level_and_ahead_change_nothing() {
    for (copy, home, outcome) in [(TWO, TWO, "clean"), (ONE, TWO, "canonical-ahead"), (b"", ONE, "canonical-ahead")] {
        let (place, report) = Place::transcript(copy, Some(home));
        assert_eq!((report.outcome, report.appended), (outcome, 0));
        assert_eq!(fs::read(place.home("0198c0de.jsonl")).unwrap(), home);
    }
}

#[test]
fn what_the_copy_holds_more_is_appended() {
    for home in [None, Some(&b""[..]), Some(ONE), Some(&TWO[..3]), Some(&TWO[..12])] {
        let (place, report) = Place::transcript(TWO, home);
        let before = home.map_or(0, <[u8]>::len);
        assert_eq!((report.outcome, report.appended), ("appended", (TWO.len() - before) as u64), "{home:?}");
        let file = place.home("0198c0de.jsonl");
        assert_eq!(fs::read(&file).unwrap(), TWO);
        if home.is_none() {
            assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}

#[test]
fn a_line_that_lacks_only_its_line_feed_gets_it() {
    let (place, report) = Place::transcript(&TWO[..TWO.len() - 1], Some(ONE));
    assert_eq!(report.outcome, "appended");
    assert_eq!(fs::read(place.home("0198c0de.jsonl")).unwrap(), TWO);
}

#[test]
fn a_torn_line_goes_to_quarantine_alone() {
    let torn = [TWO, b"{\"c\":"].concat();
    for home in [None, Some(ONE), Some(TWO)] {
        let (place, report) = Place::transcript(&torn, home);
        assert_eq!((report.outcome, report.reason.as_deref()), ("quarantined", Some("torn-tail")));
        assert_eq!(fs::read(place.home("0198c0de.jsonl")).unwrap(), TWO);
        assert_eq!(place.quarantine("0198c0de.jsonl.torn-tail"), b"{\"c\":");
        assert_eq!(place.recover().reconciled(), door::Reconciled::TornTails);
    }
}

#[test]
fn what_cannot_be_proven_goes_to_quarantine_whole() {
    let cases = [
        (&b"{\"x\":1}\n"[..], Some(ONE), "diverged"),
        (b"{\"a\":1}\nno\n{\"b\":2}\n", Some(ONE), "not-json"),
        (b"\xff\n", None, "not-json"),
    ];
    for (copy, home, reason) in cases {
        let (place, report) = Place::transcript(copy, home);
        assert_eq!((report.outcome, report.reason.as_deref()), ("quarantined", Some(reason)));
        assert_eq!(fs::read(place.home("0198c0de.jsonl")).ok().as_deref(), home);
        assert_eq!(place.quarantine("0198c0de.jsonl"), copy);
        assert_eq!(place.recover().reconciled(), door::Reconciled::Quarantined);
    }
}

#[test]
fn long_lines_and_carriage_returns_are_lines() {
    let long = format!("{{\"a\":\"{}\"}}\n", "x".repeat(9 << 20));
    let (place, report) = Place::transcript(format!("{{\"b\":1}}\r\n\n{long}").as_bytes(), None);
    assert_eq!(report.outcome, "appended");
    assert_eq!(fs::metadata(place.home("0198c0de.jsonl")).unwrap().len(), long.len() as u64 + 10);
    let (_, report) = Place::transcript(long.replace("\"}", "").as_bytes(), None);
    assert_eq!(report.reason.as_deref(), Some("not-json"));
}

#[test]
fn no_link_is_followed_on_either_side() {
    let place = Place::new();
    let outside = place.dir.path().join("outside");
    fs::write(&outside, TWO).unwrap();
    symlink(&outside, place.copy("linked.jsonl")).unwrap();
    fs::write(place.copy("target.jsonl"), TWO).unwrap();
    symlink(&outside, place.home("target.jsonl")).unwrap();
    fs::create_dir_all(place.copy("s/tool-results")).unwrap();
    fs::write(place.copy("s/tool-results/a"), "a").unwrap();
    symlink(place.dir.path(), place.home("s")).unwrap();
    crate::capability::files::test_support::mkfifo(&place.copy("fifo.jsonl"));
    let report = place.recover();
    let reasons: Vec<_> =
        report.transcripts.iter().map(|one| (one.session_id.as_str(), one.reason.as_deref())).collect();
    assert_eq!(
        reasons,
        [("fifo", Some("not-regular")), ("linked", Some("linked")), ("target", Some("canonical-not-regular"))]
    );
    assert_eq!(report.artifacts.quarantined, ["projects/-src-it/s/tool-results/a: canonical-not-regular"]);
    assert_eq!(fs::read(&outside).unwrap(), TWO);
    assert!(!place.dir.path().join("tool-results").exists());
    let before = tree(place.dir.path());
    place.recover();
    assert_eq!(tree(place.dir.path()), before);
}

#[test]
fn artifacts_are_copied_and_never_overwritten() {
    let place = Place::new();
    fs::create_dir_all(place.copy("s/tool-results")).unwrap();
    for (name, content) in
        [("s/tool-results/new", "1"), ("s/tool-results/same", "2"), ("s/tool-results/other", "3"), ("memory.md", "4")]
    {
        fs::write(place.copy(name), content).unwrap();
    }
    fs::set_permissions(place.copy("s/tool-results/new"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(place.copy("s/unknown.jsonl"), "{}\n").unwrap();
    fs::create_dir_all(place.home("s/tool-results")).unwrap();
    fs::write(place.home("s/tool-results/same"), "2").unwrap();
    fs::write(place.home("s/tool-results/other"), "mine").unwrap();
    let report = place.recover();
    assert_eq!((report.artifacts.copied, report.artifacts.identical), (2, 1));
    assert_eq!(report.artifacts.quarantined, ["projects/-src-it/s/tool-results/other: conflict"]);
    assert_eq!(report.artifacts.skipped, ["projects/-src-it/s/unknown.jsonl"]);
    assert_eq!(report.outcome, "quarantined");
    assert_eq!(fs::read(place.home("s/tool-results/other")).unwrap(), b"mine");
    assert_eq!(fs::metadata(place.home("s/tool-results/new")).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(place.quarantine("s/tool-results/other"), b"3");
}

#[test]
fn a_session_that_is_in_use_is_left_for_later() {
    let place = Place::new();
    fs::write(place.copy("0198c0de.jsonl"), TWO).unwrap();
    let flag = repair_flag(&place.input().home, ID).unwrap();
    fs::create_dir_all(flag.parent().unwrap()).unwrap();
    fs::write(&flag, "").unwrap();
    let lock = SessionLock::try_of(&place.input().home, KEY, ID).unwrap().unwrap();
    let report = place.recover();
    assert_eq!((report.outcome, report.reconciled()), ("pending", door::Reconciled::NotYet));
    assert!(flag.exists() && !place.home("0198c0de.jsonl").exists());
    drop(lock);
    assert_eq!(place.recover().outcome, "appended");
    assert!(!flag.exists(), "every transcript of it is level");
}

#[test]
fn an_open_run_is_not_recovered_and_a_linked_one_needs_nothing() {
    let place = Place::new();
    let root = Folder::grant(&place.input().root).unwrap();
    let held = Held::of(&root).unwrap();
    let error = Runner::new(Config::default()).unwrap().recover(&place.input(), &mut |_| {}).unwrap_err();
    assert_eq!(error.code(), "run-in-use");
    drop(held);
    fs::remove_dir_all(place.input().root.join("projects")).unwrap();
    assert_eq!(place.recover().outcome, "clean");
    symlink(place.input().shared_home.join("projects"), place.input().root.join("projects")).unwrap();
    assert!(place.recover().linked);
}

#[test]
fn a_name_that_is_no_text_is_not_lost_from_sight() {
    use std::os::unix::ffi::OsStrExt as _;
    let place = Place::new();
    fs::write(place.copy("").join(std::ffi::OsStr::from_bytes(b"\xff.jsonl")), ONE).unwrap();
    let report = place.recover();
    assert_eq!((report.outcome, report.problems.len()), ("pending", 1));
}

/// A kill at any moment of an append leaves a beginning; from each of them the next run finishes.
#[test]
fn from_every_beginning_the_next_run_finishes() {
    let place = Place::new();
    let name = format!("{ID}.jsonl");
    fs::write(place.copy(&name), TWO).unwrap();
    for length in 0..=TWO.len() {
        fs::write(place.home(&name), &TWO[..length]).unwrap();
        place.recover();
        assert_eq!(fs::read(place.home(&name)).unwrap(), TWO, "{length}");
    }
}

#[test]
fn plans_are_brought_home_and_never_overwrite() {
    let place = Place::new();
    let write = |path: &str, text: &str| {
        let path = place.dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("run/plans/new.md", "new");
    write("run/plans/odd.jsonl", "no lines");
    write("run/plans/mine.md", "mine");
    write("shared/plans/mine.md", "theirs");
    let report = place.recover();
    assert_eq!((report.artifacts.copied, report.artifacts.quarantined.len()), (2, 1));
    assert_eq!(fs::read(place.dir.path().join("shared/plans/new.md")).unwrap(), b"new");
    assert_eq!(fs::read(place.dir.path().join("shared/plans/mine.md")).unwrap(), b"theirs");
}
