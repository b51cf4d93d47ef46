//! Agents, styles, skills and commands of a project.

use super::*;
use crate::testing::test;

#[test]
fn an_agent_is_copied_with_a_header_of_our_own() {
    let world = World::with(
        "/src/it/.winter/agents/team/x.md",
        &agent("x", "permissionMode: bypassPermissions\nmodel: opus\nodd: 1\n"),
    );
    let plan = world.plan();
    assert_eq!(text(&plan, "agents/team/x.md"), "---\nname: \"x\"\ndescription: \"does it\"\n---\nDo it.\n");
    assert_eq!(entry(&plan, "agents/team/x.md").mode, 0o600);
    assert_eq!(entry(&plan, "agents/team").node, Node::Directory);
    let removed: Vec<_> =
        plan.report.removed_powers.iter().map(|power| (power.line, &*power.carrier, &*power.reason)).collect();
    assert_eq!(
        removed,
        [(4, "permissionMode", "acts-permission"), (5, "model", "repository-chooses-model"), (6, "odd", "unknown-key")]
    );
}

#[test]
fn powers_keep_what_acts_and_never_a_model() {
    let mut world = World::with("/src/it/.winter/agents/x.md", &agent("x", "permissionMode: plan\nmodel: opus\n"));
    world.input.powers = Powers::Keep;
    let plan = world.plan();
    assert!(text(&plan, "agents/x.md").contains("permissionMode"));
    assert_eq!(plan.report.removed_powers.len(), 1);
}

#[test]
fn an_agent_that_is_no_yaml_is_skipped_as_one() {
    let world = World::with("/src/it/.winter/agents/x.md", "---\n- a\n---\nDo it.\n");
    let plan = world.plan();
    assert!(!has(&plan, "agents/x.md"));
    let [skipped] = plan.report.skipped_agents.as_slice() else { panic!("{:?}", plan.report) };
    assert_eq!(skipped.path, "/src/it/.winter/agents/x.md");
}

#[test]
fn a_long_text_is_streamed_from_its_file() {
    let body = "x".repeat(5000);
    let world = World::with("/src/it/.winter/agents/x.md", &format!("---\nname: x\ndescription: d\n---\n{body}"));
    let plan = world.plan();
    let Node::Splice(splice) = &entry(&plan, "agents/x.md").node else { panic!() };
    assert_eq!((splice.source.path.as_str(), splice.source.place), (".winter/agents/x.md", Place::TrustedRoot));
    assert_eq!(splice.offset, 31);
}

fn styles(plan: &Plan) -> Vec<(&str, &str)> {
    let dropped = plan.report.dropped_rules.iter();
    dropped.map(|dropped| (dropped.rule.strip_prefix("output style: ").unwrap(), &*dropped.reason)).collect()
}

#[test]
fn a_style_keeps_the_coding_instructions() {
    let world = World::with("/src/it/.winter/output-styles/a.md", "Talk.\n");
    let plan = world.plan();
    assert!(text(&plan, "output-styles/a.md").contains("keep-coding-instructions: true\n"));
    assert_eq!(entry(&plan, "output-styles/a.md").mode, 0o600);
    assert_eq!(plan.report, Report::default());
}

#[test]
fn unusable_style() {
    let world = World::with("/src/it/.winter/output-styles/c.md", "---\n- a\n---\n");
    let plan = world.plan();
    assert!(!has(&plan, "output-styles"));
    assert_eq!(styles(&plan), [("/src/it/.winter/output-styles/c.md", "unusable-style")]);
}

#[test]
fn style_collision() {
    let world = World::new();
    world.memory.file("/src/it/.winter/output-styles/b.md", "---\nname: Explanatory\n---\nTalk.\n");
    world.memory.file("/src/it/.winter/output-styles/MINE.md", "Theirs.\n");
    world.memory.file("/home/me/.winter/sdk/output-styles/mine.md", "Mine.\n");
    let plan = world.plan();
    assert_eq!(
        styles(&plan),
        [
            ("/src/it/.winter/output-styles/MINE.md", "style-collision"),
            ("/src/it/.winter/output-styles/b.md", "style-collision"),
        ]
    );
    assert_eq!(link(&plan, "output-styles/mine.md"), "/home/me/.winter/sdk/output-styles/mine.md");
}

#[test]
fn dispatch_child() {
    let mut world = World::with("/src/it/.winter/output-styles/a.md", "Talk.\n");
    world.memory.file("/home/me/.winter/sdk/output-styles/mine.md", "Mine.\n");
    world.memory.file("/home/me/.winter/sdk/settings.json", r#"{"outputStyle":"mine","verbose":true}"#);
    world.input.dispatch_child = true;
    let plan = world.plan();
    assert!(!has(&plan, "output-styles"));
    assert!(!plan.effective_settings.contains("outputStyle") && plan.effective_settings.contains("verbose"));
    assert_eq!(text(&plan, "settings.json"), plan.effective_settings);
    assert_eq!(plan.report.dropped_rules[0].reason, "dispatch-child");
    assert_eq!(skipped(&plan), [("/src/it/.winter/output-styles/a.md", SkipReason::NotCarried)]);
}

#[test]
fn a_skill_is_a_snapshot_without_its_plugin() {
    let world = World::new();
    let skill = "/src/it/.winter/skills/deploy";
    world.memory.file(&format!("{skill}/SKILL.md"), "---\nname: deploy\ndescription: d\n---\nRun !`rm x` now\n");
    world.memory.file(&format!("{skill}/scripts/run.sh"), "#!/bin/sh\n");
    world.memory.file(&format!("{skill}/.claude-plugin/plugin.json"), "{}");
    // Not of all skills together either, under the name of a skill.
    world.memory.file("/src/it/.winter/skills/.Claude-Plugin/SKILL.md", "---\nname: x\ndescription: d\n---\n");
    world.memory.file("/src/it/.winter/skills/.Claude-Plugin/plugin.json", "{}");
    world.memory.file("/src/it/.winter/skills/README.md", "");
    world.memory.file("/src/it/.winter/skills/none/x", "");
    let plan = world.plan();
    let body = text(&plan, "skills/deploy/SKILL.md");
    assert!(body.contains("rm x") && !body.contains(" !`rm x`"), "{body}");
    let Node::Copy(copy) = &entry(&plan, "skills/deploy/scripts/run.sh").node else { panic!() };
    assert_eq!(copy.path, ".winter/skills/deploy/scripts/run.sh");
    assert!(
        !plan
            .entries
            .iter()
            .any(|entry| entry.path.starts_with("skills") && entry.path.to_ascii_lowercase().contains("plugin"))
    );
    let removed: Vec<_> = plan.report.removed_powers.iter().map(|power| (&*power.carrier, &*power.reason)).collect();
    let plugin = (".claude-plugin/", "acts-command");
    assert_eq!(removed, [plugin, plugin, ("!`command`", "acts-command")]);
    assert_eq!(
        skipped(&plan),
        [
            ("/src/it/.winter/skills/README.md", SkipReason::NotRead),
            ("/src/it/.winter/skills/none", SkipReason::NotRead)
        ]
    );
}

#[test]
fn skills_and_commands_share_their_names_and_the_persons_come_first() {
    let world = World::new();
    world.memory.file("/home/me/.winter/sdk/commands/team/go.md", "Mine.\n");
    world.memory.file("/home/me/.winter/sdk/skills/mine/SKILL.md", "---\nname: other\n---\nMine.\n");
    world.memory.file("/src/it/.winter/commands/team/GO.md", "Theirs.\n");
    world.memory.file("/src/it/.winter/commands/team/stay.md", "Theirs.\n");
    world.memory.file("/src/it/.winter/skills/other/SKILL.md", "Theirs.\n");
    let plan = world.plan();
    assert_eq!(
        skipped(&plan),
        [
            ("/src/it/.winter/commands/team/GO.md", SkipReason::Collision),
            ("/src/it/.winter/skills/other/SKILL.md", SkipReason::Collision)
        ]
    );
    // The person's folder is taken apart, since a command of the project stands beside theirs.
    assert_eq!(link(&plan, "commands/team/go.md"), "/home/me/.winter/sdk/commands/team/go.md");
    assert!(matches!(entry(&plan, "commands/team/stay.md").node, Node::Copy(_)));
    assert_eq!(link(&plan, "skills/mine"), "/home/me/.winter/sdk/skills/mine");
}

#[test]
fn the_nearer_folder_wins() {
    let mut world = World::new();
    world.cwd = "/src/it/sub";
    world.memory.file("/src/it/.winter/agents/far.md", &agent("same", ""));
    world.memory.file("/src/it/sub/.winter/agents/near.md", &agent("Same", ""));
    let plan = world.plan();
    assert!(has(&plan, "agents/near.md") && !has(&plan, "agents/far.md"));
    assert_eq!(skipped(&plan), [("/src/it/.winter/agents/far.md", SkipReason::Collision)]);
}

#[test]
fn agents_of_two_folders_with_one_file_name_both_stand() {
    let mut world = World::new();
    world.cwd = "/src/it/sub";
    world.memory.file("/src/it/.winter/agents/x.md", &agent("far", ""));
    world.memory.file("/src/it/sub/.winter/agents/x.md", &agent("near", ""));
    let plan = world.plan();
    assert!(text(&plan, "agents/x.md").contains("near") && text(&plan, "agents/x-2.md").contains("far"));
}

#[test]
fn links_inside_the_root_are_snapshotted_and_others_are_not() {
    let world = World::new();
    world.memory.file("/src/it/shared/s/SKILL.md", "Do.\n");
    world.memory.file("/src/it/shared/s/data.txt", "data");
    world.memory.put("/src/it/.winter/skills/s", Stored::Link("../../shared/s".into()));
    world.memory.put("/src/it/.winter/skills/out", Stored::Link("/etc".into()));
    world.memory.put("/src/it/shared/s/up", Stored::Link("..".into()));
    world.memory.put("/src/it/shared/s/pipe", Stored::Other);
    world.memory.put("/src/it/.winter/agents", Stored::Link("nowhere".into()));
    let plan = world.plan();
    let Node::Copy(copy) = &entry(&plan, "skills/s/data.txt").node else { panic!() };
    assert_eq!(copy.path, "shared/s/data.txt");
    let links: Vec<_> = plan.report.skipped_links.iter().map(|link| (&*link.path, link.reason)).collect();
    assert_eq!(
        links,
        [
            ("/src/it/.winter/agents", LinkFault::Dangling),
            ("/src/it/.winter/skills/out", LinkFault::OutsideRoot),
            ("/src/it/.winter/skills/s/up/s", LinkFault::Loop)
        ]
    );
    assert_eq!(skipped(&plan), [("/src/it/.winter/skills/s/pipe", SkipReason::NotRegular)]);
}

#[test]
fn what_is_below_the_working_folder_is_named() {
    let world = World::new();
    world.memory.file("/src/it/sub/.winter/agents/x.md", &agent("x", ""));
    world.memory.file("/src/it/sub/.winter/skills/s/SKILL.md", "");
    let plan = world.plan();
    assert_eq!(
        skipped(&plan),
        [
            ("/src/it/sub/.winter/agents/x.md", SkipReason::NestedNotCarried),
            ("/src/it/sub/.winter/skills/s", SkipReason::NestedNotCarried)
        ]
    );
}

#[test]
fn bounds_are_the_hosts_and_what_is_beyond_is_named() {
    let mut world = World::new();
    for name in ["a", "b", "c"] {
        world.memory.file(&format!("/src/it/.winter/agents/{name}.md"), &agent(name, ""));
    }
    world.memory.file("/src/it/.winter/skills/s/SKILL.md", "Do.\n");
    world.memory.file("/src/it/.winter/skills/s/big", &"x".repeat(300));
    world.input.bounds.items = 2;
    world.input.bounds.skill_file = 200;
    let plan = world.plan();
    assert_eq!(
        skipped(&plan),
        [("/src/it/.winter/agents/c.md", SkipReason::TooMany), ("/src/it/.winter/skills/s/big", SkipReason::TooLarge)]
    );
    world.input.bounds = Bounds { total: 60, ..Bounds::default() };
    let plan = world.plan();
    assert!(has(&plan, "agents/a.md") && !has(&plan, "agents/b.md"));
    assert!(skipped(&plan).iter().all(|(_, reason)| *reason == SkipReason::TooMany));
}

#[test]
fn a_talk_reads_nothing_of_a_project() {
    let mut world = World::with("/src/it/.winter/agents/x.md", &agent("x", ""));
    world.memory.file("/src/it/WINTER.md", "Theirs.\n");
    world.memory.file("/src/it/.mcp.json", r#"{"mcpServers":{"s":{"command":"x"}}}"#);
    world.input.mode = Mode::Chat;
    let plan = world.plan();
    assert!(!has(&plan, "agents") && !has(&plan, "CLAUDE.md"));
    assert_eq!(plan.report, Report::default());
}

#[test]
fn what_is_no_text_is_skipped() {
    let world = World::new();
    world.memory.put("/src/it/.winter/commands/c.md", Stored::File(vec![0xff, 0xfe]));
    world.memory.put("/src/it/.winter/commands/u.md", Stored::Unreadable);
    world.memory.file("/src/it/.winter/commands/c.txt", "");
    let plan = world.plan();
    assert_eq!(
        skipped(&plan),
        [
            ("/src/it/.winter/commands/c.md", SkipReason::NotUtf8),
            ("/src/it/.winter/commands/c.txt", SkipReason::NotRead),
            ("/src/it/.winter/commands/u.md", SkipReason::Unreadable)
        ]
    );
}

#[test]
fn nothing_inside_a_git_folder_is_given() {
    let world = World::with("/src/it/.git/config", "url = https://me:secret@example.org\n");
    world.memory.file("/src/it/WINTER.md", "@.git/config\n");
    world.memory.put("/src/it/.winter/rules/g.md", Stored::Link("../../.git/config".into()));
    world.memory.file("/src/it/.winter/skills/s/SKILL.md", "Do.\n");
    world.memory.put("/src/it/.winter/skills/s/g", Stored::Link("../../../.git".into()));
    let plan = world.plan();
    assert!(!plan.entries.iter().any(|entry| format!("{:?}", entry.node).contains(".git/config")), "{plan:?}");
    assert!(!has(&plan, "rules") && !text(&plan, "CLAUDE.md").contains("secret"));
    assert_eq!(plan.report.dropped_imports.len(), 1);
    assert_eq!(
        skipped(&plan),
        [
            ("/src/it/.winter/rules/g.md", SkipReason::NotCarried),
            ("/src/it/.winter/skills/s/g", SkipReason::NotCarried)
        ]
    );
}

#[test]
fn winters_own_home_inside_the_project_is_no_part_of_it() {
    let mut world = World::with("/src/it/.wh/cache/runs/run-0000/WINTER.md", "Private.\n");
    world.input.home = "/src/it/.wh".into();
    world.memory.file("/src/it/WINTER.md", "@.wh/cache/runs/run-0000/WINTER.md\n");
    let plan = world.plan();
    assert!(!has(&plan, "rules") && !text(&plan, "CLAUDE.md").contains("Private"));
    assert_eq!(skipped(&plan), [("/src/it/.wh", SkipReason::NotCarried)]);
    assert_eq!(plan.report.dropped_imports.len(), 1);
}

#[test]
fn a_file_of_a_skill_that_cannot_be_read_is_named_in_the_plan() {
    let world = World::with("/src/it/.winter/skills/s/SKILL.md", "Do.\n");
    world.memory.put("/src/it/.winter/skills/s/secret", Stored::Unreadable);
    assert_eq!(skipped(&world.plan()), [("/src/it/.winter/skills/s/secret", SkipReason::Unreadable)]);
}
