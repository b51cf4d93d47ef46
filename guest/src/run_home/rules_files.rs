//! The project's rules, and what stands below the working folder, which the runtime would have read when it came there.

use std::collections::BTreeSet;

use super::entries::{Entries, FILE, Standing};
use super::imports::headless;
use super::items::{removed, unusable};
use super::offers::{Finder, Offer};
use super::own::{Linker, Own, Taken};
use super::reader::Reader;
use super::texts::{self, Alone, Texts};
use super::walk::{self, Level};
use super::{Input, Places};
use crate::frontmatter::{self, Anchor, Options};
use crate::names::fold;
use crate::ports::{Entry, Folder, Kind};
use crate::powers::{ItemKind, may_act};
use crate::reading::{beneath, join};
use crate::report::{SkipReason, UnconditionalRule};
use crate::tier::Tier;

/// The kinds that are not taken in from below the working folder.
const NOT_NESTED: [ItemKind; 4] = [ItemKind::Agent, ItemKind::Command, ItemKind::OutputStyle, ItemKind::Skill];

/// What the rules of one run are planned with.
pub(super) struct Rules<'a, F> {
    pub(super) input: &'a Input,
    pub(super) places: &'a Places<F>,
    pub(super) root: Option<&'a F>,
    pub(super) levels: &'a [Level<F>],
}

impl<F: Folder + Clone> Rules<'_, F> {
    /// Plans the person's rules and the project's.
    pub(super) fn plan(&self, texts: &mut Texts<'_, F>, entries: &mut Entries, reader: &mut Reader) {
        let linker = self.places.shared_home.as_ref().map(|home| Linker::new(home, self.places));
        let own = linker.as_ref().map_or(Own::None, |linker| linker.look(ItemKind::Rule, reader));
        if let Some(root) = self.root {
            self.project(root, &own, linker.as_ref(), texts, entries, reader);
        }
        if let Some(linker) = &linker {
            linker.link(ItemKind::Rule, &own, entries, reader);
        }
    }

    fn project(
        &self,
        root: &F,
        own: &Own<F>,
        linker: Option<&Linker<'_, F>>,
        texts: &mut Texts<'_, F>,
        entries: &mut Entries,
        reader: &mut Reader,
    ) {
        let mut finder = Finder::new(root, &self.input.brand.project_dir, ItemKind::Rule, reader.bounds);
        for level in self.levels {
            finder.look(level, reader);
        }
        let above = finder.offers.len();
        let mut nested = Vec::new();
        walk::below(self.levels, &self.input.brand.project_dir, reader, &mut |level, listed, reader| {
            self.folder_below(level, listed, &mut finder, texts, &mut nested, reader);
        });
        let offers = finder.offers;
        if let Own::Closed { folder, .. } = own {
            let detail = format!(
                "your own rules stand in {folder}, which was not granted; --grant-read {folder} would grant it"
            );
            for path in offers.into_iter().map(|offer| offer.path).chain(nested.into_iter().map(|rule| rule.path)) {
                reader.skip(path, SkipReason::NotGranted, detail.clone());
            }
            return;
        }
        let mut taken = Taken::new();
        let mut standing = Standing::new();
        if let Some(linker) = linker {
            let _ = linker.names(ItemKind::Rule, own, &mut taken, &mut standing, reader);
        }
        for (number, offer) in offers.iter().enumerate() {
            if number < above
                && let Some(other) = taken.get(&fold(&offer.rel))
            {
                let detail = format!("{other} has its name, and comes first");
                reader.skip(offer.path.clone(), SkipReason::Collision, detail);
                continue;
            }
            let Some((text, conditional)) = self.rule(root, offer, texts, reader) else { continue };
            let folder = if number < above { String::new() } else { self.below_cwd(&offer.below_root).to_owned() };
            let rel = if folder.is_empty() { offer.rel.clone() } else { join(&folder, &offer.rel) };
            let at = entries.free(&join(ItemKind::Rule.folder(), &rel), &standing);
            if !conditional {
                reader
                    .report
                    .unconditional_rules
                    .push(UnconditionalRule { path: offer.path.clone(), entry: at.clone() });
            }
            entries.put(at, super::Node::Content(text.into_bytes()), FILE, offer.path.clone());
        }
        for rule in nested {
            let at = entries.free(&join(ItemKind::Rule.folder(), &rule.rel), &standing);
            entries.put(at, super::Node::Content(rule.text.into_bytes()), FILE, rule.path);
        }
    }

    /// One rule as the run folder has it, and whether it has `paths:`.
    fn rule(&self, root: &F, offer: &Offer, texts: &mut Texts<'_, F>, reader: &mut Reader) -> Option<(String, bool)> {
        let found = offer.found(root, reader)?;
        if let Err((reason, detail)) = reader.says(&found) {
            reader.skip(offer.path.clone(), reason, detail);
            return None;
        }
        let source = reader.bytes(&found, &offer.path)?;
        let cwd = self.cwd_below_root();
        let anchor = match beneath(cwd, &offer.below_root) {
            _ if offer.below_root.is_empty() => Anchor { cwd_below: cwd, base_below: "" },
            Some(cwd_below) => Anchor { cwd_below, base_below: "" },
            None => Anchor { cwd_below: "", base_below: self.below_cwd(&offer.below_root) },
        };
        let may_act = may_act(Tier::Project, false, self.input.powers);
        let options = Options { may_act, anchor };
        let rewritten = match frontmatter::rewrite(ItemKind::Rule, &source, &options) {
            Ok(rewritten) => rewritten,
            Err(fault) => {
                unusable(offer, fault, reader);
                return None;
            }
        };
        removed(&offer.path, &rewritten.removed, reader);
        let body = match &rewritten.body {
            Some(body) => body.as_str(),
            None => std::str::from_utf8(source.get(rewritten.body_at..)?).ok()?,
        };
        let whole = std::str::from_utf8(&source).ok()?;
        texts::remark(&offer.path, whole, reader);
        let (_, above) = frontmatter::without_header(whole);
        let waits = rewritten.paths.is_some();
        let place = Alone { tier: Tier::Project, path: &offer.path, waits };
        let body = texts.alone(&place, &found, (body, above), reader);
        Some((format!("{}{body}", rewritten.head), waits))
    }

    /// What a folder below the working folder holds for the runtime to find.
    fn folder_below(
        &self,
        level: &Level<F>,
        listed: &[Entry],
        finder: &mut Finder<'_, F>,
        texts: &mut Texts<'_, F>,
        nested: &mut Vec<Nested>,
        reader: &mut Reader,
    ) {
        let brand = &self.input.brand;
        let stands = |name: &str| listed.iter().any(|entry| entry.name == name);
        let mut here = BTreeSet::new();
        for (name, tier) in texts::names(self.input) {
            let (first, _) = name.split_once('/').unwrap_or((&name, ""));
            if !stands(first) {
                continue;
            }
            let Some((found, path)) = texts.find_below(level, &name, &mut here, reader) else { continue };
            let Some(text) = reader.text(&found, &path) else { continue };
            let folder = self.below_cwd(&level.below_root);
            texts::remark(&path, &text, reader);
            let body = headless(&path, &text, reader);
            let body = texts.alone(&Alone { tier, path: &path, waits: true }, &found, body, reader);
            // An empty rule of that folder: its header says that it is for what stands there.
            let anchor = Anchor { cwd_below: "", base_below: folder };
            match frontmatter::rewrite(ItemKind::Rule, b"", &Options { may_act: false, anchor }) {
                Ok(rule) => {
                    nested.push(Nested { rel: join(folder, &name), text: format!("{}{body}", rule.head), path });
                }
                Err(fault) => reader.skip(path, SkipReason::Unusable, fault.to_string()),
            }
        }
        if stands(".mcp.json") {
            let detail = "servers of the folders down to the working folder are read".to_owned();
            reader.skip(join(&level.folder.path(), ".mcp.json"), SkipReason::NestedNotCarried, detail);
        }
        if stands(&brand.project_dir) {
            finder.look(level, reader);
            self.not_nested(level, reader);
        }
    }

    /// Names what is offered below the working folder and not taken in from there.
    fn not_nested(&self, level: &Level<F>, reader: &mut Reader) {
        let Some(root) = self.root else { return };
        for name in ["settings.json", "settings.local.json"] {
            let path = join(&self.input.brand.project_dir, name);
            if reader.find(&level.folder, &path, std::slice::from_ref(root)).is_some() {
                let detail = "the settings of the project's root are read".to_owned();
                reader.skip(join(&level.folder.path(), &path), SkipReason::NestedNotCarried, detail);
            }
        }
        for kind in NOT_NESTED {
            let path = join(&self.input.brand.project_dir, kind.folder());
            let Some(folder) = reader.find(&level.folder, &path, std::slice::from_ref(root)) else { continue };
            if folder.entry.kind != Kind::Directory {
                continue;
            }
            let shown = join(&level.folder.path(), &path);
            let Some(folder) = reader.open(&folder, shown.clone()) else { continue };
            for entry in reader.list(&folder) {
                let detail = "the run home holds such items of the folders down to the working folder".to_owned();
                reader.skip(join(&shown, &entry.name), SkipReason::NestedNotCarried, detail);
            }
        }
    }

    fn cwd_below_root(&self) -> &str {
        self.levels.last().map_or("", |level| level.below_root.as_str())
    }

    fn below_cwd<'b>(&self, below_root: &'b str) -> &'b str {
        let cwd = self.cwd_below_root();
        if cwd.is_empty() { below_root } else { beneath(below_root, cwd).unwrap_or(below_root) }
    }
}

/// An instructions file from below the working folder, as a rule.
struct Nested {
    path: String,
    /// Below the folder of rules.
    rel: String,
    text: String,
}
