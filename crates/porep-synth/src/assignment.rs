//! The assignment that a Groth16 prover synthesizes into, doing what bellperson 0.27 does.
//!
//! This is the part of the work that is the prover's and not `bellpepper-core`'s, and it must cost
//! what it costs there: the same terms are skipped and multiplied, the same tracker keeps the
//! densities, and vectors grow from empty unless capacity is asked for.

use bellpepper_core::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;
use ec_gpu_gen::multiexp_cpu::{DensityTracker, QueryDensity};
use ff::Field;
use rayon::prelude::*;

use crate::{
    count::Counts,
    digest::{self, Hash},
    synthesize::Assignment,
};

/// Everything that the proof of one partition is computed from.
#[derive(Default)]
pub struct ProvingAssignment {
    a_aux_density: DensityTracker,
    b_input_density: DensityTracker,
    b_aux_density: DensityTracker,
    // One value a constraint.
    a: Vec<Scalar>,
    b: Vec<Scalar>,
    c: Vec<Scalar>,
    // One value a variable.
    input_assignment: Vec<Scalar>,
    aux_assignment: Vec<Scalar>,
}

impl Assignment for ProvingAssignment {
    fn with_capacity(counts: Counts) -> Self {
        let mut assignment = ProvingAssignment {
            a: Vec::with_capacity(counts.constraints),
            b: Vec::with_capacity(counts.constraints),
            c: Vec::with_capacity(counts.constraints),
            input_assignment: Vec::with_capacity(counts.inputs),
            aux_assignment: Vec::with_capacity(counts.aux),
            ..Default::default()
        };
        assignment.a_aux_density.bv.reserve_exact(counts.aux);
        assignment.b_aux_density.bv.reserve_exact(counts.aux);
        assignment.b_input_density.bv.reserve_exact(counts.inputs);
        assignment
    }

    fn counts(&self) -> Counts {
        Counts {
            constraints: self.a.len(),
            inputs: self.input_assignment.len(),
            aux: self.aux_assignment.len(),
        }
    }

    fn digest(&self) -> Hash {
        let mut sections: Vec<_> = [
            ("input", &self.input_assignment),
            ("aux", &self.aux_assignment),
            ("a", &self.a),
            ("b", &self.b),
            ("c", &self.c),
        ]
        .into_par_iter()
        .map(|(name, values)| digest::scalars(name, values))
        .collect();
        sections.extend([
            digest::bits("a_aux_density", self.a_aux_density.iter()),
            digest::bits("b_input_density", self.b_input_density.iter()),
            digest::bits("b_aux_density", self.b_aux_density.iter()),
        ]);
        digest::partition(&sections)
    }
}

impl ConstraintSystem<Scalar> for ProvingAssignment {
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
        self.a_aux_density.add_element();
        self.b_aux_density.add_element();
        Ok(Variable(Index::Aux(self.aux_assignment.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.input_assignment.push(value()?);
        self.b_input_density.add_element();
        Ok(Variable(Index::Input(self.input_assignment.len() - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        // All three live at once, as they do in the prover: how many do decides what fits a cache.
        let a = a(LinearCombination::zero());
        let b = b(LinearCombination::zero());
        let c = c(LinearCombination::zero());

        // Each input occurs in A by its closing constraint, so nobody tracks that density.
        let a_value = evaluate(
            &a,
            None,
            Some(&mut self.a_aux_density),
            &self.input_assignment,
            &self.aux_assignment,
        );
        let b_value = evaluate(
            &b,
            Some(&mut self.b_input_density),
            Some(&mut self.b_aux_density),
            &self.input_assignment,
            &self.aux_assignment,
        );
        // There is no query over C, whose evaluation is the combination's own.
        let c_value = c.eval(&self.input_assignment, &self.aux_assignment);

        self.a.push(a_value);
        self.b.push(b_value);
        self.c.push(c_value);
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
        self.a_aux_density.extend(&other.a_aux_density, false);
        self.b_input_density.extend(&other.b_input_density, true);
        self.b_aux_density.extend(&other.b_aux_density, false);
        self.a.extend(&other.a);
        self.b.extend(&other.b);
        self.c.extend(&other.c);
        // The other's first input is its own constant one, which is here already.
        self.input_assignment.extend(&other.input_assignment[1..]);
        self.aux_assignment.extend(&other.aux_assignment);
    }
}

/// The value of `combination`, noting the variables that occur in it.
fn evaluate(
    combination: &LinearCombination<Scalar>,
    input_density: Option<&mut DensityTracker>,
    aux_density: Option<&mut DensityTracker>,
    input_assignment: &[Scalar],
    aux_assignment: &[Scalar],
) -> Scalar {
    let mut sum = Scalar::ZERO;
    add_terms(
        &mut sum,
        combination.iter_inputs(),
        input_density,
        input_assignment,
    );
    add_terms(
        &mut sum,
        combination.iter_aux(),
        aux_density,
        aux_assignment,
    );
    sum
}

/// Adds the terms over one list of variables. One whose coefficient cancelled to zero counts for
/// nothing, in the density neither.
#[inline(always)]
fn add_terms<'a>(
    sum: &mut Scalar,
    terms: impl Iterator<Item = (&'a usize, &'a Scalar)>,
    mut density: Option<&mut DensityTracker>,
    assignment: &[Scalar],
) {
    let one = Scalar::ONE;
    for (index, coefficient) in terms {
        if !coefficient.is_zero_vartime() {
            let mut value = assignment[*index];
            if coefficient != &one {
                value *= coefficient;
            }
            *sum += value;
            if let Some(density) = density.as_deref_mut() {
                density.inc(*index);
            }
        }
    }
}
