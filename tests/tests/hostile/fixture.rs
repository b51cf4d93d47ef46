//! A repository that attacks: real files, committed, for either brand; what a run home built from it holds and reports.
//!
//! In paths, contents and expected lines `%DIR` stands for the brand's folder of a project, `%DOC` for the stem of its
//! instructions file, `%MARK` for [`MARK`] and `%RUN` for a program that leaves a trace when somebody runs it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use winter_runner::contract::run_home::Plan;
use winter_runner::{Brand, Grants, Powers, RunHomeInput};
use winter_tests::scene::{Scene, report, runner, scenes, text};

/// What stands in everything that would act, and in nothing else.
pub(crate) const MARK: &str = "qz7attack7zq";

/// What the person denies, whatever a repository holds.
const OWN_RULE: &str = "Read(~/.ssh/**)";

/// One repository for each brand that holds these files; none, with a remark, where there is no `git`.
pub(crate) fn attacks(files: &[(&str, &str)]) -> impl Iterator<Item = Attack> {
    scenes().map(move |scene| {
        let (program, trace) = scene.repo.tell_tale();
        let attack = Attack { scene, program, trace };
        attack.scene.own(&json!({"permissions": {"deny": [OWN_RULE]}}).to_string());
        for (path, content) in files {
            attack.put(path, content);
        }
        attack.commit();
        attack
    })
}

/// A repository that attacks, and beside it a person's home.
pub(crate) struct Attack {
    pub(crate) scene: Scene,
    /// The program that leaves a trace.
    pub(crate) program: PathBuf,
    trace: PathBuf,
}

impl Attack {
    /// The text with what its placeholders stand for.
    pub(crate) fn spelt(&self, text: &str) -> String {
        let dir = self.scene.dir();
        let doc = dir.trim_start_matches('.').to_ascii_uppercase();
        text.replace("%DIR", dir)
            .replace("%DOC", &doc)
            .replace("%MARK", MARK)
            .replace("%RUN", self.program.to_str().unwrap())
    }

    /// Whether it attacks a session of the brand `winter`.
    pub(crate) fn is_winter(&self) -> bool {
        matches!(self.scene.brand, Brand::Winter)
    }

    /// Writes a file of the worktree, or of `.git`.
    pub(crate) fn put(&self, path: &str, content: &str) {
        self.scene.repo.write(&self.spelt(path), self.spelt(content));
    }

    /// Puts a link there.
    pub(crate) fn link(&self, path: &str, target: &str) {
        let path = self.scene.top.join(self.spelt(path));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(self.spelt(target), path).unwrap();
    }

    /// Writes a file beside the repository.
    pub(crate) fn put_beside(&self, path: &str, content: &str) {
        let path = self.scene.beside(&self.spelt(path));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, self.spelt(content)).unwrap();
    }

    /// Commits all that there is.
    pub(crate) fn commit(&self) {
        self.scene.repo.git(&["add", "--force", "--all"]);
        self.scene.repo.git(&["commit", "--quiet", "--allow-empty", "--message", "all"]);
    }

    /// A session at the top of the repository, which is trusted.
    pub(crate) fn input(&self, powers: Powers) -> RunHomeInput {
        RunHomeInput { powers, ..self.scene.input() }
    }

    /// Builds a run home. The person's own rule must be in it, and nothing may have been run.
    #[track_caller]
    pub(crate) fn build(&self, input: &RunHomeInput) -> Built {
        let home = runner(Grants::for_run_homes(input.reads())).build_run_home(input);
        let home = home.unwrap_or_else(|error| panic!("{error} ({})", error.code()));
        let settings = fs::read_to_string(home.dir.join("settings.json")).unwrap();
        assert_eq!(settings, home.plan.effective_settings);
        let settings: Value = serde_json::from_str(&settings).unwrap();
        assert!(settings["permissions"]["deny"].as_array().unwrap().contains(&json!(OWN_RULE)), "{settings:#}");
        self.assert_nothing_ran();
        Built { report: lines(&home.plan, &self.scene.top), plan: home.plan, dir: home.dir, settings }
    }

    /// Builds one in which nothing of a repository acts: these lines, and no others, are its report, and nothing of the
    /// attack is in it.
    #[track_caller]
    pub(crate) fn dropped(&self, expected: &[&str]) -> Built {
        let built = self.build(&self.input(Powers::Drop));
        built.tells(self, expected);
        built.holds_no(MARK);
        built
    }

    /// Builds one in which the trusted repository decides, with this report.
    #[track_caller]
    pub(crate) fn kept(&self, expected: &[&str]) -> Built {
        let built = self.build(&self.input(Powers::Keep));
        built.tells(self, expected);
        built
    }

    /// The same report and a run home without the attack, whatever the host decides about powers.
    #[track_caller]
    pub(crate) fn never(&self, expected: &[&str]) {
        self.dropped(expected);
        self.kept(expected).holds_no(MARK);
    }

    /// Asserts that the program that leaves a trace was not run.
    #[track_caller]
    pub(crate) fn assert_nothing_ran(&self) {
        assert!(!self.something_ran(), "something of the repository was run");
    }

    /// Whether the program that leaves a trace was run.
    pub(crate) fn something_ran(&self) -> bool {
        self.trace.exists()
    }
}

/// A run home that stands.
pub(crate) struct Built {
    pub(crate) plan: Plan,
    pub(crate) dir: PathBuf,
    pub(crate) settings: Value,
    /// The report, one line an entry.
    pub(crate) report: Vec<String>,
}

impl Built {
    /// Asserts that the report holds these lines and no others.
    #[track_caller]
    pub(crate) fn tells(&self, attack: &Attack, expected: &[&str]) {
        let mut expected: Vec<String> = expected.iter().map(|line| attack.spelt(line)).collect();
        let mut found = self.report.clone();
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "\n{}", found.join("\n"));
    }

    /// Asserts that the text is nowhere in the run folder: in no file, no name and no link.
    #[track_caller]
    pub(crate) fn holds_no(&self, what: &str) {
        for (path, bytes) in self.everything() {
            assert!(!path.contains(what) && !holds(&bytes, what), "{path}: {}", String::from_utf8_lossy(&bytes));
        }
    }

    /// Every path of the run folder with what it holds: a file's bytes, a link's target, nothing for a folder. No link
    /// is followed.
    pub(crate) fn everything(&self) -> Vec<(String, Vec<u8>)> {
        everything(&self.dir)
    }

    /// The text of an entry; none when there is no such file.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.dir.join(path)).ok()
    }
}

/// Every path beneath a folder, relative to it, in order, with what it holds.
pub(crate) fn everything(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(here) = open.pop() {
        for entry in fs::read_dir(here).unwrap() {
            let path = entry.unwrap().path();
            let kind = path.symlink_metadata().unwrap().file_type();
            let bytes = if kind.is_dir() {
                open.push(path.clone());
                Vec::new()
            } else if kind.is_symlink() {
                fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else {
                fs::read(&path).unwrap()
            };
            found.push((path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned(), bytes));
        }
    }
    found.sort();
    found
}

/// Whether the text stands among the bytes.
pub(crate) fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// A report as `<list> <file>:<line> <what> (<reason>)`; files of the repository are relative to its top.
pub(crate) fn lines(plan: &Plan, top: &Path) -> Vec<String> {
    const LISTS: [(&str, &str, &[&str], &str); 9] = [
        ("dropped-rules", "source", &["rule", "withheld", "because"], "reason"),
        ("removed-powers", "file", &["carrier", "value"], "reason"),
        ("dropped-mcp-servers", "source", &["name", "detail"], "reason"),
        ("dropped-imports", "file", &["target"], "reason"),
        ("skipped-agents", "path", &[], ""),
        ("skipped-links", "path", &["target"], "reason"),
        ("skipped-items", "path", &[], "reason"),
        ("unconditional-rules", "path", &["entry"], ""),
        ("notices", "path", &[], "kind"),
    ];
    let report = report(plan);
    assert_eq!(report["external-user-links"], json!([]));
    assert_eq!(report.as_object().unwrap().len(), LISTS.len() + 1, "a list that nobody looks at");
    let mut lines = Vec::new();
    for (list, file, what, reason) in LISTS {
        for entry in report[list].as_array().unwrap() {
            let file = text(&entry[file]);
            let file = file.strip_prefix(&format!("{}/", top.display())).unwrap_or(&file);
            let line = entry["line"].as_u64().map_or_else(String::new, |line| format!(":{line}"));
            let what: Vec<String> = what.iter().map(|key| text(&entry[key])).filter(|text| !text.is_empty()).collect();
            let reason = text(&entry[reason]);
            let reason = if reason.is_empty() { reason } else { format!("({reason})") };
            let parts = [list.to_owned(), format!("{file}{line}"), what.join(" | "), reason];
            lines.push(parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "));
        }
    }
    lines
}
