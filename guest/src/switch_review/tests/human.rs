use super::super::*;
use super::*;
use crate::testing::test;
use serde_json::json;

fn text(said: &[String]) -> String {
    said.join("\n")
}

#[test]
fn a_lossy_review() {
    let thinking = json!([{"type": "thinking", "thinking": "x".repeat(1_200), "signature": "abcd"}]);
    let image = json!([{"type": "image", "source": {"data": "AAAA"}}]);
    let rows =
        [user("u", "", image), part("a", "u", "m", thinking), part("b", "a", "m", "Hello."), user("v", "b", "x")];
    let review = raw(lines(&rows) + "{").review("zai/glm-5");
    let expected = "\
Switching from anthropic/claude-opus-5 to zai/glm-5 loses something; the conversation can go on.
In context: 3 messages, 7 characters, about 1,502 tokens.
Lost:
  reasoning-opaque: 1 reasoning block, 1,204 characters: encrypted or signed reasoning in context that the target's endpoint cannot read
  modality: 1 attachment (image), 4 characters: images, documents, audio or video in context that the target does not take
What would avoid it:
  reasoning-opaque: stay with a model whose endpoint reads this reasoning, or let the source write its conclusions down first
  modality: choose a target that takes this kind of input, or let the source describe it first
Odd in the transcript:
  torn-tail, once: the last line is not whole; passed over";
    assert_eq!(text(&summary(&review)), expected);
}

#[test]
fn the_other_verdicts() {
    let first = |scene: &Scene, target: &str| summary(&scene.review(target)).remove(0);
    let plain = scene(&[reply("a", "", "1")]);
    assert_eq!(first(&plain, "zai/glm-5"), "Switching from anthropic/claude-opus-5 to zai/glm-5 loses nothing.");
    assert_eq!(
        first(&plain, "anthropic/claude-sonnet-5"),
        "Switching from anthropic/claude-opus-5 to anthropic/claude-sonnet-5 needs no review: provider, protocol and \
         family stay the same."
    );
    assert_eq!(
        first(&scene(&[reply("a", "", call("t"))]), "zai/glm-5"),
        "Switching from anthropic/claude-opus-5 to zai/glm-5 is blocked as things stand."
    );
    let mut cut = scene(&[user("u", "", "x".repeat(1_000)), reply("a", "u", "1")]);
    cut.budget = 500;
    let said = summary(&cut.review("zai/glm-5"));
    assert_eq!(
        said[0],
        "Switching from anthropic/claude-opus-5 to zai/glm-5 loses nothing of what was read; not all of the context was."
    );
    assert_eq!(said[2], format!("The budget ended the reading: the last 500 of {} bytes were read.", "1,312"));
}

#[test]
fn a_tip() {
    let rows = [
        user("u", "", "1"),
        by(reply("a", "u", "2"), "claude-opus-5-20260301"),
        with(reply("e", "a", "API Error"), "isApiErrorMessage", true),
    ];
    let expected = "\
The live tip is a, by anthropic/claude-opus-5-20260301.
  e: the latest message of the session's own, from which no other follows
  e: passed over 1 reply that a failed request left
  a: the last real reply of the lineage
  the reply itself names anthropic/claude-opus-5-20260301
  anthropic/claude-opus-5-20260301 is not in the catalog; its family is claude
The lineage reaches 3 of 3 entries in the 547 bytes that were read.
Odd in the transcript:
  error-residue, once: what a failed request left in the lineage; passed over";
    assert_eq!(text(&tip_summary(&scene(&rows).tip())), expected);
}

#[test]
fn answers_are_kebab_case() {
    let scene = scene(&[reply("a", "", "1")]);
    let json = serde_json::to_value(scene.step("zai/glm-5", &scene.text)).unwrap();
    let answer = &json["answer"];
    assert_eq!(answer["severity"], json!("lossless"));
    assert_eq!(answer["tip"]["identity"]["standing"], json!("catalog"));
    assert_eq!(answer["extent"]["file-length"], json!(scene.text.len()));
    assert_eq!(answer["target"]["context-window"], json!(200_000));
}
