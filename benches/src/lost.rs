//! Shapes on which a storage once took more than the registry's crate, most of them found by the
//! search (`scripts/losers.sh`).

use std::hint::black_box;

use blstrs::Scalar as Fr;
use ff::Field;

use crate::subject::{read, Combination};
use crate::Body;

/// As many scalars as no storage remembers.
fn scalars() -> Vec<Fr> {
    let next = |scalar: &Fr| Some(scalar.square() + Fr::ONE);
    std::iter::successors(Some(Fr::from(7)), next)
        .take(1000)
        .collect()
}

/// Auxiliaries with coefficients that are neither 1 nor -1.
fn of_keys<C: Combination>(keys: impl IntoIterator<Item = usize>) -> C {
    let terms = keys.into_iter().zip(scalars().into_iter().cycle());
    terms.fold(C::zero(), |sum, (key, coeff)| {
        sum.add_term(coeff, C::aux(key))
    })
}

/// The keys below `len`, each far from the one before, for a `len` that 389 does not divide.
fn scattered(len: usize) -> impl Iterator<Item = usize> {
    (0..len).map(move |i| i * 389 % len)
}

/// Even keys, and odd ones.
fn even_and_odd<C: Combination>(len: usize) -> (C, C) {
    let of = |parity| of_keys((0..len).map(|i| 2 * i + parity));
    (of(0), of(1))
}

/// Clones of a sum, each evaluated.
pub fn evaluate_clones<C: Combination>() -> Body {
    let (evens, odds) = even_and_odd::<C>(200);
    let base = evens.clone().add(&odds);
    let aux = scalars();
    Box::new(move || {
        black_box(black_box(&base).clone().eval(&[], &aux));
    })
}

/// The same sum, made and evaluated each time.
pub fn evaluate_sum<C: Combination>() -> Body {
    let (evens, odds) = even_and_odd::<C>(200);
    let aux = scalars();
    Box::new(move || {
        black_box(evens.clone().add(black_box(&odds)).eval(&[], &aux));
    })
}

/// Zero and a multiple of 40 terms, by another scalar each time.
pub fn onto_zero<C: Combination>() -> Body {
    let terms: C = of_keys(0..40);
    let mut scalars = scalars().into_iter().cycle();
    Box::new(move || {
        let scalar = scalars.next().expect("without end");
        read(&C::zero().add_scaled(scalar, black_box(&terms)));
    })
}

/// A few terms onto the clone of many, in which these variables are.
pub fn onto_clone<C: Combination>() -> Body {
    let (many, few) = (of_keys::<C>(0..2000), of_keys(500..530));
    Box::new(move || read(&black_box(&many).clone().add(black_box(&few))))
}

/// Terms that came in no order, read.
pub fn read_scattered<C: Combination>() -> Body {
    let sum: C = of_keys(scattered(2000));
    Box::new(move || read(black_box(&sum)))
}

/// The same, cloned.
pub fn clone_scattered<C: Combination>() -> Body {
    let sum: C = of_keys(scattered(2000));
    Box::new(move || {
        black_box(black_box(&sum).clone());
    })
}

/// The same, compared.
pub fn compare_scattered<C: Combination>() -> Body {
    let sum: C = of_keys(scattered(2000));
    let clone = sum.clone();
    Box::new(move || {
        black_box(black_box(&sum) == black_box(&clone));
    })
}

/// Two sums that differ in their only input, and in no auxiliary.
pub fn compare_inputs<C: Combination>() -> Body {
    let sum: C = of_keys(0..400);
    let [left, right] = [1, 2].map(|coeff| sum.clone().add_term(Fr::from(coeff), C::input(0)));
    Box::new(move || {
        black_box(black_box(&left) == black_box(&right));
    })
}

/// A clone of what insertions into the middle have left.
pub fn clone_inserted<C: Combination>() -> Body {
    let sum: C = of_keys((0..300).chain(1000..1300).chain(500..520));
    Box::new(move || {
        black_box(black_box(&sum).clone());
    })
}

/// Inputs and auxiliaries in turn, each ascending.
pub fn kinds_in_turn<C: Combination>() -> Body {
    let coeffs = scalars();
    Box::new(move || {
        let terms = coeffs.iter().take(500).enumerate();
        let sum = terms.fold(C::zero(), |sum, (key, coeff)| {
            sum.add_term(*coeff, C::aux(key))
                .add_term(*coeff, C::input(key))
        });
        read(&sum);
    })
}

/// A few inputs onto the clone of many auxiliaries.
pub fn inputs_onto_clone<C: Combination>() -> Body {
    let many = of_keys::<C>(0..700);
    let inputs = of_inputs::<C>(1..33);
    Box::new(move || read(&black_box(&many).clone().add(black_box(&inputs))))
}

/// The sum of these inputs.
fn of_inputs<C: Combination>(keys: std::ops::Range<usize>) -> C {
    let coeff = Fr::from(3);
    keys.fold(C::zero(), |sum, key| sum.add_term(coeff, C::input(key)))
}

/// Inputs that are all in the sum already.
pub fn inputs_again<C: Combination>() -> Body {
    let inputs = of_inputs::<C>(1..1000);
    let mut sum = Some(inputs.clone());
    Box::new(move || {
        let more = sum.take().expect("put back").add(black_box(&inputs));
        read(sum.insert(more));
    })
}

/// The sum of two combinations of inputs, where those of the second go before those of the first.
pub fn inputs_before<C: Combination>() -> Body {
    let (last, first) = (of_inputs::<C>(1000..1110), of_inputs::<C>(0..150));
    Box::new(move || read(&black_box(&last).clone().add(black_box(&first))))
}

/// One input after the other before those that a clone has.
pub fn inputs_before_clone<C: Combination>() -> Body {
    let last = of_inputs::<C>(5000..5054);
    let coeff = Fr::from(3);
    Box::new(move || {
        let sum = black_box(&last).clone();
        read(&(0..1000).fold(sum, |sum, key| sum.add_term(coeff, C::input(key))));
    })
}

/// Ascending from two keys on, in turn.
pub fn two_cursors<C: Combination>() -> Body {
    let coeffs = scalars();
    Box::new(move || {
        let terms = coeffs.iter().take(500).enumerate();
        let sum = terms.fold(C::zero(), |sum, (key, coeff)| {
            sum.add_term(*coeff, C::aux(key))
                .add_term(*coeff, C::aux(1000 + key))
        });
        read(&sum);
    })
}

/// Many combinations of one term, kept until there are all of them.
pub fn keep_one_term<C: Combination>() -> Body {
    let mut kept = Vec::new();
    Box::new(move || {
        kept.extend((0..5000).map(|key| C::from_variable(C::aux(black_box(key)))));
        kept.iter().for_each(read);
        kept.clear();
    })
}

/// Clones of 100 terms, kept likewise.
pub fn keep_clones<C: Combination>() -> Body {
    let terms: C = of_keys(0..100);
    let mut kept = Vec::new();
    Box::new(move || {
        kept.extend((0..100).map(|_| black_box(&terms).clone()));
        kept.iter().for_each(read);
        kept.clear();
    })
}

/// All terms by the iterator over both kinds.
pub fn iterate<C: Combination>() -> Body {
    let terms = of_keys::<C>(0..300).add_variable(C::input(0));
    Box::new(move || {
        black_box(&terms).iter().for_each(|(_, coeff)| {
            black_box(coeff);
        })
    })
}

/// Three terms, compared with their like.
pub fn compare<C: Combination>() -> Body {
    let (one, other) = (of_keys::<C>(0..3), of_keys(0..3));
    Box::new(move || {
        black_box(black_box(&one) == black_box(&other));
    })
}

/// What can be done with nothing.
pub fn nothing<C: Combination>() -> Body {
    let (nothing, scalar) = (C::zero(), scalars()[0]);
    Box::new(move || {
        let mut sum = black_box(&nothing).clone();
        sum.iter_mut().for_each(|(_, coeff)| *coeff = Fr::ONE);
        sum = black_box(sum).sub_scaled(scalar, black_box(&nothing));
        black_box(sum == nothing);
        black_box(sum.eval(&[], &[]));
    })
}
