//! What the scripted model answers, and how that is put as one object or as a stream of events.

use serde_json::{Value, json};

/// A block of an answer.
#[derive(Clone, Debug)]
pub enum Block {
    /// Text.
    Text(String),
    /// Reasoning in the open, with the signature that the provider checks it by.
    Thinking {
        /// The reasoning.
        text: String,
        /// The signature.
        signature: String,
    },
    /// Reasoning that only the provider can read.
    Redacted(String),
    /// A call of a tool; the server gives it an id.
    Call {
        /// The tool.
        tool: String,
        /// Its input.
        input: Value,
    },
    /// Any other block, as it stands: what the provider's own tools were asked and gave, for one.
    Other(Value),
}

impl Block {
    /// Text.
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    /// Signed reasoning.
    pub fn thinking(text: &str, signature: &str) -> Self {
        Self::Thinking { text: text.to_owned(), signature: signature.to_owned() }
    }

    /// Opaque reasoning.
    pub fn redacted(data: &str) -> Self {
        Self::Redacted(data.to_owned())
    }

    /// A call of a tool.
    pub fn call(tool: &str, input: Value) -> Self {
        Self::Call { tool: tool.to_owned(), input }
    }

    fn to_json(&self, id: &str) -> Value {
        match self {
            Self::Text(text) => json!({"type": "text", "text": text}),
            Self::Thinking { text, signature } => {
                json!({"type": "thinking", "thinking": text, "signature": signature})
            }
            Self::Redacted(data) => json!({"type": "redacted_thinking", "data": data}),
            Self::Call { tool, input } => json!({"type": "tool_use", "id": id, "name": tool, "input": input}),
            Self::Other(block) => block.clone(),
        }
    }

    /// The block as a stream begins it, and what fills it.
    fn pieces(&self, id: &str) -> (Value, Vec<Value>) {
        match self {
            Self::Text(text) => {
                (json!({"type": "text", "text": ""}), vec![json!({"type": "text_delta", "text": text})])
            }
            Self::Thinking { text, signature } => (
                json!({"type": "thinking", "thinking": "", "signature": ""}),
                vec![
                    json!({"type": "thinking_delta", "thinking": text}),
                    json!({"type": "signature_delta", "signature": signature}),
                ],
            ),
            // Every input comes in pieces, that of the provider's own tools too.
            Self::Other(block) if block["input"].is_object() => {
                let mut empty = block.clone();
                empty["input"] = json!({});
                (empty, vec![json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})])
            }
            Self::Redacted(_) | Self::Other(_) => (self.to_json(id), Vec::new()),
            Self::Call { tool, input } => (
                json!({"type": "tool_use", "id": id, "name": tool, "input": {}}),
                vec![json!({"type": "input_json_delta", "partial_json": input.to_string()})],
            ),
        }
    }
}

/// An answer of the model to one request.
#[derive(Clone, Debug)]
pub struct Reply {
    pub(super) content: Content,
    model: Option<String>,
    input_tokens: u64,
    pub(super) endless: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    Blocks(Vec<Block>),
    Error { status: u16, kind: String, message: String },
}

impl Reply {
    /// A message of these blocks. It is attributed to the model that was asked.
    pub fn blocks(blocks: impl IntoIterator<Item = Block>) -> Self {
        let content = Content::Blocks(blocks.into_iter().collect());
        Self { content, model: None, input_tokens: 10, endless: false }
    }

    /// A message of one text.
    pub fn text(text: &str) -> Self {
        Self::blocks([Block::text(text)])
    }

    /// A message of one call.
    pub fn call(tool: &str, input: Value) -> Self {
        Self::blocks([Block::call(tool, input)])
    }

    /// An error of the API: status, type, message.
    pub fn error(status: u16, kind: &str, message: &str) -> Self {
        let content = Content::Error { status, kind: kind.to_owned(), message: message.to_owned() };
        Self { content, model: None, input_tokens: 0, endless: false }
    }

    /// The same, attributed to a model that was not asked.
    #[must_use]
    pub fn from_model(mut self, model: &str) -> Self {
        self.model = Some(model.to_owned());
        self
    }

    /// The same, said to have cost so many tokens of input: the agent takes it for the size of its context.
    #[must_use]
    pub fn costing(mut self, input_tokens: u64) -> Self {
        self.input_tokens = input_tokens;
        self
    }

    /// The same, except that a stream stays open after the blocks, until either side goes.
    #[must_use]
    pub fn endless(mut self) -> Self {
        self.endless = true;
        self
    }

    /// The message as one object. `number` makes its ids unique.
    pub(super) fn message(&self, blocks: &[Block], asked: &Value, number: usize) -> Value {
        let content: Vec<Value> =
            blocks.iter().enumerate().map(|(index, block)| block.to_json(&call_id(number, index))).collect();
        json!({
            "id": format!("msg_{number:08}"), "type": "message", "role": "assistant",
            "model": self.model.as_deref().map_or_else(|| asked["model"].clone(), Value::from),
            "content": content, "stop_reason": stop_reason(blocks), "stop_sequence": null,
            "usage": self.usage(),
        })
    }

    /// The message as a stream: the events up to its last block, and those that end it.
    pub(super) fn events(&self, blocks: &[Block], asked: &Value, number: usize) -> (String, String) {
        let mut start = self.message(blocks, asked, number);
        start["content"] = json!([]);
        start["stop_reason"] = Value::Null;
        let mut begun = event(&json!({"type": "message_start", "message": start}));
        for (index, block) in blocks.iter().enumerate() {
            let (empty, deltas) = block.pieces(&call_id(number, index));
            begun += &event(&json!({"type": "content_block_start", "index": index, "content_block": empty}));
            for delta in deltas {
                begun += &event(&json!({"type": "content_block_delta", "index": index, "delta": delta}));
            }
            begun += &event(&json!({"type": "content_block_stop", "index": index}));
        }
        let delta = json!({"stop_reason": stop_reason(blocks), "stop_sequence": null});
        // The program takes the size of its context from this last event, not from the first one.
        let end = event(&json!({"type": "message_delta", "delta": delta, "usage": self.usage()}))
            + &event(&json!({"type": "message_stop"}));
        (begun, end)
    }

    fn usage(&self) -> Value {
        json!({"input_tokens": self.input_tokens, "output_tokens": 5,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0})
    }
}

fn call_id(message: usize, block: usize) -> String {
    format!("toolu_{message:06}{block:02}")
}

fn stop_reason(blocks: &[Block]) -> &'static str {
    if blocks.iter().any(|block| matches!(block, Block::Call { .. })) { "tool_use" } else { "end_turn" }
}

fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().expect("an event has a type"))
}
