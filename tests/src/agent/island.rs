//! A thread that stands in a network of its own.
//!
//! A network namespace belongs to a thread: sockets that the thread makes, and programs that it starts, are in it. So
//! one thread enters it and makes both the server's socket and the agent; the rest of the test process stays outside.

use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

type Job = Box<dyn FnOnce() + Send>;

/// A network with nothing but loopback, and the thread inside it that does what is asked of it.
pub struct Island {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
    alone: bool,
}

impl Island {
    /// A new network; where the machine permits none, the machine's own, with a remark.
    pub fn new() -> Self {
        let (jobs, todo) = channel::<Job>();
        let (say, told) = channel();
        let thread = thread::spawn(move || {
            let entered = enter();
            say.send(entered.map_err(|error| error.to_string())).expect("the maker waits");
            for job in todo {
                job();
            }
        });
        let entered = told.recv().expect("the thread answers");
        if let Err(error) = &entered {
            println!("no network of its own for the agent, loopback of this machine instead: {error}");
        }
        Self { jobs: Some(jobs), thread: Some(thread), alone: entered.is_ok() }
    }

    /// Whether nothing but loopback can be reached.
    pub fn alone(&self) -> bool {
        self.alone
    }

    /// Listens on loopback in this network, at a port that the system picks.
    pub fn listen(&self) -> io::Result<TcpListener> {
        self.within(|| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))
    }

    /// Connects to a port of loopback in this network.
    pub fn connect(&self, port: u16) -> io::Result<TcpStream> {
        self.within(move || TcpStream::connect((Ipv4Addr::LOCALHOST, port)))
    }

    /// Starts a program in this network.
    pub fn spawn(&self, mut command: Command) -> io::Result<Child> {
        self.within(move || command.spawn())
    }

    fn within<T: Send + 'static>(&self, job: impl FnOnce() -> T + Send + 'static) -> T {
        let (say, told) = channel();
        let jobs = self.jobs.as_ref().expect("the island stands until it is dropped");
        jobs.send(Box::new(move || drop(say.send(job())))).expect("the thread waits for jobs");
        told.recv().expect("the thread does its jobs")
    }
}

impl Default for Island {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Island {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the thread of the island ends");
        }
    }
}

/// Moves this thread into a new network. A helper makes it and brings loopback up there: where that fails, this thread
/// has not moved.
#[cfg(target_os = "linux")]
fn enter() -> io::Result<()> {
    use std::fs::File;
    use std::io::{BufRead, BufReader, Error};
    use std::os::fd::AsFd;
    use std::process::Stdio;

    use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

    let mut helper = Command::new("unshare")
        .args(["-n", "sh", "-c", "ip link set lo up && echo up && exec cat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut line = String::new();
    BufReader::new(helper.stdout.take().expect("piped")).read_line(&mut line)?;
    let moved = if line.trim() == "up" {
        let network = File::open(format!("/proc/{}/ns/net", helper.id()))?;
        let kind = Some(LinkNameSpaceType::Network);
        move_into_link_name_space(network.as_fd(), kind).map_err(Error::from)
    } else {
        Err(Error::other("unshare -n, or ip link set lo up in it, is not permitted"))
    };
    drop(helper.stdin.take());
    helper.wait()?;
    moved
}

#[cfg(not(target_os = "linux"))]
fn enter() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
