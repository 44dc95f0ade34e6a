//! Arithmetic on coefficients.
//!
//! Field operations are calls into assembly for the usual scalars, a comparison is not: so
//! coefficients are compared with 1 and -1 (69% of those in the PoRep circuit) before they are
//! multiplied. Coefficients are public. Values of variables may be secret: none is compared with
//! anything.

use ff::{Field, PrimeField};

use super::storage::Storage;

/// A coefficient with the other sign.
#[inline(always)]
pub(crate) fn negate<St: Storage>(coeff: St::Scalar) -> St::Scalar {
    if coeff == St::Scalar::ONE {
        St::minus_one()
    } else {
        -coeff
    }
}

/// Multiplies a coefficient by a scalar.
#[inline(always)]
pub(super) fn multiply<S: PrimeField>(coeff: &mut S, scale: &S, minus_one: &S) {
    if *coeff == S::ONE {
        *coeff = *scale;
    } else if coeff == minus_one {
        *coeff = -*scale;
    } else {
        *coeff *= scale;
    }
}

/// Adds a coefficient times a value.
#[inline(always)]
pub(super) fn add_product<S: PrimeField>(sum: &mut S, coeff: &S, value: &S, minus_one: &S) {
    if *coeff == S::ONE {
        *sum += value;
    } else if coeff == minus_one {
        *sum -= value;
    } else {
        let mut product = *value;
        product *= coeff;
        *sum += &product;
    }
}
