//! The project's agents, styles, skills and commands: judged one by one, and snapshotted.

use super::entries::{Entries, FILE, Standing};
use super::offers::{Finder, Offer, SKILL_FILE, admitted, opened};
use super::own::{Linker, Own, OwnName, Taken};
use super::reader::Reader;
use super::skill::Snapshot;
use super::walk::Level;
use super::{Input, Node, Places, Splice, reader, texts};
use crate::frontmatter::{self, Fault, Options, Removed, Rewritten};
use crate::names::fold;
use crate::ports::Folder;
use crate::powers::{ItemKind, may_act};
use crate::reading::{Located, join};
use crate::report::{Dropped, RemovedPower, SkipReason, SkippedAgent, SkippedItem};
use crate::settings::rules;
use crate::tier::Tier;

/// A text of so many bytes is not worth a second read.
const SHORT_TEXT: usize = 512;

/// How many removals of one file are told one by one, until very many are told.
const MAX_REMOVED: usize = 1000;

/// The kinds, those that share one set of names together.
const NAMED_TOGETHER: [&[ItemKind]; 3] =
    [&[ItemKind::Agent], &[ItemKind::OutputStyle], &[ItemKind::Skill, ItemKind::Command]];

/// What the items of one run are planned with.
pub(super) struct Items<'a, F> {
    pub(super) input: &'a Input,
    pub(super) places: &'a Places<F>,
    pub(super) root: Option<&'a F>,
    pub(super) levels: &'a [Level<F>],
}

impl<F: Folder + Clone> Items<'_, F> {
    /// Plans the person's items and the project's of every kind but rules.
    pub(super) fn plan(&self, entries: &mut Entries, reader: &mut Reader) {
        for kinds in NAMED_TOGETHER {
            self.kinds(kinds, entries, reader);
        }
    }

    fn kinds(&self, kinds: &[ItemKind], entries: &mut Entries, reader: &mut Reader) {
        let styles_are_out = self.input.dispatch_child && kinds == [ItemKind::OutputStyle];
        let mut offers: Vec<Offer> = kinds.iter().flat_map(|kind| self.offers(*kind, reader)).collect();
        let linker = self.places.shared_home.as_ref().map(|home| Linker::new(home, self.places));
        let owns: Vec<(ItemKind, Own<F>)> = kinds
            .iter()
            .map(|kind| (*kind, linker.as_ref().map_or(Own::None, |linker| linker.look(*kind, reader))))
            .collect();
        if styles_are_out {
            for offer in offers.drain(..) {
                reader.skip(offer.path, SkipReason::NotCarried, "a dispatch child has no output style".to_owned());
            }
            return;
        }
        let mut taken = Taken::new();
        if kinds == [ItemKind::OutputStyle] {
            let built_in = self.input.brand.built_in_styles.iter();
            taken.extend(built_in.map(|name| (fold(name), format!("the runtime's own style {name}"))));
        }
        let mut standing = Standing::new();
        let mut unknown = Vec::new();
        if !offers.is_empty() {
            for (kind, own) in &owns {
                if let Some(linker) = &linker {
                    let path = linker.names(*kind, own, &mut taken, &mut standing, reader);
                    unknown.extend(path.map(|path| (*kind, path)));
                }
            }
        }
        for offer in offers {
            let own = owns.iter().find(|(kind, _)| *kind == offer.kind);
            if let Some((kind, Own::Closed { folder, .. })) = own {
                let detail = format!(
                    "your own {} stand in {folder}, which was not granted, so that names cannot be compared; --grant-read {folder} would grant it",
                    kind.folder()
                );
                reader.skip(offer.path, SkipReason::NotGranted, detail);
                continue;
            }
            if let Some((_, path)) = unknown.iter().find(|(kind, _)| *kind == offer.kind) {
                let detail = format!(
                    "the name of your own {path} cannot be told, and might be this one; where it is a link, grant its folder \
                     with --grant-read"
                );
                reader.skip(offer.path, SkipReason::NotGranted, detail);
                continue;
            }
            self.place(&offer, &mut taken, &standing, entries, reader);
        }
        for (kind, own) in &owns {
            if let Some(linker) = &linker {
                linker.link(*kind, own, entries, reader);
            }
        }
    }

    /// What the project offers of one kind, the nearest to the working folder first.
    fn offers(&self, kind: ItemKind, reader: &mut Reader) -> Vec<Offer> {
        let Some(root) = self.root else { return Vec::new() };
        let mut finder = Finder::new(root, &self.input.brand.project_dir, kind, reader.bounds);
        for level in self.levels.iter().rev() {
            finder.look(level, reader);
        }
        finder.offers
    }

    fn place(&self, offer: &Offer, taken: &mut Taken, standing: &Standing, entries: &mut Entries, reader: &mut Reader) {
        let Some(root) = self.root else { return };
        let Some(found) = offer.found(root, reader) else { return };
        let Some(source) = reader.bytes(&found, &offer.path) else { return };
        let may_act = may_act(Tier::Project, false, self.input.powers);
        let options = Options { may_act, anchor: self.anchor(&offer.below_root) };
        let rewritten = match frontmatter::rewrite(offer.kind, &source, &options) {
            Ok(rewritten) => rewritten,
            Err(fault) => return unusable(offer, fault, reader),
        };
        let names = effective_names(offer.kind, &offer.rel, rewritten.name.as_deref());
        if let Some(other) = names.iter().find_map(|name| taken.get(name)) {
            return collision(offer, other, reader);
        }
        for name in names {
            taken.insert(name, offer.path.clone());
        }
        if let Ok(text) = std::str::from_utf8(&source) {
            texts::remark(&offer.path, text, reader);
        }
        removed(&offer.path, &rewritten.removed, reader);
        let folder = offer.kind.folder();
        let at = entries.free(&join(folder, &offer.rel), standing);
        let text_at = if offer.skill.is_some() { join(&at, SKILL_FILE) } else { at.clone() };
        let Some(node) = node(&found, rewritten, &source, root) else { return };
        entries.put(text_at, node, FILE, offer.path.clone());
        if let Some((folder, path)) = &offer.skill {
            match opened(root, folder) {
                Ok(skill) => Snapshot::new(root, entries, reader).take(&skill, path, &at),
                Err(error) => reader.refused(path.clone(), &error),
            }
        }
    }

    /// The way from an item's folder down to the working folder.
    fn anchor(&self, below_root: &str) -> frontmatter::Anchor<'_> {
        let cwd = self.levels.last().map_or("", |level| level.below_root.as_str());
        let cwd_below =
            if below_root.is_empty() { cwd } else { crate::reading::beneath(cwd, below_root).unwrap_or("") };
        frontmatter::Anchor { cwd_below, base_below: "" }
    }
}

/// The text as the run folder has it: streamed from the file wherever its text stays as it is.
fn node<F: Folder>(found: &Located<F>, rewritten: Rewritten, source: &[u8], root: &F) -> Option<Node> {
    let head = rewritten.head.into_bytes();
    if let Some(body) = rewritten.body {
        return Some(Node::Content([head, body.into_bytes()].concat()));
    }
    let admitted = admitted(found, root)?;
    if head.is_empty() && rewritten.body_at == 0 {
        return Some(Node::Copy(admitted));
    }
    let rest = source.get(rewritten.body_at..)?;
    if rest.len() <= SHORT_TEXT {
        return Some(Node::Content([head, rest.to_vec()].concat()));
    }
    Some(Node::Splice(Splice { head, source: admitted, offset: rewritten.body_at as u64 }))
}

/// The names that an item is called by, folded.
pub(super) fn effective_names(kind: ItemKind, rel: &str, name: Option<&str>) -> Vec<String> {
    let stem = rel.strip_suffix(".md").unwrap_or(rel);
    let last = stem.rsplit_once('/').map_or(stem, |(_, last)| last);
    let mut names = match kind {
        ItemKind::Agent | ItemKind::OutputStyle => vec![fold(name.unwrap_or(last))],
        ItemKind::Skill | ItemKind::Command => {
            let path = fold(&stem.replace('/', ":"));
            std::iter::once(path).chain(name.map(fold)).collect()
        }
        ItemKind::Rule => vec![fold(rel)],
    };
    names.dedup();
    names
}

/// The `name:` in the header of a person's own item.
pub(super) fn own_name(kind: ItemKind, text: &[u8]) -> OwnName {
    let options = Options { may_act: true, ..Options::default() };
    match frontmatter::rewrite(kind, text, &options) {
        Ok(rewritten) => OwnName::Known(rewritten.name),
        // The program may read what we do not give away.
        Err(_) => match std::str::from_utf8(text).ok().and_then(frontmatter::plain_name) {
            Some(name) => OwnName::Known(name),
            None => OwnName::Unknown,
        },
    }
}

/// Reports what was taken out of an item.
pub(super) fn removed(file: &str, removed: &[Removed], reader: &mut Reader) {
    let most = if reader.report.removed_powers.len() < reader::MAX_TOLD { MAX_REMOVED } else { 1 };
    let shown = removed.iter().take(most).map(|removed| RemovedPower {
        file: file.to_owned(),
        line: removed.line,
        carrier: removed.key.clone(),
        value: removed.value.clone(),
        reason: removed.reason.id().to_owned(),
    });
    let report = &mut reader.report.removed_powers;
    report.extend(shown);
    if let Some(first) = removed.get(most) {
        report.push(RemovedPower {
            file: file.to_owned(),
            line: first.line,
            carrier: first.key.clone(),
            value: format!("{} more things, from here on", removed.len() - most),
            reason: first.reason.id().to_owned(),
        });
    }
}

/// Reports an item whose header cannot be read, as its kind is reported.
pub(super) fn unusable(offer: &Offer, fault: Fault, reader: &mut Reader) {
    let path = offer.path.clone();
    let Fault { kind, detail, line, column } = fault;
    match offer.kind {
        ItemKind::Agent => reader.report.skipped_agents.push(SkippedAgent { path, line, column, detail }),
        ItemKind::OutputStyle => style_dropped(&path, rules::UNUSABLE_STYLE.id, line, reader),
        ItemKind::Skill | ItemKind::Command | ItemKind::Rule => {
            let reason = match kind {
                frontmatter::FaultKind::NotUtf8 => SkipReason::NotUtf8,
                frontmatter::FaultKind::PathsOutsideCwd => SkipReason::PathsOutsideCwd,
                _ => SkipReason::Unusable,
            };
            reader.report.skipped_items.push(SkippedItem { path, reason, detail, line, column });
        }
    }
}

fn collision(offer: &Offer, other: &str, reader: &mut Reader) {
    if offer.kind == ItemKind::OutputStyle {
        style_dropped(&offer.path, rules::STYLE_COLLISION.id, None, reader);
    } else {
        reader.skip(offer.path.clone(), SkipReason::Collision, format!("{other} has its name, and comes first"));
    }
}

/// The contract lists styles among the dropped rules.
fn style_dropped(path: &str, reason: &str, line: Option<u32>, reader: &mut Reader) {
    reader.report.dropped_rules.push(Dropped {
        tier: Tier::Project,
        source: path.to_owned(),
        line,
        rule: format!("output style: {path}"),
        reason: reason.to_owned(),
        withheld: None,
        because: None,
    });
}
