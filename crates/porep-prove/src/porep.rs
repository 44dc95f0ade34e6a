//! The witness of a sector's Proof-of-Replication circuits.

use anyhow::Result;
use blstrs::Scalar;
use compiled_constraints::{Shape, Witness};
use porep_synth::workload::Workload;

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
