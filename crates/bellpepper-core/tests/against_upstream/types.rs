//! Traits, texts and formats of the types.

use crate::{ours, theirs};

#[test]
fn the_same_traits_are_implemented() {
    ours::subject::types::implemented_traits();
    theirs::subject::types::implemented_traits();
}

#[test]
fn errors_read_alike() {
    assert_eq!(
        ours::subject::types::errors(),
        theirs::subject::types::errors()
    );
}

#[test]
fn debug_outputs_are_alike() {
    assert_eq!(
        ours::subject::types::debug_outputs(),
        theirs::subject::types::debug_outputs()
    );
}

#[test]
fn json_is_alike() {
    assert_eq!(ours::subject::types::json(), theirs::subject::types::json());
}

/// In bytes, those that the README gives.
#[test]
fn sizes() {
    let combination = match bellpepper_core::LC_STORAGE {
        "lc-pooled" => 8,
        "lc-vec" => 56,
        "lc-smallvec1" => 80,
        "lc-smallvec4" => 200,
        other => panic!("{other} has no size in the README"),
    };
    assert_eq!(ours::subject::types::sizes(), [combination, 10, 11]);
    assert_eq!(theirs::subject::types::sizes(), [96, 24, 32]);
}
