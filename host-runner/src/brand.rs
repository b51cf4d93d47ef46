//! Brands out of a file: a profile of one's own, laid over a built-in one.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::Brand;
use crate::contract::types::{
    ArgumentGrammar, ChildValue, ChildVariable, McpPlacement, Profile, SandboxGrammar, Spelling, Transcripts, Versions,
};
use crate::error::RunnerError;
use crate::runner::{Config, Runner};

/// The most bytes that a profile may have.
const MAX_PROFILE: u64 = 1 << 20;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Laid {
    name: String,
    like: Base,
    project_dir: Option<String>,
    instructions_file: Option<String>,
    local_instructions_file: Option<String>,
    global_config_file: Option<String>,
    env_prefix: Option<String>,
    rule_spelling: Option<SpellingName>,
    sandbox_grammar: Option<GrammarName>,
    transcripts: Option<TranscriptsName>,
    mcp: Option<McpName>,
    persistent_folders: Option<Vec<String>>,
    linked_entries: Option<Vec<String>>,
    built_in_styles: Option<Vec<String>>,
    child_variables: Option<BTreeMap<String, ValueName>>,
    inherited_variables: Option<Vec<String>>,
    argument_grammar: Option<ArgumentsName>,
    supported_versions: Option<Range>,
}

/// What a variable of a session is set to: `run-folder`, `shared-home`, `plugins`, or `{"text": "..."}`.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ValueName {
    RunFolder,
    SharedHome,
    Plugins,
    Text(String),
}

/// `{"from": "1.2.0", "below": "2.0.0"}`
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Range {
    from: String,
    below: String,
}

/// Which built-in brand holds where the file says nothing.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Base {
    Winter,
    Claude,
}

macro_rules! names {
    ($($name:ident => $type:ty { $($variant:ident),* })*) => {
        $(
            #[derive(Clone, Copy, Deserialize)]
            #[serde(rename_all = "kebab-case")]
            enum $name { $($variant),* }

            impl From<$name> for $type {
                fn from(name: $name) -> Self {
                    match name { $($name::$variant => <$type>::$variant),* }
                }
            }
        )*
    };
}

names! {
    SpellingName => Spelling { Contract, Hex }
    GrammarName => SandboxGrammar { Contract, WritesLiteral }
    TranscriptsName => Transcripts { Shared, Linked, WorkingCopy }
    McpName => McpPlacement { GlobalFile, OwnFile }
    ArgumentsName => ArgumentGrammar { Plain, Claude }
}

/// The brand that a JSON file describes: `name`, `like` (`winter` or `claude`), and whichever members of the contract's
/// `profile` differ from that brand's.
///
/// # Errors
/// A file that cannot be read or holds more than 1 MiB, JSON that is none, a member that is not known, and a value that
/// is none of those expected, each with its line.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("brand.json");
/// std::fs::write(&path, r#"{"name": "mine", "like": "claude", "project-dir": ".mine"}"#)?;
/// let winter_runner::Brand::Custom(profile) = winter_runner::brand_from_file(&path)? else { panic!() };
/// assert_eq!((profile.project_dir.as_str(), profile.global_config_file.as_str()), (".mine", ".claude.json"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn brand_from_file(path: &Path) -> Result<Brand, RunnerError> {
    let bad = |what: String| RunnerError::BadInput {
        what: format!("the brand {}: {what}", path.display()),
        help:
            "give `winter`, `claude`, or a file of one JSON object with `name`, `like` (`winter` or `claude`) and what \
               differs from that brand"
                .to_owned(),
    };
    // Looked at before it is opened: opening a device or a FIFO can hang.
    let found = std::fs::metadata(path).map_err(|error| bad(error.to_string()))?;
    if !found.is_file() || found.len() > MAX_PROFILE {
        return Err(bad(format!("a file of at most {MAX_PROFILE} bytes was expected")));
    }
    let text = std::fs::read(path).map_err(|error| bad(error.to_string()))?;
    let file: Laid = serde_json::from_slice(&text).map_err(|error| bad(error.to_string()))?;
    // The built-in brands are the policy's own; asking it for one lends it nothing.
    let like = match file.like {
        Base::Winter => Brand::Winter,
        Base::Claude => Brand::Claude,
    };
    let profile = Runner::new(Config::default())?.profile(&like)?;
    Ok(Brand::Custom(file.over(profile)))
}

impl Laid {
    fn over(self, mut profile: Profile) -> Profile {
        profile.name = self.name;
        if let Some(prefix) = &self.env_prefix {
            for variable in &mut profile.child_variables {
                if let Some(rest) = variable.name.strip_prefix(&profile.env_prefix) {
                    variable.name = format!("{prefix}{rest}");
                }
            }
        }
        if let Some(variables) = self.child_variables {
            let variable = |(name, value)| {
                let value = match value {
                    ValueName::RunFolder => ChildValue::RunFolder,
                    ValueName::SharedHome => ChildValue::SharedHome,
                    ValueName::Plugins => ChildValue::Plugins,
                    ValueName::Text(text) => ChildValue::Text(text),
                };
                ChildVariable { name, value }
            };
            profile.child_variables = variables.into_iter().map(variable).collect();
        }
        if let Some(Range { from, below }) = self.supported_versions {
            profile.supported_versions = Some(Versions { from, below });
        }
        macro_rules! set {
            ($($field:ident),*) => { $(if let Some(value) = self.$field { profile.$field = value.into(); })* };
        }
        set!(
            project_dir,
            instructions_file,
            local_instructions_file,
            global_config_file,
            env_prefix,
            rule_spelling,
            sandbox_grammar,
            transcripts,
            mcp,
            persistent_folders,
            linked_entries,
            built_in_styles,
            inherited_variables,
            argument_grammar
        );
        profile
    }
}
