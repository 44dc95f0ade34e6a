//! The constraint system for tests, apart from what it shows of gadgets.

use crate::fields::F7;
use crate::observation::{assert_equal, panic_message};
use crate::ours::bp::Delta;
use crate::{ours, theirs};

#[test]
fn right_and_wrong_use_is_alike() {
    assert_equal(
        &ours::subject::test_cs::uses(),
        &theirs::subject::test_cs::uses(),
        &[],
    );
}

/// Upstream's panic where one system is a prefix of the other comes from unwrapping nothing, and
/// says only that; ours says why.
#[test]
fn deltas_are_alike() {
    let ours = ours::subject::test_cs::deltas();
    let theirs = theirs::subject::test_cs::deltas();
    for (ours, theirs) in ours.iter().zip(&theirs) {
        if theirs.is_err() {
            let message = "one system has all constraints of the other, and more";
            assert_eq!(ours.as_ref().unwrap_err(), message);
        } else {
            assert_eq!(ours, theirs);
        }
    }
    assert!(theirs.iter().any(|delta| delta.is_err()));
}

/// A deliberate difference: upstream also compares in what order the terms were added.
#[test]
fn order_of_adding_makes_no_delta() {
    assert_eq!(
        ours::subject::test_cs::delta_of_reordered_terms(),
        Delta::Equal
    );
    assert!(matches!(
        theirs::subject::test_cs::delta_of_reordered_terms(),
        theirs::bp::Delta::ConstraintMismatch(0, _, _)
    ));
}

/// A deliberate difference: upstream's digest is for scalars of 32 bytes only.
#[test]
fn the_digest_takes_scalars_of_any_size() {
    let ours = panic_message(ours::subject::test_cs::digest_of_a_constraint::<F7>).unwrap();
    assert_eq!(ours.len(), 64);
    panic_message(theirs::subject::test_cs::digest_of_a_constraint::<F7>).unwrap_err();
}
