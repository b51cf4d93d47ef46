//! What the manifest of a run folder begins with.

use serde::Serialize;

use super::{Bounds, CONTRACT_VERSION, Input, Leg, Mode, Places};
use crate::brand::Profile;
use crate::ports::Folder;
use crate::tier::Powers;

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Manifest<'a> {
    contract_version: u32,
    run_id: &'a str,
    built_at: u64,
    brand: &'a Profile,
    leg: Leg,
    mode: Mode,
    dispatch_child: bool,
    powers: Powers,
    home: &'a str,
    shared_home: Option<String>,
    cwd: String,
    trusted_root: Option<String>,
    git_top: Option<String>,
    memory_dir: &'a str,
    mcp_disabled: &'a [String],
    reserved_mcp_server_names: &'a [String],
    bounds: Bounds,
}

pub(super) fn manifest<F: Folder>(input: &Input, places: &Places<F>, root: Option<&F>, now: u64) -> String {
    let manifest = Manifest {
        contract_version: CONTRACT_VERSION,
        run_id: &input.run_id,
        built_at: now,
        brand: &input.brand,
        leg: input.leg,
        mode: input.mode,
        dispatch_child: input.dispatch_child,
        powers: input.powers,
        home: &input.home,
        shared_home: places.shared_home.as_ref().map(Folder::path),
        cwd: places.cwd.path(),
        trusted_root: root.map(Folder::path),
        git_top: places.git_top.as_ref().map(Folder::path),
        memory_dir: &input.memory_dir,
        mcp_disabled: &input.mcp_disabled,
        reserved_mcp_server_names: &input.reserved_mcp_server_names,
        bounds: input.bounds,
    };
    // A struct of strings and numbers always has a JSON form.
    serde_json::to_string(&manifest).unwrap_or_default()
}
