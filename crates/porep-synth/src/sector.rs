//! A small sector of random data, sealed here and now: replication, vanilla proofs, their check.

use std::fs;

use anyhow::{ensure, Context, Result};
use blstrs::Scalar;
use ff::{Field, PrimeField};
use filecoin_proofs::constants::{DefaultPieceHasher, SectorShapeBase, DRG_DEGREE, EXP_DEGREE};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use storage_proofs_core::{
    api_version::ApiVersion, compound_proof::CompoundProof, proof::ProofScheme,
};
use storage_proofs_porep::stacked::{
    Challenges, PrivateInputs, PublicInputs, PublicParams, SetupParams, StackedCompound,
    StackedDrg, TemporaryAuxCache,
};

use crate::{
    workdir::Workdir,
    workload::{PorepCircuit, Workload},
};

/// All sectors here are one tree of this shape, whose number of leaves is a power of eight.
type Drg<'a> = StackedDrg<'a, SectorShapeBase, DefaultPieceHasher>;

const NODE_BYTES: u64 = 32;
/// No deployed proof's identifier, which only has to be fixed.
const POREP_ID: [u8; 32] = [0x70; 32];

/// Bytes of memory for each byte of a sector that is sealed, and beside them. The labels of 512 MiB
/// were seen to take three for each; the rest is left for the trees.
const SEALING_FACTOR: u64 = 8;
const SEALING_BYTES: u64 = 64 << 20;

/// What to seal and how much of it to prove.
#[derive(Clone, Copy, Debug)]
pub struct Sector {
    pub size_bytes: u64,
    /// 2 or 11: those that columns can be hashed of.
    pub layers: usize,
    /// Challenges per partition.
    pub challenges: usize,
    pub partitions: usize,
    /// Of the data, the replica's identifier and the choice of challenges.
    pub seed: u64,
}

impl Sector {
    /// An upper bound of what [`Sector::seal`] writes: data and labels, three trees over them and a
    /// list of parents.
    pub fn disk_bytes(&self) -> u64 {
        let parents_bytes = self.size_bytes / NODE_BYTES * 4 * (DRG_DEGREE + EXP_DEGREE) as u64;
        self.size_bytes * (self.layers as u64 + 6) + parents_bytes + (1 << 20)
    }

    /// An upper bound of the memory that [`Sector::seal`] takes.
    pub fn sealing_bytes(&self) -> u64 {
        self.size_bytes * SEALING_FACTOR + SEALING_BYTES
    }

    /// The circuit of a partition without its witness, to be counted before there is a sector.
    ///
    /// # Errors
    /// There is no such sector.
    pub fn blank_circuit(&self) -> Result<PorepCircuit> {
        let circuit = StackedCompound::blank_circuit(&self.params()?);
        Ok(PorepCircuit::Base(circuit))
    }

    fn params(&self) -> Result<PublicParams<SectorShapeBase>> {
        Drg::setup(&SetupParams {
            nodes: usize::try_from(self.size_bytes / NODE_BYTES)?,
            degree: DRG_DEGREE,
            expansion_degree: EXP_DEGREE,
            porep_id: POREP_ID,
            challenges: Challenges::new_interactive(self.challenges),
            num_layers: self.layers,
            api_version: ApiVersion::V1_1_0,
            api_features: Vec::new(),
        })
    }

    /// Seals the sector in `workdir`, which has nothing of use in it afterwards.
    ///
    /// # Errors
    /// A file cannot be written or read, or the proofs made do not verify.
    pub fn seal(&self, workdir: &Workdir) -> Result<Workload> {
        let nodes = self.size_bytes / NODE_BYTES;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let replica_id = Scalar::random(&mut rng).into();
        let mut data: Vec<u8> = (0..nodes)
            .flat_map(|_| Scalar::random(&mut rng).to_repr())
            .collect();
        let mut seed = [0; 32];
        rng.fill_bytes(&mut seed);

        let params = self.params()?;
        let replica = workdir.path().join("replica");
        let write_replica = |data: &[u8]| {
            fs::write(&replica, data).with_context(|| format!("cannot write {}", replica.display()))
        };
        // It must be there at its full length while the trees are made.
        write_replica(&data)?;
        let (labels, _) = Drg::replicate_phase1(&params, &replica_id, workdir.path())?;
        let (tau, (p_aux, t_aux)) = Drg::replicate_phase2(
            &params,
            labels,
            data.as_mut_slice().into(),
            None,
            workdir.path().to_owned(),
            replica.clone(),
        )?;
        // The second phase has encoded the data in place.
        write_replica(&data)?;
        drop(data);

        let public = PublicInputs {
            replica_id,
            seed: Some(seed),
            tau: Some(tau),
            k: None,
        };
        let private = PrivateInputs {
            p_aux,
            t_aux: TemporaryAuxCache::new(&t_aux, replica, false)?,
        };
        let proofs = Drg::prove_all_partitions(&params, &public, &private, self.partitions)?;
        ensure!(
            Drg::verify_all_partitions(&params, &public, &proofs)?,
            "the vanilla proofs of the sealed sector do not verify"
        );
        Workload::new(&params, &public, &proofs, PorepCircuit::Base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::Counts;

    #[test]
    fn the_blank_circuit_has_the_size_of_the_sealed() {
        let sector = Sector {
            size_bytes: 256,
            layers: 2,
            challenges: 2,
            partitions: 1,
            seed: 0,
        };
        let workdir = Workdir::new(sector.disk_bytes()).unwrap();
        let sealed = sector.seal(&workdir).unwrap().circuits.remove(0);
        let blank = sector.blank_circuit().unwrap();
        assert_eq!(Counts::of(blank).unwrap(), Counts::of(sealed).unwrap());
    }
}
