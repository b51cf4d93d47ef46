//! What a repository can do to its reader: nothing, but to be not answered.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, Instant};

use winter_runner::capability::git_index::{Evidence, Limits, Place, ProbeError, probe};

use crate::git::{LOCAL, Repo, ask, assert_failed, assert_unsupported, committed, fifo, file};

/// Not listed, but in a folder that is: the answer needs HEAD too.
const ABSENT: &str = ".claude/absent";

type Answer = Result<Vec<Evidence>, ProbeError>;

/// A repository that ships the local file, and whose HEAD is found in `packed-refs`.
fn shipping() -> Option<Repo> {
    let repo = Repo::new()?;
    repo.commit_each(&["README", ".claude/settings.json", LOCAL]);
    Some(repo)
}

/// Asserts that the reader itself ended in good order.
fn assert_handled(answer: &Answer) {
    if let Err(ProbeError::Failed(what)) = answer {
        assert!(!what.contains("could not handle") && !what.contains("ended early"), "{what}");
    }
    assert_ne!(*answer, Err(ProbeError::TimedOut));
}

/// Puts each of `changed` in the place of a file, and hands the answer to `check`.
fn with_each(repo: &Repo, path: &str, changed: impl Iterator<Item = Vec<u8>>, check: impl Fn(Answer)) {
    let (original, before) = (fs::read(repo.top.join(path)).unwrap(), repo.ask(LOCAL));
    assert!(before.is_ok());
    fs::set_permissions(repo.top.join(path), fs::Permissions::from_mode(0o644)).unwrap();
    for content in changed {
        repo.write(path, content);
        let answer = repo.ask(LOCAL);
        assert_handled(&answer);
        check(answer);
    }
    repo.write(path, original);
    assert_eq!(repo.ask(LOCAL), before);
}

/// The content with one byte changed, at about `count` places.
fn flips(content: &[u8], count: usize) -> impl Iterator<Item = Vec<u8>> {
    (0..content.len()).step_by((content.len() / count).max(1)).map(|at| {
        let mut content = content.to_vec();
        content[at] ^= 0x15;
        content
    })
}

/// The beginnings of the content, at about `count` lengths.
fn cuts(content: &[u8], count: usize) -> impl Iterator<Item = Vec<u8>> {
    (0..content.len()).step_by((content.len() / count).max(1)).map(|at| content[..at].to_vec())
}

#[test]
fn no_change_of_the_index_goes_unnoticed() {
    let Some(repo) = shipping() else { return };
    let index = fs::read(repo.top.join(".git/index")).unwrap();
    with_each(&repo, ".git/index", flips(&index, 60).chain(cuts(&index, 60)), |answer| {
        assert!(matches!(answer, Err(ProbeError::Failed(_) | ProbeError::Unsupported(_))), "{answer:?}");
    });
}

#[test]
fn no_index_without_a_checksum_confuses_the_reader() {
    for version in ["2", "4"] {
        let Some(repo) = shipping() else { return };
        repo.configure("[index]\n\tskipHash = true");
        repo.git(&["update-index", "--index-version", version, "--force-write-index"]);
        let index = fs::read(repo.top.join(".git/index")).unwrap();
        assert!(index.ends_with(&[0; 20]));
        with_each(&repo, ".git/index", flips(&index, index.len()), |_| ());
        with_each(&repo, ".git/index", cuts(&index, index.len()), |answer| assert_failed(&answer));
    }
}

#[test]
fn no_change_of_an_object_or_a_pack_makes_another_answer() {
    let Some(repo) = shipping() else { return };
    repo.git(&["read-tree", "--empty"]);
    let listed = Ok(vec![file(Place::Head, LOCAL)]);
    let right = |answer: Answer| assert!(answer.is_err() || answer == listed, "{answer:?}");
    let id = repo.id("HEAD:.claude");
    let single = format!(".git/objects/{}/{}", &id[..2], &id[2..]);
    let content = fs::read(repo.top.join(&single)).unwrap();
    with_each(&repo, &single, flips(&content, 100).chain(cuts(&content, 100)), right);

    repo.git(&["repack", "-a", "-d", "--quiet"]);
    assert!(!repo.top.join(&single).exists());
    for entry in fs::read_dir(repo.top.join(".git/objects/pack")).unwrap() {
        let path = entry.unwrap().path();
        let content = fs::read(&path).unwrap();
        let path = path.strip_prefix(&repo.top).unwrap().to_str().unwrap();
        with_each(&repo, path, flips(&content, 150).chain(cuts(&content, 50)), right);
    }
}

#[test]
fn no_change_of_a_reference_confuses_the_reader() {
    let Some(repo) = shipping() else { return };
    repo.git(&["pack-refs", "--all"]);
    for path in [".git/HEAD", ".git/packed-refs", ".git/config"] {
        let content = fs::read(repo.top.join(path)).unwrap();
        with_each(&repo, path, flips(&content, content.len()).chain(cuts(&content, content.len())), |answer| {
            // A HEAD with another name is one before its first commit; the index still lists the path.
            let indexed = |answer: &[Evidence]| answer.first() == Some(&file(Place::Index, LOCAL));
            assert!(answer.as_ref().map_or(true, |answer| indexed(answer)), "{answer:?}");
        });
    }
}

/// Every file of the git directory that an answer depends on, in a repository where each exists.
fn files(repo: &Repo) -> Vec<String> {
    let id = repo.id("HEAD:.claude");
    let single = format!("objects/{}/{}", &id[..2], &id[2..]);
    [".", "config", "HEAD", "index", "refs", "refs/heads", "refs/heads/main", "objects", &single[..10], &single]
        .map(|name| if name == "." { ".git".to_owned() } else { format!(".git/{name}") })
        .to_vec()
}

#[test]
fn a_fifo_in_any_place_is_not_waited_for() {
    let Some(repo) = shipping() else { return };
    for path in files(&repo) {
        let (path, saved) = (repo.top.join(path), repo.beside("saved"));
        fs::rename(&path, &saved).unwrap();
        fifo(&path);
        let start = Instant::now();
        assert_failed(&repo.ask(ABSENT));
        assert!(start.elapsed() < Duration::from_secs(5), "{path:?}");
        fs::remove_file(&path).unwrap();
        fs::rename(&saved, &path).unwrap();
        assert_eq!(repo.ask(LOCAL), Ok(committed(LOCAL)));
    }
    for name in ["commondir", "packed-refs", "objects/pack/pack-1.idx"] {
        match name {
            "packed-refs" => fs::remove_file(repo.top.join(".git/refs/heads/main")).unwrap(),
            "objects/pack/pack-1.idx" => {
                repo.write(".git/HEAD", "1".repeat(40));
                repo.write(".git/objects/pack/pack-1.pack", "");
            }
            _ => {}
        }
        let path = repo.top.join(".git").join(name);
        fifo(&path);
        let answer = repo.ask(ABSENT);
        assert_failed(&answer);
        assert!(answer.unwrap_err().to_string().contains("not a regular file"), "{name}");
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_link_in_any_place_is_not_followed() {
    let Some(repo) = shipping() else { return };
    for path in files(&repo) {
        let (path, saved) = (repo.top.join(path), repo.beside("saved"));
        fs::rename(&path, &saved).unwrap();
        symlink(&saved, &path).unwrap();
        assert_failed(&repo.ask(ABSENT));
        fs::remove_file(&path).unwrap();
        symlink("/dev/zero", &path).unwrap();
        assert_failed(&repo.ask(ABSENT));
        fs::remove_file(&path).unwrap();
        fs::rename(&saved, &path).unwrap();
    }
    assert_eq!(repo.ask(LOCAL), Ok(committed(LOCAL)));
}

#[test]
fn files_that_no_answer_depends_on_are_not_opened() {
    let Some(repo) = shipping() else { return };
    for name in ["gitdir", "objects/info/alternates", "config.worktree", "info/grafts", "shallow", "index.lock"] {
        fs::create_dir_all(repo.top.join(".git").join(name).parent().unwrap()).unwrap();
        fifo(repo.top.join(".git").join(name));
    }
    assert_eq!(repo.ask(LOCAL), Ok(committed(LOCAL)));
}

#[test]
fn a_file_of_any_size_is_bounded() {
    let Some(repo) = shipping() else { return };
    for path in files(&repo).iter().map(|path| repo.top.join(path)).filter(|path| path.is_file()) {
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let content = fs::read(&path).unwrap();
        // A hole, which takes no space.
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
        let start = Instant::now();
        assert_failed(&repo.ask(ABSENT));
        assert!(start.elapsed() < Duration::from_secs(5), "{path:?}");
        fs::write(&path, content).unwrap();
    }
    assert_eq!(repo.ask(LOCAL), Ok(committed(LOCAL)));
}

#[test]
fn any_git_entry_that_is_no_repository_is_no_answer() {
    let make: [fn(&Path); 8] = [
        |path| fs::create_dir(path).unwrap(),
        |path| fs::write(path, "").unwrap(),
        |path| fs::write(path, "gitdir: ").unwrap(),
        |path| fs::write(path, "gitdir: .\n").unwrap(),
        |path| fs::write(path, "gitdir: /dev/null\n").unwrap(),
        |path| symlink("nowhere", path).unwrap(),
        |path| fifo(path),
        |path| drop(std::os::unix::net::UnixListener::bind(path).unwrap()),
    ];
    for (number, make) in make.iter().enumerate() {
        let repo = Repo::none();
        make(&repo.top.join(".git"));
        assert!(matches!(repo.ask(LOCAL), Err(ProbeError::Failed(_))), "{number}");
    }
    assert_failed(&ask(Path::new("/nowhere"), LOCAL));
}

#[test]
fn an_index_that_may_not_be_read_is_no_answer() {
    let Some(repo) = shipping() else { return };
    let index = repo.top.join(".git/index");
    fs::set_permissions(&index, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::File::open(&index).is_ok() {
        println!("skipped: this user may read everything");
        return;
    }
    assert_failed(&repo.ask(LOCAL));
}

#[test]
fn a_reference_that_leads_nowhere_is_no_answer() {
    let Some(repo) = shipping() else { return };
    let tree = repo.id("HEAD:.claude");
    for head in
        ["", "ref: refs/heads/../../index", "ref: /etc/passwd", "ref: HEAD", "ref: index", "0123", "ref:", &tree]
    {
        repo.write(".git/HEAD", format!("{head}\n"));
        assert_failed(&repo.ask(ABSENT));
    }
    repo.write(".git/HEAD", format!("{}\n", "1".repeat(40)));
    assert_eq!(repo.ask(LOCAL), Ok(vec![file(Place::Index, LOCAL)]), "what the index lists needs no HEAD");
    assert_failed(&repo.ask(ABSENT));
    repo.write(".git/HEAD", "ref: refs/heads/a\n");
    repo.write(".git/refs/heads/a", "ref: refs/heads/b\n");
    repo.write(".git/refs/heads/b", "ref: refs/heads/a\n");
    assert_failed(&repo.ask(ABSENT));
}

#[test]
fn a_configuration_of_any_shape_is_read_in_time() {
    let Some(repo) = shipping() else { return };
    let names: Vec<_> = (0..80_000).map(|number| format!("a{number}=1\n")).collect();
    let shapes = [
        "[a]\n".repeat(200_000),
        "[core]\na = 1\n".repeat(70_000),
        "[extensions]\n".to_owned() + &names.concat(),
        "[extensions]\na = 1\n".repeat(50_000),
        "[core]\na = \\\n".to_owned() + &"\\\n".repeat(500_000),
        "[core]\na = ".to_owned() + &"\"\"".repeat(500_000),
        "[".repeat(1_000_000),
        "\n".repeat(1_000_000),
    ];
    for shape in shapes {
        repo.write(".git/config", &shape);
        let start = Instant::now();
        assert_handled(&repo.ask(LOCAL));
        assert!(start.elapsed() < Duration::from_secs(15), "{:?}", &shape[..20]);
    }
}

/// An index without a checksum: entries of a mode and a path, and extensions.
fn index(version: u32, entries: &[(u32, &str)], extensions: &[(&str, &[u8])]) -> Vec<u8> {
    let mut index =
        [&b"DIRC"[..], &version.to_be_bytes(), &u32::try_from(entries.len()).unwrap().to_be_bytes()].concat();
    for (mode, path) in entries {
        let start = index.len();
        index.extend([0; 24]);
        index.extend(mode.to_be_bytes());
        index.extend([0; 32]);
        let length = if version == 4 { 0xfff } else { path.len().min(0xfff) };
        index.extend(u16::try_from(length).unwrap().to_be_bytes());
        if version == 4 {
            index.push(0);
        }
        index.extend(path.as_bytes());
        index.extend(vec![0; if version == 4 { 1 } else { 8 - (index.len() - start) % 8 }]);
    }
    for (name, content) in extensions {
        index.extend(name.as_bytes());
        index.extend(u32::try_from(content.len()).unwrap().to_be_bytes());
        index.extend(*content);
    }
    index.extend([0; 20]);
    index
}

#[test]
fn only_extensions_that_may_be_passed_over_are() {
    let Some(repo) = Repo::new() else { return };
    let listed = [(0o100_644, LOCAL)];
    repo.write(".git/index", index(2, &listed, &[("ZZZZ", b"?"), ("sdir", b"")]));
    assert_eq!(repo.ask(LOCAL), Ok(vec![file(Place::Index, LOCAL)]));
    assert!(repo.git_lists(LOCAL));
    repo.write(".git/index", index(2, &listed, &[("zzzz", b"?")]));
    assert_unsupported(&repo.ask(LOCAL));
    assert_ne!(repo.status(&["ls-files"]), 0);
    for version in [1, 5, 1 << 31] {
        repo.write(".git/index", index(version, &listed, &[]));
        assert_unsupported(&repo.ask(LOCAL));
    }
    for link in [&b""[..], &[1; 19], &[1; 20], &[1; 40]] {
        repo.write(".git/index", index(2, &listed, &[("link", link)]));
        assert_failed(&repo.ask(LOCAL));
    }
    repo.write(".git/index", index(2, &[(0o100_644, "")], &[]));
    assert_failed(&repo.ask(LOCAL));
}

#[test]
fn extensions_that_nest_without_end_are_harmless() {
    let Some(repo) = Repo::new() else { return };
    let trees = b"\0-1 1\n".repeat(1_000_000);
    let folders = [&[0; 119][..], &b"\x01\x01a\0b\0".repeat(1_000_000)].concat();
    repo.write(".git/index", index(2, &[(0o100_644, LOCAL)], &[("TREE", &trees), ("UNTR", &folders)]));
    assert_eq!(repo.ask(LOCAL), Ok(vec![file(Place::Index, LOCAL)]));
}

#[test]
fn paths_that_share_a_long_beginning_take_no_space() {
    let Some(repo) = Repo::new() else { return };
    let (long, mut entries) = ("a".repeat(4_000_000), vec![]);
    entries.push((0o100_644, long.as_str()));
    entries.extend(std::iter::repeat_n((0o100_644, "a"), 200_000));
    // Each entry keeps the whole path before it, so the paths would make close to a terabyte.
    repo.write(".git/index", index(4, &entries, &[]));
    let start = Instant::now();
    assert_eq!(repo.ask(LOCAL), Ok(vec![]));
    assert!(start.elapsed() < Duration::from_secs(10));
}

/// All spellings of a path whose letters are its first `letters` ones.
fn spellings(path: &str, letters: u32) -> Vec<String> {
    let upper = |bits: u32, at: usize| at < 31 && bits >> at & 1 == 1;
    let spell =
        |bits| path.chars().enumerate().map(move |(at, c)| if upper(bits, at) { c.to_ascii_uppercase() } else { c });
    (0..1 << letters).map(|bits| spell(bits).collect()).collect()
}

#[test]
fn many_spellings_hide_no_other_path() {
    let Some(repo) = Repo::new() else { return };
    let names = spellings("abcdefghij", 10);
    let mut entries: Vec<_> = names.iter().map(|name| (0o100_644, name.as_str())).collect();
    entries.push((0o100_644, LOCAL));
    repo.write(".git/index", index(2, &entries, &[]));
    assert_eq!(repo.ask(LOCAL), Ok(vec![file(Place::Index, LOCAL)]));
    let both = ["abcdefghij".to_owned(), LOCAL.to_owned()];
    assert_failed(&probe(&repo.top, &both, &Limits::default()));
}

#[test]
fn many_folders_that_differ_in_case_end_the_walk() {
    let Some(repo) = Repo::new() else { return };
    let blob = repo.git(&["hash-object", "-w", "--stdin"]);
    let leaf = repo.git_in(&repo.top, &["mktree"], &format!("100644 blob {blob}\tfile\n"));
    let names = spellings("abcdefgh", 8);
    let tree = |below: &str| {
        let lines: Vec<_> = names.iter().map(|name| format!("040000 tree {below}\t{name}\n")).collect();
        repo.git_in(&repo.top, &["mktree"], &lines.concat())
    };
    let root = tree(&tree(&tree(&leaf)));
    let commit = repo.git(&["commit-tree", "-m", "bomb", &root]);
    repo.git(&["update-ref", "HEAD", &commit]);
    assert_failed(&repo.ask("abcdefgh/abcdefgh/abcdefgh/absent"));
}

#[test]
fn a_tree_that_is_none_is_no_answer() {
    let Some(repo) = Repo::new() else { return };
    for content in ["garbage", "100644 a\0short", "40000 .claude\0"] {
        let tree = repo.git_in(&repo.top, &["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], content);
        let text = format!("tree {tree}\nauthor a <a> 0 +0000\ncommitter a <a> 0 +0000\n\n");
        let commit = repo.git_in(&repo.top, &["hash-object", "-t", "commit", "-w", "--literally", "--stdin"], &text);
        repo.write(".git/HEAD", format!("{commit}\n"));
        assert_failed(&repo.ask(LOCAL));
    }
}

#[test]
fn an_answer_that_takes_too_long_is_given_up() {
    let Some(repo) = shipping() else { return };
    let limits = Limits { timeout: Duration::ZERO, ..Limits::default() };
    assert_eq!(probe(&repo.top, &[LOCAL.to_owned()], &limits), Err(ProbeError::TimedOut));
    let limits = Limits { index_bytes: 64, ..Limits::default() };
    assert_failed(&probe(&repo.top, &[LOCAL.to_owned()], &limits));
    let limits = Limits { object_bytes: 16, ..Limits::default() };
    assert_failed(&probe(&repo.top, &["absent".to_owned()], &limits));
}

#[test]
fn what_is_no_path_is_refused() {
    let Some(repo) = shipping() else { return };
    for path in ["", "/", "/etc/passwd", "..", "a/../b", "./a", "a//b", "a/", "a\0b"] {
        assert_failed(&repo.ask(path));
    }
    let many = vec![LOCAL.to_owned(); 65];
    assert_failed(&probe(&repo.top, &many, &Limits::default()));
}
