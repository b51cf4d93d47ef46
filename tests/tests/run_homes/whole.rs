//! What the tests of this folder that disturb a build ask of what it leaves: whole runs and nothing else.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Asserts that a run folder is what its manifest says, every entry and nothing else.
#[track_caller]
pub(crate) fn assert_whole(dir: &Path) {
    let text = fs::read(dir.join("manifest.json")).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    let manifest: Value = serde_json::from_slice(&text).unwrap();
    let mut listed = BTreeSet::from(["manifest.json".to_owned()]);
    for entry in manifest["entries"].as_array().unwrap() {
        let path = entry["path"].as_str().unwrap();
        let at = dir.join(path);
        match entry["kind"].as_str().unwrap() {
            "directory" => assert!(at.symlink_metadata().unwrap().is_dir(), "{path}"),
            "link" => assert_eq!(fs::read_link(&at).unwrap().to_str(), entry["target"].as_str(), "{path}"),
            _ => {
                let bytes = fs::read(&at).unwrap();
                assert_eq!((entry["size"].as_u64(), entry["sha256"].as_str()), digest(&bytes), "{path}");
            }
        }
        listed.insert(path.to_owned());
    }
    assert_eq!(names(dir), listed, "{}", dir.display());
}

fn digest(bytes: &[u8]) -> (Option<u64>, Option<&'static str>) {
    let text = Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    (Some(bytes.len() as u64), Some(text.leak()))
}

/// Every path beneath a folder, relative to it; no link is followed.
fn names(folder: &Path) -> BTreeSet<String> {
    walk(folder).iter().map(|path| path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned()).collect()
}

/// Every path beneath a folder; no link is followed.
pub(crate) fn walk(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            }
            found.push(entry.path());
        }
    }
    found
}

/// The names among the runs of a home: the visible ones, and those of what is half made or half removed.
pub(crate) fn standing(home: &Path) -> (Vec<String>, Vec<String>) {
    let Ok(entries) = fs::read_dir(home.join("cache/runs")) else { return Default::default() };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let (mut hidden, mut visible): (Vec<_>, Vec<_>) = names.partition(|name| name.starts_with('.'));
    hidden.retain(|name| name != ".lock");
    visible.sort();
    (visible, hidden)
}
