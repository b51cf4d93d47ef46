//! What a composition keeps and drops: [`rows`], a test for every row of the drop table; [`mirrored`], denies both ways; [`whole`], what holds for
//! whole files; [`properties`], what holds for all of them.

mod mirrored;
mod properties;
mod rows;
mod whole;

use super::*;
use crate::brand::Profile;
use crate::report::NoticeKind;

const ROOT: &str = "/src/it";
const HOME: &str = "/home/me/.winter/sdk";

fn file(tier: Tier, text: &str) -> TierFile<'_> {
    let (source, anchor) = match tier {
        Tier::User => ("user", HOME),
        Tier::Project => ("project", ROOT),
        Tier::Local => ("local", ROOT),
    };
    TierFile { tier, source, anchor, shipped: None, text: text.as_bytes() }
}

fn shipped(text: &str) -> TierFile<'_> {
    TierFile { shipped: Some(ShippedBecause::Index), ..file(Tier::Local, text) }
}

fn composed(files: &[TierFile<'_>], brand: &Profile, powers: Powers) -> Result<Effective, SettingsError> {
    let protection = Protection::default();
    compose(files, &Options { brand, powers, allow_inexpressible: false, protection: &protection })
}

fn with(files: &[TierFile<'_>], powers: Powers) -> Effective {
    composed(files, &Profile::claude(), powers).unwrap()
}

fn json(effective: &Effective) -> serde_json::Value {
    serde_json::from_str(&effective.json).unwrap()
}

/// The reasons for which one file's only setting is dropped; empty when it is kept, as it stands.
fn reasons(file: &TierFile<'_>, powers: Powers) -> Vec<String> {
    let effective = with(std::slice::from_ref(file), powers);
    let text = std::str::from_utf8(file.text).unwrap();
    let asked: serde_json::Value = serde_json::from_str(text).unwrap();
    if effective.dropped.is_empty() {
        assert_eq!(json(&effective), asked, "nothing was reported, so nothing may be missing");
    } else {
        assert_ne!(json(&effective), asked, "what is reported as dropped is gone");
    }
    effective.dropped.into_iter().map(|dropped| dropped.reason).collect()
}

/// Whose files of this text are dropped, as `user project local shipped`, with one reason.
fn dropped_from(text: &str, powers: Powers, reason: &str) -> String {
    let files = [file(Tier::User, text), file(Tier::Project, text), file(Tier::Local, text), shipped(text)];
    let names = ["user", "project", "local", "shipped"];
    let mut dropped = Vec::new();
    for (file, name) in files.into_iter().zip(names) {
        let reasons = reasons(&file, powers);
        assert!(reasons.iter().all(|one| one == reason), "{text} from {name}: {reasons:?}");
        if !reasons.is_empty() {
            dropped.push(name);
        }
    }
    dropped.join(" ")
}

const EVERYBODY: &str = "user project local shipped";
const REPOSITORY: &str = "project local shipped";
const UNTRUSTED: &str = "project shipped";

#[track_caller]
fn assert_dropped(id: &str, from: &str, powers: Powers, texts: &[&str]) {
    for text in texts {
        assert_eq!(dropped_from(text, powers, id), from, "{text}");
    }
}
