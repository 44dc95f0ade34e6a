//! A scalar whose arithmetic panics when told to.

use std::cell::Cell;
use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use blstrs::Scalar as Fr;
use ff::derive::rand_core::RngCore;
use ff::derive::subtle::{Choice, ConditionallySelectable, ConstantTimeEq, CtOption};
use ff::{Field, PrimeField};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fused(Fr);

/// What the panic says.
pub const BLOWN: &str = "the fuse is blown";

thread_local! {
    static LEFT: Cell<Option<u32>> = const { Cell::new(None) };
}

/// Lets the thread do so many more operations, or as many as it likes.
pub fn allow(operations: Option<u32>) {
    LEFT.with(|left| left.set(operations));
}

fn burn() {
    LEFT.with(|left| match left.get() {
        None => {}
        Some(0) => panic!("{}", BLOWN),
        Some(more) => left.set(Some(more - 1)),
    })
}

macro_rules! operator {
    ($op:ident::$method:ident, $assign:ident::$assign_method:ident) => {
        impl $assign<&Fused> for Fused {
            fn $assign_method(&mut self, other: &Fused) {
                burn();
                $assign::$assign_method(&mut self.0, &other.0);
            }
        }
        impl $assign for Fused {
            fn $assign_method(&mut self, other: Fused) {
                $assign::$assign_method(self, &other);
            }
        }
        impl $op<&Fused> for Fused {
            type Output = Fused;
            fn $method(mut self, other: &Fused) -> Fused {
                $assign::$assign_method(&mut self, other);
                self
            }
        }
        impl $op for Fused {
            type Output = Fused;
            fn $method(self, other: Fused) -> Fused {
                $op::$method(self, &other)
            }
        }
    };
}

operator!(Add::add, AddAssign::add_assign);
operator!(Sub::sub, SubAssign::sub_assign);
operator!(Mul::mul, MulAssign::mul_assign);

impl Neg for Fused {
    type Output = Fused;
    fn neg(self) -> Fused {
        burn();
        Fused(-self.0)
    }
}

impl Sum for Fused {
    fn sum<I: Iterator<Item = Fused>>(terms: I) -> Fused {
        terms.fold(Fused::ZERO, |sum, term| sum + term)
    }
}

impl<'a> Sum<&'a Fused> for Fused {
    fn sum<I: Iterator<Item = &'a Fused>>(terms: I) -> Fused {
        terms.copied().sum()
    }
}

impl Product for Fused {
    fn product<I: Iterator<Item = Fused>>(factors: I) -> Fused {
        factors.fold(Fused::ONE, |product, factor| product * factor)
    }
}

impl<'a> Product<&'a Fused> for Fused {
    fn product<I: Iterator<Item = &'a Fused>>(factors: I) -> Fused {
        factors.copied().product()
    }
}

impl ConstantTimeEq for Fused {
    fn ct_eq(&self, other: &Fused) -> Choice {
        self.0.ct_eq(&other.0)
    }
}

impl ConditionallySelectable for Fused {
    fn conditional_select(a: &Fused, b: &Fused, choice: Choice) -> Fused {
        Fused(Fr::conditional_select(&a.0, &b.0, choice))
    }
}

impl From<u64> for Fused {
    fn from(value: u64) -> Fused {
        Fused(Fr::from(value))
    }
}

impl Field for Fused {
    const ZERO: Fused = Fused(Fr::ZERO);
    const ONE: Fused = Fused(Fr::ONE);

    fn random(rng: impl RngCore) -> Fused {
        Fused(Fr::random(rng))
    }

    fn square(&self) -> Fused {
        *self * self
    }

    fn double(&self) -> Fused {
        *self + self
    }

    fn invert(&self) -> CtOption<Fused> {
        burn();
        self.0.invert().map(Fused)
    }

    fn sqrt_ratio(num: &Fused, div: &Fused) -> (Choice, Fused) {
        burn();
        let (is_square, root) = Fr::sqrt_ratio(&num.0, &div.0);
        (is_square, Fused(root))
    }
}

impl PrimeField for Fused {
    type Repr = <Fr as PrimeField>::Repr;

    fn from_repr(repr: Self::Repr) -> CtOption<Fused> {
        Fr::from_repr(repr).map(Fused)
    }

    fn to_repr(&self) -> Self::Repr {
        self.0.to_repr()
    }

    fn is_odd(&self) -> Choice {
        self.0.is_odd()
    }

    const MODULUS: &'static str = Fr::MODULUS;
    const NUM_BITS: u32 = Fr::NUM_BITS;
    const CAPACITY: u32 = Fr::CAPACITY;
    const TWO_INV: Fused = Fused(Fr::TWO_INV);
    const MULTIPLICATIVE_GENERATOR: Fused = Fused(Fr::MULTIPLICATIVE_GENERATOR);
    const S: u32 = Fr::S;
    const ROOT_OF_UNITY: Fused = Fused(Fr::ROOT_OF_UNITY);
    const ROOT_OF_UNITY_INV: Fused = Fused(Fr::ROOT_OF_UNITY_INV);
    const DELTA: Fused = Fused(Fr::DELTA);
}
