//! The shapes of values with a structure of their own, as Claude Code 2.1.250 reads them (measured, with the types that
//! its package publishes). For a value of another shape the program drops the whole settings file.

use super::Shape::{
    self, Any, Bool, Choice, Either, Items, Lenient, List, Map, Number, Positive, Record, Text, Url, Whole,
};

/// A field that must be there.
const fn need(name: &'static str, shape: Shape) -> (&'static str, Shape, bool) {
    (name, shape, true)
}

/// A field that may be there.
const fn may(name: &'static str, shape: Shape) -> (&'static str, Shape, bool) {
    (name, shape, false)
}

/// A list of strings.
pub(in crate::settings) const TEXTS: Shape = List(&Text);

pub(super) const DISABLE: Shape = Choice(&["disable"]);
pub(super) const DAYS: Shape = Whole(1);
pub(super) const DAYS_OR_NONE: Shape = Whole(0);
pub(super) const COMMAND: Shape = Record(&[need("type", Choice(&["command"])), need("command", Text)]);
pub(super) const STATUS_LINE: Shape = Record(&[
    need("type", Choice(&["command"])),
    need("command", Text),
    may("padding", Number),
    may("refreshInterval", Number),
    may("hideVimModeIndicator", Bool),
]);
pub(super) const RIPGREP: Shape = Record(&[need("command", Text), may("args", TEXTS)]);
pub(super) const AUTO_MODE: Shape = Record(&[
    may("allow", TEXTS),
    may("soft_deny", TEXTS),
    may("hard_deny", TEXTS),
    may("environment", TEXTS),
    may("classifyAllShell", Bool),
]);
pub(super) const ENVIRONMENT: Shape = Map(&Any);
pub(super) const PLUGINS: Shape = Map(&Either(&[Bool, TEXTS]));
const PLUGIN_OPTIONS: Shape = Map(&Either(&[Text, Number, Bool, TEXTS]));
pub(super) const PLUGIN_CONFIGS: Shape =
    Map(&Record(&[may("options", PLUGIN_OPTIONS), may("mcpServers", Map(&PLUGIN_OPTIONS))]));
pub(super) const MERGED: Shape = Choice(&["first-wins", "merge"]);
pub(super) const SKILLS: Shape = Map(&Choice(&["on", "name-only", "user-invocable-only", "off"]));
pub(super) const SPINNER_VERBS: Shape = Record(&[need("mode", Choice(&["append", "replace"])), need("verbs", TEXTS)]);
const MASK: Shape = Choice(&["deny", "mask"]);
pub(super) const MASKED_FILES: Shape = List(&Record(&[need("path", Text), need("mode", MASK)]));
pub(super) const MASKED_VARIABLES: Shape = List(&Record(&[need("name", Text), need("mode", MASK)]));
pub(super) const AWS_PAIRS: Shape =
    List(&Record(&[need("accessKeyIdVar", Text), need("secretAccessKeyVar", Text), may("sessionTokenVar", Text)]));
const SIGNED: Shape = Choice(&["deny", "passthrough"]);
pub(super) const SIGV4: Shape = Record(&[may("streaming", SIGNED), may("presigned", SIGNED), may("sigv4a", SIGNED)]);
pub(super) const TLS_TERMINATE: Shape = Record(&[may("caCertPath", Text), may("caKeyPath", Text)]);
pub(super) const SSH_CONFIGS: Shape = List(&Record(&[
    need("id", Text),
    need("name", Text),
    need("sshHost", Text),
    may("sshPort", Number),
    may("sshIdentityFile", Text),
    may("startDirectory", Text),
]));
pub(super) const CHANNEL_PLUGINS: Shape = List(&Record(&[need("marketplace", Text), need("plugin", Text)]));
pub(super) const VOICE: Shape =
    Record(&[may("enabled", Bool), may("mode", Choice(&["hold", "tap"])), may("autoSubmit", Bool)]);

const fn source(kind: &'static [&'static str]) -> (&'static str, Shape, bool) {
    need("source", Choice(kind))
}

/// Where a marketplace comes from.
const MARKETPLACE_SOURCE: Shape = Either(&[
    Record(&[source(&["url"]), need("url", Text), may("headers", Map(&Text)), may("headersHelper", Text)]),
    Record(&[source(&["github"]), need("repo", Text), may("ref", Text), may("path", Text)]),
    Record(&[source(&["git"]), need("url", Text), may("ref", Text), may("path", Text)]),
    Record(&[source(&["npm"]), need("package", Text)]),
    Record(&[source(&["file", "directory"]), need("path", Text)]),
    Record(&[source(&["skills-dir"])]),
    Record(&[source(&["hostPattern"]), need("hostPattern", Text)]),
    Record(&[source(&["pathPattern"]), need("pathPattern", Text)]),
    Record(&[source(&["settings"]), need("name", Text), need("plugins", Items)]),
]);
pub(super) const MARKETPLACE_SOURCES: Shape = List(&MARKETPLACE_SOURCE);
/// Nothing of a marketplace costs the file but one that comes from a kind of source that the program does not know.
pub(super) const MARKETPLACES: Shape =
    Lenient(&Map(&Lenient(&Record(&[may("source", Lenient(&Record(&[MARKETPLACE_KIND])))]))));
const MARKETPLACE_KIND: (&str, Shape, bool) = may(
    "source",
    Lenient(&Choice(&[
        "url",
        "github",
        "git",
        "npm",
        "file",
        "directory",
        "skills-dir",
        "hostPattern",
        "pathPattern",
        "settings",
    ])),
);

/// One hook, by its type.
const HOOK: Shape = Either(&[
    Record(&[
        need("type", Choice(&["command"])),
        need("command", Text),
        may("args", TEXTS),
        may("if", Text),
        may("shell", Choice(&["bash", "powershell"])),
        may("timeout", Positive),
        may("statusMessage", Text),
        may("once", Bool),
        may("async", Bool),
        may("asyncRewake", Bool),
    ]),
    Record(&[
        need("type", Choice(&["prompt", "agent"])),
        need("prompt", Text),
        may("if", Text),
        may("timeout", Positive),
        may("model", Text),
        may("continueOnBlock", Bool),
        may("statusMessage", Text),
        may("once", Bool),
    ]),
    Record(&[
        need("type", Choice(&["http"])),
        need("url", Url),
        may("if", Text),
        may("timeout", Positive),
        may("headers", Map(&Text)),
        may("allowedEnvVars", TEXTS),
        may("statusMessage", Text),
        may("once", Bool),
    ]),
    Record(&[
        need("type", Choice(&["mcp_tool"])),
        need("server", Text),
        need("tool", Text),
        may("input", Map(&Any)),
        may("if", Text),
        may("timeout", Positive),
        may("statusMessage", Text),
        may("once", Bool),
    ]),
]);
/// Events by name, each a list of groups. What is no list is ignored; a list with one wrong hook costs the whole file. The
/// program looks away where it does not know the event's name, which a later version may: here every event counts.
pub(super) const HOOKS: Shape =
    Lenient(&Map(&Lenient(&List(&Record(&[may("matcher", Text), need("hooks", List(&HOOK))])))));
