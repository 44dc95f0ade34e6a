//! The bytes that kept combinations hold: a table for `scripts/instructions.sh`, or a search for
//! the programs whose results hold more than they may, for `scripts/losers.sh`.

#![forbid(unsafe_code)]

use std::alloc::System;
use std::time::{Duration, Instant};

use clap::Parser;
use lc_benches::search::{result, Held, Options, Program, Ratio};
use lc_benches::Subject;
use stats_alloc::{StatsAlloc, INSTRUMENTED_SYSTEM};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// What the law allows, as a multiple of the bytes on the registry's crate: more for less than so
/// many terms.
const ALLOWED: f64 = 1.25;
const ALLOWED_SHORT: f64 = 1.5;
const SHORT: usize = 5;

/// A program that takes longer is left out.
const LONGEST: Duration = Duration::from_micros(200);

/// Lengths of the combinations in the table.
const LENGTHS: [usize; 8] = [0, 1, 2, 3, 5, 17, 65, 257];

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    options: Options,
    /// Prints what combinations of some lengths hold, and searches for none.
    #[arg(long)]
    table: bool,
}

fn main() {
    let Arguments { options, table } = Arguments::parse();
    let (registry, storages) = options.subjects();
    if table {
        return print_table(&registry, &storages);
    }
    options.search(&storages, "the bytes", &mut |program, of, _| {
        let start = Instant::now();
        (registry.prepare)(program)();
        if start.elapsed() > LONGEST {
            return None;
        }
        ratios(program, &registry, &storages[of])
    });
}

fn allocated() -> usize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated - stats.bytes_deallocated
}

/// The bytes of a result on the storages, to those on the registry's crate.
fn ratios(program: &Program, registry: &Subject, storages: &[Subject]) -> Option<Vec<Ratio>> {
    let of_registry = (registry.held)(program, allocated);
    let ratio = |storage: &Subject| Ratio {
        ratio: (storage.held)(program, allocated).bytes as f64 / of_registry.bytes as f64,
        allowed: if of_registry.terms < SHORT {
            ALLOWED_SHORT
        } else {
            ALLOWED
        },
    };
    (of_registry.terms > 0).then(|| storages.iter().map(ratio).collect())
}

/// Prints shape, subject, bytes.
fn print_table(registry: &Subject, storages: &[Subject]) {
    for (how, cloned) in [("pushed", false), ("cloned", true)] {
        for len in LENGTHS {
            for subject in std::iter::once(registry).chain(storages) {
                let Held { bytes, .. } = (subject.held)(&result(len, cloned), allocated);
                println!("bytes_{len}_{how}\t{}\t{bytes}", subject.name);
            }
        }
    }
}
