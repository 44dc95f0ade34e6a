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
    /// Wall clock of comparing it with a synthesis of one challenge.
    pub check_seconds: Option<f64>,
    /// Wall clock of the witnesses of all partitions, for each repeat.
    pub witness_seconds: Vec<f64>,
    /// Wall clock of A, B and C of all partitions, for each repeat.
    pub products_seconds: Vec<f64>,
    /// Rows that were evaluated in each repeat, of all partitions.
    pub compiled_rows: usize,
}

/// What the proof of a partition is computed from, but for the densities.
#[derive(Default)]
pub struct Partition {
    pub witness: Witness<Scalar>,
    pub products: Products<Scalar>,
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
    progress.set_message("compiling or loading");
    let (shape, origin) = pool.install(|| shape(workload, file))?;
    let mut compiled = Compiled::new(&shape, origin);
    let densities = pool.install(|| shape.densities());

    let counts = counts(&shape);
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
    fn new(shape: &Shape<Scalar>, origin: Origin) -> Self {
        let (compile_seconds, load_seconds, check_seconds) = match origin {
            Origin::Circuit { compile_seconds } => (Some(compile_seconds), None, None),
            Origin::File {
                load_seconds,
                check_seconds,
            } => (None, Some(load_seconds), Some(check_seconds)),
        };
        Compiled {
            compiled_bytes: shape.held_bytes(),
            compile_seconds,
            load_seconds,
            check_seconds,
            witness_seconds: Vec::new(),
            products_seconds: Vec::new(),
            compiled_rows: 0,
        }
    }
}

/// Where constraints come from, with the wall clock of each step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Origin {
    /// Read, and compared with a synthesis of one challenge.
    File {
        load_seconds: f64,
        check_seconds: f64,
    },
    /// Compiled, and written if there is to be a file.
    Circuit { compile_seconds: f64 },
}

/// The constraints of a partition: read from `file` and checked, or compiled and left there.
///
/// # Errors
/// The file is damaged or of another circuit, or cannot be written; the circuit does not repeat
/// itself; there is no memory for the check.
pub fn shape(workload: &Workload, file: Option<&Path>) -> Result<(Shape<Scalar>, Origin)> {
    let start = Instant::now();
    let seconds = || start.elapsed().as_secs_f64();
    let read = file.map(read).transpose()?.flatten();
    let (shape, origin) = match file.zip(read) {
        Some((file, shape)) => {
            let load_seconds = seconds();
            check(&shape, file, workload)?;
            let check_seconds = seconds() - load_seconds;
            let origin = Origin::File {
                load_seconds,
                check_seconds,
            };
            (shape, origin)
        }
        None => {
            let shape = Shape::record_repeating(|n| Ok(workload.repeated(n)))?;
            if let Some(file) = file {
                shape.write_to(file)?;
            }
            let compile_seconds = seconds();
            (shape, Origin::Circuit { compile_seconds })
        }
    };
    Ok((shape.repeated(workload.challenges), origin))
}

/// The constraints in `file`. None if there is no such file.
fn read(file: &Path) -> Result<Option<Shape<Scalar>>> {
    match Shape::read_from(file) {
        Err(Error::Io { error, .. }) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => Ok(Some(read?)),
    }
}

/// Refuses constraints from `file` that are not those of the circuit.
fn check(shape: &Shape<Scalar>, file: &Path, workload: &Workload) -> Result<()> {
    match shape.repeated(1).check(workload.repeated(1)) {
        Err(error @ (Error::Differs(_) | Error::Length { .. } | Error::Densities)) => {
            let refusal = || format!("{} is of another circuit: remove it", file.display());
            Err(error).with_context(refusal)
        }
        checked => Ok(checked?),
    }
}

/// The size of a partition, closing constraints included.
pub fn counts(shape: &Shape<Scalar>) -> Counts {
    Counts {
        constraints: shape.rows(),
        inputs: shape.inputs(),
        aux: shape.aux(),
    }
}

impl Partition {
    /// The digest of the assignment that a full synthesis would make.
    pub fn digest(&self, densities: &Densities) -> Hash {
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
