//! Products of coefficients with one scalar, of which the ones met before are known.
//!
//! `UInt32::addmany` sums words: each has 32 terms, with the coefficients 1, 2, 4 and so on. `MultiEq` scales
//! such sums by 1, 2^35, 2^70 and so on until the field is full, then begins again. So it is the
//! same few hundred products that it wants, from the first block of a hash to the last.

use std::any::Any;
use std::cell::Cell;

use ff::PrimeField;

use super::terms::multiply_coeff;

/// A word's terms.
pub(super) const WORD_BITS: usize = 32;

/// How many scalars a thread knows products with: as many as `MultiEq` uses.
const SCALES: usize = 8;

/// The products with one scalar: those of the last word, by position in a word.
pub(super) struct Products<S> {
    scale: S,
    known: [(S, S); WORD_BITS],
    next: usize,
}

impl<S: PrimeField> Products<S> {
    fn of(scale: S) -> Self {
        let mut known = [(S::ZERO, S::ZERO); WORD_BITS];
        known[0] = (S::ONE, scale);
        Products {
            scale,
            known,
            next: 0,
        }
    }

    /// Puts the product in the place of the coefficient.
    #[inline(always)]
    pub fn put(&mut self, coeff: &mut S, minus_one: &S) {
        if self.known[self.next].0 != *coeff {
            self.learn(coeff, minus_one);
        }
        *coeff = self.known[self.next].1;
        self.next = (self.next + 1) % WORD_BITS;
    }

    /// Makes the product the next one.
    #[inline(never)]
    fn learn(&mut self, coeff: &S, minus_one: &S) {
        if *coeff == S::ONE {
            // A word begins here.
            self.next = 0;
            self.known[0] = (S::ONE, self.scale);
        } else {
            let mut product = *coeff;
            multiply_coeff(&mut product, &self.scale, minus_one);
            self.known[self.next] = (*coeff, product);
        }
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
        products
    }
}

thread_local! {
    /// The `Kept` of the scalars' type that this thread used last: 17 KiB for 32-byte scalars.
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
