//! Containment: a hook of the session's own that refuses calls which name what is protected.

use std::path::Path;

use serde_json::Value;

use crate::contract::containment::{Approval, Broker, Call, Places, Refused, Target};
use crate::error::RunnerError;
use crate::runner::Runner;

impl Runner {
    /// What a session's tools may not name.
    ///
    /// # Errors
    /// Only a guest that failed.
    pub fn containment_targets(&self, places: &Places) -> Result<Vec<Target>, RunnerError> {
        self.call(|store, guest| guest.winter_runtime_containment().call_targets(store, places))
    }

    /// Why a call may not be made; none when nothing protected is named.
    ///
    /// # Errors
    /// Only a guest that failed.
    pub fn contain(&self, call: &Call, targets: &[Target]) -> Result<Option<Refused>, RunnerError> {
        self.call(|store, guest| guest.winter_runtime_containment().call_decide(store, call, targets))
    }

    /// What becomes of a call that needs an approval.
    ///
    /// # Errors
    /// Only a guest that failed.
    pub fn approve(&self, protected: bool, broker: Broker) -> Result<Approval, RunnerError> {
        self.call(|store, guest| guest.winter_runtime_containment().call_approve(store, protected, broker))
    }
}

/// A folder in its spellings: as it is named, and as it really is.
fn spellings(path: &Path) -> Vec<String> {
    let named = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let real = std::fs::canonicalize(&named).unwrap_or_else(|_| named.clone());
    let mut spelt: Vec<String> = [named, real].iter().map(|path| path.to_string_lossy().into_owned()).collect();
    spelt.dedup();
    spelt
}

/// The folders of a session, for [`Runner::containment_targets`].
pub fn containment_places(home: &Path, shared_home: &Path) -> Places {
    Places { home: spellings(home), shared_home: spellings(shared_home) }
}

/// The call in what the public program gives a `PreToolUse` hook (Claude Code 2.1.250): a JSON object with `tool_name`,
/// `tool_input` and `cwd`.
///
/// # Errors
/// Anything else: what cannot be read cannot be let through.
pub fn hook_call(input: &[u8], user_home: Option<String>) -> Result<Call, RunnerError> {
    let bad = |what: &str| RunnerError::BadInput {
        what: format!("the hook's input {what}"),
        help: "an object with tool_name, tool_input and cwd was expected".to_owned(),
    };
    let Ok(Value::Object(mut fields)) = serde_json::from_slice(input) else { return Err(bad("is no JSON object")) };
    let text = |value: Option<Value>, name: &str| match value {
        Some(Value::String(text)) if !text.is_empty() => Ok(text),
        _ => Err(bad(&format!("has no {name}"))),
    };
    let tool = text(fields.remove("tool_name"), "tool_name")?;
    let cwd = text(fields.remove("cwd"), "cwd")?;
    let input = fields.remove("tool_input").ok_or_else(|| bad("has no tool_input"))?;
    Ok(Call { tool, input: input.to_string(), cwd, user_home })
}

/// The command line of that hook, for a shell: `program` and the folders, each quoted whole.
///
/// # Errors
/// A path that is not UTF-8 or holds a NUL or a line break, which has no place in a settings file's command.
pub fn hook_command(program: &Path, home: &Path, shared_home: &Path) -> Result<String, RunnerError> {
    let quoted = |path: &Path| {
        let plain = path.to_str().filter(|text| !text.contains(['\0', '\n', '\r']));
        let plain = plain.ok_or_else(|| RunnerError::BadInput {
            what: format!("the path {} has no spelling in a hook's command", path.display()),
            help: "use a path that is UTF-8 without line breaks".to_owned(),
        })?;
        Ok::<_, RunnerError>(format!("'{}'", plain.replace('\'', r"'\''")))
    };
    let (program, home, shared_home) = (quoted(program)?, quoted(home)?, quoted(shared_home)?);
    Ok(format!("{program} hook pre-tool-use --home {home} --shared-home {shared_home}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_read_whole_or_not_at_all() {
        let call =
            hook_call(br#"{"tool_name":"Bash","tool_input":{"command":"ls"},"cwd":"/x","more":1}"#, None).unwrap();
        assert_eq!((call.tool.as_str(), call.input.as_str(), call.cwd.as_str()), ("Bash", r#"{"command":"ls"}"#, "/x"));
        for bad in [
            "",
            "[]",
            "{}",
            r#"{"tool_name":1,"tool_input":{},"cwd":"/"}"#,
            r#"{"tool_name":"B","cwd":"/"}"#,
            r#"{"tool_name":"B","tool_input":{}}"#,
        ] {
            assert!(hook_call(bad.as_bytes(), None).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_command_is_quoted_for_a_shell() {
        let command = hook_command(Path::new("/o'pt/winter"), Path::new("/home/a b/.winter"), Path::new("/s")).unwrap();
        let expected = r"'/o'\''pt/winter' hook pre-tool-use --home '/home/a b/.winter' --shared-home '/s'";
        assert_eq!(command, expected);
        assert!(hook_command(Path::new("/a\nb"), Path::new("/"), Path::new("/")).is_err());
    }
}
