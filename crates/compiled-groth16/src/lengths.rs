//! Whether parameters, densities and assignments are of one circuit, as far as lengths tell.

use bellperson::groth16::{MappedParameters, ParameterSource, Parameters};
use bellperson::SynthesisError;
use compiled_constraints::Densities;
use pairing::MultiMillerLoop;

use crate::Assignment;

/// How many bases each query of some parameters has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// One fewer than the rows, rounded up to a power of two.
    pub h: usize,
    /// One per auxiliary variable.
    pub l: usize,
    /// One per input, and one per auxiliary variable that occurs in A.
    pub a: usize,
    /// One per variable that occurs in B, in G1.
    pub b_g1: usize,
    /// The same in G2.
    pub b_g2: usize,
}

/// Parameters that tell their lengths without reading their bases.
pub trait SizedParameters<E: MultiMillerLoop>: ParameterSource<E> {
    /// The lengths of the queries.
    fn lengths(&self) -> Lengths;
}

impl<E: MultiMillerLoop> SizedParameters<E> for &Parameters<E> {
    fn lengths(&self) -> Lengths {
        Lengths {
            h: self.h.len(),
            l: self.l.len(),
            a: self.a.len(),
            b_g1: self.b_g1.len(),
            b_g2: self.b_g2.len(),
        }
    }
}

impl<E: MultiMillerLoop> SizedParameters<E> for &MappedParameters<E> {
    fn lengths(&self) -> Lengths {
        Lengths {
            h: self.h.len(),
            l: self.l.len(),
            a: self.a.len(),
            b_g1: self.b_g1.len(),
            b_g2: self.b_g2.len(),
        }
    }
}

/// Refuses parameters that were not made for a circuit of these densities and this number of rows,
/// the closing ones included, as far as lengths tell. [`create_proof_batch`] does it too; here a
/// caller can do it before there is a witness.
///
/// [`create_proof_batch`]: crate::create_proof_batch
///
/// # Errors
/// `IncompatibleLengthVector`: says which query has another length.
pub fn check_parameters<E: MultiMillerLoop>(
    params: &impl SizedParameters<E>,
    densities: &Densities,
    rows: usize,
) -> Result<(), SynthesisError> {
    let inputs = densities.b_input.len;
    let b = densities.b_input.total + densities.b_aux.total;
    let has = params.lengths();
    let key_inputs = params.get_vk(inputs)?.ic.len();
    for (query, found, expected) in [
        ("verifying key", key_inputs, inputs),
        ("query H", has.h, rows.next_power_of_two() - 1),
        ("query L", has.l, densities.a_aux.len),
        ("query A", has.a, inputs + densities.a_aux.total),
        ("query B in G1", has.b_g1, b),
        ("query B in G2", has.b_g2, b),
    ] {
        same(found, expected, || {
            format!("the {query} of the parameters has {found} bases, the circuit needs {expected}")
        })?;
    }
    Ok(())
}

/// Refuses an assignment that is not of a circuit of these densities and this number of rows.
pub(crate) fn check_assignment<S>(
    assignment: &Assignment<S>,
    densities: &Densities,
    rows: usize,
) -> Result<(), SynthesisError> {
    let Assignment { witness, products } = assignment;
    for (vector, found, expected) in [
        ("inputs", witness.inputs.len(), densities.b_input.len),
        ("auxiliaries", witness.aux.len(), densities.a_aux.len),
        ("products of A", products.a.len(), rows),
        ("products of B", products.b.len(), rows),
        ("products of C", products.c.len(), rows),
    ] {
        same(found, expected, || {
            format!("the assignment has {found} {vector}, the circuit has {expected}")
        })?;
    }
    Ok(())
}

/// Refuses `found` unless it is `expected`.
pub(crate) fn same(
    found: usize,
    expected: usize,
    text: impl FnOnce() -> String,
) -> Result<(), SynthesisError> {
    if found == expected {
        return Ok(());
    }
    Err(SynthesisError::IncompatibleLengthVector(text()))
}
