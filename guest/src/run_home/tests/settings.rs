//! Which settings files are read, whose they are, and what the plan says of them.

use super::*;
use crate::testing::test;

fn local(git: Result<Vec<Evidence>, ProbeError>) -> World {
    let mut world = World::with("/src/it/.winter/settings.local.json", ACCEPTING);
    world.git = MemoryGit::answering(git);
    world
}

fn evidence(place: GitPlace) -> Evidence {
    Evidence { path: ".winter/settings.local.json".into(), place, mode: 0o100_644, covering: false }
}

#[test]
fn the_plan_names_its_folder_and_holds_the_settings() {
    let plan = World::with("/src/it/.winter/settings.json", r#"{"language":"de"}"#).plan();
    assert_eq!(plan.dir, "/home/me/.winter/cache/runs/run-0001");
    assert_eq!(plan.sdk_home, "/home/me/.winter/sdk");
    let settings = entry(&plan, "settings.json");
    assert_eq!(settings.mode, 0o600);
    assert_eq!(settings.node, Node::Content(plan.effective_settings.clone().into_bytes()));
    assert!(plan.effective_settings.contains("\"language\": \"de\""));
    let manifest: serde_json::Value = serde_json::from_str(&plan.manifest).unwrap();
    assert_eq!(manifest["contract-version"], 1);
    assert_eq!(manifest["built-at"], 1000);
    assert_eq!(manifest["trusted-root"], "/src/it");
}

#[test]
fn winters_own_controls_and_the_item_folders_are_protected() {
    let plan = World::new().plan();
    for rule in [
        "Edit(//home/me/.winter/trust.json)",
        "Edit(//home/me/.winter/cache/runs/*/[._0-9B-OQ-Zb-oq-z]*)",
        "Edit(//home/me/.winter/sdk/settings.json)",
    ] {
        assert!(plan.effective_settings.contains(rule), "{rule}");
    }
    assert!(plan.effective_settings.contains("Edit(//src/it/**/.winter/skills/**)"));
}

#[test]
fn a_local_file_that_git_does_not_list_is_the_persons_own() {
    let world = local(Ok(Vec::new()));
    assert_eq!(world.because(), None);
    assert!(world.plan().effective_settings.contains("acceptEdits"));
    assert_eq!(world.git.asked.borrow()[0], ("/src/it".into(), vec![".winter/settings.local.json".into()]));
}

#[test]
fn a_local_file_counts_as_shipped_when_git_lists_it_or_cannot_answer() {
    for (answer, because) in [
        (Ok(vec![evidence(GitPlace::Index)]), ShippedBecause::Index),
        (Ok(vec![evidence(GitPlace::Head)]), ShippedBecause::Head),
        (Ok(vec![evidence(GitPlace::Head), evidence(GitPlace::Index)]), ShippedBecause::Index),
        (Err(ProbeError::Unsupported("x".into())), ShippedBecause::Unsupported),
        (Err(ProbeError::TimedOut), ShippedBecause::TimedOut),
        (Err(ProbeError::Failed("x".into())), ShippedBecause::Failed),
        // There is a `.git` entry, so this is no "no".
        (Err(ProbeError::NotARepository), ShippedBecause::Failed),
    ] {
        let world = local(answer.clone());
        assert_eq!(world.because(), Some(because), "{answer:?}");
        let report = world.plan().report;
        assert_eq!(
            (report.dropped_rules[0].tier, &*report.dropped_rules[0].reason),
            (crate::tier::Tier::Local, "escalating-mode")
        );
        assert!(report.notices.iter().any(|notice| notice.kind == NoticeKind::ShippedLocal));
    }
}

#[test]
fn links_are_looked_at_before_git_is_asked() {
    let world = World::with("/src/it/real/settings.local.json", ACCEPTING);
    world.memory.put("/src/it/.winter", Stored::Link("real".into()));
    assert_eq!(world.because(), Some(ShippedBecause::Link));
    assert!(world.git.asked.borrow().is_empty());

    let world = World::with("/src/it/.winter/other.json", ACCEPTING);
    world.memory.put("/src/it/.winter/settings.local.json", Stored::Link("other.json".into()));
    assert_eq!(world.because(), Some(ShippedBecause::Link));
}

#[test]
fn a_folder_that_is_a_repository_of_its_own_ships_what_is_in_it() {
    let world = local(Ok(Vec::new()));
    world.memory.put("/src/it/.winter/.git", Stored::Folder);
    assert_eq!(world.because(), Some(ShippedBecause::Failed));
}

#[test]
fn without_a_git_root_the_question_is_asked_from_the_nearest_entry() {
    let mut world = World::with("/src/it/sub/.winter/settings.local.json", ACCEPTING);
    (world.cwd, world.git_top) = ("/src/it/sub", None);
    world.git = MemoryGit::answering(Ok(vec![evidence(GitPlace::Index)]));
    assert_eq!(world.because(), Some(ShippedBecause::Index));
    assert_eq!(world.git.asked.borrow()[0], ("/src/it".into(), vec!["sub/.winter/settings.local.json".into()]));

    world.git_entry = None;
    world.git.asked.borrow_mut().clear();
    assert_eq!(world.because(), None, "no entry on the way up: nobody could have shipped it");
    assert!(world.git.asked.borrow().is_empty());
}

#[test]
fn git_is_asked_only_about_a_file_that_can_be_used() {
    let mut world = local(Err(ProbeError::TimedOut));
    world.memory.file("/src/it/.winter/settings.local.json", "{ not json");
    let report = world.plan().report;
    assert_eq!(report.skipped_items[0].reason, SkipReason::Unusable);
    assert!(world.git.asked.borrow().is_empty());
    world = local(Err(ProbeError::TimedOut));
    world.memory.put("/src/it/.winter/settings.local.json", Stored::Unreadable);
    assert_eq!(world.plan().report.skipped_items[0].reason, SkipReason::Unreadable);
}

#[test]
fn the_project_file_may_lie_behind_a_link_inside_the_root_and_nowhere_else() {
    let world = World::with("/src/it/shared/s.json", r#"{"language":"de"}"#);
    world.memory.put("/src/it/.winter/settings.json", Stored::Link("../shared/s.json".into()));
    assert!(world.plan().effective_settings.contains("\"de\""));

    for (target, fault) in
        [("/etc/passwd", LinkFault::OutsideRoot), ("../../x", LinkFault::OutsideRoot), ("none", LinkFault::Dangling)]
    {
        let world = World::new();
        world.memory.put("/src/it/.winter/settings.json", Stored::Link(target.into()));
        let [link] = world.plan().report.skipped_links.try_into().unwrap();
        assert_eq!(
            (link.path.as_str(), link.target.as_str(), link.reason),
            ("/src/it/.winter/settings.json", target, fault)
        );
    }
}

#[test]
fn what_both_files_run_into_is_reported_once() {
    let world = World::new();
    world.memory.put("/src/it/.winter", Stored::Link("/etc/winter".into()));
    let [link] = world.plan().report.skipped_links.try_into().unwrap();
    assert_eq!((link.path.as_str(), link.reason), ("/src/it/.winter", LinkFault::OutsideRoot));

    let world = World::new();
    world.memory.file("/src/it/.winter", "{}");
    let [item] = world.plan().report.skipped_items.try_into().unwrap();
    assert_eq!((item.path.as_str(), item.reason), ("/src/it/.winter", SkipReason::NotRegular));
}

#[test]
fn what_lies_behind_a_linked_folder_is_named_too() {
    let world = World::new();
    world.memory.put("/src/it/.winter", Stored::Link("conf/winter".into()));
    world.memory.file("/src/it/conf/winter/agents/a.md", "");
    world.memory.file("/src/it/conf/winter/settings.jsonc", "");
    let items = world.plan().report.skipped_items;
    let found: Vec<_> = items.iter().map(|item| (item.path.as_str(), item.reason)).collect();
    assert_eq!(found, [("/src/it/conf/winter/settings.jsonc", SkipReason::NotRead)]);
}

#[test]
fn what_is_no_file_is_skipped_with_its_reason() {
    for (node, reason) in [
        (Stored::Folder, SkipReason::NotRegular),
        (Stored::Other, SkipReason::NotRegular),
        (Stored::Unreadable, SkipReason::Unreadable),
        (Stored::File(vec![b' '; usize::try_from(Bounds::default().text).unwrap() + 1]), SkipReason::TooLarge),
    ] {
        let world = World::new();
        world.memory.put("/src/it/.winter/settings.json", node.clone());
        assert_eq!(world.plan().report.skipped_items[0].reason, reason);
        let world = World::new();
        world.memory.put("/home/me/.winter/sdk/settings.json", node);
        assert!(matches!(world.build(), Err(RunHomeError::OwnSettings { .. })), "{reason:?}");
    }
}

#[test]
fn a_persons_link_needs_a_grant() {
    let mut world = World::new();
    world.memory.file("/dotfiles/winter/settings.json", r#"{"language":"de"}"#);
    world.memory.put("/home/me/.winter/sdk/settings.json", Stored::Link("/dotfiles/winter/settings.json".into()));
    let refusal = Refusal::from(world.build().unwrap_err());
    assert_eq!(refusal.kind, RefusalKind::Denied);
    assert_eq!(refusal.help, "--grant-read /dotfiles/winter would grant it");
    world.granted = vec!["/dotfiles"];
    assert!(world.plan().effective_settings.contains("\"de\""));

    world.memory.put("/home/me/.winter/sdk/settings.json", Stored::Link("gone.json".into()));
    assert!(matches!(world.build(), Err(RunHomeError::OwnSettings { .. })));
}

#[test]
fn nothing_of_a_project_is_read_at_the_persons_home_or_in_a_talk() {
    let text = r#"{"language":"de"}"#;
    let mut world = World::with("/src/it/.winter/settings.json", text);
    for home in ["/src/it", "/src/it/sub"] {
        world.input.user_home = Some(home.into());
        let plan = world.plan();
        assert!(!plan.effective_settings.contains("language"), "{home}");
        assert_eq!(plan.report.notices[0].kind, NoticeKind::Untrusted);
    }
    let mut world = World::with("/src/it/.winter/settings.json", text);
    world.input.mode = Mode::Chat;
    assert!(!world.plan().effective_settings.contains("language"));
}

#[test]
fn a_shared_home_inside_the_project_is_read_once_as_the_persons() {
    let world = World::with("/src/it/.winter/settings.json", r#"{"model":"mine"}"#);
    let places = Places { shared_home: Some(world.memory.grant("/src/it/.winter")), ..world.places() };
    let plan = build(&world.input, &places, &world.git, &Still(0)).unwrap();
    assert!(plan.effective_settings.contains("\"mine\"") && plan.report.dropped_rules.is_empty());
    assert!(plan.report.notices.iter().any(|notice| notice.kind == NoticeKind::HomeIsProject));

    // So it is where the project's folder is a link to it, as in a repository of dotfiles.
    let world = World::with("/src/it/dotfiles/agent/settings.json", r#"{"model":"mine"}"#);
    world.memory.put("/src/it/.winter", Stored::Link("dotfiles/agent".into()));
    let places = Places { shared_home: Some(world.memory.grant("/src/it/dotfiles/agent")), ..world.places() };
    let plan = build(&world.input, &places, &world.git, &Still(0)).unwrap();
    assert!(plan.effective_settings.contains("\"mine\"") && plan.report.dropped_rules.is_empty());
}

#[test]
fn inputs_that_cannot_be_used_are_refused() {
    let refused = |change: &dyn Fn(&mut World)| {
        let mut world = World::new();
        change(&mut world);
        Refusal::from(world.build().unwrap_err()).kind
    };
    assert_eq!(refused(&|world| world.input.leg = Leg::Official), RefusalKind::LegRefused);
    for id in ["", "short", "../../etc", "UPPER-CASE", &"x".repeat(65)] {
        assert_eq!(refused(&|world| world.input.run_id = id.into()), RefusalKind::BadInput, "{id}");
    }
    assert_eq!(refused(&|world| world.input.home = "relative".into()), RefusalKind::BadInput);
    assert_eq!(refused(&|world| world.cwd = "/home/me"), RefusalKind::BadInput);
    assert_eq!(refused(&|world| world.input.brand.project_dir = "../x".into()), RefusalKind::BadInput);
}

#[test]
fn likely_slips_and_what_is_not_carried_are_named() {
    let world = World::new();
    for path in [
        "/src/it/.winter/settings.jsonc",
        "/src/it/.winter/Settings.json",
        "/src/it/.winter/.winter/settings.json",
        "/src/it/.Winter/settings.json",
        "/home/me/.winter/sdk/settings.local.json",
        "/home/me/.winter/sdk/managed-settings.json",
        "/src/it/winter.md",
        "/src/it/.MCP.json",
        "/src/it/.winter/Skills/a/SKILL.md",
        "/src/it/.winter/scheduled_tasks.json",
    ] {
        world.memory.file(path, "{}");
    }
    let items = world.plan().report.skipped_items;
    let with = |reason: SkipReason| -> Vec<&str> {
        items.iter().filter(|item| item.reason == reason).map(|item| item.path.as_str()).collect()
    };
    assert_eq!(
        with(SkipReason::NotRead),
        [
            "/home/me/.winter/sdk/managed-settings.json",
            "/home/me/.winter/sdk/settings.local.json",
            "/src/it/.MCP.json",
            "/src/it/.Winter",
            "/src/it/.winter/.winter",
            "/src/it/.winter/Settings.json",
            "/src/it/.winter/Skills",
            "/src/it/.winter/settings.jsonc",
            "/src/it/winter.md",
        ]
    );
    assert_eq!(with(SkipReason::NotCarried), ["/src/it/.winter/scheduled_tasks.json"]);
}

#[test]
fn without_a_shared_home_there_is_a_remark() {
    let world = World::new();
    let places = Places { shared_home: None, ..world.places() };
    let plan = build(&world.input, &places, &world.git, &Still(0)).unwrap();
    assert_eq!(plan.report.notices[0].kind, NoticeKind::NoSharedHome);
    assert_eq!(plan.sdk_home, "/home/me/.winter/sdk");
}
