//! The caller's options: passed on as they are, but for what the run home decides.

use serde_json::{Map, Value, json};

use super::Variable;
use super::checks::{Found, Subject, found};
use crate::explain::Sheet;

/// Keys of the options that a run home decides, and what of it does.
pub(super) const DECIDED: [(&str, &str); 5] = [
    ("plugins", "no plugin of a project is carried; the person's own stand in the shared home"),
    ("skills", "the skills of the run folder"),
    ("agents", "the agents of the run folder"),
    ("outputStyle", "the composed settings"),
    ("brand", "the brand that the run home was built for"),
];

/// The runtime that was retired.
const RETIRED: &str = "claude-agent";

/// Options that were read.
pub(super) struct Options {
    object: Map<String, Value>,
    /// What `env` sets, in its order.
    pub(super) variables: Vec<Variable>,
    /// The caller's own MCP servers.
    pub(super) servers: Map<String, Value>,
}

impl Options {
    pub(super) fn of(object: Map<String, Value>) -> Result<Self, Found> {
        let mut variables = Vec::new();
        match object.get("env") {
            None | Some(Value::Null) => {}
            Some(Value::Object(env)) => {
                for (name, value) in env {
                    let Value::String(value) = value else {
                        let field = format!("options.env.{name}");
                        return Err(found(field, format!("the variable `{name}` of options.env is no text")));
                    };
                    variables.push(Variable { name: name.clone(), value: value.clone() });
                }
            }
            Some(_) => return Err(found("options.env", "options.env is no object of names and texts")),
        }
        let servers = match object.get("mcpServers") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(servers)) => servers.clone(),
            Some(_) => return Err(found("options.mcpServers", "options.mcpServers is no object of servers by name")),
        };
        Ok(Self { object, variables, servers })
    }
}

/// An option that the run home decides.
pub(super) fn decided(options: &Options) -> Option<Found> {
    let set = |key: &str| options.object.get(key).is_some_and(|value| !value.is_null());
    let (key, by) = DECIDED.iter().find(|(key, _)| set(key))?;
    Some(found(format!("options.{key}"), format!("options.{key} is decided by the run home: {by}")))
}

/// Setting sources other than `user`.
pub(super) fn sources(options: &Options) -> Option<Found> {
    let field = "options.settingSources";
    let sources = options.object.get("settingSources").filter(|value| !value.is_null())?;
    let Value::Array(sources) = sources else { return Some(found(field, format!("{field} is no list"))) };
    let other = sources.iter().find(|source| source.as_str() != Some("user"))?;
    Some(found(field, format!("{field} asks for {other}, and only \"user\" is allowed")))
}

/// A selection of the runtime that was retired.
pub(super) fn selection(options: &Options) -> Option<Found> {
    let selection = options.object.get("runtime")?.get("selection")?;
    let named = match selection {
        Value::String(name) => name == RETIRED,
        Value::Object(fields) => fields.values().any(|value| value.as_str() == Some(RETIRED)),
        _ => false,
    };
    named.then(|| found("runtime.selection", format!("runtime.selection names `{RETIRED}`, which is retired")))
}

/// The options as the runtime gets them; `env` is left out, since it is in the child's environment.
pub(super) fn applied(subject: &Subject<'_>) -> String {
    let mut object = subject.options.object.clone();
    object.shift_remove("env");
    object.insert("settingSources".to_owned(), json!(["user"]));
    if !subject.capability_servers.is_empty() {
        // The caller's own stay beside them; no two share a name (`server-name-taken`).
        let servers = subject.options.servers.clone().into_iter().chain(subject.capability_servers.clone());
        object.insert("mcpServers".to_owned(), Value::Object(servers.collect()));
    }
    if let Some(home) = subject.request.home.as_ref().filter(|home| !home.memory_dir.is_empty()) {
        object.insert("autoMemory".to_owned(), json!({ "directory": home.memory_dir, "enabled": true }));
    }
    Value::Object(object).to_string()
}

pub(super) fn sheet() -> Sheet {
    let rows = DECIDED.iter().map(|(key, by)| vec![(*key).to_owned(), (*by).to_owned()]);
    Sheet::new("Options that a run home decides (run_home_option_refused)", &["option", "decided by"], rows)
}
