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
//! | [`settings`] | what is left of three settings files, as one document |

pub mod brand;
pub mod environment;
pub mod escape;
pub mod ports;
pub mod tier;
