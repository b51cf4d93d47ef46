//! `manifest.json`, read back.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::text_of;
use crate::capability::files::{FilesError, Folder, Kind};
use crate::materialize::{MANIFEST, MAX_MANIFEST};

/// The newest version of the contract whose manifests are read.
const VERSION: u64 = 1;

/// What a run folder says of itself. Members that this version does not know are kept in [`Manifest::head`].
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// The version of the contract that it was written under.
    pub contract_version: u64,
    /// The run's own id.
    pub run_id: Option<String>,
    /// Milliseconds since the Unix epoch.
    pub built_at: Option<u64>,
    /// The brand's short name.
    pub brand: Option<String>,
    /// What the session was for.
    pub mode: Option<String>,
    /// Where the session was to work, absolute.
    pub cwd: Option<String>,
    /// The project that was trusted, absolute; none where nothing of a project was read.
    pub project: Option<String>,
    /// Whether what acts in the project's configuration may act.
    pub powers: Option<String>,
    /// Everything but the entries, as it is written.
    pub head: Map<String, Value>,
    /// What the folder held when it was built, in byte order of the paths.
    pub entries: Vec<ManifestEntry>,
}

/// One entry of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ManifestEntry {
    /// Relative to the run folder, components joined by `/`.
    pub path: String,
    /// What it is.
    pub kind: EntryKind,
    /// Unix permission bits in octal, e.g. `0600`; none for links.
    #[serde(default)]
    pub mode: Option<String>,
    /// Where it came from, for a person.
    #[serde(default)]
    pub source: String,
    /// Bytes; files only.
    #[serde(default)]
    pub size: Option<u64>,
    /// Of the content, in hex; files only.
    #[serde(default)]
    pub sha256: Option<String>,
    /// Links only.
    #[serde(default)]
    pub target: Option<String>,
}

/// The kinds of a manifest's entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntryKind {
    /// A folder.
    Directory,
    /// A file with content of the plan's.
    File,
    /// A file with the content of another.
    Copy,
    /// A file that begins with content of the plan's and goes on with that of another.
    Splice,
    /// A symbolic link.
    Link,
    /// A kind that this version does not know.
    #[serde(other)]
    Other,
}

impl EntryKind {
    /// What stands in the folder, by `lstat`.
    pub fn on_disk(self) -> Kind {
        match self {
            Self::Directory => Kind::Directory,
            Self::File | Self::Copy | Self::Splice => Kind::Regular,
            Self::Link => Kind::Link,
            Self::Other => Kind::Other,
        }
    }
}

/// Why a manifest cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    /// There is none, or a link or a folder instead.
    #[error("it holds no manifest.json")]
    Missing,
    /// It is empty, as a loss of power leaves it.
    #[error("its manifest.json is empty")]
    Empty,
    /// The system, or its size, stands in the way.
    #[error("its manifest.json cannot be read: {0}")]
    Unreadable(FilesError),
    /// It is no manifest; holds what is wrong.
    #[error("its manifest.json is not one that this program writes: {0}")]
    Malformed(String),
    /// A newer program wrote it; holds the version.
    #[error("its manifest.json has version {0}, and this program reads up to 1")]
    Newer(u64),
}

impl Manifest {
    /// The manifest of an open run folder.
    pub fn of(run: &Folder) -> Result<Self, ManifestError> {
        let entry = match run.stat(MANIFEST) {
            Ok(Some(entry)) if entry.kind == Kind::Regular => entry,
            Ok(_) => return Err(ManifestError::Missing),
            Err(error) => return Err(ManifestError::Unreadable(error)),
        };
        if entry.identity.size == 0 {
            return Err(ManifestError::Empty);
        }
        let text = run.read(MANIFEST, entry.identity, MAX_MANIFEST).map_err(ManifestError::Unreadable)?;
        Self::parse(&text)
    }

    /// A manifest's text.
    ///
    /// ```
    /// use winter_runner::runs::{EntryKind, Manifest};
    /// let text = r#"{"contract-version": 1, "cwd": "/src", "entries": [{"path": "a", "kind": "link", "target": "/x"}]}"#;
    /// let manifest = Manifest::parse(text.as_bytes())?;
    /// assert_eq!(manifest.entries[0].kind, EntryKind::Link);
    /// # Ok::<(), winter_runner::runs::ManifestError>(())
    /// ```
    pub fn parse(text: &[u8]) -> Result<Self, ManifestError> {
        let malformed = |error: serde_json::Error| ManifestError::Malformed(error.to_string());
        let mut head: Map<String, Value> = serde_json::from_slice(text).map_err(malformed)?;
        let Some(contract_version) = head.get("contract-version").and_then(Value::as_u64) else {
            return Err(ManifestError::Malformed("it has no `contract-version`".to_owned()));
        };
        if contract_version > VERSION {
            return Err(ManifestError::Newer(contract_version));
        }
        let Some(entries) = head.remove("entries") else {
            return Err(ManifestError::Malformed("it has no `entries`".to_owned()));
        };
        let entries: Vec<ManifestEntry> = serde_json::from_value(entries).map_err(malformed)?;
        let brand = head.get("brand").and_then(Value::as_object).and_then(|brand| text_of(brand, "name"));
        Ok(Self {
            contract_version,
            run_id: text_of(&head, "run-id"),
            built_at: head.get("built-at").and_then(Value::as_u64),
            brand,
            mode: text_of(&head, "mode"),
            cwd: text_of(&head, "cwd"),
            project: text_of(&head, "trusted-root"),
            powers: text_of(&head, "powers"),
            head,
            entries,
        })
    }
}
