//! The checks before a session starts, as a table in the order in which they are made.

use serde_json::{Map, Value};

use super::options::{self, Options};
use super::{Request, arguments, variables, version};
use crate::mcp::normalised;
use crate::run_home::Leg;

/// One check.
#[derive(Debug)]
pub struct Check {
    /// The stable code: the contract's own, or one of ours in kebab-case.
    pub id: &'static str,
    /// When it refuses, for a person.
    pub when: &'static str,
    /// What the caller could do.
    pub help: &'static str,
    /// Where the rule is from.
    pub source: &'static str,
    pub(super) find: fn(&Subject<'_>) -> Option<Found>,
}

impl PartialEq for Check {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Check {}

/// What a check found wrong.
pub(super) struct Found {
    pub(super) field: String,
    pub(super) message: String,
}

pub(super) fn found(field: impl Into<String>, message: impl Into<String>) -> Found {
    Found { field: field.into(), message: message.into() }
}

/// A request whose JSON was read.
pub(super) struct Subject<'a> {
    pub(super) request: &'a Request,
    pub(super) options: Options,
    pub(super) capability_servers: Map<String, Value>,
}

impl<'a> Subject<'a> {
    pub(super) fn of(request: &'a Request) -> Result<Self, Found> {
        let object = |field: &str, text: &str| match serde_json::from_str(text) {
            Ok(Value::Object(object)) => Ok(object),
            Ok(_) => Err(found(field, format!("{field} is no JSON object"))),
            Err(error) => Err(found(field, format!("{field} is no JSON: {error}"))),
        };
        let options = Options::of(object("options", &request.options)?)?;
        let capability_servers = object("capability-servers", &request.capability_servers)?;
        Ok(Self { request, options, capability_servers })
    }
}

const CONTRACT: &str = "the library's contract, checks of the door";

/// Options that cannot be read at all; before every other check.
pub(super) static BAD_OPTIONS: Check = Check {
    id: "bad-options",
    when: "the options, their `mcpServers` or the host's own are no JSON object, or `env` holds something else than texts",
    help: "give a JSON object; `{}` for none",
    source: "winter's own",
    find: |_| None,
};

/// Every check, in order.
pub static CHECKS: &[Check] = &[
    Check {
        id: "run_home_required",
        when: "the host wants no session without a run home, and gave none",
        help: "build a run home and pass it",
        source: CONTRACT,
        find: |subject| {
            (subject.request.require_run_home && subject.request.home.is_none())
                .then(|| found("home", "a run home is required, and none was given"))
        },
    },
    Check {
        id: "run_home_foreign",
        when: "the run home was not built by this builder, or is disposed of",
        help: "build a new run home with this builder",
        source: CONTRACT,
        find: |subject| {
            let home = subject.request.home.as_ref()?;
            if home.disposed {
                return Some(found("home", format!("the run home {} is disposed of", home.run_id)));
            }
            (!home.built_here).then(|| found("home", format!("the run home {} was not built here", home.run_id)))
        },
    },
    Check {
        id: "run_home_leg_mismatch",
        when: "the run home was built for another leg than `winter`",
        help: "build it for the leg `winter`",
        source: CONTRACT,
        find: |subject| {
            let home = subject.request.home.as_ref()?;
            (home.leg != Leg::Winter)
                .then(|| found("home.leg", format!("the run home {} is for a leg that is retired", home.run_id)))
        },
    },
    Check {
        id: "run_home_cwd_mismatch",
        when: "the run home was built for another working folder",
        help: "build a run home for this working folder",
        source: CONTRACT,
        find: |subject| {
            let home = subject.request.home.as_ref()?;
            differs("home.cwd", "the run home was built to work in", &home.cwd, &subject.request.cwd)
        },
    },
    Check {
        id: "run_home_brand_mismatch",
        when: "the run home was built for another brand",
        help: "build a run home for this brand",
        source: CONTRACT,
        find: |subject| {
            let home = subject.request.home.as_ref()?;
            differs("home.brand", "the run home was built for the brand", &home.brand, &subject.request.brand.name)
        },
    },
    Check {
        id: "run_home_store_mismatch",
        when: "the run home was built from another shared home",
        help: "build a run home from this shared home",
        source: CONTRACT,
        find: |subject| {
            let home = subject.request.home.as_ref()?;
            differs("home.shared-home", "the run home was built from", &home.shared_home, &subject.request.store)
        },
    },
    Check {
        id: "run_home_option_refused",
        when: "an option or an argument sets what the run home decides",
        help: "leave it out: it comes from the run home",
        source: CONTRACT,
        find: |subject| {
            subject.request.home.as_ref()?;
            options::decided(&subject.options).or_else(|| arguments::decided(subject.request))
        },
    },
    Check {
        id: "router_owned_variable",
        when: "the caller sets, or asks for, a variable that the door sets or closes",
        help: "leave it out: the door sets it for each session",
        source: CONTRACT,
        find: variables::owned,
    },
    Check {
        id: "setting_sources_refused",
        when: "an option or an argument asks for other setting sources than `user`",
        help: "leave it out, or ask for `user` alone: the run home holds what may be read of a project",
        source: "the library's contract; Claude Code 2.1.250, measured: with other sources a repository runs code",
        find: |subject| options::sources(&subject.options).or_else(|| arguments::sources(subject.request)),
    },
    Check {
        id: "runtime_launch_input",
        when: "`runtime.selection` names `claude-agent`",
        help: "select again: that runtime is retired",
        source: CONTRACT,
        find: |subject| options::selection(&subject.options),
    },
    Check {
        id: "argument-refused",
        when: "an argument takes the session out of its working folder, or lets it outlive its program",
        help: "leave it out; for another working folder start winter there",
        source: "Claude Code 2.1.250, its `--help`: the run home is made for one folder and ends with its program",
        find: |subject| arguments::refused(subject.request),
    },
    Check {
        id: "containment-switched-off",
        when: "the run home holds the hook of containment, and an argument or a variable switches hooks off",
        help: "leave it out, or build the run home without containment",
        source: "Claude Code 2.1.250, its `--help`: both modes skip hooks",
        find: |subject| {
            let contained = subject.request.home.as_ref().is_some_and(|home| home.contained);
            contained
                .then(|| arguments::without_hooks(subject.request).or_else(|| variables::without_hooks(subject)))?
        },
    },
    Check {
        id: "server-name-taken",
        when: "an MCP server of the host, or of the options, has the name of another one or of one in the run home",
        help: "rename one of them",
        source: "the library's contract; names compare as in their tools' names, Claude Code 2.1.250, measured",
        find: server_name_taken,
    },
    Check {
        id: "no-home-variable",
        when: "the environment that the child's is made from has no `HOME`",
        help: "set HOME",
        source: CONTRACT,
        find: |subject| {
            let given = subject.request.environment.iter().any(|one| one.name == "HOME" && !one.value.is_empty());
            (!given).then(|| found("environment", "the environment has no HOME"))
        },
    },
    Check {
        id: "bad-variable",
        when: "a variable that would be given has no name that a program can hold, or a NUL in its value",
        help: "leave it out",
        source: "POSIX.1, environ",
        find: variables::bad,
    },
    Check {
        id: "unreviewed-variable",
        when: "a variable that looks like a credential, or makes programs run other code, is asked for without review",
        help: "look at its value, then name it as reviewed: --review-env NAME",
        source: "the library's contract; `winter explain env`",
        find: variables::unreviewed,
    },
    Check {
        id: "runtime-version",
        when: "the program's version is unknown, or is none that the brand supports",
        help: "install a supported version, or declare the version that it behaves like",
        source: "the tables of a brand are measured on the versions that it names",
        find: version::unsupported,
    },
];

fn differs(field: &str, sentence: &str, built: &str, asked: &str) -> Option<Found> {
    (built != asked).then(|| found(field, format!("{sentence} {built}, and the session is for {asked}")))
}

fn server_name_taken(subject: &Subject<'_>) -> Option<Found> {
    let home = subject.request.home.iter().flat_map(|home| &home.servers);
    let mut taken: Vec<(String, &str, &str)> =
        home.map(|name| (normalised(name), name.as_str(), "the run home")).collect();
    let options = subject.options.servers.keys().map(|name| ("options.mcpServers", "the options", name));
    let host = subject.capability_servers.keys().map(|name| ("capability-servers", "the host", name));
    for (field, whose, name) in options.chain(host) {
        let own = normalised(name);
        if let Some((_, other, of)) = taken.iter().find(|(taken, ..)| *taken == own) {
            let message = format!("the MCP server `{name}` of {whose} and `{other}` of {of} share their tools' names");
            return Some(found(format!("{field}.{name}"), message));
        }
        taken.push((own, name, whose));
    }
    None
}
