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

use super::storage::{Kind, Storage, Term, Tree};

/// A list shorter than this never becomes a tree.
const TREE_MIN_LEN: usize = 1024;

/// A longer one does when the moves of its gap have moved this many terms for each that it has.
///
/// A merge moves each term once, so a sum of long combinations stays a list.
const TREE_MOVES: usize = 16;

/// Before so few last terms an insertion shifts them, and opens no gap: reading a list of one run is
/// cheaper than what the next insertion may save.
const SHIFTED: usize = 8;

/// Whether terms are added or subtracted.
#[derive(Clone, Copy)]
pub(crate) enum Sign {
    Plus,
    Minus,
}

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
        if front.is_empty() && back.is_empty() {
            if self.0.tree().is_none() {
                *self = Self::of_term(kind, key, coeff);
                return;
            }
        } else if kind == Kind::Aux && back.is_empty() {
            // Most terms are auxiliaries that go behind all others, or to the last one again.
            match front[inputs..].last_mut() {
                Some((last, sum)) if *last == key => {
                    *sum += coeff;
                    return;
                }
                Some((last, _)) if *last > key => {}
                _ => return self.0.push((key, coeff)),
            }
        }
        self.insert(kind, key, coeff);
    }

    /// [`add_term`](Self::add_term) anywhere.
    #[inline(never)]
    fn insert(&mut self, kind: Kind, key: usize, coeff: St::Scalar) {
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
                _ => return self.shift_in(at, (key, coeff)),
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
                return self.0.push((key, coeff));
            }
        }
        let found = self.search(kind, key);
        self.put(found, kind, key, coeff);
    }

    /// Inserts a term among the last ones of a list without a gap, and shifts those behind it.
    #[inline(always)]
    fn shift_in(&mut self, at: usize, term: Term<St::Scalar>) {
        self.0.push(term);
        let front = self.0.runs_mut().0;
        for position in (at + 1..front.len()).rev() {
            front[position] = front[position - 1];
        }
        front[at] = term;
    }

    /// Adds a term where [`search`](Self::search) has found its place, and returns the position
    /// behind it; or `None` if the list is a tree, where there are no positions.
    fn put(
        &mut self,
        found: Result<usize, usize>,
        kind: Kind,
        key: usize,
        coeff: St::Scalar,
    ) -> Option<usize> {
        match found {
            Ok(at) => {
                self.at_mut(at).1 += coeff;
                Some(at + 1)
            }
            Err(at) => {
                let (front, back) = self.0.runs();
                let gap = front.len();
                if gap == 0 && back.is_empty() && self.0.tree().is_some() {
                    self.put_in_tree(kind, key, coeff);
                    return None;
                }
                if back.is_empty() && at < gap && gap - at <= SHIFTED {
                    self.shift_in(at, (key, coeff));
                } else if gap != at && self.move_gap(at) {
                    self.put_in_tree(kind, key, coeff);
                    return None;
                } else {
                    self.0.push((key, coeff));
                }
                if kind == Kind::Input {
                    self.0.count_input();
                }
                Some(at + 1)
            }
        }
    }

    #[cold]
    fn put_in_tree(&mut self, kind: Kind, key: usize, coeff: St::Scalar) {
        if let (_, Some(tree)) = self.0.parts_mut() {
            tree.entry((kind, key))
                .and_modify(|(_, sum)| *sum += coeff)
                .or_insert((key, coeff));
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
    #[inline(always)]
    pub fn add_terms(&mut self, sign: Sign, other: &Self) {
        match sign {
            Sign::Plus => self.merge(other, |_| ()),
            Sign::Minus => self.merge(other, |coeff| *coeff = negate::<St>(*coeff)),
        }
    }

    /// Adds `scale` times all terms of another combination.
    pub fn add_scaled(&mut self, scale: St::Scalar, other: &Self) {
        let minus_one = St::minus_one();
        if scale == St::Scalar::ONE {
            self.add_terms(Sign::Plus, other)
        } else if scale == minus_one {
            self.add_terms(Sign::Minus, other)
        } else if other.len() <= WORD_BITS {
            self.merge(other, |coeff| multiply_coeff(coeff, &scale, &minus_one))
        } else {
            let mut products = Products::of(scale, minus_one);
            self.merge(other, |coeff| products.put(coeff))
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
    #[inline(always)]
    fn merge(&mut self, other: &Self, mut change: impl FnMut(&mut St::Scalar)) {
        // A single term is what `Boolean::lc` makes, the commonest operand of all.
        if let ([(key, coeff)], []) = other.0.runs() {
            let kind = kind_at(0, other.0.inputs());
            let mut coeff = *coeff;
            change(&mut coeff);
            return self.add_term(kind, *key, coeff);
        }
        self.merge_many(other, change)
    }

    #[inline(never)]
    fn merge_many(&mut self, other: &Self, mut change: impl FnMut(&mut St::Scalar)) {
        if self.0.tree().is_none() {
            self.0.reserve(other.len());
        }
        self.merge_kind(other.inputs(), &mut change);
        self.merge_kind(other.aux(), &mut change);
    }

    #[inline(always)]
    fn merge_kind<const AUX: bool>(
        &mut self,
        mut terms: Iter<'_, St, AUX>,
        change: &mut impl FnMut(&mut St::Scalar),
    ) {
        self.merge_run(&mut terms, change);
        // What the list did not take goes into the tree that it has become.
        for (key, coeff) in terms {
            let mut coeff = *coeff;
            change(&mut coeff);
            self.put_in_tree(Iter::<St, AUX>::KIND, *key, coeff);
        }
    }

    /// Merges ascending terms into the list, until there are no more or it is a tree.
    #[inline(always)]
    fn merge_run<const AUX: bool>(
        &mut self,
        terms: &mut Iter<'_, St, AUX>,
        change: &mut impl FnMut(&mut St::Scalar),
    ) -> Option<()> {
        let kind = Iter::<St, AUX>::KIND;
        let (key, coeff) = terms.next()?;
        let mut coeff = *coeff;
        change(&mut coeff);
        let mut at = self.put(self.search(kind, *key), kind, *key, coeff)?;
        for (key, coeff) in terms {
            let end = self.range(kind).end;
            let found = if at == end {
                Err(at)
            } else {
                let next = self.at(at).0;
                match next.cmp(key) {
                    Ordering::Equal => Ok(at),
                    Ordering::Less => self.search_from(at + 1, end, *key),
                    Ordering::Greater => Err(at),
                }
            };
            if kind == Kind::Aux && found == Err(self.gap()) {
                // Changed in its place: copying what a field operation has just written stalls.
                self.0.push((*key, *coeff));
                at = self.gap();
                change(&mut self.at_mut(at - 1).1);
            } else {
                let mut coeff = *coeff;
                change(&mut coeff);
                at = self.put(found, kind, *key, coeff)?;
            }
        }
        Some(())
    }

    /// The terms over inputs: keys and coefficients, ascending.
    #[inline(always)]
    pub fn inputs(&self) -> Iter<'_, St, false> {
        let (front, back) = self.0.runs();
        let run = &front[..self.0.inputs().min(front.len())];
        self.iter(run, front, back)
    }

    /// The terms over auxiliaries: keys and coefficients, ascending.
    #[inline(always)]
    pub fn aux(&self) -> Iter<'_, St, true> {
        let (front, back) = self.0.runs();
        let run = &front[self.0.inputs().min(front.len())..];
        self.iter(run, front, back)
    }

    #[inline(always)]
    fn iter<'a, const AUX: bool>(
        &'a self,
        run: &'a [Term<St::Scalar>],
        front: &[Term<St::Scalar>],
        back: &[Term<St::Scalar>],
    ) -> Iter<'a, St, AUX> {
        let all = back.is_empty() && (!front.is_empty() || self.0.tree().is_none());
        Iter {
            run: run.iter(),
            more: if all { None } else { Some(&self.0) },
            from: 0,
        }
    }

    /// All terms, inputs first.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Kind, usize, &mut St::Scalar)> + '_ {
        let inputs = self.0.inputs();
        let ((front, back), tree) = self.0.parts_mut();
        let list = front.iter_mut().chain(back).enumerate();
        let list =
            list.map(move |(position, (key, coeff))| (kind_at(position, inputs), *key, coeff));
        let tree = tree.into_iter().flatten();
        list.chain(tree.map(|((kind, key), (_, coeff))| (*kind, *key, coeff)))
    }

    /// The value under an assignment.
    pub fn eval(&self, inputs: &[St::Scalar], aux: &[St::Scalar]) -> St::Scalar {
        let minus_one = St::minus_one();
        let (mut input_terms, mut aux_terms) = (self.inputs(), self.aux());
        // The first term is the sum so far.
        let mut sum;
        if let Some((key, coeff)) = input_terms.next() {
            sum = inputs[*key];
            multiply(&mut sum, coeff, &minus_one);
            add_products(&mut sum, input_terms, inputs, &minus_one);
        } else if let Some((key, coeff)) = aux_terms.next() {
            sum = aux[*key];
            multiply(&mut sum, coeff, &minus_one);
        } else {
            return St::Scalar::ZERO;
        }
        add_products(&mut sum, aux_terms, aux, &minus_one);
        sum
    }
}

/// Products of coefficients with one scalar, of which those of the last word are known.
///
/// The sum of 32-bit words (`UInt32::addmany`) has the same 32 coefficients for each word, and is
/// scaled as a whole by `MultiEq`: four products of five are found 32 terms before.
struct Products<S> {
    scale: S,
    minus_one: S,
    known: [(S, S); WORD_BITS],
    next: usize,
}

const WORD_BITS: usize = 32;

impl<S: PrimeField> Products<S> {
    #[inline(always)]
    fn of(scale: S, minus_one: S) -> Self {
        Products {
            scale,
            minus_one,
            known: [(S::ZERO, S::ZERO); WORD_BITS],
            next: 0,
        }
    }

    /// Puts the product in the place of the coefficient.
    #[inline(always)]
    fn put(&mut self, coeff: &mut S) {
        let (known, product) = &mut self.known[self.next];
        self.next = (self.next + 1) % WORD_BITS;
        if known == coeff {
            *coeff = *product;
        } else {
            *known = *coeff;
            multiply_coeff(coeff, &self.scale, &self.minus_one);
            *product = *coeff;
        }
    }
}

/// Multiplies a coefficient, of which many are 1 or -1, by a scalar.
#[inline(always)]
fn multiply_coeff<S: PrimeField>(coeff: &mut S, scale: &S, minus_one: &S) {
    if *coeff == S::ONE {
        *coeff = *scale;
    } else if coeff == minus_one {
        *coeff = -*scale;
    } else {
        *coeff *= scale;
    }
}

/// Multiplies a value by a coefficient, of which many are 1 or -1.
#[inline(always)]
fn multiply<S: PrimeField>(value: &mut S, coeff: &S, minus_one: &S) {
    if coeff == minus_one {
        *value = -*value;
    } else if *coeff != S::ONE {
        *value *= coeff;
    }
}

#[inline(always)]
fn add_products<'a, S: PrimeField>(
    sum: &mut S,
    terms: impl Iterator<Item = (&'a usize, &'a S)>,
    values: &[S],
    minus_one: &S,
) {
    for (key, coeff) in terms {
        let value = &values[*key];
        if *coeff == S::ONE {
            *sum += value;
        } else if coeff == minus_one {
            *sum -= value;
        } else {
            let mut product = *value;
            product *= coeff;
            *sum += &product;
        }
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

    /// The run after the last one: the part of the back run, or one term of the tree.
    #[cold]
    #[inline(never)]
    fn next_run(storage: &'a St, from: usize) -> Self {
        let (run, more, from) = match storage.tree() {
            None => {
                let (front, back) = storage.runs();
                let inputs = storage.inputs() - storage.inputs().min(front.len());
                let run = if AUX {
                    &back[inputs..]
                } else {
                    &back[..inputs]
                };
                (run, None, 0)
            }
            Some(tree) => {
                let mut terms = tree.range((Self::KIND, from)..=(Self::KIND, usize::MAX));
                match terms.next() {
                    None => (&[][..], None, 0),
                    Some((_, term)) => {
                        let next = term.0.checked_add(1);
                        (
                            slice::from_ref(term),
                            next.map(|_| storage),
                            next.unwrap_or(0),
                        )
                    }
                }
            }
        };
        Iter {
            run: run.iter(),
            more,
            from,
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
            storage.runs().1.len() + storage.tree().map_or(0, Tree::len)
        });
        (run, Some(run + more))
    }
}
