//! One synthesis of all partitions, as a prover starts it: in parallel, each into its own
//! assignment, closed by a constraint for each input.

use std::time::Instant;

use anyhow::{Context, Result};
use bellpepper_core::{Circuit, ConstraintSystem, Index, Variable};
use blstrs::Scalar;
use ff::Field;
use rayon::{prelude::*, ThreadPool};

use crate::{count::Counts, digest::Hash, workload::PorepCircuit};

/// What a partition can be synthesized into.
pub trait Assignment: ConstraintSystem<Scalar> + Sync {
    /// An empty assignment with room for `counts`.
    ///
    /// # Errors
    /// There is no memory for it.
    fn with_capacity(counts: Counts) -> Result<Self>;

    /// About how many bytes an assignment of this size holds.
    fn held_bytes(counts: Counts) -> u64;

    /// What was synthesized so far.
    fn counts(&self) -> Counts;

    /// The digest of what is in it.
    fn digest(&self) -> Hash;
}

/// An empty vector with room for `len` values.
///
/// # Errors
/// There is no memory for it.
pub fn reserved(len: usize) -> Result<Vec<Scalar>> {
    let mut vector = Vec::new();
    let reserved = vector.try_reserve_exact(len);
    reserved.with_context(|| format!("there is no memory for {len} scalars"))?;
    Ok(vector)
}

/// Synthesizes each of `circuits` on the threads of `pool`, with capacity for `reserve` from the
/// start if given. Returns the assignments in order and the wall-clock seconds it took.
///
/// # Errors
/// What the circuits answer; there is no memory for the capacity.
pub fn synthesize<A: Assignment>(
    circuits: Vec<PorepCircuit>,
    reserve: Option<Counts>,
    pool: &ThreadPool,
) -> Result<(Vec<A>, f64)> {
    pool.install(|| {
        let start = Instant::now();
        let assignments = circuits
            .into_par_iter()
            .map(|circuit| assign(circuit, reserve))
            .collect::<Result<_>>()?;
        Ok((assignments, start.elapsed().as_secs_f64()))
    })
}

/// Synthesizes one circuit, with the constant one before it and the closing constraints after it.
///
/// # Errors
/// What the circuit answers; there is no memory for the capacity.
pub fn assign<A: Assignment>(circuit: impl Circuit<Scalar>, reserve: Option<Counts>) -> Result<A> {
    let mut assignment = match reserve {
        Some(counts) => A::with_capacity(counts)?,
        None => A::new(),
    };
    assignment.alloc_input(|| "", || Ok(Scalar::ONE))?;
    circuit.synthesize(&mut assignment)?;
    for input in 0..assignment.counts().inputs {
        assignment.enforce(
            || "",
            |lc| lc + Variable(Index::Input(input)),
            |lc| lc,
            |lc| lc,
        );
    }
    Ok(assignment)
}
