//! Densities as bellperson's multiexponentiation takes them.

use std::sync::Arc;

use bellperson::SynthesisError;
use compiled_constraints::{Densities, Density};
use ec_gpu_gen::multiexp_cpu::DensityTracker;

use crate::lengths::same;

/// The three densities, shared by all proofs of a batch.
pub(crate) struct Trackers {
    pub(crate) a_aux: Arc<DensityTracker>,
    pub(crate) b_input: Arc<DensityTracker>,
    pub(crate) b_aux: Arc<DensityTracker>,
}

impl Trackers {
    /// Copies `densities`: an eighth of a byte per bit.
    ///
    /// # Errors
    /// A density contradicts itself, or the two over auxiliary variables differ in length.
    pub(crate) fn new(densities: &Densities) -> Result<Self, SynthesisError> {
        let Densities {
            a_aux,
            b_input,
            b_aux,
        } = densities;
        same(b_aux.len, a_aux.len, || {
            format!(
                "A's density has {} auxiliary variables, B's {}",
                a_aux.len, b_aux.len
            )
        })?;
        Ok(Trackers {
            a_aux: tracker("A's auxiliary variables", a_aux)?,
            b_input: tracker("B's inputs", b_input)?,
            b_aux: tracker("B's auxiliary variables", b_aux)?,
        })
    }
}

fn tracker(name: &str, density: &Density) -> Result<Arc<DensityTracker>, SynthesisError> {
    let Density { words, len, total } = density;
    let expected = len.div_ceil(64);
    same(words.len(), expected, || {
        format!(
            "the density of {name} has {} words, {len} bits take {expected}",
            words.len()
        )
    })?;
    let mut tracker = DensityTracker::new();
    tracker.bv.resize(*len, false);
    for (to, word) in tracker.bv.as_raw_mut_slice().iter_mut().zip(words) {
        *to = *word as usize;
    }
    tracker.total_density = tracker.bv.count_ones();
    same(*total, tracker.total_density, || {
        let found = tracker.total_density;
        format!("the density of {name} says {total} for a total, {found} bits are set")
    })?;
    Ok(Arc::new(tracker))
}
