//! What people reported of tools of this kind, the whole kind each: imports, rules and styles.

use super::*;
use crate::report::ImportFault;
use crate::testing::test;

const FILE: &str = "/src/it/WINTER.md";

fn targets(plan: &Plan) -> Vec<&str> {
    plan.report.dropped_imports.iter().map(|import| &*import.target).collect()
}

/// 49: what stands in code of any kind is no import, though the file be there.
#[test]
fn code_of_every_kind_holds_no_imports() {
    for code in [
        "```python\n@app.md\n```",
        "````\n```\n@app.md\n```\n````",
        "~~~\n@app.md\n~~~",
        "~~~ text\n@app.md\n~~~~",
        "- a\n\n  ```\n  @app.md\n  ```",
        "> ```\n> @app.md\n> ```",
        "1. a\n   ~~~\n   @app.md\n   ~~~",
        "Use `@app.md` here.",
        "Use `` ` @app.md `` here.",
        "Use ```@app.md``` here.",
        "```\r\n@app.md\r\n```\r\n",
        "    ```\n\n```\n@app.md",
    ] {
        let world = World::with(FILE, &format!("{code}\n"));
        world.memory.file("/src/it/app.md", "IMPORTED\n");
        let plan = world.plan();
        let whole = text(&plan, "CLAUDE.md");
        assert!(!whole.contains("IMPORTED") && whole.contains("@app.md"), "{code:?}: {whole}");
        assert!(targets(&plan).is_empty());
    }
}

/// 50: words with an `@` that name no file are text, whatever stands around them, and no error.
#[test]
fn words_that_name_no_file_are_text() {
    for word in [
        "(hors @example.test)",
        "me@example.org",
        "<me@example.org>",
        "@alice, @bob; @carol.",
        "@scope/package",
        "@@double",
        "@media (max-width: 1px)",
        "@/components/x",
        "\"@quoted\"",
        "@./",
        "@~",
        "a@b@c",
        "@\u{fffd}",
    ] {
        let world = World::with(FILE, &format!("Say {word} now.\n"));
        let places = Places { links: Some(world.memory.grant("/")), ..world.places() };
        let plan = build(&world.input, &places, &world.git, &Still(0)).unwrap();
        assert!(targets(&plan).is_empty(), "{word}: {:?}", plan.report.dropped_imports);
        assert!(skipped(&plan).is_empty());
        assert!(crate::instructions::imports(&text(&plan, "CLAUDE.md")).is_empty(), "{word}");
    }
}

/// 52: each instructions file of the way takes its imports from where it stands itself; what stands above the root is out.
#[test]
fn each_folder_of_the_way_imports_from_where_it_stands() {
    let mut world = World::new();
    world.cwd = "/src/it/sub/deep";
    world.memory.put("/src/it/sub/deep", Stored::Folder);
    for folder in ["/src", "/src/it", "/src/it/sub", "/src/it/sub/deep"] {
        world.memory.file(&format!("{folder}/WINTER.md"), "See @rules.md and @docs/more.md for it.\n");
        world.memory.file(&format!("{folder}/rules.md"), &format!("[rules of {folder}]\n"));
        world.memory.file(&format!("{folder}/docs/more.md"), &format!("[more of {folder}]\n"));
    }
    let plan = world.plan();
    let whole = text(&plan, "CLAUDE.md");
    for folder in ["/src/it", "/src/it/sub", "/src/it/sub/deep"] {
        for what in ["rules", "more"] {
            assert_eq!(whole.matches(&format!("[{what} of {folder}]")).count(), 1, "{whole}");
        }
    }
    assert!(!whole.contains("of /src]"));
    assert_eq!(plan.report, Report::default());
}

/// 53: whatever way an import leaves the root by, it is not followed, and named with its line.
#[test]
fn no_way_out_of_the_root_is_an_import() {
    let ways = [
        "../out.md",
        "./../out.md",
        "docs/../../out.md",
        "../it/../out.md",
        "/src/out.md",
        "/src/it/../out.md",
        "~/out.md",
        "link.md",
        "linked/out.md",
        "linked/../out.md",
        "up/out.md",
    ];
    for way in ways {
        let world = World::with(FILE, &format!("a\n@{way}\n"));
        world.memory.put("/src/it/docs", Stored::Folder);
        for path in ["/src/out.md", "/home/me/out.md", "/out.md"] {
            world.memory.file(path, "SENTINEL\n");
        }
        world.memory.put("/src/it/link.md", Stored::Link("../out.md".into()));
        world.memory.put("/src/it/linked", Stored::Link("/src".into()));
        world.memory.put("/src/it/up", Stored::Link("..".into()));
        let plan = world.plan();
        assert!(!text(&plan, "CLAUDE.md").contains("SENTINEL"), "{way}");
        let told: Vec<_> = plan.report.dropped_imports.iter().map(|one| (one.line, &*one.target, one.reason)).collect();
        // A path is read as it is written: `linked/..` is the folder that `linked` stands in.
        let expected = if way == "linked/../out.md" { vec![] } else { vec![(2, way, ImportFault::OutsideRoot)] };
        assert_eq!(told, expected, "{way}");
    }
}

/// 55: a circle of any length is cut once, where it closes, and all on it is there once.
#[test]
fn circles_of_every_length_are_cut_once() {
    for length in 1..=4 {
        let world = World::with(FILE, "@0.md\n");
        for number in 0..length {
            let next = (number + 1) % length;
            world.memory.file(&format!("/src/it/{number}.md"), &format!("[text {number}] @{next}.md\n"));
        }
        let plan = world.plan();
        let reasons: Vec<_> = plan.report.dropped_imports.iter().map(|one| one.reason).collect();
        assert_eq!(reasons, [ImportFault::Cycle], "{length}");
        for number in 0..length {
            assert_eq!(text(&plan, "CLAUDE.md").matches(&format!("[text {number}]")).count(), 1);
        }
    }
}

/// What a text that waits for a file takes in is not missing where another text takes it in.
#[test]
fn what_waits_with_one_rule_is_there_for_the_others() {
    let world = World::with("/src/it/.winter/rules/a.md", "---\npaths: src/**\n---\n@../../docs/x.md\n");
    world.memory.file("/src/it/.winter/rules/b.md", "@../../docs/x.md\n");
    world.memory.file("/src/it/.winter/rules/c.md", "---\npaths: lib/**\n---\n@../../docs/x.md @../../sub/WINTER.md\n");
    world.memory.file("/src/it/.winter/rules/d.md", "@../../docs/x.md\n");
    world.memory.file("/src/it/sub/WINTER.md", "[below] @../docs/x.md\n");
    world.memory.put("/src/it/other/WINTER.md", Stored::Link("../sub/WINTER.md".into()));
    world.memory.put("/src/it/other/.winter/WINTER.md", Stored::Link("../../sub/WINTER.md".into()));
    world.memory.file("/src/it/docs/x.md", "[x]\n");
    let plan = world.plan();
    for (entry, marks) in [
        ("rules/a.md", ["[x]", ""]),
        ("rules/b.md", ["[x]", ""]),
        ("rules/sub/WINTER.md", ["[x]", "[below]"]),
        ("rules/other/WINTER.md", ["[x]", "[below]"]),
    ] {
        let text = text(&plan, entry);
        assert!(marks.iter().all(|mark| text.contains(mark)), "{entry}: {text}");
    }
    // What an unconditional rule took in is always there.
    assert!(!text(&plan, "rules/d.md").contains("[x]"));
    assert!(text(&plan, "rules/c.md").contains("[below]"));
    // One file under two names in one folder is one.
    assert!(!has(&plan, "rules/other/.winter") && skipped(&plan).is_empty());

    let world = World::with(FILE, "@docs/x.md\n");
    world.memory.file("/src/it/.winter/rules/a.md", "---\npaths: src/**\n---\n[a] @../../docs/x.md\n");
    world.memory.file("/src/it/docs/x.md", "[x]\n");
    let plan = world.plan();
    assert!(text(&plan, "CLAUDE.md").contains("[x]") && !text(&plan, "rules/a.md").contains("[x]"));
}

/// 62: every way to write `paths:` is read. The report wanted headers copied byte for byte; the specification has them
/// written anew, in one form.
#[test]
fn every_way_to_write_paths_gives_one_header() {
    for header in [
        "paths: [src/**, '*.ts', \"lib/a\"]",
        "paths:\n  - src/**\n  - '*.ts'\n  - lib/a",
        "paths:\n- \"src/**\"\n- \"*.ts\"\n- lib/a",
        "paths: src/**, *.ts, lib/a",
        "paths: 'src/**,*.ts,lib/a'",
        "paths: \"src/**, *.ts, lib/a\"",
        "paths: >-\n  src/**, *.ts,\n  lib/a",
        "\"paths\": [\"src/**\", \"*.ts\", \"lib/a\"]",
        "# why\npaths: [src/**, '*.ts', lib/a] # these",
        "paths: [x]\npaths: [src/**, '*.ts', lib/a]",
    ] {
        for newline in ["\n", "\r\n"] {
            let rule = format!("---\n{header}\n---\nRule.\n").replace('\n', newline);
            let plan = World::with("/src/it/.winter/rules/r.md", &rule).plan();
            let given = text(&plan, "rules/r.md");
            let expected = format!("---\npaths: [\"src/**\", \"*.ts\", \"lib/a\"]\n---\nRule.{newline}");
            assert_eq!(given, expected, "{rule:?} {:?}", plan.report);
            assert!(plan.report.unconditional_rules.is_empty());
        }
    }
}

/// 64: whatever a project's style says of it, or does not say, the coding instructions stay. The report wanted styles
/// copied byte for byte; the specification has the key forced.
#[test]
fn no_style_of_a_project_takes_the_coding_instructions_away() {
    for value in ["false", "False", "no", "off", "0", "[]", "{}", "null", "\"false\"", "true", "on", "~", ""] {
        for spelt in ["keep-coding-instructions", "\"keep-coding-instructions\"", "'keep-coding-instructions'"] {
            let style = format!("---\nname: s\n{spelt}: {value}\n---\nTalk.\n");
            let plan = World::with("/src/it/.winter/output-styles/s.md", &style).plan();
            let given = text(&plan, "output-styles/s.md");
            let lines: Vec<&str> = given.lines().filter(|line| line.contains("keep-coding")).collect();
            assert_eq!(lines, ["keep-coding-instructions: true"], "{style}");
            let kept = ["true", "on"].contains(&value);
            assert_eq!(plan.report.removed_powers.len(), usize::from(!kept), "{style}");
        }
    }
}
