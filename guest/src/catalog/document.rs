//! A host's own catalog: one JSON object whose `models` is a list of rows.

use super::check::shown;
use super::error::{CatalogError, FieldFault, Place};
use super::model::{Capabilities, Fact, Model, Named};
use crate::settings::document::{Document as Json, Item, Member, Value};

/// A catalog of a host's own.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// What errors call it: a path, or whatever the caller knows it by.
    pub name: &'a str,
    /// `{"models": [...]}`
    pub text: &'a [u8],
}

/// A row and where it stands.
pub(super) struct Read {
    pub(super) model: Model,
    pub(super) line: u32,
}

/// The rows of a document, in its order; only their types are checked here.
pub(super) fn read(document: Document<'_>) -> Result<Vec<Read>, CatalogError> {
    let json = Json::parse(document.text).map_err(|fault| CatalogError::Syntax {
        document: document.name.to_owned(),
        line: fault.line,
        column: fault.column,
        what: fault.what,
    })?;
    if let Some(duplicate) = json.duplicates.first() {
        return Err(CatalogError::Syntax {
            document: document.name.to_owned(),
            line: duplicate.line,
            column: 1,
            what: format!("the key `{}` stands twice in one object", duplicate.path),
        });
    }
    let top = Fields { document: document.name, place: None, path: "", line: 1, members: &json.members };
    top.known(&["models"])?;
    top.list("models")?.iter().enumerate().map(|(index, item)| row(document.name, index, item)).collect()
}

fn row(document: &str, index: usize, item: &Item) -> Result<Read, CatalogError> {
    let untagged = Place { index, tag: None };
    let Value::Object(members) = &item.value else {
        return Err(FieldFault {
            document: document.to_owned(),
            row: Some(untagged),
            field: "models".to_owned(),
            line: Some(item.line),
            found: item.value.kind().to_owned(),
            expected: "a list of objects".to_owned(),
        }
        .into());
    };
    let half = |key| members.iter().find(|member| member.key == key).and_then(|member| member.value.as_text());
    let tag = half("provider").zip(half("model")).map(|(provider, model)| format!("{provider}/{model}"));
    let place = Place { index, tag };
    let fields = Fields { document, place: Some(&place), path: "", line: item.line, members };
    fields.known(&[
        "provider",
        "model",
        "canonical-model",
        "family",
        "protocol",
        "auth-views",
        "context-window",
        "capabilities",
        "facts",
    ])?;
    let model = Model {
        provider: fields.text("provider")?,
        model: fields.text("model")?,
        canonical_model: fields.text("canonical-model")?,
        family: fields.text("family")?,
        protocol: fields.text("protocol")?,
        auth_views: fields.choices("auth-views")?,
        context_window: fields.tokens("context-window")?,
        capabilities: capabilities(&fields)?,
        facts: facts(&fields)?,
    };
    Ok(Read { model, line: item.line })
}

fn capabilities(row: &Fields<'_>) -> Result<Capabilities, CatalogError> {
    let member = row.needed("capabilities", OBJECT)?;
    let Value::Object(members) = &member.value else {
        return row.fault("capabilities", Some(member), OBJECT);
    };
    let fields = Fields { path: "capabilities.", line: member.line, members, ..*row };
    fields.known(&["modalities", "readable-reasoning", "opaque-reasoning", "server-tools"])?;
    Ok(Capabilities {
        modalities: fields.choices("modalities")?,
        readable_reasoning: fields.choice("readable-reasoning")?,
        opaque_reasoning: fields.texts("opaque-reasoning")?,
        server_tools: fields.texts("server-tools")?,
    })
}

fn facts(row: &Fields<'_>) -> Result<Vec<Fact>, CatalogError> {
    let Some(member) = row.get("facts") else { return Ok(Vec::new()) };
    let items = row.items(member)?;
    items
        .iter()
        .enumerate()
        .map(|(index, item)| {
            let path = format!("facts[{index}].");
            let Value::Object(members) = &item.value else {
                return row.wrong(&format!("facts[{index}]"), item.line, &item.value, OBJECT);
            };
            let fields = Fields { path: &path, line: item.line, members, ..*row };
            fields.known(&["what", "date", "source"])?;
            Ok(Fact { what: fields.text("what")?, date: fields.text("date")?, source: fields.text("source")? })
        })
        .collect()
}

const OBJECT: &str = "an object";
const TEXT: &str = "a string";
const LIST: &str = "a list";
const TOKENS: &str = "a number of tokens, from 1 to 4294967295";

/// The members of one object, and what an error about them says.
#[derive(Clone, Copy)]
struct Fields<'a> {
    document: &'a str,
    place: Option<&'a Place>,
    /// The keys down to the object, with the dot.
    path: &'a str,
    /// Where the object stands.
    line: u32,
    members: &'a [Member],
}

impl<'a> Fields<'a> {
    fn get(&self, key: &str) -> Option<&'a Member> {
        self.members.iter().find(|member| member.key == key)
    }

    fn error<T>(&self, key: &str, line: u32, found: String, expected: &str) -> Result<T, CatalogError> {
        Err(FieldFault {
            document: self.document.to_owned(),
            row: self.place.cloned(),
            field: format!("{}{key}", self.path),
            line: Some(line),
            found,
            expected: expected.to_owned(),
        }
        .into())
    }

    fn wrong<T>(&self, key: &str, line: u32, value: &Value, expected: &str) -> Result<T, CatalogError> {
        let found = match value {
            Value::Text(text) => shown(text),
            Value::Number(number) => number.clone(),
            Value::Bool(value) => value.to_string(),
            other => other.kind().to_owned(),
        };
        self.error(key, line, found, expected)
    }

    fn fault<T>(&self, key: &str, member: Option<&Member>, expected: &str) -> Result<T, CatalogError> {
        match member {
            Some(member) => self.wrong(key, member.line, &member.value, expected),
            None => self.error(key, self.line, "nothing".to_owned(), expected),
        }
    }

    fn known(&self, keys: &[&str]) -> Result<(), CatalogError> {
        let Some(member) = self.members.iter().find(|member| !keys.contains(&member.key.as_str())) else {
            return Ok(());
        };
        self.error(&member.key, member.line, "a key that is not known".to_owned(), &one_of(keys.iter().copied()))
    }

    fn needed(&self, key: &str, expected: &str) -> Result<&'a Member, CatalogError> {
        self.get(key).map_or_else(|| self.fault(key, None, expected), Ok)
    }

    fn text(&self, key: &str) -> Result<String, CatalogError> {
        let member = self.needed(key, TEXT)?;
        member.value.as_text().map_or_else(|| self.fault(key, Some(member), TEXT), |text| Ok(text.to_owned()))
    }

    fn tokens(&self, key: &str) -> Result<u32, CatalogError> {
        let member = self.needed(key, TOKENS)?;
        match &member.value {
            Value::Number(number) => number.parse().ok(),
            _ => None,
        }
        .map_or_else(|| self.fault(key, Some(member), TOKENS), Ok)
    }

    fn items(&self, member: &'a Member) -> Result<&'a [Item], CatalogError> {
        let Value::List(items) = &member.value else { return self.fault(&member.key, Some(member), LIST) };
        Ok(items)
    }

    fn list(&self, key: &str) -> Result<&'a [Item], CatalogError> {
        self.items(self.needed(key, LIST)?)
    }

    fn texts(&self, key: &str) -> Result<Vec<String>, CatalogError> {
        let Some(member) = self.get(key) else { return Ok(Vec::new()) };
        let items = self.items(member)?.iter().enumerate();
        items
            .map(|(index, item)| {
                let text = item.value.as_text().map(str::to_owned);
                text.map_or_else(|| self.wrong(&format!("{key}[{index}]"), item.line, &item.value, TEXT), Ok)
            })
            .collect()
    }

    fn choice<T: Named>(&self, key: &str) -> Result<T, CatalogError> {
        let member = self.needed(key, &names::<T>())?;
        named(&member.value).map_or_else(|| self.fault(key, Some(member), &names::<T>()), Ok)
    }

    fn choices<T: Named>(&self, key: &str) -> Result<Vec<T>, CatalogError> {
        let items = self.list(key)?.iter().enumerate();
        items
            .map(|(index, item)| {
                let wrong = || self.wrong(&format!("{key}[{index}]"), item.line, &item.value, &names::<T>());
                named(&item.value).map_or_else(wrong, Ok)
            })
            .collect()
    }
}

fn named<T: Named>(value: &Value) -> Option<T> {
    let text = value.as_text()?;
    T::ALL.iter().find(|(name, _)| *name == text).map(|(_, value)| *value)
}

fn names<T: Named>() -> String {
    one_of(T::ALL.iter().map(|(name, _)| *name))
}

fn one_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    format!("one of {}", names.join(", "))
}
