//! `winter`: decides, correctly and visibly, what a coding-agent session may be given.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
