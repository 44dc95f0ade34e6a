//! A circuit synthesized in pieces, each in a constraint system of its own, and joined by `extend`
//! gives what it gives in one go.

#![forbid(unsafe_code)]

use bellperson::groth16::{
    create_proof, generate_random_parameters, prepare_verifying_key, verify_proof, Parameters,
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

/// Not a multiple of any number of threads.
const WHOLE: Pieces = Pieces {
    count: 17,
    apart: false,
};
const APART: Pieces = Pieces {
    apart: true,
    ..WHOLE
};

fn pool(threads: usize) -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads can be started")
}

#[test]
fn assignments_densities_and_constraints_are_the_serial_ones() {
    let serial: ProvingAssignment = assign(WHOLE, None).expect("the circuit synthesizes");
    for threads in THREADS {
        let joined: ProvingAssignment = pool(threads)
            .install(|| assign(APART, None))
            .expect("the circuit synthesizes");
        assert_eq!(joined.counts(), serial.counts(), "{threads} threads");
        assert!(joined.digest() == serial.digest(), "{threads} threads");
    }
}

#[test]
fn proofs_are_the_serial_ones() {
    let mut rng = ChaCha20Rng::seed_from_u64(2);
    let params = generate_random_parameters::<Bls12, _, _>(WHOLE, &mut rng).expect("parameters");
    let serial = proof(WHOLE, &params);

    let key = prepare_verifying_key(&params.vk);
    let mut witness = WitnessCS::new();
    WHOLE
        .synthesize(&mut witness)
        .expect("the circuit synthesizes");
    let inputs = witness.scalar_inputs();
    assert!(verify_proof(&key, &serial, &inputs[1..]).expect("as many inputs as the key has"));

    for threads in THREADS {
        let joined = pool(threads).install(|| proof(APART, &params));
        assert_eq!(joined, serial, "{threads} threads");
    }
}

fn proof(circuit: Pieces, params: &Parameters<Bls12>) -> bellperson::groth16::Proof<Bls12> {
    let (r, s) = (Scalar::from(3), Scalar::from(4));
    create_proof(circuit, params, r, s).expect("the circuit is satisfied")
}
