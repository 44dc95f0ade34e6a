//! Runs programs of gadget calls.

use ff::PrimeFieldBits;

use super::recorder::{Recorder, Unseen};
use super::{bp, place, terms};
use crate::observation::{panic_message, Event, Output};
use crate::program::{Calls, Step};
use bp::boolean::{
    field_into_allocated_bits_le, field_into_boolean_vec_le, u64_into_boolean_vec_le, AllocatedBit,
    Boolean,
};
use bp::num::{AllocatedNum, Num};
use bp::{ConstraintSystem, SynthesisError};

/// What programs have made so far.
struct State<F: PrimeFieldBits> {
    bits: Vec<Boolean>,
    nums: Vec<AllocatedNum<F>>,
    sums: Vec<Num<F>>,
}

/// What a step returns; results become operands of later steps.
enum Made<F: PrimeFieldBits> {
    Nothing,
    Bits(Vec<Boolean>),
    Nums(Vec<AllocatedNum<F>>),
    Sum(Num<F>),
    Lc(bp::LinearCombination<F>),
}

impl<F: PrimeFieldBits> From<()> for Made<F> {
    fn from(_: ()) -> Self {
        Made::Nothing
    }
}

impl<F: PrimeFieldBits> From<Boolean> for Made<F> {
    fn from(bit: Boolean) -> Self {
        Made::Bits(vec![bit])
    }
}

impl<F: PrimeFieldBits> From<AllocatedBit> for Made<F> {
    fn from(bit: AllocatedBit) -> Self {
        Boolean::from(bit).into()
    }
}

impl<F: PrimeFieldBits> From<Vec<Boolean>> for Made<F> {
    fn from(bits: Vec<Boolean>) -> Self {
        Made::Bits(bits)
    }
}

impl<F: PrimeFieldBits> From<Vec<AllocatedBit>> for Made<F> {
    fn from(bits: Vec<AllocatedBit>) -> Self {
        Made::Bits(bits.into_iter().map(Boolean::from).collect())
    }
}

impl<F: PrimeFieldBits> From<AllocatedNum<F>> for Made<F> {
    fn from(num: AllocatedNum<F>) -> Self {
        Made::Nums(vec![num])
    }
}

impl<F: PrimeFieldBits> From<(AllocatedNum<F>, AllocatedNum<F>)> for Made<F> {
    fn from((first, second): (AllocatedNum<F>, AllocatedNum<F>)) -> Self {
        Made::Nums(vec![first, second])
    }
}

impl<F: PrimeFieldBits> From<Num<F>> for Made<F> {
    fn from(sum: Num<F>) -> Self {
        Made::Sum(sum)
    }
}

impl<F: PrimeFieldBits> From<bp::LinearCombination<F>> for Made<F> {
    fn from(lc: bp::LinearCombination<F>) -> Self {
        Made::Lc(lc)
    }
}

/// Why a step made nothing.
enum Missing {
    Operand,
    Synthesis(SynthesisError),
}

impl From<SynthesisError> for Missing {
    fn from(error: SynthesisError) -> Self {
        Missing::Synthesis(error)
    }
}

/// Runs a program on a recorder; returns what it recorded and what each step returned.
pub fn record<F: PrimeFieldBits>(
    program: &[Step<F>],
    calls: Calls,
) -> (Vec<Event<F>>, Vec<Output<F>>) {
    let mut cs = Recorder::new(calls);
    let outputs = run(program, &mut cs);
    (cs.events, outputs)
}

/// Runs a program, each step in a namespace of its position, and returns what the steps returned.
pub fn run<F: PrimeFieldBits, CS: ConstraintSystem<F>>(
    program: &[Step<F>],
    cs: &mut CS,
) -> Vec<Output<F>> {
    let mut state = State {
        bits: Vec::new(),
        nums: Vec::new(),
        sums: Vec::new(),
    };
    let mut outputs = Vec::new();
    for (position, step) in program.iter().enumerate() {
        let made = panic_message(|| state.step(step, cs.namespace(|| position.to_string())));
        match made {
            Ok(Ok(made)) => state.keep(made, &mut outputs),
            Ok(Err(Missing::Operand)) => outputs.push(Output::Skipped),
            Ok(Err(Missing::Synthesis(error))) => outputs.push(Output::Failed(error.to_string())),
            Err(message) => outputs.push(Output::Panicked(message)),
        }
    }
    outputs
}

fn nth<T>(list: &[T], position: usize) -> Result<&T, Missing> {
    if list.is_empty() {
        return Err(Missing::Operand);
    }
    Ok(&list[position % list.len()])
}

impl<F: PrimeFieldBits> State<F> {
    fn bit(&self, position: usize) -> Result<&Boolean, Missing> {
        nth(&self.bits, position)
    }

    fn allocated_bit(&self, position: usize) -> Result<&AllocatedBit, Missing> {
        match self.bit(position)? {
            Boolean::Is(bit) | Boolean::Not(bit) => Ok(bit),
            Boolean::Constant(_) => Err(Missing::Operand),
        }
    }

    fn num(&self, position: usize) -> Result<&AllocatedNum<F>, Missing> {
        nth(&self.nums, position)
    }

    fn sum(&self, position: usize) -> Result<&Num<F>, Missing> {
        nth(&self.sums, position)
    }

    fn step<CS: ConstraintSystem<F>>(
        &self,
        step: &Step<F>,
        mut cs: CS,
    ) -> Result<Made<F>, Missing> {
        let known = |value: Option<F>| move || value.ok_or(SynthesisError::AssignmentMissing);
        Ok(match *step {
            Step::Constant(value) => Boolean::constant(value).into(),
            Step::Bit(value) => AllocatedBit::alloc(cs, value)?.into(),
            Step::UnseenBit(value) => AllocatedBit::alloc(Unseen(&mut cs), value)?.into(),
            Step::BitUnless(value, a) => {
                AllocatedBit::alloc_conditionally(cs, value, self.allocated_bit(a)?)?.into()
            }
            Step::U64(value) => u64_into_boolean_vec_le(cs, value)?.into(),
            Step::FieldBits(value) => field_into_allocated_bits_le(cs, value)?.into(),
            Step::FieldBooleans(value) => field_into_boolean_vec_le(cs, value)?.into(),

            Step::BitXor(a, b) => {
                AllocatedBit::xor(cs, self.allocated_bit(a)?, self.allocated_bit(b)?)?.into()
            }
            Step::BitAnd(a, b) => {
                AllocatedBit::and(cs, self.allocated_bit(a)?, self.allocated_bit(b)?)?.into()
            }
            Step::BitAndNot(a, b) => {
                AllocatedBit::and_not(cs, self.allocated_bit(a)?, self.allocated_bit(b)?)?.into()
            }
            Step::BitNor(a, b) => {
                AllocatedBit::nor(cs, self.allocated_bit(a)?, self.allocated_bit(b)?)?.into()
            }

            Step::Not(a) => self.bit(a)?.not().into(),
            Step::Xor(a, b) => Boolean::xor(cs, self.bit(a)?, self.bit(b)?)?.into(),
            Step::And(a, b) => Boolean::and(cs, self.bit(a)?, self.bit(b)?)?.into(),
            Step::Or(a, b) => Boolean::or(cs, self.bit(a)?, self.bit(b)?)?.into(),
            Step::Ch(a, b, c) => {
                Boolean::sha256_ch(cs, self.bit(a)?, self.bit(b)?, self.bit(c)?)?.into()
            }
            Step::Maj(a, b, c) => {
                Boolean::sha256_maj(cs, self.bit(a)?, self.bit(b)?, self.bit(c)?)?.into()
            }
            Step::EnforceEqual(a, b) => {
                Boolean::enforce_equal(cs, self.bit(a)?, self.bit(b)?)?.into()
            }
            Step::BitLc(a, coeff) => self.bit(a)?.lc(CS::one(), coeff).into(),

            Step::Num(value) => AllocatedNum::alloc(cs, known(value))?.into(),
            Step::UnseenNum => AllocatedNum::alloc(Unseen(&mut cs), known(None))?.into(),
            Step::InfallibleNum(value) => AllocatedNum::alloc_infallible(cs, || value).into(),
            Step::InputNum(value) => AllocatedNum::alloc_input(cs, known(value))?.into(),
            Step::MaybeInputNum(is_input, value) => {
                AllocatedNum::alloc_maybe_input(cs, is_input, || Ok(value))?.into()
            }
            Step::Inputize(a) => self.num(a)?.inputize(cs)?.into(),
            Step::ToBits(a) => self.num(a)?.to_bits_le(cs)?.into(),
            Step::ToBitsStrict(a) => self.num(a)?.to_bits_le_strict(cs)?.into(),
            Step::Add(a, b) => self.num(a)?.add(cs, self.num(b)?)?.into(),
            Step::Mul(a, b) => self.num(a)?.mul(cs, self.num(b)?)?.into(),
            Step::Square(a) => self.num(a)?.square(cs)?.into(),
            Step::AssertNonzero(a) => self.num(a)?.assert_nonzero(cs)?.into(),
            Step::ConditionallyReverse(a, b, condition) => AllocatedNum::conditionally_reverse(
                cs,
                self.num(a)?,
                self.num(b)?,
                self.bit(condition)?,
            )?
            .into(),

            Step::Zero => Num::zero().into(),
            Step::SumOfNum(a) => Num::from(self.num(a)?.clone()).into(),
            Step::SumAddBit(a, bit, coeff) => self
                .sum(a)?
                .clone()
                .add_bool_with_coeff(CS::one(), self.bit(bit)?, coeff)
                .into(),
            Step::SumAdd(a, b) => self.sum(a)?.clone().add(self.sum(b)?).into(),
            Step::SumScale(a, by) => self.sum(a)?.clone().scale(by).into(),
            Step::SumLc(a, coeff) => self.sum(a)?.lc(coeff).into(),
        })
    }

    fn keep(&mut self, made: Made<F>, outputs: &mut Vec<Output<F>>) {
        match made {
            Made::Nothing => outputs.push(Output::Unit),
            Made::Bits(bits) => {
                outputs.extend(bits.iter().map(bit_output));
                self.bits.extend(bits);
            }
            Made::Nums(nums) => {
                outputs.extend(
                    nums.iter()
                        .map(|num| Output::Num(place(num.get_variable()), num.get_value())),
                );
                self.nums.extend(nums);
            }
            Made::Sum(sum) => {
                outputs.push(Output::Sum(terms(&sum.lc(F::ONE)), sum.get_value()));
                self.sums.push(sum);
            }
            Made::Lc(lc) => outputs.push(Output::Sum(terms(&lc), None)),
        }
    }
}

fn bit_output<F>(bit: &Boolean) -> Output<F> {
    let (kind, variable) = match bit {
        Boolean::Is(bit) => ("Is", Some(place(bit.get_variable()))),
        Boolean::Not(bit) => ("Not", Some(place(bit.get_variable()))),
        Boolean::Constant(_) => ("Constant", None),
    };
    assert_eq!(bit.is_constant(), variable.is_none());
    Output::Bit(kind, variable, bit.get_value())
}
