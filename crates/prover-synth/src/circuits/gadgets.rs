//! One gadget of bellpepper, bellpepper-core or neptune, many times over, on a fixed witness.

use std::sync::Arc;

use bellperson::{
    gadgets::{
        blake2s::blake2s,
        boolean::{AllocatedBit, Boolean},
        multipack::pack_bits,
        num::{AllocatedNum, Num},
        sha256::sha256,
    },
    Circuit, ConstraintSystem, SynthesisError,
};
use blstrs::Scalar;
use ff::{Field, PrimeField};
use neptune::{
    circuit::{poseidon_hash_circuit, CircuitType},
    poseidon::PoseidonConstants,
    Arity,
};

/// What a gadget's circuit consists of.
#[derive(Clone, Copy, Debug)]
pub enum Gadget {
    /// The hash of so many bits.
    Sha256 { bits: usize },
    /// The hash of so many bits.
    Blake2s { bits: usize },
    /// Numbers decomposed into bits that are proved to be less than the modulus.
    StrictBits { numbers: usize },
    /// A number multiplied by itself again and again.
    Multiplications { length: usize },
    /// Sums over as many numbers each, scaled by coefficients from all over the field.
    ScaledSums { sums: usize, numbers: usize },
    /// Numbers packed from their bits.
    Packing { numbers: usize },
}

impl Circuit<Scalar> for Gadget {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        match self {
            Gadget::Sha256 { bits } => {
                let preimage = allocate_bits(cs, bits)?;
                sha256(cs.namespace(|| "hash"), &preimage).map(drop)
            }
            Gadget::Blake2s { bits } => {
                let preimage = allocate_bits(cs, bits)?;
                blake2s(cs.namespace(|| "hash"), &preimage, b"circuits").map(drop)
            }
            Gadget::StrictBits { numbers } => {
                for (i, number) in allocate_numbers(cs, numbers)?.iter().enumerate() {
                    number.to_bits_le_strict(cs.namespace(|| format!("bits {i}")))?;
                }
                Ok(())
            }
            Gadget::Multiplications { length } => {
                let factor = allocate_numbers(cs, 1)?.remove(0);
                let mut product = factor.clone();
                for i in 0..length {
                    product = product.mul(cs.namespace(|| format!("product {i}")), &factor)?;
                }
                Ok(())
            }
            Gadget::ScaledSums { sums, numbers } => scaled_sums(cs, sums, numbers),
            Gadget::Packing { numbers } => {
                for i in 0..numbers {
                    let mut cs = cs.namespace(|| format!("number {i}"));
                    let bits = allocate_bits(&mut cs, Scalar::CAPACITY as usize)?;
                    pack_bits(cs, &bits)?;
                }
                Ok(())
            }
        }
    }
}

/// Each sum is read twice: for its value, and by the constraint that it equals that.
fn scaled_sums<CS: ConstraintSystem<Scalar>>(
    cs: &mut CS,
    sums: usize,
    numbers: usize,
) -> Result<(), SynthesisError> {
    let numbers = allocate_numbers(cs, numbers)?;
    let mut coefficients = scalars();
    for i in 0..sums {
        let sum = numbers.iter().fold(Num::zero(), |sum, number| {
            let coefficient = coefficients.next().expect("it never ends");
            sum.add(&Num::from(number.clone()).scale(coefficient))
        });
        let total = AllocatedNum::alloc(cs.namespace(|| format!("total {i}")), || {
            sum.get_value().ok_or(SynthesisError::AssignmentMissing)
        })?;
        cs.enforce(
            || format!("sum {i}"),
            |_| sum.lc(Scalar::ONE),
            |lc| lc + CS::one(),
            |lc| lc + total.get_variable(),
        );
    }
    Ok(())
}

/// Poseidon hashes of `A` numbers each, a hash's result being the first number of the next.
pub struct Poseidon<A: Arity<Scalar>> {
    hashes: usize,
    form: CircuitType,
    /// Computed once, as they take longer than a hash.
    constants: Arc<PoseidonConstants<Scalar, A>>,
}

impl<A: Arity<Scalar>> Poseidon<A> {
    pub fn new(form: CircuitType, hashes: usize) -> Self {
        Poseidon {
            hashes,
            form,
            constants: Arc::new(PoseidonConstants::new()),
        }
    }
}

/// Not derived, as arities are not `Clone`.
impl<A: Arity<Scalar>> Clone for Poseidon<A> {
    fn clone(&self) -> Self {
        Poseidon {
            hashes: self.hashes,
            form: self.form,
            constants: self.constants.clone(),
        }
    }
}

impl<A: Arity<Scalar>> Circuit<Scalar> for Poseidon<A> {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let mut preimage = allocate_numbers(cs, A::to_usize())?;
        for i in 0..self.hashes {
            preimage[0] = poseidon_hash_circuit(
                cs.namespace(|| format!("hash {i}")),
                self.form,
                preimage.clone(),
                &self.constants,
            )?;
        }
        Ok(())
    }
}

/// Scalars from all over the field, the same each time.
fn scalars() -> impl Iterator<Item = Scalar> {
    let generator = Scalar::MULTIPLICATIVE_GENERATOR;
    // A power of the generator that has left the small numbers behind.
    let start = generator.pow_vartime([1 << 40]);
    std::iter::successors(Some(start), move |scalar| Some(scalar * generator))
}

fn allocate_numbers<CS: ConstraintSystem<Scalar>>(
    cs: &mut CS,
    count: usize,
) -> Result<Vec<AllocatedNum<Scalar>>, SynthesisError> {
    scalars()
        .take(count)
        .enumerate()
        .map(|(i, value)| {
            let cs = cs.namespace(|| format!("number {i}"));
            AllocatedNum::alloc(cs, || Ok(value))
        })
        .collect()
}

fn allocate_bits<CS: ConstraintSystem<Scalar>>(
    cs: &mut CS,
    count: usize,
) -> Result<Vec<Boolean>, SynthesisError> {
    (0..count)
        .map(|i| {
            let cs = cs.namespace(|| format!("bit {i}"));
            AllocatedBit::alloc(cs, Some(i % 3 == 0)).map(Boolean::from)
        })
        .collect()
}
