//! A small statement, proved and verified with Groth16: "I know x with x³ + x + 5 = y".
//!
//! Nothing here knows of the fork: the code is what it would be on the registry's crate.

#![forbid(unsafe_code)]

use bellpepper_core::num::AllocatedNum;
use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use bellperson::groth16::{
    create_random_proof, generate_random_parameters, prepare_verifying_key, verify_proof,
    Parameters, Proof,
};
use blstrs::{Bls12, Scalar};
use rand::rngs::OsRng;

/// The statement; parameters are made without `x`, proofs with it.
#[derive(Clone, Copy, Debug)]
pub struct CubicRoot {
    pub x: Option<Scalar>,
}

impl CubicRoot {
    /// `y`, the one public input.
    pub fn image(x: Scalar) -> Scalar {
        x * x * x + x + Scalar::from(5)
    }
}

impl Circuit<Scalar> for CubicRoot {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let value = self.x.ok_or(SynthesisError::AssignmentMissing);
        let x = AllocatedNum::alloc(cs.namespace(|| "x"), || value)?;
        let square = x.square(cs.namespace(|| "x²"))?;
        let cube = square.mul(cs.namespace(|| "x³"), &x)?;
        let y = cs.alloc_input(
            || "y",
            || {
                self.x
                    .map(Self::image)
                    .ok_or(SynthesisError::AssignmentMissing)
            },
        )?;
        cs.enforce(
            || "x³ + x + 5 = y",
            |lc| lc + cube.get_variable() + x.get_variable() + (Scalar::from(5), CS::one()),
            |lc| lc + CS::one(),
            |lc| lc + y,
        );
        Ok(())
    }
}

/// Makes the parameters of [`CubicRoot`].
///
/// # Errors
/// The circuit does not synthesize.
pub fn parameters() -> Result<Parameters<Bls12>, SynthesisError> {
    generate_random_parameters(CubicRoot { x: None }, &mut OsRng)
}

/// Proves the knowledge of `x`.
///
/// # Errors
/// The parameters are not those of this circuit.
pub fn prove(x: Scalar, parameters: &Parameters<Bls12>) -> Result<Proof<Bls12>, SynthesisError> {
    create_random_proof(CubicRoot { x: Some(x) }, parameters, &mut OsRng)
}

/// Whether `proof` proves the knowledge of an `x` for `y`.
///
/// # Errors
/// The parameters are not those of this circuit.
pub fn verify(
    y: Scalar,
    proof: &Proof<Bls12>,
    parameters: &Parameters<Bls12>,
) -> Result<bool, SynthesisError> {
    verify_proof(&prepare_verifying_key(&parameters.vk), proof, &[y])
}
