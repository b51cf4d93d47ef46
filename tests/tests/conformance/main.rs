//! The component gives the answers that the native crate gives, byte for byte.

mod containment;
mod native;
mod run_homes;
mod selection;
mod sessions;
mod switch_review;

use proptest::prelude::*;
use winter_policy::brand::{Profile, SandboxGrammar, Spelling};
use winter_policy::tier::{Powers, Tier};
use winter_policy::{escape, explain, report, settings};
use winter_runner::contract::{escape as wit_escape, explain as wit_explain, settings as wit_settings, types as wit};
use winter_runner::{Brand, Config, Runner, RunnerError};

fn runner() -> &'static Runner {
    static RUNNER: std::sync::OnceLock<Runner> = std::sync::OnceLock::new();
    RUNNER.get_or_init(|| Runner::new(Config::default()).expect("the engine runs here"))
}

/// Text of every kind that escaping cares about.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        proptest::collection::vec(
            proptest::sample::select("/ab []*?(){}+^$|!#~\\\t\n\u{a0}ü\0".chars().collect::<Vec<_>>()),
            0..24
        )
        .prop_map(|letters| letters.into_iter().collect()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn escape(path in any_text()) {
        for (native, wit) in [(Spelling::Contract, wit::Spelling::Contract), (Spelling::Hex, wit::Spelling::Hex)] {
            prop_assert_eq!(escape::rule_path(&path, native), runner().rule_path(&path, wit).unwrap());
        }
        let lists = [
            (escape::SandboxList::DenyRead, wit_escape::SandboxList::DenyRead),
            (escape::SandboxList::DenyWrite, wit_escape::SandboxList::DenyWrite),
            (escape::SandboxList::AllowRead, wit_escape::SandboxList::AllowRead),
            (escape::SandboxList::AllowWrite, wit_escape::SandboxList::AllowWrite),
        ];
        let grammars = [
            (SandboxGrammar::Contract, wit::SandboxGrammar::Contract),
            (SandboxGrammar::WritesLiteral, wit::SandboxGrammar::WritesLiteral),
        ];
        for (list, wit_list) in lists {
            for (grammar, wit_grammar) in grammars {
                use escape::SandboxSpelling as Native;
                use wit_escape::SandboxSpelling as Wit;
                let native = escape::sandbox_path(&path, list, grammar);
                let same = match (native, runner().sandbox_path(&path, wit_list, wit_grammar).unwrap()) {
                    (Native::Exact(a), Wit::Exact(b))
                    | (Native::Wider(a), Wit::Wider(b))
                    | (Native::ExactPathOnly(a), Wit::ExactPathOnly(b)) => a == b,
                    (Native::Inexpressible(a), Wit::Inexpressible(b)) => a.characters.iter().collect::<String>() == b,
                    _ => false,
                };
                prop_assert!(same, "{:?} {:?} {:?}", path, list, grammar);
            }
        }
        prop_assert_eq!(settings::masked(&path), runner().masked(&path).unwrap());
    }

    #[test]
    fn compose(texts in proptest::collection::vec(any_settings(), 1..4), choice in 0_usize..16) {
        compare(&texts, choice)?;
    }
}

/// A settings text: sound ones of many keys, and ones that are none.
fn any_settings() -> impl Strategy<Value = String> {
    let lines = [
        r#""permissions":{"allow":["Read(/a b/**)","Bash(x)"],"deny":["Read(/s)","Read(a[b)"],"defaultMode":"acceptEdits"}"#,
        r#""permissions":{"deny":["Edit(~/x)"],"additionalDirectories":["x"],"more":1}"#,
        r#""env":{"LD_PRELOAD":"x","LANG":"C","A_TOKEN":"s","X":"${Y}","N":1}"#,
        r#""hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x"}]}]}"#,
        r#""sandbox":{"enabled":true,"filesystem":{"denyWrite":["a*b","x"],"denyRead":["[k]"]}}"#,
        r#""model":"m""#,
        r#""language":5"#,
        r#""unknown":{"deep":[1.50,{}]}"#,
        r#""plansDirectory":"../x""#,
        r#""model":"again""#,
        r#""verbose":true,"#,
        "// comment",
    ];
    proptest::collection::vec(proptest::sample::select(lines.to_vec()), 0..5)
        .prop_map(|lines| format!("{{\n{}\n}}", lines.join(",\n")))
}

/// Composes the same files on both sides. `choice` picks brand, powers and two switches.
fn compare(texts: &[String], choice: usize) -> Result<(), TestCaseError> {
    let (claude, keep, allow, shipped) = (choice & 1 != 0, choice & 2 != 0, choice & 4 != 0, choice & 8 != 0);
    let tiers = [(Tier::User, wit::Tier::User), (Tier::Project, wit::Tier::Project), (Tier::Local, wit::Tier::Local)];
    let because = |tier| (shipped && tier == Tier::Local).then_some(report::ShippedBecause::Head);
    let files: Vec<_> = texts
        .iter()
        .zip(tiers)
        .map(|(text, (tier, _))| settings::TierFile {
            tier,
            source: "f",
            anchor: "/x/[a] b",
            shipped: because(tier),
            text: text.as_bytes(),
        })
        .collect();
    let brand = if claude { Profile::claude() } else { Profile::winter() };
    let protection = settings::Protection { deny: vec!["Edit(//p)".into()], ..settings::Protection::default() };
    let options = settings::Options {
        brand: &brand,
        powers: if keep { Powers::Keep } else { Powers::Drop },
        allow_inexpressible: allow,
        protection: &protection,
    };
    let wit_files: Vec<_> = texts
        .iter()
        .zip(tiers)
        .map(|(text, (tier, wit_tier))| wit_settings::TierFile {
            tier: wit_tier,
            source: "f".into(),
            anchor: "/x/[a] b".into(),
            shipped: because(tier).map(|_| wit::ShippedBecause::Head),
            text: text.clone().into_bytes(),
        })
        .collect();
    let wit_options = wit_settings::Options {
        brand: if claude { Brand::Claude } else { Brand::Winter },
        powers: if keep { wit::Powers::Keep } else { wit::Powers::Drop },
        allow_inexpressible: allow,
        protected: wit_settings::Protection {
            ask: Vec::new(),
            deny: vec!["Edit(//p)".into()],
            deny_write: Vec::new(),
            pre_tool_use: None,
        },
    };
    let native = match settings::compose(&files, &options) {
        Ok(effective) => serde_json::to_string(&effective),
        Err(error) => serde_json::to_string(&report::Refusal::from(error)),
    };
    let component = match runner().compose(&wit_files, &wit_options) {
        Ok(effective) => winter_runner::json::effective(&effective).to_string(),
        Err(RunnerError::Refused(refusal)) => winter_runner::json::refusal(&refusal).to_string(),
        Err(error) => return Err(TestCaseError::fail(error.to_string())),
    };
    prop_assert_eq!(native.expect("plain data"), component);
    Ok(())
}

#[test]
fn explain() {
    for (native, wit) in [
        (explain::Topic::Settings, wit_explain::Topic::Settings),
        (explain::Topic::Env, wit_explain::Topic::Env),
        (explain::Topic::Escape, wit_explain::Topic::Escape),
        (explain::Topic::Selection, wit_explain::Topic::Selection),
        (explain::Topic::SwitchReview, wit_explain::Topic::SwitchReview),
        (explain::Topic::Powers, wit_explain::Topic::Powers),
        (explain::Topic::Items, wit_explain::Topic::Items),
        (explain::Topic::Mcp, wit_explain::Topic::Mcp),
        (explain::Topic::Report, wit_explain::Topic::Report),
        (explain::Topic::Door, wit_explain::Topic::Door),
        (explain::Topic::Carry, wit_explain::Topic::Carry),
        (explain::Topic::Recovery, wit_explain::Topic::Recovery),
        (explain::Topic::Containment, wit_explain::Topic::Containment),
    ] {
        let component = runner().sheets(wit).unwrap();
        let native = explain::sheets(native);
        assert_eq!(native.len(), component.len());
        for (native, component) in native.iter().zip(&component) {
            assert_eq!(
                (&native.title, &native.columns, &native.rows),
                (&component.title, &component.columns, &component.rows)
            );
            assert!(native.rows.iter().all(|row| row.len() == native.columns.len()), "{}", native.title);
        }
    }
}

/// What `winter inspect` says of the components, which the build has looked at: what its world says and nothing else.
#[test]
fn imports() {
    assert_eq!(winter_runner::components::POLICY.imports(), [""; 0]);
    let capabilities = ["files", "git-index", "process", "clock"].map(|name| format!("winter:host/{name}@0.1.0"));
    let mut runtime = winter_runner::components::RUNTIME.imports().to_vec();
    runtime.sort_unstable();
    let mut capabilities = capabilities.to_vec();
    capabilities.sort_unstable();
    assert_eq!(runtime, capabilities);
}
