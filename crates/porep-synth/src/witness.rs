//! The assignment of a run that makes only the witness: constraints are passed over.
//!
//! The difference from a [`crate::assignment`] is not all that combinations cost: gadgets (`Num`,
//! `MultiEq`, `addmany`) build those that they keep here as well.

use std::mem::size_of;

use anyhow::Result;
use bellpepper_core::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;

use crate::{
    count::Counts,
    digest::{self, Hash},
    synthesize::{reserved, Assignment},
};

/// The values of the variables, and how many constraints were passed over.
#[derive(Default)]
pub struct WitnessAssignment {
    input_assignment: Vec<Scalar>,
    aux_assignment: Vec<Scalar>,
    constraints: usize,
}

impl Assignment for WitnessAssignment {
    fn with_capacity(counts: Counts) -> Result<Self> {
        Ok(WitnessAssignment {
            input_assignment: reserved(counts.inputs)?,
            aux_assignment: reserved(counts.aux)?,
            constraints: 0,
        })
    }

    fn held_bytes(counts: Counts) -> u64 {
        ((counts.inputs + counts.aux) * size_of::<Scalar>()) as u64
    }

    fn counts(&self) -> Counts {
        Counts {
            constraints: self.constraints,
            inputs: self.input_assignment.len(),
            aux: self.aux_assignment.len(),
        }
    }

    /// Covers the assignments alone, so it is never that of a full run.
    fn digest(&self) -> Hash {
        digest::partition(&[
            digest::scalars(&self.input_assignment),
            digest::scalars(&self.aux_assignment),
        ])
    }
}

impl ConstraintSystem<Scalar> for WitnessAssignment {
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
        self.aux_assignment.push(value()?);
        Ok(Variable(Index::Aux(self.aux_assignment.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.input_assignment.push(value()?);
        Ok(Variable(Index::Input(self.input_assignment.len() - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, _: LA, _: LB, _: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
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
