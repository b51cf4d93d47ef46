//! The rules that keep a session from changing what decides about the next one.

use super::{SandboxList, SandboxSpelling, fs_root_anchored, rule_path, sandbox_glob_path, sandbox_path};
use crate::brand::{Profile, SandboxGrammar};

/// The folders of a configuration folder whose items become part of a session.
pub const ITEM_FOLDERS: &[&str] = &["skills", "agents", "commands", "rules", "output-styles"];

/// What the runtimes' own tools write into a config folder when the model tells them to: plans, and the memory of agents and
/// of projects (Claude Code 2.1.250, measured). A deny on a whole run folder would take these tools away.
const WRITTEN_BY_TOOLS: [&str; 3] = ["agent-memory", "plans", "projects"];

/// Where the protected things stand. Each place is a list of its spellings, the path through links and the real one,
/// since a rule on a link does not catch the real path (Claude Code 2.1.250, measured).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProtectedPlaces<'a> {
    /// Winter's own folder, which holds the ledger and the run folders.
    pub winter_home: &'a [String],
    /// The person's configuration folder.
    pub shared_home: &'a [String],
    /// The global file, where it may stand outside the shared home, as Claude Code's `~/.claude.json`.
    pub global_file: &'a [String],
    /// The root of the repository, if it is trusted; else empty.
    pub trusted_root: &'a [String],
}

/// What [`protected_path_rules`] answers; nothing twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protected {
    /// For `permissions.ask`.
    pub ask: Vec<String>,
    /// For `permissions.deny`.
    pub deny: Vec<String>,
    /// For `sandbox.filesystem.denyWrite`, spelt for it: the same places, as far as the list can name them.
    pub deny_write: Vec<String>,
    /// The places, as literal paths, that only a rule protects.
    pub not_in_sandbox: Vec<String>,
}

/// A place inside one of the [`ProtectedPlaces`], and whether it is a folder.
struct Place {
    below: String,
    folder: bool,
}

/// The rules that ask before a session edits what becomes part of later sessions, and deny it winter's own controls.
///
/// Asked: the shared home's [`ITEM_FOLDERS`] and instructions file; under a trusted root, the project's item folders at
/// any depth, and its settings and servers, which need not stand yet (CVE-2026-25725). Denied, so that no session approves
/// itself: the ledger, the run folders but for what the runtime's own tools write there, the shared settings file and the
/// global file. In the brand's spelling, for every spelling of a place. A place that is not an absolute path is passed
/// over. Where the sandbox list knows globs, item folders at any depth are in it; else those at the root.
///
/// Source: the contract; that such rules fire at any depth: Claude Code 2.1.250, measured.
///
/// ```
/// use winter_policy::{brand::Profile, escape::{ProtectedPlaces, protected_path_rules}};
/// let places = ProtectedPlaces {
///     shared_home: &["/h/[x]".into()],
///     trusted_root: &["/r".into()],
///     ..ProtectedPlaces::default()
/// };
/// let rules = protected_path_rules(places, &Profile::winter());
/// assert_eq!(rules.ask[0], r"Edit(//h/\\[x\\]/skills/**)");
/// assert!(rules.ask.contains(&"Edit(//r/**/.winter/agents/**)".to_owned()));
/// assert!(rules.deny.contains(&r"Edit(//h/\\[x\\]/settings.json)".to_owned()));
/// assert_eq!(rules.deny_write[0], "/h/[[]x]/skills");
/// ```
pub fn protected_path_rules(places: ProtectedPlaces<'_>, brand: &Profile) -> Protected {
    let folder = |below: &str| Place { below: format!("/{below}"), folder: true };
    let file = |below: &str| Place { below: format!("/{below}"), folder: false };
    let itself = Place { below: String::new(), folder: false };

    let items = ITEM_FOLDERS.iter().map(|kind| folder(kind)).chain([file(&brand.instructions_file)]);
    let winter = [file("trust.json")];
    let shared = [file("settings.json"), file(&brand.global_config_file)];

    let mut out = Protected::default();
    for place in items {
        for home in absolute(places.shared_home) {
            add(&mut out.ask, edit(&home, &place, brand));
            sandbox(&mut out, format!("{home}{}", place.below), brand);
        }
    }
    for root in absolute(places.trusted_root) {
        for kind in ITEM_FOLDERS {
            item_folders_below(&mut out, &root, kind, brand);
        }
        // Not there yet is no excuse: what a session puts there acts in the next one.
        for below in ["settings.json", "settings.local.json"].map(|name| format!("{}/{name}", brand.project_dir)) {
            let place = file(&below);
            add(&mut out.ask, edit(&root, &place, brand));
            sandbox(&mut out, format!("{root}{}", place.below), brand);
        }
        let servers = file(".mcp.json");
        add(&mut out.ask, edit(&root, &servers, brand));
        sandbox(&mut out, format!("{root}{}", servers.below), brand);
    }
    for (homes, denied) in
        [(places.winter_home, &winter[..]), (places.shared_home, &shared), (places.global_file, &[itself])]
    {
        for place in denied {
            for home in absolute(homes) {
                add(&mut out.deny, edit(&home, place, brand));
                sandbox(&mut out, format!("{home}{}", place.below), brand);
            }
        }
    }
    for home in absolute(places.winter_home) {
        let runs = fs_root_anchored(&rule_path(&format!("{home}/cache/runs"), brand.rule_spelling));
        for below in closed_in_runs(brand) {
            add(&mut out.deny, format!("Edit({runs}/*/{below})"));
        }
        sandbox(&mut out, format!("{home}/cache/runs"), brand);
    }
    out
}

/// Names that begin like none of the [`WRITTEN_BY_TOOLS`], in either case. A negated class would say it as well, but Claude Code
/// 2.1.250 does not read one (measured).
const OTHER_NAMES: &str = "[._0-9B-OQ-Zb-oq-z]*";

/// Globs below a run folder of all that no tool is to write: [`OTHER_NAMES`], names that are known and begin like one of the
/// [`WRITTEN_BY_TOOLS`], and transcripts.
fn closed_in_runs(brand: &Profile) -> impl Iterator<Item = &str> {
    let begins = |name: &&str| WRITTEN_BY_TOOLS.iter().any(|open| open.as_bytes().first() == name.as_bytes().first());
    let folders = brand.persistent_folders.iter().chain(&brand.linked_entries).map(String::as_str);
    let known = ITEM_FOLDERS.iter().copied().chain(folders).filter(begins);
    let closed = known.filter(|name| !WRITTEN_BY_TOOLS.contains(name));
    std::iter::once(OTHER_NAMES).chain(closed).chain(["projects/**/*.jsonl"])
}

fn item_folders_below(out: &mut Protected, root: &str, kind: &str, brand: &Profile) {
    let below = format!("{}/{kind}", brand.project_dir);
    let spelt = |path: &str| rule_path(path, brand.rule_spelling);
    add(&mut out.ask, format!("Edit({}/**/{}/**)", fs_root_anchored(&spelt(root)), spelt(&below)));
    match brand.sandbox_grammar {
        SandboxGrammar::Contract => {
            // A glob may mean the path alone, so what is in the folder is named, too.
            let entry = format!("{}/**/{}", sandbox_glob_path(root), sandbox_glob_path(&below));
            add(&mut out.deny_write, format!("{entry}/**"));
            add(&mut out.deny_write, entry);
        }
        SandboxGrammar::WritesLiteral => sandbox(out, format!("{root}/{below}"), brand),
    }
}

fn edit(home: &str, place: &Place, brand: &Profile) -> String {
    let path = rule_path(&format!("{home}{}", place.below), brand.rule_spelling);
    format!("Edit({}{})", fs_root_anchored(&path), if place.folder { "/**" } else { "" })
}

fn sandbox(out: &mut Protected, path: String, brand: &Profile) {
    match sandbox_path(&path, SandboxList::DenyWrite, brand.sandbox_grammar) {
        SandboxSpelling::Exact(entry) | SandboxSpelling::Wider(entry) => add(&mut out.deny_write, entry),
        SandboxSpelling::ExactPathOnly(_) | SandboxSpelling::Inexpressible(_) => add(&mut out.not_in_sandbox, path),
    }
}

fn absolute(spellings: &[String]) -> impl Iterator<Item = String> {
    spellings.iter().filter_map(|path| super::anchor::plain_anchor(path))
}

fn add(list: &mut Vec<String>, rule: String) {
    if !list.contains(&rule) {
        list.push(rule);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::test;

    fn all(brand: &Profile, home: &[&str], shared: &[&str], root: &[&str]) -> Protected {
        let own = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
        let (winter_home, shared_home, trusted_root) = (own(home), own(shared), own(root));
        let places = ProtectedPlaces {
            winter_home: &winter_home,
            shared_home: &shared_home,
            global_file: &[],
            trusted_root: &trusted_root,
        };
        protected_path_rules(places, brand)
    }

    #[test]
    fn the_whole_list() {
        let rules = all(&Profile::winter(), &["/h"], &["/h/sdk"], &["/r"]);
        let mut ask: Vec<String> = ITEM_FOLDERS.iter().map(|kind| format!("Edit(//h/sdk/{kind}/**)")).collect();
        ask.push("Edit(//h/sdk/WINTER.md)".into());
        ask.extend(ITEM_FOLDERS.iter().map(|kind| format!("Edit(//r/**/.winter/{kind}/**)")));
        let files = [".winter/settings.json", ".winter/settings.local.json", ".mcp.json"];
        ask.extend(files.map(|file| format!("Edit(//r/{file})")));
        assert_eq!(rules.ask, ask);
        assert_eq!(
            rules.deny,
            [
                "Edit(//h/trust.json)",
                "Edit(//h/sdk/settings.json)",
                "Edit(//h/sdk/.winter.json)",
                "Edit(//h/cache/runs/*/[._0-9B-OQ-Zb-oq-z]*)",
                "Edit(//h/cache/runs/*/agents)",
                "Edit(//h/cache/runs/*/plugins)",
                "Edit(//h/cache/runs/*/projects/**/*.jsonl)",
            ]
        );
        assert!(rules.deny_write.contains(&"/r/**/.winter/skills".into()));
        assert!(rules.deny_write.contains(&"/r/**/.winter/skills/**".into()));
        assert!(rules.deny_write.contains(&"/h/cache/runs".into()));
        // The globs below the run folders are one entry there.
        assert_eq!(rules.deny_write.len(), rules.ask.len() + rules.deny.len() - 3 + ITEM_FOLDERS.len());
        assert_eq!(rules.not_in_sandbox, [""; 0]);
    }

    #[test]
    fn claude_has_its_own_names_and_spelling() {
        let rules = all(&Profile::claude(), &["/h"], &["/p/[x]/.claude"], &["/r (1)"]);
        assert!(rules.ask.contains(&r"Edit(//p/\\x5bx\\x5d/.claude/CLAUDE.md)".into()));
        assert!(rules.ask.contains(&r"Edit(//r\\x20\\x281\\x29/**/.claude/rules/**)".into()));
        assert!(rules.deny.contains(&r"Edit(//p/\\x5bx\\x5d/.claude/.claude.json)".into()));
        assert!(rules.deny_write.contains(&"/r (1)/.claude/rules".into()));
        assert!(rules.deny_write.contains(&"/h/trust.json".into()));
        assert!(rules.not_in_sandbox.contains(&"/p/[x]/.claude/settings.json".into()));
        assert!(!rules.deny_write.iter().any(|entry| entry.contains(['[', '*'])));
    }

    #[test]
    fn both_spellings_of_a_place_and_each_once() {
        let rules = all(&Profile::winter(), &["/h", "/real/h", "/h/"], &[], &[]);
        assert_eq!(rules.deny[..2], ["Edit(//h/trust.json)", "Edit(//real/h/trust.json)"]);
        assert_eq!(rules.deny[2], "Edit(//h/cache/runs/*/[._0-9B-OQ-Zb-oq-z]*)");
        assert_eq!(rules.deny[6], "Edit(//real/h/cache/runs/*/[._0-9B-OQ-Zb-oq-z]*)");
        assert_eq!(rules.deny.len(), 10);
        assert_eq!(rules.ask, [""; 0]);
    }

    /// As a gitignore matcher reads the globs: what acts is closed, what the runtime's own tools write is not.
    #[test]
    fn a_run_folder_is_closed_but_for_what_the_runtimes_own_tools_write() {
        for brand in Profile::built_in() {
            let closed = closed_in_runs(&brand);
            let mut matcher = ignore::gitignore::GitignoreBuilder::new("/run");
            for glob in closed {
                matcher.add_line(None, &format!("/{glob}")).unwrap();
            }
            let matcher = matcher.build().unwrap();
            let is_closed = |path: &str| matcher.matched_path_or_any_parents(format!("/run/{path}"), false).is_ignore();
            let of_brand = [&brand.global_config_file, &brand.instructions_file].map(String::as_str);
            let folders = brand.persistent_folders.iter().chain(&brand.linked_entries).map(String::as_str);
            let files = ["settings.json", "settings.local.json", "mcp.json", "manifest.json", ".mcp.json", "new", "0"];
            let all = ITEM_FOLDERS.iter().copied().chain(files).chain(of_brand).chain(folders);
            for name in all.filter(|name| !WRITTEN_BY_TOOLS.contains(name)) {
                assert!(is_closed(name) && is_closed(&format!("{name}/in/it")), "{name}");
            }
            assert!(is_closed("projects/-src-it/0198.jsonl") && is_closed("projects/-src-it/0198/subagents/a.jsonl"));
            for open in ["plans/a-plan.md", "agent-memory/mine/MEMORY.md", "projects/-src-it/memory/MEMORY.md"] {
                assert!(!is_closed(open), "{open}");
            }
        }
    }

    #[test]
    fn a_global_file_of_its_own_place() {
        let global = ["/p/.claude.json".to_owned()];
        let places = ProtectedPlaces { global_file: &global, ..ProtectedPlaces::default() };
        let rules = protected_path_rules(places, &Profile::claude());
        assert_eq!(rules.deny, ["Edit(//p/.claude.json)"]);
        assert_eq!(rules.deny_write, ["/p/.claude.json"]);
    }

    #[test]
    fn places_that_are_not_absolute_are_passed_over() {
        assert_eq!(all(&Profile::winter(), &["h", ""], &["./x"], &["~"]), Protected::default());
    }

    #[test]
    fn a_root_at_the_root() {
        let rules = all(&Profile::winter(), &["/"], &[], &["/"]);
        assert!(rules.ask.contains(&"Edit(//**/.winter/skills/**)".into()));
        assert!(rules.deny.contains(&"Edit(//trust.json)".into()));
    }
}
