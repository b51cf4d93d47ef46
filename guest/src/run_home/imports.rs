//! Imports of instructions and rules: which file an `@path` names, and whether it may be taken in.

use std::collections::BTreeSet;

use super::reader::{MAX_TOLD, Reader};
use crate::frontmatter;
use crate::instructions::{self, Import};
use crate::ports::{FilesError, Folder, Kind};
use crate::reading::{self, Found, Located, ResolveError, beneath, components, join};
use crate::report::{DroppedImport, ImportFault, LinkFault, RemovedPower};

/// How many imports of one file, with those beneath it, are told one by one.
const MAX_DROPPED: usize = 1000;

/// How deep imports go, whatever the host asks for.
const MAX_DEPTH: u32 = 64;

/// One text, and what it was found as.
pub(super) struct Imported {
    /// Absolute, as it is named.
    pub(super) path: String,
    /// The file that names it.
    pub(super) by: String,
    pub(super) text: String,
}

/// Whose files may import what.
pub(super) struct Scope<'a, F> {
    /// The folders that an import may lead into; the first is that of the importing files.
    pub(super) roots: Vec<F>,
    /// What `~` stands for.
    pub(super) user_home: Option<&'a str>,
    /// The file system's root, in which links can be looked at.
    pub(super) links: Option<&'a F>,
    /// The files are the person's own.
    pub(super) own: bool,
}

/// Follows the imports of a few files; a file is taken in once.
pub(super) struct Importer<'a, F> {
    pub(super) scope: Scope<'a, F>,
    /// What is in context whatever is read.
    seen: BTreeSet<String>,
    /// What was added to that by the text that is being read.
    added: Vec<String>,
    /// What is taken in at all, by real paths.
    given: BTreeSet<String>,
    /// The files that are being read, by their real paths.
    stack: Vec<String>,
}

/// Where an import leads.
enum Target<F> {
    /// To a file, and its path as it is named.
    File(Box<Located<F>>, String),
    /// Nowhere: it is text.
    Text,
    /// Out of bounds.
    Refused(ImportFault, String),
}

impl<'a, F: Folder + Clone> Importer<'a, F> {
    pub(super) fn new(scope: Scope<'a, F>) -> Self {
        Self { scope, seen: BTreeSet::new(), added: Vec::new(), given: BTreeSet::new(), stack: Vec::new() }
    }

    /// Whether the file of that real path was taken in, or one beneath it.
    pub(super) fn has_taken(&self, path: &str) -> bool {
        let below = format!("{path}/");
        let next = self.given.range(below.clone()..).next();
        self.given.contains(path) || next.is_some_and(|given| given.starts_with(&below))
    }

    /// Whether the file was not taken in before; it is from now on.
    pub(super) fn first(&mut self, found: &Located<F>) -> bool {
        let real = real(found);
        self.given.insert(real.clone());
        self.seen.insert(real)
    }

    /// The same for one of the files of one folder, which will be in context only once something there is read: for the
    /// files of other folders it is none of those taken in.
    pub(super) fn first_here(&mut self, found: &Located<F>, here: &mut BTreeSet<String>) -> bool {
        let real = real(found);
        self.given.insert(real.clone());
        !self.seen.contains(&real) && here.insert(real)
    }

    /// What the last text took in is not in context whatever is read.
    pub(super) fn forget(&mut self) {
        for real in self.added.drain(..) {
            self.seen.remove(&real);
        }
    }

    fn see(&mut self, real: String) {
        self.given.insert(real.clone());
        if self.seen.insert(real.clone()) {
            self.added.push(real);
        }
    }

    /// What a text, found at `found` and named `path`, imports, in the order in which a reader meets it; so many lines of
    /// the file stand before it.
    pub(super) fn taken(
        &mut self,
        found: &Located<F>,
        path: &str,
        text: (&str, u32),
        reader: &mut Reader,
    ) -> Vec<Imported> {
        let mut taken = Vec::new();
        self.added.clear();
        self.see(real(found));
        self.stack.push(real(found));
        self.follow(path, text, reader, &mut taken);
        self.stack.pop();
        taken
    }

    fn follow(&mut self, path: &str, (text, above): (&str, u32), reader: &mut Reader, taken: &mut Vec<Imported>) {
        let before = reader.report.dropped_imports.len();
        for mut import in instructions::imports(text) {
            import.line = import.line.saturating_add(above);
            let told = reader.report.dropped_imports.len();
            if told - before >= if told < MAX_TOLD { MAX_DROPPED } else { 1 } {
                let detail = "and all that follow in this file: it names too many that may not be taken in".to_owned();
                drop_import(path, &import, ImportFault::TooMany, detail, reader);
                break;
            }
            let (found, named) = match self.target(path, &import.target, reader) {
                Target::Text => continue,
                Target::Refused(reason, detail) => {
                    drop_import(path, &import, reason, detail, reader);
                    continue;
                }
                Target::File(found, named) => (found, named),
            };
            let real = real(&found);
            if self.stack.contains(&real) {
                let detail = "it leads back to a file that is being read; the circle ends here".to_owned();
                drop_import(path, &import, ImportFault::Cycle, detail, reader);
                continue;
            }
            if self.seen.contains(&real) {
                continue;
            }
            // The first file is the first level.
            let deepest = reader.bounds.import_depth.min(MAX_DEPTH);
            if self.stack.len() >= deepest as usize {
                let detail = format!("files are read {deepest} levels deep");
                drop_import(path, &import, ImportFault::TooDeep, detail, reader);
                continue;
            }
            let text = match reader.try_text(&found) {
                Ok(text) => text,
                Err((_, detail)) => {
                    drop_import(path, &import, ImportFault::Unreadable, detail, reader);
                    continue;
                }
            };
            self.see(real.clone());
            let body = headless(&named, &text, reader);
            taken.push(Imported { path: named.clone(), by: path.to_owned(), text: body.0.to_owned() });
            self.stack.push(real);
            self.follow(&named, body, reader, taken);
            self.stack.pop();
        }
    }

    fn target(&self, importer: &str, target: &str, reader: &mut Reader) -> Target<F> {
        let Some(named) = self.absolute(importer, target) else {
            return self.outside(target, None);
        };
        let root = self.scope.roots.iter().find_map(|root| {
            let path = root.path();
            beneath(&named, &path).map(|below| (root, below.to_owned()))
        });
        let Some((root, below)) = root else {
            // `@/components/x` is how many projects spell a path of their own: where nothing stands there, it is text.
            if (self.scope.own || target.starts_with('/')) && self.is_absent(&named, reader) {
                return Target::Text;
            }
            return self.outside(target, Some(&named));
        };
        // No file has such a name.
        if below.is_empty() || components(&below).any(|part| part.len() > 255) {
            return Target::Text;
        }
        match reading::resolve_within(root, &below, &self.scope.roots, &mut reader.steps) {
            Ok(Found::Nothing)
            | Err(ResolveError::Files { error: FilesError::NotAFolder | FilesError::BadName, .. }) => Target::Text,
            Ok(Found::Entry(found)) if found.entry.kind == Kind::Directory => Target::Text,
            Ok(Found::Entry(found)) => {
                let withheld = reader.withheld(&real(&found), &root.path()).filter(|_| !self.scope.own);
                match withheld {
                    Some(why) => Target::Refused(ImportFault::Unreadable, why.to_owned()),
                    None => Target::File(Box::new(found), named),
                }
            }
            Err(ResolveError::Link { fault: LinkFault::OutsideRoot, leads_to, .. }) => {
                self.outside(target, leads_to.as_deref())
            }
            Err(ResolveError::Link { path, fault, .. }) => {
                let what = if fault == LinkFault::Loop { "loops" } else { "leads to nothing" };
                Target::Refused(ImportFault::Unreadable, format!("the link {path} {what}"))
            }
            Err(ResolveError::Files { path, error }) => {
                Target::Refused(ImportFault::Unreadable, format!("{path}: {error}"))
            }
        }
    }

    /// What a target names, without `.` and `..`; none when that cannot be told, or lies above the file system's root.
    fn absolute(&self, importer: &str, target: &str) -> Option<String> {
        let whole = if let Some(below) = target.strip_prefix("~/") {
            join(self.scope.user_home?, below)
        } else if target.starts_with('/') {
            target.to_owned()
        } else {
            let (folder, _) = importer.rsplit_once('/')?;
            format!("{folder}/{target}")
        };
        let mut parts: Vec<&str> = Vec::new();
        for part in components(&whole) {
            if part == ".." {
                parts.pop();
            } else {
                parts.push(part);
            }
        }
        Some(parts.iter().flat_map(|part| ["/", part]).collect())
    }

    fn outside(&self, target: &str, leads_to: Option<&str>) -> Target<F> {
        if !self.scope.own {
            let root = self.scope.roots.first().map(Folder::path).unwrap_or_default();
            return Target::Refused(
                ImportFault::OutsideRoot,
                format!("a project's files are read inside {root} alone"),
            );
        }
        let folder = leads_to.and_then(|path| path.rsplit_once('/')).map(|(folder, _)| folder);
        let detail = match folder {
            Some("") => "--grant-read / would grant it".to_owned(),
            Some(folder) => format!("--grant-read {folder} would grant it"),
            None => format!("where {target} leads cannot be told"),
        };
        Target::Refused(ImportFault::NotGranted, detail)
    }

    fn is_absent(&self, path: &str, reader: &mut Reader) -> bool {
        let look = |links| reading::resolve_within(links, path, &[], &mut reader.steps);
        self.scope.links.map(look).is_some_and(|found| matches!(found, Ok(Found::Nothing)))
    }
}

/// The text without its header, which no runtime reads in such a file, and how many lines that was.
pub(super) fn headless<'t>(path: &str, text: &'t str, reader: &mut Reader) -> (&'t str, u32) {
    let (body, above) = frontmatter::without_header(text);
    if above > 0 {
        reader.report.removed_powers.push(RemovedPower {
            file: path.to_owned(),
            line: 1,
            carrier: "frontmatter".to_owned(),
            value: format!("{above} lines that the runtime takes for a header, and does not read here"),
            reason: frontmatter::Reason::UnknownKey.id().to_owned(),
        });
    }
    (body, above)
}

fn drop_import(file: &str, import: &Import, reason: ImportFault, detail: String, reader: &mut Reader) {
    reader.report.dropped_imports.push(DroppedImport {
        file: file.to_owned(),
        line: import.line,
        target: import.target.clone(),
        reason,
        detail,
    });
}

fn real<F: Folder>(found: &Located<F>) -> String {
    join(&found.folder.path(), &found.entry.name)
}
