//! Multiples of a long combination.
//!
//! `UInt32::addmany` sums words: each has 32 terms with the coefficients 1, 2, 4 and so on, in this
//! order, or rotated, or byte by byte. `MultiEq` scales such sums by 1, 2^35, 2^70 and so on until
//! the field is full, then begins again. So it is the same few hundred products that it wants, from
//! the first block of a hash to the last.

use std::any::Any;
use std::cell::Cell;

use ff::PrimeField;

use super::coeff::multiply;

/// A word's terms. A combination that has no more is not worth remembering products.
pub(super) const WORD: usize = 32;

/// How many powers of two are known: those of a word, and of what a sum of words carries.
const POWERS: usize = 40;

/// How many scalars a thread knows products with: as many as `MultiEq` uses.
const SCALES: usize = 8;

/// How many coefficients of one combination are sought in vain before all others are multiplied.
/// Each of them makes the next power known, so that a scalar which never comes again costs next to
/// nothing.
const STRANGERS: u32 = 4;

/// The products with one scalar of the first powers of two.
pub(super) struct Products<S> {
    scale: S,
    known: Vec<(S, S)>,
    next: usize,
    strangers: u32,
}

impl<S: PrimeField> Products<S> {
    /// Multiplies a coefficient.
    #[inline(always)]
    pub fn multiply(&mut self, coeff: &mut S, minus_one: &S) {
        match self.known.get(self.next) {
            Some((known, product)) if known == coeff => {
                *coeff = *product;
                self.next += 1;
            }
            _ => self.find(coeff, minus_one),
        }
    }

    /// [`multiply`](Self::multiply) where the coefficient is not the one that was expected.
    #[inline(never)]
    fn find(&mut self, coeff: &mut S, minus_one: &S) {
        if self.strangers < STRANGERS {
            if self.known.len() < POWERS {
                let (power, product) = self.known[self.known.len() - 1];
                self.known.push((power.double(), product.double()));
            }
            if let Some(at) = self.known.iter().position(|known| known.0 == *coeff) {
                *coeff = self.known[at].1;
                self.next = at + 1;
                return;
            }
            self.strangers += 1;
        }
        multiply(coeff, &self.scale, minus_one);
    }
}

/// The products with the scalars that were used last.
struct Remembered<S> {
    products: Vec<Products<S>>,
    oldest: usize,
}

impl<S: PrimeField> Remembered<S> {
    fn with(&mut self, scale: S) -> &mut Products<S> {
        let found = self.products.iter().position(|it| it.scale == scale);
        let at = found.unwrap_or_else(|| {
            if self.products.len() < SCALES {
                self.products.push(Products {
                    scale,
                    known: Vec::with_capacity(POWERS),
                    next: 0,
                    strangers: 0,
                });
            }
            let at = self.oldest;
            self.oldest = (at + 1) % SCALES;
            let products = &mut self.products[at];
            products.scale = scale;
            products.known.clear();
            products.known.push((S::ONE, scale));
            at
        });
        let products = &mut self.products[at];
        products.next = 0;
        products.strangers = 0;
        products
    }
}

thread_local! {
    /// The `Remembered` of the scalars' type that this thread used last: 21 KiB for 32-byte
    /// scalars.
    static REMEMBERED: Cell<Option<Box<dyn Any>>> = const { Cell::new(None) };
}

/// Calls `body` with the products with a scalar that this thread knows.
#[inline(always)]
pub(super) fn with_products<S: PrimeField>(scale: S, body: impl FnOnce(&mut Products<S>)) {
    // Taken out, since a scalar's arithmetic may come here again; there is none at the thread's
    // end.
    let remembered = REMEMBERED.try_with(Cell::take).ok().flatten();
    let mut remembered: Box<Remembered<S>> = remembered
        .and_then(|remembered| remembered.downcast().ok())
        .unwrap_or_else(|| {
            Box::new(Remembered {
                products: Vec::new(),
                oldest: 0,
            })
        });
    body(remembered.with(scale));
    let _ = REMEMBERED.try_with(|cell| cell.set(Some(remembered)));
}
