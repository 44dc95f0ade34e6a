//! Rank-1 constraints compiled once, so that a prover does not synthesize them for each proof.
//!
//! A Groth16 prover of the bellman family calls a circuit's closures for every proof and evaluates
//! the combinations that they build, although A, B and C never change. Here a circuit is recorded
//! once as its [`Shape`]. For each proof the circuit then makes only the [`Witness`], and the shape
//! evaluates A, B and C on all threads. The [`Products`] and [`Densities`] are those of
//! bellperson's own assignment, value for value and bit for bit.
//!
//! # Example
//!
//! The prover knows the roots of public squares. Each square is a repetition.
//!
//! ```
//! use bellpepper_core::{num::AllocatedNum, Circuit, ConstraintSystem, SynthesisError};
//! use blstrs::Scalar;
//! use compiled_constraints::{Products, Shape, Witness};
//!
//! /// The roots; their squares are the public inputs.
//! #[derive(Clone)]
//! struct Squares(Vec<Option<Scalar>>);
//!
//! impl Circuit<Scalar> for Squares {
//!     fn synthesize<CS: ConstraintSystem<Scalar>>(
//!         self,
//!         cs: &mut CS,
//!     ) -> Result<(), SynthesisError> {
//!         for (index, root) in self.0.into_iter().enumerate() {
//!             let mut cs = cs.namespace(|| format!("square {index}"));
//!             let value = || root.ok_or(SynthesisError::AssignmentMissing);
//!             let root = AllocatedNum::alloc(cs.namespace(|| "root"), value)?;
//!             root.square(cs.namespace(|| "square"))?.inputize(cs.namespace(|| "input"))?;
//!         }
//!         Ok(())
//!     }
//! }
//!
//! // Once, without values. The shape has one repetition; the proofs are of four.
//! let shape = Shape::record_repeating(|n| Ok(Squares(vec![None; n])))?;
//! shape.check(Squares(vec![Some(Scalar::from(3))]))?;
//! let shape = shape.repeated(4);
//! let densities = shape.densities();
//!
//! // For every proof, into vectors that serve all of them.
//! let (mut witness, mut products) = (Witness::default(), Products::default());
//! shape.reserve(&mut witness, &mut products)?;
//! for proof in 0..2 {
//!     let root = |square: u64| Some(Scalar::from(10 * proof + square));
//!     let circuits = (1..=4).map(|square| Squares(vec![root(square)])).collect();
//!     shape.generate_repetitions(circuits, &mut witness)?;
//!     shape.evaluate(&witness, &mut products)?;
//!     assert_eq!(witness.inputs[4], root(4).unwrap() * root(4).unwrap());
//!     // Two rows per square, and one per input; the first of the five is the constant one.
//!     assert_eq!(products.a.len(), 2 * 4 + 5);
//!     assert_eq!(densities.a_aux.len, witness.aux.len());
//! }
//! # Ok::<(), compiled_constraints::Error>(())
//! ```
//!
//! # What is recorded
//!
//! [`Shape::record`] takes any circuit. [`Shape::record_repeating`] takes one that repeats itself,
//! as a Proof-of-Replication does with each challenge, and keeps the rows of one repetition. The
//! sizes of the circuits of one and two repetitions tell where repetitions begin. In the circuit of
//! three, each row of the second and the third must be that of the first, over the same shared
//! variables and the repetition's own. The first row that differs is reported by its name.
//!
//! A row is kept as the number of its form (its coefficients, and how they are added) and four
//! bytes for each of its variables; neighbouring rows of one form share its number. Terms with a
//! coefficient of zero are dropped: they are neither evaluated nor counted in a density.
//!
//! # What is safe to rely on
//!
//! - [`Shape::write_to`] and [`Shape::read_from`] keep a shape in a file. A file that is cut,
//!   damaged, of another version or of another field is refused.
//! - A file can be older than the circuit. [`Shape::check`] finds that: it compares each row, all
//!   values and all densities with those of a full synthesis. [`Shape::digest`] is a fingerprint to
//!   keep beside the parameters that the shape was checked for.
//! - [`Shape::reserve`] has a lack of memory refused before a witness is made.
//! - The time of an evaluation depends on the rows and not on the values, as long as the field's
//!   own arithmetic does not depend on them.
//! - Nothing is global. Parallel work is done on the rayon pool that the caller is in.
//!
//! # Where things are
//!
//! `coeffs`, `form` and `block` are rows, from the inside out; `shape` is all of them. `record`
//! makes it from circuits, whose sizes and names `count` finds; `format` makes a file of it, and
//! `check` compares it with the full synthesis that `naive` is. `memory`, `witness`, `evaluate` and
//! `density` are for provers.

#![forbid(unsafe_code)]
#![deny(missing_debug_implementations)]
#![warn(missing_docs)]

mod block;
mod check;
mod coeffs;
mod count;
mod density;
mod error;
mod evaluate;
mod form;
mod format;
mod memory;
mod naive;
mod record;
mod shape;
#[cfg(test)]
mod tests;
mod witness;

pub use block::Counts;
pub use density::{Densities, Density};
pub use error::{Difference, Error};
pub use evaluate::Products;
pub use shape::Shape;
pub use witness::Witness;
