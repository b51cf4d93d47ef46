//! What the fields of a row may hold, as a table, and the reader of that table.

use super::error::{CatalogError, FieldFault, Place};
use super::model::Model;

/// What one kind of text field may hold.
#[derive(Debug)]
pub struct Grammar {
    /// Stable.
    pub id: &'static str,
    /// What is expected, as an error says it.
    pub expected: &'static str,
    /// Whether a text is one.
    pub holds: fn(&str) -> bool,
    /// Why not more than that.
    pub why: &'static str,
}

/// Who serves a model.
pub static PROVIDER: Grammar = Grammar {
    id: "provider",
    expected: "up to 64 of `a-z 0-9 . _ -`",
    holds: |text| within(text, 64) && text.bytes().all(is_name),
    why: "the first `/` of a tag ends the provider",
};
/// What a provider calls it, and what it is called everywhere.
pub static MODEL_ID: Grammar = Grammar {
    id: "model id",
    expected: "up to 256 visible ASCII characters",
    holds: |text| within(text, 256) && text.bytes().all(|byte| byte.is_ascii_graphic()),
    why: "ids hold `/ : @` and dots at one provider or another; two that look the same would not be told apart",
};
/// Families, protocols, formats and tools.
pub static WORD: Grammar = Grammar {
    id: "word",
    expected: "up to 64 of `a-z 0-9 . _ -`, a letter first",
    holds: |text| within(text, 64) && text.bytes().all(is_name) && text.starts_with(|c: char| c.is_ascii_lowercase()),
    why: "they are compared letter by letter: `Claude` and `claude` must not be two families",
};
/// Days.
pub static DATE: Grammar = Grammar {
    id: "date",
    expected: "a day, `YYYY-MM-DD`",
    holds: is_date,
    why: "a fact without its day cannot be told from one that has passed",
};
/// What a person reads.
pub static SENTENCE: Grammar = Grammar {
    id: "sentence",
    expected: "one line of text",
    holds: |text| !text.trim().is_empty() && !text.chars().any(char::is_control),
    why: "it is printed in tables",
};

/// Every grammar.
pub static GRAMMARS: [&Grammar; 5] = [&PROVIDER, &MODEL_ID, &WORD, &DATE, &SENTENCE];

fn within(text: &str, most: usize) -> bool {
    !text.is_empty() && text.len() <= most
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'_' | b'-')
}

fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let shaped = bytes.len() == 10
        && bytes
            .iter()
            .enumerate()
            .all(|(i, byte)| if matches!(i, 4 | 7) { *byte == b'-' } else { byte.is_ascii_digit() });
    let number = |range: std::ops::Range<usize>| text.get(range).and_then(|part| part.parse::<u32>().ok()).unwrap_or(0);
    let days = match number(5..7) {
        2 => 29,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    shaped && (1..=days).contains(&number(8..10))
}

/// How an error shows what it found.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = 80;
    let mut short: String = text.chars().take(MOST).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    format!("{short:?}")
}

/// Whether a row holds what its fields may hold.
pub(super) fn row(model: &Model, document: &str, index: usize, line: Option<u32>) -> Result<(), CatalogError> {
    let fault = |field: &str, found: String, expected: &str| {
        let (document, row) = (document.to_owned(), Some(Place { index, tag: Some(model.tag()) }));
        Err(FieldFault { document, row, field: field.to_owned(), line, found, expected: expected.to_owned() }.into())
    };
    // The names of fields are spelt out only for an error: a host may hand in ten thousand rows.
    let text = |field: &dyn Fn() -> String, text: &str, grammar: &Grammar| {
        if (grammar.holds)(text) { Ok(()) } else { fault(&field(), shown(text), grammar.expected) }
    };
    for (field, value, grammar) in [
        ("provider", &model.provider, &PROVIDER),
        ("model", &model.model, &MODEL_ID),
        ("canonical-model", &model.canonical_model, &MODEL_ID),
        ("family", &model.family, &WORD),
        ("protocol", &model.protocol, &WORD),
    ] {
        text(&|| field.to_owned(), value, grammar)?;
    }
    if model.context_window == 0 {
        return fault("context-window", "0".to_owned(), "a number of tokens, from 1");
    }
    let capabilities = &model.capabilities;
    for (field, empty, expected) in [
        ("auth-views", model.auth_views.is_empty(), "at least one kind of credential"),
        ("capabilities.modalities", capabilities.modalities.is_empty(), "at least one modality"),
    ] {
        if empty {
            return fault(field, "nothing".to_owned(), expected);
        }
    }
    for (field, twice) in [
        ("auth-views", has_twice(&model.auth_views)),
        ("capabilities.modalities", has_twice(&capabilities.modalities)),
        ("capabilities.opaque-reasoning", has_twice(&capabilities.opaque_reasoning)),
        ("capabilities.server-tools", has_twice(&capabilities.server_tools)),
    ] {
        if let Some(index) = twice {
            return fault(&format!("{field}[{index}]"), "what stands before it already".to_owned(), "each value once");
        }
    }
    for (field, texts) in [
        ("capabilities.opaque-reasoning", &capabilities.opaque_reasoning),
        ("capabilities.server-tools", &capabilities.server_tools),
    ] {
        for (index, one) in texts.iter().enumerate() {
            text(&|| format!("{field}[{index}]"), one, &WORD)?;
        }
    }
    for (index, fact) in model.facts.iter().enumerate() {
        text(&|| format!("facts[{index}].what"), &fact.what, &SENTENCE)?;
        text(&|| format!("facts[{index}].date"), &fact.date, &DATE)?;
        text(&|| format!("facts[{index}].source"), &fact.source, &SENTENCE)?;
    }
    Ok(())
}

/// The index of the first value that stands there before.
fn has_twice<T: PartialEq>(values: &[T]) -> Option<usize> {
    (1..values.len()).find(|&index| values[..index].contains(&values[index]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::test;

    #[test]
    fn every_grammar_says_what_and_why() {
        for grammar in GRAMMARS {
            assert!(!grammar.expected.is_empty() && !grammar.why.is_empty(), "{}", grammar.id);
            assert!(!(grammar.holds)("") && !(grammar.holds)("\n"), "{}", grammar.id);
        }
    }

    #[test]
    fn provider() {
        assert!((PROVIDER.holds)("amazon-bedrock") && (PROVIDER.holds)("302.ai"));
        assert!(!(PROVIDER.holds)("a/b") && !(PROVIDER.holds)("Open") && !(PROVIDER.holds)(&"a".repeat(65)));
    }

    #[test]
    fn model_id() {
        assert!((MODEL_ID.holds)("openai/gpt-oss-120b:free") && (MODEL_ID.holds)("claude-haiku-4-5@20251001"));
        assert!(!(MODEL_ID.holds)("a b") && !(MODEL_ID.holds)("cl\u{430}ude"));
    }

    #[test]
    fn word() {
        assert!((WORD.holds)("web_search") && !(WORD.holds)("4o") && !(WORD.holds)("Claude"));
    }

    #[test]
    fn date() {
        assert!((DATE.holds)("2028-02-29") && (DATE.holds)("2026-12-31"));
        for wrong in ["2026-13-01", "2026-04-31", "2026-00-10", "2026-1-1", "20260101", "2026-01-0x", "\u{e9}026-01-1"]
        {
            assert!(!(DATE.holds)(wrong), "{wrong}");
        }
    }

    #[test]
    fn sentence() {
        assert!((SENTENCE.holds)("200 000 tokens") && !(SENTENCE.holds)("  ") && !(SENTENCE.holds)("a\nb"));
    }
}
