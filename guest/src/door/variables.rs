//! The child's environment: made anew from what the brand lists, with nothing inherited beside it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::checks::{Found, Subject, found};
use super::{Home, Variable};
use crate::brand::{ChildValue, Profile};
use crate::environment::{self, ROUTER_OWNED, Standing, TRAFFIC_OPT_OUT_VARIABLES};
use crate::explain::Sheet;
use crate::reading::join;
use crate::settings::is_secret_name;

/// A variable of the person's that the program does not get.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Withheld {
    /// Its name.
    pub name: String,
    /// Why: `not-listed`, `owned` (only the door sets it) or `closed` (no session gets it).
    pub reason: String,
}

/// Variables that no session gets, whoever asks, and why.
const CLOSED: [(&str, &str); 1] = [(
    "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD",
    "with it, `--add-dir` reads a project's own instructions past the run home (Claude Code 2.1.250, measured)",
)];

fn is_closed(name: &str) -> bool {
    CLOSED.iter().any(|(closed, _)| name.eq_ignore_ascii_case(closed))
}

/// Whether the brand's sessions get that variable of the person's without being asked for it: a name, or the beginning
/// of one before a `*`; a person's own opt-outs of traffic too, where the door does not set them.
fn is_listed(name: &str, brand: &Profile) -> bool {
    TRAFFIC_OPT_OUT_VARIABLES.contains(&name)
        || brand.inherited_variables.iter().any(|listed| match listed.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == listed,
        })
}

fn is_execution(name: &str, brand: &Profile) -> bool {
    let standing = environment::classify(name, brand).map(|row| row.standing);
    matches!(standing, Some(Standing::Refused(class)) if class.id == environment::EXECUTION.id)
}

/// Whether the door sets it.
fn is_owned(name: &str, subject: &Subject<'_>) -> bool {
    let brand = &subject.request.brand;
    let standing = environment::classify(name, brand).map(|row| row.standing);
    standing == Some(Standing::Refused(&ROUTER_OWNED))
        || brand.child_variables.iter().any(|owned| owned.name == name)
        || (!subject.request.allow_remote_configuration && TRAFFIC_OPT_OUT_VARIABLES.contains(&name))
}

/// Whether the child gets it with a value of the door's.
fn is_set(name: &str, subject: &Subject<'_>) -> bool {
    subject.request.brand.child_variables.iter().any(|set| set.name == name)
        || TRAFFIC_OPT_OUT_VARIABLES.contains(&name)
}

/// Each name that the caller sets or asks for, with where.
fn asked<'a>(subject: &'a Subject<'_>) -> impl Iterator<Item = (String, &'a str)> {
    let request = subject.request;
    let set = subject.options.variables.iter().map(|one| (format!("options.env.{}", one.name), one.name.as_str()));
    let admitted = request.admitted.iter().map(|name| ("admitted".to_owned(), name.as_str()));
    let reviewed = request.reviewed.iter().map(|name| ("reviewed".to_owned(), name.as_str()));
    set.chain(admitted).chain(reviewed)
}

/// A variable that the door sets, or that it closes.
pub(super) fn owned(subject: &Subject<'_>) -> Option<Found> {
    asked(subject).find_map(|(field, name)| {
        if let Some((_, why)) = CLOSED.iter().find(|(closed, _)| name.eq_ignore_ascii_case(closed)) {
            return Some(found(field, format!("{name} reaches no session: {why}")));
        }
        is_owned(name, subject).then(|| found(field, format!("{name} is set by the door")))
    })
}

/// A variable that the child would get and that switches hooks off, whatever its value: a program may read any as yes.
pub(super) fn without_hooks(subject: &Subject<'_>) -> Option<Found> {
    let request = subject.request;
    let inherited = request.environment.iter().filter(|one| is_listed(&one.name, &request.brand));
    let inherited = inherited.map(|one| ("environment".to_owned(), one.name.as_str()));
    asked(subject).chain(inherited).find_map(|(field, name)| {
        let (_, why) = environment::WITHOUT_HOOKS.iter().find(|(switch, _)| name.eq_ignore_ascii_case(switch))?;
        Some(found(field, format!("{name} switches off every hook, and containment with them: {why}")))
    })
}

pub(super) fn switches_sheet() -> Sheet {
    let rows = environment::WITHOUT_HOOKS.iter().map(|(name, why)| vec![(*name).to_owned(), (*why).to_owned()]);
    Sheet::new("Variables that a session with containment may not have", &["name", "why"], rows)
}

/// A name that a program cannot hold, or a value.
pub(super) fn bad(subject: &Subject<'_>) -> Option<Found> {
    let bad_name = |name: &str| name.is_empty() || name.contains(['=', '\0']);
    if let Some((field, name)) = asked(subject).find(|(_, name)| bad_name(name)) {
        return Some(found(field, format!("`{}` is no name of a variable", name.escape_debug())));
    }
    let listed = |one: &&Variable| is_listed(&one.name, &subject.request.brand);
    if let Some(one) = subject.request.environment.iter().filter(listed).find(|one| bad_name(&one.name)) {
        return Some(found("environment", format!("`{}` is no name of a variable", one.name.escape_debug())));
    }
    let set = subject.options.variables.iter().chain(&subject.request.environment);
    let bad = set.into_iter().find(|one| one.value.contains('\0'))?;
    Some(found("environment", format!("the value of {} holds a NUL", bad.name.escape_debug())))
}

/// A variable that needs a review, asked for without one.
pub(super) fn unreviewed(subject: &Subject<'_>) -> Option<Found> {
    let request = subject.request;
    let (field, name) = asked(subject).find(|(_, name)| {
        !request.reviewed.iter().any(|reviewed| reviewed == name)
            && !is_listed(name, &request.brand)
            && (is_secret_name(name) || is_execution(name, &request.brand))
    })?;
    let why =
        if is_execution(name, &request.brand) { "makes programs run other code" } else { "looks like a credential" };
    Some(found(field, format!("{name} {why}, and was not named as reviewed")))
}

/// The child's whole environment by name, and what of the person's it lacks.
pub(super) fn child(subject: &Subject<'_>) -> (Vec<Variable>, Vec<Withheld>) {
    let request = subject.request;
    let mut child = BTreeMap::<&str, String>::new();
    let mut withheld = Vec::new();
    for Variable { name, value } in &request.environment {
        if is_owned(name, subject) {
            if !is_set(name, subject) {
                withheld.push(Withheld { name: name.clone(), reason: "owned".to_owned() });
            }
            continue;
        }
        let asked = request.admitted.iter().chain(&request.reviewed).any(|asked| asked == name);
        let closed = is_closed(name);
        if !closed && (asked || is_listed(name, &request.brand)) {
            // Of two with one name, programs see the first.
            child.entry(name).or_insert_with(|| value.clone());
        } else {
            let reason = if closed { "closed" } else { "not-listed" };
            withheld.push(Withheld { name: name.clone(), reason: reason.to_owned() });
        }
    }
    for Variable { name, value } in &subject.options.variables {
        child.insert(name, value.clone());
    }
    if let Some(home) = &request.home {
        for owned in &request.brand.child_variables {
            child.insert(&owned.name, value(&owned.value, home));
        }
    }
    if !request.allow_remote_configuration {
        for name in TRAFFIC_OPT_OUT_VARIABLES {
            child.insert(name, "1".to_owned());
        }
    }
    crate::order::sort(&mut withheld);
    withheld.dedup();
    let child = child.into_iter().map(|(name, value)| Variable { name: name.to_owned(), value });
    (child.collect(), withheld)
}

fn value(value: &ChildValue, home: &Home) -> String {
    match value {
        ChildValue::RunFolder => home.dir.clone(),
        ChildValue::SharedHome => home.shared_home.clone(),
        ChildValue::Plugins => join(&home.shared_home, "plugins"),
        ChildValue::Text(text) => text.clone(),
    }
}

pub(super) fn sheet() -> Sheet {
    let mut rows = Vec::new();
    for brand in Profile::built_in() {
        for owned in &brand.child_variables {
            let value = match &owned.value {
                ChildValue::RunFolder => "the run folder",
                ChildValue::SharedHome => "the shared home",
                ChildValue::Plugins => "the shared home's plugins",
                ChildValue::Text(text) => text,
            };
            rows.push(vec![brand.name.clone(), owned.name.clone(), format!("set to {value}")]);
        }
        for listed in &brand.inherited_variables {
            rows.push(vec![brand.name.clone(), listed.clone(), "the person's own".to_owned()]);
        }
    }
    for name in TRAFFIC_OPT_OUT_VARIABLES {
        rows.push(vec![
            "any".to_owned(),
            (*name).to_owned(),
            "set to 1; the person's own where remote configuration is allowed".to_owned(),
        ]);
    }
    for (name, why) in CLOSED {
        rows.push(vec!["any".to_owned(), name.to_owned(), format!("never given: {why}")]);
    }
    Sheet::new("What a session's environment holds, and nothing else", &["brand", "variable", "value"], rows)
}
