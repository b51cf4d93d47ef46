//! What lies beside the settings and does not reach the run home: named, so that nothing is missing silently.

use super::{Input, Places, Report};
use crate::ports::{Folder, Kind};
use crate::reading::{self, Found, join};
use crate::report::{SkipReason, SkippedItem};

/// How many names of one folder are looked at for slips.
const MAX_NAMES: u32 = 4096;

/// The kinds of item that a config folder has, beside settings.
const KINDS: [&str; 6] = ["agents", "commands", "output-styles", "plugins", "rules", "skills"];

/// Reports files that look like settings where the runtime reads none, and kinds that are not carried yet.
pub(super) fn remark<F: Folder + Clone>(input: &Input, places: &Places<F>, root: Option<&F>, report: &mut Report) {
    if let Some(home) = &places.shared_home {
        slips(home, &["settings.json"], report);
        not_carried(home, &KINDS, report);
        not_carried(home, &[&input.brand.instructions_file], report);
    }
    let Some(root) = root else { return };
    let brand = &input.brand;
    not_carried(root, &[&brand.instructions_file, &brand.local_instructions_file, ".mcp.json"], report);
    let Ok(listing) = root.entries(MAX_NAMES) else { return };
    for entry in &listing.entries {
        if entry.name != brand.project_dir && entry.name.eq_ignore_ascii_case(&brand.project_dir) {
            let detail = format!("the runtime reads {}, in exactly this spelling", brand.project_dir);
            push(join(&root.path(), &entry.name), SkipReason::NotRead, detail, report);
        }
    }
    let Some(folder) = project_folder(root, &brand.project_dir) else { return };
    slips(&folder, &["settings.json", "settings.local.json"], report);
    not_carried(&folder, &KINDS, report);
    if let Ok(Some(nested)) = folder.stat(&brand.project_dir) {
        let detail = "a project's folder inside the project's folder is not read".to_owned();
        push(join(&folder.path(), &nested.name), SkipReason::NotRead, detail, report);
    }
}

/// The project's folder, also behind a link inside the root, as its settings are read.
pub(super) fn project_folder<F: Folder + Clone>(root: &F, name: &str) -> Option<F> {
    match reading::resolve(root, name, &[]) {
        Ok(Found::Entry(found)) => found.folder.open_folder(&found.entry.name).ok(),
        _ => None,
    }
}

/// Names that somebody may have meant for one of `expected`.
fn slips<F: Folder>(folder: &F, expected: &[&str], report: &mut Report) {
    let Ok(listing) = folder.entries(MAX_NAMES) else { return };
    for entry in listing.entries.iter().filter(|entry| entry.kind != Kind::Directory) {
        let name = entry.name.to_ascii_lowercase();
        let like = ["settings", "managed-settings"].iter().any(|stem| {
            name.strip_prefix(stem).is_some_and(|rest| rest.starts_with(['.', '-', '_']) && rest.contains(".json"))
        });
        if like && !expected.contains(&entry.name.as_str()) {
            let detail = format!("the runtime reads {} here", expected.join(" and "));
            push(join(&folder.path(), &entry.name), SkipReason::NotRead, detail, report);
        }
    }
}

fn not_carried<F: Folder>(folder: &F, names: &[&str], report: &mut Report) {
    for name in names {
        if let Ok(Some(_)) = folder.stat(name) {
            let detail = "this version builds a run home of settings alone".to_owned();
            push(join(&folder.path(), name), SkipReason::NotCarried, detail, report);
        }
    }
}

fn push(path: String, reason: SkipReason, detail: String, report: &mut Report) {
    report.skipped_items.push(SkippedItem { path, reason, detail, line: None, column: None });
}
