//! Building one run folder.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};

use cap_std::fs::Dir;
use rustix::fs::{AtFlags, Mode};
use rustix::io::Errno;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::components::hex;

use super::handle::{Lock, create, is_same, make_folder, rename_new};
use super::{BUILDING, CopySource, MANIFEST, MaterializeError, Node, PARTIAL, PlannedEntry, remove};
use crate::capability::files::{FilesError, Folder, identity_of, step};

const PLAIN: Mode = Mode::RUSR.union(Mode::WUSR);
const BUFFER: usize = 64 * 1024;

/// A partial folder that is this builder's; dropped before it is published, it is removed.
pub(super) struct Build<'a> {
    runs: &'a Folder,
    run_id: &'a str,
    partial: String,
    dir: Dir,
    lock: Option<Lock>,
    published: bool,
}

impl<'a> Build<'a> {
    /// Claims the run id: whoever has its partial folder has it.
    pub(super) fn begin(runs: &'a Folder, run_id: &'a str) -> Result<Self, MaterializeError> {
        let taken = || MaterializeError::RunIdTaken { run_id: run_id.to_owned() };
        let partial = format!("{PARTIAL}{run_id}");
        let path = runs.path_of(&partial);
        let write = |error: std::io::Error| MaterializeError::write(path.as_str(), error);
        // So that no sweeper sees the folder before its lock is held.
        let _held = Lock::runs(runs)?;
        if runs.stat(run_id).map_err(|cause| MaterializeError::Runs { path: runs.path(), cause })?.is_some() {
            return Err(taken());
        }
        let dir = make_folder(runs.handle(), &partial).map_err(|error| {
            if Errno::from_io_error(&error) == Some(Errno::EXIST) {
                return taken();
            }
            // Made and then not opened, perhaps: it is empty.
            let _ = rustix::fs::unlinkat(runs.handle(), partial.as_str(), AtFlags::REMOVEDIR);
            write(error)
        })?;
        let mut build = Self { runs, run_id, partial, dir, lock: None, published: false };
        let file = create(&build.dir, BUILDING, PLAIN).map_err(|error| write(error.into()))?;
        build.lock = Lock::made(file).map_err(|error| write(error.into()))?;
        if build.lock.is_none() {
            return Err(MaterializeError::Interfered { path: runs.path_of(&build.partial) });
        }
        Ok(build)
    }

    /// Writes the entries, which come folder by folder, then the manifest, which it returns.
    pub(super) fn fill(&self, ordered: &[&PlannedEntry], head: Map<String, Value>) -> Result<Value, MaterializeError> {
        let mut place = Place { root: &self.dir, open: Vec::new() };
        let mut written = Vec::with_capacity(ordered.len());
        for entry in ordered {
            written.push((entry.path.as_str(), place.write(entry)?));
        }
        written.sort_by_key(|(path, _)| *path);
        let mut manifest = head;
        manifest.insert("entries".to_owned(), written.into_iter().map(|(_, line)| line).collect());
        let manifest = Value::Object(manifest);
        let mut text = format!("{manifest:#}");
        text.push('\n');
        write_file(&self.dir, MANIFEST, MANIFEST, text.as_bytes())?;
        Ok(manifest)
    }

    /// Gives the folder its final name; all its files are closed by now.
    pub(super) fn publish(mut self) -> Result<(), MaterializeError> {
        let _held = Lock::runs(self.runs)?;
        let path = self.runs.path_of(&self.partial);
        if !is_same(self.runs, &self.partial, &self.dir) {
            return Err(MaterializeError::Interfered { path });
        }
        rustix::fs::unlinkat(&self.dir, BUILDING, AtFlags::empty())
            .map_err(|error| MaterializeError::write(path.as_str(), error))?;
        rename_new(self.runs.handle(), &self.partial, self.run_id).map_err(|error| match error {
            Errno::EXIST => MaterializeError::RunIdTaken { run_id: self.run_id.to_owned() },
            _ => MaterializeError::write(path, error),
        })?;
        self.published = true;
        Ok(())
    }
}

impl Drop for Build<'_> {
    fn drop(&mut self) {
        if !self.published && is_same(self.runs, &self.partial, &self.dir) {
            // What cannot be removed now is swept later; the error that brought us here is the one to tell.
            let _ = remove::discard(self.runs, &self.partial, self.run_id, &self.dir);
        }
    }
}

/// Where in the partial folder the builder stands: the folders on the way, each held open.
struct Place<'a> {
    root: &'a Dir,
    open: Vec<(&'a str, Dir)>,
}

impl<'a> Place<'a> {
    /// Opens the folder of `path`, as far as it is not open already, and splits off the last name.
    fn enter(&mut self, path: &'a str) -> Result<(&Dir, &'a str), MaterializeError> {
        let (parents, name) = path.rsplit_once('/').map_or((None, path), |(parents, name)| (Some(parents), name));
        let wanted: Vec<&str> = parents.map(|parents| parents.split('/').collect()).unwrap_or_default();
        let common = self.open.iter().zip(&wanted).take_while(|((open, _), wanted)| open == *wanted).count();
        self.open.truncate(common);
        for step_name in &wanted[common..] {
            let next = step(self.here(), *step_name).map_err(|error| MaterializeError::write(path, error))?;
            self.open.push((step_name, next));
        }
        Ok((self.here(), name))
    }

    fn here(&self) -> &Dir {
        self.open.last().map_or(self.root, |(_, dir)| dir)
    }

    /// Makes one entry and returns its line of the manifest.
    fn write(&mut self, entry: &'a PlannedEntry) -> Result<Value, MaterializeError> {
        let path = entry.path.as_str();
        let (folder, name) = self.enter(path)?;
        let failed = |error: std::io::Error| MaterializeError::write(path, error);
        let source = &entry.source;
        Ok(match &entry.node {
            Node::Directory => {
                let made = make_folder(folder, name).map_err(failed)?;
                self.open.push((name, made));
                json!({ "path": path, "kind": "directory", "mode": "0700", "source": source })
            }
            Node::Content(bytes) => {
                write_file(folder, name, path, bytes)?;
                let digest = hex(&Sha256::digest(bytes));
                json!({ "path": path, "kind": "file", "mode": "0600", "source": source,
                        "size": bytes.len(), "sha256": digest })
            }
            Node::Copy(from) => copied(entry, "copy", from, (&[], 0), (folder, name))?,
            Node::Splice { head, source, offset } => copied(entry, "splice", source, (head, *offset), (folder, name))?,
            Node::Link(target) => {
                rustix::fs::symlinkat(target, folder, name).map_err(|error| failed(error.into()))?;
                json!({ "path": path, "kind": "link", "source": source, "target": target })
            }
        })
    }
}

fn write_file(folder: &Dir, name: &str, path: &str, bytes: &[u8]) -> Result<(), MaterializeError> {
    let mut file = create(folder, name, PLAIN).map_err(|error| MaterializeError::write(path, error))?;
    file.write_all(bytes).map_err(|error| MaterializeError::write(path, error))
}

/// Makes the copy `name` and returns its line of the manifest.
fn copied(
    entry: &PlannedEntry,
    kind: &str,
    from: &CopySource,
    (head, offset): (&[u8], u64),
    (folder, name): (&Dir, &str),
) -> Result<Value, MaterializeError> {
    let path = entry.path.as_str();
    let failed = |error: std::io::Error| MaterializeError::write(path, error);
    let executable = entry.mode & 0o100 != 0;
    let mode = if executable { PLAIN | Mode::XUSR } else { PLAIN };
    // Opened first: a source that is refused makes no file.
    let source = Source::open(from, offset)?;
    let mut target = create(folder, name, mode).map_err(|error| failed(error.into()))?;
    let mut hasher = Sha256::new_with_prefix(head);
    target.write_all(head).map_err(failed)?;
    let rest = source.each_piece(|piece| {
        hasher.update(piece);
        target.write_all(piece).map_err(failed)
    })?;
    let size = rest.saturating_add(head.len() as u64);
    Ok(json!({ "path": path, "kind": kind, "mode": if executable { "0700" } else { "0600" },
               "source": entry.source, "size": size, "sha256": hex(&hasher.finalize()) }))
}

/// An admitted file that is open for reading from some byte on.
struct Source<'a> {
    from: &'a CopySource,
    file: File,
    rest: u64,
}

impl<'a> Source<'a> {
    fn open(from: &'a CopySource, offset: u64) -> Result<Self, MaterializeError> {
        let refused = |cause| refused(from, cause);
        let (above, name) = from.name.rsplit_once('/').unwrap_or(("", &from.name));
        let folder = from.folder.open_beneath(above).map_err(refused)?;
        let mut file = folder.open_admitted(name, from.identity).map_err(refused)?;
        if from.identity.size > from.limit {
            return Err(refused(FilesError::TooLarge(from.identity.size)));
        }
        let rest = from.identity.size.checked_sub(offset).ok_or_else(|| refused(FilesError::Changed))?;
        if offset > 0 {
            file.seek(SeekFrom::Start(offset)).map_err(|error| refused(error.into()))?;
        }
        Ok(Self { from, file, rest })
    }

    /// Calls `each` with the bytes, a buffer at a time, and returns how many they were; at the end they are proven to have
    /// been those of the admitted file.
    fn each_piece(
        mut self,
        mut each: impl FnMut(&[u8]) -> Result<(), MaterializeError>,
    ) -> Result<u64, MaterializeError> {
        let refused = |cause| refused(self.from, cause);
        let (mut buffer, mut read) = (vec![0; BUFFER], 0_u64);
        // One byte more than expected is enough to know that it grew.
        while read <= self.rest {
            let count = match self.file.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(refused(error.into())),
            };
            each(&buffer[..count])?;
            read += count as u64;
        }
        if read != self.rest || identity_of(&self.file).map_err(refused)? != self.from.identity {
            return Err(refused(FilesError::Changed));
        }
        Ok(read)
    }
}

fn refused(from: &CopySource, cause: FilesError) -> MaterializeError {
    MaterializeError::source(from.folder.path_of(&from.name), cause)
}

/// What a copy with this beginning would be: its SHA-256, its size, and its bytes where those are at most `keep`. Nothing is
/// written.
pub(crate) fn digest_of_copy(
    head: &[u8],
    from: &CopySource,
    offset: u64,
    keep: u64,
) -> Result<(String, u64, Option<Vec<u8>>), MaterializeError> {
    let source = Source::open(from, offset)?;
    let small = source.rest.saturating_add(head.len() as u64) <= keep;
    let (mut hasher, mut kept) = (Sha256::new_with_prefix(head), small.then(|| head.to_vec()));
    let rest = source.each_piece(|piece| {
        hasher.update(piece);
        if let Some(kept) = &mut kept {
            kept.extend_from_slice(piece);
        }
        Ok(())
    })?;
    Ok((hex(&hasher.finalize()), rest.saturating_add(head.len() as u64), kept))
}
