//! The terms of one kind, ascending.

use std::marker::PhantomData;
use std::slice;

use super::storage::Storage;
use super::term::Term;

/// The auxiliaries. A loop over them costs one comparison per term: the run behind the gap is
/// looked for when the first one has ended.
pub(crate) struct Aux<'a, S> {
    run: slice::Iter<'a, Term<S>>,
    back: &'a [Term<S>],
}

impl<'a, S> Aux<'a, S> {
    #[inline(always)]
    pub fn over<St: Storage<Scalar = S>>(storage: &'a St) -> Self {
        let (front, back) = storage.aux();
        Aux {
            run: front.iter(),
            back,
        }
    }
}

impl<'a, S> Iterator for Aux<'a, S> {
    type Item = (&'a usize, &'a S);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if let Some((key, coeff)) = self.run.next() {
            return Some((key, coeff));
        }
        self.run = std::mem::take(&mut self.back).iter();
        self.run.next().map(|(key, coeff)| (key, coeff))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.run.len() + self.back.len();
        (len, Some(len))
    }

    #[inline]
    fn fold<A, F: FnMut(A, Self::Item) -> A>(self, init: A, mut f: F) -> A {
        let mut sum = init;
        for run in [self.run, self.back.iter()] {
            sum = run.fold(sum, |sum, (key, coeff)| f(sum, (key, coeff)));
        }
        sum
    }
}

/// The inputs, in whichever order the storage has them.
pub(crate) struct Inputs<'a, St: Storage> {
    run: slice::Iter<'a, Term<St::Scalar>>,
    storage: PhantomData<St>,
}

impl<'a, St: Storage> Inputs<'a, St> {
    #[inline(always)]
    pub fn over(storage: &'a St) -> Self {
        Inputs {
            run: storage.inputs().iter(),
            storage: PhantomData,
        }
    }
}

impl<'a, St: Storage> Iterator for Inputs<'a, St> {
    type Item = (&'a usize, &'a St::Scalar);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let term = match St::INPUTS_ASCEND {
            true => self.run.next(),
            false => self.run.next_back(),
        };
        term.map(|(key, coeff)| (key, coeff))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.run.size_hint()
    }
}
