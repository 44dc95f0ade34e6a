//! Products of coefficients with one scalar, of which those of powers of two are known.
//!
//! `UInt32::addmany` sums words: each has 32 terms, with the coefficients 1, 2, 4 and so on, in this order, or
//! rotated, or byte by byte. `MultiEq` scales such sums by 1, 2^35, 2^70 and so on until the field is full,
//! then begins again. So it is the same few hundred products that it wants, from the first block
//! of a hash to the last.

use std::any::Any;
use std::cell::Cell;

use ff::PrimeField;

use super::terms::multiply_coeff;

/// A word's terms.
pub(super) const WORD_BITS: usize = 32;

/// How many powers of two are known: those of a word, and of what a sum of words carries.
const POWERS: usize = 40;

/// How many scalars a thread knows products with: as many as `MultiEq` uses.
const SCALES: usize = 8;

/// How many coefficients of one combination are sought in vain before all others are multiplied.
const STRANGERS: u32 = 4;

/// The products with one scalar: first those of the powers of two, then the last one of another
/// coefficient.
pub(super) struct Products<S> {
    scale: S,
    known: [(S, S); POWERS + 1],
    next: usize,
    strangers: u32,
}

impl<S: PrimeField> Products<S> {
    fn of(scale: S) -> Self {
        let mut known = [(S::ONE, scale); POWERS + 1];
        for power in 1..POWERS {
            let (coeff, product) = known[power - 1];
            known[power] = (coeff.double(), product.double());
        }
        Products {
            scale,
            known,
            next: 0,
            strangers: 0,
        }
    }

    /// Puts the product in the place of the coefficient.
    #[inline(always)]
    pub fn put(&mut self, coeff: &mut S, minus_one: &S) {
        if self.known[self.next].0 != *coeff {
            self.find(coeff, minus_one);
        }
        *coeff = self.known[self.next].1;
        self.next = (self.next + 1) % POWERS;
    }

    /// Makes the product the next one.
    #[inline(never)]
    fn find(&mut self, coeff: &S, minus_one: &S) {
        if self.strangers < STRANGERS || *coeff == S::ONE {
            let mut powers = self.known[..POWERS].iter();
            if let Some(power) = powers.position(|known| known.0 == *coeff) {
                self.next = power;
                return;
            }
            self.strangers += 1;
        }
        let mut product = *coeff;
        multiply_coeff(&mut product, &self.scale, minus_one);
        self.known[POWERS] = (*coeff, product);
        self.next = POWERS;
    }
}

/// The products with the scalars that were used last.
struct Kept<S> {
    products: Vec<Products<S>>,
    oldest: usize,
}

impl<S: PrimeField> Kept<S> {
    fn with(&mut self, scale: S) -> &mut Products<S> {
        let found = self
            .products
            .iter()
            .position(|products| products.scale == scale);
        let at = found.unwrap_or_else(|| {
            if self.products.len() < SCALES {
                self.products.push(Products::of(scale));
                return self.products.len() - 1;
            }
            let at = self.oldest;
            self.oldest = (at + 1) % SCALES;
            self.products[at] = Products::of(scale);
            at
        });
        let products = &mut self.products[at];
        products.next = 0;
        products.strangers = 0;
        products
    }
}

thread_local! {
    /// The `Kept` of the scalars' type that this thread used last: 21 KiB for 32-byte scalars.
    static KEPT: Cell<Option<Box<dyn Any>>> = const { Cell::new(None) };
}

/// Calls `body` with the products with a scalar that this thread knows.
#[inline(always)]
pub(super) fn with<S: PrimeField>(scale: S, body: impl FnOnce(&mut Products<S>)) {
    // Taken out, since a scalar's arithmetic may come here again; there is none at the thread's end.
    let kept = KEPT.try_with(Cell::take).ok().flatten();
    let mut kept: Box<Kept<S>> = kept
        .and_then(|kept| kept.downcast().ok())
        .unwrap_or_else(|| {
            Box::new(Kept {
                products: Vec::new(),
                oldest: 0,
            })
        });
    body(kept.with(scale));
    let _ = KEPT.try_with(|cell| cell.set(Some(kept)));
}
