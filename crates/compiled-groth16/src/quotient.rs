//! The quotient H = (A·B - C) / Z, where Z is the polynomial that is zero on every row.

use std::sync::Arc;

use bellperson::domain::EvaluationDomain;
use bellperson::gpu::{GpuName, LockedFftKernel};
use bellperson::SynthesisError;
use compiled_constraints::Products;
use ec_gpu_gen::threadpool::Worker;
use ff::PrimeField;
use rayon::prelude::*;

/// The coefficients of the quotient, in canonical form, one fewer than the domain has points, and
/// the vectors that held the products, for another use.
///
/// # Errors
/// The field has no domain for so many rows.
#[allow(clippy::type_complexity)]
pub(crate) fn quotient<S: PrimeField + GpuName>(
    products: Products<S>,
    worker: &Worker,
    kernel: &mut Option<LockedFftKernel<S>>,
) -> Result<(Arc<Vec<S::Repr>>, Products<S>), SynthesisError> {
    let Products { a, b, c } = products;
    let mut a = EvaluationDomain::from_coeffs(a)?;
    let mut b = EvaluationDomain::from_coeffs(b)?;
    let mut c = EvaluationDomain::from_coeffs(c)?;

    // Z is zero on the rows' own domain, so the division takes place on a coset of it.
    EvaluationDomain::ifft_many(&mut [&mut a, &mut b, &mut c], worker, kernel)?;
    EvaluationDomain::coset_fft_many(&mut [&mut a, &mut b, &mut c], worker, kernel)?;
    a.mul_assign(worker, &b);
    a.sub_assign(worker, &c);
    a.divide_by_z_on_coset(worker);
    a.icoset_fft(worker, kernel)?;

    // The quotient's degree is two less than the number of points: its last coefficient is zero.
    let h = a.as_ref();
    let h = h[..h.len() - 1].par_iter().map(S::to_repr).collect();
    let spent = Products {
        a: a.into_coeffs(),
        b: b.into_coeffs(),
        c: c.into_coeffs(),
    };
    Ok((Arc::new(h), spent))
}
