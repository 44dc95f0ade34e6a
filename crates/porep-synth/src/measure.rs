//! The measurement: repeated syntheses of one workload, each from fresh circuits into fresh
//! assignments, with only the synthesis itself timed.

use std::time::Instant;

use anyhow::{ensure, Context, Result};
use indicatif::ProgressBar;
use rayon::{prelude::*, ThreadPool};

use crate::{
    count::Counts,
    digest::{self, Hash},
    synthesize::{synthesize, Assignment},
    workload::{PorepCircuit, Workload},
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

/// An upper bound of what an assignment holds for each challenge: some eight million constraints
/// and variables, more than there are in a sector of 64 GiB. It spares most runs the counting pass,
/// which takes a third of the time of a synthesis.
const CHALLENGE_BYTES: u64 = 1 << 30;

/// What is going to be synthesized, and how.
pub struct Plan {
    /// Per partition.
    pub challenges: usize,
    pub partitions: usize,
    /// Whether assignments get their capacity from the start, by a counting pass.
    pub reserve: bool,
    /// Whether [`compiled`](crate::compiled) constraints are evaluated: they tell the capacity.
    pub compiled: bool,
}

impl Plan {
    /// What is needed where the assignment of one partition takes so many bytes.
    fn needed_bytes(&self, partition_bytes: u64) -> u64 {
        let bytes = partition_bytes * self.partitions as u64;
        if !self.compiled {
            return bytes;
        }
        // The compiled form of one challenge stays, and takes less than its assignment. It is
        // checked by two assignments of one challenge, before there are others.
        let challenge_bytes = partition_bytes / self.challenges as u64;
        bytes.max(2 * challenge_bytes) + challenge_bytes
    }
}

/// What the syntheses need of memory, and what was counted to know it.
pub struct Need {
    pub bytes: u64,
    /// The counts of one partition, where capacity is to be reserved.
    reserved: Option<Counts>,
    /// Wall clock of the counting pass over one partition, if there was one.
    pub counting_seconds: Option<f64>,
}

impl Need {
    /// Counts `circuit`, that of a partition, if capacity is to be reserved, or if an estimate
    /// would need more than `usable_bytes`.
    ///
    /// # Errors
    /// The circuit fails.
    pub fn of<A: Assignment>(
        plan: &Plan,
        usable_bytes: Option<u64>,
        circuit: impl FnOnce() -> Result<PorepCircuit>,
    ) -> Result<Self> {
        let reserve = plan.reserve;
        // A growing vector is copied by jemalloc, so that the old block and the new one are there
        // at once; the system's allocator moves its pages.
        let copies = cfg!(feature = "jemalloc") && !reserve && !plan.compiled;
        let mut partition_bytes = CHALLENGE_BYTES * plan.challenges as u64;
        if copies {
            partition_bytes *= 2;
        }
        let bytes = plan.needed_bytes(partition_bytes);
        let fits = usable_bytes.is_none_or(|usable_bytes| bytes <= usable_bytes);
        if fits && !reserve {
            return Ok(Need {
                bytes,
                reserved: None,
                counting_seconds: None,
            });
        }
        let start = Instant::now();
        // Partitions have as many challenges each, and so one size.
        let counts = Counts::of(circuit()?)?;
        let counting_seconds = Some(start.elapsed().as_secs_f64());
        partition_bytes = A::held_bytes(counts);
        if copies {
            let copying_bytes = 2 * A::held_bytes(counts.before_last_doubling());
            partition_bytes = partition_bytes.max(copying_bytes);
        }
        // The circuits and the rest of the process: 1.7% was the most seen above a partition's
        // size.
        partition_bytes += partition_bytes / 20;
        Ok(Need {
            bytes: plan.needed_bytes(partition_bytes),
            reserved: reserve.then_some(counts),
            counting_seconds,
        })
    }
}

/// Synthesizes `workload` `repeats` times, with the capacity of `need` reserved if that is to be.
///
/// # Errors
/// A circuit fails, or repeats differ in what they compute.
pub fn measure<A: Assignment>(
    workload: &Workload,
    repeats: u16,
    need: &Need,
    pool: &ThreadPool,
    progress: &ProgressBar,
) -> Result<Measurement> {
    let mut seconds = Vec::new();
    let mut result = None;
    for repeat in 1..=repeats {
        progress.set_message(format!("synthesis {repeat} of {repeats}"));
        let circuits = workload.circuits.clone();
        let (assignments, elapsed) = synthesize::<A>(circuits, need.reserved, pool)?;
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
        counting_seconds: need.counting_seconds,
        assignment_bytes: A::held_bytes(counts),
        seconds,
        digest,
    })
}
