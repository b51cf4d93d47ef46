//! What a person reads: reports, tables, errors. Text of a repository is shown, never obeyed by a terminal.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};

use anstyle::{AnsiColor, Style};
use serde_json::json;
use winter_runner::components::ComponentFile;
use winter_runner::contract::catalog::Model;
use winter_runner::contract::explain::Sheet;
use winter_runner::contract::selection::{Answer, Applied, Outcome};
use winter_runner::{Grants, RunnerError, json};

mod report;

pub(super) use report::{Tables, counts, plan};

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
            let links = if grants.links { "; looking at links anywhere, without content" } else { "" };
            if folders.is_empty() {
                format!("denied{links}")
            } else {
                format!("reading beneath {}{links}", folders.join(", "))
            }
        }
        Some("git-index") => yes(grants.git_index),
        Some("clock") => yes(grants.clock),
        Some("process") if !grants.programs.is_empty() => {
            let programs = grants.programs.iter().map(|program| shown(&program.path.display().to_string()));
            format!("starting {}", programs.collect::<Vec<_>>().join(", "))
        }
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
