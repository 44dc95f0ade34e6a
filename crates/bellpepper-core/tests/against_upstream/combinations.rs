//! Random programs over the operators of `LinearCombination` itself, on whichever storage is
//! selected.

use bellpepper_core as ours;
use blstrs::Scalar as Fr;
use ff::Field;
use rand::{Rng, SeedableRng};
use rand_xorshift::XorShiftRng;

const REGISTERS: usize = 4;
const VALUES: usize = 400;

/// One step of a program: what to do, on which of the registers, with which term and scale.
struct Step {
    op: u8,
    to: usize,
    from: usize,
    is_input: bool,
    index: usize,
    coeff: Fr,
}

impl Step {
    fn random(rng: &mut XorShiftRng) -> Self {
        let coeff = match rng.gen_range(0..5) {
            0 => Fr::ZERO,
            1 => Fr::ONE,
            2 => -Fr::ONE,
            _ => Fr::random(&mut *rng),
        };
        Step {
            op: rng.gen_range(0..14),
            to: rng.gen_range(0..REGISTERS),
            from: rng.gen_range(0..REGISTERS),
            is_input: rng.gen_range(0..4) == 0,
            index: rng.gen_range(0..VALUES / 2),
            coeff,
        }
    }
}

/// The same step for each of the two crates.
macro_rules! advance {
    ($bp:ident, $registers:expr, $step:expr) => {{
        use $bp::{Index, LinearCombination, Variable};
        let Step {
            op,
            to,
            from,
            is_input,
            index,
            coeff,
        } = *$step;
        let variable = |index| {
            Variable::new_unchecked(match is_input {
                true => Index::Input(index),
                false => Index::Aux(index),
            })
        };
        let other = $registers[from].clone();
        let sum = std::mem::take(&mut $registers[to]);
        $registers[to] = match op {
            0 => sum + variable(index),
            1 => sum - variable(index),
            2 => sum + (coeff, variable(index)),
            3 => sum - (coeff, variable(index)),
            4 => sum + &other,
            5 => sum - &other,
            6 => sum + (coeff, &other),
            7 => sum - (coeff, &other),
            8 => other,
            9 => LinearCombination::from_coeff(variable(index), coeff),
            10 => LinearCombination::from_variable(variable(index)),
            11 => {
                let mut sum = sum;
                sum.iter_mut().for_each(|(_, sum)| *sum += coeff);
                sum
            }
            12 if index % 8 == 0 => LinearCombination::zero(),
            // Runs, long enough to pass several sizes of a list.
            12 => (0..90).fold(sum, |sum, i| {
                sum.add_unsimplified((coeff, variable(index + i)))
            }),
            _ => (0..90).rev().step_by(2).fold(sum, |sum, i| {
                sum.sub_unsimplified((coeff, variable(index + i)))
            }),
        };
    }};
}

/// Everything that can be read of a combination.
macro_rules! read {
    ($bp:ident, $sum:expr, $values:expr) => {{
        use $bp::Index;
        let terms = $sum.iter().map(|(variable, coeff)| match variable.0 {
            Index::Input(index) => (true, index, *coeff),
            Index::Aux(index) => (false, index, *coeff),
        });
        let inputs = $sum.iter_inputs().map(|(index, coeff)| (*index, *coeff));
        let aux = $sum.iter_aux().map(|(index, coeff)| (*index, *coeff));
        (
            terms.collect::<Vec<_>>(),
            inputs.collect::<Vec<_>>(),
            aux.collect::<Vec<_>>(),
            $sum.len(),
            $sum.is_empty(),
            $sum.eval($values, $values),
        )
    }};
}

#[test]
fn random_programs_over_the_public_operators() {
    let mut rng = XorShiftRng::from_seed([7; 16]);
    let values: Vec<_> = (0..VALUES).map(|_| Fr::random(&mut rng)).collect();
    for _ in 0..150 {
        let mut mine = vec![ours::LinearCombination::<Fr>::zero(); REGISTERS];
        let mut theirs = vec![upstream::LinearCombination::<Fr>::zero(); REGISTERS];
        for _ in 0..rng.gen_range(1..60) {
            let step = Step::random(&mut rng);
            advance!(ours, mine, &step);
            advance!(upstream, theirs, &step);
            let (sum, expected) = (&mine[step.to], &theirs[step.to]);
            assert_eq!(
                read!(ours, sum, &values),
                read!(upstream, expected, &values)
            );
        }
        // Upstream's equality also compares a cache: its terms say what is equal.
        for (sum, expected) in mine.iter().zip(&theirs) {
            for (other, other_expected) in mine.iter().zip(&theirs) {
                let equal = expected
                    .iter()
                    .map(|(var, coeff)| (format!("{var:?}"), coeff));
                let equal = equal.eq(other_expected
                    .iter()
                    .map(|(var, coeff)| (format!("{var:?}"), coeff)));
                assert_eq!(sum == other, equal);
                assert_eq!(format!("{sum:?}") == format!("{other:?}"), equal);
            }
        }
    }
}
