//! The calls: what the project's fixtures hold, what is made by a seeded generator, and the shared data where it is there.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use winter_policy::brand::{ChildValue, ChildVariable, Profile};
use winter_policy::catalog::Catalog;

use crate::corpus_runs;
use crate::random::Random;

/// One call of one function. Arguments are JSON with the names of the contract and marks for what JSON has no word for:
/// `$u64` (digits), `$bytes` (text or numbers), `$folder` (a path of the tree, lent), `$case` (of a variant, with `value`).
pub(crate) struct Call {
    /// `interface.function`
    pub(crate) function: String,
    pub(crate) arguments: Vec<Value>,
    /// The file system that the call sees.
    pub(crate) tree: Option<String>,
    /// What git says: `shipped` (it lists everything) or `mine` (nothing).
    pub(crate) local: &'static str,
}

#[derive(Default)]
pub(crate) struct Corpus {
    pub(crate) trees: Map<String, Value>,
    pub(crate) calls: Vec<Call>,
}

impl Corpus {
    pub(crate) fn call(&mut self, function: &str, arguments: Value) {
        let Value::Array(arguments) = arguments else { panic!("a list of arguments") };
        self.calls.push(Call { function: function.to_owned(), arguments, tree: None, local: "shipped" });
    }

    pub(crate) fn tree(&self, call: &Call) -> Option<&Value> {
        call.tree.as_ref().map(|name| &self.trees[name])
    }

    /// All of it, for a host that is another program.
    pub(crate) fn document(&self) -> Value {
        let calls = self.calls.iter().map(|call| {
            let mut said = json!({"function": call.function, "arguments": call.arguments, "local": call.local});
            if let Some(tree) = &call.tree {
                said["tree"] = json!(tree);
            }
            said
        });
        json!({"trees": self.trees, "calls": calls.collect::<Vec<_>>()})
    }
}

pub(crate) fn all() -> Corpus {
    let mut corpus = Corpus::default();
    let random = &mut Random(1);
    escape(&mut corpus, random);
    settings(&mut corpus, random);
    models(&mut corpus, random);
    reviews(&mut corpus, random);
    containment(&mut corpus, random);
    corpus_runs::add(&mut corpus, random);
    corpus
}

pub(crate) fn long(number: u64) -> Value {
    json!({"$u64": number.to_string()})
}

pub(crate) fn bytes(bytes: &[u8]) -> Value {
    std::str::from_utf8(bytes).map_or_else(|_| json!({"$bytes": bytes}), |text| json!({"$bytes": text}))
}

/// The data beside the checkout.
pub(crate) fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data").join(name);
    if !path.exists() {
        println!("skipped: no ../shared/data/{name}");
    }
    path.exists().then_some(path)
}

/// A brand that is neither of the built-in ones.
pub(crate) fn custom_profile() -> Profile {
    let variable = |name: &str, value| ChildVariable { name: name.to_owned(), value };
    Profile {
        name: "mine".to_owned(),
        project_dir: ".mine".to_owned(),
        child_variables: vec![
            variable("MINE_HOME", ChildValue::RunFolder),
            variable("MINE_STORE", ChildValue::SharedHome),
            variable("MINE_WORD", ChildValue::Text("ü \"x\"".to_owned())),
        ],
        ..Profile::claude()
    }
}

/// Every brand, as an argument.
pub(crate) fn brands() -> [Value; 3] {
    let mut custom = serde_json::to_value(custom_profile()).expect("plain data");
    for variable in custom["child-variables"].as_array_mut().into_iter().flatten() {
        variable["value"] = match &variable["value"] {
            Value::String(name) => json!({"$case": name}),
            text => json!({"$case": "text", "value": text["text"]}),
        };
    }
    [json!({"$case": "winter"}), json!({"$case": "claude"}), json!({"$case": "custom", "value": custom})]
}

fn escape(corpus: &mut Corpus, random: &mut Random) {
    let mut texts: Vec<String> =
        ["", "/", "~", "/x/[wip] app", "/a/b c/", "//x", "/x\\", "/x ", "**", "/a(b)", "\u{feff}x"]
            .map(str::to_owned)
            .to_vec();
    texts.extend((0..150).map(|_| random.text()));
    for text in &texts {
        for spelling in ["contract", "hex"] {
            corpus.call("escape.rule-path", json!([text, spelling]));
        }
        for list in ["deny-read", "deny-write", "allow-read", "allow-write"] {
            for grammar in ["contract", "writes-literal"] {
                corpus.call("escape.sandbox-path", json!([text, list, grammar]));
            }
        }
        corpus.call("escape.sandbox-glob-path", json!([text]));
        corpus.call("escape.fs-root-anchored", json!([text]));
        corpus.call("settings.masked", json!([text]));
    }
    corpus.call("explain.topics", json!([]));
    for topic in winter_policy::explain::TOPICS {
        corpus.call("explain.sheets", json!([topic]));
    }
}

/// Members of settings files, sound and not.
pub(crate) const MEMBERS: [&str; 16] = [
    r#""permissions":{"allow":["Read(/a b/**)","Bash(x)"],"deny":["Read(/s)","Read(a[b)"],"defaultMode":"acceptEdits"}"#,
    r#""permissions":{"deny":["Edit(~/x)","Read(//etc/k*)"],"additionalDirectories":["x"],"more":1}"#,
    r#""env":{"LD_PRELOAD":"x","LANG":"C","A_TOKEN":"s","X":"${Y}","N":1}"#,
    r#""hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x"}]}]}"#,
    r#""sandbox":{"enabled":true,"filesystem":{"denyWrite":["a*b","x"],"denyRead":["[k]"]}}"#,
    r#""apiKeyHelper":"/bin/steal""#,
    r#""model":"m""#,
    r#""language":5"#,
    r#""unknown":{"deep":[1.50,1e400,-0,{}],"ünï":"\u0000\ud83d\ude00"}"#,
    r#""plansDirectory":"../x""#,
    r#""model":"again""#,
    r#""verbose":true,"#,
    r#""mcpServers":{"a":{"command":"x","env":{"K":"secret"}}}"#,
    r#""enabledPlugins":{"p@m":true}"#,
    "// comment",
    "\u{feff}",
];

pub(crate) fn document(random: &mut Random) -> String {
    let members: Vec<&str> = random.some(&MEMBERS, 4).into_iter().copied().collect();
    format!("{{\n{}\n}}", members.join(",\n"))
}

fn file(tier: &str, text: &Value, shipped: &Value) -> Value {
    let anchor = if tier == "user" { "/home/me/.winter/sdk" } else { "/x/[a] b" };
    json!({"tier": tier, "source": format!("{anchor}/settings.json"), "anchor": anchor, "shipped": shipped, "text": text})
}

fn settings(corpus: &mut Corpus, random: &mut Random) {
    let mut texts: Vec<Vec<u8>> = vec![b"".to_vec(), b"[]".to_vec(), b"{\"a\":\"\xff\"}".to_vec(), vec![b'['; 5000]];
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/hostile");
    texts.extend(
        [".winter", ".claude"].map(|dir| fs::read(fixtures.join(dir).join("settings.json")).expect("a fixture")),
    );
    if let Some(shared) = shared("corpus/settings") {
        let mut trees = Map::new();
        corpus_runs::read_tree(&shared, "", &mut trees);
        texts.extend(trees.values().filter_map(Value::as_str).map(|text| text.as_bytes().to_vec()));
    }
    texts.extend((0..150).map(|_| document(random).into_bytes()));
    let because = [
        json!(null),
        json!("index"),
        json!("head"),
        json!("link"),
        json!("unsupported"),
        json!("timed-out"),
        json!("failed"),
    ];
    for text in &texts {
        let text = bytes(text);
        let own = if random.coin() { text.clone() } else { json!({"$bytes": document(random)}) };
        let files = json!([
            file("user", &own, &json!(null)),
            file("project", &text, &json!(null)),
            file("local", &json!({"$bytes": document(random)}), random.pick(&because)),
        ]);
        for brand in brands() {
            let options = json!({
                "brand": brand,
                "powers": random.pick(&["keep", "drop"]),
                "allow-inexpressible": random.coin(),
                "protected": {
                    "ask": ["Bash(rm:*)"], "deny": ["Edit(//p)"], "deny-write": ["/p", "/q[1]"],
                    "pre-tool-use": random.coin().then_some("winter hook"),
                },
            });
            let known: Vec<Value> = random
                .some(&["/s", "/home/me/x", "/etc/k", "/x/[a] b/s", "/p"], 4)
                .into_iter()
                .map(|path| {
                    json!({
                        "path": path,
                        "stands": random.pick(&["present", "absent", "dangling", "loop", "unreadable"]),
                        "real": random.coin().then(|| format!("/real{path}")),
                    })
                })
                .collect();
            let places = json!({"home": random.coin().then_some("/home/me"), "cwd": random.coin().then_some("/x/[a] b"), "known": known});
            corpus.call("settings.compose", json!([files, options]));
            corpus.call("settings.compose-in", json!([files, options, places]));
            corpus.call("settings.literal-paths", json!([files, options, places]));
        }
        if let Some(text) = text["$bytes"].as_str() {
            corpus.call("settings.masked", json!([text]));
        }
    }
}

const OWN_MODEL: &str = r#"{"models":[{"provider":"mine","model":"claude-opus-5","canonical-model":"claude-opus-5","family":"claude",
    "protocol":"anthropic-messages","auth-views":["oauth"],"context-window":1000,
    "capabilities":{"modalities":["text"],"readable-reasoning":"none","opaque-reasoning":[],"server-tools":[]},"facts":[]}]}"#;

fn models(corpus: &mut Corpus, random: &mut Random) {
    let own = json!([{"name": "own.json", "text": {"$bytes": OWN_MODEL}}]);
    let bad = ["", "[]", "{\"models\":[{}]}", "{\"models\":[],\"x\":1}", "\u{feff}{}"];
    corpus.call("catalog.models", json!([[]]));
    corpus.call("selection.packed", json!([[]]));
    for documents in [own.clone(), json!([own[0], own[0]])] {
        corpus.call("catalog.models", json!([documents]));
        corpus.call("selection.packed", json!([documents]));
    }
    for text in bad {
        let document = json!({"name": "bad.json", "text": {"$bytes": text}});
        corpus.call("catalog.models", json!([[document]]));
        corpus.call("selection.packed", json!([[document]]));
        corpus.call("selection.credentials", json!([document]));
    }
    let held = r#"[{"provider":"mine","kind":"oauth","reference":"r"},{"provider":"openai","kind":"api-key","reference":"k"}]"#;
    corpus.call("selection.credentials", json!([{"name": "held.json", "text": {"$bytes": held}}]));
    let text = OWN_MODEL.as_bytes();
    let merged = Catalog::built_in().merge(&[winter_policy::catalog::Document { name: "own.json", text }]);
    let packed = winter_policy::selection::packed(&merged.expect("a sound document"));
    let mut tags: Vec<String> = Catalog::built_in().rows().iter().map(winter_policy::catalog::Model::tag).collect();
    tags.extend(["opus", "openai/gpt5", "mine/claude-opus-5", "anthropic/", "/", "nobody/none"].map(str::to_owned));
    let catalogs = [packed.as_str(), packed.as_str(), packed.as_str(), packed.as_str(), "", "not packed"];
    for _ in 0..250 {
        let providers = ["anthropic", "bedrock", "openai", "console", "mine"];
        let credentials: Vec<Value> = (0..random.below(4))
            .map(|number| {
                json!({
                    "provider": random.pick(&providers),
                    "kind": random.pick(&["api-key", "oauth", "cloud", "console", "none-needed"]),
                    "reference": format!("ref-{number}"),
                })
            })
            .collect();
        let persisted = random.coin().then(|| json!({
            "runtime": random.pick(&["winter-agent", "claude-agent"]), "rule-id": random.pick(&["serve", "r", "claude"]),
            "provider": random.pick(&providers), "model": "claude-opus-5", "canonical-model": "claude-opus-5",
            "family": "claude", "auth-family": random.pick(&["api-key", "oauth", "cloud", "console-profile", "none-needed"]),
            "credential-reference": "ref-0",
        }));
        corpus.call("selection.select", json!([{
            "requested": {
                "model": random.pick(&tags),
                "provider": random.coin().then(|| *random.pick(&providers)),
                "runtime": random.coin().then(|| *random.pick(&["winter-agent", "claude-agent"])),
            },
            "catalog": random.pick(&catalogs), "credentials": credentials, "persisted": persisted, "explain": random.coin(),
        }]));
    }
    for rule in winter_policy::selection::RULE_IDS {
        corpus.call("selection.rule-id-of", json!([rule.id]));
    }
    corpus.call("selection.rule-id-of", json!(["none"]));
}

const CONTENTS: [&str; 8] = [
    r#""plain ü""#,
    r#"[{"type":"text","text":"t"},{"type":"thinking","thinking":"h","signature":"s"}]"#,
    r#"[{"type":"redacted_thinking","data":"d"}]"#,
    r#"[{"type":"tool_use","id":"c1","name":"Read","input":{}}]"#,
    r#"[{"type":"tool_result","tool_use_id":"c1","content":"r"}]"#,
    r#"[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]"#,
    r#"[{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}]"#,
    "7",
];
const ODD_ROWS: [&str; 6] = [
    r#"{"type":"progress","uuid":"p"}"#,
    r#"{"type":"system","subtype":"compact_boundary","uuid":"b","parentUuid":null,"logicalParentUuid":"u3"}"#,
    "not json",
    "[]",
    r#"{"type":"user","uuid":"u1""#,
    "",
];

/// One row of a transcript, sound or not.
fn row(random: &mut Random) -> String {
    if random.below(7) == 0 {
        return (*random.pick(&ODD_ROWS)).to_owned();
    }
    let (kind, own) = (*random.pick(&["assistant", "user"]), random.below(12));
    let (parent, side, content) = (random.below(12), random.below(5) == 0, random.pick(&CONTENTS));
    let model = random.pick(&["claude-sonnet-5", "gpt-5.6", "<synthetic>", "claude-opus-5-20260301", "other"]);
    format!(
        r#"{{"type":"{kind}","uuid":"u{own}","parentUuid":"u{parent}","isSidechain":{side},"message":{{"id":"m{own}","role":"{kind}","model":"{model}","content":{content}}}}}"#
    )
}

fn reviews(corpus: &mut Corpus, random: &mut Random) {
    for _ in 0..200 {
        let mut text = String::new();
        for _ in 0..random.below(14) {
            text += &row(random);
            text.push('\n');
        }
        let mut tail = text.into_bytes();
        if random.below(6) == 0 {
            tail.extend_from_slice(b"{\"torn\xff");
        }
        let length = tail.len() as u64 + if random.below(4) == 0 { 5000 } else { 0 };
        let length = if random.below(20) == 0 { 0 } else { length };
        let origin = |tag: &str| {
            let (provider, model) = tag.split_once('/').unwrap_or(("", tag));
            json!({"provider": provider, "model": model, "protocol": null, "family": null})
        };
        let reading = json!({
            "session": "s", "file-length": long(length), "tail": bytes(&tail), "sidecar": {"$bytes": ""},
            "budget": random.coin().then(|| long(64)),
        });
        let listed = (random.below(6) != 0)
            .then(|| json!({"runtime": random.coin().then_some("winter-agent"), "origin": origin("anthropic/claude-sonnet-5")}));
        let targets = ["openai/gpt-5.6", "anthropic/claude-opus-5", "deepseek/deepseek-v4-pro", "nobody/none"];
        let target = origin(random.pick::<&str>(&targets));
        corpus.call("switch-review.review", json!([reading, listed, target, random.coin(), []]));
        corpus.call("switch-review.tip", json!([reading, listed, []]));
    }
}

fn containment(corpus: &mut Corpus, random: &mut Random) {
    let places = [
        json!({"home": ["/home/me/.winter", "/real/winter"], "shared-home": ["/home/me/.claude"]}),
        json!({"home": [], "shared-home": []}),
    ];
    for place in &places {
        corpus.call("containment.targets", json!([place]));
    }
    let targets = winter_policy::containment::targets(&winter_policy::containment::Places {
        home: vec!["/home/me/.winter".to_owned()],
        shared_home: vec!["/home/me/.claude".to_owned()],
    });
    let words = [
        "cat ",
        "~/.winter",
        "/home/me/.claude/",
        "$HOME/",
        "'.win'ter",
        ".winter/../",
        "settings.json",
        "* ",
        "x",
        "\\",
        "file://",
    ];
    for _ in 0..250 {
        let said: String = random.some(&words, 6).into_iter().copied().collect::<String>() + &random.text();
        let input = match random.below(5) {
            0 => json!({"file_path": said}).to_string(),
            1 => json!({"edits": [{"path": said}], "n": 1}).to_string(),
            2 => said,
            _ => json!({"command": said}).to_string(),
        };
        let call = json!({
            "tool": random.pick(&["Bash", "Read", "Edit", "Grep", "mcp__x__y"]), "input": input,
            "cwd": random.pick(&["/src/it", "/home/me", "/home/me/.winter"]), "user-home": random.coin().then_some("/home/me"),
        });
        corpus.call("containment.decide", json!([call, targets]));
    }
    for broker in ["absent", "timed-out", "malformed", "allows", "denies"] {
        for protected in [true, false] {
            corpus.call("containment.approve", json!([protected, broker]));
        }
    }
}
