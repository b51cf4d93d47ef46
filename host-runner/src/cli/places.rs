//! Which folders a command concerns: what the person named, and the defaults for the rest.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use winter_runner::contract::run_home::Mode;
use winter_runner::{Brand, Powers, RunHomeInput, RunnerError, git_entry};

/// The flags that `build`, `plan` and `inspect` share.
#[derive(Args)]
pub(super) struct Places {
    /// The project whose configuration is read. Default: the nearest folder at or above the working folder that holds a
    /// `.git` entry, else the working folder.
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,
    /// Where the session works. Default: the current folder, where it is inside the project; else the project.
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Winter's home. Default: ~/.winter
    #[arg(long, value_name = "DIR", env = "WINTER_HOME")]
    home: Option<PathBuf>,
    /// Which runtime the run home is for.
    #[arg(long, value_enum, default_value_t = BrandName::Winter)]
    brand: BrandName,
    /// What the session is for.
    #[arg(long, value_enum, default_value_t = ModeName::Code)]
    mode: ModeName,
    /// Read nothing of the project.
    #[arg(long)]
    untrusted: bool,
    /// Whether what acts in the project's configuration (hooks, helpers, allow rules, ...) may act.
    #[arg(long, value_enum, default_value_t = PowersName::Drop)]
    powers: PowersName,
    /// A further folder in which links of your own may end; may be given more than once.
    #[arg(long, value_name = "DIR")]
    grant_read: Vec<PathBuf>,
    /// Go on without a protection of your own that the runtime's sandbox would ignore.
    #[arg(long)]
    allow_inexpressible: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum BrandName {
    Winter,
    Claude,
}

#[derive(Clone, Copy, ValueEnum)]
enum ModeName {
    Code,
    Dispatch,
    Chat,
}

#[derive(Clone, Copy, ValueEnum)]
enum PowersName {
    Keep,
    Drop,
}

impl Places {
    /// The input that these flags and this environment come to.
    pub(super) fn input(&self) -> Result<RunHomeInput, RunnerError> {
        let user_home = user_home();
        let home = home(self.home.clone())?;
        let (cwd, project) = self.cwd_and_project(user_home.as_deref())?;
        let mut input = RunHomeInput::new(home, cwd);
        if let BrandName::Claude = self.brand {
            let claude_home = set("CLAUDE_CONFIG_DIR").or_else(|| user_home.as_ref().map(|home| home.join(".claude")));
            input.brand = Brand::Claude;
            input.shared_home = claude_home.ok_or_else(no_home)?;
        }
        input.git_root = git_entry(&input.cwd, user_home.as_deref()).filter(|top| top.starts_with(&project));
        input.trusted_project_root = (!self.untrusted).then_some(project);
        input.user_home = user_home;
        input.grant_read.clone_from(&self.grant_read);
        input.mode = match self.mode {
            ModeName::Code => Mode::Code,
            ModeName::Dispatch => Mode::Dispatch,
            ModeName::Chat => Mode::Chat,
        };
        input.powers = match self.powers {
            PowersName::Keep => Powers::Keep,
            PowersName::Drop => Powers::Drop,
        };
        input.allow_inexpressible = self.allow_inexpressible;
        Ok(input)
    }

    fn cwd_and_project(&self, user_home: Option<&Path>) -> Result<(PathBuf, PathBuf), RunnerError> {
        let current = || {
            std::env::current_dir().map_err(|error| RunnerError::BadInput {
                what: format!("the current folder cannot be told: {error}"),
                help: "name the working folder with --cwd".to_owned(),
            })
        };
        let Some(project) = &self.project else {
            let cwd = self.cwd.clone().map_or_else(current, Ok)?;
            let project = git_entry(&cwd, user_home).unwrap_or_else(|| cwd.clone());
            return Ok((cwd, project));
        };
        let project = real("project", project)?;
        let cwd = match &self.cwd {
            Some(cwd) => cwd.clone(),
            None => current().ok().filter(|current| current.starts_with(&project)).unwrap_or_else(|| project.clone()),
        };
        Ok((cwd, project))
    }
}

fn real(role: &'static str, path: &Path) -> Result<PathBuf, RunnerError> {
    let opened = winter_runner::capability::files::Folder::grant(path);
    opened.map(|folder| PathBuf::from(folder.path())).map_err(|error| RunnerError::Folder { role, error })
}

/// Winter's home: as it was named, else `~/.winter`.
pub(super) fn home(named: Option<PathBuf>) -> Result<PathBuf, RunnerError> {
    match named {
        Some(home) if home.as_os_str().is_empty() => Err(RunnerError::BadInput {
            what: "the home is named by an empty word".to_owned(),
            help: "give --home a folder, or unset WINTER_HOME".to_owned(),
        }),
        Some(home) => Ok(home),
        None => user_home().map(|home| home.join(".winter")).ok_or_else(no_home),
    }
}

fn no_home() -> RunnerError {
    RunnerError::BadInput {
        what: "there is no HOME".to_owned(),
        help: "set HOME, or name the home with --home".to_owned(),
    }
}

fn user_home() -> Option<PathBuf> {
    set("HOME").filter(|home| home.is_absolute())
}

fn set(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
