//! A person with a home folder and a project in it, and runs of the program in an environment that holds nothing else.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// No run may take longer.
const PATIENCE: Duration = Duration::from_secs(20);

/// Characters that a terminal would obey, or that turn text around.
const OBEYED: [char; 4] = ['\x1b', '\r', '\u{202e}', '\u{9b}'];

pub(crate) struct Person {
    _temp: tempfile::TempDir,
    /// The real path of the folder that holds everything.
    pub(crate) base: PathBuf,
}

impl Person {
    /// A home folder `me` with winter's home and a shared home in it, and the project `me/src/it`; no settings yet.
    pub(crate) fn new() -> Self {
        let temp = tempfile::Builder::new().prefix("winter-cli-").tempdir().unwrap();
        let person = Self { base: temp.path().canonicalize().unwrap(), _temp: temp };
        for folder in ["me/.winter/sdk", "me/src/it/.winter", "me/src/it/.claude"] {
            fs::create_dir_all(person.at(folder)).unwrap();
        }
        person
    }

    pub(crate) fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        self.base.join(path)
    }

    /// The person's own settings file.
    pub(crate) fn own(&self) -> PathBuf {
        self.at("me/.winter/sdk/settings.json")
    }

    /// The project's settings file.
    pub(crate) fn project(&self) -> PathBuf {
        self.at("me/src/it/.winter/settings.json")
    }

    /// Where run homes stand unless another home is named.
    pub(crate) fn runs(&self) -> PathBuf {
        self.at("me/.winter/cache/runs")
    }

    pub(crate) fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// The program in the project, with nothing in its environment but a home folder.
    pub(crate) fn command(&self) -> Command {
        self.closed(winter_tests::winter())
    }

    /// Any program in that environment.
    pub(crate) fn closed(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", self.at("me")).env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.current_dir(self.at("me/src/it"));
        command
    }

    /// The program as somebody who is not root and to whom all of this belongs; none, with a remark, where root cannot
    /// become anybody else.
    pub(crate) fn unprivileged(&self) -> Option<Command> {
        if !is_root() {
            return Some(self.command());
        }
        let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"];
        // The target folder may be closed to others.
        let program = self.at("winter");
        if !program.exists() {
            fs::copy(winter_tests::winter(), &program).unwrap();
        }
        let owned = Command::new("chown").args(["-R", "65534:65534"]).arg(&self.base).status();
        assert!(owned.is_ok_and(|status| status.success()));
        if !can("another user", "setpriv", &[&nobody[..], &[program.to_str().unwrap(), "--version"]].concat()) {
            return None;
        }
        let mut command = self.closed("setpriv");
        command.args(nobody).arg(program);
        Some(command)
    }

    /// Runs the program with these arguments.
    #[track_caller]
    pub(crate) fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Run {
        let mut command = self.command();
        command.args(arguments);
        run(command)
    }

    /// Runs it with `--json` and reads what it prints.
    #[track_caller]
    pub(crate) fn json<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Value {
        let mut command = self.command();
        command.args(arguments).arg("--json");
        run(command).ok().value()
    }
}

/// What a run came to.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.code, 0, "{self:#?}");
        self
    }

    /// A failure in the one form, with this exit code and error code.
    #[track_caller]
    pub(crate) fn fails(self, exit: i32, code: &str) -> Self {
        assert_eq!(self.code, exit, "{self:#?}");
        assert!(self.stderr.starts_with(&format!("error[{code}]: ")), "{self:#?}");
        assert!(self.stdout.is_empty(), "{self:#?}");
        self
    }

    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(self.stdout.contains(text) || self.stderr.contains(text), "{text}: {self:#?}");
        self
    }

    #[track_caller]
    pub(crate) fn value(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// The names in a list of a help text.
    pub(crate) fn listed(&self, title: &str) -> Vec<String> {
        let list = self.stdout.lines().skip_while(|line| line.trim() != title).skip(1);
        let lines = list.take_while(|line| !line.trim().is_empty()).map(|line| line.trim().trim_start_matches("- "));
        lines.filter_map(|line| line.split([' ', ':']).next()).map(str::to_owned).collect()
    }

    /// Whether the report names the file under that reason.
    pub(crate) fn names(&self, reason: &str, file: &Path) -> bool {
        let file = file.display().to_string();
        let mut lines = self
            .stdout
            .lines()
            .skip_while(|line| line.strip_prefix("  ").and_then(|line| line.split(':').next()) != Some(reason));
        lines.next();
        let group = lines.take_while(|line| line.starts_with("    "));
        group.into_iter().any(|line| {
            let (_, place) = line.rsplit_once("  ").unwrap_or_default();
            place == file || place.strip_prefix(&file).is_some_and(|rest| rest.starts_with(':'))
        })
    }

    pub(crate) fn both(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }

    /// The run's id, off the path that `build` prints first.
    #[track_caller]
    pub(crate) fn id(&self) -> String {
        let first = self.stdout.lines().next().unwrap_or_default();
        first.rsplit_once("/cache/runs/").unwrap_or_else(|| panic!("no path: {self:#?}")).1.to_owned()
    }
}

/// Runs the program to its end, and asserts what holds for every run: it ends in time by itself, does not panic, exits
/// with a code that is documented, says an error on the error stream, and prints nothing that a terminal would obey.
#[track_caller]
pub(crate) fn run(command: Command) -> Run {
    let run = raw(command);
    for text in [&run.stdout, &run.stderr] {
        assert!(!text.contains(OBEYED), "{run:#?}");
    }
    run
}

/// The same for output that is meant to be taken byte for byte.
#[track_caller]
pub(crate) fn raw(command: Command) -> Run {
    printing_to(command, Stdio::piped())
}

/// The same with the output going elsewhere.
#[track_caller]
pub(crate) fn printing_to(mut command: Command, stdout: Stdio) -> Run {
    command.stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{error}: {command:?}"));
    let stdout: Box<dyn Read + Send> = match child.stdout.take() {
        Some(stdout) => Box::new(stdout),
        None => Box::new(std::io::empty()),
    };
    let (stdout, stderr) = (drained(stdout), drained(child.stderr.take().unwrap()));
    let status = ended(&mut child).unwrap_or_else(|| panic!("the program hangs: {command:?}"));
    let run = Run { code: code(status), stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() };
    assert!([0, 2, 3, 4, 5].contains(&run.code), "{status}: {run:#?}");
    assert!(!run.both().contains("panicked"), "{run:#?}");
    // An object says it on the output, and so does a terminal; no command at all is told how to give one.
    let said = ["error[", "error: ", "\"error\": {", "Usage: "].iter().any(|form| run.both().contains(form));
    // A finding (3) may be the answer itself.
    assert!(run.code == 0 || said || (run.code == 3 && !run.stdout.is_empty()), "{run:#?}");
    run
}

fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or(-1)
}

fn drained(mut stream: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        String::from_utf8(bytes).expect("the program prints UTF-8")
    })
}

fn ended(child: &mut std::process::Child) -> Option<ExitStatus> {
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    None
}

/// What stands beneath a folder: every path with its kind, mode, size, time of the last change and content or target.
pub(crate) fn tree(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let times = (metadata.ctime(), metadata.ctime_nsec());
            let what = if metadata.is_dir() {
                folders.push(path.clone());
                String::new()
            } else if metadata.is_symlink() {
                fs::read_link(&path).unwrap().display().to_string()
            } else {
                format!("{} bytes", metadata.len())
            };
            found.insert(path, format!("{:o} {times:?} {what}", metadata.mode()));
        }
    }
    found
}

/// Asserts that no run folder stands there, whole or half; a lock file and nothing else is left of a build that failed.
#[track_caller]
pub(crate) fn assert_no_run(home: &Path) {
    let runs = home.join("cache/runs");
    if !home.is_dir() || !runs.exists() {
        return;
    }
    let left: Vec<_> = fs::read_dir(runs).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| name == ".lock"), "{left:?}");
}

/// Asserts that a run folder is whole and private.
#[track_caller]
pub(crate) fn assert_built(dir: &Path) {
    let mode = |path: &Path| path.symlink_metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(dir), 0o700);
    for name in ["settings.json", "manifest.json"] {
        assert_eq!(mode(&dir.join(name)), 0o600, "{name}");
        serde_json::from_slice::<Value>(&fs::read(dir.join(name)).unwrap()).unwrap();
    }
}

/// Whether the tests run as root.
pub(crate) fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n")
}

/// Whether a program with these arguments does what it should here; says so where it does not.
pub(crate) fn can(what: &str, program: &str, arguments: &[&str]) -> bool {
    let can = Command::new(program).args(arguments).stdin(Stdio::null()).output().is_ok_and(|out| out.status.success());
    if !can {
        println!("skipped: {what} cannot be had here (`{program} {}`)", arguments.join(" "));
    }
    can
}
