//! `winter run`: what passes through, what it exits with, and what comes home.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::person::{Person, can};

fn session(person: &Person, flags: &[&str], program: &[&str]) -> Command {
    let mut command = person.command();
    command.arg("run").args(flags).arg("--").args(program);
    command
}

fn started(mut command: Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until the child has printed that line.
fn until_ready(child: &mut Child) {
    let mut byte = [0];
    let stdout = child.stdout.as_mut().unwrap();
    while byte[0] != b'\n' {
        assert_eq!(stdout.read(&mut byte).unwrap(), 1, "the program says that it is ready");
    }
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), signal).unwrap();
}

fn code(child: &mut Child) -> Option<i32> {
    let until = Instant::now() + Duration::from_secs(20);
    while Instant::now() < until {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("it does not end");
}

#[test]
fn streams_pass_byte_for_byte() {
    let person = Person::new();
    let mut child = started(session(&person, &["--quiet"], &["sh", "-c", "cat; printf 'err\\377' >&2"]));
    let bytes: Vec<u8> = (0..=255).cycle().take(3 << 20).collect();
    let (mut stdin, sent) = (child.stdin.take().unwrap(), bytes.clone());
    let writer = std::thread::spawn(move || stdin.write_all(&sent).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.stdout == bytes, "{} bytes of {}", output.stdout.len(), bytes.len());
    assert_eq!(output.stderr, b"err\xff");
}

#[test]
fn it_exits_with_the_programs_status() {
    let person = Person::new();
    for (program, status) in [
        (&["true"][..], 0),
        (&["sh", "-c", "exit 7"], 7),
        (&["sh", "-c", "exit 255"], 255),
        (&["sh", "-c", "kill -TERM $$"], 143),
        (&["sh", "-c", "kill -KILL $$"], 137),
    ] {
        let output = session(&person, &["--quiet"], program).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{program:?} {output:?}");
        assert!(output.stderr.is_empty(), "{output:?}");
    }
}

#[test]
fn its_own_refusals_have_codes_of_their_own() {
    let person = Person::new();
    person.write("me/src/it/tool", "#!/bin/sh\n");
    fs::set_permissions(person.at("me/src/it/tool"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink(person.at("me/src/it/tool"), person.at("me/outside")).unwrap();
    let outside = person.at("me/outside");
    for (flags, program, status, said) in [
        (&[][..], &["no-such-program"][..], 127, "program-not-found"),
        (&[], &["./none"], 127, "program-not-found"),
        (&[], &["/"], 126, "program-not-executable"),
        (&[], &["./tool"], 125, "program-in-project"),
        (&[], &[outside.to_str().unwrap()], 125, "program-in-project"),
        (&["--env", "A_TOKEN"], &["true"], 125, "unreviewed-variable"),
        (&["--env", "A=B"], &["true"], 125, "bad-variable"),
        (&["--review-env", "WINTER_HOME"], &["true"], 125, "router_owned_variable"),
        (&["--brand", "claude", "--runtime-version", "2.1.0"], &["true"], 125, "runtime-version"),
        (&["--brand", "claude"], &["true", "--version"], 125, "runtime-version"),
        (&["--project", "nowhere"], &["true"], 125, "grant-not-found"),
    ] {
        let output = session(&person, flags, program).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(status), "{program:?} {stderr}");
        assert!(stderr.contains(&format!("error[{said}]")), "{program:?} {stderr}");
    }
    // A refusal leaves nothing behind.
    let runs =
        fs::read_dir(person.runs()).into_iter().flatten().filter(|entry| entry.as_ref().unwrap().path().is_dir());
    assert_eq!(runs.count(), 0);
}

#[test]
fn a_search_path_through_the_project_is_none() {
    let person = Person::new();
    for name in ["bin/env", "bin/tool"] {
        let path = person.write(format!("me/src/it/{name}"), "#!/bin/sh\necho hijacked\n");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let inside = person.at("me/src/it/bin");
    let mut command = session(&person, &[], &["env"]);
    command.env("PATH", format!("{}:bin:.:/usr/bin:/bin", inside.display()));
    let output = command.output().unwrap();
    let (stdout, stderr) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(stdout.contains("\nPATH=/usr/bin:/bin\n"), "{stdout}");
    assert!(stderr.contains("entries of PATH that the program does not get"), "{stderr}");
}

#[test]
fn the_programs_environment_is_what_the_brand_lists() {
    let person = Person::new();
    let mut command = session(&person, &["--env", "MINE", "--allow-remote-configuration"], &["env"]);
    command.env("MINE", "1").env("OTHER", "2").env("LD_LIBRARY_PATH", "/x").env("LC_ALL", "C");
    let output = command.output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let names: Vec<&str> = stdout.lines().map(|line| line.split_once('=').unwrap().0).collect();
    let own = ["WINTER_DISABLE_CRON", "WINTER_HOME", "WINTER_PLUGIN_CACHE_DIR", "WINTER_PROVIDER_MANAGED_BY_HOST"];
    let expected: Vec<&str> =
        ["HOME", "LC_ALL", "MINE", "PATH"].into_iter().chain(own).chain(["WINTER_STORE_HOME"]).collect();
    assert_eq!(names, expected);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("LD_LIBRARY_PATH, OTHER (--env NAME gives it one)"), "{stderr}");
}

#[test]
fn signals_reach_the_program_and_what_it_leaves_comes_home() {
    let person = Person::new();
    for (signal, trap) in [(Signal::TERM, "TERM"), (Signal::HUP, "HUP"), (Signal::USR1, "USR1"), (Signal::INT, "INT")] {
        let script = format!("trap 'exit 9' {trap}; echo ready; while :; do sleep 0.05; done");
        let mut child = started(session(&person, &["--quiet"], &["sh", "-c", &script]));
        until_ready(&mut child);
        send(&child, signal);
        assert_eq!(code(&mut child), Some(9), "{trap}");
    }
    let runs = fs::read_dir(person.runs()).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir());
    assert_eq!(runs.count(), 0, "the run homes are gone");
}

#[test]
fn a_second_interrupt_ends_a_program_that_takes_none() {
    let person = Person::new();
    let script = "trap '' INT TERM; echo ready; while :; do sleep 0.05; done";
    let mut child = started(session(&person, &["--quiet"], &["sh", "-c", script]));
    until_ready(&mut child);
    send(&child, Signal::INT);
    std::thread::sleep(Duration::from_millis(200));
    assert!(child.try_wait().unwrap().is_none(), "the first one is the program's own affair");
    send(&child, Signal::INT);
    assert_eq!(code(&mut child), Some(137));
}

#[test]
fn the_program_owns_the_terminal() {
    let person = Person::new();
    let probe = ["-qec", "true", "/dev/null"];
    if !can("a terminal", "script", &probe) {
        return;
    }
    let winter = winter_tests::winter().display().to_string();
    let inner = format!("{winter} run --quiet -- sh -c 'test -t 0 && test -t 1 && stty size && echo a terminal'");
    let mut command = person.closed("script");
    command.args(["-qec", &inner, "/dev/null"]).stdin(Stdio::null());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("a terminal"), "{said}");
}

#[test]
fn an_open_run_is_listed_and_not_disposed_of() {
    let person = Person::new();
    let mut child = started(session(&person, &["--quiet"], &["sh", "-c", "echo ready; read line"]));
    until_ready(&mut child);
    let listed = person.run(["runs"]).ok().stdout;
    assert!(listed.contains(" open "), "{listed}");
    let id = listed.split_whitespace().find(|word| word.len() == 36).unwrap().to_owned();
    person.run(["dispose", &id]).fails(5, "run-in-use");
    person.run(["recover", person.runs().join(&id).to_str().unwrap()]).fails(5, "run-in-use");
    child.stdin.take().unwrap().write_all(b"\n").unwrap();
    assert_eq!(code(&mut child), Some(0));
    assert!(person.run(["runs"]).ok().stdout.contains("no runs"));
}

#[test]
fn a_choice_comes_home_and_the_rest_is_held_until_the_person_says_so() {
    let person = Person::new();
    let own = "{\n    \"theme\": \"dark\",\n    \"permissions\": {\n        \"deny\": [\"Read(x)\"]\n    }\n}\n";
    fs::write(person.own(), own).unwrap();
    let edit = r#"printf '{"theme":"light","permissions":{"deny":[],"allow":["Bash(ls)"]},"env":{"A_TOKEN":"hush"}}' > "$WINTER_HOME/settings.json""#;
    let ended = session(&person, &[], &["sh", "-c", edit]).output().unwrap();
    let stderr = String::from_utf8(ended.stderr).unwrap();
    assert!(stderr.contains("settings that came home: theme"), "{stderr}");
    assert_eq!(fs::read_to_string(person.own()).unwrap(), own.replace("dark", "light"));
    let folder = person.at("me/.winter/cache/ended");
    let name = fs::read_dir(folder).unwrap().next().unwrap().unwrap().file_name().into_string().unwrap();
    let id = name.strip_suffix(".json").unwrap();
    let shown = person.run(["runs", "show", id]).ok().stdout;
    assert!(shown.contains("Held (not-listed): permissions.allow") && !shown.contains("hush"), "{shown}");
    person.run(["settings", "apply", id, "permissions.allow"]).ok();
    let now = fs::read_to_string(person.own()).unwrap();
    assert!(now.contains("Bash(ls)") && now.contains("Read(x)") && !now.contains("A_TOKEN"), "{now}");
    person.run(["settings", "apply", id, "permissions.allow"]).fails(2, "bad-input");
    person.run(["settings", "apply", id, "none"]).fails(2, "bad-input");
    person.run(["runs", "show", "0198c0de-0000-7000-8000-000000000000"]).fails(2, "unknown-run");
}

#[test]
fn a_file_that_took_a_links_place_comes_home() {
    let person = Person::new();
    person.write("me/.claude/settings.json", "{}");
    person.write("me/.claude/.credentials.json", "old");
    // The door adds arguments for that brand, which this program does not look at.
    let swap = "#!/bin/sh\ncd \"$CLAUDE_CONFIG_DIR\" && rm .credentials.json && printf new > .credentials.json\n";
    let program = person.write("me/bin/program", swap);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let flags = ["--brand", "claude", "--runtime-version", "2.1.250"];
    let ended = session(&person, &flags, &[program.to_str().unwrap()]).output().unwrap();
    assert_eq!(fs::read(person.at("me/.claude/.credentials.json")).unwrap(), b"new", "{ended:?}");
    let stderr = String::from_utf8(ended.stderr).unwrap();
    assert!(stderr.contains(".credentials.json was replaced by the program and brought home"), "{stderr}");
    let kept = fs::read_dir(person.at("me/.winter/cache/quarantine")).unwrap().next().unwrap().unwrap().path();
    assert_eq!(fs::read(kept.join(".credentials.json")).unwrap(), b"old");
}

#[test]
fn a_working_copy_is_brought_home_and_a_torn_line_kept() {
    let person = Person::new();
    let brand = person.write("me/brand.json", r#"{"name": "mine", "like": "winter", "transcripts": "working-copy"}"#);
    let write = r#"mkdir -p "$WINTER_HOME/projects/k/s/tool-results"; cd "$WINTER_HOME/projects/k"; printf '{"a":1}\n{"b":' > s.jsonl; printf x > s/tool-results/t"#;
    let flags = ["--brand", brand.to_str().unwrap()];
    let ended = session(&person, &flags, &["sh", "-c", write]).output().unwrap();
    let stderr = String::from_utf8(ended.stderr).unwrap();
    assert!(stderr.contains("in quarantine"), "{stderr}");
    assert_eq!(fs::read(person.at("me/.winter/sdk/projects/k/s.jsonl")).unwrap(), b"{\"a\":1}\n", "{stderr}");
    assert_eq!(fs::read(person.at("me/.winter/sdk/projects/k/s/tool-results/t")).unwrap(), b"x");
    assert!(person.run(["runs"]).ok().stdout.contains("no runs"), "torn tails alone do not keep a run home");
}

#[test]
fn what_cannot_be_proven_keeps_the_run_home() {
    let person = Person::new();
    person.write("me/.winter/sdk/projects/k/s.jsonl", "{\"x\":1}\n");
    let brand = person.write("me/brand.json", r#"{"name": "mine", "like": "winter", "transcripts": "working-copy"}"#);
    let write = r#"mkdir -p "$WINTER_HOME/projects/k"; printf '{"a":1}\n' > "$WINTER_HOME/projects/k/s.jsonl""#;
    let ended = session(&person, &["--brand", brand.to_str().unwrap()], &["sh", "-c", write]).output().unwrap();
    let stderr = String::from_utf8(ended.stderr).unwrap();
    assert!(stderr.contains("the run home stays"), "{stderr}");
    assert_eq!(fs::read(person.at("me/.winter/sdk/projects/k/s.jsonl")).unwrap(), b"{\"x\":1}\n");
    let listed = person.run(["runs"]).ok().stdout;
    let id = listed.split_whitespace().find(|word| word.len() == 36).unwrap().to_owned();
    let run = person.runs().join(&id);
    let again = person.run(["recover", run.to_str().unwrap()]);
    assert_eq!(again.code, 3, "{}", again.both());
    assert!(again.stdout.contains("quarantined: k/s (diverged)"), "{}", again.stdout);
}
