//! Proofs of one circuit's instances, one after the other.

use anyhow::{ensure, Context, Result};
use bellperson::groth16::{verify_proof, MappedParameters, Proof};
use blstrs::{Bls12, G1Affine, G2Affine, Scalar};
use compiled_constraints::{Densities, Shape, Witness};
use compiled_groth16::{
    check_parameters, create_random_proof, Assignment, Lengths, SizedParameters,
};
use rand::rngs::OsRng;

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

    /// The most memory that a proof takes, in bytes: the values, padded to a domain's size and then
    /// once more in canonical form, and all bases with their places in the file.
    pub fn needed_bytes(&self) -> u64 {
        let domain = self.shape.rows().next_power_of_two();
        let variables = self.shape.inputs() + self.shape.aux();
        let scalars = 4 * domain + 2 * variables;
        let Lengths {
            h,
            l,
            a,
            b_g1,
            b_g2,
        } = self.parameters.lengths();
        let in_g1 = h + l + a + b_g1;
        let places = (in_g1 + b_g2) * size_of::<std::ops::Range<usize>>();
        let bases = in_g1 * size_of::<G1Affine>() + b_g2 * size_of::<G2Affine>();
        (scalars * size_of::<Scalar>() + places + bases) as u64
    }

    /// Makes a proof from the witness that `generate` makes, and verifies it.
    ///
    /// # Errors
    /// `generate`'s own; the witness is not of this circuit; a base is not readable; the proof does
    /// not verify, because the witness does not satisfy the circuit or the parameters are of
    /// another one.
    pub fn prove(
        &mut self,
        generate: impl FnOnce(&Shape<Scalar>, &mut Witness<Scalar>) -> Result<()>,
    ) -> Result<Proof<Bls12>> {
        let mut assignment = std::mem::take(&mut self.spent);
        generate(&self.shape, &mut assignment.witness)?;
        self.shape
            .evaluate(&assignment.witness, &mut assignment.products)?;
        let public = assignment.witness.inputs[1..].to_vec();

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
