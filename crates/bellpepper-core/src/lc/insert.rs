//! One more term.

use super::storage::Storage;
use super::term::{Kind, Term};
use super::terms::Terms;

/// Among so few last terms the place of a key is sought one by one.
const LAST: usize = 8;

/// A gap that an insertion opens has room for as many more: a word's bits come one by one.
const MORE: usize = 32;

impl<St: Storage> Terms<St> {
    /// Adds `coeff` to the coefficient of a variable, which becomes a term if it was none.
    #[inline(always)]
    pub fn add_term(&mut self, kind: Kind, key: usize, coeff: &St::Scalar) {
        if kind == Kind::Input {
            return self.add_input(key, coeff);
        }
        // Most terms are auxiliaries that go behind all others, or to the last one again.
        match self.0.last_mut() {
            Some((last, sum)) if *last == key => *sum += coeff,
            Some((last, _)) if *last > key => self.insert_aux(key, coeff),
            _ => self.0.append(key, coeff),
        }
    }

    /// Adds to the coefficient of an auxiliary that goes before the last one.
    #[inline(never)]
    fn insert_aux(&mut self, key: usize, coeff: &St::Scalar) {
        let (front, back) = self.0.aux_mut();
        let found = match (&mut *front, &mut *back) {
            // Next to last is the commonest place after those.
            ([before @ .., last], [])
                if before.last().map_or(true, |before| before.0 < key) && key < last.0 =>
            {
                let last = std::mem::replace(last, (key, *coeff));
                return self.0.append(last.0, &last.1);
            }
            // Among the last ones.
            (_, []) => {
                let floor = front.len().saturating_sub(LAST);
                let mut at = front.len();
                while at > floor && front[at - 1].0 > key {
                    at -= 1;
                }
                match front[..at].last_mut() {
                    Some((before, sum)) if *before == key => {
                        *sum += coeff;
                        return;
                    }
                    Some((before, _)) if *before > key => find(&front[..at], key),
                    _ => return self.shift_in(at, key, coeff),
                }
            }
            // One more of an ascending run.
            ([.., (before, _)], [(after, _), ..]) if *before < key && key < *after => {
                return self.0.insert_in_gap(key, coeff);
            }
            _ => self.position(key),
        };
        match found {
            Ok(at) => self.at_mut(at).1 += coeff,
            Err(at) => self.0.insert(at, &[(key, *coeff)], MORE),
        }
    }

    /// Inserts an auxiliary among the last ones of a list without a gap, and shifts those behind
    /// it.
    #[inline(always)]
    fn shift_in(&mut self, at: usize, key: usize, coeff: &St::Scalar) {
        self.0.append(key, coeff);
        let front = self.0.aux_mut().0;
        for position in (at + 1..front.len()).rev() {
            front[position] = front[position - 1];
        }
        front[at] = (key, *coeff);
    }

    /// Adds to the coefficient of an input.
    #[inline(never)]
    fn add_input(&mut self, key: usize, coeff: &St::Scalar) {
        self.add_input_at(self.input_position(key), key, coeff);
    }

    /// Adds to the coefficient of an input that was looked for.
    #[inline(always)]
    pub(super) fn add_input_at(
        &mut self,
        found: Result<usize, usize>,
        key: usize,
        coeff: &St::Scalar,
    ) {
        match found {
            Ok(at) => self.0.inputs_mut()[at].1 += coeff,
            Err(at) => self.0.insert_input(at, key, coeff),
        }
    }

    /// The index of an input (`Ok`), or the one at which it would be inserted (`Err`).
    #[inline(always)]
    pub(super) fn input_position(&self, key: usize) -> Result<usize, usize> {
        let inputs = self.0.inputs();
        // The constant one, or behind all others, mostly.
        let (last, behind) = match St::INPUTS_ASCEND {
            true => (inputs.last(), inputs.len()),
            false => (inputs.first(), 0),
        };
        match last {
            Some((last, _)) if *last >= key => match St::INPUTS_ASCEND {
                true => inputs.binary_search_by_key(&key, |term| term.0),
                false => inputs.binary_search_by(|term| key.cmp(&term.0)),
            },
            _ => Err(behind),
        }
    }

    /// [`input_position`](Self::input_position) of a key above that of the input at an index, which
    /// is looked for next to it first.
    #[inline(always)]
    pub(super) fn input_position_after(&self, at: usize, key: usize) -> Result<usize, usize> {
        let inputs = self.0.inputs();
        let (larger, between) = match St::INPUTS_ASCEND {
            true => (at + 1, at + 1),
            false => (at.wrapping_sub(1), at),
        };
        match inputs.get(larger) {
            Some((found, _)) if *found < key => self.input_position(key),
            Some((found, _)) if *found == key => Ok(larger),
            _ => Err(between),
        }
    }

    /// The position of an auxiliary (`Ok`), or the one before which it would go (`Err`).
    #[inline(always)]
    pub(super) fn position(&self, key: usize) -> Result<usize, usize> {
        let (front, back) = self.0.aux();
        match back {
            [(first, _), ..] if *first <= key => {
                let behind = |at| front.len() + at;
                find(back, key).map(behind).map_err(behind)
            }
            _ => find(front, key),
        }
    }

    /// The auxiliary at a position.
    #[inline(always)]
    fn at_mut(&mut self, position: usize) -> &mut Term<St::Scalar> {
        let (front, back) = self.0.aux_mut();
        if position < front.len() {
            &mut front[position]
        } else {
            &mut back[position - front.len()]
        }
    }
}

/// The index of a key in a run (`Ok`), or the one before which it would go (`Err`). A key at either
/// end, where the gap is, is found at once.
#[inline]
fn find<S>(run: &[Term<S>], key: usize) -> Result<usize, usize> {
    match run {
        [] => Err(0),
        [.., (last, _)] if *last <= key => match *last == key {
            true => Ok(run.len() - 1),
            false => Err(run.len()),
        },
        [(first, _), ..] if *first == key => Ok(0),
        _ => run.binary_search_by_key(&key, |term| term.0),
    }
}
