//! The contract's types and exports, as wit-bindgen makes them out of `wit/`.

#![allow(missing_docs, unreachable_pub, clippy::all, clippy::pedantic)]

#[cfg(not(feature = "runtime-world"))]
wit_bindgen::generate!({ world: "policy", path: "../wit", generate_all, pub_export_macro: true });
#[cfg(feature = "runtime-world")]
wit_bindgen::generate!({ world: "runtime", path: "../wit", generate_all, pub_export_macro: true });
