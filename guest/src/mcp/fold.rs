//! The fold itself: each server is judged alone, then beside those of its own side, then a repository's beside a person's.

use std::collections::HashMap;

use super::entry::{self, Cut, Transport};
use super::names::{self, Names, Prefixes};
use super::reasons::{
    ACTS, AMBIGUOUS_NAME, DISABLED, DUPLICATE_NORMALISED, INVALID, OVERRIDDEN, READS_ENVIRONMENT, RESERVED_NAME, Row,
};
use super::shown::{action, one_line};
use super::source::{self, Offer};
use super::{DroppedServer, Folded, McpError, Options, RemovedMember, Scope, Server, Source};
use crate::settings::document::{Member, Value, get};

/// One server on its way.
struct Candidate {
    name: String,
    routes: Vec<String>,
    scope: Scope,
    /// Which file, in order.
    file: usize,
    line: u32,
    value: Value,
    cuts: Vec<Cut>,
    verdict: Option<Verdict>,
}

/// Why a server is dropped.
struct Verdict {
    row: &'static Row,
    detail: String,
    /// The public program starts it nevertheless, where it finds it.
    starts: bool,
}

impl Verdict {
    fn of(row: &'static Row, detail: impl Into<String>) -> Self {
        Self { row, detail: detail.into(), starts: true }
    }

    /// The public program, too, leaves it out by itself.
    fn by_the_program(row: &'static Row, detail: impl Into<String>) -> Self {
        Self { starts: false, ..Self::of(row, detail) }
    }
}

/// Which servers a session starts with; files are taken in the order of their scopes.
///
/// Each server is in `servers` or, once, in `dropped`. The project's is given only where its root is trusted.
///
/// # Errors
/// A person's own file that is not one JSON object.
///
/// ```
/// use winter_policy::{brand::Profile, mcp::*};
/// let global = Source { scope: Scope::User, path: ".winter.json", text: br#"{"mcpServers":{"mine":{"command":"m"}}}"# };
/// let project = Source { scope: Scope::Project, path: ".mcp.json", text: br#"{"mcpServers":{"its":{"command":"sh"}}}"# };
/// let options = Options { brand: &Profile::winter(), project_key: "/src/it", disabled: &[], rejected: &[],
///     reserved: &[], may_act: false };
/// let folded = fold(&[global, project], &options).unwrap();
/// assert_eq!(folded.servers[0].name, "mine");
/// assert_eq!((folded.dropped[0].reason, folded.dropped[0].detail.as_str()), ("acts", "sh"));
/// ```
pub fn fold(sources: &[Source<'_>], options: &Options<'_>) -> Result<Folded, McpError> {
    let mut files: Vec<&Source<'_>> = sources.iter().collect();
    crate::order::sort_by_key(&mut files, |file| file.scope);
    let mut folded = Folded::default();
    let (mut own_disabled, mut own_rejected, mut candidates) = (Vec::new(), Vec::new(), Vec::new());
    for (place, file) in files.iter().enumerate() {
        let Offer { servers, disabled, rejected, skipped, notices } = source::read(file, options)?;
        own_disabled.extend(disabled);
        own_rejected.extend(rejected);
        folded.skipped.extend(skipped);
        folded.notices.extend(notices);
        candidates.extend(servers.into_iter().map(|Member { key, line, value }| Candidate {
            routes: names::routes(&key),
            name: key,
            scope: file.scope,
            file: place,
            line,
            value,
            cuts: Vec::new(),
            verdict: None,
        }));
    }
    let (host, own) = (texts(options.disabled), texts(&own_disabled));
    let rejected = [texts(options.rejected), texts(&own_rejected)].concat();
    let reserved = texts(options.reserved);
    let judge = Judge {
        options,
        host_disabled: Names::of(host.iter().copied()),
        own_disabled: Names::of(own.iter().copied()),
        rejected: Names::of(rejected.iter().copied()),
        reserved: Names::of(reserved.iter().copied()),
    };
    for candidate in &mut candidates {
        candidate.verdict = judge.alone(candidate).err();
    }
    within_files(&mut candidates);
    let person = side(&mut candidates, &files, |scope| scope != Scope::Project);
    side(&mut candidates, &files, |scope| scope == Scope::Project);
    beside_person(&mut candidates, &files, &person, &judge.reserved);
    collect(candidates, &files, &mut folded);
    Ok(folded)
}

struct Judge<'a> {
    options: &'a Options<'a>,
    host_disabled: Names<'a>,
    own_disabled: Names<'a>,
    rejected: Names<'a>,
    reserved: Names<'a>,
}

impl Judge<'_> {
    /// What can be said of a server without looking at the others; what a repository may not have is taken out of it.
    fn alone(&self, server: &mut Candidate) -> Result<(), Verdict> {
        let repository = server.scope == Scope::Project;
        self.name(server, repository)?;
        let transport = entry::transport(&server.value, repository, self.options.brand)
            .map_err(|fault| Verdict::by_the_program(&INVALID, fault))?;
        if !repository {
            return Ok(());
        }
        if !self.options.may_act {
            return Err(Verdict::of(&ACTS, action(&server.value, transport)));
        }
        reads(&server.value, transport)?;
        server.cuts = entry::cut(&mut server.value, transport);
        Ok(())
    }

    fn name(&self, server: &Candidate, repository: bool) -> Result<(), Verdict> {
        let Candidate { name, routes, .. } = server;
        // The program disables by the exact name, and rejects a repository's as spelt (Claude Code 2.1.250, measured).
        let disabled = |names: &Names<'_>| names.has(name) || (repository && names.has_spelt(routes));
        if self.own_disabled.has(name) {
            return Err(Verdict::by_the_program(&DISABLED, "the person disabled it for this project"));
        }
        if disabled(&self.host_disabled) {
            return Err(Verdict::of(&DISABLED, "the host disabled it"));
        }
        if disabled(&self.own_disabled) || (repository && disabled(&self.rejected)) {
            return Err(Verdict::of(&DISABLED, "the person disabled this name"));
        }
        if self.reserved.has_spelt(routes) {
            return Err(Verdict::of(
                &RESERVED_NAME,
                format!("the host has a server whose tools are called `{}`", routes[0]),
            ));
        }
        if let Some(kept) = names::kept_by_runtime(name, self.options.brand) {
            return Err(Verdict::by_the_program(&RESERVED_NAME, format!("the runtime keeps `{kept}` for itself")));
        }
        if name.is_empty() {
            return Err(Verdict::of(&INVALID, "its name is empty"));
        }
        if name.chars().any(char::is_control) {
            return Err(Verdict::of(&INVALID, format!("its name holds control characters: `{}`", one_line(name))));
        }
        Ok(())
    }
}

/// Whether a repository's server would be given the person's variables.
fn reads(value: &Value, transport: Transport) -> Result<(), Verdict> {
    let variables = entry::variables(value);
    let helper = match value {
        Value::Object(members) if transport == Transport::Remote => get(members, "headersHelper").is_some(),
        _ => false,
    };
    let mut parts = Vec::new();
    if !variables.is_empty() {
        parts.push(variables.join(", "));
    }
    if helper {
        parts.push("every variable of the session, through `headersHelper`".to_owned());
    }
    if parts.is_empty() { Ok(()) } else { Err(Verdict::of(&READS_ENVIRONMENT, parts.join("; "))) }
}

/// Of two spellings in one file the later goes: neither was meant to replace the other, and the program lets the first
/// have the tools (Claude Code 2.1.250, measured).
fn within_files(candidates: &mut [Candidate]) {
    let mut taken: HashMap<(usize, String), usize> = HashMap::new();
    for at in 0..candidates.len() {
        if candidates[at].verdict.is_some() {
            continue;
        }
        let (file, routes) = (candidates[at].file, candidates[at].routes.clone());
        let other = routes.iter().find_map(|route| taken.get(&(file, route.clone())).copied());
        if let Some(other) = other {
            candidates[at].verdict = Some(duplicate(&candidates[other], &candidates[at]));
        } else {
            taken.extend(routes.into_iter().map(|route| ((file, route), at)));
        }
    }
}

/// Folds the files of one side; the later wins. Gives who has which spelling in the end.
fn side(
    candidates: &mut [Candidate],
    files: &[&Source<'_>],
    belongs: impl Fn(Scope) -> bool,
) -> HashMap<String, usize> {
    let mut taken: HashMap<String, usize> = HashMap::new();
    for at in 0..candidates.len() {
        if candidates[at].verdict.is_some() || !belongs(candidates[at].scope) {
            continue;
        }
        for route in candidates[at].routes.clone() {
            if let Some(earlier) = taken.get(&route).copied().filter(|earlier| *earlier != at) {
                let verdict = if candidates[earlier].name == candidates[at].name {
                    overridden(&candidates[at], files)
                } else {
                    duplicate(&candidates[at], &candidates[earlier])
                };
                for route in candidates[earlier].routes.clone() {
                    taken.remove(&route);
                }
                candidates[earlier].verdict = Some(verdict);
            }
            taken.insert(route, at);
        }
    }
    taken
}

/// Puts a repository's servers beside those of the person and of the host.
fn beside_person(
    candidates: &mut [Candidate],
    files: &[&Source<'_>],
    person: &HashMap<String, usize>,
    reserved: &Names<'_>,
) {
    let mut prefixes = Prefixes::default();
    person.keys().chain(reserved.spelt()).for_each(|route| prefixes.add(route));
    for at in 0..candidates.len() {
        if candidates[at].verdict.is_some() || candidates[at].scope != Scope::Project {
            continue;
        }
        let server = &candidates[at];
        let beside: Vec<usize> = server.routes.iter().filter_map(|route| person.get(route).copied()).collect();
        let verdict = if let Some(other) = beside.iter().find(|other| candidates[**other].name != server.name) {
            Some(duplicate(&candidates[*other], server))
        } else if let Some(route) = server.routes.iter().find(|route| names::is_ambiguous(route)) {
            Some(Verdict::of(&AMBIGUOUS_NAME, format!("the tools of `{route}` have a second reading")))
        } else {
            let other = server.routes.iter().find_map(|route| prefixes.longer_than(route));
            other.map(|other| Verdict::of(&AMBIGUOUS_NAME, format!("its tools could be called as those of `{other}`")))
        };
        if verdict.is_some() {
            candidates[at].verdict = verdict;
        } else if let Some(&same) = beside.first() {
            let (loser, winner) = if candidates[same].scope > Scope::Project { (at, same) } else { (same, at) };
            candidates[loser].verdict = Some(overridden(&candidates[winner], files));
        }
    }
}

fn duplicate(kept: &Candidate, gone: &Candidate) -> Verdict {
    let detail = format!("`{}` and `{}` have the same tools' names", one_line(&gone.name), one_line(&kept.name));
    Verdict::of(&DUPLICATE_NORMALISED, detail)
}

/// The program, too, lets a server that it is handed replace one of the same name (Claude Code 2.1.250, measured).
fn overridden(by: &Candidate, files: &[&Source<'_>]) -> Verdict {
    let whose = match by.scope {
        Scope::User => "the person's",
        Scope::Project => "the repository's",
        Scope::Local => "the person's for this project",
    };
    let path = files.get(by.file).map_or("", |file| file.path);
    Verdict::by_the_program(&OVERRIDDEN, format!("{whose} counts, {}:{}", one_line(path), by.line))
}

fn texts(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

fn collect(candidates: Vec<Candidate>, files: &[&Source<'_>], folded: &mut Folded) {
    for Candidate { name, scope, file, line, value, cuts, verdict, .. } in candidates {
        let source = files.get(file).map_or_else(String::new, |file| file.path.to_owned());
        if let Some(Verdict { row, detail, starts }) = verdict {
            folded.user_dropped |= scope == Scope::User && starts;
            folded.dropped.push(DroppedServer { scope, source, line, name, reason: row.id, detail });
            continue;
        }
        folded.removed.extend(cuts.into_iter().map(|Cut { path, line, why }| RemovedMember {
            source: source.clone(),
            line,
            server: name.clone(),
            member: path,
            why,
        }));
        folded.servers.push(Server { name, scope, source, line, config: value.into_json() });
    }
    crate::order::sort(&mut folded.dropped);
    crate::order::sort(&mut folded.removed);
    crate::order::sort(&mut folded.skipped);
    crate::order::sort(&mut folded.notices);
}
