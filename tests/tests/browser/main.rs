//! The preview page in Chromium and the npm package in Node. Without Chromium, Node or npm, or where npm cannot install, the
//! tests say `skipped: ...` and pass.

use std::path::Path;
use std::process::Command;

use winter_runner::{preview, web};
use winter_tests::node::{self, chromium, run};

fn tools() -> Result<&'static Path, &'static str> {
    node::tools(Path::new(env!("CARGO_TARGET_TMPDIR")))
}

fn write(folder: &Path, name: &str, content: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    std::fs::write(path, content).expect("a file");
}

/// A repository with hostile names and contents, and 200 files besides.
fn hostile(folder: &Path) {
    let script = "# hi\n<script>window.owned=1;alert(1)</script>\n";
    write(
        folder,
        ".winter/settings.json",
        r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"touch /tmp/owned"}]}]},
            "permissions":{"allow":["Bash(<img src=x onerror=owned=1>)","Bash(\u202ex)"],"deny":["Read(./a)"]},"apiKeyHelper":"x"}"#,
    );
    write(
        folder,
        ".winter/settings.local.json",
        r#"{"permissions":{"deny":["Read(./a)"]},"env":{"A":"local-only"},"apiKeyHelper":"local-only"}"#,
    );
    write(folder, ".claude/settings.json", r#"{"apiKeyHelper":"claude-helper"}"#);
    write(folder, "WINTER.md", script);
    write(folder, "CLAUDE.md", script);
    write(folder, ".winter/rules/<img src=x onerror=alert(1)>.md", script);
    for number in 0..200 {
        write(folder, &format!(".winter/rules/r{number}.md"), "A rule.\n");
    }
}

#[test]
fn page() {
    let (Some(chromium), tools) = (chromium(), tools()) else { return println!("skipped: no chromium") };
    let tools = match tools {
        Ok(tools) => tools,
        Err(why) => return println!("skipped: {why}"),
    };
    let repository = tempfile::tempdir().expect("a folder");
    hostile(repository.path());
    let document = preview::repository(repository.path()).expect("the repository is read");
    let server = preview::Server::bind(0, Some(document)).expect("a free port");
    let address = format!("http://{}/", server.address());
    std::thread::spawn(move || server.serve());
    let shots = Path::new(env!("CARGO_TARGET_TMPDIR")).join("screenshots");
    std::fs::create_dir_all(&shots).expect("a folder");
    let mut node = Command::new("node");
    node.arg(node::script("page.mjs")).arg(address);
    node.arg(repository.path()).args([&shots, tools, &chromium]).env("WINTER_START_LIMIT", "1000");
    print!("{}", run(&mut node).unwrap_or_else(|why| panic!("{why}")));
}

#[test]
fn package() {
    let tools = match tools() {
        Ok(tools) => tools,
        Err(why) => return println!("skipped: {why}"),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let (source, user) = (folder.path().join("source"), folder.path().join("user"));
    web::write(&source, web::package()).expect("the package is written");
    write(&user, "package.json", r#"{"private":true,"type":"module"}"#);
    let done = |command: &mut Command| run(command).unwrap_or_else(|why| panic!("{why}"));
    let packed = done(
        Command::new("npm").args(["pack", "--silent", "--pack-destination"]).arg(folder.path()).current_dir(&source),
    );
    let tarball = folder.path().join(packed.trim());
    done(Command::new("npm").args(["install", "--offline", "--no-audit", "--no-fund"]).arg(tarball).current_dir(&user));
    let script = node::script("examples.mjs");
    let readme = user.join("node_modules/@winter/policy/README.md");
    assert_eq!(done(Command::new("node").arg(script).arg(readme).arg(&user)).trim(), "3");
    for (example, said) in [("1", r"/x/\\x5bwip\\x5d\\x20app"), ("2", "apiKeyHelper: steal"), ("3", " entries")] {
        let out = done(Command::new("node").arg(format!("example-{example}.mjs")).current_dir(&user));
        assert!(out.contains(said), "example {example}: {out}");
    }
    let mut tsc = Command::new("node");
    tsc.arg(tools.join("node_modules/typescript/bin/tsc")).args(["--noEmit", "--strict", "--module", "nodenext"]);
    tsc.args(["--target", "es2022", "--types", "node", "--typeRoots"]).arg(tools.join("node_modules/@types"));
    done(tsc.args(["example-1.ts", "example-2.ts", "example-3.ts"]).current_dir(&user));
}
