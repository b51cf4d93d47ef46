//! Every row of the table has a test of its name; the order of what is handed in never matters.

use proptest::prelude::*;

use super::*;
use crate::catalog::Catalog;
use crate::testing::test;

fn credential(provider: &str, kind: AuthKind, reference: &str) -> Credential {
    Credential { provider: provider.to_owned(), kind, reference: reference.to_owned() }
}

fn asked(model: &str) -> Requested {
    Requested { model: model.to_owned(), provider: None, runtime: None }
}

/// The answer over the built-in catalog without the tags of `gone`.
fn answer(requested: Requested, credentials: &[Credential], persisted: Option<Selection>, gone: &[&str]) -> Answer {
    let catalog = Catalog::built_in();
    let rows: Vec<Row<'_>> =
        catalog.rows().iter().filter(|row| !gone.contains(&row.tag().as_str())).map(Row::from).collect();
    let input = Input { requested, rows: &rows, credentials, persisted, explain: true };
    let explained = select(&input);
    let plain = select(&Input { explain: false, ..input.clone() });
    assert_eq!((&plain.outcome, plain.steps.len()), (&explained.outcome, 0));
    assert_eq!(select(&Input { rows: &relevant(&input), ..input.clone() }), explained);
    explained
}

fn selected(requested: Requested, credentials: &[Credential]) -> Selection {
    kept(answer(requested, credentials, None, &[]))
}

fn kept(answer: Answer) -> Selection {
    match answer.outcome {
        Outcome::Selected(selection) => selection,
        Outcome::Refused(refusal) => panic!("{refusal:?}"),
    }
}

fn refused(requested: Requested, credentials: &[Credential]) -> Refusal {
    refusal(answer(requested, credentials, None, &[]))
}

fn refusal(answer: Answer) -> Refusal {
    match answer.outcome {
        Outcome::Refused(refusal) => refusal,
        Outcome::Selected(selection) => panic!("{selection:?}"),
    }
}

fn tags(refusal: &Refusal) -> Vec<&str> {
    refusal.alternatives.iter().map(|one| one.tag.as_str()).collect()
}

/// The condition of the row that decided.
fn decided_by(answer: &Answer) -> &str {
    let decided: Vec<&Step> = answer.steps.iter().filter(|step| step.applied == Applied::Decided).collect();
    assert_eq!((decided.len(), answer.steps.len()), (1, RULES.len()));
    &decided[0].when
}

fn key(provider: &str) -> Credential {
    credential(provider, AuthKind::ApiKey, &format!("key:{provider}"))
}

#[test]
fn bare_model_id() {
    let refusal = refused(asked("claude-opus-5"), &[key("anthropic")]);
    assert_eq!((refusal.reason, refusal.alternatives.len()), (RefusalReason::BareModelId, 0));
    assert_eq!(
        refusal.message,
        "`claude-opus-5` names no provider: a model is asked for by its tag, `<provider>/<model>`; write \
         `<provider>/claude-opus-5`"
    );
    assert_eq!(refused(asked(""), &[]).reason, RefusalReason::BareModelId);
}

#[test]
fn bare_model_id_is_refused_before_any_row_is_looked_at() {
    let bare = Row { provider: "", model: "x", canonical_model: "x", family: "x", auth_views: &[AuthKind::NoneNeeded] };
    let held = [credential("", AuthKind::NoneNeeded, "")];
    let input = Input { requested: asked("x"), rows: &[bare], credentials: &held, persisted: None, explain: false };
    assert_eq!(refusal(select(&input)).reason, RefusalReason::BareModelId);
}

#[test]
fn provider_mismatch() {
    let requested = Requested { provider: Some("bedrock".to_owned()), ..asked("anthropic/claude-opus-5") };
    let refusal = refused(requested, &[key("anthropic"), key("bedrock")]);
    assert_eq!(refusal.reason, RefusalReason::ProviderMismatch);
    assert_eq!(tags(&refusal), ["anthropic/claude-opus-5", "bedrock/global.anthropic.claude-opus-5"]);
    assert_eq!(
        refusal.message,
        "`anthropic/claude-opus-5` names provider `anthropic`, and the request names provider `bedrock`; leave the \
         provider out, or ask for what it serves, ready: `anthropic/claude-opus-5`, \
         `bedrock/global.anthropic.claude-opus-5`"
    );
    let agrees = Requested { provider: Some("anthropic".to_owned()), ..asked("anthropic/claude-opus-5") };
    assert_eq!(selected(agrees, &[key("anthropic")]).provider, "anthropic");
}

#[test]
fn unknown_model() {
    let refusal = refused(asked("anthropic/claude-opus-6"), &[key("anthropic")]);
    assert_eq!(refusal.reason, RefusalReason::UnknownModel);
    assert_eq!(refusal.alternatives.len(), 3);
    assert_eq!(tags(&refusal)[0], "anthropic/claude-opus-5");
    assert!(refusal.alternatives[0].configured);
    assert!(
        refusal
            .message
            .starts_with("no row of the catalog has the tag `anthropic/claude-opus-6`; the nearest tags, ready: ")
    );
    for odd in ["/", "anthropic/", "/claude-opus-5", "openrouter/openai", "Anthropic/claude-opus-5"] {
        assert_eq!(refused(asked(odd), &[]).reason, RefusalReason::UnknownModel, "{odd}");
    }
}

#[test]
fn unknown_model_in_an_empty_catalog() {
    let input = Input { requested: asked("a/b"), rows: &[], credentials: &[], persisted: None, explain: false };
    assert_eq!(
        refusal(select(&input)).message,
        "no row of the catalog has the tag `a/b`; the nearest tags: there is none"
    );
}

#[test]
fn runtime_unavailable_for_the_retired_runtime() {
    let requested = Requested { runtime: Some(RuntimeKind::ClaudeAgent), ..asked("anthropic/claude-opus-5") };
    let refusal = refused(requested, &[key("anthropic")]);
    assert_eq!(refusal.reason, RefusalReason::RuntimeUnavailable);
    assert_eq!(
        refusal.message,
        "the request names the runtime `claude-agent`, which is retired; `winter-agent` serves `anthropic/claude-opus-5`; \
         ask for `winter-agent`, ready: `anthropic/claude-opus-5`"
    );
    let serves = Requested { runtime: Some(RuntimeKind::WinterAgent), ..asked("anthropic/claude-opus-5") };
    assert_eq!(selected(serves, &[key("anthropic")]).runtime, RuntimeKind::WinterAgent);
}

#[test]
fn runtime_unavailable_for_a_claude_login() {
    let login = credential("anthropic", AuthKind::Oauth, "login:me");
    let refusal =
        refused(asked("anthropic/claude-opus-5"), &[login.clone(), credential("vertex", AuthKind::Cloud, "gcp")]);
    assert_eq!(refusal.reason, RefusalReason::RuntimeUnavailable);
    assert!(
        refusal.message.contains("the Claude login `login:me`, which never routes to `winter-agent`, and nothing else"),
        "{refusal:?}"
    );
    let own = refusal.alternatives.iter().find(|one| one.tag == "anthropic/claude-opus-5").unwrap();
    assert_eq!((own.configured, own.auth.as_slice()), (false, [AuthFamily::ApiKey].as_slice()));
    assert!(refusal.alternatives.iter().any(|one| one.provider == "vertex" && one.configured));
    let both = selected(asked("anthropic/claude-opus-5"), &[login, key("anthropic")]);
    assert_eq!((both.auth_family, both.credential_reference.as_str()), (AuthFamily::ApiKey, "key:anthropic"));
}

#[test]
fn a_login_of_another_family_serves() {
    let views = [AuthKind::Oauth];
    let row = Row { provider: "lab", model: "one", canonical_model: "one", family: "claudette", auth_views: &views };
    let held = [credential("lab", AuthKind::Oauth, "login")];
    let input =
        Input { requested: asked("lab/one"), rows: &[row], credentials: &held, persisted: None, explain: false };
    assert_eq!(kept(select(&input)).auth_family, AuthFamily::Oauth);
}

#[test]
fn no_credential() {
    use AuthFamily::{ApiKey, Cloud, ConsoleProfile};
    let refusal =
        refused(asked("anthropic/claude-opus-5"), &[credential("bedrock", AuthKind::Cloud, "aws"), key("openai")]);
    assert_eq!(refusal.reason, RefusalReason::NoCredential);
    let shown: Vec<_> =
        refusal.alternatives.iter().map(|one| (one.tag.as_str(), one.configured, one.auth.as_slice())).collect();
    assert_eq!(
        shown,
        [
            ("anthropic/claude-opus-5", false, [ApiKey].as_slice()),
            ("bedrock/global.anthropic.claude-opus-5", true, &[Cloud, ApiKey]),
            ("console/claude-opus-5", false, &[ConsoleProfile]),
            ("vertex/claude-opus-5", false, &[Cloud]),
        ]
    );
    assert_eq!(
        refusal.message,
        "`anthropic/claude-opus-5` needs a credential of provider `anthropic`, and there is none that opens it; what \
         serves that model, ready: `bedrock/global.anthropic.claude-opus-5`; not configured: `anthropic/claude-opus-5` \
         (needs api-key), `console/claude-opus-5` (needs console-profile), `vertex/claude-opus-5` (needs cloud)"
    );
}

#[test]
fn no_credential_where_the_kind_does_not_fit() {
    let held = [credential("openai", AuthKind::Oauth, "login"), credential("openai", AuthKind::NoneNeeded, "")];
    assert_eq!(refused(asked("openai/gpt-5.6"), &held).reason, RefusalReason::NoCredential);
    assert_eq!(refused(asked("lmstudio/openai/gpt-oss-120b"), &[]).reason, RefusalReason::NoCredential);
}

#[test]
#[allow(non_snake_case, reason = "the name of the row")]
fn D13_3() {
    let selection = selected(asked("openrouter/openai/gpt-oss-120b"), &[key("openrouter"), key("openai")]);
    assert_eq!((selection.runtime, selection.rule_id.as_str()), (RuntimeKind::WinterAgent, "D13-3"));
    assert_eq!((selection.provider.as_str(), selection.model.as_str()), ("openrouter", "openai/gpt-oss-120b"));
    assert_eq!((selection.canonical_model.as_str(), selection.family.as_str()), ("gpt-oss-120b", "gpt-oss"));
    assert_eq!(
        (selection.auth_family, selection.credential_reference.as_str()),
        (AuthFamily::ApiKey, "key:openrouter")
    );
    let local = [credential("lmstudio", AuthKind::NoneNeeded, "")];
    assert_eq!(selected(asked("lmstudio/openai/gpt-oss-120b"), &local).auth_family, AuthFamily::NoneNeeded);
}

#[test]
#[allow(non_snake_case, reason = "the name of the row")]
fn R_7b_1_no_peer() {
    for (tag, held) in [
        ("anthropic/claude-opus-5", key("anthropic")),
        ("vertex/claude-haiku-4-5@20251001", credential("vertex", AuthKind::Cloud, "gcp")),
    ] {
        let selection = selected(asked(tag), &[held]);
        assert_eq!((selection.runtime, selection.rule_id.as_str()), (RuntimeKind::WinterAgent, "R-7b-1-no-peer"));
    }
}

#[test]
fn a_console_row_is_a_console_profile_whatever_its_credential_is() {
    use AuthKind::{ApiKey, Cloud, Console, NoneNeeded, Oauth};
    for kind in [ApiKey, Oauth, Cloud, Console, NoneNeeded] {
        let selection = selected(asked("console/claude-opus-5"), &[credential("console", kind, "mine")]);
        assert_eq!((selection.auth_family, selection.rule_id.as_str()), (AuthFamily::ConsoleProfile, "R-7b-1-no-peer"));
    }
    assert_eq!(refused(asked("console/claude-opus-5"), &[key("anthropic")]).reason, RefusalReason::NoCredential);
}

#[test]
fn the_kind_that_the_row_prefers_is_taken_and_then_the_first_reference() {
    let held =
        [key("bedrock"), credential("bedrock", AuthKind::Cloud, "b"), credential("bedrock", AuthKind::Cloud, "a")];
    let selection = selected(asked("bedrock/anthropic.claude-opus-4-6-v1"), &held);
    assert_eq!((selection.auth_family, selection.credential_reference.as_str()), (AuthFamily::Cloud, "a"));
}

/// What a session has: `anthropic/claude-opus-5` by an id of long ago.
fn held() -> Selection {
    Selection { rule_id: "D13-2".to_owned(), ..selected(asked("anthropic/claude-opus-5"), &[key("anthropic")]) }
}

#[test]
fn persisted() {
    let found = answer(asked("anthropic/claude-opus-5"), &[key("anthropic")], Some(held()), &[]);
    assert!(decided_by(&found).contains("row and credential are there"));
    assert_eq!(kept(found), held());
    let preferred = credential("anthropic", AuthKind::ApiKey, "a first one");
    let found = answer(asked("anthropic/claude-opus-5"), &[preferred, key("anthropic")], Some(held()), &[]);
    assert_eq!(kept(found), held(), "a credential that came later changes nothing");
    let named = Requested {
        provider: Some("anthropic".to_owned()),
        runtime: Some(RuntimeKind::WinterAgent),
        ..asked("anthropic/claude-opus-5")
    };
    assert_eq!(kept(answer(named, &[key("anthropic")], Some(held()), &[])), held());
}

#[test]
fn persisted_whose_row_has_gone() {
    let cloud = credential("vertex", AuthKind::Cloud, "gcp");
    let found = answer(
        asked("anthropic/claude-opus-5"),
        &[key("anthropic"), cloud],
        Some(held()),
        &["anthropic/claude-opus-5"],
    );
    let refusal = refusal(found);
    assert_eq!(refusal.reason, RefusalReason::UnknownModel);
    assert!(
        refusal.message.starts_with("`anthropic/claude-opus-5`, which the session has, is no longer in the catalog; ")
    );
    let serving = ["bedrock/global.anthropic.claude-opus-5", "console/claude-opus-5", "vertex/claude-opus-5"];
    assert_eq!(tags(&refusal)[..3], serving);
    assert!(tags(&refusal).contains(&"anthropic/claude-opus-5-5"), "and the nearest");
}

#[test]
fn persisted_whose_credential_has_gone() {
    let other = credential("anthropic", AuthKind::ApiKey, "another");
    let found = answer(asked("anthropic/claude-opus-5"), &[other], Some(held()), &[]);
    assert!(decided_by(&found).contains("no longer opens the row"));
    let refusal = refusal(found);
    assert_eq!(refusal.reason, RefusalReason::NoCredential);
    assert!(
        refusal
            .message
            .contains("the credential `key:anthropic`, which no longer opens it; what serves that model, ready: ")
    );
    let own = &refusal.alternatives[0];
    assert_eq!(
        (own.tag.as_str(), own.configured),
        ("anthropic/claude-opus-5", true),
        "it would serve, once asked for anew"
    );
}

#[test]
fn persisted_whose_credential_has_become_another_kind() {
    let same_name = credential("bedrock", AuthKind::ApiKey, "mine");
    let before =
        selected(asked("bedrock/anthropic.claude-opus-4-6-v1"), &[credential("bedrock", AuthKind::Cloud, "mine")]);
    let found = answer(asked("bedrock/anthropic.claude-opus-4-6-v1"), &[same_name], Some(before), &[]);
    assert_eq!(refusal(found).reason, RefusalReason::NoCredential);
}

#[test]
fn persisted_and_another_tag_is_a_new_request() {
    let found = answer(asked("openai/gpt-5.6"), &[key("openai")], Some(held()), &[]);
    assert_eq!(kept(found).rule_id, "D13-3");
    assert_eq!(
        refusal(answer(asked("openai/gpt-5.6"), &[key("anthropic")], Some(held()), &[])).reason,
        RefusalReason::NoCredential
    );
}

#[test]
fn persisted_on_the_retired_runtime() {
    let retired = Selection { runtime: RuntimeKind::ClaudeAgent, rule_id: "D13-1".to_owned(), ..held() };
    let found = answer(asked("anthropic/claude-opus-5"), &[key("anthropic")], Some(retired.clone()), &[]);
    let refusal = refusal(found);
    assert_eq!(refusal.reason, RefusalReason::RuntimeUnavailable);
    assert!(refusal.message.starts_with("the session's own selection names the runtime `claude-agent`"), "{refusal:?}");
    let moved = Requested { runtime: Some(RuntimeKind::WinterAgent), ..asked("anthropic/claude-opus-5") };
    assert_eq!(kept(answer(moved, &[key("anthropic")], Some(retired), &[])).rule_id, "R-7b-1-no-peer");
}

#[test]
fn explain_lists_every_row_once_and_in_order() {
    let found = answer(asked("openai/gpt-5.6"), &[], None, &[]);
    let applied: Vec<Applied> = found.steps.iter().map(|step| step.applied).collect();
    let decided = applied.iter().position(|applied| *applied == Applied::Decided).unwrap();
    assert!(applied[..decided].iter().all(|applied| *applied == Applied::No));
    assert!(applied[decided + 1..].iter().all(|applied| *applied == Applied::NotReached));
    for (step, rule) in found.steps.iter().zip(RULES) {
        assert_eq!((step.id.as_str(), step.when.as_str()), (rule.id, rule.when));
        assert!(!step.because.is_empty());
    }
}

#[test]
fn the_rows_of_the_table_are_those_of_the_contract() {
    let contract = [
        "bare-model-id",
        "provider-mismatch",
        "unknown-model",
        "runtime-unavailable",
        "runtime-unavailable",
        "no-credential",
        "D13-3",
        "R-7b-1-no-peer",
    ];
    let ours = "winter, selection of a session that has one";
    let ids: Vec<&str> = RULES.iter().filter(|rule| rule.source != ours).map(|rule| rule.id).collect();
    assert_eq!(ids, contract);
    for rule in RULES {
        assert!(!rule.when.is_empty() && !rule.why.is_empty(), "{}", rule.id);
        match rule.decides {
            Decides::Refuse(reason) => assert_eq!(reason.code(), rule.id),
            Decides::Serve(runtime) => {
                let id = rule_id_of(rule.id).unwrap();
                assert_eq!((id.runtime, id.retired), (runtime, false));
            }
            Decides::Keep => assert_eq!(rule.id, "persisted"),
        }
    }
}

#[test]
fn retired_ids_read_back() {
    for id in ["D13-1", "D13-2"] {
        assert!(rule_id_of(id).unwrap().retired);
    }
    assert!(rule_id_of("").is_none() && rule_id_of("persisted").is_none());
}

#[test]
fn records_are_written_and_read_in_kebab_case() {
    let text = serde_json::to_string(&held()).unwrap();
    assert_eq!(
        text,
        r#"{"runtime":"winter-agent","rule-id":"D13-2","provider":"anthropic","model":"claude-opus-5","canonical-model":"claude-opus-5","family":"claude","auth-family":"api-key","credential-reference":"key:anthropic"}"#
    );
    assert_eq!(serde_json::from_str::<Selection>(&text).unwrap(), held());
    let old = text.replace("winter-agent", "claude-agent");
    assert_eq!(serde_json::from_str::<Selection>(&old).unwrap().runtime, RuntimeKind::ClaudeAgent);
    assert!(
        serde_json::from_str::<Credential>(r#"{"provider":"a","kind":"api-key","reference":"r","secret":"s"}"#)
            .is_err()
    );
}

/// Few names, so that tags, models and providers meet; some rows stand twice with different content.
fn models() -> impl Strategy<Value = Vec<(usize, usize, usize, usize)>> {
    prop::collection::vec((0..3_usize, 0..3_usize, 0..2_usize, 0..4_usize), 0..8)
}

const PROVIDERS: [&str; 4] = ["a", "console", "b", "a/b"];
const MODELS: [&str; 4] = ["m", "n", "b/m", "claude"];
const FAMILIES: [&str; 2] = ["claude-opus", "gpt"];
const VIEWS: [&[AuthKind]; 4] =
    [&[AuthKind::ApiKey], &[AuthKind::Oauth, AuthKind::ApiKey], &[], &[AuthKind::NoneNeeded, AuthKind::Console]];
const KINDS: [AuthKind; 4] = [AuthKind::ApiKey, AuthKind::Oauth, AuthKind::Console, AuthKind::NoneNeeded];

proptest! {
    #[test]
    fn order_never_matters_and_no_sibling_is_served(
        (rows, shuffled) in models().prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
        (held, mixed) in prop::collection::vec((0..3_usize, 0..4_usize, 0..2_usize), 0..6)
            .prop_flat_map(|held| (Just(held.clone()), Just(held).prop_shuffle())),
        wanted in (0..4_usize, 0..4_usize), other in prop::option::of(0..4_usize), again in prop::option::of(0..3_usize),
    ) {
        let row = |&(provider, model, family, views): &(usize, usize, usize, usize)| Row {
            provider: PROVIDERS[provider],
            model: MODELS[model],
            canonical_model: MODELS[model % 2],
            family: FAMILIES[family],
            auth_views: VIEWS[views],
        };
        let credential = |&(provider, kind, reference): &(usize, usize, usize)| {
            credential(PROVIDERS[provider], KINDS[kind], ["x", "y"][reference])
        };
        let (rows, shuffled): (Vec<_>, Vec<_>) = (rows.iter().map(row).collect(), shuffled.iter().map(row).collect());
        let (held, mixed): (Vec<_>, Vec<_>) = (held.iter().map(credential).collect(), mixed.iter().map(credential).collect());
        let tag = format!("{}/{}", PROVIDERS[wanted.0], MODELS[wanted.1]);
        let requested = Requested { provider: other.map(|other| PROVIDERS[other].to_owned()), ..asked(&tag) };
        let persisted = again.map(|reference| Selection {
            runtime: RuntimeKind::WinterAgent,
            rule_id: "D13-1".to_owned(),
            provider: PROVIDERS[wanted.0].to_owned(),
            model: MODELS[wanted.1].to_owned(),
            canonical_model: MODELS[reference % 2].to_owned(),
            family: "claude".to_owned(),
            auth_family: AuthFamily::ApiKey,
            credential_reference: ["x", "y", "z"][reference].to_owned(),
        });
        let input = Input { requested, rows: &rows, credentials: &held, persisted, explain: true };
        let found = select(&input);
        prop_assert_eq!(&select(&Input { rows: &shuffled, credentials: &mixed, ..input.clone() }), &found);
        prop_assert_eq!(&select(&Input { rows: &relevant(&input), ..input.clone() }), &found);
        if let Outcome::Selected(selection) = &found.outcome {
            prop_assert_eq!(format!("{}/{}", selection.provider, selection.model), tag);
            let opens = |one: &Credential| one.provider == selection.provider && one.reference == selection.credential_reference;
            prop_assert!(held.iter().any(opens));
            prop_assert!(selection.auth_family != AuthFamily::Oauth || !selection.family.starts_with("claude"));
        }
    }
}
