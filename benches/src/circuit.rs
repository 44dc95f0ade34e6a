//! The shapes of the PoRep circuit, by their share of its combinations.

use std::hint::black_box;

use blstrs::Scalar as Fr;
use ff::Field;

use crate::subject::{read, Combination};
use crate::Body;

/// Bits of a SHA-256 word, and those of a sum of five.
const WORD_BITS: usize = 32;
const SUM_BITS: usize = 35;

/// Sums that are packed into one equation of `MultiEq`.
const SUMS: usize = 7;

/// A variable: 56% of the combinations.
pub fn one_term<C: Combination>() -> Body {
    let mut key = 0;
    Box::new(move || {
        key += 1;
        read(&C::zero().add_term(Fr::ONE, C::aux(black_box(key))));
    })
}

/// One minus a bit, as for each bit that is allocated.
pub fn two_terms<C: Combination>() -> Body {
    let mut key = 0;
    Box::new(move || {
        key += 1;
        let one = C::zero().add_term(Fr::ONE, C::input(0));
        read(&one.sub_term(Fr::ONE, C::aux(black_box(key))));
    })
}

/// The sum of two bits less a third, as for each exclusive or.
pub fn three_terms<C: Combination>() -> Body {
    let mut key = 0;
    Box::new(move || {
        key += 3;
        let sum = C::zero().add_term(Fr::ONE, C::aux(black_box(key + 1)));
        let sum = sum.add_term(Fr::ONE, C::aux(black_box(key)));
        read(&sum.sub_term(Fr::ONE, C::aux(black_box(key + 2))));
    })
}

/// The value of three terms, none of them of a bit.
pub fn evaluate<C: Combination>() -> Body {
    let sum = C::from_coeff(C::aux(1), Fr::ONE);
    let sum = sum.sub_term(Fr::ONE, C::aux(2));
    let sum = sum.add_term(Fr::from(2), C::aux(3));
    let (inputs, aux) = ([Fr::ONE], [Fr::from(3); 4]);
    Box::new(move || {
        black_box(black_box(&sum).eval(&inputs, &aux));
    })
}

/// The value of two words, as `MultiEq` has them on one side.
pub fn evaluate_words<C: Combination>() -> Body {
    let words = [0, WORD_BITS];
    let sum = sum_of_words::<C>(&words);
    let bit = |key: usize| Fr::from(u64::from(key.count_ones() % 2));
    let aux: Vec<_> = (0..words.len() * WORD_BITS).map(bit).collect();
    Box::new(move || {
        black_box(black_box(&sum).eval(&[Fr::ONE], &aux));
    })
}

/// The powers of two, from one.
fn powers() -> impl Iterator<Item = Fr> {
    std::iter::successors(Some(Fr::ONE), |power| Some(power.double()))
}

/// The sum of words, bit by bit, each bit a combination of its own, as `UInt32::addmany` has it. A
/// word is known by the key of its first bit. The compiler does not see through a bit's
/// combination, as it does not in a prover; here it would leave out a `Vec`'s allocation.
fn sum_of_words<C: Combination>(words: &[usize]) -> C {
    words.iter().fold(C::zero(), |sum, word| {
        let bits = (*word..*word + WORD_BITS).zip(powers());
        bits.fold(sum, |sum, (key, coeff)| {
            sum.add(black_box(&C::from_coeff(C::aux(key), coeff)))
        })
    })
}

/// A sum of five words, allocated in another order than they are added in.
pub fn addmany<C: Combination>() -> Body {
    let words = [3000, 1000, 5000, 2000, 4000];
    Box::new(move || {
        read(&sum_of_words::<C>(black_box(&words)));
    })
}

/// What `MultiEq` does with the combinations of one side: each is scaled and added to a clone of
/// what there is, and the whole is cloned once more at the end.
fn pack<C: Combination>(sides: &[C]) -> C {
    let shift = Fr::from(1 << SUM_BITS);
    let mut coeff = Fr::ONE;
    let mut packed = C::zero();
    for side in sides {
        packed = packed.clone().add_scaled(coeff, side);
        coeff *= shift;
    }
    packed.clone()
}

/// The side of `MultiEq` with the bits of the sums: 245 terms, none met twice.
pub fn multieq_sums<C: Combination>() -> Body {
    let sums: Vec<C> = (0..SUMS)
        .map(|i| {
            let bits = (100 * i..100 * i + SUM_BITS).zip(powers());
            bits.fold(C::zero(), |sum, (key, coeff)| {
                sum.add_term(coeff, C::aux(key))
            })
        })
        .collect();
    Box::new(move || {
        read(&pack(black_box(&sums)));
    })
}

/// The other side: sums of five words, of which each but the first and last is in several, as in
/// the message schedule.
pub fn multieq_operands<C: Combination>() -> Body {
    let word = |i: usize| 1000 + 100 * i;
    let sums: Vec<C> = (0..SUMS)
        .map(|i| sum_of_words(&[i + 8, i + 3, i, i + 10, i + 1].map(word)))
        .collect();
    Box::new(move || {
        read(&pack(black_box(&sums)));
    })
}

/// One row of Poseidon's matrix: nine elements, all over the same variables, each cloned, scaled
/// and added.
fn matrix_row<C: Combination>(len: usize) -> Body {
    let element = |salt: usize| {
        (0..len).fold(C::zero(), |sum, key| {
            sum.add_term(Fr::from((salt * len + key + 2) as u64), C::aux(5 * key))
        })
    };
    let elements: Vec<C> = (0..9).map(element).collect();
    let row: Vec<Fr> = (0..9).map(|i| Fr::from(1000 + i).square()).collect();
    Box::new(move || {
        let sum = elements.iter().zip(&row).fold(C::zero(), |sum, (it, by)| {
            let mut scaled = it.clone();
            scaled.iter_mut().for_each(|(_, coeff)| *coeff *= by);
            sum.add(&scaled)
        });
        read(&sum);
    })
}

pub fn poseidon_30<C: Combination>() -> Body {
    matrix_row::<C>(30)
}

pub fn poseidon_66<C: Combination>() -> Body {
    matrix_row::<C>(66)
}
