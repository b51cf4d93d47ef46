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

/// The catalog as one text of two blocks: its rows by provider and model, then, behind an empty line, the same by what the
/// models are called everywhere. So a decision finds its few rows without reading the others.
///
/// Its fields hold neither tabs nor newlines: the catalog's grammar allows visible ASCII alone.
///
/// ```
/// use winter_policy::{catalog::Catalog, selection::{Unpacking, packed}};
/// let catalog = Catalog::built_in();
/// let text = packed(&catalog);
/// assert_eq!(Unpacking::whole(&text).unwrap().rows().len(), catalog.rows().len());
/// assert!(Unpacking::of(&text, &["openai/gpt-5.6"], &[]).unwrap().rows().len() < 5);
/// ```
pub fn packed(catalog: &Catalog) -> String {
    let line = |fields: [&str; 4], kinds: &[AuthKind]| {
        let letter = |kind: &AuthKind| KINDS.iter().find(|(_, one)| one == kind).map(|(letter, _)| *letter);
        let kinds: String = kinds.iter().filter_map(letter).collect();
        format!("{}\t{kinds}\n", fields.join("\t"))
    };
    let rows = || catalog.rows().iter();
    let mut by_tag: Vec<String> =
        rows().map(|r| line([&r.provider, &r.model, &r.canonical_model, &r.family], &r.auth_views)).collect();
    let mut by_name: Vec<String> =
        rows().map(|r| line([&r.canonical_model, &r.provider, &r.model, &r.family], &r.auth_views)).collect();
    crate::order::sort(&mut by_tag);
    crate::order::sort(&mut by_name);
    format!("{}\n{}", by_tag.concat(), by_name.concat())
}

/// Rows of a packed catalog, read; [`Unpacking::rows`] borrows from it.
#[derive(Debug, Default)]
pub struct Unpacking<'a> {
    fields: Vec<[&'a str; 4]>,
    /// Where the kinds of each row end in `kinds`.
    ends: Vec<usize>,
    kinds: Vec<AuthKind>,
}

impl<'a> Unpacking<'a> {
    /// Every row.
    ///
    /// # Errors
    /// [`Unpacked`]: a line without its five fields, or with a kind that there is not.
    pub fn whole(text: &'a str) -> Result<Self, Unpacked> {
        let (by_tag, _) = blocks(text)?;
        let mut unpacking = Self::default();
        for (place, line) in by_tag.split_terminator('\n').enumerate() {
            unpacking.push(line, place + 1, |[provider, model, name, family]| [provider, model, name, family])?;
        }
        Ok(unpacking)
    }

    /// The rows that a decision about these tags and models reads: those of the same models, wherever they are served.
    /// Where one of the tags is not there, every row, among which the nearest are looked for.
    ///
    /// # Errors
    /// As [`Unpacking::whole`].
    pub fn of(text: &'a str, tags: &[&str], models: &[&str]) -> Result<Self, Unpacked> {
        let (by_tag, by_name) = blocks(text)?;
        let mut names: Vec<&str> = models.to_vec();
        for tag in tags {
            let Some((provider, model)) = tag.split_once('/') else { return Self::whole(text) };
            let Some(line) = starting_with(by_tag, &format!("{provider}\t{model}\t")).next() else {
                return Self::whole(text);
            };
            names.extend(line.split('\t').nth(2));
        }
        crate::order::sort(&mut names);
        names.dedup();
        let mut unpacking = Self::default();
        for name in names {
            for line in starting_with(by_name, &format!("{name}\t")) {
                unpacking.push(line, 0, |[name, provider, model, family]| [provider, model, name, family])?;
            }
        }
        Ok(unpacking)
    }

    fn push(&mut self, line: &'a str, number: usize, order: fn([&'a str; 4]) -> [&'a str; 4]) -> Result<(), Unpacked> {
        let fault = |what| Unpacked { line: number, what };
        let mut parts = line.splitn(5, '\t');
        let mut next = || parts.next().ok_or(fault("five fields were expected"));
        self.fields.push(order([next()?, next()?, next()?, next()?]));
        for letter in next()?.chars() {
            let kind = KINDS.iter().find(|(one, _)| *one == letter);
            self.kinds.push(kind.ok_or(fault("a kind of credential was expected"))?.1);
        }
        self.ends.push(self.kinds.len());
        Ok(())
    }

    /// The rows.
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

fn blocks(text: &str) -> Result<(&str, &str), Unpacked> {
    if let Some(by_name) = text.strip_prefix('\n') {
        return Ok(("", by_name));
    }
    // The blocks are of one size, so the empty line is looked for from the middle on.
    let middle = (text.len() / 2).saturating_sub(1);
    let found = text.as_bytes().get(middle..).and_then(|half| half.windows(2).position(|pair| pair == b"\n\n"));
    let at = found.ok_or(Unpacked { line: 0, what: "two blocks were expected" })? + middle;
    Ok((&text[..=at], &text[at + 2..]))
}

/// The lines of a sorted block that begin with `prefix`, found by halving.
fn starting_with<'a>(block: &'a str, prefix: &str) -> impl Iterator<Item = &'a str> {
    let bytes = block.as_bytes();
    let start_of = |at: usize| bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let end_of = |at: usize| bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| at + end);
    let (mut low, mut high) = (0, bytes.len());
    while low < high {
        let start = start_of(low + (high - low) / 2).max(low);
        let end = end_of(start);
        if &bytes[start..end] < prefix.as_bytes() {
            low = (end + 1).min(high);
        } else {
            high = start;
        }
    }
    let prefix = prefix.to_owned();
    block.get(low..).unwrap_or_default().split_terminator('\n').take_while(move |line| line.starts_with(&prefix))
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
    use crate::testing::test;

    fn rows(catalog: &Catalog) -> Vec<Row<'_>> {
        catalog.rows().iter().map(Row::from).collect()
    }

    #[test]
    fn a_catalog_survives_packing() {
        let catalog = Catalog::built_in();
        let text = packed(&catalog);
        let unpacking = Unpacking::whole(&text).unwrap();
        let mut unpacked = unpacking.rows();
        unpacked.sort();
        let mut rows = rows(&catalog);
        rows.sort();
        assert_eq!(unpacked, rows);
    }

    #[test]
    fn every_tag_finds_its_model_wherever_it_is_served() {
        let catalog = Catalog::built_in();
        let text = packed(&catalog);
        for row in rows(&catalog) {
            let unpacking = Unpacking::of(&text, &[&format!("{}/{}", row.provider, row.model)], &[]).unwrap();
            let mut found = unpacking.rows();
            found.sort();
            let mut expected: Vec<Row<'_>> = rows(&catalog);
            expected.retain(|one| one.canonical_model == row.canonical_model);
            expected.sort();
            assert_eq!(found, expected);
        }
        let all = Unpacking::of(&text, &["openai/none"], &[]).unwrap();
        assert_eq!(all.rows().len(), catalog.rows().len(), "the nearest are looked for among all");
    }

    #[test]
    fn what_is_not_packed_is_a_typed_fault() {
        assert!(Unpacking::whole("\n").unwrap().rows().is_empty());
        for text in ["", "a", "a\n\nb\n", "a\tb\tc\td\tX\n\nc\ta\tb\td\tX\n"] {
            assert!(Unpacking::whole(text).is_err(), "{text:?}");
        }
    }
}
