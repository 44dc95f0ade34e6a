//! `lc-vec`: the terms in `Vec`s, as upstream has them. 56 bytes per combination.

use ff::PrimeField;

use super::gap_buffer::{Buffer, GapBuffer};
use super::Runs;
use crate::lc::term::Term;

pub(crate) const NAME: &str = "lc-vec";

pub(crate) type Vector<Scalar> = GapBuffer<Vec<Term<Scalar>>>;

impl<S: PrimeField> Buffer for Vec<Term<S>> {
    type Scalar = S;

    #[inline(always)]
    fn of_term(term: Term<S>) -> Self {
        vec![term]
    }

    #[inline(always)]
    fn capacity(&self) -> usize {
        self.capacity()
    }

    fn of_runs((front, back): Runs<'_, S>) -> Self {
        if back.is_empty() {
            return front.to_vec();
        }
        let mut terms = Vec::with_capacity(front.len() + back.len());
        terms.extend_from_slice(front);
        terms.extend_from_slice(back);
        terms
    }

    #[inline(always)]
    fn push(&mut self, term: Term<S>) {
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
