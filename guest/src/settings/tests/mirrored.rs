//! Deny both ways: what is added to the rule itself, and what is remarked where nothing can be.

use proptest::prelude::*;

use super::*;
use crate::testing::test;

const CWD: &str = "/src/it";

fn known(path: &str, stands: Stands, real: Option<&str>) -> KnownPath {
    KnownPath { path: path.to_owned(), stands, real: real.map(str::to_owned) }
}

/// A home and a working folder in which everything is there but what `special` says.
fn places(files: &[TierFile<'_>], options: &Options<'_>, special: &[KnownPath]) -> DenyPlaces {
    let mut places = DenyPlaces { home: Some("/home/me".into()), cwd: Some(CWD.into()), known: Vec::new() };
    places.known = literal_paths(files, options, &places)
        .into_iter()
        .map(|path| special.iter().find(|one| one.path == path).cloned().unwrap_or(known(&path, Stands::Present, None)))
        .collect();
    places
}

fn both_ways(files: &[TierFile<'_>], brand: &Profile, protection: &Protection, special: &[KnownPath]) -> Effective {
    let options = Options { brand, powers: Powers::Drop, allow_inexpressible: false, protection };
    let places = places(files, &options, special);
    let effective = compose_in(files, &options, &places).unwrap();
    let again = TierFile { text: effective.json.as_bytes(), ..file(Tier::User, "") };
    assert_eq!(
        compose_in(&[again], &options, &places).unwrap().json,
        effective.json,
        "composing twice changes nothing"
    );
    effective
}

/// What one person's deny comes to: rules, `denyRead`, `denyWrite`, and the texts of the remarks.
fn one(rule: &str, brand: &Profile, special: &[KnownPath]) -> [Vec<String>; 4] {
    let text = serde_json::json!({"permissions": {"deny": [rule]}}).to_string();
    let effective = both_ways(&[file(Tier::User, &text)], brand, &Protection::default(), special);
    let all = json(&effective);
    let list = |pointer: &str| -> Vec<String> {
        all.pointer(pointer).map_or_else(Vec::new, |list| serde_json::from_value(list.clone()).unwrap())
    };
    let notices = effective.notices.iter().map(|notice| notice.text.clone()).collect();
    [list("/permissions/deny"), list("/sandbox/filesystem/denyRead"), list("/sandbox/filesystem/denyWrite"), notices]
}

#[test]
fn a_place_is_named_in_the_list_of_its_tool() {
    for brand in Profile::built_in() {
        for (rule, read, write) in [
            ("Read(~/.ssh)", &["/home/me/.ssh"][..], &[][..]),
            ("Read(~/.ssh/**)", &["/home/me/.ssh"], &[]),
            ("Read(~/.ssh/*)", &["/home/me/.ssh"], &[]),
            ("Edit(//etc/**)", &[], &["/etc"]),
            ("Edit(//etc/hosts)", &[], &["/etc/hosts"]),
            ("Read(my-repo/.env)", &["/src/it/my-repo/.env"], &[]),
            ("Read(./a/b/**)", &["/src/it/a/b"], &[]),
            ("Read(/keys/**)", &["/home/me/.winter/sdk/keys"], &[]),
            (
                "Read(//a b/Mobile Documents/com~apple~CloudDocs/**)",
                &["/a b/Mobile Documents/com~apple~CloudDocs"],
                &[],
            ),
            ("Read(//x/app/(group)/p)", &["/x/app/(group)/p"], &[]),
            ("Edit(.tmp/a: b/**)", &[], &["/src/it/.tmp/a: b"]),
        ] {
            let [deny, deny_read, deny_write, notices] = one(rule, &brand, &[]);
            assert_eq!(deny.len(), 1, "{rule}");
            assert_eq!((deny_read, deny_write, notices), (own(read), own(write), vec![]), "{rule} {}", brand.name);
        }
    }
}

fn own(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn a_path_through_a_link_is_denied_at_both_ends() {
    let link = [known("/home/me/.ssh", Stands::Present, Some("/data/[k] 1"))];
    let [deny, read, ..] = one("Read(~/.ssh/**)", &Profile::winter(), &link);
    assert_eq!(deny, [r"Read(~/.ssh/**)", r"Read(//data/\\[k\\] 1/**)"]);
    assert_eq!(read, ["/home/me/.ssh", "/data/[[]k] 1"]);
    let [deny, read, ..] = one("Read(~/.ssh/**)", &Profile::claude(), &link);
    assert_eq!(deny, [r"Read(~/.ssh/**)", r"Read(//data/\\x5bk\\x5d\\x201/**)"]);
    // An entry through a link would make every sandboxed command fail.
    assert_eq!(read, ["/data/[[]k] 1"]);

    let [deny, read, _, notices] = one("Read(~/.ssh/**/*.pem)", &Profile::claude(), &link);
    assert_eq!(deny[1], r"Read(//data/\\x5bk\\x5d\\x201/**/*.pem)");
    assert!(read.is_empty() && notices[0].contains("not patterns"), "{notices:?}");

    let link = [known("/src/it/.env", Stands::Present, Some("/vault/env"))];
    let [deny, read, ..] = one("Read(.env)", &Profile::claude(), &link);
    assert_eq!((deny, read), (own(&["Read(.env)", "Read(//vault/env)"]), own(&["/vault/env"])));
}

#[test]
fn what_the_lists_cannot_name_is_remarked_with_its_rule_file_and_line() {
    let text = "{\"permissions\":{\"deny\":[\n\"Read(**/.env*)\",\n\"Edit(//x/[[]*)\",\n\"Read(secrets/**)\",\n\"Read(//**)\",\n\"Read(~)\"]}}";
    let effective = both_ways(&[file(Tier::Project, text)], &Profile::claude(), &Protection::default(), &[]);
    let found: Vec<_> = effective.notices.iter().map(|notice| (notice.kind, &*notice.path, notice.line)).collect();
    let outside = |line| (NoticeKind::NotInSandbox, "project", Some(line));
    assert_eq!(found, [outside(2), outside(3), outside(4), outside(5), (NoticeKind::InertRule, "project", Some(6))]);
    assert!(effective.notices[0].text.starts_with("`Read(**/.env*)` holds for the tools"));
    assert_eq!(json(&effective)["sandbox"]["filesystem"], serde_json::json!({"denyRead": ["/src/it/secrets"]}));
}

#[test]
fn a_name_at_any_depth_is_named_at_the_working_folder_alone() {
    for rule in ["Read(.env)", "Read(./.env)", "Read(.env/)", "Read(.env/**)"] {
        let [deny, read, _, notices] = one(rule, &Profile::winter(), &[]);
        assert_eq!((deny, read), (own(&[rule]), own(&["/src/it/.env"])), "the rule keeps its meaning");
        assert!(notices[0].contains("alone"), "{notices:?}");
    }
}

#[test]
fn nothing_is_written_where_an_entry_would_leave_a_file() {
    for brand in Profile::built_in() {
        for rule in ["Edit(~/.profile)", "Edit(.profile)"] {
            let path = if rule.contains('~') { "/home/me/.profile" } else { "/src/it/.profile" };
            let absent = [known(path, Stands::Absent, None)];
            let [_, _, write, notices] = one(rule, &brand, &absent);
            assert_eq!((write.len(), notices.len()), (0, 1), "{notices:?}");
            assert!(notices[0].contains("nothing of that name"), "{notices:?}");
        }
        let absent = [known("/home/me/.aws", Stands::Absent, None)];
        let [_, read, _, notices] = one("Read(~/.aws/**)", &brand, &absent);
        assert_eq!((read, notices), (own(&["/home/me/.aws"]), vec![]), "a denyRead leaves nothing");
    }
}

#[test]
fn what_could_not_be_found_out_keeps_the_path_as_it_is_written() {
    for (stands, kept) in [(Stands::Dangling, 1), (Stands::Unreadable, 1), (Stands::Loop, 0)] {
        for rule in ["Read(~/.aws)", "Edit(~/.aws)"] {
            let [deny, read, write, notices] = one(rule, &Profile::claude(), &[known("/home/me/.aws", stands, None)]);
            assert_eq!((deny.len(), read.len() + write.len(), notices.len()), (1, kept, 1), "{stands:?} {notices:?}");
        }
    }
}

#[test]
fn a_path_without_a_spelling_is_remarked_and_never_refuses() {
    let [deny, _, write, notices] = one(r"Edit(//x/\\x5bwip\\x5d/**)", &Profile::claude(), &[]);
    assert_eq!((deny.len(), write.len()), (1, 0));
    assert!(notices[0].contains("denyWrite cannot name"), "{notices:?}");
    let [_, read, _, notices] = one(r"Read(//x/\\x5bwip\\x5d/**)", &Profile::claude(), &[]);
    assert_eq!(read, ["/x/[[]wip]"]);
    assert!(notices[0].contains("passed over where a link leads to itself"), "{notices:?}");
    let [_, _, write, _] = one(r"Edit(//x/\\[wip\\]/**)", &Profile::winter(), &[]);
    assert_eq!(write, ["/x/[[]wip]"]);
}

#[test]
fn without_being_told_nothing_is_guessed() {
    let text = r#"{"permissions":{"deny":["Read(~/a)","Edit(b/c)","Read(//d)"]}}"#;
    let (brand, protection) = (Profile::claude(), Protection::default());
    let options = Options { brand: &brand, powers: Powers::Drop, allow_inexpressible: false, protection: &protection };
    let effective = compose_in(&[file(Tier::User, text)], &options, &DenyPlaces::default()).unwrap();
    assert_eq!(json(&effective), serde_json::from_str::<serde_json::Value>(text).unwrap());
    assert_eq!(effective.notices.len(), 3);
    assert_eq!(compose(&[file(Tier::User, text)], &options).unwrap().notices, []);
}

#[test]
fn protecting_rules_are_written_both_ways_and_keep_their_cover() {
    let protection = Protection {
        deny: own(&["Edit(//h/settings.json)", "Edit(//h/cache/runs/**)"]),
        deny_write: own(&["/h/settings.json", "/h/cache/runs"]),
        ..Protection::default()
    };
    let special = [
        known("/h/settings.json", Stands::Present, Some("/dots/settings.json")),
        known("/h/cache/runs", Stands::Absent, None),
    ];
    let effective = both_ways(&[], &Profile::claude(), &protection, &special);
    assert_eq!(
        json(&effective),
        serde_json::json!({
            "permissions": {"deny": ["Edit(//h/settings.json)", "Edit(//h/cache/runs/**)", "Edit(//dots/settings.json)"]},
            "sandbox": {"filesystem": {"denyWrite": ["/h/settings.json", "/h/cache/runs", "/dots/settings.json"]}},
        })
    );
    assert_eq!(effective.notices, []);
}

#[test]
fn ask_and_allow_and_other_tools_go_to_neither_list() {
    let text = r#"{"permissions":{"ask":["Edit(//a)","Read(//b)"],"allow":["Read(//c)"],
        "deny":["Bash(cat /d/[x])","Read","WebFetch(domain:e)","mcp__f__g","Read(*)"]}}"#;
    let effective = both_ways(&[file(Tier::User, text)], &Profile::claude(), &Protection::default(), &[]);
    assert_eq!(json(&effective), serde_json::from_str::<serde_json::Value>(text).unwrap(), "byte for byte");
    assert_eq!(effective.notices, []);
}

#[test]
fn inert_rules_stay_and_are_remarked() {
    let text = "{\"permissions\":{\"allow\":[\n\"Write(src/**)\"],\"ask\":[\n\"Edit(../x)\"],\"deny\":[\n\"Read(a[b)\",\n\"Bash(curl -H 'Authorization: Bearer hush'\"]}}";
    let effective = with(&[file(Tier::User, text)], Powers::Drop);
    let texts: Vec<_> = effective.notices.iter().map(|notice| (notice.line.unwrap(), notice.text.as_str())).collect();
    assert_eq!(
        texts[0],
        (
            2,
            "`Write(src/**)` never matches: of paths, only those of Read and Edit rules are consulted; `Edit(src/**)` would"
        )
    );
    assert_eq!(texts[1], (3, "`Edit(../x)` never matches: a `..` is never resolved"));
    assert!(texts[2].1.ends_with(r"`Read(a\\x5bb)` would"), "{texts:?}");
    assert_eq!(texts[3], (5, "a rule that holds a secret never matches: no unescaped parenthesis closes it"));
    assert!(effective.notices.iter().all(|notice| notice.kind == NoticeKind::InertRule));
    assert_eq!(json(&effective), serde_json::from_str::<serde_json::Value>(text).unwrap());
}

#[test]
fn a_persons_slip_of_one_slash_is_remarked_where_nothing_stands_there() {
    let slip = [known("/home/me/.winter/sdk/etc/passwd", Stands::Absent, None)];
    let [.., notices] = one("Read(/etc/passwd)", &Profile::claude(), &slip);
    assert!(notices[0].starts_with("`Read(/etc/passwd)` never matches: one slash"), "{notices:?}");
    let [.., notices] = one("Read(/etc/passwd)", &Profile::claude(), &[]);
    assert_eq!(notices, [""; 0]);
}

#[test]
fn a_repositorys_rule_takes_back_none_of_the_persons() {
    let own = r#"{"permissions":{"deny":["Read(.env)"],"ask":["Edit(x)"]}}"#;
    for text in [
        r#"{"permissions":{"deny":["Read(!**)"]}}"#,
        r#"{"permissions":{"deny":["Read(./!.env)"]}}"#,
        r#"{"permissions":{"ask":["Edit(!/x)"]}}"#,
    ] {
        for theirs in [file(Tier::Project, text), shipped(text), file(Tier::Local, text)] {
            let effective = with(&[file(Tier::User, own), theirs], Powers::Keep);
            assert_eq!(effective.dropped[0].reason, "loosens-user", "{text}");
            assert_eq!(json(&effective), serde_json::from_str::<serde_json::Value>(own).unwrap());
        }
    }
    let anchored = with(&[file(Tier::Project, r#"{"permissions":{"deny":["Read(/!x)"]}}"#)], Powers::Drop);
    assert_eq!(json(&anchored)["permissions"]["deny"][0], "Read(//src/it/!x)");
}

fn any_rule() -> impl Strategy<Value = String> {
    let path = r"(//|~/|/|\./|)(a|b c|\*\*|x\*|\[q\]|\.\.|\.env|\(g\)|\\\\\[w|#h|!n)(/(a|\*\*|\*|\.|é)){0,2}/?";
    (proptest::sample::select(vec!["Read", "Edit", "Write", "Bash"]), path)
        .prop_map(|(tool, path)| format!("{tool}({path})"))
}

fn any_denies() -> impl Strategy<Value = String> {
    proptest::collection::vec(any_rule(), 0..4)
        .prop_map(|rules| serde_json::json!({"permissions": {"deny": rules}}).to_string())
}

fn any_stands() -> impl Strategy<Value = (Stands, bool)> {
    let all = vec![Stands::Present, Stands::Absent, Stands::Dangling, Stands::Loop, Stands::Unreadable];
    (proptest::sample::select(all), any::<bool>())
}

proptest! {
    #[test]
    fn a_tier_more_never_removes_an_entry(
        person in any_denies(), project in any_denies(), local in any_denies(), claude: bool, stands in proptest::collection::vec(any_stands(), 1..6)
    ) {
        let brand = if claude { Profile::claude() } else { Profile::winter() };
        let protection = Protection::default();
        let options = Options { brand: &brand, powers: Powers::Drop, allow_inexpressible: false, protection: &protection };
        let files = [file(Tier::User, &person), file(Tier::Project, &project), shipped(&local)];
        let mut places = places(&files, &options, &[]);
        for (place, one) in places.known.iter_mut().enumerate() {
            let (stands, linked) = stands[place % stands.len()];
            one.stands = stands;
            one.real = linked.then(|| format!("/real/[{place}]"));
        }
        let alone = compose_in(&files[..1], &options, &places).unwrap();
        let all = compose_in(&files, &options, &places).unwrap();
        for list in ["/permissions/deny", "/sandbox/filesystem/denyRead", "/sandbox/filesystem/denyWrite"] {
            let (own, all) = (json(&alone), json(&all));
            let of = |value: &serde_json::Value| value.pointer(list).and_then(|list| list.as_array().cloned()).unwrap_or_default();
            let (own, all) = (of(&own), of(&all));
            prop_assert!(own.iter().all(|item| all.contains(item)), "{list}: {own:?} became {all:?}");
            let once = all.iter().enumerate().all(|(place, item)| !all[..place].contains(item));
            prop_assert!(once || list.starts_with("/permissions"), "{all:?}");
        }
        let again = TierFile { text: all.json.as_bytes(), ..file(Tier::User, "") };
        prop_assert_eq!(compose_in(&[again], &options, &places).unwrap().json, all.json);
    }

    /// Every path deny has an entry of its own, a remark of its own, or both.
    #[test]
    fn no_path_deny_is_passed_over_silently(rule in any_rule(), claude: bool, told: bool, (stands, linked) in any_stands()) {
        let brand = if claude { Profile::claude() } else { Profile::winter() };
        let protection = Protection::default();
        let options = Options { brand: &brand, powers: Powers::Drop, allow_inexpressible: false, protection: &protection };
        let text = serde_json::json!({"permissions": {"deny": [rule]}}).to_string();
        let files = [file(Tier::User, &text)];
        let mut places = if told { places(&files, &options, &[]) } else { DenyPlaces::default() };
        for one in &mut places.known {
            *one = known(&one.path, stands, linked.then_some("/real/x"));
        }
        let effective = compose_in(&files, &options, &places).unwrap();
        let all = json(&effective);
        let entries = all.pointer("/sandbox/filesystem").is_some();
        prop_assert!(rule.starts_with("Bash") != (entries || !effective.notices.is_empty()), "{}", effective.json);
        prop_assert!(all["permissions"]["deny"].as_array().is_some_and(|rules| !rules.is_empty()));
    }
}
