//! Why there is no plan.

use crate::report::{Refusal, RefusalKind};
use crate::{mcp, settings};

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunHomeError {
    /// The leg is retired.
    #[error("the leg `official` is retired; the leg `winter` serves every model")]
    LegRefused,
    /// The run id could not name a folder.
    #[error("`{0}` is no run id: 8 to 64 of a-z, 0-9 and `-` were expected")]
    RunId(String),
    /// A folder is named that is not absolute.
    #[error("`{0}` is not an absolute path")]
    NotAbsolute(String),
    /// A brand names what could not be a file.
    #[error(
        "the brand's {field} `{value}` is no plain file name, stands twice, or is one that a run folder has for itself"
    )]
    Brand {
        /// Which of its fields.
        field: &'static str,
        /// What it holds.
        value: String,
    },
    /// The session would work outside the project.
    #[error("the working folder {cwd} is not inside the project {root}")]
    CwdOutside {
        /// Where the session would work.
        cwd: String,
        /// The trusted root.
        root: String,
    },
    /// The person's own settings file cannot be read.
    #[error("{path}: {what}")]
    OwnSettings {
        /// The file.
        path: String,
        /// Why.
        what: String,
    },
    /// The person's own settings file is a link into a folder that was not granted.
    #[error("{path} leads to {leads_to}, which was not granted")]
    NotGranted {
        /// The link.
        path: String,
        /// Where it leads.
        leads_to: String,
    },
    /// The person's own global file cannot be read.
    #[error("{path}: {what}")]
    OwnGlobalFile {
        /// The file.
        path: String,
        /// Why.
        what: String,
    },
    /// Containment is asked for, and the person's own settings switch every hook off, its own too.
    #[error("`{0}` in your own settings switches the hook of containment off, too")]
    HooksDisabled(String),
    /// The person's own global file does not hold what it should.
    #[error(transparent)]
    Servers(#[from] mcp::McpError),
    /// The person's own settings file is unusable.
    #[error(transparent)]
    Settings(#[from] settings::SettingsError),
}

impl From<RunHomeError> for Refusal {
    fn from(error: RunHomeError) -> Self {
        let message = error.to_string();
        let (kind, help, source) = match error {
            RunHomeError::Settings(error) => return error.into(),
            RunHomeError::Servers(error) => return error.into(),
            RunHomeError::OwnGlobalFile { path, .. } => (
                RefusalKind::UnusableSettings,
                "mend the file, or move it away: a session without it would run without your own servers".to_owned(),
                Some(path),
            ),
            RunHomeError::LegRefused => (RefusalKind::LegRefused, "ask for the leg `winter`".to_owned(), None),
            RunHomeError::RunId(_) => (RefusalKind::BadInput, "leave the run id to the runner".to_owned(), None),
            RunHomeError::NotAbsolute(_) => (RefusalKind::BadInput, "give it from the root, `/`".to_owned(), None),
            RunHomeError::Brand { .. } => (RefusalKind::BadInput, "mend the brand's profile".to_owned(), None),
            RunHomeError::HooksDisabled(key) => {
                (RefusalKind::BadInput, format!("take `{key}` out of your settings, or ask for no containment"), None)
            }
            RunHomeError::CwdOutside { .. } => {
                (RefusalKind::BadInput, "name a working folder inside the project, or another project".to_owned(), None)
            }
            RunHomeError::OwnSettings { path, .. } => (
                RefusalKind::UnusableSettings,
                "mend the file: a session without it would run without your own rules".to_owned(),
                Some(path),
            ),
            RunHomeError::NotGranted { path, leads_to } => {
                let folder =
                    leads_to.rsplit_once('/').map_or("/", |(folder, _)| if folder.is_empty() { "/" } else { folder });
                (RefusalKind::Denied, format!("--grant-read {folder} would grant it"), Some(path))
            }
        };
        Self { kind, message, help, source, line: None, column: None }
    }
}
