//! Programs over combinations: what they say, how they read, and how they run on a [`Combination`].

use std::fmt;
use std::hint::black_box;
use std::sync::OnceLock;

use blstrs::Scalar as Fr;
use ff::Field;
use rand::seq::SliceRandom;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::subject::Combination;
use crate::Body;

/// All keys are below this, so that there is an assignment for them.
const KEYS: usize = 1 << 14;

/// Registers: the first half is for operands, which only the set-up writes; the second half is for
/// the measured steps, and empty before each run of them.
const REGISTERS: usize = 8;
pub const OPERANDS: usize = REGISTERS / 2;

pub type Register = usize;

/// What is done once, and what is then done over and over, and measured.
#[derive(Clone)]
pub struct Program {
    /// How it came about.
    pub family: &'static str,
    pub lists: Vec<Terms>,
    pub setup: Vec<Step>,
    pub measured: Vec<Step>,
}

/// A list of terms, by its place in [`Program::lists`].
pub type List = usize;

/// One step. Of two registers, the first one is written.
#[derive(Clone)]
pub enum Step {
    Zero(Register),
    /// Adds terms one by one, and may read the sum after each.
    Push(Register, List, Push, Option<Read>),
    Clone(Register, Register),
    Combine(Register, Register, By),
    Read(Register, Read),
    Equal(Register, Register),
    /// Multiplies each coefficient, through `iter_mut`.
    Multiply(Register, Scale),
    Parts(List, Parts),
    /// Puts a combination to the kept ones; the register is empty then.
    Keep(Register),
    KeepClone(Register),
    Collect(Register, By, Collect),
    ReadKept(Read),
    /// Drops those that measured steps have kept, the first one first.
    DropKept(Thread),
    Repeat(usize, Vec<Step>),
}

/// Addition or subtraction of a combination, which may be scaled.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct By {
    pub minus: bool,
    pub scale: Option<Scale>,
}

/// Makes combinations of so many terms each, may read each, and keeps or drops them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Parts {
    pub of: usize,
    pub push: Push,
    pub read: Option<Read>,
    pub keep: bool,
}

/// Adds each kept combination to a sum, or to a clone of it that takes its place, and may read it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Collect {
    pub clone: bool,
    pub read: Option<Read>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Thread {
    This,
    Another,
}

/// How a term is added.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Push {
    Term,
    MinusTerm,
    /// Only with the coefficient 1.
    Variable,
    MinusVariable,
    /// As a combination of its own, by `from_coeff`.
    Combination,
    MinusCombination,
    /// As a scaled combination of its own, by `from_variable`.
    ScaledVariable,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Read {
    EvalRandom,
    EvalBits,
    EvalZeros,
    Iter,
    IterInputs,
    IterAux,
    Len,
    IsEmpty,
    Debug,
    /// A clone, dropped at once.
    Clone,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Scale {
    One,
    MinusOne,
    Zero,
    /// 2^35.
    Shift,
    /// Its powers, from 1 on, as `MultiEq` has them: seven, again and again.
    Shifts,
    /// The same one each time.
    Random,
    /// Another one each time.
    Fresh,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Coeffs {
    One,
    MinusOne,
    /// 1, 2, 4, ..., 32 of them, again and again.
    Powers,
    Random,
    /// 1 and -1, two of three times, or random.
    Mixed,
    Zero,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kinds {
    Aux,
    Inputs,
    /// The constant one, then auxiliaries.
    OneThenAux,
    AuxThenOne,
    /// Inputs and auxiliaries in turn.
    InTurn,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Order {
    Ascending,
    Descending,
    Shuffled,
    /// From both ends in turn.
    Ends,
    /// The first half and the second half in turn.
    Halves,
    /// In pieces of 32, of which each third one is first, and so on.
    Words,
    /// Each key twice.
    Twice,
    /// All keys, then all again.
    Again,
    /// Neighbours exchanged.
    Swapped,
}

/// Terms: keys `start`, `start + stride`, ..., in some order.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Terms {
    pub kinds: Kinds,
    pub start: usize,
    pub stride: usize,
    pub len: usize,
    pub order: Order,
    pub coeffs: Coeffs,
}

impl Terms {
    fn keys(&self) -> Vec<usize> {
        let len = self.len;
        let at = |i: usize| (self.start + i * self.stride) % KEYS;
        let ascending = (0..len).map(at);
        match self.order {
            Order::Ascending => ascending.collect(),
            Order::Descending => ascending.rev().collect(),
            Order::Shuffled => {
                let mut keys: Vec<_> = ascending.collect();
                keys.shuffle(&mut ChaCha8Rng::seed_from_u64(len as u64));
                keys
            }
            Order::Ends => (0..len)
                .map(|i| at(if i % 2 == 0 { i / 2 } else { len - 1 - i / 2 }))
                .collect(),
            Order::Halves => (0..len).map(|i| at(i / 2 + i % 2 * (len / 2))).collect(),
            Order::Words => {
                let words: Vec<_> = (0..len).step_by(32).collect();
                let words = (0..3).flat_map(|third| words.iter().skip(2 - third).step_by(3));
                words
                    .flat_map(|word| (*word..len.min(word + 32)).map(at))
                    .collect()
            }
            Order::Twice => (0..len).map(|i| at(i / 2)).collect(),
            Order::Again => (0..len).map(|i| at(i % len.div_ceil(2))).collect(),
            Order::Swapped => (0..len).map(|i| at((i ^ 1).min(len - 1))).collect(),
        }
    }

    fn make<V>(&self, input: fn(usize) -> V, aux: fn(usize) -> V) -> Vec<(Fr, V)> {
        let (one, scalars) = (Fr::ONE, scalars());
        let mut power = one;
        let terms = self.keys().into_iter().enumerate().map(|(i, key)| {
            let var = match self.kinds {
                Kinds::Aux => aux(key),
                Kinds::Inputs => input(key),
                Kinds::OneThenAux if i == 0 => input(0),
                Kinds::AuxThenOne if i + 1 == self.len => input(0),
                Kinds::OneThenAux | Kinds::AuxThenOne => aux(key),
                Kinds::InTurn if i % 2 == 0 => aux(key),
                Kinds::InTurn => input(key),
            };
            let random = scalars[(self.start + i) % scalars.len()];
            let coeff = match self.coeffs {
                Coeffs::One => one,
                Coeffs::MinusOne => -one,
                Coeffs::Zero => Fr::ZERO,
                Coeffs::Random => random,
                Coeffs::Mixed => [one, -one, random][i % 3],
                Coeffs::Powers => {
                    power = if i % 32 == 0 { one } else { power.double() };
                    power
                }
            };
            (coeff, var)
        });
        terms.collect()
    }
}

/// Random scalars.
fn scalars() -> &'static [Fr] {
    static SCALARS: OnceLock<Vec<Fr>> = OnceLock::new();
    SCALARS.get_or_init(|| {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        (0..1024).map(|_| Fr::random(&mut rng)).collect()
    })
}

/// Values of inputs and auxiliaries alike.
fn values(read: Read) -> &'static [Fr] {
    static VALUES: OnceLock<[Vec<Fr>; 3]> = OnceLock::new();
    let values = VALUES.get_or_init(|| {
        let random = scalars().iter().cycle().take(KEYS).copied().collect();
        let bit = |key: usize| Fr::from(u64::from(key.count_ones() % 2));
        [random, (0..KEYS).map(bit).collect(), vec![Fr::ZERO; KEYS]]
    });
    match read {
        Read::EvalBits => &values[1],
        Read::EvalZeros => &values[2],
        _ => &values[0],
    }
}

/// What a program works on.
struct Machine<C: Combination> {
    lists: Vec<Vec<(Fr, C::Variable)>>,
    registers: [C; REGISTERS],
    kept: Vec<C>,
    /// The registers that measured steps write, and how many of the kept ones are older than these
    /// steps.
    written: Vec<Register>,
    kept_by_setup: usize,
    /// How many scalars there have been.
    fresh: usize,
}

impl<C: Combination> Machine<C> {
    /// The set-up done.
    fn after_setup(program: &Program) -> Self {
        let lists = program
            .lists
            .iter()
            .map(|terms| terms.make(C::input, C::aux));
        let mut machine = Machine {
            lists: lists.collect(),
            registers: Default::default(),
            kept: Vec::new(),
            written: Vec::new(),
            kept_by_setup: 0,
            fresh: 0,
        };
        machine.run(&program.setup);
        let written = |register: &Register| writes(&program.measured, *register);
        machine.written = (OPERANDS..REGISTERS).filter(written).collect();
        machine.kept_by_setup = machine.kept.len();
        machine
    }

    /// Empties everything but the operands.
    fn clear(&mut self) {
        for register in &self.written {
            drop(std::mem::take(&mut self.registers[*register]));
        }
        self.kept.truncate(self.kept_by_setup);
    }

    fn take(&mut self, register: Register) -> C {
        std::mem::take(&mut self.registers[register])
    }

    fn scalar(&mut self, scale: Scale) -> Fr {
        let scalars = scalars();
        self.fresh = (self.fresh + 1) % scalars.len();
        match scale {
            Scale::One => Fr::ONE,
            Scale::MinusOne => -Fr::ONE,
            Scale::Zero => Fr::ZERO,
            Scale::Shift => shifts()[1],
            Scale::Shifts => shifts()[self.fresh % 7],
            Scale::Random => scalars[0],
            Scale::Fresh => scalars[self.fresh],
        }
    }

    #[inline(never)]
    fn run(&mut self, steps: &[Step]) {
        for step in steps {
            match *step {
                Step::Zero(to) => self.registers[to] = C::zero(),
                Step::Push(to, list, how, after_each) => {
                    let mut sum = self.take(to);
                    let terms = &self.lists[list];
                    match after_each {
                        None => sum = push_all(sum, terms, how),
                        Some(what) => {
                            for term in terms {
                                sum = push(sum, term, how);
                                read(&sum, what);
                            }
                        }
                    }
                    self.registers[to] = sum;
                }
                Step::Clone(to, from) => self.registers[to] = self.registers[from].clone(),
                Step::Combine(to, from, by) => {
                    let scale = by.scale.map(|scale| self.scalar(scale));
                    let sum = self.take(to);
                    self.registers[to] = if to == from {
                        let other = sum.clone();
                        combine(sum, &other, by.minus, scale)
                    } else {
                        combine(sum, &self.registers[from], by.minus, scale)
                    };
                }
                Step::Read(from, what) => read(&self.registers[from], what),
                Step::Equal(one, other) => {
                    black_box(self.registers[one] == self.registers[other]);
                }
                Step::Multiply(to, scale) => {
                    let scale = self.scalar(scale);
                    let terms = self.registers[to].iter_mut();
                    terms.for_each(|(_, coeff)| *coeff *= scale);
                }
                Step::Parts(list, parts) => {
                    for part in self.lists[list].chunks(parts.of) {
                        let sum = push_all(C::zero(), part, parts.push);
                        if let Some(what) = parts.read {
                            read(&sum, what);
                        }
                        if parts.keep {
                            self.kept.push(sum);
                        } else {
                            black_box(&sum);
                        }
                    }
                }
                Step::Keep(from) => {
                    let kept = self.take(from);
                    self.kept.push(kept);
                }
                Step::KeepClone(from) => self.kept.push(self.registers[from].clone()),
                Step::Collect(to, by, Collect { clone, read: what }) => {
                    let mut sum = self.take(to);
                    for place in 0..self.kept.len() {
                        let scale = by.scale.map(|scale| self.scalar(scale));
                        if clone {
                            // The old sum lives until there is the new one.
                            sum = combine(sum.clone(), &self.kept[place], by.minus, scale);
                        } else {
                            sum = combine(sum, &self.kept[place], by.minus, scale);
                        }
                        if let Some(what) = what {
                            read(&sum, what);
                        }
                    }
                    self.registers[to] = sum;
                }
                Step::ReadKept(what) => self.kept.iter().for_each(|kept| read(kept, what)),
                Step::DropKept(Thread::This) => self.kept.truncate(self.kept_by_setup),
                Step::DropKept(Thread::Another) => {
                    let kept = self.kept.split_off(self.kept_by_setup);
                    std::thread::scope(|scope| {
                        scope.spawn(move || drop(kept));
                    });
                }
                Step::Repeat(times, ref steps) => (0..times).for_each(|_| self.run(steps)),
            }
        }
    }
}

fn writes(steps: &[Step], register: Register) -> bool {
    steps.iter().any(|step| match step {
        Step::Zero(to)
        | Step::Push(to, ..)
        | Step::Clone(to, _)
        | Step::Combine(to, ..)
        | Step::Multiply(to, _)
        | Step::Collect(to, ..) => *to == register,
        Step::Repeat(_, steps) => writes(steps, register),
        _ => false,
    })
}

/// Powers of 2^35.
fn shifts() -> &'static [Fr; 7] {
    static SHIFTS: OnceLock<[Fr; 7]> = OnceLock::new();
    SHIFTS.get_or_init(|| [0, 1, 2, 3, 4, 5, 6].map(|i| Fr::from(1 << 35).pow_vartime([i])))
}

#[inline(always)]
fn push<C: Combination>(sum: C, &(coeff, var): &(Fr, C::Variable), push: Push) -> C {
    match push {
        Push::Term => sum.add_term(coeff, var),
        Push::MinusTerm => sum.sub_term(coeff, var),
        Push::Variable => sum.add_variable(var),
        Push::MinusVariable => sum.sub_variable(var),
        // The compiler does not see through such a combination in a prover, and is not to do so
        // here.
        Push::Combination => sum.add(black_box(&C::from_coeff(var, coeff))),
        Push::MinusCombination => sum.sub(black_box(&C::from_coeff(var, coeff))),
        Push::ScaledVariable => sum.add_scaled(coeff, black_box(&C::from_variable(var))),
    }
}

/// One loop for each way of pushing.
#[inline(never)]
fn push_all<C: Combination>(sum: C, terms: &[(Fr, C::Variable)], how: Push) -> C {
    macro_rules! fold {
        ($how:expr) => {
            terms.iter().fold(sum, |sum, term| push(sum, term, $how))
        };
    }
    match how {
        Push::Term => fold!(Push::Term),
        Push::MinusTerm => fold!(Push::MinusTerm),
        Push::Variable => fold!(Push::Variable),
        Push::MinusVariable => fold!(Push::MinusVariable),
        Push::Combination => fold!(Push::Combination),
        Push::MinusCombination => fold!(Push::MinusCombination),
        Push::ScaledVariable => fold!(Push::ScaledVariable),
    }
}

#[inline(always)]
fn combine<C: Combination>(sum: C, other: &C, minus: bool, scale: Option<Fr>) -> C {
    match (minus, scale) {
        (false, None) => sum.add(other),
        (true, None) => sum.sub(other),
        (false, Some(scale)) => sum.add_scaled(scale, other),
        (true, Some(scale)) => sum.sub_scaled(scale, other),
    }
}

/// Reads all that there is to read of it.
fn read<C: Combination>(combination: &C, read: Read) {
    match read {
        Read::EvalRandom | Read::EvalBits | Read::EvalZeros => {
            let values = values(read);
            black_box(combination.eval(values, values));
        }
        Read::Iter => combination.iter().for_each(|(_, coeff)| {
            black_box(coeff);
        }),
        Read::IterInputs => combination.iter_inputs().for_each(|term| {
            black_box(term);
        }),
        Read::IterAux => combination.iter_aux().for_each(|term| {
            black_box(term);
        }),
        Read::Len => {
            black_box(combination.len());
        }
        Read::IsEmpty => {
            black_box(combination.is_empty());
        }
        Read::Debug => {
            struct Nowhere;
            impl fmt::Write for Nowhere {
                fn write_str(&mut self, text: &str) -> fmt::Result {
                    black_box(text);
                    Ok(())
                }
            }
            fmt::write(&mut Nowhere, format_args!("{combination:?}")).expect("nowhere to fail");
        }
        Read::Clone => {
            black_box(combination.clone());
        }
    }
}

/// The set-up done, and a call of what is measured.
pub fn prepare<C: Combination>(program: &Program) -> Body {
    let mut machine = Machine::<C>::after_setup(program);
    let measured = program.measured.clone();
    Box::new(move || {
        // Of fresh scalars, each run takes the same.
        machine.fresh = 0;
        machine.run(&measured);
        machine.clear();
    })
}

/// How many combinations are made to see what one of them holds: first to fill the free list,
/// then to count.
const UNCOUNTED: usize = 40;
const COUNTED: usize = 64;

/// What a program's result holds.
pub struct Held {
    pub terms: usize,
    /// One of many such results, its own size included.
    pub bytes: usize,
}

/// What the first of the registers that measured steps write holds after a program. `now_held` says
/// how many bytes are allocated.
pub fn held<C: Combination>(program: &Program, now_held: fn() -> usize) -> Held {
    let mut machine = Machine::<C>::after_setup(program);
    let mut results = Vec::with_capacity(UNCOUNTED + COUNTED);
    let mut before = 0;
    for made in 0..UNCOUNTED + COUNTED {
        if made == UNCOUNTED {
            before = now_held();
        }
        machine.run(&program.measured);
        results.push(machine.take(OPERANDS));
        machine.clear();
    }
    let bytes = now_held().saturating_sub(before) / COUNTED;
    Held {
        terms: results[0].len(),
        bytes: bytes + std::mem::size_of::<C>(),
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &self.setup, 1)?;
        writeln!(f, "  again and again:")?;
        self.write(f, &self.measured, 2)
    }
}

impl Program {
    fn write(&self, f: &mut fmt::Formatter<'_>, steps: &[Step], indent: usize) -> fmt::Result {
        let name = |register: Register| (b'a' + register as u8) as char;
        let after_each = |read: Option<Read>| {
            read.map_or(String::new(), |read| format!(", after each {read:?}"))
        };
        for step in steps {
            write!(f, "{:1$}", "", 2 * indent)?;
            match *step {
                Step::Zero(to) => writeln!(f, "{} = zero", name(to)),
                Step::Push(to, list, push, read) => {
                    let (to, terms, read) = (name(to), &self.lists[list], after_each(read));
                    writeln!(f, "{to} += {push:?} of {terms}{read}")
                }
                Step::Clone(to, from) => writeln!(f, "{} = {}.clone()", name(to), name(from)),
                Step::Combine(to, from, by) => {
                    let (to, from) = (name(to), name(from).to_string());
                    writeln!(f, "{to} = {to} {}", by.of(&from))
                }
                Step::Read(from, read) => writeln!(f, "{read:?} of {}", name(from)),
                Step::Equal(one, other) => writeln!(f, "{} == {}", name(one), name(other)),
                Step::Multiply(to, scale) => {
                    writeln!(f, "{} *= {scale:?}, by iter_mut", name(to))
                }
                Step::Parts(
                    list,
                    Parts {
                        of,
                        push,
                        read,
                        keep,
                    },
                ) => {
                    let (terms, read) = (&self.lists[list], after_each(read));
                    let keep = if keep { "keep" } else { "make and drop" };
                    writeln!(
                        f,
                        "{keep} combinations of {of} terms, {push:?} of {terms}{read}"
                    )
                }
                Step::Keep(from) => writeln!(f, "keep {}", name(from)),
                Step::KeepClone(from) => writeln!(f, "keep {}.clone()", name(from)),
                Step::Collect(to, by, Collect { clone, read }) => {
                    let (to, read) = (name(to), after_each(read));
                    let clone = if clone { ".clone()" } else { "" };
                    writeln!(
                        f,
                        "for each kept: {to} = {to}{clone} {}{read}",
                        by.of("kept")
                    )
                }
                Step::ReadKept(read) => writeln!(f, "{read:?} of each kept"),
                Step::DropKept(thread) => writeln!(f, "drop the kept on {thread:?} thread"),
                Step::Repeat(times, ref steps) => {
                    writeln!(f, "{times} times:")?;
                    self.write(f, steps, indent + 1)
                }
            }?;
        }
        Ok(())
    }
}

impl By {
    fn of(self, other: &str) -> String {
        let sign = if self.minus { '-' } else { '+' };
        match self.scale {
            None => format!("{sign} &{other}"),
            Some(scale) => format!("{sign} ({scale:?}, &{other})"),
        }
    }
}

impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Terms {
            kinds,
            start,
            stride,
            len,
            order,
            coeffs,
        } = self;
        write!(
            f,
            "{len} {kinds:?} from {start} by {stride}, {order:?}, coefficients {coeffs:?}"
        )
    }
}
