//! One run against a plan, and against its own manifest.

use std::collections::BTreeMap;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::leaves::{Leaf, leaves};
use super::manifest::{Manifest, ManifestEntry};
use super::text::hunk;
use super::walk::{Finder, walk};
use crate::capability::files::{Entry, FilesError, Folder, IoKind, Kind, identity_of};
use crate::components::hex;
use crate::materialize::{MANIFEST, MaterializeError, Node, PlannedEntry, absent, check_run_id, digest_of_copy};

/// How many of the files that a session wrote are listed.
pub const MAX_WRITTEN: usize = 1000;

/// Texts are shown line by line up to this size, in bytes; documents are compared by keys up to 16 times as much.
pub const MAX_TEXT: u64 = 64 * 1024;

/// How many names of a run are looked at for what a session wrote.
const MAX_LOOKED_AT: u64 = 1_000_000;

/// Members of a manifest's head that differ between any two builds, or say nothing of what is in the folder.
const PER_BUILD: [&str; 3] = ["run-id", "built-at", "policy-digest"];

/// How a run differs from what would be built now.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Difference {
    /// The run's id.
    pub run_id: String,
    /// Where it stands.
    pub dir: PathBuf,
    /// What was asked for otherwise when it was built: brand, project, powers and the like.
    pub inputs: Vec<Leaf>,
    /// Entries that would not be there, would be new, or would be otherwise, in byte order of their paths.
    pub entries: Vec<EntryDifference>,
    /// Entries that are not any more as they were built, in the same order.
    pub edited: Vec<Edited>,
    /// Files that the build did not write, in the same order, [`MAX_WRITTEN`] at most. They are a session's own, and no
    /// difference.
    pub written: Vec<Written>,
    /// More was written than is listed, or could not be looked at.
    pub more_written: bool,
}

impl Difference {
    /// Whether a build now would give the same.
    pub fn is_equal(&self) -> bool {
        self.inputs.is_empty() && self.entries.is_empty() && self.edited.is_empty()
    }
}

/// What becomes of one entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// It would be new.
    Added,
    /// It would not be there.
    Removed,
    /// It would be otherwise.
    Changed,
}

/// One entry that would not be as it was built.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct EntryDifference {
    /// Relative to the run folder.
    pub path: String,
    /// What becomes of it.
    pub change: Change,
    /// As it was built, by the manifest.
    pub was: Option<What>,
    /// As it would be built.
    pub now: Option<What>,
    /// Of a JSON document: the leaves that differ between what stands there and what would.
    pub leaves: Vec<Leaf>,
    /// Of another small text: the lines that differ, as a hunk of a unified diff.
    pub lines: Option<String>,
}

/// What one entry is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct What {
    /// `directory`, `file`, `link` or, where the manifest is of another version, `other`.
    pub kind: &'static str,
    /// Unix permission bits in octal; none for links.
    pub mode: Option<String>,
    /// Bytes; files only.
    pub size: Option<u64>,
    /// Of the content, in hex; files only.
    pub sha256: Option<String>,
    /// Links only.
    pub target: Option<String>,
    /// Where it comes from, for a person; no difference by itself.
    pub source: String,
}

impl What {
    fn is_as(&self, other: &Self) -> bool {
        (self.kind, &self.mode, &self.sha256, &self.target) == (other.kind, &other.mode, &other.sha256, &other.target)
    }
}

/// An entry that is not any more as it was built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Edited {
    /// Relative to the run folder.
    pub path: String,
    /// In which way.
    pub edit: Edit,
}

/// How an entry differs from its line of the manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Edit {
    /// Nothing stands there.
    Missing,
    /// Another kind of thing stands there.
    Kind,
    /// Its permission bits.
    Mode,
    /// What it holds.
    Content,
    /// Where it leads.
    Target,
    /// It cannot be read.
    Unreadable,
}

/// A file that the build did not write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Written {
    /// Relative to the run folder.
    pub path: String,
    /// `file`, `link` or `other`.
    pub kind: &'static str,
    /// Bytes; of a link those of its target's name.
    pub size: u64,
}

/// Compares the run `run_id` of `runs` with a plan of the same id, whose manifest would begin with `head`.
///
/// Contents are compared by their SHA-256. A source that is to be copied is read as it was admitted, piece by piece, and fails
/// the comparison when it is not that file any more. An unknown id is [`MaterializeError::UnknownRun`], a run without a
/// readable manifest [`MaterializeError::NotARun`].
pub fn diff(
    runs: &Folder,
    run_id: &str,
    entries: &[PlannedEntry],
    head: &Map<String, Value>,
) -> Result<Difference, MaterializeError> {
    of(&open(runs, run_id)?, entries, head)
}

/// A run that stands, and what it says of itself.
pub(super) struct Standing {
    run_id: String,
    folder: Folder,
    manifest: Manifest,
}

pub(super) fn open(runs: &Folder, run_id: &str) -> Result<Standing, MaterializeError> {
    check_run_id(run_id)?;
    let path = runs.path_of(run_id);
    let not_a_run = |why: String| MaterializeError::NotARun { path: path.clone(), why: why.into() };
    let folder = match runs.open_folder(run_id) {
        Ok(folder) => folder,
        Err(FilesError::Io(error)) if error.kind == IoKind::NotFound => return Err(absent(runs, run_id)),
        Err(FilesError::Io(error)) => return Err(MaterializeError::Runs { path, cause: FilesError::Io(error) }),
        Err(error) => return Err(not_a_run(error.to_string())),
    };
    let manifest = Manifest::of(&folder).map_err(|error| not_a_run(error.to_string()))?;
    Ok(Standing { run_id: run_id.to_owned(), folder, manifest })
}

/// The comparison itself.
pub(super) fn of(
    run: &Standing,
    entries: &[PlannedEntry],
    head: &Map<String, Value>,
) -> Result<Difference, MaterializeError> {
    let mut pairs: BTreeMap<&str, (Option<&ManifestEntry>, Option<&PlannedEntry>)> = BTreeMap::new();
    for entry in &run.manifest.entries {
        pairs.entry(&entry.path).or_default().0 = Some(entry);
    }
    for entry in entries {
        pairs.entry(&entry.path).or_default().1 = Some(entry);
    }
    let mut finder = Finder::new(&run.folder);
    let (mut found, mut edited) = (Vec::new(), Vec::new());
    for (path, (was, now)) in &pairs {
        edited.extend(
            was.and_then(|was| edit_of(&mut finder, was)).map(|edit| Edited { path: (*path).to_owned(), edit }),
        );
        found.extend(entry_difference(&mut finder, *was, *now)?);
    }
    let (written, more_written) = written(run, &pairs);
    Ok(Difference {
        run_id: run.run_id.clone(),
        dir: PathBuf::from(run.folder.path()),
        inputs: inputs(&run.manifest.head, head),
        entries: found,
        edited,
        written,
        more_written,
    })
}

fn inputs(was: &Map<String, Value>, now: &Map<String, Value>) -> Vec<Leaf> {
    // What only one version writes was not asked for otherwise.
    let of = |head: &Map<String, Value>, other: &Map<String, Value>| {
        let kept = |key: &str| other.contains_key(key) && !PER_BUILD.contains(&key);
        Value::Object(
            head.iter().filter(|(key, _)| kept(key)).map(|(key, value)| (key.clone(), value.clone())).collect(),
        )
    };
    leaves(&of(was, now), &of(now, was))
}

fn entry_difference(
    finder: &mut Finder<'_>,
    was: Option<&ManifestEntry>,
    now: Option<&PlannedEntry>,
) -> Result<Option<EntryDifference>, MaterializeError> {
    let old = was.map(as_built);
    let new = now.map(as_planned).transpose()?;
    let (new, content) = new.map_or((None, None), |(what, content)| (Some(what), content));
    let (path, change) = match (was, now, &old, &new) {
        (Some(was), Some(_), Some(old), Some(new)) if !old.is_as(new) => (&was.path, Change::Changed),
        (Some(was), None, ..) => (&was.path, Change::Removed),
        (None, Some(now), ..) => (&now.path, Change::Added),
        _ => return Ok(None),
    };
    let mut difference =
        EntryDifference { path: path.clone(), change, was: old, now: new, leaves: Vec::new(), lines: None };
    if change == Change::Changed
        && let Some(content) = content
    {
        details(finder, &content, &mut difference);
    }
    Ok(Some(difference))
}

/// Says in what two contents differ, where the old one still stands and both are texts.
fn details(finder: &mut Finder<'_>, now: &[u8], difference: &mut EntryDifference) {
    let json = std::path::Path::new(&difference.path).extension().is_some_and(|it| it.eq_ignore_ascii_case("json"));
    let bound = if json { MAX_TEXT * 16 } else { MAX_TEXT };
    let Some(was) = standing_content(finder, &difference.path, bound) else { return };
    if json {
        // Never line by line: a mask knows a secret by its key.
        if let (Ok(was), Ok(now)) = (serde_json::from_slice(&was), serde_json::from_slice(now)) {
            difference.leaves = leaves(&was, &now);
        }
    } else if now.len() as u64 <= bound
        && let (Ok(was), Ok(now)) = (std::str::from_utf8(&was), std::str::from_utf8(now))
    {
        difference.lines = Some(hunk(was, now)).filter(|lines| !lines.is_empty());
    }
}

fn standing_content(finder: &mut Finder<'_>, path: &str, bound: u64) -> Option<Vec<u8>> {
    let (folder, name) = finder.folder(path).ok()?;
    let entry = folder.stat(name).ok()?.filter(|entry| entry.kind == Kind::Regular)?;
    folder.read(name, entry.identity, bound).ok()
}

fn as_built(entry: &ManifestEntry) -> What {
    What {
        kind: name_of_kind(entry.kind.on_disk()),
        mode: entry.mode.clone(),
        size: entry.size,
        sha256: entry.sha256.clone(),
        target: entry.target.clone(),
        source: entry.source.clone(),
    }
}

/// What a planned entry would be, and its content where that is small.
fn as_planned(entry: &PlannedEntry) -> Result<(What, Option<Vec<u8>>), MaterializeError> {
    let mut what = What {
        kind: name_of_kind(Kind::Regular),
        mode: Some("0600".to_owned()),
        size: None,
        sha256: None,
        target: None,
        source: entry.source.clone(),
    };
    let content = match &entry.node {
        Node::Directory => {
            (what.kind, what.mode) = (name_of_kind(Kind::Directory), Some("0700".to_owned()));
            return Ok((what, None));
        }
        Node::Link(target) => {
            (what.kind, what.mode, what.target) = (name_of_kind(Kind::Link), None, Some(target.clone()));
            return Ok((what, None));
        }
        Node::Content(bytes) => {
            (what.sha256, what.size) = (Some(hex(&Sha256::digest(bytes))), Some(bytes.len() as u64));
            return Ok((what, Some(bytes.clone())));
        }
        Node::Copy(source) => digest_of_copy(&[], source, 0, MAX_TEXT)?,
        Node::Splice { head, source, offset } => digest_of_copy(head, source, *offset, MAX_TEXT)?,
    };
    if entry.mode & 0o100 != 0 {
        what.mode = Some("0700".to_owned());
    }
    let (digest, size, content) = content;
    (what.sha256, what.size) = (Some(digest), Some(size));
    Ok((what, content))
}

/// How what stands there differs from its line of the manifest; none when it does not.
fn edit_of(finder: &mut Finder<'_>, entry: &ManifestEntry) -> Option<Edit> {
    let (folder, name) = match finder.folder(&entry.path) {
        Ok(found) => found,
        Err(error) => return Some(edit_by(&error)),
    };
    let found = match folder.stat(name) {
        Ok(Some(found)) => found,
        Ok(None) => return Some(Edit::Missing),
        Err(error) => return Some(edit_by(&error)),
    };
    if found.kind != entry.kind.on_disk() {
        return Some(Edit::Kind);
    }
    match found.kind {
        Kind::Link => match folder.read_link(name) {
            Ok(target) => (Some(target) != entry.target).then_some(Edit::Target),
            Err(error) => Some(edit_by(&error)),
        },
        Kind::Regular => edit_of_file(folder, &found, entry),
        Kind::Directory | Kind::Other => None,
    }
    .or_else(|| {
        entry.mode.as_ref().filter(|mode| found.kind != Kind::Link && **mode != octal(found.mode)).map(|_| Edit::Mode)
    })
}

fn edit_of_file(folder: &Folder, found: &Entry, entry: &ManifestEntry) -> Option<Edit> {
    // Not read where the size tells already.
    if entry.size.is_some_and(|size| size != found.identity.size) {
        return Some(Edit::Content);
    }
    match digest_of(folder, found) {
        Ok(digest) => (entry.sha256.as_ref() != Some(&digest)).then_some(Edit::Content),
        Err(error) => Some(edit_by(&error)),
    }
}

fn digest_of(folder: &Folder, found: &Entry) -> Result<String, FilesError> {
    let mut file = folder.open_admitted(&found.name, found.identity)?;
    let (mut hasher, mut buffer) = (Sha256::new(), vec![0; 64 * 1024]);
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => hasher.update(&buffer[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    if identity_of(&file)? != found.identity {
        return Err(FilesError::Changed);
    }
    Ok(hex(&hasher.finalize()))
}

fn edit_by(error: &FilesError) -> Edit {
    match error {
        FilesError::Io(error) if error.kind == IoKind::NotFound => Edit::Missing,
        // A folder on the way is none any more, or it is being written to this moment.
        FilesError::Linked | FilesError::NotAFolder | FilesError::NotRegular => Edit::Kind,
        FilesError::Changed => Edit::Content,
        _ => Edit::Unreadable,
    }
}

/// The files that stand in the folder and are not in the manifest.
fn written<T>(run: &Standing, listed: &BTreeMap<&str, (Option<&ManifestEntry>, T)>) -> (Vec<Written>, bool) {
    let (mut found, mut more) = (Vec::<Written>::new(), false);
    let unseen = walk(&run.folder, MAX_LOOKED_AT, |path, entry| {
        if path == MANIFEST || listed.get(path).is_some_and(|(was, _)| was.is_some()) || entry.kind == Kind::Directory {
            return ControlFlow::Continue(());
        }
        if found.len() == MAX_WRITTEN {
            more = true;
            return ControlFlow::Break(());
        }
        found.push(Written { path: path.to_owned(), kind: name_of_kind(entry.kind), size: entry.identity.size });
        ControlFlow::Continue(())
    });
    found.sort_by(|a, b| a.path.cmp(&b.path));
    (found, more || unseen.cut || unseen.folders > 0 || unseen.unnamed > 0)
}

fn name_of_kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Regular => "file",
        Kind::Directory => "directory",
        Kind::Link => "link",
        Kind::Other => "other",
    }
}

fn octal(mode: u32) -> String {
    format!("{mode:04o}")
}
