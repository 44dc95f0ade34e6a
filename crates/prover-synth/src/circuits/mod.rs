//! The circuits, each of the size that the registry's crate synthesizes in 0.2 to 1 second.

mod gadgets;
mod post;
mod update;

use anyhow::Result;
use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use clap::ValueEnum;
use neptune::circuit::CircuitType::{self, Legacy, OptimalAllocated};
use porep_synth::{sector::Sector, workdir::Workdir, workload::PorepCircuit};
use storage_proofs_update::constants::SECTOR_SIZE_2_KIB;
use typenum::{U11, U2, U4, U8};

use gadgets::{Gadget, Poseidon};
use post::{Post, PostCircuit};
use update::UpdateCircuit;

/// What a circuit is called on the command line and in the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Name {
    /// Proof of Replication of a 2 KiB sector: 2 layers, 1 challenge
    Porep,
    /// WinningPoSt: 66 challenges of one sector
    WinningPost,
    /// WindowPoSt: 10 challenges of each of 16 sectors
    WindowPost,
    /// EmptySectorUpdate of a 2 KiB sector: 10 challenges
    SnapDeals,
    /// SHA-256 of 16,384 bits
    Sha256,
    /// Blake2s of 16,384 bits
    Blake2s,
    /// Strict decomposition of 1,000 numbers into bits
    StrictBits,
    /// 500 Poseidon hashes of 2 numbers, neptune's legacy form
    PoseidonLegacy2,
    /// 500 Poseidon hashes of 4 numbers, neptune's legacy form
    PoseidonLegacy4,
    /// 500 Poseidon hashes of 8 numbers, neptune's legacy form
    PoseidonLegacy8,
    /// 500 Poseidon hashes of 11 numbers, neptune's legacy form
    PoseidonLegacy11,
    /// 500 Poseidon hashes of 2 numbers, neptune's new form
    PoseidonNew2,
    /// 500 Poseidon hashes of 4 numbers, neptune's new form
    PoseidonNew4,
    /// 500 Poseidon hashes of 8 numbers, neptune's new form
    PoseidonNew8,
    /// 500 Poseidon hashes of 11 numbers, neptune's new form
    PoseidonNew11,
    /// A chain of 1,000,000 multiplications
    Multiplications,
    /// 40,000 sums over 64 numbers with coefficients from all over the field
    ScaledSums,
    /// Packing of 254 bits each into 2,000 numbers
    Packing,
}

/// A circuit with its witness, which can be synthesized again and again.
#[derive(Clone)]
pub enum Subject {
    Porep(PorepCircuit),
    Post(PostCircuit),
    Update(UpdateCircuit),
    Gadget(Gadget),
    Poseidon2(Poseidon<U2>),
    Poseidon4(Poseidon<U4>),
    Poseidon8(Poseidon<U8>),
    Poseidon11(Poseidon<U11>),
}

impl Name {
    /// Makes the circuit and its witness.
    ///
    /// # Errors
    /// A sector cannot be sealed, or vanilla proofs cannot be made.
    pub fn subject(self) -> Result<Subject> {
        Ok(match self {
            Name::Porep => Subject::Porep(porep()?),
            Name::WinningPost => post(1, 66, 8usize.pow(5))?,
            Name::WindowPost => post(16, 10, 8usize.pow(3))?,
            Name::SnapDeals => Subject::Update(UpdateCircuit::new(SECTOR_SIZE_2_KIB)?),
            Name::Sha256 => Subject::Gadget(Gadget::Sha256 { bits: 16_384 }),
            Name::Blake2s => Subject::Gadget(Gadget::Blake2s { bits: 16_384 }),
            Name::StrictBits => Subject::Gadget(Gadget::StrictBits { numbers: 1_000 }),
            Name::PoseidonLegacy2 => poseidon(Legacy, 2),
            Name::PoseidonLegacy4 => poseidon(Legacy, 4),
            Name::PoseidonLegacy8 => poseidon(Legacy, 8),
            Name::PoseidonLegacy11 => poseidon(Legacy, 11),
            Name::PoseidonNew2 => poseidon(OptimalAllocated, 2),
            Name::PoseidonNew4 => poseidon(OptimalAllocated, 4),
            Name::PoseidonNew8 => poseidon(OptimalAllocated, 8),
            Name::PoseidonNew11 => poseidon(OptimalAllocated, 11),
            Name::Multiplications => Subject::Gadget(Gadget::Multiplications { length: 1_000_000 }),
            Name::ScaledSums => Subject::Gadget(Gadget::ScaledSums {
                sums: 40_000,
                numbers: 64,
            }),
            Name::Packing => Subject::Gadget(Gadget::Packing { numbers: 2_000 }),
        })
    }
}

fn porep() -> Result<PorepCircuit> {
    let sector = Sector {
        size_bytes: 2 << 10,
        layers: 2,
        challenges: 1,
        partitions: 1,
        seed: 0,
    };
    let mut workload = sector.seal(&Workdir::new(sector.disk_bytes())?)?;
    Ok(workload.circuits.remove(0))
}

fn post(sectors: usize, challenges: usize, leaves: usize) -> Result<Subject> {
    let post = Post {
        sectors,
        challenges,
        leaves,
    };
    Ok(Subject::Post(post.circuit()?))
}

fn poseidon(form: CircuitType, arity: usize) -> Subject {
    const HASHES: usize = 500;
    match arity {
        2 => Subject::Poseidon2(Poseidon::new(form, HASHES)),
        4 => Subject::Poseidon4(Poseidon::new(form, HASHES)),
        8 => Subject::Poseidon8(Poseidon::new(form, HASHES)),
        11 => Subject::Poseidon11(Poseidon::new(form, HASHES)),
        _ => unreachable!("no circuit is named so"),
    }
}

impl Circuit<Scalar> for Subject {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        match self {
            Subject::Porep(circuit) => circuit.synthesize(cs),
            Subject::Post(circuit) => circuit.synthesize(cs),
            Subject::Update(circuit) => circuit.synthesize(cs),
            Subject::Gadget(circuit) => circuit.synthesize(cs),
            Subject::Poseidon2(circuit) => circuit.synthesize(cs),
            Subject::Poseidon4(circuit) => circuit.synthesize(cs),
            Subject::Poseidon8(circuit) => circuit.synthesize(cs),
            Subject::Poseidon11(circuit) => circuit.synthesize(cs),
        }
    }
}

#[cfg(test)]
mod tests {
    use bellperson::util_cs::test_cs::TestConstraintSystem;

    use super::*;

    /// A circuit that its witness does not satisfy is not the one that its crate means.
    #[test]
    fn witnesses_satisfy_their_circuits() {
        for name in [
            Name::WinningPost,
            Name::PoseidonLegacy2,
            Name::PoseidonNew2,
            Name::Packing,
        ] {
            let mut cs = TestConstraintSystem::new();
            name.subject().unwrap().synthesize(&mut cs).unwrap();
            assert_eq!(cs.which_is_unsatisfied(), None, "{name:?}");
        }
    }
}
