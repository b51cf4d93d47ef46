//! Building run homes, beside copying the same content.
//!
//! `thousand_items::build` against `thousand_items::copy`: 1,000 items of 10 KB, by the library and by the system's `cp -r`.
//! `linear::build` for 2,000 and 20,000 items with raised bounds: the items a second should be the same.
//! Before them the peak memory of the program is printed, for a skill of 1 MiB and one of 64 MiB: it should be the same.

use std::process::{Command, Stdio};

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use winter_runner::contract::run_home::Bounds;
use winter_runner::{Brand, Config, DEFAULT_BOUNDS, Grants, RunHome, RunHomeInput, Runner};
use winter_tests::git::Repo;
use winter_tests::scene::Scene;

fn main() {
    // Only when everything is asked for: a filter means something else.
    if std::env::args().skip(1).all(|argument| argument == "--bench") {
        peaks();
    }
    divan::main();
}

/// A project of the public program's brand with that many items of that many bytes each: of eight, four are the text and
/// the data of two skills, two are agents, one is a rule and one a command.
fn project(items: usize, bytes: usize) -> Scene {
    let scene = Scene::around(Repo::none(), Brand::Claude);
    let text = |kind: &str, n: usize, header: &str| {
        let mut text = format!("---\n{header}\n---\nThe {kind} number {n}.\n");
        while text.len() < bytes {
            text.push_str("A line that says what to do, and how, and why that is so.\n");
        }
        text
    };
    for n in 0..items {
        let (name, described) = (format!("it-{n}"), format!("description: number {n}"));
        let named = format!("name: {name}\n{described}");
        let (path, content) = match n % 8 {
            0 | 2 => (format!("skills/{name}/SKILL.md"), text("skill", n, &named)),
            1 | 3 => (format!("skills/it-{}/data.bin", n - 1), "\u{0}".repeat(bytes)),
            4 | 5 => (format!("agents/{name}.md"), text("agent", n, &named)),
            6 => (format!("rules/{name}.md"), text("rule", n, &format!("paths: src/{n}/**"))),
            _ => (format!("commands/{name}.md"), text("command", n, &described)),
        };
        scene.repo.write(&format!(".claude/{path}"), content);
    }
    scene
}

fn runner(input: &RunHomeInput) -> Runner {
    Runner::new(Config { grants: Grants::for_run_homes(input.reads()), ..Config::default() }).unwrap()
}

/// A run home that goes when the measurement is over.
struct Built(Option<RunHome>);

impl Drop for Built {
    fn drop(&mut self) {
        if let Some(home) = self.0.take() {
            home.dispose().unwrap();
        }
    }
}

/// Fails when a run home does not hold most of what the project offers: then nothing is measured.
fn built(runner: &Runner, input: &RunHomeInput, items: usize) -> Built {
    let home = runner.build_run_home(input).unwrap();
    assert!(home.plan.entries.len() >= items, "{} entries of {items} items", home.plan.entries.len());
    Built(Some(home))
}

#[divan::bench_group(sample_count = 20, sample_size = 1)]
mod thousand_items {
    use super::{Bencher, BytesCount, Command, built, project, runner};

    const ITEMS: usize = 1000;
    const BYTES: usize = 10_000;

    #[divan::bench]
    fn build(bencher: Bencher<'_, '_>) {
        let scene = project(ITEMS, BYTES);
        let input = scene.input();
        let runner = runner(&input);
        bencher.counter(BytesCount::new(ITEMS * BYTES)).bench_local(|| built(&runner, &input, ITEMS));
    }

    #[divan::bench]
    fn copy(bencher: Bencher<'_, '_>) {
        let scene = project(ITEMS, BYTES);
        bencher.counter(BytesCount::new(ITEMS * BYTES)).bench_local(|| {
            let target = tempfile::tempdir_in(scene.beside("")).unwrap();
            let copied = Command::new("cp").arg("-r").arg(scene.top.join(".claude")).arg(target.path()).status();
            assert!(copied.unwrap().success());
            target
        });
    }
}

#[divan::bench_group(sample_count = 5, sample_size = 1)]
mod linear {
    use super::{Bencher, Bounds, DEFAULT_BOUNDS, ItemsCount, RunHomeInput, built, project, runner};

    #[divan::bench(args = [2000, 20_000])]
    fn build(bencher: Bencher<'_, '_>, items: usize) {
        let scene = project(items, 1000);
        let bounds = Bounds { items: 100_000, total: 1 << 30, ..DEFAULT_BOUNDS };
        let input = RunHomeInput { bounds, ..scene.input() };
        let runner = runner(&input);
        bencher.counter(ItemsCount::new(items)).bench_local(|| built(&runner, &input, items));
    }
}

/// Prints the peak memory of the program for two sizes of a skill's data.
fn peaks() {
    const FILES: usize = 8;
    let of = |total: usize| {
        let scene = project(0, 0);
        scene.repo.write(".claude/skills/s/SKILL.md", "---\nname: s\ndescription: s\n---\nText.\n");
        for n in 0..FILES {
            // A little less, so that the text is within the bound as well.
            scene.repo.write(&format!(".claude/skills/s/{n}.bin"), vec![b'x'; total / FILES - 1024]);
        }
        peak(&scene)
    };
    match (of(1 << 20), of(64 << 20)) {
        (Some((small, small_run)), Some((large, large_run))) => {
            println!(
                "peak memory: {small} KiB for 1 MiB of skill data ({small_run} B built), {large} KiB for 64 MiB ({large_run} B built)"
            );
        }
        _ => println!("peak memory: skipped, the system does not tell it"),
    }
}

/// The peak resident set of one build by the program, in KiB, and the bytes of the run home that it built.
fn peak(scene: &Scene) -> Option<(u64, u64)> {
    let mut command = Command::new(winter_tests::winter());
    command.env_clear().env("HOME", scene.beside("")).env("CLAUDE_CONFIG_DIR", scene.beside("shared"));
    command.current_dir(&scene.top).stdout(Stdio::null());
    command.args(["build", "--brand", "claude", "--home"]).arg(scene.home()).arg("--project").arg(&scene.top);
    let (peak, status) = winter_tests::peak(&mut command);
    assert!(status.success());
    let runs = winter_runner::runs::list(&scene.home()).unwrap();
    Some((peak?, runs.runs.first()?.size))
}
