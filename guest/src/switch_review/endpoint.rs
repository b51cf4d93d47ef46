//! Who speaks: models at their endpoints, and the two ports through which a review learns of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What is known of where a message came from, or of where the next one shall.
///
/// It is a key as a whole: one model behind two providers, or two protocols, has two origins.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Origin {
    /// Who serves it, e.g. `anthropic`; none where the record does not say.
    pub provider: Option<String>,
    /// As the provider calls it.
    pub model: String,
    /// How it is spoken to, e.g. `anthropic-messages`; none where the record does not say.
    pub protocol: Option<String>,
    /// Its family, e.g. `claude`; none where the record does not say.
    pub family: Option<String>,
}

impl Origin {
    /// Whether nothing that it says differs from a row's provider, model, protocol and family.
    fn names(&self, [provider, model, protocol, family]: [&String; 4]) -> bool {
        let says = |given: &Option<String>, row: &String| given.as_ref().is_none_or(|given| given == row);
        self.model == *model
            && says(&self.provider, provider)
            && says(&self.protocol, protocol)
            && says(&self.family, family)
    }

    /// The origin that a tag `<provider>/<model>` names; the model's part may itself hold `/`.
    ///
    /// None for what is no tag: a bare model, an empty part, a cloud ARN.
    ///
    /// ```
    /// use winter_policy::switch_review::Origin;
    /// let origin = Origin::from_tag("openrouter/z-ai/glm-5").unwrap();
    /// assert_eq!((origin.provider.as_deref(), origin.model.as_str()), (Some("openrouter"), "z-ai/glm-5"));
    /// assert_eq!(Origin::from_tag("gpt-6"), None);
    /// ```
    pub fn from_tag(tag: &str) -> Option<Self> {
        let (provider, model) = tag.split_once('/')?;
        let plain = !provider.is_empty() && !model.is_empty() && !provider.contains(':');
        plain.then(|| Self { provider: Some(provider.to_owned()), model: model.to_owned(), ..Self::default() })
    }

    /// The tag, or the bare model where no provider is known.
    pub fn name(&self) -> String {
        match &self.provider {
            Some(provider) => format!("{provider}/{}", self.model),
            None => self.model.clone(),
        }
    }
}

/// How much of a model's reasoning can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReadableReasoning {
    /// Nothing.
    None,
    /// A summary of it.
    Summary,
    /// All of it.
    Exposed,
}

/// One model at one endpoint: what a catalog says that matters for carrying a context to it, or away from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Endpoint {
    /// Who serves it.
    pub provider: String,
    /// As the provider calls it.
    pub model: String,
    /// Its family.
    pub family: String,
    /// How it is spoken to.
    pub protocol: String,
    /// How much of its reasoning can be read.
    pub readable_reasoning: ReadableReasoning,
    /// The kinds of opaque reasoning that it writes and takes back; two endpoints that share one understand each other.
    pub opaque_states: Vec<String>,
    /// What it takes as input beside text: `image`, `document` (or `pdf`), `audio`, `video`.
    pub modalities: Vec<String>,
    /// Tools that run at the provider, e.g. `web_search`.
    pub server_tools: Vec<String>,
    /// How many tokens it takes in; none where nobody says.
    pub context_window: Option<u64>,
}

impl Endpoint {
    /// Provider, protocol, family: what two endpoints must share for a switch between them to need no review.
    pub fn profile(&self) -> (&str, &str, &str) {
        (&self.provider, &self.protocol, &self.family)
    }

    /// Its tag.
    pub fn name(&self) -> String {
        format!("{}/{}", self.provider, self.model)
    }
}

/// The catalog, as a review needs it.
pub trait EndpointResolver {
    /// The endpoint that the *whole* origin names: a provider, a protocol or a family that is given must be the row's.
    /// None where no row, or more than one, answers; a model alone is never enough when several providers serve it.
    fn resolve(&self, origin: &Origin) -> Option<Endpoint>;
}

/// A list of endpoints is a catalog: for tests, and for hosts with few models.
impl EndpointResolver for [Endpoint] {
    fn resolve(&self, origin: &Origin) -> Option<Endpoint> {
        only(self, |row| origin.names([&row.provider, &row.model, &row.protocol, &row.family])).cloned()
    }
}

/// The one row that fits; none where there are more.
fn only<T>(rows: &[T], fits: impl Fn(&T) -> bool) -> Option<&T> {
    let mut rows = rows.iter().filter(|row| fits(row));
    let first = rows.next()?;
    rows.next().is_none().then_some(first)
}

/// What the runtime directory has on record for one session. It moves only when the session changes its runtime, so it
/// is the last resort for the model, and the word on where a runtime that stamps no origins sends its requests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PersistedSelection {
    /// `winter-agent`, or the retired `claude-agent`.
    pub runtime: Option<String>,
    /// What was selected.
    pub origin: Origin,
}

impl PersistedSelection {
    /// Whether it names the official leg, as old records do: everything that it says of its endpoint still holds.
    pub fn is_official(&self) -> bool {
        self.runtime.as_deref() == Some("claude-agent")
    }
}

/// The runtime directory, read-only.
pub trait Directory {
    /// The session's record: none when the directory does not list it; an empty selection when it lists no more.
    fn selection(&self, session: &str) -> Option<PersistedSelection>;
}

/// A directory in memory.
///
/// ```
/// use winter_policy::switch_review::{Directory, MemoryDirectory, PersistedSelection};
/// let mut directory = MemoryDirectory::default();
/// directory.list("s1", PersistedSelection::default());
/// assert!(directory.selection("s1").is_some() && directory.selection("s2").is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemoryDirectory {
    sessions: BTreeMap<String, PersistedSelection>,
}

impl MemoryDirectory {
    /// Lists that session, in place of what was listed under the name.
    pub fn list(&mut self, session: &str, selection: PersistedSelection) {
        self.sessions.insert(session.to_owned(), selection);
    }
}

impl Directory for MemoryDirectory {
    fn selection(&self, session: &str) -> Option<PersistedSelection> {
        self.sessions.get(session).cloned()
    }
}

/// The family that the shape of a model's id shows: a dated snapshot and a cloud's ARN say `claude` somewhere in them.
///
/// ```
/// use winter_policy::switch_review::family_by_shape;
/// assert_eq!(family_by_shape("us.anthropic.claude-opus-5-v1:0"), Some("claude"));
/// assert_eq!(family_by_shape("preclaudette-7b"), None);
/// ```
pub fn family_by_shape(model: &str) -> Option<&'static str> {
    let mut words = model.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| word.eq_ignore_ascii_case("claude")).then_some("claude")
}

/// The catalog: an origin is resolved only where it names one row and no other.
impl EndpointResolver for crate::catalog::Catalog {
    fn resolve(&self, origin: &Origin) -> Option<Endpoint> {
        let row = only(self.rows(), |row| origin.names([&row.provider, &row.model, &row.protocol, &row.family]));
        row.map(Into::into)
    }
}

impl From<&crate::catalog::Model> for Endpoint {
    fn from(row: &crate::catalog::Model) -> Self {
        use crate::catalog::{Modality, ReadableReasoning as Catalogued};
        let modality = |modality: &Modality| match modality {
            Modality::Text => "text",
            Modality::Image => "image",
            Modality::Document => "document",
            Modality::Audio => "audio",
            Modality::Video => "video",
        };
        Self {
            provider: row.provider.clone(),
            model: row.model.clone(),
            family: row.family.clone(),
            protocol: row.protocol.clone(),
            readable_reasoning: match row.capabilities.readable_reasoning {
                Catalogued::None => ReadableReasoning::None,
                Catalogued::Summary => ReadableReasoning::Summary,
                Catalogued::Exposed => ReadableReasoning::Exposed,
            },
            opaque_states: row.capabilities.opaque_reasoning.clone(),
            modalities: row.capabilities.modalities.iter().map(|one| modality(one).to_owned()).collect(),
            server_tools: row.capabilities.server_tools.clone(),
            context_window: Some(row.context_window.into()),
        }
    }
}
