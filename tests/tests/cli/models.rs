//! The commands about models: the catalog, selection, and the review of a switch. Goldens of what a person reads, and the
//! exit codes and objects that a program reads.

use crate::person::Person;

/// A short talk: an image, signed reasoning, a request that failed.
const TALK: &str = concat!(
    r#"{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":[{"type":"text","text":"what is this?"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}}"#,
    "\n",
    r#"{"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"m1","role":"assistant","model":"claude-sonnet-5","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"a dot"}]}}"#,
    "\n",
    r#"{"type":"assistant","uuid":"a2","parentUuid":"a1","isApiErrorMessage":true,"message":{"id":"m2","role":"assistant","model":"<synthetic>","content":[{"type":"text","text":"API Error"}]}}"#,
    "\n",
);
/// A call that still waits for its result.
const WAITING: &str = r#"{"type":"assistant","uuid":"a3","parentUuid":"a2","message":{"id":"m3","model":"claude-sonnet-5","content":[{"type":"tool_use","id":"c9","name":"Bash","input":{}}]}}"#;

const OPUS: &str = "anthropic/claude-opus-5";
const GPT: &str = "openai/gpt-5.6";
const SONNET: &str = "anthropic/claude-sonnet-5";

/// What is looked at, each a name and the arguments.
pub(crate) const CASES: [(&str, &[&str]); 19] = [
    ("models", &["models"]),
    ("models-family", &["models", "--family", "gpt"]),
    ("error-family", &["models", "--family", "none"]),
    ("error-catalog", &["models", "--catalog", "catalog.json"]),
    ("error-catalog-missing", &["models", "--catalog", "nowhere.json"]),
    ("select", &["select", "--model", GPT, "--credentials", "credentials.json"]),
    ("select-explain", &["select", "--model", "console/claude-opus-5", "--explain"]),
    ("select-no-credential", &["select", "--model", OPUS, "--credentials", "credentials.json"]),
    ("select-unknown", &["select", "--model", "openai/gpt5"]),
    ("select-bare", &["select", "--model", "opus"]),
    ("select-mismatch", &["select", "--model", GPT, "--provider", "google"]),
    ("select-retired", &["select", "--model", GPT, "--runtime", "claude-agent"]),
    ("error-credentials", &["select", "--model", GPT, "--credentials", "catalog.json"]),
    ("tip", &["tip", "session.jsonl"]),
    ("review", &["review-switch", "--transcript", "session.jsonl", "--from", SONNET, "--to", GPT]),
    ("review-skip", &["review-switch", "--transcript", "session.jsonl", "--from", SONNET, "--to", OPUS]),
    (
        "review-blocking",
        &["review-switch", "--transcript", "waiting.jsonl", "--from", SONNET, "--to", "deepseek/deepseek-v4-pro"],
    ),
    (
        "error-review-target",
        &["review-switch", "--transcript", "session.jsonl", "--from", SONNET, "--to", "openai/none"],
    ),
    ("error-review-file", &["review-switch", "--transcript", ".winter", "--from", SONNET, "--to", GPT]),
];

/// Writes what the cases read into the person's project.
pub(crate) fn write(person: &Person) {
    let credentials = r#"[{"provider":"openai","kind":"api-key","reference":"env:OPENAI_API_KEY"},
        {"provider":"bedrock","kind":"cloud","reference":"profile:work"}]"#;
    person.write("me/src/it/credentials.json", credentials);
    person.write("me/src/it/catalog.json", "{\"models\": [\n  {\"provider\": \"A B\"}]}");
    person.write("me/src/it/session.jsonl", TALK);
    person.write("me/src/it/waiting.jsonl", format!("{TALK}{WAITING}\n"));
}

#[test]
fn a_program_reads_objects_and_exit_codes() {
    let person = Person::new();
    write(&person);
    let value = |arguments: &[&str]| {
        let run = person.run(arguments.iter().chain(&["--json"]));
        (run.code, run.value())
    };
    let (exit, models) = value(&["models"]);
    assert!(exit == 0 && models["models"].as_array().unwrap().len() > 10);
    let (exit, selected) = value(&["select", "--model", GPT, "--credentials", "credentials.json"]);
    assert_eq!((exit, &selected["outcome"]["selected"]["rule-id"]), (0, &"D13-3".into()));
    let (exit, refused) = value(&["select", "--model", "opus"]);
    assert_eq!((exit, &refused["outcome"]["refused"]["reason"]), (3, &"bare-model-id".into()));
    let (exit, tip) = value(&["tip", "session.jsonl"]);
    assert_eq!((exit, &tip["tip"]["entry"]["uuid"]), (0, &"a1".into()));
    let review = |transcript, to| value(&["review-switch", "--transcript", transcript, "--from", SONNET, "--to", to]);
    let (exit, lossy) = review("session.jsonl", GPT);
    assert_eq!(
        (exit, &lossy["severity"], &lossy["losses"][0]["kind"]),
        (3, &"lossy".into(), &"reasoning-opaque".into())
    );
    let (exit, skip) = review("session.jsonl", OPUS);
    assert!(exit == 0 && skip["skip"] == true, "{skip}");
    let (exit, error) = review("nowhere.jsonl", GPT);
    assert_eq!((exit, &error["error"]["code"]), (2, &"bad-input".into()));
}

#[test]
fn documents_that_are_no_files_are_refused() {
    let person = Person::new();
    let fifo = person.at("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let huge = person.write("huge.json", "");
    std::fs::File::create(&huge).unwrap().set_len(1 << 30).unwrap();
    for path in [fifo.to_str().unwrap(), "/dev/zero", "/", huge.to_str().unwrap()] {
        person.run(["models", "--catalog", path]).fails(2, "bad-input");
        person.run(["select", "--model", GPT, "--credentials", path]).fails(2, "bad-input");
        if !path.ends_with("huge.json") {
            let run = person.run(["review-switch", "--transcript", path, "--from", SONNET, "--to", GPT]);
            run.fails(2, "bad-input");
        }
    }
}

#[test]
fn transcripts_of_every_size_and_none() {
    let person = Person::new();
    let review = |name: &str, content: &[u8]| {
        let path = person.write(name, content);
        person.run(["review-switch", "--transcript", path.to_str().unwrap(), "--from", SONNET, "--to", GPT])
    };
    for (name, content) in [
        ("empty.jsonl", Vec::new()),
        ("binary.jsonl", vec![0xff; 70_000]),
        ("nul.jsonl", vec![0; 70_000]),
        ("lines.jsonl", vec![b'\n'; 70_000]),
        ("deep.jsonl", vec![b'['; 70_000]),
    ] {
        let run = review(name, &content);
        assert!([0, 3].contains(&run.code), "{name}: {}", run.both());
    }
    // A gigabyte without a line's end: only its end is read.
    let path = person.write("huge.jsonl", "");
    std::fs::File::create(&path).unwrap().set_len(1 << 30).unwrap();
    let run = person.run(["review-switch", "--transcript", path.to_str().unwrap(), "--from", SONNET, "--to", GPT]);
    assert!(run.code == 3 && run.both().contains("budget ended the reading"), "{}", run.both());
}
