//! What a circuit has: the numbers of its rows and variables, and the name of a row. Neither values
//! nor combinations are asked for.

use bellpepper_core::{
    Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable,
};
use ff::PrimeField;

use crate::block::Counts;

impl Counts {
    /// Counts `circuit`: the constant one is among the inputs, closing rows are not among the rows.
    /// None of the closures that give values, combinations or names is called, and nothing is kept.
    ///
    /// # Errors
    /// The circuit's own.
    pub fn of<S: PrimeField>(circuit: impl Circuit<S>) -> Result<Self, SynthesisError> {
        let mut counter = Counter::naming(None);
        circuit.synthesize(&mut counter)?;
        Ok(counter.counts)
    }
}

/// The name of `row` of `circuit`, with its namespaces. None where the row has no name of its own,
/// was made by a constraint system that the circuit joined to its own, or is not there.
pub(crate) fn name_of_row<S: PrimeField>(circuit: impl Circuit<S>, row: usize) -> Option<String> {
    let mut counter = Counter::naming(Some(row));
    // The circuit went through before; if it fails now, there is no name.
    circuit.synthesize(&mut counter).ok()?;
    counter.name.filter(|name| !name.is_empty())
}

/// Counts, and follows the names up to one row.
struct Counter {
    counts: Counts,
    /// The row whose name is wanted. None in a part that is to be joined, since it is not known
    /// where the part's rows will be.
    row: Option<usize>,
    namespaces: Vec<String>,
    name: Option<String>,
}

impl Counter {
    /// Has the constant one, as a prover has before the circuit.
    fn naming(row: Option<usize>) -> Self {
        Counter {
            counts: Counts {
                inputs: 1,
                ..Counts::default()
            },
            row,
            namespaces: Vec::new(),
            name: None,
        }
    }
}

impl<S: PrimeField> ConstraintSystem<S> for Counter {
    type Root = Self;

    fn new() -> Self {
        Counter {
            counts: Counts::default(),
            ..Counter::naming(None)
        }
    }

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<S, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.counts.aux += 1;
        Ok(Variable(Index::Aux(self.counts.aux - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<S, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.counts.inputs += 1;
        Ok(Variable(Index::Input(self.counts.inputs - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, annotation: A, _: LA, _: LB, _: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
        LB: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
        LC: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
    {
        if self.row == Some(self.counts.rows) {
            let own = annotation().into();
            let names = self.namespaces.iter().map(String::as_str);
            let names: Vec<&str> = names.chain([&own[..]]).collect();
            self.name = Some(names.join("/"));
        }
        self.counts.rows += 1;
    }

    fn push_namespace<NR, N>(&mut self, name: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        let is_wanted = self.row.is_some_and(|row| self.counts.rows <= row);
        let name = is_wanted.then(|| name().into());
        self.namespaces.push(name.unwrap_or_default());
    }

    fn pop_namespace(&mut self) {
        self.namespaces.pop();
    }

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }

    /// As a prover answers, since circuits may take another way by it.
    fn is_extensible() -> bool {
        true
    }

    /// The other was made by `new`. Its first input is its own constant one.
    fn extend(&mut self, other: &Self) {
        self.counts.rows += other.counts.rows;
        self.counts.inputs += other.counts.inputs.saturating_sub(1);
        self.counts.aux += other.counts.aux;
    }
}
