//! The Proof-of-Replication circuits of a sector, and their compiled form.

use std::path::Path;

use anyhow::{Context, Result};
use blstrs::Scalar;
use compiled_constraints::{Shape, Witness};
use porep_synth::workload::Workload;

/// The compiled circuit of a partition, read from `file`, or compiled and left there.
///
/// # Errors
/// The file is of another circuit, or damaged, or cannot be written.
pub fn shape(workload: &Workload, file: Option<&Path>) -> Result<Shape<Scalar>> {
    let shape = match file {
        Some(file) if file.exists() => {
            let shape = Shape::read_from(file)?;
            let one = workload.repeated(1);
            shape
                .repeated(1)
                .check(one)
                .with_context(|| format!("{} is of another circuit: remove it", file.display()))?;
            shape
        }
        _ => {
            let shape = Shape::record_repeating(|challenges| Ok(workload.repeated(challenges)))?;
            if let Some(file) = file {
                shape.write_to(file)?;
            }
            shape
        }
    };
    Ok(shape.repeated(workload.challenges))
}

/// Makes the witness of the `index`-th partition that `workload` has.
///
/// # Errors
/// The circuit's own.
pub fn generate(
    workload: &Workload,
    index: usize,
    shape: &Shape<Scalar>,
    witness: &mut Witness<Scalar>,
) -> Result<()> {
    let circuits = workload.challenge_circuits[index].clone();
    Ok(shape.generate_repetitions(circuits, witness)?)
}
