//! What holds for any repository: nothing is missing without a word, and nothing is counted twice.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::testing::test;

/// One thing that a repository offers, at a path below the root.
#[derive(Clone, Debug)]
struct Offered {
    path: String,
    node: Stored,
    /// The keys of its header, if it has one.
    keys: Vec<&'static str>,
}

const KEYS: [(&str, &str); 9] = [
    ("tools", "Read"),
    ("color", "red"),
    ("model", "opus"),
    ("effort", "high"),
    ("hooks", "{Stop: []}"),
    ("permissionMode", "plan"),
    ("odd", "1"),
    ("allowed-tools", "Bash"),
    ("argument-hint", "x"),
];

fn header() -> impl Strategy<Value = (String, Vec<&'static str>)> {
    (proptest::sample::subsequence(KEYS.to_vec(), 0..KEYS.len()), "[ab]").prop_map(|(keys, name)| {
        let mut text = format!("---\nname: {name}\ndescription: does it\n");
        for (key, value) in &keys {
            text.extend([key, ": ", value, "\n"]);
        }
        text.push_str("---\nDo it.\n");
        let all = ["name", "description"].into_iter().chain(keys.into_iter().map(|(key, _)| key)).collect();
        (text, all)
    })
}

fn offered() -> impl Strategy<Value = Offered> {
    let folder = prop_oneof![Just(""), Just("sub/"), Just("sub/deep/"), Just("other/")];
    let place = prop_oneof![
        Just("agents/"),
        Just("agents/team/"),
        Just("commands/"),
        Just("commands/team/"),
        Just("output-styles/"),
        Just("rules/"),
        Just("rules/team/"),
    ];
    let content = prop_oneof![
        6 => header().prop_map(|(text, keys)| (Stored::File(text.into_bytes()), keys)),
        1 => Just((Stored::File(b"Plain.\n".to_vec()), Vec::new())),
        1 => Just((Stored::File(vec![0xff]), Vec::new())),
        1 => Just((Stored::File(b"---\n- a\n---\n".to_vec()), Vec::new())),
        1 => Just((Stored::Other, Vec::new())),
        1 => Just((Stored::Unreadable, Vec::new())),
        1 => Just((Stored::Link("/etc/passwd".into()), Vec::new())),
        1 => Just((Stored::Link("nowhere".into()), Vec::new())),
    ];
    (folder, place, "[abAB]", prop_oneof![9 => Just(".md"), 1 => Just(".txt")], content).prop_map(
        |(folder, place, name, end, (node, keys))| Offered {
            path: format!("/src/it/{folder}.winter/{place}{name}{end}"),
            node,
            keys,
        },
    )
}

/// How often each path is accounted for: in the run home, and in the report.
fn accounts(plan: &Plan) -> BTreeMap<String, (usize, usize)> {
    let mut accounts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for entry in plan.entries.iter().filter(|entry| !matches!(entry.node, Node::Directory)) {
        accounts.entry(entry.source.clone()).or_default().0 += 1;
    }
    let report = &plan.report;
    let styles = report.dropped_rules.iter().filter_map(|dropped| dropped.rule.strip_prefix("output style: "));
    let lost = report
        .skipped_items
        .iter()
        .map(|item| item.path.as_str())
        .chain(report.skipped_links.iter().map(|link| link.path.as_str()))
        .chain(report.skipped_agents.iter().map(|agent| agent.path.as_str()))
        .chain(styles);
    for path in lost {
        accounts.entry(path.to_owned()).or_default().1 += 1;
    }
    accounts
}

fn header_keys(text: &str) -> Vec<String> {
    let Some(rest) = text.strip_prefix("---\n") else { return Vec::new() };
    let header = rest.split("\n---\n").next().unwrap_or_default();
    let lines = header.lines().filter(|line| !line.starts_with([' ', '-', '#']));
    lines.filter_map(|line| line.split_once(':').map(|(key, _)| key.trim_matches('"').to_owned())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn what_is_offered_is_given_or_named_and_nothing_twice(
        offers in proptest::collection::vec(offered(), 0..14),
        own in proptest::collection::vec("[abAB]", 0..3),
        keep: bool,
        cwd in prop_oneof![Just("/src/it"), Just("/src/it/sub")],
    ) {
        let mut world = World::new();
        world.cwd = cwd;
        world.input.powers = if keep { Powers::Keep } else { Powers::Drop };
        for name in &own {
            world.memory.file(&format!("/home/me/.winter/sdk/agents/{name}.md"), &agent(name, ""));
            world.memory.file(&format!("/home/me/.winter/sdk/rules/team/{name}.md"), "Mine.\n");
        }
        let offers: BTreeMap<String, Offered> = offers.into_iter().map(|offer| (offer.path.clone(), offer)).collect();
        for offer in offers.values() {
            world.memory.put(&offer.path, offer.node.clone());
        }
        let plan = world.plan();
        let accounts = accounts(&plan);
        for (path, (given, named)) in &accounts {
            prop_assert!(given + named <= 1 || path == "winter", "{path}: {given} given, {named} named");
        }
        for (path, offer) in &offers {
            // Below the working folder whole entries are named, and what stands beside it is not offered at all.
            let mut folders = path.match_indices('/').map(|(at, _)| &path[..at]);
            let nested = folders.find_map(|folder| accounts.get(folder));
            let found = accounts.get(path).or(nested);
            let beside = cwd == "/src/it/sub" && path.starts_with("/src/it/other/");
            prop_assert!(found.is_some() != beside, "{path} {:?}\n{:#?}", offer.node, plan.report);
            let given = plan.entries.iter().find(|entry| entry.source == *path);
            if let Some(entry) = given.filter(|_| !offer.keys.is_empty()) {
                let kept = match &entry.node {
                    Node::Copy(_) => continue,
                    _ => header_keys(&text(&plan, &entry.path)),
                };
                for key in &offer.keys {
                    let removed = plan.report.removed_powers.iter().filter(|one| one.file == *path && one.carrier == *key);
                    let kept = kept.iter().filter(|kept| kept == key).count();
                    prop_assert_eq!(removed.count() + kept, 1, "{} {}", path, key);
                }
            }
        }
    }

    #[test]
    fn nothing_of_a_repository_acts_where_it_may_not(offers in proptest::collection::vec(offered(), 0..14)) {
        let world = World::new();
        for offer in &offers {
            world.memory.put(&offer.path, offer.node.clone());
        }
        let plan = world.plan();
        for entry in plan.entries.iter().filter(|entry| matches!(entry.node, Node::Content(_) | Node::Splice(_))) {
            let keys = header_keys(&text(&plan, &entry.path));
            for key in ["hooks", "permissionMode", "model", "effort", "odd", "mcpServers", "allowed-tools"] {
                prop_assert!(!keys.iter().any(|kept| kept == key), "{} keeps {key}", entry.path);
            }
        }
    }

    #[test]
    fn the_same_folders_give_the_same_plan(offers in proptest::collection::vec(offered(), 0..8)) {
        let world = World::new();
        for offer in &offers {
            world.memory.put(&offer.path, offer.node.clone());
        }
        prop_assert_eq!(world.plan(), world.plan());
    }
}
