//! Single settings files, each in every role, through the component and natively.

use std::fmt::Write;
use std::fs;

use winter_policy::brand::Profile;
use winter_policy::report;
use winter_policy::settings::{self, Protection};
use winter_policy::tier::{self, Tier};
use winter_runner::contract::{settings as wit_settings, types as wit};
use winter_runner::{Brand, Config, Powers, Runner, RunnerError, json};

use winter_tests::corpus::{data, sorted};

use crate::{Counts, compare};

/// Options without protected places.
pub(crate) fn options(brand: &Brand, powers: Powers) -> wit_settings::Options {
    let protected =
        wit_settings::Protection { ask: Vec::new(), deny: Vec::new(), deny_write: Vec::new(), pre_tool_use: None };
    wit_settings::Options { brand: brand.clone(), powers, allow_inexpressible: false, protected }
}

/// Whose file it is taken for.
#[derive(Clone, Copy)]
struct Role {
    name: &'static str,
    native: (Tier, Option<report::ShippedBecause>),
    wit: (wit::Tier, Option<wit::ShippedBecause>),
}

const ROLES: [Role; 4] = [
    Role { name: "user", native: (Tier::User, None), wit: (wit::Tier::User, None) },
    Role { name: "project", native: (Tier::Project, None), wit: (wit::Tier::Project, None) },
    Role { name: "local", native: (Tier::Local, None), wit: (wit::Tier::Local, None) },
    Role {
        name: "shipped",
        native: (Tier::Local, Some(report::ShippedBecause::Index)),
        wit: (wit::Tier::Local, Some(wit::ShippedBecause::Index)),
    },
];

#[test]
fn each_is_composed_in_every_role_and_on_both_sides() {
    let Some(data) = data() else { return };
    let runner = Runner::new(Config::default()).expect("the engine runs here");
    let files: Vec<Vec<u8>> = sorted(&data.join("settings")).iter().map(|path| fs::read(path).unwrap()).collect();
    let mut golden = String::new();
    let strict = |text: &[u8]| {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(text).is_ok()
    };
    let not_strict = files.iter().filter(|text| !strict(text)).count();
    writeln!(golden, "settings: {} files, {not_strict} of them not strict JSON", files.len()).unwrap();
    for (brand, profile) in [(Brand::Winter, Profile::winter()), (Brand::Claude, Profile::claude())] {
        for (powers, native_powers, word) in
            [(Powers::Keep, tier::Powers::Keep, "keep"), (Powers::Drop, tier::Powers::Drop, "drop")]
        {
            let protection = Protection::default();
            let native_options = settings::Options {
                brand: &profile,
                powers: native_powers,
                allow_inexpressible: false,
                protection: &protection,
            };
            for role in ROLES {
                let mut counts = Counts::default();
                for text in &files {
                    let native = native(role, text, &native_options);
                    let component = component(&runner, role, text, &options(&brand, powers), &mut counts, strict(text));
                    assert_eq!(native, component);
                }
                writeln!(golden, "settings {} {word} {}: {}", profile.name, role.name, counts.line()).unwrap();
            }
        }
    }
    compare("settings", &golden);
}

fn native(role: Role, text: &[u8], options: &settings::Options<'_>) -> String {
    let (tier, shipped) = role.native;
    let file = settings::TierFile { tier, source: "f", anchor: "/src/[it] now", shipped, text };
    match settings::compose(&[file], options) {
        Ok(effective) => serde_json::to_string(&effective).unwrap(),
        Err(error) => serde_json::to_string(&report::Refusal::from(error)).unwrap(),
    }
}

fn component(
    runner: &Runner,
    role: Role,
    text: &[u8],
    options: &wit_settings::Options,
    counts: &mut Counts,
    strict: bool,
) -> String {
    let (tier, shipped) = role.wit;
    let file = |tier, shipped, text: &[u8]| wit_settings::TierFile {
        tier,
        source: "f".to_owned(),
        anchor: "/src/[it] now".to_owned(),
        shipped,
        text: text.to_vec(),
    };
    match runner.compose(&[file(tier, shipped, text)], options) {
        Ok(effective) => {
            if strict {
                assert!(effective.skipped.is_empty());
            } else {
                let [one] = effective.skipped.as_slice() else { panic!("a skip was expected") };
                assert!(json::skip_reason(one.reason) == "unusable" && effective.json == "{}\n");
                assert!(one.line.is_some() && one.column.is_some());
                assert_ne!(role.name, "user", "a person's own file is refused");
            }
            // The program reads it whole, and it is then what it is.
            let again = runner.compose(&[file(wit::Tier::User, None, effective.json.as_bytes())], options).unwrap();
            assert_eq!(again.json, effective.json);
            assert!(again.dropped.is_empty());
            for dropped in &effective.dropped {
                counts.add(dropped.reason.clone());
            }
            counts.add(if strict { "composed" } else { "skipped" });
            json::effective(&effective).to_string()
        }
        Err(RunnerError::Refused(refusal)) => {
            assert_eq!(role.name, "user", "a repository's file refuses nothing");
            assert_eq!(refusal.source.as_deref(), Some("f"));
            assert!(refusal.line.is_some() && refusal.column.is_some() != strict, "{}", refusal.message);
            let answer = json::refusal(&refusal);
            counts.add(format!(
                "refused {}{}",
                answer["kind"].as_str().unwrap(),
                if strict { "" } else { " (syntax)" }
            ));
            answer.to_string()
        }
        Err(error) => panic!("{error}"),
    }
}
