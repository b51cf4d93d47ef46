//! What people reported of tools of this kind, the whole kind each: tiers, rules, trust, and where things stand.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::escape::{inert, rule_path};
use crate::testing::test;

const OWN: &str = "/home/me/.winter/sdk/settings.json";
const PROJECT: &str = "/src/it/.winter/settings.json";

fn effective(plan: &Plan) -> Value {
    serde_json::from_str(&plan.effective_settings).unwrap()
}

fn list(plan: &Plan, pointer: &str) -> Vec<String> {
    let list = effective(plan).pointer(pointer).cloned();
    list.map_or_else(Vec::new, |list| serde_json::from_value(list).unwrap())
}

fn permissions(list: &str, rules: &[&str]) -> String {
    json!({"permissions": {list: rules}}).to_string()
}

/// Everything of a plan that a session, or whoever reads the report, would see.
fn all_of(plan: &Plan) -> String {
    format!("{plan:?} {}", plan.entries.iter().map(content).collect::<String>())
}

fn content(entry: &Planned) -> String {
    match &entry.node {
        Node::Content(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Node::Splice(splice) => String::from_utf8_lossy(&splice.head).into_owned(),
        _ => String::new(),
    }
}

/// One thing of each kind in a folder of that brand, each with the sentinel in it, and below the folder an `outer` one.
fn furnish(memory: &Memory, top: &str, brand: &Profile, sentinel: &str) {
    let dir = format!("{top}/{}", brand.project_dir);
    for (path, text) in [
        (format!("{top}/{}", brand.instructions_file), sentinel.to_owned()),
        (format!("{top}/{}", brand.local_instructions_file), sentinel.to_owned()),
        (format!("{top}/below/{}", brand.instructions_file), sentinel.to_owned()),
        (format!("{dir}/{}", brand.instructions_file), sentinel.to_owned()),
        (format!("{dir}/settings.json"), json!({"language": sentinel}).to_string()),
        (format!("{dir}/settings.local.json"), json!({"language": sentinel}).to_string()),
        (format!("{dir}/rules/{sentinel}.md"), sentinel.to_owned()),
        (format!("{dir}/agents/{sentinel}.md"), agent(sentinel, "")),
        (format!("{dir}/commands/go-{sentinel}.md"), sentinel.to_owned()),
        (format!("{dir}/output-styles/{sentinel}.md"), sentinel.to_owned()),
        (format!("{dir}/skills/{sentinel}/SKILL.md"), sentinel.to_owned()),
        (format!("{top}/.mcp.json"), json!({"mcpServers": {sentinel: {"command": sentinel}}}).to_string()),
    ] {
        memory.file(&path, &text);
    }
}

/// 10, 11: what `./`, `**/`, `~/`, `//` and a slash in the middle are anchored at stays that, and so stays the rule.
#[test]
fn a_persons_rule_keeps_its_anchor() {
    let rules = ["Read(./.env)", "Read(**/.env*)", "Read(my-repo/.env)", "Edit(~/.ssh/**)", "Read(//etc/**)", "Read"];
    for brand in Profile::built_in() {
        for name in ["deny", "ask", "allow"] {
            let mut world = World::with(OWN, &permissions(name, &rules));
            world.input.brand = brand.clone();
            let kept = list(&world.plan(), &format!("/permissions/{name}"));
            assert_eq!(kept[..rules.len()], rules, "{name}");
        }
    }
}

/// 16, 20, 31: nothing but a path is spelt anew: not the pattern of a command, its parentheses or its backslashes.
#[test]
fn rules_of_other_tools_stay_as_they_are_written() {
    let rules = [
        "Bash(cat:*)",
        "Bash(mkdir -p /tmp/x-*)",
        "Bash(cat app/(dashboard)/page.tsx)",
        r"PowerShell(type C:\proj\a.txt)",
        r"Bash(dir \\server\share)",
        "WebFetch(domain:example.org)",
        "mcp__one__*",
        "Bash(echo 'a)b')",
    ];
    for (file, powers) in [(OWN, Powers::Drop), (PROJECT, Powers::Keep)] {
        for brand in Profile::built_in() {
            let mut world = World::with(file, &permissions("deny", &rules));
            let path = file.replace("/.winter/s", &format!("/{}/s", brand.project_dir));
            world.memory.file(if file == OWN { OWN } else { &path }, &permissions("deny", &rules));
            (world.input.brand, world.input.powers) = (brand, powers);
            assert_eq!(list(&world.plan(), "/permissions/deny")[..rules.len()], rules, "{file}");
        }
    }
}

/// 13: rules that can never match are remarked with their line, and winter writes none of its own.
#[test]
fn rules_without_effect_are_remarked_and_none_is_added() {
    let rules =
        ["Write(file_path=**/settings.local.json)", "NotebookEdit(notebook_path:x.ipynb)", "Write(.tmp/a: b/**)"];
    for brand in Profile::built_in() {
        let mut world = World::with(OWN, &permissions("deny", &rules));
        world.input.brand = brand.clone();
        let plan = world.plan();
        let inert_ones: Vec<_> =
            plan.report.notices.iter().filter(|notice| notice.kind == NoticeKind::InertRule).collect();
        let expected = rules.iter().filter(|rule| inert(rule, brand.rule_spelling).is_some()).count();
        assert_eq!(inert_ones.len(), expected);
        assert!(inert_ones.iter().all(|notice| notice.path == OWN && notice.line == Some(1)));
        for name in ["deny", "ask", "allow"] {
            for rule in list(&plan, &format!("/permissions/{name}")).iter().filter(|rule| !rules.contains(&&***rule)) {
                assert!(inert(rule, brand.rule_spelling).is_none(), "{rule}");
            }
        }
    }
}

/// 14, 17, 19: a path is no pattern: one with brackets, colons, spaces or signs of any kind is spelt so that it is itself.
#[test]
fn the_projects_own_path_is_never_read_as_a_pattern() {
    for top in
        ["/src/[:id] x", "/src/a: b", "/src/Mobile Documents/com~apple~Docs", "/src/(dash) #1 !x", "/src/\u{5de5}"]
    {
        for brand in Profile::built_in() {
            let mut world = World::new();
            world
                .memory
                .file(&format!("{top}/{}/settings.json", brand.project_dir), &permissions("deny", &["Edit(/a/**)"]));
            world.memory.put(&format!("{top}/.git"), Stored::Folder);
            world.input.brand = brand.clone();
            let top_folder = world.memory.grant(top);
            let places = Places {
                cwd: top_folder.clone(),
                trusted_root: Some(top_folder.clone()),
                git_top: Some(top_folder.clone()),
                git_entry: Some(top_folder),
                ..world.places()
            };
            let plan = build(&world.input, &places, &world.git, &Still(0)).unwrap();
            let rule = format!("Edit(/{}/a/**)", rule_path(top, brand.rule_spelling));
            assert_eq!(list(&plan, "/permissions/deny")[0], rule);
        }
    }
}

/// 32, and 28 and 29 as far as a POSIX host can meet them: a path that is not absolute here is refused by name, and a
/// short name is a name.
#[test]
fn paths_of_another_system_are_refused_and_never_half_understood() {
    for path in [r"\\server\share\p", r"C:\Users\me", "C:/Users/me", "server/share", ""] {
        let changes: [fn(&mut Input, String); 3] = [
            |input, path| input.home = path,
            |input, path| input.shared_home = path,
            |input, path| input.user_home = Some(path),
        ];
        for change in changes {
            let mut world = World::new();
            change(&mut world.input, path.to_owned());
            let refusal = Refusal::from(world.build().unwrap_err());
            assert_eq!(refusal.kind, RefusalKind::BadInput);
            assert!(refusal.message.contains(path), "{}", refusal.message);
        }
    }
    let rules = ["Read(//c/PROGRA~1/**)", "Read(JOHNSM~1/x)"];
    let plan = World::with(OWN, &permissions("deny", &rules)).plan();
    assert_eq!(list(&plan, "/permissions/deny")[..2], rules);
}

/// 41: with a shared home of its own, nothing beneath `~/.claude` or `~/.winter` that is not in that home has a say.
#[test]
fn what_stands_in_the_persons_home_beside_the_shared_home_reaches_no_run() {
    for brand in Profile::built_in() {
        let mut world = World::new();
        for folder in ["/home/me", "/home/me/.claude", "/home/me/.winter", "/src", "/home"] {
            for other in Profile::built_in() {
                furnish(&world.memory, folder, &other, "sentinel");
            }
        }
        world.memory.file("/home/me/.claude.json", r#"{"mcpServers":{"sentinel":{"command":"x"}}}"#);
        world.input.brand = brand;
        for trusted in [true, false] {
            let places = world.places();
            let places = Places { trusted_root: places.trusted_root.filter(|_| trusted), ..places };
            let plan = build(&world.input, &places, &world.git, &Still(0)).unwrap();
            assert!(!all_of(&plan).contains("sentinel"), "{:#?}", plan.report);
        }
    }
}

/// 44: instructions, rules, items and servers follow the same trust as settings do.
#[test]
fn an_untrusted_project_has_no_voice_of_any_kind() {
    for brand in Profile::built_in() {
        let mut world = World::new();
        furnish(&world.memory, "/src/it", &brand, "sentinel");
        (world.input.brand, world.input.powers) = (brand, Powers::Keep);
        let plan = world.plan();
        let given = ["rules/", "agents/", "commands/", "output-styles/", "skills/", "CLAUDE.md"];
        for begin in given {
            assert!(plan.entries.iter().any(|entry| entry.path.starts_with(begin)), "{begin} {:#?}", plan.report);
        }
        assert_eq!(text(&plan, "CLAUDE.md").matches("begin (").count(), 3);

        let untrusted = Places { trusted_root: None, ..world.places() };
        let plan = build(&world.input, &untrusted, &world.git, &Still(0)).unwrap();
        assert!(!all_of(&plan).contains("sentinel"), "{:#?}", plan.report);
        for home in ["/src/it", "/src/it/sub/me"] {
            let mut world = World { memory: world.memory.clone(), ..World::new() };
            world.input = Input { user_home: Some(home.into()), powers: Powers::Keep, ..input() };
            assert!(!all_of(&world.plan()).contains("sentinel"), "{home}");
        }
        world.input.mode = Mode::Chat;
        assert!(!all_of(&world.plan()).contains("sentinel"));
    }
}

/// 101: a repository's hooks are dropped whatever the session is for, each event by name.
#[test]
fn hooks_of_a_repository_are_dropped_in_every_mode() {
    let events =
        ["SessionStart", "PreToolUse", "PostToolUse", "Stop", "UserPromptSubmit", "SubagentStop", "PreCompact"];
    let hooks: serde_json::Map<String, Value> = events
        .iter()
        .map(|event| {
            ((*event).to_owned(), json!([{"hooks": [{"type": "command", "command": format!("evil {event}")}]}]))
        })
        .collect();
    for mode in [Mode::Code, Mode::Dispatch, Mode::Chat] {
        for dispatch_child in [false, true] {
            let mut world = World::with(PROJECT, &json!({"hooks": hooks}).to_string());
            (world.input.mode, world.input.dispatch_child) = (mode, dispatch_child);
            let plan = world.plan();
            assert!(!plan.entries.iter().any(|entry| content(entry).contains("evil")));
            let mut told: Vec<&str> = plan.report.dropped_rules.iter().map(|dropped| &*dropped.rule).collect();
            told.sort_unstable();
            let mut expected: Vec<String> = events.iter().map(|event| format!("hooks.{event}: evil {event}")).collect();
            expected.sort_unstable();
            assert_eq!(told, if mode == Mode::Chat { Vec::new() } else { expected });
        }
    }
}

/// 104: each run is planned from what stands now: a mode that was tightened holds, and a repository brings none back.
#[test]
fn a_mode_is_read_anew_for_each_run() {
    let mut world = World::with(OWN, r#"{"permissions":{"defaultMode":"acceptEdits"}}"#);
    world.input.powers = Powers::Keep;
    assert_eq!(effective(&world.plan())["permissions"]["defaultMode"], "acceptEdits");
    world.memory.file(OWN, r#"{"permissions":{"defaultMode":"plan"}}"#);
    for mode in ["acceptEdits", "bypassPermissions", "default", "auto", "dontAsk"] {
        world.memory.file(PROJECT, &json!({"permissions": {"defaultMode": mode}}).to_string());
        assert_eq!(effective(&world.plan())["permissions"]["defaultMode"], "plan", "{mode}");
    }
}

/// 94, 95: a project is its path, and no spelling of it: what is kept for one is not given to another.
#[test]
fn what_is_kept_for_one_project_is_not_given_to_one_of_a_like_name() {
    let mine = "/src/\u{5de5}\u{7a0b}.a_b";
    let global = json!({"projects": {mine: {"mcpServers": {"here": {"command": "c"}}}}}).to_string();
    for brand in Profile::built_in() {
        for (top, given) in [
            (mine, true),
            ("/src/\u{9879}\u{76ee}.a_b", false),
            ("/src/\u{5de5}\u{7a0b}-a-b", false),
            ("/src/--.a_b", false),
            ("/src/\u{5de5}\u{7a0b}.A_b", false),
            ("/src/\u{5de5}\u{7a0b}.a_b/sub", false),
        ] {
            let mut world = World::new();
            world.memory.file(&format!("/home/me/.winter/sdk/{}", brand.global_config_file), &global);
            world.memory.put(top, Stored::Folder);
            world.input.brand = brand.clone();
            let top_folder = world.memory.grant(top);
            let places =
                Places { cwd: top_folder, trusted_root: None, git_top: None, git_entry: None, ..world.places() };
            let plan = build(&world.input, &places, &world.git, &Still(0)).unwrap();
            let file = plan.mcp_config.map_or(brand.global_config_file.clone(), |config| config.entry);
            let servers = plan.entries.iter().find(|entry| entry.path == file).map(content).unwrap();
            assert_eq!(servers.contains("here"), given, "{top}");
        }
    }
}

/// 46: a byte order mark costs nothing in any file, whoever reads it.
#[test]
fn a_byte_order_mark_changes_nothing() {
    let files = [
        (OWN, r#"{"language":"de"}"#.to_owned()),
        (PROJECT, permissions("deny", &["Read(/x)"])),
        ("/src/it/WINTER.md", "Say @docs/a.md.\n".to_owned()),
        ("/src/it/docs/a.md", "A.\n".to_owned()),
        ("/src/it/sub/WINTER.md", "---\nx: y\n---\nBelow.\n".to_owned()),
        ("/src/it/.winter/rules/r.md", "---\npaths: a/**\n---\nRule.\n".to_owned()),
        ("/src/it/.winter/agents/a.md", agent("a", "model: opus\n")),
        ("/src/it/.winter/skills/s/SKILL.md", "---\nname: s\nhooks: {}\n---\nDo.\n".to_owned()),
        ("/src/it/.winter/commands/c.md", "---\ndescription: c\n---\nDo.\n".to_owned()),
        ("/src/it/.winter/output-styles/o.md", "---\nname: o\n---\nTalk.\n".to_owned()),
        ("/src/it/.mcp.json", r#"{"mcpServers":{"s":{"command":"x"}}}"#.to_owned()),
        ("/home/me/.winter/sdk/.winter.json", r#"{"mcpServers":{"mine":{"command":"x"}}}"#.to_owned()),
    ];
    let (plain, marked) = (World::new(), World::new());
    for (path, text) in &files {
        plain.memory.file(path, text);
        marked.memory.file(path, &format!("\u{feff}{text}"));
    }
    let (plain, marked) = (plain.plan(), marked.plan());
    let shown = |plan: &Plan| -> Vec<(String, String)> {
        plan.entries.iter().map(|entry| (entry.path.clone(), content(entry))).collect()
    };
    assert_eq!(shown(&marked), shown(&plain));
    assert_eq!(marked.report, plain.report);
}

/// 61: where a folder that is protected is a link, the sandbox is told of the place that it leads to.
#[test]
fn protected_places_behind_links_are_named_where_they_really_are() {
    for brand in Profile::built_in() {
        let mut world = World::new();
        world.memory.put("/home/me/dot/keys", Stored::Folder);
        world.memory.put("/home/me/keys", Stored::Link("dot/keys".into()));
        world.memory.file(OWN, &permissions("deny", &["Read(~/keys/**)", "Edit(~/keys/**)"]));
        world.input.brand = brand;
        let places = Places { links: Some(world.memory.grant("/")), ..world.places() };
        let plan = build(&world.input, &places, &world.git, &Still(0)).unwrap();
        for name in ["denyRead", "denyWrite"] {
            let lists = list(&plan, &format!("/sandbox/filesystem/{name}"));
            assert!(lists.contains(&"/home/me/dot/keys".to_owned()), "{name}: {lists:?}");
        }
    }
}

/// Where no top of a worktree is named, the working folder's local file is read, and then it is not named as unread.
#[test]
fn the_local_file_that_is_read_is_not_named_as_unread_and_others_are() {
    let mut world = World::with("/src/it/sub/.winter/settings.local.json", r#"{"language":"de"}"#);
    world.memory.file("/src/it/.winter/settings.local.json", r#"{"language":"fr"}"#);
    (world.cwd, world.git_top, world.git_entry) = ("/src/it/sub", None, None);
    let plan = world.plan();
    assert_eq!(effective(&plan)["language"], "de");
    assert_eq!(skipped(&plan), [("/src/it/.winter/settings.local.json", SkipReason::NotRead)]);
    world.git_top = Some("/src/it");
    let plan = world.plan();
    assert_eq!(effective(&plan)["language"], "fr");
    assert_eq!(skipped(&plan), [("/src/it/sub/.winter/settings.local.json", SkipReason::NotRead)]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// 10, 11, 16, 20: of a person's denies, each stands as it was, or anchored where it was; none is lost.
    #[test]
    fn no_deny_of_a_person_is_lost(rules in proptest::collection::vec(r"(Read|Edit|Bash|Web)\([./~*a-c:() ]{1,8}\)", 0..6)) {
        let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
        let plan = World::with(OWN, &permissions("deny", &rules)).plan();
        let kept = list(&plan, "/permissions/deny");
        for rule in rules {
            let (tool, rest) = rule.split_once('(').unwrap();
            let anchored = format!("{tool}(//home/me/.winter/sdk{rest}");
            let named = plan.report.dropped_rules.iter().any(|dropped| dropped.rule.ends_with(rule));
            prop_assert!(kept.iter().any(|kept| kept == rule || *kept == anchored) != named, "{rule}: {kept:?}");
        }
    }
}
