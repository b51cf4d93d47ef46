//! The snapshot of a skill: every file of its folder but its text, as a copy of what was admitted.

use super::entries::{Entries, FILE, PROGRAM};
use super::offers::{SKILL_FILE, admitted, step_into, target};
use super::reader::Reader;
use crate::names::fold;
use crate::ports::{FilesError, Folder, Kind};
use crate::powers::{ItemKind, Place, carried};
use crate::reading::{Located, join};
use crate::report::{RemovedPower, SkipReason};

/// The folder that makes a plugin of a skill.
const PLUGIN_MANIFEST: &str = ".claude-plugin";

/// Takes one skill's files.
pub(super) struct Snapshot<'a, F> {
    root: &'a F,
    entries: &'a mut Entries,
    reader: &'a mut Reader,
    /// The folders that are being taken, by their real paths.
    within: Vec<String>,
}

impl<'a, F: Folder + Clone> Snapshot<'a, F> {
    pub(super) fn new(root: &'a F, entries: &'a mut Entries, reader: &'a mut Reader) -> Self {
        Self { root, entries, reader, within: Vec::new() }
    }

    /// Takes the files of `skill`, which a report calls `shown`, to `at`.
    pub(super) fn take(mut self, skill: &F, shown: &str, at: &str) {
        self.within.push(skill.path());
        self.folder(skill, shown, at);
    }

    fn folder(&mut self, folder: &F, shown: &str, at: &str) {
        let top = self.within.len() == 1;
        for entry in self.reader.list(folder) {
            let (path, at) = (join(shown, &entry.name), join(at, &entry.name));
            if top && entry.name == SKILL_FILE {
                continue;
            }
            if is_plugin(&entry.name) {
                plugin(path, self.reader);
                continue;
            }
            if fold(&entry.name) == ".git" {
                self.reader.skip(path, SkipReason::NotCarried, "a repository inside a skill".to_owned());
                continue;
            }
            let Some(found) = target(folder, entry, self.root, self.reader) else { continue };
            if self.entries.holds(&at) {
                let detail = format!("{at} differs from another one in case alone");
                self.reader.skip(path, SkipReason::Collision, detail);
                continue;
            }
            if found.entry.kind != Kind::Directory {
                self.file(&found, path, at);
                continue;
            }
            let mut left = self.reader.skill_folders;
            let inner = step_into(&found, &path, &mut self.within, &mut left, self.reader);
            self.reader.skill_folders = left;
            if let Some(inner) = inner {
                self.folder(&inner, &path, &at);
                self.within.pop();
            }
        }
    }

    fn file(&mut self, found: &Located<F>, path: String, at: String) {
        let Some(left) = self.reader.skill_files.checked_sub(1) else {
            self.reader.skip(path, SkipReason::TooMany, "skills have more files than are copied".to_owned());
            return;
        };
        self.reader.skill_files = left;
        if let Err((reason, detail)) = self.reader.admits(found, self.reader.bounds.skill_file) {
            self.reader.skip(path, reason, detail);
            return;
        }
        // The runner copies it later; that it may be read at all is better known now.
        match found.folder.read(&found.entry.name, &found.entry.identity, 0) {
            Ok(_) | Err(FilesError::TooLarge(_)) => {}
            Err(error) => return self.reader.refused(path, &error),
        }
        let mode = if found.entry.mode & 0o111 == 0 { FILE } else { PROGRAM };
        if let Some(admitted) = admitted(found, self.root) {
            self.entries.copy(at, admitted, mode, path);
        }
    }
}

/// Whether a folder of that name makes a plugin of what it stands in, be that a skill or the folder of all skills.
pub(super) fn is_plugin(name: &str) -> bool {
    fold(name) == PLUGIN_MANIFEST
}

/// Reports a plugin.
pub(super) fn plugin(path: String, reader: &mut Reader) {
    let row = carried(Place::PluginManifest, Some(ItemKind::Skill));
    reader.report.removed_powers.push(RemovedPower {
        file: path,
        line: 1,
        carrier: format!("{PLUGIN_MANIFEST}/"),
        value: "a plugin inside a skill, never carried".to_owned(),
        reason: row.map_or("acts-command", |row| row.power.id()).to_owned(),
    });
}
