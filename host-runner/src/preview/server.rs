//! Just enough HTTP for a page: GET and HEAD of names in a table, one bounded request a connection.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::error::RunnerError;
use crate::web;

/// A request's line and headers; a browser's are far smaller.
const MOST_REQUEST: usize = 16 << 10;
/// How long one client may take for its request, altogether, and for each part of the answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Clients served at once.
const MOST_CLIENTS: usize = 32;

const HEADERS: &str = "Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
     connect-src 'self'; img-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
     X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
     Cache-Control: no-store\r\nConnection: close\r\n";

/// Serves the page on 127.0.0.1, and nothing but the page.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    repository: Option<Vec<u8>>,
}

impl Server {
    /// Takes the port on 127.0.0.1; 0 is a free one.
    ///
    /// # Errors
    /// The port is taken, or may not be.
    pub fn bind(port: u16, repository: Option<Value>) -> Result<Self, RunnerError> {
        let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .and_then(|listener| listener.local_addr().map(|address| (listener, address)));
        let (listener, address) = bound.map_err(|error| RunnerError::BadInput {
            what: format!("port {port} of 127.0.0.1 cannot be served: {error}"),
            help: "name another port with --port, or none for a free one".to_owned(),
        })?;
        Ok(Self { listener, address, repository: repository.map(|value| value.to_string().into_bytes()) })
    }

    /// Where it is served.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until the process ends.
    ///
    /// # Errors
    /// None of a client's; only a listener that is gone.
    pub fn serve(&self) -> Result<(), RunnerError> {
        let clients = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for stream in self.listener.incoming() {
                use std::sync::atomic::Ordering::SeqCst;
                let Ok(stream) = stream else { continue };
                if clients.fetch_add(1, SeqCst) >= MOST_CLIENTS {
                    clients.fetch_sub(1, SeqCst);
                    continue;
                }
                let clients = &clients;
                scope.spawn(move || {
                    if let Err(error) = self.client(stream) {
                        tracing::debug!(target: "winter::preview", %error, "a client went away");
                    }
                    clients.fetch_sub(1, SeqCst);
                });
            }
        });
        Ok(())
    }

    fn client(&self, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_write_timeout(Some(PATIENCE))?;
        let (start, mut request) = (Instant::now(), Vec::new());
        while !request.windows(4).any(|end| end == b"\r\n\r\n") {
            let rest = PATIENCE.saturating_sub(start.elapsed());
            if rest.is_zero() || request.len() > MOST_REQUEST {
                return Ok(());
            }
            stream.set_read_timeout(Some(rest))?;
            let mut part = [0; 2048];
            let read = stream.read(&mut part)?;
            if read == 0 {
                return Ok(());
            }
            request.extend_from_slice(&part[..read]);
        }
        let (status, kind, body, head) = self.answer(&request);
        let length = body.len();
        write!(stream, "HTTP/1.1 {status}\r\n{HEADERS}Content-Type: {kind}\r\nContent-Length: {length}\r\n\r\n")?;
        if !head {
            stream.write_all(body)?;
        }
        stream.flush()
    }

    /// Status, content type, body, and whether only the headers were asked for.
    pub(super) fn answer(&self, request: &[u8]) -> (&'static str, &'static str, &[u8], bool) {
        const TEXT: &str = "text/plain; charset=utf-8";
        let refused = |status: &'static str| (status, TEXT, status.as_bytes(), false);
        let Ok(text) = std::str::from_utf8(request) else { return refused("400 Bad Request") };
        let mut lines = text.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let (Some(method), Some(target), Some("HTTP/1.1"), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return refused("400 Bad Request");
        };
        let hosts: Vec<_> = lines
            .take_while(|line| !line.is_empty())
            .filter_map(|line| line.split_once(':'))
            .filter(|(name, _)| name.eq_ignore_ascii_case("host"))
            .map(|(_, value)| value.trim())
            .collect();
        // A name that resolves to 127.0.0.1 would let another site's page read this one.
        let (port, own) = (self.address.port(), self.address.to_string());
        if !matches!(hosts[..], [host] if host == own || host == format!("localhost:{port}")) {
            return refused("421 Misdirected Request");
        }
        let head = match method {
            "GET" => false,
            "HEAD" => true,
            _ => return refused("405 Method Not Allowed"),
        };
        let name = match target {
            "/" => "index.html",
            _ => target.strip_prefix('/').unwrap_or_default(),
        };
        if let ("repository.json", Some(repository)) = (name, &self.repository) {
            return ("200 OK", "application/json", repository, head);
        }
        match web::page().find(|(known, _)| *known == name) {
            Some((_, content)) => ("200 OK", kind(name), content, head),
            None => refused("404 Not Found"),
        }
    }
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, end)| end) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}
