//! Each kind of repository that git can make is answered, or is said not to be.

use std::fs;
use std::path::{Path, PathBuf};

use crate::agreement::assert_agrees;
use winter_runner::capability::git_index::{Evidence, Limits, Place, probe};

use crate::git::{LOCAL, Repo, ask, assert_failed, assert_unsupported, committed, covering, file};

#[test]
fn a_worktree_inside_a_git_directory_answers_for_itself() {
    let Some(repo) = Repo::new() else { return };
    repo.commit(LOCAL);
    let inside = repo.top.join(".git/inside");
    repo.git(&["worktree", "add", "--quiet", "--detach", inside.to_str().unwrap()]);
    repo.git_in(&inside, &["rm", "--quiet", "--cached", LOCAL], "");
    assert_eq!(ask(&inside, LOCAL), Ok(vec![file(Place::Head, LOCAL)]));
    assert_eq!(repo.ask(LOCAL), Ok(committed(LOCAL)));
}

#[test]
fn references_of_one_worktree_are_its_own() {
    let Some(repo) = Repo::new() else { return };
    repo.commit("README");
    let linked = repo.beside("linked");
    repo.git(&["worktree", "add", "--quiet", "--detach", linked.to_str().unwrap()]);
    repo.commit(LOCAL);
    let id = repo.id("HEAD");
    repo.git_in(&linked, &["update-ref", "refs/worktree/own", &id], "");
    repo.git_in(&linked, &["symbolic-ref", "HEAD", "refs/worktree/own"], "");
    assert_eq!(ask(&linked, LOCAL), Ok(vec![file(Place::Head, LOCAL)]));
}

#[test]
fn paths_in_pointers_may_be_relative_or_absolute() {
    let Some(repo) = Repo::new() else { return };
    repo.commit(LOCAL);
    let real = repo.beside("real.git");
    fs::rename(repo.top.join(".git"), &real).unwrap();
    for target in [PathBuf::from("../real.git"), real.clone()] {
        repo.write(".git", format!("gitdir: {}\n", target.display()));
        assert_eq!(repo.ask(LOCAL), Ok(committed(LOCAL)));
        assert!(repo.git_lists(LOCAL));
    }
}

#[test]
fn every_version_of_the_index_is_read() {
    for version in ["2", "3", "4"] {
        let Some(repo) = Repo::new() else { return };
        let paths = ["README", ".claude/settings.json", LOCAL, ".claude/skills/a/SKILL.md", "z/\u{e9}t\u{e9}"];
        repo.commit_each(&paths);
        if version == "3" {
            repo.git(&["update-index", "--skip-worktree", "README"]);
        } else {
            repo.git(&["update-index", "--index-version", version]);
        }
        let index = fs::read(repo.top.join(".git/index")).unwrap();
        assert_eq!(index[7].to_string(), version);
        for path in paths {
            assert_eq!(repo.ask(path), Ok(committed(path)), "{version}");
        }
        assert_eq!(repo.ask("absent"), Ok(vec![]));
    }
}

#[test]
fn long_paths_are_read() {
    let Some(repo) = Repo::new() else { return };
    // Around the length that does not fit the flags of an entry, and each remainder of eight.
    for length in (4080..4092).chain(4094..4096).chain(100..110) {
        let path = format!("{}x", "d/".repeat(length / 2)) + if length % 2 == 0 { "y" } else { "" };
        repo.set_index(&[("100644", "a"), ("100644", &path), ("100644", "z")]);
        for path in ["a", &path, "z"] {
            assert_eq!(repo.ask(path), Ok(vec![file(Place::Index, path)]));
        }
    }
}

#[test]
fn an_index_without_a_checksum_is_read() {
    let Some(repo) = Repo::new() else { return };
    repo.configure("[index]\n\tskipHash = true");
    repo.commit(LOCAL);
    let index = fs::read(repo.top.join(".git/index")).unwrap();
    assert!(index.ends_with(&[0; 20]));
    assert_eq!(repo.ask(LOCAL), Ok(committed(LOCAL)));
}

#[test]
fn optional_extensions_are_passed_over() {
    let Some(repo) = Repo::new() else { return };
    repo.configure("[index]\n\tthreads = 2\n[feature]\n\tmanyFiles = true");
    repo.commit(LOCAL);
    repo.git(&["update-index", "--force-untracked-cache"]);
    repo.git(&["status", "--short"]);
    let index = fs::read(repo.top.join(".git/index")).unwrap();
    for name in [b"TREE", b"UNTR"] {
        assert!(index.windows(4).any(|window| window == name));
    }
    assert_eq!(repo.ask(LOCAL), Ok(committed(LOCAL)));
}

#[test]
fn without_an_index_only_head_counts() {
    let Some(repo) = Repo::new() else { return };
    repo.commit(LOCAL);
    fs::remove_file(repo.top.join(".git/index")).unwrap();
    assert_eq!(repo.ask(LOCAL), Ok(vec![file(Place::Head, LOCAL)]));
}

#[test]
fn each_stage_of_a_conflict_is_listed() {
    let Some(repo) = Repo::new() else { return };
    repo.commit("README");
    let blob = repo.id("HEAD:README");
    let lines = [1, 2, 3].map(|stage| format!("100644 {blob} {stage}\t{LOCAL}\n"));
    repo.git_in(&repo.top, &["update-index", "--index-info"], &lines.concat());
    assert_eq!(repo.git(&["ls-files", "--unmerged"]).lines().count(), 3);
    assert_eq!(repo.ask(LOCAL), Ok(vec![file(Place::Index, LOCAL)]));
}

#[test]
fn a_split_index_is_read_with_what_it_shares() {
    let Some(repo) = Repo::new() else { return };
    let paths = ["Removed", "Replaced", "kept", LOCAL];
    for path in paths {
        repo.write(path, path);
    }
    repo.git(&["add", "."]);
    repo.configure("[splitIndex]\n\tmaxPercentChange = 100");
    repo.git(&["update-index", "--split-index"]);
    repo.git(&["rm", "--quiet", "--cached", "Removed"]);
    repo.git(&["update-index", "--chmod=+x", "Replaced"]);
    repo.write("added", "added");
    repo.git(&["add", "added"]);
    let index = fs::read(repo.top.join(".git/index")).unwrap();
    assert!(index.windows(4).any(|window| window == b"link") && index.len() < 400, "{}", index.len());

    let listed = |path: &str| vec![file(Place::Index, path)];
    assert_eq!(repo.ask("removed"), Ok(vec![]));
    assert_eq!(repo.ask("kept"), Ok(listed("kept")));
    assert_eq!(repo.ask("added"), Ok(listed("added")));
    assert_eq!(repo.ask(LOCAL), Ok(listed(LOCAL)));
    assert_eq!(repo.ask("replaced"), Ok(vec![Evidence { mode: 0o100_755, ..file(Place::Index, "Replaced") }]));
    assert_agrees(&repo, &paths);

    for entry in fs::read_dir(repo.top.join(".git")).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name().to_str().unwrap().starts_with("sharedindex.") {
            fs::remove_file(entry.path()).unwrap();
        }
    }
    assert_failed(&repo.ask(LOCAL));
}

#[test]
fn a_sparse_index_lists_its_folders() {
    let Some(repo) = Repo::new() else { return };
    repo.commit_each(&["a/b/c/file", "a/kept/file", "z/file"]);
    repo.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "a/kept"]);
    let sparse = |path: &str| covering(Place::Index, path, 0o040_000);
    assert_eq!(repo.ask("A/B/C/file"), Ok(vec![sparse("a/b/"), file(Place::Head, "a/b/c/file")]));
    assert_eq!(repo.ask("z/other"), Ok(vec![sparse("z/")]));
    // A folder is not a file of its name.
    assert_eq!(repo.ask("z"), Ok(vec![]));
    assert_eq!(repo.ask("a/kept/file"), Ok(committed("a/kept/file")));
    assert_eq!(repo.ask("a/kept/other"), Ok(vec![]));
}

#[test]
fn both_kinds_of_hash_are_read() {
    for kind in ["sha1", "sha256"] {
        let Some(repo) = Repo::init(&[&format!("--object-format={kind}")]) else { return };
        repo.commit_each(&[LOCAL, "other"]);
        assert_eq!(repo.ask(LOCAL), Ok(committed(LOCAL)), "{kind}");
        assert_eq!(repo.ask("absent"), Ok(vec![]), "{kind}");
        repo.git(&["gc", "--quiet"]);
        assert_eq!(repo.ask(LOCAL), Ok(committed(LOCAL)), "{kind}, packed");
    }
}

#[test]
fn references_in_tables_are_said_to_be_unsupported() {
    let Some(repo) = Repo::init(&["--ref-format=reftable"]) else { return };
    repo.commit(LOCAL);
    assert_unsupported(&repo.ask(LOCAL));
}

#[test]
fn what_a_later_git_may_bring_is_said_to_be_unsupported() {
    let Some(repo) = Repo::new() else { return };
    repo.commit(LOCAL);
    let config = fs::read_to_string(repo.top.join(".git/config")).unwrap();
    for (version, extension, supported) in [
        (0, "worktreeConfig = true", true),
        (0, "unknown = true", true),
        (0, "objectFormat = sha1", false),
        (1, "worktreeConfig = true", true),
        (1, "partialClone = origin", true),
        (1, "refStorage = files", true),
        (1, "objectFormat = SHA1", false),
        (1, "objectFormat = sha512", false),
        (1, "unknown = true", false),
        (2, "noop = true", false),
    ] {
        let text = format!("{config}[core]\nrepositoryformatversion = {version}\n[extensions]\n{extension}\n");
        repo.write(".git/config", text);
        let answer = repo.ask(LOCAL);
        if supported {
            assert_eq!(answer, Ok(committed(LOCAL)), "{version} {extension}");
            assert_eq!(repo.status(&["ls-files"]), 0, "{version} {extension}");
        } else {
            assert_unsupported(&answer);
            assert_ne!(repo.status(&["ls-files"]), 0, "{version} {extension}");
        }
    }
    for text in ["[core", "[core]\nrepositoryformatversion = many\n", "\0"] {
        repo.write(".git/config", text);
        assert_failed(&repo.ask(LOCAL));
    }
    fs::remove_file(repo.top.join(".git/config")).unwrap();
    assert_eq!(repo.ask(LOCAL), Ok(committed(LOCAL)));
}

#[test]
fn includes_are_not_read() {
    let Some(repo) = Repo::new() else { return };
    repo.commit(LOCAL);
    repo.write("included", "[core]\n\trepositoryformatversion = 9\n");
    repo.configure("[include]\n\tpath = ../included\n[include]\n\tpath = /dev/zero");
    assert_eq!(repo.ask(LOCAL), Ok(committed(LOCAL)));
}

#[test]
fn head_is_found_wherever_git_keeps_it() {
    let Some(repo) = Repo::new() else { return };
    repo.commit_each(&[LOCAL, "other"]);
    repo.git(&["read-tree", "--empty"]);
    let listed = Ok(vec![file(Place::Head, LOCAL)]);
    assert_eq!(repo.ask(LOCAL), listed, "loose");
    repo.git(&["pack-refs", "--all", "--prune"]);
    assert!(!repo.top.join(".git/refs/heads/main").exists());
    assert_eq!(repo.ask(LOCAL), listed, "packed");
    repo.git(&["repack", "-a", "-d", "--quiet", "--depth=50", "--window=50"]);
    assert_eq!(repo.ask(LOCAL), listed, "packed objects");
    repo.git(&["multi-pack-index", "write"]);
    assert_eq!(repo.ask(LOCAL), listed, "many packs");
    repo.git(&["checkout", "--quiet", "--force", "-b", "deep/er/branch"]);
    repo.git(&["read-tree", "--empty"]);
    assert_eq!(repo.ask(LOCAL), listed, "a deeper name");
    repo.git(&["symbolic-ref", "refs/heads/alias", "refs/heads/main"]);
    repo.git(&["symbolic-ref", "HEAD", "refs/heads/alias"]);
    assert_eq!(repo.ask(LOCAL), listed, "through an alias");
    repo.git(&["symbolic-ref", "HEAD", "refs/heads/unborn"]);
    assert_eq!(repo.ask(LOCAL), Ok(vec![]), "unborn");
    repo.git(&["symbolic-ref", "HEAD", "refs/heads/main/impossible"]);
    assert_eq!(repo.ask(LOCAL), Ok(vec![]), "unborn, below a branch");
    let id = repo.id("main");
    repo.write(".git/HEAD", format!("{id}\n"));
    assert_eq!(repo.ask(LOCAL), listed, "detached");
    repo.git(&["tag", "--annotate", "--message", "tag", "tag", &id]);
    repo.write(".git/HEAD", "ref: refs/tags/tag\n");
    assert_eq!(repo.ask(LOCAL), listed, "a tag");
}

#[test]
fn deltas_in_packs_are_resolved() {
    let Some(repo) = Repo::new() else { return };
    // Trees that differ a little, so that git stores most as differences.
    let mut entries: Vec<(String, String)> = (0..200).map(|n| ("100644".to_owned(), format!(".claude/f{n}"))).collect();
    for n in 0..20 {
        entries.push(("100644".to_owned(), format!(".claude/g{n}")));
        let borrowed: Vec<_> = entries.iter().map(|(mode, path)| (mode.as_str(), path.as_str())).collect();
        repo.set_index(&borrowed);
        let parent = (n > 0).then(|| repo.id("HEAD"));
        let tree = repo.git(&["write-tree"]);
        let mut arguments = vec!["commit-tree", "-m", "m", &tree];
        arguments.extend(parent.iter().flat_map(|parent| ["-p", parent]));
        let commit = repo.git(&arguments);
        repo.git(&["update-ref", "HEAD", &commit]);
    }
    for offsets in ["true", "false"] {
        repo.git(&[
            "-c",
            &format!("repack.usedeltabaseoffset={offsets}"),
            "repack",
            "-adfq",
            "--depth=40",
            "--window=40",
        ]);
        for n in 0..20 {
            repo.git(&["update-ref", "--no-deref", "refs/heads/old", &format!("HEAD~{}", 19 - n)]);
            let path = format!(".claude/g{n}");
            let old = repo.id("refs/heads/old");
            let linked = Linked::at(&repo, &old);
            assert_eq!(ask(&linked.0, &path), Ok(vec![file(Place::Head, &path)]));
            assert_eq!(ask(&linked.0, &format!(".claude/g{}", n + 1)), Ok(vec![]));
        }
    }
}

/// A git directory whose detached HEAD is another one, over the objects of a repository.
struct Linked(PathBuf);

impl Linked {
    fn at(repo: &Repo, id: &str) -> Self {
        let top = repo.beside("detached");
        fs::create_dir_all(top.join(".git")).unwrap();
        fs::write(top.join(".git/HEAD"), format!("{id}\n")).unwrap();
        fs::write(top.join(".git/commondir"), format!("{}\n", repo.top.join(".git").display())).unwrap();
        Self(top)
    }
}

#[test]
fn a_replaced_commit_hides_nothing() {
    let Some(repo) = Repo::new() else { return };
    repo.commit("README");
    let before = repo.id("HEAD");
    repo.commit(LOCAL);
    repo.git(&["read-tree", "--empty"]);
    repo.git(&["replace", "HEAD", &before]);
    assert_eq!(repo.git(&["ls-tree", "-r", "--name-only", "HEAD"]), "README");
    assert_eq!(repo.ask(LOCAL), Ok(vec![file(Place::Head, LOCAL)]));
}

#[test]
fn borrowed_objects_are_said_to_be_unsupported() {
    let Some(lender) = Repo::new() else { return };
    lender.commit(LOCAL);
    let repo = Repo::none();
    repo.git(&["clone", "--quiet", "--shared", "--no-checkout", lender.top.to_str().unwrap(), "."]);
    assert_unsupported(&repo.ask(LOCAL));
    // What the index lists needs none of them.
    repo.git(&["read-tree", "HEAD"]);
    assert_eq!(repo.ask(LOCAL), Ok(vec![file(Place::Index, LOCAL)]));
    repo.git(&["repack", "-a", "-d", "--quiet"]);
    assert_eq!(repo.ask(LOCAL), Ok(committed(LOCAL)));
}

#[test]
fn letters_that_fold_together_are_the_same() {
    let Some(repo) = Repo::new() else { return };
    let long_s = ".claude/\u{17f}ettings.local.json";
    let ignorable = ".cl\u{200c}aude/settings.local.json";
    repo.set_index(&[("100644", long_s), ("100644", ignorable), ("120000", "\u{c9}t\u{c9}"), ("100644", "K\u{212a}")]);
    repo.commit_index();
    let paths = |path| repo.ask(path).unwrap().into_iter().map(|evidence| evidence.path).collect::<Vec<_>>();
    assert_eq!(paths(LOCAL), [long_s, ignorable, ignorable, long_s]);
    assert_eq!(paths("kk"), ["K\u{212a}", "K\u{212a}"]);
    let link = [Place::Index, Place::Head].map(|place| covering(place, "\u{c9}t\u{c9}", 0o120_000));
    assert_eq!(repo.ask("\u{e9}t\u{e9}/x"), Ok(link.to_vec()));
}

#[test]
fn several_paths_are_answered_together() {
    let Some(repo) = Repo::new() else { return };
    repo.commit_each(&["a", "b/c"]);
    let ask = |top: &Path, paths: &[&str]| {
        probe(top, &paths.iter().map(ToString::to_string).collect::<Vec<_>>(), &Limits::default())
    };
    let all = [Place::Index, Place::Head].map(|place| ["a", "b/c"].map(|path| file(place, path))).concat();
    assert_eq!(ask(&repo.top, &["a", "A", "absent", "b/c"]), Ok(all));
    assert_eq!(ask(&repo.top, &[]), Ok(vec![]));
}
