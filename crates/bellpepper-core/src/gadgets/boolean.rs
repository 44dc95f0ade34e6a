//! Bits: variables constrained to zero or one, and boolean logic on them.
//!
//! An [`AllocatedBit`] is a variable. A [`Boolean`] is what gadgets work on: such a variable, its
//! negation, or a constant. Negation and operations with constants cost no constraint.

use std::fmt;
use std::mem::size_of;

use ff::{PrimeField, PrimeFieldBits};

use crate::lc::two;
use crate::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};

#[inline]
fn scalar<Scalar: PrimeField>(bit: bool) -> Scalar {
    if bit {
        Scalar::ONE
    } else {
        Scalar::ZERO
    }
}

/// A variable that its constraints force to be zero or one.
///
/// Circuits hold millions of them, so it is 10 bytes and a [`Boolean`] 11, of alignment 1; with a
/// [`Variable`] in it they were 24 and 32, and the witness of the PoRep circuit took 10% longer.
/// Each field is written and copied in one piece: what is read in other pieces than it was just
/// written in stalls the processor (flags that were two fields cost 1% of all synthesis).
/// Rejected: 16 bytes of alignment 4 (7% longer), and one byte for the flags (1% over two).
#[derive(Clone)]
pub struct AllocatedBit {
    key: [u8; size_of::<usize>()],
    /// Of a `u16`: 0, 1 or [`UNKNOWN`], with [`INPUT`] if the variable is one.
    flags: [u8; 2],
}

const UNKNOWN: u16 = 2;
const INPUT: u16 = 0x100;

impl AllocatedBit {
    /// The bit that this variable is.
    #[inline(always)]
    fn new(variable: Variable, value: Option<bool>) -> Self {
        let (kind, key) = match variable.0 {
            Index::Input(key) => (INPUT, key),
            Index::Aux(key) => (0, key),
        };
        let flags = kind | value.map_or(UNKNOWN, u16::from);
        AllocatedBit {
            key: key.to_ne_bytes(),
            flags: flags.to_ne_bytes(),
        }
    }

    /// The assigned value, if it is known.
    #[inline]
    pub fn get_value(&self) -> Option<bool> {
        match u16::from_ne_bytes(self.flags) & !INPUT {
            UNKNOWN => None,
            value => Some(value == 1),
        }
    }

    /// The variable itself.
    #[inline]
    pub fn get_variable(&self) -> Variable {
        let key = usize::from_ne_bytes(self.key);
        Variable(if u16::from_ne_bytes(self.flags) & INPUT != 0 {
            Index::Input(key)
        } else {
            Index::Aux(key)
        })
    }

    /// An auxiliary variable for a bit that may be unknown, not yet constrained.
    #[inline]
    fn unconstrained<Scalar, CS>(
        cs: &mut CS,
        annotation: &'static str,
        value: Option<bool>,
    ) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        let variable = cs.alloc(
            || annotation,
            || value.map(scalar).ok_or(SynthesisError::AssignmentMissing),
        )?;
        Ok(AllocatedBit::new(variable, value))
    }

    /// An auxiliary variable for a function of two bits, not yet constrained. Its value is known
    /// only when `cs` asked for it.
    #[inline]
    fn unconstrained_result<Scalar, CS>(
        cs: &mut CS,
        annotation: &'static str,
        a: &Self,
        b: &Self,
        function: impl FnOnce(bool, bool) -> bool,
    ) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        let mut value = None;
        let variable = cs.alloc(
            || annotation,
            || match (a.get_value(), b.get_value()) {
                (Some(a), Some(b)) => {
                    let result = function(a, b);
                    value = Some(result);
                    Ok(scalar(result))
                }
                _ => Err(SynthesisError::AssignmentMissing),
            },
        )?;
        Ok(AllocatedBit::new(variable, value))
    }

    /// Allocates a bit that must be zero where `must_be_false` is one.
    ///
    /// One variable `boolean`, one constraint `boolean constraint`:
    /// (1 - must_be_false - bit) · bit = 0.
    ///
    /// # Errors
    ///
    /// [`SynthesisError::AssignmentMissing`] if `value` is `None` and `cs` wants values.
    pub fn alloc_conditionally<Scalar, CS>(
        mut cs: CS,
        value: Option<bool>,
        must_be_false: &AllocatedBit,
    ) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        let bit = Self::unconstrained(&mut cs, "boolean", value)?;
        cs.enforce(
            || "boolean constraint",
            |lc| lc + CS::one() - must_be_false.get_variable() - bit.get_variable(),
            |lc| lc + bit.get_variable(),
            |lc| lc,
        );
        Ok(bit)
    }

    /// Allocates a bit.
    ///
    /// One variable `boolean`, one constraint `boolean constraint`: (1 - bit) · bit = 0.
    ///
    /// # Errors
    ///
    /// [`SynthesisError::AssignmentMissing`] if `value` is `None` and `cs` wants values.
    #[inline]
    pub fn alloc<Scalar, CS>(mut cs: CS, value: Option<bool>) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        let bit = Self::unconstrained(&mut cs, "boolean", value)?;
        cs.enforce(
            || "boolean constraint",
            |lc| lc + CS::one() - bit.get_variable(),
            |lc| lc + bit.get_variable(),
            |lc| lc,
        );
        Ok(bit)
    }

    /// Allocates a ⊕ b.
    ///
    /// One variable `xor result`, one constraint `xor constraint`: 2a · b = a + b - result. (As
    /// numbers, a ⊕ b is a + b - 2ab.)
    ///
    /// # Errors
    ///
    /// [`SynthesisError::AssignmentMissing`] if an operand is unknown and `cs` wants values.
    #[inline]
    pub fn xor<Scalar, CS>(mut cs: CS, a: &Self, b: &Self) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        let result = Self::unconstrained_result(&mut cs, "xor result", a, b, |a, b| a != b)?;
        cs.enforce(
            || "xor constraint",
            |lc| lc + (two(), a.get_variable()),
            |lc| lc + b.get_variable(),
            |lc| lc + a.get_variable() + b.get_variable() - result.get_variable(),
        );
        Ok(result)
    }

    /// Allocates a ∧ b.
    ///
    /// One variable `and result`, one constraint `and constraint`: a · b = result.
    ///
    /// # Errors
    ///
    /// [`SynthesisError::AssignmentMissing`] if an operand is unknown and `cs` wants values.
    #[inline]
    pub fn and<Scalar, CS>(mut cs: CS, a: &Self, b: &Self) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        let result = Self::unconstrained_result(&mut cs, "and result", a, b, |a, b| a && b)?;
        cs.enforce(
            || "and constraint",
            |lc| lc + a.get_variable(),
            |lc| lc + b.get_variable(),
            |lc| lc + result.get_variable(),
        );
        Ok(result)
    }

    /// Allocates a ∧ ¬b.
    ///
    /// One variable `and not result`, one constraint `and not constraint`: a · (1 - b) = result.
    ///
    /// # Errors
    ///
    /// [`SynthesisError::AssignmentMissing`] if an operand is unknown and `cs` wants values.
    #[inline]
    pub fn and_not<Scalar, CS>(mut cs: CS, a: &Self, b: &Self) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        let result = Self::unconstrained_result(&mut cs, "and not result", a, b, |a, b| a && !b)?;
        cs.enforce(
            || "and not constraint",
            |lc| lc + a.get_variable(),
            |lc| lc + CS::one() - b.get_variable(),
            |lc| lc + result.get_variable(),
        );
        Ok(result)
    }

    /// Allocates ¬a ∧ ¬b.
    ///
    /// One variable `nor result`, one constraint `nor constraint`: (1 - a) · (1 - b) = result.
    ///
    /// # Errors
    ///
    /// [`SynthesisError::AssignmentMissing`] if an operand is unknown and `cs` wants values.
    #[inline]
    pub fn nor<Scalar, CS>(mut cs: CS, a: &Self, b: &Self) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        let result = Self::unconstrained_result(&mut cs, "nor result", a, b, |a, b| !(a || b))?;
        cs.enforce(
            || "nor constraint",
            |lc| lc + CS::one() - a.get_variable(),
            |lc| lc + CS::one() - b.get_variable(),
            |lc| lc + result.get_variable(),
        );
        Ok(result)
    }
}

impl fmt::Debug for AllocatedBit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AllocatedBit")
            .field("variable", &self.get_variable())
            .field("value", &self.get_value())
            .finish()
    }
}

/// Allocates `count` bits in namespaces `bit 0`, `bit 1` and so on, bit `i` with the value
/// `value_of(i)`.
fn alloc_bits<Scalar, CS>(
    mut cs: CS,
    count: usize,
    value_of: impl Fn(usize) -> Option<bool>,
) -> Result<Vec<AllocatedBit>, SynthesisError>
where
    Scalar: PrimeField,
    CS: ConstraintSystem<Scalar>,
{
    let mut bits = Vec::with_capacity(count);
    for i in 0..count {
        bits.push(AllocatedBit::alloc(
            cs.namespace(|| format!("bit {}", i)),
            value_of(i),
        )?);
    }
    Ok(bits)
}

fn into_booleans(bits: Vec<AllocatedBit>) -> Vec<Boolean> {
    bits.into_iter().map(Boolean::from).collect()
}

/// Allocates the 64 bits of an integer, least significant first, in namespaces `bit 0` to
/// `bit 63`.
///
/// # Errors
///
/// [`SynthesisError::AssignmentMissing`] if `value` is `None` and `cs` wants values.
pub fn u64_into_boolean_vec_le<Scalar: PrimeField, CS: ConstraintSystem<Scalar>>(
    cs: CS,
    value: Option<u64>,
) -> Result<Vec<Boolean>, SynthesisError> {
    alloc_bits(cs, 64, |i| value.map(|value| (value >> i) & 1 == 1)).map(into_booleans)
}

/// Allocates the `Scalar::NUM_BITS` low bits of a field element, least significant first, as
/// [`field_into_allocated_bits_le`] does.
///
/// # Errors
///
/// [`SynthesisError::AssignmentMissing`] if `value` is `None` and `cs` wants values.
pub fn field_into_boolean_vec_le<Scalar, CS>(
    cs: CS,
    value: Option<Scalar>,
) -> Result<Vec<Boolean>, SynthesisError>
where
    Scalar: PrimeField,
    Scalar: PrimeFieldBits,
    CS: ConstraintSystem<Scalar>,
{
    field_into_allocated_bits_le(cs, value).map(into_booleans)
}

/// Allocates the `Scalar::NUM_BITS` low bits of a field element, least significant first, in
/// namespaces `bit 0`, `bit 1` and so on.
///
/// Nothing ties the bits to a variable, nor keeps them below the modulus:
/// [`AllocatedNum`](crate::num::AllocatedNum) has methods for that.
///
/// # Errors
///
/// [`SynthesisError::AssignmentMissing`] if `value` is `None` and `cs` wants values.
pub fn field_into_allocated_bits_le<Scalar, CS>(
    cs: CS,
    value: Option<Scalar>,
) -> Result<Vec<AllocatedBit>, SynthesisError>
where
    Scalar: PrimeField,
    Scalar: PrimeFieldBits,
    CS: ConstraintSystem<Scalar>,
{
    let value = value.map(|value| value.to_le_bits());
    alloc_bits(cs, Scalar::NUM_BITS as usize, |i| {
        value.as_ref().map(|bits| bits[i])
    })
}

/// A bit, its negation, or a constant.
#[derive(Clone, Debug)]
pub enum Boolean {
    /// The bit itself.
    Is(AllocatedBit),
    /// The negation of the bit.
    Not(AllocatedBit),
    /// No variable at all.
    Constant(bool),
}

impl Boolean {
    /// Whether this is a constant, not a variable or its negation.
    #[inline]
    pub fn is_constant(&self) -> bool {
        matches!(self, Boolean::Constant(_))
    }

    /// Enforces a = b.
    ///
    /// No constraint for two constants, otherwise one. With a constant operand it is
    /// `enforce equal to one` (0 · 0 = 1 - x) or `enforce equal to zero` (0 · 0 = x), without one
    /// `enforce equal` (0 · 0 = a - b).
    ///
    /// # Errors
    ///
    /// [`SynthesisError::Unsatisfiable`] for two different constants.
    pub fn enforce_equal<Scalar, CS>(mut cs: CS, a: &Self, b: &Self) -> Result<(), SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        let empty = LinearCombination::zero;
        match (a, b) {
            (Boolean::Constant(a), Boolean::Constant(b)) if a == b => {}
            (Boolean::Constant(_), Boolean::Constant(_)) => {
                return Err(SynthesisError::Unsatisfiable)
            }
            (Boolean::Constant(true), x) | (x, Boolean::Constant(true)) => cs.enforce(
                || "enforce equal to one",
                |lc| lc,
                |lc| lc,
                |lc| x.subtract_from(lc + CS::one(), CS::one()),
            ),
            (Boolean::Constant(false), x) | (x, Boolean::Constant(false)) => cs.enforce(
                || "enforce equal to zero",
                |lc| lc,
                |lc| lc,
                |_| x.add_to(empty(), CS::one()),
            ),
            (a, b) => cs.enforce(
                || "enforce equal",
                |lc| lc,
                |lc| lc,
                |_| b.subtract_from(a.add_to(empty(), CS::one()), CS::one()),
            ),
        }
        Ok(())
    }

    /// The value, if it is known; a constant's always is.
    #[inline]
    pub fn get_value(&self) -> Option<bool> {
        match self {
            Boolean::Is(bit) => bit.get_value(),
            Boolean::Not(bit) => bit.get_value().map(|value| !value),
            Boolean::Constant(value) => Some(*value),
        }
    }

    /// `coeff` times this value, as a combination of the variable and of `one`.
    #[inline]
    pub fn lc<Scalar: PrimeField>(
        &self,
        one: Variable,
        coeff: Scalar,
    ) -> LinearCombination<Scalar> {
        self.add_scaled_to(LinearCombination::zero(), one, coeff)
    }

    /// `lc` plus `coeff` times this value.
    #[inline(always)]
    pub(crate) fn add_scaled_to<Scalar: PrimeField>(
        &self,
        lc: LinearCombination<Scalar>,
        one: Variable,
        coeff: Scalar,
    ) -> LinearCombination<Scalar> {
        match self {
            Boolean::Is(bit) => lc + (coeff, bit.get_variable()),
            Boolean::Not(bit) => lc + (coeff, one) - (coeff, bit.get_variable()),
            Boolean::Constant(true) => lc + (coeff, one),
            Boolean::Constant(false) => lc,
        }
    }

    /// `lc` plus this value.
    #[inline(always)]
    pub(crate) fn add_to<Scalar: PrimeField>(
        &self,
        lc: LinearCombination<Scalar>,
        one: Variable,
    ) -> LinearCombination<Scalar> {
        self.add_scaled_to(lc, one, Scalar::ONE)
    }

    /// `lc` minus this value.
    #[inline(always)]
    fn subtract_from<Scalar: PrimeField>(
        &self,
        lc: LinearCombination<Scalar>,
        one: Variable,
    ) -> LinearCombination<Scalar> {
        match self {
            Boolean::Is(bit) => lc - bit.get_variable(),
            Boolean::Not(bit) => lc - one + bit.get_variable(),
            Boolean::Constant(true) => lc - one,
            Boolean::Constant(false) => lc,
        }
    }

    /// The constant `b`.
    #[inline]
    pub fn constant(b: bool) -> Self {
        Boolean::Constant(b)
    }

    /// The negation, which costs no constraint.
    #[inline]
    pub fn not(&self) -> Self {
        match self {
            Boolean::Is(bit) => Boolean::Not(bit.clone()),
            Boolean::Not(bit) => Boolean::Is(bit.clone()),
            Boolean::Constant(value) => Boolean::Constant(!value),
        }
    }

    /// a ⊕ b. No constraint with a constant operand, otherwise one of [`AllocatedBit::xor`].
    ///
    /// # Errors
    ///
    /// [`SynthesisError::AssignmentMissing`] if an operand is unknown and `cs` wants values.
    pub fn xor<'a, Scalar, CS>(cs: CS, a: &'a Self, b: &'a Self) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        Ok(match (a, b) {
            (Boolean::Constant(false), x) | (x, Boolean::Constant(false)) => x.clone(),
            (Boolean::Constant(true), x) | (x, Boolean::Constant(true)) => x.not(),
            (Boolean::Is(a), Boolean::Is(b)) | (Boolean::Not(a), Boolean::Not(b)) => {
                Boolean::Is(AllocatedBit::xor(cs, a, b)?)
            }
            // The plain bit comes first in the constraint, whichever operand it is.
            (Boolean::Is(is), Boolean::Not(not)) | (Boolean::Not(not), Boolean::Is(is)) => {
                Boolean::Not(AllocatedBit::xor(cs, is, not)?)
            }
        })
    }

    /// a ∧ b. No constraint with a constant operand, otherwise one: of [`AllocatedBit::and`], of
    /// [`and_not`](AllocatedBit::and_not) where one operand is negated, of
    /// [`nor`](AllocatedBit::nor) where both are.
    ///
    /// # Errors
    ///
    /// [`SynthesisError::AssignmentMissing`] if an operand is unknown and `cs` wants values.
    pub fn and<'a, Scalar, CS>(cs: CS, a: &'a Self, b: &'a Self) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        Ok(match (a, b) {
            (Boolean::Constant(false), _) | (_, Boolean::Constant(false)) => {
                Boolean::Constant(false)
            }
            (Boolean::Constant(true), x) | (x, Boolean::Constant(true)) => x.clone(),
            (Boolean::Is(a), Boolean::Is(b)) => Boolean::Is(AllocatedBit::and(cs, a, b)?),
            (Boolean::Is(is), Boolean::Not(not)) | (Boolean::Not(not), Boolean::Is(is)) => {
                Boolean::Is(AllocatedBit::and_not(cs, is, not)?)
            }
            (Boolean::Not(a), Boolean::Not(b)) => Boolean::Is(AllocatedBit::nor(cs, a, b)?),
        })
    }

    /// a ∨ b, as the negation of ¬a ∧ ¬b, which goes into a namespace `not and (not a) (not b)`.
    ///
    /// # Errors
    ///
    /// [`SynthesisError::AssignmentMissing`] if an operand is unknown and `cs` wants values.
    pub fn or<'a, Scalar, CS>(
        mut cs: CS,
        a: &'a Boolean,
        b: &'a Boolean,
    ) -> Result<Boolean, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        Self::or_by_and(cs.namespace(|| "not and (not a) (not b)"), a, b)
    }

    /// a ∨ b as the negation of ¬a ∧ ¬b.
    fn or_by_and<Scalar, CS>(cs: CS, a: &Self, b: &Self) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        Ok(Self::and(cs, &a.not(), &b.not())?.not())
    }

    /// SHA-256's choice: `b` where `a` is one, `c` where it is zero.
    ///
    /// With a constant that decides or simplifies it, at most one constraint of
    /// [`and`](Self::and). Otherwise one variable `ch` and one constraint `ch computation`:
    /// (b - c) · a = ch - c.
    ///
    /// # Errors
    ///
    /// [`SynthesisError::AssignmentMissing`] if an operand is unknown and `cs` wants values.
    pub fn sha256_ch<'a, Scalar, CS>(
        mut cs: CS,
        a: &'a Self,
        b: &'a Self,
        c: &'a Self,
    ) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        match (a, b, c) {
            (Boolean::Constant(false), _, _) => return Ok(c.clone()),
            (_, Boolean::Constant(false), _) => return Self::and(cs, &a.not(), c),
            (_, Boolean::Constant(true), _) => return Self::or_by_and(cs, a, c),
            (_, _, Boolean::Constant(false)) => return Self::and(cs, a, b),
            (_, _, Boolean::Constant(true)) => return Self::or_by_and(cs, &a.not(), b),
            // A constant true `a` is kept as an operand: upstream has a constraint for it, and
            // parameters depend on that.
            _ => {}
        }

        let value = match (a.get_value(), b.get_value(), c.get_value()) {
            (Some(a), Some(b), Some(c)) => Some(if a { b } else { c }),
            _ => None,
        };
        let ch = AllocatedBit::unconstrained(&mut cs, "ch", value)?;
        let empty = LinearCombination::zero;
        cs.enforce(
            || "ch computation",
            |_| c.subtract_from(b.add_to(empty(), CS::one()), CS::one()),
            |_| a.add_to(empty(), CS::one()),
            |lc| c.subtract_from(lc + ch.get_variable(), CS::one()),
        );
        Ok(Boolean::Is(ch))
    }

    /// SHA-256's majority: one where at least two of the three are.
    ///
    /// With a constant, at most one constraint of [`and`](Self::and). Otherwise one variable
    /// `maj`, b ∧ c in a namespace `b and c`, and one constraint `maj computation`:
    /// (2bc - b - c) · a = bc - maj.
    ///
    /// # Errors
    ///
    /// [`SynthesisError::AssignmentMissing`] if an operand is unknown and `cs` wants values.
    pub fn sha256_maj<'a, Scalar, CS>(
        mut cs: CS,
        a: &'a Self,
        b: &'a Self,
        c: &'a Self,
    ) -> Result<Self, SynthesisError>
    where
        Scalar: PrimeField,
        CS: ConstraintSystem<Scalar>,
    {
        match (a, b, c) {
            (Boolean::Constant(false), x, y)
            | (x, Boolean::Constant(false), y)
            | (x, y, Boolean::Constant(false)) => return Self::and(cs, x, y),
            (Boolean::Constant(true), x, y)
            | (x, Boolean::Constant(true), y)
            | (x, y, Boolean::Constant(true)) => return Self::or_by_and(cs, x, y),
            _ => {}
        }

        let value = match (a.get_value(), b.get_value(), c.get_value()) {
            (Some(a), Some(b), Some(c)) => Some(if b == c { b } else { a }),
            _ => None,
        };
        let maj = AllocatedBit::unconstrained(&mut cs, "maj", value)?;
        let bc = Self::and(cs.namespace(|| "b and c"), b, c)?;
        let empty = LinearCombination::zero;
        cs.enforce(
            || "maj computation",
            |_| {
                let one = CS::one();
                let twice_bc = bc.add_scaled_to(empty(), one, two());
                c.subtract_from(b.subtract_from(twice_bc, one), one)
            },
            |_| a.add_to(empty(), CS::one()),
            |_| bc.add_to(empty(), CS::one()) - maj.get_variable(),
        );
        Ok(Boolean::Is(maj))
    }
}

impl From<AllocatedBit> for Boolean {
    #[inline]
    fn from(b: AllocatedBit) -> Boolean {
        Boolean::Is(b)
    }
}
