//! One transcript, step by step as the policy asks.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Seek as _, SeekFrom};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Deserialize as _;
use serde::de::IgnoredAny;

use super::artifacts::Fault;
use super::files::{self, BLOCK, Parent, facts};
use super::quarantine::What;
use super::{Done, Item, Work, reason_id};
use crate::capability::files::Kind;
use crate::contract::recovery::{Append, FileOutcome, Known, Next, Quarantine, Tail};
use crate::error::RunnerError;

/// Lines up to this many bytes are read whole; longer ones are proven in a second pass over them.
const SHORT: u64 = 4 << 20;

impl Work<'_> {
    /// Brings one transcript home; one that grows meanwhile is tried twice.
    pub(super) fn transcript(&self, item: &Item) -> Result<Done, RunnerError> {
        let mut seen = 0;
        let done = match self.try_transcript(item, &mut seen) {
            Ok(done) => Ok(done),
            Err(Fault::Policy(error)) => Err(error),
            Err(Fault::File(why)) => Ok(Done::pending(why)),
        };
        // What needed no look counts as well, and so does what was read twice, but once.
        let size = item.entry.identity.size;
        self.bytes.fetch_add(size.saturating_sub(seen), Ordering::Relaxed);
        self.bytes.fetch_sub(seen.saturating_sub(size), Ordering::Relaxed);
        done
    }

    fn try_transcript(&self, item: &Item, seen: &mut u64) -> Result<Done, Fault> {
        let folder = self.folder_of(item)?;
        let name = &item.path[item.path.len() - 1];
        let copy = match item.entry.kind {
            Kind::Regular => Some(folder.open_admitted(name, item.entry.identity)?),
            _ => None,
        };
        let (there, blocked) = match self.home.parent(&item.path, false)? {
            Parent::There(parent) => (Some(parent), false),
            Parent::Absent => (None, false),
            Parent::InTheWay => (None, true),
        };
        let entry = match &there {
            Some(parent) => parent.stat(name)?,
            None => None,
        };
        let canonical = match (&there, &entry) {
            (Some(parent), Some(entry)) if entry.kind == Kind::Regular => {
                Some(parent.open_admitted(name, entry.identity)?)
            }
            _ => None,
        };
        let mut known = Known {
            copy: facts(Some(&item.entry)),
            canonical: facts(entry.as_ref()),
            equal: 0,
            differ: false,
            tail: None,
        };
        if blocked {
            known.canonical.kind = crate::contract::recovery::FileKind::Link;
        }
        loop {
            let runner = self.runner;
            let next = runner.call(|store, guest| guest.winter_runtime_recovery().call_step(store, known));
            match (next.map_err(Fault::Policy)?, &copy, &canonical) {
                (Next::Compare(length), Some(copy), Some(canonical)) => {
                    known.differ = !files::same(copy, canonical, known.equal, length)?;
                    known.equal += length;
                    *seen += length;
                    self.bytes.fetch_add(length, Ordering::Relaxed);
                }
                (Next::ReadLines, Some(copy), _) => {
                    known.tail = Some(tail(copy, known.canonical.size, known.copy.size, self.bytes)?);
                    *seen += known.copy.size.saturating_sub(known.canonical.size);
                }
                (Next::Level, ..) => return Ok(Done::of(FileOutcome::Clean)),
                (Next::CanonicalAhead, ..) => return Ok(Done::of(FileOutcome::CanonicalAhead)),
                (Next::Append(append), Some(copy), canonical) => {
                    return self.append(item, copy, canonical.as_ref(), append);
                }
                (Next::Quarantine(reason), copy, _) => return self.set_aside(item, copy.as_ref(), reason),
                (Next::Compare(_) | Next::ReadLines | Next::Append(_), ..) => {
                    let what = "recovery asked for bytes of a file that does not stand".to_owned();
                    return Err(Fault::Policy(RunnerError::GuestFailed(what)));
                }
            }
        }
    }

    fn append(&self, item: &Item, copy: &File, canonical: Option<&File>, append: Append) -> Result<Done, Fault> {
        let name = &item.path[item.path.len() - 1];
        let mut done = Done::of(FileOutcome::Appended);
        if append.length > 0 || canonical.is_none() {
            let Parent::There(parent) = self.home.parent(&item.path, true)? else {
                return self.set_aside(item, Some(copy), Quarantine::CanonicalNotRegular);
            };
            let mut file = match canonical {
                None => files::create(&parent, name)?,
                Some(canonical) => {
                    let file = files::open_end(&parent, name)?;
                    let (open, compared) = (file.metadata()?, canonical.metadata()?);
                    // Not the file that was compared, or no longer as long: another program writes to it.
                    if (open.dev(), open.ino()) != (compared.dev(), compared.ino()) || open.len() != append.from {
                        return Ok(Done::pending("the shared home's transcript is being written to"));
                    }
                    file
                }
            };
            file.seek(SeekFrom::End(0))?;
            let end: &[u8] = if append.newline { b"\n" } else { b"" };
            files::copy_synced(copy, append.from, append.length, end, &mut file)?;
            done.appended = append.length + end.len() as u64;
            if canonical.is_none() {
                files::sync_folder(&parent);
            }
            if file.metadata()?.len() != append.from + done.appended {
                return Ok(Done { reason: Some("another program wrote to it, too".to_owned()), ..done }.into_pending());
            }
        } else {
            done.outcome = FileOutcome::Clean;
        }
        if let Some(from) = append.torn {
            let length = item.entry.identity.size - from;
            let path = format!("{}.torn-tail", item.path.join("/"));
            self.cell.keep(&path, &What::Bytes { file: copy, from, length }, Quarantine::TornTail)?;
            done.outcome = FileOutcome::Quarantined;
            done.reason = Some(reason_id(Quarantine::TornTail).to_owned());
        }
        // It grew while it was read: what it holds more is for the next time.
        if copy.metadata()?.len() != item.entry.identity.size {
            done.reason = Some("it is being written to".to_owned());
            return Ok(done.into_pending());
        }
        Ok(done)
    }
}

impl Done {
    fn into_pending(self) -> Self {
        Self { outcome: FileOutcome::Pending, ..self }
    }
}

/// What the lines of `file` show, from the beginning of the one that holds the byte before `from`, to `size`.
///
/// A long file is proven by two threads, each from a beginning of a line.
fn tail(file: &File, from: u64, size: u64, bytes: &AtomicU64) -> io::Result<Tail> {
    let begin = line_start(file, from)?;
    if size - begin < 2 * files::SHARE {
        return lines(file, begin, size, bytes);
    }
    let middle = line_start(file, begin + (size - begin) / 2)?.max(begin);
    let (first, rest) = std::thread::scope(|scope| {
        let first = scope.spawn(|| lines(file, begin, middle, bytes));
        let rest = lines(file, middle, size, bytes);
        (first.join(), rest)
    });
    let (first, rest) = (first.unwrap_or_else(|_| Err(io::Error::other("a thread ended")))?, rest?);
    Ok(Tail { bad_line: first.bad_line.or(rest.bad_line), ..rest })
}

/// The same for the lines that begin at `begin`.
fn lines(file: &File, begin: u64, end: u64, bytes: &AtomicU64) -> io::Result<Tail> {
    let mut reader = BufReader::with_capacity(BLOCK, Range { file, at: begin, end });
    let mut tail = Tail { whole: begin, bad_line: None, rest_is_json: false };
    let (mut at, mut told, mut line) = (begin, begin, Vec::new());
    loop {
        // Most lines stand whole in what was read already.
        let block = reader.fill_buf()?;
        if let Some(length) = memchr::memchr(b'\n', block) {
            let is_line = is_line(&block[..length]);
            if !is_line && tail.bad_line.is_none() {
                tail.bad_line = Some(at);
            }
            reader.consume(length + 1);
            at += length as u64 + 1;
            tail.whole = at;
            continue;
        }
        bytes.fetch_add(at - told, Ordering::Relaxed);
        told = at;
        line.clear();
        let read = (&mut reader).take(SHORT).read_until(b'\n', &mut line)? as u64;
        if read == 0 {
            return Ok(tail);
        }
        let mut length = read;
        let mut ended = line.last() == Some(&b'\n');
        let mut is_long_line = None;
        if !ended && read == SHORT {
            while !ended {
                line.clear();
                let more = (&mut reader).take(SHORT).read_until(b'\n', &mut line)? as u64;
                if more == 0 {
                    break;
                }
                length += more;
                ended = line.last() == Some(&b'\n');
            }
            is_long_line = Some(proven(Range { file, at, end: at + length }));
        }
        if !ended {
            tail.rest_is_json = is_long_line.unwrap_or_else(|| is_json(&line));
            return Ok(tail);
        }
        if !is_long_line.unwrap_or_else(|| is_line(&line)) && tail.bad_line.is_none() {
            tail.bad_line = Some(at);
        }
        at += length;
        tail.whole = at;
    }
}

fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(text).is_ok()
}

/// Whether it is JSON, or nothing but white space.
fn is_line(text: &[u8]) -> bool {
    is_json(text) || text.iter().all(u8::is_ascii_whitespace)
}

fn proven(range: Range<'_>) -> bool {
    let mut json = serde_json::Deserializer::from_reader(BufReader::with_capacity(BLOCK, range));
    IgnoredAny::deserialize(&mut json).is_ok() && json.end().is_ok()
}

/// Where the line begins that holds the byte before `from`, or ends there.
fn line_start(file: &File, from: u64) -> io::Result<u64> {
    let mut end = from;
    let mut block = vec![0; 1 << 16];
    while end > 0 {
        let count = usize::try_from(end).unwrap_or(block.len()).min(block.len());
        let begin = end - count as u64;
        file.read_exact_at(&mut block[..count], begin)?;
        if let Some(place) = block[..count].iter().rposition(|&byte| byte == b'\n') {
            return Ok(begin + place as u64 + 1);
        }
        end = begin;
    }
    Ok(0)
}

/// Some bytes of a file, whatever its own position is.
struct Range<'a> {
    file: &'a File,
    at: u64,
    end: u64,
}

impl Read for Range<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.end - self.at).unwrap_or(into.len()).min(into.len());
        let read = self.file.read_at(&mut into[..most], self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}
