//! Sums of long combinations, put off until somebody reads them.
//!
//! `MultiEq` adds up some seven combinations of 35 to 190 terms, and copies the sum so far before each
//! of them: `sum = sum.clone() + (scale, &next)`. In one list, each term would be copied for every
//! addend that comes after it, and moved again to let the new terms in between. So where a long list
//! is added to a long list, both are kept; clones of the sum share them; and whoever asks for a term
//! first merges all of them in one go.

use once_cell::sync::OnceCell;

use super::products::WORD_BITS;
use super::storage::{Storage, Term};

/// A list that is not longer is added at once.
pub(super) const SHORT: usize = WORD_BITS;

/// The most lists that one sum puts off. `MultiEq` has seven, of 33 bits or more each.
const ADDENDS: usize = 12;

/// The most terms that they have together: what a sum takes more than its merged list is bounded so,
/// and so is what reading it after each addition costs.
pub(super) const TERMS: usize = 2048;

/// The sum of some lists, each without a gap.
#[derive(Clone)]
pub(crate) struct Sum<St: Storage> {
    addends: [Option<St::Shared>; ADDENDS],
    merged: OnceCell<St::Shared>,
}

impl<St: Storage> Sum<St> {
    /// The sum of one list.
    pub fn of(list: St) -> Self {
        Self::of_shared(list.share())
    }

    fn of_shared(list: St::Shared) -> Self {
        let mut addends = [(); ADDENDS].map(|_| None);
        addends[0] = Some(list);
        Sum {
            addends,
            merged: OnceCell::new(),
        }
    }

    /// The place for one more list, of `len` terms, if there is room for it.
    pub fn place_for(&mut self, len: usize) -> Option<&mut Option<St::Shared>> {
        if let Some(merged) = self.merged.take() {
            *self = Self::of_shared(merged);
        }
        if self.terms() + len > TERMS {
            return None;
        }
        self.addends.iter_mut().find(|addend| addend.is_none())
    }

    /// The terms of all addends, the same variable's counted in each.
    fn terms(&self) -> usize {
        let addends = self.addends.iter().flatten();
        addends.map(|addend| addend.runs().0.len()).sum()
    }

    /// The sum as one list, without a gap. O(terms times addends), the first time.
    pub fn merged(&self) -> &St {
        self.merged.get_or_init(|| {
            let mut sum = St::default();
            sum.reserve(self.terms());
            self.merge(&mut sum, |addend| &addend.runs().0[..addend.inputs()]);
            let inputs = sum.runs().0.len();
            sum.count_inputs(inputs);
            self.merge(&mut sum, |addend| &addend.runs().0[addend.inputs()..]);
            sum.share()
        })
    }

    /// Appends the sum of one part of each addend to a list.
    fn merge<'a>(&'a self, sum: &mut St, part: impl Fn(&'a St) -> &'a [Term<St::Scalar>]) {
        let mut left: [&[Term<St::Scalar>]; ADDENDS] = [&[]; ADDENDS];
        for (left, addend) in left.iter_mut().zip(self.addends.iter().flatten()) {
            *left = part(addend);
        }
        loop {
            let next = || left.iter().filter_map(|left| Some(left.first()?.0));
            let least = match next().min() {
                Some(least) => least,
                None => return,
            };
            // Those that go on with the least variable do so alike for a while: mostly it is one,
            // up to the variable that the next one goes on with.
            let bound = next().filter(|key| *key > least).min();
            let goes_on = |left: &&[Term<_>]| left.first().map_or(false, |term| term.0 == least);
            let mut run: &[Term<_>] = &[];
            for left in left.iter().filter(|left| goes_on(left)) {
                let alike = match run {
                    [] => left
                        .iter()
                        .take_while(|term| bound.map_or(true, |bound| term.0 < bound))
                        .count(),
                    run => left
                        .iter()
                        .zip(run)
                        .take_while(|(one, other)| one.0 == other.0)
                        .count(),
                };
                run = &left[..alike];
            }
            let start = sum.runs().0.len();
            let mut first = true;
            for left in left.iter_mut().filter(|left| goes_on(left)) {
                let (run, rest) = left.split_at(run.len());
                if first {
                    sum.push_all(run);
                    first = false;
                } else {
                    let sums = sum.runs_mut().0[start..].iter_mut();
                    sums.zip(run).for_each(|(sum, term)| sum.1 += &term.1);
                }
                *left = rest;
            }
        }
    }
}
