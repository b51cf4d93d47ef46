//! The folders that have a say: from the root down to the working folder, and those below it.

use super::reader::Reader;
use crate::ports::{Entry, Folder, Kind};
use crate::reading::{self, Found, Located, beneath, components, join};
use crate::report::SkipReason;

/// How many folders below the working folder a folder that is looked into may stand: a rule in it, with the folders of
/// its own, must be no deeper in the run folder than the runner makes it.
const MAX_DEPTH: usize = 40;

/// How much comparing the folders with the patterns of `.gitignore` files may cost in all ([`cost`]).
const MAX_COMPARED: usize = 50_000_000;

/// A pattern with more `**` than this is passed over: comparing it costs twice as much with each.
const MAX_DEEP: usize = 4;

/// How many names of one folder are looked at.
pub(super) const MAX_NAMES: u32 = 16_384;

/// One folder of the project.
#[derive(Clone)]
pub(super) struct Level<F> {
    pub(super) folder: F,
    /// Relative to the root, components joined by `/`; empty for the root.
    pub(super) below_root: String,
}

/// The root, and each folder of the way from it down to the working folder.
pub(super) fn levels<F: Folder + Clone>(root: &F, cwd: &F, reader: &mut Reader) -> Vec<Level<F>> {
    let mut levels = vec![Level { folder: root.clone(), below_root: String::new() }];
    let (root_path, cwd_path) = (root.path(), cwd.path());
    let (mut here, mut below_root) = (root.clone(), String::new());
    for step in components(beneath(&cwd_path, &root_path).unwrap_or_default()) {
        below_root = if below_root.is_empty() { step.to_owned() } else { join(&below_root, step) };
        match here.open_folder(step) {
            Ok(folder) => here = folder,
            Err(error) => {
                reader.refused(join(&root_path, &below_root), &error);
                break;
            }
        }
        levels.push(Level { folder: here.clone(), below_root: below_root.clone() });
    }
    levels
}

/// What is done with a folder: the folder, what stands in it, and who reads.
type Visit<'a, F> = dyn FnMut(&Level<F>, &[Entry], &mut Reader) + 'a;

/// Calls `visit` for each folder below the working folder, a folder before those in it, by name.
///
/// Passed over: what git would ignore by the `.gitignore` files from the root down, folders with a `.git` entry (other
/// repositories, submodules), links, and `configuration` (the project's own folders). What is beyond the bounds is reported.
pub(super) fn below<F: Folder + Clone>(
    levels: &[Level<F>],
    configuration: &str,
    reader: &mut Reader,
    visit: &mut Visit<'_, F>,
) {
    let Some((cwd, above)) = levels.split_last() else { return };
    let mut walk = Walk {
        ignored: gix_ignore::Search::default(),
        configuration,
        left: reader.bounds.folders,
        costs: Vec::new(),
        compared: 0,
    };
    for level in above {
        walk.ignore(level, reader);
    }
    walk.folder(cwd, 0, reader, visit);
}

struct Walk<'a> {
    ignored: gix_ignore::Search,
    configuration: &'a str,
    left: u32,
    /// Of each file of patterns.
    costs: Vec<usize>,
    compared: usize,
}

impl Walk<'_> {
    fn folder<F: Folder + Clone>(
        &mut self,
        level: &Level<F>,
        depth: usize,
        reader: &mut Reader,
        visit: &mut Visit<'_, F>,
    ) {
        let entries = reader.list(&level.folder);
        if depth > 0 {
            visit(level, &entries, reader);
        }
        let (patterns, costs) = (self.ignored.patterns.len(), self.costs.len());
        if entries.iter().any(|entry| entry.name == ".gitignore") {
            self.ignore(level, reader);
        }
        let is_walked =
            |entry: &Entry| entry.kind == Kind::Directory && entry.name != ".git" && entry.name != self.configuration;
        // The names alone: on a deep way the listings of all its folders would be held.
        let names: Vec<String> = entries.into_iter().filter(is_walked).map(|entry| entry.name).collect();
        let cost = self.costs.iter().sum();
        for name in names {
            let below_root = if level.below_root.is_empty() { name.clone() } else { join(&level.below_root, &name) };
            let path = join(&level.folder.path(), &name);
            self.compared = self.compared.saturating_add(cost);
            if self.compared > MAX_COMPARED {
                reader.skip(path, SkipReason::TooMany, "the `.gitignore` files hold too many patterns".to_owned());
                continue;
            }
            if self.is_ignored(&below_root) {
                continue;
            }
            if self.left == 0 || depth == MAX_DEPTH {
                let bound = if self.left == 0 { reader.bounds.folders as usize } else { MAX_DEPTH };
                let what = if self.left == 0 { "folders" } else { "levels" };
                let detail = format!("only {bound} {what} below the working folder are read");
                reader.skip(path, SkipReason::TooMany, detail);
                continue;
            }
            self.left -= 1;
            if let Some(why) = reader.withheld(&path, &level.folder.path()) {
                reader.skip(path, SkipReason::NotCarried, why.to_owned());
                continue;
            }
            // Another repository, a submodule or a worktree: what it says is not this project's word.
            let opened = level.folder.open_folder(&name);
            match opened.and_then(|folder| Ok((folder.stat(".git")?.is_none(), folder))) {
                Ok((false, _)) => {}
                Ok((true, folder)) => self.folder(&Level { folder, below_root }, depth + 1, reader, visit),
                Err(error) => reader.refused(path, &error),
            }
        }
        self.ignored.patterns.truncate(patterns);
        self.costs.truncate(costs);
    }

    fn ignore<F: Folder + Clone>(&mut self, level: &Level<F>, reader: &mut Reader) {
        // git itself does not follow a link here.
        let found: Option<Located<F>> = match reading::resolve(&level.folder, ".gitignore", &[]) {
            Ok(Found::Entry(found)) if !found.linked && found.entry.kind == Kind::Regular => Some(found),
            _ => None,
        };
        let Some(found) = found else { return };
        // A file that cannot be read ignores nothing: more is read then, not less.
        let Ok(text) = found.folder.read(&found.entry.name, &found.entry.identity, reader.bounds.text) else { return };
        let source = join(&format!("/{}", level.below_root), ".gitignore");
        let parse = gix_ignore::search::Ignore { support_precious: false };
        let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').filter(|line| deep(line) <= MAX_DEEP).collect();
        self.costs.push(lines.iter().map(|line| cost(line)).sum());
        let text = lines.join(&b'\n');
        let _ = self.ignored.add_patterns_buffer(&text, source, Some("/".as_ref()), parse);
    }

    fn is_ignored(&self, below_root: &str) -> bool {
        let case = gix_ignore::glob::pattern::Case::Sensitive;
        let found = self.ignored.pattern_matching_relative_path(below_root.as_bytes().into(), Some(true), case);
        found.is_some_and(|found| !found.pattern.is_negative())
    }
}

/// How many `**` a pattern holds.
fn deep(pattern: &[u8]) -> usize {
    pattern.windows(2).filter(|pair| pair == b"**").count()
}

/// What comparing a pattern costs: a text, or one after a single `*` in front, is compared at once.
fn cost(pattern: &[u8]) -> usize {
    let rest = pattern.strip_prefix(b"*").unwrap_or(pattern);
    match (deep(pattern), rest.iter().any(|byte| b"*?[\\".contains(byte))) {
        (0, false) => 1,
        (0, true) => 16,
        _ => 128,
    }
}
