//! Configuration of public repositories, where it is at hand: beside the workspace, and never a part of it.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::Value;
use winter_runner::Brand;

use crate::git::Repo;
use crate::scene::Scene;

/// The data beside the workspace; none, with a remark, where it is not at hand.
pub fn data() -> Option<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let data = workspace.parent().map(|above| above.join("shared/data/corpus")).filter(|data| data.is_dir());
    if data.is_none() {
        println!("skipped: no ../shared/data");
    }
    data
}

/// The entries of a folder, in order.
pub fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

/// The path as the brand would have it.
fn of_brand(path: &str, dir: &str) -> String {
    let parts: Vec<&str> = path.split('/').map(|part| if part == ".claude" { dir } else { part }).collect();
    parts.join("/")
}

/// A checkout of one repository of the corpus, with everything that its manifest names tracked; none without git.
pub fn checkout(data: &Path, manifest: &Value, brand: &Brand) -> Option<Scene> {
    let scene = Scene::around(Repo::new()?, brand.clone());
    let list = |key: &str| manifest[key].as_array().unwrap().clone();
    let place = |path: &Value| {
        let place = scene.top.join(of_brand(path.as_str().unwrap(), scene.dir()));
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        place
    };
    for file in list("files") {
        let to = place(&file["path"]);
        fs::copy(data.join("tree").join(file["path"].as_str().unwrap()), &to).unwrap();
        let mode = if file["mode"] == "100755" { 0o755 } else { 0o644 };
        fs::set_permissions(to, fs::Permissions::from_mode(mode)).unwrap();
    }
    for link in list("symlinks") {
        symlink(of_brand(link["target"].as_str().unwrap(), scene.dir()), place(&link["path"])).unwrap();
    }
    scene.repo.git(&["add", "--force", "--all"]);
    let commit = "1234567890123456789012345678901234567890";
    for module in list("submodules") {
        fs::create_dir_all(place(&module)).unwrap();
        let path = of_brand(module.as_str().unwrap(), scene.dir());
        scene.repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},{path}")]);
    }
    scene.repo.commit_index();
    Some(scene)
}
