//! `shape-bytes PROVER STEP`: what a prover holds when the shape of its circuit is complete, as one
//! line of JSON. Bytes are those that the allocator was asked for and not given back: of the kept
//! combinations and of the sparse matrices made of them.

#![forbid(unsafe_code)]

use std::{
    alloc::System,
    sync::{
        atomic::{AtomicUsize, Ordering},
        Arc,
    },
};

use anyhow::Result;
use clap::Parser;
use nova_synth::{
    options::{name, Prover},
    recursion::{arecibo, nova, Watch},
    report::STORAGE,
    step::Step,
};
use serde_json::json;
use stats_alloc::{StatsAlloc, INSTRUMENTED_SYSTEM};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Print what a prover holds when the shape of its circuit is complete.
#[derive(Parser)]
struct Options {
    /// The prover
    #[arg(value_enum)]
    prover: Prover,
    /// What the step does
    #[arg(value_enum)]
    step: Step,
}

/// What was held where the synthesis began.
#[derive(Default)]
struct Held(AtomicUsize);

fn held_bytes() -> usize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}

impl Watch for Held {
    fn started(&self) {
        self.0.store(held_bytes(), Ordering::Relaxed);
    }

    fn done(&self) {
        self.0.store(
            held_bytes() - self.0.load(Ordering::Relaxed),
            Ordering::Relaxed,
        );
    }
}

fn main() -> Result<()> {
    let Options { prover, step } = Options::parse();
    let held = Arc::new(Held::default());
    match prover {
        Prover::Nova => nova::shape(step, held.clone()),
        Prover::Arecibo => arecibo::shape(step, held.clone()),
    }?;
    let line = json!({
        "circuit": format!("{}-shape-{}", name(prover), name(step)),
        "storage": STORAGE,
        "held_bytes": held.0.load(Ordering::Relaxed),
    });
    println!("{line}");
    Ok(())
}
