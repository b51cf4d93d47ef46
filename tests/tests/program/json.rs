//! `--json`: one object, the contract's names, no secret without `--reveal`.

use serde_json::Value;

use crate::{Person, Run};

fn parsed(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stdout))
}

#[test]
fn a_plan_is_one_object_and_hides_secrets() {
    let person = Person::new();
    person.own(r#"{"env":{"MY_SECRET":"hush-own"},"apiKeyHelper":"./print-key"}"#);
    person.project(r#"{"env":{"DEPLOY_TOKEN":"hush-theirs"}}"#);
    for command in ["plan", "build"] {
        let run = person.run([command, "--json"]);
        let value = parsed(&run);
        assert_eq!(run.code, 0);
        for key in ["run-id", "dir", "sdk-home", "entries", "effective-settings", "manifest", "report", "built"] {
            assert!(value.get(key).is_some(), "{key}");
        }
        assert_eq!(value["built"], command == "build");
        assert!(!run.stdout.contains("hush") && !run.stderr.contains("hush"), "{}", run.stdout);
        assert!(run.stdout.contains("[masked ") && run.stdout.contains("./print-key"));
        let rule = &value["report"]["dropped-rules"][0];
        assert_eq!(
            (rule["rule"].as_str(), rule["reason"].as_str()),
            (Some("env.DEPLOY_TOKEN"), Some("repository-env"))
        );
        let revealed = person.run([command, "--json", "--reveal"]);
        assert!(revealed.stdout.contains("hush-own") && revealed.stdout.contains("hush-theirs"));
    }
    let human = person.run(["plan"]);
    assert!(!human.stdout.contains("hush"), "{}", human.stdout);
}

#[test]
fn an_error_is_the_same_as_an_object() {
    let person = Person::new();
    person.own("{");
    let (human, object) = (person.run(["plan"]), person.run(["plan", "--json"]));
    assert_eq!((human.code, object.code), (2, 2));
    let error = &parsed(&object)["error"];
    assert_eq!(error["code"], "unusable-settings");
    assert!(human.stderr.starts_with(&format!("error[unusable-settings]: {}", error["message"].as_str().unwrap())));
    assert!(human.stderr.contains(&format!("help: {}", error["help"].as_str().unwrap())));
    assert!(human.stdout.is_empty());
    assert_eq!(error["line"], 1);
}

#[test]
fn inspect_and_explain_and_escape_speak_json_too() {
    let person = Person::new();
    let inspected = parsed(&person.run(["inspect", "--json"]));
    assert_eq!(inspected["components"][0]["imports"], serde_json::json!([]));
    assert_eq!(inspected["grants"]["process"], false);
    for topic in ["settings", "env", "escape"] {
        let tables = &parsed(&person.run(["explain", topic, "--json"]))["tables"];
        assert!(tables[0]["rows"].as_array().unwrap().len() > 3, "{topic}");
    }
    let spelt = parsed(&person.run(["escape", "rule", "a[", "--json"]));
    assert_eq!(spelt["spelt"], r"a\\[");
    let wider = parsed(&person.run(["escape", "sandbox", "a*", "--json"]));
    assert_eq!(wider["meaning"], "wider");
}
