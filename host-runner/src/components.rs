//! The two components that the build made, as bytes for any host.

use sha2::{Digest, Sha256};

/// One component.
#[derive(Clone, Copy, Debug)]
pub struct ComponentFile {
    /// Its file name, without `.wasm`.
    pub name: &'static str,
    /// The world of `wit/` that it is.
    pub world: &'static str,
    /// The component.
    pub wasm: &'static [u8],
}

/// Pure decisions: imports nothing.
pub const POLICY: ComponentFile = ComponentFile {
    name: "winter-policy",
    world: "winter:runtime/policy",
    wasm: include_bytes!(concat!(env!("OUT_DIR"), "/winter-policy.wasm")),
};

/// The same decisions and the run home: imports the capabilities of `winter:host`.
pub const RUNTIME: ComponentFile = ComponentFile {
    name: "winter-runtime",
    world: "winter:runtime/runtime",
    wasm: include_bytes!(concat!(env!("OUT_DIR"), "/winter-runtime.wasm")),
};

/// What the build saw each component import, by component name.
static IMPORTS: &[(&str, &[&str])] = include!(concat!(env!("OUT_DIR"), "/imports.rs"));

impl ComponentFile {
    /// SHA-256 of the component, in hexadecimal.
    ///
    /// ```
    /// assert_eq!(winter_runner::components::POLICY.digest().len(), 64);
    /// ```
    pub fn digest(&self) -> String {
        Sha256::digest(self.wasm).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The interfaces that it imports.
    ///
    /// ```
    /// assert!(winter_runner::components::POLICY.imports().is_empty());
    /// ```
    pub fn imports(&self) -> &'static [&'static str] {
        IMPORTS.iter().find(|(name, _)| *name == self.name).map_or(&[], |(_, imports)| imports)
    }
}
