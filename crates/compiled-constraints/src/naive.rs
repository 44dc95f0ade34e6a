//! A prover's assignment, a row at a time: what the compiled path must agree with.

use bellpepper_core::{
    Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable,
};
use ff::PrimeField;

use crate::{
    density::{Densities, Density},
    evaluate::Products,
    witness::Witness,
};

/// All that a full synthesis computes.
pub(crate) struct Naive<S> {
    pub(crate) witness: Witness<S>,
    pub(crate) products: Products<S>,
    a_aux: Vec<bool>,
    b_input: Vec<bool>,
    b_aux: Vec<bool>,
}

impl<S: PrimeField> Naive<S> {
    /// Synthesizes `circuit` with the constant one before and the closing rows behind it.
    ///
    /// # Errors
    /// The circuit's own.
    pub(crate) fn synthesize(&mut self, circuit: impl Circuit<S>) -> Result<(), SynthesisError> {
        self.alloc_input(|| "", || Ok(S::ONE))?;
        circuit.synthesize(self)?;
        for input in 0..self.witness.inputs.len() {
            let input = Variable(Index::Input(input));
            self.enforce(|| "", |lc| lc + input, |lc| lc, |lc| lc);
        }
        Ok(())
    }

    pub(crate) fn densities(&self) -> Densities {
        let density = |bits: &[bool]| {
            let word = |bits: &[bool]| {
                let bits = bits.iter().enumerate();
                bits.fold(0, |word, (index, bit)| word | u64::from(*bit) << index)
            };
            Density {
                words: bits.chunks(64).map(word).collect(),
                len: bits.len(),
                total: bits.iter().filter(|bit| **bit).count(),
            }
        };
        Densities {
            a_aux: density(&self.a_aux),
            b_input: density(&self.b_input),
            b_aux: density(&self.b_aux),
        }
    }

    /// The value of a combination. Notes which variables occur.
    fn value(
        Witness { inputs, aux }: &Witness<S>,
        combination: &LinearCombination<S>,
        mut occurs: impl FnMut(Index),
    ) -> S {
        let mut sum = S::ZERO;
        for (Variable(index), coeff) in combination.iter() {
            let value = match index {
                Index::Input(input) => inputs[input],
                Index::Aux(aux_index) => aux[aux_index],
            };
            sum += value * coeff;
            if *coeff != S::ZERO {
                occurs(index);
            }
        }
        sum
    }
}

impl<S: PrimeField> ConstraintSystem<S> for Naive<S> {
    type Root = Self;

    fn new() -> Self {
        Naive {
            witness: Witness::default(),
            products: Products::default(),
            a_aux: Vec::new(),
            b_input: Vec::new(),
            b_aux: Vec::new(),
        }
    }

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<S, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.witness.aux.push(value()?);
        self.a_aux.push(false);
        self.b_aux.push(false);
        Ok(Variable(Index::Aux(self.witness.aux.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<S, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.witness.inputs.push(value()?);
        self.b_input.push(false);
        Ok(Variable(Index::Input(self.witness.inputs.len() - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
        LB: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
        LC: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
    {
        let (a_aux, b_input, b_aux) = (&mut self.a_aux, &mut self.b_input, &mut self.b_aux);
        let a = a(LinearCombination::zero());
        self.products
            .a
            .push(Self::value(&self.witness, &a, |index| {
                if let Index::Aux(aux) = index {
                    a_aux[aux] = true;
                }
            }));
        let b = b(LinearCombination::zero());
        self.products
            .b
            .push(Self::value(&self.witness, &b, |index| match index {
                Index::Input(input) => b_input[input] = true,
                Index::Aux(aux) => b_aux[aux] = true,
            }));
        let c = c(LinearCombination::zero());
        self.products.c.push(Self::value(&self.witness, &c, |_| ()));
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

    /// The other was made by `new`. Its first input is its own constant one.
    fn extend(&mut self, other: &Self) {
        self.witness
            .inputs
            .extend(other.witness.inputs.iter().skip(1));
        self.witness.aux.extend(&other.witness.aux);
        self.products.a.extend(&other.products.a);
        self.products.b.extend(&other.products.b);
        self.products.c.extend(&other.products.c);
        self.a_aux.extend(&other.a_aux);
        self.b_aux.extend(&other.b_aux);
        if let [one, rest @ ..] = &other.b_input[..] {
            self.b_input[0] |= one;
            self.b_input.extend(rest);
        }
    }
}
