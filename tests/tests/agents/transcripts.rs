//! Real transcripts of every kind that a review of a model switch meets, made by the program itself.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};
use winter_tests::agent::{Agent, Block, Reply, Request, Turn, file_block, in_order, user_message};

/// A PNG of one red pixel, as it stands in a request.
pub(crate) const RED_PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

/// As much of a PDF as the program looks at.
pub(crate) const PDF: &str = "JVBERi0xLjQK";

/// The image as a file.
const RED_PNG_BYTES: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\
    \0\0\0\x0cIDATx\x9cc\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82";

/// What happened in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A text was answered with a text.
    Plain,
    /// Signed reasoning came before the text.
    Thinking,
    /// Reasoning came that only the provider can read.
    Redacted,
    /// Three tools were called in one message; the second took longest.
    Parallel,
    /// The user's message held an image.
    ImageGiven,
    /// The user's message held a document.
    DocumentGiven,
    /// A tool read an image.
    ImageRead,
    /// The API failed with this status after a turn that went well.
    Failed(u16),
    /// The same with a 529, and continued.
    FailedAndResumed,
    /// A tool of the provider's ran there.
    ServerTool,
    /// A subagent worked while the session waited for it.
    Subagent,
    /// A subagent worked in the background.
    Background,
    /// Two turns, and then `/compact`.
    Compacted,
    /// The window was full, so the program compacted before the next turn.
    AutoCompacted,
    /// Continued after `/compact`.
    CompactedAndResumed,
    /// Continued under another model.
    ModelChanged,
    /// The provider answered as another model than the one asked.
    ModelElsewhere,
    /// Killed while a tool ran.
    Killed,
    /// Killed while a tool ran, and continued.
    KilledAndResumed,
    /// A tool said so much that the program put it into a file.
    LongResult,
}

/// A session that was run, and what stands in its transcript. The files go with it.
pub(crate) struct Made {
    pub(crate) agent: Agent,
    pub(crate) session: String,
    /// The transcript.
    pub(crate) path: PathBuf,
}

/// Runs a session; none, with a remark, where the program is not installed.
pub(crate) fn make(kind: Kind) -> Option<Made> {
    let agent = Agent::new(|_| None)?;
    std::fs::write(agent.work().join("a.txt"), "alpha\n").unwrap();
    std::fs::write(agent.work().join("b.txt"), "beta\n").unwrap();
    std::fs::write(agent.work().join("red.png"), RED_PNG_BYTES).unwrap();
    let session = run(&agent, kind);
    let path = agent.transcript(&session);
    Some(Made { agent, session, path })
}

fn run(agent: &Agent, kind: Kind) -> String {
    let read = |name: &str| Block::call("Read", json!({"file_path": agent.work().join(name)}));
    let say = |reply: Reply, turn: Turn<'_>| play(agent, vec![reply], &turn);
    let answered = |blocks: Vec<Block>| say(Reply::blocks(blocks), agent.turn("hi"));
    match kind {
        Kind::Plain => answered(vec![Block::text("hello")]),
        Kind::Thinking => answered(vec![Block::thinking("let me see", "c2lnbmVk"), Block::text("hello")]),
        Kind::Redacted => answered(vec![Block::redacted("b3BhcXVl"), Block::text("hello")]),
        Kind::ServerTool => answered(searched()),
        Kind::Parallel => {
            let calls = [Block::text("looking"), read("a.txt"), bash("sleep 1; echo slow"), read("b.txt")];
            let replies = vec![Reply::blocks(calls), Reply::text("seen")];
            play(agent, replies, &agent.turn("look").args(["--allowedTools", "Bash"]))
        }
        Kind::ImageGiven => say(Reply::text("red"), given(agent, file_block("image", "image/png", RED_PNG))),
        Kind::DocumentGiven => say(Reply::text("none"), given(agent, file_block("document", "application/pdf", PDF))),
        Kind::ImageRead => play(agent, vec![Reply::blocks([read("red.png")]), Reply::text("red")], &agent.turn("look")),
        Kind::Failed(status) => {
            let session = run(agent, Kind::Plain);
            agent.server().script(move |_| Some(Reply::error(status, error_kind(status), "as scripted")));
            let ended = agent.turn("again").resume(&session).run();
            assert_eq!(ended.code(), Some(1), "{}{}", ended.stdout, ended.stderr);
            session
        }
        Kind::FailedAndResumed => {
            let session = run(agent, Kind::Failed(529));
            say(Reply::text("back"), agent.turn("go on").resume(&session))
        }
        Kind::Subagent | Kind::Background => {
            let input = json!({"description": "look", "prompt": "look around", "subagent_type": "general-purpose",
                "run_in_background": kind == Kind::Background});
            agent.server().script(by_loop("look around", Reply::call("Agent", input), Reply::blocks([read("a.txt")])));
            agent.turn("delegate").run().well().session().to_owned()
        }
        Kind::Compacted => {
            let session = say(Reply::text("one"), agent.turn("first"));
            say(Reply::text("two"), agent.turn("second").resume(&session));
            say(Reply::text("the summary"), agent.turn("/compact").resume(&session))
        }
        Kind::CompactedAndResumed => {
            let session = run(agent, Kind::Compacted);
            say(Reply::text("three"), agent.turn("third").resume(&session))
        }
        Kind::AutoCompacted => {
            let small =
                |prompt| agent.turn(prompt).model("claude-sonnet-4-5").env("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "100000");
            let session = say(Reply::text("one"), small("first"));
            say(Reply::text("two").costing(99_000), small("second").resume(&session));
            let replies = vec![Reply::text("the summary"), Reply::text("three")];
            play(agent, replies, &small("third").resume(&session))
        }
        Kind::ModelChanged => {
            let session = say(Reply::text("one"), agent.turn("first").model("claude-sonnet-4-5"));
            say(Reply::text("two"), agent.turn("second").resume(&session).model("claude-opus-5"))
        }
        Kind::ModelElsewhere => {
            let reply = Reply::text("hello").from_model("us.anthropic.claude-opus-5-v1:0");
            say(reply, agent.turn("hi").model("claude-opus-5"))
        }
        Kind::Killed => killed(agent),
        Kind::KilledAndResumed => {
            let session = killed(agent);
            say(Reply::text("back"), agent.turn("go on").resume(&session))
        }
        Kind::LongResult => {
            let replies = vec![Reply::blocks([bash("seq 1 20000")]), Reply::text("long")];
            play(agent, replies, &agent.turn("count").args(["--allowedTools", "Bash"]))
        }
    }
}

/// Runs a turn that the model answers so; gives its session.
fn play(agent: &Agent, replies: Vec<Reply>, turn: &Turn<'_>) -> String {
    agent.server().script(in_order(replies));
    turn.run().well().session().to_owned()
}

fn bash(command: &str) -> Block {
    Block::call("Bash", json!({"command": command, "description": "as scripted"}))
}

fn given(agent: &Agent, block: Value) -> Turn<'_> {
    agent.turn_of(&[user_message(&[block, json!({"type": "text", "text": "what is it"})])])
}

/// An answer of a model whose provider searched the web for it.
fn searched() -> Vec<Block> {
    let result = json!({"type": "web_search_result", "url": "https://example.org/", "title": "a page",
        "encrypted_content": "b3BhcXVl", "page_age": null});
    vec![
        Block::Other(json!({"type": "server_tool_use", "id": "srvtoolu_01", "name": "web_search",
            "input": {"query": "a page"}})),
        Block::Other(json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_01", "content": [result]})),
        Block::text("found"),
    ]
}

fn killed(agent: &Agent) -> String {
    agent.server().script(in_order([Reply::blocks([bash("sleep 2; echo late")])]));
    let session = "6f6b1f0c-4a5e-4d7b-9d53-0c4a1c1e7a55";
    let running = agent.turn("wait").args(["--allowedTools", "Bash", "--session-id", session]).start();
    until(|| std::fs::read_to_string(agent.transcript(session)).is_ok_and(|text| text.contains("\"tool_use\"")));
    running.signal(Signal::KILL);
    assert_eq!(running.wait(Duration::from_secs(10)).signal(), Some(9));
    session.to_owned()
}

/// A script for a session that calls a subagent: each loop makes one call, and then says that it is done. The loops ask
/// at the same time when the subagent is in the background, so they are told apart by what they were asked.
fn by_loop(task: &'static str, outer: Reply, inner: Reply) -> impl FnMut(&Request) -> Option<Reply> + Send {
    let mut todo = HashMap::from([(false, outer), (true, inner)]);
    move |request| {
        let first = request.body["messages"].as_array()?.iter().find(|message| message["role"] == "user")?;
        todo.remove(&first["content"].to_string().contains(task))
    }
}

fn error_kind(status: u16) -> &'static str {
    match status {
        400 => "invalid_request_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    }
}

fn until(happened: impl Fn() -> bool) {
    let started = Instant::now();
    while !happened() {
        assert!(started.elapsed() < Duration::from_secs(30), "it does not happen");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The rows of a transcript.
pub(crate) fn rows(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
