//! WIT <-> domain, and nothing else: every function converts its arguments, calls one decision and converts its answer.

#![allow(unsafe_code, unreachable_pub, reason = "the macro that exports the component's functions expands to it")]

mod bindings;
#[cfg(feature = "runtime-world")]
mod carry;
mod containment;
#[cfg(feature = "runtime-world")]
mod door;
#[cfg(feature = "runtime-world")]
mod recovery;
#[cfg(feature = "runtime-world")]
mod runtime;
mod selection;
mod switch_review;

use bindings::exports::winter::runtime::{
    escape as wit_escape, explain as wit_explain, settings as wit_settings, types as wit,
};

use crate::{brand, escape, explain, report, settings, tier};

struct Component;

bindings::export!(Component with_types_in bindings);

impl wit_escape::Guest for Component {
    fn rule_path(path: String, spelling: wit::Spelling) -> String {
        escape::rule_path(&path, spelling.into())
    }

    fn sandbox_path(
        path: String,
        list: wit_escape::SandboxList,
        grammar: wit::SandboxGrammar,
    ) -> wit_escape::SandboxSpelling {
        use wit_escape::SandboxSpelling as To;
        match escape::sandbox_path(&path, list.into(), grammar.into()) {
            escape::SandboxSpelling::Exact(text) => To::Exact(text),
            escape::SandboxSpelling::ExactPathOnly(text) => To::ExactPathOnly(text),
            escape::SandboxSpelling::Wider(text) => To::Wider(text),
            escape::SandboxSpelling::Inexpressible(fault) => To::Inexpressible(fault.characters.iter().collect()),
        }
    }

    fn sandbox_glob_path(path: String) -> String {
        escape::sandbox_glob_path(&path)
    }

    fn fs_root_anchored(path: String) -> String {
        escape::fs_root_anchored(&path)
    }
}

impl wit_settings::Guest for Component {
    fn compose(
        files: Vec<wit_settings::TierFile>,
        options: wit_settings::Options,
    ) -> Result<wit_settings::Effective, wit::Refusal> {
        with_settings(&files, options, |files, options| effective(settings::compose(files, options)))
    }

    fn compose_in(
        files: Vec<wit_settings::TierFile>,
        options: wit_settings::Options,
        places: wit_settings::DenyPlaces,
    ) -> Result<wit_settings::Effective, wit::Refusal> {
        let places = places.into();
        with_settings(&files, options, |files, options| effective(settings::compose_in(files, options, &places)))
    }

    fn literal_paths(
        files: Vec<wit_settings::TierFile>,
        options: wit_settings::Options,
        places: wit_settings::DenyPlaces,
    ) -> Vec<String> {
        let places = places.into();
        with_settings(&files, options, |files, options| settings::literal_paths(files, options, &places))
    }

    fn masked(document: String) -> String {
        settings::masked(&document)
    }
}

fn with_settings<T>(
    files: &[wit_settings::TierFile],
    options: wit_settings::Options,
    decide: impl FnOnce(&[settings::TierFile<'_>], &settings::Options<'_>) -> T,
) -> T {
    let files: Vec<_> = files
        .iter()
        .map(|file| settings::TierFile {
            tier: file.tier.into(),
            source: &file.source,
            anchor: &file.anchor,
            shipped: file.shipped.map(Into::into),
            text: &file.text,
        })
        .collect();
    let brand = options.brand.into();
    let protection = settings::Protection {
        ask: options.protected.ask,
        deny: options.protected.deny,
        deny_write: options.protected.deny_write,
        pre_tool_use: options.protected.pre_tool_use,
    };
    let options = settings::Options {
        brand: &brand,
        powers: options.powers.into(),
        allow_inexpressible: options.allow_inexpressible,
        protection: &protection,
    };
    decide(&files, &options)
}

fn effective(
    answer: Result<settings::Effective, settings::SettingsError>,
) -> Result<wit_settings::Effective, wit::Refusal> {
    match answer {
        Ok(effective) => Ok(wit_settings::Effective {
            json: effective.json,
            dropped: all(effective.dropped),
            skipped: all(effective.skipped),
            notices: all(effective.notices),
        }),
        Err(error) => Err(report::Refusal::from(error).into()),
    }
}

impl wit_explain::Guest for Component {
    fn topics() -> Vec<wit_explain::Topic> {
        all(explain::TOPICS.to_vec())
    }

    fn sheets(topic: wit_explain::Topic) -> Vec<wit_explain::Sheet> {
        let sheet =
            |sheet: explain::Sheet| wit_explain::Sheet { title: sheet.title, columns: sheet.columns, rows: sheet.rows };
        explain::sheets(topic.into()).into_iter().map(sheet).collect()
    }
}

fn all<A, B: From<A>>(from: Vec<A>) -> Vec<B> {
    from.into_iter().map(Into::into).collect()
}

/// Enums of the same variants on both sides of the border.
macro_rules! same {
    ($from:ty => $to:ty { $($variant:ident),* $(,)? }) => {
        impl From<$from> for $to {
            fn from(from: $from) -> Self {
                match from { $(<$from>::$variant => <$to>::$variant,)* }
            }
        }
    };
}
/// Records of the same fields; a field marked `+` is converted too.
macro_rules! same_record {
    ($from:ty => $to:ty { $($field:ident $(+ $how:ident)?),* $(,)? }) => {
        impl From<$from> for $to {
            fn from(from: $from) -> Self {
                Self { $($field: same_record!(@ from.$field $(, $how)?),)* }
            }
        }
    };
    (@ $value:expr) => { $value };
    (@ $value:expr, into) => { $value.into() };
    (@ $value:expr, option) => { $value.map(Into::into) };
    (@ $value:expr, all) => { crate::component::all($value) };
}
use {same, same_record};

same!(wit_explain::Topic => explain::Topic {
    Settings, Env, Powers, Items, Mcp, Report, Escape, Selection, SwitchReview, Door, Carry, Recovery, Containment,
});
same!(explain::Topic => wit_explain::Topic {
    Settings, Env, Powers, Items, Mcp, Report, Escape, Selection, SwitchReview, Door, Carry, Recovery, Containment,
});
same!(wit::Tier => tier::Tier { User, Project, Local });
same!(tier::Tier => wit::Tier { User, Project, Local });
same!(wit::Powers => tier::Powers { Keep, Drop });
same!(wit::Spelling => brand::Spelling { Contract, Hex });
same!(wit::SandboxGrammar => brand::SandboxGrammar { Contract, WritesLiteral });
same!(wit_escape::SandboxList => escape::SandboxList { DenyRead, DenyWrite, AllowRead, AllowWrite });
same!(wit_settings::Stands => settings::Stands { Present, Absent, Dangling, Loop, Unreadable });
same_record!(wit_settings::KnownPath => settings::KnownPath { path, stands + into, real });
same_record!(wit_settings::DenyPlaces => settings::DenyPlaces { home, cwd, known + all });
same!(wit::ShippedBecause => report::ShippedBecause { Index, Head, Link, Unsupported, TimedOut, Failed });
same!(report::ShippedBecause => wit::ShippedBecause { Index, Head, Link, Unsupported, TimedOut, Failed });
same!(report::SkipReason => wit::SkipReason {
    Unusable, NotRegular, TooLarge, Changed, Unreadable, NotRead, NotCarried, NotUtf8, TooMany, Collision,
    NestedNotCarried, PathsOutsideCwd, NotGranted,
});
same!(wit::Transcripts => brand::Transcripts { Shared, Linked, WorkingCopy });
same!(wit::McpPlacement => brand::McpPlacement { GlobalFile, OwnFile });
same!(report::LinkFault => wit::LinkFault { OutsideRoot, Dangling, Loop });
same!(report::NoticeKind => wit::NoticeKind {
    DuplicateKey, ShippedLocal, NoSharedHome, HomeIsProject, LiteralReference, Untrusted, NotInSandbox, InertRule, InvisibleCharacters,
});
same!(report::RefusalKind => wit::RefusalKind { BadInput, LegRefused, UnusableSettings, Inexpressible, Denied, Io });
same_record!(report::Dropped => wit::Dropped {
    rule, withheld, tier + into, reason, source, line, because + option,
});
same_record!(report::SkippedItem => wit::SkippedItem { path, reason + into, detail, line, column });
same_record!(report::SkippedLink => wit::SkippedLink { path, target, reason + into });
same_record!(report::Notice => wit::Notice { kind + into, path, line, text });
same_record!(report::Refusal => wit::Refusal { kind + into, message, help, source, line, column });
same_record!(wit::Profile => brand::Profile {
    name, project_dir, instructions_file, local_instructions_file, global_config_file, env_prefix, rule_spelling + into,
    sandbox_grammar + into, transcripts + into, mcp + into, persistent_folders, linked_entries, built_in_styles,
    child_variables + all, inherited_variables, argument_grammar + into, supported_versions + option,
});
same!(wit::ArgumentGrammar => brand::ArgumentGrammar { Plain, Claude });
same_record!(wit::Versions => brand::Versions { from, below });
same_record!(wit::ChildVariable => brand::ChildVariable { name, value + into });

impl From<wit::ChildValue> for brand::ChildValue {
    fn from(value: wit::ChildValue) -> Self {
        match value {
            wit::ChildValue::RunFolder => Self::RunFolder,
            wit::ChildValue::SharedHome => Self::SharedHome,
            wit::ChildValue::Plugins => Self::Plugins,
            wit::ChildValue::Text(text) => Self::Text(text),
        }
    }
}

impl From<wit::Brand> for brand::Profile {
    fn from(brand: wit::Brand) -> Self {
        match brand {
            wit::Brand::Winter => Self::winter(),
            wit::Brand::Claude => Self::claude(),
            wit::Brand::Custom(profile) => profile.into(),
        }
    }
}
