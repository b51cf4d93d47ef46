//! What a plan must be before anything of it is written.

use std::collections::BTreeMap;

use super::{BUILDING, MANIFEST, MaterializeError, Node, PlannedEntry};
use crate::capability::files::check_name;

/// How many components a planned path may have; each one on the way is held open while its folder is filled.
pub const MAX_PLAN_DEPTH: usize = 64;

/// A link's target is limited by `PATH_MAX`, which counts the NUL.
const MAX_TARGET: usize = 4095;

/// Whether `run_id` is 8 to 64 of `a`-`z`, `0`-`9` and `-`.
pub(crate) fn check_run_id(run_id: &str) -> Result<(), MaterializeError> {
    if is_run_id(run_id) { Ok(()) } else { Err(MaterializeError::BadRunId { run_id: run_id.to_owned() }) }
}

pub(super) fn is_run_id(run_id: &str) -> bool {
    (8..=64).contains(&run_id.len())
        && run_id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// The entries in an order in which each folder comes before what it holds, and all of it together; or what is wrong.
pub(super) fn check(entries: &[PlannedEntry]) -> Result<Vec<&PlannedEntry>, MaterializeError> {
    let mut nodes = BTreeMap::new();
    for entry in entries {
        check_path(&entry.path)?;
        if let Node::Link(target) = &entry.node
            && (target.is_empty() || target.len() > MAX_TARGET || target.contains('\0'))
        {
            return Err(MaterializeError::BadTarget { path: entry.path.clone() });
        }
        if let Node::Splice { source, offset, .. } = &entry.node
            && *offset > source.identity.size
        {
            let (path, size) = (entry.path.clone(), source.identity.size);
            return Err(MaterializeError::BadOffset { path, offset: *offset, size });
        }
        if nodes.insert(entry.path.as_str(), &entry.node).is_some() {
            return Err(MaterializeError::Duplicate { path: entry.path.clone() });
        }
    }
    for path in nodes.keys() {
        let Some((parent, _)) = path.rsplit_once('/') else { continue };
        let (path, at) = ((*path).to_owned(), parent.to_owned());
        match nodes.get(parent) {
            Some(Node::Directory) => {}
            Some(_) => return Err(MaterializeError::UnderAFile { path, file: at }),
            None => return Err(MaterializeError::ParentNotPlanned { path, parent: at }),
        }
    }
    let mut ordered: Vec<_> = entries.iter().collect();
    // By components: by bytes, `a-b` would come between `a` and `a/b`.
    ordered.sort_by(|a, b| a.path.split('/').cmp(b.path.split('/')));
    Ok(ordered)
}

fn check_path(path: &str) -> Result<(), MaterializeError> {
    let bad = |why| Err(MaterializeError::BadPath { path: path.to_owned(), why });
    if path.is_empty() {
        return bad("is empty");
    }
    if path.starts_with('/') {
        return bad("is absolute");
    }
    if path.split('/').any(|name| name == "..") {
        return bad("leaves the run folder");
    }
    if path.split('/').any(|name| check_name(name).is_err()) {
        return bad("has a component that is no plain file name");
    }
    if path.split('/').count() > MAX_PLAN_DEPTH {
        return bad("is too deep");
    }
    if matches!(path, MANIFEST | BUILDING) {
        return Err(MaterializeError::ReservedName { path: path.to_owned() });
    }
    Ok(())
}
