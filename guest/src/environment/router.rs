//! What the door sets, and so no settings file does.

use super::table::{Brands, Group};
use super::{ROUTER_OWNED, TRAFFIC};

/// What the door sets for a brand of the contract, after the brand's prefix (the library's contract).
pub const ROUTER_OWNED_SUFFIXES: &[&str] =
    &["DISABLE_CRON", "HOME", "PLUGIN_CACHE_DIR", "PROVIDER_MANAGED_BY_HOST", "STORE_HOME"];

/// What the door sets for the public program (the library's contract; measured on Claude Code 2.1.250).
pub const ROUTER_OWNED_CLAUDE_NAMES: &[&str] = &[
    "CLAUDE_CODE_DISABLE_CRON",
    "CLAUDE_CODE_PLUGIN_CACHE_DIR",
    "CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_SECURESTORAGE_CONFIG_DIR",
];

/// What turns remote configuration, telemetry, error reports and updates off; the door sets all four unless the host
/// allows remote configuration (the library's contract).
pub const TRAFFIC_OPT_OUT_VARIABLES: &[&str] = &[
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "DISABLE_AUTOUPDATER",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_TELEMETRY",
];

pub(super) static GROUPS: &[Group] = &[
    Group::refused(&ROUTER_OWNED, "the run folder, the shared home and the host's switches")
        .names(ROUTER_OWNED_SUFFIXES)
        .only(Brands::Contract),
    Group::refused(&ROUTER_OWNED, "the run folder, the shared home and the host's switches")
        .names(ROUTER_OWNED_CLAUDE_NAMES)
        .only(Brands::Public),
    Group::refused(&TRAFFIC, "remote configuration, telemetry, error reports, updates")
        .names(TRAFFIC_OPT_OUT_VARIABLES),
];
