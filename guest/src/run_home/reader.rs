//! One reader for all that is offered: what is not read is reported, once and in one form, and the bounds hold for all
//! kinds together.

use std::collections::BTreeSet;

use super::walk::MAX_NAMES;
use super::{Bounds, Report};
use crate::names::fold;
use crate::ports::{Entry, FilesError, Folder, Kind};
use crate::reading::{self, Found, Located, ResolveError, beneath, components, join, skip_reason};
use crate::report::{LinkFault, SkipReason, SkippedItem, SkippedLink};

/// How many of one kind of report are told one by one; after that a folder stands for what is in it.
pub(super) const MAX_TOLD: usize = 10_000;

/// How many steps the paths of one run home take in all.
const MAX_STEPS: u64 = 500_000;

/// How many times the bound of one text all instructions and rules may have together.
const TEXTS: u64 = 8;

/// How many files all skills together may have beside their texts, where the host asks for no more.
const MAX_FILES: u32 = 16_384;

/// What was read so far, and what was not.
pub(super) struct Reader {
    pub(super) bounds: Bounds,
    pub(super) report: Report,
    /// How many more files skills may have.
    pub(super) skill_files: u32,
    /// How many more folders of skills are looked into.
    pub(super) skill_folders: u32,
    /// Winter's own home and the person's: what stands there is nothing that a project offers.
    pub(super) private: Vec<String>,
    /// How many more steps paths may take, all together.
    pub(super) steps: u64,
    spent: u64,
    full: bool,
    /// How many bytes of texts for the model were read.
    said: u64,
    /// Folders that hold more than was told.
    untold: BTreeSet<String>,
}

impl Reader {
    pub(super) fn new(bounds: Bounds) -> Self {
        let (skill_files, skill_folders) = (bounds.items.max(MAX_FILES), bounds.folders);
        let (report, untold, private) = (Report::default(), BTreeSet::new(), Vec::new());
        let steps = MAX_STEPS;
        Self { bounds, report, skill_files, skill_folders, private, steps, spent: 0, full: false, said: 0, untold }
    }

    /// How many names of one folder are looked at.
    pub(super) fn names(&self) -> u32 {
        self.bounds.items.max(MAX_NAMES)
    }

    /// Why what stands at that real path, beneath `root`, is nothing that a project offers.
    pub(super) fn withheld(&self, path: &str, root: &str) -> Option<&'static str> {
        if self.private.iter().any(|private| beneath(path, private).is_some()) {
            return Some("it stands in winter's own home or in yours");
        }
        let below = beneath(path, root).unwrap_or_default();
        let inside = components(below).any(|part| fold(part) == ".git");
        inside.then_some("it stands inside a `.git`, where keys and addresses are kept")
    }

    /// What stands at `path`, through links that stay beneath `start` or one of `roots`; none when there is nothing, or
    /// nothing that may be read.
    pub(super) fn find<F: Folder + Clone>(&mut self, start: &F, path: &str, roots: &[F]) -> Option<Located<F>> {
        match reading::resolve_within(start, path, roots, &mut self.steps) {
            Ok(Found::Nothing) => None,
            Ok(Found::Entry(found)) => {
                let real = join(&found.folder.path(), &found.entry.name);
                let root = roots.first().unwrap_or(start).path();
                if let Some(why) = self.withheld(&real, &root) {
                    self.skip(join(&start.path(), path), SkipReason::NotCarried, why.to_owned());
                    return None;
                }
                Some(found)
            }
            Err(error) => {
                self.unresolved(error);
                None
            }
        }
    }

    /// The same for a folder, opened; a file in its place is reported.
    pub(super) fn folder<F: Folder + Clone>(&mut self, start: &F, path: &str, roots: &[F]) -> Option<F> {
        let found = self.find(start, path, roots)?;
        let shown = join(&start.path(), path);
        if found.entry.kind != Kind::Directory {
            self.skip(shown, SkipReason::NotRegular, "a folder was expected".to_owned());
            return None;
        }
        self.open(&found, shown)
    }

    /// The folder that was found.
    pub(super) fn open<F: Folder>(&mut self, found: &Located<F>, shown: String) -> Option<F> {
        found.folder.open_folder(&found.entry.name).map_err(|error| self.refused(shown, &error)).ok()
    }

    /// What a folder holds, as far as its names are looked at; what is beyond, or has no name in UTF-8, is reported for the folder.
    pub(super) fn list<F: Folder>(&mut self, folder: &F) -> Vec<Entry> {
        let max = self.names();
        match folder.entries(max) {
            Ok(listing) => {
                if listing.cut {
                    self.skip(
                        folder.path(),
                        SkipReason::TooMany,
                        format!("it holds more than the {max} that are read"),
                    );
                }
                if listing.unnamed > 0 {
                    let detail = format!("{} names in it are not UTF-8", listing.unnamed);
                    self.skip(folder.path(), SkipReason::NotUtf8, detail);
                }
                listing.entries
            }
            Err(error) => {
                self.refused(folder.path(), &error);
                Vec::new()
            }
        }
    }

    /// The text that was found, at most `bounds.text` bytes; `shown` is what a report calls it.
    pub(super) fn text<F: Folder>(&mut self, found: &Located<F>, shown: &str) -> Option<String> {
        self.try_text(found).map_err(|(reason, detail)| self.skip(shown.to_owned(), reason, detail)).ok()
    }

    /// The same, for a caller that reports it.
    pub(super) fn try_text<F: Folder>(&mut self, found: &Located<F>) -> Result<String, (SkipReason, String)> {
        self.says(found)?;
        String::from_utf8(self.try_bytes(found)?).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            (SkipReason::NotUtf8, format!("its byte {at} begins no character of UTF-8"))
        })
    }

    /// The bytes that were found, whatever they are.
    pub(super) fn bytes<F: Folder>(&mut self, found: &Located<F>, shown: &str) -> Option<Vec<u8>> {
        self.try_bytes(found).map_err(|(reason, detail)| self.skip(shown.to_owned(), reason, detail)).ok()
    }

    fn try_bytes<F: Folder>(&mut self, found: &Located<F>) -> Result<Vec<u8>, (SkipReason, String)> {
        self.admits(found, self.bounds.text)?;
        let read = found.folder.read(&found.entry.name, &found.entry.identity, self.bounds.text);
        read.map_err(|error| (skip_reason(&error), error.to_string()))
    }

    /// Whether the file may be one more text for the model; those are looked at closely, and all together bounded.
    pub(super) fn says<F>(&mut self, found: &Located<F>) -> Result<(), (SkipReason, String)> {
        let most = self.bounds.text.saturating_mul(TEXTS);
        let said = self.said.saturating_add(found.entry.identity.size);
        if said > most && found.entry.identity.size <= self.bounds.text {
            return Err((SkipReason::TooMany, format!("instructions and rules of {most} bytes in all are read")));
        }
        self.said = said;
        Ok(())
    }

    /// Whether the file may be read or copied: regular, within `limit`, and within what is left of `bounds.total`.
    pub(super) fn admits<F>(&mut self, found: &Located<F>, limit: u64) -> Result<(), (SkipReason, String)> {
        let size = found.entry.identity.size;
        if found.entry.kind != Kind::Regular {
            return Err((SkipReason::NotRegular, FilesError::NotRegular.to_string()));
        }
        if size > limit {
            return Err((SkipReason::TooLarge, format!("it holds {size} bytes, and {limit} are read")));
        }
        if self.full || self.spent.saturating_add(size) > self.bounds.total {
            // What comes after the first that did not fit is left out, too: which items a session has must not depend
            // on which of the later ones are small.
            self.full = true;
            let detail = format!("the {} bytes that a run home reads in all are spent", self.bounds.total);
            return Err((SkipReason::TooMany, detail));
        }
        self.spent += size;
        Ok(())
    }

    /// Reports one item as left out; after very many, its folder.
    pub(super) fn skip(&mut self, path: String, reason: SkipReason, detail: String) {
        if self.report.skipped_items.len() >= MAX_TOLD {
            return self.untold(&path);
        }
        self.report.skipped_items.push(SkippedItem { path, reason, detail, line: None, column: None });
    }

    /// Reports what the host did not give.
    pub(super) fn refused(&mut self, path: String, error: &FilesError) {
        self.skip(path, skip_reason(error), error.to_string());
    }

    /// Reports a path that leads nowhere.
    pub(super) fn unresolved(&mut self, error: ResolveError) {
        match error {
            ResolveError::Link { path, target, fault, .. } => self.link(path, target, fault),
            ResolveError::Files { path, error } => self.refused(path, &error),
        }
    }

    /// Reports a link that was not followed.
    pub(super) fn link(&mut self, path: String, target: String, reason: LinkFault) {
        if self.report.skipped_links.len() >= MAX_TOLD {
            return self.untold(&path);
        }
        self.report.skipped_links.push(SkippedLink { path, target, reason });
    }

    fn untold(&mut self, path: &str) {
        let folder = path.rsplit_once('/').map_or("/", |(folder, _)| if folder.is_empty() { "/" } else { folder });
        if self.untold.insert(folder.to_owned()) {
            let (path, reason) = (folder.to_owned(), SkipReason::TooMany);
            let detail = format!("more of what is in it was left out; {MAX_TOLD} things were told one by one before");
            self.report.skipped_items.push(SkippedItem { path, reason, detail, line: None, column: None });
        }
    }
}
