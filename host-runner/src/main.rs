//! winter
fn main() {}
