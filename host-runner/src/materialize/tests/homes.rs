use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use super::super::{ensure_runs, materialize};
use super::{ID, file, head};
use crate::capability::files::test_support::in_child;

fn mode(path: impl AsRef<Path>) -> u32 {
    fs::symlink_metadata(path).unwrap().mode() & 0o7777
}

#[test]
fn a_home_of_any_name_is_made_private() {
    let base = tempfile::tempdir().unwrap();
    for name in ["plain", "with space", "[brackets]", "'quotes\"", "new\nline", "-dash", "*", "é"] {
        let home = base.path().join(name);
        let runs = ensure_runs(&home).unwrap();
        assert_eq!(Path::new(&runs.path()), home.canonicalize().unwrap().join("cache/runs"));
        assert!(runs.parent().unwrap().is_none());
        for made in [home.clone(), home.join("cache"), home.join("cache/runs")] {
            assert_eq!(mode(made), 0o700, "{name:?}");
        }
        let built = materialize(&ensure_runs(&home).unwrap(), ID, &[file("f", "x")], head()).unwrap();
        assert_eq!(fs::read(built.path.join("f")).unwrap(), b"x");
    }
    assert!(ensure_runs(&base.path().join("slash/")).is_ok());
}

#[test]
fn an_existing_home_keeps_its_mode_and_its_cache_is_closed() {
    let base = tempfile::tempdir().unwrap();
    let home = base.path().join("home");
    fs::create_dir_all(home.join("cache/runs")).unwrap();
    for open in ["", "cache", "cache/runs"] {
        fs::set_permissions(home.join(open), Permissions::from_mode(0o755)).unwrap();
    }
    symlink("home", base.path().join("linked")).unwrap();
    ensure_runs(&base.path().join("linked")).unwrap();
    assert_eq!((mode(&home), mode(home.join("cache")), mode(home.join("cache/runs"))), (0o755, 0o700, 0o700));
}

#[test]
fn what_stands_in_the_way_is_told() {
    let base = tempfile::tempdir().unwrap();
    let at = |name: &str| base.path().join(name);
    let fails = |name: &str| ensure_runs(&at(name)).unwrap_err();
    fs::write(at("file"), "").unwrap();
    assert_eq!(fails("file").code(), "home-not-a-folder");
    assert_eq!(fails("file/below").code(), "home-not-a-folder");
    let missing = fails("absent/home");
    assert_eq!(missing.code(), "home-parent-missing");
    assert!(missing.to_string().contains("/absent\""), "{missing}");
    symlink("nowhere", at("dangling")).unwrap();
    assert_eq!(fails("dangling").code(), "home-linked");
    assert!(!at("nowhere").exists());

    fs::create_dir_all(at("elsewhere/runs")).unwrap();
    fs::create_dir(at("one")).unwrap();
    symlink("../elsewhere", at("one/cache")).unwrap();
    assert_eq!(fails("one").code(), "home-linked");
    fs::create_dir_all(at("two/cache")).unwrap();
    symlink("../../elsewhere/runs", at("two/cache/runs")).unwrap();
    assert_eq!(fails("two").code(), "home-linked");
    symlink("nowhere", at("two/cache/x")).unwrap();
    fs::create_dir(at("three")).unwrap();
    fs::write(at("three/cache"), "").unwrap();
    assert_eq!(fails("three").code(), "home-not-a-folder");
    assert_eq!(fs::read_dir(at("elsewhere/runs")).unwrap().count(), 0);

    assert_eq!(ensure_runs(Path::new("")).unwrap_err().code(), "home-parent-missing");
    let odd = base.path().join(OsStr::from_bytes(b"\xff"));
    // Elsewhere such a name may not even be looked up.
    if cfg!(target_os = "linux") {
        assert_eq!(ensure_runs(&odd).unwrap_err().code(), "home-not-utf8");
    }
    assert!(!odd.exists());
}

#[test]
fn what_may_not_be_written_is_told() {
    if !in_child(module_path!(), "what_may_not_be_written_is_told", true) {
        return;
    }
    let base = tempfile::tempdir().unwrap();
    let at = |name: &str| base.path().join(name);
    for (name, bits) in [("read-only", 0o500), ("closed", 0o000)] {
        fs::create_dir(at(name)).unwrap();
        fs::set_permissions(at(name), Permissions::from_mode(bits)).unwrap();
        assert_eq!(ensure_runs(&at(name)).unwrap_err().code(), "home-not-writable", "{name}");
        assert_eq!(ensure_runs(&at(name).join("home")).unwrap_err().code(), "home-not-writable", "{name}");
    }
    // Folders of our own that lost their modes are put right.
    let runs = ensure_runs(&at("home")).unwrap();
    fs::set_permissions(runs.path(), Permissions::from_mode(0o000)).unwrap();
    assert!(ensure_runs(&at("home")).is_ok());
    // Another's folder that all may enter, as a cache: no run is put there.
    if fs::metadata("/var/cache").is_ok_and(|found| found.uid() == 0) && !rustix::process::geteuid().is_root() {
        assert_eq!(ensure_runs(Path::new("/var")).unwrap_err().code(), "home-not-private");
    }
    fs::set_permissions(at("closed"), Permissions::from_mode(0o700)).unwrap();
}
