//! What `winter run` adds to the public program's own time, as pairs: the same headless turn against the same scripted model, by
//! itself and under winter, one after the other and in turns. Printed are the medians, and the median of the pairs' differences.
//!
//! Without the program it says so, and measures nothing.

use std::fs;
use std::path::Path;
use std::time::Duration;

use winter_tests::agent::{Agent, in_order};

const PAIRS: usize = 25;

fn main() {
    if std::env::args().skip(1).any(|argument| argument != "--bench") {
        return;
    }
    let Some(agent) = Agent::new(in_order([])) else { return };
    scene(&agent);
    let text = |path: std::path::PathBuf| path.to_str().expect("a path that is text").to_owned();
    let (home, work, program) = (text(agent.beside("winter")), text(agent.work()), text(agent.program().to_owned()));
    let before = [
        ["run", "--home", &home, "--project", &work].as_slice(),
        &["--review-env", "CLAUDE_CODE_TMPDIR", "--env", "CLAUDE_CODE_MAX_RETRIES", "--", &program],
    ]
    .concat();
    let turn = agent.turn("go").sources(None);
    let direct = || agent.turn("go").run().well().took;
    let under = || turn.start_by(winter_tests::winter(), &before).wait(Duration::from_mins(1)).well().took;
    // The first of each fills caches, and makes the program of winter where it is missing.
    direct();
    under();
    let mut pairs: Vec<(Duration, Duration)> = Vec::new();
    for at in 0..PAIRS {
        // Who comes first changes, so that neither gains by it.
        pairs.push(if at % 2 == 0 {
            let direct = direct();
            (direct, under())
        } else {
            let under = under();
            (direct(), under)
        });
    }
    let median = |mut all: Vec<f64>| {
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let millis = |duration: Duration| duration.as_secs_f64() * 1e3;
    let direct = median(pairs.iter().map(|pair| millis(pair.0)).collect());
    let under = median(pairs.iter().map(|pair| millis(pair.1)).collect());
    let added = median(pairs.iter().map(|pair| millis(pair.1) - millis(pair.0)).collect());
    println!(
        "a turn of the program: {direct:.0} ms, under winter run {under:.0} ms; {PAIRS} pairs differ by {added:.0} ms"
    );
}

/// A person's config folder and a project with some items of each kind.
fn scene(agent: &Agent) {
    let write = |path: &Path, text: &str| {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    let header = |name: &str| format!("---\nname: {name}\ndescription: does {name}\n---\nDo it.\n");
    write(&agent.config().join("settings.json"), r#"{"permissions":{"deny":["Read(~/.ssh/**)"]}}"#);
    write(
        &agent.work().join(".claude/settings.json"),
        r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}"#,
    );
    write(&agent.work().join("CLAUDE.md"), "Say what is done.\n");
    for at in 0..10 {
        let name = format!("it-{at}");
        write(&agent.work().join(format!(".claude/agents/{name}.md")), &header(&name));
        write(&agent.work().join(format!(".claude/skills/{name}/SKILL.md")), &header(&name));
        write(&agent.work().join(format!(".claude/rules/{name}.md")), "A rule.\n");
    }
}
