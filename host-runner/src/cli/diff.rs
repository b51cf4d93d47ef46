//! `winter diff`.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use clap::Args;
use serde_json::Value;
use winter_runner::runs::{Change, Difference, Edit, EntryDifference, Leaf, What};
use winter_runner::{Config, Grants, Runner, RunnerError};

use super::human::{self, shown};
use super::places::Places;

const TITLE: Style = Style::new().bold();
const NEW: Style = AnsiColor::Green.on_default();
const OLD: Style = AnsiColor::Red.on_default();
const OTHER: Style = AnsiColor::Yellow.on_default();
const QUIET: Style = Style::new().dimmed();

/// What stands for a value that could not be masked by its keys.
const MASK: &str = "[masked]";

/// The exit code that goes with a difference.
const FINDING: u8 = 3;

#[derive(Args)]
#[command(after_help = "Exit codes: 0 a build now would give the same, 3 it would not, 2 there is no such run.")]
pub(crate) struct Diff {
    /// The run's id, as `winter build` printed it.
    run_id: String,
    #[command(flatten)]
    places: Places,
    /// Print one JSON object.
    #[arg(long)]
    pub(super) json: bool,
    /// Print secrets as they are, not as a mask with a short digest.
    #[arg(long)]
    reveal: bool,
}

impl Diff {
    pub(super) fn run(&self) -> Result<(), RunnerError> {
        let input = self.places.input()?;
        let grants = Grants::for_run_homes(input.reads());
        let runner = Runner::new(Config { grants, ..Config::default() })?;
        let mut difference = runner.diff_run_home(&input, &self.run_id)?;
        let equal = difference.is_equal();
        if !self.reveal {
            mask(&runner, &mut difference)?;
        }
        if self.json {
            let mut value = serde_json::to_value(&difference).unwrap_or_default();
            value["equal"] = equal.into();
            human::value(&value)?;
        } else {
            human::out(&text(&difference))?;
        }
        if equal { Ok(()) } else { Err(RunnerError::Said(FINDING)) }
    }
}

/// Masks every value by the keys above it, and each line of a text that shows a secret. One call masks all.
fn mask(runner: &Runner, difference: &mut Difference) -> Result<(), RunnerError> {
    let mut documents = Vec::new();
    for leaf in leaves_of(difference) {
        documents.extend([&leaf.was, &leaf.now].into_iter().flatten().map(|value| leaf.in_place(value.clone())));
    }
    let lines = difference.entries.iter().filter_map(|entry| entry.lines.as_ref());
    documents.extend(lines.map(|lines| lines.lines().map(parted).map(|(_, line)| line).collect::<Value>()));
    let masked = runner.masked(&Value::Array(documents).to_string())?;
    let mut masked = serde_json::from_str::<Vec<Value>>(&masked).unwrap_or_default().into_iter();
    for leaf in leaves_of(difference) {
        let (mut was, mut now) = (leaf.was.take(), leaf.now.take());
        for value in [&mut was, &mut now].into_iter().flatten() {
            *value = masked.next().and_then(|document| leaf.taken_from(document)).unwrap_or_else(|| MASK.into());
        }
        (leaf.was, leaf.now) = (was, now);
    }
    for lines in difference.entries.iter_mut().filter_map(|entry| entry.lines.as_mut()) {
        let shown = masked.next().unwrap_or_default();
        let line = |(number, line): (usize, &str)| {
            let text = shown.get(number).and_then(Value::as_str).unwrap_or(MASK);
            format!("{}{text}\n", parted(line).0)
        };
        *lines = lines.lines().enumerate().map(line).collect();
    }
    Ok(())
}

fn leaves_of(difference: &mut Difference) -> impl Iterator<Item = &mut Leaf> {
    difference.inputs.iter_mut().chain(difference.entries.iter_mut().flat_map(|entry| entry.leaves.iter_mut()))
}

/// A line of a hunk as its mark and the rest.
fn parted(line: &str) -> (&str, &str) {
    line.split_at(usize::from(line.starts_with(['+', '-', ' '])))
}

fn text(difference: &Difference) -> String {
    let mut text = String::new();
    let dir = shown(&difference.dir.display().to_string());
    if difference.is_equal() {
        let _ = writeln!(text, "{dir} is as it would be built now.");
    } else {
        let _ = writeln!(text, "{TITLE}{dir}{TITLE:#} is not as it would be built now.");
    }
    section(&mut text, "Asked for otherwise", difference.inputs.len());
    leaves(&mut text, "  ", &difference.inputs);
    section(&mut text, "Entries", difference.entries.len());
    difference.entries.iter().for_each(|entry| put(&mut text, entry));
    section(&mut text, "Changed since it was built", difference.edited.len());
    for one in &difference.edited {
        let _ = writeln!(text, "  {OTHER}!{OTHER:#} {}: {}", shown(&one.path), edit(one.edit));
    }
    section(&mut text, "Written by sessions", difference.written.len());
    for one in &difference.written {
        let _ = writeln!(text, "    {} {QUIET}{}, {} bytes{QUIET:#}", shown(&one.path), one.kind, one.size);
    }
    if difference.more_written {
        text.push_str("    and more, which is not listed\n");
    }
    text
}

fn section(text: &mut String, title: &str, count: usize) {
    if count > 0 {
        let _ = writeln!(text, "\n{TITLE}{title}{TITLE:#} ({count})");
    }
}

fn put(text: &mut String, entry: &EntryDifference) {
    let (style, mark) = match entry.change {
        Change::Added => (NEW, '+'),
        Change::Removed => (OLD, '-'),
        Change::Changed => (OTHER, '~'),
    };
    let said = match (&entry.was, &entry.now) {
        (Some(was), Some(now)) => what_differs(was, now).join(", "),
        (one, other) => one.as_ref().or(other.as_ref()).map_or(String::new(), alone),
    };
    let _ = writeln!(text, "  {style}{mark}{style:#} {}: {}", shown(&entry.path), shown(&said));
    leaves(text, "      ", &entry.leaves);
    for line in entry.lines.iter().flat_map(|lines| lines.lines()) {
        let style = match line.as_bytes().first() {
            Some(b'+') => NEW,
            Some(b'-') => OLD,
            _ => QUIET,
        };
        let _ = writeln!(text, "      {style}{}{style:#}", shown(line));
    }
}

fn alone(what: &What) -> String {
    let size = what.size.map_or(String::new(), |size| format!(", {size} bytes"));
    let target = what.target.as_ref().map_or(String::new(), |target| format!(" to {target}"));
    format!("{}{target}{size}, from {}", what.kind, what.source)
}

fn what_differs(was: &What, now: &What) -> Vec<String> {
    let mut said = Vec::new();
    let mut differs = |name: &str, was: Option<&str>, now: Option<&str>| {
        if was != now {
            said.push(format!("{name} {} -> {}", was.unwrap_or("none"), now.unwrap_or("none")));
        }
    };
    differs("kind", Some(was.kind), Some(now.kind));
    if was.kind == now.kind {
        differs("mode", was.mode.as_deref(), now.mode.as_deref());
        differs("target", was.target.as_deref(), now.target.as_deref());
        if was.sha256 != now.sha256 {
            let size = |what: &What| what.size.map_or_else(|| "?".to_owned(), |size| size.to_string());
            said.push(format!("content, {} -> {} bytes", size(was), size(now)));
        }
    }
    said
}

fn leaves(text: &mut String, indent: &str, leaves: &[Leaf]) {
    for leaf in leaves {
        let place = shown(&leaf.place());
        for (style, mark, value) in [(OLD, '-', &leaf.was), (NEW, '+', &leaf.now)] {
            if let Some(value) = value {
                let _ = writeln!(text, "{indent}{style}{mark} {place}: {}{style:#}", shown(&value.to_string()));
            }
        }
    }
}

fn edit(edit: Edit) -> &'static str {
    match edit {
        Edit::Missing => "it is missing",
        Edit::Kind => "something else stands there",
        Edit::Mode => "its mode",
        Edit::Content => "its content",
        Edit::Target => "where it leads",
        Edit::Unreadable => "it cannot be read",
    }
}
