//! `winter models`.

use std::path::PathBuf;

use clap::Args;
use winter_runner::contract::catalog::Document;
use winter_runner::{Config, Runner, RunnerError, json};

use super::human;

#[derive(Args)]
pub(crate) struct Models {
    /// Only models of this family.
    #[arg(long, value_name = "F")]
    family: Option<String>,
    /// A JSON document of your own, laid over the built-in catalog by tag; may be given more than once, later ones win.
    #[arg(long, value_name = "FILE")]
    catalog: Vec<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    pub(super) json: bool,
}

impl Models {
    pub(super) fn run(&self) -> Result<(), RunnerError> {
        let mut models = Runner::new(Config::default())?.models(&documents(&self.catalog)?)?;
        if let Some(family) = &self.family {
            let mut families: Vec<String> = models.iter().map(|model| model.family.clone()).collect();
            models.retain(|model| model.family == *family);
            if models.is_empty() {
                families.sort();
                families.dedup();
                return Err(RunnerError::BadInput {
                    what: format!("no model is of the family `{family}`"),
                    help: format!("the families are {}", families.join(", ")),
                });
            }
        }
        if self.json {
            return human::value(&serde_json::json!({"models": models.iter().map(json::model).collect::<Vec<_>>()}));
        }
        human::out(&human::models(&models))
    }
}

/// The most bytes that are read of one document.
const MOST: u64 = 64 << 20;

/// Reads catalog documents; their paths name them in errors.
pub(super) fn documents(paths: &[PathBuf]) -> Result<Vec<Document>, RunnerError> {
    paths.iter().map(|path| document(path)).collect()
}

/// Reads one document.
pub(super) fn document(path: &std::path::Path) -> Result<Document, RunnerError> {
    let fault = |what: String| RunnerError::BadInput {
        what: format!("{}: {what}", path.display()),
        help: format!("name a regular file of at most {MOST} bytes that can be read"),
    };
    // Looked at before it is opened: a FIFO would wait for a writer, a device would never end.
    let found = std::fs::metadata(path).map_err(|error| fault(error.to_string()))?;
    if !found.is_file() {
        return Err(fault("it is not a regular file".to_owned()));
    }
    if found.len() > MOST {
        return Err(fault(format!("it holds {} bytes", found.len())));
    }
    let text = std::fs::read(path).map_err(|error| fault(error.to_string()))?;
    Ok(Document { name: path.display().to_string(), text })
}
