//! Which folders a command concerns: what the person named, and the defaults for the rest.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use winter_runner::contract::run_home::Mode;
use winter_runner::{Brand, Powers, RunHomeInput, RunnerError, brand_from_file, git_entry, hook_command};

/// The flags that `build`, `plan` and `inspect` share.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
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
    /// Your own items. Default: `sdk` in winter's home; for brand claude `CLAUDE_CONFIG_DIR`, else ~/.claude
    #[arg(long, value_name = "DIR")]
    shared_home: Option<PathBuf>,
    /// Which runtime the run home is for: winter, claude, or a file that describes a brand of your own. Default: winter
    #[arg(long, value_name = "BRAND|FILE")]
    brand: Option<PathBuf>,
    /// What the session is for.
    #[arg(long, value_enum, default_value_t = ModeName::Code)]
    mode: ModeName,
    /// The session was dispatched by another: it gets no output style.
    #[arg(long)]
    dispatch_child: bool,
    /// Where the session keeps its memory.
    #[arg(long, value_name = "DIR")]
    memory_dir: Option<String>,
    /// An MCP server that you switched off; may be given more than once.
    #[arg(long, value_name = "NAME")]
    disable_mcp: Vec<String>,
    /// A name that no configured MCP server may take; may be given more than once.
    #[arg(long, value_name = "NAME")]
    reserve_mcp: Vec<String>,
    /// Read nothing of the project.
    #[arg(long)]
    untrusted: bool,
    /// Whether what acts in the project's configuration (hooks, helpers, allow rules, ...) may act.
    #[arg(long, value_enum, default_value_t = PowersName::Drop)]
    powers: PowersName,
    /// A further folder in which links of your own may end; may be given more than once.
    #[arg(long, value_name = "DIR")]
    grant_read: Vec<PathBuf>,
    /// A bound on what is read and carried: text, skill-file, items, total, import-depth or folders; may be given more
    /// than once.
    #[arg(long, value_name = "BOUND=NUMBER", value_parser = bound)]
    bound: Vec<(Bound, u64)>,
    /// Install a hook in the session that refuses calls of tools which name what is protected (`winter explain containment`).
    #[arg(long)]
    containment: bool,
    /// Go on without a protection of your own that the runtime's sandbox would ignore.
    #[arg(long)]
    allow_inexpressible: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Bound {
    Text,
    SkillFile,
    Items,
    Total,
    ImportDepth,
    Folders,
}

/// `items=20000`
fn bound(word: &str) -> Result<(Bound, u64), String> {
    let (name, number) = word.split_once('=').ok_or("a bound and a number, joined by `=`, were expected")?;
    let bound = Bound::from_str(name, false)
        .map_err(|_| "text, skill-file, items, total, import-depth or folders was expected".to_owned())?;
    let number: u64 = number.parse().map_err(|error| format!("`{number}` is no number: {error}"))?;
    let most = match bound {
        Bound::Text | Bound::SkillFile | Bound::Total => u64::from(u32::MAX),
        Bound::Items | Bound::Folders => 131_072,
        Bound::ImportDepth => 64,
    };
    if number > most { Err(format!("at most {most} was expected")) } else { Ok((bound, number)) }
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
        self.input_like("winter")
    }

    /// The same, with another brand where none is named.
    pub(super) fn input_like(&self, brand: &str) -> Result<RunHomeInput, RunnerError> {
        let brand = self.brand.as_deref().unwrap_or(Path::new(brand));
        let user_home = user_home();
        let home = home(self.home.clone())?;
        let (cwd, project) = self.cwd_and_project(user_home.as_deref())?;
        let mut input = RunHomeInput::new(home, cwd);
        input.brand = self::brand(Some(brand))?;
        if let Brand::Claude = input.brand {
            let named = set("CLAUDE_CONFIG_DIR");
            if named.is_none() {
                input.global_file = user_home.as_ref().map(|home| home.join(".claude.json"));
            }
            input.shared_home = claude_home()?;
        }
        if let Some(shared_home) = &self.shared_home {
            // Named by hand and not there: a slip, for which the person's own rules would be missing.
            if !shared_home.is_dir() {
                return Err(RunnerError::BadInput {
                    what: format!("the shared home {} is no folder", shared_home.display()),
                    help: "name the folder that holds your own settings, or make it first".to_owned(),
                });
            }
            input.shared_home.clone_from(shared_home);
            input.global_file = None;
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
        if self.containment {
            let program = std::env::current_exe().map_err(|error| RunnerError::BadInput {
                what: format!("the path of this program cannot be told: {error}"),
                help: "start it by its path".to_owned(),
            })?;
            input.containment_hook =
                Some(hook_command(&program, &input.home, &input.shared_home, input.global_file.as_deref())?);
        }
        input.dispatch_child = self.dispatch_child;
        input.memory_dir = self.memory_dir.clone().unwrap_or_default();
        input.mcp_disabled.clone_from(&self.disable_mcp);
        input.reserved_mcp_server_names.clone_from(&self.reserve_mcp);
        for (bound, number) in &self.bound {
            // `bound` has seen to it that they fit.
            let count = u32::try_from(*number).unwrap_or(u32::MAX);
            match bound {
                Bound::Text => input.bounds.text = *number,
                Bound::SkillFile => input.bounds.skill_file = *number,
                Bound::Items => input.bounds.items = count,
                Bound::Total => input.bounds.total = *number,
                Bound::ImportDepth => input.bounds.import_depth = count,
                Bound::Folders => input.bounds.folders = count,
            }
        }
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

/// The brand of that name, or of that file; winter where none is named.
pub(super) fn brand(named: Option<&Path>) -> Result<Brand, RunnerError> {
    match named.map(|named| (named, named.to_str())) {
        None | Some((_, Some("winter"))) => Ok(Brand::Winter),
        Some((_, Some("claude"))) => Ok(Brand::Claude),
        Some((file, _)) => brand_from_file(file),
    }
}

/// The config folder of the public program.
pub(super) fn claude_home() -> Result<PathBuf, RunnerError> {
    let named = set("CLAUDE_CONFIG_DIR");
    named.or_else(|| user_home().map(|home| home.join(".claude"))).ok_or_else(no_home)
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
