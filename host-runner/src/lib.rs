//! Runs winter's policy component: lends it files, a git index and a clock, and applies its plans.
//!
//! ```no_run
//! use winter_runner::{Config, Grants, RunHomeInput, Runner};
//!
//! let mut input = RunHomeInput::new("/home/me/.winter", "/src/it");
//! input.trusted_project_root = Some("/src/it".into());
//! let runner = Runner::new(Config { grants: Grants::for_run_homes(input.reads()), ..Config::default() })?;
//! let home = runner.build_run_home(&input)?;
//! println!("{}: {} things were dropped", home.dir.display(), home.plan.report.dropped_rules.len());
//! home.dispose()?;
//! # Ok::<(), winter_runner::RunnerError>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | [`Runner`] | the component's functions as methods |
//! | [`Grants`] | what the host lends; nothing by default |
//! | [`capability`] | the capabilities themselves |
//! | [`materialize`] | a plan made into a folder, atomically |
//! | [`components`] | the two components as bytes |

pub mod capability;
pub mod components;
mod engine;
mod error;
mod grants;
pub mod json;
pub mod materialize;
mod run_home;
mod runner;
mod switch_review;

pub use contract::types::{Brand, Powers, Spelling};
pub use engine::Limits;
/// The contract's own types, as they cross the border.
pub use engine::bindings::exports::winter::runtime as contract;
pub use error::{Denied, RunnerError};
pub use grants::Grants;
pub use run_home::{RunHome, RunHomeInput, dispose_run_home, git_entry};
pub use runner::{Config, Runner};
pub use switch_review::Transcript;
