//! Rules, and what stands below the working folder.

use super::*;
use crate::testing::test;

#[test]
fn rules_are_copied_and_those_without_paths_listed() {
    let world = World::new();
    world.memory.file("/src/it/.winter/rules/a.md", "Always.\n");
    world.memory.file("/src/it/.winter/rules/deep/b.md", "---\npaths: src/**\n---\nSometimes.\n");
    let plan = world.plan();
    assert_eq!(text(&plan, "rules/a.md"), "Always.\n");
    assert_eq!(text(&plan, "rules/deep/b.md"), "---\npaths: [\"src/**\"]\n---\nSometimes.\n");
    let listed: Vec<_> = plan.report.unconditional_rules.iter().map(|rule| (&*rule.path, &*rule.entry)).collect();
    assert_eq!(listed, [("/src/it/.winter/rules/a.md", "rules/a.md")]);
}

#[test]
fn paths_are_relative_to_the_working_folder() {
    let mut world = World::new();
    world.cwd = "/src/it/sub";
    world.memory.file("/src/it/.winter/rules/in.md", "---\npaths: sub/src/**\n---\nIn.\n");
    world.memory.file("/src/it/.winter/rules/out.md", "---\npaths: other/x/**\n---\nOut.\n");
    world.memory.file("/src/it/sub/.winter/rules/near.md", "---\npaths: src/**\n---\nNear.\n");
    let plan = world.plan();
    assert!(text(&plan, "rules/in.md").contains("\"/src/**\""), "{}", text(&plan, "rules/in.md"));
    assert!(text(&plan, "rules/near.md").contains("\"src/**\""));
    assert_eq!(skipped(&plan), [("/src/it/.winter/rules/out.md", SkipReason::PathsOutsideCwd)]);
}

#[test]
fn the_persons_rule_comes_first_and_two_of_the_project_both_stand() {
    let mut world = World::new();
    world.cwd = "/src/it/sub";
    world.memory.file("/home/me/.winter/sdk/rules/a.md", "Mine.\n");
    world.memory.file("/src/it/.winter/rules/A.md", "Theirs.\n");
    world.memory.file("/src/it/.winter/rules/b.md", "Far.\n");
    world.memory.file("/src/it/sub/.winter/rules/b.md", "Near.\n");
    let plan = world.plan();
    assert_eq!(link(&plan, "rules/a.md"), "/home/me/.winter/sdk/rules/a.md");
    assert_eq!((text(&plan, "rules/b.md"), text(&plan, "rules/b-2.md")), ("Far.\n".into(), "Near.\n".into()));
    assert_eq!(skipped(&plan), [("/src/it/.winter/rules/A.md", SkipReason::Collision)]);
}

#[test]
fn what_a_folder_below_says_is_a_rule_for_that_folder() {
    let world = World::new();
    world.memory.file("/src/it/pkg [x]/WINTER.md", "Nested.\n");
    world.memory.file("/src/it/pkg [x]/.winter/rules/r.md", "Rule.\n");
    world.memory.file("/src/it/pkg [x]/.winter/rules/p.md", "---\npaths: '*.ts'\n---\nRule.\n");
    let plan = world.plan();
    let header = "---\npaths: [\"/pkg\\\\x20\\\\x5bx\\\\x5d/**\"]\n---\n";
    assert_eq!(text(&plan, "rules/pkg [x]/WINTER.md"), format!("{header}Nested.\n"));
    assert_eq!(text(&plan, "rules/pkg [x]/r.md"), format!("{header}Rule.\n"));
    assert!(text(&plan, "rules/pkg [x]/p.md").contains("/**/*.ts"));
    assert!(plan.report.unconditional_rules.is_empty());
}

#[test]
fn the_walk_passes_over_ignored_folders_and_other_repositories() {
    let world = World::new();
    world.memory.file("/src/it/.gitignore", "node_modules/\n/build\n!keep\nsub/gen\n");
    world.memory.file("/src/it/sub/.gitignore", "*\n!kept/\n");
    for folder in ["node_modules/a", "a/node_modules", "build", "a/build", "sub/gen", "sub/other", "sub/kept", "repo"] {
        world.memory.file(&format!("/src/it/{folder}/WINTER.md"), "Nested.\n");
    }
    world.memory.file("/src/it/repo/.git", "gitdir: /elsewhere\n");
    world.memory.put("/src/it/linked", Stored::Link("a/build".into()));
    let plan = world.plan();
    let rules: Vec<&str> =
        plan.entries.iter().map(|entry| &*entry.path).filter(|path| path.ends_with("WINTER.md")).collect();
    assert_eq!(rules, ["rules/a/build/WINTER.md", "rules/sub/kept/WINTER.md"]);
}

#[test]
fn the_walk_is_bounded() {
    let mut world = World::new();
    world.memory.file("/src/it/a/b/WINTER.md", "Nested.\n");
    world.input.bounds.folders = 1;
    let plan = world.plan();
    assert!(!has(&plan, "rules"));
    assert_eq!(skipped(&plan), [("/src/it/a/b", SkipReason::TooMany), ("/src/it/sub", SkipReason::TooMany)]);
}
