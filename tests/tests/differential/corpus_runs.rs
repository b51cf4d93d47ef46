//! The calls of the areas that only the runtime exports: run homes over trees, the door, and what comes home.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::corpus::{Call, Corpus, brands, document, long, shared};
use crate::random::Random;

const ROOT: &str = "/src/it";
const OWN: &str = "/home/me/.winter/sdk";

pub(crate) fn add(corpus: &mut Corpus, random: &mut Random) {
    for name in ["contract-version", "persistent-entries", "default-bounds"] {
        corpus.call(&format!("run-home.{name}"), json!([]));
    }
    for brand in brands() {
        corpus.call("run-home.profile-of", json!([brand]));
    }
    for _ in 0..20 {
        corpus.call("run-home.sdk-home-of", json!([random.text()]));
    }
    trees(corpus, random);
    let names: Vec<String> = corpus.trees.keys().cloned().collect();
    for name in names {
        for brand in brands() {
            for _ in 0..2 {
                build(corpus, random, &name, &brand);
            }
        }
    }
    door(corpus, random);
    carry(corpus, random);
    recovery(corpus, random);
}

/// Everything below a folder, as a tree's members below `prefix`.
pub(crate) fn read_tree(folder: &Path, prefix: &str, tree: &mut Map<String, Value>) {
    let mut entries: Vec<_> = fs::read_dir(folder).expect("a folder").filter_map(Result::ok).collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let (path, kind) = (format!("{prefix}/{name}"), entry.file_type().expect("a kind"));
        if kind.is_symlink() {
            let target = fs::read_link(entry.path()).expect("a link");
            tree.insert(path, json!({"link": target.to_string_lossy()}));
        } else if kind.is_dir() {
            tree.insert(path.clone(), json!({"folder": true}));
            read_tree(&entry.path(), &path, tree);
        } else {
            let bytes = fs::read(entry.path()).expect("a file");
            tree.insert(
                path,
                String::from_utf8(bytes).map_or_else(|error| json!({"bytes": error.into_bytes()}), Value::from),
            );
        }
    }
}

/// A person's home beside a repository.
fn world(own: Option<String>) -> Map<String, Value> {
    let mut tree = Map::new();
    for folder in [ROOT, "/src/it/.git", OWN] {
        tree.insert(folder.to_owned(), json!({"folder": true}));
    }
    if let Some(own) = own {
        tree.insert(format!("{OWN}/settings.json"), json!(own));
        tree.insert(format!("{OWN}/CLAUDE.md"), json!("Mine. @notes.md and @/etc/x\n"));
        tree.insert(format!("{OWN}/WINTER.md"), json!("Mine, too.\n"));
        tree.insert(format!("{OWN}/notes.md"), json!("A note.\n"));
        tree.insert(format!("{OWN}/skills/mine/SKILL.md"), json!("---\nname: mine\n---\nDo.\n"));
        tree.insert("/home/me/.winter.json".to_owned(), json!(r#"{"mcpServers":{"own":{"command":"y"}}}"#));
    }
    tree
}

fn trees(corpus: &mut Corpus, random: &mut Random) {
    corpus.trees.insert("empty".to_owned(), Value::Object(world(None)));
    let mut hostile = world(Some(r#"{"permissions":{"deny":["Read(/x)","Read(~/s/**)"]},"own":1.50}"#.to_owned()));
    read_tree(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/hostile"), ROOT, &mut hostile);
    corpus.trees.insert("hostile".to_owned(), Value::Object(hostile));
    if let Some(repositories) = shared("corpus/repos") {
        let mut folders: Vec<_> = fs::read_dir(repositories).expect("a folder").filter_map(Result::ok).collect();
        folders.sort_by_key(fs::DirEntry::file_name);
        for folder in folders {
            let mut tree = world(Some("{}".to_owned()));
            read_tree(&folder.path().join("tree"), ROOT, &mut tree);
            let size: usize = tree.values().filter_map(Value::as_str).map(str::len).sum();
            if size < 400_000 {
                corpus
                    .trees
                    .insert(format!("repository {}", folder.file_name().to_string_lossy()), Value::Object(tree));
            }
        }
    }
    for number in 0..40 {
        let own = random.coin().then(|| document(random));
        let mut tree = world(own);
        for _ in 0..random.below(14) {
            let (path, node) = thing(random);
            tree.entry(format!("{ROOT}/{path}")).or_insert(node);
        }
        corpus.trees.insert(format!("random {number}"), Value::Object(tree));
    }
}

/// Something that a repository may hold.
fn thing(random: &mut Random) -> (String, Value) {
    let dir = *random.pick(&[".winter", ".claude", ".mine"]);
    let name = *random.pick(&["a", "b", "[c] d", "ü"]);
    let header = *random.pick(&[
        "",
        "---\nname: a\ndescription: d\nhooks: {}\n---\n",
        "---\nname: a\ndescription: d\ntools: Read, Bash\nmodel: opus\n---\n",
        "---\npaths: src/**\nx: [1\n---\n",
        "---\npaths: [\"**/*.rs\", \"{a,b}/c\"]\n---\n",
    ]);
    let body =
        *random.pick(&["Do.\n", "See @../x.md and @b.md\n", "!`rm -rf /`\n", "<!-- \u{202e} -->\n", "# A\n```\n@x\n"]);
    let text = json!(format!("{header}{body}"));
    let link = json!({"link": random.pick(&["../x", "/etc/passwd", "a.md", "..", "../../.."])});
    match random.below(12) {
        0 => (format!("{dir}/settings.json"), json!(document(random))),
        1 => (format!("{dir}/settings.local.json"), json!(document(random))),
        2 => (format!("{dir}/rules/{name}.md"), text),
        3 => (format!("{dir}/agents/{name}.md"), text),
        4 => (format!("{dir}/commands/{name}.md"), text),
        5 => (format!("{dir}/skills/{name}/SKILL.md"), text),
        6 => (format!("{dir}/skills/{name}/data.bin"), json!({"bytes": [0, 255, 10, 128]})),
        7 => (format!("{dir}/output-styles/{name}.md"), text),
        8 => (
            random.pick(&["CLAUDE.md", "WINTER.md", "AGENTS.md", "sub/CLAUDE.md", "CLAUDE.local.md"]).to_string(),
            text,
        ),
        9 => (
            ".mcp.json".to_owned(),
            json!(r#"{"mcpServers":{"x":{"command":"run","env":{"A_KEY":"s"}},"own":{"url":"http://x"}}}"#),
        ),
        10 => (format!("{dir}/rules/{name}-link.md"), link),
        _ => (format!("{dir}/skills/{name}-link"), link),
    }
}

fn build(corpus: &mut Corpus, random: &mut Random, tree: &str, brand: &Value) {
    let bounds = if random.below(6) == 0 {
        json!({"text": long(200), "skill-file": long(2), "items": 1, "total": long(2000), "import-depth": 1, "folders": 2})
    } else {
        json!({"text": long(1 << 20), "skill-file": long(8 << 20), "items": 4096, "total": long(64 << 20), "import-depth": 5, "folders": 16_384})
    };
    let input = json!({
        "run-id": random.pick(&["run-00000001", "run-00000001", "run-00000001", "X"]),
        "home": "/home/me/.winter", "home-spellings": ["/real/winter"], "shared-home": OWN,
        "mode": random.pick(&["code", "code", "code", "dispatch", "chat"]), "dispatch-child": random.below(4) == 0,
        "leg": random.pick(&["winter", "winter", "winter", "winter", "official"]),
        "mcp-disabled": ["off"], "reserved-mcp-server-names": ["winter"],
        "memory-dir": random.pick(&["", "/home/me/memory"]), "brand": brand, "powers": random.pick(&["keep", "drop", "drop"]),
        "allow-inexpressible": random.coin(), "user-home": random.pick(&[json!(null), json!("/home/me")]),
        "shared-home-spellings": [], "bounds": bounds, "containment-hook": random.coin().then_some("'/w' hook"),
    });
    let root = json!({"$folder": ROOT});
    let places = json!({
        "shared-home": {"$folder": OWN}, "cwd": root,
        "trusted-root": if random.below(6) == 0 { json!(null) } else { root.clone() },
        "git-top": if random.coin() { root.clone() } else { json!(null) },
        "git-entry": root, "granted": if random.coin() { json!([{"$folder": "/home"}]) } else { json!([]) },
        "global-home": if random.coin() { json!({"$folder": "/home/me"}) } else { json!(null) },
        "links": if random.coin() { json!({"$folder": "/"}) } else { json!(null) },
    });
    let local = *random.pick(&["mine", "shipped"]);
    let arguments = vec![input, places];
    corpus.calls.push(Call { function: "run-home.build".to_owned(), arguments, tree: Some(tree.to_owned()), local });
}

fn request(random: &mut Random) -> Value {
    let [winter, claude, custom] = brands();
    let (brand, name) = [(winter, "winter"), (claude, "claude"), (custom, "mine")][random.below(3)].clone();
    let home = json!({
        "run-id": "run-00000001", "dir": "/home/me/.winter/runs/run-00000001", "shared-home": OWN,
        "cwd": random.pick(&[ROOT, ROOT, ROOT, "/else"]), "brand": random.pick(&[name, name, name, "other"]),
        "leg": random.pick(&["winter", "winter", "winter", "official"]), "memory-dir": random.pick(&["", "/m"]),
        "mcp-config": random.coin().then(|| json!({"entry": "mcp.json", "strict": random.coin()})),
        "servers": ["own"], "built-here": random.below(8) != 0, "disposed": random.below(8) == 0,
    });
    let arguments =
        ["--worktree", "--model", "opus", "-p", "--settings", "x", "--mcp-config", "--resume", "--", "--bare", "-c"];
    let variables = [
        "PATH",
        "HOME",
        "LANG",
        "LC_ALL",
        "LD_PRELOAD",
        "ANTHROPIC_API_KEY",
        "CLAUDE_CONFIG_DIR",
        "WINTER_HOME",
        "MY_TOKEN",
        "ODD",
    ];
    let environment: Vec<Value> =
        random.some(&variables, 8).into_iter().map(|name| json!({"name": name, "value": random.text()})).collect();
    json!({
        "home": if random.below(6) == 0 { json!(null) } else { home }, "require-run-home": random.coin(), "cwd": ROOT,
        "brand": brand, "store": OWN,
        "options": random.pick(&["{}", "{}", r#"{"env":{"A":"1"},"mcpServers":{}}"#, r#"{"settingSources":["project"]}"#, "[]", ""]),
        "program": random.pick(&["granted", "granted", "other"]),
        "arguments": random.some(&arguments, 3), "environment": environment,
        "admitted": random.some(&variables, 1), "reviewed": random.some(&variables, 1),
        "capability-servers": random.pick(&["{}", "{}", r#"{"cap":{"command":"c"}}"#, "[]"]),
        "version": random.pick(&[json!(null), json!("2.1.250"), json!("2.1.300 (Claude Code)"), json!("1.0.0"), json!("x")]),
        "allow-remote-configuration": random.coin(),
    })
}

fn door(corpus: &mut Corpus, random: &mut Random) {
    for _ in 0..300 {
        let request = request(random);
        corpus.call("door.check", json!([request]));
        let arguments = vec![request, json!({"$folder": ROOT})];
        let tree = Some("empty".to_owned());
        corpus.calls.push(Call { function: "door.open".to_owned(), arguments, tree, local: "shipped" });
    }
    for ended in ["unknown", "running", "settled"] {
        for kept in ["shared", "linked", "working-copy"] {
            for reconciled in ["not-yet", "level", "torn-tails", "quarantined"] {
                corpus.call("door.outcome-of", json!([ended, kept, reconciled]));
            }
        }
    }
    for outcome in ["pending", "safe", "quarantined"] {
        corpus.call("door.may-dispose", json!([outcome]));
    }
}

fn carry(corpus: &mut Corpus, random: &mut Random) {
    let values = [r#""light""#, r#""dark""#, "true", "7", "{}", r#"{"deep":"ü"}"#, "null", "[1.50]", "no json"];
    let keys = ["theme", "model", "editorMode", "apiKeyHelper", "hooks", "permissions", "ü"];
    let object = |random: &mut Random| {
        let members: Vec<String> =
            random.some(&keys, 3).into_iter().map(|key| format!("\"{key}\": {}", random.pick(&values[..8]))).collect();
        format!("{{{}}}", members.join(", "))
    };
    for _ in 0..300 {
        let part = |random: &mut Random| match random.below(8) {
            0 => json!(null),
            1 => json!("not json"),
            2 => json!(document(random)),
            _ => json!(object(random)),
        };
        let texts = json!({"built": object(random), "ended": part(random), "own-before": part(random), "own-now": part(random)});
        corpus.call("carry.settle", json!([texts]));
        let path: Vec<&&str> = random.some(&keys, 2);
        corpus.call("carry.apply", json!([part(random), path, random.coin().then(|| *random.pick(&values))]));
    }
    for stands in ["file", "folder", "other"] {
        for beside in ["absent", "level", "older", "newer", "no-file"] {
            corpus.call("carry.stray", json!([stands, beside]));
        }
    }
}

fn recovery(corpus: &mut Corpus, random: &mut Random) {
    let parts = [
        "-src-it",
        "0b0e0e6e-0000-4000-8000-000000000001",
        "0b0e0e6e-0000-4000-8000-000000000001.jsonl",
        "subagents",
        "agent-a1.jsonl",
        "tool-results",
        "x.json",
        "",
        "..",
        "ü",
        "memory",
        "journal.jsonl",
    ];
    for _ in 0..200 {
        corpus.call("recovery.classify", json!([random.some(&parts, 5)]));
    }
    let numbers = [0, 1, 2, 5, 9, 10, 11, 64 << 20, (64 << 20) + 1, u64::MAX];
    for _ in 0..400 {
        let facts = |random: &mut Random| {
            let kind = *random.pick(&["regular", "regular", "regular", "absent", "link", "other"]);
            json!({"kind": kind, "size": long(*random.pick(&numbers[..9]))})
        };
        let tail = random.coin().then(|| {
            json!({
                "whole": long(*random.pick(&numbers)), "bad-line": random.coin().then(|| long(*random.pick(&numbers))),
                "rest-is-json": random.coin(),
            })
        });
        let known = json!({"copy": facts(random), "canonical": facts(random), "equal": long(*random.pick(&numbers[..9])),
            "differ": random.coin(), "tail": tail});
        corpus.call("recovery.step", json!([known]));
    }
    for regular in [true, false] {
        for there in ["absent", "identical", "different", "not-regular"] {
            corpus.call("recovery.artifact", json!([regular, there]));
        }
    }
    let outcomes = ["clean", "canonical-ahead", "appended", "pending", "quarantined"];
    for _ in 0..40 {
        corpus.call("recovery.overall", json!([random.some(&outcomes, 4)]));
    }
}
