//! What the public program gives a `PreToolUse` hook (Claude Code 2.1.250).

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Call, MAX_INPUT, fields};

/// The event that a hook of containment is for.
const EVENT: &str = "PreToolUse";

#[derive(Deserialize)]
struct Given {
    hook_event_name: Option<String>,
    tool_name: Option<String>,
    cwd: Option<String>,
    tool_input: Option<Box<RawValue>>,
}

/// The call in what a hook is given: a JSON object with `hook_event_name`, `tool_name`, `tool_input` and `cwd`.
///
/// # Errors
/// Why it cannot be read, as the end of a sentence; what cannot be read in one way only cannot be let through.
///
/// ```
/// use winter_policy::containment::hook_call;
/// let input = r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"cwd":"/x"}"#;
/// assert_eq!(hook_call(input, None).unwrap().tool, "Bash");
/// assert!(hook_call(&input.replace("Pre", "Post"), None).is_err());
/// ```
pub fn hook_call(input: &str, user_home: Option<&str>) -> Result<Call, String> {
    if input.len() > MAX_INPUT {
        return Err(format!("holds more than {MAX_INPUT} bytes"));
    }
    if !input.trim_start().starts_with('{') {
        return Err("is no JSON object".to_owned());
    }
    if !fields::is_plain(input) {
        return Err("is no JSON, or holds a key twice".to_owned());
    }
    let given: Given = serde_json::from_str(input).map_err(|error| format!("is no call of a tool: {error}"))?;
    let text = |value: Option<String>, name: &str| {
        value.filter(|text| !text.is_empty()).ok_or_else(|| format!("has no {name}"))
    };
    let event = text(given.hook_event_name, "hook_event_name")?;
    if event != EVENT {
        return Err(format!("is for the event {}, and not for {EVENT}", event.escape_debug()));
    }
    let cwd = text(given.cwd, "cwd")?;
    if !cwd.starts_with('/') {
        return Err("has a cwd that is not absolute".to_owned());
    }
    let tool = text(given.tool_name, "tool_name")?;
    let input = given.tool_input.ok_or("has no tool_input")?.get().to_owned();
    if !input.starts_with('{') {
        return Err("has a tool_input that is no object".to_owned());
    }
    Ok(Call { tool, input, cwd, user_home: user_home.map(str::to_owned) })
}
