//! The values of the variables, from circuits that have values: no combination is evaluated.
//!
//! Circuits build combinations outside of `enforce` too, hundreds of terms long for SHA-256. Here
//! every variable is the same one, so that each has one term: the witness of a PoRep circuit takes
//! 27% fewer instructions.
//!
//! The repetitions of a circuit share no variables but those before the first. So circuits of one
//! repetition each can be synthesized at once, every one into its own part of the witness.

use bellpepper_core::{
    Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable,
};
use ff::PrimeField;
use rayon::{iter::repeat_n, prelude::*};

use crate::{
    error::{check_len, Error},
    shape::Shape,
};

/// The values of the variables, in the order of their allocation. The first input is the constant
/// one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witness<S> {
    /// The inputs' values.
    pub inputs: Vec<S>,
    /// The auxiliary variables' values.
    pub aux: Vec<S>,
}

impl<S: PrimeField> Shape<S> {
    /// Makes the witness from a circuit with all repetitions, on the current thread. The memory of
    /// `witness` is used again. Constraints are passed over, so whether the witness satisfies them
    /// is not checked. The circuit's values must not depend on which variables its combinations
    /// have; [`check`](Self::check) refuses a circuit whose values do.
    ///
    /// # Errors
    /// There is no memory, before the circuit is synthesized; the circuit's own; it has another
    /// number of variables than the compiled form. `witness` is then of no use.
    pub fn generate<C: Circuit<S>>(
        &self,
        circuit: C,
        witness: &mut Witness<S>,
    ) -> Result<(), Error> {
        self.reserve_witness(witness)?;
        let Witness { inputs, aux } = witness;
        let whole = |vector: &mut Vec<S>| {
            vector.clear();
            Values::whole(std::mem::take(vector))
        };
        let mut variables = Variables {
            inputs: whole(inputs),
            aux: whole(aux),
        };
        variables.inputs.push(S::ONE);
        let synthesized = circuit.synthesize(&mut variables);
        *inputs = variables.inputs.into_whole();
        *aux = variables.aux.into_whole();
        synthesized?;
        check_len("inputs", inputs.len(), self.inputs())?;
        check_len("auxiliaries", aux.len(), self.aux())
    }

    /// Makes the witness from circuits of one repetition each, in their order, on the threads of
    /// the current rayon pool. The memory of `witness` is used again. Each circuit makes the shared
    /// variables as well; the constraints are passed over, so whether the witness satisfies them is
    /// not checked. For values and combinations, [`generate`](Self::generate) has the condition.
    ///
    /// # Errors
    /// There are not as many circuits as repetitions, or there is no memory: both before a circuit
    /// is synthesized. A circuit's own; one has another number of variables than the compiled form
    /// has for it; they differ in the values of the shared variables. `witness` is then of no use.
    pub fn generate_repetitions<C: Circuit<S> + Send>(
        &self,
        circuits: Vec<C>,
        witness: &mut Witness<S>,
    ) -> Result<(), Error> {
        check_len("circuits", circuits.len(), self.repetitions)?;
        let Some(last) = self.repetitions.checked_sub(1) else {
            return Err(Error::NoCircuit);
        };
        self.reserve_witness(witness)?;
        let Witness { inputs, aux } = witness;
        set_len(inputs, self.inputs());
        set_len(aux, self.aux());

        let (prefix, block) = (self.prefix(), self.block());
        let (shared_inputs, own_inputs) = inputs.split_at_mut(prefix.inputs);
        let (shared_aux, own_aux) = aux.split_at_mut(prefix.aux);
        let shared: Vec<[Vec<S>; 2]> = circuits
            .into_par_iter()
            .zip(parts(own_inputs, block.inputs, last + 1))
            .zip(parts(own_aux, block.aux, last + 1))
            .map(|((circuit, inputs), aux)| {
                let mut variables = Variables {
                    inputs: Values::part(prefix.inputs, inputs),
                    aux: Values::part(prefix.aux, aux),
                };
                variables.inputs.push(S::ONE);
                circuit.synthesize(&mut variables)?;
                let Variables { inputs, aux } = variables;
                let expected = prefix.inputs + block.inputs;
                check_len(
                    "inputs in a circuit of one repetition",
                    inputs.len,
                    expected,
                )?;
                let expected = prefix.aux + block.aux;
                check_len(
                    "auxiliaries in a circuit of one repetition",
                    aux.len,
                    expected,
                )?;
                Ok([inputs.shared, aux.shared])
            })
            .collect::<Result<_, Error>>()?;
        if let Some(circuit) = shared.iter().position(|values| *values != shared[0]) {
            return Err(Error::SharedVariables { circuit });
        }
        shared_inputs.copy_from_slice(&shared[0][0]);
        shared_aux.copy_from_slice(&shared[0][1]);
        Ok(())
    }
}

/// Gives a vector with room for it a length. Fresh memory is touched first on all threads; values
/// that are there already will be overwritten.
pub(crate) fn set_len<S: PrimeField>(vector: &mut Vec<S>, len: usize) {
    vector.truncate(len);
    vector.par_extend(repeat_n(S::ZERO, len - vector.len()));
}

/// The first `number` parts of `size` values each.
fn parts<S>(mut values: &mut [S], size: usize, number: usize) -> Vec<&mut [S]> {
    let parts = (0..number).map(|_| {
        let part;
        (part, values) = std::mem::take(&mut values).split_at_mut(size);
        part
    });
    parts.collect()
}

/// The values of one kind of variables.
struct Values<'a, S> {
    /// How many were pushed, whether or not there was a place for them.
    len: usize,
    /// The first so many are kept apart: those of the variables that repetitions share.
    shared_len: usize,
    shared: Vec<S>,
    /// All others.
    own: Own<'a, S>,
}

/// Where values go: a vector that grows, or a repetition's part of one.
enum Own<'a, S> {
    Whole(Vec<S>),
    Part(&'a mut [S]),
}

impl<'a, S: PrimeField> Values<'a, S> {
    fn whole(vector: Vec<S>) -> Self {
        Values {
            len: 0,
            shared_len: 0,
            shared: Vec::new(),
            own: Own::Whole(vector),
        }
    }

    fn part(shared_len: usize, own: &'a mut [S]) -> Self {
        Values {
            len: 0,
            shared_len,
            shared: Vec::with_capacity(shared_len),
            own: Own::Part(own),
        }
    }

    #[inline]
    fn push(&mut self, value: S) {
        if self.len < self.shared_len {
            self.shared.push(value);
        } else {
            match &mut self.own {
                Own::Whole(vector) => vector.push(value),
                Own::Part(part) => {
                    if let Some(place) = part.get_mut(self.len - self.shared_len) {
                        *place = value;
                    }
                }
            }
        }
        self.len += 1;
    }

    /// The values in a vector. Those in a part are in the witness already.
    fn as_whole(&self) -> &[S] {
        match &self.own {
            Own::Whole(vector) => vector,
            Own::Part(_) => &[],
        }
    }

    fn into_whole(self) -> Vec<S> {
        match self.own {
            Own::Whole(vector) => vector,
            Own::Part(_) => Vec::new(),
        }
    }
}

/// Every variable that a circuit gets.
const ANY: Variable = Variable(Index::Aux(0));

/// The constraint system that keeps values.
struct Variables<'a, S> {
    inputs: Values<'a, S>,
    aux: Values<'a, S>,
}

impl<S: PrimeField> ConstraintSystem<S> for Variables<'_, S> {
    type Root = Self;

    fn new() -> Self {
        Variables {
            inputs: Values::whole(Vec::new()),
            aux: Values::whole(Vec::new()),
        }
    }

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<S, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux.push(value()?);
        Ok(ANY)
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<S, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs.push(value()?);
        Ok(ANY)
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, _: LA, _: LB, _: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
        LB: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
        LC: FnOnce(LinearCombination<S>) -> LinearCombination<S>,
    {
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }

    /// As a prover answers, since circuits may take another way by it.
    fn is_extensible() -> bool {
        true
    }

    /// The other was made by `new`. Its first input is its own constant one.
    fn extend(&mut self, other: &Self) {
        for value in other.inputs.as_whole().iter().skip(1) {
            self.inputs.push(*value);
        }
        for value in other.aux.as_whole() {
            self.aux.push(*value);
        }
    }
}
