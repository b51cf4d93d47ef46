//! A repository whose files, folders and parents become links out of it while it is read: nothing from outside gets in.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags};
use rustix::io::Errno;
use winter_runner::{Brand, Grants, json};
use winter_tests::git::Repo;
use winter_tests::scene::{Scene, runner};

use crate::whole::{assert_whole, walk};

/// What stands outside, and nowhere else.
const SENTINEL: &str = "5e57a1a2-0f-the-outside";

/// How often something is swapped away and back; each is two swaps.
const ROUNDS: u32 = if cfg!(debug_assertions) { 10_000 } else { 100_000 };

/// How often one name is swapped before the next one is: for longer than a build takes, or few builds would see it.
const BURST: u32 = 1000;

/// Plans that are made before each build.
const PLANS: u32 = 10;

/// Everything of a repository that a run home may carry, relative to its root, with a `{dir}` for the brand's folder, a
/// `{file}` for its instructions file, and a `{text}` for what is its own.
const CARRIERS: [(&str, &str); 13] = [
    ("{dir}/settings.json", r#"{"language":"{text}","permissions":{"deny":["Read(/{text})"]}}"#),
    ("{dir}/settings.local.json", r#"{"permissions":{"deny":["Read(/local-{text})"]}}"#),
    ("{dir}/rules/a.md", "---\npaths: src/**\n---\n{text} rule\n"),
    ("{dir}/rules/deep/b.md", "{text} deep rule\n"),
    ("{dir}/skills/s/SKILL.md", "---\nname: s\ndescription: {text}\n---\n{text} skill\n"),
    ("{dir}/skills/s/data.bin", "{text} data\0\n"),
    ("{dir}/agents/x.md", "---\nname: x\ndescription: {text}\n---\n{text} agent\n"),
    ("{dir}/commands/c.md", "---\ndescription: {text}\n---\n{text} command\n"),
    ("{dir}/output-styles/o.md", "---\nname: o\ndescription: {text}\n---\n{text} style\n"),
    ("{file}", "{text} instructions\n@docs/imported.md\n"),
    ("docs/imported.md", "{text} imported\n"),
    (".mcp.json", r#"{"mcpServers":{"m":{"command":"{text}"}}}"#),
    ("sub/{file}", "{text} nested instructions\n"),
];

/// Folders that are swapped as wholes, parents of others among them.
const FOLDERS: [&str; 7] = ["{dir}", "{dir}/rules", "{dir}/skills", "{dir}/skills/s", "{dir}/agents", "docs", "sub"];

fn spelt(scene: &Scene, text: &str, own: &str) -> String {
    let file = if scene.dir() == ".winter" { "WINTER.md" } else { "CLAUDE.md" };
    text.replace("{dir}", scene.dir()).replace("{file}", file).replace("{text}", own)
}

fn write(root: &Path, scene: &Scene, own: &str) {
    for (path, content) in CARRIERS {
        let path = root.join(spelt(scene, path, own));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, spelt(scene, content, own)).unwrap();
    }
}

/// A scene whose project holds every carrier, beside a folder that holds the same with the sentinel in each; and pairs of
/// names to be swapped: what is inside, and a link that leads to the same place outside.
fn racing(brand: Brand) -> (Scene, Vec<(PathBuf, PathBuf)>) {
    let scene = Scene::around(Repo::none(), brand);
    let outside = scene.beside("outside");
    write(&scene.top, &scene, "within");
    write(&outside, &scene, SENTINEL);
    // Links have to stand on the same file system as what they are swapped with, and not in the project.
    let links = scene.beside("links");
    fs::create_dir(&links).unwrap();
    let paths = CARRIERS.iter().map(|(path, _)| *path).chain(FOLDERS);
    let pairs = paths.enumerate().map(|(number, path)| {
        let path = spelt(&scene, path, "");
        let link = links.join(number.to_string());
        // Some by an absolute path, some by a relative one from where the link will stand.
        let up = "../".repeat(path.matches('/').count() + 1);
        let target = if number % 2 == 0 { outside.join(&path) } else { format!("{up}outside/{path}").into() };
        symlink(target, &link).unwrap();
        (scene.top.join(path), link)
    });
    let pairs = pairs.collect();
    (scene, pairs)
}

/// Swaps two names in one step; a name whose parent is away at the moment is left alone.
fn swap(inside: &Path, link: &Path) -> bool {
    match rustix::fs::renameat_with(CWD, inside, CWD, link, RenameFlags::EXCHANGE) {
        Ok(()) => true,
        Err(Errno::NOENT | Errno::NOTDIR) => false,
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            // In three steps where the system has no other way.
            let aside = link.with_extension("aside");
            let moved = fs::rename(inside, &aside).and_then(|()| fs::rename(link, inside));
            moved.and_then(|()| fs::rename(&aside, link)).is_ok()
        }
        Err(error) => panic!("{error}: {}", inside.display()),
    }
}

/// Waits without giving the processor away: a sleep is longer than what is raced with.
fn linger(time: Duration) {
    let started = Instant::now();
    while started.elapsed() < time {
        std::hint::spin_loop();
    }
}

fn assert_clean(dir: &Path) {
    let sentinel = SENTINEL.as_bytes();
    let holds = |bytes: &[u8]| bytes.windows(sentinel.len()).any(|window| window == sentinel);
    for path in walk(dir) {
        let metadata = path.symlink_metadata().unwrap();
        assert!(!holds(path.as_os_str().as_bytes()), "{}", path.display());
        if metadata.is_file() {
            assert!(!holds(&fs::read(&path).unwrap()), "the sentinel stands in {}", path.display());
        }
    }
}

#[test]
fn nothing_from_outside_is_carried_whatever_becomes_a_link() {
    for brand in [Brand::Winter, Brand::Claude] {
        let (scene, pairs) = racing(brand.clone());
        let input = scene.input();
        let runner = runner(Grants::for_run_homes(input.reads()));
        let over = AtomicBool::new(false);
        let (mut built, mut own, mut failed, mut linked) = (0_u32, 0_u32, 0_u32, 0_u32);
        let swapped: u32 = std::thread::scope(|scope| {
            let swapper = scope.spawn(|| {
                let mut swaps = 0;
                for round in 0..ROUNDS {
                    let (inside, link) = &pairs[(round / BURST) as usize % pairs.len()];
                    // Between looking at a file and opening it lie some microseconds, of any length in between.
                    if swap(inside, link) {
                        linger(Duration::from_micros(u64::from(round % 7) * 2));
                        assert!(swap(inside, link), "{} cannot be put back", inside.display());
                        swaps += 2;
                    }
                    linger(Duration::from_micros(u64::from(round % 11) * 3));
                }
                over.store(true, Ordering::Release);
                swaps
            });
            while !over.load(Ordering::Acquire) && !swapper.is_finished() {
                // Plans alone read as builds do, and far more of them fit in.
                for _ in 0..PLANS {
                    if let Ok(plan) = runner.plan_run_home(&input) {
                        let told = json::plan(&plan).to_string();
                        assert!(!told.contains(SENTINEL), "{told}");
                    }
                }
                match runner.build_run_home(&input) {
                    Ok(home) => {
                        assert_whole(&home.dir);
                        assert_clean(&home.dir);
                        let told = json::plan(&home.plan).to_string();
                        assert!(!told.contains(SENTINEL), "{told}");
                        own += u32::from(home.plan.effective_settings.contains("within"));
                        linked += u32::from(!home.plan.report.skipped_links.is_empty());
                        built += 1;
                        home.dispose().unwrap();
                    }
                    Err(error) => {
                        // A fault of the guest or of the engine is none of a repository's doing.
                        let faults = ["guest-failed", "engine", "out-of-memory", "timed-out"];
                        assert!(!faults.contains(&error.code()), "{error}");
                        assert!(!error.to_string().contains(SENTINEL), "{error}");
                        failed += 1;
                    }
                }
            }
            swapper.join().unwrap()
        });
        println!(
            "{brand:?}: {swapped} swaps, {built} built ({own} with the project's own, {linked} saw a link), {failed} failed"
        );
        assert_eq!(swapped, ROUNDS * 2);
        assert!(built > 0 && own > 0, "a build is possible meanwhile");
        let runs = fs::read_dir(scene.home().join("cache/runs")).unwrap();
        assert!(runs.map(|run| run.unwrap().file_name()).all(|name| name == ".lock"));
        // And when nobody disturbs it, the project speaks.
        let home = runner.build_run_home(&input).unwrap();
        assert_clean(&home.dir);
        assert!(home.plan.effective_settings.contains("within"));
    }
}
