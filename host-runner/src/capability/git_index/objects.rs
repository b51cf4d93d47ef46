//! Objects by their name, from single files and packs, within a bound of memory and never from elsewhere.

use gix::ObjectId;
use gix::objs::Kind;
use gix::odb::pack;
use gix::odb::pack::cache::Never;
use gix::odb::pack::data::decode::entry::ResolvedBase;
use gix::odb::pack::data::entry::Header;
use rustix::fs::FileType;

use super::dir::Dir;
use super::layout::Layout;
use super::{Deadline, Limits, ProbeError, failed};

/// Files in the folder of packs; a repository that is ever maintained has a few.
const PACK_FILES: usize = 16 * 1024;
/// Differences to apply for one object (the most that git can be told to write, `pack.depth`).
const DELTAS: usize = 4095;
/// Bytes that hold the header of a single object's file.
const HEADER: usize = 64;

/// The objects of one repository.
pub(super) struct Objects<'a> {
    layout: &'a Layout,
    limit: usize,
    deadline: Deadline,
    packs: Option<Vec<Pack>>,
}

/// A pack whose table of contents is open.
struct Pack {
    index: pack::index::File<pack::MMap>,
    data: pack::data::File<pack::MMap>,
}

impl<'a> Objects<'a> {
    pub(super) fn new(layout: &'a Layout, limits: &Limits, deadline: Deadline) -> Self {
        let limit = usize::try_from(limits.object_bytes).unwrap_or(usize::MAX);
        Self { layout, limit, deadline, packs: None }
    }

    /// The object of that name; an error if it is not here, and if its content is not what it is named after.
    pub(super) fn find(&mut self, id: &ObjectId) -> Result<(Kind, Vec<u8>), ProbeError> {
        // Known to git without being stored.
        if id.is_empty_tree() {
            return Ok((Kind::Tree, Vec::new()));
        }
        // Twice, since a repacking meanwhile moves objects to packs that were not there before.
        for _ in 0..2 {
            self.deadline.check()?;
            let object = match self.single(id)? {
                None => self.packed(id)?,
                object => object,
            };
            if let Some((kind, content)) = object {
                return match gix::objs::compute_hash(self.layout.hash, kind, &content) {
                    Ok(actual) if actual == *id => Ok((kind, content)),
                    _ => failed(format!("the object {id} is corrupt")),
                };
            }
            self.packs = None;
        }
        let info = self.layout.objects.folder("info")?;
        if let Some(info) = info
            && info.kind("alternates")?.is_some()
        {
            return Err(ProbeError::Unsupported("objects are borrowed from another repository".to_owned()));
        }
        failed(format!("the object {id} is missing"))
    }

    /// The object as a file of its own.
    fn single(&self, id: &ObjectId) -> Result<Option<(Kind, Vec<u8>)>, ProbeError> {
        let name = id.to_string();
        let (folder, name) = name.split_at(2);
        let Some(folder) = self.layout.objects.folder(folder)? else { return Ok(None) };
        let Some(file) = folder.read(name, self.limit as u64)? else { return Ok(None) };
        let corrupt = || ProbeError::Failed(format!("the object {id} is corrupt"));

        let mut inflate = gix::zlib::Inflate::default();
        let mut start = [0; HEADER];
        let (_, _, written) = inflate.prefix(&file, &mut start).map_err(|_| corrupt())?;
        let (kind, size, header) = gix::objs::decode::loose_header(&start[..written]).map_err(|_| corrupt())?;
        let Some(size) = usize::try_from(size).ok().filter(|size| *size <= self.limit) else {
            return failed(format!("the object {id} is too large"));
        };
        let mut content = vec![0; header + size];
        inflate.reset();
        let (status, _, written) = inflate.once(&file, &mut content).map_err(|_| corrupt())?;
        if status != gix::zlib::Status::StreamEnd || written != content.len() {
            return Err(corrupt());
        }
        content.drain(..header);
        Ok(Some((kind, content)))
    }

    /// The object in one of the packs.
    fn packed(&mut self, id: &ObjectId) -> Result<Option<(Kind, Vec<u8>)>, ProbeError> {
        let packs = match self.packs.take() {
            Some(packs) => packs,
            None => self.open_packs()?,
        };
        let packs = self.packs.insert(packs);
        for pack in packs {
            self.deadline.check()?;
            if let Some(entry) = pack.index.lookup(id) {
                return match pack.decode(entry) {
                    Some(object) => Ok(Some(object)),
                    None => failed(format!("the object {id} is corrupt in its pack")),
                };
            }
        }
        Ok(None)
    }

    fn open_packs(&self) -> Result<Vec<Pack>, ProbeError> {
        let Some(folder) = self.layout.objects.folder("pack")? else { return Ok(Vec::new()) };
        let mut packs = Vec::new();
        for name in folder.names(PACK_FILES)? {
            self.deadline.check()?;
            let Some(stem) = name.strip_suffix(b".idx") else { continue };
            let Ok(stem) = std::str::from_utf8(stem) else { return failed("a pack whose name is not UTF-8") };
            // A table of contents without its pack is a download that was broken off.
            if let Some(pack) = self.open_pack(&folder, stem)? {
                packs.push(pack);
            }
        }
        Ok(packs)
    }

    fn open_pack(&self, folder: &Dir, stem: &str) -> Result<Option<Pack>, ProbeError> {
        let (index, data) = (format!("{stem}.idx"), format!("{stem}.pack"));
        for name in [&index, &data] {
            match folder.kind(name)? {
                None => return Ok(None),
                Some(FileType::RegularFile) => {}
                Some(_) => return failed(format!("the pack {stem:?} is not a regular file")),
            }
        }
        let (path, hash) = (folder.path(), self.layout.hash);
        match (pack::index::File::at(path.join(index), hash), pack::data::File::at(path.join(data), hash)) {
            (Ok(index), Ok(data)) => Ok(Some(Pack { index, data: data.with_alloc_limit_bytes(Some(self.limit)) })),
            _ => failed(format!("the pack {stem:?} is corrupt")),
        }
    }
}

impl Pack {
    fn entry(&self, index: u32) -> gix::Result<pack::data::Entry> {
        self.data.entry(self.index.pack_offset_at_index(index))
    }

    /// The object at a place of the table of contents.
    fn decode(&self, index: u32) -> Option<(Kind, Vec<u8>)> {
        let entry = self.entry(index).ok()?;
        if self.deltas(entry.clone())? > DELTAS {
            return None;
        }
        let mut content = Vec::new();
        let base = |id: &gix::oid, _: &mut Vec<u8>| {
            self.index.lookup(id).map(|index| self.entry(index).map(ResolvedBase::InPack)).transpose()
        };
        let mut inflate = gix::zlib::Inflate::default();
        let outcome = self.data.decode_entry(entry, &mut content, &mut inflate, &base, &mut Never).ok()?;
        Some((outcome.kind, content))
    }

    /// How many differences lie between an entry and a whole object, counted up to one too many: the decoder bounds
    /// memory but not work, and nothing could stop it.
    fn deltas(&self, mut entry: pack::data::Entry) -> Option<usize> {
        for count in 0..=DELTAS {
            entry = match entry.header {
                Header::OfsDelta { base_distance } => {
                    self.data.entry(entry.checked_base_pack_offset(base_distance)?).ok()?
                }
                Header::RefDelta { base_id } => self.entry(self.index.lookup(base_id)?).ok()?,
                _ => return Some(count),
            };
        }
        Some(DELTAS + 1)
    }
}
