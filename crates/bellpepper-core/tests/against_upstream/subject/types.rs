//! What the types can do besides their own methods.

use std::collections::HashSet;
use std::error::Error;
use std::fmt::Debug;
use std::hash::Hash;
use std::io;
use std::mem::size_of;
use std::panic::{RefUnwindSafe, UnwindSafe};

use blstrs::Scalar;
use ff::Field;
use serde::{de::DeserializeOwned, Serialize};

use super::bp;
use bp::boolean::{AllocatedBit, Boolean};
use bp::num::{AllocatedNum, Num};
use bp::test_cs::TestConstraintSystem;
use bp::{Comparable, Delta, Index, LinearCombination, Namespace, SynthesisError, Variable};

/// Compiles only if the types implement what upstream's implement.
pub fn implemented_traits() {
    fn any<T: Debug + Send + Sync + Unpin + UnwindSafe + RefUnwindSafe>() {}
    any::<Index>();
    any::<Variable>();
    any::<LinearCombination<Scalar>>();
    any::<AllocatedBit>();
    any::<Boolean>();
    any::<AllocatedNum<Scalar>>();
    any::<Num<Scalar>>();
    any::<Delta<Scalar>>();
    any::<TestConstraintSystem<Scalar>>();

    fn sent<T: Debug + Send + Sync + Unpin>() {}
    sent::<SynthesisError>();
    sent::<Namespace<'static, Scalar, TestConstraintSystem<Scalar>>>();

    fn plain<T: Copy + Eq + Hash + Serialize + DeserializeOwned + 'static>() {}
    plain::<Index>();
    plain::<Variable>();

    fn cloned<T: Clone + 'static>() {}
    cloned::<AllocatedBit>();
    cloned::<Boolean>();
    cloned::<AllocatedNum<Scalar>>();
    cloned::<Num<Scalar>>();

    fn compared<T: Clone + PartialEq>() {}
    compared::<LinearCombination<Scalar>>();
    compared::<Delta<Scalar>>();

    fn empty<T: Default>() {}
    empty::<LinearCombination<Scalar>>();
    empty::<TestConstraintSystem<Scalar>>();

    fn serialized<T: Serialize + DeserializeOwned>() {}
    serialized::<AllocatedNum<Scalar>>();

    fn comparable<T: Comparable<Scalar>>() {}
    comparable::<TestConstraintSystem<Scalar>>();

    fn converted<A, B: From<A>>() {}
    converted::<AllocatedBit, Boolean>();
    converted::<AllocatedNum<Scalar>, Num<Scalar>>();
    converted::<io::Error, SynthesisError>();
}

/// Every error with its text, its cause and its debug output.
pub fn errors() -> Vec<(String, Option<String>, String)> {
    vec![
        SynthesisError::AssignmentMissing,
        SynthesisError::DivisionByZero,
        SynthesisError::Unsatisfiable,
        SynthesisError::PolynomialDegreeTooLarge,
        SynthesisError::UnexpectedIdentity,
        SynthesisError::IoError(io::Error::new(io::ErrorKind::Other, "disk")),
        io::Error::from(io::ErrorKind::UnexpectedEof).into(),
        SynthesisError::MalformedVerifyingKey,
        SynthesisError::UnconstrainedVariable,
        SynthesisError::MalformedProofs("proofs".to_string()),
        SynthesisError::MalformedSrs,
        SynthesisError::NonPowerOfTwo,
        SynthesisError::IncompatibleLengthVector("vectors".to_string()),
        SynthesisError::InvalidPairing,
    ]
    .into_iter()
    .map(|error| {
        let source = error.source().map(|source| source.to_string());
        (error.to_string(), source, format!("{:?}", error))
    })
    .collect()
}

fn variables() -> Vec<Variable> {
    [0, 1, usize::MAX]
        .iter()
        .flat_map(|&i| {
            [
                Variable(Index::Input(i)),
                Variable::new_unchecked(Index::Aux(i)),
            ]
        })
        .collect()
}

/// Debug outputs that don't depend on how anything is stored.
pub fn debug_outputs() -> Vec<String> {
    let mut cs = TestConstraintSystem::<Scalar>::new();
    let num = AllocatedNum::alloc(&mut cs, || Ok(Scalar::from(5))).unwrap();
    let bit = AllocatedBit::alloc(&mut cs, Some(true)).unwrap();
    let mut outputs = vec![
        format!("{:?}", num),
        format!("{:?}", bit),
        format!("{:?}", Boolean::from(bit).not()),
        format!("{:?}", Boolean::Constant(false)),
        format!("{:?}", Delta::<Scalar>::Equal),
        format!("{:?}", Delta::<Scalar>::InputCountMismatch(1, 2)),
    ];
    outputs.extend(variables().iter().map(|variable| format!("{:?}", variable)));
    outputs
}

/// The JSON of everything that can be serialized, and whether it reads back as what it was.
pub fn json() -> Vec<String> {
    let mut outputs = Vec::new();
    let distinct: HashSet<Variable> = variables().into_iter().collect();
    assert_eq!(distinct.len(), variables().len());
    for variable in variables() {
        let json = serde_json::to_string(&variable).unwrap();
        assert_eq!(serde_json::from_str::<Variable>(&json).unwrap(), variable);
        outputs.push(json);
        let json = serde_json::to_string(&variable.get_unchecked()).unwrap();
        assert_eq!(serde_json::from_str::<Index>(&json).unwrap(), variable.0);
        outputs.push(json);
    }
    let mut cs = TestConstraintSystem::<Scalar>::new();
    for num in [
        AllocatedNum::alloc(&mut cs, || Ok(-Scalar::ONE)).unwrap(),
        AllocatedNum::alloc_input(&mut cs, || Ok(Scalar::ZERO)).unwrap(),
        AllocatedNum::alloc(
            super::recorder::Unseen(&mut super::recorder::Recorder::new(
                crate::program::Calls::All,
            )),
            || Ok(Scalar::ONE),
        )
        .unwrap(),
    ] {
        let json = serde_json::to_string(&num).unwrap();
        let read: AllocatedNum<Scalar> = serde_json::from_str(&json).unwrap();
        assert_eq!(read.get_value(), num.get_value());
        assert_eq!(read.get_variable(), num.get_variable());
        outputs.push(json);
    }
    outputs
}

/// The bytes of a combination, a bit and a Boolean themselves.
pub fn sizes() -> [usize; 3] {
    [
        size_of::<LinearCombination<Scalar>>(),
        size_of::<AllocatedBit>(),
        size_of::<Boolean>(),
    ]
}
