//! Proofs of one circuit's instances, one after the other.

use anyhow::{ensure, Context, Result};
use bellperson::groth16::{verify_proof, MappedParameters, Proof};
use blstrs::{Bls12, G1Affine, G2Affine, Scalar};
use compiled_constraints::{Densities, Shape, Witness};
use compiled_groth16::{
    check_parameters, create_random_proof, Assignment, Lengths, SizedParameters,
};
use rand::rngs::OsRng;

/// The most memory, in bytes, that it takes to compile the circuit of these parameters and to make
/// proofs of it one after the other. A proof takes most: the values, padded to a domain's size and
/// then once more in canonical form; all bases with their places in the file; and the compiled
/// form, less than a scalar per row of one of the circuit's `repetitions`.
///
/// # Panics
/// There are no repetitions.
pub fn needed_bytes(parameters: &MappedParameters<Bls12>, repetitions: usize) -> u64 {
    let Lengths {
        h,
        l,
        a,
        b_g1,
        b_g2,
    } = parameters.lengths();
    let domain = h + 1;
    let variables = parameters.vk.ic.len() + l;
    let scalars = 4 * domain + 2 * variables + domain / repetitions;
    let in_g1 = h + l + a + b_g1;
    let places = (in_g1 + b_g2) * size_of::<std::ops::Range<usize>>();
    let bases = in_g1 * size_of::<G1Affine>() + b_g2 * size_of::<G2Affine>();
    (scalars * size_of::<Scalar>() + places + bases) as u64
}

/// What all proofs of one circuit have in common, and vectors that each uses again.
pub struct Prover<'a> {
    shape: Shape<Scalar>,
    densities: Densities,
    parameters: &'a MappedParameters<Bls12>,
    spent: Assignment<Scalar>,
}

impl<'a> Prover<'a> {
    /// # Errors
    /// The parameters are of another circuit, as far as their lengths tell.
    pub fn new(shape: Shape<Scalar>, parameters: &'a MappedParameters<Bls12>) -> Result<Self> {
        let densities = shape.densities();
        check_parameters(&parameters, &densities, shape.rows())
            .context("the parameters are of another circuit")?;
        Ok(Prover {
            shape,
            densities,
            parameters,
            spent: Assignment::default(),
        })
    }

    /// Makes a proof from the witness that `generate` makes, and verifies it.
    ///
    /// # Errors
    /// There is no memory for the values, before `generate` is called; `generate`'s own; the
    /// witness is not of this circuit; a base is not readable; the proof does not verify, because
    /// the witness does not satisfy the circuit or the parameters are of another one.
    pub fn prove(
        &mut self,
        generate: impl FnOnce(&Shape<Scalar>, &mut Witness<Scalar>) -> Result<()>,
    ) -> Result<Proof<Bls12>> {
        let Assignment {
            mut witness,
            mut products,
        } = std::mem::take(&mut self.spent);
        self.shape.reserve(&mut witness, &mut products)?;
        generate(&self.shape, &mut witness)?;
        self.shape.evaluate(&witness, &mut products)?;
        let public = witness.inputs[1..].to_vec();

        let assignment = Assignment { witness, products };
        let spent = &mut self.spent;
        let proof = create_random_proof(
            &self.densities,
            assignment,
            self.parameters,
            &mut OsRng,
            |assignment| *spent = assignment,
        )?;
        ensure!(
            verify_proof(&self.parameters.pvk, &proof, &public)?,
            "the proof does not verify: the sector's values do not satisfy the circuit, or the \
             parameters are of another circuit or damaged"
        );
        Ok(proof)
    }
}
