//! The hot paths, each beside its peer in the same run.
//!
//! `settings_20_kb::component` against `settings_20_kb::native`: the filter of a 20 KB settings file, guards on.
//! `first_call::instantiate_and_call`: a fresh instance and its first answer.
//! `process::escape_rule` against `process::nothing`: the whole program, and the smallest one that the system has.

use std::process::{Command, Stdio};

use divan::{Bencher, black_box};
use winter_policy::brand::Profile;
use winter_policy::tier::{Powers, Tier};
use winter_policy::{selection as policy_selection, settings};
use winter_runner::contract::{
    selection as wit_selection, settings as wit_settings, switch_review as wit_review, types as wit,
};
use winter_runner::{Brand, Config, Runner, Spelling};

fn main() {
    divan::main();
}

/// A settings file of about 20 KB as a large repository might have: rules, hooks, variables, the rest.
fn twenty_kb() -> String {
    let mut allow = Vec::new();
    let mut deny = Vec::new();
    let mut env = Vec::new();
    let mut hooks = Vec::new();
    for n in 0..140 {
        allow.push(format!("\"Bash(npm run script-{n}:*)\""));
        deny.push(format!("\"Read(/packages/package-{n}/secrets/**)\""));
    }
    for n in 0..80 {
        env.push(format!("\"PROJECT_SETTING_{n}\": \"value number {n}\""));
        hooks.push(format!(
            r#"{{"matcher":"Tool{n}","hooks":[{{"type":"command","command":"./scripts/hook-{n}.sh --flag"}}]}}"#
        ));
    }
    let text = format!(
        r#"{{"permissions":{{"allow":[{}],"deny":[{}]}},"env":{{{}}},"hooks":{{"PreToolUse":[{}]}},"language":"en"}}"#,
        allow.join(",\n"),
        deny.join(",\n"),
        env.join(",\n"),
        hooks.join(",\n")
    );
    assert!((18_000..24_000).contains(&text.len()), "{}", text.len());
    text
}

/// A transcript of 100 MB, of turns with signed reasoning.
fn transcript_100_mb() -> tempfile::NamedTempFile {
    use std::fmt::Write as _;
    use std::io::Write as _;
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let (question, answer, mut text) = ("x".repeat(8000), "y".repeat(4000), String::new());
    for n in (0..).step_by(2) {
        let (ask, reply, parent) = (n + 1, n + 2, n);
        text.clear();
        writeln!(text, r#"{{"type":"user","uuid":"u{ask}","parentUuid":"u{parent}","message":{{"role":"user","content":"{question}"}}}}"#).unwrap();
        writeln!(text, r#"{{"type":"assistant","uuid":"u{reply}","parentUuid":"u{ask}","message":{{"id":"m{reply}","role":"assistant","model":"claude-sonnet-5","content":[{{"type":"thinking","thinking":"{}","signature":"{}"}},{{"type":"text","text":"{answer}"}}]}}}}"#, &answer[..500], &answer[..300]).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        if n * 13_000 / 2 > 100 << 20 {
            break;
        }
    }
    file
}

/// A packed catalog of ten thousand models at forty providers, each model served by four.
fn packed_10_000() -> String {
    use winter_policy::catalog::{AuthKind, Capabilities, Catalog, Model};
    let row = |n: usize| Model {
        provider: format!("provider-{}", n % 40),
        model: format!("vendor/model-{n}"),
        canonical_model: format!("model-{}", n / 4),
        family: format!("family-{}", n % 50),
        protocol: "openai-responses".into(),
        auth_views: vec![AuthKind::ApiKey, AuthKind::Cloud],
        context_window: 200_000,
        capabilities: Capabilities {
            modalities: vec![winter_policy::catalog::Modality::Text],
            ..Capabilities::default()
        },
        facts: Vec::new(),
    };
    policy_selection::packed(&Catalog::from_rows("bench", (0..10_000).map(row).collect()).unwrap())
}

#[divan::bench_group(min_time = 2)]
mod settings_20_kb {
    use super::{
        Bencher, Brand, Config, Powers, Profile, Runner, Tier, black_box, settings, twenty_kb, wit, wit_settings,
    };

    #[divan::bench]
    fn native(bencher: Bencher<'_, '_>) {
        let text = twenty_kb();
        let (brand, protection) = (Profile::claude(), settings::Protection::default());
        bencher.bench(|| {
            let file = settings::TierFile {
                tier: Tier::Project,
                source: "settings.json",
                anchor: "/src/it",
                shipped: None,
                text: black_box(text.as_bytes()),
            };
            let options = settings::Options {
                brand: &brand,
                powers: Powers::Drop,
                allow_inexpressible: false,
                protection: &protection,
            };
            settings::compose(&[file], &options).unwrap()
        });
    }

    #[divan::bench]
    fn component(bencher: Bencher<'_, '_>) {
        let runner = Runner::new(Config::default()).unwrap();
        let files = [wit_settings::TierFile {
            tier: wit::Tier::Project,
            source: "settings.json".into(),
            anchor: "/src/it".into(),
            shipped: None,
            text: twenty_kb().into_bytes(),
        }];
        let options = wit_settings::Options {
            brand: Brand::Claude,
            powers: wit::Powers::Drop,
            allow_inexpressible: false,
            protected: wit_settings::Protection {
                ask: Vec::new(),
                deny: Vec::new(),
                deny_write: Vec::new(),
                pre_tool_use: None,
            },
        };
        bencher.bench(|| runner.compose(black_box(&files), &options).unwrap());
    }
}

#[divan::bench_group(min_time = 1)]
mod first_call {
    use super::{Bencher, Config, Runner, Spelling, black_box};

    #[divan::bench]
    fn native(bencher: Bencher<'_, '_>) {
        bencher
            .bench(|| winter_policy::escape::rule_path(black_box("/x/[wip] app"), winter_policy::brand::Spelling::Hex));
    }

    #[divan::bench]
    fn instantiate_and_call(bencher: Bencher<'_, '_>) {
        let runner = Runner::new(Config::default()).unwrap();
        bencher.bench(|| runner.rule_path(black_box("/x/[wip] app"), Spelling::Hex).unwrap());
    }
}

#[divan::bench_group(min_time = 1)]
mod selection_10_000_rows {
    use super::{Bencher, Config, Runner, black_box, packed_10_000, policy_selection, wit_selection};

    const TAG: &str = "provider-7/vendor/model-4207";

    #[divan::bench]
    fn native(bencher: Bencher<'_, '_>) {
        let packed = packed_10_000();
        let unpacking = policy_selection::Unpacking::whole(&packed).unwrap();
        let rows = unpacking.rows();
        bencher.bench(|| {
            let requested = policy_selection::Requested { model: TAG.into(), provider: None, runtime: None };
            let input =
                policy_selection::Input { requested, rows: &rows, credentials: &[], persisted: None, explain: false };
            policy_selection::select(black_box(&input))
        });
    }

    #[divan::bench]
    fn component(bencher: Bencher<'_, '_>) {
        let runner = Runner::new(Config::default()).unwrap();
        let input = wit_selection::Input {
            requested: wit_selection::Requested { model: TAG.into(), provider: None, runtime: None },
            catalog: packed_10_000(),
            credentials: Vec::new(),
            persisted: None,
            explain: false,
        };
        bencher.bench(|| runner.select(black_box(&input)).unwrap());
    }
}

#[divan::bench_group(min_time = 2)]
mod switch_review_100_mb {
    use super::{Bencher, Config, Runner, black_box, transcript_100_mb, wit_review};
    use winter_policy::catalog::Catalog;
    use winter_policy::switch_review::{self, Compaction, MemoryDirectory, Origin, PersistedSelection, Reading, Step};

    const FROM: &str = "anthropic/claude-sonnet-5";
    const TO: &str = "openai/gpt-5.6";

    #[divan::bench]
    fn native(bencher: Bencher<'_, '_>) {
        let file = transcript_100_mb();
        let bytes = std::fs::read(file.path()).unwrap();
        let mut directory = MemoryDirectory::default();
        directory.list("s", PersistedSelection { runtime: None, origin: Origin::from_tag(FROM).unwrap() });
        let (catalog, target) = (Catalog::built_in(), Origin::from_tag(TO).unwrap());
        bencher.bench(|| {
            let mut from = bytes.len();
            loop {
                let tail = black_box(&bytes[from..]);
                let reading = Reading { session: "s", file_length: bytes.len() as u64, tail, ..Reading::default() };
                match switch_review::review(&reading, &target, Compaction::Allowed, &directory, &catalog).unwrap() {
                    Step::Answer(review) => break review,
                    Step::Need(range) => from = usize::try_from(range.offset).unwrap(),
                }
            }
        });
    }

    #[divan::bench]
    fn component(bencher: Bencher<'_, '_>) {
        let file = transcript_100_mb();
        let runner = Runner::new(Config::default()).unwrap();
        let origin = |tag: &str| {
            let (provider, model) = tag.split_once('/').unwrap();
            wit_review::Origin { provider: Some(provider.into()), model: model.into(), protocol: None, family: None }
        };
        let listed = wit_review::PersistedSelection { runtime: None, origin: origin(FROM) };
        let transcript = winter_runner::Transcript::new(file.path());
        bencher.bench(|| runner.review_switch(&transcript, Some(&listed), black_box(&origin(TO)), true, &[]).unwrap());
    }
}

#[divan::bench_group(sample_count = 60, sample_size = 1)]
mod process {
    use super::{Command, Stdio};

    fn run(program: impl AsRef<std::ffi::OsStr>, args: &[&str]) {
        let status = Command::new(program).args(args).stdout(Stdio::null()).status().unwrap();
        assert!(status.success());
    }

    #[divan::bench]
    fn escape_rule() {
        run(winter_tests::winter(), &["escape", "rule", "X"]);
    }

    #[divan::bench]
    fn nothing() {
        run("true", &[]);
    }
}
