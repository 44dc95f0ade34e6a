//! The measurement: repeated syntheses of one circuit in one warm process, and then the digest.

use anyhow::Result;
use porep_synth::{
    assignment::ProvingAssignment,
    count::Counts,
    digest,
    synthesize::{assign, Assignment},
};

use crate::{circuits::Subject, prover};

/// What the repeats gave.
pub struct Measurement {
    /// Of all circuits together.
    pub counts: Counts,
    /// What bellperson logged for each repeat; of compiled constraints, wall clock.
    pub seconds: Vec<f64>,
    pub digest: String,
}

/// Synthesizes `circuits` copies of `subject` in bellperson, `repeats` times.
///
/// # Errors
/// What the circuit answers.
pub fn measure(subject: Subject, circuits: usize, repeats: u16) -> Result<Measurement> {
    let seconds = (0..repeats)
        .map(|_| prover::synthesize(vec![subject.clone(); circuits]))
        .collect::<Result<_>>()?;
    let assignment: ProvingAssignment = assign(subject, None)?;
    Ok(Measurement {
        counts: std::iter::repeat_n(assignment.counts(), circuits).sum(),
        seconds,
        digest: digest::whole(&[assignment.digest()]),
    })
}
