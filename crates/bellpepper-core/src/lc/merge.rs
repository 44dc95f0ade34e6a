//! The terms of another combination: a merge of whole runs.

use std::cmp::Ordering;
use std::slice;

use super::storage::Storage;
use super::term::Term;
use super::terms::Terms;

impl<St: Storage> Terms<St> {
    /// Adds the terms of another combination, each coefficient changed by `change`.
    ///
    /// ```text
    /// while there are terms left in the other run:
    ///     a variable that both have:       add the coefficients, as long as both go on alike
    ///     a variable that only we have:    gallop to the first one that is not before theirs
    ///     variables that only they have:   insert all up to our next one, then change them
    /// ```
    #[inline(never)]
    pub(super) fn merge(&mut self, other: &Self, mut change: impl FnMut(&mut St::Scalar)) {
        let (front, back) = other.0.aux();
        self.merge_run(front, &mut change);
        self.merge_run(back, &mut change);
        // Of inputs there are few, mostly: they are merged one by one.
        let mut before = None;
        for (key, coeff) in other.inputs() {
            let found = match before {
                Some(at) => self.input_position_after(at, *key),
                None => self.input_position(*key),
            };
            self.add_input_at(found, *key, &changed(coeff, &mut change));
            let (Ok(at) | Err(at)) = found;
            before = Some(at);
        }
    }

    #[inline(always)]
    fn merge_run(
        &mut self,
        mut left: &[Term<St::Scalar>],
        change: &mut impl FnMut(&mut St::Scalar),
    ) {
        let mut at = match left {
            [] => return,
            [(key, _), ..] => self.lower_bound(*key),
        };
        while let [(key, coeff), ..] = left {
            let mut fresh = left.len();
            if let Some(next) = self.key_at(at) {
                match next.cmp(key) {
                    Ordering::Less => {
                        at = self.gallop(at + 1, *key);
                        continue;
                    }
                    Ordering::Equal => {
                        let equal = self.add_equal(at, left, change);
                        at += equal;
                        left = &left[equal..];
                        continue;
                    }
                    Ordering::Greater => {
                        fresh = left.iter().take_while(|term| term.0 < next).count()
                    }
                }
            }
            let (run, rest) = left.split_at(fresh);
            if let [_] = run {
                let term = (*key, changed(coeff, change));
                self.0.insert(at, slice::from_ref(&term), rest.len());
            } else {
                self.0.insert(at, run, rest.len());
                // Changed in their place: copying a result just written stalls.
                for (_, coeff) in self.run_from(at).iter_mut().take(fresh) {
                    change(coeff);
                }
            }
            at += fresh;
            left = rest;
        }
    }

    /// Adds to the terms from a position on as long as they are of the same variables as others,
    /// and returns of how many.
    #[inline(always)]
    fn add_equal(
        &mut self,
        at: usize,
        terms: &[Term<St::Scalar>],
        change: &mut impl FnMut(&mut St::Scalar),
    ) -> usize {
        let mut equal = 0;
        for ((key, sum), (other, coeff)) in self.run_from(at).iter_mut().zip(terms) {
            if key != other {
                break;
            }
            *sum += changed(coeff, change);
            equal += 1;
        }
        equal
    }

    /// The auxiliaries from a position to the end of its run.
    #[inline(always)]
    fn run_from(&mut self, at: usize) -> &mut [Term<St::Scalar>] {
        let (front, back) = self.0.aux_mut();
        if at < front.len() {
            &mut front[at..]
        } else {
            &mut back[at - front.len()..]
        }
    }

    /// The key of the auxiliary at a position, unless that is the end.
    #[inline(always)]
    fn key_at(&self, at: usize) -> Option<usize> {
        let (front, back) = self.0.aux();
        let term = front.get(at).or_else(|| back.get(at - front.len()));
        term.map(|term| term.0)
    }

    /// The first position whose key is not below `key`.
    #[inline]
    fn lower_bound(&self, key: usize) -> usize {
        let (Ok(at) | Err(at)) = self.position(key);
        at
    }

    /// [`lower_bound`](Self::lower_bound) of a key that is behind all terms before `low`, in steps
    /// that double: O(log of the distance).
    #[inline]
    fn gallop(&self, mut low: usize, key: usize) -> usize {
        let mut step = 1;
        let mut high = loop {
            let probe = low + step - 1;
            match self.key_at(probe) {
                Some(other) if other < key => low = probe + 1,
                Some(_) => break probe,
                None => break self.end(),
            }
            step *= 2;
        };
        while low < high {
            let middle = low + (high - low) / 2;
            match self.key_at(middle) {
                Some(other) if other < key => low = middle + 1,
                _ => high = middle,
            }
        }
        low
    }

    /// The position behind all auxiliaries.
    fn end(&self) -> usize {
        let (front, back) = self.0.aux();
        front.len() + back.len()
    }
}

/// A changed copy of a coefficient.
#[inline(always)]
fn changed<S: Copy>(coeff: &S, change: &mut impl FnMut(&mut S)) -> S {
    let mut coeff = *coeff;
    change(&mut coeff);
    coeff
}
