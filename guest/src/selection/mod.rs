//! Which runtime, provider and credential serve a request: one table over what the host hands in.
//!
//! The answer depends on the *set* of rows and credentials, never on their order, and on nothing else. The tag alone
//! pins the provider: the row of the tag is served or the request is refused, and what a sibling could do is offered.

mod case;
mod ids;
mod nearest;
mod packed;
mod sheets;
mod table;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::catalog::{AuthKind, Model};
use case::{Case, family_of};

pub use ids::{RULE_IDS, RuleId, rule_id_of};
pub use packed::{Unpacked, Unpacking, credentials, packed};
pub use sheets::sheets;
pub use table::{Decides, RULES, Rule};

/// What runs a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuntimeKind {
    /// The only one that serves.
    WinterAgent,
    /// Retired; records carry it.
    ClaudeAgent,
}

impl RuntimeKind {
    /// As records carry it.
    ///
    /// ```
    /// assert_eq!(winter_policy::selection::RuntimeKind::WinterAgent.name(), "winter-agent");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::WinterAgent => "winter-agent",
            Self::ClaudeAgent => "claude-agent",
        }
    }
}

/// The way in, as a selection records it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AuthFamily {
    /// A key of the provider's API.
    ApiKey,
    /// A login to a subscription.
    Oauth,
    /// The credentials of a cloud account.
    Cloud,
    /// A profile of the Anthropic Console: every row of provider `console`, whatever its credential is kept as.
    ConsoleProfile,
    /// A server that asks nobody.
    NoneNeeded,
}

impl AuthFamily {
    /// As records carry it.
    ///
    /// ```
    /// assert_eq!(winter_policy::selection::AuthFamily::ConsoleProfile.name(), "console-profile");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::ApiKey => "api-key",
            Self::Oauth => "oauth",
            Self::Cloud => "cloud",
            Self::ConsoleProfile => "console-profile",
            Self::NoneNeeded => "none-needed",
        }
    }
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Requested {
    /// A tag, `<provider>/<model>`.
    pub model: String,
    /// Where it is named too, it must be the provider of the tag.
    pub provider: Option<String>,
    /// None: whichever serves.
    pub runtime: Option<RuntimeKind>,
}

/// What the decision reads of a row of the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Row<'a> {
    /// Who serves it.
    pub provider: &'a str,
    /// What that provider calls it.
    pub model: &'a str,
    /// What it is called wherever it is served.
    pub canonical_model: &'a str,
    /// What it descends from.
    pub family: &'a str,
    /// The kinds of credential that it takes, the preferred one first.
    pub auth_views: &'a [AuthKind],
}

impl<'a> Row<'a> {
    fn key(&self) -> (&'a str, &'a str) {
        (self.provider, self.model)
    }

    /// Whether it serves a Claude model: its family is `claude`, or a part of it such as `claude-opus`.
    ///
    /// ```
    /// use winter_policy::{catalog::Catalog, selection::Row};
    /// let catalog = Catalog::built_in();
    /// assert!(Row::from(catalog.get("vertex/claude-opus-5").unwrap()).is_claude());
    /// assert!(!Row::from(catalog.get("openai/gpt-5.6").unwrap()).is_claude());
    /// ```
    pub fn is_claude(&self) -> bool {
        self.family.strip_prefix("claude").is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    }

    fn is_console(&self) -> bool {
        self.provider == "console"
    }
}

impl<'a> From<&'a Model> for Row<'a> {
    fn from(model: &'a Model) -> Self {
        Self {
            provider: &model.provider,
            model: &model.model,
            canonical_model: &model.canonical_model,
            family: &model.family,
            auth_views: &model.auth_views,
        }
    }
}

/// A credential that the host holds: a reference to it, never the secret.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Credential {
    /// Whom it opens.
    pub provider: String,
    /// What it is.
    pub kind: AuthKind,
    /// What the host finds it by.
    pub reference: String,
}

/// All that a decision reads.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    /// What is asked for.
    pub requested: Requested,
    /// The catalog, in any order; [`relevant`] says which of its rows the answer depends on.
    pub rows: &'a [Row<'a>],
    /// What the host holds, in any order.
    pub credentials: &'a [Credential],
    /// The selection that the session has.
    pub persisted: Option<Selection>,
    /// Whether the answer lists the rows of the table.
    pub explain: bool,
}

/// What serves a request, as a session records it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Selection {
    /// What runs the session.
    pub runtime: RuntimeKind,
    /// The row that decided; [`rule_id_of`] reads it back.
    pub rule_id: String,
    /// Who serves.
    pub provider: String,
    /// What that provider calls it.
    pub model: String,
    /// What it is called wherever it is served.
    pub canonical_model: String,
    /// What it descends from.
    pub family: String,
    /// The way in.
    pub auth_family: AuthFamily,
    /// The credential.
    pub credential_reference: String,
}

/// Why nothing was selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefusalReason {
    /// The model is no tag.
    BareModelId,
    /// The tag and the request name different providers.
    ProviderMismatch,
    /// No row has the tag.
    UnknownModel,
    /// The runtime, or the only way in, is not there any more.
    RuntimeUnavailable,
    /// Nothing opens the row, or not what the session had.
    NoCredential,
}

impl RefusalReason {
    /// Stable, for programs; the id of the row of the table.
    ///
    /// ```
    /// assert_eq!(winter_policy::selection::RefusalReason::NoCredential.code(), "no-credential");
    /// ```
    pub fn code(self) -> &'static str {
        match self {
            Self::BareModelId => "bare-model-id",
            Self::ProviderMismatch => "provider-mismatch",
            Self::UnknownModel => "unknown-model",
            Self::RuntimeUnavailable => "runtime-unavailable",
            Self::NoCredential => "no-credential",
        }
    }
}

/// Something that could be asked for instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Alternative {
    /// What to ask for.
    pub tag: String,
    /// Who serves it.
    pub provider: String,
    /// What it is called wherever it is served.
    pub canonical_model: String,
    /// Whether the host holds a credential that opens it.
    pub configured: bool,
    /// Any one of these would.
    pub auth: Vec<AuthFamily>,
}

/// Why nothing was selected, and what could be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Refusal {
    /// For a program.
    pub reason: RefusalReason,
    /// For a person: what was asked for, what was looked for, and what would work.
    pub message: String,
    /// Sorted by provider and model; for an unknown model the nearest tag first.
    pub alternatives: Vec<Alternative>,
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// This serves it.
    Selected(Selection),
    /// Nothing does.
    Refused(Refusal),
}

/// What came of one row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Applied {
    /// It decided.
    Decided,
    /// Its condition did not hold.
    No,
    /// A row before it had decided.
    NotReached,
}

/// One row of the table, for one request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Step {
    /// Of the row.
    pub id: String,
    /// Its condition.
    pub when: String,
    /// What came of it.
    pub applied: Applied,
    /// What was seen.
    pub because: String,
}

/// What came of a request, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Answer {
    /// What came of it.
    pub outcome: Outcome,
    /// Every row of the table, in order; empty unless it was asked for.
    pub steps: Vec<Step>,
}

/// Which runtime, provider and credential serve a request.
///
/// A refusal is an answer. The order of rows and credentials never matters, and a row of another tag is never served.
///
/// ```
/// use winter_policy::{catalog::*, selection::*};
/// let catalog = Catalog::built_in();
/// let rows: Vec<Row> = catalog.rows().iter().map(Row::from).collect();
/// let key = Credential { provider: "bedrock".into(), kind: AuthKind::Cloud, reference: "profile:work".into() };
/// let requested = Requested { model: "anthropic/claude-opus-5".into(), provider: None, runtime: None };
/// let input = Input { requested, rows: &rows, credentials: &[key], persisted: None, explain: false };
/// let Outcome::Refused(refusal) = select(&input).outcome else { panic!() };
/// assert_eq!(refusal.reason, RefusalReason::NoCredential);
/// assert!(refusal.alternatives.iter().any(|one| one.provider == "bedrock" && one.configured));
/// ```
pub fn select(input: &Input<'_>) -> Answer {
    let case = Case::new(input);
    let mut decided: Option<(&Rule, String)> = None;
    let mut steps = Vec::new();
    for rule in RULES {
        let (applied, because) = match &decided {
            Some((by, _)) => (Applied::NotReached, format!("`{}` had decided", by.id)),
            None => match (rule.test)(&case) {
                (true, seen) => {
                    decided = Some((rule, seen.clone()));
                    (Applied::Decided, seen)
                }
                (false, seen) => (Applied::No, seen),
            },
        };
        if input.explain {
            steps.push(Step { id: rule.id.to_owned(), when: rule.when.to_owned(), applied, because });
        } else if decided.is_some() {
            break;
        }
    }
    let (rule, seen) = decided.unwrap_or((&RULES[0], String::new()));
    Answer { outcome: outcome(&case, rule, &seen), steps }
}

/// The rows that the answer depends on: the row of the tag, whatever serves the same model, and for an unknown tag the
/// nearest ones. [`select`] gives the same answer for them as for all; so no more than these need cross a border.
///
/// ```
/// use winter_policy::{catalog::*, selection::*};
/// let catalog = Catalog::built_in();
/// let rows: Vec<Row> = catalog.rows().iter().map(Row::from).collect();
/// let requested = Requested { model: "anthropic/claude-opus-5".into(), provider: None, runtime: None };
/// let input = Input { requested, rows: &rows, credentials: &[], persisted: None, explain: true };
/// let few = relevant(&input);
/// assert!(few.len() < rows.len());
/// assert_eq!(select(&Input { rows: &few, ..input.clone() }), select(&input));
/// ```
pub fn relevant<'a>(input: &'a Input<'a>) -> Vec<Row<'a>> {
    Case::new(input).rows()
}

fn outcome(case: &Case<'_>, rule: &Rule, seen: &str) -> Outcome {
    match (rule.decides, case.row, case.usable.first(), case.again) {
        (Decides::Keep, _, _, Some(again)) => Outcome::Selected(again.clone()),
        (Decides::Serve(runtime), Some(row), Some(credential), _) => Outcome::Selected(Selection {
            runtime,
            rule_id: rule.id.to_owned(),
            provider: row.provider.to_owned(),
            model: row.model.to_owned(),
            canonical_model: row.canonical_model.to_owned(),
            family: row.family.to_owned(),
            auth_family: family_of(row, credential.kind),
            credential_reference: credential.reference.clone(),
        }),
        (Decides::Refuse(reason), ..) => {
            let alternatives = (rule.offers)(case);
            let message = format!("{seen}; {}", would_work(case, reason, &alternatives));
            Outcome::Refused(Refusal { reason, message, alternatives })
        }
        // A row that serves is reached only with a row and a credential; should that ever not be so, nothing is served.
        _ => Outcome::Refused(Refusal {
            reason: RefusalReason::NoCredential,
            message: seen.to_owned(),
            alternatives: Vec::new(),
        }),
    }
}

fn would_work(case: &Case<'_>, reason: RefusalReason, alternatives: &[Alternative]) -> String {
    let tags = |wanted: bool| {
        let tags = alternatives.iter().filter(|one| one.configured == wanted);
        tags.map(|one| if wanted { format!("`{}`", one.tag) } else { needs(one) }).collect::<Vec<_>>().join(", ")
    };
    let (ready, others) = (tags(true), tags(false));
    let label = match reason {
        RefusalReason::BareModelId => return format!("write `<provider>/{}`", case.tag()),
        RefusalReason::ProviderMismatch => "leave the provider out, or ask for what it serves",
        RefusalReason::UnknownModel if case.again.is_some() => "what serves that model, and the nearest tags",
        RefusalReason::UnknownModel => "the nearest tags",
        RefusalReason::RuntimeUnavailable if case.runtime() == Some(RuntimeKind::ClaudeAgent) => {
            "ask for `winter-agent`"
        }
        RefusalReason::RuntimeUnavailable | RefusalReason::NoCredential => "what serves that model",
    };
    let lists = [("ready", ready), ("not configured", others)];
    let lists: Vec<String> =
        lists.into_iter().filter(|(_, list)| !list.is_empty()).map(|(name, list)| format!("{name}: {list}")).collect();
    if lists.is_empty() { format!("{label}: there is none") } else { format!("{label}, {}", lists.join("; ")) }
}

/// A tag with what it needs.
fn needs(one: &Alternative) -> String {
    let auth: Vec<&str> = one.auth.iter().map(|family| family.name()).collect();
    if auth.is_empty() {
        return format!("`{}` (nothing opens it here)", one.tag);
    }
    format!("`{}` (needs {})", one.tag, auth.join(" or "))
}
