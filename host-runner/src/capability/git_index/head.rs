//! What the commit that HEAD names lists.

use gix::ObjectId;
use gix::objs::tree::EntryKind;
use gix::objs::{CommitRefIter, Kind, TagRefIter, TreeRefIter};

use super::layout::Layout;
use super::objects::Objects;
use super::wanted::{Wanted, fold};
use super::{Deadline, Found, Limits, Place, ProbeError, failed};

/// Tags and the commit on the way to a tree.
const HOPS: usize = 8;

/// Adds what the tree of `commit` lists of the wanted paths.
///
/// What cannot be read is an error only for a path that the index does not list: for the others it changes nothing.
pub(super) fn list(
    layout: &Layout,
    commit: ObjectId,
    wanted: &Wanted,
    limits: &Limits,
    deadline: Deadline,
    found: &mut Found,
) -> Result<(), ProbeError> {
    let mut walk = Walk { layout, objects: Objects::new(layout, limits, deadline), trees: limits.trees };
    let root = walk.root(commit);
    for names in wanted.paths() {
        let listed = found.lists(names);
        match root.clone().and_then(|root| walk.path(root, names, found)) {
            Err(ProbeError::Failed(_) | ProbeError::Unsupported(_)) if listed => {}
            result => result?,
        }
    }
    Ok(())
}

struct Walk<'a> {
    layout: &'a Layout,
    objects: Objects<'a>,
    /// How many trees may still be looked into.
    trees: usize,
}

impl Walk<'_> {
    /// Adds what stands under `names`, and under each other spelling of them.
    fn path(&mut self, root: ObjectId, names: &[String], found: &mut Found) -> Result<(), ProbeError> {
        // The trees still to look into, how many names lead to each, and their spelling.
        let mut open = vec![(root, 0, Vec::new())];
        while let Some((tree, depth, above)) = open.pop() {
            let Some(name) = names.get(depth) else { continue };
            let Some(left) = self.trees.checked_sub(1) else {
                return failed("HEAD holds too many folders that differ in case only");
            };
            self.trees = left;
            let last = depth + 1 == names.len();
            let (kind, content) = self.objects.find(&tree)?;
            if kind != Kind::Tree {
                return failed(format!("the object {tree} is not a tree"));
            }
            for entry in TreeRefIter::from_bytes(&content, self.layout.hash) {
                let Ok(entry) = entry else { return failed(format!("the tree {tree} is corrupt")) };
                if fold(entry.filename) != *name {
                    continue;
                }
                let path = [above.as_slice(), entry.filename].concat();
                match entry.mode.kind() {
                    EntryKind::Tree if last => {}
                    EntryKind::Tree => open.push((entry.oid.to_owned(), depth + 1, [path.as_slice(), b"/"].concat())),
                    EntryKind::Blob | EntryKind::BlobExecutable if !last => {}
                    _ => found.add(&path, Place::Head, entry.mode.value().into(), !last),
                }
            }
        }
        Ok(())
    }

    /// The tree of a commit, or of the commit that a tag names.
    fn root(&mut self, mut id: ObjectId) -> Result<ObjectId, ProbeError> {
        for _ in 0..HOPS {
            let (kind, content) = self.objects.find(&id)?;
            let hash = self.layout.hash;
            let next = match kind {
                Kind::Commit => return CommitRefIter::from_bytes(&content, hash).tree_id().or_else(|_| corrupt(id)),
                Kind::Tag => TagRefIter::from_bytes(&content, hash).target_id(),
                Kind::Tree | Kind::Blob => return failed("HEAD names no commit"),
            };
            id = next.or_else(|_| corrupt(id))?;
        }
        failed("HEAD leads through too many tags")
    }
}

fn corrupt(id: ObjectId) -> Result<ObjectId, ProbeError> {
    failed(format!("the object {id} is corrupt"))
}
