//! The decision table: the first row that applies decides.

use super::case::Case;
use super::{Alternative, RefusalReason, RuntimeKind};

/// What a row of the table answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decides {
    /// Nothing is selected.
    Refuse(RefusalReason),
    /// The selection that the session has stays as it is, its rule id included.
    Keep,
    /// This runtime serves it.
    Serve(RuntimeKind),
}

/// One row of the decision table.
pub struct Rule {
    /// What answers and records carry; two rows may share one.
    pub id: &'static str,
    /// The condition, in words.
    pub when: &'static str,
    /// The answer.
    pub decides: Decides,
    /// Why, in one sentence.
    pub why: &'static str,
    /// Where the row comes from.
    pub source: &'static str,
    /// Whether the condition holds, and what was seen.
    pub(super) test: fn(&Case<'_>) -> (bool, String),
    /// What is offered with a refusal.
    pub(super) offers: fn(&Case<'_>) -> Vec<Alternative>,
}

const CONTRACT: &str = "the library's contract, selection";
const OURS: &str = "winter, selection of a session that has one";

/// Every row, in order.
pub static RULES: &[Rule] = &[
    Rule {
        id: "bare-model-id",
        when: "the model holds no `/`",
        decides: Decides::Refuse(RefusalReason::BareModelId),
        why: "two providers may serve one id, and nobody guesses which was meant",
        source: CONTRACT,
        test: bare_model_id,
        offers: |_| Vec::new(),
    },
    Rule {
        id: "provider-mismatch",
        when: "the tag and the request name different providers",
        decides: Decides::Refuse(RefusalReason::ProviderMismatch),
        why: "the tag alone says who serves; taking one side would send a request where it was not meant to go",
        source: CONTRACT,
        test: provider_mismatch,
        offers: |case| case.of_either_provider(),
    },
    Rule {
        id: "unknown-model",
        when: "no row of the catalog has the tag",
        decides: Decides::Refuse(RefusalReason::UnknownModel),
        why: "what nobody has described is not asked for",
        source: CONTRACT,
        test: unknown_model,
        offers: |case| case.near(),
    },
    Rule {
        id: "runtime-unavailable",
        when: "the runtime is `claude-agent`",
        decides: Decides::Refuse(RefusalReason::RuntimeUnavailable),
        why: "that runtime is retired; its name stays for the records that carry it",
        source: CONTRACT,
        test: retired_runtime,
        offers: |case| case.itself(),
    },
    Rule {
        id: "runtime-unavailable",
        when: "nothing but a Claude login (OAuth) would open a Claude row",
        decides: Decides::Refuse(RefusalReason::RuntimeUnavailable),
        why: "a login to a Claude subscription never routes to this runtime",
        source: "the library's contract, selection, D28",
        test: claude_oauth,
        offers: |case| case.siblings(),
    },
    Rule {
        id: "no-credential",
        when: "the session's own selection is asked for again and its credential no longer opens the row",
        decides: Decides::Refuse(RefusalReason::NoCredential),
        why: "a session does not change whom it acts as without being asked",
        source: OURS,
        test: persisted_credential_gone,
        offers: |case| case.siblings(),
    },
    Rule {
        id: "persisted",
        when: "the session's own selection is asked for again, and its row and credential are there",
        decides: Decides::Keep,
        why: "what has not changed is not decided twice",
        source: OURS,
        test: persisted,
        offers: |_| Vec::new(),
    },
    Rule {
        id: "no-credential",
        when: "nothing opens the row",
        decides: Decides::Refuse(RefusalReason::NoCredential),
        why: "a sibling that is configured is offered, and never taken unasked",
        source: CONTRACT,
        test: no_credential,
        offers: |case| case.siblings(),
    },
    Rule {
        id: "D13-3",
        when: "the row is not a Claude row",
        decides: Decides::Serve(RuntimeKind::WinterAgent),
        why: "`winter-agent` speaks every protocol of the catalog",
        source: "the library's contract, selection, D13",
        test: not_claude,
        offers: |_| Vec::new(),
    },
    Rule {
        id: "R-7b-1-no-peer",
        when: "the row is a Claude row",
        decides: Decides::Serve(RuntimeKind::WinterAgent),
        why: "no other runtime serves Claude models any more",
        source: "the library's contract, selection, one runtime",
        test: claude,
        offers: |_| Vec::new(),
    },
];

fn bare_model_id(case: &Case<'_>) -> (bool, String) {
    let tag = case.tag();
    match case.named {
        None => (true, format!("`{tag}` names no provider: a model is asked for by its tag, `<provider>/<model>`")),
        Some((provider, _)) => (false, format!("`{tag}` names provider `{provider}`")),
    }
}

fn provider_mismatch(case: &Case<'_>) -> (bool, String) {
    let (tag, named) = (case.tag(), case.named.map_or("", |(provider, _)| provider));
    match case.input.requested.provider.as_deref() {
        None => (false, format!("the tag alone names a provider, `{named}`")),
        Some(asked) if asked == named => (false, format!("both name provider `{named}`")),
        Some(asked) => (true, format!("`{tag}` names provider `{named}`, and the request names provider `{asked}`")),
    }
}

fn unknown_model(case: &Case<'_>) -> (bool, String) {
    let tag = case.tag();
    match (case.row, case.again) {
        (Some(_), _) => (false, format!("the catalog has `{tag}`")),
        (None, Some(_)) => (true, format!("`{tag}`, which the session has, is no longer in the catalog")),
        (None, None) => (true, format!("no row of the catalog has the tag `{tag}`")),
    }
}

fn retired_runtime(case: &Case<'_>) -> (bool, String) {
    let whose = if case.input.requested.runtime.is_some() { "the request" } else { "the session's own selection" };
    match case.runtime() {
        None => (false, "no runtime is named".to_owned()),
        Some(RuntimeKind::WinterAgent) => (false, format!("{whose} names `winter-agent`, which serves")),
        Some(RuntimeKind::ClaudeAgent) => (
            true,
            format!(
                "{whose} names the runtime `claude-agent`, which is retired; `winter-agent` serves `{}`",
                case.tag()
            ),
        ),
    }
}

fn claude_oauth(case: &Case<'_>) -> (bool, String) {
    match (case.claude_oauth(), case.usable.first()) {
        (None, _) => (false, "no Claude login stands where this row needs a credential".to_owned()),
        (Some(login), Some(other)) => (
            false,
            format!("`{}` opens the row; the Claude login `{}` is passed over", other.reference, login.reference),
        ),
        (Some(login), None) => (
            true,
            format!(
                "`{}` is a Claude model, and of provider `{}` there is the Claude login `{}`, which never routes to \
                 `winter-agent`, and nothing else that opens it",
                case.tag(),
                login.provider,
                login.reference
            ),
        ),
    }
}

fn persisted_credential_gone(case: &Case<'_>) -> (bool, String) {
    let Some(again) = case.again else { return (false, not_again(case)) };
    let reference = &again.credential_reference;
    match case.persisted_credential() {
        Some(_) => (false, format!("its credential `{reference}` is there")),
        None => (
            true,
            format!("the session has `{}` with the credential `{reference}`, which no longer opens it", case.tag()),
        ),
    }
}

fn persisted(case: &Case<'_>) -> (bool, String) {
    match case.again {
        Some(again) => (true, format!("the session has `{}` already, by `{}`", case.tag(), again.rule_id)),
        None => (false, not_again(case)),
    }
}

fn not_again(case: &Case<'_>) -> String {
    match &case.input.persisted {
        None => "the session has no selection yet".to_owned(),
        Some(other) => {
            format!("the session has `{}/{}` on `{}`: a new request", other.provider, other.model, other.runtime.name())
        }
    }
}

fn no_credential(case: &Case<'_>) -> (bool, String) {
    let provider = case.named.map_or("", |(provider, _)| provider);
    match case.usable.first() {
        Some(held) => (false, format!("`{}` opens it", held.reference)),
        None => (
            true,
            format!("`{}` needs a credential of provider `{provider}`, and there is none that opens it", case.tag()),
        ),
    }
}

fn not_claude(case: &Case<'_>) -> (bool, String) {
    let family = case.row.map_or("", |row| row.family);
    (case.row.is_some_and(|row| !row.is_claude()), format!("its family is `{family}`"))
}

fn claude(case: &Case<'_>) -> (bool, String) {
    let family = case.row.map_or("", |row| row.family);
    (case.row.is_some_and(super::Row::is_claude), format!("its family is `{family}`"))
}
