//! The search for losers: programs that take longer, or keep more bytes, on a storage of the fork
//! than on the registry's crate.
//!
//! Random programs are measured; the worst of each storage are changed at random and measured
//! again; at last the very worst are made as short as they can be while they still lose.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use rand::{Rng, SeedableRng};

mod families;
mod program;
mod report;
mod shrink;

use self::families::Dice;
pub use self::families::{fixed, result};
pub use self::program::{held, prepare, Held, Program};
pub use self::report::Options;

/// What a program takes on a storage, as a multiple of what it takes on the registry's crate.
#[derive(Clone, Copy)]
pub struct Ratio {
    pub ratio: f64,
    pub allowed: f64,
}

impl Ratio {
    /// Above 1 where it is not allowed.
    fn excess(self) -> f64 {
        self.ratio / self.allowed
    }
}

/// Measures a program on some of the storages. `None` if it takes too long, or there is too little
/// to measure. A careful measurement takes longer, and errs less.
pub type Measure<'a> = dyn FnMut(&Program, Range<usize>, bool) -> Option<Vec<Ratio>> + 'a;

/// So many of the programs that lost most are remembered of each storage, and of each family among
/// them.
const WORST: usize = 16;
const WORST_OF_FAMILY: usize = 3;

/// A program that lost.
#[derive(Clone)]
struct Loser {
    ratio: Ratio,
    program: Program,
}

/// How many programs were measured, and the losers of each storage, each of another family, the
/// worst first.
struct Found {
    measured: usize,
    losers: Vec<Vec<Loser>>,
}

/// Searches for so long, a third of which is left for shrinking.
fn search(measure: &mut Measure, storages: usize, seed: u64, time: Duration) -> Found {
    let (start, mut dice) = (Instant::now(), Dice::seed_from_u64(seed));
    let mut worst: Vec<Vec<Loser>> = vec![Vec::new(); storages];
    let mut measured = 0;
    while start.elapsed() < time * 2 / 3 {
        let of = dice.gen_range(0..storages);
        let program = if dice.gen() || worst[of].is_empty() {
            families::random(&mut dice)
        } else {
            let found = dice.gen_range(0..worst[of].len());
            families::changed(&mut dice, &worst[of][found].program)
        };
        let Some(ratios) = measure(&program, 0..storages, false) else {
            continue;
        };
        measured += 1;
        let mut enters = worst.iter().zip(ratios);
        if !enters.any(|(worst, ratio)| is_worst(worst, ratio, &program)) {
            continue;
        }
        let Some(ratios) = measure(&program, 0..storages, true) else {
            continue;
        };
        for (worst, ratio) in worst.iter_mut().zip(ratios) {
            if is_worst(worst, ratio, &program) {
                let program = program.clone();
                insert(worst, Loser { ratio, program });
            }
        }
    }

    let worst_of_families = |worst: Vec<Loser>| {
        let mut families = BTreeMap::new();
        for loser in worst {
            families.entry(loser.program.family).or_insert(loser);
        }
        families
    };
    let worst: Vec<_> = worst.into_iter().map(worst_of_families).collect();
    let count: usize = worst.iter().map(BTreeMap::len).sum();
    let left = time.saturating_sub(start.elapsed()) / count.max(1) as u32;
    let shrunk = worst.into_iter().enumerate().map(|(storage, families)| {
        let mut measure = |program: &Program| {
            let ratios = measure(program, storage..storage + 1, true)?;
            Some(ratios[0])
        };
        let losers = families.into_values();
        let losers = losers.filter_map(|loser| shrink::shrunk(&loser, left, &mut measure));
        let mut losers: Vec<_> = losers.collect();
        losers.sort_by(|one, other| other.ratio.excess().total_cmp(&one.ratio.excess()));
        losers
    });
    Found {
        measured,
        losers: shrunk.collect(),
    }
}

/// Whether a program of this ratio is among the worst, if it loses at all.
fn is_worst(worst: &[Loser], ratio: Ratio, program: &Program) -> bool {
    let mut family = worst
        .iter()
        .filter(|loser| loser.program.family == program.family);
    let worse_than =
        |last: Option<&Loser>| last.is_none_or(|last| last.ratio.excess() < ratio.excess());
    ratio.excess() > 1.0
        && (worst.len() < WORST || worse_than(worst.last()))
        && (family.clone().count() < WORST_OF_FAMILY || worse_than(family.next_back()))
}

/// Adds a loser, in order, and takes out the one that is one too many.
fn insert(worst: &mut Vec<Loser>, loser: Loser) {
    let family = loser.program.family;
    let at = worst.partition_point(|other| other.ratio.excess() >= loser.ratio.excess());
    worst.insert(at, loser);
    let of_family = |loser: &Loser| loser.program.family == family;
    if worst.iter().filter(|loser| of_family(loser)).count() > WORST_OF_FAMILY {
        let last = worst.iter().rposition(of_family);
        worst.remove(last.expect("one of the family"));
    }
    worst.truncate(WORST);
}
