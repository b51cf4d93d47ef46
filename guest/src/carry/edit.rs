//! One value set in a settings file; everything else of it stays, in its order.

use serde::Serialize as _;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Map, Value};

use super::splice;
use crate::brand::Profile;
use crate::report::{Refusal, RefusalKind};
use crate::settings::{self, Options, Protection, TierFile};
use crate::tier::{Powers, Tier};

/// Why a settings file was not edited.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// It is no JSON object.
    #[error("the settings file is no JSON object: {0}")]
    NoObject(String),
    /// The path leads through something that holds no keys.
    #[error("`{0}` of the settings file is no object")]
    NoSection(String),
    /// The value is no JSON.
    #[error("the value is no JSON: {0}")]
    BadValue(String),
    /// The runtime would drop the whole file for it.
    #[error("with it the runtime would drop the whole file: {0}")]
    Unusable(String),
}

impl EditError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoObject(_) => "no-object",
            Self::NoSection(_) => "no-section",
            Self::BadValue(_) => "bad-value",
            Self::Unusable(_) => "unusable",
        }
    }
}

impl From<EditError> for Refusal {
    fn from(error: EditError) -> Self {
        let help = "mend the settings file, or set the key in it by hand".to_owned();
        let (kind, message) = (RefusalKind::BadInput, error.to_string());
        Self { kind, message, help, source: None, line: None, column: None }
    }
}

/// The file with the value at `path` set, or taken out. Nothing else of its text changes where that can be done by one
/// cut; where not (a key that stands twice), keys keep their order, numbers their spelling and lines their indent.
pub(super) fn set(own: Option<&str>, path: &[String], value: Option<&str>) -> Result<String, EditError> {
    let value =
        value.map(|value| serde_json::from_str::<Value>(value).map_err(|error| EditError::BadValue(error.to_string())));
    let value = value.transpose()?;
    let text = own.unwrap_or("{}\n");
    let (mark, text) = text.strip_prefix('\u{feff}').map_or(("", text), |rest| ("\u{feff}", rest));
    let mut top = match serde_json::from_str(text) {
        Ok(Value::Object(top)) => top,
        Ok(_) => return Err(EditError::NoObject("it holds something else".to_owned())),
        Err(error) => return Err(EditError::NoObject(error.to_string())),
    };
    let Some((last, above)) = path.split_last() else {
        return Err(EditError::NoSection(String::new()));
    };
    let mut section = &mut top;
    for key in above {
        if value.is_none() && !section.contains_key(key) {
            return Ok(format!("{mark}{text}"));
        }
        section = match section.entry(key.clone()).or_insert_with(|| Value::Object(Map::new())) {
            Value::Object(section) => section,
            _ => return Err(EditError::NoSection(key.clone())),
        };
    }
    let before = section.get(last).cloned();
    if before == value {
        return Ok(format!("{mark}{text}"));
    }
    let cut = splice::spliced(text, path, value.as_ref());
    match value {
        Some(value) => drop(section.insert(last.clone(), value)),
        None => drop(section.shift_remove(last)),
    }
    let top = Value::Object(top);
    if let Some(cut) = cut.filter(|cut| serde_json::from_str(cut).is_ok_and(|read: Value| read == top)) {
        return Ok(format!("{mark}{cut}"));
    }
    let ending = &text[text.trim_end().len()..];
    Ok(format!("{mark}{}{ending}", printed(&top, text)?))
}

/// As the file is: on one line, or spread over lines with its own indent; a new one with two spaces.
fn printed(top: &Value, like: &str) -> Result<String, EditError> {
    let body = like.trim();
    if !body.contains('\n') && body != "{}" {
        return Ok(top.to_string());
    }
    let indent = body.lines().skip(1).map(|line| &line[..line.len() - line.trim_start().len()]);
    let indent = indent.filter(|indent| !indent.is_empty()).min_by_key(|indent| indent.len()).unwrap_or("  ");
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, PrettyFormatter::with_indent(indent.as_bytes()));
    top.serialize(&mut serializer).map_err(|error| EditError::BadValue(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| EditError::BadValue(error.to_string()))
}

/// Whether the runtime would read the whole file.
pub(super) fn check(text: &str) -> Result<(), EditError> {
    let file =
        TierFile { tier: Tier::User, source: "settings.json", anchor: "/", shipped: None, text: text.as_bytes() };
    let brand = Profile::claude();
    let protection = Protection::default();
    let options = Options { brand: &brand, powers: Powers::Keep, allow_inexpressible: true, protection: &protection };
    settings::compose(&[file], &options).map(drop).map_err(|error| EditError::Unusable(error.to_string()))
}
