//! The storages and the registry's crate, as subjects of programs on combinations: for the fuzzer,
//! and for the benchmarks.

use ff::PrimeField;

#[allow(dead_code)] // The benchmarks take the trait only.
#[path = "../../src/lc/tests/program.rs"]
pub mod program;
#[path = "../../src/lc/tests/subject.rs"]
mod subject;

use self::program::Subject;
use crate::lc::term::Kind;

/// The least of the keys which upstream is given one lower than they are.
///
/// It adds one to the last key that it saw, which overflows for the last key there is; without the
/// check for that, it then puts key 0 behind all others. The order stays, and no key in between is
/// used.
const LOWERED: usize = usize::MAX / 2;

fn variable(kind: Kind, key: usize) -> upstream::Variable {
    let key = key - usize::from(key >= LOWERED);
    upstream::Variable::new_unchecked(match kind {
        Kind::Input => upstream::Index::Input(key),
        Kind::Aux => upstream::Index::Aux(key),
    })
}

/// The key that [`variable`] was given.
fn given(key: usize) -> usize {
    key + usize::from(key >= LOWERED - 1)
}

impl<S: PrimeField> Subject<S> for upstream::LinearCombination<S> {
    fn zero() -> Self {
        Self::zero()
    }

    fn of_term(kind: Kind, key: usize, coeff: S) -> Self {
        Self::from_coeff(variable(kind, key), coeff)
    }

    fn add_term(self, kind: Kind, key: usize, coeff: S) -> Self {
        self + (coeff, variable(kind, key))
    }

    fn sub_term(self, kind: Kind, key: usize, coeff: S) -> Self {
        self - (coeff, variable(kind, key))
    }

    fn add(self, other: &Self) -> Self {
        self + other
    }

    fn sub(self, other: &Self) -> Self {
        self - other
    }

    fn add_scaled(self, scale: S, other: &Self) -> Self {
        self + (scale, other)
    }

    fn sub_scaled(self, scale: S, other: &Self) -> Self {
        self - (scale, other)
    }

    fn scale(&mut self, scale: S) {
        self.iter_mut().for_each(|(_, coeff)| *coeff *= scale);
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn terms_of(&self, kind: Kind) -> Vec<(usize, S)> {
        match kind {
            Kind::Input => {
                let terms = self.iter_inputs();
                terms.map(|(key, coeff)| (given(*key), *coeff)).collect()
            }
            Kind::Aux => {
                let terms = self.iter_aux();
                terms.map(|(key, coeff)| (given(*key), *coeff)).collect()
            }
        }
    }

    fn terms(&self) -> Vec<(Kind, usize, S)> {
        let mut clone = self.clone();
        let terms = clone.iter_mut();
        terms
            .map(|(variable, coeff)| match variable.get_unchecked() {
                upstream::Index::Input(key) => (Kind::Input, given(key), *coeff),
                upstream::Index::Aux(key) => (Kind::Aux, given(key), *coeff),
            })
            .collect()
    }

    fn eval(&self, inputs: &[S], aux: &[S]) -> S {
        self.eval(inputs, aux)
    }
}
