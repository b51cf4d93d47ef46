//! Brands: the names, grammars and habits of one runtime, as data.

use serde::Serialize;

/// How a literal path is spelt inside a permission rule (`escape`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spelling {
    /// The contract's escape table: gitignore escapes through both layers of a rule.
    Contract,
    /// `\\xHH` for every character with a meaning: exact on the public program (measured on 2.1.250).
    Hex,
}

/// How the entries of the `sandbox.filesystem` lists are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxGrammar {
    /// An entry that holds `* ? [ ]` is a glob in which a backslash is literal.
    Contract,
    /// As `Contract` for `denyRead`; entries of the write lists that hold `* ? [ ]` are ignored
    /// (Claude Code 2.1.250 on Linux, measured).
    WritesLiteral,
}

/// Where a runtime keeps its transcripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transcripts {
    /// It writes to the shared home itself.
    Shared,
    /// The run folder's `projects` is a link to the shared home's.
    Linked,
    /// Into the run folder, from which they are brought home at the end.
    WorkingCopy,
}

/// Where a runtime finds its MCP servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum McpPlacement {
    /// In the run folder's own global file.
    GlobalFile,
    /// In a file that it is told of; the global file stays the person's own, through a link.
    OwnFile,
}

/// What the door sets a variable of a child to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChildValue {
    /// The run folder.
    RunFolder,
    /// The shared home.
    SharedHome,
    /// The folder `plugins` of the shared home.
    Plugins,
    /// This text.
    Text(String),
}

/// A variable that the door sets for every session on a run home.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ChildVariable {
    /// Its name.
    pub name: String,
    /// What it is set to.
    pub value: ChildValue,
}

/// How the door reads a program's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArgumentGrammar {
    /// It does not: they pass as they are, and nothing is added.
    Plain,
    /// As the public program does (Claude Code 2.1.250).
    Claude,
}

/// A range of versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Versions {
    /// The first that is supported, as three numbers.
    pub from: String,
    /// The first after it that is not.
    pub below: String,
}

/// The folder of plans, of those that outlive every run. A run folder has one of its own, which a session begins with copies in
/// and whose new files come home: in plan mode Claude Code 2.1.250 writes to no file that a link leads to (measured).
pub const PLANS_FOLDER: &str = "plans";

/// The name of the transcripts' folder inside a config folder.
pub const TRANSCRIPTS_FOLDER: &str = "projects";

/// One brand of runtime.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Profile {
    /// Its short name.
    pub name: String,
    /// The folder of a project that holds its configuration, e.g. `.winter`.
    pub project_dir: String,
    /// The instructions file, e.g. `WINTER.md`.
    pub instructions_file: String,
    /// The person's own instructions file beside it, e.g. `WINTER.local.md`.
    pub local_instructions_file: String,
    /// The global state file, e.g. `.winter.json`.
    pub global_config_file: String,
    /// What the names of its environment variables begin with, e.g. `WINTER_`.
    pub env_prefix: String,
    /// How its permission rules spell a literal path.
    pub rule_spelling: Spelling,
    /// How its sandbox lists spell one.
    pub sandbox_grammar: SandboxGrammar,
    /// Where it keeps its transcripts.
    pub transcripts: Transcripts,
    /// Where it finds its MCP servers.
    pub mcp: McpPlacement,
    /// Folders that outlive every run: links into the shared home, made there where they do not stand.
    pub persistent_folders: Vec<String>,
    /// Files that outlive every run: links into the shared home, whether or not they stand yet.
    pub linked_entries: Vec<String>,
    /// Output styles that it brings along, whose names nobody may take.
    pub built_in_styles: Vec<String>,
    /// Variables that the door sets for its sessions.
    pub child_variables: Vec<ChildVariable>,
    /// Variables of the person's that its sessions get: names, or beginnings of names before a `*`.
    pub inherited_variables: Vec<String>,
    /// How the door reads its arguments.
    pub argument_grammar: ArgumentGrammar,
    /// Versions of its program that winter's tables hold for; none: any.
    pub supported_versions: Option<Versions>,
}

const BUILT_IN_STYLES: [&str; 4] = ["default", "proactive", "explanatory", "learning"];

/// What every program gets of a person's environment (the library's contract, the door's allowlist).
const INHERITED: [&str; 22] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TERM",
    "COLORTERM",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "TZ",
    "TMPDIR",
    "XDG_RUNTIME_DIR",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "COLUMNS",
    "LINES",
    "NO_COLOR",
    "FORCE_COLOR",
    "EDITOR",
];

/// What the public program takes a person's login and the way to its service from (Claude Code 2.1.250).
const CLAUDE_LOGIN: [&str; 38] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_CUSTOM_HEADERS",
    "ANTHROPIC_MODEL",
    "ANTHROPIC_SMALL_FAST_MODEL",
    "ANTHROPIC_DEFAULT_*",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
    "CLAUDE_CODE_SKIP_VERTEX_AUTH",
    "CLAUDE_CODE_SKIP_FOUNDRY_AUTH",
    "CLAUDE_CODE_CLIENT_CERT",
    "CLAUDE_CODE_CLIENT_KEY",
    "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE",
    "ANTHROPIC_BEDROCK_BASE_URL",
    "ANTHROPIC_VERTEX_BASE_URL",
    "ANTHROPIC_FOUNDRY_*",
    "VERTEX_REGION_*",
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_BEARER_TOKEN_BEDROCK",
    "ANTHROPIC_VERTEX_PROJECT_ID",
    "CLOUD_ML_REGION",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
];

fn set(name: &str, value: ChildValue) -> ChildVariable {
    ChildVariable { name: name.to_owned(), value }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

impl Profile {
    /// The Winter runtime, whose contract's tables hold as they stand.
    ///
    /// ```
    /// assert_eq!(winter_policy::brand::Profile::winter().project_dir, ".winter");
    /// ```
    pub fn winter() -> Self {
        Self {
            name: "winter".into(),
            project_dir: ".winter".into(),
            instructions_file: "WINTER.md".into(),
            local_instructions_file: "WINTER.local.md".into(),
            global_config_file: ".winter.json".into(),
            env_prefix: "WINTER_".into(),
            rule_spelling: Spelling::Contract,
            sandbox_grammar: SandboxGrammar::Contract,
            transcripts: Transcripts::Shared,
            mcp: McpPlacement::GlobalFile,
            persistent_folders: owned(&["file-history", "tasks", "teams", "agent-memory", "workflows", "plugins"]),
            linked_entries: Vec::new(),
            built_in_styles: owned(&BUILT_IN_STYLES),
            child_variables: vec![
                set("WINTER_HOME", ChildValue::RunFolder),
                set("WINTER_STORE_HOME", ChildValue::SharedHome),
                set("WINTER_PLUGIN_CACHE_DIR", ChildValue::Plugins),
                set("WINTER_PROVIDER_MANAGED_BY_HOST", ChildValue::Text("1".into())),
                set("WINTER_DISABLE_CRON", ChildValue::Text("1".into())),
            ],
            inherited_variables: owned(&INHERITED),
            argument_grammar: ArgumentGrammar::Plain,
            supported_versions: None,
        }
    }

    /// The public Claude Code program, as measured on 2.1.250.
    pub fn claude() -> Self {
        Self {
            name: "claude".into(),
            project_dir: ".claude".into(),
            instructions_file: "CLAUDE.md".into(),
            local_instructions_file: "CLAUDE.local.md".into(),
            global_config_file: ".claude.json".into(),
            env_prefix: "CLAUDE_".into(),
            rule_spelling: Spelling::Hex,
            sandbox_grammar: SandboxGrammar::WritesLiteral,
            transcripts: Transcripts::Linked,
            mcp: McpPlacement::OwnFile,
            persistent_folders: owned(&[
                "file-history",
                "sessions",
                "session-env",
                "shell-snapshots",
                "backups",
                "tasks",
                "teams",
                "agent-memory",
                "workflows",
                "ide",
                "plans",
                "plugins",
                "themes",
                "todos",
            ]),
            linked_entries: owned(&[".credentials.json", "history.jsonl", "keybindings.json", "loop.md"]),
            built_in_styles: owned(&BUILT_IN_STYLES),
            child_variables: vec![
                set("CLAUDE_CONFIG_DIR", ChildValue::RunFolder),
                // Where the system keeps credentials in its keychain, the entry's name comes from the folder's.
                set("CLAUDE_SECURESTORAGE_CONFIG_DIR", ChildValue::SharedHome),
            ],
            inherited_variables: INHERITED.iter().chain(&CLAUDE_LOGIN).map(|&name| name.to_owned()).collect(),
            argument_grammar: ArgumentGrammar::Claude,
            supported_versions: Some(Versions { from: "2.1.250".into(), below: "2.2.0".into() }),
        }
    }

    /// Both built-in brands.
    pub fn built_in() -> [Self; 2] {
        [Self::winter(), Self::claude()]
    }
}
