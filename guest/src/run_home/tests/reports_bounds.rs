//! What a hostile repository would make large, deep or slow, and plans that no folder could be made of.

use std::time::Duration;

use super::*;
use crate::report::{ImportFault, SkippedItem};
use crate::testing::{Instant, test};

/// Long enough for a slow machine, and far from what a loop in a loop would take.
const MOMENT: Duration = Duration::from_secs(20);

fn planned_in_time(world: &World) -> Plan {
    let started = Instant::now();
    let plan = world.plan();
    assert!(started.elapsed() < MOMENT, "{:?}", started.elapsed());
    can_be_made(&plan);
    plan
}

/// What the runner wants of a plan, also on a file system that folds case.
fn can_be_made(plan: &Plan) {
    let mut nodes = std::collections::BTreeMap::new();
    for entry in &plan.entries {
        let path = entry.path.as_str();
        assert!(path.split('/').count() <= 64, "too deep: {path}");
        assert!(path.split('/').all(|name| (1..=255).contains(&name.len()) && name != "." && name != ".."), "{path}");
        assert!(path != "manifest.json" && path != ".building");
        if let Node::Link(target) = &entry.node {
            assert!((1..4096).contains(&target.len()) && !target.contains('\0'), "{path} -> {target}");
        }
        assert!(nodes.insert(fold(path), &entry.node).is_none(), "twice: {path}");
    }
    for entry in &plan.entries {
        if let Some((above, _)) = entry.path.rsplit_once('/') {
            assert_eq!(nodes.get(&fold(above)), Some(&&Node::Directory), "above {}", entry.path);
            assert!(plan.entries.iter().any(|entry| entry.path == above), "{above} in another spelling");
        }
    }
}

fn skipped_as(plan: &Plan, reason: SkipReason) -> Vec<&SkippedItem> {
    plan.report.skipped_items.iter().filter(|item| item.reason == reason).collect()
}

#[test]
fn an_item_in_a_folder_whose_name_another_item_has_is_placed_beside_it() {
    let mut world = World::new();
    world.cwd = "/src/it/sub";
    world.memory.file("/src/it/sub/.winter/commands/a.md", "Near.\n");
    world.memory.file("/src/it/.winter/commands/a.md/x.md", "Far.\n");
    world.memory.file("/src/it/.winter/commands/A.md/y.md", "Far.\n");
    world.memory.file("/src/it/sub/.winter/rules/b.md", "Near.\n");
    world.memory.file("/src/it/.winter/rules/b.md/x.md", "Far.\n");
    world.memory.file("/src/it/sub/b.md/WINTER.md", "Below.\n");
    let plan = planned_in_time(&world);
    for path in ["commands/a.md", "commands/A-2.md/x.md", "commands/A-2.md/y.md"] {
        assert!(has(&plan, path), "{path}");
    }
    assert!(has(&plan, "rules/b.md/x.md") && has(&plan, "rules/b.md/WINTER.md") && has(&plan, "rules/b-2.md"));
    assert!(skipped(&plan).is_empty());
}

#[test]
fn a_persons_file_is_never_put_aside_for_a_folder_of_the_project() {
    let mut world = World::new();
    world.memory.file("/home/me/.winter/sdk/commands/go.md", "Mine.\n");
    world.memory.file("/home/me/.winter/sdk/commands/Team/mine.md", "Mine.\n");
    world.memory.file("/home/me/dot/far/x.md", "Mine.\n");
    world.memory.put("/home/me/.winter/sdk/commands/far", Stored::Link("/home/me/dot/far".into()));
    world.memory.file("/src/it/.winter/commands/go.md/x.md", "Theirs.\n");
    world.memory.file("/src/it/.winter/commands/team/theirs.md", "Theirs.\n");
    world.memory.file("/src/it/.winter/commands/far/theirs.md", "Theirs.\n");
    let plan = planned_in_time(&world);
    assert_eq!(link(&plan, "commands/go.md"), "/home/me/.winter/sdk/commands/go.md");
    assert_eq!(link(&plan, "commands/Team/mine.md"), "/home/me/.winter/sdk/commands/Team/mine.md");
    assert_eq!(link(&plan, "commands/far"), "/home/me/dot/far");
    for path in ["commands/go-2.md/x.md", "commands/Team/theirs.md", "commands/far-2/theirs.md"] {
        assert!(has(&plan, path), "{path}");
    }
    assert!(skipped(&plan).is_empty());
    world.granted = vec!["/home/me/dot"];
    let plan = planned_in_time(&world);
    assert!(has(&plan, "commands/far/theirs.md") && has(&plan, "commands/far/x.md"));
}

#[test]
fn folders_of_a_skill_that_differ_in_case_alone_are_one_and_the_second_is_named() {
    let world = World::new();
    for path in ["SKILL.md", "Data/a", "data/b", "Re\u{301}/a", "r\u{e9}/b", "x", "X/y"] {
        world.memory.file(&format!("/src/it/.winter/skills/s/{path}"), "x");
    }
    let plan = planned_in_time(&world);
    let lost: Vec<&str> = skipped_as(&plan, SkipReason::Collision).iter().map(|item| &*item.path).collect();
    assert_eq!(
        lost,
        ["/src/it/.winter/skills/s/data", "/src/it/.winter/skills/s/r\u{e9}", "/src/it/.winter/skills/s/x"]
    );
}

#[test]
fn the_longest_names_and_the_deepest_folders_can_be_made() {
    let mut world = World::new();
    world.cwd = "/src/it/sub";
    let long = format!("{}.md", "é".repeat(126));
    for folder in ["", "sub/"] {
        world.memory.file(&format!("/src/it/{folder}.winter/rules/{long}"), "Rule.\n");
        world.memory.file(&format!("/src/it/{folder}.winter/agents/{long}"), &agent(&format!("x{folder}"), ""));
    }
    let deep = "/d".repeat(200);
    world.memory.file(&format!("/src/it/sub{deep}/WINTER.md"), "Too deep.\n");
    let walked = "/d".repeat(40);
    world.memory.file(&format!("/src/it/sub{walked}/WINTER.md"), "Deep.\n");
    world.memory.file(&format!("/src/it/sub{walked}/.winter/rules{}/r.md", "/r".repeat(16)), "Deep.\n");
    world.memory.file(&format!("/src/it/.winter/commands{}/c.md", "/c".repeat(17)), "Too deep.\n");
    world.memory.file("/src/it/.winter/skills/s/SKILL.md", "Do.\n");
    world.memory.file(&format!("/src/it/.winter/skills/s{}/f", "/s".repeat(17)), "x");
    let plan = planned_in_time(&world);
    assert!(has(&plan, &format!("rules{walked}{}/r.md", "/r".repeat(16))));
    assert!(has(&plan, &format!("rules{walked}/WINTER.md")));
    let lost: Vec<&str> = skipped_as(&plan, SkipReason::TooMany).iter().map(|item| &*item.path).collect();
    let expected = [
        format!("/src/it/.winter/commands{}", "/c".repeat(17)),
        format!("/src/it/.winter/skills/s{}", "/s".repeat(17)),
        format!("/src/it/sub{}", "/d".repeat(41)),
    ];
    assert_eq!(lost, expected);
}

#[test]
fn a_persons_link_that_is_too_long_to_be_written_is_named() {
    let world = World::new();
    let target = "/x".repeat(2100);
    world.memory.put("/home/me/.winter/sdk/agents/a.md", Stored::Link(target.clone()));
    world.memory.put("/home/me/.winter/sdk/skills", Stored::Link(target));
    let plan = planned_in_time(&world);
    assert_eq!(
        skipped(&plan),
        [
            ("/home/me/.winter/sdk/agents/a.md", SkipReason::TooLarge),
            ("/home/me/.winter/sdk/skills", SkipReason::TooLarge)
        ]
    );
}

#[test]
fn a_brand_takes_no_name_of_the_run_folder_in_any_case() {
    for name in [".building", "Manifest.JSON", "claude.md", "Tasks", ".WINTER.json", &"x".repeat(256)] {
        let mut world = World::new();
        world.input.brand.linked_entries.push(name.into());
        assert_eq!(Refusal::from(world.build().unwrap_err()).kind, RefusalKind::BadInput, "{name}");
    }
}

#[test]
fn links_that_lead_to_one_folder_on_very_many_ways_are_bounded() {
    let world = World::new();
    for kind in ["commands", "agents", "rules"] {
        for depth in 0..14 {
            for way in 0..8 {
                let path = format!("/src/it/ways/{kind}/{depth}/{way}");
                world.memory.put(&path, Stored::Link(format!("../{}", depth + 1)));
            }
        }
        world.memory.put(&format!("/src/it/ways/{kind}/14"), Stored::Folder);
        world.memory.put(&format!("/src/it/.winter/{kind}"), Stored::Link(format!("../ways/{kind}/0")));
    }
    world.memory.file("/src/it/.winter/skills/s/SKILL.md", "Do.\n");
    world.memory.put("/src/it/.winter/skills/s/ways", Stored::Link("../../../ways/rules/0".into()));
    let mut world = world;
    world.input.bounds.folders = 500;
    let plan = planned_in_time(&world);
    assert!(skipped_as(&plan, SkipReason::TooMany).len() > 4);
}

#[test]
fn very_many_things_that_are_left_out_are_named_by_their_folder() {
    let world = World::new();
    for number in 0..15_000 {
        world.memory.put(&format!("/src/it/.winter/commands/{number:05}"), Stored::Other);
        world.memory.put(&format!("/src/it/.winter/agents/{number:05}"), Stored::Link("nowhere".into()));
    }
    let plan = planned_in_time(&world);
    let told = skipped_as(&plan, SkipReason::NotRegular).len();
    assert!(told == 9_999 && plan.report.skipped_links.len() == 10_000);
    let folders: Vec<&str> = skipped_as(&plan, SkipReason::TooMany).iter().map(|item| &*item.path).collect();
    assert_eq!(folders, ["/src/it/.winter/agents", "/src/it/.winter/commands"]);
}

#[test]
fn twenty_thousand_items_are_planned_in_a_moment() {
    let mut world = World::new();
    world.input.bounds.items = 20_000;
    for number in 0..5_000_u32 {
        // All of one name, on a file system that folds case.
        let bit = |at: u32| if number >> at & 1 == 1 { 'A' } else { 'a' };
        let name: String = (0..13).map(bit).collect();
        world.memory.file(&format!("/src/it/.winter/rules/{name}.md"), "Rule.\n");
        world.memory.file(&format!("/src/it/.winter/agents/{name}.md"), &agent(&format!("n{number}"), ""));
        world.memory.file(&format!("/home/me/.winter/sdk/agents/m{number}.md"), &agent(&format!("m{number}"), ""));
        world.memory.file(&format!("/src/it/.winter/rules/below/f{number}/x.md"), "Rule.\n");
        world.memory.file(&format!("/src/it/.winter/odd{number}"), "");
        world.memory.file(&format!("/src/it/below/f{number}/WINTER.md"), "Below.\n");
    }
    let plan = planned_in_time(&world);
    assert_eq!(plan.report.unconditional_rules.len(), 10_000);
    assert_eq!(skipped_as(&plan, SkipReason::NotCarried).len(), 5_000);
}

#[test]
fn patterns_of_ignore_files_are_bounded() {
    let world = World::new();
    world.memory.file("/src/it/.gitignore", &"x*y\n".repeat(200_000));
    for number in 0..200 {
        world.memory.file(&format!("/src/it/f{number:03}/WINTER.md"), "Below.\n");
    }
    let plan = planned_in_time(&world);
    let told = skipped_as(&plan, SkipReason::TooMany);
    assert!(!told.is_empty() && told.len() < 200 && told[0].detail.contains("patterns"), "{}", told.len());
}

#[test]
fn patterns_that_match_in_very_many_ways_end() {
    let slow = format!("{}b\nignored/", "**/a/".repeat(40));
    let world = World::new();
    world.memory.file("/src/it/.gitignore", &format!("{slow}\n{}b\n", "*a".repeat(120)));
    world.memory.file(&format!("/src/it{}/{}/WINTER.md", "/a".repeat(38), "a".repeat(255)), "Below.\n");
    world.memory.file("/src/it/ignored/WINTER.md", "Ignored.\n");
    let plan = planned_in_time(&world);
    assert!(!has(&plan, "rules/ignored") && has(&plan, "rules/a") && skipped(&plan).is_empty());
}

#[test]
fn imports_that_are_dropped_are_told_up_to_a_bound() {
    let world = World::new();
    for number in 0..40 {
        let text = (0..1500).fold(String::new(), |text, import| format!("{text}@/no/{import}\n"));
        world.memory.file(&format!("/src/it/f{number:02}/WINTER.md"), &text);
        world
            .memory
            .file(&format!("/src/it/f{number:02}/.winter/rules/r.md"), &format!("{}\n", "\u{202e}a\n".repeat(500)));
    }
    world.memory.file("/src/it/z/WINTER.md", "@none.md @/no/1 @/no/2\n");
    let plan = planned_in_time(&world);
    let dropped = &plan.report.dropped_imports;
    assert!((10_000..12_000).contains(&dropped.len()), "{}", dropped.len());
    for number in 0..40 {
        let file = format!("/src/it/f{number:02}/WINTER.md");
        let last = dropped.iter().any(|import| import.file == file && import.reason == ImportFault::TooMany);
        assert!(last, "{file}");
    }
    assert!(dropped.iter().any(|import| import.file == "/src/it/z/WINTER.md"));
    let remarks = plan.report.notices.iter().filter(|notice| notice.kind == NoticeKind::InvisibleCharacters).count();
    assert_eq!(remarks, 40 * 101);
}

#[test]
fn imports_as_deep_as_a_host_asks_for_do_not_use_up_the_stack() {
    let mut world = World::with("/src/it/WINTER.md", "@0.md\n");
    for number in 0..200 {
        world.memory.file(&format!("/src/it/{number}.md"), &format!("@{}.md\n", number + 1));
    }
    world.input.bounds.import_depth = u32::MAX;
    let plan = planned_in_time(&world);
    assert_eq!(plan.report.dropped_imports[0].reason, ImportFault::TooDeep);
    world.input.bounds.import_depth = 0;
    assert_eq!(planned_in_time(&world).report.dropped_imports[0].reason, ImportFault::TooDeep);
}

#[test]
fn a_skill_of_very_many_files_is_bounded() {
    let world = World::new();
    for skill in 0..5 {
        world.memory.file(&format!("/src/it/.winter/skills/s{skill}/SKILL.md"), "Do.\n");
        for number in 0..4_000 {
            world.memory.file(&format!("/src/it/.winter/skills/s{skill}/data/{number:04}"), "");
        }
    }
    let plan = planned_in_time(&world);
    let copied = plan.entries.iter().filter(|entry| matches!(entry.node, Node::Copy(_))).count();
    assert_eq!(copied, 16_384);
    assert_eq!(skipped_as(&plan, SkipReason::TooMany).len(), 20_000 - 16_384);
}

#[test]
fn settings_of_very_many_rules_and_servers_are_planned_in_a_moment() {
    let mut world = World::new();
    world.input.powers = Powers::Keep;
    for path in
        ["/home/me/.winter/sdk/settings.json", "/src/it/.winter/settings.json", "/src/it/.winter/settings.local.json"]
    {
        let rules = |tool: &str| (0..9_000).map(|rule| format!("{tool}(/{rule}/**)")).collect::<Vec<_>>();
        let lists =
            serde_json::json!({"permissions": {"deny": rules("Read"), "allow": rules("Edit"), "ask": rules("Edit")}});
        world.memory.file(path, &lists.to_string());
    }
    let places = Places { links: Some(world.memory.grant("/")), ..world.places() };
    let started = Instant::now();
    let plan = build(&world.input, &places, &world.git, &Still(0)).unwrap();
    assert!(started.elapsed() < MOMENT, "{:?}", started.elapsed());
    assert!(plan.effective_settings.contains("Read(//src/it/8999/**)"));
}
