//! What a person reads: reports, tables, errors. Text of a repository is shown, never obeyed by a terminal.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};

use anstyle::{AnsiColor, Style};
use serde_json::json;
use winter_runner::components::ComponentFile;
use winter_runner::contract::catalog::Model;
use winter_runner::contract::explain::{Sheet, Topic};
use winter_runner::contract::run_home::{Node, Plan};
use winter_runner::contract::selection::{Answer, Applied, Outcome};
use winter_runner::contract::types::{Dropped, SkippedItem};
use winter_runner::{Grants, Runner, RunnerError, json};

const TITLE: Style = Style::new().bold();
const REASON: Style = AnsiColor::Yellow.on_default();
const QUIET: Style = Style::new().dimmed();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// Writes to standard output; colour goes where a terminal is.
pub(super) fn out(text: &str) -> Result<(), RunnerError> {
    written(anstream::stdout().lock(), text)
}

/// Writes to standard output as it is, so that it can be piped; what a terminal would obey is spelt out on one.
pub(super) fn plain(text: &str) -> Result<(), RunnerError> {
    let stdout = std::io::stdout();
    let line = if stdout.is_terminal() { shown(text) } else { text.to_owned() };
    written(stdout.lock(), &format!("{line}\n"))
}

/// Writes one JSON value to standard output. Only its strings can hold what `shown` spells out, and JSON has a spelling
/// for that.
pub(super) fn value(value: &serde_json::Value) -> Result<(), RunnerError> {
    let mut text = String::new();
    for letter in format!("{value:#}").chars() {
        if letter != '\n' && is_hidden(letter) {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(letter);
        }
    }
    text.push('\n');
    written(std::io::stdout().lock(), &text)
}

/// A reader that has gone is no error; any other output that is lost is one.
fn written(mut stdout: impl std::io::Write, text: &str) -> Result<(), RunnerError> {
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(RunnerError::Write { path: "standard output".into(), error })
        }
        _ => Ok(()),
    }
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
        if self::value(&json!({ "error": value })).is_ok() {
            return;
        }
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

/// A catalog, a line a model.
pub(super) fn models(models: &[Model]) -> String {
    let rows = models.iter().map(|model| {
        let auth: Vec<&str> = model.auth_views.iter().map(|kind| json::auth_kind(*kind)).collect();
        let takes: Vec<&str> = model.capabilities.modalities.iter().map(|one| json::modality(*one)).collect();
        let tag = format!("{}/{}", model.provider, model.model);
        vec![
            tag,
            model.family.clone(),
            model.protocol.clone(),
            model.context_window.to_string(),
            takes.join(" "),
            auth.join(" "),
        ]
    });
    let columns = ["tag", "family", "protocol", "context", "takes", "opened by"].map(str::to_owned).to_vec();
    sheets(&[Sheet { title: format!("Models ({})", models.len()), columns, rows: rows.collect() }])
}

/// What came of a request for a model: the sentence, what else there is, and how it was decided.
pub(super) fn answer(answer: &Answer) -> String {
    let mut text = String::new();
    match &answer.outcome {
        Outcome::Selected(one) => {
            let _ = writeln!(
                text,
                "{TITLE}{}/{}{TITLE:#} runs on {} with {} ({}), by rule {}",
                shown(&one.provider),
                shown(&one.model),
                json::runtime(one.runtime),
                shown(&one.credential_reference),
                json::auth_family(one.auth_family),
                shown(&one.rule_id)
            );
        }
        Outcome::Refused(refused) => {
            let _ = writeln!(
                text,
                "{REASON}{}{REASON:#}: {}",
                json::refused_because(refused.reason),
                shown(&refused.message)
            );
            for one in &refused.alternatives {
                let auth: Vec<&str> = one.auth.iter().map(|family| json::auth_family(*family)).collect();
                let state = if one.configured { "configured" } else { "needs" };
                let _ = writeln!(text, "  {}  {QUIET}{state} {}{QUIET:#}", shown(&one.tag), auth.join(" or "));
            }
        }
    }
    for step in &answer.steps {
        let mark = match step.applied {
            Applied::Decided => "->",
            Applied::No => "no",
            Applied::NotReached => " .",
        };
        let _ = writeln!(text, "{mark} {REASON}{}{REASON:#} {}: {}", step.id, shown(&step.when), shown(&step.because));
    }
    text
}

/// A few lines of the policy's own words.
pub(super) fn lines(lines: &[String]) -> String {
    let mut text = String::new();
    for line in lines {
        let _ = writeln!(text, "{}", shown(line));
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
        if is_hidden(letter) {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}

fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_spelt_out() {
        assert_eq!(shown("a\x1b[31mb\n\u{202e}c\u{e0041}ü"), r"a\u{1b}[31mb\n\u{202e}c\u{e0041}ü");
    }
}
