//! The page and the package as files: what the build made of `preview/`, `npm/` and the two components.

use std::path::{Path, PathBuf};

use crate::error::RunnerError;

/// A name, with `/` between its parts, and the content.
pub type WebFile = (&'static str, &'static [u8]);

static MODULES: &[WebFile] = include!(concat!(env!("OUT_DIR"), "/modules.rs"));
static PREVIEW: &[WebFile] = include!(concat!(env!("OUT_DIR"), "/preview.rs"));
static NPM: &[WebFile] = include!(concat!(env!("OUT_DIR"), "/npm.rs"));

/// What the page takes from the package and from the components.
const SHARED: [&str; 2] = ["memory-files.js", "host.js"];

/// The files of the page.
pub fn page() -> impl Iterator<Item = WebFile> {
    let shared = NPM.iter().filter(|(name, _)| SHARED.contains(name));
    let modules = MODULES.iter().filter(|(name, _)| name.starts_with("winter-runtime/") && !name.ends_with(".d.ts"));
    PREVIEW.iter().chain(shared).chain(modules).copied()
}

/// The files of the npm package.
pub fn package() -> impl Iterator<Item = WebFile> {
    NPM.iter().chain(MODULES).copied()
}

/// Writes files below a folder, which is made where it is missing.
///
/// # Errors
/// Whatever the system refuses; the error names the file.
pub fn write(folder: &Path, files: impl Iterator<Item = WebFile>) -> Result<(), RunnerError> {
    for (name, content) in files {
        let path: PathBuf = folder.join(name);
        let written =
            path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, content));
        written.map_err(|error| RunnerError::Write { path, error })?;
    }
    Ok(())
}
