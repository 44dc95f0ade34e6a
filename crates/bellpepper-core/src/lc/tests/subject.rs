//! The terms of any storage, as the subject of programs.

use ff::PrimeField;

use super::program::Subject;
use crate::lc::coeff::negate;
use crate::lc::storage::Storage;
use crate::lc::term::Kind;
use crate::lc::terms::Terms;

// Inlined as the operators of `LinearCombination` are.
impl<S: PrimeField, St: Storage<Scalar = S>> Subject<S> for Terms<St> {
    #[inline(always)]
    fn zero() -> Self {
        Self::default()
    }

    #[inline(always)]
    fn of_term(kind: Kind, key: usize, coeff: S) -> Self {
        Terms::of_term(kind, key, &coeff)
    }

    #[inline(always)]
    fn add_term(mut self, kind: Kind, key: usize, coeff: S) -> Self {
        Terms::add_term(&mut self, kind, key, &coeff);
        self
    }

    #[inline(always)]
    fn sub_term(self, kind: Kind, key: usize, coeff: S) -> Self {
        Subject::add_term(self, kind, key, negate::<St>(coeff))
    }

    #[inline(always)]
    fn add(mut self, other: &Self) -> Self {
        Terms::add(&mut self, other);
        self
    }

    fn sub(mut self, other: &Self) -> Self {
        Terms::sub(&mut self, other);
        self
    }

    fn add_scaled(mut self, scale: S, other: &Self) -> Self {
        Terms::add_scaled(&mut self, scale, other);
        self
    }

    fn sub_scaled(self, scale: S, other: &Self) -> Self {
        Subject::add_scaled(self, negate::<St>(scale), other)
    }

    fn scale(&mut self, scale: S) {
        Terms::scale(self, scale)
    }

    fn len(&self) -> usize {
        Terms::len(self)
    }

    fn terms_of(&self, kind: Kind) -> Vec<(usize, S)> {
        fn copied<'a, S: PrimeField>(
            terms: impl Iterator<Item = (&'a usize, &'a S)>,
        ) -> Vec<(usize, S)> {
            let (least, most) = terms.size_hint();
            let terms: Vec<_> = terms.map(|(key, coeff)| (*key, *coeff)).collect();
            assert!(least <= terms.len() && terms.len() <= most.expect("a bound"));
            terms
        }
        match kind {
            Kind::Input => copied(self.inputs()),
            Kind::Aux => copied(self.aux()),
        }
    }

    fn terms(&self) -> Vec<(Kind, usize, S)> {
        // The clone is compared with it, and the mutable iterator must see what the others see.
        let mut clone = self.clone();
        let terms = clone.iter_mut();
        terms
            .map(|(kind, key, coeff)| (kind, key, *coeff))
            .collect()
    }

    fn eval(&self, inputs: &[S], aux: &[S]) -> S {
        Terms::eval(self, inputs, aux)
    }
}
