//! Runs winter's policy component: lends it files, a git index, programs and a clock, and applies its plans.
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
//! | [`runs`] | the run homes that stand: which there are, and how one differs |
//! | [`recovery`] | a working copy's transcripts brought home |
//! | [`session`] | a program on a run home, and what is done when it has ended |
//! | [`components`] | the two components as bytes |
//! | [`preview`] | the page, served on loopback |
//! | [`web`] | the page and the npm package as files |

mod brand;
pub mod capability;
pub mod components;
mod containment;
mod engine;
mod error;
mod grants;
pub mod json;
pub mod materialize;
pub mod preview;
mod private;
pub mod recovery;
mod run_home;
mod runner;
pub mod runs;
pub mod session;
mod switch_review;
pub mod web;

pub use brand::brand_from_file;
pub use containment::{containment_places, hook_command};
pub use contract::types::{Brand, Powers, Spelling};
/// The contract's own types, as they cross the border.
pub use engine::bindings::exports::winter::runtime as contract;
pub use engine::{Limits, compiled};
pub use error::{Denied, RunnerError};
pub use grants::Grants;
pub use run_home::{DEFAULT_BOUNDS, RunHome, RunHomeInput, dispose_run_home, git_entry};
pub use runner::{Config, Runner};
pub use switch_review::Transcript;
