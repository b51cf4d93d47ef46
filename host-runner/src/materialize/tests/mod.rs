//! Run folders on a real file system.

mod build;
mod copies;
mod homes;
mod runs;
mod shared;
mod splices;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::{MaterializeError, Node, PlannedEntry, RunFolder, ensure_runs, materialize};
use crate::capability::files::Folder;

const ID: &str = "run-0001";

struct Home {
    base: TempDir,
    runs: Folder,
}

impl Home {
    fn new() -> Self {
        let base = tempfile::tempdir().unwrap();
        let runs = ensure_runs(&base.path().join("home")).unwrap();
        fs::create_dir(base.path().join("outside")).unwrap();
        fs::write(base.path().join("outside/precious"), "precious").unwrap();
        Self { base, runs }
    }

    fn path(&self, name: &str) -> PathBuf {
        PathBuf::from(self.runs.path()).join(name)
    }

    fn outside(&self, name: &str) -> PathBuf {
        self.base.path().join("outside").join(name)
    }

    fn build(&self, entries: &[PlannedEntry]) -> Result<RunFolder, MaterializeError> {
        materialize(&self.runs, ID, entries, head())
    }

    /// Nothing stands among the runs but `names`, and nothing outside was touched.
    fn assert_holds(&self, names: &[&str]) {
        let mut found: Vec<_> = fs::read_dir(self.runs.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        found.sort();
        found.retain(|name| name != ".lock");
        assert_eq!(found, names);
        assert_eq!(fs::read(self.outside("precious")).unwrap(), b"precious");
    }
}

fn head() -> Map<String, Value> {
    let Value::Object(head) = json!({ "version": 1, "brand": "winter", "a": null }) else { unreachable!() };
    head
}

fn entry(path: &str, node: Node) -> PlannedEntry {
    PlannedEntry { path: path.to_owned(), node, mode: 0o600, source: format!("source of {path}") }
}

fn dir(path: &str) -> PlannedEntry {
    entry(path, Node::Directory)
}

fn file(path: &str, content: &str) -> PlannedEntry {
    entry(path, Node::Content(content.into()))
}

fn link(path: &str, target: &str) -> PlannedEntry {
    entry(path, Node::Link(target.to_owned()))
}

/// Each path below `root` with its mode in octal, links with their target.
fn tree(root: &Path) -> BTreeMap<String, String> {
    fn walk(root: &Path, at: &Path, found: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            let what = if metadata.is_symlink() {
                format!("-> {}", fs::read_link(&path).unwrap().display())
            } else {
                format!("{:o}", metadata.mode())
            };
            found.insert(name, what);
            if metadata.is_dir() {
                walk(root, &path, found);
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(root, root, &mut found);
    found
}

/// What an agent may leave in its run folder: links out, odd names, closed folders, a deep nest.
fn fill_badly(at: &Path, outside: &Path) {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;
    symlink(outside, at.join("out")).unwrap();
    symlink(outside.join("precious"), at.join("out-file")).unwrap();
    symlink("loop", at.join("loop")).unwrap();
    fs::create_dir_all(at.join("closed/inner")).unwrap();
    symlink(outside, at.join("closed/inner/out")).unwrap();
    fs::write(at.join("closed/inner/f"), "").unwrap();
    crate::capability::files::test_support::mkfifo(&at.join("closed/fifo"));
    for (number, mode) in [(0, 0o000), (1, 0o500)] {
        fs::create_dir_all(at.join(format!(".{number}/{number}"))).unwrap();
        fs::set_permissions(at.join(format!(".{number}/{number}")), PermissionsExt::from_mode(mode)).unwrap();
    }
    fs::set_permissions(at.join("closed/inner"), PermissionsExt::from_mode(0o500)).unwrap();
    fs::set_permissions(at.join("closed"), PermissionsExt::from_mode(0o000)).unwrap();
    // Not every file system takes such a name.
    let _ = fs::write(at.join(std::ffi::OsStr::from_bytes(b"\xff\n")), "");
    let mut folder = cap_std::fs::Dir::open_ambient_dir(at, cap_std::ambient_authority()).unwrap();
    for _ in 0..3000 {
        folder.create_dir("deep-deep").unwrap();
        folder = folder.open_dir("deep-deep").unwrap();
    }
}
