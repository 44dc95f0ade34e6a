//! `kept-bytes NAME`: what a `TestConstraintSystem` that keeps a whole circuit holds, as one line
//! of JSON. Bytes are those that the allocator was asked for and not given back.

#![forbid(unsafe_code)]

use std::alloc::System;

use anyhow::Result;
use bellperson::{util_cs::test_cs::TestConstraintSystem, Circuit};
use blstrs::Scalar;
use clap::{Parser, ValueEnum};
use prover_synth::{circuits::Name, report::STORAGE};
use serde_json::json;
use stats_alloc::{Region, StatsAlloc, INSTRUMENTED_SYSTEM};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Print what a constraint system that keeps a whole circuit holds.
#[derive(Parser)]
struct Options {
    /// The circuit
    #[arg(value_enum)]
    circuit: Name,
}

fn main() -> Result<()> {
    let Options { circuit } = Options::parse();
    let subject = circuit.subject()?;
    let region = Region::new(ALLOCATOR);
    let mut cs = TestConstraintSystem::<Scalar>::new();
    subject.synthesize(&mut cs)?;
    let change = region.change();
    let line = json!({
        "circuit": circuit.to_possible_value().expect("none is hidden").get_name(),
        "storage": STORAGE,
        "constraints": cs.num_constraints(),
        "held_bytes": change.bytes_allocated - change.bytes_deallocated,
    });
    println!("{line}");
    Ok(())
}
