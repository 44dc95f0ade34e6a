//! The assignment that a Groth16 prover synthesizes into, doing what bellperson 0.27 does.
//!
//! This is the part of the work that is the prover's and not `bellpepper-core`'s, and it must cost
//! what it costs there: the same terms are skipped and multiplied, the same tracker keeps the
//! densities, and vectors grow from empty unless capacity is asked for.

use std::mem::size_of;

use anyhow::Result;
use bellpepper_core::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;
use ec_gpu_gen::multiexp_cpu::{DensityTracker, QueryDensity};
use ff::Field;

use crate::{
    count::Counts,
    digest::{self, Hash},
    synthesize::{reserved, Assignment},
};

/// Everything that the proof of one partition is computed from.
#[derive(Default)]
pub struct ProvingAssignment {
    a_aux_density: DensityTracker,
    b_input_density: DensityTracker,
    b_aux_density: DensityTracker,
    // One value per constraint.
    a: Vec<Scalar>,
    b: Vec<Scalar>,
    c: Vec<Scalar>,
    // One value per variable.
    input_assignment: Vec<Scalar>,
    aux_assignment: Vec<Scalar>,
}

impl Assignment for ProvingAssignment {
    fn with_capacity(counts: Counts) -> Result<Self> {
        let mut assignment = ProvingAssignment {
            a: reserved(counts.constraints)?,
            b: reserved(counts.constraints)?,
            c: reserved(counts.constraints)?,
            input_assignment: reserved(counts.inputs)?,
            aux_assignment: reserved(counts.aux)?,
            ..Default::default()
        };
        assignment.a_aux_density.bv.reserve_exact(counts.aux);
        assignment.b_aux_density.bv.reserve_exact(counts.aux);
        assignment.b_input_density.bv.reserve_exact(counts.inputs);
        Ok(assignment)
    }

    fn counts(&self) -> Counts {
        Counts {
            constraints: self.a.len(),
            inputs: self.input_assignment.len(),
            aux: self.aux_assignment.len(),
        }
    }

    fn held_bytes(counts: Counts) -> u64 {
        let scalars = 3 * counts.constraints + counts.inputs + counts.aux;
        let bits = 2 * counts.aux + counts.inputs;
        (scalars * size_of::<Scalar>() + bits / 8) as u64
    }

    fn digest(&self) -> Hash {
        digest::partition(&[
            digest::scalars(&self.input_assignment),
            digest::scalars(&self.aux_assignment),
            digest::scalars(&self.a),
            digest::scalars(&self.b),
            digest::scalars(&self.c),
            digest::bits(self.a_aux_density.iter()),
            digest::bits(self.b_input_density.iter()),
            digest::bits(self.b_aux_density.iter()),
        ])
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

        let input = |index: usize| self.input_assignment[index];
        let aux = |index: usize| self.aux_assignment[index];
        // Each input occurs in A by its closing constraint, so nobody tracks that density.
        let a_value = evaluate(&a, None, Some(&mut self.a_aux_density), input, aux);
        let b_value = evaluate(
            &b,
            Some(&mut self.b_input_density),
            Some(&mut self.b_aux_density),
            input,
            aux,
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

/// The value of `combination` under the values of the variables, noting in the densities which
/// occur.
pub(crate) fn evaluate(
    combination: &LinearCombination<Scalar>,
    input_density: Option<&mut DensityTracker>,
    aux_density: Option<&mut DensityTracker>,
    input: impl Fn(usize) -> Scalar,
    aux: impl Fn(usize) -> Scalar,
) -> Scalar {
    let mut sum = Scalar::ZERO;
    add_terms(&mut sum, combination.iter_inputs(), input_density, input);
    add_terms(&mut sum, combination.iter_aux(), aux_density, aux);
    sum
}

/// Adds the terms over one kind of variables. A term whose coefficient cancelled to zero counts for
/// nothing, in the density neither.
#[inline(always)]
fn add_terms<'a>(
    sum: &mut Scalar,
    terms: impl Iterator<Item = (&'a usize, &'a Scalar)>,
    mut density: Option<&mut DensityTracker>,
    value: impl Fn(usize) -> Scalar,
) {
    let one = Scalar::ONE;
    for (index, coefficient) in terms {
        if !coefficient.is_zero_vartime() {
            let mut term = value(*index);
            if coefficient != &one {
                term *= coefficient;
            }
            *sum += term;
            if let Some(density) = &mut density {
                density.inc(*index);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use bellpepper_core::Circuit;
    use rand::{seq::SliceRandom, Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::synthesize::assign;

    /// A term: coefficient and variable.
    type Terms = Vec<(Scalar, Variable)>;

    /// One part of a circuit, whose constraints speak of the constant one and of its own variables.
    struct Part {
        inputs: Vec<Scalar>,
        aux: Vec<Scalar>,
        constraints: Vec<[Terms; 3]>,
    }

    impl Part {
        /// With terms that repeat, cancel, have coefficient one, and combinations without any.
        fn random(rng: &mut ChaCha8Rng) -> Self {
            let scalars = |rng: &mut ChaCha8Rng| {
                let len = rng.gen_range(0..6);
                (0..len).map(|_| Scalar::random(&mut *rng)).collect()
            };
            let (inputs, aux): (Vec<_>, Vec<_>) = (scalars(rng), scalars(rng));
            let variables: Vec<_> = (0..=inputs.len())
                .map(Index::Input)
                .chain((0..aux.len()).map(Index::Aux))
                .map(Variable)
                .collect();
            let mut terms = || {
                let mut terms = Terms::new();
                for _ in 0..rng.gen_range(0..4) {
                    let variable = *variables.choose(rng).expect("the constant one");
                    let coefficient = match rng.gen_range(0..4) {
                        0 => Scalar::ONE,
                        1 => -Scalar::ONE,
                        _ => Scalar::random(&mut *rng),
                    };
                    terms.push((coefficient, variable));
                    if rng.gen_ratio(1, 4) {
                        terms.push((-coefficient, variable));
                    }
                }
                terms
            };
            let constraints = (0..12).map(|_| [terms(), terms(), terms()]).collect();
            Part {
                inputs,
                aux,
                constraints,
            }
        }

        /// Continues `cs`, in which so many variables are of earlier parts.
        fn append<CS: ConstraintSystem<Scalar>>(
            &self,
            cs: &mut CS,
            earlier_inputs: usize,
            earlier_aux: usize,
        ) {
            for value in &self.inputs {
                cs.alloc_input(|| "", || Ok(*value)).unwrap();
            }
            for value in &self.aux {
                cs.alloc(|| "", || Ok(*value)).unwrap();
            }
            let here = |Variable(index)| match index {
                Index::Input(0) => Variable(index),
                Index::Input(index) => Variable(Index::Input(index + earlier_inputs)),
                Index::Aux(index) => Variable(Index::Aux(index + earlier_aux)),
            };
            let sum = |terms: &Terms, lc: LinearCombination<Scalar>| {
                terms.iter().fold(lc, |lc, (coefficient, variable)| {
                    lc + (*coefficient, here(*variable))
                })
            };
            for [a, b, c] in &self.constraints {
                cs.enforce(|| "", |lc| sum(a, lc), |lc| sum(b, lc), |lc| sum(c, lc));
            }
        }
    }

    impl Circuit<Scalar> for &Part {
        fn synthesize<CS: ConstraintSystem<Scalar>>(
            self,
            cs: &mut CS,
        ) -> Result<(), SynthesisError> {
            self.append(cs, 0, 0);
            Ok(())
        }
    }

    /// The indices of the bits that are set, and how many bits there are.
    fn set_bits(density: &DensityTracker) -> (BTreeSet<usize>, usize) {
        let set: BTreeSet<_> = density
            .iter()
            .enumerate()
            .filter_map(|(index, bit)| bit.then_some(index))
            .collect();
        assert_eq!(density.get_total_density(), set.len());
        (set, density.iter().count())
    }

    /// The definition: sums over the terms as written, and the variables whose coefficients do not
    /// sum to zero.
    #[test]
    fn evaluates_as_defined() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..200 {
            let part = Part::random(&mut rng);
            let inputs: Vec<_> = [Scalar::ONE].iter().chain(&part.inputs).copied().collect();
            let closing = (0..inputs.len()).map(|input| {
                let term = (Scalar::ONE, Variable(Index::Input(input)));
                [vec![term], vec![], vec![]]
            });
            let constraints: Vec<_> = part.constraints.iter().cloned().chain(closing).collect();

            let value = |terms: &Terms| -> Scalar {
                let values = terms
                    .iter()
                    .map(|(coefficient, Variable(index))| match index {
                        Index::Input(index) => coefficient * inputs[*index],
                        Index::Aux(index) => coefficient * part.aux[*index],
                    });
                values.sum()
            };
            let column = |column: usize| -> Vec<_> {
                constraints.iter().map(|row| value(&row[column])).collect()
            };
            let occurs = |column: usize, wanted: Index| {
                constraints.iter().any(|row| {
                    let terms = row[column].iter().filter(|(_, Variable(i))| *i == wanted);
                    terms.map(|(coefficient, _)| coefficient).sum::<Scalar>() != Scalar::ZERO
                })
            };
            let occurring = |column, kind: fn(usize) -> Index, len| {
                let set = (0..len).filter(|index| occurs(column, kind(*index)));
                (set.collect::<BTreeSet<_>>(), len)
            };

            let assignment: ProvingAssignment = assign(&part, None).unwrap();
            assert_eq!(assignment.input_assignment, inputs);
            assert_eq!(assignment.aux_assignment, part.aux);
            assert_eq!(assignment.a, column(0));
            assert_eq!(assignment.b, column(1));
            assert_eq!(assignment.c, column(2));
            let (aux, inputs) = (part.aux.len(), inputs.len());
            assert_eq!(
                set_bits(&assignment.a_aux_density),
                occurring(0, Index::Aux, aux)
            );
            assert_eq!(
                set_bits(&assignment.b_aux_density),
                occurring(1, Index::Aux, aux)
            );
            assert_eq!(
                set_bits(&assignment.b_input_density),
                occurring(1, Index::Input, inputs)
            );
        }
    }

    #[test]
    fn parts_joined_equal_the_whole() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for _ in 0..200 {
            let parts: Vec<_> = (0..4).map(|_| Part::random(&mut rng)).collect();
            let start = || {
                let mut assignment = ProvingAssignment::new();
                assignment.alloc_input(|| "", || Ok(Scalar::ONE)).unwrap();
                assignment
            };
            let (mut serial, mut joined) = (start(), start());
            let (mut inputs, mut aux) = (0, 0);
            for part in &parts {
                part.append(&mut serial, inputs, aux);
                inputs += part.inputs.len();
                aux += part.aux.len();
                let mut alone = start();
                part.append(&mut alone, 0, 0);
                joined.extend(&alone);
            }
            assert_eq!(joined.input_assignment, serial.input_assignment);
            assert_eq!(joined.aux_assignment, serial.aux_assignment);
            assert_eq!(joined.a, serial.a);
            assert_eq!(joined.b, serial.b);
            assert_eq!(joined.c, serial.c);
            for (joined, serial) in [
                (&joined.a_aux_density, &serial.a_aux_density),
                (&joined.b_input_density, &serial.b_input_density),
                (&joined.b_aux_density, &serial.b_aux_density),
            ] {
                assert_eq!(set_bits(joined), set_bits(serial));
            }
        }
    }
}
