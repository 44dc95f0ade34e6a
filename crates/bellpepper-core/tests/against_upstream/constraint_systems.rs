//! The provided methods of constraint systems, and what references and namespaces pass on.

use crate::observation::assert_equal;
use crate::{ours, theirs};

#[test]
fn every_method_is_passed_on_alike() {
    assert_equal(
        &ours::subject::forwarding::traces(),
        &theirs::subject::forwarding::traces(),
        &[],
    );
}

#[test]
fn namespaces_look_alike() {
    assert_eq!(
        ours::subject::forwarding::debug_of_namespace(),
        theirs::subject::forwarding::debug_of_namespace()
    );
}
