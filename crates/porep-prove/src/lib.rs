//! Proves the partitions of a sealed sector by compiled constraints, with bellperson's parameters.
//!
//! The way of the data: [`options`] say which files; [`parameters`] opens bellperson's; [`porep`]
//! has the sector's circuits and their compiled form; a [`prover::Prover`] makes a proof from both,
//! and verifies it; [`output`] writes all proofs or none.

#![forbid(unsafe_code)]

pub mod options;
pub mod output;
pub mod parameters;
pub mod porep;
pub mod prover;
