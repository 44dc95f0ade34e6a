//! The storages of the fork, side by side: the one place that knows what is inside of its
//! combination.

use std::fmt;

use blstrs::Scalar as Fr;
use ff::Field;

pub(crate) use crate::lc::storage::pooled::NAME as POOLED;
pub(crate) use crate::lc::storage::smallvec::{NAME_1 as SMALLVEC_1, NAME_4 as SMALLVEC_4};
pub(crate) use crate::lc::storage::vec::NAME as VEC;

use crate::lc::coeff::negate;
use crate::lc::storage::pooled::Pooled;
use crate::lc::storage::smallvec::{SmallVec1, SmallVec4};
use crate::lc::storage::vec::Vector;
use crate::lc::storage::Storage;
use crate::lc::term::Kind;
use crate::lc::terms::Terms;
use crate::lc::{Index, Variable};
use crate::subject::Combination;

pub type OnVec = On<Vector<Fr>>;
pub type OnSmallVec1 = On<SmallVec1<Fr>>;
pub type OnSmallVec4 = On<SmallVec4<Fr>>;
pub type OnPooled = On<Pooled<Fr>>;

/// The fork's combination on a storage, as `LinearCombination` is on the selected one.
#[derive(Clone, Default)]
pub struct On<St>(Terms<St>);

impl<St: Storage> PartialEq for On<St> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

fn split(var: Variable) -> (Kind, usize) {
    match var.0 {
        Index::Input(key) => (Kind::Input, key),
        Index::Aux(key) => (Kind::Aux, key),
    }
}

impl<St: Storage<Scalar = Fr>> fmt::Debug for On<St> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LinearCombination ")?;
        let inputs = self
            .0
            .inputs()
            .map(|(key, coeff)| (Index::Input(*key), coeff));
        let aux = self.0.aux().map(|(key, coeff)| (Index::Aux(*key), coeff));
        f.debug_map().entries(inputs.chain(aux)).finish()
    }
}

// Inlined as the operators of `LinearCombination` are.
impl<St: Storage<Scalar = Fr> + Send + 'static> Combination for On<St> {
    type Variable = Variable;

    #[inline(always)]
    fn input(key: usize) -> Variable {
        Variable(Index::Input(key))
    }

    #[inline(always)]
    fn aux(key: usize) -> Variable {
        Variable(Index::Aux(key))
    }

    #[inline(always)]
    fn zero() -> Self {
        Self::default()
    }

    #[inline(always)]
    fn from_coeff(var: Variable, coeff: Fr) -> Self {
        let (kind, key) = split(var);
        On(Terms::of_term(kind, key, &coeff))
    }

    #[inline(always)]
    fn from_variable(var: Variable) -> Self {
        Self::from_coeff(var, Fr::ONE)
    }

    #[inline(always)]
    fn add_term(mut self, coeff: Fr, var: Variable) -> Self {
        let (kind, key) = split(var);
        self.0.add_term(kind, key, &coeff);
        self
    }

    #[inline(always)]
    fn sub_term(self, coeff: Fr, var: Variable) -> Self {
        self.add_term(negate::<St>(coeff), var)
    }

    #[inline(always)]
    fn add_variable(self, var: Variable) -> Self {
        self.add_term(Fr::ONE, var)
    }

    #[inline(always)]
    fn sub_variable(self, var: Variable) -> Self {
        self.sub_term(Fr::ONE, var)
    }

    #[inline(always)]
    fn add(mut self, other: &Self) -> Self {
        self.0.add(&other.0);
        self
    }

    #[inline]
    fn sub(mut self, other: &Self) -> Self {
        self.0.sub(&other.0);
        self
    }

    fn add_scaled(mut self, scale: Fr, other: &Self) -> Self {
        self.0.add_scaled(scale, &other.0);
        self
    }

    fn sub_scaled(mut self, scale: Fr, other: &Self) -> Self {
        self.0.add_scaled(negate::<St>(scale), &other.0);
        self
    }

    #[inline]
    fn iter(&self) -> impl Iterator<Item = (Variable, &Fr)> {
        let inputs = self
            .0
            .inputs()
            .map(|(key, coeff)| (Index::Input(*key), coeff));
        let aux = self.0.aux().map(|(key, coeff)| (Index::Aux(*key), coeff));
        inputs
            .chain(aux)
            .map(|(index, coeff)| (Variable(index), coeff))
    }

    #[inline]
    fn iter_inputs(&self) -> impl Iterator<Item = (&usize, &Fr)> {
        self.0.inputs()
    }

    #[inline]
    fn iter_aux(&self) -> impl Iterator<Item = (&usize, &Fr)> {
        self.0.aux()
    }

    #[inline]
    fn iter_mut(&mut self) -> impl Iterator<Item = (Variable, &mut Fr)> {
        self.0.iter_mut().map(|(kind, key, coeff)| {
            let var = match kind {
                Kind::Input => Self::input(key),
                Kind::Aux => Self::aux(key),
            };
            (var, coeff)
        })
    }

    #[inline]
    fn len(&self) -> usize {
        self.0.len()
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.0.len() == 0
    }

    #[inline]
    fn eval(&self, inputs: &[Fr], aux: &[Fr]) -> Fr {
        self.0.eval(inputs, aux)
    }
}
