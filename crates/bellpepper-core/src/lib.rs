//! Rank-1 constraint systems: the traits between circuits and provers, the smallest gadgets, and
//! a constraint system to test circuits with.
//!
//! This is a drop-in for the `bellpepper-core` of the registry. What differs is inside
//! [`LinearCombination`]: a cargo feature chooses how its terms are stored, and [`LC_STORAGE`]
//! says what was chosen.
//!
//! # Example
//!
//! A circuit which proves that somebody knows a number x with x³ + x = y, for a public y. It is
//! synthesized into a [`TestConstraintSystem`](test_cs::TestConstraintSystem), which checks the
//! constraints; a prover would synthesize it into one of its own.
//!
//! ```
//! use bellpepper_core::{num::AllocatedNum, test_cs::TestConstraintSystem};
//! use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
//! use blstrs::Scalar;
//! use ff::PrimeField;
//!
//! /// Without an `x`, as for making parameters, the constraints are the same.
//! struct Cubic<F> {
//!     x: Option<F>,
//! }
//!
//! impl<F: PrimeField> Circuit<F> for Cubic<F> {
//!     fn synthesize<CS: ConstraintSystem<F>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
//!         let x = AllocatedNum::alloc(cs.namespace(|| "x"), || {
//!             self.x.ok_or(SynthesisError::AssignmentMissing)
//!         })?;
//!         let square = x.square(cs.namespace(|| "square"))?;
//!         let cube = square.mul(cs.namespace(|| "cube"), &x)?;
//!
//!         let y = cs.alloc_input(
//!             || "y",
//!             || match (cube.get_value(), x.get_value()) {
//!                 (Some(cube), Some(x)) => Ok(cube + x),
//!                 _ => Err(SynthesisError::AssignmentMissing),
//!             },
//!         )?;
//!         cs.enforce(
//!             || "x^3 + x = y",
//!             |lc| lc + cube.get_variable() + x.get_variable(),
//!             |lc| lc + CS::one(),
//!             |lc| lc + y,
//!         );
//!         Ok(())
//!     }
//! }
//!
//! let mut cs = TestConstraintSystem::new();
//! Cubic { x: Some(Scalar::from(3)) }.synthesize(&mut cs)?;
//! assert!(cs.is_satisfied());
//! assert!(cs.verify(&[Scalar::from(30)]));
//!
//! cs.set("cube/product num", Scalar::from(26));
//! assert_eq!(cs.which_is_unsatisfied(), Some("cube/multiplication constraint"));
//! # Ok::<(), SynthesisError>(())
//! ```
//!
//! # Where things are
//!
//! - Variables and their combinations: [`Variable`], [`Index`], [`LinearCombination`].
//! - The interface: [`Circuit`], [`ConstraintSystem`], [`Namespace`], [`SynthesisError`].
//! - Gadgets: [`boolean`] and [`num`].
//! - For tests: [`test_cs`], and [`Comparable`] with its [`Constraint`] and [`Delta`].

#![deny(unsafe_code)] // but for `lc-pooled`, in lc/storage/pooled
#![deny(missing_debug_implementations)]
#![deny(clippy::incompatible_msrv)]
#![warn(missing_docs)]

mod lc;
pub use lc::{Index, LinearCombination, Variable, LC_STORAGE};

mod error;
pub use error::SynthesisError;
mod constraint_system;
pub use constraint_system::{Circuit, ConstraintSystem};
mod namespace;
pub use namespace::Namespace;

mod gadgets;
pub use gadgets::{boolean, num};

mod util_cs;
pub use util_cs::{test_cs, Comparable, Constraint, Delta};

/// The version of this package.
pub const BELLPEPPER_VERSION: &str = env!("CARGO_PKG_VERSION");
