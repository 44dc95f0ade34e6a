//! "I know x with x³ + x + 5 = y", proved with compiled constraints.
//!
//! [`CubicRoot`] is a circuit like any other, and the parameters are made from it by bellperson.
//! The rest of this file is what a prover needs besides.

#![forbid(unsafe_code)]

use std::error::Error;

use bellpepper_core::num::AllocatedNum;
use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use bellperson::groth16::{generate_random_parameters, Parameters, Proof};
use blstrs::{Bls12, Scalar};
use compiled_constraints::{Densities, Shape};
use compiled_groth16::{create_random_proof, Assignment};
use rand::rngs::OsRng;

/// The statement; compiled and given parameters without `x`, proved with it.
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
        let known = |value: Option<Scalar>| value.ok_or(SynthesisError::AssignmentMissing);
        let x = AllocatedNum::alloc(cs.namespace(|| "x"), || known(self.x))?;
        let square = x.square(cs.namespace(|| "x²"))?;
        let cube = square.mul(cs.namespace(|| "x³"), &x)?;
        let y = cs.alloc_input(|| "y", || known(self.x.map(Self::image)))?;
        cs.enforce(
            || "x³ + x + 5 = y",
            |lc| lc + cube.get_variable() + x.get_variable() + (Scalar::from(5), CS::one()),
            |lc| lc + CS::one(),
            |lc| lc + y,
        );
        Ok(())
    }
}

/// The compiled circuit with its parameters, and vectors that each proof uses again.
pub struct Prover {
    shape: Shape<Scalar>,
    densities: Densities,
    pub parameters: Parameters<Bls12>,
    spent: Assignment<Scalar>,
}

impl Prover {
    /// Compiles the circuit and makes parameters for it.
    ///
    /// # Errors
    /// The circuit does not synthesize.
    pub fn new() -> Result<Self, Box<dyn Error>> {
        let circuit = CubicRoot { x: None };
        let shape = Shape::record(circuit)?;
        Ok(Prover {
            densities: shape.densities(),
            shape,
            parameters: generate_random_parameters(circuit, &mut OsRng)?,
            spent: Assignment::default(),
        })
    }

    /// Proves the knowledge of `x`.
    ///
    /// # Errors
    /// None for this circuit, whose witness can always be made.
    pub fn prove(&mut self, x: Scalar) -> Result<Proof<Bls12>, Box<dyn Error>> {
        let mut assignment = std::mem::take(&mut self.spent);
        let circuit = CubicRoot { x: Some(x) };
        self.shape.generate(circuit, &mut assignment.witness)?;
        self.shape
            .evaluate(&assignment.witness, &mut assignment.products)?;
        let spent = &mut self.spent;
        let proof = create_random_proof(
            &self.densities,
            assignment,
            &self.parameters,
            &mut OsRng,
            |assignment| *spent = assignment,
        )?;
        Ok(proof)
    }
}
