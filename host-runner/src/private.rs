//! Files of winter's own and of the person's: read within bounds, written whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::error::RunnerError;

/// The most bytes of such a file that are read.
const MAX: u64 = 64 << 20;

/// The content of a regular file, or none where nothing stands. Never waits for a writer.
pub(crate) fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).unwrap_or_default();
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    let mut bytes = Vec::new();
    if file.take(MAX + 1).read_to_end(&mut bytes)? as u64 > MAX {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("it holds more than {MAX} bytes")));
    }
    Ok(Some(bytes))
}

/// Puts `bytes` in the place of the file in one step, with its mode, or 0600 where there is none. A link is followed: the
/// file that it leads to is the one that is replaced.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), RunnerError> {
    let failed = |error| RunnerError::Write { path: path.to_owned(), error };
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mode = fs::metadata(&real).map_or(0o600, |found| found.mode() & 0o777);
    let (mut file, beside) = create_beside(&real).map_err(failed)?;
    let written = (|| {
        file.write_all(bytes)?;
        file.set_permissions(fs::Permissions::from_mode(mode))?;
        file.sync_all()?;
        fs::rename(&beside, &real)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written.map_err(failed)
}

/// A new file in the same folder, 0600.
fn create_beside(path: &Path) -> io::Result<(File, PathBuf)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let beside = path.with_file_name(format!(".{name}.winter-{}", uuid::Uuid::now_v7()));
    Ok((OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?, beside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_with_its_mode_and_through_its_link() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        write(&file, b"1").unwrap();
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        write(&link, b"22").unwrap();
        assert_eq!((read(&file).unwrap().unwrap(), read(&link).unwrap().unwrap()), (b"22".to_vec(), b"22".to_vec()));
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    #[test]
    fn what_is_no_file_is_an_error_and_nothing_is_none() {
        let dir = tempfile::tempdir().unwrap();
        assert!(read(&dir.path().join("none")).unwrap().is_none());
        assert!(read(dir.path()).is_err());
        assert!(write(&dir.path().join("no/folder"), b"x").is_err());
    }
}
