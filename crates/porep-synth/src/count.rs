//! The size of a circuit: a pass that calls no closure, so that nothing is computed or kept.

use std::iter::Sum;

use bellpepper_core::{
    Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable,
};
use ff::PrimeField;

/// How many constraints and variables there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// With the closing constraint of each input.
    pub constraints: usize,
    /// With the constant one.
    pub inputs: usize,
    pub aux: usize,
}

impl Counts {
    /// The counts of `circuit` as a prover assembles it: with the constant one and the closing
    /// constraint of each input.
    ///
    /// # Errors
    /// What the circuit answers.
    pub fn of<Scalar, C>(circuit: C) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        C: Circuit<Scalar>,
    {
        let mut counter = Counter(Counts {
            inputs: 1,
            ..Counts::default()
        });
        circuit.synthesize(&mut counter)?;
        counter.0.constraints += counter.0.inputs;
        Ok(counter.0)
    }

    /// What there was room for before vectors that are now of these lengths last doubled.
    pub fn before_last_doubling(self) -> Self {
        let before = |len: usize| len.next_power_of_two() / 2;
        Counts {
            constraints: before(self.constraints),
            inputs: before(self.inputs),
            aux: before(self.aux),
        }
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Counts>>(counts: I) -> Counts {
        counts.fold(Counts::default(), |sum, counts| Counts {
            constraints: sum.constraints + counts.constraints,
            inputs: sum.inputs + counts.inputs,
            aux: sum.aux + counts.aux,
        })
    }
}

struct Counter(Counts);

impl<Scalar: PrimeField> ConstraintSystem<Scalar> for Counter {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.0.aux += 1;
        Ok(Variable(Index::Aux(self.0.aux - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
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
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        self.0.constraints += 1;
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_capacity_before_is_that_of_a_vector() {
        for len in 5..100 {
            let mut grown = Vec::new();
            let mut before = 0;
            for value in 0..len {
                let capacity = grown.capacity();
                grown.push(value as u64);
                if grown.capacity() != capacity {
                    before = capacity;
                }
            }
            let counts = Counts {
                aux: len,
                ..Counts::default()
            };
            assert_eq!(counts.before_last_doubling().aux, before, "{len}");
        }
    }
}
