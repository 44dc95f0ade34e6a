//! The smallest reusable circuits: bits, and numbers of the scalar field.

pub mod boolean;
pub mod num;
