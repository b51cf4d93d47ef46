//! The stand-in for the model, and that the program is held by it alone.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use winter_tests::agent::{Agent, Block, ModelServer, Reply, in_order};

/// Sends bytes, and reads until the server closes.
fn say(server: &ModelServer, text: &str) -> String {
    let mut stream = server.island().connect(server.port()).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn post(place: &str, body: &Value) -> String {
    let body = body.to_string();
    format!("POST {place} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

fn json_of(answer: &str) -> Value {
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[test]
fn the_model_answers_plain_and_streamed_as_scripted() {
    let blocks = [Block::thinking("hm", "c2ln"), Block::call("Read", json!({"file_path": "/a"}))];
    let reply = Reply::blocks(blocks).from_model("another").costing(77);
    let server = ModelServer::start(in_order([reply.clone(), reply]));
    let body = json!({"model": "asked", "tools": [], "messages": []});
    let plain = json_of(&say(&server, &post("/v1/messages?beta=true", &body)));
    assert_eq!(plain["model"], "another");
    assert_eq!(plain["stop_reason"], "tool_use");
    assert_eq!(plain["usage"]["input_tokens"], 77);
    assert_eq!(plain["content"][0], json!({"type": "thinking", "thinking": "hm", "signature": "c2ln"}));
    assert_eq!(plain["content"][1]["input"], json!({"file_path": "/a"}));

    let streamed = say(&server, &post("/v1/messages", &json!({"model": "asked", "tools": [], "stream": true})));
    let kinds: Vec<&str> = streamed.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    let block = ["content_block_start", "content_block_delta", "content_block_stop"];
    let thinking = ["content_block_start", "content_block_delta", "content_block_delta", "content_block_stop"];
    assert_eq!(kinds, [&["message_start"][..], &thinking, &block, &["message_delta", "message_stop"]].concat());

    // Past the end of the script, and for whoever offers no tools.
    let done = json_of(&say(&server, &post("/v1/messages", &body)));
    assert_eq!((&done["content"][0]["text"], &done["model"]), (&json!("done"), &json!("asked")));
    assert_eq!(server.turns().len(), 3);
}

#[test]
fn what_is_no_message_is_answered_and_recorded_too() {
    let server = ModelServer::start(|_| Some(Reply::error(529, "overloaded_error", "too much")));
    for (request, status, body) in [
        ("GET /v1/models?limit=1 HTTP/1.1\r\n\r\n".to_owned(), "200", "{\"data\":[],\"has_more\":false}"),
        ("HEAD /v1/models HTTP/1.1\r\n\r\n".to_owned(), "200", ""),
        ("GET /other HTTP/1.1\r\nX-One: two\r\n\r\n".to_owned(), "404", "not_found_error"),
        ("CONNECT example.org:443 HTTP/1.1\r\n\r\n".to_owned(), "403", ""),
        (post("/v1/messages/count_tokens", &json!({})), "200", "{\"input_tokens\":10}"),
        (post("/v1/messages", &json!({"stream": true})), "529", "overloaded_error"),
        ("nonsense\r\n\r\n".to_owned(), "", ""),
    ] {
        let answer = say(&server, &request);
        assert_eq!(answer.split(' ').nth(1).unwrap_or_default(), status, "{request}");
        assert!(answer.contains(body), "{request}: {answer}");
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 6);
    assert_eq!(requests[2].header("x-one"), Some("two"));
    assert_eq!(server.outward(), ["example.org:443"]);
    server.forget();
    assert!(server.requests().is_empty());
}

#[test]
fn a_server_ends_with_connections_open() {
    let server = ModelServer::start(|_| Some(Reply::text("x").endless()));
    let mut idle = server.island().connect(server.port()).unwrap();
    let mut waiting = server.island().connect(server.port()).unwrap();
    waiting.write_all(post("/v1/messages", &json!({"stream": true})).as_bytes()).unwrap();
    waiting.read_exact(&mut [0; 12]).unwrap();
    let started = Instant::now();
    drop(server);
    assert!(started.elapsed() < Duration::from_secs(1));
    let mut rest = Vec::new();
    assert_eq!(idle.read_to_end(&mut rest).unwrap(), 0);
}

#[test]
fn a_turn_speaks_to_the_model_alone() {
    let Some(agent) =
        Agent::new(in_order([Reply::call("Bash", json!({"command": "echo $((6 * 7))", "description": "x"}))]))
    else {
        return;
    };
    let ended = agent.turn("what is it").run().well();
    assert_eq!(ended.result()["result"], "done");
    assert_eq!(ended.tool_results(), [("Bash".to_owned(), false, "42".to_owned())]);
    assert_eq!(agent.server().outward(), [""; 0]);
    let [first, _] = agent.server().turns().try_into().expect("two requests");
    assert!(first["messages"].to_string().contains("what is it"));
    let key = |request: &winter_tests::agent::Request| request.header("x-api-key").map(str::to_owned);
    assert!(agent.server().requests().iter().all(|request| key(request).as_deref() == Some("sk-of-no-one")));
    assert!(agent.transcript(ended.session()).is_file());
}

#[test]
fn a_turn_that_never_ends_is_ended() {
    let Some(agent) = Agent::new(|_| Some(Reply::text("so far").endless())) else { return };
    let ended = agent.turn("go").patience(Duration::from_secs(3)).run();
    assert!(ended.timed_out);
    assert_eq!((ended.code(), ended.signal()), (None, Some(9)));
    assert!(ended.took < Duration::from_secs(10));
    assert_eq!(ended.init()["type"], "system");
}
