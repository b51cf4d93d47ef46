//! One lock a session, so that no writer of winter's own is raced.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::error::RunnerError;

/// A session that is held; it ends with this value, or with the process.
#[derive(Debug)]
pub struct SessionLock(Option<File>);

impl SessionLock {
    /// Holds the session of that project, if no other process does.
    ///
    /// # Errors
    /// A folder of locks that cannot be made or written.
    pub fn try_of(home: &Path, project_key: &str, session_id: &str) -> Result<Option<Self>, RunnerError> {
        let folder = home.join("cache/locks");
        let failed = |path: &Path, error| RunnerError::Write { path: path.to_owned(), error };
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        made.map_err(|error| failed(&folder, error))?;
        let digest = Sha256::digest(format!("{project_key}/{session_id}").as_bytes());
        let name = digest.iter().take(16).fold(String::new(), |name, byte| format!("{name}{byte:02x}"));
        let path = folder.join(name);
        let opened = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path);
        let file = opened.map_err(|error| failed(&path, error))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(Some(file)))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(failed(&path, error)),
        }
    }

    /// For what belongs to no session.
    pub(super) fn none() -> Self {
        Self(None)
    }
}

impl Drop for SessionLock {
    fn drop(&mut self) {
        if let Some(file) = &self.0 {
            let _ = file.unlock();
        }
    }
}

/// The mark of a session that is to be recovered before it is opened again: a host sets it by making the file.
pub fn repair_flag(home: &Path, session_id: &str) -> Option<PathBuf> {
    let plain = !session_id.is_empty() && !session_id.starts_with('.') && !session_id.contains(['/', '\0']);
    plain.then(|| home.join("cache/repair").join(session_id))
}

/// Every transcript of the session is level: the mark is taken away.
pub(super) fn clear_repair(home: &Path, session_id: &str) {
    if let Some(flag) = repair_flag(home, session_id) {
        let _ = fs::remove_file(flag);
    }
}
