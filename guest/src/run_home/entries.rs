//! The entries of a run folder while it is planned: no name twice, not even on a file system that folds case.

use std::collections::BTreeMap;

use super::{Admitted, Node, Planned};
use crate::names::fold;

/// What a file may be read by; a run folder is its person's alone.
pub(super) const FILE: u32 = 0o600;

/// The same for what may be run.
pub(super) const PROGRAM: u32 = 0o700;

/// How many bytes a name may have, on every file system.
const MAX_NAME: usize = 255;

/// What comes after the last dot of a name is kept at the end of a longer one, if it is no longer than this.
const MAX_END: usize = 16;

/// The paths at which a person's own items will stand, folded; a folder that can be taken apart has its spelling.
pub(super) type Standing = BTreeMap<String, Option<String>>;

/// The entries so far.
#[derive(Default)]
pub(super) struct Entries {
    planned: BTreeMap<String, Planned>,
    /// How each folded path is spelt.
    folded: BTreeMap<String, String>,
    /// For a folded path that was taken: the number to go on with.
    numbers: BTreeMap<String, u32>,
}

impl Entries {
    /// Adds one; the folders above it come with it.
    pub(super) fn put(&mut self, path: String, node: Node, mode: u32, source: String) {
        self.folders_above(&path);
        self.folded.insert(fold(&path), path.clone());
        self.planned.insert(path.clone(), Planned { path, node, mode, source });
    }

    /// A file that nobody else reads.
    pub(super) fn file(&mut self, path: String, content: Vec<u8>, source: String) {
        self.put(path, Node::Content(content), FILE, source);
    }

    /// A link.
    pub(super) fn link(&mut self, path: String, target: String, source: String) {
        self.put(path, Node::Link(target), 0o777, source);
    }

    /// A copy of an admitted file.
    pub(super) fn copy(&mut self, path: String, admitted: Admitted, mode: u32, source: String) {
        self.put(path, Node::Copy(admitted), mode, source);
    }

    /// Whether something stands at the path, or at one that differs in case alone.
    pub(super) fn holds(&self, path: &str) -> bool {
        self.folded.contains_key(&fold(path))
    }

    /// Whether something stands beneath the path, or beneath one that differs in case alone.
    pub(super) fn hold_below(&self, path: &str) -> bool {
        let below = format!("{}/", fold(path));
        self.folded.range(below.clone()..).next().is_some_and(|(path, _)| path.starts_with(&below))
    }

    /// The path, or the first one like it that is free and not `own`: `a.md`, `a-2.md`, `a-3.md`, ...
    ///
    /// A folder on the way is spelt as one that stands already; where a file stands, the folder gets a number, too.
    pub(super) fn free(&mut self, path: &str, own: &Standing) -> String {
        let mut free = String::new();
        let mut names = path.split('/').peekable();
        while let Some(name) = names.next() {
            let at = if free.is_empty() { name.to_owned() } else { format!("{free}/{name}") };
            free = if names.peek().is_some() { self.folder(&at, own) } else { self.unused(at, own) };
        }
        free
    }

    fn folder(&self, path: &str, own: &Standing) -> String {
        let mut at = path.to_owned();
        let mut number = 2;
        loop {
            let key = fold(&at);
            let standing = self.folded.get(&key).and_then(|path| self.planned.get(path));
            match (own.get(&key), standing) {
                (Some(Some(spelt)), _) => return spelt.clone(),
                (None, None) => return at,
                (None, Some(Planned { path, node: Node::Directory, .. })) => return path.clone(),
                _ => at = numbered(path, number),
            }
            number += 1;
        }
    }

    fn unused(&mut self, path: String, own: &Standing) -> String {
        let is_taken = |path: &str| self.holds(path) || own.contains_key(&fold(path));
        if !is_taken(&path) {
            return path;
        }
        // Very many items may ask for one name.
        let key = fold(&path);
        let mut number = self.numbers.get(&key).copied().unwrap_or(2);
        while is_taken(&numbered(&path, number)) {
            number += 1;
        }
        self.numbers.insert(key, number + 1);
        numbered(&path, number)
    }

    /// All of them, a folder before what it holds.
    pub(super) fn into_planned(self) -> Vec<Planned> {
        let mut planned: Vec<Planned> = self.planned.into_values().collect();
        crate::order::sort_by(&mut planned, |a, b| a.path.split('/').cmp(b.path.split('/')));
        planned
    }

    fn folders_above(&mut self, path: &str) {
        let Some((above, _)) = path.rsplit_once('/') else { return };
        if self.planned.contains_key(above) {
            return;
        }
        self.folders_above(above);
        self.folded.insert(fold(above), above.to_owned());
        let planned =
            Planned { path: above.to_owned(), node: Node::Directory, mode: 0o700, source: "winter".to_owned() };
        self.planned.insert(above.to_owned(), planned);
    }
}

/// The path with a number before the end of its name, which stays within [`MAX_NAME`].
fn numbered(path: &str, number: u32) -> String {
    let name_at = path.rfind('/').map_or(0, |at| at + 1);
    let (above, name) = path.split_at(name_at);
    let (stem, end) = match name.rfind('.') {
        Some(at) if at > 0 && name.len() - at <= MAX_END => name.split_at(at),
        _ => (name, ""),
    };
    let end = format!("-{number}{end}");
    let stem = &stem[..stem.floor_char_boundary(MAX_NAME - end.len())];
    format!("{above}{stem}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::test;

    fn entries(paths: &[&str]) -> Entries {
        let mut entries = Entries::default();
        for path in paths {
            entries.file((*path).to_owned(), Vec::new(), String::new());
        }
        entries
    }

    #[test]
    fn folders_come_before_what_they_hold() {
        let planned = entries(&["a-b", "a/b/c.md", "a/b.md"]).into_planned();
        let paths: Vec<&str> = planned.iter().map(|entry| entry.path.as_str()).collect();
        assert_eq!(paths, ["a", "a/b", "a/b/c.md", "a/b.md", "a-b"]);
        assert_eq!((planned[0].mode, &planned[0].node), (0o700, &Node::Directory));
    }

    fn standing(paths: &[(&str, Option<&str>)]) -> Standing {
        paths.iter().map(|(path, spelt)| ((*path).to_owned(), spelt.map(str::to_owned))).collect()
    }

    #[test]
    fn a_free_path_differs_in_more_than_case() {
        let mut entries = entries(&["rules/A.md", "rules/a-2.md", "x/y"]);
        assert_eq!(entries.free("rules/a.md", &Standing::new()), "rules/a-3.md");
        assert_eq!(entries.free("rules/b.md", &standing(&[("rules/b.md", None)])), "rules/b-2.md");
        assert_eq!(entries.free("X/Y", &Standing::new()), "x/Y-2");
        assert!(entries.hold_below("Rules") && !entries.hold_below("rul"));
    }

    #[test]
    fn a_folder_on_the_way_is_one_that_stands_or_gets_a_number() {
        let mut entries = entries(&["commands/Team/x.md", "commands/a.md", "commands/a-2.md/z.md"]);
        let own = standing(&[
            ("commands/mine", Some("commands/Mine")),
            ("commands/b.md", None),
            ("commands/mine/deep", Some("commands/Mine/Deep")),
        ]);
        for (path, free) in [
            ("commands/team/y.md", "commands/Team/y.md"),
            ("commands/A.md/y.md", "commands/a-2.md/y.md"),
            ("commands/mine/deep/y.md", "commands/Mine/Deep/y.md"),
            ("commands/B.md/y.md", "commands/B-2.md/y.md"),
            ("commands/team", "commands/team-2"),
        ] {
            assert_eq!(entries.free(path, &own), free);
        }
    }

    #[test]
    fn a_number_keeps_a_name_within_its_bound() {
        for name in ["x".repeat(255), format!("{}.md", "é".repeat(126)), format!("a.{}", "x".repeat(253))] {
            let numbered = numbered(&format!("rules/{name}"), 4096);
            let new = numbered.strip_prefix("rules/").unwrap();
            assert!(new.len() <= MAX_NAME && new.contains("-4096"), "{new}");
            assert_eq!(new.strip_suffix(".md").is_some(), name.strip_suffix(".md").is_some());
        }
        assert_eq!(numbered("skills/.x", 2), "skills/.x-2");
        assert_eq!(numbered("skills/v1.2", 2), "skills/v1-2.2");
    }

    #[test]
    fn twenty_thousand_of_one_name_are_placed_in_a_moment() {
        let started = crate::testing::Instant::now();
        let mut entries = Entries::default();
        for _ in 0..20_000 {
            let path = entries.free("rules/a.md", &Standing::new());
            entries.file(path, Vec::new(), String::new());
        }
        assert!(entries.holds("rules/a-20000.md") && started.elapsed().as_secs() < 5);
    }
}
