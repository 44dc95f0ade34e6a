//! What carries out one run of one program. The measuring knows only the trait, so that it can be
//! tested on executors that make their times up.

use std::{
    collections::BTreeMap, path::PathBuf, process::Command, sync::atomic::AtomicBool,
    time::Duration,
};

use thiserror::Error;

use crate::{
    options::Synthesizer,
    plan::{Plan, Scenario},
    process::{self, Conditions, Stopped},
    session::{Output, Sample},
};

/// One run that is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    pub subject: usize,
    /// Index of `scenario` in the plan.
    pub scenario_index: usize,
    pub scenario: &'a Scenario,
    pub round: usize,
    pub place: usize,
    pub layout: usize,
    pub repeats: usize,
}

/// Why a run gave no sample.
#[derive(Debug, Error)]
pub enum RunError {
    #[error("{0}")]
    Stopped(#[from] Stopped),
    #[error("it ended with {status}; the end of its standard error:\n{stderr}")]
    Crashed { status: String, stderr: String },
    #[error("it ended well but printed nothing; its last line has to be a JSON object")]
    Silent,
    #[error("its last line is no JSON object with `seconds` and `digest` ({why}): {line}")]
    Malformed { line: String, why: String },
    #[error("it computed something else than the others (digest {found}, not {expected})")]
    OtherDigest { found: String, expected: String },
}

impl RunError {
    pub fn is_interrupt(&self) -> bool {
        matches!(self, RunError::Stopped(Stopped::Interrupted))
    }
}

pub trait Executor {
    fn run(&mut self, job: &Job) -> Result<Sample, RunError>;
}

/// Where the programs are, by subject and layout.
pub type Programs = BTreeMap<(usize, usize), PathBuf>;

/// Runs real processes, one at a time, on processors of their own where that can be had.
pub struct ProcessExecutor<'a> {
    pub plan: &'a Plan,
    pub programs: &'a Programs,
    pub interrupted: &'a AtomicBool,
}

impl Executor for ProcessExecutor<'_> {
    fn run(&mut self, job: &Job) -> Result<Sample, RunError> {
        let cpus = process::cpus_for(job.scenario.threads);
        let finished = process::run(
            self.command(job),
            &Conditions {
                timeout: Duration::from_secs_f64(self.plan.timeout_seconds),
                interrupted: self.interrupted,
                cpus: cpus.as_deref(),
            },
        )?;
        if !finished.status.success() {
            return Err(RunError::Crashed {
                status: finished.status.to_string(),
                stderr: finished.last_words(),
            });
        }
        Ok(Sample {
            scenario: job.scenario_index,
            subject: job.subject,
            round: job.round,
            place: job.place,
            layout: job.layout,
            output: parse(&finished.stdout)?,
            process_seconds: finished.seconds,
            user_seconds: finished.user_seconds,
            system_seconds: finished.system_seconds,
            minor_faults: finished.minor_faults,
            major_faults: finished.major_faults,
            involuntary_switches: finished.involuntary_switches,
        })
    }
}

impl ProcessExecutor<'_> {
    fn command(&self, job: &Job) -> Command {
        let scenario = job.scenario;
        let program = &self.programs[&(job.subject, job.layout)];
        let variant = &self.plan.variants[self.plan.variant_of(job.subject)];
        let mut command = match &self.plan.command {
            None => {
                let mut command = Command::new(program);
                let arguments = match self.plan.program {
                    Synthesizer::PorepSynth => arguments(scenario, job.repeats),
                    Synthesizer::ProverSynth => arguments_in_bellperson(scenario, job.repeats),
                };
                command.args(arguments).args(variant.arguments());
                command
            }
            Some(template) => {
                let filled = fill(
                    template,
                    &[
                        ("program", program.display().to_string()),
                        ("variant", variant.label.clone()),
                        ("threads", scenario.threads.to_string()),
                        ("layers", scenario.layers.to_string()),
                        ("challenges", scenario.challenges.to_string()),
                        ("partitions", scenario.partitions.to_string()),
                        ("sector_size", scenario.sector_size.clone()),
                        ("witness_only", scenario.witness_only.to_string()),
                        ("repeats", job.repeats.to_string()),
                    ],
                );
                let mut command = Command::new("sh");
                command.arg("-c").arg(filled);
                command
            }
        };
        command.envs(variant.environment());
        command
    }
}

/// What `porep-synth` is started with.
pub fn arguments(scenario: &Scenario, repeats: usize) -> Vec<String> {
    let mut arguments = vec!["--json".to_owned()];
    for (option, value) in [
        ("--threads", scenario.threads.to_string()),
        ("--layers", scenario.layers.to_string()),
        ("--challenges", scenario.challenges.to_string()),
        ("--partitions", scenario.partitions.to_string()),
        ("--sector-size", scenario.sector_size.clone()),
        ("--repeats", repeats.to_string()),
    ] {
        arguments.extend([option.to_owned(), value]);
    }
    if scenario.witness_only {
        arguments.push("--witness-only".to_owned());
    }
    arguments
}

/// What `prover-synth` is started with, whose circuit has one size.
fn arguments_in_bellperson(scenario: &Scenario, repeats: usize) -> Vec<String> {
    let mut arguments = vec!["--json".to_owned()];
    for (option, value) in [
        ("--circuit", "porep".to_owned()),
        ("--circuits", scenario.partitions.to_string()),
        ("--threads", scenario.threads.to_string()),
        ("--repeats", repeats.to_string()),
    ] {
        arguments.extend([option.to_owned(), value]);
    }
    arguments
}

fn fill(template: &str, values: &[(&str, String)]) -> String {
    values
        .iter()
        .fold(template.to_owned(), |text, (name, value)| {
            text.replace(&format!("{{{name}}}"), &quote(value))
        })
}

/// As one word of a shell.
fn quote(value: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./,:+#".contains(c);
    if !value.is_empty() && value.chars().all(plain) && !value.starts_with('#') {
        value.to_owned()
    } else {
        format!("'{}'", value.replace('\'', r"'\''"))
    }
}

fn parse(stdout: &str) -> Result<Output, RunError> {
    let line = stdout
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .ok_or(RunError::Silent)?;
    serde_json::from_str(line).map_err(|error| RunError::Malformed {
        line: line.chars().take(200).collect(),
        why: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_counts() {
        let one =
            parse("noise\n{\"seconds\": 0.5, \"digest\": \"d\", \"other\": [1]}\n\n").unwrap();
        assert_eq!((one.seconds, one.digest.as_str()), (vec![0.5], "d"));
        let many =
            parse("{\"seconds\": [1, 2.5], \"digest\": \"d\", \"peak_rss_bytes\": 7}").unwrap();
        assert_eq!(
            (many.seconds, many.peak_rss_bytes),
            (vec![1.0, 2.5], Some(7))
        );
    }

    #[test]
    fn what_is_no_result_is_refused() {
        assert!(matches!(parse(""), Err(RunError::Silent)));
        assert!(matches!(parse("\n \n"), Err(RunError::Silent)));
        for malformed in [
            "{\"seconds\": 0.5",
            "{\"seconds\": 0.5}",
            "{\"digest\": \"d\"}",
            "{\"seconds\": [], \"digest\": \"d\"}",
            "{\"seconds\": [0.0], \"digest\": \"d\"}",
            "{\"seconds\": -1, \"digest\": \"d\"}",
            "{\"seconds\": \"1\", \"digest\": \"d\"}",
            "0.5",
        ] {
            assert!(
                matches!(parse(malformed), Err(RunError::Malformed { .. })),
                "{malformed}"
            );
        }
    }

    #[test]
    fn placeholders_are_one_word_each() {
        let filled = fill(
            "run {variant} {program} '{'x'}' {sector_size}",
            &[
                ("variant", "path:it's here".into()),
                ("program", "/a/b".into()),
                ("sector_size", String::new()),
            ],
        );
        assert_eq!(filled, r"run 'path:it'\''s here' /a/b '{'x'}' ''");
    }
}
