//! Long combinations, in orders of insertion that no circuit is known to have.

use std::hint::black_box;

use blstrs::Scalar as Fr;

use crate::subject::{read, Combination};
use crate::Body;

/// Terms of a combination. The registry's crate takes O(terms squared) for most orders.
const LEN: usize = 3000;

/// Insertion of these keys, in this order.
fn insert<C: Combination>(keys: impl Iterator<Item = usize>) -> C {
    keys.fold(C::zero(), |sum, key| sum.add_term(Fr::from(3), C::aux(key)))
}

fn inserted<C: Combination>(keys: Vec<usize>) -> Body {
    Box::new(move || {
        read(&insert::<C>(keys.iter().copied()));
    })
}

pub fn ascending<C: Combination>() -> Body {
    inserted::<C>((0..LEN).collect())
}

pub fn descending<C: Combination>() -> Body {
    inserted::<C>((0..LEN).rev().collect())
}

/// Each key far from the one before: a stride near the golden section of the length, and prime to
/// it.
pub fn strided<C: Combination>() -> Body {
    const STRIDE: usize = 1_853;
    inserted::<C>((0..LEN).map(|i| i * STRIDE % LEN).collect())
}

/// A permutation made by a linear congruential generator.
pub fn random<C: Combination>() -> Body {
    let mut keys: Vec<usize> = (0..LEN).collect();
    let mut state: u64 = 1;
    for i in (1..LEN).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        keys.swap(i, (state >> 33) as usize % (i + 1));
    }
    inserted::<C>(keys)
}

/// The sum of two combinations, whose terms alternate.
pub fn sum<C: Combination>() -> Body {
    let even: C = insert((0..LEN).map(|i| 2 * i));
    let odd: C = insert((0..LEN).map(|i| 2 * i + 1));
    Box::new(move || {
        read(&even.clone().add(black_box(&odd)));
    })
}
