//! What the tests of every area take in, so that the same tests run on this machine, in Node and in a browser.

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use std::{prelude::v1::test, time::Instant};
#[cfg(target_arch = "wasm32")]
pub(crate) use {wasm_bindgen_test::wasm_bindgen_test as test, web_time::Instant};
