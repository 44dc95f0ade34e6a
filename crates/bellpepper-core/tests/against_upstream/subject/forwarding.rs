//! Constraint systems that leave a trace of every call: called directly, by reference and through
//! namespaces, to see which methods each of these passes on.

use std::fmt::Debug;

use blstrs::Scalar;
use ff::Field;

use super::{bp, place};
use crate::observation::panic_message;
use bp::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};

/// The outcomes of a list of calls, and the trace that they left.
pub type Trace = (Vec<Result<String, String>>, Vec<String>);

macro_rules! required_methods {
    () => {
        type Root = Self;

        fn alloc<F, A, AR>(&mut self, annotation: A, f: F) -> Result<Variable, SynthesisError>
        where
            F: FnOnce() -> Result<Scalar, SynthesisError>,
            A: FnOnce() -> AR,
            AR: Into<String>,
        {
            self.0
                .push(format!("alloc {} {:?}", annotation().into(), f()?));
            Ok(Variable::new_unchecked(Index::Aux(self.0.len())))
        }

        fn alloc_input<F, A, AR>(&mut self, annotation: A, f: F) -> Result<Variable, SynthesisError>
        where
            F: FnOnce() -> Result<Scalar, SynthesisError>,
            A: FnOnce() -> AR,
            AR: Into<String>,
        {
            self.0
                .push(format!("alloc_input {} {:?}", annotation().into(), f()?));
            Ok(Variable::new_unchecked(Index::Input(self.0.len())))
        }

        fn enforce<A, AR, LA, LB, LC>(&mut self, annotation: A, a: LA, b: LB, c: LC)
        where
            A: FnOnce() -> AR,
            AR: Into<String>,
            LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
            LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
            LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        {
            let empty = LinearCombination::zero;
            let lens = [a(empty()), b(empty()), c(empty())].map(|lc| lc.len());
            self.0
                .push(format!("enforce {} {:?}", annotation().into(), lens));
        }

        fn push_namespace<NR, N>(&mut self, name_fn: N)
        where
            NR: Into<String>,
            N: FnOnce() -> NR,
        {
            self.0.push(format!("push {}", name_fn().into()));
        }

        fn pop_namespace(&mut self) {
            self.0.push("pop".to_string());
        }

        fn get_root(&mut self) -> &mut Self {
            self
        }
    };
}

/// Has only what every constraint system must have.
#[derive(Debug, Default)]
struct Bare(Vec<String>);

impl ConstraintSystem<Scalar> for Bare {
    required_methods!();
}

/// Says that it generates witnesses, but has no method for it.
#[derive(Debug, Default)]
struct BareWitness(Vec<String>);

impl ConstraintSystem<Scalar> for BareWitness {
    required_methods!();

    fn is_witness_generator(&self) -> bool {
        true
    }
}

/// Has every method.
#[derive(Debug, Default)]
struct Full(Vec<String>, [Scalar; 3], [Scalar; 2]);

impl ConstraintSystem<Scalar> for Full {
    required_methods!();

    fn new() -> Self {
        Self::default()
    }

    fn one() -> Variable {
        Variable::new_unchecked(Index::Aux(11))
    }

    fn is_extensible() -> bool {
        true
    }

    fn extend(&mut self, other: &Self) {
        self.0.push(format!("extend by {:?}", other.0));
    }

    fn is_witness_generator(&self) -> bool {
        true
    }

    fn extend_inputs(&mut self, new_inputs: &[Scalar]) {
        self.0.push(format!("extend_inputs {:?}", new_inputs));
    }

    fn extend_aux(&mut self, new_aux: &[Scalar]) {
        self.0.push(format!("extend_aux {:?}", new_aux));
    }

    fn allocate_empty(&mut self, aux_n: usize, inputs_n: usize) -> (&mut [Scalar], &mut [Scalar]) {
        self.0
            .push(format!("allocate_empty {} {}", aux_n, inputs_n));
        (&mut self.1, &mut self.2)
    }

    fn allocate_empty_inputs(&mut self, n: usize) -> &mut [Scalar] {
        self.0.push(format!("allocate_empty_inputs {}", n));
        &mut self.2
    }

    fn allocate_empty_aux(&mut self, n: usize) -> &mut [Scalar] {
        self.0.push(format!("allocate_empty_aux {}", n));
        &mut self.1
    }

    fn inputs_slice(&self) -> &[Scalar] {
        &self.2
    }

    fn aux_slice(&self) -> &[Scalar] {
        &self.1
    }
}

/// Calls every method once.
fn call_all<CS: ConstraintSystem<Scalar>>(cs: &mut CS, other: &CS) -> Vec<Result<String, String>> {
    fn outcome<T: Debug>(call: impl FnOnce() -> T) -> Result<String, String> {
        panic_message(|| format!("{:?}", call()))
    }
    let (one, two) = (Scalar::ONE, Scalar::from(2));
    let variable = Variable::new_unchecked(Index::Aux(5));
    vec![
        outcome(|| place(CS::one())),
        outcome(CS::is_extensible),
        outcome(|| drop(CS::new())),
        outcome(|| cs.alloc(|| "aux", || Ok(one)).map(place)),
        outcome(|| cs.alloc_input(|| "input", || Ok(two)).map(place)),
        outcome(|| {
            cs.alloc(|| "error", || Err(SynthesisError::Unsatisfiable))
                .map(place)
        }),
        outcome(|| {
            cs.enforce(
                || "constraint",
                |lc| lc + variable,
                |lc| lc,
                |lc| lc - CS::one(),
            )
        }),
        outcome(|| cs.get_root().alloc(|| "aux of root", || Ok(one)).map(place)),
        outcome(|| cs.push_namespace(|| "pushed")),
        outcome(|| cs.pop_namespace()),
        outcome(|| {
            cs.namespace(|| "space")
                .alloc(|| "aux", || Ok(one))
                .map(place)
        }),
        outcome(|| {
            let mut outer = cs.namespace(|| "outer");
            let mut inner = outer.namespace(|| "inner");
            inner.alloc(|| "aux", || Ok(two)).map(place)
        }),
        outcome(|| cs.extend(other)),
        outcome(|| cs.is_witness_generator()),
        outcome(|| cs.extend_inputs(&[one, two])),
        outcome(|| cs.extend_aux(&[two])),
        outcome(|| {
            let (aux, inputs) = cs.allocate_empty(3, 2);
            aux[2] = two;
            inputs[0] = one;
            (aux.len(), inputs.len())
        }),
        outcome(|| cs.allocate_empty_inputs(2)[1] = two),
        outcome(|| cs.allocate_empty_aux(3)[0] = one),
        outcome(|| cs.inputs_slice().to_vec()),
        outcome(|| cs.aux_slice().to_vec()),
    ]
}

/// Calls every method of every kind of constraint system, in every way to reach it.
pub fn traces() -> Vec<Trace> {
    let mut traces = Vec::new();
    macro_rules! trace {
        ($kind:ty) => {
            let mut other = <$kind>::default();
            other.0.push("other".to_string());
            let mut other_by_reference = <$kind>::default();
            let other_by_reference = &mut other_by_reference;

            let mut cs = <$kind>::default();
            traces.push((call_all(&mut cs, &other), cs.0));

            let mut cs = <$kind>::default();
            traces.push((call_all(&mut &mut cs, &other_by_reference), cs.0));

            let mut cs = <$kind>::default();
            let outcomes = call_all(&mut cs.namespace(|| "a"), &other.namespace(|| "b"));
            traces.push((outcomes, cs.0));

            let mut cs = <$kind>::default();
            let outcomes = {
                let mut outer = cs.namespace(|| "outer");
                let outcomes = call_all(&mut outer.namespace(|| "a"), &other.namespace(|| "b"));
                outcomes
            };
            traces.push((outcomes, cs.0));

            let mut cs = <$kind>::default();
            let outcomes = {
                let mut namespace = cs.namespace(|| "a");
                let mut other_namespace = other.namespace(|| "b");
                let outcomes = call_all(&mut &mut namespace, &&mut other_namespace);
                outcomes
            };
            traces.push((outcomes, cs.0));
        };
    }
    trace!(Bare);
    trace!(BareWitness);
    trace!(Full);
    traces
}

/// A namespace shows what it borrows.
pub fn debug_of_namespace() -> String {
    format!("{:?}", Bare::default().namespace(|| "a"))
}
