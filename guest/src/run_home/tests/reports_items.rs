//! What people reported of tools of this kind, the whole kind each: links, names, and servers of items.

use proptest::prelude::*;

use super::*;
use crate::powers::ItemKind;
use crate::testing::test;

const KINDS: [ItemKind; 5] =
    [ItemKind::Agent, ItemKind::Skill, ItemKind::Command, ItemKind::OutputStyle, ItemKind::Rule];

/// Where an item of that name stands in a folder of its kind, and what it holds.
fn item(kind: ItemKind, name: &str) -> (String, String) {
    let path = if kind == ItemKind::Skill { format!("{name}/SKILL.md") } else { format!("{name}.md") };
    let text = match kind {
        ItemKind::Agent | ItemKind::OutputStyle => agent(name, ""),
        _ => "Do it.\n".to_owned(),
    };
    (path, text)
}

/// The entry of the run folder that an item of that name is.
fn entry_of(kind: ItemKind, name: &str) -> String {
    let end = if kind == ItemKind::Skill { "" } else { ".md" };
    format!("{}/{name}{end}", kind.folder())
}

/// Everything that was left out of an item's kind, by path.
fn lost(plan: &Plan) -> Vec<&str> {
    let report = &plan.report;
    let styles = report.dropped_rules.iter().filter_map(|dropped| dropped.rule.strip_prefix("output style: "));
    let mut lost: Vec<&str> = report
        .skipped_items
        .iter()
        .map(|item| &*item.path)
        .chain(report.skipped_links.iter().map(|link| &*link.path))
        .chain(report.skipped_agents.iter().map(|agent| &*agent.path))
        .chain(styles)
        .collect();
    lost.sort_unstable();
    lost
}

/// 56: a person's folder of items that is itself a link is followed, for every kind; what is linked is the real place.
#[test]
fn a_persons_folder_of_items_may_be_a_link() {
    for kind in KINDS {
        let mut world = World::new();
        let folder = kind.folder();
        let (path, text) = item(kind, "mine");
        world.memory.file(&format!("/home/me/dot/{folder}/{path}"), &text);
        world.memory.put(&format!("/home/me/.winter/sdk/{folder}"), Stored::Link(format!("../../dot/{folder}")));
        assert_eq!(link(&world.plan(), folder), format!("/home/me/dot/{folder}"), "not granted: as a whole");
        world.granted = vec!["/home/me/dot"];
        let real = entry_of(kind, "mine");
        assert_eq!(link(&world.plan(), &real), format!("/home/me/dot/{real}"));
        let plan = world.plan();
        assert_eq!(lost(&plan), [""; 0]);
    }
}

/// 58: a project's folder that is a link is read where it leads inside the root, and refused by name where it leaves it.
#[test]
fn a_projects_folder_may_be_a_link_inside_the_root_alone() {
    for kind in KINDS {
        let (path, text) = item(kind, "theirs");
        let inside = World::with(&format!("/src/it/shared/conf/{}/{path}", kind.folder()), &text);
        inside.memory.put("/src/it/.winter", Stored::Link("shared/conf".into()));
        let plan = inside.plan();
        let entry = entry_of(kind, "theirs");
        assert!(plan.entries.iter().any(|one| one.path.starts_with(&entry) && !matches!(one.node, Node::Link(_))));
        assert!(lost(&plan).is_empty());

        for target in ["/opt/conf", "../../opt/conf", "../it2", "gone", ".winter"] {
            let outside = World::with(&format!("/opt/conf/{}/{path}", kind.folder()), &text);
            outside.memory.put("/src/it/.winter", Stored::Link(target.into()));
            let plan = outside.plan();
            assert!(!has(&plan, kind.folder()));
            assert_eq!(lost(&plan), ["/src/it/.winter"], "{target}");
        }
    }
}

/// 59: one link among a project's items: content where it leads inside the root, refused by name elsewhere; a person's own
/// is linked to the real place.
#[test]
fn links_among_items_are_one_policy_for_every_kind() {
    for kind in KINDS {
        let (path, text) = item(kind, "x");
        let end = if kind == ItemKind::Skill { "" } else { ".md" };
        let folder = kind.folder();
        let mut world = World::with(&format!("/src/it/shared/{path}"), &text);
        let (far, far_text) = item(kind, "far");
        world.memory.file(&format!("/opt/{far}"), &far_text);
        world.memory.put(&format!("/src/it/.winter/{folder}/in{end}"), Stored::Link(format!("../../shared/x{end}")));
        world.memory.put(&format!("/src/it/.winter/{folder}/out{end}"), Stored::Link(format!("/opt/far{end}")));
        world.memory.put(&format!("/home/me/.winter/sdk/{folder}/own{end}"), Stored::Link(format!("/opt/far{end}")));
        world.granted = vec!["/opt"];
        let plan = world.plan();
        let entry = format!("{folder}/in{end}");
        assert!(plan.entries.iter().any(|one| one.path.starts_with(&entry) && !matches!(one.node, Node::Link(_))));
        assert_eq!(link(&plan, &format!("{folder}/own{end}")), format!("/opt/far{end}"));
        assert_eq!(lost(&plan), [format!("/src/it/.winter/{folder}/out{end}")]);
    }
}

/// 25, 26: a name in another case, or composed otherwise, is the same name, for every kind.
#[test]
fn a_persons_name_is_taken_in_every_spelling() {
    for kind in KINDS {
        for (own, theirs) in [
            ("name", "NAME"),
            ("Na\u{ef}ve", "na\u{69}\u{308}VE"),
            ("stra\u{df}e", "STRA\u{1e9e}E"),
            ("\u{3a3}", "\u{3c3}"),
        ] {
            let (path, text) = item(kind, own);
            let world = World::with(&format!("/home/me/.winter/sdk/{}/{path}", kind.folder()), &text);
            let (path, text) = item(kind, theirs);
            let theirs = format!("/src/it/.winter/{}/{path}", kind.folder());
            world.memory.file(&theirs, &text);
            let plan = world.plan();
            let real = entry_of(kind, own);
            assert_eq!(link(&plan, &real), format!("/home/me/.winter/sdk/{real}"));
            assert_eq!(lost(&plan), [theirs]);
        }
    }
}

/// 65, 67: a server whose name is spelt like another's in the names of its tools never takes that one's place.
#[test]
fn a_repositorys_server_takes_no_name_that_is_like_a_persons() {
    for name in ["foo-bar", "foo_bar", "foo.bar", "foo bar", "foo/bar", "foo_bar_", "foo_bar__x", "Foo_bar"] {
        let theirs = serde_json::json!({"mcpServers": {name: {"command": "theirs"}}}).to_string();
        let mut world = World::with("/src/it/.mcp.json", &theirs);
        let own = r#"{"mcpServers":{"foo.bar":{"command":"mine"},"foo":{"command":"mine"}}}"#;
        world.memory.file("/home/me/.winter/sdk/.winter.json", own);
        world.input.powers = Powers::Keep;
        let plan = world.plan();
        let servers: serde_json::Value = serde_json::from_str(&text(&plan, ".winter.json")).unwrap();
        // The very same name is a person's word for this project as well; another that stays apart may start.
        let apart = ["foo-bar", "Foo_bar"].contains(&name);
        let same = name == "foo.bar";
        assert_eq!(servers["mcpServers"].as_object().unwrap().len(), if apart { 3 } else { 2 }, "{name}");
        assert_eq!(servers["mcpServers"]["foo"]["command"], "mine");
        assert_eq!(servers["mcpServers"]["foo.bar"]["command"] == "mine", !same, "{name}");
        let dropped: Vec<&str> = plan.report.dropped_mcp_servers.iter().map(|server| &*server.name).collect();
        assert_eq!(dropped, if apart { vec![] } else { vec![name] });
    }
}

/// 68: whatever becomes of a repository's servers, the person's all start.
#[test]
fn a_persons_servers_survive_whatever_the_repository_says() {
    let own = r#"{"mcpServers":{"a":{"command":"mine"},"b":{"url":"https://x.test","type":"http"}}}"#;
    for theirs in [
        "{",
        "[]",
        "{}",
        r#"{"mcpServers":null}"#,
        r#"{"mcpServers":{"a":{}}}"#,
        r#"{"mcpServers":{"a":{"command":"x"}}}"#,
    ] {
        let world = World::with("/src/it/.mcp.json", theirs);
        world.memory.file("/home/me/.winter/sdk/.winter.json", own);
        for trusted in [true, false] {
            let places = world.places();
            let places = Places { trusted_root: places.trusted_root.filter(|_| trusted), ..places };
            let plan = build(&world.input, &places, &world.git, &Still(0)).unwrap();
            let servers: serde_json::Value = serde_json::from_str(&text(&plan, ".winter.json")).unwrap();
            let expected: serde_json::Value = serde_json::from_str(own).unwrap();
            assert_eq!(servers["mcpServers"], expected["mcpServers"], "{theirs}");
        }
    }
}

/// A folder that cannot be looked into is named; it is not taken for another repository.
#[test]
fn a_folder_whose_git_entry_is_a_repository_is_passed_over_and_no_other() {
    let world = World::new();
    for (folder, git) in [("a", Some(Stored::Folder)), ("b", Some(Stored::File(Vec::new()))), ("c", None)] {
        world.memory.file(&format!("/src/it/{folder}/WINTER.md"), "Below.\n");
        if let Some(git) = git {
            world.memory.put(&format!("/src/it/{folder}/.git"), git);
        }
    }
    let plan = world.plan();
    let rules: Vec<&str> =
        plan.entries.iter().map(|entry| &*entry.path).filter(|path| path.contains("WINTER")).collect();
    assert_eq!(rules, ["rules/c/WINTER.md"]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 300, ..ProptestConfig::default() })]

    /// 23, 58, 59: whatever links a project holds, and wherever, nothing from outside the root is in the plan.
    #[test]
    fn no_arrangement_of_links_brings_in_what_is_outside(
        links in proptest::collection::vec((r"[ab]|\.winter|agents|rules|skills|commands|x\.md|WINTER\.md|SKILL\.md", r"(\.\./){0,4}(a|b|src|it|out|x\.md|\.winter|agents|rules|skills){0,1}(/a|/b|/out|/x\.md|/agents|/SKILL\.md){0,2}|/out(/x\.md|/a)?|/src/it(/a|/b)?"), 0..12),
        folders in proptest::collection::vec(r"(/a|/b|/\.winter|/\.winter/agents|/\.winter/rules|/\.winter/skills/a|/\.winter/commands){0,2}", 0..12),
        keep: bool,
    ) {
        let mut world = World::new();
        world.input.powers = if keep { Powers::Keep } else { Powers::Drop };
        for path in ["/out/x.md", "/out/SKILL.md", "/out/agents/x.md", "/out/a/SKILL.md", "/src/x.md", "/src/out/x.md", "/x.md", "/out/WINTER.md"] {
            world.memory.file(path, "---\nname: x\ndescription: d\n---\nSENTINEL @/out/x.md\n");
        }
        for ((name, target), folder) in links.iter().zip(&folders) {
            // Links stand in real folders: a path has one meaning.
            let place = format!("/src/it{folder}");
            let mut above = place.match_indices('/').map(|(at, _)| &place[..at]).filter(|path| !path.is_empty()).collect::<Vec<_>>();
            above.push(&place);
            let nodes: Vec<bool> = above.iter().map(|path| {
                let (folder, name) = path.rsplit_once('/').unwrap();
                let folder = world.memory.grant(if folder.is_empty() { "/" } else { folder });
                crate::ports::Folder::stat(&folder, name).unwrap().is_none_or(|entry| entry.kind == crate::ports::Kind::Directory)
            }).collect();
            if nodes.into_iter().all(|real| real) && !target.is_empty() {
                let path = format!("{place}/{name}");
                let taken = crate::ports::Folder::stat(&world.memory.grant(&place), name).unwrap();
                if taken.is_none() {
                    world.memory.put(&path, Stored::Link(target.clone()));
                }
            }
        }
        let plan = world.plan();
        for entry in &plan.entries {
            match &entry.node {
                Node::Content(bytes) => prop_assert!(!String::from_utf8_lossy(bytes).contains("SENTINEL"), "{}", entry.path),
                Node::Copy(admitted) | Node::Splice(Splice { source: admitted, .. }) => {
                    prop_assert!(!admitted.path.split('/').any(|part| part == ".."));
                    let bytes = crate::reading::resolve(&world.memory.grant("/src/it"), &admitted.path, &[]);
                    prop_assert!(matches!(bytes, Ok(crate::reading::Found::Entry(found)) if !found.linked), "{}", entry.path);
                }
                Node::Directory | Node::Link(_) => {}
            }
        }
    }
}
