//! The proof: sums of the parameters' bases, weighted by the assignment and by the quotient.

use std::panic::resume_unwind;
use std::thread;

use bellperson::gpu::{GpuName, LockedFftKernel, LockedMultiexpKernel};
use bellperson::groth16::{Proof, VerifyingKey};
use bellperson::SynthesisError;
use compiled_constraints::Densities;
use ec_gpu_gen::threadpool::Worker;
use ff::Field;
use group::prime::PrimeCurveAffine;
use group::Curve;
use pairing::MultiMillerLoop;
use rand_core::RngCore;

use crate::density::Trackers;
use crate::lengths::{check_assignment, check_parameters, same};
use crate::quotient::quotient;
use crate::sums::{dense, full, in_b, total, Exponents};
use crate::{Assignment, SizedParameters};

/// One proof, randomized by `r` and `s`: [`create_proof_batch`] of one assignment.
///
/// # Errors
/// Those of [`create_proof_batch`].
pub fn create_proof<E, P>(
    densities: &Densities,
    assignment: Assignment<E::Fr>,
    params: P,
    r: E::Fr,
    s: E::Fr,
    spent: impl FnMut(Assignment<E::Fr>),
) -> Result<Proof<E>, SynthesisError>
where
    E: MultiMillerLoop,
    P: SizedParameters<E>,
    E::Fr: GpuName,
    E::G1Affine: GpuName,
    E::G2Affine: GpuName,
{
    let proofs = create_proof_batch(densities, vec![assignment], params, &[r], &[s], spent)?;
    Ok(proofs.into_iter().next().expect("one proof per assignment"))
}

/// One proof, randomized by two scalars from `rng`, of which the first is `r`.
///
/// # Errors
/// Those of [`create_proof_batch`].
pub fn create_random_proof<E, P>(
    densities: &Densities,
    assignment: Assignment<E::Fr>,
    params: P,
    rng: &mut impl RngCore,
    spent: impl FnMut(Assignment<E::Fr>),
) -> Result<Proof<E>, SynthesisError>
where
    E: MultiMillerLoop,
    P: SizedParameters<E>,
    E::Fr: GpuName,
    E::G1Affine: GpuName,
    E::G2Affine: GpuName,
{
    let (r, s) = (E::Fr::random(&mut *rng), E::Fr::random(&mut *rng));
    create_proof(densities, assignment, params, r, s, spent)
}

/// One proof per assignment, randomized by scalars from `rng`: every `r`, then every `s`.
///
/// # Errors
/// Those of [`create_proof_batch`].
pub fn create_random_proof_batch<E, P>(
    densities: &Densities,
    assignments: Vec<Assignment<E::Fr>>,
    params: P,
    rng: &mut impl RngCore,
    spent: impl FnMut(Assignment<E::Fr>),
) -> Result<Vec<Proof<E>>, SynthesisError>
where
    E: MultiMillerLoop,
    P: SizedParameters<E>,
    E::Fr: GpuName,
    E::G1Affine: GpuName,
    E::G2Affine: GpuName,
{
    let mut random = || -> Vec<E::Fr> {
        let scalars = assignments.iter().map(|_| E::Fr::random(&mut *rng));
        scalars.collect()
    };
    let (r, s) = (random(), random());
    create_proof_batch(densities, assignments, params, &r, &s, spent)
}

/// One proof per assignment, the `i`-th randomized by `r[i]` and `s[i]`. The assignments are of one
/// circuit, which has the densities given. Each query of the parameters is read once per batch.
///
/// `spent` gets the vectors of each assignment as soon as they are read, with useless contents, so
/// that their memory can serve the next witness: `drop` frees it.
///
/// Whether the assignments satisfy the circuit is not checked: if one does not, its proof does not
/// verify.
///
/// Call it outside of rayon's global pool: its thread sleeps while tasks run there.
///
/// # Errors
/// `IncompatibleLengthVector`, before any work: parameters, densities and assignments are not of
/// one circuit, or there are more or fewer `r` or `s` than assignments. `UnexpectedIdentity`,
/// before any work: delta of the verifying key is zero, which only an attacker makes.
/// `PolynomialDegreeTooLarge`: the field has no domain for so many rows. Others: the parameters
/// cannot be read, or hold a base that is zero.
pub fn create_proof_batch<E, P>(
    densities: &Densities,
    assignments: Vec<Assignment<E::Fr>>,
    params: P,
    r: &[E::Fr],
    s: &[E::Fr],
    mut spent: impl FnMut(Assignment<E::Fr>),
) -> Result<Vec<Proof<E>>, SynthesisError>
where
    E: MultiMillerLoop,
    P: SizedParameters<E>,
    E::Fr: GpuName,
    E::G1Affine: GpuName,
    E::G2Affine: GpuName,
{
    let Some(first) = assignments.first() else {
        return Ok(Vec::new());
    };
    for (name, scalars) in [("r", r), ("s", s)] {
        same(scalars.len(), assignments.len(), || {
            let (found, expected) = (scalars.len(), assignments.len());
            format!("there are {found} {name} for {expected} assignments")
        })?;
    }
    let rows = first.products.a.len();
    let trackers = Trackers::new(densities)?;
    for assignment in &assignments {
        check_assignment(assignment, densities, rows)?;
    }
    check_parameters(&params, densities, rows)?;
    let (inputs, aux) = (densities.b_input.len, densities.a_aux.len);
    let (inputs_in_b, aux_in_b) = (densities.b_input.total, densities.b_aux.total);
    let key = params.get_vk(inputs)?;
    if (key.delta_g1.is_identity() | key.delta_g2.is_identity()).into() {
        return Err(SynthesisError::UnexpectedIdentity);
    }

    // While one query is in use, the next one is read. One kernel exists at a time, since each
    // holds the GPU.
    let worker = &Worker::new();
    let (bases, exponents) = while_reading(
        || params.get_h(rows),
        || {
            let mut kernel = Some(LockedFftKernel::new(false));
            let mut exponents = Exponents::new();
            for Assignment { witness, products } in assignments {
                let (h, products) = quotient(products, worker, &mut kernel)?;
                exponents.push(&witness, h);
                spent(Assignment { witness, products });
            }
            Ok::<_, SynthesisError>(exponents)
        },
    )?;
    let exponents = exponents?;

    let mut kernel = LockedMultiexpKernel::new(false);
    let (bases, h) = while_reading(
        || params.get_l(aux),
        || [full(bases, &exponents.h, worker, &mut kernel)],
    )?;
    let (bases, l) = while_reading(
        || params.get_a(inputs, densities.a_aux.total),
        || [full(bases, &exponents.aux, worker, &mut kernel)],
    )?;
    let (bases, a) = while_reading(
        || params.get_b_g1(inputs_in_b, aux_in_b),
        || {
            let inputs = full(bases.0, &exponents.inputs, worker, &mut kernel);
            let aux = dense(
                bases.1,
                &trackers.a_aux,
                &exponents.aux,
                worker,
                &mut kernel,
            );
            [inputs, aux]
        },
    )?;
    let (bases, b_g1) = while_reading(
        || params.get_b_g2(inputs_in_b, aux_in_b),
        || in_b(bases, &trackers, &exponents, worker, kernel),
    )?;
    let kernel = LockedMultiexpKernel::new(false);
    let b_g2 = in_b(bases, &trackers, &exponents, worker, kernel);

    let proofs = (0..r.len()).map(|i| {
        let sums = Sums {
            h: total(&h, i)?,
            l: total(&l, i)?,
            a: total(&a, i)?,
            b_g1: total(&b_g1, i)?,
            b_g2: total(&b_g2, i)?,
        };
        Ok(sums.proof(key, r[i], s[i]))
    });
    proofs.collect()
}

/// The sums over each query, for one proof.
struct Sums<E: MultiMillerLoop> {
    h: E::G1,
    l: E::G1,
    a: E::G1,
    b_g1: E::G1,
    b_g2: E::G2,
}

impl<E: MultiMillerLoop> Sums<E> {
    /// The proof that `r` and `s` hide.
    fn proof(self, key: &VerifyingKey<E>, r: E::Fr, s: E::Fr) -> Proof<E> {
        let a = key.delta_g1 * r + key.alpha_g1 + self.a;
        let b = key.delta_g2 * s + key.beta_g2 + self.b_g2;
        // c has s·a + r·b - r·s·delta, with b in G1; this is what no query is in.
        let hidden = key.delta_g1 * (r * s) + key.alpha_g1 * s + key.beta_g1 * r;
        let c = self.a * s + self.b_g1 * r + hidden + self.h + self.l;
        Proof {
            a: a.to_affine(),
            b: b.to_affine(),
            c: c.to_affine(),
        }
    }
}

/// The results of both, which run at the same time.
fn while_reading<T: Send, U>(
    read: impl FnOnce() -> Result<T, SynthesisError> + Send,
    work: impl FnOnce() -> U,
) -> Result<(T, U), SynthesisError> {
    // On a thread of its own, not of rayon's pool, which `work` may keep waiting.
    thread::scope(|scope| {
        let read = scope.spawn(read);
        let done = work();
        let read = read.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        Ok((read, done))
    })
}
