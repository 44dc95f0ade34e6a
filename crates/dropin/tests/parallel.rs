//! A circuit synthesized in pieces, each in a constraint system of its own, and joined by `extend`
//! gives what it gives in one go.

#![forbid(unsafe_code)]

use bellperson::groth16::{
    create_proof, generate_random_parameters, prepare_verifying_key, verify_proof, Parameters,
    Proof,
};
use bellperson::util_cs::witness_cs::WitnessCS;
use bellperson::{Circuit, ConstraintSystem};
use blstrs::{Bls12, Scalar};
use dropin::Pieces;
use porep_synth::assignment::ProvingAssignment;
use porep_synth::synthesize::{assign, Assignment};
use rand_chacha::rand_core::SeedableRng;
use rand_chacha::ChaCha20Rng;
use rayon::{ThreadPool, ThreadPoolBuilder};

const THREADS: [usize; 4] = [1, 2, 4, 16];

/// The tests take counts that no number of threads above one divides.
fn pieces(count: u64, apart: bool) -> Pieces {
    Pieces { count, apart }
}

fn pool(threads: usize) -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads can be started")
}

#[test]
fn assignments_densities_and_constraints_are_the_serial_ones() {
    let serial: ProvingAssignment =
        assign(pieces(17, false), None).expect("the circuit synthesizes");
    for threads in THREADS {
        let joined: ProvingAssignment = pool(threads)
            .install(|| assign(pieces(17, true), None))
            .expect("the circuit synthesizes");
        assert_eq!(joined.counts(), serial.counts(), "{threads} threads");
        assert!(joined.digest() == serial.digest(), "{threads} threads");
    }
}

#[test]
fn proofs_are_the_serial_ones() {
    // Few, since unoptimized proving is slow.
    let (whole, apart) = (pieces(5, false), pieces(5, true));
    let mut rng = ChaCha20Rng::seed_from_u64(2);
    let params = generate_random_parameters::<Bls12, _, _>(whole, &mut rng).expect("parameters");
    let serial = proof(whole, &params);

    let key = prepare_verifying_key(&params.vk);
    let mut witness = WitnessCS::new();
    whole
        .synthesize(&mut witness)
        .expect("the circuit synthesizes");
    let inputs = witness.scalar_inputs();
    assert!(verify_proof(&key, &serial, &inputs[1..]).expect("as many inputs as the key has"));

    for threads in THREADS {
        let joined = pool(threads).install(|| proof(apart, &params));
        assert_eq!(joined, serial, "{threads} threads");
    }
}

fn proof(circuit: Pieces, params: &Parameters<Bls12>) -> Proof<Bls12> {
    let (r, s) = (Scalar::from(3), Scalar::from(4));
    create_proof(circuit, params, r, s).expect("the circuit is satisfied")
}
