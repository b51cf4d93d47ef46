//! Which rows are the conversation now: from the live leaf along the parents to a root or the last compaction.

use std::collections::{HashMap, HashSet};

use super::entries::{Entries, Kind};
use super::oddity::{Oddities, OddityKind};

/// Why a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// At the first row of the conversation, or what counts as one.
    Root,
    /// At the last compaction.
    Compaction,
    /// At a parent that the file does not hold.
    Gap,
    /// At a parent that was not read.
    Unread,
    /// There is no message.
    Nothing,
}

/// The conversation, as far as it was read.
#[derive(Debug)]
pub(super) struct Lineage {
    /// The latest message.
    pub leaf: Option<usize>,
    /// From the leaf backwards.
    pub path: Vec<usize>,
    /// The boundary that it ends at.
    pub boundary: Option<usize>,
    pub end: End,
    /// Messages that the compaction kept and that were not read.
    pub unread_kept: bool,
    /// The last real reply.
    pub tip: Option<usize>,
    /// The tip is before the compaction.
    pub tip_before_boundary: bool,
    /// A tip may stand in what was not read.
    pub tip_unread: bool,
}

impl Lineage {
    /// Whether more of the file could change what is in context.
    pub(super) fn is_whole(&self) -> bool {
        self.end != End::Unread && !self.unread_kept && !self.tip_unread
    }
}

/// Walks; `whole` says that nothing stands before the window.
pub(super) fn walk(entries: &Entries<'_>, whole: bool, oddities: &mut Oddities) -> Lineage {
    let seen = vec![false; entries.rows.len()];
    let keepers = keepers(entries);
    let mut walk = Walk { entries, whole, oddities, seen, keepers, path: Vec::new(), missing: 0, took_kept: false };
    if whole {
        walk.count_gaps();
    }
    let leaf = leaf(entries);
    let Some(start) = leaf else {
        let end = if whole { End::Nothing } else { End::Unread };
        let (unread_kept, tip_unread) = (false, !whole);
        let (path, boundary, tip) = (Vec::new(), None, None);
        return Lineage { leaf, path, boundary, end, unread_kept, tip, tip_before_boundary: false, tip_unread };
    };
    let (end, boundary) = walk.conversation(start);
    if let (Some(cut), false) = (boundary.and_then(|at| entries.rows[at].boundary.as_ref()), walk.took_kept) {
        walk.take(cut.kept.iter().rev().map(|uuid| &**uuid));
    }
    let unread_kept = walk.missing > 0 && !whole;
    let is_reply = |&at: &usize| entries.rows[at].is_reply();
    let mut tip = walk.path.iter().copied().find(is_reply);
    let mut tip_unread = tip.is_none() && (end == End::Unread || unread_kept);
    let path = walk.path.clone();
    let mut tip_before_boundary = false;
    if let (None, Some(at)) = (tip, boundary) {
        tip_before_boundary = true;
        let before = walk.before(at);
        tip = walk.path[path.len()..].iter().copied().find(is_reply);
        tip_unread |= tip.is_none() && before == End::Unread;
    }
    let missing = if whole { walk.missing } else { 0 };
    oddities.add_many(OddityKind::MissingPreserved, missing);
    let error = |&&at: &&usize| entries.rows[at].kind == Kind::Assistant && entries.rows[at].error;
    let residue = path.iter().filter(error).count() as u64;
    oddities.add_many(OddityKind::ErrorResidue, residue);
    Lineage { leaf, path, boundary, end, unread_kept, tip, tip_before_boundary, tip_unread }
}

/// The latest message of the session's own that no later message hangs off; rows that are no messages do not count, so a
/// hook's or a progress row's fork is none.
fn leaf(entries: &Entries<'_>) -> Option<usize> {
    let own = |at: &usize| entries.rows[*at].is_message() && !entries.rows[*at].sidechain;
    let messages: Vec<usize> = (0..entries.rows.len()).filter(own).collect();
    let mut parents: HashSet<&str> = HashSet::new();
    for &at in messages.iter().rev() {
        let row = &entries.rows[at];
        if !parents.contains(&*row.uuid) {
            return Some(at);
        }
        parents.extend(row.parent.as_deref().filter(|parent| *parent != row.uuid));
    }
    messages.last().copied()
}

/// The compactions that kept each message, in the file's order.
fn keepers<'e>(entries: &'e Entries<'_>) -> HashMap<&'e str, Vec<usize>> {
    let mut keepers: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, row) in entries.rows.iter().enumerate().filter(|(_, row)| !row.sidechain) {
        for uuid in row.boundary.iter().flat_map(|cut| &cut.kept) {
            keepers.entry(uuid).or_default().push(at);
        }
    }
    keepers
}

struct Walk<'w, 't> {
    entries: &'w Entries<'t>,
    keepers: HashMap<&'w str, Vec<usize>>,
    whole: bool,
    oddities: &'w mut Oddities,
    seen: Vec<bool>,
    path: Vec<usize>,
    /// Kept messages that were not found.
    missing: u64,
    took_kept: bool,
}

impl Walk<'_, '_> {
    fn conversation(&mut self, leaf: usize) -> (End, Option<usize>) {
        let mut at = leaf;
        loop {
            self.visit(at);
            let row = &self.entries.rows[at];
            if row.boundary.is_some() {
                return (End::Compaction, Some(at));
            }
            let Some(parent) = row.parent.as_deref() else { return (End::Root, None) };
            let place = self.entries.place(parent);
            if let Some(boundary) = self.kept_by(at, parent, place) {
                // What the compaction kept still names its old parent; its place is after the anchor.
                let kept = self.entries.rows[boundary].boundary.iter().flat_map(|cut| cut.kept.iter().rev());
                self.take(kept.map(|uuid| &**uuid).skip_while(|&uuid| uuid != parent));
                self.took_kept = true;
                at = self.anchor(boundary, at);
                if self.seen[at] {
                    return (End::Compaction, Some(boundary));
                }
                continue;
            }
            match self.step(at, parent, place) {
                Ok(next) => at = next,
                Err(end) => return (end, None),
            }
        }
    }

    /// From a row to its parent, or why not.
    fn step(&mut self, at: usize, parent: &str, place: Option<usize>) -> Result<usize, End> {
        if parent == self.entries.rows[at].uuid {
            self.oddities.add(OddityKind::SelfParent);
            return Err(End::Root);
        }
        match place {
            Some(next) if self.seen[next] => {
                self.oddities.add(OddityKind::Cycle);
                Err(End::Root)
            }
            Some(next) => Ok(next),
            None if self.whole => Err(End::Gap),
            None => Err(End::Unread),
        }
    }

    fn visit(&mut self, at: usize) {
        self.seen[at] = true;
        self.path.push(at);
    }

    /// The compaction between a row and its parent that kept the parent.
    fn kept_by(&self, at: usize, parent: &str, place: Option<usize>) -> Option<usize> {
        let after = place.map_or(0, |place| place + 1);
        let keepers = self.keepers.get(parent).filter(|_| !self.took_kept)?;
        keepers.iter().rev().copied().find(|&cut| cut < at).filter(|&cut| cut >= after)
    }

    fn take<'k>(&mut self, kept: impl Iterator<Item = &'k str>) {
        for uuid in kept {
            match self.entries.place(uuid) {
                Some(place) if !self.seen[place] => self.visit(place),
                Some(_) => {}
                None => self.missing += 1,
            }
        }
    }

    /// The row that the kept ones follow: the one that the boundary names, or the summary that hangs off it.
    fn anchor(&self, boundary: usize, before: usize) -> usize {
        let cut = &self.entries.rows[boundary];
        let named = cut.boundary.as_ref().and_then(|cut| cut.anchor.as_deref());
        let named = named.and_then(|anchor| self.entries.place(anchor)).filter(|&place| place > boundary);
        let is_summary = |at: &usize| {
            let row = &self.entries.rows[*at];
            row.kind == Kind::User && row.parent.as_deref() == Some(&*cut.uuid)
        };
        named.filter(|&at| !self.seen[at]).or_else(|| (boundary + 1..before).find(is_summary)).unwrap_or(boundary)
    }

    /// Goes on before the boundary, only to learn who spoke last.
    fn before(&mut self, boundary: usize) -> End {
        let mut parent = self.entries.rows[boundary].logical_parent.as_deref();
        while let Some(name) = parent {
            let at = match self.entries.place(name) {
                Some(next) if self.seen[next] => return End::Root,
                Some(next) => next,
                None if self.whole => return End::Gap,
                None => return End::Unread,
            };
            self.visit(at);
            if self.entries.rows[at].is_reply() {
                return End::Root;
            }
            let row = &self.entries.rows[at];
            parent = row.parent.as_deref().or(row.logical_parent.as_deref());
        }
        End::Root
    }

    /// Rows whose parent the file does not hold: each begins an island.
    fn count_gaps(&mut self) {
        let lost = |parent: &&str| self.entries.place(parent).is_none();
        let rows = self.entries.rows.iter().filter(|row| !row.sidechain);
        let gaps = rows.filter(|row| row.parent.as_deref().as_ref().is_some_and(lost)).count();
        self.oddities.add_many(OddityKind::MissingParent, gaps as u64);
    }
}
