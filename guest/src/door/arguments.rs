//! The program's arguments: what is added to them, and what a caller may not say.
//!
//! Every argument is looked at as if it were an option, also where the program would take it for another's value or
//! for a word after `--`: an option's value may be `--`, so only the program's own parser knows, and a refusal that
//! names the argument costs less than a session without protection.

use super::Request;
use super::checks::{Found, found};
use crate::brand::ArgumentGrammar;
use crate::explain::Sheet;

/// What is said of an option of the public program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// The run home decides it.
    Decided,
    /// It takes the session elsewhere, or lets it outlive its program.
    Refused,
    /// Only `user` is allowed.
    Sources,
    /// It switches hooks off, and with them containment.
    Hooks,
}

/// Options of the public program on which the door has a word, with their spellings (Claude Code 2.1.250, `--help` and
/// the options that it hides; it takes no option by its beginning).
const OPTIONS: [(&[&str], Verdict, &str); 14] = [
    (&["--setting-sources"], Verdict::Sources, "the door adds `--setting-sources=user`"),
    (&["--agents"], Verdict::Decided, "the agents of the run folder"),
    // The hidden one leaves out a plugin's servers, and its hooks run all the same (measured).
    (&["--plugin-dir", "--plugin-dir-no-mcp"], Verdict::Decided, "the person's own plugins stand in the shared home"),
    (&["--plugin-url"], Verdict::Decided, "the person's own plugins stand in the shared home"),
    // From a file of the repository its hooks would run again (measured).
    (&["--settings", "--managed-settings"], Verdict::Decided, "no settings stand above the composed ones"),
    (&["--worktree", "-w"], Verdict::Refused, "the session would work in a folder that the run home is not made for"),
    (&["--tmux"], Verdict::Refused, "the session would outlive its program"),
    (&["--bg", "--background"], Verdict::Refused, "the session would outlive its program"),
    (&["--cloud", "--remote"], Verdict::Refused, "the session would run elsewhere"),
    (
        &["--deep-link-cwd-b64"],
        Verdict::Refused,
        "the session would work in a folder that the run home is not made for",
    ),
    (&["--handle-uri"], Verdict::Refused, "the link would start a session of its own, without the run home"),
    (&["--bare"], Verdict::Hooks, "without hooks there is no containment"),
    (&["--safe-mode"], Verdict::Hooks, "without hooks there is no containment"),
    (&["--teleport"], Verdict::Refused, "the session would come from elsewhere, with a working folder of its own"),
];

/// Short options of it that take no value, so that another may follow in the same word.
const SHORT_SWITCHES: [char; 4] = ['c', 'h', 'p', 'v'];

/// One option that was found among the arguments, with the value that belongs to it, if there is one.
struct Given<'a> {
    at: usize,
    spelt: &'a str,
    value: Option<&'a str>,
    verdict: Verdict,
    why: &'static str,
}

fn given(request: &Request) -> impl Iterator<Item = Given<'_>> {
    let read = request.brand.argument_grammar == ArgumentGrammar::Claude;
    let arguments = if read { request.arguments.as_slice() } else { &[] };
    arguments.iter().enumerate().filter_map(move |(at, argument)| {
        let (spelt, joined) = match argument.split_once('=') {
            Some((spelt, value)) if spelt.starts_with("--") => (spelt, Some(value)),
            _ => (argument.as_str(), None),
        };
        let known = |name: &str| OPTIONS.iter().find(|(names, ..)| names.contains(&name));
        let (_, verdict, why) = known(spelt).or_else(|| short(argument).and_then(|name| known(&name)))?;
        let value = joined.or_else(|| arguments.get(at + 1).map(String::as_str));
        Some(Given { at, spelt, value, verdict: *verdict, why })
    })
}

/// The option that ends a word of short ones (`-pw`).
fn short(argument: &str) -> Option<String> {
    let letters = argument.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
    let last = letters.chars().find(|letter| !SHORT_SWITCHES.contains(letter))?;
    Some(format!("-{last}"))
}

fn first(request: &Request, verdict: Verdict) -> Option<Found> {
    let given = given(request).find(|given| given.verdict == verdict)?;
    let message = match verdict {
        Verdict::Decided => format!("{} is decided by the run home: {}", given.spelt, given.why),
        _ => format!("{} is refused: {}", given.spelt, given.why),
    };
    Some(found(format!("arguments[{}]", given.at), message))
}

/// An argument that sets what the run home decides.
pub(super) fn decided(request: &Request) -> Option<Found> {
    first(request, Verdict::Decided)
}

/// An argument that takes the session elsewhere.
pub(super) fn refused(request: &Request) -> Option<Found> {
    first(request, Verdict::Refused)
}

/// An argument that switches hooks off.
pub(super) fn without_hooks(request: &Request) -> Option<Found> {
    first(request, Verdict::Hooks)
}

/// An argument that asks for other setting sources than `user`.
pub(super) fn sources(request: &Request) -> Option<Found> {
    let other = |given: &Given<'_>| given.verdict == Verdict::Sources && given.value != Some("user");
    let given = given(request).find(other)?;
    let value = given.value.map_or_else(|| "nothing".to_owned(), |value| format!("`{}`", value.escape_debug()));
    let message = format!("{} asks for {value}, and only `user` is allowed", given.spelt);
    Some(found(format!("arguments[{}]", given.at), message))
}

/// The arguments that the program gets: what is added comes first, and joined to its option by `=`, so that neither an
/// option that takes a list nor `--` swallows it (Claude Code 2.1.250, measured).
pub(super) fn applied(request: &Request) -> Vec<String> {
    let mut arguments = Vec::new();
    if request.brand.argument_grammar == ArgumentGrammar::Claude {
        // Without a run home too: with its own default the program runs a repository's hooks (measured).
        arguments.push("--setting-sources=user".to_owned());
        let home = request.home.as_ref();
        if let Some((home, config)) = home.and_then(|home| home.mcp_config.as_ref().map(|config| (home, config))) {
            arguments.push(format!("--mcp-config={}/{}", home.dir, config.entry));
            if config.strict {
                arguments.push("--strict-mcp-config".to_owned());
            }
        }
    }
    arguments.extend(request.arguments.iter().cloned());
    arguments
}

pub(super) fn sheet() -> Sheet {
    let rows = OPTIONS.iter().map(|(names, verdict, why)| {
        let code = match verdict {
            Verdict::Decided => "run_home_option_refused",
            Verdict::Refused => "argument-refused",
            Verdict::Hooks => "containment-switched-off, with containment",
            Verdict::Sources => "setting_sources_refused, unless `user`",
        };
        vec![names.join(", "), code.to_owned(), (*why).to_owned()]
    });
    Sheet::new("Arguments of brand claude that are refused", &["argument", "code", "why"], rows)
}
