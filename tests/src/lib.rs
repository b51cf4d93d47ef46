//! Shared helpers of the border tests.
//!
//! [`git`] makes real repositories, [`scene`] a home, a shared home and a project around one; [`things`] counts what
//! a settings file asks for.

#![allow(clippy::missing_panics_doc, reason = "a helper of tests that panics has done its work")]

pub mod git;
pub mod scene;
pub mod things;

/// The program, which the same build has put beside the tests; cargo does not build it for them.
pub fn winter() -> std::path::PathBuf {
    let tests = std::env::current_exe().expect("a test has a path");
    let built = tests.parent().and_then(std::path::Path::parent).expect("target/<profile>/deps");
    let program = built.join(format!("winter{}", std::env::consts::EXE_SUFFIX));
    assert!(program.is_file(), "{} is missing: build the workspace first", program.display());
    program
}
