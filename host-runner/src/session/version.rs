//! What a program says of its version.

use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::io::AsyncReadExt as _;

use crate::capability::files::Folder;
use crate::capability::process::{Program, Start, Streams, start};
use crate::error::RunnerError;
use crate::materialize;
use crate::private;

/// How long a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(20);

/// The most bytes of what it says that are looked at.
const MAX_SAID: u64 = 4096;

/// How many programs' versions are remembered.
const MAX_KNOWN: usize = 64;

/// What `program --version` says, asked in an empty folder with nothing of the project in reach; remembered under winter's
/// home for as long as the file is the same one.
///
/// # Errors
/// A home that cannot be made or written, a program that cannot be started, or one that does not answer within 20 seconds.
pub async fn probe_version(
    home: &Path,
    program: &Program,
    environment: &[(String, String)],
) -> Result<String, RunnerError> {
    let not_started = |why: String| RunnerError::NotStarted { path: program.path.clone(), why };
    materialize::ensure_runs(home)?;
    let known = home.join("cache/versions.json");
    let state = state(&program.path).map_err(|error| not_started(error.to_string()))?;
    let mut versions = remembered(&known);
    if let Some(version) = versions.get(&state).and_then(Value::as_str) {
        return Ok(version.to_owned());
    }
    let neutral = neutral(home)?;
    let listed = |(name, _): &&(String, String)| matches!(name.as_str(), "HOME" | "PATH" | "LANG" | "TMPDIR");
    let environment: Vec<(String, String)> = environment.iter().filter(listed).cloned().collect();
    let how = Start { streams: Streams::Piped, own_group: true };
    let mut child = start(program, &["--version".to_owned()], &environment, &neutral, how)
        .map_err(|error| not_started(error.to_string()))?;
    child.stdin = None;
    let mut said = Vec::new();
    let asked = async {
        if let Some(stdout) = child.stdout.take() {
            stdout.take(MAX_SAID).read_to_end(&mut said).await?;
        }
        child.wait().await
    };
    match tokio::time::timeout(PATIENCE, asked).await {
        Ok(Ok(status)) if status.success() => {}
        Ok(Ok(status)) => return Err(not_started(format!("asked for its version it ended with {status}"))),
        Ok(Err(error)) => return Err(not_started(error.to_string())),
        Err(_) => {
            let _ = child.start_kill();
            return Err(not_started(format!(
                "asked for its version it did not answer within {} s",
                PATIENCE.as_secs()
            )));
        }
    }
    let version = String::from_utf8_lossy(&said).trim().to_owned();
    versions.insert(state, version.clone().into());
    while versions.len() > MAX_KNOWN {
        let first = versions.keys().next().cloned().unwrap_or_default();
        versions.shift_remove(&first);
    }
    private::write(&known, Value::Object(versions).to_string().as_bytes())?;
    Ok(version)
}

/// What tells one state of the file from any other.
fn state(path: &Path) -> std::io::Result<String> {
    let found = fs::metadata(path)?;
    let (device, inode, size) = (found.dev(), found.ino(), found.size());
    Ok(format!("{}:{device}:{inode}:{size}:{}.{:09}", path.display(), found.ctime(), found.ctime_nsec()))
}

/// An unreadable memory is none.
fn remembered(path: &Path) -> Map<String, Value> {
    let text = private::read(path).ok().flatten().unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// An empty folder to ask in.
fn neutral(home: &Path) -> Result<Folder, RunnerError> {
    let path: PathBuf = home.join("cache/neutral");
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&path);
    made.map_err(|error| RunnerError::Write { path: path.clone(), error })?;
    Folder::grant(&path).map_err(|error| RunnerError::Folder { role: "empty folder", error })
}
