//! Why a catalog was not taken.

use crate::report::{Refusal, RefusalKind};

/// Which row of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// From 0, in the list `models`.
    pub index: usize,
    /// Its tag, once both halves of it could be read.
    pub tag: Option<String>,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "models[{}]", self.index)?;
        self.tag.as_ref().map_or(Ok(()), |tag| write!(f, " (`{tag}`)"))
    }
}

/// A field that does not hold what it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldFault {
    /// The name that the caller gave the document.
    pub document: String,
    /// Which row; none for what stands outside of the rows.
    pub row: Option<Place>,
    /// The keys down to the field, joined by dots.
    pub field: String,
    /// From 1; none for rows that were never text.
    pub line: Option<u32>,
    /// What stands there.
    pub found: String,
    /// What should.
    pub expected: String,
}

impl std::fmt::Display for FieldFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { document, row, field, found, expected, .. } = self;
        let row = row.as_ref().map_or_else(String::new, |row| format!("{row}: "));
        write!(f, "{document}: {row}`{field}` holds {found}, where {expected} was expected")
    }
}

/// Why a catalog was not taken; nothing of the document is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogError {
    /// It is not one strict JSON object.
    #[error("{document}:{line}:{column}: {what}")]
    Syntax {
        /// The name that the caller gave it.
        document: String,
        /// From 1.
        line: u32,
        /// From 1.
        column: u32,
        /// What stands there.
        what: String,
    },
    /// A field does not hold what it should.
    #[error("{0}")]
    Field(Box<FieldFault>),
    /// Two rows of one document have one tag.
    #[error("{document}: {row} has the tag of models[{first}]; a tag stands once in a document")]
    DuplicateTag {
        /// The name that the caller gave it.
        document: String,
        /// The second of them.
        row: Place,
        /// The index of the first of them.
        first: usize,
        /// The line of the second; none for rows that were never text.
        line: Option<u32>,
    },
}

impl From<FieldFault> for CatalogError {
    fn from(fault: FieldFault) -> Self {
        Self::Field(Box::new(fault))
    }
}

impl CatalogError {
    /// Stable, for programs.
    ///
    /// ```
    /// use winter_policy::catalog::{Catalog, Document};
    /// let error = Catalog::built_in().merge(&[Document { name: "mine.json", text: b"[" }]).unwrap_err();
    /// assert_eq!(error.code(), "catalog-syntax");
    /// ```
    pub fn code(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "catalog-syntax",
            Self::Field(_) => "catalog-field",
            Self::DuplicateTag { .. } => "catalog-duplicate-tag",
        }
    }
}

impl From<CatalogError> for Refusal {
    fn from(error: CatalogError) -> Self {
        let message = error.to_string();
        let (document, line, column, help) = match error {
            CatalogError::Syntax { document, line, column, .. } => {
                (document, Some(line), Some(column), "a catalog is one strict JSON object: {\"models\": [...]}")
            }
            CatalogError::Field(fault) => {
                (fault.document, fault.line, None, "mend the field; a catalog is taken whole or not at all")
            }
            CatalogError::DuplicateTag { document, line, .. } => (
                document,
                line,
                None,
                "keep one of the two rows; to replace a row of another catalog, one row is enough",
            ),
        };
        Self { kind: RefusalKind::BadInput, message, help: help.to_owned(), source: Some(document), line, column }
    }
}
