//! Programs that the host granted by name: each resolved once, and started with nothing inherited.
//!
//! A program is an absolute path from the moment it is granted. It is never looked for through an entry of `PATH` that
//! is empty, relative, or inside the project, and it never is a file inside the project: what a repository ships is not
//! started because its folder was on the way.
//!
//! A child gets its whole environment, its working folder through an open handle, and no descriptor but its three
//! streams.

mod resolve;
mod start;
#[cfg(test)]
mod tests;

pub use resolve::{Program, ProgramError, TrustedPath, trusted_path};
pub use start::Streams;
pub(crate) use start::{Start, start};
