//! From a `.git` entry to the folders that hold the index, the references and the objects.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use gix::bstr::{BStr, BString, ByteSlice};
use gix::hash::Kind;
use rustix::fs::FileType;

use super::dir::{Dir, SMALL};
use super::{ProbeError, failed};

/// Extensions that a configuration may name, over and over; git knows about ten.
const EXTENSION_LINES: usize = 256;

/// Where the parts of one worktree's repository are.
pub(super) struct Layout {
    /// What belongs to this worktree: HEAD and the index.
    pub(super) gitdir: Dir,
    /// What linked worktrees share: references, `packed-refs`, the configuration. None where `gitdir` holds it itself.
    common: Option<Dir>,
    /// The object database, beside `refs` in the shared part.
    pub(super) objects: Dir,
    /// What names objects.
    pub(super) hash: Kind,
}

impl Layout {
    /// The repository that the `.git` entry of `top` is, or leads to.
    pub(super) fn find(top: &Path) -> Result<Self, ProbeError> {
        let top = Dir::open(top)?;
        let gitdir = match top.kind(".git")? {
            None => return Err(ProbeError::NotARepository),
            Some(FileType::Directory) => top.folder(".git")?,
            Some(FileType::RegularFile) => {
                let pointer = top.read(".git", SMALL)?.unwrap_or_default();
                let Some(target) = pointer.strip_prefix(b"gitdir: ") else {
                    return failed("the `.git` file does not name a folder");
                };
                top.folder(path_in(target)?)?
            }
            Some(FileType::Symlink) => return failed("`.git` is a link"),
            Some(_) => return failed("`.git` is neither a folder nor a file"),
        };
        let Some(gitdir) = gitdir else {
            return failed("the folder that `.git` names is missing");
        };
        let common = match gitdir.read("commondir", SMALL)? {
            None => None,
            Some(target) => match gitdir.folder(path_in(&target)?)? {
                None => return failed("the folder that `commondir` names is missing"),
                common => common,
            },
        };
        let shared = common.as_ref().unwrap_or(&gitdir);
        let hash = object_hash(shared.read("config", SMALL)?.as_deref())?;
        let (Some(objects), Some(_)) = (shared.folder("objects")?, shared.folder("refs")?) else {
            return failed("`.git` lacks its objects or its references");
        };
        Ok(Self { gitdir, common, objects, hash })
    }

    /// What linked worktrees share.
    pub(super) fn common(&self) -> &Dir {
        self.common.as_ref().unwrap_or(&self.gitdir)
    }
}

/// The path in a pointer file, which may end in a newline (git's `read_gitfile_gently`).
fn path_in(content: &[u8]) -> Result<&Path, ProbeError> {
    let path = content.trim_end_with(|c| c == '\n' || c == '\r');
    if path.is_empty() || path.contains(&0) {
        return failed("a pointer file names no folder");
    }
    Ok(Path::new(OsStr::from_bytes(path)))
}

/// What the configuration says of the format, by the rules of git's `verify_repository_format`; includes are not read,
/// as git itself does not for this.
fn object_hash(config: Option<&[u8]>) -> Result<Kind, ProbeError> {
    let options = gix::config::file::init::Options { lossy: true, ..Default::default() };
    let config = config.unwrap_or_default();
    let Ok(config) = gix::config::File::from_bytes_no_includes(config, gix::config::file::Metadata::api(), options)
    else {
        return failed("the configuration cannot be parsed");
    };
    let Ok(version) = config.integer("core.repositoryFormatVersion") else {
        return failed("the format version is not a number");
    };
    let version = version.unwrap_or(0);
    if !(0..=1).contains(&version) {
        return Err(ProbeError::Unsupported(format!("format version {version}")));
    }
    let mut hash = Kind::Sha1;
    let mut lines = 0;
    for section in config.sections_by_name("extensions").into_iter().flatten() {
        // Each look-up walks its section again.
        lines += 1 + section.body().num_values();
        if lines > EXTENSION_LINES {
            return failed("the configuration names too many extensions");
        }
        let subsection = section.header().subsection_name();
        for name in section.body().value_names() {
            let value = section.body().value(&name).unwrap_or_default();
            let extension = Extension { subsection, name: name.to_ascii_lowercase(), value };
            if let Some(kind) = extension.object_hash(version)? {
                hash = kind;
            }
        }
    }
    Ok(hash)
}

/// One line of the `extensions` section.
struct Extension<'a> {
    subsection: Option<&'a BStr>,
    name: String,
    value: BString,
}

impl Extension<'_> {
    /// The kind of hash, if it is what this chooses; an error if reading on needs to understand what we do not.
    fn object_hash(&self, version: i64) -> Result<Option<Kind>, ProbeError> {
        let known = self.subsection.is_none();
        match (self.name.as_str(), self.value.as_slice()) {
            // They change what is fetched, deleted or read elsewhere, not how the index and HEAD are stored.
            ("noop" | "preciousobjects" | "partialclone" | "worktreeconfig", _) if known => Ok(None),
            ("noop-v1" | "relativeworktrees", _) | ("refstorage", b"files") if known && version == 1 => Ok(None),
            ("objectformat", b"sha1") if known && version == 1 => Ok(Some(Kind::Sha1)),
            ("objectformat", b"sha256") if known && version == 1 => Ok(Some(Kind::Sha256)),
            // Git ignores what it does not know in version 0, but refuses what belongs to version 1.
            ("objectformat" | "compatobjectformat" | "refstorage" | "relativeworktrees" | "noop-v1", _) if known => {
                Err(self.unsupported())
            }
            _ if version == 0 => Ok(None),
            _ => Err(self.unsupported()),
        }
    }

    fn unsupported(&self) -> ProbeError {
        ProbeError::Unsupported(format!("extension {} = {}", self.name, self.value))
    }
}
