//! Synthesizes circuits of others inside bellperson as published, and takes the time that
//! bellperson itself logs.
//!
//! The way of the data: [`options`] name one of the [`circuits`], which are built by the published
//! crates' own public functions; [`prover`] starts bellperson on it and stops it after the
//! synthesis, whose time [`synthesis_log`] catches; [`mod@measure`] repeats that, and takes the
//! digest, or [`compiled`] does both for compiled constraints; [`report`] prints.
//!
//! bellperson keeps its assignment to itself. So the digest is of a further synthesis, which is not
//! timed, into `porep-synth`'s assignment: it covers all variables, all evaluations of A, B and C
//! and the densities. A `bellpepper-core` that leaves out or changes a term has another digest,
//! and cannot win by that.

#![forbid(unsafe_code)]

pub mod circuits;
pub mod compiled;
pub mod measure;
pub mod options;
pub mod prover;
pub mod report;
pub mod synthesis_log;
