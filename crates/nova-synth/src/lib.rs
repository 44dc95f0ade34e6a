//! Synthesizes a step of recursion inside nova-snark and arecibo as published, and times that.
//!
//! The way of the data: [`options`] name a prover, a stage and a [`step`]; [`recursion`] starts the
//! prover by its public functions, and leaves it as soon as the stage is done; [`report`] prints.
//!
//! There are two stages. The *shape* is what a prover makes its keys of: it keeps every
//! constraint's combinations, then turns them into sparse matrices. The *witness* is synthesized
//! for each proof and drops the combinations that `enforce` is given. Neither time has a curve
//! operation in it.
//!
//! The digest is of a whole recursion, which is not timed: it covers the public parameters (thus
//! both shapes) and the proof after two steps, which is verified. A `bellpepper-core` that leaves
//! out or changes a term has another digest, and cannot win by that.

#![forbid(unsafe_code)]

pub mod options;
pub mod recursion;
#[path = "../../prover-synth/src/report.rs"]
pub mod report;
pub mod step;
