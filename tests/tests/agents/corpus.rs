//! What is composed of public repositories' configuration, read by the program: a deny of the person's own holds beside it.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use winter_runner::{Brand, Config, Grants, RunHomeInput, Runner, RunnerError};
use winter_tests::agent::{Agent, Reply, in_order};
use winter_tests::corpus::{checkout, data, sorted};
use winter_tests::git::Repo;
use winter_tests::scene::Scene;

/// Keys of a person's own file that would reach beyond the test: what is configured there belongs to somebody else.
const REACHING: [&str; 12] = [
    "apiKeyHelper",
    "awsAuthRefresh",
    "awsCredentialExport",
    "env",
    "fileSuggestion",
    "forceLoginMethod",
    "forceLoginOrgUUID",
    "gcpAuthRefresh",
    "model",
    "otelHeadersHelper",
    "sandbox",
    "statusLine",
];

/// Takes away what acts: every command of a hook does nothing.
fn made_inert(mut own: Value) -> Value {
    fn commands(value: &mut Value) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    if matches!(&**key, "command" | "url" | "prompt") && value.is_string() {
                        *value = json!("true");
                    }
                    commands(value);
                }
            }
            Value::Array(list) => list.iter_mut().for_each(commands),
            _ => {}
        }
    }
    if let Some(map) = own.as_object_mut() {
        map.retain(|key, _| !REACHING.contains(&&**key));
        if let Some(permissions) = map.get_mut("permissions").and_then(Value::as_object_mut) {
            permissions.remove("defaultMode");
        }
    }
    commands(&mut own);
    own
}

/// The person's own settings with a deny of the canary.
fn with_canary(scene: &Scene, mut own: Value) -> String {
    let rule = json!(format!("Read(/{}/canary/**)", scene.top.display()));
    let permissions = own.as_object_mut().unwrap().entry("permissions").or_insert_with(|| json!({}));
    let deny = permissions.as_object_mut().unwrap().entry("deny").or_insert_with(|| json!([]));
    deny.as_array_mut().unwrap().push(rule);
    own.to_string()
}

fn build(scene: &Scene) -> Result<winter_runner::RunHome, RunnerError> {
    let input: RunHomeInput = scene.input();
    Runner::new(Config { grants: Grants::for_run_homes(input.reads()), ..Config::default() })?.build_run_home(&input)
}

/// Whether the program, on that folder, refuses to read the canary because of a rule.
fn is_denied(scene: &Scene, config: &Path) -> Option<bool> {
    let canary = scene.top.join("canary/it");
    fs::create_dir_all(canary.parent().unwrap()).unwrap();
    fs::write(&canary, "canary\n").unwrap();
    let agent = Agent::new(in_order([Reply::call("Read", json!({"file_path": canary}))]))?;
    let mut turn = agent.turn("go").config(config).cwd(&scene.top);
    let servers = config.join("mcp.json");
    if servers.exists() {
        turn = turn.args([Path::new("--mcp-config"), &servers]);
    }
    let results = turn.run().well().tool_results();
    let (_, failed, text) = &results[0];
    Some(*failed && text.contains("denied by your permission settings"))
}

/// Does it with each, two at a time.
fn each<T: Sync>(items: &[T], what: impl Fn(usize, &T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(at) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < items.len()) {
                    what(at, &items[at]);
                }
            });
        }
    });
}

#[test]
fn a_canary_is_denied_by_what_the_program_read_and_by_nothing_else() {
    let Some(repo) = Repo::new() else { return };
    let scene = Scene::around(repo, Brand::Claude);
    scene.own(&with_canary(&scene, json!({})));
    let home = build(&scene).unwrap();
    let settings = home.dir.join("settings.json");
    let Some(denied) = is_denied(&scene, &home.dir) else { return };
    assert!(denied);
    // The control: a document that the program drops takes the deny with it.
    let mut document: Value = serde_json::from_slice(&fs::read(&settings).unwrap()).unwrap();
    document["model"] = json!(1);
    fs::write(&settings, document.to_string()).unwrap();
    assert_eq!(is_denied(&scene, &home.dir), Some(false));
}

#[test]
fn the_settings_composed_for_each_repository_are_read_by_the_program() {
    let Some(data) = data() else { return };
    let folders = sorted(&data.join("repos"));
    each(&folders, |_, folder| {
        let manifest = serde_json::from_slice(&fs::read(folder.join("manifest.json")).unwrap()).unwrap();
        let Some(scene) = checkout(folder, &manifest, &Brand::Claude) else { return };
        scene.own(&with_canary(&scene, json!({})));
        let home = build(&scene).unwrap();
        assert_ne!(is_denied(&scene, &home.dir), Some(false), "{}", folder.display());
    });
}

#[test]
fn the_settings_composed_of_each_settings_file_are_read_by_the_program() {
    let Some(data) = data() else { return };
    let files = sorted(&data.join("settings"));
    let refused = AtomicUsize::new(0);
    each(&files, |at, file| {
        let text = fs::read(file).unwrap();
        let scene = Scene::around(Repo::none(), Brand::Claude);
        scene.repo.write(".claude/settings.json", &text);
        // As the project's it stands as it is; as the person's own it does nothing when it is read.
        let own = serde_json::from_slice::<Value>(&text).ok().filter(Value::is_object).map(made_inert);
        scene.own(&with_canary(&scene, own.unwrap_or_else(|| json!({}))));
        let home = build(&scene).or_else(|error| {
            // One that the program would drop is refused; then it is the project's alone.
            assert_eq!(error.code(), "unusable-settings", "{at}: {error}");
            refused.fetch_add(1, Ordering::Relaxed);
            scene.own(&with_canary(&scene, json!({})));
            build(&scene)
        });
        let home = home.unwrap_or_else(|error| panic!("{at}: {error}"));
        assert_ne!(is_denied(&scene, &home.dir), Some(false), "{}", file.display());
    });
    let refused = refused.into_inner();
    println!("{refused} of {} would have been dropped as a person's own", files.len());
    assert!(refused < files.len() / 4);
}
