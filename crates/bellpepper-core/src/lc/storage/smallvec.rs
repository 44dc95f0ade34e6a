//! `lc-smallvec1` and `lc-smallvec4`: the first auxiliary, or the first four, inside the
//! combination, which is then 80 or 200 bytes (of 32-byte scalars) and moved as such.
//!
//! The capacity is that of the auxiliaries alone. A `SmallVec` put into upstream in the place of
//! each of its two lists makes combinations of 144 and 384 bytes.

use ::smallvec::{Array, SmallVec};
use ff::PrimeField;

use super::gap_buffer::{Buffer, GapBuffer};
use super::Runs;
use crate::lc::term::{grown, Term};

pub(crate) const NAME_1: &str = "lc-smallvec1";
pub(crate) const NAME_4: &str = "lc-smallvec4";

pub(crate) type SmallVec1<Scalar> = GapBuffer<SmallVec<[Term<Scalar>; 1]>>;
pub(crate) type SmallVec4<Scalar> = GapBuffer<SmallVec<[Term<Scalar>; 4]>>;

impl<S: PrimeField, A: Array<Item = Term<S>>> Buffer for SmallVec<A> {
    type Scalar = S;

    #[inline(always)]
    fn of_term(term: Term<S>) -> Self {
        let mut terms = SmallVec::new();
        terms.push(term);
        terms
    }

    #[inline(always)]
    fn capacity(&self) -> usize {
        self.capacity()
    }

    fn of_runs((front, back): Runs<'_, S>) -> Self {
        if back.is_empty() {
            return SmallVec::from_slice(front);
        }
        let mut terms = SmallVec::with_capacity(front.len() + back.len());
        terms.extend_from_slice(front);
        terms.extend_from_slice(back);
        terms
    }

    #[inline(always)]
    fn push(&mut self, term: Term<S>) {
        let (len, capacity) = (self.len(), self.capacity());
        if len == capacity {
            // A `SmallVec` would grow to two terms, then to four.
            self.grow(grown(capacity as u32, len + 1) as usize);
        }
        self.push(term)
    }

    fn extend(&mut self, terms: &[Term<S>]) {
        self.extend_from_slice(terms)
    }

    fn resize(&mut self, len: usize, filler: Term<S>) {
        self.resize(len, filler)
    }

    fn truncate(&mut self, len: usize) {
        self.truncate(len)
    }

    fn reserve_exact(&mut self, additional: usize) {
        self.reserve_exact(additional)
    }
}
