//! The contract's types, as Wasmtime makes them out of `wit/`.

#![allow(missing_docs, clippy::pedantic, unreachable_pub)]

wasmtime::component::bindgen!({
    world: "runtime",
    path: "../wit",
    imports: { default: trappable },
    with: { "winter:host/files.folder": crate::capability::files::Folder },
});
