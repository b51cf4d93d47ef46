//! The three settings files of one session: where they are, and what of them could be read.

use super::local_tier;
use super::{Input, MAX_TEXT, Places, Report, RunHomeError};
use crate::ports::{FilesError, Folder, GitIndex, Kind};
use crate::reading::{self, Found, Located, ResolveError, join, skip_reason};
use crate::report::{LinkFault, Notice, NoticeKind, ShippedBecause, SkippedItem, SkippedLink};
use crate::settings::TierFile;
use crate::tier::Tier;

/// One settings file, read.
pub(super) struct Read {
    pub(super) tier: Tier,
    pub(super) source: String,
    anchor: String,
    shipped: Option<ShippedBecause>,
    text: Vec<u8>,
}

impl Read {
    pub(super) fn as_file(&self) -> TierFile<'_> {
        TierFile {
            tier: self.tier,
            source: &self.source,
            anchor: &self.anchor,
            shipped: self.shipped,
            text: &self.text,
        }
    }
}

/// Reads what there is of the three.
///
/// # Errors
/// Only for the person's own file; a repository's that cannot be read is reported.
pub(super) fn read<G>(
    input: &Input,
    places: &Places<G::Folder>,
    root: Option<&G::Folder>,
    git: &G,
    report: &mut Report,
) -> Result<Vec<Read>, RunHomeError>
where
    G: GitIndex,
    G::Folder: Clone,
{
    let mut tiers = Vec::with_capacity(3);
    tiers.extend(user(input, places, report)?);
    if let Some(root) = root {
        tiers.extend(project(input, root, report));
        tiers.extend(local(input, places, root, git, report));
    }
    Ok(tiers)
}

fn user<F: Folder + Clone>(
    input: &Input,
    places: &Places<F>,
    report: &mut Report,
) -> Result<Option<Read>, RunHomeError> {
    let Some(home) = &places.shared_home else {
        report.notices.push(Notice {
            kind: NoticeKind::NoSharedHome,
            path: super::sdk_home_of(&input.home),
            line: None,
            text: "there is no shared home, so no settings of your own".to_owned(),
        });
        return Ok(None);
    };
    let anchor = home.path();
    let source = join(&anchor, "settings.json");
    let own = |what: String| RunHomeError::OwnSettings { path: source.clone(), what };
    let found = match reading::resolve(home, "settings.json", &places.granted) {
        Ok(Found::Nothing) => return Ok(None),
        Ok(Found::Entry(found)) => found,
        Err(ResolveError::Link { path, leads_to: Some(leads_to), .. }) => {
            return Err(RunHomeError::NotGranted { path, leads_to });
        }
        Err(ResolveError::Link { target, fault, .. }) => {
            let what = if fault == LinkFault::Loop { "loops" } else { "leads to nothing" };
            return Err(own(format!("the link to {target} {what}")));
        }
        Err(ResolveError::Files { error, .. }) => return Err(own(error.to_string())),
    };
    let text = content(&found).map_err(|error| own(detail(&error)))?;
    Ok(Some(Read { tier: Tier::User, source, anchor, shipped: None, text }))
}

fn project<F: Folder + Clone>(input: &Input, root: &F, report: &mut Report) -> Option<Read> {
    let path = format!("{}/settings.json", input.brand.project_dir);
    let found = admitted(root, &path, &[], report)?;
    let anchor = root.path();
    let source = join(&anchor, &path);
    let text = admitted_content(&found, &source, report)?;
    Some(Read { tier: Tier::Project, source, anchor, shipped: None, text })
}

fn local<G>(input: &Input, places: &Places<G::Folder>, root: &G::Folder, git: &G, report: &mut Report) -> Option<Read>
where
    G: GitIndex,
    G::Folder: Clone,
{
    let base = places.git_top.as_ref().unwrap_or(&places.cwd);
    let path = format!("{}/settings.local.json", input.brand.project_dir);
    let found = admitted(base, &path, std::slice::from_ref(root), report)?;
    let anchor = base.path();
    let source = join(&anchor, &path);
    let text = admitted_content(&found, &source, report)?;
    let shipped = local_tier::shipped(input, places, base, &found, &text, git);
    if let Some((because, text)) = &shipped {
        let text = format!("read as the repository's own: {text} ({})", local_tier::word(*because));
        report.notices.push(Notice { kind: NoticeKind::ShippedLocal, path: source.clone(), line: None, text });
    }
    Some(Read { tier: Tier::Local, source, anchor, shipped: shipped.map(|(because, _)| because), text })
}

/// Looks a repository's file up; what may not be followed or is not there is reported or nothing.
fn admitted<F: Folder + Clone>(base: &F, path: &str, roots: &[F], report: &mut Report) -> Option<Located<F>> {
    match reading::resolve(base, path, roots) {
        Ok(Found::Nothing) => None,
        Ok(Found::Entry(found)) => Some(found),
        Err(ResolveError::Link { path, target, fault, .. }) => {
            report.skipped_links.push(SkippedLink { path, target, reason: fault });
            None
        }
        Err(ResolveError::Files { path, error }) => {
            skip(path, &error, report);
            None
        }
    }
}

fn admitted_content<F: Folder>(found: &Located<F>, source: &str, report: &mut Report) -> Option<Vec<u8>> {
    content(found).map_err(|error| skip(source.to_owned(), &error, report)).ok()
}

fn content<F: Folder>(found: &Located<F>) -> Result<Vec<u8>, FilesError> {
    if found.entry.kind != Kind::Regular {
        return Err(FilesError::NotRegular);
    }
    found.folder.read(&found.entry.name, &found.entry.identity, MAX_TEXT)
}

fn skip(path: String, error: &FilesError, report: &mut Report) {
    let (reason, detail) = (skip_reason(error), detail(error));
    report.skipped_items.push(SkippedItem { path, reason, detail, line: None, column: None });
}

/// Why a file was not read, with the bound where it was too large.
fn detail(error: &FilesError) -> String {
    match error {
        FilesError::TooLarge(_) => format!("{error} ({MAX_TEXT} are)"),
        error => error.to_string(),
    }
}
