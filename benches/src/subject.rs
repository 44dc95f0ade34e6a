//! The operations of a linear combination, on the registry's type and on each storage of the fork.

use std::fmt::Debug;
use std::hint::black_box;

use blstrs::Scalar as Fr;

/// A linear combination: its public operations, under the names that upstream has for them.
pub trait Combination: Clone + Default + PartialEq + Debug + Send + 'static {
    type Variable: Copy + 'static;

    fn input(key: usize) -> Self::Variable;
    fn aux(key: usize) -> Self::Variable;

    fn zero() -> Self;
    fn from_coeff(var: Self::Variable, coeff: Fr) -> Self;
    fn from_variable(var: Self::Variable) -> Self;

    fn add_term(self, coeff: Fr, var: Self::Variable) -> Self;
    fn sub_term(self, coeff: Fr, var: Self::Variable) -> Self;
    fn add_variable(self, var: Self::Variable) -> Self;
    fn sub_variable(self, var: Self::Variable) -> Self;
    fn add(self, other: &Self) -> Self;
    fn sub(self, other: &Self) -> Self;
    fn add_scaled(self, scale: Fr, other: &Self) -> Self;
    fn sub_scaled(self, scale: Fr, other: &Self) -> Self;

    fn iter(&self) -> impl Iterator<Item = (Self::Variable, &Fr)>;
    fn iter_inputs(&self) -> impl Iterator<Item = (&usize, &Fr)>;
    fn iter_aux(&self) -> impl Iterator<Item = (&usize, &Fr)>;
    fn iter_mut(&mut self) -> impl Iterator<Item = (Self::Variable, &mut Fr)>;
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool;
    fn eval(&self, inputs: &[Fr], aux: &[Fr]) -> Fr;
}

/// Looks at each term, as a prover does.
#[inline(always)]
pub fn read<C: Combination>(combination: &C) {
    combination.iter_inputs().for_each(|term| {
        black_box(term);
    });
    combination.iter_aux().for_each(|term| {
        black_box(term);
    });
}

impl Combination for upstream::LinearCombination<Fr> {
    type Variable = upstream::Variable;

    #[inline(always)]
    fn input(key: usize) -> Self::Variable {
        upstream::Variable(upstream::Index::Input(key))
    }

    #[inline(always)]
    fn aux(key: usize) -> Self::Variable {
        upstream::Variable(upstream::Index::Aux(key))
    }

    #[inline(always)]
    fn zero() -> Self {
        Self::zero()
    }

    #[inline(always)]
    fn from_coeff(var: Self::Variable, coeff: Fr) -> Self {
        Self::from_coeff(var, coeff)
    }

    #[inline(always)]
    fn from_variable(var: Self::Variable) -> Self {
        Self::from_variable(var)
    }

    #[inline(always)]
    fn add_term(self, coeff: Fr, var: Self::Variable) -> Self {
        self + (coeff, var)
    }

    #[inline(always)]
    fn sub_term(self, coeff: Fr, var: Self::Variable) -> Self {
        self - (coeff, var)
    }

    #[inline(always)]
    fn add_variable(self, var: Self::Variable) -> Self {
        self + var
    }

    #[inline(always)]
    fn sub_variable(self, var: Self::Variable) -> Self {
        self - var
    }

    #[inline(always)]
    fn add(self, other: &Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn sub(self, other: &Self) -> Self {
        self - other
    }

    #[inline(always)]
    fn add_scaled(self, scale: Fr, other: &Self) -> Self {
        self + (scale, other)
    }

    #[inline(always)]
    fn sub_scaled(self, scale: Fr, other: &Self) -> Self {
        self - (scale, other)
    }

    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = (Self::Variable, &Fr)> {
        self.iter()
    }

    #[inline(always)]
    fn iter_inputs(&self) -> impl Iterator<Item = (&usize, &Fr)> {
        self.iter_inputs()
    }

    #[inline(always)]
    fn iter_aux(&self) -> impl Iterator<Item = (&usize, &Fr)> {
        self.iter_aux()
    }

    #[inline(always)]
    fn iter_mut(&mut self) -> impl Iterator<Item = (Self::Variable, &mut Fr)> {
        self.iter_mut()
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.len()
    }

    #[inline(always)]
    fn is_empty(&self) -> bool {
        self.is_empty()
    }

    #[inline(always)]
    fn eval(&self, inputs: &[Fr], aux: &[Fr]) -> Fr {
        self.eval(inputs, aux)
    }
}
