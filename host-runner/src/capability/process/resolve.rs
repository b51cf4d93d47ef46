//! Which file a program's name means.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// A program that is granted: a name, and the one file that it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// By which it is asked for.
    pub name: String,
    /// The real path of the file; no link is left in it.
    pub path: PathBuf,
    /// The path by which it was found: what the program sees as its own name.
    pub called: PathBuf,
}

/// Why a name means no program.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// Nothing of that name stands in a folder that may be looked in.
    #[error("the program `{name}` was not found{}", looked(.looked_in, .left_out))]
    NotFound {
        /// As it was asked for.
        name: String,
        /// The folders of `PATH` that were looked in.
        looked_in: Vec<PathBuf>,
        /// Entries of `PATH` that were not.
        left_out: Vec<PathBuf>,
    },
    /// It is no regular file that may be executed.
    #[error("the program {} cannot be executed: {why}", .path.display())]
    NotExecutable {
        /// Where it stands.
        path: PathBuf,
        /// What it is instead.
        why: String,
    },
    /// It stands inside the project, which may be hostile.
    #[error("the program {} stands inside the project {}", .path.display(), .root.display())]
    InProject {
        /// Its real path.
        path: PathBuf,
        /// The folder that it stands in.
        root: PathBuf,
    },
}

fn looked(looked_in: &[PathBuf], left_out: &[PathBuf]) -> String {
    let list =
        |paths: &[PathBuf]| paths.iter().map(|path| format!("`{}`", path.display())).collect::<Vec<_>>().join(", ");
    match (looked_in, left_out) {
        ([], []) => String::new(),
        (looked_in, []) => format!(" in {}", list(looked_in)),
        (looked_in, left_out) => format!(
            " in {}; not looked in, since they are relative or inside the project: {}",
            list(looked_in),
            list(left_out)
        ),
    }
}

impl ProgramError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "program-not-found",
            Self::NotExecutable { .. } => "program-not-executable",
            Self::InProject { .. } => "program-in-project",
        }
    }
}

/// A search path without what a repository could control.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedPath {
    /// What is left, in its order, as a value for `PATH`.
    pub kept: OsString,
    /// What was left out: entries that are empty, relative, or lead into one of the roots.
    pub left_out: Vec<PathBuf>,
}

/// The entries of a `PATH` that are absolute and lead into none of the roots.
///
/// ```
/// use std::path::Path;
/// use winter_runner::capability::process::trusted_path;
/// let path = trusted_path("/usr/bin:.:node_modules/.bin::/src/it/bin".as_ref(), &[Path::new("/src/it")]);
/// assert_eq!(path.kept, "/usr/bin");
/// assert_eq!(path.left_out.len(), 4);
/// ```
pub fn trusted_path(path: &OsStr, roots: &[&Path]) -> TrustedPath {
    let (kept, left_out): (Vec<PathBuf>, Vec<PathBuf>) =
        std::env::split_paths(path).partition(|entry| entry.is_absolute() && root_of(entry, roots).is_none());
    // What was split joins again: no entry holds the separator.
    TrustedPath { kept: std::env::join_paths(kept).unwrap_or_default(), left_out }
}

/// The root that a path lies in, as it is written or as it really is.
fn root_of(path: &Path, roots: &[&Path]) -> Option<PathBuf> {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let spelt = lexical(path);
    let inside = |root: &&&Path| spelt.starts_with(root) || real(path).starts_with(real(root));
    roots.iter().find(inside).map(|root| (*root).to_owned())
}

/// Without `.` and `..`.
fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => drop(plain.pop()),
            std::path::Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

impl Program {
    /// The program that `asked` means: a path, or a name that is looked for in `path` (the value of `PATH`).
    ///
    /// `roots` are the folders that a repository controls: nothing in them is a program.
    ///
    /// # Errors
    /// [`ProgramError`].
    pub fn resolve(asked: &OsStr, path: &OsStr, roots: &[&Path]) -> Result<Self, ProgramError> {
        let name = asked.to_string_lossy().into_owned();
        let found = if asked.as_encoded_bytes().contains(&b'/') {
            std::path::absolute(asked).map_err(|_| ProgramError::NotFound {
                name: name.clone(),
                looked_in: Vec::new(),
                left_out: Vec::new(),
            })?
        } else {
            let TrustedPath { kept, left_out } = trusted_path(path, roots);
            let folders: Vec<PathBuf> = std::env::split_paths(&kept).filter(|folder| folder.is_absolute()).collect();
            let candidates = folders.iter().map(|folder| folder.join(asked));
            let executable = |candidate: &PathBuf| !asked.is_empty() && executable(candidate).is_ok();
            match candidates.into_iter().find(executable) {
                Some(found) => found,
                None => return Err(ProgramError::NotFound { name, looked_in: folders, left_out }),
            }
        };
        let real = std::fs::canonicalize(&found).map_err(|_| ProgramError::NotFound {
            name: name.clone(),
            looked_in: Vec::new(),
            left_out: Vec::new(),
        })?;
        for path in [&found, &real] {
            if let Some(root) = root_of(path, roots) {
                return Err(ProgramError::InProject { path: path.clone(), root });
            }
        }
        executable(&real).map_err(|why| ProgramError::NotExecutable { path: real.clone(), why })?;
        Ok(Self { name, path: real, called: found })
    }
}

fn executable(path: &Path) -> Result<(), String> {
    let found = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !found.is_file() {
        return Err("it is no regular file".to_owned());
    }
    if found.permissions().mode() & 0o111 == 0 {
        return Err("its mode lets nobody execute it".to_owned());
    }
    Ok(())
}
