//! Black-box tests, one binary: the rules of the house, then the real `trawls` binary from outside.
#![allow(missing_docs, reason = "tests are sentences")]

mod architecture;
