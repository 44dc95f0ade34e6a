//! Sums of bases, each times a scalar, started on bellperson's threads or on its GPU.

use std::sync::Arc;

use bellperson::gpu::{GpuError, GpuName, LockedMultiexpKernel};
use bellperson::multiexp::multiexp;
use bellperson::SynthesisError;
use compiled_constraints::Witness;
use ec_gpu_gen::multiexp_cpu::{DensityTracker, FullDensity, SourceBuilder};
use ec_gpu_gen::threadpool::{Waiter, Worker};
use ec_gpu_gen::EcError;
use ff::PrimeField;
use group::prime::PrimeCurveAffine;
use group::Group;
use rayon::prelude::*;

use crate::density::Trackers;

/// Scalars in canonical form.
type Canonical<S> = Arc<Vec<<S as PrimeField>::Repr>>;

/// The scalars of each proof.
pub(crate) struct Exponents<S: PrimeField> {
    pub(crate) inputs: Vec<Canonical<S>>,
    pub(crate) aux: Vec<Canonical<S>>,
    pub(crate) h: Vec<Canonical<S>>,
}

impl<S: PrimeField> Exponents<S> {
    pub(crate) fn new() -> Self {
        Exponents {
            inputs: Vec::new(),
            aux: Vec::new(),
            h: Vec::new(),
        }
    }

    /// Adds a proof, by its witness and its quotient.
    pub(crate) fn push(&mut self, witness: &Witness<S>, h: Canonical<S>) {
        let canonical = |scalars: &[S]| Arc::new(scalars.par_iter().map(S::to_repr).collect());
        self.inputs.push(canonical(&witness.inputs));
        self.aux.push(canonical(&witness.aux));
        self.h.push(h);
    }
}

/// A sum that may still be under way.
type Sum<G> = Waiter<Result<<G as PrimeCurveAffine>::Curve, EcError>>;

/// Starts, for each proof, the sum over all bases.
pub(crate) fn full<G: PrimeCurveAffine + GpuName>(
    bases: impl SourceBuilder<G>,
    exponents: &[Canonical<G::Scalar>],
    worker: &Worker,
    kernel: &mut LockedMultiexpKernel<G>,
) -> Vec<Sum<G>> {
    let each = exponents.iter().cloned();
    each.map(|of| multiexp(worker, bases.clone(), FullDensity, of, kernel))
        .collect()
}

/// Starts, for each proof, the sum over bases that are there for the variables of `density` only.
pub(crate) fn dense<G: PrimeCurveAffine + GpuName>(
    bases: impl SourceBuilder<G>,
    density: &Arc<DensityTracker>,
    exponents: &[Canonical<G::Scalar>],
    worker: &Worker,
    kernel: &mut LockedMultiexpKernel<G>,
) -> Vec<Sum<G>> {
    let each = exponents.iter().cloned();
    each.map(|of| multiexp(worker, bases.clone(), density.clone(), of, kernel))
        .collect()
}

/// Starts, for each proof, the sums over the inputs and the auxiliary variables that occur in B.
pub(crate) fn in_b<G: PrimeCurveAffine + GpuName, B: SourceBuilder<G>>(
    (inputs, aux): (B, B),
    trackers: &Trackers,
    exponents: &Exponents<G::Scalar>,
    worker: &Worker,
    mut kernel: LockedMultiexpKernel<G>,
) -> [Vec<Sum<G>>; 2] {
    let Exponents {
        inputs: of_inputs,
        aux: of_aux,
        ..
    } = exponents;
    [
        dense(inputs, &trackers.b_input, of_inputs, worker, &mut kernel),
        dense(aux, &trackers.b_aux, of_aux, worker, &mut kernel),
    ]
}

/// Waits for the sums of one proof and adds them.
pub(crate) fn total<C: Group>(
    sums: &[Vec<Waiter<Result<C, EcError>>>],
    proof: usize,
) -> Result<C, SynthesisError> {
    sums.iter().try_fold(C::identity(), |total, sums| {
        Ok(total + sums[proof].wait().map_err(GpuError::from)?)
    })
}
