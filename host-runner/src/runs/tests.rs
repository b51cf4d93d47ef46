//! Runs on a real file system: what is listed, what differs.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::{Change, Difference, Edit, EntryKind, MAX_WRITTEN, Manifest, ManifestError, RunListing, State, diff, list};
use crate::capability::files::Folder;
use crate::capability::files::test_support::{Scratch, in_child, mkfifo};
use crate::materialize::{CopySource, Node, PlannedEntry, ensure_runs, materialize};

const ID: &str = "run-0001";

struct Home {
    base: TempDir,
    runs: Folder,
    sources: Scratch,
}

impl Home {
    fn new() -> Self {
        let base = tempfile::tempdir().unwrap();
        let runs = ensure_runs(&base.path().join("home")).unwrap();
        Self { base, runs, sources: Scratch::new() }
    }

    fn home(&self) -> PathBuf {
        self.base.path().join("home")
    }

    fn path(&self, name: &str) -> PathBuf {
        PathBuf::from(self.runs.path()).join(name)
    }

    fn build(&self, id: &str, plan: &[PlannedEntry]) {
        materialize(&self.runs, id, plan, head()).unwrap();
    }

    fn diff(&self, plan: &[PlannedEntry]) -> Difference {
        diff(&self.runs, ID, plan, &head()).unwrap()
    }

    fn copy(&self, name: &str, content: &str) -> CopySource {
        let identity = self.sources.write(name, content);
        CopySource { folder: self.sources.folder.clone(), name: name.to_owned(), identity, limit: 1 << 20 }
    }
}

fn head() -> Map<String, Value> {
    let Value::Object(head) = json!({
        "contract-version": 1, "run-id": ID, "built-at": 1_700_000_000_000_u64, "mode": "code", "cwd": "/src/it/sub",
        "trusted-root": "/src/it", "powers": "drop", "brand": {"name": "claude", "project-dir": ".claude"}
    }) else {
        unreachable!()
    };
    head
}

fn entry(path: &str, node: Node) -> PlannedEntry {
    PlannedEntry { path: path.to_owned(), node, mode: 0o600, source: format!("source of {path}") }
}

fn file(path: &str, content: &str) -> PlannedEntry {
    entry(path, Node::Content(content.into()))
}

fn link(path: &str, target: &str) -> PlannedEntry {
    entry(path, Node::Link(target.to_owned()))
}

fn dir(path: &str) -> PlannedEntry {
    entry(path, Node::Directory)
}

#[test]
fn a_manifest_is_read_back_as_it_was_written() {
    let home = Home::new();
    let copy = home.copy("c", "copied");
    let splice = Node::Splice { head: b"x".to_vec(), source: home.copy("s", "spliced"), offset: 1 };
    home.build(ID, &[dir("d"), file("d/f", "bee"), link("l", "/x"), entry("c", Node::Copy(copy)), entry("s", splice)]);
    let manifest = Manifest::of(&home.runs.open_folder(ID).unwrap()).unwrap();
    assert_eq!((manifest.contract_version, manifest.built_at), (1, Some(1_700_000_000_000)));
    let words = [&manifest.run_id, &manifest.brand, &manifest.mode, &manifest.cwd, &manifest.project, &manifest.powers];
    let words = words.map(|word| word.as_deref().unwrap());
    assert_eq!(words, [ID, "claude", "code", "/src/it/sub", "/src/it", "drop"]);
    let kinds: Vec<_> = manifest.entries.iter().map(|entry| (entry.path.as_str(), entry.kind)).collect();
    let expected = [
        ("c", EntryKind::Copy),
        ("d", EntryKind::Directory),
        ("d/f", EntryKind::File),
        ("l", EntryKind::Link),
        ("s", EntryKind::Splice),
    ];
    assert_eq!(kinds, expected);
    // Every entry has its source; files their size and digest, links their target.
    for entry in &manifest.entries {
        assert_eq!(entry.source, format!("source of {}", entry.path));
        let file = matches!(entry.kind, EntryKind::File | EntryKind::Copy | EntryKind::Splice);
        assert_eq!((entry.size.is_some(), entry.sha256.is_some()), (file, file), "{entry:?}");
        assert_eq!(entry.target.as_deref(), (entry.kind == EntryKind::Link).then_some("/x"));
        assert_eq!(entry.mode.is_some(), entry.kind != EntryKind::Link);
    }
    assert_eq!(manifest.entries[4].size, Some(7));
}

#[test]
fn a_manifest_is_read_with_members_that_nobody_knows_and_no_other_faults() {
    let text = r#"{"contract-version":1,"new":{"a":1.5},"entries":[{"path":"a","kind":"socket","more":[]},{"path":"b","kind":"link"}]}"#;
    let manifest = Manifest::parse(text.as_bytes()).unwrap();
    assert_eq!(manifest.entries[0].kind, EntryKind::Other);
    assert_eq!((manifest.head["new"]["a"].to_string().as_str(), manifest.brand), ("1.5", None));
    assert_eq!(Manifest::parse(br#"{"contract-version":2,"entries":5}"#), Err(ManifestError::Newer(2)));
    for bad in [
        "",
        "[]",
        "{",
        r#"{"entries":[]}"#,
        r#"{"contract-version":"1","entries":[]}"#,
        r#"{"contract-version":1}"#,
        r#"{"contract-version":1,"entries":{}}"#,
        r#"{"contract-version":1,"entries":[{"path":"a"}]}"#,
        r#"{"contract-version":1,"entries":[{"path":1,"kind":"file"}]}"#,
        r#"{"contract-version":1,"entries":[{"path":"a","kind":"file","size":-1}]}"#,
        "\u{feff}{}",
    ] {
        assert!(matches!(Manifest::parse(bad.as_bytes()), Err(ManifestError::Malformed(_))), "{bad}");
    }
}

fn listed(home: &Home) -> Vec<RunListing> {
    list(&home.home()).unwrap().runs
}

#[test]
fn every_run_is_listed_with_its_state_whatever_the_others_are() {
    let home = Home::new();
    assert_eq!(listed(&home), []);
    home.build(ID, &[file("f", "four"), link("l", "/x"), dir("d"), file("d/g", "sixteen bytes...")]);
    for id in ["run-gone", "run-many", "run-kind"] {
        home.build(id, &[file("f", ""), file("g", ""), dir("d"), file("d/f", "")]);
    }
    fs::remove_file(home.path("run-gone/f")).unwrap();
    fs::remove_dir_all(home.path("run-many/d")).unwrap();
    fs::remove_file(home.path("run-kind/f")).unwrap();
    symlink("g", home.path("run-kind/f")).unwrap();
    for (id, text) in [("run-text", "no"), ("run-newer", r#"{"contract-version":9,"entries":[]}"#), ("run-lost", "")] {
        fs::create_dir(home.path(id)).unwrap();
        fs::write(home.path(id).join("manifest.json"), text).unwrap();
    }
    fs::create_dir(home.path("run-bare")).unwrap();
    fs::create_dir(home.path("run-fifo")).unwrap();
    mkfifo(&home.path("run-fifo/manifest.json"));
    fs::create_dir_all(home.path(".dead-run-half-12-3/d")).unwrap();
    fs::create_dir(home.path(".partial-run-left")).unwrap();
    // No runs: a file, a link to a run, names that no run has.
    fs::write(home.path("run-file"), "").unwrap();
    symlink(ID, home.path("run-link")).unwrap();
    symlink(home.base.path(), home.path(".partial-run-link")).unwrap();
    fs::create_dir(home.path("Somebody's")).unwrap();
    let found = listed(&home);
    let states: Vec<_> = found
        .iter()
        .map(|run| (run.run_id.as_str(), run.state, run.problem.as_deref().unwrap_or_default().to_owned()))
        .collect();
    let said = |text: &str| text.to_owned();
    let expected = [
        (ID, State::Ready, said("")),
        ("run-bare", State::Damaged, said("it holds no manifest.json")),
        ("run-fifo", State::Damaged, said("it holds no manifest.json")),
        ("run-gone", State::Damaged, said("f is missing")),
        ("run-half", State::Dead, said("")),
        ("run-kind", State::Damaged, said("f is missing")),
        ("run-left", State::Dead, said("")),
        ("run-lost", State::Damaged, said("its manifest.json is empty")),
        ("run-many", State::Damaged, said("d and 1 more are missing")),
        ("run-newer", State::Damaged, said("its manifest.json has version 9, and this program reads up to 1")),
    ];
    assert_eq!(states[..expected.len()], expected);
    assert_eq!((states.len(), states[10].0, states[10].1), (11, "run-text", State::Damaged));
    let ready = &found[0];
    assert_eq!((ready.built_at, ready.brand.as_deref()), (Some(1_700_000_000_000), Some("claude")));
    assert_eq!((ready.cwd.as_deref(), ready.project.as_deref()), (Some("/src/it/sub"), Some("/src/it")));
    let manifest = fs::metadata(home.path(ID).join("manifest.json")).unwrap().len();
    assert_eq!((ready.size, ready.entries, ready.cut), (20 + manifest, 5, false));
    assert_eq!(ready.dir, home.path(ID));
    // A fact of the listing is that it changed nothing.
    assert_eq!(listed(&home), found);
}

#[test]
fn a_run_that_is_being_built_is_told_from_one_whose_build_died() {
    let home = Home::new();
    let partial = home.path(".partial-run-live");
    fs::create_dir(&partial).unwrap();
    let lock = fs::File::create(partial.join(".building")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    assert_eq!(listed(&home)[0].state, State::Building);
    drop(lock);
    assert_eq!(listed(&home)[0].state, State::Dead);
    // What the lock of the runs is worth cannot be told where there is no lock file to be had.
    symlink("elsewhere", home.path(".lock.new")).unwrap();
    fs::rename(home.path(".lock.new"), home.path(".lock")).unwrap();
    let run = listed(&home).remove(0);
    assert_eq!(run.state, State::Building);
    assert!(run.problem.unwrap().starts_with("whether its build still runs cannot be told: "));
}

#[test]
fn where_no_run_was_built_there_is_none_and_nothing_is_made() {
    let base = tempfile::tempdir().unwrap();
    assert_eq!(list(&base.path().join("home")).unwrap().runs, []);
    fs::create_dir_all(base.path().join("home/cache")).unwrap();
    assert_eq!(list(&base.path().join("home")).unwrap().runs, []);
    assert!(!base.path().join("home/cache/runs").exists());
    symlink(base.path(), base.path().join("home/cache/runs")).unwrap();
    assert_eq!(list(&base.path().join("home")).unwrap_err().code(), "home-linked");
    fs::write(base.path().join("file"), "").unwrap();
    assert_eq!(list(&base.path().join("file")).unwrap_err().code(), "home-not-a-folder");
}

#[test]
fn runs_that_may_not_be_entered_are_listed_and_a_closed_home_is_told() {
    if !in_child(module_path!(), "runs_that_may_not_be_entered_are_listed_and_a_closed_home_is_told", true) {
        return;
    }
    let home = Home::new();
    home.build(ID, &[dir("d"), file("d/f", "x")]);
    let close = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    close(&home.path(ID).join("d"), 0o000);
    let run = listed(&home).remove(0);
    assert_eq!((run.state, run.cut, run.problem.as_deref()), (State::Damaged, true, Some("d/f is missing")));
    close(&home.path(ID), 0o000);
    assert_eq!(listed(&home)[0].state, State::Damaged);
    close(&home.path(""), 0o000);
    assert_eq!(list(&home.home()).unwrap_err().exit_code(), 5);
    for path in ["", ID, "run-0001/d"] {
        close(&home.path(path), 0o700);
    }
}

fn plan(home: &Home) -> Vec<PlannedEntry> {
    vec![
        dir("d"),
        file("d/a.md", "one\ntwo\nthree\n"),
        file("settings.json", r#"{"permissions":{"deny":["A","B"]},"env":{"A_TOKEN":"old"}}"#),
        link("l", "/x"),
        entry("c", Node::Copy(home.copy("c", "copied"))),
        entry("s", Node::Splice { head: b"head\n".to_vec(), source: home.copy("s", "cut\nrest\n"), offset: 4 }),
    ]
}

#[test]
fn a_run_equals_its_own_plan_whatever_a_session_wrote_beside() {
    let home = Home::new();
    let plan = plan(&home);
    home.build(ID, &plan);
    let found = home.diff(&plan);
    assert!(found.is_equal() && found.written.is_empty() && !found.more_written, "{found:#?}");
    assert_eq!((found.run_id.as_str(), found.dir), (ID, home.path(ID)));
    fs::create_dir_all(home.path(ID).join("backups/deep")).unwrap();
    fs::write(home.path(ID).join("backups/deep/b"), "12345").unwrap();
    symlink("/etc", home.path(ID).join("d/out")).unwrap();
    mkfifo(&home.path(ID).join(".fifo"));
    let found = home.diff(&plan);
    assert!(found.is_equal());
    let written: Vec<_> = found.written.iter().map(|one| (one.path.as_str(), one.kind, one.size)).collect();
    assert_eq!(written, [(".fifo", "other", 0), ("backups/deep/b", "file", 5), ("d/out", "link", 4)]);
    for number in 0..MAX_WRITTEN {
        fs::write(home.path(ID).join(format!("backups/{number:04}")), "").unwrap();
    }
    let found = home.diff(&plan);
    assert_eq!((found.written.len(), found.more_written, found.is_equal()), (MAX_WRITTEN, true, true));
}

#[test]
fn what_a_plan_has_otherwise_is_told_by_kind_mode_target_and_content() {
    let home = Home::new();
    home.build(ID, &plan(&home));
    let mut now = plan(&home);
    now.retain(|entry| entry.path != "l");
    now[1] = file("d/a.md", "one\n2\nthree\n");
    now[2] = file("settings.json", r#"{"env":{"A_TOKEN":"new"},"permissions":{"deny":["B","C"]}}"#);
    now[3].mode = 0o755;
    now[4].node = Node::Splice { head: b"other\n".to_vec(), source: home.copy("s", "cut\nrest\n"), offset: 4 };
    now.push(file("new", "x"));
    let found = home.diff(&now);
    assert!(!found.is_equal() && found.edited.is_empty() && found.inputs.is_empty());
    let changes: Vec<_> = found.entries.iter().map(|entry| (entry.path.as_str(), entry.change)).collect();
    let expected = [
        ("c", Change::Changed),
        ("d/a.md", Change::Changed),
        ("l", Change::Removed),
        ("new", Change::Added),
        ("s", Change::Changed),
        ("settings.json", Change::Changed),
    ];
    assert_eq!(changes, expected);
    let of = |number: usize| (found.entries[number].was.clone(), found.entries[number].now.clone());
    let (Some(was), Some(now_is)) = of(0) else { panic!() };
    assert_eq!((was.mode.as_deref(), now_is.mode.as_deref()), (Some("0600"), Some("0700")));
    assert_eq!(was.sha256, now_is.sha256);
    assert_eq!(found.entries[1].lines.as_deref(), Some("@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"));
    assert_eq!((of(2).0.unwrap().target.as_deref(), of(2).1), (Some("/x"), None));
    assert_eq!((of(3).0, of(3).1.unwrap().size), (None, Some(1)));
    assert_eq!(found.entries[4].lines.as_deref(), Some("@@ -1,2 +1,2 @@\n-head\n+other\n rest\n"));
    let leaves = &found.entries[5].leaves;
    let told: Vec<_> = leaves.iter().map(|leaf| (leaf.place(), leaf.was.clone(), leaf.now.clone())).collect();
    let expected = [
        ("permissions.deny[]".to_owned(), Some(json!("A")), None),
        ("permissions.deny[]".to_owned(), None, Some(json!("C"))),
        ("env.A_TOKEN".to_owned(), Some(json!("old")), Some(json!("new"))),
    ];
    assert_eq!(told, expected);
    assert!(found.entries[5].lines.is_none(), "no secret is shown line by line");
    // A kind that is another, and a link that leads elsewhere.
    now.retain(|entry| !["c", "l"].contains(&entry.path.as_str()));
    now.extend([link("c", "/y"), link("l", "/z")]);
    let found = home.diff(&now);
    let by_path = |path: &str| found.entries.iter().find(|entry| entry.path == path).unwrap();
    assert_eq!((by_path("c").was.as_ref().unwrap().kind, by_path("c").now.as_ref().unwrap().kind), ("file", "link"));
    assert_eq!(by_path("l").change, Change::Changed);
}

#[test]
fn inputs_that_were_other_are_told_but_for_what_every_build_has_of_its_own() {
    let home = Home::new();
    home.build(ID, &[]);
    let mut now = head();
    now.insert("built-at".to_owned(), json!(5));
    now.insert("new-in-this-version".to_owned(), json!(true));
    now["brand"]["name"] = json!("winter");
    now["powers"] = json!("keep");
    let found = diff(&home.runs, ID, &[], &now).unwrap();
    let told: Vec<_> = found.inputs.iter().map(super::Leaf::place).collect();
    assert_eq!(told, ["powers", "brand.name"]);
    assert!(!found.is_equal());
}

#[test]
fn what_was_changed_since_the_build_is_told() {
    let home = Home::new();
    let mut plan = plan(&home);
    plan.extend(["m", "k", "t", "same-size"].map(|name| file(name, "four")));
    home.build(ID, &plan);
    let at = |name: &str| home.path(ID).join(name);
    fs::remove_file(at("c")).unwrap();
    fs::write(at("same-size"), "FOUR").unwrap();
    fs::write(at("t"), "longer").unwrap();
    fs::set_permissions(at("m"), fs::Permissions::from_mode(0o644)).unwrap();
    fs::remove_file(at("k")).unwrap();
    fs::create_dir(at("k")).unwrap();
    fs::remove_file(at("l")).unwrap();
    symlink("/y", at("l")).unwrap();
    fs::rename(at("d"), at("moved")).unwrap();
    symlink("moved", at("d")).unwrap();
    let found = home.diff(&plan);
    assert!(found.entries.is_empty() && !found.is_equal(), "{found:#?}");
    let edited: Vec<_> = found.edited.iter().map(|one| (one.path.as_str(), one.edit)).collect();
    let expected = [
        ("c", Edit::Missing),
        ("d", Edit::Kind),
        ("d/a.md", Edit::Kind),
        ("k", Edit::Kind),
        ("l", Edit::Target),
        ("m", Edit::Mode),
        ("same-size", Edit::Content),
        ("t", Edit::Content),
    ];
    assert_eq!(edited, expected);
    assert_eq!(found.written.iter().map(|one| one.path.as_str()).collect::<Vec<_>>(), ["moved/a.md"]);
}

#[test]
fn a_comparison_that_cannot_be_made_says_why() {
    let home = Home::new();
    let code = |id: &str, plan: &[PlannedEntry]| diff(&home.runs, id, plan, &head()).unwrap_err().code();
    assert_eq!(code("..", &[]), "bad-run-id");
    assert_eq!(code("run-none", &[]), "unknown-run");
    fs::create_dir(home.path(".partial-run-part")).unwrap();
    assert_eq!(code("run-part", &[]), "run-incomplete");
    symlink(home.base.path(), home.path("run-link")).unwrap();
    fs::write(home.path("run-file"), "").unwrap();
    fs::create_dir(home.path("run-bare")).unwrap();
    for id in ["run-link", "run-file", "run-bare"] {
        assert_eq!(code(id, &[]), "not-a-run", "{id}");
    }
    home.build(ID, &[]);
    let admitted = entry("c", Node::Copy(home.copy("c", "copied")));
    std::thread::sleep(std::time::Duration::from_millis(20));
    home.copy("c", "COPIED");
    assert_eq!(code(ID, &[admitted]), "changed");
}
