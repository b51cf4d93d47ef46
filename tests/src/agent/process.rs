//! A program that runs in a process group of its own, its output taken down, and ended when its time is up.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

use super::island::Island;

/// A program that was started and not yet waited for. Dropping it ends its whole group.
pub struct Running {
    child: Child,
    out: Option<JoinHandle<Vec<u8>>>,
    err: Option<JoinHandle<Vec<u8>>>,
    started: Instant,
}

impl Running {
    /// Starts a program in a network; `input` is all that it can read.
    pub fn start(island: &Island, mut command: Command, input: Option<Vec<u8>>) -> Self {
        command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
        let shown = format!("{command:?}");
        let started = Instant::now();
        let mut child = island.spawn(command).unwrap_or_else(|error| panic!("{shown}: {error}"));
        if let (Some(input), Some(mut pipe)) = (input, child.stdin.take()) {
            // Beside the reading, so that neither side waits for the other; a program that reads nothing is no fault.
            thread::spawn(move || drop(pipe.write_all(&input)));
        }
        let out = child.stdout.take().map(take_down);
        let err = child.stderr.take().map(take_down);
        Self { child, out, err, started }
    }

    /// The id of the process and of its group.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal to the whole group.
    pub fn signal(&self, signal: Signal) {
        let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process has an id");
        // The group is gone once all of it has ended, which is no fault.
        let _ = kill_process_group(group, signal);
    }

    /// Whether it has ended.
    pub fn ended(&mut self) -> bool {
        self.child.try_wait().expect("a child can be asked").is_some()
    }

    /// Waits until it has ended, and ends it when that takes too long.
    pub fn wait(mut self, limit: Duration) -> Ended {
        let mut timed_out = false;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                break status;
            }
            if !timed_out && self.started.elapsed() > limit {
                timed_out = true;
                self.signal(Signal::KILL);
            }
            thread::sleep(Duration::from_millis(5));
        };
        let took = self.started.elapsed();
        // What it left running in its group would hold the pipes open.
        self.signal(Signal::KILL);
        let text = |reader: Option<JoinHandle<Vec<u8>>>| {
            let bytes = reader.map(|reader| reader.join().expect("the reader ends")).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let (stdout, stderr) = (text(self.out.take()), text(self.err.take()));
        let events = stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Ended { status, timed_out, took, stdout, stderr, events }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.ended() {
            self.signal(Signal::KILL);
            drop(self.child.wait());
        }
    }
}

fn take_down(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        drop(pipe.read_to_end(&mut bytes));
        bytes
    })
}

/// What a run left behind.
#[derive(Debug)]
pub struct Ended {
    /// The status.
    pub status: ExitStatus,
    /// Whether it was ended because its time was up.
    pub timed_out: bool,
    /// From start to end.
    pub took: Duration,
    /// All that it wrote to standard output.
    pub stdout: String,
    /// All that it wrote to standard error.
    pub stderr: String,
    /// The lines of standard output that are JSON.
    pub events: Vec<Value>,
}

impl Ended {
    /// The exit code; none when a signal ended it.
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// The signal that ended it.
    pub fn signal(&self) -> Option<i32> {
        self.status.signal()
    }

    /// The same, when it ended well.
    #[must_use]
    pub fn well(self) -> Self {
        assert!(
            self.status.success() && !self.timed_out,
            "{} after {:?}, timed out: {}\n{}\n{}",
            self.status,
            self.took,
            self.timed_out,
            self.stdout,
            self.stderr
        );
        self
    }

    /// The event that opens a run; null when there is none.
    pub fn init(&self) -> &Value {
        self.event(|event| event["type"] == "system" && event["subtype"] == "init")
    }

    /// The event that closes a run; null when there is none.
    pub fn result(&self) -> &Value {
        self.event(|event| event["type"] == "result")
    }

    /// The id of the session.
    pub fn session(&self) -> &str {
        self.init()["session_id"].as_str().unwrap_or_else(|| panic!("no session: {}{}", self.stdout, self.stderr))
    }

    /// Tool, whether it failed, and what it answered as text, in the order of the calls; the answers come as they are ready.
    pub fn tool_results(&self) -> Vec<(String, bool, String)> {
        let blocks = |kind: &'static str| {
            let contents = self.events.iter().filter_map(|event| event["message"]["content"].as_array());
            contents.flatten().filter(move |block| block["type"] == kind)
        };
        let results: HashMap<&str, &Value> =
            blocks("tool_result").filter_map(|result| Some((result["tool_use_id"].as_str()?, result))).collect();
        let answered = |call: &Value| {
            let result = results.get(call["id"].as_str()?)?;
            let name = call["name"].as_str().unwrap_or_default().to_owned();
            Some((name, result["is_error"] == true, plain(&result["content"])))
        };
        blocks("tool_use").filter_map(answered).collect()
    }

    fn event(&self, wanted: impl Fn(&Value) -> bool) -> &Value {
        self.events.iter().find(|event| wanted(event)).unwrap_or(&Value::Null)
    }
}

fn plain(content: &Value) -> String {
    match content.as_array() {
        Some(blocks) => blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join(" "),
        None => content.as_str().unwrap_or_default().to_owned(),
    }
}
