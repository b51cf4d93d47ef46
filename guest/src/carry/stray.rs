//! What becomes of an entry that was a link into the shared home, and that the program has replaced by one of its own.

use serde::Serialize;

/// What stands in the link's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stands {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// Another link, a FIFO, a device.
    Other,
}

/// What stands in the shared home, where the link led to, beside that file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Beside {
    /// Nothing.
    Absent,
    /// A file of the same bytes.
    Level,
    /// A file that was changed before it.
    Older,
    /// A file that was changed after it.
    Newer,
    /// Something that is no regular file.
    NoFile,
}

/// What is done with it. Nothing is ever lost: what is replaced, or not taken over, goes to quarantine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Nothing: it is at home already.
    Leave,
    /// It is put into the shared home.
    Place,
    /// It takes the place of the shared home's, which goes to quarantine.
    Replace,
    /// It goes to quarantine itself.
    Aside,
}

/// What is done with such an entry: of two files the one that was changed last wins.
///
/// ```
/// use winter_policy::carry::{Action, Beside, Stands, stray};
/// assert_eq!(stray(Stands::File, Beside::Older), Action::Replace);
/// ```
pub fn stray(stands: Stands, beside: Beside) -> Action {
    match (stands, beside) {
        (Stands::File, Beside::Level) => Action::Leave,
        (Stands::File, Beside::Absent) => Action::Place,
        (Stands::File, Beside::Older) => Action::Replace,
        (Stands::File, Beside::Newer | Beside::NoFile) | (Stands::Folder | Stands::Other, _) => Action::Aside,
    }
}
