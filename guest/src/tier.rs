//! Tiers: whose words a file speaks.

use serde::Serialize;

/// Whose settings file it is; later ones win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// The person's own, in the shared home.
    User,
    /// The repository's.
    Project,
    /// The person's own for one repository, kept inside it.
    Local,
}

/// Whether what acts in a repository's configuration may act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Powers {
    /// The trusted root decides, as the library's contract always was.
    Keep,
    /// Nothing of a repository acts.
    Drop,
}

/// A set of speakers that a row of a policy table applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tiers {
    /// Every tier, the person's own included.
    Any,
    /// The project and the local tier, whoever wrote the local file.
    Repository,
    /// The project tier, and a local file that the repository shipped.
    Untrusted,
}

impl Tiers {
    /// Whether a file of `tier` belongs to the set; `shipped` says that the repository delivered a local file.
    ///
    /// ```
    /// use winter_policy::tier::{Tier, Tiers};
    /// assert!(Tiers::Untrusted.hold(Tier::Local, true) && !Tiers::Untrusted.hold(Tier::Local, false));
    /// ```
    pub fn hold(self, tier: Tier, shipped: bool) -> bool {
        match self {
            Self::Any => true,
            Self::Repository => tier != Tier::User,
            Self::Untrusted => tier == Tier::Project || (tier == Tier::Local && shipped),
        }
    }

    /// As the tables print it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Repository => "project, local",
            Self::Untrusted => "project, shipped local",
        }
    }
}
