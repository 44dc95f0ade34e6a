//! A language of gadget calls, so that one list of steps can be run on both crates.
//!
//! Steps name their operands by position: bits among all bits made so far, numbers among all
//! numbers, sums among all sums.

use ff::PrimeField;
use rand::Rng;

/// One call of a gadget.
#[derive(Clone, Debug)]
pub enum Step<F> {
    // Making bits. A bit that is allocated unseen comes from a constraint system which wants no
    // values; it is the only way to a variable whose value stays unknown.
    Constant(bool),
    Bit(Option<bool>),
    UnseenBit(Option<bool>),
    BitUnless(Option<bool>, usize),
    U64(Option<u64>),
    FieldBits(Option<F>),
    FieldBooleans(Option<F>),
    // Logic on variables only; on constants such a step is skipped.
    BitXor(usize, usize),
    BitAnd(usize, usize),
    BitAndNot(usize, usize),
    BitNor(usize, usize),
    // Logic on every kind of bit.
    Not(usize),
    Xor(usize, usize),
    And(usize, usize),
    Or(usize, usize),
    Ch(usize, usize, usize),
    Maj(usize, usize, usize),
    EnforceEqual(usize, usize),
    BitLc(usize, F),
    // Numbers.
    Num(Option<F>),
    UnseenNum,
    InfallibleNum(F),
    InputNum(Option<F>),
    MaybeInputNum(bool, F),
    Inputize(usize),
    ToBits(usize),
    ToBitsStrict(usize),
    Add(usize, usize),
    Mul(usize, usize),
    Square(usize),
    AssertNonzero(usize),
    ConditionallyReverse(usize, usize, usize),
    // Sums.
    Zero,
    SumOfNum(usize),
    SumAddBit(usize, usize, F),
    SumAdd(usize, usize),
    SumScale(usize, F),
    SumLc(usize, F),
}

/// Which of a gadget's closures the recorder calls, and with what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Calls {
    /// All; combinations are handed in empty, as provers do.
    All,
    /// All, but the combinations that are handed in have terms already.
    AllOnTopOfTerms,
    /// Only those for values, as witness generators do.
    Values,
    /// Only those for combinations, as for making parameters.
    Combinations,
    /// All, but allocating fails after so many variables.
    AllUntil(usize),
}

/// Bits of every kind: both constants; variables and negated variables, of either value and of
/// none; negations and equals of the same variables.
pub fn bits_of_every_kind<F>() -> Vec<Step<F>> {
    let values = [None, Some(false), Some(true)];
    let mut steps = vec![Step::Constant(false), Step::Constant(true)];
    steps.extend(values.map(Step::UnseenBit)); // 2, 3, 4
    steps.extend([2, 3, 4].map(Step::Not)); // 5, 6, 7
    steps.extend(values.map(Step::UnseenBit)); // 8, 9, 10
    steps.extend([8, 9, 10].map(Step::Not));
    steps
}

/// How many bits [`bits_of_every_kind`] makes.
pub const KINDS_OF_BITS: usize = 14;

/// Values at which something changes: around zero, around the modulus, around a half of it.
pub fn edge_values<F: PrimeField>() -> Vec<F> {
    let two_to_the_top = F::from(2).pow_vartime([u64::from(F::CAPACITY)]);
    vec![
        F::ZERO,
        F::ONE,
        F::from(2),
        -F::ONE,
        -F::from(2),
        F::TWO_INV,
        -F::TWO_INV,
        two_to_the_top,
        two_to_the_top - F::ONE,
        -two_to_the_top,
    ]
}

/// A program of `len` random steps.
pub fn random<F: PrimeField>(len: usize, rng: &mut impl Rng) -> Vec<Step<F>> {
    let edges = edge_values::<F>();
    let mut steps = bits_of_every_kind();
    steps.extend([Step::Num(Some(F::ONE)), Step::UnseenNum, Step::Zero]);
    steps.extend((0..len).map(|_| random_step(&edges, rng)));
    steps
}

fn random_step<F: PrimeField>(edges: &[F], rng: &mut impl Rng) -> Step<F> {
    // Operands wrap around: any position will do, and recent ones are no rarer than old ones.
    let (a, b, c) = (rng.gen(), rng.gen(), rng.gen());
    let bit = [None, Some(false), Some(true)][rng.gen_range(0..3)];
    let value = match rng.gen_range(0..3) {
        0 => F::random(&mut *rng),
        1 => F::from(rng.gen_range(0..4)),
        _ => edges[rng.gen_range(0..edges.len())],
    };
    let optional = if rng.gen_ratio(3, 4) {
        Some(value)
    } else {
        None
    };
    // Steps that allocate some hundred bits are rare, or the rest would drown in them.
    if rng.gen_ratio(1, 50) {
        return match rng.gen_range(0..5) {
            0 => Step::U64(bit.map(|_| rng.gen())),
            1 => Step::FieldBits(optional),
            2 => Step::FieldBooleans(optional),
            3 => Step::ToBits(a),
            _ => Step::ToBitsStrict(a),
        };
    }
    match rng.gen_range(0..32) {
        0 => Step::Constant(rng.gen()),
        1 => Step::Bit(bit),
        2 => Step::UnseenBit(bit),
        3 => Step::BitUnless(bit, a),
        4 => Step::BitXor(a, b),
        5 => Step::BitAnd(a, b),
        6 => Step::BitAndNot(a, b),
        7 => Step::BitNor(a, b),
        8 => Step::Not(a),
        9 => Step::Xor(a, b),
        10 => Step::And(a, b),
        11 => Step::Or(a, b),
        12 => Step::Ch(a, b, c),
        13 => Step::Maj(a, b, c),
        14 => Step::EnforceEqual(a, b),
        15 => Step::BitLc(a, value),
        16 => Step::Num(optional),
        17 => Step::UnseenNum,
        18 => Step::InfallibleNum(value),
        19 => Step::InputNum(optional),
        20 => Step::MaybeInputNum(rng.gen(), value),
        21 => Step::Inputize(a),
        22 => Step::Add(a, b),
        23 => Step::Mul(a, b),
        24 => Step::Square(a),
        25 => Step::AssertNonzero(a),
        26 => Step::ConditionallyReverse(a, b, c),
        27 => Step::SumOfNum(a),
        28 => Step::SumAddBit(a, b, value),
        29 => Step::SumAdd(a, b),
        30 => Step::SumScale(a, value),
        _ => Step::SumLc(a, value),
    }
}
