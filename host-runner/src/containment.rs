//! Containment: a hook of the session's own that refuses calls which name what is protected.

use std::path::Path;

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

    /// The call in what the public program gives a `PreToolUse` hook (Claude Code 2.1.250).
    ///
    /// # Errors
    /// What cannot be read, in one way only; and a guest that failed.
    pub fn hook_call(&self, input: &[u8], user_home: Option<&str>) -> Result<Call, RunnerError> {
        let bad = |why: String| RunnerError::BadInput {
            what: format!("the hook's input {why}"),
            help: "what the program gives a PreToolUse hook was expected".to_owned(),
        };
        let input = std::str::from_utf8(input).map_err(|_| bad("is not UTF-8".to_owned()))?;
        self.call(|store, guest| guest.winter_runtime_containment().call_hook_call(store, input, user_home))?
            .map_err(bad)
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

/// The folders of a session, for [`Runner::containment_targets`]; the person's home folder, since the global file may
/// stand in it.
pub fn containment_places(
    home: &Path,
    shared_home: &Path,
    global_file: Option<&Path>,
    user_home: Option<&Path>,
) -> Places {
    let usual = user_home.into_iter().flat_map(|home| [".claude.json", ".winter.json"].map(|name| home.join(name)));
    let files = usual.chain(global_file.map(Path::to_owned));
    let mut global_file: Vec<String> = files.flat_map(|file| spellings(&file)).collect();
    global_file.sort();
    global_file.dedup();
    Places { home: spellings(home), shared_home: spellings(shared_home), global_file }
}

/// The command line of that hook, for a shell: `program` and the folders, each quoted whole. A hook that is not there, or
/// that is killed, would let the call pass (Claude Code 2.1.250, measured), so the shell says 2 for it.
///
/// # Errors
/// A path that is not UTF-8 or holds a NUL or a line break, which has no place in a settings file's command.
pub fn hook_command(
    program: &Path,
    home: &Path,
    shared_home: &Path,
    global_file: Option<&Path>,
) -> Result<String, RunnerError> {
    let quoted = |path: &Path| {
        let plain = path.to_str().filter(|text| !text.contains(['\0', '\n', '\r']));
        let plain = plain.ok_or_else(|| RunnerError::BadInput {
            what: format!("the path {} has no spelling in a hook's command", path.display()),
            help: "use a path that is UTF-8 without line breaks".to_owned(),
        })?;
        Ok::<_, RunnerError>(format!("'{}'", plain.replace('\'', r"'\''")))
    };
    let (program, home, shared_home) = (quoted(program)?, quoted(home)?, quoted(shared_home)?);
    let global_file = global_file.map(quoted).transpose()?;
    let global_file = global_file.map_or_else(String::new, |file| format!(" --global-file {file}"));
    Ok(format!("{program} hook pre-tool-use --home {home} --shared-home {shared_home}{global_file} || exit 2"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_quoted_for_a_shell() {
        let command = hook_command(
            Path::new("/o'pt/winter"),
            Path::new("/home/a b/.winter"),
            Path::new("/s"),
            Some(Path::new("/g")),
        )
        .unwrap();
        let expected = r"'/o'\''pt/winter' hook pre-tool-use --home '/home/a b/.winter' --shared-home '/s' --global-file '/g' || exit 2";
        assert_eq!(command, expected);
        assert!(hook_command(Path::new("/a\nb"), Path::new("/"), Path::new("/"), None).is_err());
    }
}
