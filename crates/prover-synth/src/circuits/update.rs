//! SnapDeals: data encoded into a sector that had none.

use anyhow::Result;
use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use filecoin_hashers::{Domain, HashFunction, Hasher};
use merkletree::store::VecStore;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use storage_proofs_core::{
    merkle::{MerkleTreeTrait, MerkleTreeWrapper},
    util::NODE_SIZE,
};
use storage_proofs_update::{
    circuit::{EmptySectorUpdateCircuit, PrivateInputs, PublicInputs},
    constants::{h_default, TreeDDomain, TreeDHasher, TreeRDomain, TreeRHasher},
    phi, rho, ChallengeProof, Challenges, PublicParams,
};
use typenum::{U0, U2, U8};

type TreeR = MerkleTreeWrapper<TreeRHasher, VecStore<TreeRDomain>, U8, U0, U0>;
type TreeD = MerkleTreeWrapper<TreeDHasher, VecStore<TreeDDomain>, U2, U0, U0>;

/// One partition of an update.
pub struct UpdateCircuit {
    params: PublicParams,
    public: PublicInputs,
    private: PrivateInputs<TreeR>,
}

impl UpdateCircuit {
    /// The circuit over a sector of `nodes` random nodes, replaced by random data. Sectors of so
    /// many nodes are one tree of arity eight, and have one partition.
    ///
    /// # Errors
    /// A tree cannot be made.
    pub fn new(nodes: usize) -> Result<Self> {
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let params = PublicParams::from_sector_size((nodes * NODE_SIZE) as u64);
        let hash2 = <TreeRHasher as Hasher>::Function::hash2;

        let old: Vec<_> = (0..nodes).map(|_| TreeRDomain::random(&mut rng)).collect();
        let data: Vec<_> = (0..nodes).map(|_| TreeDDomain::random(&mut rng)).collect();
        let tree_r_old = TreeR::new(old.iter().copied())?;
        let tree_d_new = TreeD::new(data.iter().copied())?;
        let comm_c = TreeRDomain::random(&mut rng);
        let comm_r_old = hash2(&comm_c, &tree_r_old.root());
        let comm_d_new = tree_d_new.root();

        // The high bits of a node's index choose the factor that the node's data is encoded with.
        let high_bits = h_default(nodes);
        let phi = phi(&comm_d_new, &comm_r_old);
        let low_bits = params.challenge_bit_len - high_bits;
        let new = old
            .iter()
            .zip(&data)
            .enumerate()
            .map(|(node, (old, data))| {
                let (old, data) = (Scalar::from(*old), Scalar::from(*data));
                TreeRDomain::from(old + data * rho(&phi, (node >> low_bits) as u32))
            });
        let tree_r_new = TreeR::new(new.collect::<Vec<_>>())?;
        let comm_r_new = hash2(&comm_c, &tree_r_new.root());

        let proofs = Challenges::new(nodes, comm_r_new, 0)
            .take(params.challenge_count)
            .map(|challenge| {
                let node = challenge as usize;
                Ok(ChallengeProof {
                    proof_r_old: tree_r_old.gen_proof(node)?,
                    proof_d_new: tree_d_new.gen_proof(node)?,
                    proof_r_new: tree_r_new.gen_proof(node)?,
                })
            })
            .collect::<Result<Vec<_>>>()?;
        // A binary tree keeps its rows from the leaves up, so that those before a row of n nodes
        // have 2 * (leaves - n).
        let apex = params.apex_leaf_count;
        let apex_start = 2 * (nodes - apex);
        let apex_leaves = tree_d_new.read_range(apex_start, apex_start + apex)?;

        Ok(UpdateCircuit {
            public: PublicInputs::new(nodes, 0, high_bits, comm_r_old, comm_d_new, comm_r_new),
            private: PrivateInputs::new(comm_c, &apex_leaves, &proofs),
            params,
        })
    }
}

/// Not derived, as trees are not `Clone`.
impl Clone for UpdateCircuit {
    fn clone(&self) -> Self {
        UpdateCircuit {
            params: self.params.clone(),
            public: self.public.clone(),
            private: PrivateInputs {
                comm_c: self.private.comm_c,
                root_r_old: self.private.root_r_old,
                root_r_new: self.private.root_r_new,
                apex_leafs: self.private.apex_leafs.clone(),
                challenge_proofs: self.private.challenge_proofs.clone(),
            },
        }
    }
}

impl Circuit<Scalar> for UpdateCircuit {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        EmptySectorUpdateCircuit::<TreeR> {
            pub_params: self.params,
            pub_inputs: self.public,
            priv_inputs: self.private,
        }
        .synthesize(cs)
    }
}
