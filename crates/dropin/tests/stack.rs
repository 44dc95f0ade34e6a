//! Synthesis on a stack of 2 MiB, which is what rayon and std give their threads, unoptimized code
//! included: a plain `cargo test` is such a build.

#![forbid(unsafe_code)]

use std::thread;

use bellpepper_core::test_cs::TestConstraintSystem;
use bellpepper_core::Circuit;
use dropin::Small;

#[test]
fn two_mebibytes_are_enough() {
    for circuit in Small::ALL {
        let synthesis = thread::Builder::new().stack_size(2 << 20).spawn(move || {
            let mut cs = TestConstraintSystem::new();
            circuit
                .synthesize(&mut cs)
                .expect("the circuit synthesizes");
            assert!(
                cs.is_satisfied(),
                "{circuit:?}: {:?}",
                cs.which_is_unsatisfied()
            );
        });
        let synthesis = synthesis.expect("the thread starts").join();
        synthesis.expect("the circuit is satisfied");
    }
}
