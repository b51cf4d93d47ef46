// The one engine configuration: the build script compiles the component with it, and the program runs it with it.
// It is included by both, so that they cannot differ.

/// The configuration, for the baseline processor of `target` (the machine that the program was built for).
pub(crate) fn config(target: Option<&str>) -> wasmtime::Result<wasmtime::Config> {
    let mut config = wasmtime::Config::new();
    config.epoch_interruption(true);
    // A guest traps or answers; where it trapped is of no use to a person, and the tables for it are half of the file.
    config.wasm_backtrace_max_frames(None);
    config.generate_address_map(false);
    config.concurrency_support(false);
    if let Some(target) = target {
        config.target(target)?;
    }
    Ok(config)
}
