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
