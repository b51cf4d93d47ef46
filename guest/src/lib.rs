//! What a coding-agent session may be given: every decision of winter, without any I/O.
//!
//! Areas, in the order in which they may use each other (each only those before it):
//!
//! | area | decides |
//! |---|---|
//! | [`ports`] | nothing: the traits that decisions read the world through |
//! | [`brand`] | the names and grammars of one runtime |
//! | [`escape`] | how a literal path is spelt in a permission rule and in a sandbox list |
//! | [`environment`] | which variables a settings file may set |
//! | [`powers`] | what acts in a repository's configuration, and whether it may |
//! | [`settings`] | what is left of three settings files, as one document |
//! | [`catalog`] | which models there are, and what is known of them |
//! | [`selection`] | which runtime, provider and credential serve a request |
//! | [`switch_review`] | what a change of the model would lose |
//! | [`reading`] | which file a path names, and whether it may be read |
//! | [`names`] | which names are one |
//! | [`mcp`] | which MCP servers of a person's and a repository's files a session starts with |
//! | [`frontmatter`] | what of an item's header and text may stay |
//! | [`instructions`] | what an instructions file imports, and how it stands beside others |
//! | [`run_home`] | what the config folder of one run holds |
//! | [`door`] | whether a session may start, and with what |
//! | [`carry`] | what of the settings that a session changed becomes the person's own |
//! | [`recovery`] | what becomes of a working copy's transcripts |
//! | [`containment`] | which calls of a tool name what is protected |
//! | [`advice`] | how grave each reason of a report is |
//! | [`explain`] | nothing: it prints the tables of the others |
//!
//! [`tier`] and [`report`] are the words that all of them share; [`memory`] is a host for tests and for places that
//! have no file system. `component` (only in a WebAssembly build) is the border: WIT on one side, these areas on the other.

pub mod advice;
pub mod brand;
pub mod carry;
pub mod catalog;
#[cfg(any(feature = "policy-world", feature = "runtime-world"))]
mod component;
pub mod containment;
pub mod door;
pub mod environment;
pub mod escape;
pub mod explain;
pub mod frontmatter;
pub mod instructions;
pub mod mcp;
pub mod memory;
pub mod names;
mod normal;
mod order;
pub mod ports;
pub mod powers;
pub mod reading;
pub mod recovery;
pub mod report;
pub mod run_home;
pub mod selection;
pub mod settings;
pub mod switch_review;
#[cfg(test)]
mod testing;
pub mod tier;
