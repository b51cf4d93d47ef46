//! Node with the packages that the tests of other hosts need, and Chromium.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The folder with the packages of `browser/package.json`, made below `folder`; or why there is none.
pub fn tools(folder: &Path) -> Result<&'static Path, &'static str> {
    static INSTALLED: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    INSTALLED.get_or_init(|| install(folder)).as_deref().map_err(String::as_str)
}

fn install(folder: &Path) -> Result<PathBuf, String> {
    let from = script("");
    let to = folder.join("browser");
    std::fs::create_dir_all(&to).map_err(|error| error.to_string())?;
    for name in ["package.json", "package-lock.json"] {
        std::fs::copy(from.join(name), to.join(name)).map_err(|error| format!("{name}: {error}"))?;
    }
    run(Command::new("node").arg("--version"))?;
    if !to.join("node_modules/typescript/package.json").exists() {
        run(Command::new("npm").args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&to))?;
    }
    Ok(to)
}

/// A script of `browser/`.
pub fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("browser").join(name)
}

/// What a program printed, or why it failed.
pub fn run(command: &mut Command) -> Result<String, String> {
    let out = command.stdin(Stdio::null()).output().map_err(|error| format!("{command:?}: {error}"))?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    if out.status.success() {
        return Ok(text);
    }
    Err(format!("{command:?}: {text}{}", String::from_utf8_lossy(&out.stderr)))
}

/// A browser of this machine.
pub fn chromium() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name))).find(|file| file.is_file())
}
