//! Run homes that are built: what stands on the disk, what does not change, and what happens to many at once.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use winter_runner::{Brand, Grants, RunHome, RunHomeInput, Runner, RunnerError, dispose_run_home};
use winter_tests::scene::{OFFER, Scene, bare_scenes, runner, scenes};

fn build(input: &RunHomeInput) -> Result<RunHome, RunnerError> {
    runner(Grants::for_run_homes(input.reads())).build_run_home(input)
}

fn hex_digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Everything beneath a folder, but for one path: kind, mode, time of change, and content or target.
fn snapshot(folder: &Path, but: &Path) -> BTreeMap<PathBuf, (u32, i64, i64, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = path.symlink_metadata().unwrap();
            if path == but {
                continue;
            }
            let content = if meta.is_dir() {
                open.push(path.clone());
                Vec::new()
            } else if meta.is_symlink() {
                fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
            } else {
                fs::read(&path).unwrap()
            };
            found.insert(path, (meta.mode(), meta.ctime(), meta.ctime_nsec(), content));
        }
    }
    found
}

/// The files of a folder and what is beneath it, relative to it.
fn files(folder: &Path) -> BTreeSet<String> {
    let all = snapshot(folder, Path::new(""));
    let files = all.keys().filter(|path| !path.is_dir());
    files.map(|path| path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned()).collect()
}

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().permissions().mode() & 0o7777
}

/// A scene with something in every place.
fn full_scenes() -> impl Iterator<Item = Scene> {
    scenes().inspect(|scene| {
        scene.own(r#"{"permissions":{"deny":["Read(~/.ssh/**)"]}}"#);
        scene.repo.write(&scene.settings(), r#"{"language":"de","model":"theirs"}"#);
        scene.repo.write(&scene.local(), OFFER);
        scene.repo.git(&["add", "--force", "--all"]);
        scene.repo.git(&["commit", "--quiet", "--message", "all"]);
        symlink("../shared", scene.top.join("link")).unwrap();
        // What outlives a run is made in the shared home; it stands here already.
        for folder in scene.plan(&scene.input()).shared_folders {
            fs::create_dir(scene.beside("shared").join(folder)).unwrap();
        }
    })
}

/// Asserts that the folder is what its manifest and its plan say, and closed to others.
fn assert_sound(home: &RunHome) {
    assert_eq!(home.dir, Path::new(&home.plan.dir));
    for folder in [&home.dir, home.dir.parent().unwrap(), home.dir.parent().unwrap().parent().unwrap()] {
        assert_eq!(mode(folder), 0o700, "{}", folder.display());
    }
    let text = fs::read(home.dir.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(manifest, home.manifest);
    let mut listed = BTreeSet::from(["manifest.json".to_owned()]);
    for entry in manifest["entries"].as_array().unwrap() {
        let path = entry["path"].as_str().unwrap();
        let at = home.dir.join(path);
        match entry["kind"].as_str().unwrap() {
            "folder" | "directory" => assert_eq!(mode(&at), 0o700, "{path}"),
            "link" => assert_eq!(entry["target"], json!(fs::read_link(&at).unwrap()), "{path}"),
            _ => {
                let bytes = fs::read(&at).unwrap();
                assert_eq!(entry["size"], bytes.len());
                assert_eq!(entry["sha256"], hex_digest(&bytes));
                assert_eq!(entry["mode"], format!("{:04o}", mode(&at)));
                assert_eq!(mode(&at), 0o600, "{path}");
                listed.insert(path.to_owned());
            }
        }
    }
    // A link to what does not stand yet is no file.
    let standing: BTreeSet<String> =
        files(&home.dir).into_iter().filter(|path| !home.dir.join(path).is_symlink()).collect();
    assert_eq!(standing, listed);
    assert_eq!(fs::read_to_string(home.dir.join("settings.json")).unwrap(), home.plan.effective_settings);
}

#[test]
fn what_stands_on_the_disk_is_what_the_plan_and_the_manifest_say() {
    for scene in full_scenes() {
        let input = scene.input();
        let home = build(&input).unwrap();
        assert_sound(&home);
        assert_eq!(home.dir.parent().unwrap(), scene.home().join("cache/runs"));
        let manifest = &home.manifest;
        assert_eq!(manifest["contract-version"], 1);
        assert_eq!(manifest["run-id"], json!(home.plan.run_id));
        assert_eq!(manifest["brand"]["project-dir"], scene.dir());
        assert_eq!(manifest["trusted-root"], json!(scene.top));
        assert_eq!(manifest["shared-home"], json!(scene.beside("shared")));
        assert_eq!(manifest["powers"], "keep");
        let digest = format!("sha256:{}", hex_digest(winter_runner::components::RUNTIME.wasm));
        assert_eq!(manifest["policy-digest"], digest);
        let entries = manifest["entries"].as_array().unwrap();
        let settings = entries.iter().find(|entry| entry["path"] == "settings.json").unwrap();
        let sources = settings["source"].as_str().unwrap();
        for file in
            [scene.beside("shared/settings.json"), scene.top.join(scene.settings()), scene.top.join(scene.local())]
        {
            assert!(sources.contains(file.to_str().unwrap()), "{sources}");
        }
        let settings: Value = serde_json::from_str(&home.plan.effective_settings).unwrap();
        let deny = settings["permissions"]["deny"].as_array().unwrap();
        for place in [scene.home().join("cache/runs/*/[._0-9B-OQ-Zb-oq-z]*"), scene.beside("shared/settings.json")] {
            assert!(deny.contains(&json!(format!("Edit(/{})", place.display()))), "{} in {deny:?}", place.display());
        }
    }
}

#[test]
fn a_home_that_stands_open_is_left_as_it_is_and_what_is_made_in_it_is_closed() {
    for scene in full_scenes() {
        fs::create_dir_all(scene.home().join("cache")).unwrap();
        for folder in [scene.home(), scene.home().join("cache")] {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
        }
        assert_sound(&build(&scene.input()).unwrap());
        assert_eq!(mode(&scene.home()), 0o755);
    }
}

#[test]
fn nothing_outside_the_home_changes() {
    for scene in full_scenes() {
        let before = snapshot(&scene.beside(""), &scene.home());
        let home = build(&scene.input()).unwrap();
        home.dispose().unwrap();
        assert_eq!(snapshot(&scene.beside(""), &scene.home()), before);
    }
}

#[test]
fn planning_and_refusing_write_nothing_at_all() {
    for scene in full_scenes() {
        let before = snapshot(&scene.beside(""), Path::new(""));
        scene.plan(&scene.input());
        scene.own("{ not json");
        let refused = snapshot(&scene.beside(""), Path::new(""));
        assert_eq!(build(&scene.input()).unwrap_err().code(), "unusable-settings");
        assert_eq!(
            build(&RunHomeInput { cwd: scene.beside("gone"), ..scene.input() }).unwrap_err().code(),
            "grant-not-found"
        );
        assert_eq!(snapshot(&scene.beside(""), Path::new("")), refused);
        assert!(before.keys().eq(refused.keys()) && !scene.home().exists());
    }
}

#[test]
fn builds_of_many_threads_at_once_are_all_whole_and_all_different() {
    let Some(scene) = full_scenes().next() else { return };
    let input = scene.input();
    let runner = runner(Grants::for_run_homes(input.reads()));
    let ids: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| built(&runner, &input, 4))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert_all_there(&scene, &ids, 32);
}

#[test]
fn builds_of_many_processes_at_once_are_all_whole_and_all_different() {
    let Some(scene) = full_scenes().next() else { return };
    let children: Vec<_> = (0..4)
        .map(|_| {
            let mut command = std::process::Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", "folders::child", "--nocapture"]).env("WINTER_TEST_SCENE", scene.beside(""));
            command.stdout(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut ids = Vec::new();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}");
        ids.extend(text.lines().filter_map(|line| line.split_once("built ")).map(|(_, id)| id.to_owned()));
    }
    assert_all_there(&scene, &ids, 16);
}

/// Not a test by itself: what each process of the one above runs.
#[test]
fn child() {
    let Some(base) = std::env::var_os("WINTER_TEST_SCENE").map(PathBuf::from) else { return };
    let mut input = RunHomeInput::new(base.join("winter-home"), base.join("top"));
    input.shared_home = base.join("shared");
    input.trusted_project_root = Some(base.join("top"));
    input.user_home = Some(base);
    input.brand = Brand::Claude;
    for id in built(&runner(Grants::for_run_homes(input.reads())), &input, 4) {
        println!("\nbuilt {id}");
    }
}

fn built(runner: &Runner, input: &RunHomeInput, count: usize) -> Vec<String> {
    let build = |_| {
        let home = runner.build_run_home(input).unwrap();
        assert_sound(&home);
        home.plan.run_id
    };
    (0..count).map(build).collect()
}

fn assert_all_there(scene: &Scene, ids: &[String], count: usize) {
    let ids: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    assert_eq!(ids.len(), count);
    let runs = fs::read_dir(scene.home().join("cache/runs")).unwrap();
    let names: Vec<String> = runs.map(|run| run.unwrap().file_name().into_string().unwrap()).collect();
    let standing: BTreeSet<&str> = names.iter().map(String::as_str).filter(|name| !name.starts_with('.')).collect();
    assert_eq!(standing, ids);
    assert!(!names.iter().any(|name| name.starts_with(".partial-") || name.starts_with(".dead-")), "{names:?}");
}

#[test]
fn disposing_removes_the_folder_and_nothing_that_a_link_in_it_leads_to() {
    for scene in full_scenes() {
        let outside = snapshot(&scene.beside(""), &scene.home());
        let other = build(&scene.input()).unwrap();
        let home = build(&scene.input()).unwrap();
        // What a session may leave in it.
        symlink(scene.beside("shared"), home.dir.join("away")).unwrap();
        symlink("..", home.dir.join("up")).unwrap();
        symlink("nowhere", home.dir.join("dangling")).unwrap();
        fs::create_dir_all(home.dir.join("left/deep")).unwrap();
        fs::write(home.dir.join("left/deep/x"), "").unwrap();
        fs::set_permissions(home.dir.join("left/deep"), fs::Permissions::from_mode(0o500)).unwrap();
        let (id, dir) = (home.plan.run_id.clone(), home.dir.clone());
        home.dispose().unwrap();
        assert!(dir.symlink_metadata().is_err());
        assert_sound(&other);
        assert_eq!(snapshot(&scene.beside(""), &scene.home()), outside);
        assert_eq!(dispose_run_home(&scene.home(), &id).unwrap_err().code(), "unknown-run");
        dispose_run_home(&scene.home(), &other.plan.run_id).unwrap();
    }
}

#[test]
fn what_is_no_run_home_is_not_disposed_of() {
    for scene in full_scenes() {
        let home = build(&scene.input()).unwrap();
        let runs = home.dir.parent().unwrap();
        fs::create_dir(runs.join("not-a-run-home")).unwrap();
        fs::write(runs.join("not-a-run-home/mine"), "").unwrap();
        symlink(scene.beside("shared"), runs.join("linked-run-home")).unwrap();
        for id in ["not-a-run-home", "linked-run-home", "../../../shared", "..", "", "."] {
            assert!(dispose_run_home(&scene.home(), id).is_err(), "{id}");
        }
        assert!(runs.join("not-a-run-home/mine").exists() && scene.beside("shared/settings.json").exists());
        assert_sound(&home);
    }
}

#[test]
fn what_a_dead_build_left_is_swept_by_the_next_and_nothing_else_is() {
    for scene in full_scenes() {
        let first = build(&scene.input()).unwrap();
        let runs = first.dir.parent().unwrap().to_owned();
        let dead = runs.join(".partial-0198c0de-dead-7000-8000-000000000000");
        fs::create_dir_all(dead.join("agents")).unwrap();
        fs::write(dead.join("settings.json"), "{").unwrap();
        symlink(scene.beside("shared"), dead.join("projects")).unwrap();
        fs::create_dir(runs.join("of-somebody")).unwrap();
        fs::write(runs.join("a-file"), "").unwrap();
        let second = build(&scene.input()).unwrap();
        assert!(!dead.exists());
        assert!(runs.join("of-somebody").exists() && runs.join("a-file").exists());
        assert!(scene.beside("shared/settings.json").exists());
        assert_sound(&first);
        assert_sound(&second);
    }
}

#[test]
fn a_home_that_cannot_be_used_is_an_error_that_names_it() {
    for scene in bare_scenes() {
        fs::write(scene.home(), "").unwrap();
        assert_eq!(build(&scene.input()).unwrap_err().code(), "home-not-a-folder");
        let input = RunHomeInput { home: scene.beside("no/such/home"), ..scene.input() };
        assert_eq!(build(&input).unwrap_err().code(), "home-parent-missing");
        let input = RunHomeInput { home: scene.beside("open"), ..scene.input() };
        fs::create_dir(scene.beside("open")).unwrap();
        symlink("../shared", scene.beside("open/cache")).unwrap();
        assert_eq!(build(&input).unwrap_err().code(), "home-linked");
        assert!(fs::read_dir(scene.beside("shared")).unwrap().next().is_none());
    }
}
