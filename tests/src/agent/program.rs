//! The program itself: where it is, and headless turns of it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::model_server::ModelServer;
use super::process::{Ended, Running};
use super::reply::Reply;
use super::wire::Request;

/// The release of the package that the tests were written against. Facts about the program that they hold down were seen
/// with it.
pub const VERSION: &str = "0.3.250";

/// A turn takes about a second; a machine that is busy building takes longer.
const PATIENCE: Duration = Duration::from_mins(1);

/// What stops the program from asking for anything beyond the model.
const QUIET: [&str; 7] = [
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "DISABLE_AUTOUPDATER",
    "DISABLE_BUG_COMMAND",
    "DISABLE_COST_WARNINGS",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_TELEMETRY",
    "DISABLE_UPDATES",
];

/// The program: `WINTER_AGENT_PROGRAM`, else the one in the cache folder; none when there is neither.
pub fn find() -> Option<PathBuf> {
    let named = std::env::var_os("WINTER_AGENT_PROGRAM").map(PathBuf::from);
    let program = named.or_else(|| {
        let cache = std::env::var_os("XDG_CACHE_HOME").filter(|cache| !cache.is_empty()).map(PathBuf::from);
        let cache = cache.or_else(|| std::env::home_dir().map(|home| home.join(".cache")))?;
        let package = format!("winter-tests/agent-{VERSION}/node_modules/@anthropic-ai/claude-agent-sdk-linux-x64");
        Some(cache.join(package).join("claude"))
    })?;
    program.is_file().then_some(program)
}

/// The program, the model that it talks to, and folders of its own: a home, a config folder and a place to work in.
pub struct Agent {
    program: PathBuf,
    // Before the folder, so that it has ended when the folder goes.
    server: ModelServer,
    folder: TempDir,
}

impl Agent {
    /// A new one, with this script for the model; none, with a remark, where the program is not installed.
    pub fn new(script: impl FnMut(&Request) -> Option<Reply> + Send + 'static) -> Option<Self> {
        let Some(program) = find() else {
            println!("skipped: the agent program is not installed (see .ci/run)");
            return None;
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        let agent = Self { program, server: ModelServer::start(script), folder };
        for name in ["home", "config", "work", "tmp"] {
            std::fs::create_dir(agent.folder.path().join(name)).expect("a folder");
        }
        Some(agent)
    }

    /// The program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The model.
    pub fn server(&self) -> &ModelServer {
        &self.server
    }

    /// The real path of a folder or file beside the agent's own.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("the folder stands").join(name)
    }

    /// The config folder of its turns.
    pub fn config(&self) -> PathBuf {
        self.beside("config")
    }

    /// The folder that its turns work in.
    pub fn work(&self) -> PathBuf {
        self.beside("work")
    }

    /// The transcript of a session that worked in [`Agent::work`].
    pub fn transcript(&self, session: &str) -> PathBuf {
        let key: String = self.work().to_str().expect("a path that is text").chars().map(plain).collect();
        self.config().join("projects").join(key).join(format!("{session}.jsonl"))
    }

    /// The complete environment of a turn: nothing of this process is inherited but `PATH`.
    pub fn environment(&self) -> BTreeMap<OsString, OsString> {
        let address = self.server.address();
        let mut environment: BTreeMap<OsString, OsString> =
            QUIET.iter().map(|name| (OsString::from(name), OsString::from("1"))).collect();
        let own: [(&str, OsString); 12] = [
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
            ("HOME", self.beside("home").into()),
            ("TMPDIR", self.beside("tmp").into()),
            ("CLAUDE_CODE_TMPDIR", self.beside("tmp").into()),
            ("LANG", "C.UTF-8".into()),
            ("TERM", "dumb".into()),
            ("ANTHROPIC_BASE_URL", address.clone().into()),
            ("ANTHROPIC_API_KEY", "sk-of-no-one".into()),
            ("HTTPS_PROXY", address.into()),
            ("NO_PROXY", "127.0.0.1".into()),
            ("CLAUDE_CONFIG_DIR", self.config().into()),
            // A scripted error is meant; trying again for minutes would only make it come later.
            ("CLAUDE_CODE_MAX_RETRIES", "0".into()),
        ];
        environment.extend(own.map(|(name, value)| (name.into(), value)));
        environment
    }

    /// A turn with this prompt, to be refined and run.
    pub fn turn(&self, prompt: &str) -> Turn<'_> {
        let mut turn = Turn {
            agent: self,
            prompt: prompt.into(),
            sources: Some("user".into()),
            arguments: Vec::new(),
            environment: self.environment(),
            cwd: self.work(),
            input: None,
            patience: PATIENCE,
        };
        if prompt.is_empty() {
            turn.arguments.extend(["--input-format".into(), "stream-json".into()]);
        }
        turn
    }

    /// A turn of these user messages, each a line of stream-json: the way in for images.
    pub fn turn_of(&self, messages: &[Value]) -> Turn<'_> {
        let mut lines: Vec<u8> = Vec::new();
        for message in messages {
            writeln!(lines, "{message}").expect("memory can be written to");
        }
        Turn { input: Some(lines), ..self.turn("") }
    }
}

fn plain(letter: char) -> char {
    if letter.is_ascii_alphanumeric() { letter } else { '-' }
}

/// A user message of these blocks, for [`Agent::turn_of`].
pub fn user_message(blocks: &[Value]) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": blocks}})
}

/// The same of one text.
pub fn text_message(text: &str) -> Value {
    user_message(&[json!({"type": "text", "text": text})])
}

/// A block that holds a file: `image` or `document`, its media type, and its bytes in base64.
pub fn file_block(kind: &str, media_type: &str, data: &str) -> Value {
    json!({"type": kind, "source": {"type": "base64", "media_type": media_type, "data": data}})
}

/// A headless turn.
pub struct Turn<'a> {
    agent: &'a Agent,
    prompt: OsString,
    sources: Option<OsString>,
    arguments: Vec<OsString>,
    environment: BTreeMap<OsString, OsString>,
    cwd: PathBuf,
    input: Option<Vec<u8>>,
    patience: Duration,
}

impl Turn<'_> {
    /// Other setting sources than `user`; none leaves the option out, and the program to its default.
    #[must_use]
    pub fn sources(mut self, sources: Option<&str>) -> Self {
        self.sources = sources.map(OsString::from);
        self
    }

    /// Continues a session.
    #[must_use]
    pub fn resume(self, session: &str) -> Self {
        self.args(["--resume", session])
    }

    /// Names the model.
    #[must_use]
    pub fn model(self, model: &str) -> Self {
        self.args(["--model", model])
    }

    /// More arguments.
    #[must_use]
    pub fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Sets a variable of the environment.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.environment.insert(name.into(), value.as_ref().to_owned());
        self
    }

    /// Leaves a variable out of the environment.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.environment.remove(OsStr::new(name));
        self
    }

    /// Another config folder.
    #[must_use]
    pub fn config(self, folder: &Path) -> Self {
        self.env("CLAUDE_CONFIG_DIR", folder)
    }

    /// Another folder to work in.
    #[must_use]
    pub fn cwd(mut self, folder: &Path) -> Self {
        folder.clone_into(&mut self.cwd);
        self
    }

    /// Another limit of its time.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// The arguments, without the program: for a test that puts another program in front.
    pub fn arguments(&self) -> Vec<OsString> {
        let mut all: Vec<OsString> = vec!["-p".into()];
        all.extend((!self.prompt.is_empty()).then(|| self.prompt.clone()));
        all.extend(["--output-format", "stream-json", "--verbose"].map(OsString::from));
        all.extend(self.sources.iter().flat_map(|sources| ["--setting-sources".into(), sources.clone()]));
        all.extend(self.arguments.iter().cloned());
        all
    }

    /// Starts the turn, without waiting for it.
    pub fn start(&self) -> Running {
        self.start_by(&self.agent.program, [""; 0])
    }

    /// Runs the turn to its end.
    pub fn run(&self) -> Ended {
        self.start().wait(self.patience)
    }

    /// Starts another program with these arguments and then the turn's own, in the same environment, folder and network.
    pub fn start_by<S: AsRef<OsStr>>(&self, program: &Path, before: impl IntoIterator<Item = S>) -> Running {
        let mut command = Command::new(program);
        command.args(before).args(self.arguments()).env_clear().envs(&self.environment).current_dir(&self.cwd);
        Running::start(self.agent.server.island(), command, self.input.clone())
    }
}
