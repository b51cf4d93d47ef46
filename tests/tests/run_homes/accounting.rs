//! The books are balanced: of everything that the three files offer, each thing is in the run home, or was overruled by
//! a later file that may, or is in the report, once; and nothing is in the run home that nobody offered.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use winter_runner::contract::run_home::Plan;
use winter_runner::{Powers, RunHomeInput};
use winter_tests::scene::{Scene, bare_scenes, effective, plan, report, text};
use winter_tests::things::{Thing, things};

/// Where, what a person's file may hold there, and what more a repository's may. `@` is another letter in each file.
const MENU: &[(&str, &[&str], &[&str])] = &[
    (
        "permissions.allow",
        &[
            r#"["Read(/a@/**)"]"#,
            r#"["Bash(x@:*)", "Read(//abs@)"]"#,
            r#"["mcp__s__@", 5, {"odd@": 1}]"#,
            r#"["Same"]"#,
        ],
        &[r#"["Read(b[@)"]"#, r#""no list""#],
    ),
    ("permissions.deny", &[r#"["Read(/s@)", "Edit(~/t@)"]"#, r#"["Same", "Same"]"#, "[]"], &[r#"["Edit(c[@)"]"#, "7"]),
    ("permissions.ask", &[r#"["Bash(rm@)"]"#, r#"["WebFetch"]"#], &["null"]),
    ("permissions.additionalDirectories", &[r#"["d@", "/abs@", "~/h@"]"#], &["[1]"]),
    (
        "permissions.defaultMode",
        &[r#""plan""#, r#""default""#, r#""acceptEdits""#, r#""auto""#, r#""bypassPermissions""#],
        &[r#""zork@""#, "3"],
    ),
    ("permissions.disableBypassPermissionsMode", &[r#""disable""#], &[r#""enable""#]),
    ("permissions.later", &["[1, {}]", r#"{"a@": {"b": null}}"#], &[]),
    ("permissions", &[], &["7", "[]"]),
    ("env", &[r#"{"OWN_@": "v", "LANG": "@"}"#, r#"{"BASH_ENV": "@", "ANTHROPIC_MODEL": "@"}"#], &["[]"]),
    ("env", &[r#"{"MY_TOKEN": "secret @", "REF_@": "${HOME}/x"}"#, r#"{"PORT": 80, "CI": true}"#], &[]),
    ("env", &[r#"{"DISABLE_TELEMETRY": "1", "WINTER_HOME": "@", "CLAUDE_CONFIG_DIR": "@"}"#], &[r#"{"CI": [1, 2]}"#]),
    ("hooks.Stop", &[r#"[{"hooks": [{"type": "command", "command": "stop @"}]}]"#, r#""odd @""#], &["[{}]"]),
    (
        "hooks.PreToolUse",
        &[
            r#"[{"matcher": "Bash", "hooks": [{"type": "command", "command": "a@"}, {"type": "prompt", "prompt": "b@"}]}]"#,
            r#"[{"matcher": "", "hooks": [{"type": "http", "url": "http://h@"}]}, {"hooks": [{"type": "command", "command": "same"}]}]"#,
            r#"[{"matcher": "Bash", "later": "group @", "hooks": [{"type": "command", "command": "c@"}]}]"#,
        ],
        &[r#"[{"hooks": [{"type": "zork"}]}]"#],
    ),
    ("sandbox.enabled", &["true", "false"], &[r#""yes""#]),
    ("sandbox.autoAllowBashIfSandboxed", &["true", "false"], &[]),
    ("sandbox.excludedCommands", &[r#"["docker@", "git"]"#], &["[{}]"]),
    ("sandbox.filesystem.denyRead", &[r#"["r@", "/abs@", "~/k@"]"#], &[]),
    ("sandbox.filesystem.denyWrite", &[r#"["w@", "/x@/*.key"]"#], &[]),
    ("sandbox.filesystem.allowWrite", &[r#"["o@", "../up@", "q*@"]"#], &["{}"]),
    ("sandbox.network.allowedDomains", &[r#"["@.example", "same.example"]"#], &[]),
    ("sandbox.later", &[r#""@""#, "{}"], &[]),
    ("model", &[r#""m@""#], &["1"]),
    ("modelOverrides", &[r#"{"a": "b@"}"#], &[]),
    ("fallbackModel", &[r#"["f@", "g"]"#], &[]),
    ("effortLevel", &[r#""high""#], &[]),
    ("outputStyle", &[r#""s@""#], &[]),
    ("language", &[r#""l@""#, r#""same""#], &["5"]),
    ("theme", &[r#"{"a": {"x@": 1}, "b@": 2}"#, r#""dark""#], &[]),
    ("statusLine", &[r#"{"type": "command", "command": "line @", "padding": 1}"#], &[r#"{"type": "zork"}"#]),
    ("apiKeyHelper", &[r#""helper @""#], &[]),
    ("disableAllHooks", &["true", "false"], &[]),
    ("companyAnnouncements", &[r#"["n@", "same"]"#], &[]),
    ("plansDirectory", &[r#""docs/@""#, r#""../@""#], &["[]"]),
    ("enabledPlugins", &[r#"{"p@": true, "same": true}"#, r#"{"same": false}"#], &[]),
    ("skillOverrides", &[r#"{"k@": "off", "same": "on"}"#, r#"{"same": "name-only"}"#], &[r#"{"same": 1}"#]),
    ("deniedMcpServers", &[r#"[{"serverName": "x@"}]"#, r#"{"odd@": 1}"#], &[]),
    ("cleanupPeriodDays", &["30"], &["0"]),
    ("verbose", &["true", "false"], &[]),
    ("crossSessionInbound", &[r#""hold""#, r#""accept""#, r#""refuse""#], &[]),
    ("nobodyKnows@", &[r#"{"a": [1, {"b": 2}], "c": {"d": null}, "e": []}"#, "[[], {}]"], &[]),
];

/// What a later file may put its own word over.
const OVERRULED: &[&str] = &[
    "permissions.defaultMode",
    "env",
    "sandbox.enabled",
    "sandbox.autoAllowBashIfSandboxed",
    "language",
    "theme",
    "statusLine",
    "apiKeyHelper",
    "companyAnnouncements",
    "plansDirectory",
    "cleanupPeriodDays",
    "verbose",
    "crossSessionInbound",
];

/// What a thing has to be in the run home, where it is read at another place.
fn anchored(thing: &Thing, anchor: &Path) -> Thing {
    let anchor = anchor.to_str().unwrap();
    let Some(text) = thing.value.as_str() else { return thing.clone() };
    let relative = !text.starts_with(['/', '~']);
    let value = match thing.path.as_str() {
        "permissions.allow" | "permissions.deny" | "permissions.ask" => match text.strip_prefix("Read(/") {
            Some(rest) if !rest.starts_with('/') => format!("Read(/{anchor}/{rest}"),
            _ => text.to_owned(),
        },
        path if relative
            && (path == "permissions.additionalDirectories" || path.starts_with("sandbox.filesystem.")) =>
        {
            format!("{anchor}/{text}")
        }
        _ => text.to_owned(),
    };
    Thing { value: value.into(), ..thing.clone() }
}

/// Puts `value` where `path` leads: lists and objects grow, all else is replaced.
fn put(document: &mut Map<String, Value>, path: &str, value: Value) {
    let (key, below) = path.split_once('.').map_or((path, None), |(key, below)| (key, Some(below)));
    let place = document.entry(key).or_insert(Value::Null);
    match below {
        Some(below) => {
            if !place.is_object() {
                *place = json!({});
            }
            put(place.as_object_mut().unwrap(), below, value);
        }
        None => match (place, value) {
            (Value::Array(own), Value::Array(more)) => own.extend(more),
            (Value::Object(own), Value::Object(more)) => own.extend(more),
            (place, value) => *place = value,
        },
    }
}

/// A settings document out of picks from the menu.
fn document(picks: &[(usize, usize)], letter: &str) -> Value {
    let mut document = Map::new();
    for (row, column) in picks {
        let (path, common, more) = MENU[row % MENU.len()];
        let more = if letter == "u" { &[] } else { more };
        let choices: Vec<&str> = common.iter().chain(more).copied().collect();
        if !choices.is_empty() {
            let value = choices[column % choices.len()].replace('@', letter);
            put(&mut document, &path.replace('@', letter), serde_json::from_str(&value).unwrap());
        }
    }
    Value::Object(document)
}

/// One file: whose, where, what it offers, and what of it the report lists.
struct Account {
    tier: &'static str,
    document: Value,
    kept: Vec<Thing>,
}

impl Account {
    /// Strikes what the report lists of this file; each of its lines must name one thing, and all that are the same.
    fn strike(tier: &'static str, file: &Path, document: &Value, shipped: bool, report: &Value) -> Self {
        let mut kept = things(document);
        let written = format!("{document:#}");
        let lines: Vec<&str> = written.lines().collect();
        for entry in report["dropped-rules"].as_array().unwrap().iter().filter(|entry| entry["tier"] == tier) {
            assert_eq!(entry["source"], json!(file));
            assert_eq!(entry["because"] == "failed", shipped && tier == "local", "{entry}");
            let spelt = (text(&entry["rule"]), entry["withheld"].as_str().map(str::to_owned));
            let place = kept.iter().position(|thing| thing.spelt() == spelt);
            let thing = kept.remove(place.unwrap_or_else(|| panic!("nobody offered, or twice: {entry}\n{written}")));
            let line = lines[usize::try_from(entry["line"].as_u64().unwrap()).unwrap() - 1];
            assert!(
                !thing.value.is_string() || thing.path.starts_with("hooks.") || line.contains(&thing.value.to_string()),
                "{entry} is not on {line:?}"
            );
        }
        for entry in report["dropped-rules"].as_array().unwrap().iter().filter(|entry| entry["tier"] == tier) {
            assert!(kept.iter().all(|thing| thing.spelt().0 != entry["rule"]), "one of two is reported: {entry}");
        }
        Self { tier, document: document.clone(), kept }
    }
}

fn balance(scene: &Scene, documents: &[Value; 3], shipped: bool, powers: Powers) {
    let files = [scene.beside("shared/settings.json"), scene.top.join(scene.settings()), scene.top.join(scene.local())];
    let anchors = [scene.beside("shared"), scene.top.clone(), scene.top.clone()];
    let input = RunHomeInput { powers, allow_inexpressible: true, ..scene.input() };
    let nothing = plan(&input).unwrap();
    fs::create_dir_all(scene.top.join(scene.dir())).unwrap();
    if shipped {
        fs::create_dir_all(scene.top.join(".git")).unwrap();
    }
    for (file, document) in files.iter().zip(documents) {
        fs::write(file, format!("{document:#}")).unwrap();
    }
    let plan = plan(&input).unwrap_or_else(|error| panic!("{error}\n{:#}", documents[0]));
    let report = report(&plan);
    assert_eq!((&report["skipped-items"], &report["skipped-links"]), (&json!([]), &json!([])));
    let accounts: Vec<Account> = ["user", "project", "local"]
        .into_iter()
        .zip(files.iter().zip(documents))
        .map(|(tier, (file, document))| Account::strike(tier, file, document, shipped, &report))
        .collect();
    check_kept(&accounts, &anchors.each_ref().map(AsRef::as_ref), &plan);
    check_given(&accounts, &anchors.each_ref().map(AsRef::as_ref), &nothing, &plan);
}

/// What the report does not list is there, or was overruled.
fn check_kept(accounts: &[Account], anchors: &[&Path; 3], plan: &Plan) {
    let given = things(&effective(plan));
    for (place, account) in accounts.iter().enumerate() {
        for thing in account.kept.iter().filter(|thing| !thing.is_empty()) {
            let overruled = || {
                let key = OVERRULED.iter().find(|key| {
                    thing.path == **key || thing.path.strip_prefix(**key).is_some_and(|rest| rest.starts_with('.'))
                });
                key.is_some_and(|key| {
                    let shallow = thing.path.split('.').take(key.split('.').count() + 1).collect::<Vec<_>>().join(".");
                    accounts[place + 1..].iter().flat_map(|later| &later.kept).any(|later| {
                        later.path == *key
                            || later.path == shallow
                            || later.path.starts_with(&format!("{shallow}."))
                            || shallow == *key && later.path.starts_with(&format!("{key}."))
                    })
                })
            };
            assert!(
                given.contains(&anchored(thing, anchors[place])) || overruled(),
                "{} asked for {thing:?}, which is neither given nor reported\n{}\n{:#}",
                account.tier,
                plan.effective_settings,
                account.document
            );
        }
        let lost = account.document.to_string().contains("group ")
            && account.kept.iter().any(|one| one.path == "hooks.PreToolUse(Bash)");
        assert!(
            !lost || plan.effective_settings.contains(&format!("group {}", &account.tier[..1])),
            "a group's own key"
        );
    }
}

/// What is there was offered, and not reported, or is winter's own.
fn check_given(accounts: &[Account], anchors: &[&Path; 3], nothing: &Plan, plan: &Plan) {
    let own = things(&effective(nothing));
    let offered: Vec<Thing> = accounts
        .iter()
        .zip(anchors)
        .flat_map(|(account, anchor)| account.kept.iter().map(|thing| anchored(thing, anchor)))
        .collect();
    for thing in things(&effective(plan)).iter().filter(|thing| !thing.is_empty()) {
        assert!(
            own.contains(thing) || offered.contains(thing) || is_mirrored(thing, plan),
            "nobody offered {thing:?}, or it is reported as dropped"
        );
    }
}

/// Whether it is the place of a denied path in the sandbox's own list.
fn is_mirrored(thing: &Thing, plan: &Plan) -> bool {
    let Some(place) = thing.value.as_str().filter(|_| thing.path.starts_with("sandbox.filesystem.deny")) else {
        return false;
    };
    let name = place.rsplit('/').next().unwrap_or_default();
    let settings = effective(plan);
    let deny = settings["permissions"]["deny"].as_array().cloned().unwrap_or_default();
    deny.iter().any(|rule| rule.as_str().is_some_and(|rule| rule.contains(name)))
}

fn picks() -> impl Strategy<Value = Vec<(usize, usize)>> {
    proptest::collection::vec((0..MENU.len(), 0_usize..12), 0..16)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_kept_and_what_is_reported_is_what_was_offered(
        user in picks(), project in picks(), local in picks(), shipped: bool, keep: bool,
    ) {
        let documents = [document(&user, "u"), document(&project, "p"), document(&local, "l")];
        for scene in bare_scenes() {
            balance(&scene, &documents, shipped, if keep { Powers::Keep } else { Powers::Drop });
        }
    }
}

#[test]
fn every_row_of_the_menu_alone_and_twice() {
    for row in 0..MENU.len() {
        for column in 0..12 {
            let picks = [(row, column), (row, column + 1)];
            let documents = [document(&picks, "u"), document(&picks[..1], "p"), document(&picks[1..], "l")];
            for scene in bare_scenes() {
                balance(&scene, &documents, column % 2 == 0, if column % 3 == 0 { Powers::Keep } else { Powers::Drop });
            }
        }
    }
}
