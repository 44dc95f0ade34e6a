//! A gap buffer in any growable buffer of initialised cells: what `lc-vec` and the `lc-smallvec`
//! storages have in common. They say only which buffer.
//!
//! The room behind the list is the spare capacity of the buffer. The cells of the gap hold stale
//! terms, so that no cell is ever uninitialised.

use std::ops::DerefMut;

use ff::PrimeField;

use super::gap::Gap;
use super::{Runs, RunsMut, Storage};
use crate::lc::term::{check_len, grown, Kind, Term};

/// A growable buffer: the part of `Vec`'s interface that a list needs.
pub(crate) trait Buffer: Default + DerefMut<Target = [Term<Self::Scalar>]> {
    type Scalar: PrimeField;

    fn of_term(term: Term<Self::Scalar>) -> Self;
    fn capacity(&self) -> usize;
    /// Copies of two runs, with room for no more.
    fn of_runs(runs: Runs<'_, Self::Scalar>) -> Self;
    fn push(&mut self, term: Term<Self::Scalar>);
    fn extend(&mut self, terms: &[Term<Self::Scalar>]);
    fn resize(&mut self, len: usize, filler: Term<Self::Scalar>);
    fn truncate(&mut self, len: usize);
    fn reserve_exact(&mut self, additional: usize);
}

/// The auxiliaries fill the buffer, with the gap among them; the inputs have a `Vec`.
pub(crate) struct GapBuffer<B: Buffer> {
    buffer: B,
    front: u32,
    gap: u32,
    inputs: Vec<Term<B::Scalar>>,
}

impl<B: Buffer> GapBuffer<B> {
    #[inline(always)]
    fn gap(&self) -> Gap {
        Gap {
            front: self.front,
            gap: self.gap,
            end: self.buffer.len() as u32,
        }
    }

    /// Makes room for `count` more terms behind the list: of the gap, or else of a larger buffer.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, count: usize) {
        let (front, back) = self.gap().split();
        let len = self.gap().len();
        self.buffer.copy_within(back.., front);
        self.buffer.truncate(len);
        self.gap = 0;
        let capacity = self.buffer.capacity();
        if capacity - len < count {
            let wanted = grown(capacity as u32, len.saturating_add(count)) as usize;
            self.buffer.reserve_exact(wanted - len);
        }
    }
}

impl<B: Buffer> Default for GapBuffer<B> {
    #[inline(always)]
    fn default() -> Self {
        GapBuffer {
            buffer: B::default(),
            front: 0,
            gap: 0,
            inputs: Vec::new(),
        }
    }
}

impl<B: Buffer> Clone for GapBuffer<B> {
    fn clone(&self) -> Self {
        GapBuffer {
            buffer: B::of_runs(self.aux()),
            inputs: self.inputs.clone(),
            ..Self::default()
        }
    }
}

impl<B: Buffer> Storage for GapBuffer<B> {
    type Scalar = B::Scalar;

    const INPUTS_ASCEND: bool = true;

    #[inline(always)]
    fn of_term(kind: Kind, key: usize, coeff: &B::Scalar) -> Self {
        let term = (key, *coeff);
        match kind {
            Kind::Input => GapBuffer {
                inputs: vec![term],
                ..Self::default()
            },
            Kind::Aux => GapBuffer {
                buffer: B::of_term(term),
                ..Self::default()
            },
        }
    }

    #[inline(always)]
    fn aux(&self) -> Runs<'_, B::Scalar> {
        let (front, back) = self.gap().split();
        (&self.buffer[..front], &self.buffer[back..])
    }

    #[inline(always)]
    fn aux_mut(&mut self) -> RunsMut<'_, B::Scalar> {
        self.runs_mut().0
    }

    #[inline(always)]
    fn runs_mut(&mut self) -> (RunsMut<'_, B::Scalar>, &mut [Term<B::Scalar>]) {
        let (front, back) = self.gap().split();
        let (cells, run) = self.buffer.split_at_mut(back);
        ((&mut cells[..front], run), &mut self.inputs)
    }

    #[inline(always)]
    fn last_mut(&mut self) -> Option<&mut Term<B::Scalar>> {
        self.buffer.last_mut()
    }

    #[inline(always)]
    fn inputs(&self) -> &[Term<B::Scalar>] {
        &self.inputs
    }

    #[inline(always)]
    fn inputs_mut(&mut self) -> &mut [Term<B::Scalar>] {
        &mut self.inputs
    }

    #[inline(always)]
    fn append(&mut self, key: usize, coeff: &B::Scalar) {
        let end = self.buffer.len();
        if self.gap != 0 && end == self.buffer.capacity() {
            self.make_room(1);
        }
        check_len(end + 1);
        self.buffer.push((key, *coeff));
    }

    #[inline(always)]
    fn insert_in_gap(&mut self, key: usize, coeff: &B::Scalar) {
        let term = (key, *coeff);
        if self.gap == 0 {
            return self.insert(self.buffer.len(), &[term], 0);
        }
        self.buffer[self.front as usize] = term;
        self.front += 1;
        self.gap -= 1;
    }

    fn insert(&mut self, at: usize, terms: &[Term<B::Scalar>], more: usize) {
        let insertion = loop {
            let room = self.buffer.capacity() - self.buffer.len();
            match self.gap().insertion(at, terms.len(), more, room) {
                Some(insertion) => break insertion,
                None => self.make_room(terms.len()),
            }
        };
        if insertion.at == self.buffer.len() {
            self.buffer.extend(terms);
        } else {
            // Copies are as good a filler as any.
            let end = insertion.after.end as usize;
            self.buffer.resize(end, self.buffer[insertion.from]);
            self.buffer
                .copy_within(insertion.from..insertion.until, insertion.to);
            self.buffer[insertion.at..insertion.at + terms.len()].copy_from_slice(terms);
        }
        self.front = insertion.after.front;
        self.gap = insertion.after.gap;
    }

    fn insert_input(&mut self, at: usize, key: usize, coeff: &B::Scalar) {
        check_len(self.inputs.len() + 1);
        self.inputs.insert(at, (key, *coeff));
    }
}
