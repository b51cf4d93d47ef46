//! Deny both ways: a path deny as a rule on the real path too, and in the sandbox's own lists.
//!
//! A rule on a link does not catch the real path, and an escaped rule does not reach the sandbox, which a command in a
//! shell walks around the rules with (Claude Code 2.1.250, measured). What cannot be said there is remarked, never
//! left out silently.

use std::collections::{BTreeMap, BTreeSet};

use super::spelling::shown_rule;
use super::{Options, TierFile};
use crate::escape::{
    self, PATH_TOOLS, RuleAnchor, RuleTarget, SandboxList, SandboxSpelling, fs_root_anchored, parse_rule, rule_path,
    rule_target, sandbox_path,
};
use crate::report::{Notice, NoticeKind};
use crate::tier::Tier;

/// Where the places stand that a composition's denies name. It is the host's to tell, since deciding reads nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DenyPlaces {
    /// The person's home, absolute: what `~/` means.
    pub home: Option<String>,
    /// The working folder, absolute: what a bare path is relative to.
    pub cwd: Option<String>,
    /// What stands at each of the [`literal_paths`](super::literal_paths).
    pub known: Vec<KnownPath>,
}

/// What the host found at one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownPath {
    /// The path, as [`literal_paths`](super::literal_paths) gave it.
    pub path: String,
    /// What stands there, links followed.
    pub stands: Stands,
    /// The same place without a link on the way, where that is another path and could be found; absent places have
    /// one too, below a link.
    pub real: Option<String>,
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stands {
    /// A file, a folder or anything else.
    Present,
    /// Nothing of that name; another case of it is another name.
    Absent,
    /// A link that leads to nothing.
    Dangling,
    /// Links that lead to themselves.
    Loop,
    /// The system did not let the host look.
    Unreadable,
}

/// One deny that stays, and whose word it is; none for a rule that protects what decides about the session.
pub(super) struct Deny<'a> {
    /// As it is written into the composed document.
    pub(super) rule: String,
    /// The rule as its author wrote it, its file and its line.
    pub(super) author: Option<(String, &'a TierFile<'a>, u32)>,
}

/// What is to be added to the composed document.
#[derive(Default)]
pub(super) struct Mirrored {
    pub(super) deny: Vec<String>,
    pub(super) deny_read: Vec<String>,
    pub(super) deny_write: Vec<String>,
    pub(super) notices: Vec<Notice>,
}

/// The absolute paths, without repetition, that the host has to look at for these denies.
pub(super) fn paths(denies: &[Deny<'_>], options: &Options<'_>, places: &DenyPlaces) -> Vec<String> {
    let spelling = options.brand.rule_spelling;
    let paths = denies.iter().filter_map(|deny| place(&rule_target(&deny.rule, spelling)?, places).ok());
    paths.filter(|path| path != "/").collect::<BTreeSet<_>>().into_iter().collect()
}

/// Writes each path deny both ways, as far as the brand's lists can say it.
pub(super) fn mirror(denies: &[Deny<'_>], options: &Options<'_>, places: &DenyPlaces) -> Mirrored {
    let mut known: BTreeMap<&str, (Stands, Option<&str>)> = BTreeMap::new();
    for one in &places.known {
        let real = one.real.as_deref().filter(|real| real.starts_with('/') && *real != one.path);
        known.insert(&one.path, (one.stands, real));
    }
    for one in &places.known {
        // The real path is as well known as the one that led to it.
        if let Some(real) = &one.real {
            known.entry(real).or_insert((one.stands, None));
        }
    }
    let mut mirror = Mirror { options, places, known, out: Mirrored::default() };
    let mut seen = BTreeSet::new();
    for deny in denies {
        if seen.insert(deny.rule.as_str()) {
            mirror.deny(deny);
        }
    }
    mirror.out
}

struct Mirror<'a> {
    options: &'a Options<'a>,
    places: &'a DenyPlaces,
    known: BTreeMap<&'a str, (Stands, Option<&'a str>)>,
    out: Mirrored,
}

impl Mirror<'_> {
    fn deny(&mut self, deny: &Deny<'_>) {
        let spelling = self.options.brand.rule_spelling;
        let Some(target) = rule_target(&deny.rule, spelling) else {
            if is_path_rule(&deny.rule) && escape::inert(&deny.rule, spelling).is_none() {
                self.outside(deny, "where its path starts cannot be told");
            }
            return;
        };
        let list = match target.tool {
            "Read" => SandboxList::DenyRead,
            "Edit" => SandboxList::DenyWrite,
            // The rules of the other tools are not consulted, which is remarked where they are read.
            _ => return,
        };
        let path = match place(&target, self.places) {
            Ok(path) => path,
            Err(unknown) => return self.outside(deny, unknown),
        };
        let known = if path == "/" { Some((Stands::Present, None)) } else { self.known.get(path.as_str()).copied() };
        if let Some((_, Some(real))) = known
            && (!target.literal.is_empty() || target.anchor != RuleAnchor::AnyDepth)
        {
            let rest = if target.rest.is_empty() { String::new() } else { format!("/{}", target.rest) };
            let path = fs_root_anchored(&rule_path(real, spelling));
            self.out.deny.push(format!("{}({path}{rest})", target.tool));
        }
        if known.is_some_and(|(stands, _)| stands == Stands::Absent) && slipped(deny) {
            let text = format!(
                "{} never matches: one slash is relative to the settings file, where nothing of that name stands; with `//` it would start at the file system's root",
                shown(deny)
            );
            self.notice(deny, NoticeKind::InertRule, text);
        }
        if !target.is_whole() {
            return self.outside(deny, "the sandbox's lists name places, not patterns");
        }
        if path == "/" {
            return self.outside(deny, "without the whole file system no command runs");
        }
        let Some((stands, real)) = known else {
            return self.outside(deny, &format!("what stands at {path} was not told"));
        };
        let named = self.entries(deny, list, &path, stands, real);
        if named && target.anchor == RuleAnchor::AnyDepth && !target.literal.is_empty() {
            self.outside(deny, &format!("the sandbox's list has {path} alone, and not the same name below"));
        }
    }

    /// Names the place in the sandbox's list, by the path through links and the real one, as the brand's lists take
    /// them; whether it could.
    fn entries(&mut self, deny: &Deny<'_>, list: SandboxList, path: &str, stands: Stands, real: Option<&str>) -> bool {
        let grammar = self.options.brand.sandbox_grammar;
        let why = match (stands, list) {
            (Stands::Loop, _) => "its links lead to themselves",
            // The sandbox puts a file there while a command runs, which stays behind when the program is killed.
            (Stands::Absent, SandboxList::DenyWrite) => {
                "nothing of that name (case counts) stands there yet, and an entry would put a file there"
            }
            (Stands::Dangling, _) => "it is a link that leads to nothing; the list has the link alone",
            (Stands::Unreadable, _) => "it cannot be looked at; the list has the path as it is written",
            _ => "",
        };
        if !why.is_empty() {
            self.outside(deny, &format!("{path}: {why}"));
        }
        if stands == Stands::Loop || (stands == Stands::Absent && list == SandboxList::DenyWrite) {
            return false;
        }
        let lexical = real.is_none() || escape::names_links(grammar);
        let mut named = true;
        for spot in lexical.then_some(path).into_iter().chain(real) {
            let why = match sandbox_path(spot, list, grammar) {
                SandboxSpelling::Exact(entry) | SandboxSpelling::Wider(entry) => {
                    if escape::loses_globs(grammar, &entry) {
                        let why = "a pattern in the list, which is passed over where a link leads to itself";
                        self.outside(deny, &format!("{spot}: {why}"));
                    }
                    let entries = match list {
                        SandboxList::DenyRead => &mut self.out.deny_read,
                        _ => &mut self.out.deny_write,
                    };
                    entries.push(entry);
                    continue;
                }
                SandboxSpelling::ExactPathOnly(_) => "the list would name it without what is in it".to_owned(),
                SandboxSpelling::Inexpressible(why) => why.to_string(),
            };
            named = false;
            self.outside(deny, &format!("{spot}: {why}"));
        }
        named
    }

    fn outside(&mut self, deny: &Deny<'_>, why: &str) {
        let text = format!("{} holds for the tools, and not for what a command does by itself: {why}", shown(deny));
        self.notice(deny, NoticeKind::NotInSandbox, text);
    }

    /// The rules that protect the session's own controls are remarked by whoever made them.
    fn notice(&mut self, deny: &Deny<'_>, kind: NoticeKind, text: String) {
        if let Some((_, file, line)) = &deny.author {
            self.out.notices.push(Notice { kind, path: file.source.to_owned(), line: Some(*line), text });
        }
    }
}

/// Where the literal part of a rule is, from the root.
fn place(target: &RuleTarget<'_>, places: &DenyPlaces) -> Result<String, &'static str> {
    let absolute = |path: &Option<String>| path.clone().filter(|path| path.starts_with('/'));
    let base = match target.anchor {
        RuleAnchor::Root => Some(String::new()),
        RuleAnchor::Home => absolute(&places.home),
        RuleAnchor::Cwd | RuleAnchor::AnyDepth => absolute(&places.cwd),
    };
    let base = base.ok_or(match target.anchor {
        RuleAnchor::Home => "where your home is was not told",
        _ => "where the session works was not told",
    })?;
    let base = base.trim_end_matches('/');
    Ok(match target.literal.as_str() {
        "" if base.is_empty() => "/".to_owned(),
        "" => base.to_owned(),
        literal => format!("{base}/{literal}"),
    })
}

/// Whether a rule is about paths, and not about all that its tool does.
pub(super) fn is_path_rule(rule: &str) -> bool {
    parse_rule(rule).is_ok_and(|rule| PATH_TOOLS.contains(&rule.tool) && !matches!(rule.content, None | Some("*")))
}

/// A person's own rule with one slash: what looks like a path from the root is one below the shared home.
fn slipped(deny: &Deny<'_>) -> bool {
    deny.author.as_ref().is_some_and(|(rule, file, _)| {
        let content = parse_rule(rule).ok().and_then(|rule| rule.content);
        file.tier == Tier::User && content.is_some_and(|content| content.starts_with('/') && !content.starts_with("//"))
    })
}

fn shown(deny: &Deny<'_>) -> String {
    shown_rule(deny.author.as_ref().map_or(deny.rule.as_str(), |(rule, ..)| rule.as_str()))
}
