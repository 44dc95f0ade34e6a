//! Synthesizes Filecoin's real Proof-of-Replication circuit as a prover does, and measures that.
//!
//! The way of the data: [`options`] say what is asked for; [`sector`] seals a small sector, or
//! [`c1`] reads what a miner's sealing left, and either gives a [`workload::Workload`], the
//! circuits of the partitions; [`mod@measure`] repeats their synthesis, for which [`count`] finds
//! how large they are and [`memory`] whether they fit; [`mod@synthesize`] runs them in parallel
//! into [`assignment`]s (or [`witness`]es, or [`stream`]s), and [`compiled`] measures it where only
//! the witness comes from the circuit; [`digest`] tells whether two runs computed the same;
//! [`report`] prints. [`workdir`] keeps the files of the sealing in one folder that goes away with
//! the program.
//!
//! What is measured is a prover's work with linear combinations; how these are stored is the
//! business of `bellpepper-core`, and comparing storages is that of `lc-ab`.

#![forbid(unsafe_code)]

pub mod assignment;
pub mod c1;
pub mod compact;
pub mod compiled;
pub mod count;
pub mod digest;
pub mod measure;
pub mod memory;
pub mod options;
pub mod panics;
pub mod report;
pub mod sector;
pub mod stream;
pub mod synthesize;
pub mod witness;
pub mod workdir;
pub mod workload;
