//! Builds that are disturbed: killed at any moment, in a home of somebody else's, disposed of while they run.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use winter_runner::{Grants, dispose_run_home};
use winter_tests::scene::{Scene, bare_scenes, runner};

use crate::whole::{assert_whole, standing};

/// A scene whose build writes a file that takes a moment.
fn scene() -> Scene {
    let scene = bare_scenes().next().unwrap();
    let rules: Vec<String> = (0..2000).map(|n| format!(r#""Read(~/some/where/that/is/secret/{n}/**)""#)).collect();
    scene.own(&format!(r#"{{"permissions":{{"deny":[{}]}}}}"#, rules.join(",")));
    scene
}

/// The program in an environment that holds nothing else.
fn build(scene: &Scene) -> Command {
    in_scene(scene, Command::new(winter_tests::winter()))
}

fn in_scene(scene: &Scene, mut command: Command) -> Command {
    command.env_clear().env("HOME", scene.beside("home")).env("PATH", "/usr/local/bin:/usr/bin:/bin");
    // The brand's own folder of the person's is the scene's shared home.
    command.env("CLAUDE_CONFIG_DIR", scene.beside("shared")).current_dir(&scene.top);
    command.args(["build", "--brand", "claude", "--home"]).arg(scene.home());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn ended(child: Child) -> Output {
    child.wait_with_output().unwrap()
}

#[test]
fn a_build_that_is_killed_at_any_moment_leaves_nothing_that_can_be_seen() {
    const KILLS: u32 = 100;
    let scene = scene();
    // Not the first: it may have to make the program.
    let mut whole = Duration::MAX;
    for _ in 0..5 {
        let started = Instant::now();
        assert!(ended(build(&scene).spawn().unwrap()).status.success());
        whole = whole.min(started.elapsed());
    }
    assert!(whole < Duration::from_secs(5), "{whole:?}");
    let (mut killed, mut left) = (0, 0);
    for number in 0..KILLS {
        let mut child = build(&scene).spawn().unwrap();
        // Spread over the time that a build takes, and a little beyond.
        std::thread::sleep(whole * (number * 7919 % KILLS) * 11 / (KILLS * 10));
        child.kill().unwrap();
        killed += u32::from(!ended(child).status.success());
        let (visible, hidden) = standing(&scene.home());
        left += u32::from(!hidden.is_empty());
        // A killed build's remains are swept by the next that comes as far: never more than one is there.
        assert!(hidden.len() <= 1, "{hidden:?}");
        for run in visible {
            assert_whole(&scene.home().join("cache/runs").join(&run));
            dispose_run_home(&scene.home(), &run).unwrap();
        }
    }
    println!("{killed} of {KILLS} were killed, {left} times something was left; a build takes {whole:?}");
    assert!(killed > KILLS / 4);
    assert!(ended(build(&scene).spawn().unwrap()).status.success());
    let (visible, hidden) = standing(&scene.home());
    assert_eq!((visible.len(), hidden), (1, vec![]));
    assert_whole(&scene.home().join("cache/runs").join(&visible[0]));
}

#[test]
fn what_is_left_of_a_kill_in_the_middle_of_writing_is_swept() {
    let scene = scene();
    let runs = scene.home().join("cache/runs");
    let (mut caught, started) = (0, Instant::now());
    while caught < 5 && started.elapsed() < Duration::from_secs(20) {
        let mut child = build(&scene).spawn().unwrap();
        // Killed as soon as its folder is there.
        while standing(&scene.home()).1.is_empty() && child.try_wait().unwrap().is_none() {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        ended(child);
        let (visible, hidden) = standing(&scene.home());
        for run in visible {
            assert_whole(&runs.join(run));
        }
        caught += u32::from(!hidden.is_empty());
        assert!(ended(build(&scene).spawn().unwrap()).status.success());
        assert_eq!(standing(&scene.home()).1, [""; 0]);
    }
    println!("{caught} builds were killed while they wrote");
}

#[test]
fn a_cache_that_belongs_to_somebody_else_is_a_typed_error() {
    let scene = scene();
    let cache = scene.home().join("cache");
    fs::create_dir_all(&cache).unwrap();
    let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"];
    // The target folder may be closed to others.
    let program = scene.beside("winter");
    fs::copy(winter_tests::winter(), &program).unwrap();
    let base = scene.beside("");
    let chown = |who: &str, recursive: &[&str], path: &Path| {
        let owned = Command::new("chown").args(recursive).arg(who).arg(path).output();
        owned.is_ok_and(|output| output.status.success())
    };
    let can = chown("65534:65534", &["-R"], &base)
        && chown("0:0", &[], &cache)
        && Command::new("setpriv")
            .args(nobody)
            .arg(&program)
            .arg("--version")
            .output()
            .is_ok_and(|it| it.status.success());
    if !can {
        println!("skipped: nobody else can be had here");
        return;
    }
    for (mode, code) in [(0o755, "home-not-private"), (0o700, "home-not-writable"), (0o000, "home-not-private")] {
        fs::set_permissions(&cache, fs::Permissions::from_mode(mode)).unwrap();
        let mut command = Command::new("setpriv");
        command.args(nobody).arg(&program);
        let failed = ended(in_scene(&scene, command).spawn().unwrap());
        let said = String::from_utf8_lossy(&failed.stderr).into_owned();
        assert_eq!(failed.status.code(), Some(5), "{mode:o}: {said}");
        assert!(said.starts_with(&format!("error[{code}]: ")) && said.contains("/cache"), "{mode:o}: {said}");
        assert_eq!(fs::read_dir(&cache).unwrap().count(), 0, "{mode:o}");
    }
}

#[test]
fn a_run_that_is_being_built_is_not_disposed_of_and_others_are() {
    let scene = scene();
    let input = scene.input();
    let (over, refused, disposed) = (AtomicBool::new(false), AtomicU32::new(0), AtomicU32::new(0));
    let built: Vec<_> = std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_micros(200));
                    for name in standing(&scene.home()).1 {
                        let Some(id) = name.strip_prefix(".partial-") else { continue };
                        match dispose_run_home(&scene.home(), id) {
                            // Published in between: a run like any other.
                            Ok(()) => disposed.fetch_add(1, Ordering::Relaxed),
                            Err(error) => {
                                let known = ["run-incomplete", "unknown-run", "interfered", "not-a-run"];
                                assert!(known.contains(&error.code()), "{error}");
                                refused.fetch_add(1, Ordering::Relaxed)
                            }
                        };
                    }
                }
            });
        }
        let builder = runner(Grants::for_run_homes(input.reads()));
        let built = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            (0..60).map(|_| builder.build_run_home(&input).unwrap().plan.run_id).collect::<Vec<_>>()
        }));
        over.store(true, Ordering::Relaxed);
        built.unwrap()
    });
    let (refused, disposed) = (refused.into_inner(), disposed.into_inner());
    println!("{refused} refused, {disposed} disposed of");
    let (visible, hidden) = standing(&scene.home());
    assert_eq!(hidden, [""; 0]);
    assert_eq!(visible.len(), built.len() - disposed as usize);
    let built: BTreeSet<_> = built.into_iter().collect();
    for run in visible {
        assert!(built.contains(&run));
        assert_whole(&scene.home().join("cache/runs").join(run));
    }
}
