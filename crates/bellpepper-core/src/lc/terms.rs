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
use std::ops::Range;
use std::slice;

use ff::{Field, PrimeField};

use super::products;
use super::storage::{Kind, StandIn, Storage, Term};
use super::sum::{self, Sum};

/// A list shorter than this never becomes a tree.
const TREE_MIN_LEN: usize = 1024;

/// A longer one does when the moves of its gap have moved this many terms for each that it has.
///
/// A merge moves each term once, so a sum of long combinations stays a list.
const TREE_MOVES: usize = 16;

/// Before so few last terms an insertion shifts them, and opens no gap: reading a list of one run is
/// cheaper than what the next insertion may save.
const SHIFTED: usize = 8;

/// A coefficient with the other sign.
#[inline(always)]
pub(crate) fn negate<St: Storage>(coeff: St::Scalar) -> St::Scalar {
    if coeff == St::Scalar::ONE {
        St::minus_one()
    } else {
        -coeff
    }
}

/// The terms of one combination.
#[derive(Clone, Default)]
pub(crate) struct Terms<St>(St);

impl<St: Storage> Terms<St> {
    #[inline(always)]
    pub fn of_term(kind: Kind, key: usize, coeff: &St::Scalar) -> Self {
        Terms(St::of_term(kind, key, coeff))
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        let (front, back) = self.0.runs();
        match front.len() + back.len() {
            0 => self.0.stand_in().map_or(0, StandIn::len),
            len => len,
        }
    }

    #[cfg(test)]
    pub fn is_tree(&self) -> bool {
        matches!(self.0.stand_in(), Some(StandIn::Tree(_)))
    }

    #[cfg(test)]
    pub fn is_sum(&self) -> bool {
        matches!(self.0.stand_in(), Some(StandIn::Sum(_)))
    }

    /// Makes a list of a sum, before it is changed.
    #[inline(always)]
    fn settle(&mut self) {
        if let ([], []) = self.0.runs() {
            self.settle_sum();
        }
    }

    #[inline(never)]
    fn settle_sum(&mut self) {
        if let Some(StandIn::Sum(sum)) = self.0.stand_in() {
            self.0 = sum.merged().clone();
        }
    }

    /// Adds `coeff` to the coefficient of a variable, which becomes a term if it was none.
    #[inline(always)]
    pub fn add_term(&mut self, kind: Kind, key: usize, coeff: &St::Scalar) {
        let inputs = self.0.inputs();
        let (front, back) = self.0.runs_mut();
        if front.is_empty() && back.is_empty() {
            if self.0.stand_in().is_none() {
                *self = Self::of_term(kind, key, coeff);
                return;
            }
        } else if kind == Kind::Aux && back.is_empty() {
            // Most terms are auxiliaries that go behind all others, or to the last one again.
            match front[inputs..].split_last_mut() {
                Some(((last, sum), _)) if *last == key => {
                    *sum += coeff;
                    return;
                }
                Some((last, before)) if last.0 > key => {
                    // Next to last is the commonest place after those.
                    if before.last().map_or(true, |before| before.0 < key) {
                        let last = std::mem::replace(last, (key, *coeff));
                        return self.0.push(last.0, &last.1);
                    }
                }
                _ => return self.0.push(key, coeff),
            }
        }
        self.insert(kind, key, coeff);
    }

    /// [`add_term`](Self::add_term) anywhere.
    #[inline(never)]
    fn insert(&mut self, kind: Kind, key: usize, coeff: &St::Scalar) {
        self.settle();
        let inputs = self.0.inputs();
        let (front, back) = self.0.runs_mut();
        if front.is_empty() {
            // In a tree, or before the gap: there is nothing here to look at.
        } else if kind == Kind::Aux && back.is_empty() {
            // Among the last terms: found and shifted one by one.
            let len = front.len();
            let floor = inputs.max(len.saturating_sub(SHIFTED));
            let mut at = len;
            while at > floor && front[at - 1].0 > key {
                at -= 1;
            }
            match front[inputs..at].last_mut() {
                Some((last, sum)) if *last == key => {
                    *sum += coeff;
                    return;
                }
                Some((last, _)) if *last > key => {}
                _ => return self.shift_in(at, key, coeff),
            }
        } else if kind == Kind::Input {
            // The constant one again.
            if let ([(first, sum), ..], true) = (front, inputs > 0) {
                if *first == key {
                    *sum += coeff;
                    return;
                }
            }
        } else if front.len() > inputs {
            // In the gap: one more of an ascending run.
            if front[front.len() - 1].0 < key && key < back[0].0 {
                return self.0.push(key, coeff);
            }
        }
        let found = self.search(kind, key);
        self.put(found, kind, key, coeff);
    }

    /// Inserts a term among the last ones of a list without a gap, and shifts those behind it.
    #[inline(always)]
    fn shift_in(&mut self, at: usize, key: usize, coeff: &St::Scalar) {
        self.0.push(key, coeff);
        let front = self.0.runs_mut().0;
        for position in (at + 1..front.len()).rev() {
            front[position] = front[position - 1];
        }
        front[at] = (key, *coeff);
    }

    /// Adds a term where [`search`](Self::search) has found its place, and returns the position
    /// behind it; or `None` if the list is a tree, where there are no positions.
    fn put(
        &mut self,
        found: Result<usize, usize>,
        kind: Kind,
        key: usize,
        coeff: &St::Scalar,
    ) -> Option<usize> {
        match found {
            Ok(at) => {
                self.at_mut(at).1 += coeff;
                Some(at + 1)
            }
            Err(at) => {
                let (front, back) = self.0.runs();
                let gap = front.len();
                if gap == 0 && back.is_empty() && self.0.stand_in().is_some() {
                    self.put_in_tree(kind, key, coeff);
                    return None;
                }
                if back.is_empty() && at < gap && gap - at <= SHIFTED {
                    self.shift_in(at, key, coeff);
                } else if gap != at && self.move_gap(at) {
                    self.put_in_tree(kind, key, coeff);
                    return None;
                } else {
                    self.0.push(key, coeff);
                }
                if kind == Kind::Input {
                    self.0.count_inputs(1);
                }
                Some(at + 1)
            }
        }
    }

    #[cold]
    fn put_in_tree(&mut self, kind: Kind, key: usize, coeff: &St::Scalar) {
        if let (_, Some(StandIn::Tree(tree))) = self.0.parts_mut() {
            tree.entry((kind, key))
                .and_modify(|(_, sum)| *sum += coeff)
                .or_insert((key, *coeff));
        }
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
        let inputs = self.0.inputs();
        let (front, back) = self.0.runs();
        let tree = front.iter().chain(back).enumerate();
        let tree = tree.map(|(position, term)| ((kind_at(position, inputs), term.0), *term));
        let tree = tree.collect();
        self.0 = St::of_stand_in(StandIn::Tree(tree));
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

    /// The term, if there is just one: what `Boolean::lc` makes, the commonest operand of all.
    #[inline(always)]
    fn single(&self) -> Option<(Kind, &Term<St::Scalar>)> {
        match self.0.runs() {
            ([term], []) => Some((kind_at(0, self.0.inputs()), term)),
            _ => None,
        }
    }

    /// Adds all terms of another combination.
    #[inline(always)]
    pub fn add(&mut self, other: &Self) {
        match other.single() {
            Some((kind, (key, coeff))) => self.add_term(kind, *key, coeff),
            None => self.merge(other, |_| ()),
        }
    }

    /// Subtracts all terms of another combination.
    #[inline(always)]
    pub fn sub(&mut self, other: &Self) {
        match other.single() {
            Some((kind, (key, coeff))) => self.add_term(kind, *key, &negate::<St>(*coeff)),
            None => self.merge(other, |coeff| *coeff = negate::<St>(*coeff)),
        }
    }

    /// Adds `scale` times all terms of another combination.
    pub fn add_scaled(&mut self, scale: St::Scalar, other: &Self) {
        let minus_one = St::minus_one();
        let mut multiply = |coeff: &mut _| multiply_coeff(coeff, &scale, &minus_one);
        if scale == St::Scalar::ONE {
            self.add(other)
        } else if scale == minus_one {
            self.sub(other)
        } else if let Some((kind, (key, coeff))) = other.single() {
            self.add_term(kind, *key, &changed(coeff, &mut multiply))
        } else if other.len() <= products::WORD_BITS {
            self.merge(other, multiply)
        } else {
            products::with(scale, |products| {
                self.merge(other, |coeff| products.put(coeff, &minus_one))
            })
        }
    }

    /// Multiplies each coefficient by `scale`.
    pub fn scale(&mut self, scale: St::Scalar) {
        let minus_one = St::minus_one();
        for (_, _, coeff) in self.iter_mut() {
            multiply_coeff(coeff, &scale, &minus_one);
        }
    }

    /// Adds the terms of another combination, each coefficient changed by `change`.
    #[inline(never)]
    fn merge(&mut self, other: &Self, mut change: impl FnMut(&mut St::Scalar)) {
        if other.len() > sum::SHORT && self.put_off(other, &mut change) {
            return;
        }
        self.settle();
        self.merge_now(other, &mut change)
    }

    /// Leaves the addition of a long combination to whoever reads the sum, if this one is long, too,
    /// and returns whether it did.
    fn put_off(&mut self, other: &Self, change: &mut impl FnMut(&mut St::Scalar)) -> bool {
        let (front, back) = self.0.runs();
        let (len, more) = (front.len() + back.len(), other.len());
        if len > sum::SHORT && len + more <= sum::TERMS {
            self.0.move_gap(len);
            let list = std::mem::take(&mut self.0);
            self.0 = St::of_stand_in(StandIn::Sum(Sum::of(list)));
        }
        let place = match self.0.parts_mut() {
            (_, Some(StandIn::Sum(sum))) => sum.place_for(more),
            _ => None,
        };
        place
            .map(|place| {
                let mut addend = Self::default();
                addend.merge_now(other, change);
                *place = Some(addend.0.share());
            })
            .is_some()
    }

    /// Merges another combination into the list or tree that this one is.
    fn merge_now(&mut self, other: &Self, change: &mut impl FnMut(&mut St::Scalar)) {
        if self.0.stand_in().is_none() {
            self.0.reserve(other.len());
        }
        self.merge_kind(other.inputs(), change);
        self.merge_kind(other.aux(), change);
    }

    #[inline(always)]
    fn merge_kind<const AUX: bool>(
        &mut self,
        mut terms: Iter<'_, St, AUX>,
        change: &mut impl FnMut(&mut St::Scalar),
    ) {
        let kind = Iter::<St, AUX>::KIND;
        loop {
            let run = terms.run.as_slice();
            let taken = self.merge_run(kind, run, change);
            // What the list did not take goes into the tree that it has become.
            for (key, coeff) in &run[taken..] {
                self.put_in_tree(kind, *key, &changed(coeff, change));
            }
            match terms.more {
                None => return,
                Some(storage) => terms = Iter::next_run(storage, terms.from),
            }
        }
    }

    /// Merges ascending terms into the list, and returns how many it took: all, unless it is a tree, or
    /// has become one.
    #[inline(always)]
    fn merge_run(
        &mut self,
        kind: Kind,
        terms: &[Term<St::Scalar>],
        change: &mut impl FnMut(&mut St::Scalar),
    ) -> usize {
        if terms.is_empty() || self.0.stand_in().is_some() {
            return 0;
        }
        let (Ok(mut at) | Err(mut at)) = self.search(kind, terms[0].0);
        let mut taken = 0;
        while let [(key, coeff), ..] = &terms[taken..] {
            let left = &terms[taken..];
            let end = self.range(kind).end;
            let mut fresh = left.len();
            if at < end {
                let next = self.at(at).0;
                match next.cmp(key) {
                    Ordering::Less => {
                        let (Ok(found) | Err(found)) = self.search_from(at + 1, end, *key);
                        at = found;
                        continue;
                    }
                    Ordering::Equal => {
                        let equal = self.add_equal(at..end, left, change);
                        at += equal;
                        taken += equal;
                        continue;
                    }
                    Ordering::Greater => {
                        fresh = left.iter().take_while(|term| term.0 < next).count()
                    }
                }
            }
            if fresh == 1 {
                taken += 1;
                match self.put(Err(at), kind, *key, &changed(coeff, change)) {
                    Some(behind) => at = behind,
                    None => return taken,
                }
            } else {
                if at != self.gap() && self.move_gap(at) {
                    return taken;
                }
                self.0.push_all(&left[..fresh]);
                // Changed in their place: copying what a field operation has just written stalls.
                for (_, coeff) in &mut self.0.runs_mut().0[at..] {
                    change(coeff);
                }
                if kind == Kind::Input {
                    self.0.count_inputs(fresh);
                }
                at += fresh;
                taken += fresh;
            }
        }
        taken
    }

    /// Adds to the terms from a position on as long as they are of the same variables as others, and
    /// returns of how many.
    #[inline(always)]
    fn add_equal(
        &mut self,
        range: Range<usize>,
        terms: &[Term<St::Scalar>],
        change: &mut impl FnMut(&mut St::Scalar),
    ) -> usize {
        let (front, back) = self.0.runs_mut();
        let gap = front.len();
        let run = if range.start < gap {
            &mut front[range.start..range.end.min(gap)]
        } else {
            &mut back[range.start - gap..range.end - gap]
        };
        let mut equal = 0;
        for ((key, sum), (other, coeff)) in run.iter_mut().zip(terms) {
            if key != other {
                break;
            }
            *sum += changed(coeff, change);
            equal += 1;
        }
        equal
    }

    /// The terms over inputs: keys and coefficients, ascending.
    #[inline(always)]
    pub fn inputs(&self) -> Iter<'_, St, false> {
        Iter::over(&self.0)
    }

    /// The terms over auxiliaries: keys and coefficients, ascending.
    #[inline(always)]
    pub fn aux(&self) -> Iter<'_, St, true> {
        Iter::over(&self.0)
    }

    /// All terms, inputs first.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Kind, usize, &mut St::Scalar)> + '_ {
        self.settle();
        let inputs = self.0.inputs();
        let ((front, back), stand_in) = self.0.parts_mut();
        let tree = match stand_in {
            Some(StandIn::Tree(tree)) => Some(tree),
            _ => None,
        };
        let list = front.iter_mut().chain(back).enumerate();
        let list =
            list.map(move |(position, (key, coeff))| (kind_at(position, inputs), *key, coeff));
        let tree = tree.into_iter().flatten();
        list.chain(tree.map(|((kind, key), (_, coeff))| (*kind, *key, coeff)))
    }

    /// The value under an assignment.
    pub fn eval(&self, inputs: &[St::Scalar], aux: &[St::Scalar]) -> St::Scalar {
        match self.0.runs() {
            // Nearly all: auxiliaries without a gap. The first product is the sum so far.
            ([(key, coeff), rest @ ..], []) if self.0.inputs() == 0 => {
                let minus_one = St::minus_one();
                let mut sum = *coeff;
                multiply_coeff(&mut sum, &aux[*key], &minus_one);
                for (key, coeff) in rest {
                    add_product(&mut sum, coeff, &aux[*key], &minus_one);
                }
                sum
            }
            ([], []) if self.0.stand_in().is_none() => St::Scalar::ZERO,
            _ => self.eval_any(inputs, aux),
        }
    }

    /// [`eval`](Self::eval) of whatever there is.
    #[inline(never)]
    fn eval_any(&self, inputs: &[St::Scalar], aux: &[St::Scalar]) -> St::Scalar {
        let minus_one = St::minus_one();
        let mut sum = St::Scalar::ZERO;
        for (key, coeff) in self.inputs() {
            add_product(&mut sum, coeff, &inputs[*key], &minus_one);
        }
        for (key, coeff) in self.aux() {
            add_product(&mut sum, coeff, &aux[*key], &minus_one);
        }
        sum
    }
}

/// A changed copy of a coefficient.
#[inline(always)]
fn changed<S: PrimeField>(coeff: &S, change: &mut impl FnMut(&mut S)) -> S {
    let mut coeff = *coeff;
    change(&mut coeff);
    coeff
}

/// Multiplies a coefficient, of which many are 1 or -1, by a scalar.
#[inline(always)]
pub(super) fn multiply_coeff<S: PrimeField>(coeff: &mut S, scale: &S, minus_one: &S) {
    if *coeff == S::ONE {
        *coeff = *scale;
    } else if coeff == minus_one {
        *coeff = -*scale;
    } else {
        *coeff *= scale;
    }
}

/// Adds a value times a coefficient. Where coefficients are others than 1 and -1, most values are bits.
#[inline(always)]
fn add_product<S: PrimeField>(sum: &mut S, coeff: &S, value: &S, minus_one: &S) {
    if *coeff == S::ONE {
        *sum += value;
    } else if coeff == minus_one {
        *sum -= value;
    } else if *value == S::ONE {
        *sum += coeff;
    } else if *value != S::ZERO {
        let mut product = *value;
        product *= coeff;
        *sum += &product;
    }
}

/// The kind of the term at a position, of which the first `inputs` are over inputs.
#[inline(always)]
fn kind_at(position: usize, inputs: usize) -> Kind {
    if position < inputs {
        Kind::Input
    } else {
        Kind::Aux
    }
}

/// The terms of one kind, ascending.
///
/// A loop over it costs one comparison a term. What stands behind the gap, or in a tree, is looked
/// for when a run has ended; it is named by one pointer, so that the iterator stays in registers.
pub(crate) struct Iter<'a, St: Storage, const AUX: bool> {
    run: slice::Iter<'a, Term<St::Scalar>>,
    /// Where there may be more than `run`.
    more: Option<&'a St>,
    /// The least key that may still be in the tree.
    from: usize,
}

impl<'a, St: Storage, const AUX: bool> Iter<'a, St, AUX> {
    const KIND: Kind = if AUX { Kind::Aux } else { Kind::Input };

    /// Begins with the part of the front run.
    #[inline(always)]
    fn over(storage: &'a St) -> Self {
        let (front, back) = storage.runs();
        let run = Self::part(front, storage.inputs().min(front.len()));
        let all = back.is_empty() && (!front.is_empty() || storage.stand_in().is_none());
        Iter {
            run: run.iter(),
            more: if all { None } else { Some(storage) },
            from: 0,
        }
    }

    /// The part of a run that begins with so many inputs.
    #[inline(always)]
    fn part(run: &'a [Term<St::Scalar>], inputs: usize) -> &'a [Term<St::Scalar>] {
        let (inputs, aux) = run.split_at(inputs);
        if AUX {
            aux
        } else {
            inputs
        }
    }

    /// The run after the last one: the part of the back run, or of the list that a sum is, or one term
    /// of the tree.
    #[cold]
    #[inline(never)]
    fn next_run(storage: &'a St, from: usize) -> Self {
        let mut next = (None, 0);
        let run = match storage.stand_in() {
            None => {
                let (front, back) = storage.runs();
                let inputs = storage.inputs() - storage.inputs().min(front.len());
                Self::part(back, inputs)
            }
            Some(StandIn::Sum(sum)) => {
                let list = sum.merged();
                Self::part(list.runs().0, list.inputs())
            }
            Some(StandIn::Tree(tree)) => {
                let mut terms = tree.range((Self::KIND, from)..=(Self::KIND, usize::MAX));
                match terms.next() {
                    None => &[],
                    Some((_, term)) => {
                        if let Some(from) = term.0.checked_add(1) {
                            next = (Some(storage), from);
                        }
                        slice::from_ref(term)
                    }
                }
            }
        };
        Iter {
            run: run.iter(),
            more: next.0,
            from: next.1,
        }
    }
}

impl<'a, St: Storage, const AUX: bool> Iterator for Iter<'a, St, AUX> {
    type Item = (&'a usize, &'a St::Scalar);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if let Some((key, coeff)) = self.run.next() {
            return Some((key, coeff));
        }
        *self = Self::next_run(self.more?, self.from);
        self.run.next().map(|(key, coeff)| (key, coeff))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let run = self.run.len();
        let more = self.more.map_or(0, |storage| {
            storage.runs().1.len() + storage.stand_in().map_or(0, StandIn::len)
        });
        (run, Some(run + more))
    }
}
