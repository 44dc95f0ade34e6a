//! The values that one proof is computed from.

use compiled_constraints::{Products, Witness};

/// The values of one circuit instance: one scalar per variable, three per row.
#[derive(Clone, Debug, Default)]
pub struct Assignment<S> {
    /// The values of the variables; the first input is the constant one.
    pub witness: Witness<S>,
    /// A·z, B·z and C·z, closing rows included.
    pub products: Products<S>,
}
