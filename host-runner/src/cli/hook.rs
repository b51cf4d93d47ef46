//! `winter hook pre-tool-use`.

use std::io::Read as _;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;
use winter_runner::{Config, Runner, RunnerError, containment_places, hook_call};

use super::{human, places};

/// The most bytes of input that are read; a call with more is blocked.
const MAX_INPUT: u64 = 32 << 20;

/// What blocks a call, whatever is printed (Claude Code 2.1.250).
const BLOCKS: u8 = 2;

#[derive(Args)]
pub(crate) struct Hook {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Refuse a call of a tool that names what is protected.
    PreToolUse(PreToolUse),
}

#[derive(Args)]
#[command(
    after_help = "Reads the call from standard input, as the program gives it to a PreToolUse hook. Prints a refusal, or \
    nothing. Exits with 2, which blocks the call, whenever it cannot decide."
)]
struct PreToolUse {
    /// Winter's home. Default: ~/.winter
    #[arg(long, value_name = "DIR", env = "WINTER_HOME")]
    home: Option<PathBuf>,
    /// Your own items. Default: `sdk` in winter's home
    #[arg(long, value_name = "DIR")]
    shared_home: Option<PathBuf>,
}

impl Hook {
    pub(super) fn run(&self) -> Result<(), RunnerError> {
        let What::PreToolUse(hook) = &self.what;
        match hook.decide() {
            Ok(Some(answer)) => human::value(&answer),
            Ok(None) => Ok(()),
            Err(error) => {
                human::error(&error, false);
                Err(RunnerError::Said(BLOCKS))
            }
        }
    }
}

impl PreToolUse {
    fn decide(&self) -> Result<Option<serde_json::Value>, RunnerError> {
        let home = places::home(self.home.clone())?;
        let shared_home = self.shared_home.clone().unwrap_or_else(|| home.join("sdk"));
        let mut input = Vec::new();
        let read = std::io::stdin().lock().take(MAX_INPUT + 1).read_to_end(&mut input);
        let read = read.map_err(|error| RunnerError::Read { path: "standard input".into(), error })?;
        if read as u64 > MAX_INPUT {
            return Err(RunnerError::BadInput {
                what: format!("the hook's input holds more than {MAX_INPUT} bytes"),
                help: "split the call".to_owned(),
            });
        }
        let user_home = std::env::var("HOME").ok().filter(|home| home.starts_with('/'));
        let call = hook_call(&input, user_home)?;
        let runner = Runner::new(Config::default())?;
        let targets = runner.containment_targets(&containment_places(&home, &shared_home))?;
        let refused = runner.contain(&call, &targets)?;
        Ok(refused.map(|refused| {
            json!({"hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": format!("winter[{}]: {}", refused.id, refused.reason),
            }})
        }))
    }
}
