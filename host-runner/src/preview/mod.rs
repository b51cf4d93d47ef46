//! The page, served on loopback: a fixed table of names, read-only, to nobody but this machine's own browser.

mod repository;
mod server;
#[cfg(test)]
mod tests;

pub use repository::repository;
pub use server::Server;
