//! Shared helpers of the border tests.
//!
//! [`git`] makes real repositories, [`node`] finds the other hosts, [`scene`] a home, a shared home and a project around one; [`things`] counts what
//! a settings file asks for.

#![allow(clippy::missing_panics_doc, reason = "a helper of tests that panics has done its work")]

pub mod agent;
pub mod git;
pub mod node;
pub mod scene;
pub mod things;

/// The program as the sources make it, in the profile of these tests; cargo does not build it for them by itself.
pub fn winter() -> &'static std::path::Path {
    static PROGRAM: std::sync::OnceLock<std::path::PathBuf> = std::sync::OnceLock::new();
    PROGRAM.get_or_init(|| {
        let tests = std::env::current_exe().expect("a test has a path");
        let built = tests.parent().and_then(std::path::Path::parent).expect("target/<profile>/deps");
        let mut cargo = std::process::Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["build", "--quiet", "--package", "winter-runner", "--bin", "winter", "--target-dir"]);
        cargo.arg(built.parent().expect("target")).current_dir(env!("CARGO_MANIFEST_DIR"));
        if built.ends_with("release") {
            cargo.arg("--release");
        }
        assert!(cargo.status().expect("cargo starts").success(), "the program does not build");
        built.join(format!("winter{}", std::env::consts::EXE_SUFFIX))
    })
}
