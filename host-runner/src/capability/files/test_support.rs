//! What tests of handles need: a folder to play in, odd files, and a process of one's own.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::fs::{CWD, RenameFlags};
use rustix::io::Errno;
use tempfile::TempDir;

use super::{Folder, Identity};

/// A temporary folder, granted, and one beside it that nothing may reach.
pub(crate) struct Scratch {
    base: TempDir,
    pub(crate) folder: Folder,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let base = tempfile::tempdir().unwrap();
        std::fs::create_dir(base.path().join("inside")).unwrap();
        std::fs::create_dir(base.path().join("outside")).unwrap();
        let folder = Folder::grant(&base.path().join("inside")).unwrap();
        Self { base, folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.base.path().join("inside").join(name)
    }

    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.base.path().join("outside").join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Identity {
        std::fs::write(self.path(name), content).unwrap();
        self.identity(name)
    }

    pub(crate) fn identity(&self, name: &str) -> Identity {
        self.folder.stat(name).unwrap().unwrap().identity
    }
}

pub(crate) fn mkfifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// An endless device; false, with a line that says so, where that is not allowed.
pub(crate) fn make_zero_device(path: &Path) -> bool {
    let made = Command::new("mknod").arg(path).args(["c", "1", "5"]).output().is_ok_and(|out| out.status.success());
    let usable = made && std::fs::File::open(path).is_ok();
    if !usable {
        println!("skipped: no device can be made here");
    }
    usable
}

/// Ends the reader's loop even when the swapping thread panics.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Swaps two names 20,000 times, each time in one step, while `reader` runs again and again.
pub(crate) fn race(one: &Path, other: &Path, mut reader: impl FnMut()) {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _over = SetOnDrop(&over);
            for _ in 0..20_000 {
                // The reader may be the one that takes a name away.
                let swapped = rustix::fs::renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE);
                assert!(matches!(swapped, Ok(()) | Err(Errno::NOENT)), "{swapped:?}");
                std::thread::sleep(Duration::from_micros(5));
            }
        });
        while !over.load(Ordering::Acquire) {
            reader();
        }
    });
}

const CHILD: &str = "WINTER_TEST_CHILD";

/// Whether this process was started to run just this test; else starts one that is, and checks how it ended.
///
/// For what belongs to a whole process: its umask, or (`unprivileged`) not being root.
pub(crate) fn in_child(module: &str, function: &str, unprivileged: bool) -> bool {
    let module = module.split_once("::").map_or("", |(_, rest)| rest);
    let name = format!("{module}::{function}");
    if std::env::var_os(CHILD).is_some_and(|child| *child == *name) {
        return true;
    }
    let program = std::env::current_exe().unwrap();
    let mut command = Command::new(&program);
    command.args(["--exact", &name, "--nocapture"]).env(CHILD, &name).current_dir("/");
    if unprivileged && rustix::process::geteuid().is_root() {
        command.uid(65534).gid(65534);
    }
    match command.output() {
        Ok(out) => {
            let text = String::from_utf8_lossy(&out.stdout);
            assert!(out.status.success(), "{text}\n{}", String::from_utf8_lossy(&out.stderr));
            assert!(text.contains("1 passed"), "no test {name}: {text}");
        }
        Err(error) => println!("skipped: another user cannot run {}: {error}", program.display()),
    }
    false
}
