//! The terms of a combination, in a storage of any kind: which operation is done where.

use ff::Field;

use super::coeff::{multiply, negate};
use super::iter::{Aux, Inputs};
use super::scaled::{with_products, WORD};
use super::storage::{Runs, Storage};
use super::term::{Kind, Term};

/// The terms of one combination. Within each kind, keys ascend and none comes twice.
#[derive(Clone, Default)]
pub(crate) struct Terms<St>(pub(super) St);

impl<St: Storage> Terms<St> {
    #[inline(always)]
    pub fn of_term(kind: Kind, key: usize, coeff: &St::Scalar) -> Self {
        Terms(St::of_term(kind, key, coeff))
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        let (front, back) = self.0.aux();
        front.len() + back.len() + self.0.inputs().len()
    }

    #[inline(always)]
    pub fn inputs(&self) -> Inputs<'_, St> {
        Inputs::over(&self.0)
    }

    #[inline(always)]
    pub fn aux(&self) -> Aux<'_, St::Scalar> {
        Aux::over(&self.0)
    }

    /// All terms, inputs first, each kind ascending.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Kind, usize, &mut St::Scalar)> + '_ {
        let ((front, back), inputs) = self.0.runs_mut();
        let mut inputs = inputs.iter_mut();
        let inputs = std::iter::from_fn(move || match St::INPUTS_ASCEND {
            true => inputs.next(),
            false => inputs.next_back(),
        });
        let inputs = inputs.map(|(key, coeff)| (Kind::Input, *key, coeff));
        let aux = front.iter_mut().chain(back);
        inputs.chain(aux.map(|(key, coeff)| (Kind::Aux, *key, coeff)))
    }

    /// Whether there is no term at all.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The term, if there is just one: `Boolean::lc` makes such, the commonest operands of all.
    #[inline(always)]
    fn single(&self) -> Option<(Kind, &Term<St::Scalar>)> {
        match (self.0.aux(), self.0.inputs()) {
            (([term], []), []) => Some((Kind::Aux, term)),
            (([], []), [term]) => Some((Kind::Input, term)),
            _ => None,
        }
    }

    /// Adds all terms of another combination.
    #[inline(always)]
    pub fn add(&mut self, other: &Self) {
        match other.single() {
            Some((kind, (key, coeff))) => self.add_term(kind, *key, coeff),
            None => self.merge(other, |_| ()),
        }
    }

    /// Subtracts all terms of another combination.
    #[inline(always)]
    pub fn sub(&mut self, other: &Self) {
        match other.single() {
            Some((kind, (key, coeff))) => self.add_term(kind, *key, &negate::<St>(*coeff)),
            None => self.merge(other, |coeff| *coeff = negate::<St>(*coeff)),
        }
    }

    /// Adds `scale` times all terms of another combination.
    pub fn add_scaled(&mut self, scale: St::Scalar, other: &Self) {
        if other.is_empty() {
            return;
        }
        let minus_one = St::minus_one();
        if scale == St::Scalar::ONE {
            self.add(other)
        } else if scale == minus_one {
            self.sub(other)
        } else if let Some((kind, (key, coeff))) = other.single() {
            let mut coeff = *coeff;
            multiply(&mut coeff, &scale, &minus_one);
            self.add_term(kind, *key, &coeff)
        } else if other.len() <= WORD {
            self.merge(other, |coeff| multiply(coeff, &scale, &minus_one))
        } else {
            with_products(scale, |products| {
                self.merge(other, |coeff| products.multiply(coeff, &minus_one))
            })
        }
    }

    /// Multiplies each coefficient by `scale`.
    pub fn scale(&mut self, scale: St::Scalar) {
        let minus_one = St::minus_one();
        for (_, _, coeff) in self.iter_mut() {
            multiply(coeff, &scale, &minus_one);
        }
    }
}

impl<St: Storage> PartialEq for Terms<St> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        // The inputs first, from the constant one on: a difference there is found as soon as
        // upstream finds it.
        same_inputs(&self.0, &other.0)
            && match (self.0.aux(), other.0.aux()) {
                ((terms, []), (others, [])) => terms == others,
                (runs, other_runs) => same_terms(runs, other_runs),
            }
    }
}

#[inline(always)]
fn same_inputs<St: Storage>(one: &St, other: &St) -> bool {
    let (inputs, others) = (one.inputs(), other.inputs());
    match St::INPUTS_ASCEND {
        true => inputs == others,
        false => {
            let mut pairs = inputs.iter().zip(others).rev();
            inputs.len() == others.len() && pairs.all(|(input, other)| input == other)
        }
    }
}

/// Whether two lists have the same terms, wherever their gaps are.
#[inline(never)]
fn same_terms<S: PartialEq>((front, back): Runs<'_, S>, other: Runs<'_, S>) -> bool {
    let (other_front, other_back) = other;
    if front.len() > other_front.len() {
        return same_terms(other, (front, back));
    }
    let (beside_front, beside_back) = other_front.split_at(front.len());
    back.len() == beside_back.len() + other_back.len()
        && front == beside_front
        && back.starts_with(beside_back)
        && back.ends_with(other_back)
}
