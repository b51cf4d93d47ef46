//! The object that HEAD names.

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::refs::file::loose::Reference;
use gix::refs::{FullName, Target};
use rustix::fs::FileType;

use super::dir::{Dir, SMALL};
use super::layout::Layout;
use super::{Deadline, Limits, ProbeError, failed};

/// References to references that are followed (git's `SYMREF_MAXDEPTH`).
const HOPS: usize = 5;

/// The object that HEAD names, or none before the first commit.
pub(super) fn head(layout: &Layout, limits: &Limits, deadline: Deadline) -> Result<Option<ObjectId>, ProbeError> {
    let Some(content) = layout.gitdir.read("HEAD", SMALL)? else {
        return failed("`.git` holds no HEAD");
    };
    let Ok(name) = FullName::try_from("HEAD") else { return failed("HEAD is not a reference") };
    let mut target = parse(&name, &content, layout)?;
    for _ in 0..HOPS {
        let name = match target {
            Target::Object(id) => return Ok(Some(id)),
            Target::Symbolic(name) => name,
        };
        // Other names are worktree-spanning aliases or plain files of the git directory.
        if !name.as_bstr().starts_with(b"refs/") {
            return failed("HEAD leads outside the references");
        }
        target = match loose(layout, &name)? {
            Some(content) => parse(&name, &content, layout)?,
            None => match packed(layout, &name, limits, deadline)? {
                Some(id) => return Ok(Some(id)),
                None => return Ok(None),
            },
        };
    }
    failed("HEAD leads through too many references")
}

fn parse(name: &FullName, content: &[u8], layout: &Layout) -> Result<Target, ProbeError> {
    match Reference::try_from_path(name.clone(), content, layout.hash) {
        Ok(reference) => Ok(reference.target),
        Err(error) => failed(format!("the reference {:?} is corrupt: {error}", name.as_bstr())),
    }
}

/// The content of a reference's own file, or none.
fn loose(layout: &Layout, name: &FullName) -> Result<Option<Vec<u8>>, ProbeError> {
    let name = name.as_bstr();
    // What git keeps for each worktree apart (gitrepository-layout, `refs`).
    let own = [&b"refs/bisect/"[..], b"refs/worktree/", b"refs/rewritten/"].iter().any(|own| name.starts_with(own));
    let mut folder: Option<Dir> = None;
    let mut names: Vec<&str> = Vec::new();
    for part in name.split_str("/") {
        let Ok(part) = part.to_str() else { return failed("a reference whose name is not UTF-8") };
        names.push(part);
    }
    let Some((file, folders)) = names.split_last() else { return Ok(None) };
    for part in folders {
        let within = folder.as_ref().unwrap_or(if own { &layout.gitdir } else { layout.common() });
        folder = match within.kind(part)? {
            Some(FileType::Directory) => within.folder(part)?,
            // A shorter reference stands in its place.
            Some(FileType::RegularFile) | None => return Ok(None),
            Some(_) => return failed(format!("the folder of the reference {name:?} is a link or a device")),
        };
        if folder.is_none() {
            return Ok(None);
        }
    }
    let Some(folder) = folder else { return Ok(None) };
    match folder.kind(file)? {
        // What is left of longer references.
        Some(FileType::Directory) => Ok(None),
        _ => folder.read(file, SMALL),
    }
}

/// What `packed-refs` says of a reference.
fn packed(
    layout: &Layout,
    name: &FullName,
    limits: &Limits,
    deadline: Deadline,
) -> Result<Option<ObjectId>, ProbeError> {
    let Some(content) = layout.common().read("packed-refs", limits.refs_bytes)? else { return Ok(None) };
    let Ok(references) = gix::refs::packed::Iter::new(&content, layout.hash) else {
        return failed("`packed-refs` is corrupt");
    };
    for (line, reference) in references.enumerate() {
        if line % 4096 == 0 {
            deadline.check()?;
        }
        let Ok(reference) = reference else { return failed("`packed-refs` is corrupt") };
        if reference.name.as_bstr() == name.as_bstr() {
            return Ok(Some(reference.target()));
        }
    }
    Ok(None)
}
