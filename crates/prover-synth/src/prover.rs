//! bellperson's Groth16 prover, stopped after the synthesis.
//!
//! A proof begins with the synthesis of all circuits, which the prover times and logs. Then the
//! prover asks for its parameters, and [`NoParameters`] refuses.

use std::sync::Arc;

use anyhow::{bail, Result};
use bellperson::{
    groth16::{create_proof_batch, ParameterSource, VerifyingKey},
    Circuit, SynthesisError,
};
use blstrs::{Bls12, G1Affine, G2Affine, Scalar};
use ff::Field;

use crate::synthesis_log;

type Points<G> = (Arc<Vec<G>>, usize);
type Pair<T> = (T, T);

struct NoParameters;

impl NoParameters {
    fn refuse<T>() -> Result<T, SynthesisError> {
        Err(SynthesisError::AssignmentMissing)
    }
}

impl ParameterSource<Bls12> for NoParameters {
    type G1Builder = Points<G1Affine>;
    type G2Builder = Points<G2Affine>;

    fn get_vk(&self, _: usize) -> Result<&VerifyingKey<Bls12>, SynthesisError> {
        Self::refuse()
    }

    fn get_h(&self, _: usize) -> Result<Self::G1Builder, SynthesisError> {
        Self::refuse()
    }

    fn get_l(&self, _: usize) -> Result<Self::G1Builder, SynthesisError> {
        Self::refuse()
    }

    fn get_a(&self, _: usize, _: usize) -> Result<Pair<Self::G1Builder>, SynthesisError> {
        Self::refuse()
    }

    fn get_b_g1(&self, _: usize, _: usize) -> Result<Pair<Self::G1Builder>, SynthesisError> {
        Self::refuse()
    }

    fn get_b_g2(&self, _: usize, _: usize) -> Result<Pair<Self::G2Builder>, SynthesisError> {
        Self::refuse()
    }
}

/// The seconds that bellperson logs for the synthesis of `circuits`, which it runs in parallel on
/// rayon's global pool.
///
/// [`synthesis_log::install`] comes first.
///
/// # Errors
/// What a circuit answers; or bellperson logs no time.
pub fn synthesize<C: Circuit<Scalar> + Send>(circuits: Vec<C>) -> Result<f64> {
    let blinding = vec![Scalar::ZERO; circuits.len()];
    synthesis_log::take();
    let proved = create_proof_batch(circuits, NoParameters, blinding.clone(), blinding);
    match (synthesis_log::take(), proved) {
        (Some(seconds), _) => Ok(seconds),
        (None, Err(error)) => Err(error.into()),
        (None, Ok(_)) => bail!("bellperson logged no synthesis time"),
    }
}
