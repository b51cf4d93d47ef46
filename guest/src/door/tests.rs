use std::cell::RefCell;

use super::*;
use crate::memory::{Memory, MemoryFolder};
use crate::testing::test;

fn variable(name: &str, value: &str) -> Variable {
    Variable { name: name.to_owned(), value: value.to_owned() }
}

fn home(brand: &Profile) -> Home {
    Home {
        run_id: "0198c0de-0000-7000-8000-000000000000".to_owned(),
        dir: "/w/cache/runs/0198".to_owned(),
        shared_home: "/home/me/.claude".to_owned(),
        cwd: "/src/it".to_owned(),
        brand: brand.name.clone(),
        leg: Leg::Winter,
        memory_dir: String::new(),
        mcp_config: None,
        servers: vec!["notes".to_owned()],
        built_here: true,
        disposed: false,
        contained: false,
    }
}

fn request(brand: Profile) -> Request {
    Request {
        home: Some(home(&brand)),
        require_run_home: true,
        cwd: "/src/it".to_owned(),
        brand,
        store: "/home/me/.claude".to_owned(),
        options: "{}".to_owned(),
        program: "agent".to_owned(),
        arguments: Vec::new(),
        environment: vec![variable("HOME", "/home/me"), variable("PATH", "/usr/bin"), variable("SOME_OTHER", "x")],
        admitted: Vec::new(),
        reviewed: Vec::new(),
        capability_servers: "{}".to_owned(),
        version: Some("2.1.250 (Claude Code)".to_owned()),
        allow_remote_configuration: true,
    }
}

fn claude() -> Request {
    request(Profile::claude())
}

fn code(request: &Request) -> &'static str {
    check(request).map_or_else(|error| error.code(), |_| "-")
}

fn with(change: impl FnOnce(&mut Request)) -> Request {
    let mut request = claude();
    change(&mut request);
    request
}

fn with_home(change: impl FnOnce(&mut Home)) -> Request {
    with(|request| change(request.home.as_mut().unwrap()))
}

fn with_arguments(arguments: &[&str]) -> Request {
    with(|request| request.arguments = arguments.iter().map(|&one| one.to_owned()).collect())
}

fn with_options(options: &str) -> Request {
    with(|request| options.clone_into(&mut request.options))
}

#[test]
fn what_holds_is_let_through() {
    assert_eq!(code(&claude()), "-");
    assert_eq!(code(&request(Profile::winter())), "-");
    assert_eq!(code(&with(|request| (request.home, request.require_run_home) = (None, false))), "-");
}

#[test]
fn every_check_has_a_test_of_its_name() {
    let source = include_str!("tests.rs");
    for check in CHECKS.iter().chain([&checks::BAD_OPTIONS]) {
        let name = format!("fn {}()", check.id.replace('-', "_"));
        assert!(source.contains(&name), "{name}");
    }
}

#[test]
fn the_first_check_that_finds_something_speaks() {
    let mut bad = with_home(|home| (home.disposed, home.cwd) = (true, "/else".to_owned()));
    bad.arguments = vec!["--worktree".to_owned()];
    assert_eq!(code(&bad), "run_home_foreign");
    bad.home.as_mut().unwrap().disposed = false;
    assert_eq!(code(&bad), "run_home_cwd_mismatch");
    bad.home = Some(home(&bad.brand));
    assert_eq!(code(&bad), "argument-refused");
}

#[test]
fn bad_options() {
    for options in ["", "[]", "null", "{", "1", r#"{"env":[]}"#, r#"{"env":{"A":1}}"#, r#"{"mcpServers":[]}"#] {
        assert_eq!(code(&with_options(options)), "bad-options", "{options}");
    }
    assert_eq!(code(&with(|request| request.capability_servers = "[]".to_owned())), "bad-options");
}

#[test]
fn run_home_required() {
    assert_eq!(code(&with(|request| request.home = None)), "run_home_required");
}

#[test]
fn run_home_foreign() {
    assert_eq!(code(&with_home(|home| home.built_here = false)), "run_home_foreign");
    assert_eq!(code(&with_home(|home| home.disposed = true)), "run_home_foreign");
}

#[test]
fn run_home_leg_mismatch() {
    assert_eq!(code(&with_home(|home| home.leg = Leg::Official)), "run_home_leg_mismatch");
}

#[test]
fn run_home_cwd_mismatch() {
    let error = check(&with_home(|home| home.cwd = "/src/it/".to_owned())).unwrap_err();
    assert_eq!((error.code(), error.field.as_str()), ("run_home_cwd_mismatch", "home.cwd"));
    assert!(error.message.contains("/src/it/, and"), "{}", error.message);
}

#[test]
fn run_home_brand_mismatch() {
    assert_eq!(code(&with_home(|home| home.brand = "winter".to_owned())), "run_home_brand_mismatch");
}

#[test]
fn run_home_store_mismatch() {
    assert_eq!(code(&with_home(|home| home.shared_home = "/else".to_owned())), "run_home_store_mismatch");
}

#[test]
fn run_home_option_refused() {
    for (key, _) in options::DECIDED {
        let options = format!(r#"{{"{key}": []}}"#);
        assert_eq!(code(&with_options(&options)), "run_home_option_refused", "{key}");
        // Nothing decides it where there is no run home.
        let mut bare = with_options(&options);
        (bare.home, bare.require_run_home) = (None, false);
        assert_eq!(code(&bare), "-");
    }
    for arguments in [
        &["--agents", "{}"][..],
        &["--agents={}"],
        &["-p", "x", "--plugin-dir", "/x"],
        &["--plugin-dir-no-mcp=/x"],
        &["--plugin-url=u"],
        &["--managed-settings", "{}"],
        &["--settings", ".claude/settings.json"],
        &["--settings={}"],
    ] {
        assert_eq!(code(&with_arguments(arguments)), "run_home_option_refused", "{arguments:?}");
    }
    assert_eq!(code(&with_options(r#"{"plugins": null}"#)), "-");
}

#[test]
fn router_owned_variable() {
    let names =
        ["CLAUDE_CONFIG_DIR", "CLAUDE_SECURESTORAGE_CONFIG_DIR", "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD"];
    for name in names {
        assert_eq!(code(&with_options(&format!(r#"{{"env": {{"{name}": "1"}}}}"#))), "router_owned_variable", "{name}");
        assert_eq!(code(&with(|request| request.admitted = vec![name.to_owned()])), "router_owned_variable", "{name}");
        assert_eq!(code(&with(|request| request.reviewed = vec![name.to_owned()])), "router_owned_variable", "{name}");
    }
    let mut winter = request(Profile::winter());
    winter.admitted = vec!["WINTER_HOME".to_owned()];
    assert_eq!(code(&winter), "router_owned_variable");
    let telemetry = with(|request| request.admitted = vec!["DISABLE_TELEMETRY".to_owned()]);
    assert_eq!(code(&telemetry), "-");
    assert_eq!(code(&Request { allow_remote_configuration: false, ..telemetry }), "router_owned_variable");
}

#[test]
fn setting_sources_refused() {
    for options in [r#"["project"]"#, r#"["user","local"]"#, r#""user""#, "[1]"] {
        let options = format!(r#"{{"settingSources": {options}}}"#);
        assert_eq!(code(&with_options(&options)), "setting_sources_refused", "{options}");
    }
    for arguments in [
        &["--setting-sources", "project"][..],
        &["--setting-sources=user,project"],
        &["--setting-sources="],
        &["--setting-sources"],
        &["--setting-sources", "user", "--setting-sources=local"],
        // The program takes `--` for the value of the option before it.
        &["--append-system-prompt", "--", "--setting-sources", "project"],
    ] {
        assert_eq!(code(&with_arguments(arguments)), "setting_sources_refused", "{arguments:?}");
    }
    assert_eq!(code(&with_arguments(&["--setting-sources", "user", "-p", "about --setting-sources"])), "-");
    assert_eq!(code(&with_options(r#"{"settingSources": ["user"]}"#)), "-");
}

#[test]
fn runtime_launch_input() {
    for selection in [r#""claude-agent""#, r#"{"runtime": "claude-agent"}"#] {
        let options = format!(r#"{{"runtime": {{"selection": {selection}}}}}"#);
        let error = check(&with_options(&options)).unwrap_err();
        assert_eq!((error.code(), error.field.as_str()), ("runtime_launch_input", "runtime.selection"));
    }
    assert_eq!(code(&with_options(r#"{"runtime": {"selection": {"runtime": "winter-agent"}}}"#)), "-");
}

#[test]
fn argument_refused() {
    for arguments in [
        &["--worktree"][..],
        &["-w"],
        &["-pw"],
        &["--bg"],
        &["--background"],
        &["--tmux=classic"],
        &["--cloud=x"],
        &["--remote"],
        &["--deep-link-origin", "--deep-link-cwd-b64", "L3g="],
        &["--handle-uri", "x"],
    ] {
        assert_eq!(code(&with_arguments(arguments)), "argument-refused", "{arguments:?}");
    }
    for arguments in [&["-nw"][..], &["-p", "word"], &["-c"], &["-r", "some"], &["--verbose"], &["-"], &["--"], &[""]] {
        assert_eq!(code(&with_arguments(arguments)), "-", "{arguments:?}");
    }
    let mut plain = request(Profile::winter());
    plain.arguments = vec!["--worktree".to_owned()];
    assert_eq!(code(&plain), "-");
}

#[test]
fn server_name_taken() {
    let servers = |text: &str| with(|request| text.clone_into(&mut request.capability_servers));
    assert_eq!(code(&servers(r#"{"notes": {}}"#)), "server-name-taken");
    let mut dotted = servers(r#"{"no tes": {}}"#);
    dotted.home.as_mut().unwrap().servers = vec!["no.tes".to_owned()];
    assert_eq!(code(&dotted), "server-name-taken");
    assert_eq!(code(&servers(r#"{"Notes": {}}"#)), "-");
    assert_eq!(code(&servers(r#"{"a.b": {}, "a_b": {}}"#)), "server-name-taken");
    assert_eq!(code(&with_options(r#"{"mcpServers": {"notes": {}}}"#)), "server-name-taken");
    let mut bare = servers(r#"{"mine": {}}"#);
    (bare.home, bare.require_run_home) = (None, false);
    bare.options = r#"{"mcpServers": {"mine": {}}}"#.to_owned();
    assert_eq!(code(&bare), "server-name-taken");
}

#[test]
fn no_home_variable() {
    assert_eq!(code(&with(|request| request.environment.clear())), "no-home-variable");
    assert_eq!(code(&with(|request| request.environment = vec![variable("HOME", "")])), "no-home-variable");
}

#[test]
fn bad_variable() {
    for name in ["", "A=B", "A\0"] {
        assert_eq!(code(&with(|request| request.admitted = vec![name.to_owned()])), "bad-variable", "{name:?}");
    }
    assert_eq!(code(&with_options(r#"{"env": {"A": "x\u0000"}}"#)), "bad-variable");
    // Of the person's own environment, where the brand lists its beginning.
    for name in ["LC_A=NODE_OPTIONS", "LC_\0"] {
        assert_eq!(code(&with(|request| request.environment.push(variable(name, "x")))), "bad-variable", "{name:?}");
    }
}

#[test]
fn unreviewed_variable() {
    for name in
        ["GITHUB_TOKEN", "my_api_key", "NODE_OPTIONS", "LD_PRELOAD", "BASH_ENV", "GIT_SSH_COMMAND", "DB_PASSWORD"]
    {
        let asked = with(|request| request.admitted = vec![name.to_owned()]);
        assert_eq!(code(&asked), "unreviewed-variable", "{name}");
        assert_eq!(code(&with_options(&format!(r#"{{"env": {{"{name}": "x"}}}}"#))), "unreviewed-variable", "{name}");
        assert_eq!(code(&Request { reviewed: vec![name.to_owned()], ..asked }), "-", "{name}");
    }
    for name in ["MY_THING", "KEYBOARD", "ANTHROPIC_API_KEY"] {
        assert_eq!(code(&with(|request| request.admitted = vec![name.to_owned()])), "-", "{name}");
    }
}

#[test]
fn runtime_version() {
    let version = |text: Option<&str>| code(&with(|request| request.version = text.map(str::to_owned)));
    for supported in ["2.1.250", "2.1.250 (Claude Code)\n", "v2.1.999"] {
        assert_eq!(version(Some(supported)), "-", "{supported}");
    }
    for other in ["2.1.249", "2.2.0", "3.0.0", "", "x", "2.1", "2.1.250.1", "2.1.250-beta", "2.1.99999999999999999999"]
    {
        assert_eq!(version(Some(other)), "runtime-version", "{other}");
    }
    assert_eq!(version(None), "runtime-version");
    let error = check(&with(|request| request.version = Some("2.1.0".to_owned()))).unwrap_err();
    assert!(error.message.contains("2.1.0; ") && error.message.contains("2.1.250"), "{}", error.message);
    let mut winter = request(Profile::winter());
    winter.version = None;
    assert_eq!(code(&winter), "-");
}

#[test]
fn the_environment_is_made_anew() {
    let mut request = claude();
    request.environment.extend([
        variable("LC_ALL", "C"),
        variable("CLAUDE_CONFIG_DIR", "/elsewhere"),
        variable("ANTHROPIC_API_KEY", "dummy"),
        variable("NODE_OPTIONS", "--require /x"),
        variable("CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD", "1"),
        variable("PATH", "/second"),
        variable("GITHUB_TOKEN", "dummy"),
    ]);
    request.reviewed = vec!["GITHUB_TOKEN".to_owned()];
    request.options = r#"{"env": {"MINE": "1"}}"#.to_owned();
    request.allow_remote_configuration = false;
    let launch = check(&request).unwrap();
    let given: Vec<_> = launch.environment.iter().map(|one| format!("{}={}", one.name, one.value)).collect();
    assert_eq!(
        given,
        [
            "ANTHROPIC_API_KEY=dummy",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
            "CLAUDE_CONFIG_DIR=/w/cache/runs/0198",
            "CLAUDE_SECURESTORAGE_CONFIG_DIR=/home/me/.claude",
            "DISABLE_AUTOUPDATER=1",
            "DISABLE_ERROR_REPORTING=1",
            "DISABLE_TELEMETRY=1",
            "GITHUB_TOKEN=dummy",
            "HOME=/home/me",
            "LC_ALL=C",
            "MINE=1",
            "PATH=/usr/bin",
        ]
    );
    let withheld: Vec<_> = launch.withheld.iter().map(|one| (one.name.as_str(), one.reason.as_str())).collect();
    let closed = ("CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD", "closed");
    assert_eq!(withheld, [closed, ("NODE_OPTIONS", "not-listed"), ("SOME_OTHER", "not-listed")]);
}

#[test]
fn a_persons_own_opt_out_of_traffic_stays() {
    let mut request = claude();
    request.environment.push(variable("DISABLE_TELEMETRY", "yes"));
    let launch = check(&request).unwrap();
    assert!(launch.environment.contains(&variable("DISABLE_TELEMETRY", "yes")) && launch.withheld.len() == 1);
    request.allow_remote_configuration = false;
    assert!(check(&request).unwrap().environment.contains(&variable("DISABLE_TELEMETRY", "1")));
}

#[test]
fn what_the_person_gets_without_asking_runs_nothing_and_is_no_ones_else_secret() {
    for brand in Profile::built_in() {
        for listed in &brand.inherited_variables {
            let own =
                ["ANTHROPIC_", "CLAUDE_CODE_", "AWS_BEARER_TOKEN_BEDROCK"].iter().any(|own| listed.starts_with(own));
            assert!(own || !crate::settings::is_secret_name(listed), "{}: {listed}", brand.name);
        }
    }
    for name in ["NODE_OPTIONS", "LD_PRELOAD", "BASH_ENV", "GIT_SSH_COMMAND", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN"] {
        let mut request = claude();
        request.environment.push(variable(name, "x"));
        let launch = check(&request).unwrap();
        assert!(launch.withheld.iter().any(|one| one.name == name), "{name}");
        assert!(launch.environment.iter().all(|one| one.name != name), "{name}");
    }
}

#[test]
fn the_winter_brand_gets_what_the_contract_says() {
    let launch = check(&request(Profile::winter())).unwrap();
    let value = |name: &str| launch.environment.iter().find(|one| one.name == name).map(|one| one.value.as_str());
    assert_eq!(value("WINTER_HOME"), Some("/w/cache/runs/0198"));
    assert_eq!(value("WINTER_STORE_HOME"), Some("/home/me/.claude"));
    assert_eq!(value("WINTER_PLUGIN_CACHE_DIR"), Some("/home/me/.claude/plugins"));
    assert_eq!((value("WINTER_PROVIDER_MANAGED_BY_HOST"), value("WINTER_DISABLE_CRON")), (Some("1"), Some("1")));
    assert!(launch.arguments.is_empty());
}

#[test]
fn what_is_added_to_the_arguments_comes_first() {
    let mut request = with_arguments(&["-p", "--add-dir", "/x", "--", "word"]);
    request.home.as_mut().unwrap().mcp_config = Some(McpConfig { entry: "mcp.json".to_owned(), strict: true });
    let launch = check(&request).unwrap();
    let added = ["--setting-sources=user", "--mcp-config=/w/cache/runs/0198/mcp.json", "--strict-mcp-config"];
    assert_eq!(launch.arguments[..3], added);
    assert_eq!(launch.arguments[3..], request.arguments);
}

#[test]
fn without_a_run_home_a_repository_still_speaks_through_no_setting_source() {
    let bare = with(|request| (request.home, request.require_run_home) = (None, false));
    assert_eq!(check(&bare).unwrap().arguments, ["--setting-sources=user"]);
}

#[test]
fn options_pass_as_they_are_but_for_what_is_decided() {
    let mut request = with_options(r#"{"z": 1.50, "runtime": {"selection": "winter-agent"}, "env": {"A": "1"}}"#);
    request.capability_servers = r#"{"host": {"type": "sdk"}}"#.to_owned();
    request.home.as_mut().unwrap().memory_dir = "/m".to_owned();
    let options = check(&request).unwrap().options;
    let expected = r#"{"z":1.50,"runtime":{"selection":"winter-agent"},"settingSources":["user"],"mcpServers":{"host":{"type":"sdk"}},"autoMemory":{"directory":"/m","enabled":true}}"#;
    assert_eq!(options, expected);
}

#[test]
fn the_callers_own_servers_stay_beside_the_hosts() {
    let mut request = with_options(r#"{"mcpServers": {"mine": {"n": 1.50}}}"#);
    assert_eq!(check(&request).unwrap().options, r#"{"mcpServers":{"mine":{"n":1.50}},"settingSources":["user"]}"#);
    request.capability_servers = r#"{"host": {}}"#.to_owned();
    let both = r#"{"mcpServers":{"mine":{"n":1.50},"host":{}},"settingSources":["user"]}"#;
    assert_eq!(check(&request).unwrap().options, both);
}

/// A host that starts nothing and remembers what it was asked for.
#[derive(Default)]
struct Started(RefCell<Vec<(Command, String)>>);

impl Process for Started {
    type Folder = MemoryFolder;

    fn spawn(&self, command: &Command, cwd: &MemoryFolder) -> Result<u64, SpawnError> {
        use crate::ports::Folder as _;
        if command.program == "missing" {
            return Err(SpawnError::NotFound(command.program.clone()));
        }
        self.0.borrow_mut().push((command.clone(), cwd.path()));
        Ok(7)
    }
}

#[test]
fn a_refusal_comes_before_anything_is_started() {
    let memory = Memory::default();
    memory.put("/src/it/a", crate::memory::Node::File(Vec::new()));
    let (cwd, host) = (memory.grant("/src/it"), Started::default());
    let refused = open(&with_arguments(&["--worktree"]), &host, &cwd);
    assert!(matches!(refused, Err(OpenError::Refused(_))) && host.0.borrow().is_empty());
    let opened = open(&claude(), &host, &cwd).unwrap();
    assert_eq!((opened.child, host.0.borrow().len()), (7, 1));
    let (command, at) = host.0.borrow()[0].clone();
    assert_eq!((command.arguments, at.as_str()), (opened.launch.arguments, "/src/it"));
    let missing = open(&with(|request| request.program = "missing".to_owned()), &host, &cwd);
    assert!(matches!(missing, Err(OpenError::Spawn(SpawnError::NotFound(_)))));
}

#[test]
fn a_run_home_is_disposed_of_only_when_nothing_is_lost() {
    use crate::brand::Transcripts::{Linked, Shared, WorkingCopy};
    for transcripts in [Linked, Shared, WorkingCopy] {
        for reconciled in [Reconciled::NotYet, Reconciled::Level, Reconciled::TornTails, Reconciled::Quarantined] {
            for ended in [Ended::Unknown, Ended::Running] {
                assert_eq!(outcome(ended, transcripts, reconciled), Outcome::Pending);
            }
        }
    }
    assert_eq!(outcome(Ended::Settled, Linked, Reconciled::NotYet), Outcome::Safe);
    let copy = |reconciled| outcome(Ended::Settled, WorkingCopy, reconciled);
    assert_eq!((copy(Reconciled::NotYet), copy(Reconciled::Level)), (Outcome::Pending, Outcome::Safe));
    assert_eq!((copy(Reconciled::TornTails), copy(Reconciled::Quarantined)), (Outcome::Safe, Outcome::Quarantined));
    let disposable = [Outcome::Pending, Outcome::Safe, Outcome::Quarantined].map(may_dispose);
    assert_eq!(disposable, [false, true, false]);
}

#[test]
fn containment_switched_off() {
    let contained = |change: fn(&mut Request)| {
        with(|request| {
            request.home.as_mut().unwrap().contained = true;
            change(request);
        })
    };
    assert_eq!(code(&contained(|_| {})), "-");
    for argument in ["--bare", "--safe-mode", "--bare=true"] {
        let mut request = with_arguments(&["-p", argument, "x"]);
        assert_eq!(code(&request), "-", "{argument}");
        request.home.as_mut().unwrap().contained = true;
        assert_eq!(code(&request), "containment-switched-off", "{argument}");
    }
    for name in ["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE", "claude_code_simple"] {
        let mut request = contained(|_| {});
        request.admitted = vec![name.to_owned()];
        assert_eq!(code(&request), "containment-switched-off", "{name}");
        let mut request = contained(|_| {});
        request.options = serde_json::json!({"env": {name: "1"}}).to_string();
        assert_eq!(code(&request), "containment-switched-off", "{name}");
        request.home.as_mut().unwrap().contained = false;
        assert_eq!(code(&request), "-", "{name}");
    }
    // What is not asked for does not reach the child at all.
    let mut request = contained(|_| {});
    request.environment.push(variable("CLAUDE_CODE_SIMPLE", "1"));
    assert_eq!(code(&request), "-");
}
