//! The person's own items, and what outlives a run.

use super::*;
use crate::testing::test;

#[test]
fn a_persons_items_are_linked_one_by_one() {
    let world = World::new();
    world.memory.file("/home/me/.winter/sdk/agents/a.md", &agent("a", ""));
    world.memory.file("/home/me/.winter/sdk/rules/team/r.md", "Rule.\n");
    let plan = world.plan();
    assert_eq!(link(&plan, "agents/a.md"), "/home/me/.winter/sdk/agents/a.md");
    assert_eq!(link(&plan, "rules/team"), "/home/me/.winter/sdk/rules/team");
    assert_eq!(plan.report, Report::default());
}

#[test]
fn links_of_the_persons_own_lead_to_what_is_really_there() {
    let mut world = World::new();
    world.memory.file("/home/me/dot/skills/s/SKILL.md", "Mine.\n");
    world.memory.put("/home/me/.winter/sdk/skills/s", Stored::Link("/home/me/dot/skills/s".into()));
    world.memory.put("/home/me/.winter/sdk/skills/gone", Stored::Link("/home/me/dot/gone".into()));
    world.granted = vec!["/home/me/dot"];
    let plan = world.plan();
    assert_eq!(link(&plan, "skills/s"), "/home/me/dot/skills/s");
    let [external] = plan.report.external_user_links.as_slice() else { panic!("{:?}", plan.report) };
    assert_eq!((&*external.path, external.granted), ("/home/me/.winter/sdk/skills/s", true));
    assert_eq!(plan.report.skipped_links[0].reason, LinkFault::Dangling);
}

#[test]
fn a_link_that_was_not_granted_is_linked_and_remarked() {
    let world = World::new();
    world.memory.file("/home/me/dot/a.md", &agent("a", ""));
    world.memory.put("/home/me/.winter/sdk/agents/a.md", Stored::Link("/home/me/dot/a.md".into()));
    let plan = world.plan();
    assert_eq!(link(&plan, "agents/a.md"), "/home/me/dot/a.md");
    assert!(!plan.report.external_user_links[0].granted);
}

#[test]
fn behind_a_folder_that_was_not_granted_no_name_can_be_compared() {
    let mut world = World::with("/src/it/.winter/skills/s/SKILL.md", "Theirs.\n");
    world.memory.file("/home/me/dot/skills/s/SKILL.md", "Mine.\n");
    world.memory.put("/home/me/.winter/sdk/skills", Stored::Link("../../dot/skills".into()));
    let plan = world.plan();
    assert_eq!(link(&plan, "skills"), "/home/me/dot/skills");
    assert_eq!(skipped(&plan), [("/src/it/.winter/skills/s/SKILL.md", SkipReason::NotGranted)]);
    assert!(plan.report.skipped_items[0].detail.contains("--grant-read /home/me/dot/skills"));
    world.granted = vec!["/home/me/dot"];
    let plan = world.plan();
    assert_eq!(link(&plan, "skills/s"), "/home/me/dot/skills/s");
    assert_eq!(skipped(&plan), [("/src/it/.winter/skills/s/SKILL.md", SkipReason::Collision)]);
}

#[test]
fn what_outlives_a_run_is_linked_and_made() {
    let mut world = World::new();
    world.memory.put("/home/me/.winter/sdk/tasks", Stored::Folder);
    world.memory.file("/home/me/.winter/sdk/teams", "not a folder");
    world.memory.put("/home/me/.winter/sdk/plugins", Stored::Folder);
    let plan = world.plan();
    assert_eq!(link(&plan, "tasks"), "/home/me/.winter/sdk/tasks");
    assert_eq!(link(&plan, "plugins"), "/home/me/.winter/sdk/plugins");
    assert_eq!(plan.shared_folders, ["file-history", "agent-memory", "workflows"]);
    assert_eq!(skipped(&plan), [("/home/me/.winter/sdk/teams", SkipReason::NotRegular)]);
    world.input.brand = Profile::claude();
    world.memory.file("/home/me/.winter/sdk/.credentials.json", "{}");
    let plan = world.plan();
    assert_eq!(link(&plan, "projects"), "/home/me/.winter/sdk/projects");
    assert_eq!(link(&plan, ".credentials.json"), "/home/me/.winter/sdk/.credentials.json");
    assert!(plan.shared_folders.contains(&"projects".to_owned()) && has(&plan, "history.jsonl"));
}

#[test]
fn a_brand_names_plain_files_that_do_not_collide() {
    for change in [
        |brand: &mut Profile| brand.persistent_folders.push("a/b".into()),
        |brand: &mut Profile| brand.persistent_folders.push("tasks".into()),
        |brand: &mut Profile| brand.linked_entries.push("settings.json".into()),
        |brand: &mut Profile| brand.linked_entries.push(".winter.json".into()),
        |brand: &mut Profile| brand.global_config_file = "manifest.json".into(),
        |brand: &mut Profile| brand.local_instructions_file = String::new(),
    ] {
        let mut world = World::new();
        change(&mut world.input.brand);
        assert_eq!(Refusal::from(world.build().unwrap_err()).kind, RefusalKind::BadInput);
    }
}

#[test]
fn an_item_of_unknown_name_keeps_the_projects_of_its_kind_out() {
    for kind in ["agents", "output-styles"] {
        let mut world = World::with(&format!("/src/it/.winter/{kind}/x.md"), &agent("rev", ""));
        world.memory.file("/home/me/dot/rev.md", &agent("rev", ""));
        let own = format!("/home/me/.winter/sdk/{kind}/mine.md");
        world.memory.put(&own, Stored::Link("/home/me/dot/rev.md".into()));
        let plan = world.plan();
        assert!(!has(&plan, &format!("{kind}/x.md")));
        assert_eq!(skipped(&plan), [(&*format!("/src/it/.winter/{kind}/x.md"), SkipReason::NotGranted)]);
        world.granted = vec!["/home/me/dot"];
        assert!(!has(&world.plan(), &format!("{kind}/x.md")), "a collision now");
        world.memory.file("/home/me/dot/rev.md", &agent("another", ""));
        assert!(has(&world.plan(), &format!("{kind}/x.md")));
        world.memory.put(&own, Stored::Link("nowhere.md".into()));
        assert!(has(&world.plan(), &format!("{kind}/x.md")), "a link to nothing is no item");
    }
}

#[test]
fn a_header_that_the_program_reads_and_winter_does_not_still_has_its_name() {
    let world = World::with("/src/it/.winter/agents/x.md", &agent("rev", ""));
    world.memory.file("/home/me/.winter/sdk/agents/mine.md", &agent("rev", "x: {a: &x 1, b: *x}\n"));
    let plan = world.plan();
    assert_eq!(skipped(&plan), [("/src/it/.winter/agents/x.md", SkipReason::Collision)]);
}

#[test]
fn a_command_that_makes_a_skill_of_its_folder_is_called_by_the_folder() {
    let world = World::with("/src/it/.winter/commands/dep.md", "Theirs.\n");
    world.memory.file("/home/me/.winter/sdk/commands/dep/Skill.md", "Mine.\n");
    world.memory.file("/home/me/.winter/sdk/commands/team/deploy.md", "Mine.\n");
    world.memory.file("/src/it/.winter/commands/team/SKILL.md", "Theirs.\n");
    world.memory.file("/src/it/.winter/skills/dep/SKILL.md", "Theirs.\n");
    let plan = world.plan();
    assert_eq!(link(&plan, "commands/team"), "/home/me/.winter/sdk/commands/team");
    assert_eq!(
        skipped(&plan),
        [
            ("/src/it/.winter/commands/dep.md", SkipReason::Collision),
            ("/src/it/.winter/commands/team/SKILL.md", SkipReason::NotCarried),
            ("/src/it/.winter/skills/dep/SKILL.md", SkipReason::Collision),
        ]
    );
}
