//! What outlives a run: links into the person's own home.

use super::entries::Entries;
use super::reader::Reader;
use super::{Input, Node, Places};
use crate::brand::{McpPlacement, PLANS_FOLDER, TRANSCRIPTS_FOLDER, Transcripts};
use crate::ports::{Folder, Kind};
use crate::reading::{self, Found, ResolveError, join};
use crate::report::SkipReason;

/// Links the folders that outlive every run, and what else the brand links; answers which folders have to be made first.
pub(super) fn link<F: Folder + Clone>(
    input: &Input,
    places: &Places<F>,
    entries: &mut Entries,
    reader: &mut Reader,
) -> Vec<String> {
    let brand = &input.brand;
    let home = super::shared_home(input, places);
    let transcripts = (brand.transcripts == Transcripts::Linked).then_some(TRANSCRIPTS_FOLDER);
    let mut made = Vec::new();
    for name in brand.persistent_folders.iter().map(String::as_str).chain(transcripts) {
        let path = join(&home, name);
        let standing = places.shared_home.as_ref().and_then(|home| home.stat(name).ok().flatten());
        match standing.map(|entry| entry.kind) {
            // A link of the person's own is theirs to follow; the runtime goes through it.
            Some(Kind::Link) => {
                entries.link(name.to_owned(), path.clone(), path);
                continue;
            }
            Some(Kind::Directory) => {}
            None => made.push(name.to_owned()),
            Some(_) => {
                reader.skip(path, SkipReason::NotRegular, "a folder was expected".to_owned());
                continue;
            }
        }
        if name == PLANS_FOLDER {
            entries.put(name.to_owned(), Node::Directory, 0o700, path);
        } else {
            entries.link(name.to_owned(), path.clone(), path);
        }
    }
    for name in &brand.linked_entries {
        entries.link(name.clone(), join(&home, name), join(&home, name));
    }
    if brand.mcp == McpPlacement::OwnFile
        && let Some((path, _)) = global_file(input, places, reader)
    {
        entries.link(brand.global_config_file.clone(), path.clone(), path);
    }
    made
}

/// The path of the person's global file, with its content; none when there is none. What keeps it from being read is
/// left to whoever reads it.
pub(super) fn global_file<F: Folder + Clone>(
    input: &Input,
    places: &Places<F>,
    reader: &mut Reader,
) -> Option<(String, Result<Vec<u8>, String>)> {
    let home = places.global_home.as_ref().or(places.shared_home.as_ref())?;
    let name = &input.brand.global_config_file;
    let path = join(&home.path(), name);
    match reading::resolve(home, name, &places.granted) {
        Ok(Found::Nothing) => None,
        Ok(Found::Entry(found)) if found.entry.kind == Kind::Regular => {
            // The program's own state can be large: it is not a text that somebody wrote.
            let read = found.folder.read(&found.entry.name, &found.entry.identity, reader.bounds.skill_file);
            Some((path, read.map_err(|error| error.to_string())))
        }
        Ok(Found::Entry(_)) => Some((path, Err("it is not a regular file".to_owned()))),
        Err(ResolveError::Link { leads_to: Some(leads_to), .. }) => {
            let (folder, _) = leads_to.rsplit_once('/').unwrap_or_default();
            let folder = if folder.is_empty() { "/" } else { folder };
            Some((path, Err(format!("it leads to {leads_to}; --grant-read {folder} would grant it"))))
        }
        Err(ResolveError::Link { target, .. }) => Some((path, Err(format!("the link to {target} leads to nothing")))),
        Err(ResolveError::Files { error, .. }) => Some((path, Err(error.to_string()))),
    }
}
