//! The value under an assignment.

use ff::Field;

use super::coeff::{add_product, multiply};
use super::storage::Storage;
use super::terms::Terms;

impl<St: Storage> Terms<St> {
    /// The sum of each coefficient times its variable's value.
    ///
    /// Panics if a key is not below the length of its assignment.
    pub fn eval(&self, inputs: &[St::Scalar], aux: &[St::Scalar]) -> St::Scalar {
        match (self.0.aux(), self.0.inputs()) {
            (([], []), []) => St::Scalar::ZERO,
            // Nearly all: auxiliaries without a gap. The first product is the sum so far.
            (([(key, coeff), rest @ ..], []), []) => {
                let minus_one = St::minus_one();
                let mut sum = *coeff;
                multiply(&mut sum, &aux[*key], &minus_one);
                for (key, coeff) in rest {
                    add_product(&mut sum, coeff, &aux[*key], &minus_one);
                }
                sum
            }
            _ => self.eval_all(inputs, aux),
        }
    }

    /// [`eval`](Self::eval) of whichever terms there are.
    #[inline(never)]
    fn eval_all(&self, inputs: &[St::Scalar], aux: &[St::Scalar]) -> St::Scalar {
        let minus_one = St::minus_one();
        let mut sum = St::Scalar::ZERO;
        for (key, coeff) in self.inputs() {
            add_product(&mut sum, coeff, &inputs[*key], &minus_one);
        }
        for (key, coeff) in self.aux() {
            add_product(&mut sum, coeff, &aux[*key], &minus_one);
        }
        sum
    }
}
