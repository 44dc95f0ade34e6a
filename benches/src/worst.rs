//! Combinations that no circuit is known to build, to hold the cost of any to a constant times
//! n log n.

use std::hint::black_box;

use blstrs::Scalar as Fr;

use crate::lc::storage::Kind;
use crate::subjects::program::Subject;
use crate::Body;

/// Insertion of these keys, in this order.
fn insert<C: Subject<Fr>>(keys: impl Iterator<Item = usize>) -> C {
    keys.fold(C::zero(), |sum, key| {
        sum.add_term(Kind::Aux, key, Fr::from(3))
    })
}

fn inserted<C: Subject<Fr> + 'static>(keys: Vec<usize>) -> Body {
    Box::new(move || {
        black_box(insert::<C>(keys.iter().copied()));
    })
}

fn ascending<C: Subject<Fr> + 'static>(len: usize) -> Body {
    inserted::<C>((0..len).collect())
}

fn descending<C: Subject<Fr> + 'static>(len: usize) -> Body {
    inserted::<C>((0..len).rev().collect())
}

/// Each key far from the one before: a stride near the golden section of the length, and prime to it.
fn strided<C: Subject<Fr> + 'static>(len: usize) -> Body {
    const STRIDE: usize = 61_803;
    inserted::<C>((0..len).map(|i| i * STRIDE % len).collect())
}

/// A permutation made by a linear congruential generator.
fn random<C: Subject<Fr> + 'static>(len: usize) -> Body {
    let mut keys: Vec<usize> = (0..len).collect();
    let mut state: u64 = 1;
    for i in (1..len).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        keys.swap(i, (state >> 33) as usize % (i + 1));
    }
    inserted::<C>(keys)
}

/// The sum of two combinations, whose terms alternate.
fn sum<C: Subject<Fr> + 'static>(len: usize) -> Body {
    let even: C = insert((0..len).map(|i| 2 * i));
    let odd: C = insert((0..len).map(|i| 2 * i + 1));
    Box::new(move || {
        black_box(even.clone().add(black_box(&odd)));
    })
}

macro_rules! of_lengths {
    ($($shape:ident: $shorter:ident, $longer:ident;)*) => { $(
        pub fn $shorter<C: Subject<Fr> + 'static>() -> Body {
            $shape::<C>(50_000)
        }

        pub fn $longer<C: Subject<Fr> + 'static>() -> Body {
            $shape::<C>(100_000)
        }
    )* };
}

of_lengths! {
    ascending: ascending_50k, ascending_100k;
    descending: descending_50k, descending_100k;
    strided: strided_50k, strided_100k;
    random: random_50k, random_100k;
    sum: sum_50k, sum_100k;
}
