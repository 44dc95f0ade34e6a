//! Synthesizes into a prover's assignment and says nothing of it; what it costs is seen by a
//! simulator that watches the process.

#![forbid(unsafe_code)]

use anyhow::Result;
use clap::Parser;
use lc_probe::{synthesize, Options};
use porep_synth::{assignment::ProvingAssignment, synthesize::Assignment};

fn main() -> Result<()> {
    let assignment = synthesize(&Options::parse(), ProvingAssignment::default())?;
    println!("{{\"constraints\":{}}}", assignment.counts().constraints);
    Ok(())
}
