//! What a session would get of a repository, asked through the component; nothing is written.
//! `cargo run --release -p winter-runner --example embed -- DIR`

use std::error::Error;
use std::path::PathBuf;

use winter_runner::{Config, Grants, RunHomeInput, Runner, Spelling};

fn main() -> Result<(), Box<dyn Error>> {
    let project = PathBuf::from(std::env::args_os().nth(1).ok_or("name a repository")?).canonicalize()?;
    let mut input = RunHomeInput::new(std::env::temp_dir().join("winter-embed"), &project);
    input.trusted_project_root = Some(project.clone());
    input.powers = winter_runner::Powers::Drop;

    // The component reaches what is granted here, and nothing else.
    let runner = Runner::new(Config { grants: Grants::for_run_homes(input.reads()), ..Config::default() })?;
    let plan = runner.plan_run_home(&input)?;
    for entry in &plan.entries {
        println!("{:40} {}", entry.path, entry.source);
    }
    for dropped in &plan.report.dropped_rules {
        println!("dropped: {} ({})", dropped.rule, dropped.reason);
    }
    println!("a rule names the project as {}", runner.rule_path(&project.to_string_lossy(), Spelling::Hex)?);
    Ok(())
}
