//! The three settings files of one session: where they are, and what of them could be read.

use super::local_tier;
use super::reader::Reader;
use super::{Input, Places, RunHomeError};
use crate::ports::{FilesError, Folder, GitIndex, Kind};
use crate::reading::{self, Found, ResolveError, join};
use crate::report::{LinkFault, Notice, NoticeKind, ShippedBecause};
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
    reader: &mut Reader,
) -> Result<Vec<Read>, RunHomeError>
where
    G: GitIndex,
    G::Folder: Clone,
{
    let mut tiers = Vec::with_capacity(3);
    tiers.extend(user(input, places, reader)?);
    if let Some(root) = root {
        tiers.extend(project(input, root, reader));
        tiers.extend(local(input, places, root, git, reader));
    }
    Ok(tiers)
}

fn user<F: Folder + Clone>(
    input: &Input,
    places: &Places<F>,
    reader: &mut Reader,
) -> Result<Option<Read>, RunHomeError> {
    let Some(home) = &places.shared_home else {
        reader.report.notices.push(Notice {
            kind: NoticeKind::NoSharedHome,
            path: input.shared_home.clone(),
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
    if found.entry.kind != Kind::Regular {
        return Err(own(FilesError::NotRegular.to_string()));
    }
    let limit = input.bounds.text;
    let text = found.folder.read(&found.entry.name, &found.entry.identity, limit).map_err(|error| match error {
        FilesError::TooLarge(_) => own(format!("{error} ({limit} are)")),
        error => own(error.to_string()),
    })?;
    Ok(Some(Read { tier: Tier::User, source, anchor, shipped: None, text }))
}

fn project<F: Folder + Clone>(input: &Input, root: &F, reader: &mut Reader) -> Option<Read> {
    let path = format!("{}/settings.json", input.brand.project_dir);
    let found = reader.find(root, &path, &[])?;
    let anchor = root.path();
    let source = join(&anchor, &path);
    let text = reader.bytes(&found, &source)?;
    Some(Read { tier: Tier::Project, source, anchor, shipped: None, text })
}

/// The folder whose local settings count.
pub(super) fn local_base<F>(places: &Places<F>) -> &F {
    places.git_top.as_ref().unwrap_or(&places.cwd)
}

fn local<G>(input: &Input, places: &Places<G::Folder>, root: &G::Folder, git: &G, reader: &mut Reader) -> Option<Read>
where
    G: GitIndex,
    G::Folder: Clone,
{
    let base = local_base(places);
    let path = format!("{}/settings.local.json", input.brand.project_dir);
    let found = reader.find(base, &path, std::slice::from_ref(root))?;
    let anchor = base.path();
    let source = join(&anchor, &path);
    let text = reader.bytes(&found, &source)?;
    let shipped = local_tier::shipped(input, places, base, &found, &text, git);
    if let Some((because, text)) = &shipped {
        let text = format!("read as the repository's own: {text} ({})", local_tier::word(*because));
        reader.report.notices.push(Notice { kind: NoticeKind::ShippedLocal, path: source.clone(), line: None, text });
    }
    Some(Read { tier: Tier::Local, source, anchor, shipped: shipped.map(|(because, _)| because), text })
}
