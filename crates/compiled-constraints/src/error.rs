//! What can go wrong, told to people.

use std::{fmt, io};

use bellpepper_core::SynthesisError;

/// Why constraints could not be compiled, loaded, checked or evaluated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The circuit's own failure.
    #[error("the circuit fails: {0}")]
    Synthesis(#[from] SynthesisError),
    /// The circuit does not repeat itself, or is not the circuit that was compiled.
    #[error("{0}")]
    Differs(Difference),
    /// The numbers of rows or variables do not grow by the same number with each repetition.
    #[error("the circuit does not grow by the same rows and variables with each repetition")]
    NoRepetition,
    /// Vectors or circuits do not have the number of elements that the compiled form has.
    #[error("there are {found} {of}, but the compiled form has {expected}")]
    Length {
        /// What they are.
        of: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// Shared variables get their values from a circuit, so there must be one.
    #[error(
        "the compiled form has no repetition, so there is no circuit to make the witness from"
    )]
    NoCircuit,
    /// The first input is the constant one in every constraint system.
    #[error("the first input is not the constant one")]
    NoOne,
    /// The circuits of a witness do not agree on the variables that all repetitions share.
    #[error("circuit {circuit} has another value than circuit 0 for a variable that all share")]
    SharedVariables {
        /// Which circuit, counted from 0.
        circuit: usize,
    },
    /// The circuit's values depend on which variables its combinations have.
    #[error(
        "the circuit's values differ from those of a full synthesis: it reads the variables of its \
         combinations, so that its witness has to come from another constraint system"
    )]
    ReadsVariables,
    /// Other variables occur in A or B than in a full synthesis.
    #[error("the densities differ from those of a full synthesis")]
    Densities,
    /// Columns are numbers of 30 bits.
    #[error("a compiled form holds fewer than 2^30 {of}")]
    TooLarge {
        /// The kind of variables.
        of: &'static str,
    },
    /// The allocator refused.
    #[error("there is no memory for {bytes} bytes")]
    Memory {
        /// How many were asked for.
        bytes: usize,
    },
    /// A file could not be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// The system's reason.
        error: io::Error,
    },
    /// A file is not a compiled form that this version can use.
    #[error("{path} cannot be used: {reason} (compile the circuit again)")]
    File {
        /// The file.
        path: String,
        /// Why not.
        reason: String,
    },
}

/// Refuses another number of elements than the compiled form has.
pub(crate) fn check_len(of: &'static str, found: usize, expected: usize) -> Result<(), Error> {
    if found == expected {
        return Ok(());
    }
    Err(Error::Length {
        of,
        found,
        expected,
    })
}

/// The first row in which two constraint systems differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which row, counted from 0 over the whole circuit.
    pub row: usize,
    /// The row's name, where the circuit has names.
    pub name: Option<String>,
    /// How the row differs.
    pub reason: &'static str,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}", self.row)?;
        if let Some(name) = &self.name {
            write!(f, " ({name})")?;
        }
        write!(f, " {}", self.reason)
    }
}
