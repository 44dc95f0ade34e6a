//! Makes Groth16 parameters, verifying keys and proofs with fixed randomness, and verifies proofs
//! under other keys. Built once on the fork and once on the registry's crate, the two must agree
//! byte for byte: `scripts/groth16_identity.sh` builds and compares.

#![forbid(unsafe_code)]

#[cfg(feature = "porep")]
mod porep;

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{ensure, Context, Result};
use bellperson::groth16::{
    create_proof, generate_random_parameters, prepare_verifying_key, verify_proof, Proof,
    VerifyingKey,
};
use bellperson::util_cs::witness_cs::WitnessCS;
use bellperson::{Circuit, ConstraintSystem};
use blstrs::{Bls12, Scalar};
use clap::Parser;
use dropin::Small;
use ff::Field;
use rand_chacha::rand_core::SeedableRng;
use rand_chacha::ChaCha20Rng;

#[derive(Parser)]
enum Command {
    /// Write NAME.params, NAME.vk, NAME.proof and NAME.inputs for every circuit
    Make { folder: PathBuf },
    /// Verify the proofs in one folder under the keys in another; exit code 1 if one fails
    Verify { keys: PathBuf, proofs: PathBuf },
}

fn main() -> Result<()> {
    match Command::parse() {
        Command::Make { folder } => {
            fs::create_dir_all(&folder)
                .with_context(|| format!("cannot make {}", folder.display()))?;
            for circuit in Small::ALL {
                make(&folder, circuit.name(), circuit)?;
            }
            #[cfg(feature = "porep")]
            make(&folder, porep::NAME, porep::circuit()?)?;
        }
        Command::Verify { keys, proofs } => {
            for circuit in Small::ALL {
                verify(&keys, &proofs, circuit.name())?;
            }
            #[cfg(feature = "porep")]
            verify(&keys, &proofs, porep::NAME)?;
        }
    }
    Ok(())
}

fn make<C: Circuit<Scalar> + Clone + Send>(folder: &Path, name: &str, circuit: C) -> Result<()> {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let params = generate_random_parameters::<Bls12, _, _>(circuit.clone(), &mut rng)?;
    let (r, s) = (Scalar::random(&mut rng), Scalar::random(&mut rng));
    let proof = create_proof(circuit.clone(), &params, r, s)?;
    let mut witness = WitnessCS::new();
    circuit.synthesize(&mut witness)?;

    write(folder, name, "params", |file| params.write(file))?;
    write(folder, name, "vk", |file| params.vk.write(file))?;
    write(folder, name, "proof", |file| proof.write(file))?;
    write(folder, name, "inputs", |file| {
        // The first is the constant one.
        let inputs = witness.scalar_inputs();
        inputs
            .iter()
            .skip(1)
            .try_for_each(|input| file.write_all(&input.to_bytes_le()))
    })?;
    println!("{name}: made");
    Ok(())
}

fn verify(keys: &Path, proofs: &Path, name: &str) -> Result<()> {
    let key = prepare_verifying_key::<Bls12>(&VerifyingKey::read(open(keys, name, "vk")?)?);
    let proof = Proof::read(open(proofs, name, "proof")?)?;
    let inputs = fs::read(path(proofs, name, "inputs"))?
        .chunks(32)
        .map(|bytes| Option::from(Scalar::from_bytes_le(bytes.try_into().ok()?)))
        .collect::<Option<Vec<Scalar>>>()
        .with_context(|| format!("{name}: the public inputs are no scalars"))?;
    ensure!(
        verify_proof(&key, &proof, &inputs)?,
        "{name}: the proof in {} does not verify under the key in {}",
        proofs.display(),
        keys.display()
    );
    println!("{name}: verified");
    Ok(())
}

fn path(folder: &Path, name: &str, kind: &str) -> PathBuf {
    folder.join(format!("{name}.{kind}"))
}

fn open(folder: &Path, name: &str, kind: &str) -> Result<BufReader<File>> {
    let path = path(folder, name, kind);
    let file = File::open(&path).with_context(|| format!("cannot open {}", path.display()))?;
    Ok(BufReader::new(file))
}

fn write(
    folder: &Path,
    name: &str,
    kind: &str,
    content: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> Result<()> {
    let path = path(folder, name, kind);
    let write = || {
        let mut file = BufWriter::new(File::create(&path)?);
        content(&mut file)?;
        file.flush()
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}
