//! The measurement of a prover that has the circuit's constraints compiled: it makes the witness
//! from the circuit, and computes A, B and C from both, each time into fresh vectors.

use std::time::Instant;

use anyhow::{ensure, Result};
use blstrs::Scalar;
use compiled_constraints::Shape;
use porep_synth::{
    compiled::{counts, Partition},
    digest,
};
use rayon::prelude::*;

use crate::{circuits::Subject, measure::Measurement, report::Compiled};

/// Does what [`measure`](crate::measure::measure) does, by compiled constraints. `subject` is
/// compiled whole, even where it repeats itself.
///
/// # Errors
/// What the circuit answers; there is no memory; or repeats differ in what they compute.
pub fn measure(
    subject: &Subject,
    circuits: usize,
    repeats: u16,
) -> Result<(Measurement, Compiled)> {
    let start = Instant::now();
    let shape = Shape::record(subject.clone())?;
    let compile_seconds = start.elapsed().as_secs_f64();
    let densities = shape.densities();
    let mut seconds = Vec::new();
    let mut digests = Vec::new();
    let mut compiled_rows = 0;
    for _ in 0..repeats {
        let subjects = vec![subject.clone(); circuits];
        let start = Instant::now();
        let partitions = subjects
            .into_par_iter()
            .map(|subject| synthesize(&shape, subject))
            .collect::<Result<Vec<_>>>()?;
        seconds.push(start.elapsed().as_secs_f64());
        digests.extend(partitions.iter().map(|it| it.digest(&densities)));
        compiled_rows = partitions.iter().map(|it| it.products.a.len()).sum();
    }
    ensure!(
        compiled_rows > 0,
        "no row was evaluated by compiled constraints"
    );
    ensure!(
        digests.iter().all(|digest| *digest == digests[0]),
        "one circuit was evaluated to different values"
    );
    let measurement = Measurement {
        counts: std::iter::repeat_n(counts(&shape), circuits).sum(),
        seconds,
        digest: digest::whole(&digests[..1]),
    };
    let compiled = Compiled {
        compiled_bytes: shape.held_bytes(),
        compile_seconds,
        compiled_rows,
    };
    Ok((measurement, compiled))
}

fn synthesize(shape: &Shape<Scalar>, subject: Subject) -> Result<Partition> {
    let mut partition = Partition::default();
    shape.generate(subject, &mut partition.witness)?;
    shape.evaluate(&partition.witness, &mut partition.products)?;
    Ok(partition)
}
