//! The size of a circuit as a prover assembles it.

use std::iter::Sum;

use bellpepper_core::{Circuit, SynthesisError};
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
    /// Counts `circuit` in a pass that computes and keeps nothing.
    ///
    /// # Errors
    /// What the circuit answers.
    pub fn of<Scalar: PrimeField>(circuit: impl Circuit<Scalar>) -> Result<Self, SynthesisError> {
        let compiled_constraints::Counts { rows, inputs, aux } =
            compiled_constraints::Counts::of(circuit)?;
        Ok(Counts {
            constraints: rows + inputs,
            inputs,
            aux,
        })
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
