//! Why the tip is the tip, reason by reason.

use super::answer::{TipReason, TipReasonKind};
use super::entries::Entries;
use super::identity::{Identity, IdentitySource, Standing};
use super::lineage::{End, Lineage};
use super::summary::counted;

/// The reasons, in the order of the search.
pub(super) fn reasons(entries: &Entries<'_>, lineage: &Lineage, identity: &Identity) -> Vec<TipReason> {
    let mut reasons = Vec::new();
    let mut say = |kind, at: Option<usize>, text: String| {
        reasons.push(TipReason { kind, uuid: at.map(|at| entries.rows[at].uuid.to_string()), text });
    };
    match lineage.leaf {
        Some(leaf) => {
            let text = "the latest message of the session's own, from which no other follows";
            say(TipReasonKind::Leaf, Some(leaf), text.to_owned());
        }
        None if lineage.end == End::Nothing => {
            say(TipReasonKind::NoMessages, None, "there is no message of the session's own".to_owned());
        }
        None => {}
    }
    let passed = lineage.path.iter().take_while(|&&at| Some(at) != lineage.tip);
    let residue: Vec<usize> = passed.copied().filter(|&at| entries.rows[at].error).collect();
    if let Some(&first) = residue.first() {
        let text = format!("passed over {}", counted(residue.len() as u64, "reply", "replies"));
        say(TipReasonKind::ErrorResidue, Some(first), format!("{text} that a failed request left"));
    }
    if lineage.tip.is_some() && lineage.tip_before_boundary {
        let text = "no reply follows the last compaction; the last one before it counts";
        say(TipReasonKind::BeforeCompaction, lineage.boundary, text.to_owned());
    }
    match lineage.tip {
        Some(tip) => say(TipReasonKind::Reply, Some(tip), "the last real reply of the lineage".to_owned()),
        None if lineage.tip_unread => {
            say(TipReasonKind::Unread, None, "no reply was found within the budget".to_owned());
        }
        None => say(TipReasonKind::NoReply, None, "the lineage holds no real reply".to_owned()),
    }
    let name = identity.origin.name();
    let named = match identity.source {
        IdentitySource::Sidecar => format!("the sidecar's origin record names {name}"),
        IdentitySource::Entry => format!("the reply itself names {name}"),
        IdentitySource::Persisted => format!("no reply names a model; the session's record names {name}"),
        IdentitySource::Nothing => "no record names a model".to_owned(),
    };
    say(TipReasonKind::NamedBy, None, named);
    let family = identity.origin.family.as_deref().unwrap_or("unknown");
    let known = match identity.standing {
        Standing::Catalog => None,
        Standing::OfficialRecord => Some(format!(
            "the reply's own id is not in the catalog; the session's official record stands in with {name}"
        )),
        Standing::FamilyOnly => Some(format!("{name} is not in the catalog; its family is {family}")),
        Standing::Unknown => Some("it is not in the catalog, and nothing shows its family".to_owned()),
    };
    if let Some(text) = known {
        say(TipReasonKind::OffCatalog, None, text);
    }
    reasons
}
