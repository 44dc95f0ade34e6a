//! `lc-vec`: the terms in a `Vec`, as upstream has them. 48 bytes a combination.

use ff::PrimeField;

use super::gapped::{Buffer, Gapped};
use super::Term;

pub(crate) const NAME: &str = "lc-vec";

pub(crate) type Vector<Scalar> = Gapped<Vec<Term<Scalar>>>;

impl<S: PrimeField> Buffer for Vec<Term<S>> {
    type Scalar = S;

    #[inline(always)]
    fn of_term(term: Term<S>) -> Self {
        vec![term]
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
