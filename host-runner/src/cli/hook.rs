//! `winter hook pre-tool-use`.
//!
//! The program lets a call pass when its hook fails in any other way than with exit code 2 (Claude Code 2.1.250, measured):
//! a hook that is killed, that panics, that never ends. So everything here ends in 2, but for the two answers.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::json;
use winter_runner::{Config, Runner, RunnerError, containment_places};

use super::{human, places};

/// The most bytes of input that are read; a call with more is blocked.
const MAX_INPUT: u64 = 16 << 20;

/// What blocks a call, whatever is printed (Claude Code 2.1.250).
const BLOCKS: u8 = 2;

/// After how long a call is blocked that could not be decided: the program itself waits for 60 s, and then lets it pass.
pub(super) const PATIENCE: Duration = Duration::from_secs(45);

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
    /// The global file, where it stands neither in your home folder nor among your own items
    #[arg(long, value_name = "FILE")]
    global_file: Option<PathBuf>,
}

/// Whether the program was started as a hook: its first word that is no option, nor an option's value.
pub(super) fn is_asked(arguments: impl Iterator<Item = OsString>) -> bool {
    let mut words = arguments.skip(1);
    while let Some(word) = words.next() {
        if word == "--log" {
            words.next();
        } else if !word.as_encoded_bytes().starts_with(b"-") {
            return word == "hook";
        }
    }
    false
}

/// Makes every end of this process that is no answer block the call.
pub(super) fn guard(patience: Duration) {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or_else(String::new, |place| format!(" at {}:{}", place.file(), place.line()));
        let _ = writeln!(std::io::stderr(), "error[failed]: the hook failed{place}, and the call is blocked");
        std::process::exit(i32::from(BLOCKS));
    }));
    let watch = std::thread::Builder::new().name("patience".to_owned()).spawn(move || {
        std::thread::sleep(patience);
        let _ = writeln!(std::io::stderr(), "error[timed-out]: the call could not be decided in time, and is blocked");
        std::process::exit(i32::from(BLOCKS));
    });
    if watch.is_err() {
        std::process::exit(i32::from(BLOCKS));
    }
}

/// The exit code of a hook: 0 for an answer, and else what blocks.
pub(super) fn settled(code: ExitCode) -> ExitCode {
    if code == ExitCode::SUCCESS { code } else { ExitCode::from(BLOCKS) }
}

impl Hook {
    pub(super) fn run(&self) -> Result<(), RunnerError> {
        let What::PreToolUse(hook) = &self.what;
        let done = hook.decide().and_then(|answer| answer.map_or(Ok(()), |answer| said(&answer)));
        done.map_err(|error| {
            human::error(&error, false);
            RunnerError::Said(BLOCKS)
        })
    }
}

/// Whether what is written to standard output goes nowhere; a closed one is made so before a program starts.
#[cfg(unix)]
fn is_unheard() -> std::io::Result<bool> {
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
    let stdout = std::fs::File::from(std::io::stdout().as_fd().try_clone_to_owned()?).metadata()?;
    let nothing = std::fs::metadata("/dev/null")?;
    Ok(stdout.file_type().is_char_device() && stdout.rdev() == nothing.rdev())
}

#[cfg(not(unix))]
fn is_unheard() -> std::io::Result<bool> {
    Ok(false)
}

/// A refusal that nobody hears lets the call pass: a reader that has gone is an error here.
fn said(answer: &serde_json::Value) -> Result<(), RunnerError> {
    let lost = |error| RunnerError::Write { path: "standard output".into(), error };
    if is_unheard().map_err(lost)? {
        return Err(lost(std::io::Error::other("it is closed, or goes nowhere")));
    }
    let mut stdout = std::io::stdout().lock();
    // ASCII alone, as `human::value` spells it.
    let text: String = answer
        .to_string()
        .encode_utf16()
        .map(|unit| match u8::try_from(unit) {
            Ok(letter) if letter.is_ascii() => char::from(letter).to_string(),
            _ => format!("\\u{unit:04x}"),
        })
        .collect();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.write_all(b"\n")).and_then(|()| stdout.flush()).map_err(lost)
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
        let runner = Runner::new(Config::default())?;
        let call = runner.hook_call(&input, user_home.as_deref())?;
        let user_home = user_home.as_deref().map(std::path::Path::new);
        let places = containment_places(&home, &shared_home, self.global_file.as_deref(), user_home);
        let targets = runner.containment_targets(&places)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_is_told_from_everything_else() {
        let asked = |words: &[&str]| is_asked(["winter"].iter().chain(words).map(OsString::from));
        for words in [&["hook", "pre-tool-use"][..], &["--log", "debug", "hook"], &["--log=x", "hook"], &["-x", "hook"]]
        {
            assert!(asked(words), "{words:?}");
        }
        for words in [&[][..], &["run", "--", "hook"], &["--log", "hook", "run"], &["explain", "hook"]] {
            assert!(!asked(words), "{words:?}");
        }
    }

    /// Runs one of the tests below by itself, as a program of its own.
    fn alone(name: &str) -> std::process::ExitStatus {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", &format!("cli::hook::tests::{name}"), "--ignored"]);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).status().unwrap()
    }

    #[test]
    fn every_end_that_is_no_answer_blocks() {
        assert_eq!(alone("panics").code(), Some(2));
        assert_eq!(alone("never_ends").code(), Some(2));
        let blocked = format!("{:?}", ExitCode::from(BLOCKS));
        for code in [1, 2, 3, 5, 101, 127] {
            assert_eq!(format!("{:?}", settled(ExitCode::from(code))), blocked);
        }
        assert_eq!(format!("{:?}", settled(ExitCode::SUCCESS)), format!("{:?}", ExitCode::SUCCESS));
    }

    #[test]
    #[ignore = "ends its process; `every_end_that_is_no_answer_blocks` starts it"]
    fn panics() {
        guard(PATIENCE);
        let _ = std::thread::spawn(|| panic!("on purpose")).join();
        std::process::exit(0);
    }

    #[test]
    #[ignore = "ends its process; `every_end_that_is_no_answer_blocks` starts it"]
    fn never_ends() {
        guard(Duration::from_millis(50));
        std::thread::sleep(Duration::from_secs(20));
        std::process::exit(0);
    }
}
