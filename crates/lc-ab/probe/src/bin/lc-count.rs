//! Counts the terms of the combinations that the circuit hands over, and the heap allocations made
//! on the way. Prints one line of JSON.

#![forbid(unsafe_code)]

use std::{alloc::System, collections::BTreeMap, mem::size_of, thread};

use anyhow::Result;
use bellpepper_core::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;
use clap::Parser;
use ff::Field;
use lc_probe::{synthesize, Options};
use serde::Serialize;
use stats_alloc::{Region, StatsAlloc, INSTRUMENTED_SYSTEM};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

type Combination = LinearCombination<Scalar>;
/// How often each number was seen.
type Histogram = BTreeMap<usize, u64>;

/// One in so many constraints is looked at for what its combinations hold. A prime, so that it
/// falls in with no loop of the circuit.
const SAMPLED: u64 = 997;

/// A key and a coefficient, which is what every storage has to keep of a term.
const TERM_BYTES: usize = size_of::<(usize, Scalar)>();

#[derive(Serialize)]
struct Report {
    combination_bytes: usize,
    term_bytes: usize,
    /// Terms that a combination holds before it allocates.
    inline_terms: usize,
    /// 2 where inputs and auxiliaries have a list each, 1 where they share one.
    lists: usize,
    constraints: u64,
    /// Terms of the combinations that reach `enforce`.
    a: Histogram,
    b: Histogram,
    c: Histogram,
    /// Bytes of the three combinations that are alive in an `enforce`, with what they hold on the
    /// heap; of one `enforce` in [`SAMPLED`].
    live_bytes: Histogram,
    /// Within the closures of `enforce`.
    enforce: Allocations,
    /// In all of the synthesis, this program's own aside.
    synthesis: Allocations,
    /// Terms of all combinations that were dropped, temporaries included; in a build that
    /// counts them.
    dropped: Option<Histogram>,
}

#[derive(Clone, Copy, Default, Serialize)]
struct Allocations {
    /// Calls of the allocator for new or larger blocks.
    calls: u64,
    bytes: u64,
}

impl Allocations {
    fn in_region(region: &Region<System>) -> Self {
        let change = region.change();
        Self {
            calls: (change.allocations + change.reallocations) as u64,
            bytes: change.bytes_allocated as u64,
        }
    }

    fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.bytes += other.bytes;
    }
}

fn main() -> Result<()> {
    // Before anything has warmed up what a storage keeps for later.
    let inline_terms = inline_terms();
    let lists = lists(inline_terms);
    let options = Options::parse();
    let counter = synthesize(&options, Counter::new(false))?;
    // Apart: what is taken away to be looked at is missing where a storage keeps it for later.
    let sampler = synthesize(&options, Counter::new(true))?;
    let report = Report {
        combination_bytes: size_of::<Combination>(),
        term_bytes: TERM_BYTES,
        inline_terms,
        lists,
        constraints: counter.constraints,
        synthesis: counter.outside_of_counting(),
        a: counter.a,
        b: counter.b,
        c: counter.c,
        live_bytes: sampler.live_bytes,
        enforce: counter.enforce,
        dropped: dropped(),
    };
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

fn inline_terms() -> usize {
    const MOST: usize = 64;
    let region = Region::new(ALLOCATOR);
    let mut combination = Combination::zero();
    for terms in 0..MOST {
        combination = combination + (Scalar::ONE, Variable(Index::Aux(terms)));
        if region.change().allocations > 0 {
            return terms;
        }
    }
    MOST
}

/// Found out by adding one more term to a combination of auxiliaries that is full inline: with two
/// lists, an input and an auxiliary do not need room at the same time.
fn lists(inline_terms: usize) -> usize {
    let terms = inline_terms.max(1);
    let allocates = |last: Index| {
        let mut combination = Combination::zero();
        for index in 0..terms {
            combination = combination + (Scalar::ONE, Variable(Index::Aux(index)));
        }
        let region = Region::new(ALLOCATOR);
        combination = combination + (Scalar::ONE, Variable(last));
        let change = region.change();
        drop(combination);
        change.allocations + change.reallocations > 0
    };
    if allocates(Index::Input(0)) == allocates(Index::Aux(terms)) {
        1
    } else {
        2
    }
}

#[cfg(feature = "census")]
fn dropped() -> Option<Histogram> {
    use std::sync::atomic::Ordering;
    let counts = bellpepper_core::DROPPED.iter().enumerate();
    Some(
        counts
            .map(|(terms, count)| (terms, count.load(Ordering::Relaxed)))
            .filter(|(_, count)| *count > 0)
            .collect(),
    )
}

#[cfg(not(feature = "census"))]
fn dropped() -> Option<Histogram> {
    None
}

/// Bytes that go back to the allocator with `combinations`. They are dropped in a thread of their
/// own, whose end gives back also what a storage keeps for later.
fn held_bytes(combinations: [Combination; 3]) -> usize {
    let region = Region::new(ALLOCATOR);
    thread::spawn(move || drop(combinations))
        .join()
        .expect("dropping does not panic");
    let change = region.change();
    change
        .bytes_deallocated
        .saturating_sub(change.bytes_allocated)
}

struct Counter {
    /// Whether to look at what combinations hold.
    sampling: bool,
    inputs: usize,
    aux: usize,
    constraints: u64,
    a: Histogram,
    b: Histogram,
    c: Histogram,
    live_bytes: Histogram,
    enforce: Allocations,
    /// From the first variable on.
    all: Option<Region<'static, System>>,
    /// Of the histograms themselves.
    own: Allocations,
}

impl Counter {
    fn new(sampling: bool) -> Self {
        // The first thread of a process leaves something behind.
        held_bytes([(); 3].map(|()| Combination::zero()));
        Self {
            sampling,
            inputs: 1,
            aux: 0,
            constraints: 0,
            a: Histogram::new(),
            b: Histogram::new(),
            c: Histogram::new(),
            live_bytes: Histogram::new(),
            enforce: Allocations::default(),
            all: None,
            own: Allocations::default(),
        }
    }

    fn outside_of_counting(&self) -> Allocations {
        let all = self
            .all
            .as_ref()
            .map(Allocations::in_region)
            .unwrap_or_default();
        Allocations {
            calls: all.calls - self.own.calls,
            bytes: all.bytes - self.own.bytes,
        }
    }

    fn begin(&mut self) {
        self.all.get_or_insert_with(|| Region::new(ALLOCATOR));
    }
}

impl ConstraintSystem<Scalar> for Counter {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.begin();
        value()?;
        self.aux += 1;
        Ok(Variable(Index::Aux(self.aux - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.begin();
        value()?;
        self.inputs += 1;
        Ok(Variable(Index::Input(self.inputs - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(Combination) -> Combination,
        LB: FnOnce(Combination) -> Combination,
        LC: FnOnce(Combination) -> Combination,
    {
        self.begin();
        let closures = Region::new(ALLOCATOR);
        let a = a(Combination::zero());
        let b = b(Combination::zero());
        let c = c(Combination::zero());
        self.enforce.add(Allocations::in_region(&closures));

        let counting = Region::new(ALLOCATOR);
        *self.a.entry(a.len()).or_default() += 1;
        *self.b.entry(b.len()).or_default() += 1;
        *self.c.entry(c.len()).or_default() += 1;
        self.constraints += 1;
        if self.sampling && self.constraints.is_multiple_of(SAMPLED) {
            let live = 3 * size_of::<Combination>() + held_bytes([a, b, c]);
            *self.live_bytes.entry(live).or_default() += 1;
        }
        self.own.add(Allocations::in_region(&counting));
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }
}
