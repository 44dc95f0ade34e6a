//! Proofs are bellperson's, byte for byte; what cannot be one is refused; and another prover finds
//! the same values in memory.

#![forbid(unsafe_code)]

mod circuits;
mod proofs;
#[cfg(target_os = "linux")]
mod supraseal;
