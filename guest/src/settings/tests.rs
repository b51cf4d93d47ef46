//! Every row of the drop table has a test of its name; the merge column has one a kind.

use proptest::prelude::*;

use super::*;
use crate::brand::Profile;
use crate::report::NoticeKind;

const ROOT: &str = "/src/it";
const HOME: &str = "/home/me/.winter/sdk";

fn file(tier: Tier, text: &str) -> TierFile<'_> {
    let (source, anchor) = match tier {
        Tier::User => ("user", HOME),
        Tier::Project => ("project", ROOT),
        Tier::Local => ("local", ROOT),
    };
    TierFile { tier, source, anchor, shipped: None, text: text.as_bytes() }
}

fn shipped(text: &str) -> TierFile<'_> {
    TierFile { shipped: Some(ShippedBecause::Index), ..file(Tier::Local, text) }
}

fn composed(files: &[TierFile<'_>], brand: &Profile, powers: Powers) -> Result<Effective, SettingsError> {
    let protection = Protection::default();
    compose(files, &Options { brand, powers, allow_inexpressible: false, protection: &protection })
}

fn with(files: &[TierFile<'_>], powers: Powers) -> Effective {
    composed(files, &Profile::claude(), powers).unwrap()
}

fn json(effective: &Effective) -> serde_json::Value {
    serde_json::from_str(&effective.json).unwrap()
}

/// The reasons for which one file's only setting is dropped; empty when it is kept, as it stands.
fn reasons(file: &TierFile<'_>, powers: Powers) -> Vec<String> {
    let effective = with(std::slice::from_ref(file), powers);
    let text = std::str::from_utf8(file.text).unwrap();
    let asked: serde_json::Value = serde_json::from_str(text).unwrap();
    if effective.dropped.is_empty() {
        assert_eq!(json(&effective), asked, "nothing was reported, so nothing may be missing");
    } else {
        assert_ne!(json(&effective), asked, "what is reported as dropped is gone");
    }
    effective.dropped.into_iter().map(|dropped| dropped.reason).collect()
}

/// Whose files of this text are dropped, as `user project local shipped`, with one reason.
fn dropped_from(text: &str, powers: Powers, reason: &str) -> String {
    let files = [file(Tier::User, text), file(Tier::Project, text), file(Tier::Local, text), shipped(text)];
    let names = ["user", "project", "local", "shipped"];
    let mut dropped = Vec::new();
    for (file, name) in files.into_iter().zip(names) {
        let reasons = reasons(&file, powers);
        assert!(reasons.iter().all(|one| one == reason), "{text} from {name}: {reasons:?}");
        if !reasons.is_empty() {
            dropped.push(name);
        }
    }
    dropped.join(" ")
}

const EVERYBODY: &str = "user project local shipped";
const REPOSITORY: &str = "project local shipped";
const UNTRUSTED: &str = "project shipped";

#[track_caller]
fn assert_dropped(id: &str, from: &str, powers: Powers, texts: &[&str]) {
    for text in texts {
        assert_eq!(dropped_from(text, powers, id), from, "{text}");
    }
}

#[test]
fn silent_model_switch() {
    let texts = [r#"{"fallbackModel":["a"]}"#, r#"{"modelOverrides":{"a":"b"}}"#, r#"{"switchModelsOnFlag":true}"#];
    assert_dropped("silent-model-switch", EVERYBODY, Powers::Keep, &texts);
}

#[test]
fn repository_chooses_model() {
    let texts = [
        r#"{"model":"x"}"#,
        r#"{"availableModels":[]}"#,
        r#"{"advisorModel":"x"}"#,
        r#"{"enforceAvailableModels":true}"#,
        r#"{"fastMode":true}"#,
        r#"{"modelPicker":{}}"#,
        r#"{"teammateDefaultModel":"x"}"#,
    ];
    assert_dropped("repository-chooses-model", REPOSITORY, Powers::Keep, &texts);
}

#[test]
fn repository_chooses_effort() {
    let texts = [
        r#"{"effortLevel":"high"}"#,
        r#"{"modelSettings":{}}"#,
        r#"{"ultracode":true}"#,
        r#"{"alwaysThinkingEnabled":false}"#,
    ];
    assert_dropped("repository-chooses-effort", REPOSITORY, Powers::Keep, &texts);
}

#[test]
fn repository_chooses_style() {
    assert_dropped("repository-chooses-style", REPOSITORY, Powers::Keep, &[r#"{"outputStyle":"x"}"#]);
}

#[test]
fn unsafe_plans_directory() {
    let texts = [r#"{"plansDirectory":"../x"}"#, r#"{"plansDirectory":"/x"}"#, r#"{"plansDirectory":"a\u0000b"}"#];
    assert_dropped("unsafe-plans-directory", REPOSITORY, Powers::Keep, &texts);
    assert_dropped("unsafe-plans-directory", "", Powers::Drop, &[r#"{"plansDirectory":"docs/plans"}"#]);
}

#[test]
fn escalating_mode() {
    let mode = |mode: &str| format!(r#"{{"permissions":{{"defaultMode":"{mode}"}}}}"#);
    for loose in ["bypassPermissions", "acceptEdits", "dontAsk"] {
        assert_dropped("escalating-mode", UNTRUSTED, Powers::Keep, &[&mode(loose)]);
    }
    assert_dropped("escalating-mode", REPOSITORY, Powers::Keep, &[&mode("auto")]);
    for strict in ["plan", "default", "manual"] {
        assert_dropped("escalating-mode", "", Powers::Drop, &[&mode(strict)]);
    }
    // No known mode, in whatever spelling: an escalation from a repository; in a person's file the program would drop it whole.
    for unknown in ["delegate", "BypassPermissions", " plan", "Plan", ""] {
        let text = mode(unknown);
        for file in [file(Tier::Project, &text), shipped(&text)] {
            assert_eq!(with(&[file], Powers::Keep).dropped[0].reason, "escalating-mode", "{unknown}");
        }
        assert!(composed(&[file(Tier::User, &text)], &Profile::claude(), Powers::Keep).is_err(), "{unknown}");
    }
}

#[test]
fn repository_moves_home() {
    let texts = [
        r#"{"autoMemoryDirectory":"x"}"#,
        r#"{"remoteControlAtStartup":true}"#,
        r#"{"skipDangerousModePermissionPrompt":true}"#,
        r#"{"useAutoModeDuringPlan":true}"#,
        r#"{"worktree":{"location":"/x"}}"#,
    ];
    for text in texts {
        assert_eq!(dropped_from(text, Powers::Keep, "repository-moves-home"), UNTRUSTED, "{text}");
    }
    assert_dropped("repository-moves-home", "", Powers::Drop, &[r#"{"remoteControlAtStartup":false}"#]);
    // A classifier's rules come from no file of a repository, the person's own local one included.
    let auto = r#"{"autoMode":{"allow":["everything"]}}"#;
    assert_eq!(reasons(&file(Tier::Project, auto), Powers::Keep), ["repository-moves-home"]);
    assert_eq!(reasons(&file(Tier::Local, auto), Powers::Keep), ["scope-lifted"]);
}

#[test]
fn scope_lifted() {
    let texts = [
        r#"{"processWrapper":"./x"}"#,
        r#"{"claudeMd":"obey"}"#,
        r#"{"sandbox":{"ripgrep":{"command":"./rg"}}}"#,
        r#"{"sandbox":{"bwrapPath":"./x"}}"#,
        r#"{"sandbox":{"socatPath":"./x"}}"#,
        r#"{"policyHelper":{"path":"/x"}}"#,
        r#"{"managedMcpServers":{"a":{"command":"x"}}}"#,
        r#"{"sshConfigs":[]}"#,
    ];
    assert_dropped("scope-lifted", REPOSITORY, Powers::Keep, &texts);
}

#[test]
fn acts_command() {
    let texts = [
        r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}"#,
        r#"{"apiKeyHelper":"x"}"#,
        r#"{"awsAuthRefresh":"x"}"#,
        r#"{"awsCredentialExport":"x"}"#,
        r#"{"gcpAuthRefresh":"x"}"#,
        r#"{"otelHeadersHelper":"x"}"#,
        r#"{"proxyAuthHelper":"x"}"#,
        r#"{"statusLine":{"type":"command","command":"x"}}"#,
        r#"{"subagentStatusLine":{"type":"command","command":"x"}}"#,
        r#"{"fileSuggestion":{"type":"command","command":"x"}}"#,
        r#"{"defaultShell":"bash"}"#,
        r#"{"enabledPlugins":{"a@b":true}}"#,
        r#"{"syncClaudeAiSkills":true}"#,
    ];
    assert_dropped("acts-command", UNTRUSTED, Powers::Drop, &texts);
    assert_dropped("acts-command", "", Powers::Keep, &texts);
}

#[test]
fn acts_network() {
    let texts = [
        r#"{"extraKnownMarketplaces":{"a":{"source":{"source":"github","repo":"a/b"}}}}"#,
        r#"{"prUrlTemplate":"http://x"}"#,
        r#"{"sandbox":{"network":{"allowedDomains":["*"]}}}"#,
        r#"{"sandbox":{"network":{"allowUnixSockets":["/x"]}}}"#,
        r#"{"sandbox":{"network":{"allowLocalBinding":true}}}"#,
        r#"{"sandbox":{"network":{"allowAllUnixSockets":true}}}"#,
    ];
    for text in texts {
        let reasons = |file| with(&[file], Powers::Drop).dropped.into_iter().map(|d| d.reason).collect::<Vec<_>>();
        for file in [file(Tier::Project, text), shipped(text)] {
            let reasons = reasons(file);
            assert!(!reasons.is_empty() && reasons.iter().all(|one| one == "acts-network"), "{text}: {reasons:?}");
        }
        assert!(reasons(file(Tier::Local, text)).is_empty() && reasons(file(Tier::User, text)).is_empty(), "{text}");
        assert!(with(&[file(Tier::Project, text)], Powers::Keep).dropped.is_empty(), "{text}");
    }
    let ports = r#"{"sandbox":{"network":{"httpProxyPort":1}}}"#;
    assert_eq!(with(&[file(Tier::Project, ports)], Powers::Drop).dropped[0].reason, "acts-network");
}

#[test]
fn acts_credential() {
    let masked = r#"{"sandbox":{"credentials":{"files":[{"path":"x","mode":"mask"}]}}}"#;
    for text in [masked, r#"{"forceLoginMethod":"console"}"#, r#"{"httpHookAllowedEnvVars":["AWS_SECRET_ACCESS_KEY"]}"#]
    {
        for file in [file(Tier::Project, text), shipped(text)] {
            assert_eq!(with(&[file], Powers::Drop).dropped[0].reason, "acts-credential", "{text}");
        }
        assert!(with(&[file(Tier::User, text)], Powers::Drop).dropped.is_empty(), "{text}");
    }
}

#[test]
fn acts_permission() {
    let texts = [
        r#"{"permissions":{"allow":["Bash(npm:*)"]}}"#,
        r#"{"permissions":{"additionalDirectories":["/"]}}"#,
        r#"{"enableAllProjectMcpServers":true}"#,
        r#"{"enabledMcpjsonServers":["a"]}"#,
        r#"{"sandbox":{"excludedCommands":["docker"]}}"#,
        r#"{"sandbox":{"enabled":false}}"#,
        r#"{"sandbox":{"autoAllowBashIfSandboxed":true}}"#,
        r#"{"sandbox":{"allowUnsandboxedCommands":true}}"#,
        r#"{"sandbox":{"enableWeakerNestedSandbox":true}}"#,
        r#"{"sandbox":{"enableWeakerNetworkIsolation":true}}"#,
        r#"{"sandbox":{"filesystem":{"allowWrite":["/x"]}}}"#,
        r#"{"disableAllHooks":true}"#,
        r#"{"skipWebFetchPreflight":true}"#,
        r#"{"crossSessionInbound":"accept"}"#,
        r#"{"worktree":{"bgIsolation":"none"}}"#,
        r#"{"disableSkillShellExecution":false}"#,
        r#"{"agent":"x"}"#,
    ];
    for text in texts {
        for file in [file(Tier::Project, text), shipped(text)] {
            let dropped = with(&[file], Powers::Drop).dropped;
            assert!(
                !dropped.is_empty() && dropped.iter().all(|d| d.reason == "acts-permission"),
                "{text}: {dropped:?}"
            );
        }
        assert!(with(&[file(Tier::User, text)], Powers::Drop).dropped.is_empty(), "{text}");
    }
    for strict in
        [r#"{"sandbox":{"enabled":true}}"#, r#"{"crossSessionInbound":"refuse"}"#, r#"{"disableWorkflows":true}"#]
    {
        assert_dropped("acts-permission", "", Powers::Drop, &[strict]);
    }
}

#[test]
fn acts_data_loss() {
    let texts = [
        r#"{"cleanupPeriodDays":1}"#,
        r#"{"claudeMdExcludes":["**"]}"#,
        r#"{"worktree":{"symlinkDirectories":["x"]}}"#,
    ];
    for text in texts {
        assert_eq!(with(&[file(Tier::Project, text)], Powers::Drop).dropped[0].reason, "acts-data-loss", "{text}");
        assert!(with(&[file(Tier::Local, text)], Powers::Drop).dropped.is_empty(), "{text}");
    }
}

#[test]
fn environment_classes_drop_by_their_own_ids() {
    for (name, reason, user) in [
        ("NODE_OPTIONS", "execution-env", true),
        ("LD_PRELOAD", "execution-env", true),
        ("PATH", "execution-env", false),
        ("ANTHROPIC_BASE_URL", "endpoint-env", false),
        ("ANTHROPIC_MODEL", "model-env", false),
        ("DISABLE_TELEMETRY", "traffic-env", true),
        ("CLAUDE_CONFIG_DIR", "router-owned-env", true),
        ("MY_OWN_SWITCH", "repository-env", false),
    ] {
        let text = format!(r#"{{"env":{{"{name}":"x"}}}}"#);
        let dropped = with(&[file(Tier::Project, &text)], Powers::Drop).dropped;
        assert_eq!((dropped[0].reason.as_str(), dropped[0].rule.as_str()), (reason, format!("env.{name}: x").as_str()));
        assert_eq!(
            !with(&[file(Tier::User, &text)], Powers::Drop).dropped.is_empty(),
            user,
            "{name} in a person's file"
        );
    }
    assert!(with(&[file(Tier::Project, r#"{"env":{"NODE_ENV":"test"}}"#)], Powers::Drop).dropped.is_empty());
}

#[test]
fn loosens_user() {
    for (user, project) in [
        (r#"{"sandbox":{"enabled":true}}"#, r#"{"sandbox":{"enabled":false}}"#),
        (r#"{"permissions":{"defaultMode":"plan"}}"#, r#"{"permissions":{"defaultMode":"default"}}"#),
        (r#"{"crossSessionInbound":"refuse"}"#, r#"{"crossSessionInbound":"hold"}"#),
        (r#"{"skillOverrides":{"a":"off"}}"#, r#"{"skillOverrides":{"a":"on"}}"#),
        (r#"{"enabledPlugins":{"guard@x":true}}"#, r#"{"enabledPlugins":{"guard@x":false}}"#),
        ("{}", r#"{"disableAllHooks":true}"#),
        (r#"{"disableAllHooks":true}"#, r#"{"disableAllHooks":false}"#),
        ("{}", r#"{"allowedMcpServers":[{"serverName":"only-mine"}]}"#),
    ] {
        let effective = with(&[file(Tier::User, user), file(Tier::Project, project)], Powers::Keep);
        assert_eq!(effective.dropped.len(), 1, "{project}");
        assert_eq!(effective.dropped[0].reason, "loosens-user", "{project}");
        assert_eq!(json(&effective), serde_json::from_str::<serde_json::Value>(user).unwrap());
    }
    let tightened =
        [file(Tier::User, r#"{"sandbox":{"enabled":false}}"#), file(Tier::Project, r#"{"sandbox":{"enabled":true}}"#)];
    assert_eq!(json(&with(&tightened, Powers::Drop)), serde_json::json!({"sandbox": {"enabled": true}}));
}

#[test]
fn widening_anchor() {
    let text = r#"{"permissions":{"allow":["Read(/src/**)"],"deny":["Read(/src/**)"]}}"#;
    let odd = TierFile { anchor: "/src/a?b", ..file(Tier::Project, text) };
    let effective = composed(std::slice::from_ref(&odd), &Profile::winter(), Powers::Keep).unwrap();
    assert_eq!(effective.dropped.len(), 1);
    assert_eq!(
        (&*effective.dropped[0].rule, &*effective.dropped[0].reason),
        ("permissions.allow: Read(/src/**)", "widening-anchor")
    );
    assert_eq!(json(&effective)["permissions"]["deny"][0], "Read(//src/a?b/src/**)");
    let effective = composed(&[odd], &Profile::claude(), Powers::Keep).unwrap();
    assert!(effective.dropped.is_empty(), "the hex spelling is exact");
}

#[test]
fn inexpressible() {
    let text = r#"{"sandbox":{"filesystem":{"denyWrite":["a*b"]}}}"#;
    let effective = with(&[file(Tier::Project, text)], Powers::Keep);
    assert_eq!(
        (&*effective.dropped[0].rule, &*effective.dropped[0].reason),
        ("sandbox.filesystem.denyWrite: a*b", "inexpressible")
    );
    let error = composed(&[file(Tier::User, text)], &Profile::claude(), Powers::Keep).unwrap_err();
    assert!(matches!(error, SettingsError::Inexpressible { line: 1, .. }), "{error}");
    let (brand, protection) = (Profile::claude(), Protection::default());
    let options = Options { brand: &brand, powers: Powers::Keep, allow_inexpressible: true, protection: &protection };
    assert_eq!(compose(&[file(Tier::User, text)], &options).unwrap().dropped[0].reason, "inexpressible");
}

#[test]
fn breaks_rules() {
    let text = r#"{"permissions":{"deny":["Read(a[b)","Read(a[b]c)","Bash(a[b)"]}}"#;
    let effective = with(&[file(Tier::Project, text)], Powers::Keep);
    assert_eq!(
        effective.dropped.iter().map(|d| (&*d.rule, &*d.reason)).collect::<Vec<_>>(),
        [("permissions.deny: Read(a[b)", "breaks-rules")]
    );
    assert!(with(&[file(Tier::User, text)], Powers::Keep).dropped.is_empty(), "a person's own rule is theirs");
}

#[test]
fn wrong_type() {
    for text in [
        r#"{"language":1}"#,
        r#"{"sandbox":"x"}"#,
        r#"{"sandbox":{"enabled":"x"}}"#,
        r#"{"permissions":[]}"#,
        r#"{"permissions":{"deny":"x"}}"#,
        r#"{"env":[]}"#,
        r#"{"hooks":{"Stop":[{"hooks":[{"type":"zork"}]}]}}"#,
        r#"{"verbose":null}"#,
        r#"{"skillOverrides":{"a":5}}"#,
    ] {
        let effective = with(&[file(Tier::Project, text)], Powers::Keep);
        assert!(effective.dropped.iter().all(|d| d.reason == "wrong-type") && !effective.dropped.is_empty(), "{text}");
        let error = composed(&[file(Tier::User, text)], &Profile::claude(), Powers::Keep).unwrap_err();
        assert!(matches!(&error, SettingsError::WrongType { line: 1, .. }), "{text}: {error}");
    }
    // What the program ignores in place is no reason to refuse a person's file.
    for text in [
        r#"{"theme":5}"#,
        r#"{"hooks":"x"}"#,
        r#"{"hooks":{"Stop":"x"}}"#,
        r#"{"permissions":{"deny":[5]}}"#,
        r#"{"mine":null}"#,
    ] {
        assert!(composed(&[file(Tier::User, text)], &Profile::claude(), Powers::Keep).is_ok(), "{text}");
    }
}

#[test]
fn unclassified() {
    let texts = [
        r#"{"brandNewKey":1}"#,
        r#"{"permissions":{"newList":[]}}"#,
        r#"{"sandbox":{"network":{"x":1}}}"#,
        r#"{"permissions.allow":["Bash"]}"#,
    ];
    for text in texts {
        for file in [file(Tier::Project, text), file(Tier::Local, text), shipped(text)] {
            assert_eq!(with(&[file], Powers::Keep).dropped[0].reason, "unclassified", "{text}");
        }
        assert!(with(&[file(Tier::User, text)], Powers::Drop).dropped.is_empty(), "{text}");
    }
}

#[test]
fn every_row_has_a_test_of_its_name() {
    let source = include_str!("tests.rs");
    for rule in rules::RULES {
        assert!(source.contains(&format!("fn {}()", rule.id.replace('-', "_"))), "{}", rule.id);
    }
}

#[test]
fn a_persons_document_keeps_its_keys_their_order_and_what_nobody_knows() {
    let text = r#"{"zeta":{"x":[1.50,null]},"permissions":{"own":1,"deny":["B","A"]},"alpha":"ü"}"#;
    let effective = with(&[file(Tier::User, text)], Powers::Drop);
    assert_eq!(json(&effective).to_string(), text);
    assert!(effective.dropped.is_empty() && effective.notices.is_empty());
}

#[test]
fn union_joins_lists_and_an_empty_list_clears_nothing() {
    let files = [
        file(Tier::User, r#"{"permissions":{"deny":["A"],"ask":["Q"]}}"#),
        file(Tier::Project, r#"{"permissions":{"deny":["B","A"],"ask":[]}}"#),
        file(Tier::Local, r#"{"permissions":{"deny":[]}}"#),
    ];
    assert_eq!(json(&with(&files, Powers::Drop))["permissions"], serde_json::json!({"deny": ["A", "B"], "ask": ["Q"]}));
}

#[test]
fn hooks_join_per_event_and_matcher_the_persons_first() {
    let hook = |command: &str| format!(r#"{{"type":"command","command":"{command}"}}"#);
    let user = format!(r#"{{"hooks":{{"PreToolUse":[{{"matcher":"Bash","hooks":[{}]}}]}}}}"#, hook("guard"));
    let project = format!(
        r#"{{"hooks":{{"PreToolUse":[{{"matcher":"Bash","hooks":[{}]}},{{"hooks":[{}]}}],"Stop":[{{"hooks":[{}]}}]}}}}"#,
        hook("theirs"),
        hook("all"),
        hook("end")
    );
    let effective = json(&with(&[file(Tier::User, &user), file(Tier::Project, &project)], Powers::Keep));
    let commands = |pointer: &str| effective.pointer(pointer).and_then(|v| v.as_str().map(str::to_owned));
    assert_eq!(commands("/hooks/PreToolUse/0/hooks/0/command").as_deref(), Some("guard"));
    assert_eq!(commands("/hooks/PreToolUse/0/hooks/1/command").as_deref(), Some("theirs"));
    assert_eq!(commands("/hooks/PreToolUse/1/hooks/0/command").as_deref(), Some("all"));
    assert_eq!(commands("/hooks/Stop/0/hooks/0/command").as_deref(), Some("end"));
}

#[test]
fn replace_goes_key_by_key() {
    let files = [
        file(Tier::User, r#"{"env":{"LANG":"C","TZ":"UTC"},"language":"en"}"#),
        file(Tier::Project, r#"{"env":{"TZ":"CET","CI":"1"},"language":"de"}"#),
    ];
    assert_eq!(
        json(&with(&files, Powers::Drop)),
        serde_json::json!({"env": {"LANG": "C", "TZ": "CET", "CI": "1"}, "language": "de"})
    );
}

#[test]
fn rules_are_anchored_where_their_file_stands() {
    let text = r#"{"permissions":{"deny":["Read(/a/**)","Read(//b)","Read(~/c)","Read(d)","Bash(/e)"],"additionalDirectories":["x","/y"]},
        "sandbox":{"filesystem":{"denyRead":["keys","/abs","~/z"]}}}"#;
    let effective = json(&with(&[file(Tier::Local, text)], Powers::Drop));
    assert_eq!(
        effective["permissions"]["deny"],
        serde_json::json!(["Read(//src/it/a/**)", "Read(//b)", "Read(~/c)", "Read(d)", "Bash(/e)"])
    );
    assert_eq!(effective["permissions"]["additionalDirectories"], serde_json::json!(["/src/it/x", "/y"]));
    assert_eq!(effective["sandbox"]["filesystem"]["denyRead"], serde_json::json!(["/src/it/keys", "/abs", "~/z"]));
    let user = json(&with(&[file(Tier::User, text)], Powers::Drop));
    assert_eq!(user["permissions"]["deny"][0], "Read(//home/me/.winter/sdk/a/**)");
}

#[test]
fn files_that_cannot_be_read_are_an_error_for_a_person_and_a_skip_for_a_repository() {
    for (text, line, column) in [("{\n  // x\n}", 2, 3), ("[]", 1, 1), ("", 1, 1), ("{\"a\":1,}", 1, 7)] {
        let error = composed(&[file(Tier::User, text)], &Profile::claude(), Powers::Drop).unwrap_err();
        let SettingsError::Unusable { line: l, column: c, .. } = error else { panic!("{error}") };
        assert_eq!((l, c), (line, column), "{text:?}");
        let effective = with(&[file(Tier::User, r#"{"a":1}"#), file(Tier::Project, text)], Powers::Drop);
        assert_eq!((effective.skipped[0].line, effective.skipped[0].column), (Some(line), Some(column)));
        assert_eq!(json(&effective), serde_json::json!({"a": 1}));
    }
}

#[test]
fn duplicate_keys_and_literal_references_are_remarked() {
    let effective = with(&[file(Tier::User, "{\"a\":1,\n\"a\":2,\"env\":{\"X\":\"${HOME}/x\"}}")], Powers::Drop);
    let kinds: Vec<_> = effective.notices.iter().map(|notice| (notice.kind, notice.line)).collect();
    assert_eq!(kinds, [(NoticeKind::DuplicateKey, Some(2)), (NoticeKind::LiteralReference, Some(2))]);
}

#[test]
fn protecting_rules_are_joined_to_whatever_stands_there() {
    let protection =
        Protection { ask: vec!["Edit(a)".into()], deny: vec!["Edit(b)".into()], deny_write: vec!["/c".into()] };
    let brand = Profile::claude();
    let options = Options { brand: &brand, powers: Powers::Drop, allow_inexpressible: false, protection: &protection };
    let effective = compose(&[file(Tier::User, r#"{"permissions":{"deny":["Edit(b)","X"]}}"#)], &options).unwrap();
    let expected = serde_json::json!({
        "permissions": {"deny": ["Edit(b)", "X"], "ask": ["Edit(a)"]}, "sandbox": {"filesystem": {"denyWrite": ["/c"]}},
    });
    assert_eq!(json(&effective), expected);
}

#[test]
fn every_key_of_the_program_is_classified() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/");
    let (Ok(keys), Ok(names)) = (
        std::fs::read_to_string(format!("{data}settings_keys.tsv")),
        std::fs::read_to_string(format!("{data}program_settings_keys.txt")),
    ) else {
        println!("skipped: no ../shared/data");
        return;
    };
    let keys = keys.lines().skip(1).filter_map(|line| line.split('\t').next()).filter(|key| !key.starts_with("env."));
    let mut walked = 0;
    for key in keys.chain(names.lines().filter(|name| !name.is_empty())) {
        walked += 1;
        // Either a row of its own, or beneath a key whose value is taken or dropped whole.
        let (mut above, mut found) = (String::new(), false);
        for part in key.split('.') {
            match keys::find(&above, part) {
                Some(row) => found = row.path == key || row.shape != keys::Shape::Section,
                None => break,
            }
            above = if above.is_empty() { part.to_owned() } else { format!("{above}.{part}") };
            if found {
                break;
            }
        }
        assert!(found, "{key} is in no row of the key table");
    }
    assert!(walked > 300, "{walked}");
}

fn any_value() -> impl Strategy<Value = serde_json::Value> {
    let texts = [
        "x",
        "",
        "plan",
        "auto",
        "acceptEdits",
        "Read(/a)",
        "Read(a[b)",
        "a*b",
        "on",
        "off",
        "accept",
        "disable",
        "command",
    ];
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        (-2_i32..9).prop_map(Into::into),
        proptest::sample::select(texts.to_vec()).prop_map(Into::into),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let key = proptest::sample::select(vec!["Stop", "hooks", "type", "command", "matcher", "enabled", "mode", "a"]);
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Into::into),
            proptest::collection::vec((key, inner), 0..3).prop_map(|pairs| serde_json::Value::Object(
                pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
            )),
        ]
    })
}

/// A settings file of known and unknown keys, with values that fit and values that do not.
fn any_settings() -> impl Strategy<Value = serde_json::Value> {
    let paths: Vec<&'static str> =
        keys::KEYS.iter().map(|key| key.path).chain(["unknown", "permissions.unknown"]).collect();
    proptest::collection::vec((proptest::sample::select(paths), any_value()), 0..8).prop_map(|pairs| {
        let mut root = serde_json::json!({});
        for (path, value) in pairs {
            let mut place = &mut root;
            for part in path.split('.') {
                if !place.is_object() {
                    *place = serde_json::json!({});
                }
                place = &mut place[part];
            }
            *place = value;
        }
        root
    })
}

/// A person's settings that mean something: rules, hooks, protections.
fn any_person() -> impl Strategy<Value = serde_json::Value> {
    let rules =
        || proptest::collection::vec(proptest::sample::select(vec!["Read(/a)", "Bash(rm:*)", "Edit(~/x)"]), 0..3);
    (rules(), rules(), any::<bool>(), any::<bool>(), proptest::sample::select(vec!["plan", "default"])).prop_map(
        |(deny, ask, sandbox, hook, mode)| {
            let mut person = serde_json::json!({
                "permissions": {"deny": deny, "ask": ask, "defaultMode": mode},
                "sandbox": {"enabled": sandbox, "filesystem": {"denyWrite": ["/etc"]}},
                "disableAllHooks": false,
            });
            if hook {
                person["hooks"] = serde_json::json!({"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "guard"}]}]});
            }
            person
        },
    )
}

/// Everything of a person's that must survive is still there: each list's elements, each hook, each strict switch.
fn survives(person: &serde_json::Value, effective: &serde_json::Value) -> Result<(), String> {
    for list in ["/permissions/deny", "/permissions/ask", "/sandbox/filesystem/denyWrite", "/hooks/PreToolUse/0/hooks"]
    {
        let (Some(own), Some(all)) = (person.pointer(list).and_then(|v| v.as_array()), effective.pointer(list)) else {
            if person.pointer(list).is_some() {
                return Err(format!("{list} is gone"));
            }
            continue;
        };
        let own_first =
            own.iter().enumerate().all(|(place, item)| !list.contains("hooks") || all.get(place) == Some(item));
        if !own_first || !own.iter().all(|item| all.as_array().is_some_and(|all| all.contains(item))) {
            return Err(format!("{list}: {own:?} became {all}"));
        }
    }
    if person["sandbox"]["enabled"] == true && effective["sandbox"]["enabled"] != true {
        return Err("the sandbox is off".to_owned());
    }
    if effective["disableAllHooks"] != false {
        return Err("the hooks are off".to_owned());
    }
    if person["permissions"]["defaultMode"] == "plan" && effective["permissions"]["defaultMode"] != "plan" {
        return Err("the mode is looser".to_owned());
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_repository_never_removes_a_persons_rule_hook_or_protection(
        person in any_person(), project in any_settings(), local in any_settings(), keep in any::<bool>(), delivered in any::<bool>()
    ) {
        let powers = if keep { Powers::Keep } else { Powers::Drop };
        let (person_text, project, local) = (person.to_string(), project.to_string(), local.to_string());
        let alone = with(&[file(Tier::User, &person_text)], powers);
        let local = if delivered { shipped(&local) } else { file(Tier::Local, &local) };
        let effective = with(&[file(Tier::User, &person_text), file(Tier::Project, &project), local], powers);
        prop_assert_eq!(survives(&json(&alone), &json(&effective)), Ok(()));
    }

    /// Composing the composed document as a person's own succeeds: the types hold, and so the program reads it.
    #[test]
    fn the_composed_document_is_never_one_that_the_program_would_drop(
        project in any_settings(), local in any_settings(), keep in any::<bool>()
    ) {
        let powers = if keep { Powers::Keep } else { Powers::Drop };
        let (project, local) = (project.to_string(), local.to_string());
        let effective = with(&[file(Tier::Project, &project), file(Tier::Local, &local)], powers);
        let again = composed(&[file(Tier::User, &effective.json)], &Profile::claude(), Powers::Keep);
        prop_assert!(again.is_ok(), "{:?}", again);
    }

    #[test]
    fn any_bytes_give_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let one = TierFile { text: &bytes, ..file(Tier::Project, "") };
        prop_assert!(composed(&[one], &Profile::winter(), Powers::Drop).is_ok());
    }
}
