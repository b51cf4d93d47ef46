//! A scripted model on loopback.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};

use super::island::Island;
use super::reply::{Content, Reply};
use super::wire::{self, Request};

type Script = Box<dyn FnMut(&Request) -> Option<Reply> + Send>;

/// A script that gives these answers one after another, to whoever of the program's loops asks next. Requests without
/// tools (titles, summaries of tool use) are no turn of a conversation and use none up.
pub fn in_order(replies: impl IntoIterator<Item = Reply>) -> impl FnMut(&Request) -> Option<Reply> + Send + 'static {
    let mut replies: VecDeque<Reply> = replies.into_iter().collect();
    move |request| if request.body["tools"].is_array() { replies.pop_front() } else { None }
}

/// The Messages API on 127.0.0.1, at a port that the system picks, in a network of its own where that is permitted.
///
/// What the script leaves open is answered with the text `done`. `CONNECT`, which a client sends to its HTTPS proxy, is
/// refused and recorded, so that a test sees what the program wanted of the world. All threads end with the server.
pub struct ModelServer {
    island: Island,
    port: u16,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

struct Shared {
    script: Mutex<Script>,
    requests: Mutex<Vec<Request>>,
    connections: Mutex<Vec<(TcpStream, JoinHandle<()>)>>,
    answered: AtomicUsize,
    ending: AtomicBool,
}

impl ModelServer {
    /// Starts a server that answers as the script says.
    pub fn start(script: impl FnMut(&Request) -> Option<Reply> + Send + 'static) -> Self {
        let island = Island::new();
        let listener = island.listen().expect("loopback can be listened on");
        let port = listener.local_addr().expect("a listener has an address").port();
        let shared = Arc::new(Shared {
            script: Mutex::new(Box::new(script)),
            requests: Mutex::default(),
            connections: Mutex::default(),
            answered: AtomicUsize::new(0),
            ending: AtomicBool::new(false),
        });
        let accepting = thread::spawn({
            let shared = shared.clone();
            move || accept(&listener, &shared)
        });
        Self { island, port, shared, accepting: Some(accepting) }
    }

    /// Replaces the script.
    pub fn script(&self, script: impl FnMut(&Request) -> Option<Reply> + Send + 'static) {
        *lock(&self.shared.script) = Box::new(script);
    }

    /// The network that the server is part of; programs that are to reach it are started there.
    pub fn island(&self) -> &Island {
        &self.island
    }

    /// The address for `ANTHROPIC_BASE_URL` and `HTTPS_PROXY`.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Every request so far, in order of arrival.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.shared.requests).clone()
    }

    /// The bodies of the turns so far: requests for a message that offer tools.
    pub fn turns(&self) -> Vec<Value> {
        let turns = self.requests().into_iter().filter(|request| request.asks() && request.body["tools"].is_array());
        turns.map(|request| request.body).collect()
    }

    /// The places outside that were asked for through the proxy.
    pub fn outward(&self) -> Vec<String> {
        let outward = self.requests().into_iter().filter(|request| request.method == "CONNECT");
        outward.map(|request| request.path).collect()
    }

    /// Forgets the requests so far.
    pub fn forget(&self) {
        lock(&self.shared.requests).clear();
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.shared.ending.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for a connection.
        drop(self.island.connect(self.port));
        if let Some(accepting) = self.accepting.take() {
            drop(accepting.join());
        }
        for (stream, thread) in lock(&self.shared.connections).drain(..) {
            drop(stream.shutdown(Shutdown::Both));
            drop(thread.join());
        }
    }
}

/// A script that panicked in one connection must not turn every later lock into a panic that hides it.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept() {
        if shared.ending.load(Ordering::SeqCst) {
            return;
        }
        let Ok(twin) = stream.try_clone() else { continue };
        let thread = thread::spawn({
            let shared = shared.clone();
            // A peer that hangs up early is not the server's trouble: the test sees what the program made of it.
            move || {
                drop(serve(&stream, &shared));
                drop(stream.shutdown(Shutdown::Both));
            }
        });
        let mut connections = lock(&shared.connections);
        connections.retain(|(_, thread)| !thread.is_finished());
        connections.push((twin, thread));
    }
}

fn serve(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    let Some(request) = wire::read(stream)? else { return Ok(()) };
    lock(&shared.requests).push(request.clone());
    let head = request.method == "HEAD";
    let send =
        |status, body: &Value| wire::answer(stream, status, "application/json", body.to_string().as_bytes(), head);
    match (request.method.as_str(), request.place()) {
        ("CONNECT", _) => send(403, &Value::Null),
        ("GET" | "HEAD", place) if place.starts_with("/v1/models") => {
            send(200, &json!({"data": [], "has_more": false}))
        }
        ("POST", place) if place.ends_with("/v1/messages/count_tokens") => send(200, &json!({"input_tokens": 10})),
        _ if request.asks() => {
            let reply = (lock(&shared.script))(&request).unwrap_or_else(|| Reply::text("done"));
            match &reply.content {
                Content::Error { status, kind, message } => send(*status, &error(kind, message)),
                Content::Blocks(blocks) => {
                    let number = shared.answered.fetch_add(1, Ordering::SeqCst);
                    if request.body["stream"] == true {
                        stream_out(stream, &reply, reply.events(blocks, &request.body, number))
                    } else {
                        send(200, &reply.message(blocks, &request.body, number))
                    }
                }
            }
        }
        _ => send(404, &error("not_found_error", "there is nothing here")),
    }
}

fn stream_out(mut stream: &TcpStream, reply: &Reply, (begun, end): (String, String)) -> io::Result<()> {
    wire::begin_events(stream)?;
    stream.write_all(begun.as_bytes())?;
    if reply.endless {
        // Ends when the peer hangs up, or when the server shuts the stream down.
        return io::copy(&mut stream, &mut io::sink()).map(drop);
    }
    stream.write_all(end.as_bytes())
}

fn error(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}})
}
