//! What a person reads of each command, of each table and of each error.

use std::fs;
use std::os::unix::fs::symlink;

use crate::fixture;
use crate::golden::Goldens;
use crate::models;
use crate::person::Person;

/// Commands that need nothing, each a name and the arguments.
const PLAIN: [(&str, &[&str]); 11] = [
    ("version", &["--version"]),
    ("inspect", &["inspect"]),
    ("inspect-json", &["inspect", "--json"]),
    ("escape-rule", &["escape", "rule", "/x/[wip] (old)*"]),
    ("escape-rule-hex", &["escape", "rule", "--spelling", "hex", "/x/[wip] (old)*"]),
    ("escape-rule-json", &["escape", "rule", "/x/[wip]", "--json"]),
    ("escape-sandbox", &["escape", "sandbox", "/x/[wip]"]),
    ("escape-sandbox-exact-path-only", &["escape", "sandbox", "--list", "allow-write", "/x/[wip]"]),
    ("escape-sandbox-wider", &["escape", "sandbox", "/x/a*"]),
    ("error-inexpressible", &["escape", "sandbox", "--list", "allow-write", "/x/a*"]),
    ("error-inexpressible-json", &["escape", "sandbox", "--list", "allow-write", "/x/a*", "--json"]),
];

/// Errors that need nothing but a project.
const ERRORS: [(&str, &[&str]); 12] = [
    ("error-run-no-program", &["run"]),
    ("error-recover-no-folder", &["recover", "nowhere"]),
    ("error-no-command", &[]),
    ("error-unknown-command", &["buidl"]),
    ("error-unknown-value", &["build", "--brand", "other"]),
    ("error-log-filter", &["--log", "=,=", "plan"]),
    ("error-no-project", &["plan", "--project", "nowhere"]),
    ("error-project-is-a-file", &["plan", "--project", ".winter/settings.json"]),
    ("error-outside-the-project", &["plan", "--project", ".winter", "--cwd", "."]),
    ("error-empty-home", &["build", "--home", ""]),
    ("error-dispose-no-id", &["dispose", "../x"]),
    ("error-dispose-unknown", &["dispose", "01a22f46-5ebb-7539-a4b9-3228d26bed05"]),
];

/// A person with rules of their own, before a repository that wants more than it may have.
fn between() -> Person {
    let person = Person::new();
    person.write(
        "me/.winter/sdk/settings.json",
        "{\n  \"permissions\": { \"deny\": [\"Read(~/.ssh/**)\"], \"defaultMode\": \"plan\" },\n  \
         \"env\": { \"MY_TOKEN\": \"hush-own\" },\n  \"language\": \"a\",\n  \"language\": \"b\"\n}\n",
    );
    person.write(
        "me/src/it/.winter/settings.json",
        "{\n  \"permissions\": {\n    \"defaultMode\": \"default\",\n    \"allow\": [\"Bash(make:*)\"],\n    \
         \"deny\": [\"Read(/keys/**)\"]\n  },\n  \"hooks\": { \"Stop\": [{ \"hooks\": [\n    \
         { \"type\": \"command\", \"command\": \"./end\\u001b[31m.sh\" }] }] },\n  \
         \"env\": { \"API_TOKEN\": \"hush-theirs\", \"CI\": \"1\" },\n  \"odd\\u202e\": true\n}\n",
    );
    person.write("me/src/it/.winter/settings.jsonc", "{}");
    person.write("me/src/it/.winter/agents/a.md", "---\nname: a\n---\n");
    symlink("/nowhere/at/all", person.at("me/src/it/.winter/settings.local.json")).unwrap();
    person
}

#[test]
fn what_is_printed_is_what_the_golden_files_hold() {
    let mut goldens = Goldens::open();
    let person = between();
    let mut check = |name: &str, arguments: &[&str]| {
        let run = person.run(arguments);
        goldens.compare(name, &arguments.join(" "), &person, &run);
        run
    };
    // Whatever commands and tables there are, by what the help says.
    let help = check("help", &["--help"]).ok();
    for command in help.listed("Commands:") {
        let help = check(&format!("help-{command}"), &[&command, "--help"]).ok();
        for below in help.listed("Commands:") {
            check(&format!("help-{command}-{below}"), &[&command, &below, "--help"]).ok();
        }
        if command == "explain" {
            for topic in help.listed("Possible values:") {
                check(&format!("explain-{topic}"), &["explain", &topic]).ok();
            }
        }
    }
    models::write(&person);
    for (name, arguments) in PLAIN.into_iter().chain(ERRORS).chain(models::CASES) {
        check(name, arguments);
    }
    check("plan", &["plan"]);
    check("plan-reveal", &["plan", "--reveal"]);
    check("plan-keep", &["plan", "--powers", "keep"]);
    check("plan-untrusted", &["plan", "--untrusted"]);
    check("plan-chat", &["plan", "--mode", "chat"]);
    check("plan-claude", &["plan", "--brand", "claude"]);
    let id = check("build", &["build"]).ok().id();
    check("dispose", &["dispose", &id]).ok();
    check("error-disposed-before", &["dispose", &id]);

    for (name, text) in [
        ("error-own-comment", "{\n  // mine\n}"),
        ("error-own-type", "{\n  \"hooks\": { \"Stop\": [\n    { \"hooks\": [{ \"type\": \"command\" }] }] }\n}"),
        ("error-own-empty", ""),
    ] {
        fs::write(person.own(), text).unwrap();
        check(name, &["build"]);
        check(&format!("{name}-json"), &["build", "--json"]);
    }
    fs::write(person.own(), r#"{"sandbox":{"filesystem":{"denyWrite":["**/*.pem"]}}}"#).unwrap();
    fs::create_dir_all(person.at("me/.claude")).unwrap();
    fs::rename(person.own(), person.at("me/.claude/settings.json")).unwrap();
    check("error-own-inexpressible", &["plan", "--brand", "claude"]);
    check("plan-allow-inexpressible", &["plan", "--brand", "claude", "--allow-inexpressible"]);
    symlink("../../elsewhere/settings.json", person.own()).unwrap();
    check("error-own-link", &["plan"]);
    person.write("me/elsewhere/settings.json", "{}");
    check("error-own-link-json", &["plan", "--json"]);

    person.write("file", "");
    let at = |path: &str| person.at(path).to_str().unwrap().to_owned();
    fs::remove_file(person.own()).unwrap();
    check("error-home-is-a-file", &["build", "--home", &at("file")]);
    check("error-home-without-parent", &["build", "--home", &at("no/where")]);
    check("plan-nothing-dropped", &["plan", "--untrusted", "--home", &at("empty")]);
    fixture::goldens(&mut goldens);
    goldens.close();
}
