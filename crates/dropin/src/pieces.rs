//! A circuit made of like pieces, which can be synthesized apart and joined by `extend`, as provers
//! do it by hand.

use bellperson::gadgets::num::AllocatedNum;
use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use ff::Field;
use neptune::circuit2::poseidon_hash_allocated;
use neptune::poseidon::PoseidonConstants;
use rayon::prelude::*;
use typenum::U2;

/// `count` pieces, each with inputs, auxiliaries and constraints of its own.
#[derive(Clone, Copy, Debug)]
pub struct Pieces {
    pub count: u64,
    /// Whether each piece gets a constraint system of its own, on the rayon pool of the caller,
    /// where the constraint system allows it.
    pub apart: bool,
}

impl Circuit<Scalar> for Pieces {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        let constants = PoseidonConstants::<Scalar, U2>::new();
        if !(self.apart && CS::is_extensible()) {
            return (0..self.count).try_for_each(|i| piece(cs, i, &constants));
        }
        let parts = (0..self.count)
            .into_par_iter()
            .map(|i| {
                let mut part = CS::new();
                // The constant one, which `extend` leaves out.
                part.alloc_input(|| "one", || Ok(Scalar::ONE))?;
                piece(&mut part, i, &constants)?;
                Ok(part)
            })
            .collect::<Result<Vec<CS>, SynthesisError>>()?;
        parts.iter().for_each(|part| cs.extend(part));
        Ok(())
    }
}

/// A hash, its bits, and a public sum: short and long combinations, with inputs and auxiliaries.
fn piece<CS: ConstraintSystem<Scalar>>(
    cs: &mut CS,
    i: u64,
    constants: &PoseidonConstants<Scalar, U2>,
) -> Result<(), SynthesisError> {
    let mut cs = cs.namespace(|| format!("piece {i}"));
    let left = AllocatedNum::alloc(cs.namespace(|| "left"), || Ok(Scalar::from(i)))?;
    let right = AllocatedNum::alloc(cs.namespace(|| "right"), || Ok(Scalar::from(i).square()))?;
    let preimage = vec![left.clone(), right];
    let hash = poseidon_hash_allocated(cs.namespace(|| "hash"), preimage, constants)?;
    hash.to_bits_le_strict(cs.namespace(|| "bits"))?;
    let sum = hash.get_value().zip(left.get_value()).map(|(h, l)| h + l);
    let public = cs.alloc_input(|| "sum", || sum.ok_or(SynthesisError::AssignmentMissing))?;
    cs.enforce(
        || "the sum is the input",
        |lc| lc + public - left.get_variable(),
        |lc| lc + CS::one(),
        |lc| lc + hash.get_variable(),
    );
    Ok(())
}
