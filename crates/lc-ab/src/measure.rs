//! Takes the samples: first one run of each program, to see that all compute the same, then the
//! rounds. A subject that fails is named and left out; the others go on.

use indicatif::ProgressBar;
use thiserror::Error;

use crate::{
    executor::{Executor, Job, RunError},
    plan::{Plan, Scenario},
    schedule,
    session::{Failure, Sample},
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
    #[error("`{name}` computes something else than the baseline `{baseline}` ({scenario}): digest {found}, not {expected}. \
             One of the two is wrong, and no time of a wrong variant means anything: nothing was timed")]
    OtherDigest {
        name: String,
        baseline: String,
        scenario: String,
        found: String,
        expected: String,
    },
    #[error("the program built as `{name}` says that it is `{found}`, not `{expected}`: nothing was timed")]
    OtherIdentity {
        name: String,
        found: String,
        expected: String,
    },
    #[error("interrupted before anything was timed")]
    Interrupted,
}

/// What takes samples of the subjects of a plan, and remembers which of them have failed.
pub struct Measurer<'a, E> {
    pub plan: &'a Plan,
    pub executor: E,
    /// Advanced by one for each process.
    pub bar: &'a ProgressBar,
    pub failures: Vec<Failure>,
}

impl<'a, E: Executor> Measurer<'a, E> {
    pub fn new(plan: &'a Plan, executor: E, bar: &'a ProgressBar) -> Self {
        Self {
            plan,
            executor,
            bar,
            failures: Vec::new(),
        }
    }

    /// Runs each program of each subject once for each scenario, and returns the digest that all
    /// agree on, by scenario. These runs are also what warms the machine up; their times are thrown
    /// away.
    pub fn check(&mut self, scenarios: &[Scenario]) -> Result<Vec<String>, CheckError> {
        let mut digests: Vec<Option<String>> = vec![None; scenarios.len()];
        for subject in 0..self.plan.subjects() {
            for layout in 0..self.plan.layouts {
                for (scenario_index, scenario) in scenarios.iter().enumerate() {
                    let job = Job {
                        subject,
                        scenario_index,
                        scenario,
                        round: 0,
                        place: 0,
                        layout,
                        repeats: 1,
                    };
                    self.check_one(&job, &mut digests[scenario_index])?;
                }
            }
        }
        Ok(digests.into_iter().flatten().collect())
    }

    fn check_one(&mut self, job: &Job, digest: &mut Option<String>) -> Result<(), CheckError> {
        let name = self.plan.name(job.subject);
        if self.has_failed(job.subject) {
            return Ok(());
        }
        self.bar.set_message(format!("checking {name}"));
        let result = self.executor.run(job);
        self.bar.inc(1);
        let sample = match result {
            Ok(sample) => sample,
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
        self.check_identity(job.subject, &sample)?;
        let expected = digest.get_or_insert_with(|| sample.output.digest.clone());
        if sample.output.digest != *expected {
            return Err(CheckError::OtherDigest {
                name,
                baseline: self.plan.name(0),
                scenario: job.scenario.to_string(),
                found: sample.output.digest,
                expected: expected.clone(),
            });
        }
        Ok(())
    }

    /// A prover's own benchmark need not say what it is built on.
    fn check_identity(&self, subject: usize, sample: &Sample) -> Result<(), CheckError> {
        let variant = &self.plan.variants[self.plan.variant_of(subject)];
        let own_program = self.plan.command.is_none();
        let wrong = |found: &Option<String>, expected: &str| match found {
            Some(found) if found != expected => Some(found.clone()),
            None if own_program => Some("(nothing)".to_owned()),
            _ => None,
        };
        let storage_is_known = own_program || matches!(variant.source, Source::Storage(_));
        for (expected, found, known) in [
            (variant.storage(), &sample.output.storage, storage_is_known),
            (variant.allocator(), &sample.output.allocator, own_program),
        ] {
            if let Some(found) = wrong(found, expected).filter(|_| known) {
                return Err(CheckError::OtherIdentity {
                    name: self.plan.name(subject),
                    found,
                    expected: expected.to_owned(),
                });
            }
        }
        Ok(())
    }

    /// The samples of `rounds` rounds, and whether the user stopped it before the last. Only whole
    /// rounds count. Ends early when the baseline fails, as nothing can be compared then.
    pub fn rounds(
        &mut self,
        scenarios: &[Scenario],
        digests: &[String],
        rounds: usize,
    ) -> (Vec<Sample>, bool) {
        let mut samples = Vec::new();
        let orders = schedule::orders(self.plan.subjects(), rounds, self.plan.seed);
        for (round, order) in orders.iter().enumerate() {
            let mut taken = Vec::new();
            for (scenario_index, scenario) in scenarios.iter().enumerate() {
                for (place, &subject) in order.iter().enumerate() {
                    if self.has_failed(subject) {
                        self.bar.inc(1);
                        continue;
                    }
                    self.bar
                        .set_message(format!("round {} of {rounds}", round + 1));
                    let job = Job {
                        subject,
                        scenario_index,
                        scenario,
                        round,
                        place,
                        layout: self.plan.layout_of(round),
                        repeats: self.plan.repeats,
                    };
                    match self.sample(&job, &digests[scenario_index]) {
                        Ok(sample) => taken.push(sample),
                        Err(error) if error.is_interrupt() => return (samples, true),
                        Err(error) => self.fail(subject, Some(round), &error),
                    }
                    self.bar.inc(1);
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
