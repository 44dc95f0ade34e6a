//! Numbers: elements of the scalar field, as variables and as combinations of variables.
//!
//! An [`AllocatedNum`] is a variable, and each operation on it allocates another. A [`Num`] is a
//! combination, which sums and scales without a constraint.

use ff::{PrimeField, PrimeFieldBits};
use serde::{Deserialize, Serialize};

use super::boolean::{self, AllocatedBit, Boolean};
use crate::{ConstraintSystem, LinearCombination, SynthesisError, Variable};

/// A variable that holds an element of the scalar field.
#[derive(Debug, Serialize, Deserialize)]
pub struct AllocatedNum<Scalar: PrimeField> {
    value: Option<Scalar>,
    variable: Variable,
}

// Not derived: that would ask for `Scalar: Clone`, which `PrimeField` implies.
impl<Scalar: PrimeField> Clone for AllocatedNum<Scalar> {
    #[inline]
    fn clone(&self) -> Self {
        AllocatedNum {
            value: self.value,
            variable: self.variable,
        }
    }
}

/// `compute`, leaving a copy of what it returns in `value`. A constraint system need not call it.
#[inline]
fn noting<'a, Scalar, F>(
    value: &'a mut Option<Scalar>,
    compute: F,
) -> impl FnOnce() -> Result<Scalar, SynthesisError> + 'a
where
    Scalar: PrimeField,
    F: FnOnce() -> Result<Scalar, SynthesisError> + 'a,
{
    move || {
        let computed = compute()?;
        *value = Some(computed);
        Ok(computed)
    }
}

impl<Scalar: PrimeField> AllocatedNum<Scalar> {
    /// Allocates an auxiliary variable `num`, unconstrained.
    ///
    /// # Errors
    ///
    /// Those of `value`, which is called only if `cs` wants values.
    #[inline]
    pub fn alloc<CS, F>(mut cs: CS, value: F) -> Result<Self, SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
        F: FnOnce() -> Result<Scalar, SynthesisError>,
    {
        Self::alloc_named(&mut cs, "num", value)
    }

    #[inline]
    fn alloc_named<CS, F>(
        cs: &mut CS,
        annotation: &'static str,
        compute: F,
    ) -> Result<Self, SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
        F: FnOnce() -> Result<Scalar, SynthesisError>,
    {
        let mut value = None;
        let variable = cs.alloc(|| annotation, noting(&mut value, compute))?;
        Ok(AllocatedNum { value, variable })
    }

    /// Allocates an auxiliary variable `num`, unconstrained, whose value can always be computed.
    ///
    /// # Panics
    ///
    /// If `cs` itself fails to allocate.
    #[inline]
    pub fn alloc_infallible<CS, F>(cs: CS, value: F) -> Self
    where
        CS: ConstraintSystem<Scalar>,
        F: FnOnce() -> Scalar,
    {
        Self::alloc(cs, || Ok(value())).unwrap()
    }

    /// Allocates a public input `input num`, unconstrained.
    ///
    /// # Errors
    ///
    /// Those of `value`, which is called only if `cs` wants values.
    #[inline]
    pub fn alloc_input<CS, F>(mut cs: CS, value: F) -> Result<Self, SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
        F: FnOnce() -> Result<Scalar, SynthesisError>,
    {
        let compute = value;
        let mut value = None;
        let variable = cs.alloc_input(|| "input num", noting(&mut value, compute))?;
        Ok(AllocatedNum { value, variable })
    }

    /// [`alloc_input`](Self::alloc_input) if `is_input`, otherwise [`alloc`](Self::alloc).
    ///
    /// # Errors
    ///
    /// Those of `value`, which is called only if `cs` wants values.
    pub fn alloc_maybe_input<CS, F>(
        cs: CS,
        is_input: bool,
        value: F,
    ) -> Result<Self, SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
        F: FnOnce() -> Result<Scalar, SynthesisError>,
    {
        if is_input {
            Self::alloc_input(cs, value)
        } else {
            Self::alloc(cs, value)
        }
    }

    /// Makes the number public: allocates an input `input variable` and states
    /// `enforce input is correct`: input · 1 = self.
    ///
    /// # Errors
    ///
    /// [`SynthesisError::AssignmentMissing`] if the value is unknown and `cs` wants it.
    pub fn inputize<CS>(&self, mut cs: CS) -> Result<(), SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
    {
        let input = cs.alloc_input(|| "input variable", || self.known_value())?;
        cs.enforce(
            || "enforce input is correct",
            |lc| lc + input,
            |lc| lc + CS::one(),
            |lc| lc + self.variable,
        );
        Ok(())
    }

    /// Splits the number into its canonical bits, least significant first: those of the
    /// representation below the modulus, and no other.
    ///
    /// The bits are allocated from the most significant one, in namespaces `bit 0`, `bit 1` and so
    /// on, beside the bits of p - 1, the greatest element. While all bits so far equal those of
    /// p - 1, a bit that is zero in p - 1 has to be zero. After each run of ones in p - 1, a
    /// namespace `run ending at N` holds the conjunction of those bits and all ones before them,
    /// and the zeros that follow are allocated under that condition. Last comes the
    /// `unpacking constraint`, as in [`to_bits_le`](Self::to_bits_le).
    ///
    /// # Errors
    ///
    /// [`SynthesisError::AssignmentMissing`] if the value is unknown and `cs` wants values.
    pub fn to_bits_le_strict<CS>(&self, mut cs: CS) -> Result<Vec<Boolean>, SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
        Scalar: PrimeFieldBits,
    {
        let value = self.value.map(|value| value.to_le_bits());
        let greatest = (-Scalar::ONE).to_le_bits();
        let top = greatest.last_one().expect("p - 1 is not zero");

        // Most significant bit first, until the end.
        let mut bits: Vec<AllocatedBit> = Vec::with_capacity(top + 1);
        // Whether all ones of p - 1 before `run_start` are ones here too.
        let mut ones_so_far: Option<AllocatedBit> = None;
        let mut run_start = 0;

        for (i, position) in (0..=top).rev().enumerate() {
            let bit = value.as_ref().map(|value| value[position]);
            if greatest[position] {
                bits.push(AllocatedBit::alloc(
                    cs.namespace(|| format!("bit {}", i)),
                    bit,
                )?);
                continue;
            }
            if run_start < i {
                ones_so_far = Some(conjunction(
                    cs.namespace(|| format!("run ending at {}", i)),
                    bits[run_start..].iter().chain(&ones_so_far),
                )?);
            }
            run_start = i + 1;
            bits.push(AllocatedBit::alloc_conditionally(
                cs.namespace(|| format!("bit {}", i)),
                bit,
                ones_so_far.as_ref().expect("p - 1 starts with a one"),
            )?);
        }
        // A last run would go unchecked; but p is odd.
        assert_eq!(run_start, bits.len());

        bits.reverse();
        self.enforce_unpacking(cs, &bits);
        Ok(bits.into_iter().map(Boolean::from).collect())
    }

    /// Splits the number into `Scalar::NUM_BITS` bits, least significant first, with one
    /// `unpacking constraint`: 0 · 0 = Σ 2^i · bit i - self.
    ///
    /// The bits are a representation of the number, but not necessarily the one below the modulus;
    /// [`to_bits_le_strict`](Self::to_bits_le_strict) ensures that.
    ///
    /// # Errors
    ///
    /// [`SynthesisError::AssignmentMissing`] if the value is unknown and `cs` wants values.
    pub fn to_bits_le<CS>(&self, mut cs: CS) -> Result<Vec<Boolean>, SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
        Scalar: PrimeFieldBits,
    {
        let bits = boolean::field_into_allocated_bits_le(&mut cs, self.value)?;
        self.enforce_unpacking(cs, &bits);
        Ok(bits.into_iter().map(Boolean::from).collect())
    }

    /// States that `bits`, least significant first, sum up to this number.
    fn enforce_unpacking<CS>(&self, mut cs: CS, bits: &[AllocatedBit])
    where
        CS: ConstraintSystem<Scalar>,
    {
        cs.enforce(
            || "unpacking constraint",
            |lc| lc,
            |lc| lc,
            |_| {
                let mut weight = Scalar::ONE;
                let mut sum = LinearCombination::zero();
                for bit in bits {
                    sum = sum + (weight, bit.get_variable());
                    weight = weight.double();
                }
                sum - self.variable
            },
        );
    }

    /// Allocates self + other.
    ///
    /// One variable `sum num`, one constraint `addition constraint`: (self + other) · 1 = sum.
    ///
    /// # Errors
    ///
    /// [`SynthesisError::AssignmentMissing`] if an operand is unknown and `cs` wants values.
    pub fn add<CS>(&self, mut cs: CS, other: &Self) -> Result<Self, SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
    {
        let sum = Self::alloc_named(&mut cs, "sum num", || {
            Ok(self.known_value()? + other.known_value()?)
        })?;
        cs.enforce(
            || "addition constraint",
            |lc| lc + self.variable + other.variable,
            |lc| lc + CS::one(),
            |lc| lc + sum.variable,
        );
        Ok(sum)
    }

    /// Allocates self · other.
    ///
    /// One variable `product num`, one constraint `multiplication constraint`:
    /// self · other = product.
    ///
    /// # Errors
    ///
    /// [`SynthesisError::AssignmentMissing`] if an operand is unknown and `cs` wants values.
    pub fn mul<CS>(&self, mut cs: CS, other: &Self) -> Result<Self, SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
    {
        let product = Self::alloc_named(&mut cs, "product num", || {
            Ok(self.known_value()? * other.known_value()?)
        })?;
        cs.enforce(
            || "multiplication constraint",
            |lc| lc + self.variable,
            |lc| lc + other.variable,
            |lc| lc + product.variable,
        );
        Ok(product)
    }

    /// Allocates self².
    ///
    /// One variable `squared num`, one constraint `squaring constraint`: self · self = square.
    ///
    /// # Errors
    ///
    /// [`SynthesisError::AssignmentMissing`] if the value is unknown and `cs` wants values.
    pub fn square<CS>(&self, mut cs: CS) -> Result<Self, SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
    {
        let square = Self::alloc_named(&mut cs, "squared num", || {
            self.known_value().map(|value| value.square())
        })?;
        cs.enforce(
            || "squaring constraint",
            |lc| lc + self.variable,
            |lc| lc + self.variable,
            |lc| lc + square.variable,
        );
        Ok(square)
    }

    /// Enforces that the number is not zero.
    ///
    /// One variable `ephemeral inverse`, one constraint `nonzero assertion constraint`:
    /// self · inverse = 1.
    ///
    /// # Errors
    ///
    /// Where `cs` wants values: [`SynthesisError::DivisionByZero`] if the number is zero,
    /// [`SynthesisError::AssignmentMissing`] if it is unknown.
    pub fn assert_nonzero<CS>(&self, mut cs: CS) -> Result<(), SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
    {
        let inverse = cs.alloc(
            || "ephemeral inverse",
            || Option::from(self.known_value()?.invert()).ok_or(SynthesisError::DivisionByZero),
        )?;
        cs.enforce(
            || "nonzero assertion constraint",
            |lc| lc + self.variable,
            |lc| lc + inverse,
            |lc| lc + CS::one(),
        );
        Ok(())
    }

    /// Allocates (b, a) if `condition` is one, (a, b) if it is zero.
    ///
    /// For each of the results, one variable `num` in the namespace
    /// `conditional reversal result 1` (or 2), and one constraint `first conditional reversal`
    /// (or `second`): (a - b) · condition = a - result, with a and b exchanged for the second.
    ///
    /// # Errors
    ///
    /// [`SynthesisError::AssignmentMissing`] if the condition or the number that it selects is
    /// unknown, and `cs` wants values.
    pub fn conditionally_reverse<CS>(
        mut cs: CS,
        a: &Self,
        b: &Self,
        condition: &Boolean,
    ) -> Result<(Self, Self), SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
    {
        let first = Self::replace_if(
            &mut cs,
            (
                "conditional reversal result 1",
                "first conditional reversal",
            ),
            (a, b),
            condition,
        )?;
        let second = Self::replace_if(
            &mut cs,
            (
                "conditional reversal result 2",
                "second conditional reversal",
            ),
            (b, a),
            condition,
        )?;
        Ok((first, second))
    }

    /// Allocates `replacement` if `condition` is one, otherwise `num`, under the names of a
    /// namespace and a constraint.
    #[inline]
    fn replace_if<CS>(
        cs: &mut CS,
        (namespace, constraint): (&'static str, &'static str),
        (num, replacement): (&Self, &Self),
        condition: &Boolean,
    ) -> Result<Self, SynthesisError>
    where
        CS: ConstraintSystem<Scalar>,
    {
        let result = Self::alloc(cs.namespace(|| namespace), || match condition.get_value() {
            Some(true) => replacement.known_value(),
            Some(false) => num.known_value(),
            None => Err(SynthesisError::AssignmentMissing),
        })?;
        cs.enforce(
            || constraint,
            |lc| lc + num.variable - replacement.variable,
            |_| condition.add_to(LinearCombination::zero(), CS::one()),
            |lc| lc + num.variable - result.variable,
        );
        Ok(result)
    }

    #[inline]
    fn known_value(&self) -> Result<Scalar, SynthesisError> {
        self.value.ok_or(SynthesisError::AssignmentMissing)
    }

    /// The assigned value, if it is known.
    #[inline]
    pub fn get_value(&self) -> Option<Scalar> {
        self.value
    }

    /// The variable itself.
    #[inline]
    pub fn get_variable(&self) -> Variable {
        self.variable
    }
}

/// Allocates the conjunction of `bits`, one by one from the left: bit `i` is joined in a namespace
/// `and i`, counted from zero.
///
/// # Panics
///
/// If there are no bits.
fn conjunction<'a, Scalar, CS>(
    mut cs: CS,
    bits: impl Iterator<Item = &'a AllocatedBit>,
) -> Result<AllocatedBit, SynthesisError>
where
    Scalar: PrimeField,
    CS: ConstraintSystem<Scalar>,
{
    let mut bits = bits.enumerate();
    let (_, first) = bits.next().expect("a conjunction has operands");
    bits.try_fold(first.clone(), |joined, (i, bit)| {
        AllocatedBit::and(cs.namespace(|| format!("and {}", i)), &joined, bit)
    })
}

/// A combination of variables, with its value.
#[derive(Debug, Clone)]
pub struct Num<Scalar: PrimeField> {
    value: Option<Scalar>,
    lc: LinearCombination<Scalar>,
}

impl<Scalar: PrimeField> From<AllocatedNum<Scalar>> for Num<Scalar> {
    fn from(num: AllocatedNum<Scalar>) -> Num<Scalar> {
        Num {
            value: num.value,
            lc: LinearCombination::from_variable(num.variable),
        }
    }
}

impl<Scalar: PrimeField> Num<Scalar> {
    /// The empty combination, whose value is zero.
    pub fn zero() -> Self {
        Num {
            value: Some(Scalar::ZERO),
            lc: LinearCombination::zero(),
        }
    }

    /// The value of the combination, if it is known.
    pub fn get_value(&self) -> Option<Scalar> {
        self.value
    }

    /// `coeff` times the combination.
    pub fn lc(&self, coeff: Scalar) -> LinearCombination<Scalar> {
        LinearCombination::zero() + (coeff, &self.lc)
    }

    /// Adds `coeff` times a bit. The value is known if it was, and the bit's is.
    #[inline]
    pub fn add_bool_with_coeff(self, one: Variable, bit: &Boolean, coeff: Scalar) -> Self {
        let value = match (self.value, bit.get_value()) {
            (Some(value), Some(true)) => Some(value + coeff),
            (Some(value), Some(false)) => Some(value),
            _ => None,
        };
        Num {
            value,
            lc: bit.add_scaled_to(self.lc, one, coeff),
        }
    }

    /// Adds another combination. An unknown value counts as zero, unless both are unknown.
    #[allow(clippy::should_implement_trait)]
    pub fn add(self, other: &Self) -> Self {
        let value = match (self.value, other.value) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        Num {
            value,
            lc: self.lc + &other.lc,
        }
    }

    /// Multiplies the combination, coefficients and value, by `scalar`.
    pub fn scale(mut self, scalar: Scalar) -> Self {
        self.lc.scale(scalar);
        Num {
            value: self.value.map(|value| value * scalar),
            lc: self.lc,
        }
    }
}
