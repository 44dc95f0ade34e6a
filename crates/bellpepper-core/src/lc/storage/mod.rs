//! What a combination keeps its terms in: the contract, a file a storage, and the selection.
//!
//! A storage has two lists, each in ascending order of keys: the auxiliaries, with a [`gap`](gap)
//! for the insertions to come, and the inputs, of which nearly every combination has none or one
//! (the constant one). It knows nothing of order or arithmetic: these are in [`super::terms`] and
//! beside it.

use ff::{Field, PrimeField};

use super::term::{Kind, Term};

mod gap;

cfg_if::cfg_if! {
    // Tests and benchmarks run every storage, a build has only the one that it uses.
    if #[cfg(any(test, feature = "every-storage"))] {
        mod gap_buffer;
        #[allow(dead_code)] // one is selected
        pub(crate) mod pooled;
        #[allow(dead_code)]
        pub(crate) mod smallvec;
        #[allow(dead_code)]
        pub(crate) mod vec;
    } else if #[cfg(feature = "lc-vec")] {
        mod gap_buffer;
        mod vec;
    } else if #[cfg(any(feature = "lc-smallvec1", feature = "lc-smallvec4"))] {
        mod gap_buffer;
        #[allow(dead_code)] // one of the two
        mod smallvec;
    } else {
        mod pooled;
    }
}

// Features unify in a dependency graph, so several can be on at once: the first arm that matches
// counts, and the usual storage comes last, so that asking for another one suffices.
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
        pub(crate) type Selected<Scalar> = pooled::Pooled<Scalar>;
        use self::pooled::NAME;
    }
}

/// The storage that was compiled in, by the name of its cargo feature: the first of `lc-vec`,
/// `lc-smallvec1` and `lc-smallvec4` that is on, otherwise `lc-pooled`.
pub const LC_STORAGE: &str = NAME;

/// The auxiliaries before and behind the gap; without a gap there are none behind it.
pub(crate) type Runs<'a, S> = (&'a [Term<S>], &'a [Term<S>]);
pub(crate) type RunsMut<'a, S> = (&'a mut [Term<S>], &'a mut [Term<S>]);

/// The contract. A list that grows beyond 2^32 - 1 terms panics.
pub(crate) trait Storage: Clone + Default {
    type Scalar: PrimeField;

    /// Whether [`inputs`](Self::inputs) ascend by key. Otherwise they descend.
    const INPUTS_ASCEND: bool;

    /// A combination of one term.
    fn of_term(kind: Kind, key: usize, coeff: &Self::Scalar) -> Self;

    fn aux(&self) -> Runs<'_, Self::Scalar>;

    fn aux_mut(&mut self) -> RunsMut<'_, Self::Scalar>;

    /// The auxiliary behind all others.
    fn last_mut(&mut self) -> Option<&mut Term<Self::Scalar>>;

    fn inputs(&self) -> &[Term<Self::Scalar>];

    fn inputs_mut(&mut self) -> &mut [Term<Self::Scalar>];

    /// The auxiliaries and the inputs.
    fn runs_mut(&mut self) -> (RunsMut<'_, Self::Scalar>, &mut [Term<Self::Scalar>]);

    /// Adds an auxiliary behind all others. Amortized O(1).
    fn append(&mut self, key: usize, coeff: &Self::Scalar);

    /// Adds an auxiliary at the end of the front run: O(1) if there is a gap.
    fn insert_in_gap(&mut self, key: usize, coeff: &Self::Scalar);

    /// Adds auxiliaries before the one at position `at`, or behind all others: O(terms moved).
    /// Opens a gap for `more`, if that costs nothing.
    ///
    /// Panics if there are fewer than `at`.
    fn insert(&mut self, at: usize, terms: &[Term<Self::Scalar>], more: usize);

    /// Adds an input at a position in [`inputs`](Self::inputs). Amortized O(terms of greater key).
    ///
    /// Panics if there are fewer than `at`.
    fn insert_input(&mut self, at: usize, key: usize, coeff: &Self::Scalar);

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
