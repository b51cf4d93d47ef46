use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::{Duration, Instant};

use super::folder::read_open;
use super::test_support::{Scratch, in_child, make_zero_device, mkfifo};
use super::{FilesError, Folder, GrantError, Identity, IoError, IoKind, Kind, MAX_DEPTH};

fn names(folder: &Folder, max: u32) -> (Vec<String>, bool, u32) {
    let listing = folder.entries(max).unwrap();
    (listing.entries.into_iter().map(|entry| entry.name).collect(), listing.cut, listing.unnamed)
}

fn io_kind(error: &FilesError) -> Option<IoKind> {
    if let FilesError::Io(IoError { kind, .. }) = error { Some(*kind) } else { None }
}

#[test]
fn names_that_are_no_plain_component_are_refused_everywhere() {
    let scratch = Scratch::new();
    let admitted = scratch.write("f", "x");
    let folder = &scratch.folder;
    let long = "n".repeat(256);
    for name in ["", ".", "..", "a/b", "/", "/etc", "f/", "f\0", "\0", &long] {
        assert_eq!(folder.stat(name), Err(FilesError::BadName), "{name:?}");
        assert_eq!(folder.open_folder(name).unwrap_err(), FilesError::BadName, "{name:?}");
        assert_eq!(folder.read(name, admitted, 9), Err(FilesError::BadName), "{name:?}");
        assert_eq!(folder.open_admitted(name, admitted).unwrap_err(), FilesError::BadName, "{name:?}");
        assert_eq!(folder.read_link(name), Err(FilesError::BadName), "{name:?}");
    }
    assert_eq!(folder.stat(&"n".repeat(255)), Ok(None));
    for name in ["...", "..a", "a b", "[x]", "\n", "\\", "'\"", "-rf", "*"] {
        let admitted = scratch.write(name, name);
        assert_eq!(folder.read(name, admitted, 99).unwrap(), name.as_bytes());
    }
}

#[test]
fn stat_tells_kinds_modes_and_identities() {
    let scratch = Scratch::new();
    scratch.write("file", "four");
    fs::set_permissions(scratch.path("file"), Permissions::from_mode(0o751)).unwrap();
    fs::create_dir(scratch.path("dir")).unwrap();
    symlink("nowhere", scratch.path("link")).unwrap();
    mkfifo(&scratch.path("fifo"));
    let _socket = UnixListener::bind(scratch.path("socket")).unwrap();
    let stat = |name: &str| scratch.folder.stat(name).unwrap().unwrap();
    assert_eq!((stat("file").kind, stat("file").mode, stat("file").identity.size), (Kind::Regular, 0o751, 4));
    assert_eq!(stat("dir").kind, Kind::Directory);
    assert_eq!(stat("link").kind, Kind::Link);
    assert_eq!((stat("fifo").kind, stat("socket").kind), (Kind::Other, Kind::Other));
    assert_eq!(scratch.folder.stat("absent"), Ok(None));
    assert_eq!(super::identity_of(&fs::File::open(scratch.path("file")).unwrap()), Ok(stat("file").identity));
    let seconds = fs::metadata(scratch.path("file")).unwrap().modified().unwrap();
    let since = seconds.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    assert!(stat("file").identity.changed_ns / 1_000_000_000 - since < 60);
}

#[test]
fn listings_are_sorted_bounded_and_count_what_has_no_name() {
    let scratch = Scratch::new();
    assert_eq!(names(&scratch.folder, 10), (vec![], false, 0));
    for name in ["b", "a", "a-b", "B", "é", "a.b"] {
        scratch.write(name, "");
    }
    let all = ["B", "a", "a-b", "a.b", "b", "é"].map(str::to_owned).to_vec();
    assert_eq!(names(&scratch.folder, 10), (all.clone(), false, 0));
    assert_eq!(names(&scratch.folder, 6), (all.clone(), false, 0));
    assert_eq!(names(&scratch.folder, 5), (all[..5].to_vec(), true, 0));
    assert_eq!(names(&scratch.folder, 0), (vec![], true, 0));
    assert_eq!(names(&scratch.folder, u32::MAX), (all, false, 0));
    // Not every file system takes such names.
    let odd = [&b"\xff"[..], b"a\xc3", b"zz\x80"]
        .map(|name| fs::write(scratch.path("x").with_file_name(OsStr::from_bytes(name)), ""));
    if odd.iter().all(Result::is_ok) {
        let (listed, cut, unnamed) = names(&scratch.folder, 2);
        assert_eq!((listed, cut, unnamed), (vec!["B".to_owned(), "a".to_owned()], true, 3));
    }
}

#[test]
fn of_a_hundred_thousand_names_the_first_are_kept() {
    let scratch = Scratch::new();
    for number in 0..100_000_u32 {
        // Spread, so that the order of creation is not that of the names.
        fs::File::create(scratch.path(&format!("{:08x}", number.wrapping_mul(2_654_435_761)))).unwrap();
    }
    let mut expected: Vec<_> = (0..100_000_u32).map(|n| format!("{:08x}", n.wrapping_mul(2_654_435_761))).collect();
    expected.sort();
    let started = Instant::now();
    let (listed, cut, unnamed) = names(&scratch.folder, 10);
    println!("10 of 100,000 names: {:?}", started.elapsed());
    assert_eq!((&listed[..], cut, unnamed), (&expected[..10], true, 0));
    assert_eq!(names(&scratch.folder, 100_000), (expected, false, 0));
}

#[test]
fn folders_are_opened_step_by_step_and_never_through_links() {
    let scratch = Scratch::new();
    fs::create_dir_all(scratch.path("a/b/c")).unwrap();
    scratch.write("file", "");
    symlink("a", scratch.path("in-root")).unwrap();
    symlink(scratch.outside(""), scratch.path("out")).unwrap();
    symlink("../a", scratch.path("a/up")).unwrap();
    mkfifo(&scratch.path("fifo"));
    let folder = &scratch.folder;
    let c = folder.open_folder("a").unwrap().open_folder("b").unwrap().open_folder("c").unwrap();
    assert_eq!(c.path(), format!("{}/a/b/c", folder.path()));
    assert_eq!(folder.open_beneath("a/b/c").unwrap().path(), c.path());
    assert_eq!(folder.open_beneath("").unwrap().path(), folder.path());
    for link in ["in-root", "out", "a/up"] {
        assert_eq!(folder.open_beneath(link).unwrap_err(), FilesError::Linked, "{link}");
    }
    assert_eq!(folder.open_beneath("in-root/b").unwrap_err(), FilesError::Linked);
    for bad in ["/a", "a/", "a//b", "a/../a", "./a"] {
        assert_eq!(folder.open_beneath(bad).unwrap_err(), FilesError::BadName, "{bad}");
    }
    assert_eq!(folder.open_folder("file").unwrap_err(), FilesError::NotAFolder);
    assert_eq!(folder.open_folder("fifo").unwrap_err(), FilesError::NotAFolder);
    assert_eq!(io_kind(&folder.open_folder("absent").unwrap_err()), Some(IoKind::NotFound));

    assert!(folder.parent().unwrap().is_none());
    let b = c.parent().unwrap().unwrap();
    // The chain is of handles: names that move meanwhile lead nowhere else.
    fs::rename(scratch.path("a/b"), scratch.outside("b")).unwrap();
    assert_eq!(names(&b.parent().unwrap().unwrap(), 9).0, ["up"]);
    assert!(b.parent().unwrap().unwrap().parent().unwrap().unwrap().parent().unwrap().is_none());
    assert!(b.detached().unwrap().parent().unwrap().is_none());
}

#[test]
fn depth_is_bounded() {
    let scratch = Scratch::new();
    let deep = vec!["d"; MAX_DEPTH + 1].join("/");
    fs::create_dir_all(scratch.path(&deep)).unwrap();
    assert!(scratch.folder.open_beneath(&deep[2..]).is_ok());
    assert_eq!(io_kind(&scratch.folder.open_beneath(&deep).unwrap_err()), Some(IoKind::Exhausted));
}

#[test]
fn what_is_read_is_what_was_admitted() {
    let scratch = Scratch::new();
    let admitted = scratch.write("f", "content");
    let read = |admitted, limit| scratch.folder.read("f", admitted, limit);
    assert_eq!(read(admitted, 7).unwrap(), b"content");
    assert_eq!(read(admitted, u64::MAX).unwrap(), b"content");
    assert_eq!(read(admitted, 6), Err(FilesError::TooLarge(7)));
    for other in [
        Identity { device: admitted.device + 1, ..admitted },
        Identity { inode: admitted.inode + 1, ..admitted },
        Identity { size: 8, ..admitted },
        Identity { changed_ns: admitted.changed_ns + 1, ..admitted },
    ] {
        assert_eq!(read(other, 9), Err(FilesError::Changed));
    }
    let empty = scratch.write("empty", "");
    assert_eq!(scratch.folder.read("empty", empty, 0).unwrap(), b"");
    std::thread::sleep(Duration::from_millis(20));
    scratch.write("f", "CONTENT");
    assert_eq!(read(admitted, 9), Err(FilesError::Changed));
    // A link to the very file that was admitted is still a link.
    let now = scratch.identity("f");
    fs::rename(scratch.path("f"), scratch.path("g")).unwrap();
    symlink("g", scratch.path("f")).unwrap();
    assert_eq!(read(now, 9), Err(FilesError::Linked));
    fs::remove_file(scratch.path("f")).unwrap();
    assert_eq!(io_kind(&read(now, 9).unwrap_err()), Some(IoKind::NotFound));
    fs::create_dir(scratch.path("f")).unwrap();
    assert_eq!(read(now, 9), Err(FilesError::NotRegular));
}

#[test]
fn a_file_that_changes_while_it_is_read_is_told() {
    let scratch = Scratch::new();
    for change in ["CONTENT", "short", "longer than before"] {
        let admitted = scratch.write("f", "content");
        let file = scratch.folder.open_admitted("f", admitted).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        scratch.write("f", change);
        assert_eq!(read_open(&file, admitted, 99), Err(FilesError::Changed), "{change}");
    }
}

#[test]
fn nothing_blocks_on_what_is_no_file() {
    let scratch = Scratch::new();
    mkfifo(&scratch.path("fifo"));
    let _socket = UnixListener::bind(scratch.path("socket")).unwrap();
    let mut odd = vec!["fifo", "socket"];
    if make_zero_device(&scratch.path("zero")) {
        odd.push("zero");
    }
    let started = Instant::now();
    for name in odd {
        let admitted = scratch.identity(name);
        assert_eq!(scratch.folder.read(name, admitted, 1 << 20), Err(FilesError::NotRegular), "{name}");
        assert_eq!(scratch.folder.open_admitted(name, admitted).unwrap_err(), FilesError::NotRegular, "{name}");
        assert_eq!(scratch.folder.read_link(name), Err(FilesError::Changed), "{name}");
    }
    assert!(started.elapsed() < Duration::from_secs(2));
}

#[test]
fn a_large_sparse_file_is_refused_unread() {
    let scratch = Scratch::new();
    scratch.write("sparse", "");
    fs::File::options().write(true).open(scratch.path("sparse")).unwrap().set_len(100 << 20).unwrap();
    let admitted = scratch.identity("sparse");
    let started = Instant::now();
    assert_eq!(scratch.folder.read("sparse", admitted, 1 << 20), Err(FilesError::TooLarge(100 << 20)));
    assert!(started.elapsed() < Duration::from_secs(1));
    assert_eq!(scratch.folder.read("sparse", admitted, 100 << 20).unwrap().len(), 100 << 20);
}

#[test]
fn link_targets_are_data() {
    let scratch = Scratch::new();
    let long = "x/".repeat(1500);
    for target in ["a", "../../up", "/etc/passwd", "with space\n", &long] {
        let _ = fs::remove_file(scratch.path("link"));
        symlink(target, scratch.path("link")).unwrap();
        assert_eq!(scratch.folder.read_link("link").unwrap(), target);
    }
    symlink(OsStr::from_bytes(b"\xff"), scratch.path("odd")).unwrap();
    assert_eq!(io_kind(&scratch.folder.read_link("odd").unwrap_err()), Some(IoKind::Other));
    assert_eq!(io_kind(&scratch.folder.read_link("absent").unwrap_err()), Some(IoKind::NotFound));
    scratch.write("file", "");
    assert_eq!(scratch.folder.read_link("file"), Err(FilesError::Changed));
}

#[test]
fn grants_resolve_a_persons_path() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("real [x] 'q' \"d\"\n")).unwrap();
    symlink("real [x] 'q' \"d\"\n", scratch.path("link")).unwrap();
    let granted = Folder::grant(&scratch.path("link/../link/.")).unwrap();
    assert_eq!(granted.path(), format!("{}/real [x] 'q' \"d\"\n", scratch.folder.path()));
    assert_eq!(Folder::grant(Path::new("/")).unwrap().path(), "/");
    assert_eq!(Folder::grant(Path::new("/")).unwrap().open_folder("usr").unwrap().path(), "/usr");
    assert!(Folder::grant(Path::new(".")).unwrap().path().starts_with('/'));
}

#[test]
fn grants_say_what_is_wrong() {
    let scratch = Scratch::new();
    scratch.write("file", "");
    symlink("nowhere", scratch.path("dangling")).unwrap();
    symlink("loop", scratch.path("loop")).unwrap();
    mkfifo(&scratch.path("fifo"));
    let fails = |name: &str| Folder::grant(&scratch.path(name)).unwrap_err();
    for name in ["absent", "dangling", "absent/x"] {
        assert_eq!(fails(name).code(), "grant-not-found", "{name}");
    }
    for name in ["file", "file/x", "fifo"] {
        assert_eq!(fails(name).code(), "grant-not-a-folder", "{name}");
    }
    assert_eq!(fails("loop").code(), "grant-failed");
    assert_eq!(Folder::grant(Path::new("")).unwrap_err().code(), "grant-not-found");
    assert!(fails("absent").to_string().contains("inside/absent\""));
    let odd = scratch.path("x").with_file_name(OsStr::from_bytes(b"od\xffd\n"));
    if fs::create_dir(&odd).is_ok() {
        let error = Folder::grant(&odd).unwrap_err();
        assert!(matches!(&error, GrantError::NotUtf8 { path } if path.ends_with("od\u{fffd}d\n")), "{error:?}");
        assert!(error.to_string().contains("\\n") && !error.to_string().contains('\n'));
    }
}

#[test]
fn a_grant_keeps_the_name_that_it_was_given_where_that_is_another() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("real")).unwrap();
    std::os::unix::fs::symlink("real", scratch.path("alias")).unwrap();
    let real = scratch.path("real").canonicalize().unwrap();
    let folder = Folder::grant(&scratch.path("alias")).unwrap();
    assert_eq!(folder.path(), real.to_str().unwrap());
    let named = folder.as_named(&scratch.path("alias")).unwrap();
    assert_eq!(named.path(), scratch.path("alias").to_str().unwrap());
    fs::write(real.join("x"), "").unwrap();
    assert!(named.stat("x").unwrap().is_some() && named.parent().unwrap().is_none());
    assert!(folder.as_named(&real).is_none() && folder.as_named(&real.join("")).is_none());
    assert!(folder.as_named(&scratch.path("alias/../real")).is_none());
}

#[test]
fn refusals_of_permission_are_told_apart() {
    if !in_child(module_path!(), "refusals_of_permission_are_told_apart", true) {
        return;
    }
    let scratch = Scratch::new();
    let admitted = scratch.write("file", "x");
    fs::set_permissions(scratch.path("file"), Permissions::from_mode(0o000)).unwrap();
    let admitted = Identity { changed_ns: scratch.identity("file").changed_ns, ..admitted };
    assert_eq!(io_kind(&scratch.folder.read("file", admitted, 9).unwrap_err()), Some(IoKind::Permission));
    for (mode, name) in [(0o300, "unlisted"), (0o600, "unentered"), (0o000, "closed")] {
        fs::create_dir(scratch.path(name)).unwrap();
        fs::write(scratch.path(name).join("f"), "").unwrap();
        fs::set_permissions(scratch.path(name), Permissions::from_mode(mode)).unwrap();
    }
    let opened = |name: &str| scratch.folder.open_folder(name).and_then(|folder| folder.entries(9));
    for name in ["unlisted", "unentered", "closed"] {
        assert_eq!(io_kind(&opened(name).unwrap_err()), Some(IoKind::Permission), "{name}");
    }
    if cfg!(target_os = "linux") {
        assert!(scratch.folder.open_folder("unlisted").unwrap().stat("f").unwrap().is_some());
    }
    let closed = Folder::grant(&scratch.path("closed")).unwrap_err();
    assert_eq!(closed.code(), "grant-no-permission");
    assert!(closed.to_string().contains("closed"));
    assert_eq!(Folder::grant(&scratch.path("closed/x")).unwrap_err().code(), "grant-no-permission");
    for name in ["unlisted", "unentered", "closed"] {
        fs::set_permissions(scratch.path(name), Permissions::from_mode(0o700)).unwrap();
    }
}
