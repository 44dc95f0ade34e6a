//! Every gadget with every kind of operand.

use blstrs::Scalar;
use ff::{Field, PrimeFieldBits};
use rand::{Rng, SeedableRng};
use rand_xorshift::XorShiftRng;

use crate::fields::{F109, F127, F257, F683, F7};
use crate::observation::assert_equal;
use crate::program::{bits_of_every_kind, edge_values, random, Calls, Step, KINDS_OF_BITS};
use crate::{ours, theirs};

const EVERY_WAY: [Calls; 4] = [
    Calls::All,
    Calls::AllOnTopOfTerms,
    Calls::Values,
    Calls::Combinations,
];

/// Asserts that both crates make the same calls and return the same.
fn assert_same<F: PrimeFieldBits>(program: &[Step<F>], every_way: &[Calls]) {
    for &calls in every_way {
        let (our_events, our_outputs) = ours::subject::interpreter::record(program, calls);
        let (their_events, their_outputs) = theirs::subject::interpreter::record(program, calls);
        assert_equal(
            &our_outputs,
            &their_outputs,
            &[&"outputs", &calls, &program],
        );
        assert_equal(&our_events, &their_events, &[&"events", &calls, &program]);
    }
}

/// Asserts that, and that a test constraint system ends up the same.
fn assert_same_everywhere(program: &[Step<Scalar>]) {
    assert_same(program, &EVERY_WAY);
    assert_equal(
        &ours::subject::test_cs::inspect(program),
        &theirs::subject::test_cs::inspect(program),
        &[&"test constraint system", &program],
    );
}

fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |a| (0..count).map(move |b| (a, b)))
}

fn triples(count: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    pairs(count).flat_map(move |(a, b)| (0..count).map(move |c| (a, b, c)))
}

/// `steps` on bits of every kind.
fn on_bits(steps: impl Iterator<Item = Step<Scalar>>) -> Vec<Step<Scalar>> {
    bits_of_every_kind().into_iter().chain(steps).collect()
}

/// Numbers of all edge values and one of none, then `steps`, which is told how many these are.
fn on_nums<F: PrimeFieldBits>(steps: impl FnOnce(usize) -> Vec<Step<F>>) -> Vec<Step<F>> {
    let mut program: Vec<_> = edge_values().into_iter().map(Some).map(Step::Num).collect();
    program.push(Step::UnseenNum);
    let count = program.len();
    program.extend(steps(count));
    program
}

#[test]
fn bits_are_allocated_alike() {
    for value in [None, Some(false), Some(true)] {
        assert_same_everywhere(&[Step::Bit(value)]);
        assert_same_everywhere(&on_bits(
            (0..KINDS_OF_BITS).map(|condition| Step::BitUnless(value, condition)),
        ));
    }
}

#[test]
fn logic_on_every_pair_of_bits_is_alike() {
    let binary: [fn(usize, usize) -> Step<Scalar>; 8] = [
        Step::BitXor,
        Step::BitAnd,
        Step::BitAndNot,
        Step::BitNor,
        Step::Xor,
        Step::And,
        Step::Or,
        Step::EnforceEqual,
    ];
    for step in binary {
        assert_same_everywhere(&on_bits(pairs(KINDS_OF_BITS).map(|(a, b)| step(a, b))));
    }
}

#[test]
fn sha256_functions_of_every_triple_of_bits_are_alike() {
    for step in [Step::Ch, Step::Maj] {
        assert_same_everywhere(&on_bits(
            triples(KINDS_OF_BITS).map(|(a, b, c)| step(a, b, c)),
        ));
    }
}

#[test]
fn every_bit_as_a_combination_is_alike() {
    assert_same_everywhere(&on_bits((0..KINDS_OF_BITS).flat_map(|bit| {
        edge_values()
            .into_iter()
            .map(move |coeff| Step::BitLc(bit, coeff))
    })));
}

#[test]
fn values_are_split_into_bits_alike() {
    for value in [
        None,
        Some(0),
        Some(1),
        Some(1 << 63),
        Some(u64::MAX),
        Some(0x0123_4567_89ab_cdef),
    ] {
        assert_same_everywhere(&[Step::U64(value)]);
    }
    let edges: Vec<Scalar> = edge_values();
    for value in edges.into_iter().map(Some).chain([None]) {
        assert_same_everywhere(&[Step::FieldBits(value), Step::FieldBooleans(value)]);
    }
}

#[test]
fn numbers_are_allocated_alike() {
    let edges: Vec<Scalar> = edge_values();
    for value in edges.into_iter().map(Some).chain([None]) {
        let allocated = value.unwrap_or(Scalar::ONE);
        assert_same_everywhere(&[
            Step::Num(value),
            Step::InputNum(value),
            Step::MaybeInputNum(false, allocated),
            Step::MaybeInputNum(true, allocated),
            Step::InfallibleNum(allocated),
        ]);
    }
}

#[test]
fn arithmetic_on_every_pair_of_numbers_is_alike() {
    for step in [Step::Add, Step::Mul] {
        assert_same_everywhere(&on_nums(|count| {
            pairs(count).map(|(a, b)| step(a, b)).collect()
        }));
    }
    for step in [Step::Square, Step::AssertNonzero, Step::Inputize] {
        assert_same_everywhere(&on_nums(|count| (0..count).map(step).collect()));
    }
}

#[test]
fn conditional_reversal_is_alike() {
    assert_same_everywhere(&on_bits(
        [
            Step::Num(Some(Scalar::ONE)),
            Step::Num(Some(-Scalar::ONE)),
            Step::UnseenNum,
        ]
        .into_iter()
        .chain(pairs(3).flat_map(|(a, b)| {
            (0..KINDS_OF_BITS).map(move |condition| Step::ConditionallyReverse(a, b, condition))
        })),
    ));
}

/// In what order bits are bound, and by what, follows the runs of ones and zeros in p - 1.
#[test]
fn numbers_are_split_into_bits_alike() {
    fn program<F: PrimeFieldBits>() -> Vec<Step<F>> {
        on_nums(|count| {
            (0..count)
                .flat_map(|num| [Step::ToBits(num), Step::ToBitsStrict(num)])
                .collect()
        })
    }
    assert_same_everywhere(&program::<Scalar>());
    assert_same(&program::<F7>(), &EVERY_WAY);
    assert_same(&program::<F109>(), &EVERY_WAY);
    assert_same(&program::<F127>(), &EVERY_WAY);
    assert_same(&program::<F257>(), &EVERY_WAY);
    assert_same(&program::<F683>(), &EVERY_WAY);
}

#[test]
fn sums_are_alike() {
    let mut program = on_bits(
        [
            Step::Num(Some(Scalar::from(5))),
            Step::UnseenNum,
            Step::Zero,
            Step::SumOfNum(0),
            Step::SumOfNum(1),
        ]
        .into_iter(),
    );
    let sums = 3;
    for coeff in edge_values() {
        for sum in 0..sums {
            program.extend((0..KINDS_OF_BITS).map(|bit| Step::SumAddBit(sum, bit, coeff)));
            program.extend([Step::SumScale(sum, coeff), Step::SumLc(sum, coeff)]);
        }
    }
    program.extend(pairs(40).map(|(a, b)| Step::SumAdd(a, b)));
    assert_same_everywhere(&program);
}

#[test]
fn random_programs_are_alike() {
    for seed in 0..16 {
        let mut rng = XorShiftRng::seed_from_u64(seed);
        let program = random::<Scalar>(200, &mut rng);
        assert_same_everywhere(&program);
        assert_same(&program, &[Calls::AllUntil(rng.gen_range(20..400))]);
    }
}
