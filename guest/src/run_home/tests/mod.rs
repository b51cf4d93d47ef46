//! The run home over an in-memory host.

mod instructions;
mod items;
mod own;
mod properties;
mod reports_bounds;
mod reports_items;
mod reports_settings;
mod reports_texts;
mod rules;
mod servers;
mod settings;

use super::*;
use crate::brand::Profile;
use crate::memory::{Memory, MemoryFolder, MemoryGit, Node as Stored, Still};
use crate::ports::{Evidence, Place as GitPlace, ProbeError};
use crate::report::{LinkFault, Refusal, RefusalKind, ShippedBecause, SkipReason};
use crate::tier::Powers;

const ACCEPTING: &str = r#"{"permissions":{"defaultMode":"acceptEdits"}}"#;

fn input() -> Input {
    Input {
        run_id: "run-0001".into(),
        home: "/home/me/.winter".into(),
        home_spellings: Vec::new(),
        shared_home: "/home/me/.winter/sdk".into(),
        mode: Mode::Code,
        dispatch_child: false,
        leg: Leg::Winter,
        mcp_disabled: Vec::new(),
        reserved_mcp_server_names: Vec::new(),
        memory_dir: String::new(),
        brand: Profile::winter(),
        powers: Powers::Drop,
        allow_inexpressible: false,
        user_home: Some("/home/me".into()),
        shared_home_spellings: Vec::new(),
        containment_hook: None,
        bounds: Bounds::default(),
    }
}

/// A person's home and a repository at `/src/it`, with the working folder in it.
struct World {
    memory: Memory,
    input: Input,
    git: MemoryGit,
    cwd: &'static str,
    git_top: Option<&'static str>,
    git_entry: Option<&'static str>,
    granted: Vec<&'static str>,
}

impl World {
    fn new() -> Self {
        let memory = Memory::default();
        memory.file("/home/me/.winter/sdk/settings.json", "{}");
        memory.put("/src/it/.git", Stored::Folder);
        memory.put("/src/it/sub", Stored::Folder);
        Self {
            memory,
            input: input(),
            git: MemoryGit::answering(Ok(Vec::new())),
            cwd: "/src/it",
            git_top: Some("/src/it"),
            git_entry: Some("/src/it"),
            granted: Vec::new(),
        }
    }

    fn with(path: &str, text: &str) -> Self {
        let world = Self::new();
        world.memory.file(path, text);
        world
    }

    fn places(&self) -> Places<MemoryFolder> {
        let grant = |path: &str| self.memory.grant(path);
        Places {
            shared_home: Some(grant("/home/me/.winter/sdk")),
            cwd: grant(self.cwd),
            trusted_root: Some(grant("/src/it")),
            git_top: self.git_top.map(grant),
            git_entry: self.git_entry.map(grant),
            granted: self.granted.iter().map(|path| grant(path)).collect(),
            global_home: None,
            links: None,
        }
    }

    fn build(&self) -> Result<Plan, RunHomeError> {
        build(&self.input, &self.places(), &self.git, &Still(1000))
    }

    fn plan(&self) -> Plan {
        self.build().unwrap()
    }

    /// Why the local file counts as the repository's.
    fn because(&self) -> Option<ShippedBecause> {
        self.plan().report.dropped_rules.first().and_then(|dropped| dropped.because)
    }
}

/// The planned entry of that path.
fn entry<'a>(plan: &'a Plan, path: &str) -> &'a Planned {
    let paths: Vec<&str> = plan.entries.iter().map(|entry| entry.path.as_str()).collect();
    plan.entries.iter().find(|entry| entry.path == path).unwrap_or_else(|| panic!("no {path} among {paths:?}"))
}

/// The text of a planned file; of a splice what it begins with.
fn text(plan: &Plan, path: &str) -> String {
    match &entry(plan, path).node {
        Node::Content(bytes) => String::from_utf8(bytes.clone()).unwrap(),
        Node::Splice(splice) => String::from_utf8(splice.head.clone()).unwrap(),
        other => panic!("{path}: {other:?}"),
    }
}

/// Where a planned link leads.
fn link<'a>(plan: &'a Plan, path: &str) -> &'a str {
    match &entry(plan, path).node {
        Node::Link(target) => target,
        other => panic!("{path}: {other:?}"),
    }
}

fn has(plan: &Plan, path: &str) -> bool {
    plan.entries.iter().any(|entry| entry.path == path)
}

/// What was left out, with the reasons.
fn skipped(plan: &Plan) -> Vec<(&str, SkipReason)> {
    plan.report.skipped_items.iter().map(|item| (item.path.as_str(), item.reason)).collect()
}

/// An agent as the program wants one, with more lines in its header.
fn agent(name: &str, more: &str) -> String {
    format!("---\nname: {name}\ndescription: does it\n{more}---\nDo it.\n")
}
