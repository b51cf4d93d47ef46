//! Real repositories, made by the real `git` in an environment that holds nothing of the machine's.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use winter_runner::capability::git_index::{Evidence, Limits, Place, ProbeError, probe};

/// The file that all of this is about.
pub const LOCAL: &str = ".claude/settings.local.json";

/// A repository in a folder of its own, removed at the end.
pub struct Repo {
    temp: tempfile::TempDir,
    /// The folder that holds its `.git`.
    pub top: PathBuf,
}

impl Repo {
    /// An empty one, or none where there is no `git`: then the test says so and passes.
    pub fn new() -> Option<Self> {
        Self::init(&[])
    }

    /// One that `git init` made with further arguments, or none where `git` does not know them.
    pub fn init(arguments: &[&str]) -> Option<Self> {
        let repo = Self::none();
        let output = repo.try_git(&[&["init", "--quiet", "--initial-branch=main"], arguments].concat());
        match output {
            Ok(output) if output.status.success() => Some(repo),
            _ => {
                println!("skipped: `git init {}` is not to be had here", arguments.join(" "));
                None
            }
        }
    }

    /// A folder that is no repository.
    pub fn none() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().join("top");
        fs::create_dir(&top).unwrap();
        fs::create_dir(temp.path().join("home")).unwrap();
        Self { temp, top }
    }

    /// A path beside the repository.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    /// The `git` program in `folder`, in the closed environment.
    pub fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new("git");
        command.current_dir(folder).env_clear().stdin(Stdio::null());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.beside("home")).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "A U Thor").env(format!("GIT_{who}_EMAIL"), "author@example.com");
            command.env(format!("GIT_{who}_DATE"), "1700000000 +0000");
        }
        command
    }

    fn try_git(&self, arguments: &[&str]) -> std::io::Result<Output> {
        self.command(&self.top).args(arguments).output()
    }

    /// How `git` ends.
    pub fn status(&self, arguments: &[&str]) -> i32 {
        self.try_git(arguments).unwrap().status.code().unwrap()
    }

    /// What `git` prints; it must succeed.
    pub fn git(&self, arguments: &[&str]) -> String {
        self.git_in(&self.top, arguments, "")
    }

    /// The same, in another folder and with an input.
    pub fn git_in(&self, folder: &Path, arguments: &[&str], input: &str) -> String {
        let mut command = self.command(folder);
        let pipes = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = pipes.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    /// Writes a file of the worktree, or of `.git`.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.top.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Adds lines to the repository's configuration.
    pub fn configure(&self, lines: &str) {
        let config = fs::read_to_string(self.top.join(".git/config")).unwrap();
        self.write(".git/config", format!("{config}\n{lines}\n"));
    }

    /// Writes a file and commits it, whatever is ignored.
    pub fn commit(&self, path: &str) {
        self.write(path, path);
        self.git(&["add", "--force", "--", path]);
        self.git(&["commit", "--quiet", "--message", path]);
    }

    /// Writes and commits each.
    pub fn commit_each(&self, paths: &[&str]) {
        for path in paths {
            self.commit(path);
        }
    }

    /// Sets the index to entries of `mode path`, which need not be possible on this file system.
    pub fn set_index(&self, entries: &[(&str, &str)]) {
        let blob = self.git(&["hash-object", "-w", "--stdin"]);
        let lines: Vec<_> = entries.iter().map(|(mode, path)| format!("{mode} {blob}\t{path}\0")).collect();
        self.git(&["read-tree", "--empty"]);
        self.git_in(&self.top, &["update-index", "-z", "--index-info"], &lines.concat());
    }

    /// Commits what the index holds, without looking at the worktree.
    pub fn commit_index(&self) {
        let tree = self.git(&["write-tree"]);
        let commit = self.git(&["commit-tree", "-m", "index", &tree]);
        self.git(&["update-ref", "HEAD", &commit]);
    }

    /// Whether `git` itself lists the path, taken literally.
    pub fn git_lists(&self, path: &str) -> bool {
        !self.git(&["--literal-pathspecs", "ls-files", "--", path]).is_empty()
    }

    /// The name of an object.
    pub fn id(&self, revision: &str) -> String {
        self.git(&["rev-parse", "--verify", revision])
    }

    /// Removes an object that has a file of its own.
    pub fn remove_object(&self, id: &str) {
        fs::remove_file(self.top.join(".git/objects").join(&id[..2]).join(&id[2..])).unwrap();
    }

    /// A program that leaves a mark, and the path of the mark.
    pub fn tell_tale(&self) -> (PathBuf, PathBuf) {
        use std::os::unix::fs::PermissionsExt;
        let (program, mark) = (self.beside("tell-tale"), self.beside("mark"));
        fs::write(&program, format!("#!/bin/sh\n: >'{}'\nexit 1\n", mark.display())).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        (program, mark)
    }

    /// What our reader says.
    pub fn ask(&self, path: &str) -> Result<Vec<Evidence>, ProbeError> {
        ask(&self.top, path)
    }
}

/// What our reader says of a path in the repository at `top`.
pub fn ask(top: &Path, path: &str) -> Result<Vec<Evidence>, ProbeError> {
    // Other tests may have both cores; the bound has a test of its own.
    let limits = Limits { timeout: std::time::Duration::from_mins(1), ..Limits::default() };
    probe(top, &[path.to_owned()], &limits)
}

/// Evidence of a listed file.
pub fn file(place: Place, path: &str) -> Evidence {
    Evidence { path: path.to_owned(), place, mode: 0o100_644, covering: false }
}

/// Evidence of a listed folder, link or submodule above the path.
pub fn covering(place: Place, path: &str, mode: u32) -> Evidence {
    Evidence { path: path.to_owned(), place, mode, covering: true }
}

/// Evidence of a file that is in the index and in HEAD.
pub fn committed(path: &str) -> Vec<Evidence> {
    vec![file(Place::Index, path), file(Place::Head, path)]
}

/// Makes a FIFO.
pub fn fifo(path: impl AsRef<OsStr>) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Asserts that the reader could not answer.
pub fn assert_failed(answer: &Result<Vec<Evidence>, ProbeError>) {
    assert!(matches!(answer, Err(ProbeError::Failed(_))), "{answer:?}");
}

/// Asserts that the reader knows the kind of repository, and does not read it.
pub fn assert_unsupported(answer: &Result<Vec<Evidence>, ProbeError>) {
    assert!(matches!(answer, Err(ProbeError::Unsupported(_))), "{answer:?}");
}
