//! The calls through the native crate: arguments out of JSON, and answers as the crate serialises them.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use winter_policy::brand::{Profile, SandboxGrammar, Spelling, Transcripts};
use winter_policy::catalog::{Catalog, Document};
use winter_policy::memory::{Memory, MemoryFolder, Node};
use winter_policy::report::{Refusal, ShippedBecause};
use winter_policy::settings::{DenyPlaces, KnownPath, Options, Protection, Stands, TierFile};
use winter_policy::tier::{Powers, Tier};
use winter_policy::{
    carry, containment, door, escape, explain, recovery, run_home, selection, settings, switch_review,
};

use crate::corpus::{Call, custom_profile};
use crate::native_runs;

/// What every host's clock says.
pub(crate) const NOW: u64 = 1_700_000_000_000;

/// The file system of one call.
pub(crate) fn planted(files: &Value) -> Memory {
    let memory = Memory::default();
    memory.put("/", Node::Folder);
    for (path, node) in files.as_object().expect("paths and what stands there") {
        let node = match node {
            Value::String(text) => Node::File(text.clone().into_bytes()),
            node if node["folder"] == true => Node::Folder,
            node => match node["link"].as_str() {
                Some(target) => Node::Link(target.to_owned()),
                None => Node::File(bytes(node)),
            },
        };
        memory.put(path, node);
    }
    memory
}

/// Bytes, as text or as numbers.
pub(crate) fn bytes(value: &Value) -> Vec<u8> {
    match value.get("$bytes").or_else(|| value.get("bytes")) {
        Some(Value::String(text)) => text.clone().into_bytes(),
        Some(Value::Array(numbers)) => {
            numbers.iter().map(|number| number.as_u64().and_then(|n| n.try_into().ok()).expect("a byte")).collect()
        }
        _ => panic!("bytes, not {value}"),
    }
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("a text, not {value}")).to_owned()
}

pub(crate) fn texts(value: &Value) -> Vec<String> {
    list(value, text)
}

pub(crate) fn optional<T>(value: &Value, one: impl Fn(&Value) -> T) -> Option<T> {
    (!value.is_null()).then(|| one(value))
}

pub(crate) fn list<T>(value: &Value, one: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().unwrap_or_else(|| panic!("a list, not {value}")).iter().map(one).collect()
}

pub(crate) fn flag(value: &Value) -> bool {
    value.as_bool().unwrap_or_else(|| panic!("a bool, not {value}"))
}

pub(crate) fn long(value: &Value) -> u64 {
    value["$u64"].as_str().and_then(|digits| digits.parse().ok()).unwrap_or_else(|| panic!("a u64, not {value}"))
}

/// The one of `all` that serialises as that name.
pub(crate) fn named<T: Serialize + Copy>(value: &Value, all: &[T]) -> T {
    let fits = |one: &&T| serde_json::to_value(one).is_ok_and(|name| name == *value);
    all.iter().find(fits).copied().unwrap_or_else(|| panic!("none of them is {value}"))
}

fn read<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{value}: {error}"))
}

pub(crate) fn brand(value: &Value) -> Profile {
    match value["$case"].as_str() {
        Some("winter") => Profile::winter(),
        Some("claude") => Profile::claude(),
        Some("custom") => custom_profile(),
        _ => panic!("a brand, not {value}"),
    }
}

pub(crate) fn powers(value: &Value) -> Powers {
    named(value, &[Powers::Keep, Powers::Drop])
}

pub(crate) fn ok(value: impl Serialize) -> Value {
    json!({"ok": serde_json::to_value(value).expect("plain data")})
}

pub(crate) fn answered<T: Serialize>(answer: Result<T, impl Into<Refusal>>) -> Value {
    match answer {
        Ok(value) => ok(value),
        Err(error) => json!({"err": serde_json::to_value(error.into()).expect("plain data")}),
    }
}

/// The native answer of any exported function.
pub(crate) fn answer(call: &Call, tree: Option<&Value>) -> Value {
    let given = &call.arguments;
    match call.function.as_str() {
        "escape.rule-path" => {
            ok(escape::rule_path(&text(&given[0]), named(&given[1], &[Spelling::Contract, Spelling::Hex])))
        }
        "escape.sandbox-path" => sandbox_path(given),
        "escape.sandbox-glob-path" => ok(escape::sandbox_glob_path(&text(&given[0]))),
        "escape.fs-root-anchored" => ok(escape::fs_root_anchored(&text(&given[0]))),
        "settings.compose" => with_settings(given, |files, options| answered(settings::compose(files, options))),
        "settings.compose-in" => with_settings(given, |files, options| {
            answered(settings::compose_in(files, options, &deny_places(&given[2])))
        }),
        "settings.literal-paths" => {
            with_settings(given, |files, options| ok(settings::literal_paths(files, options, &deny_places(&given[2]))))
        }
        "settings.masked" => ok(settings::masked(&text(&given[0]))),
        "explain.topics" => ok(explain::TOPICS),
        "explain.sheets" => ok(explain::sheets(named(&given[0], &explain::TOPICS))),
        "catalog.models" => answered(with_catalog(&given[0], |catalog| Ok(catalog.rows().to_vec()))),
        "selection.packed" => answered(with_catalog(&given[0], |catalog| Ok(selection::packed(catalog)))),
        "selection.credentials" => {
            answered(selection::credentials(&text(&given[0]["name"]), &bytes(&given[0]["text"])))
        }
        "selection.select" => select(&given[0]),
        "selection.rule-id-of" => ok(selection::rule_id_of(&text(&given[0]))),
        "switch-review.review" => review(given),
        "switch-review.tip" => tip(given),
        "containment.targets" => ok(containment::targets(&containment::Places {
            home: texts(&given[0]["home"]),
            shared_home: texts(&given[0]["shared-home"]),
        })),
        "containment.decide" => decide(given),
        "containment.approve" => {
            use containment::Broker::{Absent, Allows, Denies, Malformed, TimedOut};
            let broker = named(&given[1], &[Absent, TimedOut, Malformed, Allows, Denies]);
            ok(containment::approve(flag(&given[0]), broker))
        }
        "run-home.contract-version" => ok(run_home::CONTRACT_VERSION),
        "run-home.persistent-entries" => ok(run_home::PERSISTENT_ENTRIES),
        "run-home.sdk-home-of" => ok(run_home::sdk_home_of(&text(&given[0]))),
        "run-home.profile-of" => ok(brand(&given[0])),
        "run-home.default-bounds" => ok(run_home::Bounds::default()),
        "run-home.build" => native_runs::build(call, &planted(tree.expect("a tree"))),
        "door.check" => native_runs::check(&given[0]),
        "door.open" => native_runs::open(given, &planted(tree.expect("a tree"))),
        "door.outcome-of" => {
            use door::{Ended, Reconciled};
            let ended = named(&given[0], &[Ended::Unknown, Ended::Running, Ended::Settled]);
            let kept = named(&given[1], &[Transcripts::Shared, Transcripts::Linked, Transcripts::WorkingCopy]);
            let all = [Reconciled::NotYet, Reconciled::Level, Reconciled::TornTails, Reconciled::Quarantined];
            ok(door::outcome(ended, kept, named(&given[2], &all)))
        }
        "door.may-dispose" => {
            use door::Outcome::{Pending, Quarantined, Safe};
            ok(door::may_dispose(named(&given[0], &[Pending, Safe, Quarantined])))
        }
        "carry.settle" => native_runs::settle(&given[0]),
        "carry.apply" => {
            let (own, value) = (optional(&given[0], text), optional(&given[2], text));
            answered(carry::apply(own.as_deref(), &texts(&given[1]), value.as_deref()))
        }
        "carry.stray" => {
            use carry::{Beside, Stands};
            let stands = named(&given[0], &[Stands::File, Stands::Folder, Stands::Other]);
            let all = [Beside::Absent, Beside::Level, Beside::Older, Beside::Newer, Beside::NoFile];
            ok(carry::stray(stands, named(&given[1], &all)))
        }
        "recovery.classify" => ok(recovery::classify(&texts(&given[0]))),
        "recovery.step" => native_runs::step(&given[0]),
        "recovery.artifact" => {
            use recovery::There::{Absent, Different, Identical, NotRegular};
            ok(recovery::artifact(flag(&given[0]), named(&given[1], &[Absent, Identical, Different, NotRegular])))
        }
        "recovery.overall" => {
            use recovery::Outcome::{Appended, CanonicalAhead, Clean, Pending, Quarantined};
            let all = [Clean, CanonicalAhead, Appended, Pending, Quarantined];
            ok(recovery::overall(list(&given[0], |one| named(one, &all))))
        }
        other => panic!("{other} is exported, and nothing here answers it natively"),
    }
}

fn sandbox_path(given: &[Value]) -> Value {
    use escape::SandboxList::{AllowRead, AllowWrite, DenyRead, DenyWrite};
    let list = named(&given[1], &[DenyRead, DenyWrite, AllowRead, AllowWrite]);
    let grammar = named(&given[2], &[SandboxGrammar::Contract, SandboxGrammar::WritesLiteral]);
    ok(match escape::sandbox_path(&text(&given[0]), list, grammar) {
        escape::SandboxSpelling::Exact(entry) => json!({"exact": entry}),
        escape::SandboxSpelling::ExactPathOnly(entry) => json!({"exact-path-only": entry}),
        escape::SandboxSpelling::Wider(entry) => json!({"wider": entry}),
        escape::SandboxSpelling::Inexpressible(fault) => {
            json!({"inexpressible": fault.characters.iter().collect::<String>()})
        }
    })
}

fn with_settings(given: &[Value], decide: impl FnOnce(&[TierFile<'_>], &Options<'_>) -> Value) -> Value {
    use ShippedBecause::{Failed, Head, Index, Link, TimedOut, Unsupported};
    let contents = list(&given[0], |file| (text(&file["source"]), text(&file["anchor"]), bytes(&file["text"])));
    let files = given[0].as_array().into_iter().flatten().zip(&contents);
    let files: Vec<_> = files
        .map(|(file, (source, anchor, text))| TierFile {
            tier: named(&file["tier"], &[Tier::User, Tier::Project, Tier::Local]),
            source,
            anchor,
            shipped: optional(&file["shipped"], |because| {
                named(because, &[Index, Head, Link, Unsupported, TimedOut, Failed])
            }),
            text,
        })
        .collect();
    let (options, protected) = (&given[1], &given[1]["protected"]);
    let protection = Protection {
        ask: texts(&protected["ask"]),
        deny: texts(&protected["deny"]),
        deny_write: texts(&protected["deny-write"]),
        pre_tool_use: optional(&protected["pre-tool-use"], text),
    };
    let brand = brand(&options["brand"]);
    let options = Options {
        brand: &brand,
        powers: powers(&options["powers"]),
        allow_inexpressible: flag(&options["allow-inexpressible"]),
        protection: &protection,
    };
    decide(&files, &options)
}

fn deny_places(value: &Value) -> DenyPlaces {
    let stands = |name: &Value| match name.as_str() {
        Some("present") => Stands::Present,
        Some("absent") => Stands::Absent,
        Some("dangling") => Stands::Dangling,
        Some("loop") => Stands::Loop,
        Some("unreadable") => Stands::Unreadable,
        _ => panic!("nothing stands as {name}"),
    };
    let known = |one: &Value| KnownPath {
        path: text(&one["path"]),
        stands: stands(&one["stands"]),
        real: optional(&one["real"], text),
    };
    DenyPlaces {
        home: optional(&value["home"], text),
        cwd: optional(&value["cwd"], text),
        known: list(&value["known"], known),
    }
}

fn with_catalog<T>(documents: &Value, decide: impl FnOnce(&Catalog) -> Result<T, Refusal>) -> Result<T, Refusal> {
    let contents = list(documents, |document| (text(&document["name"]), bytes(&document["text"])));
    let documents: Vec<_> = contents.iter().map(|(name, text)| Document { name, text }).collect();
    decide(&Catalog::built_in().merge(&documents).map_err(Refusal::from)?)
}

fn select(input: &Value) -> Value {
    let requested = selection::Requested {
        model: text(&input["requested"]["model"]),
        provider: optional(&input["requested"]["provider"], text),
        runtime: optional(&input["requested"]["runtime"], read),
    };
    let (packed, persisted) = (text(&input["catalog"]), optional(&input["persisted"], read::<selection::Selection>));
    // Every row: the component reads of a packed catalog only those that the answer depends on.
    let unpacked = match selection::Unpacking::whole(&packed) {
        Ok(unpacked) => unpacked,
        Err(error) => return answered::<()>(Err(error)),
    };
    answered::<_>(Ok::<_, Refusal>(selection::select(&selection::Input {
        requested,
        rows: &unpacked.rows(),
        credentials: &list(&input["credentials"], read::<selection::Credential>),
        persisted,
        explain: flag(&input["explain"]),
    })))
}

type Reviewed<T> = Result<switch_review::Step<T>, switch_review::SwitchReviewError>;

fn reviewed<T: Serialize>(step: Reviewed<T>, summary: impl Fn(&T) -> Vec<String>) -> Result<Value, Refusal> {
    Ok(match step.map_err(Refusal::from)? {
        switch_review::Step::Need(range) => json!({"need": range}),
        switch_review::Step::Answer(answer) => {
            let mut said = serde_json::to_value(&answer).expect("plain data");
            said["summary"] = json!(summary(&answer));
            json!({"answer": said})
        }
    })
}

/// A reading and the record of its session, lent to `decide`.
fn with_reading<T>(
    read_so_far: &Value,
    listed: &Value,
    decide: impl FnOnce(&switch_review::Reading<'_>, &switch_review::MemoryDirectory) -> T,
) -> T {
    let (session, tail, sidecar) =
        (text(&read_so_far["session"]), bytes(&read_so_far["tail"]), bytes(&read_so_far["sidecar"]));
    let mut directory = switch_review::MemoryDirectory::default();
    if let Some(listed) = optional(listed, read) {
        directory.list(&session, listed);
    }
    let reading = switch_review::Reading {
        session: &session,
        file_length: long(&read_so_far["file-length"]),
        tail: &tail,
        sidecar: &sidecar,
        budget: optional(&read_so_far["budget"], long).unwrap_or(switch_review::DEFAULT_BUDGET),
    };
    decide(&reading, &directory)
}

fn review(given: &[Value]) -> Value {
    use switch_review::Compaction;
    let compaction = if flag(&given[3]) { Compaction::Allowed } else { Compaction::Refused };
    answered(with_catalog(&given[4], |catalog| {
        with_reading(&given[0], &given[1], |reading, directory| {
            let step = switch_review::review(reading, &read(&given[2]), compaction, directory, catalog);
            reviewed(step, switch_review::summary)
        })
    }))
}

fn tip(given: &[Value]) -> Value {
    answered(with_catalog(&given[2], |catalog| {
        with_reading(&given[0], &given[1], |reading, directory| {
            reviewed(switch_review::tip(reading, directory, catalog), switch_review::tip_summary)
        })
    }))
}

fn decide(given: &[Value]) -> Value {
    use containment::Access::{Any, Read, Write};
    let (call, user_home) = (&given[0], optional(&given[0]["user-home"], text));
    let targets = list(&given[1], |target| containment::Target {
        id: text(&target["id"]),
        path: text(&target["path"]),
        access: named(&target["access"], &[Read, Write, Any]),
        why: text(&target["why"]),
    });
    let call = containment::Call {
        tool: &text(&call["tool"]),
        input: &text(&call["input"]),
        cwd: &text(&call["cwd"]),
        user_home: user_home.as_deref(),
    };
    ok(containment::decide(&call, &targets))
}

/// A handle for a place that a call may leave out.
pub(crate) fn lent(memory: &Memory, value: &Value) -> Option<MemoryFolder> {
    optional(value, |value| memory.grant(&text(&value["$folder"])))
}
