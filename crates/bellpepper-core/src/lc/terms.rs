//! The ordered terms of a combination: insertion, merging, lookup, iteration and evaluation, written
//! once for every [`Storage`]. What a cell is and where it lies is the storage's business.
//!
//! Positions are logical: they count the terms before the gap and go on behind it. The gap stands
//! where the last insertion was, so every search starts there and gallops outwards, and a merge sweeps
//! it once over the list.
//!
//! Field operations are calls into assembly for the usual scalars, a comparison is not: so
//! coefficients are compared with 1 and -1 (69% of those in the PoRep circuit) before they are
//! multiplied, and never added to zero. Values of variables are not compared with anything: they are
//! secret.

use std::cmp::Ordering;
use std::ops::Bound::{self, Excluded, Included, Unbounded};
use std::ops::Range;
use std::slice;

use ff::Field;

use super::storage::{Kind, Storage, Term, Tree};

/// A list shorter than this never becomes a tree.
const TREE_MIN_LEN: usize = 1024;

/// A longer one does when the moves of its gap have moved this many terms for each that it has.
///
/// A merge moves each term once, so a sum of long combinations stays a list.
const TREE_MOVES: usize = 16;

/// Whether terms are added or subtracted.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Sign {
    Plus,
    Minus,
}

impl Sign {
    #[inline(always)]
    pub fn apply<St: Storage>(self, coeff: St::Scalar) -> St::Scalar {
        match self {
            Sign::Plus => coeff,
            Sign::Minus if coeff == St::Scalar::ONE => St::minus_one(),
            Sign::Minus => -coeff,
        }
    }
}

/// The terms of one combination.
#[derive(Clone, Default)]
pub(crate) struct Terms<St>(St);

impl<St: Storage> Terms<St> {
    #[inline(always)]
    pub fn of_term(kind: Kind, key: usize, coeff: St::Scalar) -> Self {
        Terms(St::of_term(kind, (key, coeff)))
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        let (front, back) = self.0.runs();
        match front.len() + back.len() {
            0 => self.0.tree().map_or(0, Tree::len),
            len => len,
        }
    }

    #[cfg(test)]
    pub fn is_tree(&self) -> bool {
        self.0.tree().is_some()
    }

    /// Adds `coeff` to the coefficient of a variable, which becomes a term if it was none.
    #[inline(always)]
    pub fn add_term(&mut self, kind: Kind, key: usize, coeff: St::Scalar) {
        let inputs = self.0.inputs();
        let (front, back) = self.0.runs_mut();
        // Most terms are auxiliaries that go behind all others, or to the last one again.
        if kind == Kind::Aux && back.is_empty() && front.len() > inputs {
            if let Some((last, sum)) = front.last_mut() {
                if *last < key {
                    return self.0.push((key, coeff));
                }
                if *last == key {
                    *sum += coeff;
                    return;
                }
            }
        } else if front.is_empty() && back.is_empty() && self.0.tree().is_none() {
            *self = Self::of_term(kind, key, coeff);
            return;
        }
        self.insert(kind, key, coeff);
    }

    /// [`add_term`](Self::add_term) anywhere.
    #[inline(never)]
    fn insert(&mut self, kind: Kind, key: usize, coeff: St::Scalar) {
        let found = self.search(kind, key);
        self.put(found, kind, key, coeff);
    }

    /// Adds a term where [`search`](Self::search) has found its place, and returns the position behind it.
    #[inline]
    fn put(
        &mut self,
        found: Result<usize, usize>,
        kind: Kind,
        key: usize,
        coeff: St::Scalar,
    ) -> usize {
        match found {
            Ok(at) => {
                self.at_mut(at).1 += coeff;
                at + 1
            }
            // In a tree there is no position but this one.
            Err(0) if self.0.tree().is_some() => self.put_in_tree(kind, key, coeff),
            Err(at) => {
                if self.gap() != at && self.move_gap(at) {
                    return self.put_in_tree(kind, key, coeff);
                }
                self.0.push((key, coeff));
                if kind == Kind::Input {
                    self.0.count_input();
                }
                at + 1
            }
        }
    }

    #[cold]
    fn put_in_tree(&mut self, kind: Kind, key: usize, coeff: St::Scalar) -> usize {
        if let (_, Some(tree)) = self.0.parts_mut() {
            tree.entry((kind, key))
                .and_modify(|sum| *sum += coeff)
                .or_insert(coeff);
        }
        0
    }

    /// The position of the gap.
    #[inline(always)]
    fn gap(&self) -> usize {
        self.0.runs().0.len()
    }

    /// Moves the gap, or makes a tree of the list if its gap has moved too much: then returns true.
    #[inline(never)]
    fn move_gap(&mut self, to: usize) -> bool {
        let moved = self.0.move_gap(to) as usize;
        let len = self.len();
        if len < TREE_MIN_LEN || moved / TREE_MOVES < len {
            return false;
        }
        let tree = [Kind::Input, Kind::Aux]
            .iter()
            .flat_map(|kind| {
                self.iter(*kind)
                    .map(move |(key, coeff)| ((*kind, *key), *coeff))
            })
            .collect();
        self.0 = St::of_tree(tree);
        true
    }

    /// The term at a position.
    #[inline(always)]
    fn at(&self, position: usize) -> &Term<St::Scalar> {
        let (front, back) = self.0.runs();
        match front.get(position) {
            Some(term) => term,
            None => &back[position - front.len()],
        }
    }

    #[inline(always)]
    fn at_mut(&mut self, position: usize) -> &mut Term<St::Scalar> {
        let (front, back) = self.0.runs_mut();
        if position < front.len() {
            &mut front[position]
        } else {
            &mut back[position - front.len()]
        }
    }

    /// The positions of the terms of a kind.
    #[inline(always)]
    fn range(&self, kind: Kind) -> Range<usize> {
        match kind {
            Kind::Input => 0..self.0.inputs(),
            Kind::Aux => {
                let (front, back) = self.0.runs();
                self.0.inputs()..front.len() + back.len()
            }
        }
    }

    /// The position of a key (`Ok`), or where it would go (`Err`), sought from the gap outwards in
    /// steps that double: O(log of the distance).
    #[inline]
    fn search(&self, kind: Kind, key: usize) -> Result<usize, usize> {
        let Range { start, end } = self.range(kind);
        let hint = self.gap().clamp(start, end);
        let (mut high, mut step) = (hint, 1);
        while high > start {
            let probe = high - step.min(high - start);
            match self.at(probe).0.cmp(&key) {
                Ordering::Equal => return Ok(probe),
                Ordering::Less if high == hint => return self.search_from(hint, end, key),
                Ordering::Less => return self.bisect(probe + 1, high, key),
                Ordering::Greater => high = probe,
            }
            step *= 2;
        }
        if high == hint {
            return self.search_from(hint, end, key);
        }
        Err(start)
    }

    /// [`search`](Self::search) for a key that is behind all terms before `low`.
    #[inline]
    fn search_from(&self, mut low: usize, end: usize, key: usize) -> Result<usize, usize> {
        let mut step = 1;
        while low < end {
            let probe = low + step.min(end - low) - 1;
            match self.at(probe).0.cmp(&key) {
                Ordering::Equal => return Ok(probe),
                Ordering::Greater => return self.bisect(low, probe, key),
                Ordering::Less => low = probe + 1,
            }
            step *= 2;
        }
        Err(low)
    }

    #[inline]
    fn bisect(&self, mut low: usize, mut high: usize, key: usize) -> Result<usize, usize> {
        while low < high {
            let middle = low + (high - low) / 2;
            match self.at(middle).0.cmp(&key) {
                Ordering::Equal => return Ok(middle),
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
            }
        }
        Err(low)
    }

    /// Adds or subtracts all terms of another combination.
    #[inline]
    pub fn add_terms(&mut self, sign: Sign, other: &Self) {
        self.merge(other, |coeff| sign.apply::<St>(coeff));
    }

    /// Adds `scale` times all terms of another combination.
    pub fn add_scaled(&mut self, scale: St::Scalar, other: &Self) {
        let (one, minus_one) = (St::Scalar::ONE, St::minus_one());
        if scale == one {
            self.add_terms(Sign::Plus, other)
        } else if scale == minus_one {
            self.add_terms(Sign::Minus, other)
        } else {
            self.merge(other, |coeff| {
                if coeff == one {
                    scale
                } else if coeff == minus_one {
                    -scale
                } else {
                    coeff * scale
                }
            })
        }
    }

    /// Adds the terms of another combination, each coefficient mapped.
    #[inline(always)]
    fn merge(&mut self, other: &Self, coeff_of: impl Fn(St::Scalar) -> St::Scalar) {
        let (terms, rest) = other.0.runs();
        // A single term is what `Boolean::lc` makes, the commonest operand of all.
        if let ([(key, coeff)], true) = (terms, rest.is_empty()) {
            let kind = if other.0.inputs() == 0 {
                Kind::Aux
            } else {
                Kind::Input
            };
            return self.add_term(kind, *key, coeff_of(*coeff));
        }
        self.merge_many(other, coeff_of)
    }

    #[inline(never)]
    fn merge_many(&mut self, other: &Self, coeff_of: impl Fn(St::Scalar) -> St::Scalar) {
        if self.0.tree().is_none() {
            self.0.reserve(other.len());
        }
        for kind in [Kind::Input, Kind::Aux] {
            let mut terms = other.iter(kind);
            if let Some((key, coeff)) = terms.next() {
                let mut at = self.put(self.search(kind, *key), kind, *key, coeff_of(*coeff));
                for (key, coeff) in terms {
                    let found = self.search_from(at, self.range(kind).end, *key);
                    at = self.put(found, kind, *key, coeff_of(*coeff));
                }
            }
        }
    }

    /// The terms of a kind: keys and coefficients, ascending.
    #[inline(always)]
    pub fn iter(&self, kind: Kind) -> Iter<'_, St::Scalar> {
        let inputs = self.0.inputs();
        let (front, back) = self.0.runs();
        if back.is_empty() && !front.is_empty() {
            let (inputs, aux) = front.split_at(inputs);
            return Iter::of_runs(if kind == Kind::Input { inputs } else { aux }, &[]);
        }
        self.iter_parted(kind)
    }

    #[inline(never)]
    fn iter_parted(&self, kind: Kind) -> Iter<'_, St::Scalar> {
        if let Some(tree) = self.0.tree() {
            return Iter {
                run: [].iter(),
                rest: Rest::Tree(tree, kind, Unbounded),
            };
        }
        let (front, back) = self.0.runs();
        let Range { start, end } = self.range(kind);
        let split = front.len();
        Iter::of_runs(
            &front[start.min(split)..end.min(split)],
            &back[start.max(split) - split..end.max(split) - split],
        )
    }

    /// All terms, inputs first.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Kind, usize, &mut St::Scalar)> + '_ {
        let inputs = self.0.inputs();
        let ((front, back), tree) = self.0.parts_mut();
        let list = front.iter_mut().chain(back).enumerate();
        let list = list.map(move |(position, (key, coeff))| {
            let kind = if position < inputs {
                Kind::Input
            } else {
                Kind::Aux
            };
            (kind, *key, coeff)
        });
        let tree = tree.into_iter().flatten();
        list.chain(tree.map(|((kind, key), coeff)| (*kind, *key, coeff)))
    }

    /// The value under an assignment.
    pub fn eval(&self, inputs: &[St::Scalar], aux: &[St::Scalar]) -> St::Scalar {
        let mut sum = None;
        self.accumulate(&mut sum, Kind::Input, inputs);
        self.accumulate(&mut sum, Kind::Aux, aux);
        sum.unwrap_or(St::Scalar::ZERO)
    }

    #[inline(always)]
    fn accumulate(&self, sum: &mut Option<St::Scalar>, kind: Kind, values: &[St::Scalar]) {
        let (one, minus_one) = (St::Scalar::ONE, St::minus_one());
        for (key, coeff) in self.iter(kind) {
            let value = &values[*key];
            *sum = Some(match *sum {
                Some(sum) if *coeff == one => sum + value,
                Some(sum) if *coeff == minus_one => sum - value,
                Some(sum) => sum + *value * coeff,
                None if *coeff == one => *value,
                None if *coeff == minus_one => -*value,
                None => *value * coeff,
            });
        }
    }
}

/// The terms of one kind, ascending.
///
/// A loop over it costs one comparison a term; what stands behind the gap, or in a tree, is looked
/// at only when the first run has ended, and by value, so that the iterator stays in registers.
#[derive(Clone)]
pub(crate) struct Iter<'a, S> {
    run: slice::Iter<'a, Term<S>>,
    rest: Rest<'a, S>,
}

#[derive(Clone, Copy)]
enum Rest<'a, S> {
    Run(&'a [Term<S>]),
    /// The terms of this kind behind a key.
    Tree(&'a Tree<S>, Kind, Bound<usize>),
}

impl<'a, S> Iter<'a, S> {
    #[inline(always)]
    fn of_runs(front: &'a [Term<S>], back: &'a [Term<S>]) -> Self {
        Iter {
            run: front.iter(),
            rest: Rest::Run(back),
        }
    }
}

impl<'a, S> Iterator for Iter<'a, S> {
    type Item = (&'a usize, &'a S);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if let Some((key, coeff)) = self.run.next() {
            return Some((key, coeff));
        }
        match self.rest {
            Rest::Run([]) => None,
            Rest::Run(back) => {
                self.run = back.iter();
                self.rest = Rest::Run(&[]);
                self.run.next().map(|(key, coeff)| (key, coeff))
            }
            Rest::Tree(tree, kind, behind) => {
                let (key, coeff) = next_in_tree(tree, kind, behind)?;
                self.rest = Rest::Tree(tree, kind, Excluded(*key));
                Some((key, coeff))
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        match self.rest {
            Rest::Run(back) => {
                let len = self.run.len() + back.len();
                (len, Some(len))
            }
            Rest::Tree(tree, ..) => (0, Some(tree.len())),
        }
    }
}

/// The first term of a kind behind a key. O(log n).
#[cold]
#[inline(never)]
fn next_in_tree<S>(tree: &Tree<S>, kind: Kind, behind: Bound<usize>) -> Option<(&usize, &S)> {
    let start = match behind {
        Excluded(key) => Excluded((kind, key)),
        _ => Included((kind, 0)),
    };
    let (key, coeff) = tree.range((start, Included((kind, usize::MAX)))).next()?;
    Some((&key.1, coeff))
}
