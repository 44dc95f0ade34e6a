//! An assignment that hashes the evaluations instead of keeping them, so that a circuit of any
//! size fits in a few hundred MiB.
//!
//! It does what an [`crate::assignment`] does and has its digest, but its time includes the
//! hashing: compare it with other streams only.

use anyhow::Result;
use bellpepper_core::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;
use ec_gpu_gen::multiexp_cpu::{DensityTracker, QueryDensity};

use crate::{
    assignment::evaluate,
    compact::CompactScalars,
    count::Counts,
    digest::{self, Hash, ScalarSection},
    synthesize::Assignment,
};

/// What later constraints refer to, and the running digests of all else.
#[derive(Default)]
pub struct StreamAssignment {
    a_aux_density: DensityTracker,
    b_input_density: DensityTracker,
    b_aux_density: DensityTracker,
    inputs: Vec<Scalar>,
    aux: CompactScalars,
    constraints: usize,
    input_section: ScalarSection,
    aux_section: ScalarSection,
    a_section: ScalarSection,
    b_section: ScalarSection,
    c_section: ScalarSection,
}

impl Assignment for StreamAssignment {
    /// Nothing is reserved: nothing here is large.
    fn with_capacity(_: Counts) -> Result<Self> {
        Ok(Self::new())
    }

    fn held_bytes(counts: Counts) -> u64 {
        // Five bits a variable for its value and densities, 32 bytes for one in eight (few are not
        // bits, fewer the larger the circuit), and twice that for the room to grow.
        counts.aux as u64 * 2 * (5 + 32) / 8
    }

    fn counts(&self) -> Counts {
        Counts {
            constraints: self.constraints,
            inputs: self.inputs.len(),
            aux: self.aux.len(),
        }
    }

    fn digest(&self) -> Hash {
        digest::partition(&[
            self.input_section.finish(),
            self.aux_section.finish(),
            self.a_section.finish(),
            self.b_section.finish(),
            self.c_section.finish(),
            digest::bits(self.a_aux_density.iter()),
            digest::bits(self.b_input_density.iter()),
            digest::bits(self.b_aux_density.iter()),
        ])
    }
}

impl ConstraintSystem<Scalar> for StreamAssignment {
    type Root = Self;

    fn new() -> Self {
        Self::default()
    }

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        let value = value()?;
        self.aux_section.push(&value);
        self.aux.push(value);
        self.a_aux_density.add_element();
        self.b_aux_density.add_element();
        Ok(Variable(Index::Aux(self.aux.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        let value = value()?;
        self.input_section.push(&value);
        self.inputs.push(value);
        self.b_input_density.add_element();
        Ok(Variable(Index::Input(self.inputs.len() - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        let a = a(LinearCombination::zero());
        let b = b(LinearCombination::zero());
        let c = c(LinearCombination::zero());

        let input = |index| self.inputs[index];
        let aux = |index| self.aux.get(index);
        let a_value = evaluate(&a, None, Some(&mut self.a_aux_density), input, aux);
        let b_value = evaluate(
            &b,
            Some(&mut self.b_input_density),
            Some(&mut self.b_aux_density),
            input,
            aux,
        );
        let c_value = evaluate(&c, None, None, input, aux);

        self.a_section.push(&a_value);
        self.b_section.push(&b_value);
        self.c_section.push(&c_value);
        self.constraints += 1;
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
