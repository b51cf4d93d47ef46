use super::super::*;
use super::*;
use crate::testing::test;
use serde_json::json;

#[test]
fn the_last_real_reply_of_the_lineage() {
    let rows =
        [user("u", "", "1"), reply("a", "u", "2"), user("v", "a", "3"), reply("b", "v", "4"), user("w", "b", "5")];
    let report = scene(&rows).tip();
    let entry = report.tip.entry.unwrap();
    assert_eq!((entry.uuid.as_str(), entry.model.as_deref()), ("b", Some(OPUS)));
    assert_eq!(entry.offset, rows[..3].iter().map(|row| row.to_string().len() as u64 + 1).sum::<u64>());
    assert_eq!((report.extent.reachable, report.extent.entries), (5, 5));
}

#[test]
fn a_rewound_branch_is_not_the_lineage() {
    let rows = [user("u", "", "1"), by(reply("a", "u", "2"), "x"), user("v", "a", "3"), reply("b", "u", "4")];
    let report = scene(&rows).tip();
    assert_eq!(report.tip.entry.unwrap().uuid, "b");
    assert_eq!((report.extent.reachable, report.extent.entries), (2, 4));
}

#[test]
fn error_residue_is_passed_over() {
    let rows = [
        user("u", "", "1"),
        reply("a", "u", "2"),
        user("v", "a", "3"),
        with(reply("e", "v", "API Error"), "isApiErrorMessage", true),
        by(reply("f", "e", "No response requested."), "<synthetic>"),
    ];
    let scene = scene(&rows);
    assert_eq!(scene.tip_uuid().as_deref(), Some("a"));
    assert!(scene.review("anthropic/claude-sonnet-5").skip);
    assert_eq!(scene.odd(OddityKind::ErrorResidue), 2);
    assert!(scene.tip().tip.reasons.iter().any(|reason| reason.kind == TipReasonKind::ErrorResidue));
    assert_eq!(scene.review("zai/glm-5").carried.messages, 3, "residue is never sent");
}

#[test]
fn the_sidecar_names_the_endpoint() {
    let scene = scene(&[reply("a", "", "1")]).with_sidecar(&[stamp("a", "bedrock", OPUS, "claude")]);
    let identity = scene.tip().tip.identity;
    assert_eq!(identity.source, IdentitySource::Sidecar);
    assert_eq!(identity.origin.name(), "bedrock/claude-opus-5");
    assert!(!scene.review("anthropic/claude-sonnet-5").skip, "the directory's record is stale");
    assert!(scene.review("bedrock/claude-opus-5").skip);
}

#[test]
fn the_sidecar_may_name_any_row_of_the_message() {
    let rows = [part("a", "", "m", "1"), part("b", "a", "m", "2")];
    let scene = scene(&rows).with_sidecar(&[json!("torn"), stamp("a", "openai", "gpt-6", "gpt")]);
    assert_eq!(scene.tip().tip.identity.origin.name(), "openai/gpt-6");
}

#[test]
fn the_entry_names_the_model_and_not_the_stale_record() {
    let mut scene = scene(&[by(reply("a", "", "1"), "claude-sonnet-5")]);
    scene.persisted.origin = Origin::from_tag("anthropic/claude-opus-5").unwrap();
    let identity = scene.tip().tip.identity;
    assert_eq!((identity.source, identity.standing), (IdentitySource::Entry, Standing::Catalog));
    assert_eq!(identity.origin.name(), "anthropic/claude-sonnet-5");
}

#[test]
fn the_record_counts_where_there_is_no_reply() {
    let scene = scene(&[user("u", "", "1")]);
    let tip = scene.tip().tip;
    assert_eq!((tip.entry, tip.identity.source), (None, IdentitySource::Persisted));
    assert!(scene.review("anthropic/claude-sonnet-5").skip);
}

#[test]
fn dated_snapshot_keeps_its_family() {
    let scene = scene(&[by(reply("a", "", "1"), "claude-opus-5-20260301")]);
    let identity = scene.tip().tip.identity;
    assert_eq!((identity.standing, identity.origin.family.as_deref()), (Standing::FamilyOnly, Some("claude")));
    assert_eq!(identity.origin.name(), "anthropic/claude-opus-5-20260301");
    assert!(identity.endpoint.is_none());
    assert!(scene.review("anthropic/claude-sonnet-5").skip, "the record's endpoint is of the same family");
    assert!(!scene.review("bedrock/claude-opus-5").skip);
}

#[test]
fn cloud_arn_keeps_its_family() {
    let mut scene = scene(&[by(reply("a", "", "1"), "us.anthropic.claude-opus-5-v1:0")]);
    scene.persisted.origin = Origin::from_tag("openai/gpt-6").unwrap();
    let identity = scene.tip().tip.identity;
    assert_eq!(identity.origin.family.as_deref(), Some("claude"));
    assert_eq!(identity.origin.provider, None, "the record is of another family, so it says nothing of this one");
    assert!(!scene.review("anthropic/claude-opus-5").skip);
}

#[test]
fn off_catalog_ids_fall_back_to_an_official_record() {
    let mut scene = scene(&[by(reply("a", "", "1"), "claude-opus-5-20260301")]);
    scene.persisted.runtime = Some("claude-agent".into());
    let identity = scene.tip().tip.identity;
    assert_eq!(identity.standing, Standing::OfficialRecord);
    assert_eq!(identity.origin.name(), "anthropic/claude-opus-5");
    assert!(scene.review("anthropic/claude-sonnet-5").skip);
}

#[test]
fn an_id_without_a_shape_is_unknown() {
    let scene = scene(&[by(reply("a", "", "1"), "mystery-1")]);
    let identity = scene.tip().tip.identity;
    assert_eq!((identity.standing, identity.origin.family.as_deref()), (Standing::Unknown, Some("unknown")));
    assert!(!scene.review("anthropic/claude-opus-5").skip);
}

#[test]
fn a_tag_in_the_entry_names_its_provider() {
    let scene = scene(&[by(reply("a", "", "1"), "bedrock/claude-opus-5")]);
    assert!(scene.review("bedrock/claude-opus-5").skip);
}

#[test]
fn sidechains_are_not_the_sessions_own() {
    let aside = with(by(reply("x", "u", "9"), "gpt-6"), "isSidechain", true);
    let scene = scene(&[user("u", "", "1"), reply("a", "u", "2"), aside]);
    assert_eq!(scene.tip_uuid().as_deref(), Some("a"));
    assert_eq!(scene.odd(OddityKind::Sidechain), 1);
    assert_eq!(scene.review("zai/glm-5").carried.messages, 2);
}

/// Hooks report progress in rows with parents of their own, which fork the chain.
#[test]
fn progress_rows_are_no_leaves() {
    let progress =
        |uuid: &str, parent: &str| json!({"type": "progress", "uuid": uuid, "parentUuid": parent, "data": {}});
    let rows = [
        user("u", "", "1"),
        progress("p", "u"),
        reply("a", "p", "2"),
        progress("q", "u"),
        json!({"type": "system", "subtype": "hook", "uuid": "h", "parentUuid": "q"}),
    ];
    let report = scene(&rows).tip();
    assert_eq!(report.tip.entry.unwrap().uuid, "a");
    assert_eq!((report.extent.reachable, report.extent.entries), (3, 5));
}
