//! The interface between circuits and whatever consumes them: a circuit allocates variables in a
//! constraint system and states constraints on them. What becomes of these (parameters, a proof,
//! a check in a test) is left to the implementations, here and in the provers.

use ff::PrimeField;

use crate::{Index, LinearCombination, Namespace, SynthesisError, Variable};

/// A computation that can be written as a rank-1 constraint system over `Scalar`.
pub trait Circuit<Scalar: PrimeField> {
    /// Allocates the circuit's variables in `cs` and states its constraints there.
    ///
    /// The order of the calls is part of the circuit: it must not depend on the assignment, since
    /// parameters are made without one.
    ///
    /// # Errors
    ///
    /// [`SynthesisError::AssignmentMissing`] when `cs` asks for values that the circuit was not
    /// given, and what else the circuit documents.
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError>;
}

/// A rank-1 constraint system under construction.
///
/// Variables are numbered in the order of their allocation, public inputs and auxiliary (private)
/// variables apart. Input 0 is the constant one. Every variable, constraint and namespace has a
/// name, unique in its namespace; implementations that have no use for names never call the
/// closures that make them, nor need they call those for values or for combinations.
pub trait ConstraintSystem<Scalar: PrimeField>: Sized + Send {
    /// The constraint system below all namespaces, so that a namespace in a namespace is no
    /// deeper a type than the first one.
    type Root: ConstraintSystem<Scalar>;

    /// Makes an empty constraint system.
    ///
    /// # Panics
    ///
    /// Unless the implementation provides it; [extensible](Self::is_extensible) ones must.
    fn new() -> Self {
        unimplemented!(
            "ConstraintSystem::new must be implemented for extensible types implementing ConstraintSystem"
        );
    }

    /// The variable that is always one: input 0.
    #[inline]
    fn one() -> Variable {
        Variable::new_unchecked(Index::Input(0))
    }

    /// Allocates an auxiliary variable with the value that `f` computes, and the name that
    /// `annotation` gives.
    ///
    /// # Errors
    ///
    /// Those of `f`, where the implementation wants values.
    fn alloc<F, A, AR>(&mut self, annotation: A, f: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>;

    /// Allocates a public input with the value that `f` computes, and the name that `annotation`
    /// gives.
    ///
    /// # Errors
    ///
    /// Those of `f`, where the implementation wants values.
    fn alloc_input<F, A, AR>(&mut self, annotation: A, f: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>;

    /// States that A · B = C, under the name that `annotation` gives.
    ///
    /// Each of `a`, `b` and `c` is handed a combination to add its terms to (an empty one, unless
    /// the implementation says otherwise) and returns the one that counts.
    fn enforce<A, AR, LA, LB, LC>(&mut self, annotation: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>;

    /// Opens a namespace. For implementations; circuits call [`namespace`](Self::namespace),
    /// which also closes it.
    fn push_namespace<NR, N>(&mut self, name_fn: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR;

    /// Closes the namespace that was opened last. For implementations, as
    /// [`push_namespace`](Self::push_namespace) is.
    fn pop_namespace(&mut self);

    /// The constraint system below all namespaces. For implementations.
    fn get_root(&mut self) -> &mut Self::Root;

    /// Opens a namespace, which lasts until the returned guard is dropped.
    #[inline]
    fn namespace<NR, N>(&mut self, name_fn: N) -> Namespace<'_, Scalar, Self::Root>
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        Namespace::open(self.get_root(), name_fn)
    }

    /// Whether [`new`](Self::new) and [`extend`](Self::extend) are provided, so that parts of a
    /// circuit may be synthesized apart and joined.
    fn is_extensible() -> bool {
        false
    }

    /// Appends another constraint system's inputs (without its one), auxiliary variables and
    /// constraints, as if they had been synthesized here.
    ///
    /// This is for circuits whose parts share no variable: each part is synthesized on a thread of
    /// its own, and the results are joined in the order in which one thread would have made them.
    ///
    /// # Panics
    ///
    /// Unless the implementation provides it; see [`is_extensible`](Self::is_extensible).
    fn extend(&mut self, _other: &Self) {
        unimplemented!(
            "ConstraintSystem::extend must be implemented for types implementing ConstraintSystem"
        );
    }

    /// Whether only the assignment is of interest. A circuit may then skip its constraints, and
    /// write values straight into the assignment with the methods below.
    fn is_witness_generator(&self) -> bool {
        false
    }

    /// Appends public inputs with these values.
    ///
    /// # Panics
    ///
    /// Unless this is a [witness generator](Self::is_witness_generator) that provides it.
    fn extend_inputs(&mut self, _new_inputs: &[Scalar]) {
        assert!(self.is_witness_generator());
        unimplemented!("ConstraintSystem::extend_inputs must be implemented for witness generators implementing ConstraintSystem")
    }

    /// Appends auxiliary variables with these values.
    ///
    /// # Panics
    ///
    /// Unless this is a [witness generator](Self::is_witness_generator) that provides it.
    fn extend_aux(&mut self, _new_aux: &[Scalar]) {
        assert!(self.is_witness_generator());
        unimplemented!("ConstraintSystem::extend_aux must be implemented for witness generators implementing ConstraintSystem")
    }

    /// Appends `aux_n` auxiliary variables and `inputs_n` public inputs, and returns the places
    /// for their values: auxiliaries first, then inputs.
    ///
    /// # Panics
    ///
    /// Unless this is a [witness generator](Self::is_witness_generator) that provides it.
    fn allocate_empty(
        &mut self,
        _aux_n: usize,
        _inputs_n: usize,
    ) -> (&mut [Scalar], &mut [Scalar]) {
        assert!(self.is_witness_generator());
        unimplemented!("ConstraintSystem::allocate_empty must be implemented for witness generators implementing ConstraintSystem")
    }

    /// Appends `n` public inputs and returns the places for their values.
    ///
    /// # Panics
    ///
    /// Unless this is a [witness generator](Self::is_witness_generator) that provides it.
    fn allocate_empty_inputs(&mut self, _n: usize) -> &mut [Scalar] {
        assert!(self.is_witness_generator());
        unimplemented!("ConstraintSystem::allocate_empty_inputs must be implemented for witness generators implementing ConstraintSystem")
    }

    /// Appends `n` auxiliary variables and returns the places for their values.
    ///
    /// # Panics
    ///
    /// Unless this is a [witness generator](Self::is_witness_generator) that provides it.
    fn allocate_empty_aux(&mut self, _n: usize) -> &mut [Scalar] {
        assert!(self.is_witness_generator());
        unimplemented!("ConstraintSystem::allocate_empty_aux must be implemented for witness generators implementing ConstraintSystem")
    }

    /// The values of all public inputs so far, the constant one included.
    ///
    /// # Panics
    ///
    /// Unless this is a [witness generator](Self::is_witness_generator) that provides it.
    fn inputs_slice(&self) -> &[Scalar] {
        assert!(self.is_witness_generator());
        unimplemented!("ConstraintSystem::inputs_slice must be implemented for witness generators implementing ConstraintSystem")
    }

    /// The values of all auxiliary variables so far.
    ///
    /// # Panics
    ///
    /// Unless this is a [witness generator](Self::is_witness_generator) that provides it.
    fn aux_slice(&self) -> &[Scalar] {
        assert!(self.is_witness_generator());
        unimplemented!("ConstraintSystem::aux_slice must be implemented for witness generators implementing ConstraintSystem")
    }
}

/// A borrowed constraint system is one too: gadgets take theirs by value, and a caller keeps its
/// own by lending it. Everything but [`new`](ConstraintSystem::new) is passed on.
impl<Scalar: PrimeField, CS: ConstraintSystem<Scalar>> ConstraintSystem<Scalar> for &mut CS {
    type Root = CS::Root;

    #[inline]
    fn one() -> Variable {
        CS::one()
    }

    #[inline]
    fn alloc<F, A, AR>(&mut self, annotation: A, f: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        CS::alloc(self, annotation, f)
    }

    #[inline]
    fn alloc_input<F, A, AR>(&mut self, annotation: A, f: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        CS::alloc_input(self, annotation, f)
    }

    #[inline]
    fn enforce<A, AR, LA, LB, LC>(&mut self, annotation: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        CS::enforce(self, annotation, a, b, c)
    }

    #[inline]
    fn push_namespace<NR, N>(&mut self, name_fn: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        CS::push_namespace(self, name_fn)
    }

    #[inline]
    fn pop_namespace(&mut self) {
        CS::pop_namespace(self)
    }

    #[inline]
    fn get_root(&mut self) -> &mut Self::Root {
        CS::get_root(self)
    }

    #[inline]
    fn namespace<NR, N>(&mut self, name_fn: N) -> Namespace<'_, Scalar, Self::Root>
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        CS::namespace(self, name_fn)
    }

    fn is_extensible() -> bool {
        CS::is_extensible()
    }

    fn extend(&mut self, other: &Self) {
        CS::extend(self, other)
    }

    #[inline]
    fn is_witness_generator(&self) -> bool {
        CS::is_witness_generator(self)
    }

    fn extend_inputs(&mut self, new_inputs: &[Scalar]) {
        CS::extend_inputs(self, new_inputs)
    }

    fn extend_aux(&mut self, new_aux: &[Scalar]) {
        CS::extend_aux(self, new_aux)
    }

    fn allocate_empty(&mut self, aux_n: usize, inputs_n: usize) -> (&mut [Scalar], &mut [Scalar]) {
        CS::allocate_empty(self, aux_n, inputs_n)
    }

    fn allocate_empty_inputs(&mut self, n: usize) -> &mut [Scalar] {
        CS::allocate_empty_inputs(self, n)
    }

    fn allocate_empty_aux(&mut self, n: usize) -> &mut [Scalar] {
        CS::allocate_empty_aux(self, n)
    }

    fn inputs_slice(&self) -> &[Scalar] {
        CS::inputs_slice(self)
    }

    fn aux_slice(&self) -> &[Scalar] {
        CS::aux_slice(self)
    }
}
