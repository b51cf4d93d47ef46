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
        hex(&Sha256::digest(self.wasm))
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

/// Bytes in hexadecimal, lower case.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    halves.filter_map(|half| char::from_digit(half.into(), 16)).collect()
}
