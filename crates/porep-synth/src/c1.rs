//! A sector that a miner has sealed: the output of its first commit phase ("C1"), as Lotus and
//! Curio write it, turned into the circuits that the second phase would prove.

use std::{
    borrow::Cow,
    fs::{self, File},
    io::Read,
    ops::RangeInclusive,
    path::Path,
};

use anyhow::{ensure, Context, Result};
use base64::prelude::{Engine, BASE64_STANDARD};
use blstrs::Scalar;
use ff::PrimeField;
use filecoin_proofs::{
    constants::{
        DefaultPieceDomain, DefaultPieceHasher, DefaultTreeDomain, DefaultTreeHasher,
        SectorShape2KiB, SectorShape32GiB, SectorShape512MiB, SectorShape64GiB, SectorShape8MiB,
        SECTOR_SIZE_2_KIB, SECTOR_SIZE_32_GIB, SECTOR_SIZE_512_MIB, SECTOR_SIZE_64_GIB,
        SECTOR_SIZE_8_MIB,
    },
    parameters::public_params,
    PoRepConfig,
};
use filecoin_proofs_api::seal::{SealCommitPhase1Output, VanillaSealProof};
use serde::Deserialize;
use storage_proofs_core::{merkle::MerkleTreeTrait, proof::ProofScheme};
use storage_proofs_porep::stacked::{PublicInputs, StackedCircuit, StackedDrg, Tau};

use crate::{
    panics,
    workload::{PorepCircuit, VanillaProof, Workload},
};

/// Beside what goes with the length of a file.
const READING_BYTES: u64 = 64 << 20;

/// The largest file that is read. An interactive proof of 32 GiB takes some 50 MB in base64, and
/// the largest there is, a non-interactive one of 64 GiB, two thirds of this.
pub const LIMIT_BYTES: u64 = 1 << 30;

const EXPECTED: &str = "expected the JSON of a SealCommitPhase1Output, or a JSON object that has \
                        it in base64 as `Phase1Out`";

/// An upper bound of the memory that [`read`] takes: the text, or of that in base64 what it says,
/// then beside it the output, which is shorter than its JSON, and its circuits. Nothing is counted
/// of a file that is too large, which is not read, nor of what is no regular file and tells no
/// length.
///
/// # Errors
/// The file is not there.
pub fn reading_bytes(file: &Path) -> Result<u64> {
    let metadata = fs::metadata(file).with_context(|| format!("cannot read {}", file.display()))?;
    let read_bytes = Some(metadata.len()).filter(|len| *len <= LIMIT_BYTES);
    Ok(2 * read_bytes.unwrap_or(0) + READING_BYTES)
}

/// Reads `file` and checks its vanilla proofs. The workload has the partitions of the range,
/// counted from 0, or all of them.
///
/// # Errors
/// The file cannot be read, is too large, is something else or incomplete, its proofs do not
/// verify, or it has not got the partitions.
pub fn read(file: &Path, partitions: Option<&RangeInclusive<usize>>) -> Result<Workload> {
    let name = file.display();
    let bytes = read_limited(file).with_context(|| format!("cannot read {name}"))?;
    let output = parse(bytes).with_context(|| format!("{name} is not a C1 output ({EXPECTED})"))?;
    // Values of the right type can still be such that storage-proofs panics.
    panics::caught(|| workload(output, partitions))
        .with_context(|| format!("{name} cannot be used"))
}

fn read_limited(file: &Path) -> Result<Vec<u8>> {
    let file = File::open(file)?;
    let too_large = || format!("it has more than {LIMIT_BYTES} bytes, the most that is read");
    // Spares reading a gibibyte of a file that tells its size; a pipe or a device tells none.
    let len = file.metadata()?.len();
    ensure!(len <= LIMIT_BYTES, too_large());
    let mut bytes = Vec::new();
    // One more is where the end is found.
    bytes.try_reserve_exact(usize::try_from(len)? + 1)?;
    file.take(LIMIT_BYTES + 1).read_to_end(&mut bytes)?;
    ensure!(bytes.len() as u64 <= LIMIT_BYTES, too_large());
    Ok(bytes)
}

/// The object around the output that some tools write; of the bare output, nothing is in it.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Wrapping<'a> {
    #[serde(borrow, rename = "Phase1Out")]
    phase1_out: Option<Text<'a>>,
    sector_size: Option<u64>,
}

/// A text that is borrowed unless it has escapes. An `Option<Cow<str>>` by itself would always own.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

fn parse(bytes: Vec<u8>) -> Result<SealCommitPhase1Output> {
    let wrapping: Wrapping = serde_json::from_slice(&bytes)?;
    let Some(Text(text)) = wrapping.phase1_out else {
        return Ok(serde_json::from_slice(&bytes)?);
    };
    let inner = BASE64_STANDARD
        .decode(text.as_bytes())
        .context("`Phase1Out` is not base64")?;
    let said_bytes = wrapping.sector_size;
    drop(text);
    drop(bytes);
    let output: SealCommitPhase1Output =
        serde_json::from_slice(&inner).context("in what `Phase1Out` holds")?;
    let size_bytes = u64::from(output.registered_proof.sector_size());
    if let Some(said_bytes) = said_bytes {
        ensure!(
            said_bytes == size_bytes,
            "`SectorSize` is {said_bytes}, but `Phase1Out` is of {size_bytes} bytes"
        );
    }
    Ok(output)
}

fn workload(
    output: SealCommitPhase1Output,
    wanted: Option<&RangeInclusive<usize>>,
) -> Result<Workload> {
    use VanillaSealProof::*;

    let comm_r = Option::from(Scalar::from_repr(output.comm_r))
        .map(|root: Scalar| root.into())
        .context("`comm_r` is not a commitment")?;
    let sector = Sealed {
        config: output.registered_proof.as_v1_config(),
        inputs: PublicInputs {
            replica_id: output.replica_id,
            seed: Some(output.seed),
            tau: Some(Tau {
                comm_d: output.comm_d.into(),
                comm_r,
            }),
            k: None,
        },
        wanted,
    };
    match &output.vanilla_proofs {
        StackedDrg2KiBV1(proofs) => {
            sector.workload::<SectorShape2KiB>(SECTOR_SIZE_2_KIB, proofs, PorepCircuit::Base)
        }
        StackedDrg8MiBV1(proofs) => {
            sector.workload::<SectorShape8MiB>(SECTOR_SIZE_8_MIB, proofs, PorepCircuit::Base)
        }
        StackedDrg512MiBV1(proofs) => {
            sector.workload::<SectorShape512MiB>(SECTOR_SIZE_512_MIB, proofs, PorepCircuit::Base)
        }
        StackedDrg32GiBV1(proofs) => {
            sector.workload::<SectorShape32GiB>(SECTOR_SIZE_32_GIB, proofs, PorepCircuit::Sub8)
        }
        StackedDrg64GiBV1(proofs) => {
            sector.workload::<SectorShape64GiB>(SECTOR_SIZE_64_GIB, proofs, PorepCircuit::Top2)
        }
    }
}

/// What the file says of the sector, but for the proofs, whose type goes with its size.
struct Sealed<'a> {
    config: PoRepConfig,
    inputs: PublicInputs<DefaultTreeDomain, DefaultPieceDomain>,
    wanted: Option<&'a RangeInclusive<usize>>,
}

impl Sealed<'_> {
    /// Does what the second commit phase does before it proves, and checks the proofs besides.
    fn workload<Tree>(
        &self,
        proofs_size_bytes: u64,
        proofs: &[Vec<VanillaProof<Tree>>],
        wrap: fn(StackedCircuit<Tree, DefaultPieceHasher>) -> PorepCircuit,
    ) -> Result<Workload>
    where
        Tree: 'static + MerkleTreeTrait<Hasher = DefaultTreeHasher>,
    {
        let size_bytes = u64::from(self.config.sector_size);
        ensure!(
            size_bytes == proofs_size_bytes,
            "the registered proof is of {size_bytes} bytes, the vanilla proofs of {proofs_size_bytes}"
        );
        let partitions = usize::from(self.config.partitions);
        ensure!(
            proofs.len() == partitions && !proofs.iter().any(Vec::is_empty),
            "it has vanilla proofs of {} partitions where the registered proof has {partitions}",
            proofs.len()
        );
        let range = self.wanted.cloned().unwrap_or(0..=partitions - 1);
        let wanted = proofs.get(range).with_context(|| {
            format!(
                "the partitions asked for are not all there: it has 0 to {}",
                partitions - 1
            )
        })?;

        let params = public_params::<Tree>(&self.config)?;
        ensure!(
            StackedDrg::verify_all_partitions(&params, &self.inputs, proofs)?,
            "its vanilla proofs do not verify"
        );
        Workload::new(&params, &self.inputs, wanted, wrap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_without_escapes_is_borrowed() {
        let wrapping: Wrapping = serde_json::from_str(r#"{"Phase1Out": "e30="}"#).unwrap();
        let text = wrapping.phase1_out.unwrap().0;
        assert!(matches!(text, Cow::Borrowed("e30=")), "{text}");

        let wrapping: Wrapping = serde_json::from_str(r#"{"Phase1Out": "a\/b="}"#).unwrap();
        assert_eq!(wrapping.phase1_out.unwrap().0, "a/b=");
    }
}
