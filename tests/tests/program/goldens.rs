//! Golden files of what a person reads, found by name. `WINTER_BLESS=1 cargo test -p winter-tests --test program`
//! writes them anew; one that no case makes any more fails the test.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{Person, Run};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("goldens/program")
}

/// The text with what differs from run to run replaced.
fn steady(person: &Person, run: &Run) -> String {
    let text = format!("exit {}\n--- stdout\n{}--- stderr\n{}", run.code, run.stdout, run.stderr);
    let text = text.replace(person.at("").to_str().unwrap().trim_end_matches('/'), "/BASE");
    let mut steady = String::new();
    for line in text.split_inclusive('\n') {
        let mut line = line.to_owned();
        // A run's id, and what the build makes of the component.
        while let Some(start) = line.find("/cache/runs/01").map(|at| at + "/cache/runs/".len()) {
            line.replace_range(start..start + 36, "RUN-ID");
        }
        if line.starts_with("disposed 01") {
            "disposed RUN-ID\n".clone_into(&mut line);
        }
        if line.starts_with("  sha256 ") {
            "  sha256 DIGEST\n".clone_into(&mut line);
        }
        if line.starts_with("winter-") && line.contains(" bytes") {
            let end = line.rfind(", ").unwrap();
            line = format!("{}, N bytes\n", &line[..end]);
        }
        if line.starts_with("  settings.json, ") {
            // The document names the temporary folder, whose name may be of any length.
            let from = line.find(" from ").unwrap();
            line = format!("  settings.json, N bytes{}", &line[from..]);
        }
        steady.push_str(&line);
    }
    steady
}

/// A person with rules of their own, before a repository that wants more than it may have.
fn between() -> Person {
    let person = Person::new();
    person.own("{\n  \"permissions\": { \"deny\": [\"Read(~/.ssh/**)\"], \"defaultMode\": \"plan\" },\n  \"theme\": \"dark\",\n  \"theme\": \"light\"\n}\n");
    person.project(
        "{\n  \"permissions\": { \"defaultMode\": \"default\", \"allow\": [\"Bash(make:*)\"], \"deny\": [\"Read(/keys/**)\"] },\n  \
         \"hooks\": { \"Stop\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"./end\\u001b[31m.sh\" }] }] },\n  \
         \"env\": { \"API_TOKEN\": \"sekret\", \"CI\": \"1\" },\n  \"odd\\u202e\": true\n}\n",
    );
    fs::write(person.at("me/src/it/.winter/settings.jsonc"), "{}").unwrap();
    let credentials = r#"[{"provider":"openai","kind":"api-key","reference":"env:OPENAI_API_KEY"},
        {"provider":"bedrock","kind":"cloud","reference":"profile:work"}]"#;
    fs::write(person.at("me/src/it/credentials.json"), credentials).unwrap();
    fs::write(person.at("me/src/it/catalog.json"), "{\"models\": [\n  {\"provider\": \"A B\"}]}").unwrap();
    fs::write(person.at("me/src/it/session.jsonl"), TALK).unwrap();
    let waiting = r#"{"type":"assistant","uuid":"a3","parentUuid":"a2","message":{"id":"m3","model":"claude-sonnet-5","content":[{"type":"tool_use","id":"c9","name":"Bash","input":{}}]}}"#;
    fs::write(person.at("me/src/it/waiting.jsonl"), format!("{TALK}{waiting}\n")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", person.at("me/src/it/.winter/settings.local.json")).unwrap();
    person
}

/// A short talk: an image, signed reasoning, a request that failed.
const TALK: &str = concat!(
    r#"{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":[{"type":"text","text":"what is this?"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}}"#,
    "\n",
    r#"{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"m1","role":"assistant","model":"claude-sonnet-5","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"a dot"}]}}"#,
    "\n",
    r#"{"type":"assistant","uuid":"a2","parentUuid":"a1","isApiErrorMessage":true,"message":{"id":"m2","role":"assistant","model":"<synthetic>","content":[{"type":"text","text":"API Error"}]}}"#,
    "\n",
);

fn review(person: &Person, transcript: &str, to: &str) -> Run {
    person.run(["review-switch", "--transcript", transcript, "--from", "anthropic/claude-sonnet-5", "--to", to])
}

#[test]
fn goldens() {
    let person = between();
    let mut cases: Vec<(&str, Run)> = vec![
        ("help", person.run(["--help"])),
        ("help-build", person.run(["build", "--help"])),
        ("help-plan", person.run(["plan", "--help"])),
        ("help-dispose", person.run(["dispose", "--help"])),
        ("help-escape-rule", person.run(["escape", "rule", "--help"])),
        ("help-escape-sandbox", person.run(["escape", "sandbox", "--help"])),
        ("help-explain", person.run(["explain", "--help"])),
        ("help-inspect", person.run(["inspect", "--help"])),
        ("plan", person.run(["plan"])),
        ("plan-reveal", person.run(["plan", "--reveal"])),
        ("plan-keep", person.run(["plan", "--powers", "keep"])),
        ("plan-untrusted", person.run(["plan", "--untrusted"])),
        ("plan-claude", person.run(["plan", "--brand", "claude"])),
        ("inspect", person.run(["inspect"])),
        ("explain-settings", person.run(["explain", "settings"])),
        ("explain-env", person.run(["explain", "env"])),
        ("explain-escape", person.run(["explain", "escape"])),
        ("explain-selection", person.run(["explain", "selection"])),
        ("models", person.run(["models"])),
        ("models-family", person.run(["models", "--family", "gpt"])),
        ("error-family", person.run(["models", "--family", "none"])),
        ("help-select", person.run(["select", "--help"])),
        ("help-models", person.run(["models", "--help"])),
        ("select", person.run(["select", "--model", "openai/gpt-5.6", "--credentials", "credentials.json"])),
        ("select-explain", person.run(["select", "--model", "console/claude-opus-5", "--explain"])),
        (
            "select-no-credential",
            person.run(["select", "--model", "anthropic/claude-opus-5", "--credentials", "credentials.json"]),
        ),
        ("select-unknown", person.run(["select", "--model", "openai/gpt5"])),
        ("select-bare", person.run(["select", "--model", "opus"])),
        ("select-mismatch", person.run(["select", "--model", "openai/gpt-5.6", "--provider", "google"])),
        ("select-retired", person.run(["select", "--model", "openai/gpt-5.6", "--runtime", "claude-agent"])),
        ("error-catalog", person.run(["models", "--catalog", "catalog.json"])),
        ("error-credentials", person.run(["select", "--model", "openai/gpt-5.6", "--credentials", "catalog.json"])),
        ("explain-switch-review", person.run(["explain", "switch-review"])),
        ("help-review-switch", person.run(["review-switch", "--help"])),
        ("help-tip", person.run(["tip", "--help"])),
        ("tip", person.run(["tip", "session.jsonl"])),
        ("review-switch", review(&person, "session.jsonl", "openai/gpt-5.6")),
        ("review-switch-skip", review(&person, "session.jsonl", "anthropic/claude-opus-5")),
        ("review-switch-blocking", review(&person, "waiting.jsonl", "deepseek/deepseek-v4-pro")),
        ("error-review-target", review(&person, "session.jsonl", "openai/none")),
        ("error-review-tag", review(&person, "session.jsonl", "opus")),
        ("error-review-file", review(&person, ".winter", "openai/gpt-5.6")),
        ("escape-rule", person.run(["escape", "rule", "/x/[wip] app"])),
        ("escape-rule-hex", person.run(["escape", "rule", "--spelling", "hex", "/x/[wip] app"])),
        ("escape-sandbox", person.run(["escape", "sandbox", "/x/[wip] app"])),
        ("escape-sandbox-wider", person.run(["escape", "sandbox", "/x/a*"])),
        ("escape-sandbox-exact", person.run(["escape", "sandbox", "--list", "allow-write", "/x/[a]"])),
        ("error-inexpressible", person.run(["escape", "sandbox", "--list", "allow-write", "/x/a*"])),
        ("error-usage", person.run(["build", "--brand", "other"])),
        ("error-no-project", person.run(["plan", "--project", "nowhere"])),
        ("error-dispose", person.run(["dispose", "01a22f3b-e4a4-7462-8b72-4973b4af47ea"])),
        ("error-dispose-path", person.run(["dispose", "../x"])),
        ("error-log", person.run(["--log", "=,=", "inspect"])),
    ];
    cases.push(("build", person.run(["build"])));
    let run = fs::read_dir(person.at("me/.winter/cache/runs")).unwrap().flatten();
    let id = run.map(|entry| entry.file_name().into_string().unwrap()).find(|name| name.starts_with("01")).unwrap();
    cases.push(("dispose", person.run(["dispose", &id])));
    person.own("{\n  // mine\n}");
    cases.push(("error-own-settings", person.run(["build"])));
    person.own("{\n  \"hooks\": { \"Stop\": [\n    { \"hooks\": [{ \"type\": \"command\" }] }] }\n}");
    cases.push(("error-own-type", person.run(["build"])));
    fs::create_dir(person.at("me/.claude")).unwrap();
    let text = r#"{"sandbox":{"filesystem":{"denyWrite":["**/*.pem"]}}}"#;
    fs::write(person.at("me/.claude/settings.json"), text).unwrap();
    cases.push(("error-own-inexpressible", person.run(["plan", "--brand", "claude"])));
    check(&person, &cases);
}

fn check(person: &Person, cases: &[(&str, Run)]) {
    let bless = std::env::var_os("WINTER_BLESS").is_some();
    fs::create_dir_all(folder()).unwrap();
    let mut faults = Vec::new();
    for (name, run) in cases {
        let (path, now) = (folder().join(format!("{name}.txt")), steady(person, run));
        if bless {
            fs::write(&path, &now).unwrap();
        } else if fs::read_to_string(&path).unwrap_or_default() != now {
            faults.push(format!("{name} is now:\n{now}"));
        }
    }
    let known: BTreeSet<String> = cases.iter().map(|(name, _)| format!("{name}.txt")).collect();
    for entry in fs::read_dir(folder()).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if !known.contains(&name) {
            if bless { fs::remove_file(entry.path()).unwrap() } else { faults.push(format!("no case makes {name}")) }
        }
    }
    assert!(faults.is_empty(), "WINTER_BLESS=1 writes them anew.\n\n{}", faults.join("\n\n"));
}

#[test]
fn colour_goes_where_a_terminal_is() {
    let person = between();
    assert!(!person.run(["plan"]).stdout.contains('\x1b'));
    let Ok(probe) = std::process::Command::new("script").args(["-qec", "true", "/dev/null"]).output() else {
        println!("skipped: no program `script` to make a terminal");
        return;
    };
    assert!(probe.status.success());
    let on_terminal = |no_colour: bool| {
        let mut command = std::process::Command::new("script");
        command.args(["-qec", &format!("{} plan", winter_tests::winter().display()), "/dev/null"]);
        command
            .current_dir(person.at("me/src/it"))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", person.at("me"));
        command.env("TERM", "xterm-256color").env("SHELL", "/bin/sh");
        if no_colour {
            command.env("NO_COLOR", "1");
        }
        crate::finish(command).stdout
    };
    assert!(on_terminal(false).contains("\x1b[1m"), "a terminal shows colour");
    assert!(!on_terminal(true).contains('\x1b'), "NO_COLOR is heard");
}
