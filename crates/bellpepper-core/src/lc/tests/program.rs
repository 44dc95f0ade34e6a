//! Byte programs over a few combinations, and the oracle that says what must come out.
//!
//! One program runs on anything that is a [`Subject`]: the storages, upstream's crate, and whatever
//! else is to be compared with them. After each step the changed register is compared with the
//! oracle if it is short, and at the end each of them.

use std::collections::BTreeMap;

use ff::PrimeField;

use super::super::term::Kind;

/// What a program works on: a combination.
pub trait Subject<S: PrimeField>: Clone {
    fn zero() -> Self;
    fn of_term(kind: Kind, key: usize, coeff: S) -> Self;
    fn add_term(self, kind: Kind, key: usize, coeff: S) -> Self;
    fn sub_term(self, kind: Kind, key: usize, coeff: S) -> Self;
    fn add(self, other: &Self) -> Self;
    fn sub(self, other: &Self) -> Self;
    fn add_scaled(self, scale: S, other: &Self) -> Self;
    fn sub_scaled(self, scale: S, other: &Self) -> Self;
    /// Multiplies each coefficient, through the mutable iterator.
    fn scale(&mut self, scale: S);
    fn len(&self) -> usize;
    /// The terms as each iterator yields them: of one kind, and of both.
    fn terms_of(&self, kind: Kind) -> Vec<(usize, S)>;
    fn terms(&self) -> Vec<(Kind, usize, S)>;
    fn eval(&self, inputs: &[S], aux: &[S]) -> S;
}

/// The naive model: an ordered map, one arithmetic operation a term.
#[derive(Clone, Default)]
pub struct Oracle<S>(BTreeMap<(Kind, usize), S>);

impl<S: PrimeField> Oracle<S> {
    fn each(mut self, other: &Self, coeff_of: impl Fn(S) -> S) -> Self {
        for ((kind, key), coeff) in &other.0 {
            self = self.add_term(*kind, *key, coeff_of(*coeff));
        }
        self
    }
}

impl<S: PrimeField> Subject<S> for Oracle<S> {
    fn zero() -> Self {
        Oracle(BTreeMap::new())
    }

    fn of_term(kind: Kind, key: usize, coeff: S) -> Self {
        Self::zero().add_term(kind, key, coeff)
    }

    fn add_term(mut self, kind: Kind, key: usize, coeff: S) -> Self {
        *self.0.entry((kind, key)).or_insert(S::ZERO) += coeff;
        self
    }

    fn sub_term(self, kind: Kind, key: usize, coeff: S) -> Self {
        self.add_term(kind, key, S::ZERO - coeff)
    }

    fn add(self, other: &Self) -> Self {
        self.each(other, |coeff| coeff)
    }

    fn sub(self, other: &Self) -> Self {
        self.each(other, |coeff| S::ZERO - coeff)
    }

    fn add_scaled(self, scale: S, other: &Self) -> Self {
        self.each(other, |coeff| coeff * scale)
    }

    fn sub_scaled(self, scale: S, other: &Self) -> Self {
        self.each(other, |coeff| S::ZERO - coeff * scale)
    }

    fn scale(&mut self, scale: S) {
        self.0.values_mut().for_each(|coeff| *coeff *= scale);
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn terms_of(&self, kind: Kind) -> Vec<(usize, S)> {
        let terms = self.terms().into_iter().filter(|term| term.0 == kind);
        terms.map(|(_, key, coeff)| (key, coeff)).collect()
    }

    fn terms(&self) -> Vec<(Kind, usize, S)> {
        let terms = self.0.iter();
        terms
            .map(|((kind, key), coeff)| (*kind, *key, *coeff))
            .collect()
    }

    fn eval(&self, inputs: &[S], aux: &[S]) -> S {
        self.0.iter().fold(S::ZERO, |sum, ((kind, key), coeff)| {
            let values = if *kind == Kind::Input { inputs } else { aux };
            sum + values[*key] * coeff
        })
    }
}

/// Keys of most terms are below this, so that an assignment for them can be made.
const KEYS: usize = 2048;

/// A longer combination is compared when the program has ended: after each step, that would take
/// most of the time, and a fuzzer would try few programs.
const COMPARED_AT_ONCE: usize = 64;

/// Runs a program on a subject and on the oracle, in step.
///
/// Panics, with the step, at a difference.
pub fn run<S: PrimeField, T: Subject<S>>(program: &[u8]) {
    // Of every four, a 0 and a 1, as bits have them.
    let value = |i: u64| S::from(if i % 4 < 2 { i % 4 } else { i * 7919 });
    let values = |salt: u64| (salt..salt + KEYS as u64).map(value).collect();
    let (inputs, aux): (Vec<S>, Vec<S>) = (values(3), values(5));
    let mut bytes = program.iter().copied();
    let mut subjects = vec![T::zero(); 3];
    let mut oracles = vec![Oracle::<S>::zero(); 3];
    let mut step = 0;
    while let Some(changed) = advance(&mut bytes, &mut subjects, &mut oracles) {
        if oracles[changed].len() <= COMPARED_AT_ONCE {
            compare(&subjects[changed], &oracles[changed], &inputs, &aux, step);
        }
        step += 1;
    }
    for (subject, oracle) in subjects.iter().zip(&oracles) {
        compare(subject, oracle, &inputs, &aux, step);
    }
}

fn compare<S: PrimeField, T: Subject<S>>(
    subject: &T,
    oracle: &Oracle<S>,
    inputs: &[S],
    aux: &[S],
    step: usize,
) {
    let terms = oracle.terms();
    assert_eq!(subject.terms(), terms, "all terms, step {}", step);
    for kind in [Kind::Input, Kind::Aux] {
        assert_eq!(
            subject.terms_of(kind),
            oracle.terms_of(kind),
            "{:?} terms, step {}",
            kind,
            step
        );
    }
    assert_eq!(subject.len(), terms.len(), "length, step {}", step);
    if terms.iter().all(|(_, key, _)| *key < KEYS) {
        let value = oracle.eval(inputs, aux);
        assert_eq!(subject.eval(inputs, aux), value, "value, step {}", step);
    }
}

/// Decodes one step and takes it; says which register it changed, or that the program has ended.
fn advance<S: PrimeField, T: Subject<S>>(
    bytes: &mut impl Iterator<Item = u8>,
    subjects: &mut [T],
    oracles: &mut [Oracle<S>],
) -> Option<usize> {
    let (op, registers) = (bytes.next()?, bytes.next()?);
    let (to, from) = (registers as usize % 3, registers as usize / 3 % 3);
    let kind = if registers & 0x80 == 0 {
        Kind::Aux
    } else {
        Kind::Input
    };
    let subject = std::mem::replace(&mut subjects[to], T::zero());
    let oracle = std::mem::replace(&mut oracles[to], Oracle::zero());
    // A register taken out is empty: an operation of a register with itself is one with a copy.
    let (other, other_oracle) = match from == to {
        true => (subject.clone(), oracle.clone()),
        false => (subjects[from].clone(), oracles[from].clone()),
    };
    let (subject, oracle) = match op % 13 {
        0 => {
            let (key, coeff) = (key(bytes)?, coeff(bytes)?);
            (
                subject.add_term(kind, key, coeff),
                oracle.add_term(kind, key, coeff),
            )
        }
        1 => {
            let (key, coeff) = (key(bytes)?, coeff(bytes)?);
            (
                subject.sub_term(kind, key, coeff),
                oracle.sub_term(kind, key, coeff),
            )
        }
        2 => (subject.add(&other), oracle.add(&other_oracle)),
        3 => (subject.sub(&other), oracle.sub(&other_oracle)),
        4 => {
            let scale = coeff(bytes)?;
            (
                subject.add_scaled(scale, &other),
                oracle.add_scaled(scale, &other_oracle),
            )
        }
        5 => {
            let scale = coeff(bytes)?;
            (
                subject.sub_scaled(scale, &other),
                oracle.sub_scaled(scale, &other_oracle),
            )
        }
        6 => {
            let (mut subject, mut oracle, scale) = (subject, oracle, coeff(bytes)?);
            subject.scale(scale);
            oracle.scale(scale);
            (subject, oracle)
        }
        7 => (other, other_oracle),
        8 if op & 0x40 == 0 => (T::zero(), Oracle::zero()),
        8 => {
            let (key, coeff) = (key(bytes)?, coeff(bytes)?);
            (
                T::of_term(kind, key, coeff),
                Oracle::of_term(kind, key, coeff),
            )
        }
        // Runs of keys, long enough to pass every size of block.
        op => {
            let (start, len, coeff) = (key(bytes)?, bytes.next()? as usize % 80, coeff(bytes)?);
            let stride = [1, usize::MAX, 3, 61][op as usize - 9];
            let keys = (0..len).map(|i| start.wrapping_add(i.wrapping_mul(stride)));
            keys.fold((subject, oracle), |(subject, oracle), key| {
                (
                    subject.add_term(kind, key, coeff),
                    oracle.add_term(kind, key, coeff),
                )
            })
        }
    };
    subjects[to] = subject;
    oracles[to] = oracle;
    Some(to)
}

/// Keys close to each other, anywhere below [`KEYS`], or at the end of the address space.
fn key(bytes: &mut impl Iterator<Item = u8>) -> Option<usize> {
    let (high, low) = (bytes.next()?, bytes.next()? as usize);
    Some(match high {
        0..=99 => low % 16,
        100..=249 => high as usize % 7 * 256 + low,
        _ => usize::MAX - low,
    })
}

fn coeff<S: PrimeField>(bytes: &mut impl Iterator<Item = u8>) -> Option<S> {
    let byte = bytes.next()?;
    Some(match byte {
        0..=79 => S::ONE,
        80..=139 => S::ZERO - S::ONE,
        140..=149 => S::ZERO,
        _ => S::from(u64::from(byte)).square().square(),
    })
}
