//! Which models there are, who serves them and what they can do.
//!
//! The catalog is data: a small table of public models is built in, and a host adds rows of its own, or replaces some.
//! A row is one model *as one provider serves it*; its key is the tag, `<provider>/<model>`.

mod built_in;
mod check;
mod document;
mod error;
mod model;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use check::{DATE, GRAMMARS, Grammar, MODEL_ID, PROVIDER, SENTENCE, WORD};
pub use document::Document;
pub use error::{CatalogError, FieldFault, Place};
pub use model::{AuthKind, Capabilities, Fact, Modality, Model, ReadableReasoning};

/// Rows, each tag once, sorted by provider and then by model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    rows: Vec<Model>,
}

impl Catalog {
    /// The public models that are known without a host's help; each row says where it is from, and of which day.
    ///
    /// ```
    /// use winter_policy::catalog::Catalog;
    /// assert!(Catalog::built_in().rows().iter().all(|row| !row.facts.is_empty()));
    /// ```
    pub fn built_in() -> Self {
        let mut rows = built_in::rows();
        crate::order::sort(&mut rows);
        Self { rows }
    }

    /// A catalog of these rows, in whatever order they come; `name` is what errors call them.
    ///
    /// # Errors
    /// A field that holds what it may not, or a tag that stands twice; the row is the index in `rows`.
    ///
    /// ```
    /// use winter_policy::catalog::Catalog;
    /// let row = Catalog::built_in().rows()[0].clone();
    /// assert!(Catalog::from_rows("rows", vec![row.clone()]).is_ok());
    /// let error = Catalog::from_rows("rows", vec![row.clone(), row]).unwrap_err();
    /// assert_eq!(error.code(), "catalog-duplicate-tag");
    /// ```
    pub fn from_rows(name: &str, rows: Vec<Model>) -> Result<Self, CatalogError> {
        Ok(Self { rows: checked(name, rows.into_iter().map(|row| (row, None)))? })
    }

    /// This catalog with the rows of those documents, the later over the earlier: a row with a tag that is there
    /// already replaces that row whole, any other is added. Either every document is taken or none.
    ///
    /// # Errors
    /// [`CatalogError`], with the document, the row and the field.
    ///
    /// ```
    /// use winter_policy::catalog::{Catalog, Document};
    /// let text = br#"{"models": [{"provider": "lab", "model": "tests/one", "canonical-model": "one", "family": "one",
    ///     "protocol": "openai-chat-completions", "auth-views": ["none-needed"], "context-window": 32768,
    ///     "capabilities": {"modalities": ["text"], "readable-reasoning": "none"}}]}"#;
    /// let catalog = Catalog::built_in().merge(&[Document { name: "mine.json", text }]).unwrap();
    /// assert_eq!(catalog.get("lab/tests/one").unwrap().context_window, 32768);
    /// ```
    pub fn merge(&self, documents: &[Document<'_>]) -> Result<Self, CatalogError> {
        let mut rows: BTreeMap<(String, String), Model> = BTreeMap::new();
        let key = |row: &Model| (row.provider.clone(), row.model.clone());
        rows.extend(self.rows.iter().map(|row| (key(row), row.clone())));
        for document in documents {
            let read = document::read(*document)?;
            let read = read.into_iter().map(|read| (read.model, Some(read.line)));
            rows.extend(checked(document.name, read)?.into_iter().map(|row| (key(&row), row)));
        }
        Ok(Self { rows: rows.into_values().collect() })
    }

    /// Every row, sorted by provider and then by model.
    pub fn rows(&self) -> &[Model] {
        &self.rows
    }

    /// The row of a tag; it is found by halving, not by walking.
    ///
    /// ```
    /// use winter_policy::catalog::Catalog;
    /// let catalog = Catalog::built_in();
    /// assert_eq!(catalog.get("anthropic/claude-opus-5").unwrap().family, "claude");
    /// assert!(catalog.get("claude-opus-5").is_none());
    /// ```
    pub fn get(&self, tag: &str) -> Option<&Model> {
        let (provider, model) = tag.split_once('/')?;
        let place = self.rows.binary_search_by(|row| row.cmp_key(provider, model)).ok()?;
        self.rows.get(place)
    }

    /// Every family, sorted, each once.
    ///
    /// ```
    /// assert!(winter_policy::catalog::Catalog::built_in().families().contains(&"claude"));
    /// ```
    pub fn families(&self) -> Vec<&str> {
        let mut families: Vec<&str> = self.rows.iter().map(|row| row.family.as_str()).collect();
        crate::order::sort(&mut families);
        families.dedup();
        families
    }
}

/// The rows, checked and sorted; the index in an error is the one in the document.
fn checked(name: &str, rows: impl Iterator<Item = (Model, Option<u32>)>) -> Result<Vec<Model>, CatalogError> {
    let mut rows: Vec<(usize, Model, Option<u32>)> =
        rows.enumerate().map(|(at, (row, line))| (at, row, line)).collect();
    for (index, row, line) in &rows {
        check::row(row, name, *index, *line)?;
    }
    // Stable, so that of two rows with one tag the later one is the second.
    crate::order::sort_by(&mut rows, |(_, a, _), (_, b, _)| a.cmp_key(&b.provider, &b.model));
    for pair in rows.windows(2) {
        let [(first, one, _), (index, other, line)] = pair else { continue };
        if one.cmp_key(&other.provider, &other.model).is_eq() {
            let row = Place { index: *index, tag: Some(other.tag()) };
            return Err(CatalogError::DuplicateTag { document: name.to_owned(), row, first: *first, line: *line });
        }
    }
    Ok(rows.into_iter().map(|(_, row, _)| row).collect())
}
