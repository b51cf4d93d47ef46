//! `winter escape`.

use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use winter_runner::contract::escape::{SandboxList, SandboxSpelling};
use winter_runner::contract::types::SandboxGrammar;
use winter_runner::{Config, Runner, RunnerError, Spelling};

use super::human;

#[derive(Args)]
pub(crate) struct Escape {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// For the content of a permission rule.
    Rule {
        /// A literal path.
        path: String,
        /// The contract's escape table, or the `\\xHH` spelling of the public program.
        #[arg(long, value_enum, default_value_t = SpellingName::Contract)]
        spelling: SpellingName,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// For an entry of a `sandbox.filesystem` list.
    Sandbox {
        /// A literal path.
        path: String,
        /// Which list.
        #[arg(long, value_enum, default_value_t = ListName::DenyRead)]
        list: ListName,
        /// `contract` for the contract's grammar, `hex` for the public program's on Linux.
        #[arg(long, value_enum, default_value_t = SpellingName::Contract)]
        spelling: SpellingName,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum SpellingName {
    Contract,
    Hex,
}

#[derive(Clone, Copy, ValueEnum)]
enum ListName {
    DenyRead,
    DenyWrite,
    AllowRead,
    AllowWrite,
}

impl Escape {
    pub(super) fn json(&self) -> bool {
        matches!(self.what, What::Rule { json: true, .. } | What::Sandbox { json: true, .. })
    }

    pub(super) fn run(&self) -> Result<(), RunnerError> {
        let runner = Runner::new(Config::default())?;
        match &self.what {
            What::Rule { path, spelling, json } => {
                let spelt = runner.rule_path(path, (*spelling).into())?;
                print(*json, path, &spelt, "exact")
            }
            What::Sandbox { path, list, spelling, json } => {
                let grammar = match spelling {
                    SpellingName::Contract => SandboxGrammar::Contract,
                    SpellingName::Hex => SandboxGrammar::WritesLiteral,
                };
                match runner.sandbox_path(path, (*list).into(), grammar)? {
                    SandboxSpelling::Exact(spelt) => print(*json, path, &spelt, "exact"),
                    SandboxSpelling::ExactPathOnly(spelt) => {
                        note("it means the path alone, and nothing beneath it");
                        print(*json, path, &spelt, "exact-path-only")
                    }
                    SandboxSpelling::Wider(spelt) => {
                        note("it means more than the path: the list has no exact spelling for it");
                        print(*json, path, &spelt, "wider")
                    }
                    SandboxSpelling::Inexpressible(characters) => {
                        Err(RunnerError::Inexpressible { path: path.clone(), characters })
                    }
                }
            }
        }
    }
}

fn print(json: bool, path: &str, spelt: &str, meaning: &str) -> Result<(), RunnerError> {
    if json {
        return human::value(&json!({"path": path, "spelt": spelt, "meaning": meaning}));
    }
    human::plain(spelt)
}

fn note(text: &str) {
    anstream::eprintln!("note: {text}");
}

impl From<SpellingName> for Spelling {
    fn from(name: SpellingName) -> Self {
        match name {
            SpellingName::Contract => Self::Contract,
            SpellingName::Hex => Self::Hex,
        }
    }
}

impl From<ListName> for SandboxList {
    fn from(name: ListName) -> Self {
        match name {
            ListName::DenyRead => Self::DenyRead,
            ListName::DenyWrite => Self::DenyWrite,
            ListName::AllowRead => Self::AllowRead,
            ListName::AllowWrite => Self::AllowWrite,
        }
    }
}
