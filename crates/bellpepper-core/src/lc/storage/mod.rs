//! What holds the terms of one combination: the contract, and the one place that selects.
//!
//! A combination is one sorted list (inputs before auxiliaries, each kind by key) with one gap in it.
//! The gap is where the last insertion went, so ascending keys fill it without shifting anything, and
//! an insertion elsewhere moves the gap there first. Both kinds share the list, and so one buffer: a
//! combination has at most one input term in nearly all constraints (it is the constant one).
//!
//! A storage keeps the cells of that list, and nothing else: the order, merging, arithmetic and
//! iteration are in [`super::terms`]. Two things can stand in the place of a list, and the storage only
//! gives them room ([`StandIn`]): a [`Tree`], once the gap has had to travel too far for the length, so
//! that no order of insertion costs more than O(n log n); and a [`Sum`] of lists that nobody has read yet.
//!
//! Rejected: two lists a combination, as upstream has (larger combinations, and a second
//! branch in every loop); a main and a tail run that are merged later (iteration has to compare, and a
//! term present in both has to be found in both).

use std::collections::BTreeMap;
use std::ops::Deref;

use ff::{Field, PrimeField};

use super::sum::Sum;

// Outside of tests only the selected one is used.
#[allow(dead_code)]
mod gapped;
#[allow(dead_code)]
pub(crate) mod pooled;
#[cfg(any(test, feature = "lc-smallvec1", feature = "lc-smallvec4"))]
#[allow(dead_code)]
pub(crate) mod smallvec;
#[allow(dead_code)]
pub(crate) mod vec;

/// A key (the index within its kind) and the coefficient.
pub(crate) type Term<S> = (usize, S);

/// The terms of a list that is too large and too disordered for a gap, by kind and key.
pub(crate) type Tree<S> = BTreeMap<(Kind, usize), Term<S>>;

/// What can stand in the place of a list.
#[derive(Clone)]
pub(crate) enum StandIn<St: Storage> {
    Tree(Tree<St::Scalar>),
    Sum(Sum<St>),
}

impl<St: Storage> StandIn<St> {
    /// The number of terms.
    pub fn len(&self) -> usize {
        match self {
            StandIn::Tree(tree) => tree.len(),
            StandIn::Sum(sum) => sum.merged().runs().0.len(),
        }
    }
}

/// The most terms that a list holds.
const MAX_TERMS: u32 = u32::MAX;
const TOO_MANY_TERMS: &str = "a linear combination holds at most 4294967295 terms";

/// The length of a list of `len` terms after `additional` more.
///
/// Panics past [`MAX_TERMS`].
fn check_len(len: u32, additional: usize) -> u32 {
    let sum = (len as usize).checked_add(additional).map(u32::try_from);
    match sum {
        Some(Ok(sum)) => sum,
        _ => panic!("{}", TOO_MANY_TERMS),
    }
}

/// The terms before and behind the gap.
pub(crate) type Runs<'a, S> = (&'a [Term<S>], &'a [Term<S>]);
pub(crate) type RunsMut<'a, S> = (&'a mut [Term<S>], &'a mut [Term<S>]);

/// The two kinds of variables, in the order in which their terms come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Input,
    Aux,
}

/// The contract: the cells of a list with a gap, `front` before it and `back` behind it.
///
/// A storage does not look at keys. Growing past [`MAX_TERMS`] panics.
pub(crate) trait Storage: Clone + Default {
    type Scalar: PrimeField;

    /// A list that several sums read, and nobody changes.
    type Shared: Clone + Deref<Target = Self>;

    /// A list of one term.
    fn of_term(kind: Kind, key: usize, coeff: &Self::Scalar) -> Self;

    /// The terms before and behind the gap; both empty if there is something instead of a list.
    fn runs(&self) -> Runs<'_, Self::Scalar>;

    /// As [`runs`](Self::runs).
    fn runs_mut(&mut self) -> RunsMut<'_, Self::Scalar>;

    /// How many of the terms, counted from the first, are inputs.
    fn inputs(&self) -> usize;

    /// Says that `count` more of the terms are inputs, once they have been pushed.
    fn count_inputs(&mut self, count: usize);

    /// Adds a term at the end of the front run. Amortized O(1). Only to a list.
    fn push(&mut self, key: usize, coeff: &Self::Scalar);

    /// Adds terms as [`push`](Self::push) does, all at once.
    fn push_all(&mut self, terms: &[Term<Self::Scalar>]);

    /// Makes room for `additional` more terms in a list.
    fn reserve(&mut self, additional: usize);

    /// Moves the gap so that `front` terms stand before it, and returns how many terms all such moves
    /// of this list have moved (saturating).
    ///
    /// Panics if there are fewer terms.
    fn move_gap(&mut self, front: usize) -> u32;

    /// What there is instead of a list.
    fn stand_in(&self) -> Option<&StandIn<Self>>;

    /// The runs, and what there is instead of a list, all to be changed.
    fn parts_mut(&mut self) -> (RunsMut<'_, Self::Scalar>, Option<&mut StandIn<Self>>);

    /// Puts something in the place of a list.
    fn of_stand_in(stand_in: StandIn<Self>) -> Self;

    /// Gives up the list to those who will only read it. Not with anything instead of it.
    fn share(self) -> Self::Shared;

    /// `-1`. A storage that has somewhere to keep it need not compute it each time.
    #[inline(always)]
    fn minus_one() -> Self::Scalar {
        -Self::Scalar::ONE
    }

    /// `2`, likewise.
    #[inline(always)]
    fn two() -> Self::Scalar {
        Self::Scalar::ONE.double()
    }
}

// The selection. Features unify in a dependency graph, so several can be on at once: the first arm
// that matches counts. Whoever asks for another storage than the usual one is heard first.
cfg_if::cfg_if! {
    if #[cfg(feature = "lc-vec")] {
        pub(crate) type Selected<Scalar> = vec::Vector<Scalar>;
        use self::vec::NAME;
    } else if #[cfg(feature = "lc-smallvec1")] {
        pub(crate) type Selected<Scalar> = smallvec::SmallVec1<Scalar>;
        use self::smallvec::NAME_1 as NAME;
    } else if #[cfg(feature = "lc-smallvec4")] {
        pub(crate) type Selected<Scalar> = smallvec::SmallVec4<Scalar>;
        use self::smallvec::NAME_4 as NAME;
    } else {
        // `lc-pooled`, or no feature.
        pub(crate) type Selected<Scalar> = pooled::Pooled<Scalar>;
        use self::pooled::NAME;
    }
}

/// The storage that was compiled in, by the name of its cargo feature: what the first of `lc-vec`,
/// `lc-smallvec1` and `lc-smallvec4` that is on says, otherwise `lc-pooled`.
pub const LC_STORAGE: &str = NAME;
