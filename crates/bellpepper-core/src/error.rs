//! The one error type of synthesis, shared by circuits and by the provers that run them.

use std::io;

/// What can stop the synthesis of a circuit, or the set-up, proving or verification around it.
///
/// Circuits and gadgets of this crate return [`AssignmentMissing`](Self::AssignmentMissing),
/// [`DivisionByZero`](Self::DivisionByZero) and [`Unsatisfiable`](Self::Unsatisfiable) only; the
/// other variants are for provers.
#[derive(Debug, thiserror::Error)]
pub enum SynthesisError {
    /// The value of a variable was asked for, but something that it depends on is unknown.
    #[error("an assignment for a variable could not be computed")]
    AssignmentMissing,
    /// A value that has to be inverted is zero.
    #[error("division by zero")]
    DivisionByZero,
    /// The constraints contradict each other whatever the assignment.
    #[error("unsatisfiable constraint system")]
    Unsatisfiable,
    /// The circuit needs polynomials of a higher degree than the field has roots of unity for.
    #[error("polynomial degree is too large")]
    PolynomialDegreeTooLarge,
    /// A group element of the parameters is the identity, where it must not be.
    #[error("encountered an identity element in the CRS")]
    UnexpectedIdentity,
    /// Parameters could not be read or written.
    #[error("encountered an I/O error: {0}")]
    IoError(#[from] io::Error),
    /// The verifying key does not fit the proof's public inputs.
    #[error("malformed verifying key")]
    MalformedVerifyingKey,
    /// An auxiliary variable occurs in no constraint.
    #[error("auxiliary variable was unconstrained")]
    UnconstrainedVariable,
    /// The proofs to be aggregated are not well formed; the text says how.
    #[error("attempted to aggregate malformed proofs: {0}")]
    MalformedProofs(String),
    /// The structured reference string of an aggregation is not well formed.
    #[error("malformed SRS")]
    MalformedSrs,
    /// The number of proofs to be aggregated is not a power of two.
    #[error("non power of two proofs given for aggregation")]
    NonPowerOfTwo,
    /// Vectors that belong together differ in length; the text says which.
    #[error("incompatible vector length: {0}")]
    IncompatibleLengthVector(String),
    /// A pairing check was given elements that it can't pair.
    #[error("invalid pairing")]
    InvalidPairing,
}
