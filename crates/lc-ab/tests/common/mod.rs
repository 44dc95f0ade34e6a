//! Plans and sessions without a machine under them.

use lc_ab::{
    environment::Environment,
    executor::{Executor, Job},
    measure::Measurer,
    options::Synthesizer,
    plan::{Plan, Scenario},
    progress::Progress,
    session::{Output, Sample, Session},
    variant,
};

/// A plan over `variants`, with a margin too small to matter.
pub fn plan(variants: &str, rounds: usize, layouts: usize) -> Plan {
    Plan {
        variants: variant::parse_list(&[variants.to_owned()]).unwrap(),
        scenarios: vec![Scenario {
            threads: 1,
            layers: 2,
            challenges: 1,
            partitions: 1,
            sector_size: "2KiB".to_owned(),
            witness_only: false,
        }],
        rounds,
        repeats: 1,
        layouts,
        seed: 1,
        margin: 1e-9,
        fail_if_slower: None,
        timeout_seconds: 60.0,
        program: Synthesizer::PorepSynth,
        command: None,
        prover: None,
    }
}

pub fn sample(job: &Job, seconds: f64, storage: &str) -> Sample {
    Sample {
        scenario: job.scenario_index,
        subject: job.subject,
        round: job.round,
        place: job.place,
        layout: job.layout,
        output: Output {
            seconds: vec![seconds],
            digest: "the same".to_owned(),
            storage: Some(storage.to_owned()),
            allocator: Some("system".to_owned()),
            constraints: Some(1_000_000),
            peak_rss_bytes: Some(1 << 28),
            compiled_rows: None,
        },
        process_seconds: seconds + 0.25,
        user_seconds: seconds,
        system_seconds: 0.0,
        minor_faults: 1000,
        major_faults: 0,
        involuntary_switches: 0,
    }
}

/// The session that `executor` gives.
pub fn session(plan: &Plan, executor: impl Executor) -> Session {
    let progress = Progress::hidden();
    let mut measurer = Measurer::new(plan, executor, &progress);
    let digests = measurer.check().unwrap();
    let (samples, interrupted) = measurer.rounds(&digests);
    let failures = measurer.failures;
    Session {
        plan: plan.clone(),
        started: "2026-01-01T00:00:00Z".to_owned(),
        environment_before: Environment::default(),
        environment_after: Environment::default(),
        programs: Vec::new(),
        samples,
        failures,
        interrupted,
        explanation: None,
        remarks: Vec::new(),
        in_bellperson: None,
    }
}
