//! Shared helpers of the border tests.
//!
//! [`agent`] drives the public program, [`corpus`] reads the data of public repositories, [`git`] makes real ones; [`node`]
//! finds the other hosts, [`scene`] is a home, a shared home and a project around one; [`things`] counts what
//! a settings file asks for.

#![allow(clippy::missing_panics_doc, reason = "a helper of tests that panics has done its work")]

pub mod agent;
pub mod corpus;
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

/// Runs a program to its end: its peak resident set in KiB, where the system tells it, and its status.
pub fn peak(command: &mut std::process::Command) -> (Option<u64>, std::process::ExitStatus) {
    let mut child = command.spawn().expect("it starts");
    let status = format!("/proc/{}/status", child.id());
    let mark = || {
        let text = std::fs::read_to_string(&status).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    };
    let mut peak = None;
    // The mark only rises, so that the last one that was seen is the peak, but for the last moment.
    while child.try_wait().expect("it is ours").is_none() {
        peak = mark().or(peak);
        std::thread::sleep(std::time::Duration::from_micros(100));
    }
    (peak, child.wait().expect("it is ours"))
}
