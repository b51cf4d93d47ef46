//! Whether the repository shipped the local settings file, which is meant to be a person's own.

use super::{Input, Places};
use crate::ports::{Evidence, Folder, GitIndex, Kind, Place, ProbeError};
use crate::reading::{Located, beneath};
use crate::report::ShippedBecause;
use crate::settings::document::Document;

/// Why the local file that was found counts as the repository's, with a sentence; none when it is the person's own.
///
/// git is asked only when the file can be used, and only where a `.git` entry could make it the repository's. A
/// repository that is delivered together with its `.git` controls its own index: that delivery is not closed by this.
pub(super) fn shipped<G>(
    input: &Input,
    places: &Places<G::Folder>,
    base: &G::Folder,
    found: &Located<G::Folder>,
    text: &[u8],
    git: &G,
) -> Option<(ShippedBecause, String)>
where
    G: GitIndex,
    G::Folder: Clone,
{
    // Looked at first: behind a link, git answers "untracked".
    if found.linked || resolves_elsewhere(input, base, found) {
        return Some((ShippedBecause::Link, "it, or its folder, is a link".to_owned()));
    }
    if Document::parse(text).is_err() {
        return None;
    }
    // The folder with the file may be a repository of its own, which answers for it instead of the one above.
    if found.folder.stat(".git").is_ok_and(|entry| entry.is_some()) {
        return Some((ShippedBecause::Failed, "its folder is a repository of its own".to_owned()));
    }
    let top = places.git_top.as_ref().or(places.git_entry.as_ref())?;
    let top_path = top.path();
    let base_path = base.path();
    let Some(below) = beneath(&base_path, &top_path) else {
        return Some((ShippedBecause::Failed, format!("{top_path} is not above it")));
    };
    let file = format!("{}/settings.local.json", input.brand.project_dir);
    let path = if below.is_empty() { file } else { format!("{below}/{file}") };
    answer(git.probe(top, &[path]), has_git_entry(places))
}

/// `base/<project dir>/settings.local.json` and nothing else, whatever a folding file system lets one ask for.
fn resolves_elsewhere<F: Folder>(input: &Input, base: &F, found: &Located<F>) -> bool {
    found.folder.path() != crate::reading::join(&base.path(), &input.brand.project_dir)
        || found.entry.kind != Kind::Regular
}

fn has_git_entry<F: Folder>(places: &Places<F>) -> bool {
    places.git_entry.is_some()
        || places.git_top.as_ref().is_some_and(|top| top.stat(".git").is_ok_and(|entry| entry.is_some()))
}

fn answer(probe: Result<Vec<Evidence>, ProbeError>, git_entry: bool) -> Option<(ShippedBecause, String)> {
    match probe {
        Ok(evidence) => {
            let listed = evidence
                .iter()
                .find(|one| one.place == Place::Index)
                .map(|one| (ShippedBecause::Index, one))
                .or_else(|| evidence.first().map(|one| (ShippedBecause::Head, one)))?;
            let (because, one) = listed;
            let place = if because == ShippedBecause::Index { "git's index" } else { "HEAD" };
            let what = if one.covering { "a folder above it" } else { "it" };
            Some((because, format!("{place} lists {what} as {}", one.path)))
        }
        // With a `.git` entry on the way up, "no repository" is a repository that cannot be read.
        Err(ProbeError::NotARepository) if !git_entry => None,
        Err(error @ ProbeError::Unsupported(_)) => Some((ShippedBecause::Unsupported, error.to_string())),
        Err(error @ ProbeError::TimedOut) => Some((ShippedBecause::TimedOut, error.to_string())),
        Err(error @ (ProbeError::NotARepository | ProbeError::Failed(_))) => {
            Some((ShippedBecause::Failed, error.to_string()))
        }
    }
}

/// The reason as reports spell it.
pub(super) fn word(because: ShippedBecause) -> &'static str {
    match because {
        ShippedBecause::Index => "index",
        ShippedBecause::Head => "head",
        ShippedBecause::Link => "link",
        ShippedBecause::Unsupported => "unsupported",
        ShippedBecause::TimedOut => "timed-out",
        ShippedBecause::Failed => "failed",
    }
}
