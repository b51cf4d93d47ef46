//! Reading as admitted: a path is resolved by policy, step by step, and read only while it is what was looked at.
//!
//! Nothing is followed by the host. A link is data: its target is walked from the handle of the folder that it must
//! stay in, at most [`MAX_HOPS`] of them.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use crate::ports::{Entry, FilesError, Folder, IoError, IoKind, Kind};
use crate::report::{LinkFault, SkipReason};

/// How many links one path may go through.
pub const MAX_HOPS: usize = 8;

/// How many steps one path may take, those of the links on its way among them.
pub const MAX_STEPS: u64 = 4096;

/// What stands at the end of a path.
pub enum Found<F> {
    /// A file or a folder, and whether a link was on the way.
    Entry(Located<F>),
    /// Nothing of that name, perhaps in a folder that a link led to.
    Nothing,
}

/// A thing in a folder.
pub struct Located<F> {
    /// The folder that holds it.
    pub folder: F,
    /// What was seen.
    pub entry: Entry,
    /// A link was on the way.
    pub linked: bool,
}

/// Why a path leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResolveError {
    /// A link that may not be followed.
    Link {
        /// The link, absolute.
        path: String,
        /// Its target, as it is written.
        target: String,
        /// Why.
        fault: LinkFault,
        /// Where it would lead, absolute, if that could be told.
        leads_to: Option<String>,
    },
    /// The host did not answer.
    Files {
        /// What was asked for, absolute.
        path: String,
        /// The answer.
        error: FilesError,
    },
}

/// Resolves `path` (components joined by `/`) from `start`; links may lead anywhere beneath one of `roots`.
///
/// `start` itself is always one of the roots. Nothing outside is looked at: a link that leaves is an error, not a
/// different answer.
///
/// # Errors
/// [`ResolveError`]: a link that leaves, dangles or loops, or a host that refuses.
pub fn resolve<F: Folder + Clone>(start: &F, path: &str, roots: &[F]) -> Result<Found<F>, ResolveError> {
    resolve_within(start, path, roots, &mut MAX_STEPS.clone())
}

/// The same while `left` steps, of many paths together, allow it: a few links with long targets make very many.
///
/// # Errors
/// As [`resolve`].
pub fn resolve_within<F: Folder + Clone>(
    start: &F,
    path: &str,
    roots: &[F],
    left: &mut u64,
) -> Result<Found<F>, ResolveError> {
    let before = (*left).min(MAX_STEPS);
    let mut mine = before;
    let found = walked(start, path, roots, &mut mine);
    *left -= before - mine;
    found
}

fn walked<F: Folder + Clone>(start: &F, path: &str, roots: &[F], left: &mut u64) -> Result<Found<F>, ResolveError> {
    let mut steps: VecDeque<String> = components(path).map(str::to_owned).collect();
    let mut walk = Walk { start, roots, stack: vec![start.clone()], links: Vec::new() };
    while let Some(step) = steps.pop_front() {
        let Some(rest) = left.checked_sub(1) else {
            let text = "it takes more steps than are left for such paths".to_owned();
            return Err(walk.refused(&step, FilesError::Io(IoError { kind: IoKind::Exhausted, text })));
        };
        *left = rest;
        if step == ".." {
            walk.up(&mut steps)?;
            continue;
        }
        let here = walk.here();
        let Some(entry) = here.stat(&step).map_err(|error| walk.refused(&step, error))? else {
            return match walk.on_the_way(steps.len()) {
                Some(on) => Err(link(&on.path, &on.target, LinkFault::Dangling, None)),
                None => Ok(Found::Nothing),
            };
        };
        match entry.kind {
            Kind::Link => {
                let target = here.read_link(&step).map_err(|error| walk.refused(&step, error))?;
                walk.follow(&step, &target, &mut steps)?;
            }
            Kind::Directory if !steps.is_empty() => {
                let next = here.open_folder(&step).map_err(|error| walk.refused(&step, error))?;
                walk.stack.push(next);
            }
            _ if steps.is_empty() => {
                return Ok(Found::Entry(Located { folder: here, entry, linked: !walk.links.is_empty() }));
            }
            _ => return Err(walk.refused(&step, FilesError::NotAFolder)),
        }
    }
    // The path ends on `.`, `..` or a link to a folder that is itself a root: no entry to read.
    Err(walk.refused(".", FilesError::NotRegular))
}

/// The components of a path that mean something.
pub fn components(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty() && *part != ".")
}

/// `path` relative to `root`, when it is beneath it or the same; both absolute and without `..`.
///
/// ```
/// use winter_policy::reading::beneath;
/// assert_eq!(beneath("/a/b/c", "/a"), Some("b/c"));
/// assert_eq!(beneath("/ab", "/a"), None);
/// assert_eq!(beneath("/a", "/"), Some("a"));
/// ```
pub fn beneath<'a>(path: &'a str, root: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(root.trim_end_matches('/'))?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('/').map(|rest| rest.trim_matches('/')) }
}

/// `folder` and `name`, joined.
pub fn join(folder: &str, name: &str) -> String {
    format!("{}/{name}", folder.trim_end_matches('/'))
}

struct Walk<'a, F> {
    start: &'a F,
    roots: &'a [F],
    stack: Vec<F>,
    links: Vec<Hop>,
}

/// One link that was taken.
struct Hop {
    path: String,
    target: String,
    /// How many steps were left to take behind it.
    behind: usize,
}

impl<F: Folder + Clone> Walk<'_, F> {
    fn here(&self) -> F {
        self.stack.last().unwrap_or(self.start).clone()
    }

    fn up(&mut self, steps: &mut VecDeque<String>) -> Result<(), ResolveError> {
        if self.stack.len() > 1 {
            self.stack.pop();
            return Ok(());
        }
        // Above this root: what is named there may be beneath another one, or beneath this one again.
        let here = self.here().path();
        let mut above: Vec<String> = components(&here).map(str::to_owned).collect();
        above.pop();
        while steps.front().is_some_and(|step| step == "..") {
            steps.pop_front();
            above.pop();
        }
        for step in above.into_iter().rev() {
            steps.push_front(step);
        }
        self.jump(steps)
    }

    /// Takes one hop: puts the link's target before the steps that are left.
    fn follow(&mut self, name: &str, target: &str, steps: &mut VecDeque<String>) -> Result<(), ResolveError> {
        let path = join(&self.here().path(), name);
        if self.links.len() == MAX_HOPS {
            return Err(link(&path, target, LinkFault::Loop, None));
        }
        self.links.push(Hop { path, target: target.to_owned(), behind: steps.len() });
        let parts: Vec<&str> = components(target).collect();
        for part in parts.into_iter().rev() {
            steps.push_front(part.to_owned());
        }
        if target.starts_with('/') { self.jump(steps) } else { Ok(()) }
    }

    /// Starts over at the root that the steps, read from the file system's root, lie beneath.
    fn jump(&mut self, steps: &mut VecDeque<String>) -> Result<(), ResolveError> {
        for root in std::iter::once(self.start).chain(self.roots) {
            let path = root.path();
            let depth = components(&path).count();
            if components(&path).eq(steps.iter().take(depth).map(String::as_str)) {
                steps.drain(..depth);
                self.stack = vec![root.clone()];
                return Ok(());
            }
        }
        let (path, target) = self.links.last().map_or(("", ""), |hop| (&hop.path, &hop.target));
        let leads_to = steps.iter().fold(String::new(), |path, step| format!("{path}/{step}"));
        Err(link(path, target, LinkFault::OutsideRoot, Some(leads_to)))
    }

    /// The innermost link whose target is still being walked, when `left` steps are left behind the present one.
    fn on_the_way(&self, left: usize) -> Option<&Hop> {
        self.links.iter().rev().find(|hop| hop.behind <= left)
    }

    fn refused(&self, name: &str, error: FilesError) -> ResolveError {
        ResolveError::Files { path: join(&self.here().path(), name), error }
    }
}

fn link(path: &str, target: &str, fault: LinkFault, leads_to: Option<String>) -> ResolveError {
    ResolveError::Link { path: path.to_owned(), target: target.to_owned(), fault, leads_to }
}

/// How a report names a host's refusal.
pub fn skip_reason(error: &FilesError) -> SkipReason {
    match error {
        FilesError::Changed => SkipReason::Changed,
        FilesError::Linked | FilesError::NotRegular | FilesError::NotAFolder => SkipReason::NotRegular,
        FilesError::TooLarge(_) => SkipReason::TooLarge,
        FilesError::BadName | FilesError::Denied(_) | FilesError::Io(_) => SkipReason::Unreadable,
    }
}
