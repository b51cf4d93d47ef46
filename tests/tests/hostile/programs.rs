//! What a folder holds for the tools of others, git's above all: nothing of it is run while a run home is made.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use serde_json::Value;
use winter_runner::Powers;

use crate::fixture::{Attack, MARK, attacks, everything};

/// Runs the program in the repository and reads what it prints. On its `PATH` stands nothing but what leaves a trace,
/// under the name of each tool that it might look for; and its folder for temporary files stays empty.
#[track_caller]
pub(crate) fn winter(attack: &Attack, arguments: &[&str]) -> Value {
    let (path, temporary) = (attack.scene.beside("path"), attack.scene.beside("temporary"));
    if !path.exists() {
        fs::create_dir(&path).unwrap();
        fs::create_dir(&temporary).unwrap();
        for name in ["git", "sh", "bash", "env", "node", "npm", "npx", "yarn", "pnpm", "bun", "claude", "winter"] {
            symlink(&attack.program, path.join(name)).unwrap();
        }
        fs::create_dir_all(attack.scene.home()).unwrap();
        // Where the winter brand looks for the person's own.
        symlink("../shared", attack.scene.home().join("sdk")).unwrap();
    }
    let mut command = Command::new(winter_tests::winter());
    command.env_clear().env("PATH", &path).env("TMPDIR", &temporary).env("HOME", attack.scene.beside(""));
    command.env("WINTER_HOME", attack.scene.home()).env("CLAUDE_CONFIG_DIR", attack.scene.beside("shared"));
    command.current_dir(&attack.scene.top).args(arguments);
    if arguments[0] != "runs" {
        command.args(["--brand", if attack.is_winter() { "winter" } else { "claude" }]);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    attack.assert_nothing_ran();
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Builds with the library and with the program: nothing runs, nothing of it is reported, nothing of it is there.
#[track_caller]
fn assert_untouched(attack: &Attack) {
    let before = everything(&attack.scene.top);
    attack.never(&[]);
    winter(attack, &["plan", "--json"]);
    winter(attack, &["build", "--json"]);
    for (path, bytes) in everything(&attack.scene.home()) {
        assert!(!crate::fixture::holds(&bytes, MARK), "{path}");
    }
    assert_eq!(everything(&attack.scene.top), before, "nothing is written in the repository");
}

/// A file of the worktree or of `.git` that may be run, and runs the program that leaves a trace.
fn put_program(attack: &Attack, path: &str) {
    attack.put(path, "#!/bin/sh\nexec %RUN\n");
    let path = attack.scene.top.join(attack.spelt(path));
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

pub(crate) fn cve_2025_59041_a_value_of_gits_in_a_command() {
    for attack in attacks(&[("README", "r\n")]) {
        attack.scene.repo.configure(&attack.spelt(
            "[user]\n\temail = \"$(%RUN)%MARK@example.org\"\n\tname = \"`%RUN`; %RUN #%MARK\"\n[core]\n\teditor = %RUN %MARK",
        ));
        assert_untouched(&attack);
    }
}

/// A repository whose tools would be run by a version check.
fn with_tools() -> impl Iterator<Item = Attack> {
    attacks(&[
        (".yarnrc.yml", "yarnPath: ./tool.sh\nplugins:\n  - path: ./plugin.cjs\n    spec: \"%MARK\"\n"),
        (".yarnrc", "yarn-path ./tool.sh\n"),
        (".npmrc", "node-options=--require=./plugin.cjs\nscript-shell=%RUN\nregistry=https://%MARK.example\n"),
        (".node-version", "%MARK\n"),
        ("package.json", r#"{"packageManager": "yarn@4.0.0", "scripts": {"preinstall": "%RUN", "prepare": "%RUN"}}"#),
        ("plugin.cjs", "require('child_process').execFileSync('%RUN'); // %MARK\n"),
        (".tool-versions", "nodejs %MARK\n"),
        (".envrc", "%RUN\n"),
    ])
    .inspect(|attack| {
        for program in ["tool.sh", "git", "node", "yarn", "node_modules/.bin/claude"] {
            put_program(attack, program);
        }
    })
}

pub(crate) fn cve_2025_65099_a_plugin_of_a_package_manager() {
    with_tools().for_each(|attack| assert_untouched(&attack));
}

pub(crate) fn cve_2025_59828_a_version_asked_for_in_the_project() {
    for attack in with_tools() {
        // Whatever says which version it is does so without starting anything, in that folder as elsewhere.
        let inspected = winter(&attack, &["inspect", "--json"]);
        assert_eq!(inspected["grants"]["process"], false);
        assert_untouched(&attack);
    }
}

pub(crate) fn cve_2026_26268_git_settings_that_run_programs() {
    for attack in attacks(&[(".gitattributes", "* filter=f diff=f merge=f\n"), ("README", "r\n")]) {
        attack.scene.repo.configure(&attack.spelt(
            "[core]\n\tfsmonitor = %RUN %MARK\n\thooksPath = hooks-of-%MARK\n\tsshCommand = %RUN\n\tpager = %RUN\n\
             \taskPass = %RUN\n[filter \"f\"]\n\tclean = %RUN\n\tsmudge = %RUN\n\tprocess = %RUN\n\trequired = true\n\
             [diff \"f\"]\n\ttextconv = %RUN\n\tcommand = %RUN\n[alias]\n\tls-files = !%RUN\n[gpg]\n\tprogram = %RUN\n\
             [credential]\n\thelper = !%RUN\n[include]\n\tpath = included-%MARK",
        ));
        attack.put(".git/included-%MARK", "[core]\n\tfsmonitor = %RUN\n");
        for hook in ["post-index-change", "post-checkout", "pre-commit", "reference-transaction", "fsmonitor-watchman"]
        {
            put_program(&attack, &format!(".git/hooks/{hook}"));
            put_program(&attack, &format!("hooks-of-%MARK/{hook}"));
        }
        // The index is asked, for there is a local settings file.
        attack.put("%DIR/settings.local.json", r#"{"language": "de"}"#);
        let before = everything(&attack.scene.top);
        for powers in [Powers::Drop, Powers::Keep] {
            let built = attack.build(&attack.input(powers));
            built.holds_no(MARK);
            assert_eq!(built.settings["language"], "de");
        }
        winter(&attack, &["build", "--json"]);
        assert_eq!(everything(&attack.scene.top), before, "nothing is written in the repository");
        // The control: git itself runs something of that.
        attack.scene.repo.status(&["status"]);
        assert!(attack.something_ran());
    }
}
