//! The person's own items of one kind: linked, never copied, and first wherever a name is taken twice.

use std::collections::BTreeMap;

use super::entries::{Entries, Standing};
use super::offers::{SKILL_FILE, is_skill_text, is_text};
use super::reader::Reader;
use super::{Places, items};
use crate::names::fold;
use crate::ports::{Entry, Folder, Kind};
use crate::powers::ItemKind;
use crate::reading::{self, Found, Located, ResolveError, join};
use crate::report::{ExternalUserLink, SkipReason};

/// How many folders deep the names of a person's items are looked for.
const MAX_DEPTH: usize = 16;

/// How many bytes the target of a link may have (`PATH_MAX` less its NUL).
const MAX_TARGET: usize = 4095;

/// The person's items of one kind.
pub(super) enum Own<F> {
    /// There is no folder for them.
    None,
    /// They stand in a folder that was not granted: linked as a whole, and none of their names is known.
    Closed {
        /// Where the folder really is, if that can be told.
        target: String,
        /// What would grant it.
        folder: String,
    },
    /// What the folder holds.
    Open {
        /// The folder, by its real path.
        folder: F,
        /// What stands in it.
        entries: Vec<Entry>,
    },
}

/// The names that the person's items take: the folded name, and the file.
pub(super) type Taken = BTreeMap<String, String>;

/// Links a person's items into the run folder.
pub(super) struct Linker<'a, F> {
    home: &'a F,
    places: &'a Places<F>,
}

impl<'a, F: Folder + Clone> Linker<'a, F> {
    pub(super) fn new(home: &'a F, places: &'a Places<F>) -> Self {
        Self { home, places }
    }

    /// What the person has of that kind.
    pub(super) fn look(&self, kind: ItemKind, reader: &mut Reader) -> Own<F> {
        let name = kind.folder();
        let path = join(&self.home.path(), name);
        match reading::resolve(self.home, name, &self.places.granted) {
            Ok(Found::Nothing) => Own::None,
            Ok(Found::Entry(found)) if found.entry.kind == Kind::Directory => {
                let Some(folder) = reader.open(&found, path) else { return Own::None };
                let entries = reader.list(&folder);
                Own::Open { folder, entries }
            }
            Ok(Found::Entry(_)) => {
                reader.skip(path, SkipReason::NotRegular, "a folder was expected".to_owned());
                Own::None
            }
            Err(ResolveError::Link { path: link, target, leads_to: Some(leads_to), .. }) => {
                if self.is_absent(&leads_to) {
                    reader.link(link, target, crate::report::LinkFault::Dangling);
                    return Own::None;
                }
                external(link, target, false, reader);
                Own::Closed { target: self.real(&leads_to), folder: leads_to }
            }
            Err(error) => {
                reader.unresolved(error);
                Own::None
            }
        }
    }

    /// Adds the names that these items take, and the paths in the run folder at which they will stand; answers with an item
    /// whose name cannot be told, if there is one.
    pub(super) fn names(
        &self,
        kind: ItemKind,
        own: &Own<F>,
        taken: &mut Taken,
        standing: &mut Standing,
        reader: &mut Reader,
    ) -> Option<String> {
        let (texts, folders) = (reader.bounds.items, reader.bounds.folders);
        let mut names = Names { linker: self, kind, taken, standing, texts, folders, unknown: None };
        if let Own::Open { folder, entries } = own {
            let mut within = vec![folder.path()];
            for entry in entries {
                names.entry(folder, entry, "", &mut within, reader);
            }
        }
        names.unknown
    }

    /// Links them: as a whole entry each, or, where an item of the project stands in a folder of the same name, one by one.
    pub(super) fn link(&self, kind: ItemKind, own: &Own<F>, entries: &mut Entries, reader: &mut Reader) {
        match own {
            Own::None => {}
            Own::Closed { target, .. } => {
                let source = join(&self.home.path(), kind.folder());
                put(kind.folder().to_owned(), target.clone(), source, entries, reader);
            }
            Own::Open { folder, entries: listed } => {
                let shown = join(&self.home.path(), kind.folder());
                for entry in listed {
                    self.link_entry(folder, entry, &shown, kind.folder(), entries, reader);
                }
            }
        }
    }

    fn link_entry(&self, folder: &F, entry: &Entry, shown: &str, at: &str, entries: &mut Entries, reader: &mut Reader) {
        let (shown, at) = (join(shown, &entry.name), join(at, &entry.name));
        let Some((target, found)) = self.target(folder, entry, &shown, reader) else { return };
        if !entries.hold_below(&at) {
            put(at, target, shown, entries, reader);
            return;
        }
        // A project's command stands in a folder of this name.
        let opened = found.filter(|found| found.entry.kind == Kind::Directory);
        let Some(inner) = opened.and_then(|found| reader.open(&found, shown.clone())) else {
            reader.skip(shown, SkipReason::Collision, format!("the project's items stand at {at}"));
            return;
        };
        for entry in reader.list(&inner) {
            self.link_entry(&inner, &entry, &shown, &at, entries, reader);
        }
    }

    /// Where an entry really is, and what stands there if that may be looked at.
    pub(super) fn target(
        &self,
        folder: &F,
        entry: &Entry,
        shown: &str,
        reader: &mut Reader,
    ) -> Option<(String, Option<Located<F>>)> {
        if entry.kind != Kind::Link {
            let found = Located { folder: folder.clone(), entry: entry.clone(), linked: false };
            return Some((join(&folder.path(), &entry.name), Some(found)));
        }
        match self.resolve(folder, &entry.name) {
            Ok(Found::Nothing) => None,
            Ok(Found::Entry(found)) => {
                let target = join(&found.folder.path(), &found.entry.name);
                if reading::beneath(&target, &self.home.path()).is_none() {
                    let written = folder.read_link(&entry.name).unwrap_or_else(|_| target.clone());
                    external(shown.to_owned(), written, true, reader);
                }
                Some((target, Some(found)))
            }
            Err(ResolveError::Link { path, target, leads_to: Some(leads_to), .. }) => {
                if self.is_absent(&leads_to) {
                    reader.link(path, target, crate::report::LinkFault::Dangling);
                    return None;
                }
                external(path, target, false, reader);
                Some((self.real(&leads_to), None))
            }
            Err(error) => {
                reader.unresolved(error);
                None
            }
        }
    }

    fn resolve(&self, folder: &F, name: &str) -> Result<Found<F>, ResolveError> {
        let roots: Vec<F> = std::iter::once(self.home).chain(&self.places.granted).cloned().collect();
        reading::resolve(folder, name, &roots)
    }

    /// The path without links, as far as links can be looked at.
    fn real(&self, path: &str) -> String {
        let found = self.places.links.as_ref().map(|links| reading::resolve(links, path, &[]));
        match found {
            Some(Ok(Found::Entry(found))) => join(&found.folder.path(), &found.entry.name),
            _ => path.to_owned(),
        }
    }

    fn is_absent(&self, path: &str) -> bool {
        let found = self.places.links.as_ref().map(|links| reading::resolve(links, path, &[]));
        matches!(found, Some(Ok(Found::Nothing)))
    }
}

fn put(at: String, target: String, source: String, entries: &mut Entries, reader: &mut Reader) {
    if target.len() > MAX_TARGET {
        reader.skip(source, SkipReason::TooLarge, format!("a link holds at most {MAX_TARGET} bytes"));
    } else {
        entries.link(at, target, source);
    }
}

fn external(path: String, target: String, granted: bool, reader: &mut Reader) {
    reader.report.external_user_links.push(ExternalUserLink { path, target, granted });
}

struct Names<'a, 'b, F> {
    linker: &'b Linker<'a, F>,
    kind: ItemKind,
    taken: &'b mut Taken,
    standing: &'b mut Standing,
    /// How many more texts are read for their names.
    texts: u32,
    /// How many more folders are looked into.
    folders: u32,
    /// An item of the person's whose name cannot be told.
    unknown: Option<String>,
}

/// The name in the header of a person's own item.
pub(super) enum OwnName {
    /// It has this one, or none.
    Known(Option<String>),
    /// It cannot be told.
    Unknown,
}

impl OwnName {
    fn known(&self) -> Option<&str> {
        match self {
            Self::Known(name) => name.as_deref(),
            Self::Unknown => None,
        }
    }
}

fn kind_of<F>(found: Option<&Located<F>>) -> Option<Kind> {
    found.map(|found| found.entry.kind)
}

impl<F: Folder + Clone> Names<'_, '_, F> {
    fn entry(&mut self, folder: &F, entry: &Entry, rel: &str, within: &mut Vec<String>, reader: &mut Reader) {
        let rel = if rel.is_empty() { entry.name.clone() } else { join(rel, &entry.name) };
        let at = join(self.kind.folder(), &rel);
        let shown = join(&folder.path(), &entry.name);
        let found = match entry.kind {
            Kind::Link => match self.linker.resolve(folder, &entry.name) {
                Ok(Found::Entry(found)) => Some(found),
                Ok(Found::Nothing) | Err(ResolveError::Link { leads_to: None, .. }) => return,
                Err(ResolveError::Link { leads_to: Some(leads_to), .. }) if self.linker.is_absent(&leads_to) => return,
                Err(_) => None,
            },
            _ => Some(Located { folder: folder.clone(), entry: entry.clone(), linked: false }),
        };
        if self.kind != ItemKind::Skill
            && let Some(inner) = found.as_ref().and_then(|found| self.step_into(found, within))
        {
            self.standing.insert(fold(&at), Some(at));
            within.push(inner.path());
            for entry in reader.list(&inner) {
                self.entry(&inner, &entry, &rel, within, reader);
            }
            within.pop();
            return;
        }
        self.standing.insert(fold(&at), None);
        let is_called_by_its_header = matches!(self.kind, ItemKind::Agent | ItemKind::OutputStyle);
        if is_called_by_its_header && (kind_of(found.as_ref()).is_none() || is_text(&rel)) {
            match found.and_then(|found| self.text(&found, reader)).map(|text| items::own_name(self.kind, &text)) {
                Some(OwnName::Known(name)) => self.take(&rel, name.as_deref(), &shown),
                Some(OwnName::Unknown) | None => {
                    self.unknown.get_or_insert(shown);
                }
            }
        } else if self.kind == ItemKind::Skill {
            let text = found.and_then(|found| found.folder.open_folder(&found.entry.name).ok()).and_then(|skill| {
                match self.linker.resolve(&skill, SKILL_FILE) {
                    Ok(Found::Entry(text)) => self.text(&text, reader),
                    _ => None,
                }
            });
            let name = text.map(|text| items::own_name(self.kind, &text));
            self.take(&rel, name.as_ref().and_then(OwnName::known), &shown);
        } else if self.kind == ItemKind::Command && is_skill_text(&rel) {
            // The runtime calls it by its folder.
            let folder = rel.rsplit_once('/').map_or(rel.as_str(), |(folder, _)| folder).to_owned();
            self.take(&folder, None, &shown);
        } else if is_text(&rel) {
            // A rule is called by its file alone.
            let found = found.filter(|_| self.kind != ItemKind::Rule);
            let text = found.and_then(|found| self.text(&found, reader));
            let name = text.map(|text| items::own_name(self.kind, &text));
            self.take(&rel, name.as_ref().and_then(OwnName::known), &shown);
        }
    }

    /// The folder that was found, unless it leads back up, or too deep.
    fn step_into(&mut self, found: &Located<F>, within: &[String]) -> Option<F> {
        if found.entry.kind != Kind::Directory || within.len() > MAX_DEPTH {
            return None;
        }
        self.folders = self.folders.checked_sub(1)?;
        let inner = found.folder.open_folder(&found.entry.name).ok()?;
        (!within.contains(&inner.path())).then_some(inner)
    }

    fn text(&mut self, found: &Located<F>, reader: &mut Reader) -> Option<Vec<u8>> {
        self.texts = self.texts.checked_sub(1)?;
        found.folder.read(&found.entry.name, &found.entry.identity, reader.bounds.text).ok()
    }

    fn take(&mut self, rel: &str, name: Option<&str>, shown: &str) {
        for name in items::effective_names(self.kind, rel, name) {
            self.taken.entry(name).or_insert_with(|| shown.to_owned());
        }
    }
}
