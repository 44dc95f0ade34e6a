//! The computation that is proved again and again.

use bellpepper::gadgets::sha256::sha256;
use bellpepper_core::{
    boolean::{AllocatedBit, Boolean},
    num::AllocatedNum,
    ConstraintSystem, SynthesisError,
};
use clap::ValueEnum;
use ff::PrimeField;

/// What a step does beside the recursion itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Step {
    /// Nothing: what is left is the recursion's own circuit
    Trivial,
    /// SHA-256 of 1,024 bits
    Sha256,
}

impl Step {
    /// Continues `cs` by the step.
    ///
    /// # Errors
    /// What the constraint system answers.
    pub fn synthesize<F: PrimeField, CS: ConstraintSystem<F>>(
        self,
        cs: &mut CS,
        z: &[AllocatedNum<F>],
    ) -> Result<Vec<AllocatedNum<F>>, SynthesisError> {
        match self {
            Step::Trivial => {}
            Step::Sha256 => {
                let preimage = (0..1024)
                    .map(|i| {
                        let cs = cs.namespace(|| format!("bit {i}"));
                        AllocatedBit::alloc(cs, Some(i % 3 == 0)).map(Boolean::from)
                    })
                    .collect::<Result<Vec<_>, _>>()?;
                sha256(cs.namespace(|| "hash"), &preimage)?;
            }
        }
        Ok(z.to_vec())
    }
}
