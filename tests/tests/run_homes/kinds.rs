//! Items and instructions of every kind over real folders: permissions, links, names, depths, and as many as there are.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::Value;
use winter_runner::contract::run_home::Plan;
use winter_runner::{Brand, Grants, RunHome, RunHomeInput};
use winter_tests::git::fifo;
use winter_tests::scene::{Scene, bare_scenes, report, runner, text};

use crate::whole::assert_whole;

const FOLDERS: [&str; 5] = ["agents", "commands", "output-styles", "rules", "skills"];

fn build(input: &RunHomeInput) -> RunHome {
    let runner = runner(Grants::for_run_homes(input.reads()));
    let home = runner.build_run_home(input).unwrap_or_else(|error| panic!("{error}"));
    assert_whole(&home.dir);
    home
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A file that some item of that kind is.
fn item(folder: &str, name: &str) -> (String, String) {
    let path = if folder == "skills" { format!("{name}/SKILL.md") } else { format!("{name}.md") };
    (path, format!("---\nname: {name}\ndescription: does it\n---\nDo it.\n"))
}

/// What was left out for that reason.
fn skipped(plan: &Plan, reason: &str) -> Vec<PathBuf> {
    let report = report(plan);
    let items = report["skipped-items"].as_array().unwrap().iter().filter(|item| item["reason"] == reason);
    items.map(|item| PathBuf::from(text(&item["path"]))).collect()
}

fn instructions(scene: &Scene) -> &'static str {
    if scene.dir() == ".claude" { "CLAUDE.md" } else { "WINTER.md" }
}

#[test]
fn what_may_not_be_read_is_named_and_the_rest_is_there() {
    for scene in bare_scenes() {
        let conf = scene.top.join(scene.dir());
        let mut closed = Vec::new();
        for folder in FOLDERS {
            for name in ["open", "closed"] {
                let (path, text) = item(folder, &format!("{folder}-{name}"));
                write(&conf.join(folder).join(&path), &text);
            }
            let (path, _) = item(folder, &format!("{folder}-closed"));
            closed.push(conf.join(folder).join(path));
        }
        write(&scene.top.join("dark").join(instructions(&scene)), "Below.\n");
        write(&scene.top.join("light").join(instructions(&scene)), "Below.\n");
        closed.push(scene.top.join("dark"));
        for path in &closed {
            fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
        }
        let reads_all = fs::read(&closed[0]).is_ok();
        let home = build(&scene.input());
        let mut named = skipped(&home.plan, "unreadable");
        fs::set_permissions(scene.top.join("dark"), fs::Permissions::from_mode(0o700)).unwrap();
        for folder in FOLDERS {
            let name = if folder == "skills" { "skills-open".to_owned() } else { format!("{folder}-open.md") };
            assert!(home.dir.join(folder).join(name).exists(), "{folder}");
        }
        assert!(home.dir.join("rules/light").join(instructions(&scene)).exists());
        if reads_all {
            println!("skipped: this user reads what is closed to it");
            continue;
        }
        named.sort();
        named.dedup();
        closed.sort();
        assert_eq!(named, closed);
    }
}

#[test]
fn what_is_no_file_is_never_opened_whatever_it_should_be() {
    for scene in bare_scenes() {
        let conf = scene.top.join(scene.dir());
        let mut pipes = vec![scene.top.join(instructions(&scene)), scene.top.join(".mcp.json")];
        for folder in FOLDERS {
            let (path, _) = item(folder, "pipe");
            pipes.push(conf.join(folder).join(path));
        }
        pipes.push(conf.join("skills/whole/data"));
        write(&conf.join("skills/whole/SKILL.md"), "Do it.\n");
        for pipe in &pipes {
            fs::create_dir_all(pipe.parent().unwrap()).unwrap();
            fifo(pipe);
        }
        let home = build(&scene.input());
        let mut named = skipped(&home.plan, "not-regular");
        pipes.sort();
        named.sort();
        assert_eq!(named, pipes);
        assert!(home.dir.join("skills/whole/SKILL.md").exists());
    }
}

#[test]
fn names_that_are_not_utf8_are_counted_for_their_folder() {
    for scene in bare_scenes() {
        let conf = scene.top.join(scene.dir());
        let odd = OsStr::from_bytes(b"x\xff.md");
        let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|folder| conf.join(folder)).collect();
        folders.push(conf.join("skills/s"));
        write(&conf.join("skills/s/SKILL.md"), "Do it.\n");
        for folder in &folders {
            fs::create_dir_all(folder).unwrap();
            if fs::write(folder.join(odd), "x").is_err() {
                println!("skipped: this file system has no such names");
                return;
            }
        }
        let mut named = skipped(&build(&scene.input()).plan, "not-utf8");
        folders.sort();
        named.sort();
        named.dedup();
        assert_eq!(named, folders);
    }
}

#[test]
fn items_that_would_stand_in_each_others_way_are_all_built() {
    for scene in bare_scenes() {
        let (conf, near) = (scene.dir(), scene.top.join("near"));
        for (path, text) in [
            ("commands/a.md", "Near.\n"),
            ("rules/b.md", "Near.\n"),
            ("skills/s/SKILL.md", "Do it.\n"),
            ("skills/s/Data/a", "a"),
        ] {
            write(&near.join(conf).join(path), text);
        }
        for path in ["commands/a.md/x.md", "commands/A.md/y.md", "rules/b.md/x.md", "rules/B.md"] {
            write(&scene.top.join(conf).join(path), "Far.\n");
        }
        write(&near.join("b.md").join(instructions(&scene)), "Below.\n");
        write(&scene.beside("shared/commands/mine.md"), "Mine.\n");
        write(&scene.beside("shared/commands/Team/mine.md"), "Mine.\n");
        write(&scene.top.join(conf).join("commands/mine.md/x.md"), "Theirs.\n");
        write(&scene.top.join(conf).join("commands/team/theirs.md"), "Theirs.\n");
        let home = build(&RunHomeInput { cwd: near, ..scene.input() });
        assert!(skipped(&home.plan, "collision").is_empty());
        assert_eq!(fs::read_link(home.dir.join("commands/mine.md")).unwrap(), scene.beside("shared/commands/mine.md"));
        let mut ends: Vec<String> = Vec::new();
        for folder in ["commands", "rules"] {
            walk(&home.dir.join(folder), &mut |path| {
                let name = path.file_name().unwrap().to_str().unwrap();
                let target = fs::read_to_string(path).unwrap();
                ends.push(format!("{folder} {name} {}", target.lines().last().unwrap_or_default()));
            });
        }
        for end in ["x.md Far.", "y.md Far.", "a.md Near.", "mine.md Mine.", "theirs.md Theirs."] {
            assert!(ends.iter().any(|one| one.ends_with(end)), "{end}: {ends:?}");
        }
    }
}

fn walk(folder: &Path, each: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { walk(&path, each) } else { each(&path) }
    }
}

#[test]
fn the_longest_names_and_the_deepest_folders_are_built() {
    for scene in bare_scenes() {
        let (conf, near) = (scene.dir(), scene.top.join("near"));
        let long = format!("{}.md", "x".repeat(252));
        for top in [&scene.top, &near] {
            write(&top.join(conf).join("rules").join(&long), "Rule.\n");
        }
        // As deep as the walk goes, each with a folder of rules as deep as those are read.
        let mut deep = near.clone();
        for _ in 0..60 {
            deep.push("d");
            write(&deep.join(instructions(&scene)), "Below.\n");
        }
        let fortieth = near.join("d/".repeat(40));
        write(&fortieth.join(conf).join("rules").join("r/".repeat(16)).join("r.md"), "Rule.\n");
        write(&near.join(conf).join("skills/s/SKILL.md"), "Do it.\n");
        write(&near.join(conf).join("skills/s").join("s/".repeat(16)).join("f"), "x");
        let home = build(&RunHomeInput { cwd: near.clone(), ..scene.input() });
        assert_eq!(skipped(&home.plan, "too-many"), [near.join("d/".repeat(40)).join("d")]);
        assert!(home.dir.join("rules").join("d/".repeat(40)).join("r/".repeat(16)).join("r.md").exists());
        assert!(home.dir.join("skills/s").join("s/".repeat(16)).join("f").exists());
        assert_eq!(fs::read_dir(home.dir.join("rules")).unwrap().count(), 3);
    }
}

#[test]
fn links_that_lead_to_one_folder_on_very_many_ways_end() {
    for scene in bare_scenes() {
        for depth in 0..14 {
            fs::create_dir_all(scene.top.join(format!("ways/{depth}"))).unwrap();
            for way in 0..10 {
                symlink(format!("../{}", depth + 1), scene.top.join(format!("ways/{depth}/{way}"))).unwrap();
            }
        }
        fs::create_dir_all(scene.top.join("ways/14")).unwrap();
        let conf = scene.top.join(scene.dir());
        write(&conf.join("skills/s/SKILL.md"), "Do it.\n");
        symlink("../../../ways/0", conf.join("skills/s/ways")).unwrap();
        for folder in ["agents", "commands", "rules"] {
            symlink("../ways/0", conf.join(folder)).unwrap();
        }
        let mut input = scene.input();
        input.bounds.folders = 2_000;
        let home = build(&input);
        assert!(!skipped(&home.plan, "too-many").is_empty());
    }
}

#[test]
fn chains_of_imports_are_followed_as_deep_as_the_host_says_and_no_deeper_than_the_stack_allows() {
    for scene in bare_scenes() {
        fs::write(scene.top.join(instructions(&scene)), "@0.md\n").unwrap();
        for number in 0..200 {
            fs::write(scene.top.join(format!("{number}.md")), format!("[{number}] @{}.md\n", number + 1)).unwrap();
        }
        for (depth, last) in [(1, None), (5, Some(3)), (u32::MAX, Some(62))] {
            let mut input = scene.input();
            input.bounds.import_depth = depth;
            let home = build(&input);
            let text = fs::read_to_string(home.dir.join("CLAUDE.md")).unwrap();
            assert_eq!(text.lines().filter(|line| line.starts_with('[')).count(), last.map_or(0, |last| last + 1));
            let dropped: Value = report(&home.plan)["dropped-imports"].clone();
            assert_eq!(dropped[0]["reason"], "too-deep");
        }
    }
}

#[test]
fn a_repository_may_have_more_items_than_a_process_may_have_files_open() {
    for scene in bare_scenes() {
        for number in 0..300 {
            let conf = scene.top.join(scene.dir());
            write(&conf.join(format!("skills/s{number}/SKILL.md")), "Do it.\n");
            write(&conf.join(format!("skills/s{number}/data/f")), "x");
            write(&conf.join(format!("commands/c{number}/x.md")), "Do it.\n");
            write(&scene.top.join(format!("below/f{number}/{}/rules/r.md", scene.dir())), "Rule.\n");
        }
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "kinds::with_few_files_open", "--nocapture"]);
        command.env("WINTER_TEST_FEW", scene.beside("")).env("WINTER_TEST_BRAND", scene.dir());
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && text.contains("built 1200"), "{text}");
    }
}

/// Not a test by itself: what the process of the one above runs.
#[test]
fn with_few_files_open() {
    let Some(base) = std::env::var_os("WINTER_TEST_FEW").map(PathBuf::from) else { return };
    let mut input = RunHomeInput::new(base.join("winter-home"), base.join("top"));
    input.shared_home = base.join("shared");
    input.trusted_project_root = Some(base.join("top"));
    input.user_home = Some(base);
    if std::env::var_os("WINTER_TEST_BRAND").is_some_and(|dir| dir == ".claude") {
        input.brand = Brand::Claude;
    }
    let limit = rustix::process::Rlimit { current: Some(128), maximum: Some(128) };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, limit).unwrap();
    let home = build(&input);
    assert!(skipped(&home.plan, "unreadable").is_empty());
    let mut count = 0;
    for folder in ["skills", "commands", "rules"] {
        walk(&home.dir.join(folder), &mut |_| count += 1);
    }
    println!("built {count}");
}
