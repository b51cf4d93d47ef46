//! The fields of a call: what each is looked at as.

use super::*;
use crate::testing::test;

#[test]
fn keys_and_what_is_nested_are_looked_at_too() {
    assert!(refused("mcp__x__y", &json!({"a": [{"b": {"c": "~/.winter/x"}}]})).is_some());
    assert!(refused("mcp__x__y", &json!({"/home/me/.claude/.credentials.json": 1})).is_some());
    assert!(refused("mcp__x__y", &json!({"a": [1, 2.5, null, true, 1e300]})).is_none());
}

#[test]
fn a_path_in_pieces_is_found() {
    for input in [
        json!({"dir": "~", "name": ".winter"}),
        json!({"name": ".winter/x", "dir": "/home/me"}),
        json!({"root": "/home", "user": "me", "file": ".claude.json"}),
        json!({"dir": "..", "sub": "..", "name": ".winter"}),
        json!({"cwd": "/home/me", "command": "cat .winter/x"}),
        json!({"dir": "~/.claude", "args": ["x", ".credentials.json"]}),
    ] {
        assert!(refused("mcp__x__y", &input).is_some(), "{input}");
    }
    for (tool, input) in [
        ("Glob", json!({"path": "/home/me", "pattern": ".claude/.cred*"})),
        ("Grep", json!({"path": "/home/me", "glob": ".claude/**", "pattern": "x"})),
        ("Read", json!({"file_path": ".credentials.json", "path": "~/.claude"})),
    ] {
        assert!(refused(tool, &input).is_some(), "{tool} {input}");
    }
    for input in [
        json!({"dir": "/home/me/src", "name": ".winter"}),
        json!({"owner": "me", "repo": "winter", "path": "docs/.claude/settings.json"}),
        json!({"url": "http://localhost:3000/", "selector": "a / b"}),
        json!({"query": "select a / b from c where d = '~'"}),
    ] {
        assert_eq!(refused("mcp__x__y", &input), None, "{input}");
    }
}

#[test]
fn a_list_of_what_looks_alike_passes() {
    assert_eq!(refused("mcp__x__y", &json!({"paths": ["~/.winter2", "~/.winter-old/x", "~/.claude2"]})), None);
    assert_eq!(refused("mcp__x__y", &json!({"paths": "~/.winter2,~/.winter3 {~/.winter2,x}"})), None);
    assert!(refused("mcp__x__y", &json!({"paths": ["~/.winter2", "~/.winter"]})).is_some());
}

#[test]
fn a_text_that_is_only_written_says_what_it_likes() {
    let said = "# Notes\n\ncd ~ && rm -r .winter; X=.claude; cat ~/$X; see ~/.winter and ~/.claude/settings.json\n";
    for (tool, input) in [
        ("Write", json!({"file_path": "/home/me/src/it/COMMIT_MSG", "content": said})),
        ("Edit", json!({"file_path": "a.md", "old_string": said, "new_string": said, "replace_all": true})),
        ("MultiEdit", json!({"file_path": "a.md", "edits": [{"old_string": "a", "new_string": said}]})),
        ("NotebookEdit", json!({"notebook_path": "a.ipynb", "new_source": said})),
        ("Task", json!({"description": said, "prompt": said, "subagent_type": "x"})),
        ("TodoWrite", json!({"todos": [{"content": said, "status": "pending", "activeForm": said}]})),
        ("Grep", json!({"pattern": "cd ~.*\\.winter", "path": "src"})),
        ("mcp__github__create_issue", json!({"owner": "o", "repo": "r", "title": "t", "body": said})),
        ("Bash", json!({"command": "ls", "description": said})),
    ] {
        assert_eq!(refused(tool, &input), None, "{tool}");
    }
    // A secret that it spells out is found all the same.
    let script = "#!/bin/sh\ncat ~/.claude/.credentials.json\n";
    assert!(refused("Write", &json!({"file_path": "x.sh", "content": script})).is_some());
}

#[test]
fn what_is_kept_from_a_target_is_what_counts() {
    let input = json!({"p": "/home/me/.claude/settings.json"});
    for (tool, expected) in [("Read", false), ("Grep", false), ("Write", true), ("Bash", true), ("Unknown", true)] {
        assert_eq!(refused(tool, &input).is_some(), expected, "{tool}");
    }
}

#[test]
fn what_is_relative_begins_at_the_calls_own_folder() {
    let read = |cwd, path| refused_in(cwd, "Read", &json!({ "file_path": path }));
    assert!(read("/home/me/.claude", ".credentials.json").is_some());
    assert!(read("/home/me/.claude/projects", "../.credentials.json").is_some());
    assert!(read("/home/me", ".claude.json").is_some());
    assert_eq!(read("/home/me/src", ".claude.json"), None);
    let run = |cwd, command| refused_in(cwd, "Bash", &json!({ "command": command }));
    assert!(run("/home/me/.claude", "cat .credentials.json").is_some());
    assert!(run("/home/me/.claude", "echo x > settings.json").is_some());
    assert_eq!(run("/home/me/src", "echo x > settings.json"), None);
}
