//! What one folder of the project offers of one kind: found, and not yet judged.

use super::reader::Reader;
use super::walk::Level;
use super::{Admitted, Bounds, Place, skill};
use crate::names::fold;
use crate::ports::{Entry, FilesError, Folder, Kind};
use crate::powers::ItemKind;
use crate::reading::{Located, beneath, components, join};
use crate::report::{LinkFault, SkipReason};

/// The file that makes a folder a skill.
pub(super) const SKILL_FILE: &str = "SKILL.md";

/// How many folders deep items of one kind may stand.
const MAX_DEPTH: usize = 16;

/// One item that a folder of the project offers.
///
/// It holds no handle: there may be more items than the host has handles for.
pub(super) struct Offer {
    pub(super) kind: ItemKind,
    /// Absolute, as it is named: links on the way keep their names.
    pub(super) path: String,
    /// Below the folder of its kind; of a skill its folder.
    pub(super) rel: String,
    /// The folder that really holds the text, below the root.
    pub(super) folder: String,
    /// The text itself; of a skill its `SKILL.md`.
    pub(super) entry: Entry,
    /// Where a skill's folder really is, below the root, and its path as it is named.
    pub(super) skill: Option<(String, String)>,
    /// The folder of the project that offers it, relative to the root.
    pub(super) below_root: String,
}

impl Offer {
    /// The text, to be read.
    pub(super) fn found<F: Folder + Clone>(&self, root: &F, reader: &mut Reader) -> Option<Located<F>> {
        let folder = opened(root, &self.folder).map_err(|error| reader.refused(self.path.clone(), &error)).ok()?;
        Some(Located { folder, entry: self.entry.clone(), linked: false })
    }
}

/// The folder at that real path below the root.
pub(super) fn opened<F: Folder + Clone>(root: &F, below: &str) -> Result<F, FilesError> {
    components(below).try_fold(root.clone(), |folder, name| folder.open_folder(name))
}

/// Finds the items of one kind.
pub(super) struct Finder<'a, F> {
    root: &'a F,
    root_path: String,
    project_dir: &'a str,
    kind: ItemKind,
    /// How many more may be found.
    left: u32,
    /// How many more folders are looked into: links can lead to one folder on very many ways.
    folders: u32,
    pub(super) offers: Vec<Offer>,
}

impl<'a, F: Folder + Clone> Finder<'a, F> {
    pub(super) fn new(root: &'a F, project_dir: &'a str, kind: ItemKind, bounds: Bounds) -> Self {
        let Bounds { items: left, folders, .. } = bounds;
        Self { root, root_path: root.path(), project_dir, kind, left, folders, offers: Vec::new() }
    }

    /// Adds what the configuration folder of `level` offers.
    pub(super) fn look(&mut self, level: &Level<F>, reader: &mut Reader) {
        let path = join(self.project_dir, self.kind.folder());
        let roots = std::slice::from_ref(self.root);
        let Some(folder) = reader.folder(&level.folder, &path, roots) else { return };
        let shown = join(&level.folder.path(), &path);
        let mut within = vec![folder.path()];
        self.folder(&folder, &shown, "", level, &mut within, reader);
    }

    fn folder(
        &mut self,
        folder: &F,
        shown: &str,
        rel: &str,
        level: &Level<F>,
        within: &mut Vec<String>,
        reader: &mut Reader,
    ) {
        for entry in reader.list(folder) {
            let path = join(shown, &entry.name);
            if self.left == 0 {
                let detail = format!("a run home holds {} items of one kind", reader.bounds.items);
                reader.skip(path, SkipReason::TooMany, detail);
                continue;
            }
            if self.kind == ItemKind::Skill && skill::is_plugin(&entry.name) {
                skill::plugin(path, reader);
                continue;
            }
            let rel = if rel.is_empty() { entry.name.clone() } else { join(rel, &entry.name) };
            let Some(found) = target(folder, entry, self.root, reader) else { continue };
            match found.entry.kind {
                Kind::Directory if self.kind == ItemKind::Skill => self.skill(&found, path, rel, level, reader),
                Kind::Directory if self.kind == ItemKind::OutputStyle => {
                    reader.skip(
                        path,
                        SkipReason::NotRead,
                        "the runtime reads no styles in folders of their own".into(),
                    );
                }
                Kind::Directory => {
                    let Some(folder) = step_into(&found, &path, within, &mut self.folders, reader) else { continue };
                    self.folder(&folder, &path, &rel, level, within, reader);
                    within.pop();
                }
                Kind::Regular if self.kind == ItemKind::Command && is_skill_text(&rel) => {
                    let detail = "the runtime takes its folder for a skill, and drops the commands beside it";
                    reader.skip(path, SkipReason::NotCarried, detail.to_owned());
                }
                Kind::Regular if self.kind != ItemKind::Skill && is_text(&rel) => {
                    self.offer(&found, None, path, rel, level);
                }
                Kind::Regular => {
                    let expected = if self.kind == ItemKind::Skill { "folders with a SKILL.md" } else { "*.md" };
                    reader.skip(path, SkipReason::NotRead, format!("the runtime reads {expected} here"));
                }
                Kind::Link | Kind::Other => {
                    reader.skip(path, SkipReason::NotRegular, "it is neither a file nor a folder".to_owned());
                }
            }
        }
    }

    fn skill(&mut self, at: &Located<F>, path: String, rel: String, level: &Level<F>, reader: &mut Reader) {
        let Some(folder) = reader.open(at, path.clone()) else { return };
        let skipped = (reader.report.skipped_items.len(), reader.report.skipped_links.len());
        match reader.find(&folder, SKILL_FILE, std::slice::from_ref(self.root)) {
            Some(found) => {
                let skill = (self.below(&folder), path.clone());
                self.offer(&found, Some(skill), join(&path, SKILL_FILE), rel, level);
            }
            None if skipped == (reader.report.skipped_items.len(), reader.report.skipped_links.len()) => {
                reader.skip(path, SkipReason::NotRead, format!("a skill is a folder that holds {SKILL_FILE}"));
            }
            None => {}
        }
    }

    fn offer(
        &mut self,
        found: &Located<F>,
        skill: Option<(String, String)>,
        path: String,
        rel: String,
        level: &Level<F>,
    ) {
        self.left -= 1;
        let (kind, folder, entry) = (self.kind, self.below(&found.folder), found.entry.clone());
        self.offers.push(Offer { kind, path, rel, folder, entry, skill, below_root: level.below_root.clone() });
    }

    /// A folder's path below the root, in which all is that is found.
    fn below(&self, folder: &F) -> String {
        beneath(&folder.path(), &self.root_path).unwrap_or_default().to_owned()
    }
}

/// Whether the runtime reads a file of that name; it does not fold case.
pub(super) fn is_text(name: &str) -> bool {
    name.strip_suffix(".md").is_some()
}

/// Whether a command of that name makes a skill of its folder (Claude Code 2.1.250, measured; it folds case here).
pub(super) fn is_skill_text(rel: &str) -> bool {
    fold(rel.rsplit_once('/').map_or(rel, |(_, name)| name)) == fold(SKILL_FILE)
}

/// What an entry of a folder is, through links that stay beneath the root.
pub(super) fn target<F: Folder + Clone>(folder: &F, entry: Entry, root: &F, reader: &mut Reader) -> Option<Located<F>> {
    if entry.kind == Kind::Link {
        return reader.find(folder, &entry.name, std::slice::from_ref(root));
    }
    let path = join(&folder.path(), &entry.name);
    if let Some(why) = reader.withheld(&path, &root.path()) {
        reader.skip(path, SkipReason::NotCarried, why.to_owned());
        return None;
    }
    Some(Located { folder: folder.clone(), entry, linked: false })
}

/// Opens a folder that lies in those of `within`, which must not hold it (a link may lead back up), while `left` allows it.
pub(super) fn step_into<F: Folder>(
    found: &Located<F>,
    path: &str,
    within: &mut Vec<String>,
    left: &mut u32,
    reader: &mut Reader,
) -> Option<F> {
    if *left == 0 {
        let detail = format!("only {} folders of this kind are read", reader.bounds.folders);
        reader.skip(path.to_owned(), SkipReason::TooMany, detail);
        return None;
    }
    *left -= 1;
    let folder = reader.open(found, path.to_owned())?;
    let real = folder.path();
    if within.contains(&real) {
        reader.link(path.to_owned(), real, LinkFault::Loop);
        return None;
    }
    if within.len() > MAX_DEPTH {
        reader.skip(path.to_owned(), SkipReason::TooMany, format!("only {MAX_DEPTH} folders deep are read"));
        return None;
    }
    within.push(real);
    Some(folder)
}

/// The found file, as the runner copies it.
pub(super) fn admitted<F: Folder>(found: &Located<F>, root: &F) -> Option<Admitted> {
    let (folder, root) = (found.folder.path(), root.path());
    let below = beneath(&folder, &root)?;
    let path = if below.is_empty() { found.entry.name.clone() } else { join(below, &found.entry.name) };
    Some(Admitted { place: Place::TrustedRoot, path, identity: found.entry.identity })
}
