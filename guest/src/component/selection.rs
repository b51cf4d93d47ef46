//! The part of the border that is about models: the catalog and the selection over it.

use super::bindings::exports::winter::runtime::{catalog as wit_catalog, selection as wit, types as wit_types};
use super::{Component, all, same, same_record};
use crate::catalog::{self, Catalog, Document};
use crate::report::Refusal;
use crate::selection::{self, Row};

pub(super) fn merged(documents: &[wit_catalog::Document]) -> Result<Catalog, wit_types::Refusal> {
    let documents: Vec<_> =
        documents.iter().map(|document| Document { name: &document.name, text: &document.text }).collect();
    Catalog::built_in().merge(&documents).map_err(|error| Refusal::from(error).into())
}

impl wit_catalog::Guest for Component {
    fn models(documents: Vec<wit_catalog::Document>) -> Result<Vec<wit_catalog::Model>, wit_types::Refusal> {
        Ok(all(merged(&documents)?.rows().to_vec()))
    }
}

impl wit::Guest for Component {
    fn packed(documents: Vec<wit_catalog::Document>) -> Result<String, wit_types::Refusal> {
        Ok(selection::packed(&merged(&documents)?))
    }

    fn credentials(document: wit_catalog::Document) -> Result<Vec<wit::Credential>, wit_types::Refusal> {
        selection::credentials(&document.name, &document.text).map(all).map_err(Into::into)
    }

    fn select(input: wit::Input) -> Result<wit::Answer, wit_types::Refusal> {
        let persisted: Option<selection::Selection> = input.persisted.map(Into::into);
        let had = persisted.as_ref().map(|had| had.canonical_model.as_str());
        let models: Vec<&str> = had.into_iter().collect();
        let unpacking = selection::Unpacking::of(&input.catalog, &[&input.requested.model], &models);
        let unpacking = unpacking.map_err(Refusal::from)?;
        let rows: Vec<Row<'_>> = unpacking.rows();
        let credentials = all(input.credentials);
        let answer = selection::select(&selection::Input {
            requested: input.requested.into(),
            rows: &rows,
            credentials: &credentials,
            persisted,
            explain: input.explain,
        });
        Ok(answer.into())
    }

    fn rule_id_of(id: String) -> Option<wit::RuleId> {
        selection::rule_id_of(&id).map(|rule| wit::RuleId {
            id: rule.id.to_owned(),
            runtime: rule.runtime.into(),
            retired: rule.retired,
            says: rule.says.to_owned(),
        })
    }
}

impl From<selection::Outcome> for wit::Outcome {
    fn from(outcome: selection::Outcome) -> Self {
        match outcome {
            selection::Outcome::Selected(selected) => Self::Selected(selected.into()),
            selection::Outcome::Refused(refused) => Self::Refused(refused.into()),
        }
    }
}

same!(catalog::AuthKind => wit_catalog::AuthKind { ApiKey, Oauth, Cloud, Console, NoneNeeded });
same!(wit_catalog::AuthKind => catalog::AuthKind { ApiKey, Oauth, Cloud, Console, NoneNeeded });
same!(catalog::Modality => wit_catalog::Modality { Text, Image, Document, Audio, Video });
same!(catalog::ReadableReasoning => wit_catalog::ReadableReasoning { None, Summary, Exposed });
same_record!(catalog::Fact => wit_catalog::Fact { what, date, source });
same_record!(catalog::Capabilities => wit_catalog::Capabilities {
    modalities + all, readable_reasoning + into, opaque_reasoning, server_tools,
});
same_record!(catalog::Model => wit_catalog::Model {
    provider, model, canonical_model, family, protocol, auth_views + all, context_window, capabilities + into, facts + all,
});
same!(wit::RuntimeKind => selection::RuntimeKind { WinterAgent, ClaudeAgent });
same!(selection::RuntimeKind => wit::RuntimeKind { WinterAgent, ClaudeAgent });
same!(wit::AuthFamily => selection::AuthFamily { ApiKey, Oauth, Cloud, ConsoleProfile, NoneNeeded });
same!(selection::AuthFamily => wit::AuthFamily { ApiKey, Oauth, Cloud, ConsoleProfile, NoneNeeded });
same!(selection::RefusalReason => wit::RefusedBecause {
    BareModelId, ProviderMismatch, UnknownModel, RuntimeUnavailable, NoCredential,
});
same!(selection::Applied => wit::Applied { Decided, No, NotReached });
same_record!(wit::Credential => selection::Credential { provider, kind + into, reference });
same_record!(selection::Credential => wit::Credential { provider, kind + into, reference });
same_record!(wit::Requested => selection::Requested { model, provider, runtime + option });
same_record!(wit::Selected => selection::Selection {
    runtime + into, rule_id, provider, model, canonical_model, family, auth_family + into, credential_reference,
});
same_record!(selection::Selection => wit::Selected {
    runtime + into, rule_id, provider, model, canonical_model, family, auth_family + into, credential_reference,
});
same_record!(selection::Alternative => wit::Alternative { tag, provider, canonical_model, configured, auth + all });
same_record!(selection::Refusal => wit::Refused { reason + into, message, alternatives + all });
same_record!(selection::Step => wit::Step { id, when, applied + into, because });
same_record!(selection::Answer => wit::Answer { outcome + into, steps + all });
