//! Circuits small enough to be proved in seconds, one for each way of building combinations.

use bellperson::gadgets::boolean::{AllocatedBit, Boolean};
use bellperson::gadgets::lookup::lookup3_xy;
use bellperson::gadgets::multipack::pack_into_inputs;
use bellperson::gadgets::num::AllocatedNum;
use bellperson::gadgets::sha256::sha256;
use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use ff::Field;
use neptune::circuit2::poseidon_hash_allocated;
use neptune::poseidon::PoseidonConstants;
use typenum::U8;

/// A circuit with its witness, and with at least one public input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Small {
    /// The hash of 32 bytes: long sums of powers of two.
    Sha256,
    /// An 8-ary hash: coefficients from all over the field.
    Poseidon,
    /// A table of eight points: combinations of constants and booleans.
    Lookup,
    /// Terms whose coefficient is zero from the start, or becomes zero.
    Cancelled,
}

impl Small {
    pub const ALL: [Small; 4] = [
        Small::Sha256,
        Small::Poseidon,
        Small::Lookup,
        Small::Cancelled,
    ];

    /// A name fit for a file.
    pub fn name(self) -> &'static str {
        match self {
            Small::Sha256 => "sha256",
            Small::Poseidon => "poseidon",
            Small::Lookup => "lookup",
            Small::Cancelled => "cancelled",
        }
    }
}

impl Circuit<Scalar> for Small {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        match self {
            Small::Sha256 => synthesize_sha256(cs),
            Small::Poseidon => synthesize_poseidon(cs),
            Small::Lookup => synthesize_lookup(cs),
            Small::Cancelled => synthesize_cancelled(cs),
        }
    }
}

fn bits<CS: ConstraintSystem<Scalar>>(
    cs: &mut CS,
    values: impl Iterator<Item = bool>,
) -> Result<Vec<Boolean>, SynthesisError> {
    values
        .enumerate()
        .map(|(i, value)| {
            let bit = AllocatedBit::alloc(cs.namespace(|| format!("bit {i}")), Some(value))?;
            Ok(Boolean::from(bit))
        })
        .collect()
}

fn synthesize_sha256<CS: ConstraintSystem<Scalar>>(cs: &mut CS) -> Result<(), SynthesisError> {
    let preimage = bits(cs, (0..256).map(|i| i % 3 == 0))?;
    let hash = sha256(cs.namespace(|| "hash"), &preimage)?;
    pack_into_inputs(cs.namespace(|| "public"), &hash)
}

fn synthesize_poseidon<CS: ConstraintSystem<Scalar>>(cs: &mut CS) -> Result<(), SynthesisError> {
    let constants = PoseidonConstants::<Scalar, U8>::new();
    let preimage = (1..=8)
        .map(|i| {
            let cs = cs.namespace(|| format!("preimage {i}"));
            AllocatedNum::alloc(cs, || Ok(Scalar::from(i).invert().unwrap_or(Scalar::ZERO)))
        })
        .collect::<Result<_, _>>()?;
    let hash = poseidon_hash_allocated(cs.namespace(|| "hash"), preimage, &constants)?;
    hash.inputize(cs.namespace(|| "public"))
}

fn synthesize_lookup<CS: ConstraintSystem<Scalar>>(cs: &mut CS) -> Result<(), SynthesisError> {
    let table: Vec<(Scalar, Scalar)> = (0u64..8)
        .map(|i| (Scalar::from(100 + i), -Scalar::from(i * i)))
        .collect();
    let index = bits(cs, [true, false, true].into_iter())?;
    let (x, y) = lookup3_xy(cs.namespace(|| "lookup"), &index, &table)?;
    x.inputize(cs.namespace(|| "public x"))?;
    y.inputize(cs.namespace(|| "public y"))
}

fn synthesize_cancelled<CS: ConstraintSystem<Scalar>>(cs: &mut CS) -> Result<(), SynthesisError> {
    let (three, five) = (Scalar::from(3), Scalar::from(5));
    let x = cs.alloc(|| "x", || Ok(three))?;
    let y = cs.alloc(|| "y", || Ok(five))?;
    let xy = cs.alloc_input(|| "x * y", || Ok(three * five))?;
    let one = CS::one();

    cs.enforce(
        || "zero from the start",
        |lc| lc + x + (Scalar::ZERO, y),
        |lc| lc + (Scalar::ZERO, one) + y,
        |lc| lc + xy + (Scalar::ZERO, x),
    );
    cs.enforce(
        || "becomes zero",
        |lc| lc + y + x - y,
        |lc| lc + one + y - one,
        |lc| lc + xy + (three, x) - (three, x),
    );
    cs.enforce(
        || "comes back after zero",
        |lc| lc + x - x + x,
        |lc| lc + (five, y) - (five, y) + y,
        |lc| lc - xy + xy + xy,
    );
    cs.enforce(
        || "cancels between combinations",
        |lc| {
            let sum = lc.clone() + x + y;
            let difference = lc + y - x;
            sum - &difference - x
        },
        |lc| lc.clone() + y + (Scalar::ZERO, &(lc + x + one)),
        |lc| lc + (three, x) + xy - (Scalar::from(9), one) + (Scalar::from(0), y),
    );
    cs.enforce(
        || "nothing left",
        |lc| lc + x - x,
        |lc| lc + one - one,
        |lc| lc + (five, y) - (five, y),
    );
    Ok(())
}
