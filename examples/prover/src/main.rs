//! Proves and verifies one statement, and says which storage the prover was built with.

#![forbid(unsafe_code)]

use blstrs::Scalar;
use prover::{parameters, prove, verify, CubicRoot};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let x = Scalar::from(3);
    let parameters = parameters()?;
    let proof = prove(x, &parameters)?;
    let verified = verify(CubicRoot::image(x), &proof, &parameters)?;
    println!(
        "storage {}, proof {}",
        bellpepper_core::LC_STORAGE,
        if verified { "verified" } else { "rejected" }
    );
    Ok(())
}
