//! The components as JavaScript modules, and the tables of what the page and the package are made of; part of the build script.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use js_component_bindgen::{InstantiationMode, TranspileOpts, transpile};

/// The component as an ES module that takes its imports as an object, with types; gives the files as (name, path).
pub(crate) fn module(out: &Path, name: &str, component: &[u8]) -> Vec<(String, PathBuf)> {
    let options = TranspileOpts::builder()
        .name(name.to_owned())
        .instantiation_mode(InstantiationMode::Async)
        .no_namespaced_exports(true)
        .variants_inline_cases(true)
        .build();
    let made = transpile(component, options).unwrap_or_else(|error| panic!("{name} is no module: {error:?}"));
    let mut files = Vec::new();
    for (file, mut bytes) in made.files {
        if file == format!("{name}.js") {
            bytes = keep_marks(&bytes);
        }
        let path = out.join("web").join(name).join(&file);
        fs::create_dir_all(path.parent().unwrap_or(out)).expect("OUT_DIR can be written");
        fs::write(&path, bytes).expect("OUT_DIR can be written");
        files.push((format!("{name}/{file}"), path));
    }
    files
}

/// The module with a decoder that keeps a byte order mark: as it is made, a text that begins with U+FEFF loses it.
fn keep_marks(module: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(module).expect("a module is text");
    let (made, wanted) = ("= new TextDecoder();", "= new TextDecoder('utf-8', { ignoreBOM: true });");
    assert_eq!(text.matches(made).count(), 1, "the generated module has one decoder of UTF-8");
    text.replace(made, wanted).into_bytes()
}

/// Every file below a folder of the source, as (name, path), in order.
pub(crate) fn tree(folder: &Path) -> Vec<(String, PathBuf)> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    let mut todo = vec![(String::new(), folder.to_owned())];
    while let Some((prefix, folder)) = todo.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.expect("a folder of the source can be read").path();
            let name =
                path.file_name().and_then(|name| name.to_str()).expect("files of the source have names in UTF-8");
            let name = format!("{prefix}{name}");
            if path.is_dir() {
                todo.push((format!("{name}/"), path));
            } else {
                files.push((name, path));
            }
        }
    }
    files.sort();
    files
}

/// A table of names and contents, as Rust source.
pub(crate) fn table(files: &[(String, PathBuf)]) -> String {
    let mut text = String::from("&[\n");
    for (name, path) in files {
        let path = fs::canonicalize(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        writeln!(text, "    ({name:?}, include_bytes!({:?})),", path.display().to_string()).expect("a string takes it");
    }
    text.push_str("]\n");
    text
}
