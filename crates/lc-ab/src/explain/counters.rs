//! Hardware counters per constraint, from two runs of the measured program, with one synthesis and
//! with three, so that the set-up cancels. Virtual machines often have none.

use std::{path::Path, process::Command};

use perf_event::{
    events::{Cache, CacheId, CacheOp, CacheResult, Event, Hardware},
    Builder, Counter,
};
use serde::Deserialize;

use super::Look;
use crate::{
    executor,
    explanation::{Counters, Reading},
};

#[derive(Deserialize)]
struct Constraints {
    constraints: u64,
}

pub fn read(look: &Look, program: &Path) -> Reading<Counters> {
    let available = open();
    if available.iter().all(|(_, counter)| counter.is_err()) {
        let reason = available.into_iter().find_map(|(_, counter)| counter.err());
        return Err(reason.unwrap_or_default());
    }
    drop(available);
    let (one, _) = count(look, program, 1)?;
    let (three, constraints) = count(look, program, 3)?;
    Ok(one
        .into_iter()
        .zip(three)
        .map(|((name, one), (_, three))| {
            let difference = one.and_then(|one| Ok(three?.saturating_sub(one)));
            let per_constraint = difference.map(|count| count as f64 / (2 * constraints) as f64);
            (name.to_owned(), per_constraint)
        })
        .collect())
}

type Counts = Vec<(&'static str, Reading<u64>)>;

/// Counts of a whole process that synthesizes `repeats` times, and the circuit's constraints.
fn count(look: &Look, program: &Path, repeats: usize) -> Reading<(Counts, u64)> {
    let scenario = &look.plan.scenarios[0];
    let mut command = Command::new(program);
    command.args(executor::arguments(scenario, repeats));
    let mut counters = open();
    for (_, counter) in &mut counters {
        if let Ok(open) = counter {
            if let Err(error) = open.enable() {
                *counter = Err(unavailable(error));
            }
        }
    }
    let finished = look.run(command)?;
    let counts = counters
        .into_iter()
        .map(|(name, counter)| {
            let count = counter.and_then(|mut open| {
                open.disable().map_err(unavailable)?;
                open.read().map_err(unavailable)
            });
            (name, count)
        })
        .collect();
    let last = finished.stdout.lines().last().unwrap_or_default();
    let Constraints { constraints } = serde_json::from_str(last)
        .map_err(|error| format!("the program does not tell its constraints: {error}"))?;
    Ok((counts, constraints))
}

/// Counters of this thread and of the processes that it starts while they are enabled.
fn open() -> Vec<(&'static str, Reading<Counter>)> {
    let l1d_read_misses = Cache {
        which: CacheId::L1D,
        operation: CacheOp::READ,
        result: CacheResult::MISS,
    };
    vec![
        ("instructions", counter(Hardware::INSTRUCTIONS)),
        ("cycles", counter(Hardware::CPU_CYCLES)),
        ("branch misses", counter(Hardware::BRANCH_MISSES)),
        ("L1d read misses", counter(l1d_read_misses)),
        ("last-level misses", counter(Hardware::CACHE_MISSES)),
    ]
}

fn counter(event: impl Event) -> Reading<Counter> {
    Builder::new(event)
        .inherit(true)
        .exclude_kernel(true)
        .exclude_hv(true)
        .build()
        .map_err(unavailable)
}

fn unavailable(error: std::io::Error) -> String {
    format!("not available here: the kernel answers perf_event_open with \"{error}\"")
}
