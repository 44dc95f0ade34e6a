//! Gadgets of SHA-256, of the crate that the parent module calls `bp`, in a constraint system that
//! reads each combination once and drops it, as a prover does.

use std::hint::black_box;

use blstrs::Scalar as Fr;

use super::bp::boolean::{AllocatedBit, Boolean};
use super::bp::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use crate::Body;

/// Counts the variables.
#[derive(Default)]
struct Reader {
    inputs: usize,
    aux: usize,
}

impl Reader {
    fn read(&self, of: impl FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>) {
        let combination = of(LinearCombination::zero());
        combination.iter_inputs().for_each(|term| {
            black_box(term);
        });
        combination.iter_aux().for_each(|term| {
            black_box(term);
        });
    }
}

impl ConstraintSystem<Fr> for Reader {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        black_box(value()?);
        self.aux += 1;
        Ok(Variable::new_unchecked(Index::Aux(self.aux)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Fr, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        black_box(value()?);
        self.inputs += 1;
        Ok(Variable::new_unchecked(Index::Input(self.inputs)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
        LB: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
        LC: FnOnce(LinearCombination<Fr>) -> LinearCombination<Fr>,
    {
        self.read(a);
        self.read(b);
        self.read(c);
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self {
        self
    }
}

/// A gadget on three bits.
fn on_bits(
    gadget: impl Fn(&mut Reader, &[Boolean; 3]) -> Result<Boolean, SynthesisError> + 'static,
) -> Body {
    let mut cs = Reader::default();
    let bits = [true, false, true].map(|value| {
        let bit = AllocatedBit::alloc(&mut cs, Some(value)).expect("a known bit");
        Boolean::from(bit)
    });
    Box::new(move || {
        let bit = gadget(&mut cs, black_box(&bits)).expect("known bits");
        black_box(bit);
    })
}

pub fn xor() -> Body {
    on_bits(|cs, [a, b, _]| Boolean::xor(cs, a, b))
}

pub fn sha256_ch() -> Body {
    on_bits(|cs, [a, b, c]| Boolean::sha256_ch(cs, a, b, c))
}

pub fn sha256_maj() -> Body {
    on_bits(|cs, [a, b, c]| Boolean::sha256_maj(cs, a, b, c))
}
