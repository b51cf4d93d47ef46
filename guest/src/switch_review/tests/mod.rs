//! Every row of the loss table, every oddity and every rule of the tip has a test of its name.

mod hostile;
mod human;
mod live;
mod losses;
mod ranges;
mod tip;

use serde_json::{Value, json};

use super::*;

pub(super) const OPUS: &str = "claude-opus-5";

pub(super) fn endpoint(provider: &str, model: &str, family: &str, protocol: &str) -> Endpoint {
    Endpoint {
        provider: provider.into(),
        model: model.into(),
        family: family.into(),
        protocol: protocol.into(),
        readable_reasoning: ReadableReasoning::Exposed,
        opaque_states: vec![format!("{provider}-{family}")],
        modalities: vec!["image".into(), "document".into()],
        server_tools: vec!["web-search".into()],
        context_window: Some(200_000),
    }
}

pub(super) fn catalog() -> Vec<Endpoint> {
    vec![
        endpoint("anthropic", OPUS, "claude", "messages"),
        endpoint("anthropic", "claude-sonnet-5", "claude", "messages"),
        endpoint("bedrock", OPUS, "claude", "bedrock"),
        Endpoint { readable_reasoning: ReadableReasoning::Summary, ..endpoint("openai", "gpt-6", "gpt", "responses") },
        Endpoint { modalities: vec![], server_tools: vec![], ..endpoint("zai", "glm-5", "glm", "messages") },
        Endpoint { context_window: Some(1_000), ..endpoint("zai", "glm-5-air", "glm", "messages") },
    ]
}

/// One row a line.
pub(super) fn lines(rows: &[Value]) -> String {
    rows.iter().fold(String::new(), |text, row| text + &row.to_string() + "\n")
}

/// One session, as a test sets it up.
pub(super) struct Scene {
    pub text: Vec<u8>,
    pub sidecar: Vec<u8>,
    pub persisted: PersistedSelection,
    pub budget: u64,
    pub compaction: Compaction,
}

pub(super) fn scene(rows: &[Value]) -> Scene {
    raw(lines(rows))
}

pub(super) fn raw(text: impl Into<Vec<u8>>) -> Scene {
    Scene {
        text: text.into(),
        sidecar: Vec::new(),
        persisted: PersistedSelection { runtime: None, origin: Origin::from_tag("anthropic/claude-opus-5").unwrap() },
        budget: DEFAULT_BUDGET,
        compaction: Compaction::Refused,
    }
}

impl Scene {
    pub(super) fn with_sidecar(mut self, records: &[Value]) -> Self {
        self.sidecar = lines(records).into_bytes();
        self
    }

    fn reading<'a>(&'a self, tail: &'a [u8]) -> Reading<'a> {
        let file_length = self.text.len() as u64;
        Reading { session: "s", file_length, tail, sidecar: &self.sidecar, budget: self.budget }
    }

    fn directory(&self) -> MemoryDirectory {
        let mut directory = MemoryDirectory::default();
        directory.list("s", self.persisted.clone());
        directory
    }

    /// One call, with that much of the end.
    pub(super) fn step(&self, target: &str, tail: &[u8]) -> Step<Review> {
        let target = Origin::from_tag(target).unwrap();
        review(&self.reading(tail), &target, self.compaction, &self.directory(), &catalog()[..]).unwrap()
    }

    /// As a host does it: range by range.
    pub(super) fn review(&self, target: &str) -> Review {
        let mut start = self.text.len();
        loop {
            match self.step(target, &self.text[start..]) {
                Step::Answer(review) => return review,
                Step::Need(range) => {
                    assert!(
                        range.length > 0 && range.offset + range.length == start as u64,
                        "{range:?} before {start}"
                    );
                    start = usize::try_from(range.offset).unwrap();
                }
            }
        }
    }

    pub(super) fn tip(&self) -> TipReport {
        let mut start = self.text.len();
        loop {
            match tip(&self.reading(&self.text[start..]), &self.directory(), &catalog()[..]).unwrap() {
                Step::Answer(tip) => return tip,
                Step::Need(range) => start = usize::try_from(range.offset).unwrap(),
            }
        }
    }

    pub(super) fn tip_uuid(&self) -> Option<String> {
        self.tip().tip.entry.map(|entry| entry.uuid)
    }

    /// How often that is in the review's oddities.
    pub(super) fn odd(&self, kind: OddityKind) -> u64 {
        let review = self.review("zai/glm-5");
        review.oddities.iter().find(|odd| odd.kind == kind).map_or(0, |odd| odd.count)
    }
}

fn parent(parent: &str) -> Value {
    if parent.is_empty() { Value::Null } else { json!(parent) }
}

pub(super) fn user(uuid: &str, before: &str, content: impl Into<Value>) -> Value {
    let content: Value = content.into();
    json!({"parentUuid": parent(before), "isSidechain": false, "type": "user", "uuid": uuid, "sessionId": "s",
        "message": {"role": "user", "content": content}})
}

/// A reply of the text `text` as a message of its own.
pub(super) fn reply(uuid: &str, before: &str, content: impl Into<Value>) -> Value {
    part(uuid, before, &format!("msg-{uuid}"), content)
}

/// One row of a message.
pub(super) fn part(uuid: &str, before: &str, message: &str, content: impl Into<Value>) -> Value {
    let mut content: Value = content.into();
    if let Value::String(text) = content {
        content = json!([{"type": "text", "text": text}]);
    }
    json!({"parentUuid": parent(before), "isSidechain": false, "type": "assistant", "uuid": uuid, "sessionId": "s",
        "message": {"id": message, "role": "assistant", "model": OPUS, "content": content}})
}

pub(super) fn call(id: &str) -> Value {
    json!([{"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": "/x"}}])
}

pub(super) fn result(id: &str, text: &str) -> Value {
    json!([{"type": "tool_result", "tool_use_id": id, "content": text}])
}

/// The same row with another value.
pub(super) fn with(mut row: Value, key: &str, value: impl Into<Value>) -> Value {
    row[key] = value.into();
    row
}

pub(super) fn by(mut row: Value, model: &str) -> Value {
    row["message"]["model"] = json!(model);
    row
}

pub(super) fn stamp(anchor: &str, provider: &str, model: &str, family: &str) -> Value {
    json!({"type": "winter_provider_state", "uuid": "r", "anchorUuid": anchor, "kind": "origin", "provider": provider,
        "model": model, "family": family, "itemIndex": 0, "payload": {}})
}

pub(super) fn kinds(review: &Review) -> Vec<&'static str> {
    review.losses.iter().map(|loss| loss.kind.rule().id).collect()
}
