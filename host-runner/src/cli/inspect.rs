//! `winter inspect`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use winter_runner::components::{self, ComponentFile};
use winter_runner::{Grants, RunnerError, web};

use super::human;
use super::places::Places;

#[derive(Args)]
pub(crate) struct Inspect {
    #[command(flatten)]
    places: Places,
    /// Write both components into this folder, for hosts of your own.
    #[arg(long, value_name = "DIR")]
    extract: Option<PathBuf>,
    /// Write the preview page into this folder, for a web server of your own.
    #[arg(long, value_name = "DIR")]
    extract_web: Option<PathBuf>,
    /// Write the npm package into this folder, ready to be packed.
    #[arg(long, value_name = "DIR")]
    extract_npm: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

impl Inspect {
    pub(super) fn json(&self) -> bool {
        self.json
    }

    pub(super) fn run(&self) -> Result<(), RunnerError> {
        let files = [components::POLICY, components::RUNTIME];
        if let Some(folder) = &self.extract {
            for file in files {
                write(folder, &file)?;
            }
        }
        if let Some(folder) = &self.extract_web {
            web::write(folder, web::page())?;
        }
        if let Some(folder) = &self.extract_npm {
            web::write(folder, web::package())?;
        }
        let input = self.places.input()?;
        let grants = Grants::for_run_homes(input.reads());
        if self.json {
            let files: Vec<_> = files
                .iter()
                .map(|file| {
                    json!({"name": file.name, "world": file.world, "bytes": file.wasm.len(), "sha256": file.digest(),
                        "imports": file.imports()})
                })
                .collect();
            let read: Vec<_> = grants.read.iter().map(|path| path.display().to_string()).collect();
            let grants = json!({"files": {"read": read, "links": grants.links}, "git-index": grants.git_index, "clock": grants.clock, "process": false});
            human::value(&json!({"components": files, "grants": grants}))
        } else {
            human::out(&human::inspection(&files, &grants))
        }
    }
}

fn write(folder: &Path, file: &ComponentFile) -> Result<(), RunnerError> {
    let path = folder.join(format!("{}.wasm", file.name));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, file.wasm));
    written.map_err(|error| RunnerError::Write { path, error })
}
