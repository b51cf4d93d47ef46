//! The public models that are known without a host's help.
//!
//! Three tables, joined: what a model is, how a provider is spoken to, and which provider serves which model under
//! which id. What no source says is left out, and counts as not there: a review would rather name a loss too many.

use super::model::{AuthKind, Capabilities, Fact, Modality, Model, ReadableReasoning};

/// What is true of a model wherever it is served.
struct Public {
    canonical: &'static str,
    family: &'static str,
    context_window: u32,
    modalities: &'static [Modality],
    readable_reasoning: ReadableReasoning,
    opaque_reasoning: &'static [&'static str],
    /// What, day, source.
    facts: &'static [(&'static str, &'static str, &'static str)],
}

/// What is true of a provider whatever it serves.
struct Provider {
    name: &'static str,
    protocol: &'static str,
    auth_views: &'static [AuthKind],
    server_tools: &'static [&'static str],
    facts: &'static [(&'static str, &'static str, &'static str)],
}

/// The provider, its id for the model, the model, and the day and source of the id.
type Served = (&'static str, &'static str, &'static str, &'static str, &'static str);

const PAGES: &[Modality] = &[Modality::Text, Modality::Image, Modality::Document];
const EVERYTHING: &[Modality] =
    &[Modality::Text, Modality::Image, Modality::Document, Modality::Audio, Modality::Video];
const IMAGES: &[Modality] = &[Modality::Text, Modality::Image];
const TEXT: &[Modality] = &[Modality::Text];

/// The full reasoning of Claude 4 and later, encrypted in the signature of a thinking block.
const ANTHROPIC_SIGNATURE: &[&str] = &["anthropic-signature"];
/// `encrypted_content` of a reasoning item.
const OPENAI_ENCRYPTED: &[&str] = &["openai-encrypted-content"];
/// `thoughtSignature` of a part.
const GOOGLE_SIGNATURE: &[&str] = &["google-thought-signature"];

/// The day on which sources without a day of their own were read.
const READ: &str = "2026-12-01";
const MODELS_DEV: &str = "github.com/anomalyco/models.dev";
const CLAUDE_DOCS: &str = "platform.claude.com/docs, models overview";
const CLAUDE_BEDROCK: &str = "platform.claude.com/docs, Claude on Amazon Bedrock";
const CLAUDE_VERTEX: &str = "platform.claude.com/docs, Claude on Vertex AI";
const CONTRACT: &str = "the library's contract, selection";

const SUMMARISED: (&str, &str, &str) = (
    "Claude 4 and later return a summary of their reasoning, and the whole of it encrypted in the signature",
    "2025-05-22",
    "docs.anthropic.com, release notes; Amazon Bedrock user guide, differences in thinking across model versions",
);
const CLAUDE_PAGES: (&str, &str, &str) = ("takes text, images and PDF documents", READ, MODELS_DEV);
const CLAUDE_IMAGES: (&str, &str, &str) = ("takes text and images, as every current Claude model", READ, CLAUDE_DOCS);
const OPENAI_REASONING: (&str, &str, &str) = (
    "reasoning is readable as a summary, and carried on as encrypted content",
    READ,
    "developers.openai.com/api/docs, reasoning guide; OpenAI's OpenAPI document 2.3.0, ReasoningItem",
);
const GOOGLE_REASONING: (&str, &str, &str) = (
    "a thought has a summary that can be read and a signature that is the encrypted state",
    READ,
    "ai.google.dev/gemini-api/docs, thinking",
);

const ANTHROPIC_TOOLS: &[&str] = &["web_search", "web_fetch", "code_execution"];
const ANTHROPIC_TOOLS_FACT: (&str, &str, &str) = (
    "web search, web fetch and code execution run at the provider",
    READ,
    "platform.claude.com/docs, tool use, server tools",
);

macro_rules! claude {
    ($canonical:literal, $window:literal, $modalities:expr, [$($fact:expr),*]) => {
        Public {
            canonical: $canonical,
            family: "claude",
            context_window: $window,
            modalities: $modalities,
            readable_reasoning: ReadableReasoning::Summary,
            opaque_reasoning: ANTHROPIC_SIGNATURE,
            facts: &[$($fact,)* SUMMARISED],
        }
    };
}
macro_rules! gpt {
    ($canonical:literal, $window:literal, [$($fact:expr),*]) => {
        Public {
            canonical: $canonical,
            family: "gpt",
            context_window: $window,
            modalities: PAGES,
            readable_reasoning: ReadableReasoning::Summary,
            opaque_reasoning: OPENAI_ENCRYPTED,
            facts: &[$($fact,)* OPENAI_REASONING],
        }
    };
}
macro_rules! gemini {
    ($canonical:literal, $window:literal, [$($fact:expr),*]) => {
        Public {
            canonical: $canonical,
            family: "gemini",
            context_window: $window,
            modalities: EVERYTHING,
            readable_reasoning: ReadableReasoning::Summary,
            opaque_reasoning: GOOGLE_SIGNATURE,
            facts: &[$($fact,)* GOOGLE_REASONING],
        }
    };
}

static MODELS: &[Public] = &[
    claude!(
        "claude-opus-5-5",
        1_000_000,
        IMAGES,
        [("window of 1 000 000 tokens; the current Opus model", READ, CLAUDE_DOCS), CLAUDE_IMAGES]
    ),
    claude!(
        "claude-opus-5",
        1_000_000,
        PAGES,
        [("released, window of 1 000 000 tokens", "2026-07-24", CLAUDE_DOCS), CLAUDE_PAGES]
    ),
    claude!(
        "claude-opus-4-6",
        1_000_000,
        PAGES,
        [
            ("released", "2026-02-05", MODELS_DEV),
            ("window of 1 000 000 tokens", "2026-03-13", MODELS_DEV),
            CLAUDE_PAGES
        ]
    ),
    claude!(
        "claude-sonnet-5",
        1_000_000,
        PAGES,
        [("released, window of 1 000 000 tokens", "2026-06-30", CLAUDE_DOCS), CLAUDE_PAGES]
    ),
    claude!(
        "claude-haiku-4-5",
        200_000,
        PAGES,
        [("released, window of 200 000 tokens", "2025-10-15", MODELS_DEV), CLAUDE_PAGES]
    ),
    gpt!("gpt-5.6", 1_050_000, [("released, window of 1 050 000 tokens", "2026-07-09", MODELS_DEV)]),
    gpt!("gpt-5.5", 1_050_000, [("released, window of 1 050 000 tokens", "2026-04-23", MODELS_DEV)]),
    gemini!("gemini-3.8-flash", 1_048_576, [("released, window of 1 048 576 tokens", "2026-09-02", MODELS_DEV)]),
    gemini!("gemini-3.1-pro-preview", 1_048_576, [("released, window of 1 048 576 tokens", "2026-02-19", MODELS_DEV)]),
    gemini!("gemini-2.5-pro", 1_048_576, [("window of 1 048 576 tokens", "2025-06-05", MODELS_DEV)]),
    Public {
        canonical: "gpt-oss-120b",
        family: "gpt-oss",
        context_window: 131_072,
        modalities: TEXT,
        readable_reasoning: ReadableReasoning::Exposed,
        opaque_reasoning: &[],
        facts: &[
            ("released with open weights, window of 131 072 tokens, text only", "2025-08-05", MODELS_DEV),
            ("its reasoning is shown in full", READ, "openrouter.ai/openai/gpt-oss-120b; lmstudio.ai/models"),
        ],
    },
    Public {
        canonical: "deepseek-v4-pro",
        family: "deepseek",
        context_window: 1_048_576,
        modalities: TEXT,
        readable_reasoning: ReadableReasoning::Exposed,
        opaque_reasoning: &[],
        facts: &[("window of 1 048 576 tokens; its reasoning stands in `reasoning_content`", READ, MODELS_DEV)],
    },
];

static PROVIDERS: &[Provider] = &[
    Provider {
        name: "anthropic",
        protocol: "anthropic-messages",
        auth_views: &[AuthKind::ApiKey, AuthKind::Oauth],
        server_tools: ANTHROPIC_TOOLS,
        facts: &[ANTHROPIC_TOOLS_FACT],
    },
    Provider {
        name: "console",
        protocol: "anthropic-messages",
        auth_views: &[AuthKind::Console],
        server_tools: ANTHROPIC_TOOLS,
        facts: &[("the Anthropic API by way of a Console profile", READ, CONTRACT), ANTHROPIC_TOOLS_FACT],
    },
    Provider {
        name: "bedrock",
        protocol: "bedrock-invoke-model",
        auth_views: &[AuthKind::Cloud, AuthKind::ApiKey],
        server_tools: &[],
        facts: &[("takes AWS credentials, or a bearer token", READ, CLAUDE_BEDROCK)],
    },
    Provider {
        name: "vertex",
        protocol: "vertex-raw-predict",
        auth_views: &[AuthKind::Cloud],
        server_tools: &["web_search"],
        facts: &[
            ("takes the credentials of a Google Cloud project", READ, CLAUDE_VERTEX),
            (
                "web search runs at the provider for Claude 4 and later",
                READ,
                "Claude Code, reference of its web search tool",
            ),
        ],
    },
    Provider {
        name: "openai",
        protocol: "openai-responses",
        auth_views: &[AuthKind::ApiKey],
        server_tools: &["web_search", "file_search", "code_interpreter", "image_generation"],
        facts: &[(
            "its tools for GPT-5.4 and later: search of the web and of files, a code interpreter, images",
            "2026-04-23",
            "docs.oxen.ai, model pages of GPT-5.4 and GPT-5.5",
        )],
    },
    Provider {
        name: "google",
        protocol: "google-generate-content",
        auth_views: &[AuthKind::ApiKey],
        server_tools: &["google_search", "url_context", "code_execution"],
        facts: &[(
            "its tools for Gemini 2 and later: Google search, URL context, code execution",
            READ,
            "docs.rs/ferrin-google 0.1.0, capabilities; firebase.google.com/docs/ai-logic, URL context",
        )],
    },
    Provider {
        name: "openrouter",
        protocol: "openai-chat-completions",
        auth_views: &[AuthKind::ApiKey],
        server_tools: &[],
        facts: &[("returns reasoning in a field of each message", READ, "openrouter.ai/docs, reasoning tokens")],
    },
    Provider {
        name: "deepseek",
        protocol: "openai-chat-completions",
        auth_views: &[AuthKind::ApiKey],
        server_tools: &[],
        facts: &[],
    },
    Provider {
        name: "lmstudio",
        protocol: "openai-chat-completions",
        auth_views: &[AuthKind::NoneNeeded],
        server_tools: &[],
        facts: &[(
            "a server on this machine; the window is the one it was loaded with, at most this",
            READ,
            "lmstudio.ai",
        )],
    },
];

static SERVED: &[Served] = &[
    ("anthropic", "claude-opus-5-5", "claude-opus-5-5", "2026-10-03", MODELS_DEV),
    ("anthropic", "claude-opus-5", "claude-opus-5", READ, CLAUDE_DOCS),
    ("anthropic", "claude-opus-4-6", "claude-opus-4-6", READ, CLAUDE_DOCS),
    ("anthropic", "claude-sonnet-5", "claude-sonnet-5", READ, CLAUDE_DOCS),
    ("anthropic", "claude-haiku-4-5", "claude-haiku-4-5", READ, CLAUDE_DOCS),
    ("console", "claude-opus-5-5", "claude-opus-5-5", READ, CONTRACT),
    ("console", "claude-opus-5", "claude-opus-5", READ, CONTRACT),
    ("console", "claude-sonnet-5", "claude-sonnet-5", READ, CONTRACT),
    ("console", "claude-haiku-4-5", "claude-haiku-4-5", READ, CONTRACT),
    ("bedrock", "global.anthropic.claude-opus-5", "claude-opus-5", "2026-07-24", "github.com/andisearch/airun v2.6.2"),
    ("bedrock", "anthropic.claude-opus-4-6-v1", "claude-opus-4-6", READ, CLAUDE_BEDROCK),
    ("bedrock", "anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5", READ, CLAUDE_DOCS),
    ("vertex", "claude-opus-5", "claude-opus-5", "2026-07-24", "github.com/andisearch/airun v2.6.2"),
    ("vertex", "claude-opus-4-6", "claude-opus-4-6", READ, CLAUDE_VERTEX),
    ("vertex", "claude-haiku-4-5@20251001", "claude-haiku-4-5", READ, CLAUDE_DOCS),
    ("openai", "gpt-5.6", "gpt-5.6", READ, "developers.openai.com/api/docs, reasoning guide"),
    ("openai", "gpt-5.5", "gpt-5.5", READ, "developers.openai.com/api/docs, reasoning guide"),
    ("google", "gemini-3.8-flash", "gemini-3.8-flash", READ, "ai.google.dev/gemini-api/docs, thinking"),
    ("google", "gemini-3.1-pro-preview", "gemini-3.1-pro-preview", READ, MODELS_DEV),
    ("google", "gemini-2.5-pro", "gemini-2.5-pro", READ, MODELS_DEV),
    ("deepseek", "deepseek-v4-pro", "deepseek-v4-pro", READ, MODELS_DEV),
    ("openrouter", "deepseek/deepseek-v4-pro", "deepseek-v4-pro", READ, MODELS_DEV),
    ("openrouter", "openai/gpt-oss-120b", "gpt-oss-120b", READ, "openrouter.ai/openai/gpt-oss-120b"),
    ("lmstudio", "openai/gpt-oss-120b", "gpt-oss-120b", READ, "lmstudio.ai/models/openai/gpt-oss-120b"),
];

/// The join; a row of [`SERVED`] whose halves are not there would be missing, which a test excludes.
pub(super) fn rows() -> Vec<Model> {
    let row = |&(provider, model, canonical, date, source): &Served| {
        let provider = PROVIDERS.iter().find(|one| one.name == provider)?;
        let public = MODELS.iter().find(|one| one.canonical == canonical)?;
        let id = ("the provider's id for it", date, source);
        let facts = std::iter::once(&id).chain(public.facts).chain(provider.facts);
        Some(Model {
            provider: provider.name.to_owned(),
            model: model.to_owned(),
            canonical_model: public.canonical.to_owned(),
            family: public.family.to_owned(),
            protocol: provider.protocol.to_owned(),
            auth_views: provider.auth_views.to_vec(),
            context_window: public.context_window,
            capabilities: Capabilities {
                modalities: public.modalities.to_vec(),
                readable_reasoning: public.readable_reasoning,
                opaque_reasoning: owned(public.opaque_reasoning),
                server_tools: owned(provider.server_tools),
            },
            facts: facts.map(|&(what, date, source)| fact(what, date, source)).collect(),
        })
    };
    SERVED.iter().filter_map(row).collect()
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

fn fact(what: &str, date: &str, source: &str) -> Fact {
    Fact { what: what.to_owned(), date: date.to_owned(), source: source.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::test;

    #[test]
    fn every_row_is_joined_and_every_model_and_provider_is_used() {
        let rows = rows();
        assert_eq!(rows.len(), SERVED.len());
        for model in MODELS {
            assert!(rows.iter().any(|row| row.canonical_model == model.canonical), "{}", model.canonical);
        }
        for provider in PROVIDERS {
            assert!(rows.iter().any(|row| row.provider == provider.name), "{}", provider.name);
        }
    }

    #[test]
    fn one_canonical_name_is_one_model() {
        for (index, model) in MODELS.iter().enumerate() {
            assert!(MODELS.iter().skip(index + 1).all(|other| other.canonical != model.canonical));
        }
    }
}
