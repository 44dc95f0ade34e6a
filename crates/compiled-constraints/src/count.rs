//! The size of a circuit: a pass in which no closure is called.

use bellpepper_core::{
    Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable,
};
use ff::PrimeField;

use crate::block::Counts;

/// Counts `circuit`, the constant one included, closing rows not.
///
/// # Errors
/// The circuit's own.
pub(crate) fn counts<S: PrimeField>(circuit: impl Circuit<S>) -> Result<Counts, SynthesisError> {
    let mut counter = Counter(Counts {
        inputs: 1,
        ..Counts::default()
    });
    circuit.synthesize(&mut counter)?;
    Ok(counter.0)
}

struct Counter(Counts);

impl<S: PrimeField> ConstraintSystem<S> for Counter {
    type Root = Self;

    fn new() -> Self {
        Counter(Counts::default())
    }

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<S, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.0.aux += 1;
        Ok(Variable(Index::Aux(self.0.aux - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<S, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.0.inputs += 1;
        Ok(Variable(Index::Input(self.0.inputs - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, _: LA, _: LB, _: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
        LB: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
        LC: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
    {
        self.0.rows += 1;
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }

    fn is_extensible() -> bool {
        true
    }

    fn extend(&mut self, other: &Self) {
        self.0.rows += other.0.rows;
        self.0.inputs += other.0.inputs.saturating_sub(1);
        self.0.aux += other.0.aux;
    }
}
