//! The program as a person uses it: what it prints, what it does by default, and what it says to bad input.

mod bad_input;
mod defaults;
mod goldens;
mod json;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A person's home folder, a project in it, and winter's home, all in one temporary folder.
pub(crate) struct Person {
    base: tempfile::TempDir,
}

/// What one run of the program came to.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Person {
    pub(crate) fn new() -> Self {
        let base = tempfile::Builder::new().prefix("person-").tempdir().unwrap();
        let person = Self { base };
        fs::create_dir_all(person.at("me/.winter/sdk")).unwrap();
        fs::create_dir_all(person.at("me/src/it/.winter")).unwrap();
        person
    }

    /// A path in the temporary folder.
    pub(crate) fn at(&self, path: impl AsRef<OsStr>) -> PathBuf {
        self.real().join(Path::new(path.as_ref()))
    }

    fn real(&self) -> PathBuf {
        fs::canonicalize(self.base.path()).unwrap()
    }

    pub(crate) fn own(&self, text: impl AsRef<[u8]>) {
        fs::write(self.at("me/.winter/sdk/settings.json"), text).unwrap();
    }

    pub(crate) fn project(&self, text: impl AsRef<[u8]>) {
        fs::write(self.at("me/src/it/.winter/settings.json"), text).unwrap();
    }

    /// Runs the program in the project, with nothing but a home and a path in its environment.
    pub(crate) fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Run {
        self.run_in(&self.at("me/src/it"), arguments, &[])
    }

    pub(crate) fn run_in<A: AsRef<OsStr>>(
        &self,
        folder: &Path,
        arguments: impl IntoIterator<Item = A>,
        environment: &[(&str, &OsStr)],
    ) -> Run {
        let mut command = Command::new(winter_tests::winter());
        command.args(arguments).current_dir(folder).env_clear();
        command.env("HOME", self.at("me")).env("PATH", "/usr/bin:/bin").envs(environment.iter().copied());
        finish(command)
    }
}

/// Waits for a command; one that does not end in time is killed and fails the test.
fn finish(mut command: Command) -> Run {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let reader = |mut stream: Box<dyn std::io::Read + Send>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).unwrap();
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    let stdout = reader(Box::new(child.stdout.take().unwrap()));
    let stderr = reader(Box::new(child.stderr.take().unwrap()));
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
            panic!("the program hangs: {command:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let run = Run { code: status.code().unwrap_or(-1), stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() };
    assert_eq!(status.signal(), None, "{command:?}: {}", run.stderr);
    assert!(!run.stderr.contains("panicked"), "{command:?}: {}", run.stderr);
    run
}

/// Every path beneath a folder with what tells one state of it from another.
pub(crate) fn tree(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let metadata = entry.path().symlink_metadata().unwrap();
            found.push(format!("{} {:?} {}", entry.path().display(), metadata.permissions(), metadata.len()));
            if metadata.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

/// Whether the tests run as root, for whom no permission is missing.
pub(crate) fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n")
}
