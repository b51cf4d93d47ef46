//! The folders of the shared home that a run links to: made before the run, so that no link of it dangles.

use rustix::fs::{AtFlags, FileType};
use rustix::io::{Errno, retry_on_intr};

use super::MaterializeError;
use super::handle::make_folder;
use crate::capability::files::{FilesError, Folder, Kind, check_name};

/// Makes the folders `names` of the shared home that do not stand there, 0700, and returns what was made, each folder as its
/// path from the shared home, in order.
///
/// A name is a plain component, or several joined by `/`, each of which is made where it is missing. What stands is left as
/// it is, also a link that leads to a folder: nothing is followed to make something behind it. Anything else in the way is
/// [`MaterializeError::SharedInTheWay`], a name that is none [`MaterializeError::BadPath`]; what was made by then stays.
/// Another that makes the same folders at the same time does no harm.
///
/// ```no_run
/// use winter_runner::capability::files::Folder;
/// use winter_runner::materialize::ensure_shared;
/// let shared = Folder::grant("/home/me/.winter/sdk".as_ref())?;
/// let made = ensure_shared(&shared, &["projects".to_owned(), "tasks".to_owned()])?;
/// println!("made {made:?}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ensure_shared(shared: &Folder, names: &[String]) -> Result<Vec<String>, MaterializeError> {
    for name in names {
        if name.split('/').any(|part| check_name(part).is_err()) {
            let why = "is no folder of the shared home";
            return Err(MaterializeError::BadPath { path: name.clone(), why });
        }
    }
    let mut made = Vec::new();
    for name in names {
        ensure(shared, name, &mut made)?;
    }
    Ok(made)
}

fn ensure(shared: &Folder, name: &str, made: &mut Vec<String>) -> Result<(), MaterializeError> {
    let mut folder = shared.clone();
    let mut end = 0;
    for part in name.split('/') {
        end += part.len();
        match ensure_one(&folder, part)? {
            Stands::Made => made.push(name[..end].to_owned()),
            Stands::Already => {}
            Stands::Linked => return check_behind(shared, name, end),
        }
        let path = folder.path_of(part);
        folder = folder.open_folder(part).map_err(|cause| in_the_way(path, cause))?;
        end += 1;
    }
    Ok(())
}

/// What is known of one component once it stands.
enum Stands {
    Made,
    Already,
    Linked,
}

fn ensure_one(folder: &Folder, name: &str) -> Result<Stands, MaterializeError> {
    let path = folder.path_of(name);
    let stat = || folder.stat(name).map_err(|cause| MaterializeError::Runs { path: path.clone(), cause });
    let (kind, made) = match stat()? {
        Some(entry) => (Some(entry.kind), false),
        None => match make_folder(folder.handle(), name) {
            Ok(_) => (Some(Kind::Directory), true),
            // Somebody else made it, or put something else there.
            Err(error) if Errno::from_io_error(&error) == Some(Errno::EXIST) => {
                (stat()?.map(|entry| entry.kind), false)
            }
            Err(error) => return Err(MaterializeError::write(path, error)),
        },
    };
    match kind {
        Some(Kind::Directory) => Ok(if made { Stands::Made } else { Stands::Already }),
        Some(Kind::Link) => Ok(Stands::Linked),
        Some(Kind::Regular) => Err(MaterializeError::SharedInTheWay { path, why: "is a file" }),
        Some(Kind::Other) => Err(MaterializeError::SharedInTheWay { path, why: "is neither a file nor a folder" }),
        None => Err(MaterializeError::Interfered { path }),
    }
}

/// The person's own link stands at the first `end` bytes of `name`: what is needed must stand behind it already.
fn check_behind(shared: &Folder, name: &str, end: usize) -> Result<(), MaterializeError> {
    let path = shared.path_of(&name[..end]);
    // Only looked at, by the person's own word; nothing is opened.
    match retry_on_intr(|| rustix::fs::statat(shared.handle(), name, AtFlags::empty())) {
        Ok(found) if FileType::from_raw_mode(found.st_mode) == FileType::Directory => Ok(()),
        Ok(_) => Err(MaterializeError::SharedInTheWay { path, why: "is a link that leads to no folder" }),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) if end == name.len() => {
            Err(MaterializeError::SharedInTheWay { path, why: "is a link that leads to nothing" })
        }
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {
            Err(MaterializeError::SharedInTheWay { path, why: "is a link, behind which nothing is made" })
        }
        Err(error) => Err(MaterializeError::Runs { path, cause: error.into() }),
    }
}

fn in_the_way(path: String, cause: FilesError) -> MaterializeError {
    match cause {
        FilesError::Linked => MaterializeError::SharedInTheWay { path, why: "became a link" },
        FilesError::NotAFolder => MaterializeError::SharedInTheWay { path, why: "is not a folder" },
        cause => MaterializeError::Runs { path, cause },
    }
}
