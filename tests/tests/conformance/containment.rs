//! The floor under a session's tools.

use proptest::prelude::*;
use winter_policy::containment;
use winter_runner::contract::containment as wit;

use super::runner;

fn texts() -> impl Strategy<Value = String> {
    let spelt = [
        "~/.winter/x",
        "/home/me/.WINTER",
        "cat '/home/me/.win'ter",
        "/s/.credentials.json",
        "/s/other",
        "ls /home/me/.w*",
        "X=.win; cat ~/${X}ter",
        "rm -rf ~",
        "/home/me/.winter/cache/runs/x/mcp.json",
    ];
    prop_oneof![proptest::sample::select(spelt.to_vec()).prop_map(str::to_owned), any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn decide(tool in "(Read|Write|Bash|mcp__x)", text in texts(), raw in any::<bool>(), at_home in any::<bool>()) {
        let input = if raw { text } else { serde_json::json!({"a": [text]}).to_string() };
        let (home, shared) = ("/home/me/.winter".to_owned(), "/s".to_owned());
        let places = containment::Places { home: vec![home.clone()], shared_home: vec![shared.clone()], global_file: vec!["/home/me/.claude.json".into()] };
        let user_home = at_home.then_some("/home/me");
        let call = containment::Call { tool: tool.clone(), input: input.clone(), cwd: "/src".into(), user_home: user_home.map(str::to_owned) };
        let native = containment::decide(&call, &containment::targets(&places));
        let targets = runner().containment_targets(&wit::Places { home: vec![home], shared_home: vec![shared], global_file: vec!["/home/me/.claude.json".into()] }).unwrap();
        let call = wit::Call { tool, input, cwd: "/src".into(), user_home: user_home.map(str::to_owned) };
        let component = runner().contain(&call, &targets).unwrap();
        prop_assert_eq!(native.map(|one| (one.id, one.reason)), component.map(|one| (one.id, one.reason)));
    }
}

#[test]
fn hook_call() {
    let good = r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"cwd":"/x"}"#;
    for input in [good, &good.replace("Pre", "Post"), &good.replacen('{', r#"{"cwd":"/","#, 1), "", "{}", "[]"] {
        let native = containment::hook_call(input, Some("/home/me"));
        let component = runner().hook_call(input.as_bytes(), Some("/home/me"));
        assert_eq!(native.is_ok(), component.is_ok(), "{input}");
        if let (Ok(native), Ok(component)) = (native, component) {
            assert_eq!((native.tool, native.input, native.cwd), (component.tool, component.input, component.cwd));
        }
    }
}

#[test]
fn approve() {
    let brokers = [
        (containment::Broker::Absent, wit::Broker::Absent),
        (containment::Broker::TimedOut, wit::Broker::TimedOut),
        (containment::Broker::Malformed, wit::Broker::Malformed),
        (containment::Broker::Allows, wit::Broker::Allows),
        (containment::Broker::Denies, wit::Broker::Denies),
    ];
    for protected in [false, true] {
        for (native, broker) in brokers {
            let (native, component) =
                (containment::approve(protected, native), runner().approve(protected, broker).unwrap());
            assert_eq!(format!("{native:?}"), format!("{component:?}").replace("Approval::", ""));
        }
    }
}
