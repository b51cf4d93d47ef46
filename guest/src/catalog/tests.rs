//! What a catalog takes, and what its errors name.

use proptest::prelude::*;

use super::*;
use crate::report::{Refusal, RefusalKind};
use crate::testing::test;

const ROW: &str = r#"{"provider": "lab", "model": "tests/one", "canonical-model": "one", "family": "one",
    "protocol": "openai-chat-completions", "auth-views": ["api-key", "none-needed"], "context-window": 32768,
    "capabilities": {"modalities": ["text", "image"], "readable-reasoning": "exposed",
        "opaque-reasoning": ["lab-state"], "server-tools": ["web_search"]},
    "facts": [{"what": "made up", "date": "2026-12-01", "source": "this test"}]}"#;

fn read(text: &str) -> Result<Catalog, CatalogError> {
    Catalog::default().merge(&[Document { name: "mine.json", text: text.as_bytes() }])
}

/// The error that the one row gives with `from` replaced by `to`.
fn changed(from: &str, to: &str) -> CatalogError {
    assert!(ROW.contains(from), "{from}");
    read(&format!("{{\"models\": [\n{}]}}", ROW.replacen(from, to, 1))).unwrap_err()
}

fn message(from: &str, to: &str) -> String {
    changed(from, to).to_string()
}

#[test]
fn built_in_rows_hold_to_the_rules_of_a_document() {
    let rows = Catalog::built_in();
    assert_eq!(Catalog::from_rows("built in", rows.rows().to_vec()).unwrap(), rows);
}

#[test]
fn a_row_is_read_whole() {
    let catalog = read(&format!("{{\"models\": [{ROW}]}}")).unwrap();
    let row = catalog.get("lab/tests/one").unwrap();
    assert_eq!((row.provider.as_str(), row.model.as_str(), row.context_window), ("lab", "tests/one", 32768));
    assert_eq!(row.auth_views, [AuthKind::ApiKey, AuthKind::NoneNeeded]);
    assert_eq!(row.capabilities.modalities, [Modality::Text, Modality::Image]);
    assert_eq!(row.capabilities.readable_reasoning, ReadableReasoning::Exposed);
    assert_eq!(row.capabilities.opaque_reasoning, ["lab-state"]);
    assert_eq!(row.facts[0].date, "2026-12-01");
}

#[test]
fn what_is_written_reads_back() {
    for row in Catalog::built_in().rows() {
        let text = format!("{{\"models\": [{}]}}", serde_json::to_string(row).unwrap());
        assert_eq!(read(&text).unwrap().rows(), std::slice::from_ref(row));
    }
}

#[test]
fn a_host_row_replaces_whole_or_adds() {
    let text =
        format!("{{\"models\": [{}]}}", ROW.replace("\"lab\"", "\"anthropic\"").replace("tests/one", "claude-opus-5"));
    let document = Document { name: "mine.json", text: text.as_bytes() };
    let built_in = Catalog::built_in();
    let merged = built_in.merge(&[document]).unwrap();
    assert_eq!(merged.rows().len(), built_in.rows().len());
    let row = merged.get("anthropic/claude-opus-5").unwrap();
    assert_eq!((row.family.as_str(), row.facts.len()), ("one", 1));
    let added = built_in.merge(&[Document { name: "b", text: format!("{{\"models\": [{ROW}]}}").as_bytes() }]).unwrap();
    assert_eq!(added.rows().len(), built_in.rows().len() + 1);
}

#[test]
fn the_later_document_wins() {
    let first = format!("{{\"models\": [{ROW}]}}");
    let second = first.replace("32768", "65536");
    let documents = [("a", &first), ("b", &second)].map(|(name, text)| Document { name, text: text.as_bytes() });
    assert_eq!(Catalog::default().merge(&documents).unwrap().get("lab/tests/one").unwrap().context_window, 65536);
}

#[test]
fn a_tag_stands_once_in_a_document() {
    let error = read(&format!("{{\"models\": [{ROW},\n{ROW}]}}")).unwrap_err();
    assert_eq!(error.code(), "catalog-duplicate-tag");
    assert_eq!(
        error.to_string(),
        "mine.json: models[1] (`lab/tests/one`) has the tag of models[0]; a tag stands once in a document"
    );
    let refusal = Refusal::from(error);
    assert_eq!(
        (refusal.kind, refusal.source.as_deref(), refusal.line),
        (RefusalKind::BadInput, Some("mine.json"), Some(6))
    );
}

#[test]
fn a_syntax_error_has_line_and_column() {
    let error = read("{\"models\": [\n  {,}]}").unwrap_err();
    let CatalogError::Syntax { document, line, column, .. } = &error else { panic!("{error}") };
    assert_eq!((document.as_str(), *line, *column), ("mine.json", 2, 4));
    assert_eq!(Refusal::from(error).column, Some(4));
}

#[test]
fn a_key_that_stands_twice_is_a_syntax_error() {
    let error = changed("\"family\"", "\"provider\": \"x\", \"family\"");
    assert_eq!(error.code(), "catalog-syntax");
    assert!(error.to_string().contains("provider` stands twice"), "{error}");
}

#[test]
fn an_error_names_document_row_field_found_and_expected() {
    assert_eq!(
        changed("32768", "\"many\""),
        CatalogError::from(FieldFault {
            document: "mine.json".to_owned(),
            row: Some(Place { index: 0, tag: Some("lab/tests/one".to_owned()) }),
            field: "context-window".to_owned(),
            line: Some(3),
            found: "\"many\"".to_owned(),
            expected: "a number of tokens, from 1 to 4294967295".to_owned(),
        })
    );
    assert_eq!(
        message("32768", "\"many\""),
        "mine.json: models[0] (`lab/tests/one`): `context-window` holds \"many\", where a number of tokens, from 1 to \
         4294967295 was expected"
    );
}

#[test]
fn the_document_is_an_object_of_models() {
    assert!(read("[]").unwrap_err().to_string().starts_with("mine.json:1:1: "));
    assert!(read("{}").unwrap_err().to_string().contains("`models` holds nothing"));
    assert!(read("{\"models\": {}}").unwrap_err().to_string().contains("`models` holds an object"));
    assert!(
        read("{\"models\": [], \"rows\": []}")
            .unwrap_err()
            .to_string()
            .contains("`rows` holds a key that is not known")
    );
    assert!(read("{\"models\": [1]}").unwrap_err().to_string().contains("models[0]: `models` holds a number"));
    assert_eq!(read("{\"models\": []}").unwrap(), Catalog::default());
}

#[test]
fn every_field_is_checked() {
    for (from, to, field) in [
        ("\"lab\"", "\"La/b\"", "provider"),
        ("\"lab\"", "7", "provider"),
        ("tests/one", "tests one", "model"),
        ("\"canonical-model\": \"one\"", "\"canonical-model\": \"\"", "canonical-model"),
        ("\"family\": \"one\"", "\"family\": \"One\"", "family"),
        ("openai-chat-completions", "", "protocol"),
        ("\"protocol\": \"openai-chat-completions\",", "", "protocol"),
        ("none-needed", "none", "auth-views[1]"),
        ("none-needed", "api-key", "auth-views[1]"),
        ("[\"api-key\", \"none-needed\"]", "[]", "auth-views"),
        ("[\"api-key\", \"none-needed\"]", "\"api-key\"", "auth-views"),
        ("32768", "0", "context-window"),
        ("32768", "1.5", "context-window"),
        ("32768", "4294967296", "context-window"),
        ("\"image\"", "\"smell\"", "capabilities.modalities[1]"),
        ("\"image\"", "\"text\"", "capabilities.modalities[1]"),
        ("\"text\", \"image\"", "", "capabilities.modalities"),
        ("\"exposed\"", "true", "capabilities.readable-reasoning"),
        ("\"readable-reasoning\": \"exposed\",", "", "capabilities.readable-reasoning"),
        ("\"lab-state\"", "null", "capabilities.opaque-reasoning[0]"),
        ("\"web_search\"", "\"Web\"", "capabilities.server-tools[0]"),
        ("\"server-tools\"", "\"tools\"", "capabilities.tools"),
        ("2026-12-01", "2026-12-32", "facts[0].date"),
        ("\"made up\"", "\"\"", "facts[0].what"),
        ("\"source\": \"this test\"", "\"where\": \"x\"", "facts[0].where"),
        ("\"facts\": [{", "\"facts\": [1, {", "facts[0]"),
        ("\"facts\"", "\"cost\"", "cost"),
    ] {
        let error = changed(from, to);
        let CatalogError::Field(fault) = &error else { panic!("{error}") };
        assert_eq!((fault.field.as_str(), fault.row.as_ref().unwrap().index), (field, 0), "{error}");
        assert!(fault.line >= Some(2), "{error}");
    }
}

#[test]
fn what_should_be_an_object_is_named_as_what_it_is() {
    let at = ROW.find("{\"modalities\"").unwrap();
    let error = read(&format!("{{\"models\": [{}7}}]}}", &ROW[..at])).unwrap_err();
    assert!(error.to_string().ends_with("`capabilities` holds 7, where an object was expected"), "{error}");
}

#[test]
fn the_first_slash_ends_the_provider() {
    let catalog = Catalog::built_in();
    assert_eq!(catalog.get("openrouter/openai/gpt-oss-120b").unwrap().model, "openai/gpt-oss-120b");
    assert!(catalog.get("openrouter/openai").is_none() && catalog.get("").is_none() && catalog.get("/").is_none());
}

#[test]
fn families_are_sorted_and_stand_once() {
    assert_eq!(Catalog::built_in().families(), ["claude", "deepseek", "gemini", "gpt", "gpt-oss"]);
}

proptest! {
    #[test]
    fn the_order_of_rows_never_matters(mut rows in Just(Catalog::built_in().rows().to_vec()).prop_shuffle()) {
        let catalog = Catalog::from_rows("rows", rows.clone()).unwrap();
        prop_assert_eq!(&catalog, &Catalog::built_in());
        for row in rows.drain(..) {
            prop_assert_eq!(catalog.get(&row.tag()), Some(&row));
        }
    }

    #[test]
    fn no_document_panics(text in "[\\[\\]{}:,\"a-z0-9 -]{0,60}") {
        let _ = read(&text);
    }
}
