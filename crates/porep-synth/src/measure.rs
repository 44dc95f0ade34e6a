//! The measurement: repeated syntheses of one workload, each from fresh circuits into fresh
//! assignments, with only the synthesis itself timed.

use anyhow::{ensure, Context, Result};
use indicatif::ProgressBar;
use rayon::{prelude::*, ThreadPool};

use crate::{
    count::Counts,
    digest::{self, Hash},
    synthesize::{synthesize, Assignment},
    workload::Workload,
};

/// What the repeats gave.
pub struct Measurement {
    /// Of all partitions together.
    pub counts: Counts,
    /// Wall clock of each repeat.
    pub seconds: Vec<f64>,
    pub digest: String,
}

/// Synthesizes `workload` `repeats` times, with capacity for `reserve` a partition if given.
///
/// # Errors
/// A circuit fails, or repeats differ in what they compute.
pub fn measure<A: Assignment>(
    workload: &Workload,
    repeats: u16,
    reserve: Option<Counts>,
    pool: &ThreadPool,
    progress: &ProgressBar,
) -> Result<Measurement> {
    let mut seconds = Vec::new();
    let mut result: Option<(Counts, String)> = None;
    for repeat in 1..=repeats {
        progress.set_message(format!("synthesis {repeat} of {repeats}"));
        let circuits = workload.circuits.clone();
        let (assignments, elapsed) = synthesize::<A>(circuits, reserve, pool)?;
        progress.inc(1);
        seconds.push(elapsed);

        let counts = assignments.iter().map(A::counts).sum();
        let partitions: Vec<Hash> =
            pool.install(|| assignments.par_iter().map(A::digest).collect());
        let computed = (counts, digest::whole(&partitions));
        let first = result.get_or_insert_with(|| computed.clone());
        ensure!(
            *first == computed,
            "repeat {repeat} computed something else than the first: {computed:?} and {first:?}"
        );
    }
    let (counts, digest) = result.context("nothing was repeated")?;
    Ok(Measurement {
        counts,
        seconds,
        digest,
    })
}
