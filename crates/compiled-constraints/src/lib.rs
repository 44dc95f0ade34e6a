//! Rank-1 constraints recorded once, and evaluated for every proof in parallel.
//!
//! The way of the data: [`Shape::record`] or [`Shape::record_repeating`] turns a circuit into a
//! [`Shape`]; [`Shape::generate`] or [`Shape::generate_repetitions`] makes a [`Witness`];
//! [`Shape::evaluate`] makes [`Products`] of both; [`Shape::densities`] are the circuit's own.

#![forbid(unsafe_code)]
#![deny(missing_debug_implementations)]

mod block;
mod check;
mod coeffs;
mod count;
mod density;
mod error;
mod evaluate;
mod form;
mod format;
mod naive;
mod names;
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
