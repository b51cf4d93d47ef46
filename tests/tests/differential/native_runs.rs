//! The same for what a run needs: run homes, the door, settings and transcripts that come home.

use serde_json::{Value, json};
use winter_policy::memory::{Memory, MemoryFolder, Still};
use winter_policy::ports::{self, Evidence, GitIndex, ProbeError, Process, SpawnError};
use winter_policy::{carry, door, recovery, run_home};

use crate::corpus::Call;
use crate::native::{NOW, answered, brand, flag, lent, list, long, named, ok, optional, powers, text, texts};

/// Lists every path that it is asked for, or none.
struct Git {
    mine: bool,
}

impl GitIndex for Git {
    type Folder = MemoryFolder;

    fn probe(&self, _top: &MemoryFolder, paths: &[String]) -> Result<Vec<Evidence>, ProbeError> {
        let listed = |path: &String| Evidence {
            path: path.clone(),
            place: ports::Place::Index,
            mode: 0o100_644,
            covering: false,
        };
        Ok(if self.mine { Vec::new() } else { paths.iter().map(listed).collect() })
    }
}

/// Starts the one program that was granted.
struct Programs;

impl Process for Programs {
    type Folder = MemoryFolder;

    fn spawn(&self, command: &ports::Command, _cwd: &MemoryFolder) -> Result<u64, SpawnError> {
        if command.program == "granted" { Ok(7) } else { Err(SpawnError::NotGranted(command.program.clone())) }
    }
}

fn short(value: &Value) -> u32 {
    value.as_u64().and_then(|number| number.try_into().ok()).unwrap_or_else(|| panic!("a u32, not {value}"))
}

fn leg(value: &Value) -> run_home::Leg {
    named(value, &[run_home::Leg::Winter, run_home::Leg::Official])
}

pub(crate) fn build(call: &Call, memory: &Memory) -> Value {
    use run_home::Mode::{Chat, Code, Dispatch};
    let (given, places, bounds) = (&call.arguments[0], &call.arguments[1], &call.arguments[0]["bounds"]);
    let input = run_home::Input {
        run_id: text(&given["run-id"]),
        home: text(&given["home"]),
        home_spellings: texts(&given["home-spellings"]),
        shared_home: text(&given["shared-home"]),
        mode: named(&given["mode"], &[Code, Dispatch, Chat]),
        dispatch_child: flag(&given["dispatch-child"]),
        leg: leg(&given["leg"]),
        mcp_disabled: texts(&given["mcp-disabled"]),
        reserved_mcp_server_names: texts(&given["reserved-mcp-server-names"]),
        memory_dir: text(&given["memory-dir"]),
        brand: brand(&given["brand"]),
        powers: powers(&given["powers"]),
        allow_inexpressible: flag(&given["allow-inexpressible"]),
        user_home: optional(&given["user-home"], text),
        shared_home_spellings: texts(&given["shared-home-spellings"]),
        bounds: run_home::Bounds {
            text: long(&bounds["text"]),
            skill_file: long(&bounds["skill-file"]),
            items: short(&bounds["items"]),
            total: long(&bounds["total"]),
            import_depth: short(&bounds["import-depth"]),
            folders: short(&bounds["folders"]),
        },
        containment_hook: optional(&given["containment-hook"], text),
    };
    let place = |name: &str| lent(memory, &places[name]);
    let places = run_home::Places {
        shared_home: place("shared-home"),
        cwd: place("cwd").expect("a session works somewhere"),
        trusted_root: place("trusted-root"),
        git_top: place("git-top"),
        git_entry: place("git-entry"),
        granted: list(&places["granted"], |folder| lent(memory, folder).expect("a folder")),
        global_home: place("global-home"),
        links: place("links"),
    };
    match run_home::build(&input, &places, &Git { mine: call.local == "mine" }, &Still(NOW)) {
        Ok(plan) => ok(plan),
        Err(error) => answered::<()>(Err(error)),
    }
}

fn request(given: &Value) -> door::Request {
    let home = |home: &Value| door::Home {
        run_id: text(&home["run-id"]),
        dir: text(&home["dir"]),
        shared_home: text(&home["shared-home"]),
        cwd: text(&home["cwd"]),
        brand: text(&home["brand"]),
        leg: leg(&home["leg"]),
        memory_dir: text(&home["memory-dir"]),
        mcp_config: optional(&home["mcp-config"], |config| run_home::McpConfig {
            entry: text(&config["entry"]),
            strict: flag(&config["strict"]),
        }),
        servers: texts(&home["servers"]),
        built_here: flag(&home["built-here"]),
        disposed: flag(&home["disposed"]),
    };
    let variable = |one: &Value| door::Variable { name: text(&one["name"]), value: text(&one["value"]) };
    door::Request {
        home: optional(&given["home"], home),
        require_run_home: flag(&given["require-run-home"]),
        cwd: text(&given["cwd"]),
        brand: brand(&given["brand"]),
        store: text(&given["store"]),
        options: text(&given["options"]),
        program: text(&given["program"]),
        arguments: texts(&given["arguments"]),
        environment: list(&given["environment"], variable),
        admitted: texts(&given["admitted"]),
        reviewed: texts(&given["reviewed"]),
        capability_servers: text(&given["capability-servers"]),
        version: optional(&given["version"], text),
        allow_remote_configuration: flag(&given["allow-remote-configuration"]),
    }
}

fn refusal(error: &door::DoorError) -> Value {
    json!({"code": error.code(), "field": error.field, "message": error.message, "help": error.help()})
}

pub(crate) fn check(given: &Value) -> Value {
    match door::check(&request(given)) {
        Ok(launch) => ok(launch),
        Err(error) => json!({"err": refusal(&error)}),
    }
}

pub(crate) fn open(given: &[Value], memory: &Memory) -> Value {
    let cwd = lent(memory, &given[1]).expect("a folder");
    match door::open(&request(&given[0]), &Programs, &cwd) {
        Ok(opened) => ok(json!({"child": opened.child, "launch": opened.launch})),
        Err(door::OpenError::Refused(error)) => json!({"err": {"refused": refusal(&error)}}),
        Err(door::OpenError::Spawn(error)) => {
            let (name, what) = match error {
                SpawnError::NotGranted(what) => ("not-granted", what),
                SpawnError::NotFound(what) => ("not-found", what),
                SpawnError::Io(what) => ("io", what),
            };
            json!({"err": {"spawn": {name: what}}})
        }
    }
}

pub(crate) fn settle(given: &Value) -> Value {
    let part = |name: &str| optional(&given[name], text);
    let (ended, before, now) = (part("ended"), part("own-before"), part("own-now"));
    ok(carry::settle(&carry::Texts {
        built: &text(&given["built"]),
        ended: ended.as_deref(),
        own_before: before.as_deref(),
        own_now: now.as_deref(),
    }))
}

pub(crate) fn step(given: &Value) -> Value {
    use recovery::Kind::{Absent, Link, Other, Regular};
    let facts = |value: &Value| recovery::Facts {
        kind: named(&value["kind"], &[Absent, Regular, Link, Other]),
        size: long(&value["size"]),
    };
    ok(recovery::step(&recovery::Known {
        copy: facts(&given["copy"]),
        canonical: facts(&given["canonical"]),
        equal: long(&given["equal"]),
        differ: flag(&given["differ"]),
        tail: optional(&given["tail"], |tail| recovery::Tail {
            whole: long(&tail["whole"]),
            bad_line: optional(&tail["bad-line"], long),
            rest_is_json: flag(&tail["rest-is-json"]),
        }),
    }))
}
