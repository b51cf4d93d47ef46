//! One request with what the rows and the credentials say of it: what the conditions of the table look at.

use super::nearest::nearest;
use super::{Alternative, AuthFamily, Credential, Input, Row, RuntimeKind, Selection};
use crate::catalog::AuthKind;

/// How many tags are offered for one that nobody serves.
const NEAREST: usize = 3;

pub(super) struct Case<'a> {
    pub(super) input: &'a Input<'a>,
    /// The provider and the model that the tag names.
    pub(super) named: Option<(&'a str, &'a str)>,
    pub(super) row: Option<&'a Row<'a>>,
    /// What opens the row, the preferred one first.
    pub(super) usable: Vec<&'a Credential>,
    /// The persisted selection, where the request asks for nothing else.
    pub(super) again: Option<&'a Selection>,
}

impl<'a> Case<'a> {
    pub(super) fn new(input: &'a Input<'a>) -> Self {
        let requested = &input.requested;
        let named = requested.model.split_once('/');
        let row = named.and_then(|named| input.rows.iter().filter(|row| row.key() == named).min());
        let again = input.persisted.as_ref().filter(|persisted| {
            Some((persisted.provider.as_str(), persisted.model.as_str())) == named
                && requested.runtime.is_none_or(|runtime| runtime == persisted.runtime)
        });
        let usable = row.map(|row| usable(row, input.credentials)).unwrap_or_default();
        Self { input, named, row, usable, again }
    }

    pub(super) fn tag(&self) -> &'a str {
        &self.input.requested.model
    }

    /// The runtime that is asked for, by the request or by the selection that it repeats.
    pub(super) fn runtime(&self) -> Option<RuntimeKind> {
        self.input.requested.runtime.or(self.again.map(|selection| selection.runtime))
    }

    /// The credential of the repeated selection, where it still opens the row in the same way.
    pub(super) fn persisted_credential(&self) -> Option<&'a Credential> {
        let (row, again) = (self.row?, self.again?);
        let same = |held: &&&Credential| {
            held.reference == again.credential_reference && family_of(row, held.kind) == again.auth_family
        };
        self.usable.iter().find(same).copied()
    }

    /// A login to a Claude subscription that stands where a credential is needed.
    pub(super) fn claude_oauth(&self) -> Option<&'a Credential> {
        let row = self.row.filter(|row| row.is_claude() && !row.is_console())?;
        let oauth = |held: &&Credential| held.provider == row.provider && held.kind == AuthKind::Oauth;
        self.input.credentials.iter().filter(oauth).min()
    }

    /// The row itself.
    pub(super) fn itself(&self) -> Vec<Alternative> {
        self.row.map(|row| self.alternative(row)).into_iter().collect()
    }

    /// Every row that serves the same model.
    pub(super) fn siblings(&self) -> Vec<Alternative> {
        self.row.map(|row| self.serving(row.canonical_model)).unwrap_or_default()
    }

    /// The row of the tag, and what the other provider has of the same model.
    pub(super) fn of_either_provider(&self) -> Vec<Alternative> {
        let provider = self.input.requested.provider.as_deref();
        let kept = |one: &Alternative| one.tag == self.tag() || Some(one.provider.as_str()) == provider;
        self.siblings().into_iter().filter(kept).collect()
    }

    /// What serves the model of the repeated selection, then the nearest tags.
    pub(super) fn near(&self) -> Vec<Alternative> {
        let mut found = self.again.map(|again| self.serving(&again.canonical_model)).unwrap_or_default();
        for row in nearest(self.tag(), self.input.rows, NEAREST) {
            let one = self.alternative(row);
            if !found.iter().any(|other| other.tag == one.tag) {
                found.push(one);
            }
        }
        found
    }

    /// The rows that the answer depends on.
    pub(super) fn rows(&self) -> Vec<Row<'a>> {
        let models = [self.row.map(|row| row.canonical_model), self.again.map(|one| one.canonical_model.as_str())];
        let mut rows: Vec<Row<'a>> = Vec::new();
        rows.extend(self.input.rows.iter().filter(|row| models.contains(&Some(row.canonical_model))));
        if self.row.is_none() {
            rows.extend(nearest(self.tag(), self.input.rows, NEAREST));
        }
        rows.extend(self.row);
        crate::order::sort(&mut rows);
        rows.dedup();
        rows
    }

    fn serving(&self, canonical: &str) -> Vec<Alternative> {
        let mut rows: Vec<&Row<'_>> = self.input.rows.iter().filter(|row| row.canonical_model == canonical).collect();
        crate::order::sort(&mut rows);
        rows.dedup_by_key(|row| row.key());
        rows.into_iter().map(|row| self.alternative(row)).collect()
    }

    fn alternative(&self, row: &Row<'_>) -> Alternative {
        Alternative {
            tag: format!("{}/{}", row.provider, row.model),
            provider: row.provider.to_owned(),
            canonical_model: row.canonical_model.to_owned(),
            configured: !usable(row, self.input.credentials).is_empty(),
            auth: needed(row),
        }
    }
}

/// What opens a row, the kind that it prefers first, and of one kind the reference that sorts first.
fn usable<'c>(row: &Row<'_>, credentials: &'c [Credential]) -> Vec<&'c Credential> {
    let fits = |held: &&Credential| {
        held.provider == row.provider
            && (row.is_console() || (row.auth_views.contains(&held.kind) && !barred(row, held.kind)))
    };
    let mut usable: Vec<&Credential> = credentials.iter().filter(fits).collect();
    let rank = |kind: AuthKind| row.auth_views.iter().position(|view| *view == kind).unwrap_or(usize::MAX);
    crate::order::sort_by(&mut usable, |a, b| rank(a.kind).cmp(&rank(b.kind)).then_with(|| a.cmp(b)));
    usable
}

/// A login to a Claude subscription never routes to this runtime (D28).
fn barred(row: &Row<'_>, kind: AuthKind) -> bool {
    kind == AuthKind::Oauth && row.is_claude() && !row.is_console()
}

/// The kinds of credential that would open the row.
fn needed(row: &Row<'_>) -> Vec<AuthFamily> {
    if row.is_console() {
        return vec![AuthFamily::ConsoleProfile];
    }
    row.auth_views.iter().filter(|kind| !barred(row, **kind)).map(|kind| family_of(row, *kind)).collect()
}

/// How a selection names the way in.
pub(super) fn family_of(row: &Row<'_>, kind: AuthKind) -> AuthFamily {
    match kind {
        _ if row.is_console() => AuthFamily::ConsoleProfile,
        AuthKind::Console => AuthFamily::ConsoleProfile,
        AuthKind::ApiKey => AuthFamily::ApiKey,
        AuthKind::Oauth => AuthFamily::Oauth,
        AuthKind::Cloud => AuthFamily::Cloud,
        AuthKind::NoneNeeded => AuthFamily::NoneNeeded,
    }
}
