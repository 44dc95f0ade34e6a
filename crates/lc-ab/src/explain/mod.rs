//! Why: what a variant's combinations are and cost, looked at apart from the timed runs.
//!
//! Counting programs, simulated caches and hardware counters each answer for themselves; where one
//! cannot be had on a machine, the others still stand. None of this enters a verdict.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::AtomicBool,
    thread,
    time::Duration,
};

use indicatif::ProgressBar;
use serde::{Deserialize, Serialize};

use crate::{
    builds::{Builds, Explained},
    plan::Plan,
    process::{self, Conditions, Finished},
};

pub mod cachegrind;
pub mod caches;
pub mod census;
pub mod count;
pub mod counters;

pub use caches::Cpu;

/// Something that was looked at, or why it could not be.
pub type Reading<T> = Result<T, String>;

/// How often each number was seen.
pub type Histogram = BTreeMap<usize, u64>;

/// What there is to say about the variants of a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Explanation {
    /// Whose caches are simulated and compared with.
    pub caches: Reading<caches::Caches>,
    /// In the order of the plan.
    pub variants: Vec<VariantExplanation>,
    /// Terms of all combinations, temporaries included, on the registry's crate.
    pub census: Reading<Histogram>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VariantExplanation {
    pub count: Reading<count::Count>,
    pub simulated: Reading<cachegrind::Simulated>,
    pub counters: Reading<counters::Counters>,
}

/// What a look needs beside the programs.
pub struct Look<'a> {
    pub plan: &'a Plan,
    pub cpu: Cpu,
    /// The folder for what the tools leave behind.
    pub scratch: &'a Path,
    pub interrupted: &'a AtomicBool,
    pub bar: &'a ProgressBar,
}

/// The looks at each variant, and the census.
pub fn steps(plan: &Plan) -> u64 {
    plan.variants.len() as u64 + 1
}

/// Looks at every variant of `builds`, at as many at a time as there are processors, as nothing is
/// timed; `census` builds the program that counts temporaries.
pub fn explain(
    look: &Look,
    builds: &Builds,
    census: impl FnOnce() -> Reading<PathBuf>,
) -> Explanation {
    let caches = look.cpu.caches();
    look.bar.set_message("looking into the variants");
    let variants = builds
        .explained
        .chunks(process::allowed_cpus().len().max(1))
        .flat_map(|at_a_time| {
            thread::scope(|scope| {
                let looks: Vec<_> = at_a_time
                    .iter()
                    .map(|programs| scope.spawn(|| explain_one(look, &caches, programs)))
                    .collect();
                let looks = looks.into_iter().map(|look| look.join());
                looks.collect::<Result<Vec<_>, _>>()
            })
            .expect("no look panics")
        })
        .collect();
    look.bar.set_message("counting temporaries");
    let census = census()
        .and_then(|program| count::count(look, &program))
        .and_then(|count| {
            count
                .dropped
                .ok_or_else(|| "the counting build counted nothing".to_owned())
        });
    look.bar.inc(1);
    Explanation {
        caches,
        variants,
        census,
    }
}

fn explain_one(
    look: &Look,
    caches: &Reading<caches::Caches>,
    programs: &Explained,
) -> VariantExplanation {
    let explanation = VariantExplanation {
        count: count::count(look, &programs.count),
        simulated: caches
            .clone()
            .and_then(|caches| cachegrind::simulate(look, &programs.walk, &caches)),
        counters: counters::read(look, &programs.synth),
    };
    look.bar.inc(1);
    explanation
}

impl Look<'_> {
    /// Runs a program to its good end.
    fn run(&self, command: Command) -> Reading<Finished> {
        let program = Path::new(command.get_program());
        let name = program
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let finished = process::run(
            command,
            &Conditions {
                timeout: Duration::from_secs_f64(self.plan.timeout_seconds),
                interrupted: self.interrupted,
                cpus: None,
            },
        )
        .map_err(|stopped| format!("{name}: {stopped}"))?;
        if !finished.status.success() {
            return Err(format!(
                "{name} ended with {}: {}",
                finished.status,
                finished.last_words()
            ));
        }
        Ok(finished)
    }
}

/// The smallest number that `share` of what was seen does not exceed; `None` if nothing was.
pub fn quantile(histogram: &Histogram, share: f64) -> Option<usize> {
    let total: u64 = histogram.values().sum();
    let wanted = (share * total as f64).ceil().max(1.0) as u64;
    let mut seen = 0;
    histogram.iter().find_map(|(&number, &count)| {
        seen += count;
        (seen >= wanted).then_some(number)
    })
}

/// The share of what was seen that does not exceed `number`.
pub fn share_up_to(histogram: &Histogram, number: usize) -> f64 {
    let total: u64 = histogram.values().sum();
    let up_to: u64 = histogram.range(..=number).map(|(_, count)| count).sum();
    up_to as f64 / total as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_a_histogram() {
        let histogram = Histogram::from([(0, 10), (1, 80), (3, 9), (30, 1)]);
        assert_eq!(quantile(&histogram, 0.5), Some(1));
        assert_eq!(quantile(&histogram, 0.9), Some(1));
        assert_eq!(quantile(&histogram, 0.91), Some(3));
        assert_eq!(quantile(&histogram, 1.0), Some(30));
        assert_eq!(quantile(&Histogram::new(), 0.5), None);
        assert_eq!(share_up_to(&histogram, 1), 0.9);
    }
}
