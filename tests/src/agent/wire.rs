//! As much of HTTP/1.1 as the agent program speaks to a model: one request a connection, bodies of a known length.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

/// Far more than any request here; what is longer is not one of ours.
const LONGEST: u64 = 64 << 20;

/// A request that the server was sent.
#[derive(Clone, Debug)]
pub struct Request {
    /// The method, as sent.
    pub method: String,
    /// Path and query, as sent; host and port for `CONNECT`.
    pub path: String,
    /// Names (in lower case) and values, in order.
    pub headers: Vec<(String, String)>,
    /// The body where it is JSON, a string where it is not, null where there is none.
    pub body: Value,
}

impl Request {
    /// The first value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The path without its query.
    pub fn place(&self) -> &str {
        self.path.split('?').next().unwrap_or_default()
    }

    /// Whether this asks the model for a message.
    pub fn asks(&self) -> bool {
        self.method == "POST" && self.place().ends_with("/v1/messages")
    }
}

/// Reads one request; none when the peer went away without one.
pub(super) fn read(stream: &TcpStream) -> io::Result<Option<Request>> {
    let mut reader = BufReader::new(stream).take(LONGEST);
    let mut first = String::new();
    if reader.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    let mut words = first.split_whitespace().map(str::to_owned);
    let (Some(method), Some(path)) = (words.next(), words.next()) else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut request = Request { method, path, headers, body: Value::Null };
    let length = request.header("content-length").map_or(Ok(0), str::parse);
    let length = length.map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
    if length > 0 {
        let mut bytes = vec![0; length];
        reader.read_exact(&mut bytes)?;
        request.body = serde_json::from_slice(&bytes)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into_owned()));
    }
    Ok(Some(request))
}

/// Answers with a body of a known length and closes.
pub(super) fn answer(
    mut stream: &TcpStream,
    status: u16,
    content_type: &str,
    body: &[u8],
    head: bool,
) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status} -\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    )?;
    if !head {
        stream.write_all(body)?;
    }
    stream.flush()
}

/// Begins a body that ends with the connection.
pub(super) fn begin_events(mut stream: &TcpStream) -> io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 -\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
}
