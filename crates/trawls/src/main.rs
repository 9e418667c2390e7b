//! Composition root and command line.
fn main() {}
