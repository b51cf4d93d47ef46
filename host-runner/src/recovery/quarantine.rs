//! Quarantine: what could not be brought home, with its reason; the same thing twice is kept once.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;

use super::files::copy_synced;
use super::reason_id;
use crate::contract::recovery::Quarantine;

/// Where the reasons stand, a JSON object a line.
pub const REASONS: &str = "reasons.jsonl";

/// The folder in quarantine of one working copy, `<ts>-<root name>`, made when something goes there.
pub(super) struct Cell {
    above: PathBuf,
    name: String,
    suffix: String,
    /// Held while something is kept: one after the other.
    used: Mutex<Option<PathBuf>>,
}

/// What goes there.
pub(super) enum What<'a> {
    /// These bytes of a file.
    Bytes { file: &'a File, from: u64, length: u64 },
    /// Nothing but its name, since it is no file; for a link its target.
    Name(Option<String>),
}

impl Cell {
    pub(super) fn new(home: &Path, root: &Path) -> Self {
        let root = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
        let root = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let suffix = format!("-{root}");
        Self { above: home.join("cache/quarantine"), name: format!("{now}{suffix}"), suffix, used: Mutex::default() }
    }

    /// The folder that something went to, or lay in before.
    pub(super) fn used(&self) -> Option<PathBuf> {
        self.locked().clone()
    }

    fn locked(&self) -> MutexGuard<'_, Option<PathBuf>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps it under that path, unless the very same was kept before.
    pub(super) fn keep(&self, path: &str, what: &What<'_>, reason: Quarantine) -> io::Result<()> {
        let mut used = self.locked();
        let target = match what {
            What::Name(Some(target)) => json!(target),
            _ => json!(null),
        };
        let said = json!({"path": path, "reason": reason_id(reason), "target": target}).to_string();
        for earlier in self.earlier() {
            let same = match what {
                What::Bytes { file, from, length } => is_same(&earlier.join(path), file, *from, *length)?,
                What::Name(_) => {
                    fs::read_to_string(earlier.join(REASONS)).is_ok_and(|all| all.lines().any(|one| one == said))
                }
            };
            if same {
                *used = Some(earlier);
                return Ok(());
            }
        }
        let folder = self.above.join(&self.name);
        if let What::Bytes { file, from, length } = what {
            let to = folder.join(path);
            make(to.parent().unwrap_or(&folder))?;
            let mut kept = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&to)?;
            if let Err(error) = copy_synced(file, *from, *length, b"", &mut kept) {
                let _ = fs::remove_file(&to);
                return Err(error);
            }
        }
        make(&folder)?;
        let mut reasons = OpenOptions::new().append(true).create(true).mode(0o600).open(folder.join(REASONS))?;
        reasons.write_all(format!("{said}\n").as_bytes())?;
        reasons.sync_all()?;
        *used = Some(folder);
        Ok(())
    }

    /// What earlier recoveries of that working copy kept.
    fn earlier(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(&self.above) else { return Vec::new() };
        let of_root = |entry: io::Result<fs::DirEntry>| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            let stamp = name.strip_suffix(&self.suffix)?;
            let digits = !stamp.is_empty() && stamp.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| entry.path())
        };
        let mut folders: Vec<PathBuf> = entries.filter_map(of_root).collect();
        folders.sort();
        folders
    }
}

fn make(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Whether the file there holds exactly these bytes.
fn is_same(kept: &Path, file: &File, from: u64, length: u64) -> io::Result<bool> {
    let Ok(kept) = File::open(kept) else { return Ok(false) };
    if kept.metadata()?.len() != length {
        return Ok(false);
    }
    let mut source = file.try_clone()?;
    source.seek(SeekFrom::Start(from))?;
    let (mut a, mut b) = (io::BufReader::new(kept), io::BufReader::new(source.take(length)));
    let (mut one, mut other) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    let mut left = length;
    while left > 0 {
        let count = usize::try_from(left).unwrap_or(one.len()).min(one.len());
        a.read_exact(&mut one[..count])?;
        b.read_exact(&mut other[..count])?;
        if one[..count] != other[..count] {
            return Ok(false);
        }
        left -= count as u64;
    }
    Ok(true)
}
