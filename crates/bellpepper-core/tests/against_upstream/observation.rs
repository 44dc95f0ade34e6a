//! What is seen of a run, in types that belong to neither crate, and how two runs are compared.

use std::fmt::Debug;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// A variable: `I` or `A` and its index.
pub type Place = (char, usize);

/// The terms of a combination, in the order in which it yields them.
pub type Terms<F> = Vec<(Place, F)>;

/// A call on a constraint system.
#[derive(Debug, PartialEq)]
pub enum Event<F> {
    /// The name, and what the value closure returned, if it was called.
    Alloc(String, Option<Result<F, String>>),
    AllocInput(String, Option<Result<F, String>>),
    /// The name, and the three combinations, if their closures were called.
    Enforce(String, Option<[Terms<F>; 3]>),
    Push(String),
    Pop,
}

/// What a step of a program returned.
#[derive(Debug, PartialEq)]
pub enum Output<F> {
    Unit,
    /// `Is`, `Not` or `Constant`, the variable, the value.
    Bit(&'static str, Option<Place>, Option<bool>),
    Num(Place, Option<F>),
    Sum(Terms<F>, Option<F>),
    /// The error's text, or the panic's message.
    Failed(String),
    Panicked(String),
    /// The step's operands don't exist, because steps before it failed.
    Skipped,
}

/// Fails unless both lists are equal, showing where they part and not all that they share.
pub fn assert_equal<T: PartialEq + Debug>(ours: &[T], theirs: &[T], context: &[&dyn Debug]) {
    for i in 0..ours.len().max(theirs.len()) {
        assert_eq!(
            ours.get(i),
            theirs.get(i),
            "ours and upstream's part at position {} in {:?}",
            i,
            context
        );
    }
}

/// The result of `run`, or its panic's message.
pub fn panic_message<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| {
        match (
            payload.downcast_ref::<String>(),
            payload.downcast_ref::<&str>(),
        ) {
            (Some(message), _) => message.clone(),
            (_, Some(message)) => message.to_string(),
            _ => "a payload that is no text".to_string(),
        }
    })
}
