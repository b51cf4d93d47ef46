//! One row of the catalog: a model as one provider serves it.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// How a provider lets somebody in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AuthKind {
    /// A key of the provider's API.
    ApiKey,
    /// A login to a subscription.
    Oauth,
    /// The credentials of a cloud account.
    Cloud,
    /// A profile of the Anthropic Console.
    Console,
    /// A server that asks nobody, e.g. one on this machine.
    NoneNeeded,
}

/// What a model can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Modality {
    /// Text.
    Text,
    /// Images.
    Image,
    /// Documents with pages, e.g. PDF.
    Document,
    /// Sound.
    Audio,
    /// Moving pictures.
    Video,
}

/// How much of a model's reasoning can be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReadableReasoning {
    /// None of it.
    #[default]
    None,
    /// A summary.
    Summary,
    /// The reasoning itself.
    Exposed,
}

/// An enum whose values have names of their own in documents.
pub(super) trait Named: Copy + 'static {
    /// Every value with its name.
    const ALL: &'static [(&'static str, Self)];
}

impl Named for AuthKind {
    const ALL: &'static [(&'static str, Self)] = &[
        ("api-key", Self::ApiKey),
        ("oauth", Self::Oauth),
        ("cloud", Self::Cloud),
        ("console", Self::Console),
        ("none-needed", Self::NoneNeeded),
    ];
}

impl Named for Modality {
    const ALL: &'static [(&'static str, Self)] = &[
        ("text", Self::Text),
        ("image", Self::Image),
        ("document", Self::Document),
        ("audio", Self::Audio),
        ("video", Self::Video),
    ];
}

impl Named for ReadableReasoning {
    const ALL: &'static [(&'static str, Self)] =
        &[("none", Self::None), ("summary", Self::Summary), ("exposed", Self::Exposed)];
}

/// What a session may use of a row, and what a change of model would lose.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Capabilities {
    /// What the model can be shown.
    pub modalities: Vec<Modality>,
    /// How much of its reasoning can be read.
    pub readable_reasoning: ReadableReasoning,
    /// The formats of encrypted or signed reasoning that it takes back, e.g. `anthropic-signature`.
    pub opaque_reasoning: Vec<String>,
    /// The tools that run at the provider, e.g. `web_search`.
    pub server_tools: Vec<String>,
}

/// Something that a row says, with the day on which its source said so.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Fact {
    /// What is known.
    pub what: String,
    /// `YYYY-MM-DD`
    pub date: String,
    /// Where it is from.
    pub source: String,
}

/// One model as one provider serves it. Its key is the tag, `<provider>/<model>`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Model {
    /// Who serves it; holds no `/`.
    pub provider: String,
    /// What that provider calls it; may hold `/`.
    pub model: String,
    /// What it is called wherever it is served.
    pub canonical_model: String,
    /// What it descends from, e.g. `claude`.
    pub family: String,
    /// What is spoken on the wire, e.g. `anthropic-messages`.
    pub protocol: String,
    /// The kinds of credential that it takes, the preferred one first.
    pub auth_views: Vec<AuthKind>,
    /// In tokens.
    pub context_window: u32,
    /// What a session may use of it.
    pub capabilities: Capabilities,
    /// Where the row is from.
    pub facts: Vec<Fact>,
}

impl Model {
    /// The row's key.
    ///
    /// ```
    /// let catalog = winter_policy::catalog::Catalog::built_in();
    /// let row = &catalog.rows()[0];
    /// assert_eq!(row.tag(), format!("{}/{}", row.provider, row.model));
    /// ```
    pub fn tag(&self) -> String {
        format!("{}/{}", self.provider, self.model)
    }

    pub(super) fn cmp_key(&self, provider: &str, model: &str) -> Ordering {
        self.provider.as_str().cmp(provider).then_with(|| self.model.as_str().cmp(model))
    }
}
