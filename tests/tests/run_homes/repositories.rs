//! Repositories that cannot answer, that try to make the reader run something, or that are none: the local file then is
//! the repository's wherever a `.git` entry stands on the way up, and nothing runs.

use std::fs;
use std::os::unix::fs::symlink;

use winter_runner::RunHomeInput;
use winter_tests::git::{Repo, fifo};
use winter_tests::scene::Treatment::{NotRead, Own, Shipped};
use winter_tests::scene::{OFFER, Scene, bare_scenes, scenes};

/// Scenes that hold the local file and one commit of something else.
fn offering() -> impl Iterator<Item = Scene> {
    scenes().inspect(|scene| {
        scene.repo.commit("README");
        scene.repo.write(&scene.local(), OFFER);
    })
}

#[test]
fn a_corrupt_index() {
    for scene in offering() {
        scene.repo.write(".git/index", "not an index, and longer than a checksum");
        scene.expect(Shipped("failed"));
    }
}

#[test]
fn an_index_that_would_make_the_reader_wait() {
    for scene in offering() {
        fs::remove_file(scene.top.join(".git/index")).unwrap();
        fifo(scene.top.join(".git/index"));
        scene.expect(Shipped("failed"));
    }
}

#[test]
fn a_kind_of_repository_that_is_not_read() {
    for scene in offering() {
        scene.repo.configure("[core]\n\trepositoryformatversion = 1\n[extensions]\n\tfromTheFuture = true");
        scene.expect(Shipped("unsupported"));
    }
    if let Some(repo) = Repo::init(&["--ref-format=reftable"]) {
        let scene = Scene::around(repo, winter_runner::Brand::Claude);
        scene.repo.write(&scene.local(), OFFER);
        scene.expect(Shipped("unsupported"));
    }
}

#[test]
fn a_configuration_full_of_programs() {
    for scene in offering() {
        let (program, mark) = scene.repo.tell_tale();
        let hooks = scene.beside("hooks");
        fs::create_dir(&hooks).unwrap();
        for hook in ["post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman"] {
            fs::copy(&program, hooks.join(hook)).unwrap();
            fs::copy(&program, scene.top.join(".git/hooks").join(hook)).unwrap();
        }
        let program = program.display();
        fs::write(
            scene.beside("included"),
            format!("[core]\n\tfsmonitor = {program}\n\tsshCommand = {program}\n\tpager = {program}\n"),
        )
        .unwrap();
        scene.repo.configure(&format!("[include]\n\tpath = {}", scene.beside("included").display()));
        scene.repo.configure(&format!("[core]\n\tfsmonitor = {program}\n\thooksPath = {}", hooks.display()));
        scene.repo.configure(&format!("[filter \"x\"]\n\tclean = {program}\n\tsmudge = {program}"));
        scene.repo.write(".gitattributes", "* filter=x\n");
        scene.expect(Own);
        assert!(!mark.exists());
        scene.repo.git(&["ls-files"]);
        assert!(mark.exists(), "the control: git itself runs it");
        fs::remove_file(&mark).unwrap();
        scene.repo.git(&["-c", "core.fsmonitor=false", "-c", "filter.x.clean=cat", "add", "--force", &scene.local()]);
        let _ = fs::remove_file(&mark);
        scene.expect(Shipped("index"));
        assert!(!mark.exists());
    }
}

#[test]
fn a_missing_object_that_a_lazy_fetch_would_bring() {
    for scene in offering() {
        let (program, mark) = scene.repo.tell_tale();
        scene.repo.git(&["add", "--force", &scene.local()]);
        scene.repo.git(&["commit", "--quiet", "--message", "shipped"]);
        scene.repo.remove_object(&scene.repo.id(&format!("HEAD:{}", scene.dir())));
        scene.repo.git(&["read-tree", "--empty"]);
        scene.repo.configure("[extensions]\n\tpartialClone = origin");
        scene.repo.configure("[remote \"origin\"]\n\turl = ssh://localhost/none\n\tpromisor = true");
        scene.repo.configure(&format!("[core]\n\tsshCommand = {}", program.display()));
        scene.expect(Shipped("failed"));
        assert!(!mark.exists());
    }
}

#[test]
fn a_configuration_that_moves_the_worktree() {
    for scene in offering() {
        let elsewhere = scene.beside("elsewhere");
        fs::create_dir_all(elsewhere.join(scene.dir())).unwrap();
        fs::write(elsewhere.join(scene.local()), r#"{"language":"fr"}"#).unwrap();
        fs::write(elsewhere.join(scene.settings()), r#"{"language":"it"}"#).unwrap();
        scene.repo.configure(&format!("[core]\n\tworktree = {}", elsewhere.display()));
        assert_eq!(scene.repo.git(&["rev-parse", "--show-toplevel"]), elsewhere.to_str().unwrap(), "the control");
        scene.expect(Own);
    }
}

#[test]
fn objects_borrowed_from_another_repository() {
    for scene in offering() {
        let lender = scene.beside("lender.git");
        scene.repo.git(&["clone", "--quiet", "--bare", ".", lender.to_str().unwrap()]);
        let id = scene.repo.id("HEAD");
        scene.repo.remove_object(&id);
        scene.repo.write(".git/objects/info/alternates", format!("{}\n", lender.join("objects").display()));
        assert_eq!(scene.repo.git(&["cat-file", "-t", &id]), "commit", "the control: git itself looks there");
        scene.expect(Shipped("unsupported"));
    }
}

#[test]
fn a_pointer_to_an_already_trusted_repository_lends_no_trust() {
    for scene in offering() {
        let Some(trusted) = Repo::new() else { return };
        trusted.write(&scene.local(), r#"{"language":"fr"}"#);
        trusted.write(&scene.settings(), r#"{"language":"it"}"#);
        trusted.commit("README");
        scene.repo.git(&["add", "--force", &scene.local()]);
        scene.repo.write(".git/commondir", format!("{}\n", trusted.top.join(".git").display()));
        // The index is this worktree's own; nothing of the other's files is read.
        scene.expect(Shipped("index"));
        let input = RunHomeInput { trusted_project_root: None, git_root: None, ..scene.input() };
        scene.expect_of(&input, &scene.top.join(scene.local()), NotRead);
    }
}

#[test]
fn a_repository_inside_a_repository() {
    for scene in scenes() {
        let inner = scene.top.join("inner");
        let file = format!("inner/{}", scene.local());
        scene.repo.write(&file, OFFER);
        scene.repo.git(&["add", "--force", &file]);
        let ask = |git_root, expected| {
            let input = RunHomeInput { cwd: inner.clone(), git_root, ..scene.input() };
            scene.expect_of(&input, &scene.top.join(&file), expected);
        };
        // Tracked from above.
        ask(None, Shipped("index"));
        // The nearest entry answers from now on.
        scene.repo.git_in(&inner, &["init", "--quiet"], "");
        ask(None, Own);
        ask(Some(inner.clone()), Own);
        scene.repo.git_in(&inner, &["add", "--force", &scene.local()], "");
        ask(None, Shipped("index"));
        ask(Some(inner.clone()), Shipped("index"));
        // To a session at the outer top, the inner one's file is nothing.
        scene.expect(NotRead);
    }
}

#[test]
fn no_repository_at_all() {
    for scene in bare_scenes() {
        scene.repo.write(&scene.local(), OFFER);
        scene.expect(Own);
        // Above the person's home there may be one; it is not theirs to ask.
        fs::create_dir(scene.beside("outer")).unwrap();
        let home = scene.beside("outer/me");
        let project = home.join("it");
        fs::create_dir_all(project.join(scene.dir())).unwrap();
        fs::create_dir(scene.beside("outer/.git")).unwrap();
        fs::write(project.join(scene.local()), OFFER).unwrap();
        let input = RunHomeInput {
            cwd: project.clone(),
            trusted_project_root: Some(project.clone()),
            git_root: None,
            user_home: Some(home),
            ..scene.input()
        };
        scene.expect_of(&input, &project.join(scene.local()), Own);
        let input = RunHomeInput { user_home: Some(scene.beside("shared")), ..input };
        scene.expect_of(&input, &project.join(scene.local()), Shipped("failed"));
    }
}

#[test]
fn an_entry_that_is_no_repository_is_no_no() {
    type Make = fn(&Scene);
    let entries: [(&str, Make); 7] = [
        ("an empty folder", |scene| fs::create_dir(scene.top.join(".git")).unwrap()),
        ("a dangling link", |scene| symlink("nowhere", scene.top.join(".git")).unwrap()),
        ("a link to itself", |scene| symlink(".git", scene.top.join(".git")).unwrap()),
        ("a missing folder's name", |scene| scene.repo.write(".git", "gitdir: ../missing\n")),
        ("any text", |scene| scene.repo.write(".git", "hello\n")),
        ("an empty file", |scene| scene.repo.write(".git", "")),
        ("a FIFO", |scene| fifo(scene.top.join(".git"))),
    ];
    for (what, make) in entries {
        for scene in bare_scenes() {
            println!("{what}");
            scene.repo.write(&scene.local(), OFFER);
            make(&scene);
            scene.expect(Shipped("failed"));
            // So it is for a folder below, and for a project below.
            let below = scene.top.join("below");
            fs::create_dir_all(below.join(scene.dir())).unwrap();
            fs::write(below.join(scene.local()), OFFER).unwrap();
            let input = RunHomeInput { cwd: below.clone(), git_root: None, ..scene.input() };
            scene.expect_of(&input, &below.join(scene.local()), Shipped("failed"));
            let input = RunHomeInput { trusted_project_root: Some(below.clone()), ..input };
            scene.expect_of(&input, &below.join(scene.local()), Shipped("failed"));
        }
    }
}

#[test]
fn a_link_to_a_sound_repository() {
    for scene in offering() {
        fs::rename(scene.top.join(".git"), scene.beside("moved")).unwrap();
        symlink("../moved", scene.top.join(".git")).unwrap();
        scene.expect(Shipped("failed"));
    }
}
