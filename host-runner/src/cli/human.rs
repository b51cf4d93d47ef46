//! What a person reads: reports, tables, errors. Text of a repository is shown, never obeyed by a terminal.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;

use anstyle::{AnsiColor, Style};
use serde_json::json;
use winter_runner::components::ComponentFile;
use winter_runner::contract::explain::{Sheet, Topic};
use winter_runner::contract::run_home::{Node, Plan};
use winter_runner::contract::types::{Dropped, SkippedItem};
use winter_runner::{Grants, Runner, RunnerError, json};

const TITLE: Style = Style::new().bold();
const REASON: Style = AnsiColor::Yellow.on_default();
const QUIET: Style = Style::new().dimmed();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// Writes to standard output; colour goes where a terminal is. A reader that has gone is no error.
pub(super) fn out(text: &str) {
    let _ = anstream::stdout().lock().write_all(text.as_bytes());
}

/// One error, in the one form: a sentence with its code, and what to do.
pub(super) fn error(error: &RunnerError, as_json: bool) {
    if as_json {
        let mut value = json!({"code": error.code(), "message": error.sentence(), "help": error.help()});
        if let RunnerError::Refused(refusal) = error {
            value["source"] = refusal.source.clone().into();
            value["line"] = refusal.line.into();
            value["column"] = refusal.column.into();
        }
        out(&format!("{:#}\n", json!({ "error": value })));
        return;
    }
    let mut text = format!("{ERROR}error[{}]{ERROR:#}: {}\n", error.code(), shown(&error.sentence()));
    if let RunnerError::Refused(refusal) = error
        && let (Some(source), Some(line)) = (&refusal.source, refusal.line)
    {
        let column = refusal.column.map_or(String::new(), |column| format!(":{column}"));
        let _ = writeln!(text, "  --> {}:{line}{column}", shown(source));
    }
    if let Some(help) = error.help() {
        let _ = writeln!(text, "help: {}", shown(&help));
    }
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// Why each reason is one, out of the policy's own tables, and the order in which they are told.
pub(super) struct Tables {
    order: Vec<String>,
    why: BTreeMap<String, String>,
}

impl Tables {
    pub(super) fn of(runner: &Runner) -> Result<Self, RunnerError> {
        let (mut order, mut why) = (Vec::new(), BTreeMap::new());
        for topic in [Topic::Settings, Topic::Env] {
            for row in runner.sheets(topic)?.into_iter().next().into_iter().flat_map(|sheet| sheet.rows) {
                if let [id, _, _, reason, ..] = row.as_slice()
                    && !why.contains_key(id)
                {
                    order.push(id.clone());
                    why.insert(id.clone(), reason.clone());
                }
            }
        }
        Ok(Self { order, why })
    }
}

/// A plan, or what was built of it.
pub(super) fn plan(plan: &Plan, built: bool, reveal: bool, tables: &Tables) -> String {
    let mut text = String::new();
    let _ = if built {
        writeln!(text, "{}", shown(&plan.dir))
    } else {
        writeln!(text, "{TITLE}Plan{TITLE:#} for {} (nothing was written)", shown(&plan.dir))
    };
    for entry in &plan.entries {
        let size = match &entry.node {
            Node::Content(bytes) => format!(", {} bytes", bytes.len()),
            Node::Directory | Node::Copy(_) | Node::Link(_) => String::new(),
        };
        let _ = writeln!(text, "  {}{size} {QUIET}from {}{QUIET:#}", shown(&entry.path), shown(&entry.source));
    }
    let report = &plan.report;
    dropped(&mut text, &report.dropped_rules, reveal, tables);
    section(&mut text, "Links that were not followed", report.skipped_links.len());
    for link in &report.skipped_links {
        let _ = writeln!(
            text,
            "  {REASON}{}{REASON:#}  {} -> {}",
            json::link_fault(link.reason),
            shown(&link.path),
            shown(&link.target)
        );
    }
    section(&mut text, "Left out", report.skipped_items.len());
    for item in &report.skipped_items {
        let _ = writeln!(
            text,
            "  {REASON}{}{REASON:#}  {}: {}",
            json::skip_reason(item.reason),
            shown(&place(item)),
            shown(&item.detail)
        );
    }
    section(&mut text, "Notes", report.notices.len());
    for notice in &report.notices {
        let line = notice.line.map_or(String::new(), |line| format!(":{line}"));
        let _ = writeln!(text, "  {}{line}: {}", shown(&notice.path), shown(&notice.text));
    }
    if report.dropped_rules.is_empty() && report.skipped_links.is_empty() && report.skipped_items.is_empty() {
        text.push_str("\nNothing was dropped.\n");
    }
    text
}

fn dropped(text: &mut String, rules: &[Dropped], reveal: bool, tables: &Tables) {
    section(text, "Dropped", rules.len());
    let mut reasons: Vec<&str> = rules.iter().map(|rule| rule.reason.as_str()).collect();
    reasons.sort_by_key(|reason| tables.order.iter().position(|one| one == reason));
    reasons.dedup();
    for reason in reasons {
        let why = tables.why.get(reason).map_or("", String::as_str);
        let _ = writeln!(text, "  {REASON}{reason}{REASON:#}: {why}");
        for rule in rules.iter().filter(|rule| rule.reason == reason) {
            let line = rule.line.map_or(String::new(), |line| format!(":{line}"));
            let value = match &rule.withheld {
                Some(value) if reveal => format!(": {value}"),
                Some(_) => " (its value is not shown; --reveal shows it)".to_owned(),
                None => String::new(),
            };
            let because =
                rule.because.map_or(String::new(), |because| format!(", shipped({})", json::because(because)));
            let _ = writeln!(
                text,
                "    {}{}  {QUIET}{}{line} ({}{because}){QUIET:#}",
                shown(&rule.rule),
                shown(&value),
                shown(&rule.source),
                json::tier(rule.tier)
            );
        }
    }
}

fn section(text: &mut String, title: &str, count: usize) {
    if count > 0 {
        let _ = writeln!(text, "\n{TITLE}{title}{TITLE:#} ({count})");
    }
}

fn place(item: &SkippedItem) -> String {
    match (item.line, item.column) {
        (Some(line), Some(column)) => format!("{}:{line}:{column}", item.path),
        _ => item.path.clone(),
    }
}

/// Tables, each column as wide as it needs to be.
pub(super) fn sheets(sheets: &[Sheet]) -> String {
    let mut text = String::new();
    for (place, sheet) in sheets.iter().enumerate() {
        let width = |column: usize| {
            let cells = sheet.rows.iter().filter_map(|row| row.get(column));
            cells.chain(sheet.columns.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..sheet.columns.len()).map(width).collect();
        let line = |cells: &[String]| {
            let padded = cells.iter().zip(&widths).map(|(cell, &width)| format!("{:width$}", shown(cell)));
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        let gap = if place == 0 { "" } else { "\n" };
        let _ = writeln!(text, "{gap}{TITLE}{}{TITLE:#}", sheet.title);
        let _ = writeln!(text, "{QUIET}{}{QUIET:#}", line(&sheet.columns));
        for row in &sheet.rows {
            let _ = writeln!(text, "{}", line(row));
        }
    }
    text
}

/// What the components are, and what they would be lent.
pub(super) fn inspection(files: &[ComponentFile], grants: &Grants) -> String {
    let mut text = String::new();
    for file in files {
        let _ = writeln!(text, "{TITLE}{}{TITLE:#} ({}), {} bytes", file.name, file.world, file.wasm.len());
        let _ = writeln!(text, "  sha256 {}", file.digest());
        if file.imports().is_empty() {
            text.push_str("  imports nothing\n");
        }
        for import in file.imports() {
            let _ = writeln!(text, "  imports {import}: {}", granted(import, grants));
        }
    }
    text
}

fn granted(import: &str, grants: &Grants) -> String {
    let yes = |granted: bool| if granted { "granted" } else { "denied" }.to_owned();
    match import.split(['/', '@']).nth(1) {
        Some("files") => {
            let folders: Vec<String> = grants.read.iter().map(|path| shown(&path.display().to_string())).collect();
            if folders.is_empty() { "denied".to_owned() } else { format!("reading beneath {}", folders.join(", ")) }
        }
        Some("git-index") => yes(grants.git_index),
        Some("clock") => yes(grants.clock),
        _ => "denied".to_owned(),
    }
}

/// Text with every character spelt out that a terminal would obey, or that a reader would not see.
pub(super) fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        let hidden = letter.is_control()
            || matches!(letter, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}');
        if hidden {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_spelt_out() {
        assert_eq!(shown("a\x1b[31mb\n\u{202e}c\u{e0041}ü"), r"a\u{1b}[31mb\n\u{202e}c\u{e0041}ü");
    }
}
