//! A plan, or what was built of it, and its report: the gravest first, each reason with why and what to do.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use winter_runner::contract::explain::Topic;
use winter_runner::contract::run_home::{Node, Plan, Report};
use winter_runner::contract::types::Dropped;
use winter_runner::{Runner, RunnerError, json};

use super::{QUIET, REASON, TITLE, shown};

/// The severities in order, and how a person is told of them.
const SEVERITIES: [(&str, &str); 4] = [
    ("danger", "Would have acted, and does not"),
    ("loss", "Left out"),
    ("choice", "Not a repository's to choose"),
    ("remark", "Good to know"),
];

/// Why each reason is one, how grave it is and what to do, out of the policy's own tables.
pub(crate) struct Tables {
    why: BTreeMap<String, String>,
    /// In the order in which they are told: reason, severity, remedy.
    advice: Vec<[String; 3]>,
}

impl Tables {
    pub(crate) fn of(runner: &Runner) -> Result<Self, RunnerError> {
        let mut why = BTreeMap::new();
        for topic in [Topic::Settings, Topic::Env, Topic::Mcp] {
            for row in runner.sheets(topic)?.into_iter().next().into_iter().flat_map(|sheet| sheet.rows) {
                if let [id, _, _, reason, ..] = row.as_slice() {
                    why.entry(id.clone()).or_insert_with(|| reason.clone());
                }
            }
        }
        let rows = runner.sheets(Topic::Report)?.into_iter().flat_map(|sheet| sheet.rows);
        Ok(Self { why, advice: rows.filter_map(|row| row.try_into().ok()).collect() })
    }

    fn place(&self, reason: &str) -> usize {
        self.advice.iter().position(|[id, ..]| id == reason).unwrap_or(usize::MAX)
    }

    /// What nobody classified is told among the gravest.
    fn severity(&self, reason: &str) -> &str {
        self.advice.get(self.place(reason)).map_or("danger", |[_, severity, _]| severity)
    }
}

/// One line of a report.
struct Line {
    reason: String,
    what: String,
    place: String,
}

/// A plan, or what was built of it.
pub(crate) fn plan(plan: &Plan, built: bool, reveal: bool, tables: &Tables) -> String {
    let mut text = String::new();
    let _ = if built {
        writeln!(text, "{}", shown(&plan.dir))
    } else {
        writeln!(text, "{TITLE}Plan{TITLE:#} for {} (nothing was written)", shown(&plan.dir))
    };
    for entry in &plan.entries {
        let what = match &entry.node {
            Node::Directory => continue,
            Node::Content(bytes) => format!(", {} bytes", bytes.len()),
            Node::Copy(copy) => format!(", {} bytes, copied", copy.identity.size),
            Node::Splice(splice) => format!(", header of {} bytes, text copied", splice.head.len()),
            Node::Link(_) => ", linked".to_owned(),
        };
        let _ = writeln!(text, "  {}{what} {QUIET}from {}{QUIET:#}", shown(&entry.path), shown(&entry.source));
    }
    report(&mut text, &plan.report, reveal, tables);
    if let Some(config) = plan.mcp_config.as_ref().filter(|_| built) {
        let strict = if config.strict { " --strict-mcp-config" } else { "" };
        let entry = format!("{}/{}", plan.dir, config.entry);
        let _ = writeln!(text, "\nIts MCP servers start with: --mcp-config {}{strict}", shown(&entry));
    }
    text
}

/// How many things of each severity a report holds, remarks left out: `3 would have acted, and do not`.
pub(crate) fn counts(report: &Report, tables: &Tables) -> Vec<String> {
    let lines = lines(report, false);
    let told = [("danger", "would have acted"), ("loss", "left out"), ("choice", "not a repository's to choose")];
    let count = |severity| lines.iter().filter(|line| tables.severity(&line.reason) == severity).count();
    let told = told.into_iter().map(|(severity, words)| (count(severity), words));
    told.filter(|(count, _)| *count > 0).map(|(count, words)| format!("{count} {words}")).collect()
}

fn report(text: &mut String, report: &Report, reveal: bool, tables: &Tables) {
    let mut lines = lines(report, reveal);
    // Stable: within a reason in the report's own order.
    lines.sort_by_key(|line| tables.place(&line.reason));
    for (severity, title) in SEVERITIES {
        let of: Vec<&Line> = lines.iter().filter(|line| tables.severity(&line.reason) == severity).collect();
        if of.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{TITLE}{title}{TITLE:#} ({})", of.len());
        for group in of.chunk_by(|a, b| a.reason == b.reason) {
            let reason = &group[0].reason;
            let why = tables.why.get(reason).map_or(String::new(), |why| format!(": {why}"));
            let _ = writeln!(text, "  {REASON}{reason}{REASON:#}{why}");
            for line in group {
                let _ = writeln!(text, "    {}  {QUIET}{}{QUIET:#}", shown(&line.what), shown(&line.place));
            }
            if let Some([_, _, remedy]) = tables.advice.get(tables.place(reason)) {
                let _ = writeln!(text, "    {QUIET}-> {remedy}{QUIET:#}");
            }
        }
    }
    if lines.iter().all(|line| tables.severity(&line.reason) == "remark") {
        text.push_str("\nNothing was dropped.\n");
    }
}

fn lines(report: &Report, reveal: bool) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut line = |reason: &str, what: String, place: String| {
        lines.push(Line { reason: reason.to_owned(), what, place });
    };
    for rule in &report.dropped_rules {
        line(&rule.reason, dropped(rule, reveal), dropped_place(rule));
    }
    for power in &report.removed_powers {
        line(&power.reason, format!("{}: {}", power.carrier, power.value), at(&power.file, Some(power.line), None));
    }
    for server in &report.dropped_mcp_servers {
        let place = format!("{} ({})", at(&server.source, server.line, None), json::tier(server.scope));
        line(&server.reason, format!("MCP server {}: {}", server.name, server.detail), place);
    }
    for import in &report.dropped_imports {
        let what = format!("@{}: {}", import.target, import.detail);
        line(json::import_fault(import.reason), what, at(&import.file, Some(import.line), None));
    }
    for agent in &report.skipped_agents {
        line("skipped-agent", agent.detail.clone(), at(&agent.path, agent.line, agent.column));
    }
    for link in &report.skipped_links {
        line(json::link_fault(link.reason), format!("the link to {}", link.target), link.path.clone());
    }
    for item in &report.skipped_items {
        line(json::skip_reason(item.reason), item.detail.clone(), at(&item.path, item.line, item.column));
    }
    for rule in &report.unconditional_rules {
        line("unconditional-rule", format!("{} is always in context", rule.entry), rule.path.clone());
    }
    for link in &report.external_user_links {
        let granted = if link.granted { "which was granted" } else { "which was not granted" };
        line("external-user-link", format!("your link to {}, {granted}", link.target), link.path.clone());
    }
    for notice in &report.notices {
        line(json::notice_kind(notice.kind), notice.text.clone(), at(&notice.path, notice.line, None));
    }
    lines
}

fn dropped(rule: &Dropped, reveal: bool) -> String {
    match &rule.withheld {
        Some(value) if reveal => format!("{}: {value}", rule.rule),
        Some(_) => format!("{} (its value is not shown; --reveal shows it)", rule.rule),
        None => rule.rule.clone(),
    }
}

fn dropped_place(rule: &Dropped) -> String {
    let because = rule.because.map_or(String::new(), |because| format!(", shipped({})", json::because(because)));
    format!("{} ({}{because})", at(&rule.source, rule.line, None), json::tier(rule.tier))
}

fn at(path: &str, line: Option<u32>, column: Option<u32>) -> String {
    match (line, column) {
        (Some(line), Some(column)) => format!("{path}:{line}:{column}"),
        (Some(line), None) => format!("{path}:{line}"),
        (None, _) => path.to_owned(),
    }
}
