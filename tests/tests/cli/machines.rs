//! What programs read: `--json`, exit codes, and no secret without `--reveal`.

use std::fs::File;
use std::path::Path;

use serde_json::{Value, json};

use crate::person::{Person, assert_built, printing_to, raw};

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap_or_else(|| panic!("no object: {value:#}")).keys().map(String::as_str).collect()
}

#[test]
fn a_plan_has_the_keys_of_the_contract() {
    let person = Person::new();
    person.write("me/src/it/.winter/settings.json", r#"{"model":"x","language":"a","language":"b"}"#);
    person.write("me/src/it/.winter/settings.jsonc", "{}");
    std::os::unix::fs::symlink("/", person.at("me/src/it/.winter/settings.local.json")).unwrap();
    for command in ["plan", "build"] {
        let plan = person.json([command]);
        let expected = [
            "run-id",
            "dir",
            "sdk-home",
            "entries",
            "shared-folders",
            "mcp-config",
            "effective-settings",
            "manifest",
            "report",
            "built",
        ];
        assert_eq!(keys(&plan), expected);
        assert_eq!(plan["built"], command == "build");
        assert_eq!(keys(&plan["entries"][0]), ["path", "node", "mode", "source"]);
        let report = &plan["report"];
        let lists = [
            "dropped-rules",
            "removed-powers",
            "dropped-mcp-servers",
            "dropped-imports",
            "skipped-agents",
            "skipped-links",
            "skipped-items",
            "unconditional-rules",
            "external-user-links",
            "notices",
        ];
        assert_eq!(keys(report), lists);
        let dropped = ["tier", "source", "line", "rule", "reason", "withheld", "because"];
        assert_eq!(keys(&report["dropped-rules"][0]), dropped);
        assert_eq!(keys(&report["skipped-links"][0]), ["path", "target", "reason"]);
        assert_eq!(keys(&report["skipped-items"][0]), ["path", "reason", "detail", "line", "column"]);
        assert_eq!(keys(&report["notices"][0]), ["kind", "path", "line", "text"]);
        let manifest: Value = serde_json::from_str(plan["manifest"].as_str().unwrap()).unwrap();
        for (key, value) in [("contract-version", json!(1)), ("mode", json!("code")), ("powers", json!("drop"))] {
            assert_eq!(manifest[key], value, "{key}");
        }
        if command == "build" {
            let dir = plan["dir"].as_str().unwrap();
            assert!(dir.ends_with(plan["run-id"].as_str().unwrap()));
            assert_built(dir.as_ref());
        }
    }
}

#[test]
fn the_other_commands_have_objects_too() {
    let person = Person::new();
    let inspected = person.json(["inspect"]);
    assert_eq!(keys(&inspected), ["components", "grants"]);
    assert_eq!(inspected["components"][0]["imports"], json!([]));
    assert_eq!(keys(&inspected["components"][1]), ["name", "world", "bytes", "sha256", "imports"]);
    assert_eq!(keys(&inspected["grants"]), ["files", "git-index", "clock", "process"]);
    for topic in ["settings", "env", "escape"] {
        let explained = person.json(["explain", topic]);
        for table in explained["tables"].as_array().unwrap() {
            assert_eq!(keys(table), ["title", "columns", "rows"]);
            let columns = table["columns"].as_array().unwrap().len();
            let rows = table["rows"].as_array().unwrap();
            assert!(rows.len() > 1 && rows.iter().all(|row| row.as_array().unwrap().len() == columns), "{table:#}");
        }
    }
    let spelt = |arguments: &[&str]| person.json(arguments);
    assert_eq!(spelt(&["escape", "rule", "a["]), json!({"path": "a[", "spelt": r"a\\[", "meaning": "exact"}));
    assert_eq!(spelt(&["escape", "sandbox", "a*"])["meaning"], "wider");
    assert_eq!(spelt(&["escape", "sandbox", "a[", "--list", "allow-read"])["meaning"], "exact-path-only");
    let id = person.run(["build"]).ok().id();
    assert_eq!(spelt(&["dispose", &id]), json!({ "disposed": id }));
}

#[test]
fn the_spelling_of_a_path_is_printed_byte_for_byte_where_it_is_piped() {
    let person = Person::new();
    for odd in ["/x/\x1b[31mred", "/x/\u{202e}", "/x/\x7f", "/x/\u{9b}1m"] {
        let mut command = person.command();
        command.args(["escape", "sandbox", odd]);
        let spelt = raw(command).ok().stdout;
        assert_eq!(spelt.replace("[[]", "["), format!("{odd}\n"), "{odd:?}");
        assert_eq!(person.json(["escape", "sandbox", odd])["path"], odd);
    }
}

#[test]
fn errors_say_the_same_in_both_forms() {
    let person = Person::new();
    let unknown = "01a22f46-5ebb-7539-a4b9-3228d26bed05";
    std::fs::create_dir_all(person.runs()).unwrap();
    person.write("me/.winter/sdk/settings.json", "[]");
    for (exit, code, arguments) in [
        (2, "unusable-settings", ["plan"].as_slice()),
        (2, "grant-not-found", &["plan", "--project", "nowhere"]),
        (2, "bad-input", &["--log", "=,=", "plan"]),
        (2, "bad-run-id", &["dispose", "../x"]),
        (2, "unknown-run", &["dispose", unknown]),
        (3, "inexpressible", &["escape", "sandbox", "--list", "allow-write", "a*"]),
    ] {
        let human = person.run(arguments).fails(exit, code);
        let object = person.run(arguments.iter().chain(&["--json"]));
        assert_eq!(object.code, exit);
        assert!(object.stderr.is_empty(), "{object:#?}");
        let object = object.value();
        let error = &object["error"];
        assert_eq!(keys(error)[..3], ["code", "message", "help"], "{error:#}");
        assert_eq!(error["code"], code);
        let message = error["message"].as_str().unwrap();
        assert!(human.stderr.starts_with(&format!("error[{code}]: {message}\n")), "{human:#?} {error:#}");
        if let Some(help) = error["help"].as_str() {
            assert!(human.stderr.ends_with(&format!("\nhelp: {help}\n")), "{human:#?} {error:#}");
        }
        assert_eq!(error["line"].as_u64(), (code == "unusable-settings").then_some(1), "{error:#}");
    }
}

/// Names that say that their values are secrets, each with a value that is found again.
const OWN: &str = r#"{
  "env": { "MY_TOKEN": "hush-1", "AWS_SECRET_ACCESS_KEY": "hush-2", "LANG": "C" },
  "apiKeyHelper": "./print-key",
  "hooks": { "Stop": [{ "hooks": [
    { "type": "http", "url": "http://127.0.0.1:9/", "headers": { "Authorization": "hush-3", "X-Odd": "hush-4" } }] }] }
}"#;
const THEIRS: &str = r#"{
  "env": { "DEPLOY_TOKEN": "hush-5", "NPM_AUTH": "hush-6" },
  "password": "hush-7",
  "token": ["hush-8"],
  "mcpServers": { "a": { "env": { "API_KEY": "hush-9" }, "headers": { "Authorization": "hush-10" } } },
  "hooks": { "Stop": [{ "hooks": [
    { "type": "http", "url": "http://127.0.0.1:9/", "headers": { "Authorization": "hush-11" } }] }] },
  "verbose": { "secret": "hush-12" }
}"#;

#[test]
fn no_secret_is_printed_without_reveal() {
    for powers in ["drop", "keep"] {
        let person = Person::new();
        person.write("me/.winter/sdk/settings.json", OWN);
        person.write("me/src/it/.winter/settings.json", THEIRS);
        let log = ["--log", "trace"];
        for command in ["plan", "build"] {
            let words = [command, "--powers", powers];
            for form in [[].as_slice(), &["--json"], &log, &["--json", "--log", "trace"]] {
                let printed = person.run(words.iter().chain(form)).ok().both();
                assert!(!printed.contains("hush"), "{words:?} {form:?}: {printed}");
                assert_eq!(printed.contains("[masked "), form.contains(&"--json"), "{printed}");
            }
            let json = person.run(words.iter().chain(&["--json", "--reveal"])).ok().stdout;
            for secret in ["hush-1\\", "hush-2", "hush-3", "hush-4", "hush-5", "hush-7", "hush-8", "hush-9", "hush-12"]
            {
                assert!(json.contains(secret), "{secret}: {json}");
            }
            let human = person.run(words.iter().chain(&["--reveal"])).ok().stdout;
            // What is given is not printed at all, only what is dropped.
            let dropped: &[&str] = if powers == "drop" { &["hush-5", "hush-6"] } else { &[] };
            for secret in dropped.iter().chain(&["hush-7", "hush-8", "hush-9", "hush-10", "hush-12"]) {
                assert!(human.contains(secret), "{secret}: {human}");
            }
        }
        person.json(["plan", "--powers", powers])["effective-settings"].as_str().unwrap().find("./print-key").unwrap();
    }
}

#[test]
fn an_error_about_a_file_does_not_print_what_it_holds() {
    let person = Person::new();
    for text in [r#"{"env":{"A_TOKEN":"hush" oops}}"#, r#"{"permissions":{"allow":"hush"}}"#, "TOKEN=hush", "\"hush\""]
    {
        person.write("me/.winter/sdk/settings.json", text);
        let printed = person.run(["plan", "--log", "trace"]).fails(2, "unusable-settings").both();
        assert!(!printed.contains("hush"), "{printed}");
    }
}

#[test]
fn output_that_is_lost_is_an_error_and_a_reader_that_has_gone_is_none() {
    let person = Person::new();
    let full = Path::new("/dev/full");
    let is_full = full.exists() && std::fs::write(full, "x").is_err();
    if !is_full {
        println!("skipped: there is no /dev/full, where every write fails");
    }
    for arguments in
        [["plan"].as_slice(), &["plan", "--json"], &["explain", "env"], &["inspect"], &["escape", "rule", "x"]]
    {
        let mut command = person.command();
        command.args(arguments);
        if is_full {
            let output = File::options().write(true).open(full).unwrap();
            printing_to(command, output.into()).fails(5, "write").says("standard output");
            command = person.command();
            command.args(arguments);
        }
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        printing_to(command, writer.into()).ok();
    }
}
