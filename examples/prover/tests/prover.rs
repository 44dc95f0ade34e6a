//! The prover on the fork: proofs verify, false ones do not, and the storage is the one asked for.

#![forbid(unsafe_code)]

use bellpepper_core::LC_STORAGE;
use blstrs::Scalar;
use prover::{parameters, prove, verify, CubicRoot};

#[test]
fn proves_and_verifies() {
    let parameters = parameters().expect("the circuit synthesizes");
    let proof = prove(Scalar::from(3), &parameters).expect("the circuit synthesizes");

    assert_eq!(CubicRoot::image(Scalar::from(3)), Scalar::from(35));
    assert!(verify(Scalar::from(35), &proof, &parameters).expect("one input"));
    assert!(!verify(Scalar::from(36), &proof, &parameters).expect("one input"));
}

#[test]
fn storage_is_the_one_asked_for() {
    let asked: Vec<&str> = [
        ("lc-vec", cfg!(feature = "lc-vec")),
        ("lc-smallvec1", cfg!(feature = "lc-smallvec1")),
        ("lc-smallvec4", cfg!(feature = "lc-smallvec4")),
        ("lc-pooled", cfg!(feature = "lc-pooled")),
    ]
    .into_iter()
    .filter_map(|(storage, on)| on.then_some(storage))
    .collect();
    // Without a feature the fork chooses; with several, the first in its documented order wins.
    assert!(
        asked.is_empty() || asked.contains(&LC_STORAGE),
        "{LC_STORAGE}"
    );
}
