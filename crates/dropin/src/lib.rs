//! What shows that the fork can stand in the registry crate's place under a prover: small circuits
//! that reach the corners of linear combinations, for the tests of this package and for the
//! `groth16-identity` program. Nothing here, and nothing in that program, uses what only the fork
//! has: both are also built on the registry's crate.

#![forbid(unsafe_code)]

mod circuits;
mod pieces;

pub use circuits::Small;
pub use pieces::Pieces;
