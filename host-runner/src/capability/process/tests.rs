use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use super::*;
use crate::capability::files::Folder;

struct Place {
    _dir: tempfile::TempDir,
    root: PathBuf,
    bin: PathBuf,
}

/// A project with a program in it, and a folder of programs beside it.
fn place() -> Place {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path().canonicalize().unwrap();
    let (root, bin) = (top.join("project"), top.join("bin"));
    for folder in [&root, &bin, &root.join("bin")] {
        fs::create_dir(folder).unwrap();
    }
    for program in [root.join("bin/tool"), bin.join("tool"), bin.join("other")] {
        fs::write(&program, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    Place { _dir: dir, root, bin }
}

fn resolve(asked: impl AsRef<OsStr>, path: &str, place: &Place) -> Result<PathBuf, &'static str> {
    let found = Program::resolve(asked.as_ref(), path.as_ref(), &[&place.root]);
    found.map(|program| program.path).map_err(|error| error.code())
}

#[test]
fn a_name_is_looked_for_outside_the_project_only() {
    let place = place();
    let (bin, inside) = (place.bin.display().to_string(), place.root.join("bin").display().to_string());
    for path in [format!("{inside}:{bin}"), format!(":.:bin:{bin}"), format!("{inside}/../../project/bin:{bin}")] {
        assert_eq!(resolve("tool", &path, &place), Ok(place.bin.join("tool")), "{path}");
    }
    symlink(place.root.join("bin"), place.bin.parent().unwrap().join("linked")).unwrap();
    let linked = place.bin.parent().unwrap().join("linked").display().to_string();
    for path in [inside.clone(), ".".to_owned(), String::new(), linked] {
        assert_eq!(resolve("tool", &path, &place), Err("program-not-found"), "{path}");
    }
}

#[test]
fn a_file_in_the_project_is_no_program() {
    let place = place();
    let bin = place.bin.display().to_string();
    assert_eq!(resolve(place.root.join("bin/tool"), &bin, &place), Err("program-in-project"));
    assert_eq!(resolve(place.bin.join("../project/bin/tool"), &bin, &place), Err("program-in-project"));
    symlink(place.root.join("bin/tool"), place.bin.join("innocent")).unwrap();
    assert_eq!(resolve("innocent", &bin, &place), Err("program-in-project"));
    // A link in the project to a program outside: the link is the repository's word.
    symlink(place.bin.join("tool"), place.root.join("link")).unwrap();
    assert_eq!(resolve(place.root.join("link"), &bin, &place), Err("program-in-project"));
}

#[test]
fn what_cannot_be_executed_is_no_program() {
    let place = place();
    let bin = place.bin.display().to_string();
    fs::write(place.bin.join("plain"), "x").unwrap();
    fs::create_dir(place.bin.join("folder")).unwrap();
    assert_eq!(resolve("plain", &bin, &place), Err("program-not-found"));
    assert_eq!(resolve(place.bin.join("plain"), &bin, &place), Err("program-not-executable"));
    assert_eq!(resolve(place.bin.join("folder"), &bin, &place), Err("program-not-executable"));
    assert_eq!(resolve(place.bin.join("none"), &bin, &place), Err("program-not-found"));
    assert_eq!(resolve("", &bin, &place), Err("program-not-found"));
}

#[test]
fn a_linked_program_knows_by_what_name_it_was_called() {
    let place = place();
    symlink(place.bin.join("other"), place.bin.join("short")).unwrap();
    let program = Program::resolve("short".as_ref(), place.bin.as_os_str(), &[&place.root]).unwrap();
    assert_eq!((program.path, program.called), (place.bin.join("other"), place.bin.join("short")));
}

fn run(program: &str, arguments: &[&str], environment: &[(&str, &str)], cwd: &Path) -> std::process::Output {
    let program = Program::resolve(program.as_ref(), "/usr/bin:/bin".as_ref(), &[]).unwrap();
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let environment: Vec<_> = environment.iter().map(owned).collect();
    let arguments: Vec<String> = arguments.iter().map(|&one| one.to_owned()).collect();
    let cwd = Folder::grant(cwd).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let how = Start { streams: Streams::Piped, own_group: true };
        start(&program, &arguments, &environment, &cwd, how).unwrap().wait_with_output().await.unwrap()
    })
}

#[test]
fn a_child_inherits_nothing() {
    let place = place();
    let output = run("env", &[], &[("B", "2"), ("A", "1")], &place.root);
    let mut given: Vec<&str> = std::str::from_utf8(&output.stdout).unwrap().lines().collect();
    given.sort_unstable();
    assert_eq!(given, ["A=1", "B=2"]);
    // A descriptor that lost its CLOEXEC, as one from this process's own parent has none.
    let leaked = fs::File::open("/dev/null").unwrap();
    rustix::io::fcntl_setfd(&leaked, rustix::io::FdFlags::empty()).unwrap();
    let output = run("ls", &["/proc/self/fd"], &[], &place.root);
    let open: Vec<&str> = std::str::from_utf8(&output.stdout).unwrap().lines().collect();
    // The fourth is the listed folder itself.
    assert_eq!(open, ["0", "1", "2", "3"]);
}

#[test]
fn a_child_works_in_the_folder_that_was_opened() {
    let place = place();
    let cwd = place.root.join("bin");
    assert_eq!(run("pwd", &[], &[], &cwd).stdout, format!("{}\n", cwd.display()).into_bytes());
}
