//! Situations in which programs that ask `git` are misled, one a test, in the order in which they were found.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use winter_runner::capability::git_index::{Place, ProbeError};

use crate::git::{LOCAL, Repo, ask, assert_failed, committed, covering, file};

/// A repository with one commit of another file.
fn with_commit() -> Option<Repo> {
    let repo = Repo::new()?;
    repo.commit("README");
    Some(repo)
}

/// A repository that ships the local file.
fn shipping() -> Option<Repo> {
    let repo = Repo::new()?;
    repo.commit(LOCAL);
    Some(repo)
}

#[test]
fn s01_an_untracked_file_is_not_listed() {
    let Some(repo) = with_commit() else { return };
    repo.write(LOCAL, "{}");
    assert_eq!(repo.ask(LOCAL), Ok(vec![]));
    assert!(!repo.git_lists(LOCAL));
}

#[test]
fn s02_a_committed_file_is_listed_twice() {
    let Some(repo) = shipping() else { return };
    assert_eq!(repo.ask(LOCAL), Ok(committed(LOCAL)));
    assert!(repo.git_lists(LOCAL));
}

#[test]
fn s03_flags_of_an_entry_do_not_hide_it() {
    for flag in ["--skip-worktree", "--assume-unchanged"] {
        let Some(repo) = shipping() else { return };
        repo.git(&["update-index", flag, LOCAL]);
        assert_eq!(repo.ask(LOCAL), Ok(committed(LOCAL)), "{flag}");
        assert!(repo.git_lists(LOCAL));
    }
}

#[test]
fn s04_a_file_that_is_only_intended_is_listed() {
    let Some(repo) = with_commit() else { return };
    repo.write(LOCAL, "{}");
    repo.git(&["add", "--intent-to-add", LOCAL]);
    assert_eq!(repo.ask(LOCAL), Ok(vec![file(Place::Index, LOCAL)]));
    assert!(repo.git_lists(LOCAL));
}

const SHOUTED: &str = ".Claude/settings.local.json";

#[test]
fn s05_another_spelling_is_listed_where_git_does_not_see_it() {
    let Some(repo) = Repo::new() else { return };
    repo.set_index(&[("100644", SHOUTED)]);
    repo.configure("[core]\n\tignorecase = true");
    assert_eq!(repo.ask(LOCAL), Ok(vec![file(Place::Index, SHOUTED)]));
    assert!(!repo.git_lists(LOCAL));
}

#[test]
fn s06_another_spelling_is_what_git_finds_without_case() {
    let Some(repo) = Repo::new() else { return };
    repo.set_index(&[("100644", SHOUTED)]);
    assert_eq!(repo.ask(LOCAL), Ok(vec![file(Place::Index, SHOUTED)]));
    assert_eq!(repo.git(&["ls-files", "--", &format!(":(top,icase){LOCAL}")]), SHOUTED);
}

#[test]
fn s07_a_committed_link_covers_what_is_behind_it() {
    let Some(repo) = Repo::new() else { return };
    repo.write("real/settings.local.json", "{}");
    symlink("real", repo.top.join(".claude")).unwrap();
    repo.git(&["add", ".claude"]);
    repo.git(&["commit", "--quiet", "--message", "link"]);
    let both = [Place::Index, Place::Head].map(|place| covering(place, ".claude", 0o120_000));
    assert_eq!(repo.ask(LOCAL), Ok(both.to_vec()));
    assert_ne!(repo.status(&["ls-files", "--error-unmatch", LOCAL]), 0);
}

#[test]
fn s08_a_linked_worktree_answers_for_itself() {
    let Some(repo) = with_commit() else { return };
    let linked = repo.beside("linked");
    repo.git(&["worktree", "add", "--quiet", linked.to_str().unwrap()]);
    fs::create_dir(linked.join(".claude")).unwrap();
    fs::write(linked.join(LOCAL), "{}").unwrap();
    assert_eq!(ask(&linked, LOCAL), Ok(vec![]));
    repo.git_in(&linked, &["add", LOCAL], "");
    assert_eq!(ask(&linked, LOCAL), Ok(vec![file(Place::Index, LOCAL)]));
    assert_eq!(repo.git_in(&linked, &["ls-files", LOCAL], ""), LOCAL);
    repo.git_in(&linked, &["commit", "--quiet", "--message", "linked"], "");
    assert_eq!(ask(&linked, LOCAL), Ok(committed(LOCAL)));
    assert_eq!(repo.ask(LOCAL), Ok(vec![]));
}

#[test]
fn s09_a_file_that_only_head_holds_is_listed() {
    let Some(repo) = shipping() else { return };
    repo.git(&["rm", "--quiet", "--cached", LOCAL]);
    assert_eq!(repo.ask(LOCAL), Ok(vec![file(Place::Head, LOCAL)]));
    assert!(!repo.git_lists(LOCAL));
    assert_eq!(repo.git(&["ls-tree", "--name-only", "-r", "HEAD"]), LOCAL);
}

#[test]
fn s10_a_submodule_covers_its_files_and_answers_for_them() {
    let Some(other) = shipping() else { return };
    let Some(repo) = with_commit() else { return };
    repo.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.top.to_str().unwrap(), "Sub"]);
    repo.git(&["commit", "--quiet", "--message", "submodule"]);
    let inside = format!("sub/{LOCAL}");
    let both = [Place::Index, Place::Head].map(|place| covering(place, "Sub", 0o160_000));
    assert_eq!(repo.ask(&inside), Ok(both.to_vec()));
    assert!(repo.top.join("Sub/.git").is_file());
    assert_eq!(ask(&repo.top.join("Sub"), LOCAL), Ok(committed(LOCAL)));
}

#[test]
fn s11_an_ignored_file_that_is_tracked_is_listed() {
    let Some(repo) = shipping() else { return };
    repo.write(".gitignore", ".claude/\n");
    assert_eq!(repo.ask(LOCAL), Ok(committed(LOCAL)));
    assert!(repo.git_lists(LOCAL));
}

#[test]
fn s12_what_is_ignored_is_no_answer() {
    let Some(repo) = with_commit() else { return };
    repo.write(".gitignore", ".claude/\n");
    repo.write(LOCAL, "{}");
    // Ignored and untracked on the one hand; on the other, tracked makes `check-ignore` say "not ignored".
    assert_eq!(repo.status(&["check-ignore", "--quiet", LOCAL]), 0);
    assert_eq!(repo.ask(LOCAL), Ok(vec![]));
    repo.git(&["add", "--force", LOCAL]);
    assert_eq!(repo.status(&["check-ignore", "--quiet", LOCAL]), 1);
    assert_eq!(repo.ask(LOCAL), Ok(vec![file(Place::Index, LOCAL)]));
}

#[test]
fn s13_a_monitor_in_the_configuration_does_not_run() {
    let Some(repo) = shipping() else { return };
    let (program, mark) = repo.tell_tale();
    repo.configure(&format!("[core]\n\tfsmonitor = {}", program.display()));
    assert_eq!(repo.ask(LOCAL), Ok(committed(LOCAL)));
    assert!(!mark.exists());
    repo.git(&["ls-files"]);
    assert!(mark.exists(), "the control: git itself runs it");
}

#[test]
fn s14_the_answer_for_head_is_that_of_a_command_that_runs_no_monitor() {
    let Some(repo) = shipping() else { return };
    let (program, mark) = repo.tell_tale();
    repo.configure(&format!("[core]\n\tfsmonitor = {}", program.display()));
    assert_eq!(repo.git(&["ls-tree", "-r", "--name-only", "HEAD", LOCAL]), LOCAL);
    assert!(!mark.exists());
    assert_eq!(repo.ask(LOCAL), Ok(committed(LOCAL)));
    assert!(!mark.exists());
}

#[test]
fn s15_a_folder_laid_out_as_a_git_directory_is_no_repository() {
    let Some(repo) = shipping() else { return };
    let (program, mark) = repo.tell_tale();
    let embedded = repo.top.join("embedded");
    fs::rename(repo.top.join(".git"), &embedded).unwrap();
    let config =
        format!("[core]\n\trepositoryformatversion = 0\n\tworktree = ..\n\tfsmonitor = {}\n", program.display());
    repo.write("embedded/config", config);
    assert_eq!(ask(&embedded, LOCAL), Err(ProbeError::NotARepository));
    assert!(!mark.exists());
    repo.git_in(&embedded, &["ls-files"], "");
    assert!(mark.exists(), "the control: git itself takes it for one");
}

#[test]
fn s16_variables_of_the_environment_change_nothing() {
    let Some(repo) = shipping() else { return };
    let Some(other) = with_commit() else { return };
    let variables = [
        ("GIT_DIR", other.top.join(".git")),
        ("GIT_COMMON_DIR", other.top.join(".git")),
        ("GIT_WORK_TREE", other.top.clone()),
        ("GIT_OBJECT_DIRECTORY", other.top.join(".git/objects")),
        ("GIT_INDEX_FILE", other.top.join(".git/index")),
        ("GIT_CONFIG_GLOBAL", PathBuf::from("/dev/zero")),
        ("GIT_CONFIG_COUNT", PathBuf::from("not a number")),
        ("GIT_CEILING_DIRECTORIES", PathBuf::from("/")),
        ("GIT_NAMESPACE", PathBuf::from("other")),
        ("GIT_DEFAULT_HASH", PathBuf::from("sha256")),
    ];
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "situations::s16_child", "--nocapture"]).envs(variables.clone());
    let output = command.env("WINTER_TEST_TOP", &repo.top).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("asked in a strange environment"));

    let (name, value) = &variables[4];
    let output = repo.command(&repo.top).env(name, value).args(["ls-files", LOCAL]).output().unwrap();
    assert_eq!(output.stdout, b"", "the control: git itself is misled");
}

/// Not a test by itself: what the one above runs in an environment of its own.
#[test]
fn s16_child() {
    let Some(top) = std::env::var_os("WINTER_TEST_TOP") else { return };
    assert_eq!(ask(&PathBuf::from(top), LOCAL), Ok(committed(LOCAL)));
    println!("asked in a strange environment");
}

#[test]
fn s17_a_corrupt_index_is_no_answer() {
    let Some(repo) = shipping() else { return };
    repo.write(".git/index", "not an index, and longer than a checksum");
    assert_failed(&repo.ask(LOCAL));
    assert_eq!(repo.status(&["ls-files"]), 128);
}

#[test]
fn s18_a_pointer_to_nowhere_is_no_answer() {
    let repo = Repo::none();
    repo.write(".git", "gitdir: ../missing\n");
    assert_failed(&repo.ask(LOCAL));
}

#[test]
fn s19_without_any_git_entry_there_is_no_repository() {
    let repo = Repo::none();
    assert_eq!(repo.ask(LOCAL), Err(ProbeError::NotARepository));
}

#[test]
fn s20_paths_start_at_the_top_wherever_one_stands() {
    let Some(repo) = shipping() else { return };
    repo.commit("deep/file");
    let deep = repo.top.join("deep");
    assert_eq!(repo.git_in(&deep, &["ls-files", LOCAL], ""), "");
    assert_eq!(repo.git_in(&deep, &["ls-files", "--full-name", &format!(":(top){LOCAL}")], ""), LOCAL);
    assert_eq!(repo.ask(LOCAL), Ok(committed(LOCAL)));
}

#[test]
fn s21_no_character_of_a_path_is_a_pattern() {
    let Some(repo) = Repo::new() else { return };
    repo.commit("ab/settings.local.json");
    let bracketed = "a[b]/settings.local.json";
    repo.write(bracketed, "{}");
    assert_eq!(repo.git(&["ls-files", bracketed]), "ab/settings.local.json");
    assert_eq!(repo.ask(bracketed), Ok(vec![]));
}

#[test]
fn s22_a_literal_path_is_what_git_takes_literally() {
    let Some(repo) = Repo::new() else { return };
    repo.commit("ab/settings.local.json");
    let bracketed = "a[b]/settings.local.json";
    repo.commit(bracketed);
    assert!(repo.git_lists(bracketed));
    assert_eq!(repo.ask(bracketed), Ok(committed(bracketed)));
    repo.git(&["rm", "--quiet", "--", ":(literal)a[b]/settings.local.json"]);
    assert!(!repo.git_lists(bracketed));
    assert_eq!(repo.ask(bracketed), Ok(vec![file(Place::Head, bracketed)]));
}

#[test]
fn s23_a_missing_object_is_not_fetched() {
    let Some(repo) = shipping() else { return };
    let (program, mark) = repo.tell_tale();
    repo.remove_object(&repo.id("HEAD:.claude"));
    repo.git(&["read-tree", "--empty"]);
    repo.configure("[extensions]\n\tpartialClone = origin");
    repo.configure("[remote \"origin\"]\n\turl = ssh://localhost/none\n\tpromisor = true");
    repo.configure(&format!("[core]\n\tsshCommand = {}", program.display()));
    assert_failed(&repo.ask(LOCAL));
    assert!(!mark.exists());
    repo.status(&["ls-tree", "-r", "HEAD"]);
    assert!(mark.exists(), "the control: git itself runs it");
}

#[test]
fn s24_a_sparse_folder_covers_its_files_without_its_tree() {
    let Some(repo) = shipping() else { return };
    repo.commit("kept/file");
    repo.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "kept"]);
    assert!(repo.git(&["ls-files", "--sparse"]).lines().any(|line| line == ".claude/"));
    let sparse = covering(Place::Index, ".claude/", 0o040_000);
    assert_eq!(repo.ask(LOCAL), Ok(vec![sparse.clone(), file(Place::Head, LOCAL)]));
    repo.remove_object(&repo.id("HEAD:.claude"));
    assert_eq!(repo.ask(LOCAL), Ok(vec![sparse]));
    assert_failed(&repo.ask("other/../x"));
    assert_eq!(repo.status(&["ls-files", "--error-unmatch", LOCAL]), 1, "git itself says: untracked");
}

#[test]
fn s25_before_the_first_commit_head_holds_nothing() {
    let Some(repo) = Repo::new() else { return };
    repo.write(LOCAL, "{}");
    assert_eq!(repo.ask(LOCAL), Ok(vec![]));
    assert_eq!(repo.status(&["ls-tree", "HEAD"]), 128);
    repo.git(&["add", LOCAL]);
    assert_eq!(repo.ask(LOCAL), Ok(vec![file(Place::Index, LOCAL)]));
}

#[test]
fn s26_head_is_compared_without_case_though_git_refuses_to() {
    let Some(repo) = Repo::new() else { return };
    repo.set_index(&[("100644", SHOUTED), ("100644", ".clauDE/SETTINGS.local.json"), ("120000", ".CLAUDE")]);
    repo.commit_index();
    repo.git(&["read-tree", "--empty"]);
    let mut answer = repo.ask(LOCAL).unwrap();
    answer.sort_by(|a, b| a.path.cmp(&b.path));
    let expected = [
        covering(Place::Head, ".CLAUDE", 0o120_000),
        file(Place::Head, SHOUTED),
        file(Place::Head, ".clauDE/SETTINGS.local.json"),
    ];
    assert_eq!(answer, expected);
    assert_eq!(repo.status(&["ls-tree", "HEAD", &format!(":(icase){LOCAL}")]), 128);
}

#[test]
fn s27_a_worktree_in_the_configuration_moves_nothing() {
    let Some(repo) = shipping() else { return };
    let elsewhere = repo.beside("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    repo.configure(&format!("[core]\n\tworktree = {}", elsewhere.display()));
    assert_eq!(repo.git(&["rev-parse", "--show-toplevel"]), elsewhere.canonicalize().unwrap().to_str().unwrap());
    assert_eq!(repo.ask(LOCAL), Ok(committed(LOCAL)));
}
