//! Who gave a reply: the entry's own origin, made whole from the catalog and, where that cannot, from the session's
//! record or the shape of the id.

use serde::Serialize;

use super::endpoint::{Endpoint, EndpointResolver, Origin, PersistedSelection, family_by_shape};

/// Which record names the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdentitySource {
    /// The origin record of the entry, in the session's sidecar.
    Sidecar,
    /// The entry itself.
    Entry,
    /// The selection in the runtime directory.
    Persisted,
    /// None.
    Nothing,
}

/// How much is known of the model that is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// The catalog has a row for the whole origin.
    Catalog,
    /// It has none; the session's record names the official leg, which still serves the session.
    OfficialRecord,
    /// It has none; the record gives the family, or the id's shape shows it.
    FamilyOnly,
    /// Nothing.
    Unknown,
}

/// Who gave a reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Identity {
    /// As far as it is known; `family` is `unknown` rather than absent.
    pub origin: Origin,
    /// Which record names it.
    pub source: IdentitySource,
    /// How much is known of it.
    pub standing: Standing,
    /// The catalog's row, or that of the official leg's record.
    pub endpoint: Option<Endpoint>,
}

impl Identity {
    /// Whether a switch to that endpoint stays with the same provider, protocol and family. What is not known is not
    /// the same.
    pub fn shares_profile(&self, target: &Endpoint) -> bool {
        let of = |field: &Option<String>| field.clone().unwrap_or_default();
        let own = (of(&self.origin.provider), of(&self.origin.protocol), of(&self.origin.family));
        (&*own.0, &*own.1, &*own.2) == target.profile()
    }
}

/// What identities are made from.
pub(super) struct Identifier<'a, E: ?Sized> {
    pub endpoints: &'a E,
    pub persisted: &'a PersistedSelection,
}

impl<E: EndpointResolver + ?Sized> Identifier<'_, E> {
    /// The identity behind a sidecar's origin record.
    pub(super) fn of_record(&self, origin: &Origin) -> Identity {
        self.made_whole(origin, IdentitySource::Sidecar)
    }

    /// The identity behind an entry that names no more than a model.
    ///
    /// A runtime that stamps no origins sends all requests through one endpoint, so the session's record says through
    /// which; but only where that makes a row of the catalog, or agrees with the family that the id shows.
    pub(super) fn of_entry(&self, model: &str) -> Identity {
        let bare = Origin { model: model.to_owned(), ..Origin::default() };
        let persisted = &self.persisted.origin;
        let here =
            Origin { provider: persisted.provider.clone(), protocol: persisted.protocol.clone(), ..bare.clone() };
        let candidates = [Some(here), Origin::from_tag(model)];
        for origin in candidates.into_iter().flatten() {
            if let Some(endpoint) = self.row(&origin) {
                return known(endpoint, IdentitySource::Entry);
            }
        }
        self.made_whole(&bare, IdentitySource::Entry)
    }

    /// The identity that the session's record gives, where no entry does.
    pub(super) fn of_session(&self) -> Identity {
        let origin = &self.persisted.origin;
        if origin.model.is_empty() {
            let origin = Origin { family: Some("unknown".to_owned()), ..Origin::default() };
            return Identity { origin, source: IdentitySource::Nothing, standing: Standing::Unknown, endpoint: None };
        }
        self.made_whole(origin, IdentitySource::Persisted)
    }

    /// Never by the model alone.
    fn row(&self, origin: &Origin) -> Option<Endpoint> {
        origin.provider.as_ref().and_then(|_| self.endpoints.resolve(origin))
    }

    fn made_whole(&self, origin: &Origin, source: IdentitySource) -> Identity {
        if let Some(endpoint) = self.row(origin) {
            return known(endpoint, source);
        }
        let persisted = &self.persisted.origin;
        let record = self.row(persisted);
        if source == IdentitySource::Entry && self.persisted.is_official() {
            let mut identity = match record {
                Some(endpoint) => known(endpoint, source),
                None => Identity {
                    origin: with_family(persisted.clone()),
                    source,
                    standing: Standing::OfficialRecord,
                    endpoint: None,
                },
            };
            identity.standing = Standing::OfficialRecord;
            return identity;
        }
        let mut origin = with_family(origin.clone());
        let standing =
            if origin.family.as_deref() == Some("unknown") { Standing::Unknown } else { Standing::FamilyOnly };
        let family = record.as_ref().map(|row| row.family.clone()).or_else(|| with_family(persisted.clone()).family);
        let agrees = origin.provider.is_none() || origin.provider == persisted.provider;
        if standing == Standing::FamilyOnly && family == origin.family && agrees {
            let protocol = record.map(|row| row.protocol).or_else(|| persisted.protocol.clone());
            origin.provider = origin.provider.or_else(|| persisted.provider.clone());
            origin.protocol = origin.protocol.or(protocol);
        }
        Identity { origin, source, standing, endpoint: None }
    }
}

fn known(endpoint: Endpoint, source: IdentitySource) -> Identity {
    let origin = Origin {
        provider: Some(endpoint.provider.clone()),
        model: endpoint.model.clone(),
        protocol: Some(endpoint.protocol.clone()),
        family: Some(endpoint.family.clone()),
    };
    Identity { origin, source, standing: Standing::Catalog, endpoint: Some(endpoint) }
}

fn with_family(mut origin: Origin) -> Origin {
    let shown = || family_by_shape(&origin.model).unwrap_or("unknown").to_owned();
    origin.family = Some(origin.family.clone().unwrap_or_else(shown));
    origin
}
