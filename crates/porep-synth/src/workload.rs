//! What there is to synthesize: the circuits of a sector's partitions and the facts about them.
//!
//! How the vanilla proofs came about (sealed here, read from a file) is left to `sector` and `c1`.

use anyhow::{ensure, Result};
use bellpepper_core::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use filecoin_hashers::Hasher;
use filecoin_proofs::constants::{
    DefaultPieceHasher, SectorShapeBase, SectorShapeSub8, SectorShapeTop2,
};
use storage_proofs_core::{
    compound_proof::CompoundProof, merkle::MerkleTreeTrait, parameter_cache::ParameterSetMetadata,
};
use storage_proofs_porep::stacked::{
    Proof, PublicInputs, PublicParams, StackedCircuit, StackedCompound,
};

type Domain<H> = <H as Hasher>::Domain;
/// The public inputs of a sector whose trees have the shape `Tree`.
pub type SectorInputs<Tree> =
    PublicInputs<Domain<<Tree as MerkleTreeTrait>::Hasher>, Domain<DefaultPieceHasher>>;
/// The vanilla proof of one challenge.
pub type VanillaProof<Tree> = Proof<Tree, DefaultPieceHasher>;

/// The circuit of one partition, for each shape that the trees of a sector have by its size.
#[derive(Clone)]
pub enum PorepCircuit {
    /// One tree: 256 B, 2 KiB, 8 MiB and 512 MiB.
    Base(StackedCircuit<SectorShapeBase, DefaultPieceHasher>),
    /// Eight trees under one root: 32 GiB.
    Sub8(StackedCircuit<SectorShapeSub8, DefaultPieceHasher>),
    /// Two roots of eight trees each under one: 64 GiB.
    Top2(StackedCircuit<SectorShapeTop2, DefaultPieceHasher>),
}

impl Circuit<Scalar> for PorepCircuit {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        match self {
            PorepCircuit::Base(circuit) => circuit.synthesize(cs),
            PorepCircuit::Sub8(circuit) => circuit.synthesize(cs),
            PorepCircuit::Top2(circuit) => circuit.synthesize(cs),
        }
    }
}

/// The circuits of some partitions of one sector.
pub struct Workload {
    pub sector_size_bytes: u64,
    pub layers: usize,
    /// Challenges per partition.
    pub challenges: usize,
    /// One for each partition, in order.
    pub circuits: Vec<PorepCircuit>,
    /// For each partition, the circuits of its challenges alone.
    pub challenge_circuits: Vec<Vec<PorepCircuit>>,
    /// Circuits of one, two and three challenges, which are all the same one.
    repeated: [PorepCircuit; 3],
}

impl Workload {
    /// The circuits over the vanilla proofs of `partitions`, in the order given.
    ///
    /// # Errors
    /// There is no partition, partitions differ in their number of challenges, or the proofs of a
    /// partition are not of one sector.
    pub fn new<Tree: 'static + MerkleTreeTrait>(
        params: &PublicParams<Tree>,
        inputs: &SectorInputs<Tree>,
        partitions: &[Vec<VanillaProof<Tree>>],
        wrap: fn(StackedCircuit<Tree, DefaultPieceHasher>) -> PorepCircuit,
    ) -> Result<Self> {
        let challenges = partitions.first().map_or(0, Vec::len);
        ensure!(challenges > 0, "there are no vanilla proofs");
        ensure!(
            partitions.iter().all(|proofs| proofs.len() == challenges),
            "the partitions differ in their number of challenges"
        );
        let circuit = |proofs: &Vec<VanillaProof<Tree>>| {
            // The partition's index is not used by this circuit.
            StackedCompound::circuit(inputs, (), proofs, params, None).map(wrap)
        };
        let circuits = partitions.iter().map(circuit).collect::<Result<_>>()?;
        let alone = |proofs: &Vec<VanillaProof<Tree>>| {
            let proofs = proofs.iter().map(|proof| circuit(&vec![proof.clone()]));
            proofs.collect::<Result<_>>()
        };
        let challenge_circuits = partitions.iter().map(alone).collect::<Result<_>>()?;
        let repeated = |n| circuit(&vec![partitions[0][0].clone(); n]);
        Ok(Workload {
            sector_size_bytes: params.graph.sector_size(),
            layers: params.num_layers,
            challenges,
            circuits,
            challenge_circuits,
            repeated: [repeated(1)?, repeated(2)?, repeated(3)?],
        })
    }

    /// A circuit of so many challenges, 1 to 3, to compile or to check constraints by.
    ///
    /// # Panics
    /// There are fewer challenges or more.
    pub fn repeated(&self, challenges: usize) -> PorepCircuit {
        self.repeated[challenges - 1].clone()
    }
}
