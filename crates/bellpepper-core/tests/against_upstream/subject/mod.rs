//! Everything that names one of the two crates, by the name `bp` that the parent module gives it.

use ff::PrimeField;

use super::bp;
use crate::observation::{Place, Terms};

pub mod forwarding;
pub mod interpreter;
pub mod recorder;
pub mod test_cs;
pub mod types;

fn place(variable: bp::Variable) -> Place {
    match variable.get_unchecked() {
        bp::Index::Input(i) => ('I', i),
        bp::Index::Aux(i) => ('A', i),
    }
}

fn terms<F: PrimeField>(lc: &bp::LinearCombination<F>) -> Terms<F> {
    lc.iter()
        .map(|(variable, coeff)| (place(variable), *coeff))
        .collect()
}
