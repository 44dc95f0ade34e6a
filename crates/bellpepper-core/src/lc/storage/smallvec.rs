//! `lc-smallvec1` and `lc-smallvec4`: the first term, or the first four, inside the combination, which
//! is then 80 or 200 bytes (of 32-byte scalars) and moved as such.
//!
//! The capacity is of a combination, where it would be of each of the two lists in a `SmallVec` put
//! into upstream: those combinations are 144 and 384 bytes.

use ::smallvec::{Array, SmallVec};
use ff::PrimeField;

use super::gapped::{Buffer, Gapped};
use super::Term;

pub(crate) const NAME_1: &str = "lc-smallvec1";
pub(crate) const NAME_4: &str = "lc-smallvec4";

pub(crate) type SmallVec1<Scalar> = Gapped<SmallVec<[Term<Scalar>; 1]>>;
pub(crate) type SmallVec4<Scalar> = Gapped<SmallVec<[Term<Scalar>; 4]>>;

impl<S: PrimeField, A: Array<Item = Term<S>>> Buffer for SmallVec<A> {
    type Scalar = S;

    #[inline(always)]
    fn of_term(term: Term<S>) -> Self {
        let mut terms = SmallVec::new();
        terms.push(term);
        terms
    }

    #[inline(always)]
    fn push(&mut self, term: Term<S>) {
        self.push(term)
    }

    fn extend(&mut self, terms: &[Term<S>]) {
        self.extend_from_slice(terms)
    }

    fn truncate(&mut self, len: usize) {
        self.truncate(len)
    }

    fn reserve(&mut self, additional: usize) {
        self.reserve(additional)
    }

    fn fill(&mut self, filler: Term<S>) {
        self.resize(self.capacity(), filler)
    }
}
