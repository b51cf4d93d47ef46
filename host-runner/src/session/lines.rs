//! What a child writes, as a stream.

use std::io;
use std::pin::Pin;

use futures::Stream;
use futures::stream::unfold;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};

/// The longest piece that [`Lines`] yields, in bytes: a longer line comes in pieces.
pub const MAX_LINE: usize = 1 << 20;

/// Lines, each with its line feed, byte for byte; the last may have none. Nothing is read ahead but one buffer, so a
/// reader that is slow slows the child.
pub type Lines = Pin<Box<dyn Stream<Item = io::Result<Vec<u8>>> + Send>>;

pub(super) fn of(reader: impl AsyncRead + Send + Unpin + 'static) -> Lines {
    Box::pin(unfold(Some(BufReader::new(reader)), |reader| async {
        let mut reader = reader?;
        let mut line = Vec::new();
        match (&mut reader).take(MAX_LINE as u64).read_until(b'\n', &mut line).await {
            Ok(0) => None,
            Ok(_) => Some((Ok(line), Some(reader))),
            // What was read before the fault was written by the child, too.
            Err(error) => Some((Err(error), None)),
        }
    }))
}

#[cfg(test)]
mod tests {
    use futures::StreamExt as _;

    use super::*;

    fn all(bytes: &'static [u8]) -> Vec<Vec<u8>> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(of(bytes).map(Result::unwrap).collect())
    }

    #[test]
    fn lines_are_what_was_written() {
        assert_eq!(all(b"a\r\n\n\xff\0"), [&b"a\r\n"[..], b"\n", b"\xff\0"]);
        assert!(all(b"").is_empty());
        let long: &[u8] = vec![b'x'; 3 * MAX_LINE + 1].leak();
        assert_eq!(all(long).iter().map(Vec::len).collect::<Vec<_>>(), [MAX_LINE, MAX_LINE, MAX_LINE, 1]);
    }
}
