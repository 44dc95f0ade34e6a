//! Proofs by the compiled circuit verify with bellperson, false ones do not.

#![forbid(unsafe_code)]

use bellperson::groth16::{prepare_verifying_key, verify_proof};
use blstrs::Scalar;
use compiled_prover::{CubicRoot, Prover};

#[test]
fn proves_again_and_again() {
    let mut prover = Prover::new().expect("the circuit synthesizes");
    let key = prepare_verifying_key(&prover.parameters.vk);
    assert_eq!(CubicRoot::image(Scalar::from(3)), Scalar::from(35));
    for (x, y) in [(3, 35), (4, 73)] {
        let proof = prover.prove(Scalar::from(x)).expect("x is known");
        assert!(verify_proof(&key, &proof, &[Scalar::from(y)]).expect("one input"));
        assert!(!verify_proof(&key, &proof, &[Scalar::from(y + 1)]).expect("one input"));
    }
}
