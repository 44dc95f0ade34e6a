//! Proofs of Spacetime: the leaves of sectors' trees, drawn at random, and their paths to the root.

use anyhow::{ensure, Result};
use filecoin_hashers::{
    poseidon::{PoseidonDomain, PoseidonHasher},
    Domain, HashFunction, Hasher,
};
use merkletree::store::StoreConfig;
use porep_synth::workdir::Workdir;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use storage_proofs_core::{
    api_version::ApiVersion,
    compound_proof::CompoundProof,
    merkle::{DiskTree, MerkleTreeTrait},
    proof::ProofScheme,
    util::NODE_SIZE,
};
use storage_proofs_post::fallback::{
    FallbackPoSt, FallbackPoStCircuit, FallbackPoStCompound, PrivateInputs, PrivateSector,
    PublicInputs, PublicParams, PublicSector,
};
use typenum::{U0, U8};

// In files, since trees in memory give no proofs of a sector's leaves.
type Tree = DiskTree<PoseidonHasher, U8, U0, U0>;
pub type PostCircuit = FallbackPoStCircuit<Tree>;

/// The shape of one partition.
pub struct Post {
    pub sectors: usize,
    /// Per sector.
    pub challenges: usize,
    /// Per sector; a power of eight.
    pub leaves: usize,
}

impl Post {
    /// The circuit over sectors of random leaves.
    ///
    /// # Errors
    /// The vanilla proofs cannot be made, or do not verify.
    pub fn circuit(&self) -> Result<PostCircuit> {
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let sector_bytes = (self.leaves * NODE_SIZE) as u64;
        let workdir = Workdir::new(2 * sector_bytes * self.sectors as u64)?;
        let trees = (0..self.sectors)
            .map(|sector| {
                let leaves = (0..self.leaves).map(|_| PoseidonDomain::random(&mut rng));
                let file = StoreConfig::new(workdir.path(), format!("sector-{sector}"), 0);
                Tree::new_with_config(leaves.collect::<Vec<_>>(), file)
            })
            .collect::<Result<Vec<_>>>()?;
        let private: Vec<_> = trees
            .iter()
            .map(|tree| PrivateSector {
                tree,
                comm_c: PoseidonDomain::random(&mut rng),
                comm_r_last: tree.root(),
            })
            .collect();
        let public = private.iter().zip(0u64..).map(|(sector, id)| PublicSector {
            id: id.into(),
            comm_r: <PoseidonHasher as Hasher>::Function::hash2(
                &sector.comm_c,
                &sector.comm_r_last,
            ),
        });
        let params = PublicParams {
            sector_size: sector_bytes,
            challenge_count: self.challenges,
            sector_count: self.sectors,
            api_version: ApiVersion::V1_2_0,
        };
        let inputs = PublicInputs {
            randomness: PoseidonDomain::random(&mut rng),
            prover_id: PoseidonDomain::random(&mut rng),
            sectors: public.collect(),
            k: None,
        };
        let private = PrivateInputs { sectors: &private };
        let proofs = FallbackPoSt::<Tree>::prove_all_partitions(&params, &inputs, &private, 1)?;
        ensure!(
            FallbackPoSt::<Tree>::verify_all_partitions(&params, &inputs, &proofs)?,
            "the vanilla proofs of the sectors do not verify"
        );
        FallbackPoStCompound::circuit(&inputs, Default::default(), &proofs[0], &params, None)
    }
}
