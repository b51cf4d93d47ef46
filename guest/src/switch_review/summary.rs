//! The answers for a person: the same lines on a terminal and on a page.

use super::answer::{Review, TipReport};
use super::identity::Identity;
use super::losses::{Loss, Severity};
use super::oddity::Oddity;

/// The verdict in one sentence, the losses with their counts, what would avoid them, and what was odd.
pub fn summary(review: &Review) -> Vec<String> {
    let (from, to) = (name(&review.tip.identity), review.target.name());
    let mut lines = vec![match review.severity {
        None => format!("Switching from {from} to {to} needs no review: provider, protocol and family stay the same."),
        Some(Severity::Lossless) => format!("Switching from {from} to {to} loses nothing."),
        Some(Severity::Lossy) if review.losses.is_empty() => {
            format!("Switching from {from} to {to} loses nothing of what was read; not all of the context was.")
        }
        Some(Severity::Lossy) => format!("Switching from {from} to {to} loses something; the conversation can go on."),
        Some(Severity::Blocking) => format!("Switching from {from} to {to} is blocked as things stand."),
    }];
    let carried = &review.carried;
    if !review.skip {
        lines.push(format!(
            "In context: {}, {}, about {}.",
            counted(carried.messages, "message", "messages"),
            counted(carried.characters, "character", "characters"),
            counted(carried.tokens, "token", "tokens")
        ));
        if review.truncated {
            let (read, all) = (grouped(review.extent.read), grouped(review.extent.file_length));
            lines.push(format!("The budget ended the reading: the last {read} of {all} bytes were read."));
        }
    }
    if !review.losses.is_empty() {
        lines.push("Lost:".to_owned());
        lines.extend(review.losses.iter().map(loss));
        lines.push("What would avoid it:".to_owned());
        lines.extend(review.losses.iter().map(|loss| {
            let rule = loss.kind.rule();
            format!("  {}: {}", rule.id, rule.avoid)
        }));
    }
    lines.extend(odd(&review.oddities));
    lines
}

/// The tip in one sentence, the reasons, and what was odd.
pub fn tip_summary(report: &TipReport) -> Vec<String> {
    let (tip, extent) = (&report.tip, &report.extent);
    let mut lines = vec![match &tip.entry {
        Some(entry) => format!("The live tip is {}, by {}.", entry.uuid, name(&tip.identity)),
        None if tip.truncated => format!("No tip was found in the last {} bytes.", grouped(extent.read)),
        None => "There is no live tip.".to_owned(),
    }];
    lines.extend(tip.reasons.iter().map(|reason| match &reason.uuid {
        Some(uuid) => format!("  {uuid}: {}", reason.text),
        None => format!("  {}", reason.text),
    }));
    lines.push(format!(
        "The lineage reaches {} of {} entries in the {} bytes that were read.",
        grouped(extent.reachable),
        grouped(extent.entries),
        grouped(extent.read)
    ));
    lines.extend(odd(&report.oddities));
    lines
}

fn name(identity: &Identity) -> String {
    let name = identity.origin.name();
    if name.is_empty() { "an unknown model".to_owned() } else { name }
}

fn loss(loss: &Loss) -> String {
    let rule = loss.kind.rule();
    let names = if loss.names.is_empty() { String::new() } else { format!(" ({})", loss.names.join(", ")) };
    let blocking = if loss.severity == Severity::Blocking { ", blocking" } else { "" };
    let (count, characters) =
        (counted(loss.count, rule.unit, rule.units), counted(loss.characters, "character", "characters"));
    format!("  {}{blocking}: {count}{names}, {characters}: {}", rule.id, rule.when)
}

fn odd(oddities: &[Oddity]) -> Vec<String> {
    let line = |odd: &Oddity| {
        let times = if odd.count == 1 { "once".to_owned() } else { format!("{} times", grouped(odd.count)) };
        format!("  {}, {times}: {}; {}", odd.kind.id(), odd.kind.what(), odd.kind.treatment())
    };
    let mut lines: Vec<String> = oddities.iter().map(line).collect();
    if !lines.is_empty() {
        lines.insert(0, "Odd in the transcript:".to_owned());
    }
    lines
}

/// `1 reply`, `2,000 replies`.
pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// `1,234,567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
