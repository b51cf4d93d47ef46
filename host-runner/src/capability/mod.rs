//! What the runner lends to the policy, one capability a file.

pub mod files;
pub mod git_index;
pub mod process;
