//! A repository's files as one JSON document.

use std::path::Path;

use base64::Engine as _;
use serde_json::{Value, json};

use crate::capability::files::{Folder, Kind};
use crate::error::RunnerError;

/// A file larger than this is named and not sent.
const MOST_BYTES: u64 = 8 << 20;
/// How much is sent altogether.
const MOST_TOTAL: u64 = 64 << 20;
/// How many entries are looked at.
const MOST_ENTRIES: u32 = 20_000;
/// Folders that hold nothing of the configuration; the same as the page passes over.
const PASSED_OVER: [&str; 2] = ["node_modules", "target"];
/// Folders whose whole content is configuration.
const CONFIGURATION: [&str; 2] = [".claude", ".winter"];

/// What the policy would look at, read without following a link: `files` (base64), `links`, and what was `left` out.
///
/// # Errors
/// The repository itself cannot be lent.
pub fn repository(path: &Path) -> Result<Value, RunnerError> {
    let folder = Folder::grant(path).map_err(|error| RunnerError::Folder { role: "repository", error })?;
    let mut walk = Walk { files: Vec::new(), links: Vec::new(), left: Vec::new(), entries: 0, bytes: 0 };
    walk.folder(&folder, "", false);
    Ok(json!({"files": walk.files, "links": walk.links, "left": walk.left}))
}

struct Walk {
    files: Vec<Value>,
    links: Vec<Value>,
    left: Vec<Value>,
    entries: u32,
    bytes: u64,
}

impl Walk {
    fn leave(&mut self, path: &str, why: &str) {
        self.left.push(json!({"path": path, "why": why}));
    }

    /// `whole`: every file here is configuration. Depth is bounded by what a handle allows.
    fn folder(&mut self, folder: &Folder, prefix: &str, whole: bool) {
        let listing = match folder.entries(MOST_ENTRIES.saturating_sub(self.entries)) {
            Ok(listing) => listing,
            Err(error) => return self.leave(prefix, error.code()),
        };
        if listing.cut {
            self.leave(prefix, "too-many");
        }
        if listing.unnamed > 0 {
            self.leave(prefix, "not-utf8");
        }
        for entry in listing.entries {
            self.entries = self.entries.saturating_add(1);
            let path = format!("{prefix}{}", entry.name);
            match entry.kind {
                // The page sets the marker itself; what is inside is git's.
                _ if entry.name == ".git" => {}
                Kind::Directory if PASSED_OVER.contains(&entry.name.as_str()) => self.leave(&path, "passed-over"),
                Kind::Directory => match folder.open_folder(&entry.name) {
                    Ok(inner) => {
                        let whole = whole || CONFIGURATION.contains(&entry.name.as_str());
                        self.folder(&inner, &format!("{path}/"), whole);
                    }
                    Err(error) => self.leave(&path, error.code()),
                },
                Kind::Regular if whole || named(&entry.name) => {
                    if self.bytes.saturating_add(entry.identity.size) > MOST_TOTAL {
                        self.leave(&path, "too-large");
                        continue;
                    }
                    match folder.read(&entry.name, entry.identity, MOST_BYTES) {
                        Ok(content) => {
                            self.bytes += entry.identity.size;
                            let content = base64::engine::general_purpose::STANDARD.encode(content);
                            self.files.push(json!({"path": path, "base64": content}));
                        }
                        Err(error) => self.leave(&path, error.code()),
                    }
                }
                Kind::Link => match folder.read_link(&entry.name) {
                    Ok(target) => self.links.push(json!({"path": path, "target": target})),
                    Err(error) => self.leave(&path, error.code()),
                },
                Kind::Regular => {}
                Kind::Other => self.leave(&path, "not-regular"),
            }
        }
    }
}

/// Whether a file outside the folders of configuration may be asked for: texts (which instructions import) and servers.
fn named(name: &str) -> bool {
    name == ".mcp.json" || Path::new(name).extension().is_some_and(|end| end.eq_ignore_ascii_case("md"))
}
