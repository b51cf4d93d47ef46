//! Starting one child.

use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::process::Stdio;

use tokio::process::{Child, Command};

use super::Program;
use crate::capability::files::Folder;

/// What a child's three streams are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Streams {
    /// The runner's own: the child owns the terminal.
    #[default]
    Inherited,
    /// Pipes to the runner.
    Piped,
}

/// How a child is started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub(crate) streams: Streams,
    /// In a process group of its own; not for a child that owns the terminal, whose foreground group it must stay in.
    pub(crate) own_group: bool,
}

/// Starts a granted program in `cwd` with this environment and nothing else; inside a runtime of tokio.
pub(crate) fn start(
    program: &Program,
    arguments: &[String],
    environment: &[(String, String)],
    cwd: &Folder,
    start: Start,
) -> io::Result<Child> {
    // What this process was itself given without `CLOEXEC` would reach the child.
    close_fds::set_fds_cloexec(3, &[]);
    let stream = || match start.streams {
        Streams::Inherited => Stdio::inherit(),
        Streams::Piped => Stdio::piped(),
    };
    let mut command = Command::new(&program.path);
    command.arg0(&program.called).args(arguments).env_clear();
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    command.stdin(stream()).stdout(stream()).stderr(stream());
    if cfg!(target_os = "linux") {
        // The handle, not the path: whatever was put in its place since is not entered.
        command.current_dir(format!("/proc/self/fd/{}", cwd.handle().as_fd().as_raw_fd()));
    } else {
        command.current_dir(cwd.path());
    }
    if start.own_group {
        command.process_group(0);
    }
    command.spawn()
}
