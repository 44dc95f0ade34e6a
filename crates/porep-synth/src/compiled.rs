//! The measurement of a prover that has the circuit's constraints compiled: it makes only the
//! witness from the circuit, and computes A, B and C from both.
//!
//! The challenges of a partition are the repetitions of its circuit, so circuits of one challenge
//! each make their parts of the witness in parallel. Vectors are used again from one repeat to the
//! next.

use std::{io, path::Path, time::Instant};

use anyhow::{ensure, Context, Result};
use blstrs::Scalar;
use compiled_constraints::{Densities, Density, Error, Products, Shape, Witness};
use indicatif::ProgressBar;
use rayon::{prelude::*, ThreadPool};
use serde::Serialize;

use crate::{
    assignment::ProvingAssignment,
    count::Counts,
    digest::{self, Hash},
    measure::{Measurement, Need},
    synthesize::Assignment,
    workload::Workload,
};

/// What is reported besides the measurement.
#[derive(Debug, Serialize)]
pub struct Compiled {
    /// Of the compiled form, in memory.
    pub compiled_bytes: usize,
    /// Wall clock of compiling and writing the file, unless there was one.
    pub compile_seconds: Option<f64>,
    /// Wall clock of reading the file, if there was one.
    pub load_seconds: Option<f64>,
    /// Wall clock of the witnesses of all partitions, for each repeat.
    pub witness_seconds: Vec<f64>,
    /// Wall clock of A, B and C of all partitions, for each repeat.
    pub products_seconds: Vec<f64>,
    /// Rows that were evaluated in each repeat, of all partitions.
    pub compiled_rows: usize,
}

/// What the proof of a partition is computed from, but for the densities.
#[derive(Default)]
struct Partition {
    witness: Witness<Scalar>,
    products: Products<Scalar>,
}

/// Does what [`measure`](crate::measure::measure) does, by the constraints that `file` has. They
/// are compiled if there is no such file, and left there.
///
/// # Errors
/// Those of [`shape`]. There is no memory for the vectors, before a witness is made; a circuit
/// fails, repeats differ in what they compute, or no row was evaluated.
pub fn measure(
    workload: &Workload,
    file: Option<&Path>,
    repeats: u16,
    need: &Need,
    pool: &ThreadPool,
    progress: &ProgressBar,
) -> Result<(Measurement, Compiled)> {
    let mut compiled = Compiled {
        compiled_bytes: 0,
        compile_seconds: None,
        load_seconds: None,
        witness_seconds: Vec::new(),
        products_seconds: Vec::new(),
        compiled_rows: 0,
    };
    progress.set_message("compiling or loading");
    let shape = pool.install(|| compiled.shape(workload, file))?;
    let densities = pool.install(|| shape.densities());

    let counts = Counts {
        constraints: shape.rows(),
        inputs: shape.inputs(),
        aux: shape.aux(),
    };
    let partitions = workload.circuits.len();
    let assignment_bytes = ProvingAssignment::held_bytes(counts) * partitions as u64;

    let mut held: Vec<Partition> = Vec::new();
    held.resize_with(partitions, Partition::default);
    for Partition { witness, products } in &mut held {
        shape.reserve(witness, products)?;
    }
    let mut seconds = Vec::new();
    let mut result = None;
    for repeat in 1..=repeats {
        progress.set_message(format!("synthesis {repeat} of {repeats}"));
        let circuits = workload.challenge_circuits.clone();
        let (witness_seconds, products_seconds) = pool.install(|| -> Result<_> {
            let start = Instant::now();
            held.par_iter_mut()
                .zip(circuits)
                .try_for_each(|(held, circuits)| {
                    shape.generate_repetitions(circuits, &mut held.witness)
                })?;
            let witness_seconds = start.elapsed().as_secs_f64();
            held.par_iter_mut()
                .try_for_each(|held| shape.evaluate(&held.witness, &mut held.products))?;
            let all_seconds = start.elapsed().as_secs_f64();
            Ok((witness_seconds, all_seconds - witness_seconds))
        })?;
        progress.inc(1);
        compiled.witness_seconds.push(witness_seconds);
        compiled.products_seconds.push(products_seconds);
        seconds.push(witness_seconds + products_seconds);

        compiled.compiled_rows = held.iter().map(|held| held.products.a.len()).sum();
        ensure!(
            compiled.compiled_rows > 0,
            "no row was evaluated by compiled constraints"
        );
        let digests = || held.par_iter().map(|held| held.digest(&densities));
        let partitions: Vec<Hash> = pool.install(|| digests().collect());
        let computed = digest::whole(&partitions);
        let first = result.get_or_insert_with(|| computed.clone());
        ensure!(
            *first == computed,
            "repeat {repeat} computed {computed}, the first {first}"
        );
    }
    let measurement = Measurement {
        counts: std::iter::repeat_n(counts, partitions).sum(),
        counting_seconds: need.counting_seconds,
        assignment_bytes,
        seconds,
        digest: result.context("nothing was repeated")?,
    };
    Ok((measurement, compiled))
}

impl Compiled {
    /// The constraints of a partition, and how long it took to have them.
    fn shape(&mut self, workload: &Workload, file: Option<&Path>) -> Result<Shape<Scalar>> {
        let start = Instant::now();
        let (shape, origin) = shape(workload, file)?;
        let seconds = Some(start.elapsed().as_secs_f64());
        match origin {
            Origin::File => self.load_seconds = seconds,
            Origin::Circuit => self.compile_seconds = seconds,
        }
        self.compiled_bytes = shape.held_bytes();
        Ok(shape)
    }
}

/// Where constraints come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    File,
    Circuit,
}

/// The constraints of a partition: read from `file` and checked, or compiled and left there.
///
/// # Errors
/// The file is damaged or of another circuit, or cannot be written; the circuit does not repeat
/// itself; there is no memory for the check.
pub fn shape(workload: &Workload, file: Option<&Path>) -> Result<(Shape<Scalar>, Origin)> {
    let challenges = workload.challenges;
    if let Some(shape) = file.map(|file| read(file, workload)).transpose()?.flatten() {
        return Ok((shape.repeated(challenges), Origin::File));
    }
    let shape = Shape::record_repeating(|n| Ok(workload.repeated(n)))?;
    if let Some(file) = file {
        shape.write_to(file)?;
    }
    Ok((shape.repeated(challenges), Origin::Circuit))
}

/// The constraints in `file`, which are those of the circuit. None if there is no such file.
fn read(file: &Path, workload: &Workload) -> Result<Option<Shape<Scalar>>> {
    let shape = match Shape::read_from(file) {
        Err(Error::Io { error, .. }) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read?,
    };
    match shape.repeated(1).check(workload.repeated(1)) {
        Err(error @ (Error::Differs(_) | Error::Length { .. } | Error::Densities)) => {
            let refusal = || format!("{} is of another circuit: remove it", file.display());
            Err(error).with_context(refusal)
        }
        Err(error) => Err(error.into()),
        Ok(()) => Ok(Some(shape)),
    }
}

impl Partition {
    fn digest(&self, densities: &Densities) -> Hash {
        let Products { a, b, c } = &self.products;
        let bits = |density: &Density| digest::bits((0..density.len).map(|bit| density.get(bit)));
        digest::partition(&[
            digest::scalars(&self.witness.inputs),
            digest::scalars(&self.witness.aux),
            digest::scalars(a),
            digest::scalars(b),
            digest::scalars(c),
            bits(&densities.a_aux),
            bits(&densities.b_input),
            bits(&densities.b_aux),
        ])
    }
}
