//! What a decision reads of a catalog, as one text: a line a model, its fields parted by tabs.

use super::{Credential, Row};
use crate::catalog::{AuthKind, Catalog};
use crate::report::{Refusal, RefusalKind};

const KINDS: [(char, AuthKind); 5] = [
    ('k', AuthKind::ApiKey),
    ('o', AuthKind::Oauth),
    ('c', AuthKind::Cloud),
    ('p', AuthKind::Console),
    ('n', AuthKind::NoneNeeded),
];

/// A text that is no packed catalog.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the packed catalog is not one: {what}")]
pub struct Unpacked {
    /// From 1.
    pub line: usize,
    /// What was expected there.
    pub what: &'static str,
}

impl From<Unpacked> for Refusal {
    fn from(error: Unpacked) -> Self {
        Self {
            kind: RefusalKind::BadInput,
            message: error.to_string(),
            help: "give back what `packed` gave".to_owned(),
            source: None,
            line: None,
            column: None,
        }
    }
}

/// The catalog as one text. Its fields hold neither tabs nor newlines: the catalog's grammar allows visible ASCII alone.
///
/// ```
/// use winter_policy::{catalog::Catalog, selection::{Unpacking, packed}};
/// let catalog = Catalog::built_in();
/// let text = packed(&catalog);
/// let unpacking = Unpacking::new(&text).unwrap();
/// assert_eq!(unpacking.rows().len(), catalog.rows().len());
/// ```
pub fn packed(catalog: &Catalog) -> String {
    let mut text = String::new();
    for row in catalog.rows() {
        for field in [&row.provider, &row.model, &row.canonical_model, &row.family] {
            text.push_str(field);
            text.push('\t');
        }
        let letter = |kind: &AuthKind| KINDS.iter().find(|(_, one)| one == kind).map(|(letter, _)| *letter);
        text.extend(row.auth_views.iter().filter_map(letter));
        text.push('\n');
    }
    text
}

/// A packed catalog, read; [`Unpacking::rows`] borrows from it.
#[derive(Debug)]
pub struct Unpacking<'a> {
    fields: Vec<[&'a str; 4]>,
    /// Where the kinds of each row end in `kinds`.
    ends: Vec<usize>,
    kinds: Vec<AuthKind>,
}

impl<'a> Unpacking<'a> {
    /// Reads a packed catalog.
    ///
    /// # Errors
    /// [`Unpacked`]: a line without its five fields, or with a kind that there is not.
    pub fn new(text: &'a str) -> Result<Self, Unpacked> {
        let mut unpacking = Self { fields: Vec::new(), ends: Vec::new(), kinds: Vec::new() };
        for (place, line) in text.split_terminator('\n').enumerate() {
            let fault = |what| Unpacked { line: place + 1, what };
            let mut parts = line.splitn(5, '\t');
            let mut next = || parts.next().ok_or(fault("five fields were expected"));
            unpacking.fields.push([next()?, next()?, next()?, next()?]);
            for letter in next()?.chars() {
                let kind = KINDS.iter().find(|(one, _)| *one == letter);
                unpacking.kinds.push(kind.ok_or(fault("a kind of credential was expected"))?.1);
            }
            unpacking.ends.push(unpacking.kinds.len());
        }
        Ok(unpacking)
    }

    /// The rows, in the order of the text.
    pub fn rows(&self) -> Vec<Row<'_>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let rows = self.fields.iter().zip(starts.zip(&self.ends));
        rows.map(|(&[provider, model, canonical_model, family], (start, &end))| Row {
            provider,
            model,
            canonical_model,
            family,
            auth_views: &self.kinds[start..end],
        })
        .collect()
    }
}

/// Reads a JSON list of credentials; `name` is the document's, for the error.
///
/// # Errors
/// A refusal that names the line and column: no JSON list, or an element that is no credential.
///
/// ```
/// use winter_policy::selection::credentials;
/// let text = br#"[{"provider":"openai","kind":"api-key","reference":"env:OPENAI_API_KEY"}]"#;
/// assert_eq!(credentials("mine.json", text).unwrap()[0].provider, "openai");
/// assert_eq!(credentials("mine.json", b"[{}]").unwrap_err().source.as_deref(), Some("mine.json"));
/// ```
pub fn credentials(name: &str, text: &[u8]) -> Result<Vec<Credential>, Refusal> {
    serde_json::from_slice(text).map_err(|error| Refusal {
        kind: RefusalKind::BadInput,
        message: format!("{name}: {error}"),
        help: r#"give a JSON list of {"provider", "kind", "reference"}; a reference says where the secret is, and is none"#
            .to_owned(),
        source: Some(name.to_owned()),
        line: u32::try_from(error.line()).ok(),
        column: u32::try_from(error.column()).ok(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_catalog_survives_packing() {
        let catalog = Catalog::built_in();
        let text = packed(&catalog);
        let unpacking = Unpacking::new(&text).unwrap();
        let rows: Vec<Row<'_>> = catalog.rows().iter().map(Row::from).collect();
        assert_eq!(unpacking.rows(), rows);
    }

    #[test]
    fn what_is_not_packed_is_a_typed_fault() {
        assert!(Unpacking::new("").unwrap().rows().is_empty());
        for (text, line) in [("a", 1), ("a\tb\tc\td\tk\na\tb", 2), ("a\tb\tc\td\tX", 1), ("\n", 1)] {
            assert_eq!(Unpacking::new(text).unwrap_err().line, line, "{text:?}");
        }
    }
}
