//! A constraint system that writes down every call.

use ff::PrimeField;

use super::{bp, terms};
use crate::observation::Event;
use crate::program::Calls;
use bp::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};

#[derive(Debug)]
pub struct Recorder<F: PrimeField> {
    pub events: Vec<Event<F>>,
    calls: Calls,
    inputs: usize,
    aux: usize,
}

impl<F: PrimeField> Recorder<F> {
    pub fn new(calls: Calls) -> Self {
        Recorder {
            events: Vec::new(),
            calls,
            inputs: 1,
            aux: 0,
        }
    }

    fn handed_in(&self) -> LinearCombination<F> {
        let lc = LinearCombination::zero();
        if self.calls != Calls::AllOnTopOfTerms {
            return lc;
        }
        // The constant one and the latest variables: those that gadgets mostly refer to.
        let mut lc = lc - Self::one() + (F::from(7), Variable::new_unchecked(Index::Aux(0)));
        for distance in 1..=self.aux.min(3) {
            let variable = Variable::new_unchecked(Index::Aux(self.aux - distance));
            lc = lc + (F::from(distance as u64) - F::from(2), variable);
        }
        lc
    }

    fn value(
        &self,
        f: impl FnOnce() -> Result<F, SynthesisError>,
    ) -> (Option<Result<F, String>>, Result<(), SynthesisError>) {
        match self.calls {
            Calls::Combinations => (None, Ok(())),
            Calls::AllUntil(count) if self.aux + self.inputs > count => {
                (None, Err(SynthesisError::PolynomialDegreeTooLarge))
            }
            _ => match f() {
                Ok(value) => (Some(Ok(value)), Ok(())),
                Err(error) => (Some(Err(error.to_string())), Err(error)),
            },
        }
    }
}

impl<F: PrimeField> ConstraintSystem<F> for Recorder<F> {
    type Root = Self;

    fn alloc<V, A, AR>(&mut self, annotation: A, f: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<F, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        let (value, result) = self.value(f);
        self.events.push(Event::Alloc(annotation().into(), value));
        result?;
        self.aux += 1;
        Ok(Variable::new_unchecked(Index::Aux(self.aux - 1)))
    }

    fn alloc_input<V, A, AR>(&mut self, annotation: A, f: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<F, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        let (value, result) = self.value(f);
        self.events
            .push(Event::AllocInput(annotation().into(), value));
        result?;
        self.inputs += 1;
        Ok(Variable::new_unchecked(Index::Input(self.inputs - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, annotation: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<F>) -> LinearCombination<F>,
        LB: FnOnce(LinearCombination<F>) -> LinearCombination<F>,
        LC: FnOnce(LinearCombination<F>) -> LinearCombination<F>,
    {
        let combinations = if self.calls == Calls::Values {
            None
        } else {
            Some([
                terms(&a(self.handed_in())),
                terms(&b(self.handed_in())),
                terms(&c(self.handed_in())),
            ])
        };
        self.events
            .push(Event::Enforce(annotation().into(), combinations));
    }

    fn push_namespace<NR, N>(&mut self, name_fn: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        self.events.push(Event::Push(name_fn().into()));
    }

    fn pop_namespace(&mut self) {
        self.events.push(Event::Pop);
    }

    fn get_root(&mut self) -> &mut Self {
        self
    }
}

/// Passes everything on, except that no value closure is called.
#[derive(Debug)]
pub struct Unseen<'a, CS>(pub &'a mut CS);

impl<F: PrimeField, CS: ConstraintSystem<F>> ConstraintSystem<F> for Unseen<'_, CS> {
    type Root = CS::Root;

    fn alloc<V, A, AR>(&mut self, annotation: A, _f: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<F, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.0.alloc(annotation, || Ok(F::ZERO))
    }

    fn alloc_input<V, A, AR>(&mut self, annotation: A, _f: V) -> Result<Variable, SynthesisError>
    where
        V: FnOnce() -> Result<F, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.0.alloc_input(annotation, || Ok(F::ZERO))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, annotation: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<F>) -> LinearCombination<F>,
        LB: FnOnce(LinearCombination<F>) -> LinearCombination<F>,
        LC: FnOnce(LinearCombination<F>) -> LinearCombination<F>,
    {
        self.0.enforce(annotation, a, b, c)
    }

    fn push_namespace<NR, N>(&mut self, name_fn: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        self.0.push_namespace(name_fn)
    }

    fn pop_namespace(&mut self) {
        self.0.pop_namespace()
    }

    fn get_root(&mut self) -> &mut Self::Root {
        self.0.get_root()
    }
}
