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
        }
    }

    /// Both built-in brands.
    pub fn built_in() -> [Self; 2] {
        [Self::winter(), Self::claude()]
    }
}
