//! Takes the samples: first one run of each program, to see that all compute the same, then the
//! rounds. A subject that fails is named and left out; the others go on.

use thiserror::Error;

use crate::{
    executor::{Executor, Job, RunError},
    options::Synthesizer,
    plan::Plan,
    progress::{Kind, Progress},
    schedule,
    session::{Failure, Output, Sample},
    variant::Source,
};

/// Why nothing may be timed.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum CheckError {
    #[error("the baseline `{name}` does not run ({scenario}): {reason}")]
    Baseline {
        name: String,
        scenario: String,
        reason: String,
    },
    #[error(
        "`{name}` computes something else than the baseline `{baseline}` ({scenario}): digest \
         {found}, not {expected}. One of the two is wrong, and no time of a wrong variant means \
         anything: nothing was timed"
    )]
    OtherDigest {
        name: String,
        baseline: String,
        scenario: String,
        found: String,
        expected: String,
    },
    #[error(
        "the program built as `{name}` says that it is `{found}`, not `{expected}`: nothing \
             was timed"
    )]
    OtherIdentity {
        name: String,
        found: String,
        expected: String,
    },
    #[error(
        "`{name}` synthesizes {found} constraints and the baseline `{baseline}` {expected} \
             ({scenario}): nothing was timed"
    )]
    OtherConstraints {
        name: String,
        baseline: String,
        scenario: String,
        found: u64,
        expected: u64,
    },
    #[error(
        "`{0}` says of no constraint that it was compiled, so it shows nothing of compiled \
             constraints: nothing was timed"
    )]
    NothingCompiled(String),
    #[error("interrupted before anything was timed")]
    Interrupted,
}

/// What takes samples of the subjects of a plan, and remembers which of them have failed.
pub struct Measurer<'a, E> {
    pub plan: &'a Plan,
    pub executor: E,
    /// Takes a process of each run.
    pub progress: &'a Progress,
    pub failures: Vec<Failure>,
}

impl<'a, E: Executor> Measurer<'a, E> {
    pub fn new(plan: &'a Plan, executor: E, progress: &'a Progress) -> Self {
        Self {
            plan,
            executor,
            progress,
            failures: Vec::new(),
        }
    }

    /// Runs each program of each subject once for each scenario, and returns the digest that all
    /// agree on, by scenario. These runs are also what warms the machine up; their times are thrown
    /// away.
    pub fn check(&mut self) -> Result<Vec<String>, CheckError> {
        let plan = self.plan;
        let mut first: Vec<Option<Output>> = vec![None; plan.scenarios.len()];
        for subject in 0..plan.subjects() {
            self.progress
                .step(&format!("checking {}", plan.name(subject)));
            for layout in 0..plan.layouts {
                for (scenario_index, scenario) in plan.scenarios.iter().enumerate() {
                    let job = Job {
                        subject,
                        scenario_index,
                        scenario,
                        round: 0,
                        place: 0,
                        layout,
                        repeats: 1,
                    };
                    self.check_one(&job, &mut first[scenario_index])?;
                }
            }
        }
        let first = first.into_iter().flatten();
        Ok(first.map(|output| output.digest).collect())
    }

    /// `first` is what the baseline gave in this scenario.
    fn check_one(&mut self, job: &Job, first: &mut Option<Output>) -> Result<(), CheckError> {
        let name = self.plan.name(job.subject);
        if self.has_failed(job.subject) {
            self.progress.skip(Kind::Process);
            return Ok(());
        }
        let result = self.executor.run(job);
        self.progress.done(Kind::Process);
        let output = match result {
            Ok(sample) => sample.output,
            Err(error) if error.is_interrupt() => return Err(CheckError::Interrupted),
            Err(error) if job.subject == 0 => {
                return Err(CheckError::Baseline {
                    name,
                    scenario: job.scenario.to_string(),
                    reason: error.to_string(),
                })
            }
            Err(error) => {
                self.fail(job.subject, None, &error);
                return Ok(());
            }
        };
        self.check_identity(job.subject, &output)?;
        let expected = first.get_or_insert_with(|| output.clone());
        let (baseline, scenario) = (self.plan.name(0), job.scenario.to_string());
        if output.digest != expected.digest {
            return Err(CheckError::OtherDigest {
                name,
                baseline,
                scenario,
                found: output.digest,
                expected: expected.digest.clone(),
            });
        }
        match (output.constraints, expected.constraints) {
            (Some(found), Some(expected)) if found != expected => {
                Err(CheckError::OtherConstraints {
                    name,
                    baseline,
                    scenario,
                    found,
                    expected,
                })
            }
            _ => Ok(()),
        }
    }

    /// A prover's own program need not say what it is built on, which cargo has said. One
    /// that was built on the registry's crate has no storage to name, and calls it what it
    /// likes; but none of the fork's.
    fn check_identity(&self, subject: usize, output: &Output) -> Result<(), CheckError> {
        let variant = &self.plan.variants[self.plan.variant_of(subject)];
        let own_program = self.plan.prover.is_none();
        let wrong = |found: &Option<String>, expected: &str| match found {
            Some(found) if found != expected => Some(found.clone()),
            None if own_program => Some("(nothing)".to_owned()),
            _ => None,
        };
        let says_storage = match &variant.source {
            Source::Storage(_) => true,
            Source::Upstream => {
                let found = output.storage.as_deref();
                own_program || found.is_some_and(|found| found.starts_with("lc-"))
            }
            Source::Path { .. } => own_program,
        };
        let says_allocator = own_program && self.plan.program == Synthesizer::PorepSynth;
        for (expected, found, known) in [
            (variant.storage(), &output.storage, says_storage),
            (variant.allocator(), &output.allocator, says_allocator),
        ] {
            if let Some(found) = wrong(found, expected).filter(|_| known) {
                return Err(CheckError::OtherIdentity {
                    name: self.plan.name(subject),
                    found,
                    expected: expected.to_owned(),
                });
            }
        }
        if variant.settings.compiled && output.compiled_rows.unwrap_or(0) == 0 {
            return Err(CheckError::NothingCompiled(self.plan.name(subject)));
        }
        Ok(())
    }

    /// The samples of the rounds, and whether the user stopped them before the last. Only whole
    /// rounds count. Ends early when the baseline fails, as nothing can be compared then.
    pub fn rounds(&mut self, digests: &[String]) -> (Vec<Sample>, bool) {
        let plan = self.plan;
        let mut samples = Vec::new();
        let orders = schedule::orders(plan.subjects(), plan.rounds, plan.seed);
        for (round, order) in orders.iter().enumerate() {
            let what = format!(
                "{}, round {} of {}",
                plan.name_of_program(),
                round + 1,
                plan.rounds
            );
            let mut taken = Vec::new();
            for (scenario_index, scenario) in plan.scenarios.iter().enumerate() {
                for (place, &subject) in order.iter().enumerate() {
                    if self.has_failed(subject) {
                        self.progress.skip(Kind::Process);
                        continue;
                    }
                    self.progress.step(&what);
                    let job = Job {
                        subject,
                        scenario_index,
                        scenario,
                        round,
                        place,
                        layout: plan.layout_of(round),
                        repeats: plan.repeats,
                    };
                    match self.sample(&job, &digests[scenario_index]) {
                        Ok(sample) => taken.push(sample),
                        Err(error) if error.is_interrupt() => return (samples, true),
                        Err(error) => self.fail(subject, Some(round), &error),
                    }
                    self.progress.done(Kind::Process);
                }
            }
            samples.extend(taken);
            if self.has_failed(0) {
                break;
            }
        }
        (samples, false)
    }

    fn sample(&mut self, job: &Job, expected: &str) -> Result<Sample, RunError> {
        let sample = self.executor.run(job)?;
        if sample.output.digest != expected {
            return Err(RunError::OtherDigest {
                found: sample.output.digest,
                expected: expected.to_owned(),
            });
        }
        Ok(sample)
    }

    fn has_failed(&self, subject: usize) -> bool {
        self.failures
            .iter()
            .any(|failure| failure.subject == subject)
    }

    fn fail(&mut self, subject: usize, round: Option<usize>, error: &RunError) {
        self.failures.push(Failure {
            subject,
            round,
            reason: error.to_string(),
        });
    }
}
