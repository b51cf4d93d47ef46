//! The door, and what comes home at a session's end.

use proptest::prelude::*;
use winter_policy::brand::{Profile, Transcripts};
use winter_policy::run_home::{Leg, McpConfig};
use winter_policy::{carry, door};
use winter_runner::contract::{carry as wit_carry, door as wit_door, run_home as wit_run_home, types};
use winter_runner::{Brand, RunnerError};

use super::runner;

/// One request on both sides; each word of `choice` changes something.
fn requests(choice: u32, word: &str) -> (door::Request, wit_door::Request) {
    let on = |bit: u32| choice & (1 << bit) != 0;
    let claude = on(0);
    let profile = if claude { Profile::claude() } else { Profile::winter() };
    let text = |bit: u32, other: &str, usual: &str| if on(bit) { other.to_owned() } else { usual.to_owned() };
    let options = text(1, r#"{"env":{"A_TOKEN":"1"},"model":1.50}"#, r#"{"x":1}"#);
    let servers = text(2, r#"{"notes":{"type":"sdk"}}"#, "{}");
    let version = on(3).then(|| text(4, word, "2.1.251 (Claude Code)"));
    let names = |bit: u32| if on(bit) { vec![word.to_owned()] } else { Vec::new() };
    let (arguments, admitted, reviewed) = (names(5), names(6), names(7));
    let cwd = text(8, word, "/src/it");
    let environment = [("HOME", "/home/me"), ("PATH", "/bin"), (word, "x"), ("NODE_OPTIONS", "y")];
    let config = on(9).then_some(("mcp.json", on(10)));
    let native = door::Request {
        home: (!on(11)).then(|| door::Home {
            run_id: "run-1234".into(),
            dir: "/w/run".into(),
            shared_home: "/home/me/.x".into(),
            cwd: "/src/it".into(),
            brand: profile.name.clone(),
            leg: if on(12) { Leg::Official } else { Leg::Winter },
            memory_dir: text(13, word, ""),
            mcp_config: config.map(|(entry, strict)| McpConfig { entry: entry.into(), strict }),
            servers: vec!["notes".into()],
            built_here: true,
            disposed: false,
            contained: on(16),
        }),
        require_run_home: !on(14),
        cwd: cwd.clone(),
        brand: profile,
        store: "/home/me/.x".into(),
        options: options.clone(),
        program: "agent".into(),
        arguments: arguments.clone(),
        environment: environment
            .map(|(name, value)| door::Variable { name: name.into(), value: value.into() })
            .to_vec(),
        admitted: admitted.clone(),
        reviewed: reviewed.clone(),
        capability_servers: servers.clone(),
        version: version.clone(),
        allow_remote_configuration: on(15),
    };
    let component = wit_door::Request {
        home: native.home.as_ref().map(|home| wit_door::Home {
            run_id: home.run_id.clone(),
            dir: home.dir.clone(),
            shared_home: home.shared_home.clone(),
            cwd: home.cwd.clone(),
            brand: home.brand.clone(),
            leg: if on(12) { wit_run_home::Leg::Official } else { wit_run_home::Leg::Winter },
            memory_dir: home.memory_dir.clone(),
            mcp_config: config.map(|(entry, strict)| wit_run_home::McpConfig { entry: entry.into(), strict }),
            servers: home.servers.clone(),
            built_here: true,
            disposed: false,
            contained: home.contained,
        }),
        require_run_home: native.require_run_home,
        cwd,
        brand: if claude { Brand::Claude } else { Brand::Winter },
        store: native.store.clone(),
        options,
        program: native.program.clone(),
        arguments,
        environment: environment
            .map(|(name, value)| wit_door::Variable { name: name.into(), value: value.into() })
            .to_vec(),
        admitted,
        reviewed,
        capability_servers: servers,
        version,
        allow_remote_configuration: native.allow_remote_configuration,
    };
    (native, component)
}

fn words() -> impl Strategy<Value = String> {
    let words =
        ["--setting-sources=local", "--worktree", "MY", "A_TOKEN", "LD_PRELOAD", "2.1.300", "/src/it", "-pw", ""];
    prop_oneof![proptest::sample::select(words.to_vec()).prop_map(str::to_owned), any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn door_check(choice in any::<u32>(), few in any::<u32>(), more in any::<u32>(), word in words()) {
        // Mostly few deviations at once, so that the later checks are reached.
        let (native, component) = requests(choice & few & more, &word);
        let native = match door::check(&native) {
            Ok(launch) => {
                let pairs = launch.environment.into_iter().map(|one| (one.name, one.value)).collect::<Vec<_>>();
                let withheld = launch.withheld.into_iter().map(|one| (one.name, one.reason)).collect::<Vec<_>>();
                Ok((launch.arguments, pairs, launch.options, withheld))
            }
            Err(error) => Err((error.code().to_owned(), error.field.clone(), error.to_string(), error.help().to_owned())),
        };
        let component = match runner().check_door(&component) {
            Ok(launch) => {
                let pairs = launch.environment.into_iter().map(|one| (one.name, one.value)).collect::<Vec<_>>();
                let withheld = launch.withheld.into_iter().map(|one| (one.name, one.reason)).collect::<Vec<_>>();
                Ok((launch.arguments, pairs, launch.options, withheld))
            }
            Err(RunnerError::Door { code, field, message, help }) => Err((code, field, message, help)),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        prop_assert_eq!(native, component);
    }

    #[test]
    fn carry_settle(texts in proptest::collection::vec(settings(), 4), gone in any::<u8>()) {
        let [built, ended, before, now] = &texts[..] else { panic!("four") };
        let there = |bit: u8, text: &String| (gone & (1 << bit) == 0).then(|| text.clone());
        let (ended, before, now) = (there(0, ended), there(1, before), there(2, now));
        let native = carry::settle(&carry::Texts {
            built,
            ended: ended.as_deref(),
            own_before: before.as_deref(),
            own_now: now.as_deref(),
        });
        let texts = wit_carry::Texts { built: built.clone(), ended, own_before: before, own_now: now };
        let component = runner().carry(&texts).unwrap();
        prop_assert_eq!(&native.own, &component.own);
        prop_assert_eq!(format!("{:?}", native.applied), format!("{:?}", component.applied));
        let held = |reason: &dyn std::fmt::Debug, change: &dyn std::fmt::Debug| {
            format!("{reason:?} {change:?}").replace("Reason::", "")
        };
        let natives: Vec<_> = native.held.iter().map(|one| held(&one.reason, &one.change)).collect();
        let components: Vec<_> = component.held.iter().map(|one| held(&one.reason, &one.change)).collect();
        prop_assert_eq!(natives, components);
    }

    #[test]
    fn carry_apply(own in settings(), keys in proptest::collection::vec("(theme|model|permissions|allow|x)", 0..3), value in settings()) {
        let native = carry::apply(Some(&own), &keys, Some(&value)).map_err(|error| error.to_string());
        let component = match runner().edit_settings(Some(&own), &keys, Some(&value)) {
            Ok(text) => Ok(text),
            Err(RunnerError::Refused(refusal)) => Err(refusal.message),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        prop_assert_eq!(native, component);
    }
}

fn settings() -> impl Strategy<Value = String> {
    let texts = [
        r#"{"theme":"dark","permissions":{"deny":["Read(x)"]}}"#,
        r#"{"theme":"light","hooks":{"Stop":[]},"permissions":{"deny":[],"allow":["Bash"]}}"#,
        "{\n  \"model\": \"m\",\n  \"verbose\": true\n}\n",
        "{}",
        "[]",
        "",
        r#""text""#,
        "1.50",
        "{",
    ];
    proptest::sample::select(texts.to_vec()).prop_map(str::to_owned)
}

#[test]
fn outcomes() {
    let transcripts = [
        (Transcripts::Shared, types::Transcripts::Shared),
        (Transcripts::Linked, types::Transcripts::Linked),
        (Transcripts::WorkingCopy, types::Transcripts::WorkingCopy),
    ];
    let ended = [
        (door::Ended::Unknown, wit_door::Ended::Unknown),
        (door::Ended::Running, wit_door::Ended::Running),
        (door::Ended::Settled, wit_door::Ended::Settled),
    ];
    let reconciled = [
        (door::Reconciled::NotYet, wit_door::Reconciled::NotYet),
        (door::Reconciled::Level, wit_door::Reconciled::Level),
        (door::Reconciled::TornTails, wit_door::Reconciled::TornTails),
        (door::Reconciled::Quarantined, wit_door::Reconciled::Quarantined),
    ];
    for (native_transcripts, transcripts) in transcripts {
        for (native_ended, ended) in ended {
            for (native_reconciled, reconciled) in reconciled {
                let native = door::outcome(native_ended, native_transcripts, native_reconciled);
                let component = runner().outcome_of(ended, transcripts, reconciled).unwrap();
                assert_eq!(format!("{native:?}"), format!("{component:?}").replace("Outcome::", ""));
                assert_eq!(door::may_dispose(native), runner().may_dispose(component).unwrap());
            }
        }
    }
}

#[test]
fn strays() {
    let stands = [
        (carry::Stands::File, wit_carry::Stands::File),
        (carry::Stands::Folder, wit_carry::Stands::Folder),
        (carry::Stands::Other, wit_carry::Stands::Other),
    ];
    let beside = [
        (carry::Beside::Absent, wit_carry::Beside::Absent),
        (carry::Beside::Level, wit_carry::Beside::Level),
        (carry::Beside::Older, wit_carry::Beside::Older),
        (carry::Beside::Newer, wit_carry::Beside::Newer),
        (carry::Beside::NoFile, wit_carry::Beside::NoFile),
    ];
    for (native_stands, stands) in stands {
        for (native_beside, beside) in beside {
            let (native, component) =
                (carry::stray(native_stands, native_beside), runner().stray(stands, beside).unwrap());
            assert_eq!(format!("{native:?}"), format!("{component:?}").replace("Action::", ""));
        }
    }
}
