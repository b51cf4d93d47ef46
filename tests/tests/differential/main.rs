//! One file of calls, answered by the native crate, by Wasmtime, by Node and by Chromium: equal byte for byte, for every
//! function that the two components export. Without Node, npm or Chromium those say `skipped: ...`.

mod corpus;
mod corpus_runs;
mod native;
mod native_runs;
mod random;
mod wasm;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use corpus::{Call, Corpus};
use serde_json::Value;
use winter_runner::components::{ComponentFile, POLICY, RUNTIME};
use winter_runner::web;
use winter_tests::node;

/// The calls, and what the native crate answers to each.
fn told() -> &'static (Corpus, Vec<String>) {
    static TOLD: OnceLock<(Corpus, Vec<String>)> = OnceLock::new();
    TOLD.get_or_init(|| {
        let corpus = corpus::all();
        let answers = corpus.calls.iter().map(|call| canonical(&native::answer(call, corpus.tree(call)))).collect();
        (corpus, answers)
    })
}

/// Sorted, and without what is absent.
fn canonical(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            // What a function answers is said even where it is nothing.
            let told = |(key, value): &(&String, &Value)| !value.is_null() || *key == "ok";
            let sorted: BTreeMap<_, _> = members.iter().filter(told).collect();
            let members =
                sorted.iter().map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), canonical(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        plain => plain.to_string(),
    }
}

/// Every function that a component exports, as `interface.function`.
fn exported(component: ComponentFile) -> BTreeSet<String> {
    let decoded = wit_component::decode(component.wasm).expect("a component");
    let wit_component::DecodedWasm::Component(_, world) = &decoded else { panic!("not a component") };
    let resolve = decoded.resolve();
    let world = &resolve.worlds[*world];
    let mut functions = BTreeSet::new();
    for (id, interface) in resolve.interfaces.iter().filter(|(_, interface)| !interface.functions.is_empty()) {
        let name = interface.name.as_deref().unwrap_or_default();
        if world.exports.keys().any(|key| resolve.id_of(id).is_some_and(|id| id == resolve.name_world_key(key))) {
            functions.extend(interface.functions.keys().map(|function| format!("{name}.{function}")));
        }
    }
    assert!(world.exports.values().all(|item| !format!("{item:?}").starts_with("Function")), "only interfaces");
    functions
}

fn assert_same(call: &Call, native: &str, other: &str, who: &str) {
    if native == other {
        return;
    }
    let at = native.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let near = |text: &str| {
        let bytes = &text.as_bytes()[at.saturating_sub(80).min(text.len())..(at + 160).min(text.len())];
        String::from_utf8_lossy(bytes).into_owned()
    };
    let given: String = Value::from(call.arguments.clone()).to_string().chars().take(600).collect();
    panic!("{} {given}\nnative:  ...{}\n{who}: ...{}", call.function, near(native), near(other));
}

#[test]
fn every_exported_function_is_driven() {
    let (corpus, answers) = told();
    let driven: BTreeSet<String> = corpus.calls.iter().map(|call| call.function.clone()).collect();
    assert_eq!(driven, exported(RUNTIME), "the calls and the exports of winter-runtime.wasm");
    let policy = exported(POLICY);
    assert!(policy.len() > 15 && policy.is_subset(&driven), "{policy:?}");
    // Both sides of every function that may refuse.
    let mut sides: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (call, answer) in corpus.calls.iter().zip(answers) {
        sides.entry(&call.function).or_default().insert(if answer.starts_with(r#"{"err""#) { "err" } else { "ok" });
    }
    let both: Vec<&str> = sides.iter().filter(|(_, sides)| sides.len() == 2).map(|(name, _)| *name).collect();
    let refusing = [
        "carry.apply",
        "catalog.models",
        "door.check",
        "door.open",
        "run-home.build",
        "selection.credentials",
        "selection.packed",
        "selection.select",
        "settings.compose",
        "settings.compose-in",
        "switch-review.review",
        "switch-review.tip",
    ];
    assert_eq!(both, refusing, "each of them was answered and refused");
    println!("{} calls of {} functions", corpus.calls.len(), driven.len());
}

#[test]
fn wasmtime() {
    let (corpus, answers) = told();
    let wasm = wasm::Wasm::new();
    for (call, native) in corpus.calls.iter().zip(answers) {
        assert_same(call, native, &canonical(&wasm.answer(call, corpus.tree(call))), "wasmtime");
    }
}

/// Has a script answer the calls, and compares: the runtime's answer, and the policy's where it exports the function.
fn compare(who: &str, script: &str, more: &[&Path]) {
    let (corpus, answers) = told();
    let folder = tempfile::tempdir().expect("a folder");
    let (package, calls, out) = (folder.path().join("package"), folder.path().join("calls"), folder.path().join("out"));
    web::write(&package, web::package()).expect("the package is written");
    std::fs::write(&calls, corpus.document().to_string()).expect("a file");
    let mut command = Command::new("node");
    command.arg(node::script(script)).args([&package, &calls, &out]).args(more);
    node::run(&mut command).unwrap_or_else(|why| panic!("{why}"));
    let said: Vec<Vec<String>> =
        serde_json::from_slice(&std::fs::read(&out).expect("answers")).expect("lists of texts");
    assert_eq!(said.len(), corpus.calls.len());
    let policy = exported(POLICY);
    let mut compared = 0;
    for ((call, native), said) in corpus.calls.iter().zip(answers).zip(said) {
        assert_eq!(said.len(), 1 + usize::from(policy.contains(&call.function)), "{}", call.function);
        for other in said {
            assert_same(call, native, &other, who);
            compared += 1;
        }
    }
    println!("{who}: {compared} answers are the native ones");
}

#[test]
fn in_node() {
    if let Err(why) = node::run(Command::new("node").arg("--version")) {
        return println!("skipped: {why}");
    }
    compare("node", "differential-node.mjs", &[]);
}

#[test]
fn in_the_browser() {
    let Some(chromium) = node::chromium() else { return println!("skipped: no chromium") };
    match node::tools(Path::new(env!("CARGO_TARGET_TMPDIR"))) {
        Ok(tools) => compare("chromium", "differential-browser.mjs", &[tools, &chromium]),
        Err(why) => println!("skipped: {why}"),
    }
}
