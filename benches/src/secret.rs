//! The evaluation of one combination under assignments of different kinds. Values are secret: the
//! work must not depend on them.

use std::hint::black_box;

use blstrs::Scalar as Fr;
use ff::Field;

use crate::subject::Combination;
use crate::Body;

const TERMS: usize = 60;

/// Coefficients of each kind, over an input and auxiliaries.
fn evaluated<C: Combination>(value: impl Fn(usize) -> Fr) -> Body {
    let coeff = |key: usize| {
        [
            Fr::ONE,
            -Fr::ONE,
            Fr::from(2),
            Fr::from(key as u64).square(),
        ][key % 4]
    };
    let sum = C::from_coeff(C::input(0), Fr::from(3));
    let sum = (0..TERMS).fold(sum, |sum, key| sum.add_term(coeff(key), C::aux(key)));
    let values: Vec<_> = (0..TERMS).map(value).collect();
    Box::new(move || {
        black_box(black_box(&sum).eval(black_box(&values), black_box(&values)));
    })
}

fn random(key: usize) -> Fr {
    Fr::from(key as u64 + 5)
        .invert()
        .expect("not zero")
        .square()
}

pub fn values_random<C: Combination>() -> Body {
    evaluated::<C>(random)
}

/// Zeros and ones, and others among them.
pub fn values_mixed<C: Combination>() -> Body {
    evaluated::<C>(|key| match key % 7 {
        0 | 1 | 5 => Fr::ZERO,
        2 | 3 => Fr::ONE,
        _ => random(key),
    })
}

pub fn values_zero<C: Combination>() -> Body {
    evaluated::<C>(|_| Fr::ZERO)
}
