//! Why: what a variant's combinations are and cost, looked at apart from the timed runs.
//!
//! Counting programs, simulated caches and hardware counters each answer for themselves; where one
//! cannot be had on a machine, the others still stand. None of this enters a verdict.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::AtomicBool,
    thread,
    time::Duration,
};

use crate::{
    builds::{Builds, Explained},
    caches::{Caches, Cpu},
    explanation::{Explanation, Reading, VariantExplanation},
    plan::Plan,
    process::{self, Conditions, Finished},
    progress::{Kind, Progress},
};

mod cachegrind;
mod count;
mod counters;

/// What a look needs beside the programs.
pub struct Look<'a> {
    pub plan: &'a Plan,
    pub cpu: Cpu,
    /// The folder for what the tools leave behind.
    pub scratch: &'a Path,
    pub interrupted: &'a AtomicBool,
    pub progress: &'a Progress,
}

/// The looks at each variant, and the census.
pub fn steps(plan: &Plan) -> usize {
    plan.variants.len() + 1
}

/// Looks at every variant of `builds`, at as many at a time as there are processors, as nothing is
/// timed; `census` builds the program that counts temporaries.
pub fn explain(
    look: &Look,
    builds: &Builds,
    census: impl FnOnce() -> Reading<PathBuf>,
) -> Explanation {
    let caches = look.cpu.caches();
    look.progress.stage("looking into the variants");
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
    look.progress.stage("counting temporaries");
    let census = census()
        .and_then(|program| count::count(look, &program))
        .and_then(|count| {
            count
                .dropped
                .ok_or_else(|| "the counting build counted nothing".to_owned())
        });
    look.progress.done(Kind::Look);
    Explanation {
        caches,
        variants,
        census,
    }
}

fn explain_one(look: &Look, caches: &Reading<Caches>, programs: &Explained) -> VariantExplanation {
    let explanation = VariantExplanation {
        count: count::count(look, &programs.count),
        simulated: caches
            .clone()
            .and_then(|caches| cachegrind::simulate(look, &programs.walk, &caches)),
        counters: counters::read(look, &programs.synth),
    };
    look.progress.done(Kind::Look);
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
