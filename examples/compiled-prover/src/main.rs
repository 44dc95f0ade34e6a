//! Compiles a circuit, proves it twice and has bellperson verify both proofs.

#![forbid(unsafe_code)]

use bellperson::groth16::{prepare_verifying_key, verify_proof};
use blstrs::Scalar;
use compiled_prover::{CubicRoot, Prover};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut prover = Prover::new()?;
    let key = prepare_verifying_key(&prover.parameters.vk);
    for x in [3, 4] {
        let proof = prover.prove(Scalar::from(x))?;
        let verified = verify_proof(&key, &proof, &[CubicRoot::image(Scalar::from(x))])?;
        println!("proof {}", if verified { "verified" } else { "rejected" });
    }
    Ok(())
}
