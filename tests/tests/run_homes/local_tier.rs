//! Whose the local settings file is: one situation a test, in real repositories, for both brands, with the top named by
//! the caller and without, with powers and without.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use winter_runner::RunHomeInput;
use winter_tests::scene::Treatment::{NotRead, Own, Shipped};
use winter_tests::scene::{OFFER, Scene, scenes};

/// Scenes whose repository has a first commit, and the local file in the worktree.
fn offering() -> impl Iterator<Item = Scene> {
    scenes().inspect(|scene| {
        scene.repo.commit("README");
        scene.repo.write(&scene.local(), OFFER);
    })
}

fn commit_all(scene: &Scene) {
    scene.repo.git(&["add", "--force", "--all"]);
    scene.repo.git(&["commit", "--quiet", "--message", "all"]);
}

#[test]
fn untracked() {
    offering().for_each(|scene| scene.expect(Own));
}

#[test]
fn before_the_first_commit() {
    for scene in scenes() {
        scene.repo.write(&scene.local(), OFFER);
        scene.expect(Own);
        scene.repo.git(&["add", "--force", &scene.local()]);
        scene.expect(Shipped("index"));
    }
}

#[test]
fn committed() {
    for scene in offering() {
        commit_all(&scene);
        scene.expect(Shipped("index"));
    }
}

#[test]
fn committed_and_then_changed_by_hand() {
    for scene in offering() {
        scene.repo.write(&scene.local(), "{}");
        commit_all(&scene);
        scene.repo.write(&scene.local(), OFFER);
        scene.expect(Shipped("index"));
    }
}

#[test]
fn ignored() {
    for scene in offering() {
        scene.repo.write(".gitignore", format!("{}/\n", scene.dir()));
        scene.repo.git(&["add", ".gitignore"]);
        assert_eq!(scene.repo.status(&["check-ignore", "--quiet", &scene.local()]), 0);
        scene.expect(Own);
        // Ignored and tracked: the ignore file is no evidence.
        commit_all(&scene);
        scene.expect(Shipped("index"));
    }
}

#[test]
fn staged_only() {
    for scene in offering() {
        scene.repo.git(&["add", "--force", &scene.local()]);
        scene.expect(Shipped("index"));
    }
}

#[test]
fn flagged_in_the_index() {
    for flag in ["--skip-worktree", "--assume-unchanged"] {
        for scene in offering() {
            commit_all(&scene);
            scene.repo.git(&["update-index", flag, &scene.local()]);
            scene.expect(Shipped("index"));
        }
    }
}

#[test]
fn only_in_head() {
    for scene in offering() {
        commit_all(&scene);
        scene.repo.git(&["rm", "--quiet", "--cached", &scene.local()]);
        scene.expect(Shipped("head"));
    }
}

#[test]
fn committed_once_and_removed_by_a_later_commit() {
    for scene in offering() {
        commit_all(&scene);
        scene.repo.git(&["rm", "--quiet", "--cached", &scene.local()]);
        scene.repo.git(&["commit", "--quiet", "--message", "gone"]);
        scene.expect(Own);
    }
}

#[test]
fn tracked_in_another_spelling() {
    for scene in offering() {
        let dir = scene.dir().to_ascii_uppercase();
        scene.repo.set_index(&[("100644", &format!("{dir}/Settings.Local.json"))]);
        assert!(!scene.repo.git_lists(&scene.local()), "the control: git itself says untracked");
        scene.expect(Shipped("index"));
        scene.repo.commit_index();
        scene.repo.git(&["read-tree", "--empty"]);
        scene.expect(Shipped("head"));
    }
}

#[test]
fn the_folder_is_a_committed_link() {
    for scene in scenes() {
        scene.repo.write("real/settings.local.json", OFFER);
        symlink("real", scene.top.join(scene.dir())).unwrap();
        commit_all(&scene);
        assert!(!scene.repo.git_lists(&scene.local()), "the control: git itself says untracked");
        scene.expect(Shipped("link"));
    }
}

#[test]
fn the_folder_is_a_link_that_nobody_committed() {
    for scene in scenes() {
        scene.repo.write("real/settings.local.json", OFFER);
        symlink(scene.top.join("real"), scene.top.join(scene.dir())).unwrap();
        scene.expect(Shipped("link"));
    }
}

#[test]
fn the_file_is_a_link_inside_the_root() {
    for scene in scenes() {
        scene.repo.write("conf/mine.json", OFFER);
        fs::create_dir(scene.top.join(scene.dir())).unwrap();
        symlink("../conf/mine.json", scene.top.join(scene.local())).unwrap();
        scene.expect(Shipped("link"));
    }
}

#[test]
fn the_file_is_a_link_that_leads_nowhere_good() {
    for (target, reason) in
        [("../../secret.json", "outside-root"), ("gone.json", "dangling"), ("settings.local.json", "loop")]
    {
        for scene in scenes() {
            fs::write(scene.beside("secret.json"), OFFER).unwrap();
            fs::create_dir(scene.top.join(scene.dir())).unwrap();
            symlink(target, scene.top.join(scene.local())).unwrap();
            scene.expect(NotRead);
            let report = winter_tests::scene::report(&scene.plan(&scene.input()));
            let link = serde_json::json!({"path": scene.top.join(scene.local()), "target": target, "reason": reason});
            assert_eq!(report["skipped-links"], serde_json::json!([link]));
        }
    }
}

#[test]
fn the_folder_is_a_link_out_of_the_root() {
    for scene in scenes() {
        fs::create_dir(scene.beside("elsewhere")).unwrap();
        fs::write(scene.beside("elsewhere/settings.local.json"), OFFER).unwrap();
        fs::write(scene.beside("elsewhere/settings.json"), r#"{"language":"fr"}"#).unwrap();
        symlink("../elsewhere", scene.top.join(scene.dir())).unwrap();
        scene.expect(NotRead);
        let report = winter_tests::scene::report(&scene.plan(&scene.input()));
        let link = serde_json::json!(
            {"path": scene.top.join(scene.dir()), "target": "../elsewhere", "reason": "outside-root"});
        assert_eq!(report["skipped-links"], serde_json::json!([link]), "one link is reported once");
    }
}

#[test]
fn the_folder_is_a_submodule() {
    for scene in scenes() {
        let Some(other) = winter_tests::git::Repo::new() else { return };
        other.commit("settings.local.json");
        let url = other.top.to_str().unwrap();
        scene.repo.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, scene.dir()]);
        scene.repo.git(&["commit", "--quiet", "--message", "submodule"]);
        scene.repo.write(&scene.local(), OFFER);
        assert!(scene.top.join(scene.dir()).join(".git").is_file());
        scene.expect(Shipped("failed"));
    }
}

#[test]
fn the_folder_is_a_gitlink_without_its_repository() {
    for scene in offering() {
        scene.repo.set_index(&[]);
        let commit = scene.repo.id("HEAD");
        let entry = format!("160000,{commit},{}", scene.dir());
        scene.repo.git(&["update-index", "--add", "--cacheinfo", &entry]);
        scene.expect(Shipped("index"));
        scene.repo.commit_index();
        scene.repo.git(&["read-tree", "--empty"]);
        scene.expect(Shipped("head"));
    }
}

#[test]
fn inside_a_submodule_its_own_index_answers() {
    for scene in scenes() {
        let Some(other) = winter_tests::git::Repo::new() else { return };
        other.commit("README");
        let url = other.top.to_str().unwrap();
        scene.repo.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, "sub"]);
        let sub = scene.top.join("sub");
        let file = sub.join(scene.local());
        scene.repo.write(&format!("sub/{}", scene.local()), OFFER);
        let ask = |expected| {
            for git_root in [Some(sub.clone()), None] {
                let input = RunHomeInput { cwd: sub.clone(), git_root, ..scene.input() };
                scene.expect_of(&input, &file, expected);
            }
        };
        ask(Own);
        scene.repo.git_in(&sub, &["add", "--force", &scene.local()], "");
        ask(Shipped("index"));
    }
}

#[test]
fn a_linked_worktree_has_its_own_top_and_its_own_file() {
    for scene in scenes() {
        scene.repo.commit("README");
        let linked = scene.beside("linked");
        scene.repo.git(&["worktree", "add", "--quiet", linked.to_str().unwrap()]);
        let file = linked.join(scene.local());
        let ask = |expected| {
            for git_root in [Some(linked.clone()), None] {
                let trusted_project_root = Some(linked.clone());
                let input = RunHomeInput { cwd: linked.clone(), trusted_project_root, git_root, ..scene.input() };
                scene.expect_of(&input, &file, expected);
            }
        };
        // The main checkout's file is not this worktree's.
        scene.repo.write(&scene.local(), OFFER);
        ask(NotRead);
        write(&file, OFFER);
        ask(Own);
        scene.repo.git_in(&linked, &["add", "--force", &scene.local()], "");
        ask(Shipped("index"));
        scene.expect(Own);
    }
}

#[test]
fn a_worktree_that_stands_in_a_git_folder() {
    for scene in scenes() {
        scene.repo.commit("README");
        let inside = scene.top.join(".git/inside");
        scene.repo.git(&["worktree", "add", "--quiet", inside.to_str().unwrap()]);
        let file = inside.join(scene.local());
        write(&file, OFFER);
        let trusted_project_root = Some(inside.clone());
        let input = RunHomeInput { cwd: inside.clone(), trusted_project_root, git_root: None, ..scene.input() };
        scene.expect_of(&input, &file, Own);
        scene.repo.git_in(&inside, &["add", "--force", &scene.local()], "");
        scene.expect_of(&input, &file, Shipped("index"));
    }
}

#[test]
fn deep_below_the_root() {
    for scene in scenes() {
        scene.repo.commit("README");
        let cwd = scene.top.join("a/b/c");
        fs::create_dir_all(&cwd).unwrap();
        let named = RunHomeInput { cwd: cwd.clone(), ..scene.input() };
        let unnamed = RunHomeInput { git_root: None, ..named.clone() };
        // With a top, the local file is the top's; without one, the working folder's.
        scene.repo.write(&scene.local(), OFFER);
        scene.expect_of(&named, &scene.top.join(scene.local()), Own);
        scene.expect_of(&unnamed, &cwd.join(scene.local()), NotRead);
        fs::remove_file(scene.top.join(scene.local())).unwrap();
        scene.repo.write(&format!("a/b/c/{}", scene.local()), OFFER);
        scene.expect_of(&named, &scene.top.join(scene.local()), NotRead);
        scene.expect_of(&unnamed, &cwd.join(scene.local()), Own);
        commit_all(&scene);
        scene.expect_of(&unnamed, &cwd.join(scene.local()), Shipped("index"));
    }
}

#[test]
fn a_project_that_is_a_part_of_a_repository() {
    for scene in offering() {
        let part = scene.top.join("packages/one");
        let file = part.join(scene.local());
        write(&file, OFFER);
        let ask = |git_root, expected| {
            let trusted_project_root = Some(part.clone());
            let input = RunHomeInput { cwd: part.clone(), trusted_project_root, git_root, ..scene.input() };
            scene.expect_of(&input, &file, expected);
        };
        ask(None, Own);
        commit_all(&scene);
        ask(None, Shipped("index"));
        // A caller who calls the part itself the top is not believed against the `.git` entry above it.
        ask(Some(part.clone()), Shipped("failed"));
    }
}

#[test]
fn a_sparse_folder_covers_the_file() {
    for scene in offering() {
        scene.repo.write("kept/file", "");
        commit_all(&scene);
        scene.repo.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "kept"]);
        scene.repo.write(&scene.local(), OFFER);
        scene.expect(Shipped("index"));
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}
