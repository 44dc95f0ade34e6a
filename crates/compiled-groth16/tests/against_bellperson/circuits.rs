//! Random circuits.

use bellperson::{Circuit, ConstraintSystem, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;
use compiled_constraints::{Densities, Products, Shape, Witness};
use compiled_groth16::Assignment;
use ff::Field;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A variable of a part: the constant one, or the part's own by number.
#[derive(Clone, Copy, Debug)]
enum Own {
    One,
    Input(usize),
    Aux(usize),
}

type Terms = Vec<(Scalar, Own)>;

/// Rows over the constant one and variables of its own, all satisfied.
#[derive(Clone, Debug, Default)]
struct Part {
    inputs: Vec<Scalar>,
    aux: Vec<Scalar>,
    rows: Vec<[Terms; 3]>,
}

impl Part {
    /// The structure is drawn from one generator, the values from another.
    fn random(structure: &mut ChaCha8Rng, values: &mut ChaCha8Rng) -> Self {
        let mut part = Part::default();
        for _ in 0..structure.gen_range(0..4) {
            part.inputs.push(Scalar::random(&mut *values));
        }
        for _ in 0..structure.gen_range(1..8) {
            // Bits are common in real witnesses, and the multiexponentiation treats them apart.
            let bit = Scalar::from(u64::from(values.gen::<bool>()));
            let other = Scalar::random(&mut *values);
            part.aux.push(if structure.gen() { bit } else { other });
        }
        for _ in 0..structure.gen_range(1..20) {
            let [a, b, mut c] = [(); 3].map(|()| part.terms(structure));
            // A variable of its own makes the row hold.
            let free = Own::Aux(part.aux.len());
            part.aux
                .push(part.value(&a) * part.value(&b) - part.value(&c));
            c.push((Scalar::ONE, free));
            part.rows.push([a, b, c]);
        }
        // Parameters cannot be made while a variable occurs nowhere.
        let (a, b): (Vec<_>, Vec<_>) = (0..part.aux.len()).partition(|_| structure.gen());
        let terms = |of: Vec<usize>| {
            of.into_iter()
                .map(|i| (Scalar::from(2), Own::Aux(i)))
                .collect()
        };
        part.rows.push([terms(a), Vec::new(), Vec::new()]);
        part.rows.push([Vec::new(), terms(b), Vec::new()]);
        part
    }

    /// Terms with zero, small and large coefficients, some over one variable twice, some
    /// cancelling.
    fn terms(&self, rng: &mut ChaCha8Rng) -> Terms {
        let mut terms = Terms::new();
        for _ in 0..rng.gen_range(0..6) {
            let variable = match rng.gen_range(0..4) {
                0 => Own::One,
                1 if !self.inputs.is_empty() => Own::Input(rng.gen_range(0..self.inputs.len())),
                _ => Own::Aux(rng.gen_range(0..self.aux.len())),
            };
            let coefficient = match rng.gen_range(0..5) {
                0 => Scalar::ZERO,
                1 => -Scalar::ONE,
                2 => Scalar::from(rng.gen_range(1..4)),
                3 => Scalar::random(&mut *rng),
                _ => Scalar::ONE,
            };
            terms.push((coefficient, variable));
            if rng.gen_range(0..5) == 0 {
                terms.push((-coefficient, variable));
            }
        }
        terms
    }

    fn value(&self, terms: &Terms) -> Scalar {
        let term = |&(coefficient, variable): &(Scalar, Own)| {
            coefficient
                * match variable {
                    Own::One => Scalar::ONE,
                    Own::Input(i) => self.inputs[i],
                    Own::Aux(i) => self.aux[i],
                }
        };
        terms.iter().map(term).sum()
    }

    fn synthesize<CS: ConstraintSystem<Scalar>>(&self, cs: &mut CS) -> Result<(), SynthesisError> {
        let inputs = self
            .inputs
            .iter()
            .map(|value| cs.alloc_input(|| "input", || Ok(*value)));
        let inputs = inputs.collect::<Result<Vec<Variable>, _>>()?;
        let aux = self
            .aux
            .iter()
            .map(|value| cs.alloc(|| "aux", || Ok(*value)));
        let aux = aux.collect::<Result<Vec<Variable>, _>>()?;
        let sum = |zero: LinearCombination<Scalar>, terms: &Terms| {
            terms.iter().fold(zero, |sum, &(coefficient, variable)| {
                let variable = match variable {
                    Own::One => CS::one(),
                    Own::Input(i) => inputs[i],
                    Own::Aux(i) => aux[i],
                };
                sum + (coefficient, variable)
            })
        };
        for [a, b, c] in &self.rows {
            cs.enforce(|| "row", |lc| sum(lc, a), |lc| sum(lc, b), |lc| sum(lc, c));
        }
        Ok(())
    }
}

/// Parts one after the other, joined by `extend` where the constraint system allows it.
#[derive(Clone, Debug)]
pub struct Random {
    parts: Vec<Part>,
}

impl Random {
    /// Those of one `structure` differ in their values only.
    pub fn new(structure: u64, values: u64) -> Self {
        let structure = &mut ChaCha8Rng::seed_from_u64(structure);
        let values = &mut ChaCha8Rng::seed_from_u64(values);
        let parts = structure.gen_range(1..4);
        Random {
            parts: (0..parts)
                .map(|_| Part::random(structure, values))
                .collect(),
        }
    }

    /// The public inputs, without the constant one.
    pub fn inputs(&self) -> Vec<Scalar> {
        self.parts
            .iter()
            .flat_map(|part| part.inputs.clone())
            .collect()
    }
}

impl Circuit<Scalar> for Random {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        for part in &self.parts {
            if CS::is_extensible() {
                let mut apart = CS::new();
                // The constant one, which `extend` leaves out.
                apart.alloc_input(|| "one", || Ok(Scalar::ONE))?;
                part.synthesize(&mut apart)?;
                cs.extend(&apart);
            } else {
                part.synthesize(cs)?;
            }
        }
        Ok(())
    }
}

/// What is proved from: the densities of the compiled circuit, and its values.
pub fn assign(circuit: Random) -> (Densities, Assignment<Scalar>) {
    let shape = Shape::record(circuit.clone()).unwrap();
    let (mut witness, mut products) = (Witness::default(), Products::default());
    shape.generate(circuit, &mut witness).unwrap();
    shape.evaluate(&witness, &mut products).unwrap();
    (shape.densities(), Assignment { witness, products })
}
