//! A constraint system for tests of circuits: it keeps everything under its name, says which
//! constraint fails, and lets a test set variables to wrong values.

use std::collections::HashMap;

use blake2s_simd::State as Blake2s;
use ff::PrimeField;

use crate::{
    Comparable, Constraint, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable,
};

/// What a path names. Its `Debug` output is part of the messages of panics, and the only reader of
/// the constraint's index.
#[allow(dead_code)]
#[derive(Debug)]
enum NamedObject {
    Constraint(usize),
    Var(Variable),
    Namespace,
}

/// Keeps assignments, constraints and names for a test to inspect.
///
/// Paths are names joined by `/`, from the outermost namespace to the variable or constraint.
/// Every path names one thing only.
///
/// # Panics
///
/// Synthesis panics on a path that exists already, and on a name that contains `/`.
#[derive(Debug)]
pub struct TestConstraintSystem<Scalar: PrimeField> {
    named_objects: HashMap<String, NamedObject>,
    current_namespace: Vec<String>,
    constraints: Vec<Constraint<Scalar>>,
    inputs: Vec<(Scalar, String)>,
    aux: Vec<(Scalar, String)>,
}

impl<Scalar: PrimeField> Default for TestConstraintSystem<Scalar> {
    fn default() -> Self {
        let mut cs = TestConstraintSystem {
            named_objects: HashMap::new(),
            current_namespace: Vec::new(),
            constraints: Vec::new(),
            inputs: vec![(Scalar::ONE, "ONE".to_string())],
            aux: Vec::new(),
        };
        cs.register("ONE".to_string(), NamedObject::Var(Self::one()));
        cs
    }
}

impl<Scalar: PrimeField> TestConstraintSystem<Scalar> {
    /// A system with no variable but the constant one, at the path `ONE`.
    pub fn new() -> Self {
        Self::default()
    }

    /// The values of the public inputs, the constant one first.
    pub fn scalar_inputs(&self) -> Vec<Scalar> {
        self.inputs.iter().map(|(value, _)| *value).collect()
    }

    /// The values of the auxiliary variables.
    pub fn scalar_aux(&self) -> Vec<Scalar> {
        self.aux.iter().map(|(value, _)| *value).collect()
    }

    /// Lines `INPUT path`, then `AUX path`, then the bare paths of the constraints.
    pub fn pretty_print_list(&self) -> Vec<String> {
        let inputs = self
            .inputs
            .iter()
            .map(|(_, path)| format!("INPUT {}", path));
        let aux = self.aux.iter().map(|(_, path)| format!("AUX {}", path));
        let constraints = self.constraints.iter().map(|(_, _, _, path)| path.clone());
        inputs.chain(aux).chain(constraints).collect()
    }

    /// The lines of [`pretty_print_list`](Self::pretty_print_list), without a newline at the end.
    pub fn pretty_print(&self) -> String {
        self.pretty_print_list().join("\n")
    }

    /// A BLAKE2s digest, in hexadecimal, of the numbers of variables and constraints and of all
    /// combinations. Names, values and terms with a zero coefficient don't count.
    pub fn hash(&self) -> String {
        let mut state = Blake2s::new();
        for count in [self.inputs.len(), self.aux.len(), self.constraints.len()] {
            hash_integer(&mut state, count);
        }
        for (a, b, c, _) in &self.constraints {
            for lc in [a, b, c] {
                hash_combination(&mut state, lc);
            }
        }
        state.finalize().to_hex().to_string()
    }

    /// The path of the first constraint that does not hold.
    pub fn which_is_unsatisfied(&self) -> Option<&str> {
        self.constraints
            .iter()
            .find(|(a, b, c, _)| self.eval(a) * self.eval(b) != self.eval(c))
            .map(|(_, _, _, path)| path.as_str())
    }

    /// Whether all constraints hold. Prints the path of the first that does not.
    pub fn is_satisfied(&self) -> bool {
        match self.which_is_unsatisfied() {
            Some(path) => {
                println!("fail: {:?}", path);
                false
            }
            None => true,
        }
    }

    /// The number of constraints.
    pub fn num_constraints(&self) -> usize {
        self.constraints.len()
    }

    /// Replaces the value of the variable at `path`.
    ///
    /// # Panics
    ///
    /// If there is no variable at `path`.
    pub fn set(&mut self, path: &str, to: Scalar) {
        match self.named_objects.get(path) {
            Some(NamedObject::Var(variable)) => match variable.get_unchecked() {
                Index::Input(i) => self.inputs[i].0 = to,
                Index::Aux(i) => self.aux[i].0 = to,
            },
            Some(other) => panic!(
                "tried to set path `{}` to value, but `{:?}` already exists there.",
                path, other
            ),
            None => panic!("no variable exists at path: {}", path),
        }
    }

    /// Whether the public inputs, after the constant one, are those expected.
    ///
    /// # Panics
    ///
    /// If the number of public inputs, without the constant one, is not that of `expected`.
    pub fn verify(&self, expected: &[Scalar]) -> bool {
        assert_eq!(expected.len() + 1, self.inputs.len());
        self.inputs[1..]
            .iter()
            .zip(expected)
            .all(|((value, _), expected)| value == expected)
    }

    /// The number of public inputs, the constant one included.
    pub fn num_inputs(&self) -> usize {
        self.inputs.len()
    }

    /// The value of the public input at `index`.
    ///
    /// # Panics
    ///
    /// If there is none, or if its path is not `path`.
    pub fn get_input(&mut self, index: usize, path: &str) -> Scalar {
        let (value, name) = &self.inputs[index];
        assert_eq!(path, name);
        *value
    }

    /// Values and paths of the public inputs, the constant one first.
    pub fn get_inputs(&self) -> &[(Scalar, String)] {
        &self.inputs
    }

    /// The value of the variable at `path`.
    ///
    /// # Panics
    ///
    /// If there is no variable at `path`.
    pub fn get(&mut self, path: &str) -> Scalar {
        match self.named_objects.get(path) {
            Some(NamedObject::Var(variable)) => self.value_of(*variable),
            Some(other) => panic!(
                "tried to get value of path `{}`, but `{:?}` exists there (not a variable)",
                path, other
            ),
            None => panic!("no variable exists at path: {}", path),
        }
    }

    fn value_of(&self, variable: Variable) -> Scalar {
        match variable.get_unchecked() {
            Index::Input(i) => self.inputs[i].0,
            Index::Aux(i) => self.aux[i].0,
        }
    }

    fn eval(&self, lc: &LinearCombination<Scalar>) -> Scalar {
        lc.iter()
            .map(|(variable, coeff)| self.value_of(variable) * coeff)
            .fold(Scalar::ZERO, |sum, product| sum + product)
    }

    /// The path of something named `name` in the current namespace.
    fn path_of(&self, name: &str) -> String {
        assert!(!name.contains('/'), "'/' is not allowed in names");
        let mut path = String::new();
        for namespace in &self.current_namespace {
            path.push_str(namespace);
            path.push('/');
        }
        path.push_str(name);
        path
    }

    fn register(&mut self, path: String, object: NamedObject) {
        assert!(
            !self.named_objects.contains_key(&path),
            "tried to create object at existing path: {}",
            path
        );
        self.named_objects.insert(path, object);
    }
}

fn hash_integer(state: &mut Blake2s, integer: usize) {
    state.update(&(integer as u64).to_be_bytes());
}

fn hash_combination<Scalar: PrimeField>(state: &mut Blake2s, lc: &LinearCombination<Scalar>) {
    let terms = || lc.iter().filter(|(_, coeff)| !bool::from(coeff.is_zero()));
    hash_integer(state, terms().count());
    for (variable, coeff) in terms() {
        let (kind, index) = match variable.get_unchecked() {
            Index::Input(i) => (b"I", i),
            Index::Aux(i) => (b"A", i),
        };
        let mut repr = coeff.to_repr();
        repr.as_mut().reverse();
        state.update(kind);
        hash_integer(state, index);
        state.update(repr.as_ref());
    }
}

impl<Scalar: PrimeField> Comparable<Scalar> for TestConstraintSystem<Scalar> {
    fn num_inputs(&self) -> usize {
        self.inputs.len()
    }

    fn num_constraints(&self) -> usize {
        self.constraints.len()
    }

    fn inputs(&self) -> Vec<String> {
        self.inputs.iter().map(|(_, path)| path.clone()).collect()
    }

    fn aux(&self) -> Vec<String> {
        self.aux.iter().map(|(_, path)| path.clone()).collect()
    }

    fn constraints(&self) -> &[Constraint<Scalar>] {
        &self.constraints
    }
}

impl<Scalar: PrimeField> ConstraintSystem<Scalar> for TestConstraintSystem<Scalar> {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, annotation: A, f: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        let path = self.path_of(&annotation().into());
        let variable = Variable::new_unchecked(Index::Aux(self.aux.len()));
        self.aux.push((f()?, path.clone()));
        self.register(path, NamedObject::Var(variable));
        Ok(variable)
    }

    fn alloc_input<F, A, AR>(&mut self, annotation: A, f: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        let path = self.path_of(&annotation().into());
        let variable = Variable::new_unchecked(Index::Input(self.inputs.len()));
        self.inputs.push((f()?, path.clone()));
        self.register(path, NamedObject::Var(variable));
        Ok(variable)
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, annotation: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        let path = self.path_of(&annotation().into());
        self.register(
            path.clone(),
            NamedObject::Constraint(self.constraints.len()),
        );
        let a = a(LinearCombination::zero());
        let b = b(LinearCombination::zero());
        let c = c(LinearCombination::zero());
        self.constraints.push((a, b, c, path));
    }

    fn push_namespace<NR, N>(&mut self, name_fn: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        let name = name_fn().into();
        self.register(self.path_of(&name), NamedObject::Namespace);
        self.current_namespace.push(name);
    }

    fn pop_namespace(&mut self) {
        assert!(self.current_namespace.pop().is_some());
    }

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }
}
