use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::super::build::Build;
use super::super::{Run, RunState, Swept, dispose, ensure_runs, list, materialize, sweep};
use super::{Home, ID, dir, file, fill_badly, head, link, tree};
use crate::capability::files::test_support::{in_child, race};

#[test]
fn disposing_follows_nothing_out() {
    if !in_child(module_path!(), "disposing_follows_nothing_out", true) {
        return;
    }
    let home = Home::new();
    let outside = home.outside("");
    let plan = [dir("d"), link("d/out", outside.to_str().unwrap()), link("out-too", "../../../../outside/precious")];
    let built = home.build(&plan).unwrap();
    fill_badly(&built.path, &outside);
    dispose(&home.runs, ID).unwrap();
    home.assert_holds(&[]);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    assert_eq!(dispose(&home.runs, ID).unwrap_err().code(), "unknown-run");
}

#[test]
fn only_runs_of_ours_are_disposed_of() {
    let home = Home::new();
    let code = |id: &str| dispose(&home.runs, id).unwrap_err().code();
    for id in ["..", ".", "", "../../..", ".partial-run-0001", "run-0001/x"] {
        assert_eq!(code(id), "bad-run-id", "{id}");
    }
    assert_eq!(code("run-none"), "unknown-run");
    fs::create_dir(home.path(".partial-run-part")).unwrap();
    assert_eq!(code("run-part"), "run-incomplete");
    fs::write(home.path("run-file"), "").unwrap();
    symlink(home.outside(""), home.path("run-link")).unwrap();
    fs::write(home.outside("manifest.json"), "{\"entries\":[]}").unwrap();
    for (id, manifest) in [("run-none-in", None), ("run-text", Some("no")), ("run-other", Some("{\"a\":1}"))] {
        fs::create_dir(home.path(id)).unwrap();
        if let Some(manifest) = manifest {
            fs::write(home.path(id).join("manifest.json"), manifest).unwrap();
        }
    }
    fs::create_dir(home.path("run-linked-in")).unwrap();
    symlink(home.outside("manifest.json"), home.path("run-linked-in/manifest.json")).unwrap();
    let foreign = ["run-file", "run-link", "run-none-in", "run-text", "run-other", "run-linked-in"];
    for id in foreign {
        assert_eq!(code(id), "not-a-run", "{id}");
        assert!(home.path(id).symlink_metadata().is_ok());
    }
    assert_eq!(sweep(&home.runs).unwrap(), Swept { removed: vec!["run-part".to_owned()], failed: vec![] });
    assert_eq!(fs::read_dir(home.outside("")).unwrap().count(), 2);
    // What a power loss leaves.
    fs::create_dir(home.path("run-lost")).unwrap();
    fs::write(home.path("run-lost/manifest.json"), "").unwrap();
    dispose(&home.runs, "run-lost").unwrap();
    assert!(!home.path("run-lost").exists());
}

#[test]
fn a_run_folder_that_is_swapped_with_a_link_takes_nothing_along() {
    let home = Home::new();
    fs::write(home.outside("manifest.json"), "{\"entries\":[]}").unwrap();
    home.build(&[file("f", "x")]).unwrap();
    let (other, next) = (home.base.path().join("other"), home.base.path().join("next"));
    symlink(home.outside(""), &other).unwrap();
    let (mut disposed, mut refused) = (0, 0);
    race(&home.path(ID), &other, || match dispose(&home.runs, ID) {
        Ok(()) => {
            disposed += 1;
            fs::create_dir(&next).unwrap();
            fs::write(next.join("manifest.json"), "{\"entries\":[]}").unwrap();
            fs::rename(&next, home.path(ID)).unwrap();
        }
        Err(error) => {
            assert!(
                matches!(error.code(), "not-a-run" | "interfered" | "unknown-run" | "runs-unreadable"),
                "{error:?}"
            );
            refused += 1;
        }
    });
    println!("{disposed} disposed of, {refused} refused");
    assert_eq!(fs::read(home.outside("precious")).unwrap(), b"precious");
    assert_eq!(fs::read_dir(home.outside("")).unwrap().count(), 2);
}

#[test]
fn what_a_dead_build_left_is_swept_and_a_live_one_is_not() {
    let home = Home::new();
    home.build(&[]).unwrap();
    let live = Build::begin(&home.runs, "run-live").unwrap();
    for (id, lock) in [("run-dead", true), ("run-early", false)] {
        let partial = home.path(&format!(".partial-{id}"));
        fs::create_dir(&partial).unwrap();
        if lock {
            fs::write(partial.join(".building"), "").unwrap();
        }
        fs::create_dir(partial.join("d")).unwrap();
        symlink(home.outside(""), partial.join("d/out")).unwrap();
    }
    fs::create_dir_all(home.path(".dead-run-half-123-4/d")).unwrap();
    symlink(home.outside(""), home.path(".partial-run-link")).unwrap();
    symlink(home.outside(""), home.path(".dead-run-link-1-1")).unwrap();
    fs::create_dir(home.path("something.else")).unwrap();
    let run = |run_id: &str, state| Run { run_id: run_id.to_owned(), state };
    let (live_run, complete) = (run("run-live", RunState::Building), run(ID, RunState::Complete));
    let dead = ["run-dead", "run-early", "run-half"];
    let mut expected = vec![complete.clone(), live_run.clone()];
    expected.extend(dead.map(|id| run(id, RunState::Abandoned)));
    expected.sort_by(|a, b| a.run_id.cmp(&b.run_id));
    assert_eq!(list(&home.runs).unwrap(), expected);

    assert_eq!(sweep(&home.runs).unwrap(), Swept { removed: dead.map(str::to_owned).to_vec(), failed: vec![] });
    assert_eq!(list(&home.runs).unwrap(), [complete, live_run]);
    home.assert_holds(&[".dead-run-link-1-1", ".partial-run-link", ".partial-run-live", ID, "something.else"]);
    assert_eq!(dispose(&home.runs, "run-live").unwrap_err().code(), "run-incomplete");
    live.fill(&[], head()).unwrap();
    live.publish().unwrap();
    dispose(&home.runs, "run-live").unwrap();
    assert_eq!(sweep(&home.runs).unwrap(), Swept::default());
}

#[test]
fn a_builder_that_is_killed_is_swept_by_another_process() {
    const HOME: &str = "WINTER_TEST_HOME";
    if let Some(home) = std::env::var_os(HOME) {
        let runs = ensure_runs(home.as_ref()).unwrap();
        let build = Build::begin(&runs, "run-kill").unwrap();
        build.fill(&[], head()).unwrap();
        fs::write(std::path::Path::new(&home).join("ready"), "").unwrap();
        std::thread::sleep(Duration::from_mins(1));
        drop(build);
        return;
    }
    let home = Home::new();
    let module = module_path!().split_once("::").unwrap().1;
    let mut builder = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("{module}::a_builder_that_is_killed_is_swept_by_another_process")])
        .env(HOME, home.base.path().join("home"))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while !home.base.path().join("home/ready").exists() {
        assert!(started.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(sweep(&home.runs).unwrap(), Swept::default());
    assert_eq!(list(&home.runs).unwrap()[0].state, RunState::Building);
    builder.kill().unwrap();
    builder.wait().unwrap();
    assert_eq!(list(&home.runs).unwrap()[0].state, RunState::Abandoned);
    assert_eq!(sweep(&home.runs).unwrap().removed, ["run-kill"]);
    home.assert_holds(&[]);
}

#[test]
fn builders_and_sweepers_do_not_disturb_each_other() {
    let home = Home::new();
    let over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !over.load(std::sync::atomic::Ordering::Relaxed) {
                    assert_eq!(sweep(&home.runs).unwrap(), Swept::default());
                    assert!(list(&home.runs).unwrap().iter().all(|run| run.state != RunState::Abandoned));
                }
            });
        }
        let built = std::panic::catch_unwind(|| {
            for number in 0..300 {
                let id = format!("run-{number:04}");
                materialize(&home.runs, &id, &[dir("d"), file("d/f", "x")], head()).unwrap();
            }
        });
        over.store(true, std::sync::atomic::Ordering::Relaxed);
        built.unwrap();
    });
    assert_eq!(list(&home.runs).unwrap().len(), 300);
}

#[test]
fn a_build_whose_folder_is_replaced_is_not_published() {
    let home = Home::new();
    let build = Build::begin(&home.runs, ID).unwrap();
    build.fill(&[], head()).unwrap();
    fs::rename(home.path(".partial-run-0001"), home.path("moved.away")).unwrap();
    symlink(home.outside(""), home.path(".partial-run-0001")).unwrap();
    assert_eq!(build.publish().unwrap_err().code(), "interfered");
    home.assert_holds(&[".partial-run-0001", "moved.away"]);
}

#[test]
fn a_lock_that_is_no_file_or_is_held_is_told() {
    let home = Home::new();
    symlink(home.outside("made"), home.path(".lock")).unwrap();
    assert_eq!(home.build(&[]).unwrap_err().code(), "interfered");
    assert!(!home.outside("made").exists());
    fs::remove_file(home.path(".lock")).unwrap();
    let lock = fs::File::create(home.path(".lock")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    assert_eq!(home.build(&[]).unwrap_err().code(), "runs-locked");
    drop(lock);
    home.build(&[]).unwrap();
}

#[test]
fn a_mount_inside_a_run_folder_is_left_alone() {
    for at in ["d", "d/mounted"] {
        check_mount(at);
    }
}

fn check_mount(at: &str) {
    let home = Home::new();
    let built = home.build(&[dir("d"), dir("d/mounted"), file("f", "")]).unwrap();
    let at = built.path.join(at);
    let mount = Command::new("mount").arg("--bind").arg(home.outside("")).arg(&at).output();
    if !mount.is_ok_and(|out| out.status.success()) {
        println!("skipped: nothing can be mounted here");
        return;
    }
    let error = dispose(&home.runs, ID).unwrap_err();
    let listed = list(&home.runs).unwrap();
    let swept = sweep(&home.runs).unwrap();
    let mounted = tree(home.runs.path().as_ref())
        .into_keys()
        .find_map(|path| path.strip_suffix("/precious").map(|folder| home.path(folder)));
    assert!(Command::new("umount").arg(mounted.unwrap()).status().unwrap().success());
    assert_eq!(error.code(), "remove-failed");
    assert_eq!((listed.len(), listed[0].state), (1, RunState::Abandoned));
    assert_eq!((swept.removed.len(), swept.failed.len()), (0, 1));
    home.assert_holds(&[fs::read_dir(home.runs.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .find(|name| name.starts_with(".dead-"))
        .unwrap()
        .as_str()]);
    assert_eq!(sweep(&home.runs).unwrap().removed, [ID]);
}
