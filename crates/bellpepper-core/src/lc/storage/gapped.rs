//! A list with a gap, in any growable buffer of initialised cells: what `lc-vec` and the
//! `lc-smallvec` storages have in common. They say only which buffer.
//!
//! While nothing stands behind the gap there is no gap, and the buffer is used as an ordinary
//! vector; the cells of an open gap hold stale terms, so that no cell is ever uninitialised.

use std::ops::DerefMut;
use std::sync::Arc;

use ff::PrimeField;

use super::{check_len, Kind, Runs, RunsMut, StandIn, Storage, Term, MAX_TERMS, TOO_MANY_TERMS};

/// A growable buffer: the part of `Vec`'s interface that a list needs.
pub(crate) trait Buffer: Clone + Default + DerefMut<Target = [Term<Self::Scalar>]> {
    type Scalar: PrimeField;

    fn of_term(term: Term<Self::Scalar>) -> Self;
    fn push(&mut self, term: Term<Self::Scalar>);
    fn extend(&mut self, terms: &[Term<Self::Scalar>]);
    fn truncate(&mut self, len: usize);
    fn reserve(&mut self, additional: usize);
    /// Appends copies of `filler` up to the capacity.
    fn fill(&mut self, filler: Term<Self::Scalar>);
}

/// `front` terms start the buffer and `back` terms end it; together they are at most [`MAX_TERMS`]. While
/// there are none behind the gap, `front` is the buffer's length.
#[derive(Clone)]
pub(crate) struct Gapped<B: Buffer> {
    buffer: B,
    front: u32,
    back: u32,
    inputs: u32,
    moved: u32,
    stand_in: Aside<StandIn<Self>>,
}

/// What few combinations have: dropping it is a call, so that dropping the others is short.
#[derive(Clone)]
struct Aside<T>(Option<Box<T>>);

impl<T> Drop for Aside<T> {
    #[inline(always)]
    fn drop(&mut self) {
        #[cold]
        #[inline(never)]
        fn drop_box<T>(aside: Box<T>) {
            drop(aside)
        }
        if let Some(aside) = self.0.take() {
            drop_box(aside);
        }
    }
}

impl<B: Buffer> Gapped<B> {
    fn of_buffer(buffer: B) -> Self {
        Gapped {
            buffer,
            front: 0,
            back: 0,
            inputs: 0,
            moved: 0,
            stand_in: Aside(None),
        }
    }

    /// Where the back run starts in the buffer.
    #[inline(always)]
    fn split(&self) -> usize {
        self.buffer.len() - self.back as usize
    }

    /// Widens the gap by what the buffer grows, `additional` cells or more.
    #[cold]
    fn widen(&mut self, additional: usize) {
        let (split, end) = (self.split(), self.buffer.len());
        self.buffer.reserve(additional);
        let filler = self.buffer[split];
        self.buffer.fill(filler);
        let start = self.split();
        self.buffer.copy_within(split..end, start);
    }
}

impl<B: Buffer> Default for Gapped<B> {
    #[inline(always)]
    fn default() -> Self {
        Self::of_buffer(B::default())
    }
}

impl<B: Buffer> Storage for Gapped<B> {
    type Scalar = B::Scalar;
    type Shared = Arc<Self>;

    #[inline(always)]
    fn of_term(kind: Kind, key: usize, coeff: &B::Scalar) -> Self {
        Gapped {
            front: 1,
            inputs: (kind == Kind::Input) as u32,
            ..Self::of_buffer(B::of_term((key, *coeff)))
        }
    }

    #[inline(always)]
    fn runs(&self) -> Runs<'_, B::Scalar> {
        (
            &self.buffer[..self.front as usize],
            &self.buffer[self.split()..],
        )
    }

    #[inline(always)]
    fn runs_mut(&mut self) -> RunsMut<'_, B::Scalar> {
        self.parts_mut().0
    }

    #[inline(always)]
    fn parts_mut(&mut self) -> (RunsMut<'_, B::Scalar>, Option<&mut StandIn<Self>>) {
        let split = self.split();
        let (front, back) = self.buffer.split_at_mut(split);
        let runs = (&mut front[..self.front as usize], back);
        (runs, self.stand_in.0.as_deref_mut())
    }

    #[inline(always)]
    fn inputs(&self) -> usize {
        self.inputs as usize
    }

    #[inline(always)]
    fn count_inputs(&mut self, count: usize) {
        self.inputs += count as u32;
    }

    #[inline(always)]
    fn push(&mut self, key: usize, coeff: &B::Scalar) {
        let term = (key, *coeff);
        assert!(self.front + self.back < MAX_TERMS, "{}", TOO_MANY_TERMS);
        if self.back == 0 {
            self.buffer.push(term);
        } else {
            if self.front as usize == self.split() {
                self.widen(1);
            }
            let front = self.front as usize;
            self.buffer[front] = term;
        }
        self.front += 1;
    }

    fn push_all(&mut self, terms: &[Term<B::Scalar>]) {
        self.reserve(terms.len());
        if self.back == 0 {
            self.buffer.extend(terms);
        } else {
            let front = self.front as usize;
            self.buffer[front..front + terms.len()].copy_from_slice(terms);
        }
        self.front += terms.len() as u32;
    }

    fn reserve(&mut self, additional: usize) {
        check_len(self.front + self.back, additional);
        let gap = self.split() - self.front as usize;
        if self.back == 0 {
            self.buffer.reserve(additional);
        } else if gap < additional {
            self.widen(additional - gap);
        }
    }

    fn move_gap(&mut self, front: usize) -> u32 {
        let (old, split) = (self.front as usize, self.split());
        if front < old {
            let count = old - front;
            self.buffer.copy_within(front..old, split - count);
        } else {
            self.buffer.copy_within(split..split + (front - old), old);
        }
        let len = old + self.back as usize;
        let moved = (front as i64 - old as i64).unsigned_abs() as u32;
        self.front = front as u32;
        self.back = (len - front) as u32;
        self.moved = self.moved.saturating_add(moved);
        if self.back == 0 {
            self.buffer.truncate(front);
        }
        self.moved
    }

    #[inline(always)]
    fn stand_in(&self) -> Option<&StandIn<Self>> {
        self.stand_in.0.as_deref()
    }

    fn of_stand_in(stand_in: StandIn<Self>) -> Self {
        Gapped {
            stand_in: Aside(Some(Box::new(stand_in))),
            ..Self::default()
        }
    }

    fn share(self) -> Arc<Self> {
        Arc::new(self)
    }
}
