//! Searches for programs that take longer on a storage than on the registry's crate:
//! `scripts/losers.sh`.

#![forbid(unsafe_code)]

use std::time::{Duration, Instant};

use clap::Parser;
use lc_benches::search::{fixed, Options, Program, Ratio};
use lc_benches::{Body, Subject};

/// What the law allows, as a multiple of the time on the registry's crate.
const ALLOWED: f64 = 1.05;

/// A program that takes longer for one run on the registry's crate, or shorter, is left out: the
/// one keeps others from being tried, of the other most is overhead of running a program.
const LONGEST: Duration = Duration::from_micros(1500);
const SHORTEST: Duration = Duration::from_nanos(500);

/// How long the runs of one sample take together, on the registry's crate, and how many samples
/// there are.
const SAMPLE: [Duration; 2] = [Duration::from_micros(100), Duration::from_micros(300)];
const SAMPLES: [usize; 2] = [5, 15];

/// No more samples are taken after this time. Only a clear loser needs so long.
const ENOUGH: Duration = Duration::from_millis(60);

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    options: Options,
    /// For callgrind: runs so many programs, each once on each subject, and prints a line for each
    /// run.
    #[arg(long, value_name = "COUNT")]
    count: Option<usize>,
    /// Prints the program of this number, of those that --count runs.
    #[arg(long, value_name = "NUMBER")]
    show: Option<usize>,
}

fn main() {
    let Arguments {
        options,
        count,
        show,
    } = Arguments::parse();
    let (registry, storages) = options.subjects();
    if let Some(number) = show {
        print!("{}", fixed(options.seed, number + 1)[number]);
    } else if let Some(count) = count {
        run_counted(&registry, &storages, &fixed(options.seed, count));
    } else {
        options.search(&storages, "the time", &mut |program, of, careful| {
            ratios(program, &registry, &storages[of], careful)
        });
    }
}

/// The least times of a program on the storages, to that on the registry's crate.
fn ratios(
    program: &Program,
    registry: &Subject,
    storages: &[Subject],
    careful: bool,
) -> Option<Vec<Ratio>> {
    let (sample, samples) = (SAMPLE[usize::from(careful)], SAMPLES[usize::from(careful)]);
    let mut bodies = vec![(registry.prepare)(program)];
    bodies[0]();
    let one = timed(&mut bodies[0], 1);
    if one > LONGEST {
        return None;
    }
    let few = (SHORTEST.as_nanos() * 10 / one.as_nanos().max(1) + 1) as u32;
    let one = timed(&mut bodies[0], few) / few;
    if one < SHORTEST {
        return None;
    }
    for storage in storages {
        let mut body = (storage.prepare)(program);
        body();
        bodies.push(body);
    }
    let runs = (sample.as_nanos() / one.as_nanos() + 1) as u32;
    let mut least = vec![Duration::MAX; bodies.len()];
    let start = Instant::now();
    for _ in 0..samples {
        for (body, least) in bodies.iter_mut().zip(&mut least) {
            *least = timed(body, runs).min(*least);
        }
        if start.elapsed() > ENOUGH {
            break;
        }
    }
    let ratio = |time: &Duration| Ratio {
        ratio: time.as_secs_f64() / least[0].as_secs_f64(),
        allowed: ALLOWED,
    };
    Some(least[1..].iter().map(ratio).collect())
}

fn timed(body: &mut Body, runs: u32) -> Duration {
    let start = Instant::now();
    for _ in 0..runs {
        body();
    }
    start.elapsed()
}

/// Prints the number of the program, its family and the subject, for each call of [`measured`].
fn run_counted(registry: &Subject, storages: &[Subject], programs: &[Program]) {
    for (number, program) in programs.iter().enumerate() {
        for subject in std::iter::once(registry).chain(storages) {
            let mut body = (subject.prepare)(program);
            // Fills the free list, and the allocator's.
            body();
            measured(&mut body);
            println!("{number}\t{}\t{}", subject.name, program.family);
        }
    }
}

#[inline(never)]
fn measured(body: &mut Body) {
    body();
}
