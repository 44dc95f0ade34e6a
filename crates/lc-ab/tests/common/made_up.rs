//! A machine that is made up: an executor whose seconds come from a model, so that what the
//! statistics say can be compared with what is true.

use lc_ab::{
    executor::{Executor, Job, RunError},
    plan::Plan,
    session::{Sample, Session},
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::common::{sample, session};

/// The log of the seconds of a job.
pub type Model<'a> = dyn FnMut(&Job, &mut ChaCha8Rng) -> f64 + 'a;

struct MadeUp<'a> {
    plan: &'a Plan,
    model: &'a mut Model<'a>,
    random: ChaCha8Rng,
}

impl Executor for MadeUp<'_> {
    fn run(&mut self, job: &Job) -> Result<Sample, RunError> {
        let log_seconds = (self.model)(job, &mut self.random);
        let variant = &self.plan.variants[self.plan.variant_of(job.subject)];
        Ok(sample(job, log_seconds.exp(), variant.storage()))
    }
}

/// The session whose seconds `model` makes up, from its own seed.
pub fn made_up<'a>(plan: &'a Plan, seed: u64, model: &'a mut Model<'a>) -> Session {
    session(
        plan,
        MadeUp {
            plan,
            model,
            random: ChaCha8Rng::seed_from_u64(seed),
        },
    )
}
