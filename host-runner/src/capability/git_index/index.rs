//! A walk over an index file that keeps nothing but what it looks for (gitformat-index, versions 2 to 4).
//!
//! The general decoder of `gix-index` is not used on the whole file. It reads the optional `TREE` and `UNTR` extensions
//! by unbounded recursion, so that a file of some hundred kilobytes overflows the stack, which ends the process and not
//! only the thread; and it expands the shared beginnings of version 4, so that a small file fills the memory. Neither
//! the optional extensions nor the expanded paths are needed here.

use gix::ObjectId;
use gix::hash::Kind;

use super::layout::Layout;
use super::wanted::Wanted;
use super::{Deadline, Found, Limits, Place, ProbeError, failed};

/// Bytes of an entry before its hash: times, device, inode, mode, owner, size.
const STAT: usize = 40;
/// Where the mode stands in them.
const MODE: usize = 24;
/// The flag that says that two more bytes of flags follow.
const EXTENDED: u16 = 0x4000;
/// Skip-worktree and intent-to-add: the further flags that git knows.
const KNOWN_EXTENDED: u16 = 0x6000;
/// The length of the path in the flags, and what stands there for all longer ones.
const LENGTH: u16 = 0x0fff;

const FOLDER: u32 = 0o040_000;
const LINK: u32 = 0o120_000;
const SUBMODULE: u32 = 0o160_000;
const TYPE: u32 = 0o170_000;

/// Adds what the index of the worktree lists of the wanted paths; no index lists nothing, as before the first `add`.
pub(super) fn list(
    layout: &Layout,
    wanted: &Wanted,
    limits: &Limits,
    deadline: Deadline,
    found: &mut Found,
) -> Result<(), ProbeError> {
    let Some(content) = layout.gitdir.read("index", limits.index_bytes)? else { return Ok(()) };
    deadline.check()?;
    let index = Index::open(&content, layout.hash, deadline)?;
    // The modes of the entries without a path: in a split index they stand for entries of the shared one, in its order.
    let mut replacing = Vec::new();
    let link = index.walk(|path, mode| {
        if path.is_empty() {
            replacing.push(mode);
        } else {
            note(path, mode, wanted, found);
        }
    })?;
    let split = match link {
        Some(link) => Split::decode(link, layout.hash)?,
        None => None,
    };
    match split {
        Some(split) => split.list(layout, &replacing, wanted, limits, deadline, found),
        None if replacing.is_empty() => Ok(()),
        None => corrupt(),
    }
}

/// Adds an entry if it is one of those that are asked for.
fn note(path: &[u8], mode: u32, wanted: &Wanted, found: &mut Found) {
    // Only the folders that a sparse index lists whole end so.
    let matched = wanted.look_up(path.strip_suffix(b"/").unwrap_or(path));
    let kind = mode & TYPE;
    if matched.exact && kind != FOLDER {
        found.add(path, Place::Index, mode, false);
    }
    if matched.above && matches!(kind, FOLDER | LINK | SUBMODULE) {
        found.add(path, Place::Index, mode, true);
    }
}

fn corrupt<T>() -> Result<T, ProbeError> {
    failed("the index is corrupt")
}

/// An index file whose checksum is right.
struct Index<'a> {
    /// Entries and extensions.
    body: &'a [u8],
    count: u32,
    version: u32,
    hash: Kind,
    checksum: ObjectId,
    deadline: Deadline,
}

impl<'a> Index<'a> {
    fn open(content: &'a [u8], hash: Kind, deadline: Deadline) -> Result<Self, ProbeError> {
        let Some(start) = content.len().checked_sub(hash.len_in_bytes()) else { return corrupt() };
        let (content, checksum) = content.split_at(start);
        let Ok(checksum) = ObjectId::try_from(checksum) else { return corrupt() };
        // Nothing but zeroes is what `index.skipHash` writes.
        if !checksum.is_null() {
            let mut hasher = gix::hash::hasher(hash);
            for part in content.chunks(1024 * 1024) {
                deadline.check()?;
                hasher.update(part);
            }
            if hasher.try_finalize().ok() != Some(checksum) {
                return failed("the checksum of the index is wrong");
            }
        }
        let mut body = content;
        let header = (take(&mut body, 4), number(&mut body), number(&mut body));
        let (Some(b"DIRC"), Some(version), Some(count)) = header else { return corrupt() };
        if !(2..=4).contains(&version) {
            return Err(ProbeError::Unsupported(format!("index version {version}")));
        }
        Ok(Self { body, count, version, hash, checksum, deadline })
    }

    /// Hands each path and its mode to `visit`, checks the extensions, and gives back the one that tells of a split.
    fn walk(&self, mut visit: impl FnMut(&[u8], u32)) -> Result<Option<&'a [u8]>, ProbeError> {
        let mut rest = self.body;
        let mut path = Vec::new();
        for number in 0..self.count {
            if number % 4096 == 0 {
                self.deadline.check()?;
            }
            let Some(mode) = self.entry(&mut rest, &mut path) else { return corrupt() };
            visit(&path, mode);
        }
        let mut link = None;
        while !rest.is_empty() {
            let extension = (take(&mut rest, 4), sized(&mut rest));
            let (Some(name), Some(content)) = extension else { return corrupt() };
            match name {
                b"link" => link = Some(content),
                // A capital marks what a reader may pass over; `sdir` only says that there are sparse folders.
                b"sdir" | [b'A'..=b'Z', ..] => {}
                _ => {
                    let name = name.escape_ascii();
                    return Err(ProbeError::Unsupported(format!("index extension {name}")));
                }
            }
        }
        Ok(link)
    }

    /// Reads one entry into `path`, which holds the path before it, and gives back its mode.
    fn entry(&self, rest: &mut &'a [u8], path: &mut Vec<u8>) -> Option<u32> {
        let before = rest.len();
        let mut stat = take(rest, STAT)?.get(MODE..)?;
        let mode = number(&mut stat)?;
        take(rest, self.hash.len_in_bytes())?;
        let flags = short(rest)?;
        if flags & EXTENDED != 0 && short(rest)? & !KNOWN_EXTENDED != 0 {
            return None;
        }
        if self.version == 4 {
            let kept = path.len().checked_sub(usize::try_from(offset(rest)?).ok()?)?;
            path.truncate(kept);
        } else {
            path.clear();
        }
        let end = rest.iter().position(|byte| *byte == 0)?;
        path.extend_from_slice(take(rest, end)?);
        let length = usize::from(flags & LENGTH);
        if length != path.len() && (length < usize::from(LENGTH) || path.len() < length) {
            return None;
        }
        // Version 4 ends with one zero, the others with one to eight, up to a multiple of eight.
        let padding = if self.version == 4 { 1 } else { 8 - (before - rest.len()) % 8 };
        take(rest, padding)?.iter().all(|byte| *byte == 0).then_some(mode)
    }
}

/// What a split index says of the shared one.
struct Split {
    shared: ObjectId,
    bitmaps: Option<gix::index::extension::link::Bitmaps>,
}

impl Split {
    /// The content of a `link` extension, read by `gix`, or none if it names no shared index.
    fn decode(link: &[u8], hash: Kind) -> Result<Option<Self>, ProbeError> {
        let Ok(size) = u32::try_from(link.len()) else { return corrupt() };
        let trailer = hash.null();
        // An index of no entries and this extension: the form in which the decoder takes one.
        let index = [b"DIRC\0\0\0\x02\0\0\0\0link", &size.to_be_bytes()[..], link, trailer.as_slice()].concat();
        let time = gix::index::State::new(hash).timestamp();
        let options = gix::index::decode::Options { thread_limit: Some(1), ..Default::default() };
        let Ok((state, _)) = gix::index::State::from_bytes(&index, time, hash, options) else { return corrupt() };
        let Some(link) = state.link() else { return corrupt() };
        let shared = link.shared_index_checksum;
        Ok((!shared.is_null()).then(|| Self { shared, bitmaps: link.bitmaps.clone() }))
    }

    /// Adds what the shared index lists and the split one does not take back.
    fn list(
        &self,
        layout: &Layout,
        replacing: &[u32],
        wanted: &Wanted,
        limits: &Limits,
        deadline: Deadline,
        found: &mut Found,
    ) -> Result<(), ProbeError> {
        let name = format!("sharedindex.{}", self.shared);
        let Some(content) = layout.gitdir.read(&name, limits.index_bytes)? else {
            return failed("the shared index is missing");
        };
        let index = Index::open(&content, layout.hash, deadline)?;
        if index.checksum != self.shared {
            return failed("the shared index is another one");
        }
        // No more bits than entries that the file can hold, whatever its header says.
        let count = usize::try_from(index.count).unwrap_or(usize::MAX).min(content.len() / STAT);
        let (mut deleted, mut replaced) = (vec![false; count], vec![false; count]);
        if let Some(bitmaps) = &self.bitmaps {
            let sound = |bits: &mut Vec<bool>, bit: usize| bits.get_mut(bit).map(|bit| *bit = true);
            let both = bitmaps.delete.for_each_set_bit(|bit| sound(&mut deleted, bit)).is_some()
                && bitmaps.replace.for_each_set_bit(|bit| sound(&mut replaced, bit)).is_some();
            if !both {
                return corrupt();
            }
        }
        if replaced.iter().filter(|bit| **bit).count() != replacing.len() {
            return corrupt();
        }
        let mut modes = replacing.iter().copied();
        let mut bits = deleted.iter().zip(&replaced);
        let link = index.walk(|path, mode| {
            let (deleted, replaced) = bits.next().unwrap_or((&false, &false));
            let mode = if *replaced { modes.next().unwrap_or(mode) } else { mode };
            if !*deleted {
                note(path, mode, wanted, found);
            }
        })?;
        if link.is_some() { corrupt() } else { Ok(()) }
    }
}

fn take<'a>(from: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (head, tail) = from.split_at_checked(count)?;
    *from = tail;
    Some(head)
}

fn short(from: &mut &[u8]) -> Option<u16> {
    take(from, 2)?.try_into().ok().map(u16::from_be_bytes)
}

fn number(from: &mut &[u8]) -> Option<u32> {
    take(from, 4)?.try_into().ok().map(u32::from_be_bytes)
}

fn sized<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let size = number(from)?;
    take(from, usize::try_from(size).ok()?)
}

/// A number of variable length, as in the offsets of a pack (gitformat-pack, `OFS_DELTA`).
fn offset(from: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    loop {
        let byte = *take(from, 1)?.first()?;
        value = value.checked_mul(128)?.checked_add(u64::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
        value = value.checked_add(1)?;
    }
}
