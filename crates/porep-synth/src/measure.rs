//! The measurement: repeated syntheses of one workload, each from fresh circuits into fresh
//! assignments, with only the synthesis itself timed.

use std::time::Instant;

use anyhow::{ensure, Context, Result};
use indicatif::ProgressBar;
use rayon::{prelude::*, ThreadPool};

use crate::{
    count::Counts,
    digest::{self, Hash},
    memory::Room,
    synthesize::{synthesize, Assignment},
    workload::Workload,
};

/// What the repeats gave.
pub struct Measurement {
    /// Of all partitions together.
    pub counts: Counts,
    /// Wall clock of the counting pass over one partition, if there was one.
    pub counting_seconds: Option<f64>,
    /// What the assignments of all partitions hold.
    pub assignment_bytes: u64,
    /// Wall clock of each repeat.
    pub seconds: Vec<f64>,
    pub digest: String,
}

/// An upper bound of what an assignment holds for each challenge: some eight million constraints and
/// variables, more than there are in a sector of 64 GiB. It spares most runs the counting pass,
/// which takes a third of the time of a synthesis.
const CHALLENGE_BYTES: u64 = 1 << 30;

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
    let room = Room::here()?;
    let partitions = workload.circuits.len() as u64;
    // A growing vector is copied by jemalloc, so that the old block and the new one are there at
    // once; the system's allocator moves its pages.
    let copies = cfg!(feature = "jemalloc") && !reserve;
    let mut needed_bytes = CHALLENGE_BYTES * workload.challenges as u64 * partitions;
    if copies {
        needed_bytes *= 2;
    }
    let mut counting_seconds = None;
    let mut reserved = None;
    if reserve || needed_bytes > room.bytes {
        progress.set_message("counting");
        let start = Instant::now();
        // Partitions have as many challenges each, and so one size.
        let counts = Counts::of(workload.circuits[0].clone())?;
        counting_seconds = Some(start.elapsed().as_secs_f64());
        needed_bytes = A::held_bytes(counts);
        if copies {
            let copying_bytes = 2 * A::held_bytes(counts.before_last_doubling());
            needed_bytes = needed_bytes.max(copying_bytes);
        }
        // The circuits and the rest of the process: 1.7% was the most seen above a partition's size.
        needed_bytes += needed_bytes / 20;
        needed_bytes *= partitions;
        reserved = reserve.then_some(counts);
    }
    progress.suspend(|| room.announce(needed_bytes))?;

    let mut seconds = Vec::new();
    let mut result = None;
    for repeat in 1..=repeats {
        progress.set_message(format!("synthesis {repeat} of {repeats}"));
        let circuits = workload.circuits.clone();
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
        assignment_bytes: A::held_bytes(counts),
        seconds,
        digest,
    })
}
