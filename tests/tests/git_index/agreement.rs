//! Our answers and those of `git`, over random repositories.

use winter_runner::capability::git_index::{Evidence, Place};

use crate::git::Repo;

/// Asserts that the answer for each path is what `git` lists, compared without case.
pub(crate) fn assert_agrees(repo: &Repo, paths: &[&str]) {
    let same = |listed: &str, path: &str| listed.eq_ignore_ascii_case(path);
    let above = |listed: &str, path: &str| {
        path.get(..listed.len()).is_some_and(|start| same(listed, start)) && path[listed.len()..].starts_with('/')
    };
    let head = match repo.status(&["rev-parse", "--quiet", "--verify", "HEAD"]) {
        0 => repo.git(&["ls-tree", "-r", "-z", "--format=%(objectmode)%x09%(path)", "HEAD"]),
        _ => String::new(),
    };
    let index = repo.git(&["ls-files", "-z", "--format=%(objectmode)%x09%(path)"]);
    let lists = [(Place::Index, index), (Place::Head, head)];
    for path in paths {
        let mut expected = Vec::new();
        for (place, list) in &lists {
            for (mode, listed) in list.split_terminator('\0').filter_map(|line| line.split_once('\t')) {
                let mode = u32::from_str_radix(mode, 8).unwrap();
                let evidence = |covering| Evidence { path: listed.to_owned(), place: *place, mode, covering };
                if same(listed, path) {
                    expected.push(evidence(false));
                } else if above(listed, path) && matches!(mode, 0o120_000 | 0o160_000) {
                    expected.push(evidence(true));
                }
            }
        }
        let mut answer = repo.ask(path).unwrap();
        for evidence in [&mut expected, &mut answer] {
            evidence.sort_by(|a, b| (a.place == Place::Head, &a.path).cmp(&(b.place == Place::Head, &b.path)));
        }
        assert_eq!(answer, expected, "{path}");
    }
}

/// Numbers that look random and are the same each time (an xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    fn path(&mut self) -> String {
        let mut path = String::new();
        for _ in 0..=self.below(3) {
            let name = ["ab", "b", ".claude", "settings.json"][self.below(4)];
            let name: String =
                name.chars().map(|c| if self.below(3) == 0 { c.to_ascii_uppercase() } else { c }).collect();
            path = if path.is_empty() { name } else { format!("{path}/{name}") };
        }
        path
    }

    fn index(&mut self, repo: &Repo) {
        let modes = ["100644", "100755", "120000", "160000"];
        let entries: Vec<_> = (0..30).map(|_| (modes[self.below(4)], self.path())).collect();
        let entries: Vec<_> = entries.iter().map(|(mode, path)| (*mode, path.as_str())).collect();
        repo.set_index(&entries);
    }
}

#[test]
fn random_repositories_are_answered_as_git_does() {
    for seed in 1..=12 {
        let Some(repo) = Repo::init(&[&format!("--object-format={}", ["sha1", "sha256"][seed % 2])]) else { return };
        let mut numbers = Numbers(seed as u64 * 0x9e37_79b9);
        if seed % 4 != 0 {
            numbers.index(&repo);
            repo.commit_index();
        }
        if seed % 3 == 0 {
            repo.git(&["repack", "-a", "-d", "--quiet"]);
            repo.git(&["pack-refs", "--all"]);
        }
        numbers.index(&repo);
        match seed % 3 {
            0 => drop(repo.git(&["update-index", "--index-version", "4"])),
            1 => drop(repo.git(&["update-index", "--split-index"])),
            _ => {}
        }
        let paths: Vec<String> = (0..40).map(|_| numbers.path()).collect();
        assert_agrees(&repo, &paths.iter().map(String::as_str).collect::<Vec<_>>());
    }
}
