//! The folder of plans: a run folder has one of its own, since a runtime in plan mode writes to nothing that a link leads to.
//!
//! A session begins with copies of the person's plans; what is new or changed at its end comes home.

use std::collections::BTreeMap;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::capability::files::{Folder, Kind};
use crate::contract::run_home::Node;
use crate::private;
use crate::run_home::RunHome;

/// The folder's name, in the run folder and in the shared home.
pub(super) const FOLDER: &str = "plans";

/// The most plans that a session begins with, and that come home from it.
const MAX_PLANS: u32 = 4096;

/// The most bytes of one.
const MAX_PLAN: u64 = 1 << 20;

/// What each copy of a plan held.
pub(super) type Begun = BTreeMap<String, [u8; 32]>;

/// Both folders, where the run has one of its own.
pub(super) fn folders(home: &RunHome) -> Option<(Folder, Folder)> {
    let own = home.plan.entries.iter().any(|entry| entry.path == FOLDER && matches!(entry.node, Node::Directory));
    let shared = own.then(|| Folder::grant(Path::new(&home.plan.sdk_home)).ok()?.open_folder(FOLDER).ok());
    Some((home.folder().ok()?.open_folder(FOLDER).ok()?, shared??))
}

/// The regular files of a folder, each with its bytes; others, and what is larger than a plan, are passed over.
pub(super) fn files(folder: &Folder) -> Vec<(String, Vec<u8>)> {
    let listed = folder.entries(MAX_PLANS).map(|listing| listing.entries).unwrap_or_default();
    let read = |entry: crate::capability::files::Entry| {
        let bytes = (entry.kind == Kind::Regular).then(|| folder.read(&entry.name, entry.identity, MAX_PLAN).ok());
        Some((entry.name, bytes??))
    };
    listed.into_iter().filter_map(read).collect()
}

/// Copies the person's plans into the run folder. One that cannot be copied is one that the session does not see.
pub(super) fn begin(home: &RunHome) -> Begun {
    let Some((_, shared)) = folders(home) else { return Begun::new() };
    let to = home.dir.join(FOLDER);
    let copied = files(&shared).into_iter().filter_map(|(name, bytes)| {
        private::write(&to.join(&name), &bytes).ok()?;
        Some((name, digest(&bytes)))
    });
    copied.collect()
}

/// What is new or changed in the run folder, by name.
pub(super) fn changed(home: &RunHome, begun: &Begun) -> Vec<String> {
    let Some((run, _)) = folders(home) else { return Vec::new() };
    let changed = |(name, bytes): (String, Vec<u8>)| (begun.get(&name) != Some(&digest(&bytes))).then_some(name);
    files(&run).into_iter().filter_map(changed).collect()
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}
