//! Variables and the linear combinations of them.
//!
//! This file is the public face. Behind it, each file calls those below it:
//!
//! ```text
//! mod.rs        operators of LinearCombination
//! terms.rs      which operation is done where: one term, many, scaled, compared
//!    |--------------------.-------------------.------------------.
//! merge.rs             eval.rs             scaled.rs          iter.rs
//!    |  whole runs        |  the value        |  products        |  both runs in order
//! insert.rs               |                   |  of words        |
//!    |  one term          |                   |                  |
//! coeff.rs      arithmetic that knows 1 and -1                   |
//! storage/      the contract and the selection  <----------------'
//!    |--------------------.
//! gap_buffer.rs        pooled/     block, its growth, free list: all unsafe code
//!    | vec, smallvec      |
//! gap.rs        where the free cells are
//! term.rs       kinds, terms, lengths
//! ```
//!
//! The words: a *key* is the index of a variable within its *kind* (input or auxiliary); a *term*
//! is a key with its coefficient; a *run* is a slice of terms, ascending by key; the *gap* lies
//! between the two runs of the auxiliaries, the *room* behind them.

use std::fmt;
use std::ops::{Add, Sub};

use ff::PrimeField;
use serde::{Deserialize, Serialize};

pub(crate) mod coeff;
mod eval;
mod insert;
mod iter;
mod merge;
mod scaled;
pub(crate) mod storage;
pub(crate) mod term;
pub(crate) mod terms;
#[cfg(test)]
mod tests;

use self::coeff::negate;
pub use self::storage::LC_STORAGE;
use self::storage::{Selected, Storage};
use self::term::Kind;
use self::terms::Terms;

/// A variable of a constraint system, known by its [`Index`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Variable(pub Index);

impl Variable {
    /// The variable of any index, whether or not a constraint system has handed it out.
    ///
    /// For constraint systems; a circuit takes the variables that `alloc` and `alloc_input` return.
    #[inline]
    pub fn new_unchecked(idx: Index) -> Variable {
        Variable(idx)
    }

    /// The index behind the variable, for constraint systems.
    #[inline]
    pub fn get_unchecked(&self) -> Index {
        self.0
    }
}

/// Where the assignment of a variable stands: among the (public) inputs, or among the auxiliaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Index {
    /// Position among the inputs; 0 is the constant one.
    Input(usize),
    /// Position among the auxiliaries.
    Aux(usize),
}

impl Index {
    #[inline]
    fn split(self) -> (Kind, usize) {
        match self {
            Index::Input(key) => (Kind::Input, key),
            Index::Aux(key) => (Kind::Aux, key),
        }
    }
}

/// A sum of terms, each a coefficient times a variable, at most one term a variable.
///
/// Terms come out inputs first, each kind by ascending index. A coefficient that cancels to zero
/// stays as a term: [`len`](Self::len) counts it and the iterators yield it. Two combinations are
/// equal when they have the same terms, in whatever order they were built.
///
/// Adding a term behind all others of its kind costs amortized O(1), and so does ascending
/// insertion of auxiliaries anywhere, once the place has been found. No insertion moves more terms
/// than one into a sorted `Vec` does: all behind it. Adding a combination is a merge of runs: it
/// costs O(its terms), and O(terms moved) where variables are new.
pub struct LinearCombination<Scalar: PrimeField> {
    terms: Terms<Selected<Scalar>>,
}

impl<Scalar: PrimeField> LinearCombination<Scalar> {
    /// The combination without terms. Allocates nothing.
    #[inline]
    pub fn zero() -> LinearCombination<Scalar> {
        LinearCombination {
            terms: Terms::default(),
        }
    }

    /// The combination with the one term `coeff * var`.
    #[inline]
    pub fn from_coeff(var: Variable, coeff: Scalar) -> Self {
        let (kind, key) = var.0.split();
        LinearCombination {
            terms: Terms::of_term(kind, key, &coeff),
        }
    }

    /// The combination with the one term `1 * var`.
    #[inline]
    pub fn from_variable(var: Variable) -> Self {
        Self::from_coeff(var, Scalar::ONE)
    }

    /// All terms: inputs, then auxiliaries, each by ascending index.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (Variable, &Scalar)> + '_ {
        let inputs = self
            .iter_inputs()
            .map(|(key, coeff)| (Index::Input(*key), coeff));
        let aux = self
            .iter_aux()
            .map(|(key, coeff)| (Index::Aux(*key), coeff));
        inputs
            .chain(aux)
            .map(|(index, coeff)| (Variable(index), coeff))
    }

    /// The terms over inputs: index and coefficient, by ascending index.
    #[inline]
    pub fn iter_inputs(&self) -> impl Iterator<Item = (&usize, &Scalar)> + '_ {
        self.terms.inputs()
    }

    /// The terms over auxiliaries: index and coefficient, by ascending index.
    #[inline]
    pub fn iter_aux(&self) -> impl Iterator<Item = (&usize, &Scalar)> + '_ {
        self.terms.aux()
    }

    /// All terms in the order of [`iter`](Self::iter), the coefficients open to change.
    #[inline]
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Variable, &mut Scalar)> + '_ {
        self.terms.iter_mut().map(|(kind, key, coeff)| {
            let index = match kind {
                Kind::Input => Index::Input(key),
                Kind::Aux => Index::Aux(key),
            };
            (Variable(index), coeff)
        })
    }

    /// Multiplies each coefficient by `scale`.
    pub(crate) fn scale(&mut self, scale: Scalar) {
        self.terms.scale(scale)
    }

    /// Adds `coeff * var`. Amortized O(1) behind all others or where the last insertion was, else a
    /// search and a move.
    #[inline(always)]
    pub fn add_unsimplified(
        mut self,
        (coeff, var): (Scalar, Variable),
    ) -> LinearCombination<Scalar> {
        let (kind, key) = var.0.split();
        self.terms.add_term(kind, key, &coeff);
        self
    }

    /// Subtracts `coeff * var`; the cost is that of [`add_unsimplified`](Self::add_unsimplified).
    #[inline(always)]
    pub fn sub_unsimplified(
        mut self,
        (coeff, var): (Scalar, Variable),
    ) -> LinearCombination<Scalar> {
        let (kind, key) = var.0.split();
        self.terms
            .add_term(kind, key, &negate::<Selected<Scalar>>(coeff));
        self
    }

    /// The number of terms, those with coefficient zero among them.
    #[inline]
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there is no term at all.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The value under an assignment: the sum of each coefficient times its variable's value.
    ///
    /// # Panics
    ///
    /// If a term's index is not below the length of its assignment.
    pub fn eval(&self, input_assignment: &[Scalar], aux_assignment: &[Scalar]) -> Scalar {
        self.terms.eval(input_assignment, aux_assignment)
    }
}

/// `2`, for gadgets: computed once a thread where the storage keeps it.
#[inline(always)]
pub(crate) fn two<Scalar: PrimeField>() -> Scalar {
    Selected::<Scalar>::two()
}

impl<Scalar: PrimeField> Default for LinearCombination<Scalar> {
    #[inline]
    fn default() -> Self {
        Self::zero()
    }
}

impl<Scalar: PrimeField> Clone for LinearCombination<Scalar> {
    fn clone(&self) -> Self {
        LinearCombination {
            terms: self.terms.clone(),
        }
    }
}

impl<Scalar: PrimeField> PartialEq for LinearCombination<Scalar> {
    fn eq(&self, other: &Self) -> bool {
        self.terms == other.terms
    }
}

impl<Scalar: PrimeField> fmt::Debug for LinearCombination<Scalar> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LinearCombination ")?;
        f.debug_map()
            .entries(self.iter().map(|(var, coeff)| (var.0, coeff)))
            .finish()
    }
}

impl<Scalar: PrimeField> Add<(Scalar, Variable)> for LinearCombination<Scalar> {
    type Output = LinearCombination<Scalar>;

    #[inline(always)]
    fn add(self, term: (Scalar, Variable)) -> LinearCombination<Scalar> {
        self.add_unsimplified(term)
    }
}

impl<Scalar: PrimeField> Sub<(Scalar, Variable)> for LinearCombination<Scalar> {
    type Output = LinearCombination<Scalar>;

    #[inline(always)]
    fn sub(self, term: (Scalar, Variable)) -> LinearCombination<Scalar> {
        self.sub_unsimplified(term)
    }
}

impl<Scalar: PrimeField> Add<Variable> for LinearCombination<Scalar> {
    type Output = LinearCombination<Scalar>;

    #[inline(always)]
    fn add(self, var: Variable) -> LinearCombination<Scalar> {
        self.add_unsimplified((Scalar::ONE, var))
    }
}

impl<Scalar: PrimeField> Sub<Variable> for LinearCombination<Scalar> {
    type Output = LinearCombination<Scalar>;

    #[inline(always)]
    fn sub(self, var: Variable) -> LinearCombination<Scalar> {
        self.sub_unsimplified((Scalar::ONE, var))
    }
}

impl<'a, Scalar: PrimeField> Add<&'a LinearCombination<Scalar>> for LinearCombination<Scalar> {
    type Output = LinearCombination<Scalar>;

    #[inline(always)]
    fn add(mut self, other: &'a LinearCombination<Scalar>) -> LinearCombination<Scalar> {
        self.terms.add(&other.terms);
        self
    }
}

impl<'a, Scalar: PrimeField> Sub<&'a LinearCombination<Scalar>> for LinearCombination<Scalar> {
    type Output = LinearCombination<Scalar>;

    #[inline]
    fn sub(mut self, other: &'a LinearCombination<Scalar>) -> LinearCombination<Scalar> {
        self.terms.sub(&other.terms);
        self
    }
}

impl<'a, Scalar: PrimeField> Add<(Scalar, &'a LinearCombination<Scalar>)>
    for LinearCombination<Scalar>
{
    type Output = LinearCombination<Scalar>;

    fn add(
        mut self,
        (coeff, other): (Scalar, &'a LinearCombination<Scalar>),
    ) -> LinearCombination<Scalar> {
        self.terms.add_scaled(coeff, &other.terms);
        self
    }
}

impl<'a, Scalar: PrimeField> Sub<(Scalar, &'a LinearCombination<Scalar>)>
    for LinearCombination<Scalar>
{
    type Output = LinearCombination<Scalar>;

    fn sub(
        mut self,
        (coeff, other): (Scalar, &'a LinearCombination<Scalar>),
    ) -> LinearCombination<Scalar> {
        self.terms
            .add_scaled(negate::<Selected<Scalar>>(coeff), &other.terms);
        self
    }
}
