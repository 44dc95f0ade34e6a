//! The smallest sector there is, for trying `porep-prove` from end to end. `scripts/porep_prove.sh`
//! runs it.
//!
//!     small_sector make FOLDER       writes c1.json, and params for its circuit: 1.5 GB
//!     small_sector verify FOLDER     proofs there, by the statement that it makes from c1.json
//!     small_sector compare FOLDER    whether a proof with fixed randomness is bellperson's
//!
//! Exit codes: 0 done, 1 failed, 2 bad usage.

use std::fs::{self, File};
use std::io::{BufWriter, Cursor, Write};
use std::path::{Path, PathBuf};

use anyhow::{ensure, Context, Result};
use bellperson::groth16::{create_proof, generate_random_parameters, verify_proof, Proof};
use blstrs::{Bls12, Scalar};
use clap::Parser;
use compiled_constraints::{Products, Witness};
use compiled_groth16::Assignment;
use filecoin_proofs::constants::{DefaultPieceHasher, SectorShape2KiB};
use filecoin_proofs::parameters::public_params;
use filecoin_proofs_api::seal::{self, SealCommitPhase1Output};
use filecoin_proofs_api::{RegisteredSealProof, SectorId, UnpaddedBytesAmount};
use porep_prove::{parameters, porep};
use porep_synth::{c1, compiled, workdir::Workdir};
use rand::rngs::OsRng;
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_porep::stacked::{PublicInputs, StackedCompound, Tau};

const PROOF: RegisteredSealProof = RegisteredSealProof::StackedDrg2KiBV1_1;

#[derive(Parser)]
enum Command {
    Make { folder: PathBuf },
    Verify { folder: PathBuf },
    Compare { folder: PathBuf },
}

fn main() -> Result<()> {
    match Command::parse() {
        Command::Make { folder } => make(&folder),
        Command::Verify { folder } => verify(&folder),
        Command::Compare { folder } => compare(&folder),
    }
}

fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let c1 = folder.join("c1.json");
    let workdir = Workdir::new(1 << 20)?;
    fs::write(&c1, serde_json::to_vec(&sealed(workdir.path())?)?)?;

    let circuit = c1::read(&c1, None)?.circuits.remove(0);
    let parameters = generate_random_parameters::<Bls12, _, _>(circuit, &mut OsRng)?;
    let mut file = BufWriter::new(File::create(folder.join("params"))?);
    parameters.write(&mut file)?;
    file.flush()?;
    Ok(())
}

/// The first commit phase of a sector of zeros.
fn sealed(folder: &Path) -> Result<SealCommitPhase1Output> {
    let (staged, replica, cache) = (
        folder.join("staged"),
        folder.join("replica"),
        folder.join("cache"),
    );
    fs::create_dir(&cache)?;
    File::create(&replica)?;
    let size = UnpaddedBytesAmount(2032);
    let data = Cursor::new([0; 2032]);
    let (piece, _) = seal::add_piece(PROOF, data, File::create(&staged)?, size, &[])?;
    let pieces = [piece];
    let (prover, sector, ticket, seed) = ([1; 32], SectorId::from(1), [2; 32], [3; 32]);
    let labels = seal::seal_pre_commit_phase1(
        PROOF, &cache, &staged, &replica, prover, sector, ticket, &pieces,
    )?;
    let commitments = seal::seal_pre_commit_phase2(labels, &cache, &replica)?;
    seal::seal_commit_phase1(
        &cache,
        &replica,
        prover,
        sector,
        ticket,
        seed,
        commitments,
        &pieces,
    )
}

fn verify(folder: &Path) -> Result<()> {
    let c1 = fs::read(folder.join("c1.json"))?;
    let output: SealCommitPhase1Output = serde_json::from_slice(&c1)?;
    let statement = statement(&output)?;
    let parameters = parameters::open(&folder.join("params"))?;

    let bytes = fs::read(folder.join("proofs")).context("run porep-prove first")?;
    for proof in Proof::<Bls12>::read_many(&bytes, 1)? {
        let verified = verify_proof(&parameters.pvk, &proof, &statement)?;
        ensure!(verified, "the proof does not verify");
    }
    println!("verified");
    Ok(())
}

fn compare(folder: &Path) -> Result<()> {
    let parameters = parameters::open(&folder.join("params"))?;
    let workload = c1::read(&folder.join("c1.json"), None)?;
    let (shape, _) = compiled::shape(&workload, None)?;
    let (mut witness, mut products) = (Witness::default(), Products::default());
    porep::generate(&workload, 0, &shape, &mut witness)?;
    shape.evaluate(&witness, &mut products)?;
    let assignment = Assignment { witness, products };
    let (r, s) = (Scalar::from(5), Scalar::from(7));
    let ours =
        compiled_groth16::create_proof(&shape.densities(), assignment, &parameters, r, s, drop)?;
    let circuit = workload.circuits[0].clone();
    let theirs = create_proof::<Bls12, _, _>(circuit, &parameters, r, s)?;
    ensure!(
        bytes_of(&ours)? == bytes_of(&theirs)?,
        "bellperson's proof differs"
    );
    println!("identical");
    Ok(())
}

/// The public inputs of the one partition, as a verifier makes them.
fn statement(output: &SealCommitPhase1Output) -> Result<Vec<Scalar>> {
    let params = public_params::<SectorShape2KiB>(&PROOF.as_v1_config())?;
    let inputs = PublicInputs {
        replica_id: output.replica_id,
        seed: Some(output.seed),
        tau: Some(Tau {
            comm_d: output.comm_d.into(),
            comm_r: output.comm_r.into(),
        }),
        k: None,
    };
    StackedCompound::<SectorShape2KiB, DefaultPieceHasher>::generate_public_inputs(
        &inputs,
        &params,
        Some(0),
    )
}

fn bytes_of(proof: &Proof<Bls12>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    proof.write(&mut bytes)?;
    Ok(bytes)
}
