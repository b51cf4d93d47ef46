//! Builds the two components out of the crate `winter-policy` and compiles the one that the program runs.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

#[path = "web.rs"]
mod web;

mod engine {
    include!("src/engine/config.rs");
}

const WASM: &str = "wasm32-unknown-unknown";

/// A world of `wit/`, the feature of the guest that makes it, and the interfaces that it may import.
const WORLDS: [(&str, &str, &[&str]); 2] = [
    ("winter-policy", "policy-world", &[]),
    ("winter-runtime", "runtime-world", &["files", "git-index", "process", "clock"]),
];

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("..");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    for input in ["guest/src", "guest/Cargo.toml", "wit", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={}", root.join(input).display());
    }
    println!("cargo::rerun-if-changed=src/engine/config.rs");
    println!("cargo::rerun-if-changed=web.rs");
    have_target();
    let mut modules = Vec::new();
    let mut imports = String::new();
    for (name, feature, capabilities) in WORLDS {
        let module = guest(&root, &out, feature);
        let component = wit_component::ComponentEncoder::default()
            .module(&module)
            .and_then(|encoder| encoder.validate(true).encode())
            .unwrap_or_else(|error| panic!("{name} is no component: {error:?}"));
        let imported = imported(&component);
        let lent = |import: &&String| capabilities.iter().any(|name| **import == format!("winter:host/{name}@0.1.0"));
        let more: Vec<&String> = imported.iter().filter(|import| !lent(import)).collect();
        assert!(more.is_empty(), "{name} would import more than its capabilities: {more:?}");
        writeln!(imports, "    (\"{name}\", &{imported:?}),").expect("a string takes it");
        fs::write(out.join(format!("{name}.wasm")), &component).expect("OUT_DIR can be written");
        modules.extend(web::module(&out, name, &component));
        if name == "winter-runtime" {
            compile(&out, name, &component);
        }
    }
    test_components(&out);
    let here = root.join("host-runner");
    for (table, files) in
        [("modules", modules), ("preview", web::tree(&here.join("preview"))), ("npm", web::tree(&here.join("npm")))]
    {
        fs::write(out.join(format!("{table}.rs")), web::table(&files)).expect("OUT_DIR can be written");
    }
    let imports = format!("&[\n{imports}]\n");
    fs::write(out.join("imports.rs"), imports).expect("OUT_DIR can be written");
}

/// Components for the tests of the engine's limits, which have no compiler of their own.
fn test_components(out: &Path) {
    let bodies = [
        ("idle", "nop"),
        ("endless", "(loop br 0)"),
        ("greedy", "(loop (drop (memory.grow (i32.const 16))) br 0)"),
        ("trap", "unreachable"),
    ];
    for (name, body) in bodies {
        let text = format!(
            r#"(component
                (core module $m (memory 1) (func (export "run") {body}))
                (core instance $i (instantiate $m))
                (func (export "run") (canon lift (core func $i "run"))))"#
        );
        let component = wat::parse_str(text).expect("a component in text form");
        compile(out, &format!("test-{name}"), &component);
    }
}

/// Compiles a component for this build's target, with the program's own engine configuration.
fn compile(out: &Path, name: &str, component: &[u8]) {
    let target = env::var("TARGET").expect("cargo sets it");
    let compiled = engine::config(Some(&target))
        .and_then(|config| wasmtime::Engine::new(&config))
        .and_then(|engine| engine.precompile_component(component))
        .unwrap_or_else(|error| panic!("{name} does not compile: {error:?}"));
    fs::write(out.join(format!("{name}.cwasm")), compiled).expect("OUT_DIR can be written");
}

/// The guest as a core module of that world.
fn guest(root: &Path, out: &Path, feature: &str) -> Vec<u8> {
    // Beside this build's own files, so that checks, tests and releases share one build of the guest.
    let target = out.ancestors().nth(4).unwrap_or(out).join("component").join(feature);
    let mut cargo = Command::new(env::var_os("CARGO").expect("cargo sets it"));
    cargo
        .current_dir(root)
        .args(["rustc", "--package", "winter-policy", "--lib", "--crate-type", "cdylib", "--profile", "component"])
        .args(["--target", WASM, "--features", feature, "--target-dir"])
        .arg(&target);
    // What the outer build was told about this machine does not hold for the guest.
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        let foreign =
            ["CARGO_ENCODED_RUSTFLAGS", "RUSTFLAGS", "RUSTC_WORKSPACE_WRAPPER", "CLIPPY_ARGS", "CARGO_BUILD_TARGET"];
        if foreign.contains(&name.as_str()) || name.starts_with("CARGO_FEATURE_") || name.starts_with("CARGO_CFG_") {
            cargo.env_remove(name);
        }
    }
    let status = cargo.status().expect("cargo starts");
    assert!(status.success(), "the guest does not build for {WASM}: see above");
    let module = target.join(WASM).join("component/winter_policy.wasm");
    fs::read(&module).unwrap_or_else(|error| panic!("{}: {error}", module.display()))
}

/// Adds the guest's target where it is missing; toolchains do not install it on their own everywhere.
fn have_target() {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let printed = Command::new(rustc).args(["--print", "target-libdir", "--target", WASM]).output();
    let there = printed.is_ok_and(|out| Path::new(String::from_utf8_lossy(&out.stdout).trim()).is_dir());
    if there {
        return;
    }
    let added = Command::new("rustup").args(["target", "add", WASM]).status();
    assert!(
        added.is_ok_and(|status| status.success()),
        "the standard library for {WASM} is missing and could not be added; run: rustup target add {WASM}"
    );
}

/// The names of the interfaces that a component imports.
fn imported(component: &[u8]) -> Vec<String> {
    let decoded = wit_component::decode(component).expect("a component that was just encoded");
    let resolve = decoded.resolve();
    let wit_component::DecodedWasm::Component(_, world) = &decoded else { panic!("not a component") };
    let imports = resolve.worlds[*world].imports.keys();
    imports.map(|key| resolve.name_world_key(key)).collect()
}
