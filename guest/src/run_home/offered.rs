//! What lies beside the items and does not reach the run home: named, so that nothing is missing silently.

use super::reader::Reader;
use super::texts::Texts;
use super::walk::{Level, MAX_NAMES};
use super::{Input, Places, tiers};
use crate::ports::{Folder, Kind};
use crate::reading::{self, Found, join};
use crate::report::SkipReason;

/// What a project's configuration folder holds that a run home reads: settings, and a folder for each kind of item.
const READ: [&str; 7] =
    ["settings.json", "settings.local.json", "agents", "commands", "output-styles", "rules", "skills"];

/// Reports what somebody may have meant for something that the runtime reads, and what a run home holds none of.
pub(super) fn remark<F: Folder + Clone>(
    input: &Input,
    places: &Places<F>,
    root: Option<&F>,
    levels: &[Level<F>],
    texts: &Texts<'_, F>,
    reader: &mut Reader,
) {
    if let Some(home) = &places.shared_home {
        slips(home, &["settings.json"], reader);
    }
    let Some(root) = root else { return };
    let brand = &input.brand;
    let local = tiers::local_base(places).path();
    for level in levels {
        let listing = level.folder.entries(MAX_NAMES);
        for entry in listing.iter().flat_map(|listing| &listing.entries) {
            if let Some(name) = near(&entry.name, &[&brand.project_dir, ".mcp.json", &brand.instructions_file]) {
                let detail = format!("the runtime reads {name}, in exactly this spelling");
                reader.skip(join(&level.folder.path(), &entry.name), SkipReason::NotRead, detail);
            }
        }
        if let Some(folder) = configuration(&level.folder, root, &brand.project_dir) {
            let at_root = level.below_root.is_empty();
            let shown = join(&level.folder.path(), &brand.project_dir);
            inside(&folder, &shown, (at_root, level.folder.path() == local), input, texts, reader);
        }
    }
}

/// The project's folder, also behind a link inside the root, as its settings are read.
pub(super) fn configuration<F: Folder + Clone>(folder: &F, root: &F, name: &str) -> Option<F> {
    match reading::resolve(folder, name, std::slice::from_ref(root)) {
        Ok(Found::Entry(found)) => found.folder.open_folder(&found.entry.name).ok(),
        _ => None,
    }
}

fn inside<F: Folder + Clone>(
    folder: &F,
    shown: &str,
    (at_root, at_local): (bool, bool),
    input: &Input,
    texts: &Texts<'_, F>,
    reader: &mut Reader,
) {
    let brand = &input.brand;
    if at_root {
        slips(folder, &["settings.json", "settings.local.json"], reader);
    }
    let Ok(listing) = folder.entries(MAX_NAMES) else { return };
    for entry in &listing.entries {
        let name = entry.name.as_str();
        let path = join(shown, name);
        if name == brand.project_dir {
            let detail = "a project's folder inside the project's folder is not read".to_owned();
            reader.skip(path, SkipReason::NotRead, detail);
        } else if name.starts_with("settings") && READ.contains(&name) {
            let of_a_person = name != "settings.json";
            if !(if of_a_person { at_local } else { at_root }) {
                let whose = if of_a_person { "the top of the worktree" } else { "the project's root" };
                reader.skip(path, SkipReason::NotRead, format!("the runtime reads those of {whose}"));
            }
        } else if let Some(name) = near(name, &READ).filter(|_| !is_slip(entry.kind, name)) {
            let detail = format!("the runtime reads {name}, in exactly this spelling");
            reader.skip(path, SkipReason::NotRead, detail);
        } else if !READ.contains(&name)
            && name != brand.instructions_file
            && !is_slip(entry.kind, name)
            && !texts.has_taken(&join(&folder.path(), name))
        {
            let detail = "a run home holds nothing of this name from a repository".to_owned();
            reader.skip(path, SkipReason::NotCarried, detail);
        }
    }
}

/// The one of `expected` that differs from `name` in case alone.
fn near<'a>(name: &str, expected: &[&'a str]) -> Option<&'a str> {
    expected.iter().find(|expected| name != **expected && name.eq_ignore_ascii_case(expected)).copied()
}

/// Names that somebody may have meant for one of `expected`.
fn slips<F: Folder>(folder: &F, expected: &[&str], reader: &mut Reader) {
    let Ok(listing) = folder.entries(MAX_NAMES) else { return };
    for entry in &listing.entries {
        if is_slip(entry.kind, &entry.name) && !expected.contains(&entry.name.as_str()) {
            let detail = format!("the runtime reads {} here", expected.join(" and "));
            reader.skip(join(&folder.path(), &entry.name), SkipReason::NotRead, detail);
        }
    }
}

fn is_slip(kind: Kind, name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    kind != Kind::Directory
        && ["settings", "managed-settings"].iter().any(|stem| {
            name.strip_prefix(stem).is_some_and(|rest| rest.starts_with(['.', '-', '_']) && rest.contains(".json"))
        })
}
