//! The instructions of one run: the person's, then the project's from the root down, each with what it imports.

use std::collections::BTreeSet;

use super::imports::{Imported, Importer, Scope, headless};
use super::reader::{MAX_TOLD, Reader};
use super::walk::Level;
use super::{Input, Places};
use crate::instructions::{self, InvisibleClass, Origin};
use crate::ports::Folder;
use crate::reading::{self, Found, Located, ResolveError, join};
use crate::report::{Notice, NoticeKind, SkipReason};
use crate::tier::Tier;

/// The name of the instructions file in a run folder: the format's own, whatever the brand.
pub(super) const INSTRUCTIONS: &str = "CLAUDE.md";

/// How many places of one file with invisible characters are told one by one.
const MAX_REMARKS: usize = 100;

/// The instructions files of one folder of a project, and whose they are.
pub(super) fn names(input: &Input) -> [(String, Tier); 3] {
    let brand = &input.brand;
    [
        (brand.instructions_file.clone(), Tier::Project),
        (join(&brand.project_dir, &brand.instructions_file), Tier::Project),
        (brand.local_instructions_file.clone(), Tier::Local),
    ]
}

/// Takes texts in for one run home: the person's own, and the project's.
pub(super) struct Texts<'a, F> {
    run_id: &'a str,
    own: Option<Importer<'a, F>>,
    project: Option<Importer<'a, F>>,
    sources: Vec<String>,
}

impl<'a, F: Folder + Clone> Texts<'a, F> {
    pub(super) fn new(input: &'a Input, places: &'a Places<F>, root: Option<&F>) -> Self {
        let scope = |roots: Vec<F>, own| Scope {
            roots,
            user_home: input.user_home.as_deref(),
            links: places.links.as_ref(),
            own,
        };
        let own = places.shared_home.as_ref().map(|home| {
            let roots = std::iter::once(home).chain(&places.granted).cloned().collect();
            Importer::new(scope(roots, true))
        });
        let project = root.map(|root| Importer::new(scope(vec![root.clone()], false)));
        Self { run_id: &input.run_id, own, project, sources: Vec::new() }
    }

    /// Whether a text of the project, or one beneath that path, was taken in.
    pub(super) fn has_taken(&self, path: &str) -> bool {
        self.project.as_ref().is_some_and(|importer| importer.has_taken(path))
    }

    /// The files that the instructions are made of, less what they import.
    pub(super) fn sources(&self) -> String {
        self.sources.join(", ")
    }

    /// The person's own instructions.
    pub(super) fn own(&mut self, input: &Input, places: &Places<F>, reader: &mut Reader) -> String {
        let (Some(home), Some(importer)) = (&places.shared_home, &mut self.own) else { return String::new() };
        let name = &input.brand.instructions_file;
        let path = join(&home.path(), name);
        let found = match reading::resolve(home, name, &places.granted) {
            Ok(Found::Entry(found)) => found,
            Ok(Found::Nothing) => return String::new(),
            Err(ResolveError::Link { leads_to: Some(leads_to), .. }) => {
                let (folder, _) = leads_to.rsplit_once('/').unwrap_or_default();
                let folder = if folder.is_empty() { "/" } else { folder };
                let detail = format!("it leads to {leads_to}; --grant-read {folder} would grant it");
                reader.skip(path, SkipReason::NotGranted, detail);
                return String::new();
            }
            Err(error) => {
                reader.unresolved(error);
                return String::new();
            }
        };
        importer.first(&found);
        let Some(text) = reader.text(&found, &path) else { return String::new() };
        self.sources.push(path.clone());
        sections(self.run_id, importer, Tier::User, &found, &path, &text, reader)
    }

    /// What the folders from the root down to the working folder say; a file that two names lead to is taken in once.
    pub(super) fn project(&mut self, input: &Input, levels: &[Level<F>], reader: &mut Reader) -> String {
        let mut whole = String::new();
        for level in levels {
            for (name, tier) in names(input) {
                if let Some((found, path)) = self.find(level, &name, reader)
                    && let (Some(text), Some(importer)) = (reader.text(&found, &path), &mut self.project)
                {
                    whole.push_str(&sections(self.run_id, importer, tier, &found, &path, &text, reader));
                    self.sources.push(path);
                }
            }
        }
        whole
    }

    /// The instructions file of that name in a folder of the project, unless another name led to it before.
    fn find(&mut self, level: &Level<F>, name: &str, reader: &mut Reader) -> Option<(Located<F>, String)> {
        let importer = self.project.as_mut()?;
        let found = reader.find(&level.folder, name, &importer.scope.roots)?;
        let path = join(&level.folder.path(), name);
        importer.first(&found).then_some((found, path))
    }

    /// The same below the working folder, where it waits for that folder, and `here` are those found in it.
    pub(super) fn find_below(
        &mut self,
        level: &Level<F>,
        name: &str,
        here: &mut BTreeSet<String>,
        reader: &mut Reader,
    ) -> Option<(Located<F>, String)> {
        let importer = self.project.as_mut()?;
        let found = reader.find(&level.folder, name, &importer.scope.roots)?;
        let path = join(&level.folder.path(), name);
        importer.first_here(&found, here).then_some((found, path))
    }

    /// A text of the project that is no section of the instructions (a rule, less the `above` lines of its header): spelt
    /// so that it imports nothing, with what it imports after it.
    pub(super) fn alone(
        &mut self,
        place: &Alone<'_>,
        found: &Located<F>,
        (text, above): (&str, u32),
        reader: &mut Reader,
    ) -> String {
        let Some(importer) = &mut self.project else { return instructions::neutralised(text) };
        let taken = importer.taken(found, place.path, (text, above), reader);
        if place.waits {
            importer.forget();
        }
        if taken.is_empty() {
            return instructions::neutralised(text);
        }
        let origin = Origin { tier: place.tier, path: place.path.to_owned(), imported_by: None };
        let whole = instructions::section(self.run_id, &origin, text);
        whole + &imported_sections(self.run_id, place.tier, taken, reader)
    }
}

/// A text of the project that stands in a file of its own.
pub(super) struct Alone<'a> {
    pub(super) tier: Tier,
    /// Absolute, as it is named.
    pub(super) path: &'a str,
    /// It is in context only once a file that matches is read: what it takes in, others cannot count on.
    pub(super) waits: bool,
}

fn sections<F: Folder + Clone>(
    run_id: &str,
    importer: &mut Importer<'_, F>,
    tier: Tier,
    found: &Located<F>,
    path: &str,
    text: &str,
    reader: &mut Reader,
) -> String {
    remark(path, text, reader);
    let origin = Origin { tier, path: path.to_owned(), imported_by: None };
    let body = headless(path, text, reader);
    let taken = importer.taken(found, path, body, reader);
    let mut whole = instructions::section(run_id, &origin, body.0);
    whole.push_str(&imported_sections(run_id, tier, taken, reader));
    whole
}

fn imported_sections(run_id: &str, tier: Tier, taken: Vec<Imported>, reader: &mut Reader) -> String {
    let mut whole = String::new();
    for Imported { path, by, text } in taken {
        remark(&path, &text, reader);
        let origin = Origin { tier, path, imported_by: Some(by) };
        whole.push_str(&instructions::section(run_id, &origin, &text));
    }
    whole
}

/// Remarks characters that a person does not see.
pub(super) fn remark(path: &str, text: &str, reader: &mut Reader) {
    let all = instructions::invisible(text);
    let most = if reader.report.notices.len() < MAX_TOLD { MAX_REMARKS } else { 0 };
    for found in all.iter().take(most) {
        let what = match found.class {
            InvisibleClass::Bidi => "characters that change the direction of the text",
            InvisibleClass::ZeroWidth => "characters without width",
            InvisibleClass::Tag => "tag characters",
            InvisibleClass::Variation => "variation selectors with nothing to select",
        };
        let text = format!("{} {what}, which a person does not see", found.count);
        reader.report.notices.push(Notice {
            kind: NoticeKind::InvisibleCharacters,
            path: path.to_owned(),
            line: Some(found.line),
            text,
        });
    }
    if let Some(first) = all.get(most) {
        reader.report.notices.push(Notice {
            kind: NoticeKind::InvisibleCharacters,
            path: path.to_owned(),
            line: Some(first.line),
            text: format!("such characters in {} more places, from here on", all.len() - most),
        });
    }
}
