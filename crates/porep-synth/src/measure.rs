//! The measurement: repeated syntheses of one workload, each from fresh circuits into fresh
//! assignments, with only the synthesis itself timed.

use std::time::Instant;

use anyhow::{ensure, Context, Result};
use indicatif::ProgressBar;
use rayon::{prelude::*, ThreadPool};

use crate::{
    count::Counts,
    digest::{self, Hash},
    memory,
    synthesize::{synthesize, Assignment},
    workload::Workload,
};

/// What the repeats gave.
pub struct Measurement {
    /// Of all partitions together.
    pub counts: Counts,
    /// Wall clock of the counting pass, over one partition.
    pub counting_seconds: f64,
    /// What the assignments of all partitions were expected to hold.
    pub needed_bytes: u64,
    /// Wall clock of each repeat.
    pub seconds: Vec<f64>,
    pub digest: String,
}

/// Synthesizes `workload` `repeats` times, with the assignments' capacity reserved if asked for.
///
/// # Errors
/// There is not enough memory, a circuit fails, or repeats differ in what they compute.
pub fn measure<A: Assignment>(
    workload: &Workload,
    repeats: u16,
    reserve: bool,
    pool: &ThreadPool,
    progress: &ProgressBar,
) -> Result<Measurement> {
    progress.set_message("counting");
    let start = Instant::now();
    // Partitions have as many challenges each, and so one size.
    let partition = Counts::of(workload.circuits[0].clone())?;
    let counting_seconds = start.elapsed().as_secs_f64();
    let needed_bytes = A::needed_bytes(partition) * workload.circuits.len() as u64;
    // A growing vector is copied by jemalloc, so that the old block and the new one are there at
    // once; the system's allocator moves its pages.
    let copies = if cfg!(feature = "jemalloc") && !reserve {
        2
    } else {
        1
    };
    progress.suspend(|| memory::announce(needed_bytes * copies))?;

    let mut seconds = Vec::new();
    let mut result = None;
    for repeat in 1..=repeats {
        progress.set_message(format!("synthesis {repeat} of {repeats}"));
        let circuits = workload.circuits.clone();
        let reserved = reserve.then_some(partition);
        let (assignments, elapsed) = synthesize::<A>(circuits, reserved, pool)?;
        progress.inc(1);
        seconds.push(elapsed);

        let counts: Counts = assignments.iter().map(A::counts).sum();
        let partitions: Vec<Hash> =
            pool.install(|| assignments.par_iter().map(A::digest).collect());
        let computed = (counts, digest::whole(&partitions));
        let first = result.get_or_insert_with(|| computed.clone());
        ensure!(
            *first == computed,
            "repeat {repeat} computed {computed:?}, the first {first:?}"
        );
    }
    let (counts, digest) = result.context("nothing was repeated")?;
    Ok(Measurement {
        counts,
        counting_seconds,
        needed_bytes,
        seconds,
        digest,
    })
}
