//! Constraint systems that keep what a circuit stated, and the comparison of two of them.

use ff::PrimeField;

use crate::LinearCombination;

pub mod test_cs;

/// A · B = C and its name, as (A, B, C, name).
pub type Constraint<Scalar> = (
    LinearCombination<Scalar>,
    LinearCombination<Scalar>,
    LinearCombination<Scalar>,
    String,
);

/// A constraint system that keeps names and constraints, and so can be compared with another.
///
/// The usual question is whether a circuit states the same constraints with and without an
/// assignment. If it doesn't, its proofs don't verify, although its constraints are satisfied.
///
/// ```
/// # use bellpepper_core::{test_cs::TestConstraintSystem, Comparable, ConstraintSystem, Delta};
/// # use blstrs::Scalar;
/// # let with_assignment = TestConstraintSystem::<Scalar>::new();
/// # let without = TestConstraintSystem::<Scalar>::new();
/// assert_eq!(with_assignment.delta(&without, false), Delta::Equal);
/// ```
pub trait Comparable<Scalar: PrimeField> {
    /// The number of public inputs, the constant one included.
    fn num_inputs(&self) -> usize;

    /// The number of constraints.
    fn num_constraints(&self) -> usize;

    /// The names of the public inputs, in order.
    fn inputs(&self) -> Vec<String>;

    /// The names of the auxiliary variables, in order.
    fn aux(&self) -> Vec<String>;

    /// The constraints, in order.
    fn constraints(&self) -> &[Constraint<Scalar>];

    /// The first difference found: in the number of inputs, in that of constraints, in a
    /// constraint, in the names of inputs. With `ignore_counts` the numbers are not compared, so
    /// that the constraint is shown at which two systems of different size part.
    ///
    /// # Panics
    ///
    /// With `ignore_counts`, if the constraints of one system begin with all those of the other.
    fn delta<C: Comparable<Scalar>>(&self, other: &C, ignore_counts: bool) -> Delta<Scalar>
    where
        Scalar: PrimeField,
    {
        let inputs = (self.num_inputs(), other.num_inputs());
        let constraints = (self.num_constraints(), other.num_constraints());
        if !ignore_counts {
            if inputs.0 != inputs.1 {
                return Delta::InputCountMismatch(inputs.0, inputs.1);
            }
            if constraints.0 != constraints.1 {
                return Delta::ConstraintCountMismatch(constraints.0, constraints.1);
            }
        }

        let (ours, theirs) = (self.constraints(), other.constraints());
        if ours != theirs {
            let (index, (our, their)) = ours
                .iter()
                .zip(theirs)
                .enumerate()
                .find(|(_, (our, their))| our != their)
                .expect("one system has all constraints of the other, and more");
            return Delta::ConstraintMismatch(index, our.clone(), their.clone());
        }

        if inputs.0 == inputs.1 && constraints.0 == constraints.1 && self.inputs() == other.inputs()
        {
            Delta::Equal
        } else {
            Delta::Different
        }
    }
}

/// What [`Comparable::delta`] found. Where there are two values, the first is from the system that
/// it was called on.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq)]
pub enum Delta<Scalar: PrimeField> {
    /// Inputs and constraints are the same.
    Equal,
    /// Constraints are the same, but the inputs are not.
    Different,
    /// The numbers of inputs.
    InputCountMismatch(usize, usize),
    /// The numbers of constraints.
    ConstraintCountMismatch(usize, usize),
    /// The index of the first constraint that differs, and both versions of it.
    ConstraintMismatch(usize, Constraint<Scalar>, Constraint<Scalar>),
}
