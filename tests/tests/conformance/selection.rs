//! Selection: the component over a packed catalog, and the native crate over its rows.

use proptest::prelude::*;
use winter_policy::catalog::{AuthKind, Catalog, Document};
use winter_policy::selection::{self, Credential, Input, Requested, Row, RuntimeKind};
use winter_runner::contract::{catalog as wit_catalog, selection as wit};

use crate::runner;

const OWN: &str = r#"{"models":[{"provider":"mine","model":"claude-opus-5","canonical-model":"claude-opus-5","family":"claude",
    "protocol":"anthropic-messages","auth-views":["oauth"],"context-window":1000,
    "capabilities":{"modalities":["text"],"readable-reasoning":"none","opaque-reasoning":[],"server-tools":[]},"facts":[]}]}"#;

fn tags() -> Vec<String> {
    let built_in = Catalog::built_in();
    let mut tags: Vec<String> = built_in.rows().iter().map(winter_policy::catalog::Model::tag).collect();
    tags.extend(["opus", "openai/gpt5", "mine/claude-opus-5", "anthropic/", "/", "nobody/none"].map(str::to_owned));
    tags
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn select(
        tag in proptest::sample::select(tags()),
        provider in proptest::option::of(proptest::sample::select(vec!["anthropic", "openai"])),
        retired in any::<bool>(),
        explain in any::<bool>(),
        held in proptest::collection::vec((proptest::sample::select(vec!["anthropic", "bedrock", "openai", "console", "mine"]), 0_usize..5), 0..4),
    ) {
        let documents = [Document { name: "own.json", text: OWN.as_bytes() }];
        let catalog = Catalog::built_in().merge(&documents).unwrap();
        let rows: Vec<Row<'_>> = catalog.rows().iter().map(Row::from).collect();
        let kinds = [AuthKind::ApiKey, AuthKind::Oauth, AuthKind::Cloud, AuthKind::Console, AuthKind::NoneNeeded];
        let wit_kinds = [
            wit_catalog::AuthKind::ApiKey,
            wit_catalog::AuthKind::Oauth,
            wit_catalog::AuthKind::Cloud,
            wit_catalog::AuthKind::Console,
            wit_catalog::AuthKind::NoneNeeded,
        ];
        let credentials: Vec<Credential> = held
            .iter()
            .map(|(provider, kind)| Credential { provider: (*provider).into(), kind: kinds[*kind], reference: format!("ref-{kind}") })
            .collect();
        let native = selection::select(&Input {
            requested: Requested {
                model: tag.clone(),
                provider: provider.map(str::to_owned),
                runtime: retired.then_some(RuntimeKind::ClaudeAgent),
            },
            rows: &rows,
            credentials: &credentials,
            persisted: None,
            explain,
        });
        let wit_documents = [wit_catalog::Document { name: "own.json".into(), text: OWN.as_bytes().to_vec() }];
        let component = runner().select(&wit::Input {
            requested: wit::Requested {
                model: tag,
                provider: provider.map(str::to_owned),
                runtime: retired.then_some(wit::RuntimeKind::ClaudeAgent),
            },
            catalog: runner().packed_catalog(&wit_documents).unwrap(),
            credentials: held
                .iter()
                .map(|(provider, kind)| wit::Credential { provider: (*provider).into(), kind: wit_kinds[*kind], reference: format!("ref-{kind}") })
                .collect(),
            persisted: None,
            explain,
        }).unwrap();
        prop_assert_eq!(serde_json::to_string(&native).unwrap(), winter_runner::json::answer(&component).to_string());
    }
}

#[test]
fn the_catalog() {
    let native = serde_json::to_value(Catalog::built_in().rows()).unwrap();
    let component: serde_json::Value = runner().models(&[]).unwrap().iter().map(winter_runner::json::model).collect();
    assert_eq!(native.to_string(), component.to_string());
}

#[test]
fn documents_that_are_none() {
    for text in ["{", r#"{"models":[{"provider":"X"}]}"#, r#"{"models":1}"#] {
        let documents = [Document { name: "d.json", text: text.as_bytes() }];
        let native = winter_policy::report::Refusal::from(Catalog::built_in().merge(&documents).unwrap_err());
        let wit_documents = [wit_catalog::Document { name: "d.json".into(), text: text.as_bytes().to_vec() }];
        let Err(winter_runner::RunnerError::Refused(component)) = runner().models(&wit_documents) else {
            panic!("{text}")
        };
        let native = serde_json::to_string(&native).unwrap();
        assert_eq!(native, winter_runner::json::refusal(&component).to_string());
    }
}

#[test]
fn rule_ids_read_back() {
    for id in ["D13-1", "D13-2", "D13-3", "R-7b-1-no-peer", "nothing"] {
        let (native, component) = (selection::rule_id_of(id), runner().rule_id_of(id).unwrap());
        assert_eq!(
            native.map(|rule| (rule.id, rule.retired)),
            component.as_ref().map(|rule| (&*rule.id, rule.retired))
        );
    }
}
