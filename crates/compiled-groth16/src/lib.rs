//! Groth16 proofs from the values that compiled constraints give, where bellperson makes them from
//! a circuit.
//!
//! The parameters are bellperson's, and so is each expensive step (Fourier transforms and
//! multiexponentiations): they run on a GPU where bellperson is built for one. For the same `r` and
//! `s` a proof is byte for byte the one that bellperson makes from the circuit.
//!
//! ```
//! use bellperson::groth16::{generate_random_parameters, prepare_verifying_key, verify_proof};
//! use bellperson::{Circuit, ConstraintSystem, SynthesisError};
//! use blstrs::{Bls12, Scalar};
//! use compiled_constraints::{Products, Shape, Witness};
//! use compiled_groth16::{create_random_proof, Assignment};
//! use rand::rngs::OsRng;
//!
//! /// Knowledge of a root of a number.
//! #[derive(Clone)]
//! struct Root(Option<Scalar>);
//!
//! impl Circuit<Scalar> for Root {
//!     fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
//!         let root = self.0.ok_or(SynthesisError::AssignmentMissing);
//!         let square = self.0.map(|root| root * root).ok_or(SynthesisError::AssignmentMissing);
//!         let root = cs.alloc(|| "root", || root)?;
//!         let square = cs.alloc_input(|| "square", || square)?;
//!         cs.enforce(|| "root² = square", |lc| lc + root, |lc| lc + root, |lc| lc + square);
//!         Ok(())
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Once per circuit, without values.
//! let params = generate_random_parameters::<Bls12, _, _>(Root(None), &mut OsRng)?;
//! let shape = Shape::record(Root(None))?;
//! let densities = shape.densities();
//!
//! // Once per proof.
//! let (mut witness, mut products) = (Witness::default(), Products::default());
//! shape.generate(Root(Some(Scalar::from(3))), &mut witness)?;
//! shape.evaluate(&witness, &mut products)?;
//! let assignment = Assignment { witness, products };
//! let proof = create_random_proof(&densities, assignment, &params, &mut OsRng, drop)?;
//!
//! let key = prepare_verifying_key(&params.vk);
//! assert!(verify_proof(&key, &proof, &[Scalar::from(9)])?);
//! # Ok(())
//! # }
//! ```
//!
//! The way of the data: `lengths` refuses what is not of one circuit; `quotient` divides the
//! products by the polynomial that is zero on every row; `sums` adds bases of the parameters, of
//! which `proof` makes the proof.
//! [`supraseal`] lays an assignment out for another prover.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

// The words of a density are taken for machine words.
const _: () = assert!(
    usize::BITS == u64::BITS,
    "only 64-bit machines are supported"
);

mod assignment;
mod density;
mod lengths;
mod proof;
mod quotient;
mod sums;
pub mod supraseal;

pub use assignment::Assignment;
pub use lengths::{check_parameters, Lengths, SizedParameters};
pub use proof::{create_proof, create_proof_batch, create_random_proof, create_random_proof_batch};
