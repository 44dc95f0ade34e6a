//! The command line.

use std::path::PathBuf;

use clap::Parser;

/// Prove the partitions of a sealed sector by compiled constraints.
///
/// Each proof is verified before any is written.
///
/// Exit codes: 0 done, 1 failed, 2 bad usage.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Options {
    /// The Groth16 parameters of the sector's circuit, as bellperson and filecoin-proofs write
    /// them.
    #[arg(long, value_name = "FILE")]
    pub params: PathBuf,

    /// The sector: the C1 output of Lotus or Curio, in JSON.
    #[arg(long, value_name = "FILE")]
    pub c1: PathBuf,

    /// Which of the sector's partitions, counted from 0 [default: all].
    #[arg(long, value_name = "K")]
    pub partition: Option<usize>,

    /// The compiled circuit; made if there is no such file [default: compiled for this run alone].
    #[arg(long, value_name = "FILE")]
    pub compiled: Option<PathBuf>,

    /// Where the proofs go: 192 bytes per partition, in their order. A file of this name is
    /// replaced.
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}
