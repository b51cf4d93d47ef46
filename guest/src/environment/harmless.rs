//! The few names that any settings file may set: looks, locale, verbosity, the kind of a run.
//!
//! A name belongs here only if nothing reads a program, a host, a key or a model from it.

use super::Standing;
use super::table::Group;

pub(super) static GROUPS: &[Group] =
    &[Group::new(Standing::Harmless, "looks, locale, verbosity, the kind of a run").names(NAMES).prefixes(&["LC_"])];

#[rustfmt::skip]
const NAMES: &[&str] = &[
    "CI", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "COLUMNS", "DEBUG", "FORCE_COLOR", "FORCE_HYPERLINK", "LANG",
    "LANGUAGE", "LINES", "LOG_LEVEL", "NODE_DISABLE_COLORS", "NODE_ENV", "NODE_NO_WARNINGS",
    "NODE_PENDING_DEPRECATION", "NO_COLOR", "PORT", "RUST_BACKTRACE", "RUST_LIB_BACKTRACE", "RUST_LOG", "TERM",
    "TZ",
];
