//! The name of a row, for an error that speaks of it.

use bellpepper_core::{
    Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable,
};
use ff::PrimeField;

/// The name of `row` of `circuit`, with its namespaces. None where the row has no name of its own,
/// was made by a constraint system that the circuit joined to its own, or is not there.
pub(crate) fn of_row<S: PrimeField>(circuit: impl Circuit<S>, row: usize) -> Option<String> {
    let mut namer = Namer {
        row: Some(row),
        ..<Namer as ConstraintSystem<S>>::new()
    };
    namer.inputs = 1;
    // The circuit went through before; if it fails now, there is no name.
    circuit.synthesize(&mut namer).ok()?;
    namer.name.filter(|name| !name.is_empty())
}

/// Follows the names up to one row.
struct Namer {
    /// None in a part that is to be joined, of which it is unknown where its rows will be.
    row: Option<usize>,
    rows: usize,
    inputs: usize,
    aux: usize,
    namespaces: Vec<String>,
    name: Option<String>,
}

impl<S: PrimeField> ConstraintSystem<S> for Namer {
    type Root = Self;

    fn new() -> Self {
        Namer {
            row: None,
            rows: 0,
            inputs: 0,
            aux: 0,
            namespaces: Vec::new(),
            name: None,
        }
    }

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<S, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux += 1;
        Ok(Variable(Index::Aux(self.aux - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<S, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs += 1;
        Ok(Variable(Index::Input(self.inputs - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, annotation: A, _: LA, _: LB, _: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
        LB: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
        LC: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
    {
        if self.row == Some(self.rows) {
            let own = annotation().into();
            let names = self.namespaces.iter().map(String::as_str);
            let names: Vec<&str> = names.chain([&own[..]]).collect();
            self.name = Some(names.join("/"));
        }
        self.rows += 1;
    }

    fn push_namespace<NR, N>(&mut self, name: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        if self.row.is_some_and(|row| self.rows <= row) {
            self.namespaces.push(name().into());
        } else {
            self.namespaces.push(String::new());
        }
    }

    fn pop_namespace(&mut self) {
        self.namespaces.pop();
    }

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }

    fn is_extensible() -> bool {
        true
    }

    fn extend(&mut self, other: &Self) {
        self.rows += other.rows;
        self.inputs += other.inputs.saturating_sub(1);
        self.aux += other.aux;
    }
}
